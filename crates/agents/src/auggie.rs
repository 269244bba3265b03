//! Augment's Auggie 0.36.0. **Unverified**: written from its package, never run against it.
//!
//! A refusal is said twice, in JSON and by exit 2; either alone is enough by its source. Its schema knows `ask`, but
//! nobody has seen it ask.

use tollgate_model::{Agent, Event, Fault, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Deny, EventCapability as Row, Message, Rewrite};
use crate::fields::Fields;
use crate::read::{self, Keys, Reader};
use crate::say::{Answer, exit_two};
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Auggie.
#[derive(Clone, Copy, Debug)]
pub struct Auggie;

static PROFILE: Profile = Profile::unverified(Agent::Auggie, "Auggie", "0.36.0", TABLE);

static TABLE: &[Row] = &[
    Row { deny: Deny::Decision, rewrite: Rewrite::UnlessDenied, ..Row::open("PreToolUse", Phase::PreTool) },
    Row { deny: Deny::Feedback, ..Row::open("PostToolUse", Phase::PostTool) },
    Row::blockable("Stop", Phase::Stop),
    Row::open("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    Row { message: Message::Shown, ..Row::deaf("PromptSubmit", Phase::Prompt) },
    Row::deaf("Notification", Phase::Notification),
];

const KEYS: Keys = Keys { session: "conversation_id", cwd: "workspace_root", ..Keys::SNAKE };

impl Adapter for Auggie {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let top = read::object(payload.bytes, PROFILE.title)?;
        let root = read::first_text(&top, "workspace_roots");
        let prompt = top.text("user_prompt").unwrap_or_default().to_owned();
        let event = Reader { profile: &PROFILE, keys: &KEYS, tools: call }.read_value(top, payload.hint)?;
        let kind = match event.kind {
            tollgate_model::Kind::Prompt { .. } => tollgate_model::Kind::Prompt { text: prompt },
            kind => kind,
        };
        Ok(Event { cwd: root, kind, ..event })
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        if said.refuses() {
            match said.row.deny {
                Deny::Decision => {
                    answer.specific("permissionDecision", "deny");
                    answer.specific("permissionDecisionReason", said.reason.as_str());
                    return Reply { stdout: answer.stdout(said.row.name), ..exit_two(&said.reason) };
                }
                Deny::Never => {}
                _ => {
                    answer.specific("decision", "block");
                    answer.specific("reason", said.reason.as_str());
                }
            }
        }
        answer.beside(said, "updatedInput")
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        crate::blind_claude_like(verdict, text)
    }
}

/// Tools of MCP servers are only flagged as such, and are judged by the shape of their input.
fn call(name: &str, _server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "launch-process" => tools::shell(input, "command", "cwd")?,
        "save-file" => tools::write(input, "path", "file_content")?,
        "str-replace-editor" => tools::edit(input, "path", "old_str", "new_str")?,
        "view" => tools::read(input, "path")?,
        "web-fetch" => tools::fetch(input, "url")?,
        "web-search" => tools::web_search(input, "query")?,
        "grep-search" => tools::search(input, "directory", "", SearchScope::Contents)?,
        _ => None,
    };
    Ok(call.unwrap_or(ToolCall::Other))
}
