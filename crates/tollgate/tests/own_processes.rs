//! The agent tries to end the gate, to hide its files, or to run what nobody can read beforehand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::process::Command;

use support::Scratch;

#[test]
fn f57_the_gate_is_neither_ended_nor_hidden_nor_held_up() {
    let scratch = Scratch::new();
    for command in [
        "pkill -9 -f PreToolUse",
        "kill $(pgrep toll)",
        "killall -r '^toll'",
        "fuser -k ~/.local/state/tollgate/head",
        "flock ~/.local/state/tollgate/head sleep 1000",
        "mkfifo ~/.local/state/tollgate/sinks.lock",
        "mkdir ~/.config/tollgate/workflows",
        "chmod 000 ~/.local/state",
        "mount -t tmpfs none ~/.local/state",
    ] {
        assert_eq!(scratch.bash(command).decision(), "deny", "{command}");
    }
    for command in
        ["pkill -f vite", "fuser -k 3000/tcp", "flock /tmp/build.lock make", "mkdir ~/.config/other"]
    {
        scratch.bash(command).silent();
    }
}

#[test]
fn f57_a_copy_of_the_gate_is_the_gate() {
    let scratch = Scratch::new();
    fs::copy(env!("CARGO_BIN_EXE_tollgate"), scratch.project().join("helper")).unwrap();
    assert_eq!(scratch.bash("./helper uninstall --yes").decision(), "deny");
    fs::write(scratch.project().join("helper"), "#!/bin/sh\nexit 0\n").unwrap();
    scratch.bash("./helper uninstall --yes").silent();
}

#[test]
fn f58_a_pipe_as_a_script_is_asked_about() {
    let scratch = Scratch::new();
    let made = Command::new("mkfifo").arg(scratch.project().join("steps")).status().unwrap();
    assert!(made.success());
    for command in ["bash steps", "source steps", "sh < steps", "python3 steps", "./steps"] {
        let decision = scratch.bash(command).decision();
        assert!(matches!(decision.as_str(), "ask" | "deny"), "{command}: {decision}");
    }
    scratch.bash("cat steps").silent();
}

#[test]
fn f58_a_pipe_that_an_earlier_call_makes_is_asked_about() {
    let scratch = Scratch::new();
    scratch.bash("mkfifo later").silent();
    for command in ["bash later", "sh < later"] {
        let decision = scratch.bash(command).decision();
        assert!(matches!(decision.as_str(), "ask" | "deny"), "{command}: {decision}");
    }
}
