//! Five hundred hooks at once, many of them killed at some moment: what was answered is recorded, and the chain holds.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::collections::HashSet;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;
use support::{Scratch, finish, start_with};
use tollgate_store::Log;

/// Twenty times when optimised; a debug build would take minutes.
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 20 };
const HOOKS: usize = 500;

#[test]
fn f01_hooks_killed_at_random_lose_nothing_that_was_answered() {
    let scratch = Scratch::new();
    scratch.bash("ls src");
    let mut seed = 42_u64;
    let (mut answered, mut killed) = (HashSet::new(), 0);
    for round in 0..ROUNDS {
        let mut crowd = Vec::new();
        for number in 0..HOOKS {
            let id = format!("toolu_{round}_{number}");
            let mut payload: serde_json::Value =
                serde_json::from_slice(&scratch.payload("Bash", json!({"command": "ls src"}))).unwrap();
            payload["tool_use_id"] = id.as_str().into();
            let mut child = start_with(&mut scratch.command(Some("PreToolUse")));
            child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
            crowd.push((id, child));
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // One that started a while ago is killed, wherever it is by now.
            let back = (seed >> 33) as usize % 40;
            if seed.is_multiple_of(2) && crowd.len() > back {
                let at = crowd.len() - 1 - back;
                crowd[at].1.kill().unwrap();
                killed += 1;
            }
        }
        for (id, child) in crowd {
            let answer = finish(child, Instant::now());
            if answer.code == Some(0) && !answer.says("could not be recorded") {
                answered.insert(id);
            }
        }
    }
    let log = Log::at(&scratch.state());
    let seen = log.verify();
    assert!(seen.is_sound(), "{:?}", seen.troubles);
    let kept: HashSet<String> =
        log.records().filter_map(|entry| Some(entry.value()?.text("id")?.to_owned())).collect();
    let lost: Vec<&String> = answered.difference(&kept).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(
        killed > HOOKS / 10 && answered.len() > HOOKS / 10,
        "{killed} killed, {} answered",
        answered.len()
    );
    assert!(scratch.bash("ls src").time < Duration::from_secs(5), "nobody is left holding anything");
}
