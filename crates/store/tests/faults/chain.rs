//! Edited, removed, reordered and cut logs; clocks; counts.

use std::time::{Duration, UNIX_EPOCH};

use tollgate_store::{Breach, Limits};

use crate::support::*;

/// Changes the lines of a log of ten records, and says what `verify` must tell.
fn check(name: &str, change: impl Fn(&mut Vec<String>), sound: bool, expected: &[(u64, Breach)]) {
    let scene = Scene::new();
    scene.fill(10);
    let text = String::from_utf8(scene.current()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    std::fs::write(scene.path("events.jsonl"), lines.join("\n") + "\n").unwrap();
    let seen = scene.verify();
    let troubles: Vec<(u64, Breach)> = seen.troubles.iter().map(|t| (t.line, t.breach.clone())).collect();
    assert_eq!((troubles.as_slice(), seen.is_sound()), (expected, sound), "{name}");
    // What was broken stays visible after the log has gone on.
    scene.append("later").unwrap();
    scene.append("later").unwrap();
    assert_eq!(scene.verify().is_sound(), sound, "{name}, later: {}", told(&scene.verify()));
}

fn rehash(line: &str) -> String {
    let body = line.rsplit_once(",\"hash\"").unwrap().0;
    let prev = body.rsplit_once("\"prev\":\"").unwrap().1.trim_end_matches('"');
    let hash: String = blake3::hash(format!("{prev}{body}").as_bytes()).to_hex().chars().take(32).collect();
    format!("{body},\"hash\":\"{hash}\"}}")
}

#[test]
fn f39_says_where_the_log_was_changed() {
    check("untouched", |_| {}, true, &[]);
    check("edited", |l| l[4] = l[4].replace("echo 4", "echo 5"), false, &[(5, Breach::Edited)]);
    check(
        "edited with its hash",
        |l| l[4] = rehash(&l[4].replace("echo 4", "echo 5")),
        false,
        &[(5, Breach::Edited)],
    );
    check("last edited", |l| l[9] = l[9].replace("echo", "true"), false, &[(10, Breach::Edited)]);
    check(
        "last edited with its hash",
        |l| l[9] = rehash(&l[9].replace("echo", "true")),
        false,
        &[(10, Breach::Edited)],
    );
    check("removed", |l| drop(l.remove(4)), false, &[(5, Breach::Removed { from: 5, to: 5 })]);
    check("three removed", |l| drop(l.drain(4..7)), false, &[(5, Breach::Removed { from: 5, to: 7 })]);
    check("first removed", |l| drop(l.remove(0)), false, &[(1, Breach::Removed { from: 1, to: 1 })]);
    check(
        "swapped",
        |l| l.swap(4, 5),
        false,
        &[(5, Breach::Removed { from: 5, to: 5 }), (6, Breach::Reordered { seq: 5 })],
    );
    check("doubled", |l| l.insert(5, l[4].clone()), false, &[(6, Breach::Reordered { seq: 5 })]);
    check(
        "line blanked",
        |l| l[4] = "{}".to_owned(),
        false,
        &[(5, Breach::Edited), (6, Breach::Removed { from: 5, to: 5 })],
    );
    check("cut", |l| l.truncate(6), false, &[(6, Breach::Truncated { last: 6, head: 10 })]);
    check(
        "emptied",
        |l| l.clear(),
        false,
        &[(1, Breach::Edited), (1, Breach::Truncated { last: 0, head: 10 })],
    );
    check("torn line in between", |l| l.insert(5, "{\"v\":1,\"se".to_owned()), true, &[(6, Breach::Torn)]);
}

#[test]
fn f39_a_log_that_was_removed_or_lost_a_part_is_missed() {
    let scene = Scene::with_parts(2000);
    scene.fill(20);
    let parts: Vec<_> =
        files(&scene.state).into_iter().map(|(path, _)| path).filter(|p| is_part(p)).collect();
    assert!(parts.len() >= 3, "{parts:?}");
    scene.assert_sound(20);
    std::fs::remove_file(parts.iter().min().unwrap()).unwrap();
    assert!(!scene.verify().is_sound());

    let scene = Scene::new();
    scene.fill(3);
    std::fs::remove_file(scene.path("events.jsonl")).unwrap();
    assert!(!scene.verify().is_sound());
    assert_eq!(scene.append("later").unwrap().seq, 4, "numbers are never given twice");
    assert!(!scene.verify().is_sound());
}

fn is_part(path: &std::path::Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("events-"))
}

#[test]
fn f39_the_chain_goes_on_over_parts() {
    let scene = Scene::with_parts(3000);
    scene.fill(50);
    scene.assert_sound(50);
    let seqs: Vec<u64> = scene.log.records().map(|entry| entry.seq).collect();
    assert_eq!(seqs, (1..=50).collect::<Vec<_>>());
    let parts = files(&scene.state).into_iter().filter(|(path, _)| is_part(path)).count();
    assert!(parts > 3, "{parts}");
    for (path, bytes) in files(&scene.state) {
        assert!(bytes.len() <= 3000, "{path:?} has {} bytes", bytes.len());
    }
    assert_eq!(scene.log.head().unwrap().seq, 50);
}

