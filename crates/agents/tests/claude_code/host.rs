//! What Claude Code 2.1.325 makes of an answer, written from `protocols/claude-code.md` and `clients/OBSERVED.md`
//! and sharing nothing with the adapter.

use serde_json::{Map, Value};
use tollgate_model::Reply;

/// What the client does after an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What was about to happen does not happen.
    pub blocked: bool,
    /// A person is asked.
    pub asked: bool,
    /// The agent's turn ends.
    pub turn_ends: bool,
    /// The client's own prompt is skipped.
    pub approved: bool,
    /// Another tool input is used.
    pub rewritten: bool,
    /// What the model gets to read.
    pub model: String,
    /// What the person gets to read.
    pub person: String,
}

/// Reads an answer as the client does. An error is an answer that the client would not take as it was meant.
pub fn take(event: &str, source: &str, reply: &Reply) -> Result<Outcome, String> {
    let stdout = reply.stdout.trim();
    if reply.stdout.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Err("raw control characters".into());
    }
    match reply.exit {
        0 if stdout.is_empty() => Ok(silence(event)),
        0 if stdout.starts_with('{') => json(event, source, stdout),
        0 => plain(event, stdout),
        2 if reply.stderr.trim().is_empty() => Err("exit 2 without a reason".into()),
        2 if !stdout.is_empty() => refused_twice(event, source, reply),
        2 => Ok(exit_two(event, source, &reply.stderr)),
        other => Err(format!("exit {other} lets the call run")),
    }
}

/// JSON is honoured whatever the exit code; exit 2 stops the call where the JSON cannot be read.
fn refused_twice(event: &str, source: &str, reply: &Reply) -> Result<Outcome, String> {
    let (said, exit) = (json(event, source, reply.stdout.trim())?, exit_two(event, source, &reply.stderr));
    if !said.blocked || !exit.blocked {
        return Err("exit 2 and JSON that does not refuse".into());
    }
    Ok(said)
}

fn silence(event: &str) -> Outcome {
    Outcome { asked: ASKS_ANYWAY.contains(&event), ..Outcome::default() }
}

fn exit_two(event: &str, source: &str, stderr: &str) -> Outcome {
    let blocked = can_block(event, source) && event != "PermissionRequest";
    Outcome {
        blocked,
        turn_ends: event == "PostToolBatch",
        asked: !blocked && ASKS_ANYWAY.contains(&event),
        model: stderr.to_owned(),
        ..Outcome::default()
    }
}

fn plain(event: &str, text: &str) -> Result<Outcome, String> {
    short(text, 10_000)?;
    match event {
        "PreCompact" => Ok(Outcome { model: text.to_owned(), ..Outcome::default() }),
        "PostCompact" => Ok(Outcome { person: text.to_owned(), ..Outcome::default() }),
        _ => Err("plain text".into()),
    }
}

fn json(event: &str, source: &str, text: &str) -> Result<Outcome, String> {
    if matches!(event, "PostCompact" | "WorktreeCreate") {
        return Err(format!("{event} takes its stdout as it stands"));
    }
    let Value::Object(top) = serde_json::from_str(text).map_err(|error| error.to_string())? else {
        return Err("not an object".into());
    };
    known(&top, &["continue", "stopReason", "decision", "reason", "systemMessage", "hookSpecificOutput"])?;
    let mut outcome = silence(event);
    if top.get("continue").is_some_and(|go_on| go_on == false) {
        said(&top, "stopReason")?;
        outcome.turn_ends = STOPS_ON_CONTINUE.contains(&event);
    }
    if let Some(decision) = top.get("decision") {
        if decision != "block" {
            return Err(format!("decision {decision}"));
        }
        outcome.model = said(&top, "reason")?;
        outcome.blocked = can_block(event, source) && event != "PermissionRequest";
        outcome.turn_ends |= matches!(event, "PostToolBatch" | "UserPromptSubmit" | "UserPromptExpansion");
    }
    if top.contains_key("systemMessage") {
        outcome.person = said(&top, "systemMessage")?;
    }
    if let Some(specific) = top.get("hookSpecificOutput") {
        specific_output(event, specific, &mut outcome)?;
    }
    if event == "PreCompact" && !outcome.blocked {
        return Err("the JSON becomes compact instructions".into());
    }
    let goes_on_stopping = outcome.turn_ends && CONTINUES_ON_BLOCK.contains(&event);
    outcome.blocked &= !goes_on_stopping;
    outcome.asked &= !outcome.blocked && !outcome.approved;
    Ok(outcome)
}

