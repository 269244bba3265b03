//! One file per coding agent: what it sends, what it honours, where it keeps its hooks. The only crate that
//! knows an agent's field names.

pub mod claude_code;
pub mod install;
mod text;

use tollgate_model::{Agent, Decision, Event, Fault, OnFault, Reply};

/// What a host gave to the hook.
pub struct Payload<'a> {
    /// Standard input, whole.
    pub bytes: &'a [u8],
    /// The event named on the command line, if any.
    pub hint: Option<&'a str>,
    /// The environment, by name: an adapter asks only for its own agent's variables.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

/// One agent's language. Pure.
pub trait Adapter: Sync {
    /// Which agent.
    fn agent(&self) -> Agent;
    /// Understands a payload.
    ///
    /// # Errors
    /// When the payload is not what this agent sends; the fault says what is wrong.
    fn read(&self, payload: &Payload) -> Result<Event, Fault>;
    /// Says a decision in the strongest form that this agent honours for this event.
    fn reply(&self, event: &Event, decision: &Decision) -> Reply;
    /// Says that no decision could be made. The one place where a failure becomes an answer.
    /// `event` is there when the payload could be read, otherwise only what the payload tells.
    fn fault(&self, payload: &Payload, event: Option<&Event>, fault: &Fault, on_fault: OnFault) -> Reply;
    /// The exit code and the output of the command that the event tells the end of. None where the agent does not
    /// say, or the command was stopped or goes on in the background.
    fn ended(&self, _event: &Event) -> Option<(i32, String)> {
        None
    }
}

/// Every agent that is spoken.
pub static ADAPTERS: &[&dyn Adapter] = &[&claude_code::ClaudeCode];

/// The adapter of the agent with this name on the command line.
#[must_use]
pub fn adapter(name: &str) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().copied().find(|adapter| adapter.agent().name() == name)
}
