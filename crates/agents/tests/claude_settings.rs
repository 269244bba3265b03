//! The rules for what Claude Code reads of a settings file, against what the real client did with each case. The facts
//! are checked against the client itself in `crates/e2e/tests/claude_settings.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::fs;

use serde_json::Value as Json;
use tollgate_agents::install::claude::repair::repair;
use tollgate_agents::install::claude::settings::{Layer, Scope};
use tollgate_agents::install::claude::validity::{Loss, Problem, problems};
use tollgate_agents::install::claude::{Version, is_ours};
use tollgate_agents::install::{Doc, strip};

const CASES: &str = include_str!("claude_settings/cases.json");

/// A case's name, its text, whether the client loads the file, and the places that it complains about.
fn cases() -> Vec<(String, String, bool, Vec<String>)> {
    let cases: Vec<Json> = serde_json::from_str(CASES).unwrap();
    let case = |case: &Json| {
        let text = case["text"].as_str().map_or_else(|| case["settings"].to_string(), str::to_owned);
        let handler = r#"{"type":"command","command":"true"}"#;
        let places = case["places"].as_array().cloned().unwrap_or_default();
        let places = places.iter().map(|place| place.as_str().unwrap().to_owned()).collect();
        let name = case["name"].as_str().unwrap().to_owned();
        (name, text.replace("\"@OK@\"", handler), case["loads"].as_bool().unwrap(), places)
    };
    cases.iter().map(case).collect()
}

fn layer(text: &str) -> Layer {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.json");
    fs::write(&path, text).unwrap();
    Layer::read(Scope::User, &path).unwrap()
}

fn found(text: &str) -> Vec<Problem> {
    Doc::parse(text).map(|doc| problems(&doc.value())).unwrap_or_default()
}

#[test]
fn each_case_is_judged_as_by_the_client() {
    for (name, text, loads, places) in cases() {
        let layer = layer(&text);
        assert_eq!(layer.ignored.is_none(), loads, "{name}: {:?}", layer.ignored);
        let hooks: Vec<&String> = places.iter().filter(|place| place.starts_with("hooks.")).collect();
        if !hooks.is_empty() {
            let own: Vec<String> = found(&text).into_iter().map(|problem| problem.place).collect();
            let named = |place: &&String| {
                own.iter().any(|own| *place == own || place.starts_with(&format!("{own}.")))
            };
            assert!(hooks.iter().all(named), "{name}: {own:?}, the client: {hooks:?}");
        }
    }
}

