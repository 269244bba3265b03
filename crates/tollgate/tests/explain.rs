//! `tollgate explain` from the outside.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;

use serde_json::Value;
use support::{Answer, Scratch, answer};

fn explain(scratch: &Scratch, args: &[&str], stdin: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.arg("explain").args(args);
    scratch.clean(&mut command);
    answer(&mut command, stdin.as_bytes())
}

fn object(scratch: &Scratch, args: &[&str]) -> Value {
    let answer = explain(scratch, &[args, &["--json"]].concat(), "");
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn the_exit_code_says_whether_it_runs() {
    let scratch = Scratch::new();
    for (command, code) in [("ls", 0), ("cat ~/.ssh/id_rsa", 1), ("cat README.md", 0), ("rm -rf ~", 1)] {
        assert_eq!(explain(&scratch, &[command], "").code, Some(code), "{command}");
    }
    assert_eq!(explain(&scratch, &["--tool", "Read"], "").code, Some(2), "a tool needs its input");
    assert_eq!(explain(&scratch, &["--tool", "Read", "--input", "{"], "").code, Some(2), "no JSON");
}

#[test]
fn a_command_needs_no_quotes() {
    let scratch = Scratch::new();
    for (words, code) in [
        (&["rm", "-rf", "/home"][..], 1),
        (&["rm", "-rf", "a b"], 0),
        (&["echo", "rm -rf ~", "|", "sh"], 0),
        (&["git", "status"], 0),
    ] {
        assert_eq!(explain(&scratch, words, "").code, Some(code), "{words:?}");
    }
    // Options of `explain` come before a command of several words; later ones are the command's own.
    let told = explain(&scratch, &["--json", "npm", "ls", "--all", "it's here"], "").stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["text"], r"npm ls --all 'it'\''s here'", "{told}");
}

/// A page without its line breaks: where lines break depends on how long the path of the checkout is.
fn unwrapped(page: &str) -> String {
    page.lines().map(str::trim).collect()
}

#[test]
fn a_page_shows_words_rules_verdict_reason_and_times() {
    let scratch = Scratch::new();
    let page = explain(&scratch, &["cat ~/.ssh/id_rsa"], "").stdout;
    let home = scratch.home().display().to_string();
    for part in [
        "  cat ~/.ssh/id_rsa\n  ───────────────── runs `cat`\n      ━━━━━━━━━━━━━ reads `~/.ssh/id_rsa` (secret)\n",
        "deny  secret-file-read: reads",
        "other rules do not apply",
        "deny: it does not run, and the agent reads:\n    Tollgate: reads",
        "µs, rules ",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    assert!(unwrapped(&page).contains(&home), "{home} is not in\n{page}");
    assert!(!page.contains('\x1b'), "no colour away from a terminal");
}

#[test]
fn every_line_fits_the_page() {
    let scratch = Scratch::new();
    let long = format!("echo {} > '日本語 {}'", "word ".repeat(60), "長".repeat(70));
    for command in [long.as_str(), "ls\n\n\tcat /etc/passwd\x1b[2J", &"true; ".repeat(300), "", "'"] {
        let page = explain(&scratch, &["--", command], "").stdout;
        let widest = page.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap_or(0);
        assert!(widest <= 80 && !page.contains('\x1b'), "{widest} columns:\n{page}");
    }
}

#[test]
fn standard_input_holds_long_texts() {
    let scratch = Scratch::new();
    let text = format!("{}cat ~/.ssh/id_rsa\n", "true\n".repeat(2000));
    for args in [&["-"][..], &[]] {
        let answer = explain(&scratch, args, &text);
        assert_eq!(answer.code, Some(1));
        assert!(answer.stdout.contains("2001 │ cat ~/.ssh/id_rsa\n"), "{}", answer.stdout);
    }
    let answer = explain(&scratch, &["--tool", "Read", "--input", "-"], r#"{"file_path":"README.md"}"#);
    assert_eq!(answer.code, Some(0), "{}", answer.stdout);
}

#[test]
fn an_object_has_stable_fields() {
    let scratch = Scratch::new();
    let told = object(&scratch, &["cat ~/.ssh/id_rsa"]);
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    let all = "tool text cwd project verdict reason effects rules middleware custom excepted would policy notices times_us";
    assert_eq!(keys, all.split(' ').collect::<Vec<_>>());
    assert_eq!(told["verdict"], "deny");
    assert_eq!(told["effects"][1]["text"], "~/.ssh/id_rsa");
    assert_eq!(told["effects"][1]["span"], serde_json::json!([4, 17]));
    assert_eq!(told["rules"][0]["id"], "secret-file-read");
    let all = object(&scratch, &["ls", "--all"]);
    assert!(all["rules"].as_array().unwrap().len() > 50);
    let tool = object(&scratch, &["--tool", "mcp__fs__read_file", "--input", r#"{"path":"/etc/shadow"}"#]);
    assert_eq!(tool["tool"], "mcp__fs__read_file");
}

#[test]
fn what_the_policy_switches_off_is_told() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\nrules:\n  secret-file-read: off\n");
    let page = explain(&scratch, &["cat ~/.ssh/id_rsa"], "").stdout;
    assert!(
        page.contains("off   secret-file-read: ")
            && unwrapped(&page).replace(' ', "").contains("switchedoffbythepolicy"),
        "{page}"
    );
}

/// What is told once is told to the person in front of the agent, not to whoever looks first.
#[test]
fn f26_looking_does_not_use_up_the_notice() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\n");
    scratch.bash("true");
    scratch.policy("version: 1\nrules:\n  fork-bomb: off\n");
    explain(&scratch, &["true"], "");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(doctor.arg("doctor"));
    answer(&mut doctor, b"");
    assert!(scratch.bash("true").says("policy changed"), "the first event tells it");
    assert!(!scratch.bash("true").says("policy changed"), "and only the first");
}
