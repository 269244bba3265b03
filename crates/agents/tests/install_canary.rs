//! What counts as an answer of the gate.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use tollgate_agents::install::claude::canary::{Answer, Command, payload, read_answer};
use tollgate_agents::install::claude::{EVENTS, Registration, Version};
use tollgate_agents::install::{Doc, insert};
use tollgate_model::json;

#[test]
fn answers_are_read_as_claude_reads_them() {
    let refused = |reason: &str| Answer::Refused(reason.into());
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    let cases = [
        (Some(0), "", "", Some(Answer::Passed)),
        (Some(0), "{}", "", Some(Answer::Passed)),
        (Some(0), deny, "", Some(refused("no"))),
        (Some(0), &deny.replace("deny", "ask"), "", Some(refused("no"))),
        (Some(0), &deny.replace("deny", "allow"), "", Some(Answer::Passed)),
        (Some(2), "", "no\n", Some(refused("no"))),
        (Some(2), "", " ", None),
        (Some(1), "", "oops", None),
        (Some(101), "", "", None),
        (None, deny, "", None),
        (Some(0), &format!("hello\n{deny}"), "", None),
        (Some(0), &format!("{deny}\n{deny}"), "", None),
        (Some(0), &deny.replace("\"no\"", "\"\""), "", None),
        (Some(0), &deny.replace("PreToolUse", "Stop"), "", None),
        (Some(0), &deny.replace("\"hookEventName\":\"PreToolUse\",", ""), "", None),
    ];
    for (exit, stdout, stderr, expected) in cases {
        let answer = read_answer(exit, stdout, stderr);
        match expected {
            Some(expected) => assert_eq!(answer, expected, "{exit:?} {stdout} {stderr}"),
            None => assert!(matches!(answer, Answer::Broken(_)), "{exit:?} {stdout} {stderr}: {answer:?}"),
        }
    }
}

#[test]
fn the_registered_command_is_found_again() {
    let registration =
        Registration { command: "/a b/tollgate".into(), config: "/c".into(), state: "/s \"x\"".into() };
    let text = insert("{}", &registration.entries()).unwrap().text;
    let command = Command::registered(&Doc::parse(&text).unwrap().value()).unwrap();
    assert_eq!(command.program, "/a b/tollgate");
    assert_eq!(command.args, ["hook", "claude-code", "PreToolUse", "--config", "/c", "--state", "/s \"x\""]);
    assert_eq!((command.option("--state"), command.option("--nope")), (Some("/s \"x\""), None));
    assert_eq!(command.timeout.as_secs(), 60);
}

#[test]
fn only_events_that_decide_a_call_block_on_failure() {
    let blocks: Vec<&str> = EVENTS.iter().filter(|hooked| hooked.blocks).map(|hooked| hooked.event).collect();
    assert_eq!(blocks, ["PreToolUse", "PermissionRequest"]);
    // A workflow may run the project's tests before it lets an agent stop.
    let waits = |event: &str| matches!(event, "Stop" | "SubagentStop");
    assert!(EVENTS.iter().all(|hooked| (5..=60).contains(&hooked.timeout) != waits(hooked.event)));
    for left_out in ["WorktreeCreate", "WorktreeRemove", "MessageDisplay", "FileChanged"] {
        assert!(EVENTS.iter().all(|hooked| hooked.event != left_out));
    }
}

#[test]
fn payloads_are_json_with_the_command_in_it() {
    let text = payload("tollgate-canary-1", "c1", "/w \"x\"", "rm -rf ~\n");
    let value = json::parse(text.as_bytes()).unwrap();
    assert_eq!(value.get("tool_input").unwrap().text("command"), Some("rm -rf ~\n"));
    assert_eq!(value.text("cwd"), Some("/w \"x\""));
}

#[test]
fn versions_compare() {
    assert_eq!(Version::read("2.1.325 (Claude Code)\n"), Some(Version(2, 1, 325)));
    assert_eq!(Version::read("claude"), None);
    assert!(Version(2, 1, 139) > Version(2, 1, 99));
}
