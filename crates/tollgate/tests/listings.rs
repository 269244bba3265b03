//! Every command that lists something has rows for programs, and says one friendly line where there is nothing.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use serde_json::Value;
use support::{Answer, Scratch, answer, in_terminal};

fn run(scratch: &Scratch, args: &[&str]) -> Answer {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
    answer(command.args(args), b"")
}

fn rows(scratch: &Scratch, args: &[&str]) -> Vec<Value> {
    let said = run(scratch, &[args, &["--json"]].concat());
    assert_ne!(said.code, Some(2), "{args:?}: {}", said.stderr);
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_list_has_rows_for_programs() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\nworkflows: [plan]\nrules: {git-force-psh: deny}\n");
    scratch.bash("git push --force origin main").refused();
    let lists: [(&[&str], &str); 8] = [
        (&["check"], "line"),
        (&["canary"], "light"),
        (&["approve"], "effects"),
        (&["build", "--dry-run", "--agent", "codex"], "files"),
        (&["workflow", "list"], "on"),
        (&["workflow", "status"], "status"),
        (&["rules"], "level"),
        (&["stats", "--by", "project"], "project"),
    ];
    for (args, key) in lists {
        let found = rows(&scratch, args);
        assert!(found.iter().any(|row| row.get(key).is_some()), "{args:?}: {found:?}");
        let csv = run(&scratch, &[args, &["--csv"]].concat()).stdout;
        let head: Vec<&str> = csv.lines().next().unwrap_or_default().split(',').collect();
        assert!(head.contains(&key), "{args:?}: {csv}");
    }
    assert!(!scratch.project().join("build").exists(), "a dry run writes nothing");
    let call = &rows(&scratch, &["approve"])[0];
    assert!(call["ts"].as_str().unwrap().ends_with('Z') && call["approved"] == false, "{call}");
}

#[test]
fn nothing_is_one_friendly_line() {
    let scratch = Scratch::new();
    let lists: [&[&str]; 10] = [
        &["log"],
        &["stats"],
        &["report"],
        &["replay"],
        &["suggest"],
        &["approve"],
        &["exceptions"],
        &["undo", "list"],
        &["workflow", "status"],
        &["check"],
    ];
    for args in lists {
        let said = run(&scratch, args);
        let text = said.stdout + &said.stderr;
        assert!(said.code == Some(0) && text.lines().count() == 1, "{args:?}: {:?} {text}", said.code);
        assert!(text.starts_with(char::is_uppercase) && !text.contains("os error"), "{args:?}: {text}");
    }
}

#[test]
fn a_table_in_a_pipe_is_whole_and_obeys_columns() {
    let scratch = Scratch::new();
    let long = format!("echo {}", "a-long-word ".repeat(30));
    scratch.bash(&long).silent();
    assert!(run(&scratch, &["log"]).stdout.contains(&long.trim_end()[..300]));
    let mut narrow = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut narrow);
    let narrow = answer(narrow.arg("log").env("COLUMNS", "60"), b"").stdout;
    assert!(narrow.lines().all(|line| line.chars().count() <= 60) && narrow.contains('…'), "{narrow}");
}

#[test]
fn check_finds_unknown_names_wherever_a_file_has_them() {
    let scratch = Scratch::new();
    let file = scratch.project().join("mine.yaml");
    for (text, says) in [
        ("workflows: [plann]", "plann"),
        ("workflows: [./no-such.yaml]", "no-such.yaml"),
        ("packs: [-gti]", "did you mean"),
        (
            "custom:\n  - {id: a, reason: r, level: deny, when: \"event.agent == 'codx'\"}",
            "did you mean `codex`?",
        ),
        (
            "custom:\n  - {id: a, reason: r, level: deny, when: \"effect.kind == 'read' and true\"}",
            "write `&&` for `and`",
        ),
    ] {
        std::fs::write(&file, format!("version: 1\n{text}\n")).unwrap();
        let said = run(&scratch, &["check", "mine.yaml"]);
        assert!(
            said.code == Some(1) && said.says(says),
            "{text}: {:?} {} {}",
            said.code,
            said.stdout,
            said.stderr
        );
    }
}

#[test]
fn policy_show_names_the_origin_of_every_value() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\naudit: required\nrules:\n  git-force-push: ask\n");
    let project = "version: 1\nrules:\n  git-stash-drop: deny\ncustom:\n  - {id: a, reason: r, level: deny, when: \"effect.kind == 'read'\"}\n";
    std::fs::write(scratch.project().join("tollgate.yaml"), project).unwrap();
    let found = rows(&scratch, &["policy", "show"]);
    for (key, value, layer, line) in [
        ("audit", "required", Some("user"), Some(2)),
        ("rules.git-force-push", "ask", Some("user"), Some(4)),
        ("rules.git-stash-drop", "deny", Some("project"), Some(3)),
        ("custom.a", "deny: r", Some("project"), Some(5)),
        ("mode", "enforce", None, None),
    ] {
        let row = found.iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key}: {found:?}"));
        assert_eq!(
            (row["value"].as_str(), row["layer"].as_str(), row["line"].as_u64()),
            (Some(value), layer, line),
            "{row}"
        );
    }
    assert!(rows(&scratch, &["policy", "show", "--all"]).len() > found.len() + 50);
    let text = run(&scratch, &["policy", "show"]).stdout;
    assert!(
        text.contains("~/.config/tollgate/tollgate.yaml:4 (user)") && text.contains("built in"),
        "{text}"
    );
}

