//! What each client makes of an answer, written from `clients/OBSERVED.md` and the protocol notes and sharing nothing
//! with the adapters. An error is an answer that the client would not take as it was meant.

use serde_json::{Map, Value};
use tollgate_model::Reply;

/// What the client does after an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What was about to happen does not happen.
    pub blocked: bool,
    /// A person is asked.
    pub asked: bool,
    /// The client's own prompt is skipped.
    pub approved: bool,
    /// Another tool input is used.
    pub rewritten: bool,
    /// What the model gets to read.
    pub model: String,
}

pub fn take(agent: &str, event: &str, reply: &Reply) -> Result<Outcome, String> {
    if reply.stdout.chars().chain(reply.stderr.chars()).any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Err("raw control characters".into());
    }
    let text = format!("{}{}", reply.stdout, reply.stderr);
    if text.encode_utf16().count() > 40_000 {
        return Err("too long".into());
    }
    match agent {
        "codex" => codex(event, reply),
        "gemini-cli" => gemini(event, reply),
        "qwen-code" => qwen(event, reply),
        "copilot-cli" => copilot(event, reply),
        "opencode" | "kilo" => opencode(event, reply),
        "cursor" => cursor(event, reply),
        "vscode" => vscode(event, reply),
        other => Err(format!("no model of {other}")),
    }
}

/// Exit 2 needs a reason in all of them but Copilot.
fn exit_two(reply: &Reply, blocks: bool) -> Result<Outcome, String> {
    if !reply.stdout.trim().is_empty() || reply.stderr.trim().is_empty() {
        return Err("exit 2 with something on stdout, or without a reason".into());
    }
    Ok(Outcome { blocked: blocks, model: reply.stderr.clone(), ..Outcome::default() })
}

fn object(reply: &Reply) -> Result<Option<Map<String, Value>>, String> {
    if !reply.stderr.is_empty() || reply.exit != 0 {
        return Err(format!("exit {} and `{}` on stderr", reply.exit, reply.stderr));
    }
    if reply.stdout.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str(&reply.stdout).map_err(|error| error.to_string())? {
        Value::Object(map) => Ok(Some(map)),
        _ => Err("not an object".into()),
    }
}

