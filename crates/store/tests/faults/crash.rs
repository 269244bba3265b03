//! Processes killed at any moment, and every state that a kill can leave.

use std::collections::HashSet;
use std::time::Duration;

use tollgate_store::{Breach, Log};

use crate::support::*;

#[test]
fn f01_killed_at_random_moments() {
    let mut seed = 42_u64;
    let mut acknowledged_in_all = 0;
    for round in 0..12 {
        // In the last rounds each part has one record, all equally long: no head may pass for another's.
        let part = if round < 10 { "6000" } else { "1" };
        let scene = Scene::new();
        let mut acknowledged: HashSet<u64> = HashSet::new();
        for _ in 0..22 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut child = process("append", &scene.state, part).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(2_000 + (seed >> 33) % 25_000));
            child.kill().unwrap();
            acknowledged.extend(said(child).iter().map(|line| line.parse::<u64>().unwrap()));
        }
        let seen = scene.verify();
        assert!(seen.is_sound(), "{}", told(&seen));
        let kept: HashSet<u64> = scene.log.records().map(|entry| entry.seq).collect();
        let lost: Vec<_> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty(), "{lost:?}");
        acknowledged_in_all += acknowledged.len();
        scene.append("after").unwrap();
        scene.assert_sound(kept.len() as u64 + 1);
    }
    assert!(acknowledged_in_all > 1000, "the processes got too little done: {acknowledged_in_all}");
}

/// The record is written, the head is not yet; the record cut at every byte.
#[test]
fn f01_a_record_cut_at_every_byte() {
    let scene = Scene::new();
    scene.fill(2);
    let (log, head) = (scene.current(), std::fs::read(scene.path("head")).unwrap());
    scene.append("third").unwrap();
    let whole = scene.current();
    for cut in log.len()..=whole.len() {
        std::fs::write(scene.path("events.jsonl"), &whole[..cut]).unwrap();
        std::fs::write(scene.path("head"), &head).unwrap();
        let seen = scene.verify();
        assert!(seen.is_sound(), "cut at {cut}: {}", told(&seen));
        // The record without its line end is whole, all but.
        let complete = cut + 1 >= whole.len();
        let torn = seen.troubles.iter().any(|trouble| trouble.breach == Breach::Torn);
        assert_eq!(torn, cut > log.len() && !complete, "cut at {cut}: {}", told(&seen));
        let next = scene.append("next").unwrap();
        assert_eq!(next.seq, if complete { 4 } else { 3 }, "cut at {cut}");
        scene.assert_sound(next.seq);
        assert!(scene.verify().troubles.iter().all(|trouble| trouble.breach == Breach::Torn), "cut at {cut}");
        let text = String::from_utf8(scene.current()).unwrap();
        assert!(text.ends_with('\n') && text.lines().last().unwrap() == next.line, "cut at {cut}");
    }
}

/// The part was set aside, and nothing after that was done.
#[test]
fn f01_killed_between_the_parts() {
    for made in [false, true] {
        let scene = Scene::new();
        scene.fill(5);
        std::fs::rename(scene.path("events.jsonl"), scene.path("events-000000000001.jsonl")).unwrap();
        if made {
            std::fs::write(scene.path("events.jsonl"), "").unwrap();
        }
        scene.assert_sound(5);
        assert_eq!(scene.append("later").unwrap().seq, 6);
        scene.assert_sound(6);
        assert_eq!(scene.verify().count, 0);
    }
}

/// One was killed with the record written and the head not, the next with the part set aside and nothing after that.
#[test]
fn f01_killed_twice_around_the_end_of_a_part() {
    for made in [false, true] {
        let scene = Scene::new();
        scene.fill(4);
        let head = std::fs::read(scene.path("head")).unwrap();
        scene.append("fifth").unwrap();
        std::fs::write(scene.path("head"), head).unwrap();
        std::fs::rename(scene.path("events.jsonl"), scene.path("events-000000000001.jsonl")).unwrap();
        if made {
            std::fs::write(scene.path("events.jsonl"), "").unwrap();
        }
        assert_eq!(scene.append("later").unwrap().seq, 6);
        scene.assert_sound(6);
    }
}

/// Many torn lines in a row, longer than the first look back.
#[test]
fn f01_much_torn_text_at_the_end() {
    let scene = Scene::new();
    scene.fill(3);
    let mut bytes = scene.current();
    bytes.extend("{\"v\":1,\"seq\":9,torn\n".repeat(5000).bytes());
    bytes.extend(b"{\"v\":1");
    std::fs::write(scene.path("events.jsonl"), bytes).unwrap();
    assert_eq!(scene.append("later").unwrap().seq, 4);
    scene.assert_sound(4);
}

#[test]
fn f01_a_reader_meets_only_whole_records() {
    let scene = Scene::with_parts(20_000);
    let log: Log = scene.log.clone();
    scene.append("first").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| scene.fill(400));
        for _ in 0..20 {
            let seqs: Vec<u64> = log.records().map(|entry| entry.seq).collect();
            assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
            let seen = log.verify();
            assert!(seen.is_sound(), "{}", told(&seen));
        }
    });
}