#[test]
fn a_rule_is_a_page_in_a_terminal_and_markdown_in_a_pipe() {
    let scratch = Scratch::new();
    let shown = in_terminal(&scratch, "rules show git-force-push", "").stdout;
    assert!(
        shown.contains("\x1b[1mgit-force-push") && !shown.contains("```") && !shown.contains("##"),
        "{shown}"
    );
    assert!(run(&scratch, &["rules", "show", "git-force-push"]).stdout.contains("```"));
}

#[test]
fn a_project_is_begun_with_a_rule_and_its_test() {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q"]);
    let dry = in_terminal(&scratch, "init --project --dry-run", "");
    assert!(dry.says("Will write") && !scratch.project().join("tollgate.yaml").exists(), "{}", dry.stdout);
    let made = in_terminal(&scratch, "init --project --yes", "");
    assert_eq!(made.code, Some(0), "{}", made.stdout);
    for args in [["check"], ["test"]] {
        let said = run(&scratch, &args);
        assert_eq!(said.code, Some(0), "{args:?}: {} {}", said.stdout, said.stderr);
    }
    scratch
        .tool(
            "Write",
            serde_json::json!({"file_path": scratch.project().join("generated/a.ts"), "content": "x"}),
        )
        .denied();
    let again = in_terminal(&scratch, "init --project --yes", "");
    assert!(again.code == Some(0) && again.says("are already in"), "{}", again.stdout);
}

#[test]
fn a_waiting_call_is_picked_from_the_list() {
    let scratch = Scratch::new();
    scratch.bash("git push --force origin one").refused();
    scratch.bash("git push --force origin two").refused();
    let list = in_terminal(&scratch, "approve", "\n");
    let text = list.stdout.clone();
    let at = |name: &str| text.find(&format!("origin {name}")).unwrap_or_else(|| panic!("{text}"));
    assert!(at("two") < at("one"), "newest first: {text}");
    assert!(text.contains("effects: ") && text.contains("Allow which one?"), "{text}");
    let picked = in_terminal(&scratch, "approve", "2\ny\n");
    assert!(picked.says("Approved: exactly this call"), "{}", picked.stdout);
    assert_eq!(scratch.bash("git push --force origin one").decision(), "none");
    scratch.bash("git push --force origin two").refused();
    let left = rows(&scratch, &["approve"]);
    assert!(left.len() == 1 && left[0]["text"].as_str().unwrap().contains("two"), "{left:?}");
    let log = run(&scratch, &["log"]).stdout;
    assert!(log.contains("a person allowed the call"), "{log}");
}

#[test]
fn a_logged_call_is_shown_and_explained_by_its_number() {
    let scratch = Scratch::new();
    scratch.bash("git push --force origin main").refused();
    let shown = run(&scratch, &["log", "show", "1"]).stdout;
    for says in [
        "git push --force origin main",
        "verdict   deny",
        "Effects",
        "Reasons",
        "[git-force-push]",
        "did not run",
    ] {
        assert!(shown.contains(says), "{says}: {shown}");
    }
    let explained = run(&scratch, &["explain", "1"]);
    assert_eq!(explained.code, Some(1), "{}", explained.stderr);
    assert!(explained.says("Logged ") && explained.says("git-force-push"), "{}", explained.stdout);
    for (args, told) in [(["explain", "99"], "tollgate log"), (["log", "show"], "SEQ")] {
        let said = run(&scratch, &args);
        assert!(said.code == Some(2) && said.says(told), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn a_call_and_its_result_are_one_row() {
    let scratch = Scratch::new();
    scratch.bash("cargo test").silent();
    let mut result: Value =
        serde_json::from_slice(&scratch.payload("Bash", serde_json::json!({"command": "cargo test"})))
            .unwrap();
    result["hook_event_name"] = "PostToolUse".into();
    result["tool_response"] = serde_json::json!({"stdout": "ok"});
    scratch.hook("PostToolUse", result.to_string().as_bytes());
    let log = run(&scratch, &["log"]).stdout;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("shell (Bash)") && log.contains(" ran ") && log.contains("claude-code"), "{log}");
    assert_eq!(run(&scratch, &["log", "--records"]).stdout.lines().count(), 2);
    assert_eq!(run(&scratch, &["log", "--json"]).stdout.lines().count(), 2);
    assert_eq!(run(&scratch, &["log", "-n", "1"]).stdout, log, "the last row is the whole call");
    assert!(!log.contains('\x1b'), "no colour without a terminal");
    let coloured = in_terminal(&scratch, "log", "").stdout;
    assert!(coloured.contains("\x1b[32mallow"), "{coloured}");
}
