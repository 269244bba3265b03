//! Factory Droid 0.225. **Unverified**: written from its package and documentation, never run against it.
//!
//! Of several hooks' decisions the first one counts, so that an `allow` before ours would hide a refusal in JSON;
//! exit 2 is heard in any case. `ask` is only logged there.

use tollgate_model::{Agent, Event, Fault, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Context, Deny, EventCapability as Row, Halt, Message, Rewrite};
use crate::fields::Fields;
use crate::read::{Keys, Reader};
use crate::say::{Act, Answer, exit_two};
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Factory Droid.
#[derive(Clone, Copy, Debug)]
pub struct Droid;

static PROFILE: Profile = Profile::unverified(Agent::Droid, "Factory Droid", "0.225", TABLE);

static TABLE: &[Row] = &[
    Row {
        deny: Deny::Decision,
        rewrite: Rewrite::UnlessDenied,
        message: Message::Shown,
        ..Row::deaf("PreToolUse", Phase::PreTool)
    },
    Row { deny: Deny::Feedback, ..Row::open("PostToolUse", Phase::PostTool) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("UserPromptSubmit", Phase::Prompt) },
    Row::open("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    Row { halt: Halt::Alone, context: Context::None, ..Row::blockable("Stop", Phase::Stop) },
    Row { halt: Halt::Alone, context: Context::None, ..Row::blockable("SubagentStop", Phase::SubagentStop) },
    Row::deaf("PreCompact", Phase::PreCompact),
    Row::deaf("Notification", Phase::Notification),
];

impl Adapter for Droid {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        Reader { profile: &PROFILE, keys: &Keys::SNAKE, tools: call }.read(payload)
    }

    fn write(&self, said: &Said) -> Reply {
        if said.act == Act::Halt && said.row.halt == Halt::Alone {
            let mut answer = Answer::default();
            answer.top("continue", false);
            answer.top("stopReason", said.reason.as_str());
            return answer.reply(said.row.name);
        }
        if said.refuses() && said.row.deny != Deny::Never {
            return exit_two(&said.reason);
        }
        Answer::default().beside(said, "updatedInput")
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        crate::blind_claude_like(verdict, text)
    }
}

fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "Execute" => tools::shell(input, "command", "")?,
        "Create" => tools::write(input, "file_path", "content")?,
        "Edit" => tools::edit(input, "file_path", "old_str", "new_str")?,
        "MultiEdit" => tools::edits(input, "file_path", "changes", ["old_str", "new_str"])?,
        "ApplyPatch" => tools::patch(input, &["input", "patch", "command"])?,
        "Read" => tools::read(input, "file_path")?,
        "Grep" => tools::search(input, "path", "glob_pattern", SearchScope::Contents)?,
        "Glob" => tools::search(input, "folder", "", SearchScope::Names)?,
        "LS" => tools::list(input, "directory_path")?,
        "FetchUrl" => tools::fetch(input, "url")?,
        "WebSearch" => tools::web_search(input, "query")?,
        "Task" => tools::spawn(input, "subagent_type", "prompt")?,
        _ => name.strip_prefix("mcp__").map(|rest| tools::mcp(rest, server, "__")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}
