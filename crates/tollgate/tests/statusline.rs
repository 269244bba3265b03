//! The status line: what it says, that it is fast, and that somebody's own line is kept.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, in_terminal, is_missing};

const SESSION: &str = "5122a393-eb39-4719-8deb-297f5cd1e162";

fn line(scratch: &Scratch, args: &[&str], input: &Value) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.arg("statusline").args(args);
    scratch.clean(&mut command);
    answer(&mut command, input.to_string().as_bytes())
}

fn host(session: &str) -> Value {
    json!({"session_id": session, "model": {"display_name": "Opus"}, "cost": {"total_cost_usd": 0.125}})
}

#[test]
fn it_counts_the_session_and_no_other() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.home().join("other")).unwrap();
    std::fs::write(scratch.home().join("other/notes"), "x").unwrap();
    let said = |session: &str| line(&scratch, &[], &host(session)).stdout;
    assert_eq!(said(SESSION), "tollgate: no call yet · $0.12\n");
    scratch.bash("ls");
    assert_eq!(said(SESSION), "tollgate: on · $0.12\n");
    scratch.bash(&format!("rm -r {}", scratch.home().join("other").display())).denied();
    let text = said(SESSION);
    assert!(text.starts_with("tollgate: on · 1 refused · last: rm -r "), "{text}");
    assert_eq!(text.lines().count(), 1);
    let edit = json!({"file_path": scratch.project().join("README.md"), "old_string": "# readme", "new_string": "# x"});
    scratch.tool("Edit", edit);
    assert!(said(SESSION).contains("1 refused · 1 saved"), "{}", said(SESSION));
    assert_eq!(said("another"), "tollgate: no call yet · $0.12\n");
    // Nothing that a host may send breaks it.
    for input in
        [json!(null), json!([]), json!({"session_id": 1}), json!({"session_id": SESSION, "cost": "x"})]
    {
        assert_eq!(line(&scratch, &[], &input).code, Some(0), "{input}");
    }
}

#[test]
fn it_reads_only_what_is_new() {
    let scratch = Scratch::new();
    (0..20).for_each(|_| drop(scratch.bash("ls")));
    line(&scratch, &[], &host(SESSION));
    let fastest = (0..20).map(|_| line(&scratch, &[], &host(SESSION)).time).min().unwrap();
    // A debug build on a busy machine; the release build takes 2 ms.
    assert!(fastest < Duration::from_millis(60), "{fastest:?}");
    assert!(!scratch.state().join("index.db").exists(), "no index is built for it");
}

#[test]
fn a_line_that_is_there_is_kept_and_comes_back() {
    if is_missing("script") {
        return;
    }
    let scratch = Scratch::new();
    let own = "printf 'mine: %s' \"$(tr -d '{}' | cut -c1-12)\"";
    let settings = json!({"statusLine": {"type": "command", "command": own, "padding": 0}});
    let file = scratch.home().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, settings.to_string()).unwrap();
    let read = || serde_json::from_str::<Value>(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let init = in_terminal(&scratch, "init --yes --statusline --agent claude-code", "");
    assert_eq!(init.code, Some(0), "{}", init.stdout);
    let command = read()["statusLine"]["command"].as_str().unwrap().to_owned();
    assert!(command.contains("tollgate statusline --after "), "{command}");
    assert_eq!(read()["statusLine"]["padding"], 0);
    // As the host runs it.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &command]);
    scratch.clean(&mut shell);
    let said = answer(&mut shell, host(SESSION).to_string().as_bytes());
    assert_eq!(said.stdout, "mine: \"session_id\"\ntollgate: no call yet · $0.12\n", "{}", said.stderr);
    // Once more changes nothing, and taking out brings back what was there.
    let before = read();
    assert_eq!(in_terminal(&scratch, "init --yes --statusline --agent claude-code", "").code, Some(0));
    assert_eq!(read(), before);
    let out = in_terminal(&scratch, "uninstall --yes", "");
    assert_eq!(out.code, Some(0), "{}", out.stdout);
    assert_eq!(read(), settings);
}