/// Where the name for a part is taken, the log grows on rather than lose anything.
#[test]
fn f21_a_part_whose_name_is_taken_grows_on() {
    let scene = Scene::with_parts(2000);
    scene.fill(2);
    std::fs::write(scene.path("events-000000000001.jsonl"), "not ours\n").unwrap();
    scene.fill(10);
    assert_eq!(std::fs::read(scene.path("events-000000000001.jsonl")).unwrap(), b"not ours\n");
    assert_eq!(scene.verify().records, 12);
    std::fs::remove_file(scene.path("events-000000000001.jsonl")).unwrap();
    scene.fill(1);
    scene.assert_sound(13);
    assert!(scene.path("events-000000000001.jsonl").exists());
}

#[test]
fn f34_a_lost_or_damaged_head_comes_back() {
    type Damage = fn(&std::path::Path);
    let damage: [(&str, Damage); 4] = [
        ("removed", |head| std::fs::remove_file(head).unwrap()),
        ("emptied", |head| std::fs::write(head, "").unwrap()),
        ("garbage", |head| std::fs::write(head, [0xff; 192]).unwrap()),
        ("longer", |head| std::fs::write(head, " ".repeat(4096)).unwrap()),
    ];
    for (name, damage) in damage {
        let scene = Scene::with_parts(3000);
        scene.fill(20);
        damage(&scene.path("head"));
        let seen = scene.verify();
        assert_eq!((seen.is_sound(), seen.count), (true, 1), "{name}: {}", told(&seen));
        assert_eq!(scene.append("later").unwrap().seq, 21, "{name}");
        let seen = scene.verify();
        assert_eq!((seen.records, seen.count, seen.alarms), (21, 1, 1), "{name}: {}", told(&seen));
        assert_eq!(
            seen.troubles[0].breach,
            Breach::HeadLost,
            "{name}: how much was there is not known any more"
        );
        assert_eq!(scene.append("later still").unwrap().seq, 22, "{name}");
        assert_eq!(scene.verify().count, 1, "{name}: told once");
    }
}

#[test]
fn f34_head_and_current_part_lost_together() {
    let scene = Scene::with_parts(3000);
    scene.fill(30);
    let last_kept = scene.log.records().map(|e| e.seq).max().unwrap();
    let current = String::from_utf8(scene.current()).unwrap().lines().count() as u64;
    std::fs::remove_file(scene.path("head")).unwrap();
    std::fs::remove_file(scene.path("events.jsonl")).unwrap();
    assert_eq!(scene.append("later").unwrap().seq, last_kept - current + 1);
    let seen = scene.verify();
    assert_eq!((seen.records, seen.alarms), (last_kept - current + 1, 1), "{}", told(&seen));
}

/// Without its head a log that was cut to a valid prefix looked like one that never had more.
#[test]
fn f39_a_cut_log_whose_head_is_gone_is_noticed() {
    let scene = Scene::new();
    scene.fill(10);
    let text = String::from_utf8(scene.current()).unwrap();
    let prefix: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    std::fs::write(scene.path("events.jsonl"), prefix).unwrap();
    std::fs::remove_file(scene.path("head")).unwrap();
    assert_eq!(scene.append("later").unwrap().seq, 5);
    let seen = scene.verify();
    assert!(!seen.is_sound(), "{}", told(&seen));
    assert_eq!((seen.troubles[0].line, &seen.troubles[0].breach), (5, &Breach::HeadLost));
}

#[test]
fn f16_clocks_may_jump() {
    let scene = Scene::new();
    let year = Duration::from_secs(31_556_952);
    let times =
        [now(), now() + 10 * year, now() - 10 * year, UNIX_EPOCH - 100 * year, now() + 20_000 * year, now()];
    for (index, time) in times.into_iter().enumerate() {
        let appended = scene.log.append(&record("x"), time).unwrap();
        assert_eq!(appended.seq, index as u64 + 1);
    }
    scene.assert_sound(6);
    let stamps: Vec<String> =
        scene.log.records().map(|entry| entry.value().unwrap().text("ts").unwrap().to_owned()).collect();
    assert!(stamps[2].starts_with("2016-01-01") && stamps[4].starts_with("9999-12-31"), "{stamps:?}");
    assert!(stamps.iter().all(|stamp| stamp.len() == 27 && stamp.ends_with('Z')), "{stamps:?}");
}

#[test]
fn f36_a_hundred_thousand_refusals_are_all_there() {
    const COUNT: u64 = 100_000;
    let scene = Scene::with_parts(4 << 20);
    let record = with_fields("t", [("tool", "Bash".into()), ("verdict", "deny".into())].into_iter());
    for seq in 1..=COUNT {
        assert_eq!(scene.log.append(&record, now()).unwrap().seq, seq);
    }
    let refused = scene.log.records().filter(|entry| entry.line.contains("\"verdict\":\"deny\"")).count();
    assert_eq!(refused as u64, COUNT);
    let seen = scene.verify();
    assert_eq!((seen.records, seen.count), (COUNT, 0), "{}", told(&seen));
    assert!(files(&scene.state).len() > 5, "it was set aside several times");
}

#[test]
fn limits_have_sane_defaults() {
    assert_eq!(Limits::default().part, 16 << 20);
    assert_eq!(Limits::default().lock_wait, Duration::from_millis(250));
}
