//! One file per coding agent: what it sends, what it honours, where it keeps its hooks. The only crate that
//! knows an agent's field names.

pub mod auggie;
pub mod capability;
pub mod claude_code;
pub mod cline;
pub mod codex;
pub mod copilot_cli;
pub mod cursor;
pub mod droid;
mod ended;
mod fault;
mod fields;
pub mod gemini_cli;
pub mod generic;
pub mod install;
pub mod kiro;
pub mod opencode;
pub mod qwen_code;
mod read;
mod say;
mod text;
mod tools;
pub mod transcript;
pub mod version;
pub mod windsurf;

use tollgate_model::{Agent, Attended, Decision, Event, Fault, OnFault, Reply, Verdict};

pub use capability::{EventCapability, Rewrite};
pub use say::{Act, Said};
pub use version::{Change, Version};

/// What a host gave to the hook.
pub struct Payload<'a> {
    /// Standard input, whole.
    pub bytes: &'a [u8],
    /// The event named on the command line, if any.
    pub hint: Option<&'a str>,
    /// The environment, by name: an adapter asks only for its own agent's variables.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

/// What is known of an agent, and how.
#[derive(Debug)]
pub struct Profile {
    /// Which agent.
    pub agent: Agent,
    /// What people call it.
    pub title: &'static str,
    /// The version that this is about; empty where there is none.
    pub version: &'static str,
    /// Other versions that were driven through the same tests.
    pub also: &'static [&'static str],
    /// How it is known.
    pub proof: Proof,
    /// What each of its events honours.
    pub events: &'static [EventCapability],
    /// The variable by which it tells a hook its version; empty where it does not.
    pub version_in: &'static str,
    /// What older versions do otherwise, oldest first.
    pub changes: &'static [Change],
}

/// How well an adapter is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The real client is driven in the tests, and its payloads are recorded.
    EndToEnd,
    /// Written from the agent's documentation or source, and never run against it.
    Unverified,
    /// The protocol is ours.
    Own,
}

impl Profile {
    const fn new(
        agent: Agent,
        title: &'static str,
        version: &'static str,
        proof: Proof,
        events: Table,
    ) -> Self {
        Self { agent, title, version, also: &[], proof, events, version_in: "", changes: &[] }
    }

    const fn proven(agent: Agent, title: &'static str, version: &'static str, events: Table) -> Self {
        Self::new(agent, title, version, Proof::EndToEnd, events)
    }

    const fn unverified(agent: Agent, title: &'static str, version: &'static str, events: Table) -> Self {
        Self::new(agent, title, version, Proof::Unverified, events)
    }

    /// Was this version driven in the tests?
    #[must_use]
    pub fn observed(&self, version: Version) -> bool {
        let driven = std::iter::once(&self.version).chain(self.also);
        self.proof == Proof::EndToEnd
            && driven.filter_map(|text| Version::read(text)).any(|one| one == version)
    }

    /// What this version does otherwise than the adapter says, as far as that is known.
    pub fn changes_after(&self, version: Version) -> impl Iterator<Item = &'static Change> + use<> {
        self.changes.iter().filter(move |change| version < change.since)
    }

    /// The row of an event; nothing when this version has no such event.
    #[must_use]
    pub fn row(&self, event: &str) -> Option<&'static EventCapability> {
        self.events.iter().find(|row| row.name == event)
    }

    /// What each event honours, as a table of the documentation.
    #[must_use]
    pub fn table(&self) -> String {
        let mut table = String::from("| event | deny | ask | halt | context | rewrite | message |\n");
        table.push_str("|---|---|---|---|---|---|---|\n");
        for row in self.events {
            table.push_str(&format!("| `{}` | {} |\n", row.name, row.words().join(" | ")));
        }
        table
    }
}

type Table = &'static [EventCapability];

/// One agent's language. Pure.
pub trait Adapter: Sync {
    /// What is known of the agent.
    fn profile(&self) -> &'static Profile;

    /// Understands a payload.
    ///
    /// # Errors
    /// When the payload is not what this agent sends; the fault says what is wrong.
    fn read(&self, payload: &Payload) -> Result<Event, Fault>;

    /// Puts what is to be said into the agent's words.
    fn write(&self, said: &Said) -> Reply;

    /// Says that no decision could be made when not even the event is known, in a form that fits every event.
    /// The verdict is `Allow` or `Deny`.
    fn blind(&self, verdict: Verdict, text: &str) -> Reply;

    /// Which agent.
    fn agent(&self) -> Agent {
        self.profile().agent
    }

    /// What an event honours, where that depends on more than its name: the version, the mode or the tool.
    fn row(&self, event: &Event) -> EventCapability {
        self.profile().row(&event.name).copied().unwrap_or(EventCapability::UNKNOWN)
    }

    /// Whether the agent says that a person is there.
    fn attended(&self, _payload: &Payload) -> Attended {
        Attended::Unknown
    }

    /// Whether an `ask` would reach a person.
    fn can_ask(&self, attended: Attended, _permission_mode: &str) -> bool {
        attended != Attended::No
    }

    /// The member of a payload that names the event; empty where only the command line does.
    fn event_key(&self) -> &'static str {
        "hook_event_name"
    }

    /// Says a decision in the strongest form that this agent honours for this event.
    fn reply(&self, event: &Event, decision: &Decision) -> Reply {
        say::decision(self, event, decision)
    }

    /// Says that no decision could be made. The one place where a failure becomes an answer.
    /// `event` is there when the payload could be read, otherwise only what the payload tells.
    fn fault(&self, payload: &Payload, event: Option<&Event>, fault: &Fault, on_fault: OnFault) -> Reply {
        fault::fault(self, payload, event, fault, on_fault)
    }

    /// The exit code and the output of the command that the event tells the end of. None where the agent does not
    /// say, or the command was stopped or goes on in the background.
    fn ended(&self, _event: &Event) -> Option<(i32, String)> {
        None
    }

    /// Whether `ended` can be told of commands that fail as well as of those that succeed.
    fn tells_end(&self) -> bool {
        false
    }

    /// The most characters of context that the agent takes at once.
    fn longest_context(&self) -> usize {
        say::LONGEST_TEXT
    }
}

/// Every agent that is spoken.
pub static ADAPTERS: &[&dyn Adapter] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini_cli::GeminiCli,
    &qwen_code::QwenCode,
    &copilot_cli::CopilotCli,
    &opencode::OPENCODE,
    &cursor::Cursor,
    &droid::Droid,
    &auggie::Auggie,
    &windsurf::Windsurf,
    &kiro::Kiro,
    &cline::Cline,
    &opencode::KILO,
    &generic::AMP,
    &generic::GENERIC,
];

/// The adapter of the agent with this name on the command line.
#[must_use]
pub fn adapter(name: &str) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().copied().find(|adapter| adapter.agent().name() == name)
}

/// Exit 2 refuses a call in most agents without naming the event, and a message alone is taken by every event.
fn blind_claude_like(verdict: Verdict, text: &str) -> Reply {
    if verdict == Verdict::Deny {
        return say::exit_two(text);
    }
    let mut answer = say::Answer::default();
    answer.top("systemMessage", text::cut(text.to_owned(), say::LONGEST_TEXT));
    answer.reply("")
}