/// The schema of an answer is closed, and a decision that is not in it makes the whole of it count for nothing.
fn codex(event: &str, reply: &Reply) -> Result<Outcome, String> {
    if reply.exit == 2 {
        return exit_two(reply, true);
    }
    let Some(top) = object(reply)? else { return Ok(Outcome::default()) };
    if event == "SessionEnd" {
        return Err("no output is read".into());
    }
    let tool = matches!(event, "PreToolUse" | "PermissionRequest");
    let decides =
        matches!(event, "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "Stop" | "SubagentStop");
    let specific = !matches!(event, "Stop" | "SubagentStop" | "PreCompact" | "PostCompact" | "Interrupt");
    let mut keys = vec!["systemMessage"];
    keys.extend((!tool && event != "Interrupt").then_some(["continue", "stopReason"]).into_iter().flatten());
    keys.extend(decides.then_some(["decision", "reason"]).into_iter().flatten());
    keys.extend(specific.then_some("hookSpecificOutput"));
    known(&top, &keys)?;
    let mut outcome = Outcome::default();
    if top.contains_key("decision") {
        word(&top, "decision", &["block"])?;
        outcome.model = said(&top, "reason")?;
        outcome.blocked = event != "PostToolUse";
    } else if top.contains_key("reason") {
        return Err("a reason without a decision".into());
    }
    if top.get("continue") == Some(&Value::Bool(false)) {
        outcome.model = said(&top, "stopReason")?;
        outcome.blocked = false;
    }
    if let Some(specific) = top.get("hookSpecificOutput") {
        codex_specific(event, specific, &mut outcome)?;
    }
    Ok(outcome)
}

fn codex_specific(event: &str, specific: &Value, outcome: &mut Outcome) -> Result<(), String> {
    let specific = specific.as_object().ok_or("no object")?;
    word(specific, "hookEventName", &[event])?;
    let keys: &[&str] = match event {
        "PreToolUse" => {
            &["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"]
        }
        "PermissionRequest" => &["decision"],
        _ => &["additionalContext"],
    };
    known(specific, &[&["hookEventName"], keys].concat())?;
    match specific.get("permissionDecision").and_then(Value::as_str) {
        Some("deny") => {
            outcome.model = said(specific, "permissionDecisionReason")?;
            outcome.blocked = true;
        }
        Some("allow") if specific.contains_key("updatedInput") => outcome.rewritten = true,
        None if !specific.contains_key("updatedInput")
            && !specific.contains_key("permissionDecisionReason") => {}
        other => return Err(format!("permissionDecision {other:?}")),
    }
    if let Some(decision) = specific.get("decision") {
        let decision = decision.as_object().ok_or("no object")?;
        known(decision, &["behavior", "message"])?;
        match word(decision, "behavior", &["allow", "deny"])? {
            "deny" => {
                outcome.blocked = true;
                outcome.model = said(decision, "message")?;
            }
            _ => outcome.approved = true,
        }
    }
    if specific.contains_key("additionalContext") {
        outcome.model = format!("{}\n{}", outcome.model, said(specific, "additionalContext")?);
    }
    Ok(())
}

/// Only its own words count. `ask` would overrule a deny of its own policy.
fn gemini(event: &str, reply: &Reply) -> Result<Outcome, String> {
    if reply.exit == 2 {
        return exit_two(reply, true);
    }
    let Some(top) = object(reply)? else { return Ok(Outcome::default()) };
    let keys = ["continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"];
    known(&top, &keys)?;
    let mut outcome = Outcome::default();
    let blockable = matches!(event, "BeforeTool" | "BeforeAgent" | "AfterAgent");
    if top.contains_key("decision") {
        word(&top, "decision", &["deny"])?;
        outcome.model = said(&top, "reason")?;
        outcome.blocked = blockable;
    }
    if top.get("continue") == Some(&Value::Bool(false)) {
        said(&top, "stopReason")?;
        outcome.blocked &= event != "AfterAgent";
    }
    if let Some(specific) = top.get("hookSpecificOutput") {
        let specific = specific.as_object().ok_or("no object")?;
        word(specific, "hookEventName", &[event])?;
        known(specific, &["hookEventName", "tool_input", "additionalContext"])?;
        if let Some(input) = specific.get("tool_input") {
            outcome.rewritten = event == "BeforeTool" && input.is_object() && !outcome.blocked;
        }
        if specific.contains_key("additionalContext") {
            if !matches!(event, "AfterTool" | "BeforeAgent" | "SessionStart") {
                return Err("context is not read here".into());
            }
            outcome.model = format!("{}\n{}", outcome.model, said(specific, "additionalContext")?);
        }
    }
    Ok(outcome)
}

/// Both words of a refusal, never an approval, and a question in `permissionDecision` alone: the bare `decision` is lost
/// beside another hook's answer.
fn qwen(event: &str, reply: &Reply) -> Result<Outcome, String> {
    if reply.exit == 2 {
        return exit_two(reply, true);
    }
    let Some(top) = object(reply)? else { return Ok(Outcome::default()) };
    let keys = ["continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"];
    known(&top, &keys)?;
    let mut outcome = Outcome::default();
    if top.contains_key("decision") {
        word(&top, "decision", &["block"])?;
        outcome.model = said(&top, "reason")?;
        let hidden = matches!(event, "PostToolUse" | "PostToolUseFailure" | "PostToolBatch");
        if hidden {
            return Err("the reason reaches nobody".into());
        }
        outcome.blocked = true;
    }
    if top.get("continue") == Some(&Value::Bool(false)) {
        said(&top, "stopReason")?;
        outcome.blocked &= !matches!(event, "Stop" | "SubagentStop");
    }
    let specific = top.get("hookSpecificOutput").and_then(Value::as_object);
    if event == "PreToolUse" && outcome.blocked {
        let specific = specific.ok_or("both words are needed")?;
        word(specific, "permissionDecision", &["deny"])?;
        said(specific, "permissionDecisionReason")?;
    }
    if let Some(specific) = specific {
        word(specific, "hookEventName", &[event])?;
        if event == "PreToolUse" && specific.contains_key("additionalContext") {
            return Err("context is not read here".into());
        }
        if let Some(context) = specific.get("additionalContext").and_then(Value::as_str) {
            outcome.model.push_str(context);
        }
        match specific.get("permissionDecision").and_then(Value::as_str) {
            Some("ask") if !outcome.blocked => {
                outcome.asked = true;
                outcome.model = said(specific, "permissionDecisionReason")?;
            }
            Some("deny") | None => {}
            Some(_) => return Err("an approval could undo another hook's refusal".into()),
        }
    }
    Ok(outcome)
}

/// Only its own words count, and only an explicit `permissionDecision`.
fn copilot(event: &str, reply: &Reply) -> Result<Outcome, String> {
    if reply.exit == 2 {
        return exit_two(reply, matches!(event, "preToolUse" | "permissionRequest"));
    }
    let Some(top) = object(reply)? else { return Ok(Outcome::default()) };
    let mut outcome = Outcome::default();
    let keys: &[&str] = match event {
        "preToolUse" => {
            &["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"]
        }
        "permissionRequest" => &["behavior", "message", "interrupt"],
        "agentStop" | "subagentStop" => &["decision", "reason"],
        "userPromptSubmitted" => &["decision", "reason", "additionalContext"],
        "sessionStart" | "subagentStart" | "postToolUse" | "postToolUseFailure" => &["additionalContext"],
        _ => &[],
    };
    known(&top, keys)?;
    if top.contains_key("permissionDecision") {
        match word(&top, "permissionDecision", &["allow", "deny", "ask"])? {
            "deny" => outcome.blocked = true,
            "ask" => outcome.asked = true,
            _ => outcome.approved = true,
        }
        if !outcome.approved {
            outcome.model = said(&top, "permissionDecisionReason")?;
        }
    }
    if top.contains_key("behavior") {
        outcome.blocked = word(&top, "behavior", &["allow", "deny"])? == "deny";
        outcome.approved = !outcome.blocked;
        if outcome.blocked {
            outcome.model = said(&top, "message")?;
        }
    }
    if top.contains_key("decision") {
        word(&top, "decision", &["block"])?;
        outcome.blocked = true;
        outcome.model = said(&top, "reason")?;
    }
    outcome.rewritten = top.get("modifiedArgs").is_some_and(Value::is_object);
    if top.contains_key("additionalContext") {
        outcome.model = format!("{}\n{}", outcome.model, said(&top, "additionalContext")?);
    }
    Ok(outcome)
}

/// Our own plug-in: what is not an object with a decision is a refusal.
fn opencode(event: &str, reply: &Reply) -> Result<Outcome, String> {
    let top = object(reply)?.ok_or("no answer")?;
    known(&top, &["decision", "reason", "args", "context"])?;
    let mut outcome = Outcome::default();
    if word(&top, "decision", &["allow", "deny"])? == "deny" {
        outcome.blocked = matches!(event, "tool.execute.before" | "chat.message");
        outcome.model = said(&top, "reason")?;
    }
    outcome.rewritten = top.get("args").is_some_and(Value::is_object);
    if top.contains_key("context") {
        outcome.model = format!("{}\n{}", outcome.model, said(&top, "context")?);
    }
    Ok(outcome)
}

/// By the engine in its SDK: an event that decides wants an object with a permission, and silence is a failure.
fn cursor(event: &str, reply: &Reply) -> Result<Outcome, String> {
    let top = object(reply)?.ok_or("silence counts as a failure")?;
    let keys: &[&str] = match event {
        "preToolUse" => {
            &["permission", "user_message", "agent_message", "updated_input", "additional_context"]
        }
        "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile" | "subagentStart" => {
            &["permission", "user_message", "agent_message"]
        }
        "beforeSubmitPrompt" | "sessionStart" => &["continue", "user_message", "additional_context"],
        "postToolUse" | "postToolUseFailure" => &["additional_context"],
        "stop" | "subagentStop" => &["followup_message"],
        _ => &[],
    };
    known(&top, keys)?;
    let mut outcome = Outcome::default();
    if keys.contains(&"permission") {
        let words: &[&str] = match event {
            "beforeShellExecution" => &["allow", "deny", "ask"],
            _ => &["allow", "deny"],
        };
        let said_word = word(&top, "permission", words)?;
        outcome.blocked = said_word == "deny";
        outcome.asked = said_word == "ask";
        if said_word != "allow" {
            outcome.model = said(&top, "user_message")?;
        }
    }
    outcome.blocked |=
        top.get("continue") == Some(&Value::Bool(false)) || top.contains_key("followup_message");
    outcome.rewritten = top.get("updated_input").is_some_and(Value::is_object);
    Ok(outcome)
}

/// Claude Code's shape under `hookSpecificOutput`, beside which Copilot CLI's own words may stand.
fn vscode(event: &str, reply: &Reply) -> Result<Outcome, String> {
    let Some(top) = object(reply)? else { return Ok(Outcome::default()) };
    let mut outcome = Outcome::default();
    if let Some(specific) = top.get("hookSpecificOutput").and_then(Value::as_object) {
        word(specific, "hookEventName", &[event])?;
        match specific.get("permissionDecision").and_then(Value::as_str) {
            Some("deny") => outcome.blocked = true,
            Some("ask") => outcome.asked = true,
            Some("allow") => outcome.approved = true,
            _ => {}
        }
        if outcome.blocked || outcome.asked {
            outcome.model = said(specific, "permissionDecisionReason")?;
            let same = specific.get("permissionDecision") == top.get("permissionDecision");
            if !same {
                return Err("the two forms say different things".into());
            }
        }
        outcome.rewritten = specific.get("updatedInput").is_some_and(Value::is_object);
    }
    if top.contains_key("decision") {
        word(&top, "decision", &["block"])?;
        said(&top, "reason")?;
        outcome.blocked = true;
    }
    Ok(outcome)
}

fn known(map: &Map<String, Value>, keys: &[&str]) -> Result<(), String> {
    match map.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown key {key}")),
        None => Ok(()),
    }
}

fn word<'a>(map: &'a Map<String, Value>, key: &str, words: &[&str]) -> Result<&'a str, String> {
    let found = map.get(key).and_then(Value::as_str).unwrap_or_default();
    if words.contains(&found) { Ok(found) } else { Err(format!("{key} is `{found}`")) }
}

fn said(map: &Map<String, Value>, key: &str) -> Result<String, String> {
    let text = map.get(key).and_then(Value::as_str).unwrap_or_default();
    if text.trim().is_empty() { Err(format!("{key} is empty")) } else { Ok(text.to_owned()) }
}
