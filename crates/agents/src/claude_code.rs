//! Claude Code 2.1.325: `capability` says what each of its events honours, `read` and `tools` understand what it
//! sends, `say` writes what it obeys, `fault` answers when there is nothing else to say.

mod capability;
mod fault;
mod read;
mod say;
mod tools;

use tollgate_model::{Agent, Attended, Decision, Event, Fault, OnFault, Reply};

use crate::{Adapter, Payload};

pub use capability::{Ask, Context, Deny, EventCapability, Halt, Message, Rewrite, capabilities, capability};

/// The adapter of Claude Code.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Adapter for ClaudeCode {
    fn agent(&self) -> Agent {
        Agent::ClaudeCode
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        read::read(payload)
    }

    fn reply(&self, event: &Event, decision: &Decision) -> Reply {
        say::decision(event, decision)
    }

    fn fault(&self, payload: &Payload, event: Option<&Event>, fault: &Fault, on_fault: OnFault) -> Reply {
        fault::fault(payload, event, fault, on_fault)
    }

    fn ended(&self, event: &Event) -> Option<(i32, String)> {
        read::ended(event)
    }
}

/// Whether Claude Code says that a person is there.
fn attended(payload: &Payload) -> Attended {
    match (payload.env)("CLAUDE_CODE_SESSION_ATTENDED").as_deref() {
        Some("1") => Attended::Yes,
        Some("0") => Attended::No,
        _ => Attended::Unknown,
    }
}

/// Whether an `ask` would reach a person: the mode `dontAsk` refuses instead of asking.
fn can_ask(attended: Attended, permission_mode: &str) -> bool {
    attended != Attended::No && permission_mode != "dontAsk"
}
