//! What an agent was doing survives: the process may die at any moment between saving, telling and deleting.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::agents::other;
use crate::support::is_missing;
use crate::team::{Team, passes};

fn payload(team: &Team, event: &str, fields: &Value) -> Vec<u8> {
    let mut payload = json!({
        "session_id": team.session, "transcript_path": "/x/t.jsonl", "cwd": team.scratch.project(),
        "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    payload.to_string().into_bytes()
}

/// Runs the hook and kills it when it makes a system call for the nth time. What it said, and whether it was killed.
fn killed_at(team: &Team, event: &str, fields: &Value, call: &str, nth: usize) -> (String, bool) {
    let plain = team.scratch.command(Some(event));
    let mut traced = Command::new("strace");
    traced.args(["-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    traced.args(["-e", &format!("inject={call}:signal=KILL:when={nth}"), "--"]);
    traced.arg(plain.get_program()).args(plain.get_args());
    team.scratch.clean(&mut traced);
    let mut child =
        traced.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("strace");
    let _ = child.stdin.take().unwrap().write_all(&payload(team, event, fields));
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let status = child.wait().unwrap();
    (said, status.signal() == Some(9) || status.code() == Some(137))
}

/// The calls by which something comes to be on disk, goes from it, or is said.
const CALLS: [&str; 8] = ["openat", "write", "renameat2", "renameat", "rename", "unlinkat", "fsync", "flock"];

/// Does something for every moment at which the hook can be killed. Fails when there are none.
fn at_every_moment(team: &Team, event: &str, fields: &Value, check: impl Fn(usize, &str, &str)) {
    let mut moments = 0;
    for call in CALLS {
        for nth in 1..60 {
            let (said, killed) = {
                passes(&team.prompt(&format!("task {moments}")));
                if event == "SessionStart" {
                    passes(&team.send("PreCompact", json!({"trigger": "auto"})));
                }
                killed_at(team, event, fields, call, nth)
            };
            check(moments, &said, &format!("killed at {call} {nth}"));
            if !killed {
                break;
            }
            moments += 1;
        }
    }
    assert!(moments > 10, "only {moments} moments were tried");
}

#[test]
fn what_was_saved_is_told_whenever_the_telling_dies() {
    if is_missing("strace") {
        return;
    }
    let team = Team::with("[compact-recovery]");
    let source = json!({"source": "compact"});
    at_every_moment(&team, "SessionStart", &source, |number, said, when| {
        let task = format!("current_task: task {number}");
        let again = team.session_starts("compact");
        assert!(said.contains(&task) || again.says(&task), "{when}: {said} then {}", again.stdout);
        assert!(!again.says("starts afresh"), "{when}: {}", again.stdout);
    });
}

#[test]
fn a_saving_that_dies_damages_nothing() {
    if is_missing("strace") {
        return;
    }
    let team = Team::with("[compact-recovery]");
    let trigger = json!({"trigger": "auto"});
    at_every_moment(&team, "PreCompact", &trigger, |number, _, when| {
        let task = format!("current_task: task {number}");
        passes(&team.send("PreCompact", json!({"trigger": "auto"})));
        let told = team.session_starts("compact");
        assert!(told.says(&task) && !told.says("starts afresh"), "{when}: {}", told.stdout);
    });
}

#[test]
fn what_nobody_took_is_told_again() {
    let team = Team::with("[compact-recovery]");
    passes(&team.prompt("the task"));
    passes(&team.send("PreCompact", json!({"trigger": "auto"})));
    let mut command = team.scratch.command(Some("SessionStart"));
    let full = std::fs::File::create("/dev/full").unwrap();
    let mut child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::null()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&payload(&team, "SessionStart", &json!({"source": "compact"})))
        .unwrap();
    child.wait().unwrap();
    assert!(team.session_starts("compact").says("current_task: the task"));
    assert!(!team.session_starts("compact").says("the task"), "and then no more");
}

/// Gemini CLI compresses a conversation without starting a session anew.
#[test]
fn an_agent_that_starts_no_session_after_it_is_told_at_the_next_prompt() {
    let team = Team::with("[compact-recovery]");
    let send = |event: &str, rest: Value| {
        let mut all = json!({"session_id": "s", "cwd": team.scratch.project(), "hook_event_name": event});
        all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        other(&team, "gemini-cli", event, &all)
    };
    send("BeforeAgent", json!({"prompt": "build the login"}));
    send(
        "BeforeTool",
        json!({"tool_name": "write_todos", "tool_input": {"todos": [{"description": "the form"}]}}),
    );
    send("PreCompress", json!({"trigger": "auto"}));
    let next = send("BeforeAgent", json!({"prompt": "go on"}));
    assert!(next.says("current_task: build the login") && next.says("the form"), "{}", next.stdout);
    assert!(!send("BeforeAgent", json!({"prompt": "go on"})).says("Recovered"), "told once");
}

#[test]
fn two_sessions_recover_each_its_own() {
    let mut team = Team::with("[compact-recovery]");
    for session in ["one", "two"] {
        session.clone_into(&mut team.session);
        passes(&team.prompt(&format!("task of {session}")));
        passes(&team.send("PreCompact", json!({"trigger": "auto"})));
    }
    for (session, other) in [("one", "two"), ("two", "one")] {
        session.clone_into(&mut team.session);
        let told = team.session_starts("compact");
        let own = told.says(&format!("task of {session}")) && !told.says(&format!("task of {other}"));
        assert!(own, "{session}: {}", told.stdout);
    }
    "three".clone_into(&mut team.session);
    assert!(
        !team.session_starts("startup").says("compact-recovery"),
        "what others saved is not its business"
    );
}
