//! Canary calls are marked in the log, and nobody sees them who does not ask for them.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use serde_json::{Value, json};
use support::{Scratch, answer};

fn run(scratch: &Scratch, args: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    let said = answer(command.args(args), b"");
    assert_eq!(said.code, Some(0), "{args:?}: {}", said.stderr);
    said.stdout
}

#[test]
fn canaries_are_marked_and_left_out_unless_asked_for() {
    let scratch = Scratch::new();
    scratch.bash("ls").silent();
    let mut canary: Value =
        serde_json::from_slice(&scratch.payload("Bash", json!({"command": "pwd"}))).unwrap();
    canary["session_id"] = "tollgate-canary-1".into();
    scratch.hook("PreToolUse", canary.to_string().as_bytes()).silent();
    // What a call holds marks nothing.
    scratch.tool("mcp__x__y", json!({"session": "tollgate-canary-2", "canary": true}));

    let marked: Vec<bool> = scratch.log().iter().map(|record| record["canary"] == true).collect();
    assert_eq!(marked, [false, true, false]);
    let count = |args: &[&str]| run(&scratch, args).lines().count();
    assert_eq!((count(&["log", "--json"]), count(&["log", "--json", "--canaries"])), (2, 3));
    for verb in ["stats", "report"] {
        let calls = |args: &[&str]| -> u64 {
            let said: Value = serde_json::from_str(&run(&scratch, args)).unwrap();
            let figures = said["figures"].as_array();
            let named = figures.and_then(|all| all.iter().find(|one| one["name"] == "calls"));
            named.map_or(&said["calls"]["calls"], |one| &one["value"]).as_f64().unwrap() as u64
        };
        assert_eq!((calls(&[verb, "--json"]), calls(&[verb, "--json", "--canaries"])), (2, 3), "{verb}");
    }
}
