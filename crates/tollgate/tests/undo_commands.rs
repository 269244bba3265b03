//! `tollgate undo` as people, scripts and agents run it, on snapshots that a hook would have taken.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Answer, Scratch, answer, in_terminal};
use tollgate_undo::{Limits, Origin, Store, Wanted};

fn save(scratch: &Scratch, session: &str, call: &str, path: &Path) -> String {
    let origin = Origin {
        agent: "claude-code".to_owned(),
        session: session.to_owned(),
        call: call.to_owned(),
        call_id: call.to_owned(),
    };
    let saved = Store::at(&scratch.state()).save(&origin, &[Wanted::tree(path)], &Limits::NONE);
    saved.unwrap().unwrap().id
}

/// A person's command line: no agent is above it, because this test may run below one.
fn undo(scratch: &Scratch, words: &str) -> Answer {
    in_terminal(scratch, &format!("undo {words}"), "")
}

/// The same from an agent's shell.
fn undo_as_agent(scratch: &Scratch, session: &str, words: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.arg("undo").args(words).env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    answer(&mut command, b"")
}

fn objects(answer: &Answer) -> Vec<Value> {
    answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_script_lists_and_restores() {
    let scratch = Scratch::new();
    let readme = scratch.project().join("README.md");
    let first = save(&scratch, "s1", "rm README.md", &readme);
    let second = save(&scratch, "s1", "rm -rf src", &scratch.project().join("src"));
    std::fs::remove_file(&readme).unwrap();

    let list = undo_as_agent(&scratch, "s1", &["list", "--json"]);
    let objects = objects(&list);
    let ids: Vec<&str> = objects.iter().map(|object| object["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [&second, &first], "newest first: {}", list.stdout);
    assert_eq!(objects[1]["call"], "rm README.md");
    assert_eq!(objects[1]["paths"], serde_json::json!([readme]));
    assert_eq!((&objects[1]["bytes"], &objects[1]["agent"]), (&9.into(), &"claude-code".into()));
    assert!(objects[1]["time"].as_str().unwrap().ends_with('Z') && objects[1]["session"] == "s1");

    let dry = undo_as_agent(&scratch, "s1", &["restore", &first, "--dry-run"]);
    assert!(dry.code == Some(0) && dry.says("create") && !readme.exists(), "{}", dry.stdout);
    let restored = undo_as_agent(&scratch, "s1", &["restore", &first]);
    assert_eq!(restored.code, Some(0), "{} {}", restored.stdout, restored.stderr);
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), "# readme\n");
    let again = undo_as_agent(&scratch, "s1", &["restore", &first]);
    assert!(again.code == Some(0) && again.says("Nothing to restore"), "{}", again.stdout);

    // The restoring can be taken back.
    let word =
        |text: &str| text.split_whitespace().find(|word| tollgate_undo::is_id(word)).map(str::to_owned);
    let back = restored.stdout.lines().nth(1).and_then(word).unwrap();
    assert_eq!(undo_as_agent(&scratch, "s1", &[&back]).code, Some(0));
    assert!(!readme.exists());
}

#[test]
fn later_work_is_replaced_only_by_force() {
    let scratch = Scratch::new();
    let readme = scratch.project().join("README.md");
    let id = save(&scratch, "s1", "edit", &readme);
    std::fs::write(&readme, "the call\n").unwrap();
    assert!(Store::at(&scratch.state()).end_call("claude-code", "s1", "edit").unwrap());
    std::fs::write(&readme, "a person\n").unwrap();
    let refused = undo_as_agent(&scratch, "s1", &["restore", &id]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.says("README.md: it was changed after the call") && refused.says("--force"),
        "{}",
        refused.stderr
    );
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), "a person\n");
    assert_eq!(undo_as_agent(&scratch, "s1", &["restore", &id, "--force"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), "# readme\n");
}

#[test]
fn an_agent_sees_its_own_session_and_no_contents() {
    let scratch = Scratch::new();
    let secret = scratch.home().join(".ssh/id_rsa");
    let id = save(&scratch, "other", "rm ~/.ssh/id_rsa", &secret);
    assert_eq!(objects(&undo_as_agent(&scratch, "mine", &["list", "--json"])), [] as [Value; 0]);
    for words in [vec!["show", id.as_str()], vec!["restore", id.as_str()], vec![id.as_str()]] {
        let answer = undo_as_agent(&scratch, "mine", &words);
        assert!(answer.code == Some(2) && answer.says("another session"), "{words:?} {}", answer.stderr);
    }
    std::fs::write(&secret, "changed").unwrap();
    let shown = undo_as_agent(&scratch, "other", &["show", &id]);
    assert!(shown.code == Some(0) && shown.says("replace") && !shown.says("PRIVATE"), "{}", shown.stdout);
    let shown = undo_as_agent(&scratch, "other", &["show", &id, "--diff"]);
    assert!(
        shown.code == Some(2) && shown.says("is for people") && !shown.says("PRIVATE"),
        "{}",
        shown.stderr
    );
}

#[test]
fn wrong_words_are_told() {
    let scratch = Scratch::new();
    let cases: [(&[&str], &str); 4] = [
        (&["restore", "nonsense"], "no id of a snapshot"),
        (&["restore", "u-0000"], "no snapshot `u-0000`"),
        (&["restore"], "Usage"),
        (&["list", "--since", "soon"], "is no time"),
    ];
    for (words, told) in cases {
        let answer = undo_as_agent(&scratch, "s1", words);
        assert!(answer.code == Some(2) && answer.says(told), "{words:?}: {}", answer.stderr);
    }
    let id = save(&scratch, "s1", "rm README.md", &scratch.project().join("README.md"));
    let answer = undo_as_agent(&scratch, "s1", &["restore", &id, "other.txt"]);
    assert!(answer.code == Some(2) && answer.says("is not in"), "{}", answer.stderr);
    assert!(undo_as_agent(&scratch, "s2", &[]).says("Nothing was saved yet"));
    // Below an agent that runs this test a person's command is refused like the agent's own.
    let listed = undo(&scratch, "list");
    assert!(listed.says(&id) || listed.says("looks like a coding agent"), "{}", listed.stdout);
}
