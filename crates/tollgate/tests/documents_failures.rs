//! Hooks that were taken over and fail: the call passes as with the host, and the person is told.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod install_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use install_support::{Home, Ran, TOLLGATE, finish};
use serde_json::{Value, json};

const ORCHESTRATOR: &str = include_str!("documents/orchestrator/impl.python.py");

/// A home whose settings run one program before every call, taken over by the gate.
fn adopted(program: &str, event: &str) -> Home {
    let group = json!([{"hooks": [{"type": "command", "command": "$HOME/guard"}]}]);
    let home = Home::with(&json!({"hooks": {event: group}}).to_string());
    put(&home, program);
    let ran = home.run(&["init", "--adopt", "--yes"]);
    assert_eq!(ran.exit, 0, "{}", ran.out);
    home
}

fn put(home: &Home, program: &str) {
    home.write("guard", program);
    fs::set_permissions(home.path("guard"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// An event of a session, and what the person is shown at it.
fn event(home: &Home, name: &str, session: &str, more: &Value) -> (Ran, String) {
    let cwd = home.path("p");
    let mut payload = json!({
        "session_id": session, "transcript_path": "", "cwd": cwd, "permission_mode": "default",
        "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let dirs = [home.path(".config/tollgate"), home.path(".local/state/tollgate")];
    let [config, state] = dirs.map(|dir| dir.display().to_string());
    let args = ["hook", "claude-code", name, "--config", &config, "--state", &state];
    let mut command = home.command(Path::new(TOLLGATE), &args);
    command.env("CLAUDE_PROJECT_DIR", &cwd).current_dir(&cwd);
    let ran = finish(&mut command, payload.to_string().as_bytes());
    let said: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    let shown = said["systemMessage"].as_str().unwrap_or_default().to_owned();
    (ran, shown)
}

fn call(home: &Home, session: &str) -> String {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let (ran, shown) = event(home, "PreToolUse", session, &call);
    assert!(ran.exit == 0 && !ran.out.contains("permissionDecision"), "the call passes: {}", ran.out);
    shown
}

#[test]
fn a_hook_that_fails_is_told_once_in_a_session_and_by_doctor() {
    for (program, why) in [
        ("#!/bin/sh\necho broken >&2\nexit 1\n", "exit code 1: broken"),
        ("#!/bin/sh\nno-such-program-here\n", "exit code 127"),
        ("#!/bin/sh\nkill -9 $$\n", "exit code 137"),
        ("#!/bin/sh\necho '{\"decision\": \"perhaps\"}'\n", "`perhaps`"),
        ("#!/bin/sh\necho '{\"decision\": '\n", "not one JSON object"),
        // The document's own orchestrator uses `yaml` without importing it.
        (&format!("#!/usr/bin/env python3\n{ORCHESTRATOR}"), "NameError"),
    ] {
        let home = adopted(program, "PreToolUse");
        call(&home, "warm-up");
        let shown = call(&home, "s1");
        assert!(shown.contains("hook `adopted-1` (`$HOME/guard`)") && shown.contains(why), "{why}: {shown}");
        assert_eq!(call(&home, "s1"), "", "once in a session");
        assert!(call(&home, "s2").contains(why), "and in the next one again");
        let doctor = home.run(&["doctor"]);
        assert!(doctor.exit == 1 && doctor.out.contains("$HOME/guard"), "{why}: {}", doctor.out);
        put(&home, "#!/bin/sh\nexit 0\n");
        assert_eq!(call(&home, "s2"), "");
        let doctor = home.run(&["doctor"]);
        assert!(doctor.exit == 0 && !doctor.out.contains("$HOME/guard"), "{}", doctor.out);
    }
}

#[test]
fn an_error_beside_allow_is_told() {
    // The document's handler answers so when its validators are not there.
    let answer = "#!/bin/sh\necho '{\"decision\": \"allow\", \"error\": \"no module named security\"}'\n";
    let home = adopted(answer, "PreToolUse");
    call(&home, "warm-up");
    let shown = call(&home, "s1");
    assert!(shown.contains("no module named security"), "{shown}");
    assert_eq!(call(&home, "s1"), "");
    let doctor = home.run(&["doctor"]);
    assert!(doctor.exit == 1 && doctor.out.contains("no module named security"), "{}", doctor.out);
}

#[test]
fn a_hook_that_fails_after_a_call_is_told_and_leaves_the_gate_in_force() {
    let home = adopted("#!/bin/sh\necho broken >&2\nexit 1\n", "PostToolUse");
    let ran = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": {}});
    event(&home, "PostToolUse", "warm-up", &ran);
    let (_, shown) = event(&home, "PostToolUse", "s1", &ran);
    assert!(shown.contains("exit code 1: broken"), "{shown}");
    let doctor = home.run(&["doctor"]);
    assert!(doctor.exit == 0 && doctor.out.contains("exit code 1: broken"), "{}", doctor.out);
    assert!(!doctor.out.contains("Tollgate is active\n"), "{}", doctor.out);
}

#[test]
fn a_good_run_in_another_project_hides_no_failure() {
    let home = adopted("#!/bin/sh\ncase $(pwd) in */p) exit 1;; esac\n", "PreToolUse");
    call(&home, "s1");
    fs::create_dir(home.path("q")).unwrap();
    let cwd = home.path("q");
    let more = json!({"cwd": cwd, "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let mut payload = json!({
        "session_id": "s2", "transcript_path": "", "permission_mode": "default", "hook_event_name": "PreToolUse",
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let dirs = [home.path(".config/tollgate"), home.path(".local/state/tollgate")];
    let [config, state] = dirs.map(|dir| dir.display().to_string());
    let args = ["hook", "claude-code", "PreToolUse", "--config", &config, "--state", &state];
    let mut command = home.command(Path::new(TOLLGATE), &args);
    command.env("CLAUDE_PROJECT_DIR", &cwd).current_dir(&cwd);
    assert_eq!(finish(&mut command, payload.to_string().as_bytes()).exit, 0);
    let doctor = home.run(&["doctor"]);
    assert!(doctor.exit == 1 && doctor.out.contains("exit code 1"), "{}", doctor.out);
}
