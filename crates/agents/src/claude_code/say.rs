//! What Claude Code obeys.
//!
//! Invariant: standard output is empty, or one JSON object, or (where the table says so) plain text that does not
//! look like one. Anything else would be taken for no answer, and the call would run.
//!
//! So a call is refused by two voices: JSON is honoured whatever the exit code, and exit 2 stops a call whatever was
//! printed. The model reads the same as from the JSON alone; what is on standard error only if that is garbled.

use tollgate_model::json::Value;
use tollgate_model::{Phase, Reply};

use crate::capability::{Context, Deny, Halt, Message};
use crate::say::{Act, Answer, Said, exit_two};

/// The events at which metrics are said even when nothing else is. Claude Code ignores members that it does not know.
const MEASURED_ALONE: [&str; 2] = ["PreToolUse", "PostToolUse"];
/// The other events whose `hookSpecificOutput` Claude Code accepts without any of its own members. At all others an answer
/// with metrics would be invalid as a whole.
const MEASURED: [&str; 10] = [
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "PostToolUseFailure",
    "PostToolBatch",
    "Setup",
    "SubagentStart",
    "Notification",
    "Stop",
    "SubagentStop",
];

/// The answer, as bytes.
pub(super) fn write(said: &Said) -> Reply {
    let mut answer = Answer::default();
    let mut behaviour = Vec::new();
    match said.act {
        Act::Pass if said.approve => say_approval(said, &mut answer, &mut behaviour),
        Act::Pass => {}
        Act::Ask => {
            answer.specific("permissionDecision", "ask");
            answer.specific("permissionDecisionReason", said.reason.as_str());
        }
        Act::Deny | Act::Halt => say_refusal(said, &mut answer, &mut behaviour),
    }
    if let Some(input) = said.rewrite {
        match said.row.deny {
            Deny::Behaviour => behaviour.push(("updatedInput".to_owned(), input.clone())),
            _ => answer.specific("updatedInput", input.clone()),
        }
    }
    match said.row.context {
        Context::Instructions => answer.plain.clone_from(&said.context),
        _ => answer.specific_text("additionalContext", &said.context),
    }
    match said.row.message {
        Message::Plain => answer.plain.clone_from(&said.message),
        _ => answer.text("systemMessage", &said.message),
    }
    let decides = !behaviour.is_empty();
    if decides {
        answer.specific("decision", Value::Map(behaviour));
    }
    if let Some(output) = said.output.filter(|_| said.row.phase == Phase::PostTool) {
        answer.specific("updatedToolOutput", output.clone());
    }
    let event = said.row.name;
    if decides || MEASURED_ALONE.contains(&event) || MEASURED.contains(&event) && answer.speaks() {
        answer.measured(said.metrics);
    }
    let reply = answer.reply(said.row.name);
    if said.refuses() && said.row.phase == Phase::PreTool {
        return Reply { stdout: reply.stdout, ..exit_two(&said.reason) };
    }
    reply
}

type Members = Vec<(String, Value)>;

fn say_approval(said: &Said, answer: &mut Answer, behaviour: &mut Members) {
    match said.row.deny {
        Deny::Behaviour => behaviour.push(("behavior".to_owned(), "allow".into())),
        _ => answer.specific("permissionDecision", "allow"),
    }
}

fn say_refusal(said: &Said, answer: &mut Answer, behaviour: &mut Members) {
    let reason = said.reason.as_str();
    if said.act == Act::Halt && matches!(said.row.halt, Halt::BesideDeny | Halt::Alone) {
        answer.top("continue", false);
        answer.top("stopReason", reason);
    }
    if said.act == Act::Halt && said.row.halt == Halt::Alone {
        return;
    }
    match said.row.deny {
        Deny::Decision => {
            answer.specific("permissionDecision", "deny");
            answer.specific("permissionDecisionReason", reason);
        }
        Deny::Behaviour => {
            behaviour.push(("behavior".to_owned(), "deny".into()));
            behaviour.push(("message".to_owned(), reason.into()));
            if said.act == Act::Halt {
                behaviour.push(("interrupt".to_owned(), true.into()));
            }
        }
        Deny::Block | Deny::Feedback | Deny::EndsTurn => {
            answer.top("decision", "block");
            answer.top("reason", reason);
        }
        Deny::Never => {}
    }
}
