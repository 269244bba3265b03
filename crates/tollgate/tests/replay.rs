//! `tollgate replay` over a log whose policy did not change, and over one whose did.

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

fn replay(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    let said = answer(command.arg("replay").args(args), b"");
    (said.code, said.stdout)
}

fn changed(scratch: &Scratch) -> Value {
    serde_json::from_str(&replay(scratch, &["--json"]).1).unwrap()
}

/// Calls whose answers hang on git, on the session and on the text alone.
fn past() -> Scratch {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q"]);
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-qm", "all"]);
    scratch.bash("git reset --hard").silent();
    scratch.bash("ls").silent();
    scratch.bash("git push --force origin main").refused();
    scratch.bash("git push --force origin main").refused();
    scratch
}

#[test]
fn an_unchanged_policy_changes_nothing() {
    let scratch = past();
    let same = changed(&scratch);
    assert_eq!(
        (&same["calls"], &same["changed"], &same["unknown"]),
        (&json!(4), &json!(0), &json!(0)),
        "{same}"
    );
    assert_eq!(replay(&scratch, &[]).0, Some(0));
}

#[test]
fn a_changed_rule_changes_its_calls_and_no_others() {
    let scratch = past();
    scratch.policy("version: 1\nrules: {git-force-push: note}\n");
    let found = changed(&scratch);
    let rules: Vec<&str> =
        found["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["git-force-push"], "{found}");
    assert_eq!(found["rules"][0]["looser"], found["changed"], "one row per call: {found}");
    // The tree was clean then. Whether it is clean now tells nothing about that call.
    assert_eq!(found["unknown"], 1, "{found}");
    let (code, text) = replay(&scratch, &[]);
    assert!(code == Some(1) && text.contains("Not known for 1 call"), "{text}");
}