#[test]
fn an_older_version_skips_the_file_for_any_broken_hook() {
    let text = r#"{"hooks":{"PostToolUse":[{"matcher":{"toolName":"Bash"},"hooks":[]}]}}"#;
    let layer = layer(text);
    assert_eq!(layer.skipped_by(None), None);
    assert_eq!(layer.skipped_by(Some(Version(2, 1, 325))), None);
    assert!(layer.skipped_by(Some(Version(2, 1, 139))).unwrap().contains("hooks.PostToolUse.0"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn a_repaired_file_is_read_and_says_what_it_said() {
    let hook = |command: &str| format!(r#"{{ "type": "command", "command": "{command}" }}"#);
    for (event, was, is) in [
        (
            "PreToolUse",
            r#"{ "matcher": "*", "hooks": ["a.sh x"] }"#,
            format!(r#"{{ "matcher": "*", "hooks": [{}] }}"#, hook("a.sh x")),
        ),
        (
            "PreToolUse",
            r#"{ "hooks": ["$CLAUDE_PROJECT_DIR/a.py"] }"#,
            format!(r#"{{ "hooks": [{}] }}"#, hook(r#"\"$CLAUDE_PROJECT_DIR/a.py\""#)),
        ),
        ("PreToolUse", r#""a.sh""#, format!(r#"{{ "hooks": [{}] }}"#, hook("a.sh"))),
        (
            "PreToolUse",
            r#"{ "matcher": { "toolName": "Read|Grep" }, "hooks": [] }"#,
            r#"{ "matcher": "Read|Grep", "hooks": [] }"#.into(),
        ),
        (
            "PostToolUse",
            r#"{ "matcher": { "tools": ["Bash", "Edit"] }, "hooks": [] }"#,
            r#"{ "matcher": "Bash|Edit", "hooks": [] }"#.into(),
        ),
        (
            "PreToolUse",
            r#"{ "matcher": ["Bash", "Edit"], "hooks": [] }"#,
            r#"{ "matcher": "Bash|Edit", "hooks": [] }"#.into(),
        ),
        ("PreCompact", r#"{ "matcher": {}, "hooks": [] }"#, r#"{ "matcher": "*", "hooks": [] }"#.into()),
        ("PreCompact", r#"{ "matcher": null, "hooks": [] }"#, r#"{ "matcher": "*", "hooks": [] }"#.into()),
        (
            "SubagentStart",
            r#"{ "matcher": { "agentName": ".*" }, "hooks": [] }"#,
            r#"{ "matcher": ".*", "hooks": [] }"#.into(),
        ),
        ("Stop", r#"{ "type": "command", "command": "a" }"#, format!(r#"{{ "hooks": [{}] }}"#, hook("a"))),
        (
            "PreToolUse",
            r#"{ "matcher": "Bash", "command": "a" }"#,
            format!(r#"{{ "matcher": "Bash", "hooks": [{}] }}"#, hook("a")),
        ),
        ("PreToolUse", r#"{ "hooks": { "command": "a" } }"#, format!(r#"{{ "hooks": [{}] }}"#, hook("a"))),
        (
            "PreToolUse",
            r#"{ "hooks": [{ "command": ["a", "b c"], "timeout": "5" }] }"#,
            r#"{ "hooks": [{ "type": "command", "command": "a", "args": ["b c"], "timeout": 5 }] }"#.into(),
        ),
        (
            "PreToolUse",
            r#"{ "hooks": [{ "type": "command", "command": "a", "timeout": 0, "once": null }] }"#,
            format!(r#"{{ "hooks": [{}] }}"#, hook("a")),
        ),
    ] {
        let file = |group: &str| {
            format!("{{\n\t\"model\":  \"x\",\n\t\"hooks\": {{ \"{event}\": [ {group} ] }}\n}}\n")
        };
        let repaired = repair(&file(was)).unwrap();
        assert_eq!(repaired.text, file(&is));
        assert!(!repaired.changes.is_empty());
        assert_eq!(found(&repaired.text), Vec::new());
        assert_eq!(repair(&repaired.text).unwrap().changes, Vec::<String>::new(), "repaired once");
    }
}

#[test]
fn what_cannot_be_understood_stays_and_is_told() {
    for group in [
        r#"{ "matcher": { "toolName": "Bash", "command": "rm" }, "hooks": [] }"#,
        r#"{ "matcher": { "agentName": "x" }, "hooks": [] }"#,
        r#"{ "matcher": 7, "hooks": [] }"#,
        r#"{ "hooks": [{ "type": "shell", "command": "a" }] }"#,
        r#"{ "hooks": [null] }"#,
        r#"{ "matcher": "Bash" }"#,
        "null",
    ] {
        let text = format!(r#"{{"hooks":{{"PreToolUse":[{group}]}}}}"#);
        let repaired = repair(&text).unwrap();
        assert_eq!((&repaired.text, repaired.changes.len()), (&text, 0));
        assert!(found(&text).iter().any(|problem| problem.loss == Loss::File), "{group}");
    }
}

#[test]
fn every_case_can_be_repaired_or_is_left_alone() {
    for (name, text, ..) in cases() {
        let Ok(repaired) = repair(&text) else { continue };
        let again =
            repair(&repaired.text).unwrap_or_else(|error| panic!("{name}: {error}: {}", repaired.text));
        assert_eq!(again.text, repaired.text, "{name}");
        assert!(found(&repaired.text).len() <= found(&text).len(), "{name}: {}", repaired.text);
        assert!(strip(&repaired.text, &is_ours, None).is_ok(), "{name}");
    }
}
