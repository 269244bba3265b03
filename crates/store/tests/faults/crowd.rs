//! Many processes at once, and one that stops with the lock in its hand.

use std::process::Child;
use std::time::{Duration, Instant};

use tollgate_store::LogFault;

use crate::support::*;

#[test]
fn f14_five_hundred_processes_at_once() {
    let scene = Scene::new();
    let (gate, start) = std::io::pipe().unwrap();
    let crowd: Vec<Child> = (0..500)
        .map(|_| process("crowd", &scene.state, "100000").stdin(gate.try_clone().unwrap()).spawn().unwrap())
        .collect();
    drop((gate, start));
    let mut seqs = Vec::new();
    for child in crowd {
        let lines = said(child);
        assert_eq!(lines.len(), 20, "{lines:?}");
        seqs.extend(lines.iter().map(|line| line.parse::<u64>().unwrap_or_else(|_| panic!("{line}"))));
    }
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=10_000).collect::<Vec<_>>());
    let kept: Vec<u64> = scene.log.records().map(|entry| entry.seq).collect();
    assert_eq!(kept, seqs);
    scene.assert_sound(10_000);
    assert_eq!(scene.verify().count, 0);
}

/// As many, each with twenty records, and every other one killed at some moment.
#[test]
fn f01_five_hundred_processes_half_of_them_killed() {
    let scene = Scene::new();
    let (gate, start) = std::io::pipe().unwrap();
    let mut crowd: Vec<Child> = (0..500)
        .map(|_| process("crowd", &scene.state, "100000").stdin(gate.try_clone().unwrap()).spawn().unwrap())
        .collect();
    drop((gate, start));
    let mut seed = 42_u64;
    for child in crowd.iter_mut().step_by(2) {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((seed >> 33) % 4000));
        child.kill().unwrap();
    }
    let mut acknowledged: Vec<u64> = Vec::new();
    for child in crowd {
        acknowledged
            .extend(said(child).iter().map(|line| line.parse::<u64>().unwrap_or_else(|_| panic!("{line}"))));
    }
    let seen = scene.verify();
    assert!(seen.is_sound(), "{}", told(&seen));
    let kept: std::collections::HashSet<u64> = scene.log.records().map(|entry| entry.seq).collect();
    let lost: Vec<&u64> = acknowledged.iter().filter(|seq| !kept.contains(seq)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(acknowledged.len() >= 5000, "the others got everything done: {}", acknowledged.len());
}

#[test]
fn f15_a_stopped_process_holds_nobody_up() {
    let scene = Scene::new();
    scene.fill(1);
    let mut holder = process("hold", &scene.state, "").spawn().unwrap();
    let stdout = std::io::BufReader::new(holder.stdout.take().unwrap());
    let held = std::io::BufRead::lines(stdout).map_while(Result::ok).any(|line| line == "@held");
    assert!(held);
    let begun = Instant::now();
    let fault = scene.append("x").unwrap_err();
    let took = begun.elapsed();
    assert!(matches!(fault, LogFault::Locked { .. }), "{fault}");
    assert!(took >= Duration::from_millis(250) && took < Duration::from_secs(5), "{took:?}");
    assert!(scene.verify().is_sound(), "reading needs no lock");
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(scene.append("y").unwrap().seq, 2);
    scene.assert_sound(2);
}

#[test]
fn f44_the_first_event_of_a_session_fixes_its_project() {
    let scene = Scene::new();
    let (gate, start) = std::io::pipe().unwrap();
    let racers: Vec<Child> = (0..30)
        .map(|index| {
            let path = format!("/p/{index}");
            process("project", &scene.state, &path).stdin(gate.try_clone().unwrap()).spawn().unwrap()
        })
        .collect();
    drop((gate, start));
    let answers: Vec<String> = racers.into_iter().flat_map(said).collect();
    assert_eq!(answers.len(), 30);
    let winners: Vec<&String> = answers.iter().filter(|answer| answer.starts_with("true ")).collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    let path = winners[0].trim_start_matches("true ");
    assert!(answers.iter().all(|answer| answer.ends_with(path)), "{answers:?}");
}
