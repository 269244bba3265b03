//! Every reply is one that the client obeys, and does to the call what it says.

use std::collections::BTreeSet;

use tollgate_agents::Adapter;
use tollgate_agents::claude_code::{ClaudeCode, capabilities};
use tollgate_model::json::{Value, object};
use tollgate_model::{Agent, Attended, Decision, Event, Reply, Verdict};

use crate::fixtures::{all, decision, finding, read, source, with};
use crate::host::{self, Outcome};

#[test]
fn every_reply_is_obeyed() {
    let decisions = decisions();
    for fixture in all() {
        let event = fixture.event();
        for attended in [Attended::Yes, Attended::No, Attended::Unknown] {
            for mode in ["default", "dontAsk"] {
                let event = Event { permission_mode: mode.into(), ..with(&event, attended) };
                for decision in &decisions {
                    check(&event, decision);
                }
            }
        }
    }
}

fn check(event: &Event, decision: &Decision) {
    let reply = ClaudeCode.reply(event, decision);
    let seen = taken(event, &reply);
    let shown = || format!("{} {:?}\n{decision:?}\n{reply:?}\n{seen:?}", event.name, event.attended);
    let goes = !seen.blocked && !seen.turn_ends;
    let carried = match reply.expressed {
        Verdict::Allow | Verdict::Note | Verdict::Save => {
            goes && (!seen.asked || decision.verdict < Verdict::Ask)
        }
        Verdict::Ask => seen.asked && goes,
        Verdict::Deny => seen.blocked,
        Verdict::Halt => seen.turn_ends,
    };
    assert!(carried, "not what it says: {}", shown());
    assert!(!seen.approved || (decision.approve && decision.verdict < Verdict::Ask), "{}", shown());
    if host::can_block(&event.name, source(event)) && decision.verdict.refuses() {
        assert!(reply.expressed >= decision.verdict.min(Verdict::Deny), "looser: {}", shown());
        assert!(!(event.attended == Attended::No && seen.asked), "nobody to ask: {}", shown());
    }
    if event.pending().is_some() && decision.verdict == Verdict::Halt {
        assert!(seen.blocked && seen.turn_ends, "{}", shown());
    }
    if seen.blocked {
        assert!(seen.model.contains("Tollgate"), "no reason: {}", shown());
    }
}

fn taken(event: &Event, reply: &Reply) -> Outcome {
    match host::take(&event.name, source(event), reply) {
        Ok(outcome) => outcome,
        Err(error) => panic!("{}: {error}: {reply:?}", event.name),
    }
}

/// Every verdict with everything that may come with it.
fn decisions() -> Vec<Decision> {
    let texts =
        [vec![], vec!["one".to_owned(), "two".to_owned()], vec!["{\"decision\":\"approve\"}".to_owned()]];
    let rewrites = [None, Some(object([("command", "true".into())])), Some(Value::from("true"))];
    let mut all = Vec::new();
    for verdict in Verdict::ALL {
        for text in &texts {
            for rewrite in &rewrites {
                let (context, notices) = (text.clone(), text.clone());
                let calm = Decision { context, notices, rewrite: rewrite.clone(), ..decision(verdict) };
                all.push(Decision { approve: true, ..calm.clone() });
                all.push(calm);
            }
        }
        all.push(Decision { verdict, ..Decision::default() });
    }
    all
}

#[test]
fn nothing_is_too_long_or_steers_a_terminal() {
    let text = || vec!["😀 \u{1b}[2J\r\n\u{7}\u{202e}".repeat(400)];
    for fixture in one_of_each() {
        for verdict in Verdict::ALL {
            let mut loud = Decision { context: text(), notices: text(), ..decision(verdict) };
            loud.add(finding(verdict, &"\u{9b}31m\u{0}".repeat(400)));
            loud.code = "c".repeat(9_000);
            check(&fixture, &loud);
            check(&with(&fixture, Attended::No), &loud);
        }
    }
}

fn one_of_each() -> Vec<Event> {
    let mut events: Vec<Event> = all().iter().map(|fixture| fixture.event()).collect();
    events.sort_by(|a, b| a.name.cmp(&b.name));
    events.dedup_by(|a, b| a.name == b.name);
    events
}