fn specific_output(event: &str, specific: &Value, outcome: &mut Outcome) -> Result<(), String> {
    let specific = specific.as_object().ok_or("hookSpecificOutput is no object")?;
    if specific.get("hookEventName").and_then(Value::as_str) != Some(event) {
        return Err("hookEventName is not the event".into());
    }
    known(specific, specific_keys(event))?;
    if let Some(decision) = specific.get("permissionDecision") {
        match decision.as_str() {
            Some("allow") => outcome.approved = true,
            Some("ask") => outcome.asked = true,
            Some("deny") => outcome.blocked = true,
            _ => return Err(format!("permissionDecision {decision}")),
        }
        if decision != "allow" {
            outcome.model = said(specific, "permissionDecisionReason")?;
        }
    }
    if let Some(decision) = specific.get("decision") {
        behaviour(decision, outcome)?;
    }
    if let Some(input) = specific.get("updatedInput") {
        outcome.rewritten = input.is_object() && !outcome.blocked;
        if !input.is_object() {
            return Err("updatedInput is no object".into());
        }
    }
    if specific.contains_key("additionalContext") {
        outcome.model = format!("{}\n{}", outcome.model, said(specific, "additionalContext")?);
        outcome.blocked |= matches!(event, "Stop" | "SubagentStop");
    }
    Ok(())
}

fn behaviour(decision: &Value, outcome: &mut Outcome) -> Result<(), String> {
    let decision = decision.as_object().ok_or("decision is no object")?;
    match decision.get("behavior").and_then(Value::as_str) {
        Some("allow") => {
            known(decision, &["behavior", "updatedInput"])?;
            outcome.approved = true;
            outcome.rewritten = decision.get("updatedInput").is_some_and(Value::is_object);
        }
        Some("deny") => {
            known(decision, &["behavior", "message", "interrupt"])?;
            outcome.blocked = true;
            outcome.model = said(decision, "message")?;
            outcome.turn_ends = decision.get("interrupt").is_some_and(|interrupt| interrupt == true);
        }
        _ => return Err("no behavior".into()),
    }
    Ok(())
}

/// What can be kept from happening. A change of managed settings cannot.
pub fn can_block(event: &str, source: &str) -> bool {
    BLOCKABLE.contains(&event) && !(event == "ConfigChange" && source == "policy_settings")
}

fn specific_keys(event: &str) -> &'static [&'static str] {
    match event {
        "PreToolUse" => &[
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
            "updatedInput",
            "additionalContext",
        ],
        "PermissionRequest" => &["hookEventName", "decision"],
        "PreModelSwitch" => &["hookEventName", "permissionDecision", "permissionDecisionReason"],
        "PostToolUse"
        | "PostToolUseFailure"
        | "PostToolBatch"
        | "Setup"
        | "SubagentStart"
        | "Stop"
        | "SubagentStop"
        | "PostModelSwitch"
        | "UserPromptSubmit"
        | "UserPromptExpansion"
        | "SessionStart" => &["hookEventName", "additionalContext"],
        _ => &[],
    }
}

fn known(map: &Map<String, Value>, keys: &[&str]) -> Result<(), String> {
    match map.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown key {key}")),
        None => Ok(()),
    }
}

fn said(map: &Map<String, Value>, key: &str) -> Result<String, String> {
    let text = map.get(key).and_then(Value::as_str).unwrap_or_default();
    if text.trim().is_empty() {
        return Err(format!("{key} is empty"));
    }
    short(text, if key.to_lowercase().contains("reason") || key == "message" { 4_000 } else { 10_000 })?;
    Ok(text.to_owned())
}

fn short(text: &str, limit: usize) -> Result<(), String> {
    let length = text.encode_utf16().count();
    if length > limit { Err(format!("{length} characters")) } else { Ok(()) }
}

/// A person is asked when no hook says anything.
const ASKS_ANYWAY: &[&str] = &["PermissionRequest", "Elicitation"];

const BLOCKABLE: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PreModelSwitch",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
];

/// Where `continue: false` is listened to.
const STOPS_ON_CONTINUE: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "TeammateIdle",
];

/// Where a block means that the agent goes on working.
const CONTINUES_ON_BLOCK: &[&str] = &["Stop", "SubagentStop", "TeammateIdle"];
