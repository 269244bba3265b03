//! A middleware or a workflow that would take longer than the agent waits: the answer is out before it gives up.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests"
)]
#![allow(dead_code, reason = "what other tests need of the support")]

mod support;

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use support::{Answer, Scratch, answer};

/// The answer to an event of an agent whose middleware takes two minutes, and may.
fn held_up(hook: &str, middleware: &str, agent: &str, event: &str, payload: &Value) -> (Scratch, Answer) {
    let scratch = Scratch::new();
    scratch.policy(&format!("version: 1\nhooks:\n  {hook}:\n    middleware:\n{middleware}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["hook", agent, event]);
    command.arg("--config").arg(scratch.config()).arg("--state").arg(scratch.state());
    scratch.clean(&mut command);
    let answer = answer(&mut command, payload.to_string().as_bytes());
    (scratch, answer)
}

const TWO_MINUTES: &str = "      - {id: slow, type: safety, run: [/bin/sleep, 120], timeout: 120}\n";

#[test]
fn a_call_is_refused_before_the_agent_gives_up() {
    let payload = json!({"event": "pre-tool", "session": "s", "cwd": "/tmp",
                         "tool": {"id": "1", "name": "shell", "input": {"command": "ls"}}});
    let (_, answer) = held_up("pre-tool-use", TWO_MINUTES, "generic", "pre-tool", &payload);
    assert!(answer.time < Duration::from_secs(28), "{:?}", answer.time);
    assert!(answer.says("the agent waits no longer"), "{} {}", answer.stdout, answer.stderr);
    let said: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(matches!(said["verdict"].as_str(), Some("deny" | "ask")), "{said}");
}

#[test]
fn together_they_take_no_longer_than_one() {
    let twice = TWO_MINUTES.repeat(2).replacen("id: slow", "id: first", 1);
    let payload = json!({"hook_event_name": "SessionEnd", "session_id": "s", "cwd": "/tmp", "turn_id": "t",
                         "model": "m", "reason": "other"});
    let (scratch, answer) = held_up("session-end", &twice, "codex", "SessionEnd", &payload);
    assert!(answer.time < Duration::from_secs(3), "{:?}", answer.time);
    assert_eq!(answer.code, Some(0), "{} {}", answer.stdout, answer.stderr);
    let record = scratch.log().pop().unwrap();
    assert_eq!(record["middleware"].as_array().unwrap().len(), 2, "{record}");
    for stage in record["middleware"].as_array().unwrap() {
        assert!(stage["fault"].as_str().unwrap().contains("the agent waits no longer"), "{record}");
    }
}
