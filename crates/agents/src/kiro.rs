//! Kiro CLI, and Amazon Q Developer before it. **Unverified**: written from their documentation, never run against
//! them.
//!
//! Exit 2 before a call (and, in version 3, before a prompt), with the reason on standard error, is all that it hears;
//! what a hook prints at the start of a session and for a prompt becomes context.

use tollgate_model::{Agent, Event, Fault, Phase, Reply, ToolCall, Verdict};

use crate::capability::{Deny, EventCapability as Row};
use crate::fields::Fields;
use crate::read::{Keys, Reader};
use crate::say::exit_two;
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Kiro.
#[derive(Clone, Copy, Debug)]
pub struct Kiro;

static PROFILE: Profile = Profile::unverified(Agent::Kiro, "Kiro", "3", TABLE);

static TABLE: &[Row] = &[
    Row::decides("PreToolUse"),
    Row::deaf("PostToolUse", Phase::PostTool),
    Row::heard("SessionStart", Phase::SessionStart),
    Row { deny: Deny::Block, ..Row::heard("UserPromptSubmit", Phase::Prompt) },
    Row::deaf("Stop", Phase::Stop),
    Row::decides("preToolUse"),
    Row::deaf("postToolUse", Phase::PostTool),
    Row::heard("agentSpawn", Phase::SessionStart),
    Row::heard("userPromptSubmit", Phase::Prompt),
    Row::deaf("stop", Phase::Stop),
];

impl Adapter for Kiro {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        Reader { profile: &PROFILE, keys: &Keys::SNAKE, tools: call }.read(payload)
    }

    fn write(&self, said: &Said) -> Reply {
        if said.refuses() && said.row.deny != Deny::Never {
            return exit_two(&said.reason);
        }
        Reply { stdout: said.context.clone(), ..Reply::default() }
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        if verdict == Verdict::Deny { exit_two(text) } else { Reply::default() }
    }
}

fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "execute_bash" | "shell" => tools::shell(input, "command", "cwd")?,
        "fs_write" => fs_write(input)?,
        "str_replace" => tools::edit(input, "path", "old_str", "new_str")?,
        "fs_read" => fs_read(input)?,
        _ => name.strip_prefix('@').map(|rest| tools::mcp(rest, server, "/")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

fn fs_write(input: Fields) -> tools::Found {
    match input.optional("command")? {
        "create" | "" => tools::write(input, "path", "file_text"),
        "append" | "insert" => tools::edit(input, "path", "", "new_str"),
        _ => tools::edit(input, "path", "old_str", "new_str"),
    }
}

fn fs_read(input: Fields) -> tools::Found {
    let paths = input.list("operations")?.iter().filter_map(|operation| operation.text("path"));
    let mut paths: Vec<String> = paths.map(str::to_owned).collect();
    paths.extend(input.key("path")?.map(str::to_owned));
    Ok((!paths.is_empty()).then_some(ToolCall::Read { paths }))
}