#[test]
fn the_adapter_is_found_by_its_name() {
    assert_eq!(tollgate_agents::adapter("claude-code").map(Adapter::agent), Some(Agent::ClaudeCode));
    assert!(tollgate_agents::adapter("Claude").is_none());
}

#[test]
fn managed_settings_cannot_be_blocked_and_unknown_events_are_left_alone() {
    let text = r#"{"hook_event_name":"ConfigChange","source":"policy_settings"}"#;
    let unknown = r#"{"hook_event_name":"Brandnew"}"#;
    for text in [text, unknown] {
        let reply = ClaudeCode.reply(&read(text, None).unwrap(), &decision(Verdict::Deny));
        assert_eq!(reply, Reply { expressed: Verdict::Note, ..Reply::default() });
    }
}

#[test]
fn all_events_have_a_row_and_a_payload() {
    let rows: BTreeSet<&str> = capabilities().iter().map(|row| row.name).collect();
    assert_eq!(rows.len(), capabilities().len());
    assert_eq!(rows, EVENTS.iter().copied().collect());
    let payloads: BTreeSet<String> = all().iter().map(|fixture| fixture.event().name).collect();
    assert_eq!(payloads, EVENTS.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn says_what_was_meant() {
    let bash = event("PreToolUse-Bash");
    let permission = event("PermissionRequest-Bash");
    let allow = Decision { approve: true, ..Decision::default() };
    let rewrite = Decision { rewrite: Some(object([("command", "true".into())])), ..Decision::default() };
    let texts = Decision { context: vec!["C".into()], notices: vec!["N".into()], ..Decision::default() };
    let unattended = |event: &Event| with(event, Attended::No);
    let seen = |event: &Event, decision: &Decision| taken(event, &ClaudeCode.reply(event, decision));

    assert_eq!(ClaudeCode.reply(&bash, &Decision::default()), Reply::default());
    assert!(seen(&bash, &allow).approved && seen(&permission, &allow).approved);
    assert!(!seen(&bash, &Decision { approve: true, ..decision(Verdict::Ask) }).approved);
    assert!(seen(&bash, &rewrite).rewritten && !seen(&bash, &rewrite).approved);
    assert!(!seen(&permission, &rewrite).rewritten);
    assert!(seen(&permission, &Decision { approve: true, ..rewrite.clone() }).rewritten);
    assert!(seen(&bash, &Decision { rewrite: rewrite.rewrite.clone(), ..decision(Verdict::Ask) }).rewritten);
    assert!(!seen(&bash, &Decision { rewrite: rewrite.rewrite, ..decision(Verdict::Deny) }).rewritten);
    assert!(seen(&bash, &decision(Verdict::Ask)).asked);
    assert!(seen(&unattended(&bash), &decision(Verdict::Ask)).model.contains("tollgate approve k7f2"));
    assert!(seen(&unattended(&permission), &decision(Verdict::Ask)).model.contains("tollgate approve k7f2"));
    assert_eq!(seen(&bash, &texts).model.trim(), "C");
    assert_eq!(seen(&bash, &texts).person, "N");
    assert_eq!(seen(&event("PreCompact-manual"), &texts).model, "Tollgate: C");
    assert_eq!(seen(&event("PostCompact-manual"), &texts).person, "Tollgate: N");
    assert_eq!(seen(&event("Stop"), &texts).model, "");
    assert!(
        seen(&event("Stop"), &Decision { context: texts.context, ..decision(Verdict::Deny) })
            .model
            .contains('C')
    );
    assert!(seen(&event("SessionStart-startup"), &decision(Verdict::Deny)).person.contains("delete-home"));
}

fn event(name: &str) -> Event {
    let event = all().iter().find(|fixture| fixture.name == name).unwrap().event();
    with(&event, Attended::Yes)
}

/// The events of 2.1.325, as its own type declarations list them.
const EVENTS: &[&str] = &[
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PostModelSwitch",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreModelSwitch",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Setup",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "UserPromptSubmit",
    "WorktreeCreate",
    "WorktreeRemove",
];
