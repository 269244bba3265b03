//! `tollgate validate` by the validator contract: an input in, `safe`, `reason` and `metadata` out, exit 0.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;

use serde_json::{Value, json};
use support::{Answer, Scratch, answer};

fn validate(scratch: &Scratch, args: &[&str], input: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.arg("validate").args(args);
    scratch.clean(&mut command);
    answer(&mut command, input.as_bytes())
}

#[test]
fn validators_answer_by_the_contract() {
    let scratch = Scratch::new();
    let key = "~/.ssh/id_rsa".replace('~', &scratch.home().display().to_string());
    let cat = json!({"command": "cat ~/.ssh/id_rsa"});
    let wipe = json!({"command": "rm -rf ~"});
    let key = json!({"file_path": key});
    let write = json!({"file_path": "src/a.rs", "content": "fn main() {}"});
    let list = json!({"command": "ls"});
    for (name, input, safe) in [
        ("security.bash", &wipe, false),
        ("security/bash.py", &wipe, false),
        ("bash-validator", &list, true),
        ("block-dangerous-commands", &wipe, false),
        ("block-dangerous-commands", &key, true),
        ("block-destructive-commands", &list, true),
        ("security.file", &key, false),
        ("security.file", &write, true),
        ("protect-sensitive-files", &key, false),
        ("protect-sensitive-files", &cat, false),
        ("protect-sensitive-files", &list, true),
        ("validate-tool-inputs", &json!({}), true),
        ("validate-tool-inputs", &wipe, false),
        ("validate-tool-inputs", &write, true),
        ("secrets", &cat, false),
        ("git", &cat, true),
        ("root-delete", &wipe, false),
        ("fork-bomb", &wipe, true),
        ("security.bash", &json!({}), true),
    ] {
        let told = validate(&scratch, &[name], &input.to_string());
        assert_eq!(told.code, Some(0), "{name} {input}: {}", told.stderr);
        let told: Value = serde_json::from_str(&told.stdout).unwrap();
        let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["safe", "reason", "metadata"]);
        assert_eq!(told["safe"], safe, "{name} {input}: {told}");
        assert_eq!(told["reason"].is_string(), !safe, "{name} {input}: {told}");
        assert_eq!(told["metadata"]["validator"], name);
    }
}

#[test]
fn without_an_answer_nothing_is_printed() {
    let scratch = Scratch::new();
    for (name, input, says) in [
        ("git-force-psuh", "{}", "did you mean `git-force-push`?"),
        ("security.bahs", "{}", "did you mean `security.bash`?"),
        ("nothing-like-it", "{}", "unknown validator `nothing-like-it`; give a rule"),
        ("git", "{", "no JSON"),
        ("git", "", "no JSON"),
        ("git", "[]", "must be a JSON object"),
    ] {
        let told = validate(&scratch, &[name], input);
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""), "{name} {input}");
        assert!(told.stderr.contains(says), "{name} {input}: {}", told.stderr);
    }
}
