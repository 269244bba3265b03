//! Cursor, as its SDK 1.0.32 has the hook engine. **Unverified**: no payload of the real client is recorded.
//!
//! Silence counts as a failure, so every event that decides is answered. A shell call comes twice, as `preToolUse`,
//! where `ask` has no effect, and as `beforeShellExecution`, where it asks: the first leaves questions to the second.

use tollgate_model::json::{Value, object};
use tollgate_model::{Agent, Event, Fault, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Ask, Context, Deny, EventCapability as Row, Message, Rewrite};
use crate::fields::Fields;
use crate::read::{self, Keys, Reader};
use crate::say::{Act, Answer};
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Cursor.
#[derive(Clone, Copy, Debug)]
pub struct Cursor;

static PROFILE: Profile = Profile::unverified(Agent::Cursor, "Cursor", "SDK 1.0.32", TABLE);

static TABLE: &[Row] = &[
    Row { rewrite: Rewrite::UnlessDenied, context: Context::Added, ..Row::decides("preToolUse") },
    Row { ask: Ask::Decision, ..Row::decides("beforeShellExecution") },
    Row::decides("beforeMCPExecution"),
    Row::decides("beforeReadFile"),
    Row::decides("beforeTabFileRead"),
    Row::heard("postToolUse", Phase::PostTool),
    Row::heard("postToolUseFailure", Phase::PostToolFail),
    Row { deny: Deny::Block, ..Row::heard("beforeSubmitPrompt", Phase::Prompt) },
    Row::heard("sessionStart", Phase::SessionStart),
    Row::deaf("sessionEnd", Phase::SessionEnd),
    Row { deny: Deny::Block, message: Message::WithReason, ..Row::deaf("stop", Phase::Stop) },
    Row { deny: Deny::Block, message: Message::WithReason, ..Row::deaf("subagentStop", Phase::SubagentStop) },
    Row {
        deny: Deny::Block,
        message: Message::WithReason,
        ..Row::deaf("subagentStart", Phase::SubagentStart)
    },
    Row::deaf("preCompact", Phase::PreCompact),
    Row::deaf("afterShellExecution", Phase::Other),
    Row::deaf("afterMCPExecution", Phase::Other),
    Row::deaf("afterFileEdit", Phase::Other),
    Row::deaf("afterTabFileEdit", Phase::Other),
    Row::deaf("afterAgentResponse", Phase::Other),
    Row::deaf("afterAgentThought", Phase::Other),
    Row::deaf("workspaceOpen", Phase::Other),
];

const KEYS: Keys = Keys {
    actor: "subagent_id",
    actor_kind: "subagent_type",
    response: "tool_output",
    error: "error_message",
    text_input: true,
    ..Keys::SNAKE
};

impl Adapter for Cursor {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let mut top = read::object(payload.bytes, PROFILE.title)?;
        if top.text("cwd").is_none_or(str::is_empty) {
            let root = read::first_text(&top, "workspace_roots");
            set(&mut top, "cwd", root.into());
        }
        name_tool(&mut top, payload.hint);
        Reader { profile: &PROFILE, keys: &KEYS, tools: call }.read_value(top, payload.hint)
    }

    /// Of an edit only the path can be changed, and what is typed into a shell not at all.
    fn row(&self, event: &Event) -> Row {
        let row = PROFILE.row(&event.name).copied().unwrap_or(Row::UNKNOWN);
        match event.tool().map(|tool| tool.name.as_str()) {
            Some("Shell") if row.name == "preToolUse" => Row { ask: Ask::Silence, ..row },
            Some("Write" | "WriteShellStdin") => Row { rewrite: Rewrite::None, ..row },
            _ => row,
        }
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        let waits = said.row.deny == Deny::Decision || said.row.phase == Phase::SubagentStart;
        let word = match said.act {
            Act::Pass => "allow",
            Act::Ask => "ask",
            Act::Deny | Act::Halt => "deny",
        };
        match said.row.phase {
            _ if waits => {
                answer.top("permission", word);
                answer.text("user_message", &said.reason);
                answer.text("agent_message", &said.reason);
            }
            Phase::Prompt => {
                answer.top("continue", !said.refuses());
                answer.text("user_message", &said.reason);
            }
            Phase::Stop | Phase::SubagentStop => answer.text("followup_message", &said.reason),
            _ => {}
        }
        if let Some(input) = said.rewrite {
            answer.top("updated_input", input.clone());
        }
        answer.text("additional_context", &said.context);
        let stdout = answer.stdout(said.row.name);
        Reply { stdout: if stdout.is_empty() { "{}".to_owned() } else { stdout }, ..Reply::default() }
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        match verdict {
            Verdict::Deny => crate::say::exit_two(text),
            _ => Reply { stdout: crate::say::json(&object([])), ..Reply::default() },
        }
    }
}

/// Events about one kind of call name no tool, and put its input beside everything else.
fn name_tool(top: &mut Value, hint: Option<&str>) {
    let event = top.text("hook_event_name").or(hint).unwrap_or_default();
    let text = |key: &str| top.text(key).unwrap_or_default().to_owned();
    let (tool, input) = match event {
        "beforeShellExecution" => ("Shell", object([("command", text("command").into())])),
        "beforeReadFile" | "beforeTabFileRead" => ("Read", object([("file_path", text("file_path").into())])),
        _ => return,
    };
    set(top, "tool_name", tool.into());
    set(top, "tool_input", input);
}

fn set(top: &mut Value, key: &str, value: Value) {
    if let Value::Map(members) = top {
        members.retain(|(name, _)| name != key);
        members.push((key.to_owned(), value));
    }
}

fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    if let Some(map) = tools::unwrapped(input.map) {
        return call(name, server, Fields { map: &map, ..input });
    }
    let mcp = |tool: &str| ToolCall::Mcp {
        server: server.unwrap_or_default().to_owned(),
        tool: tool.strip_prefix("MCP:").unwrap_or(tool).to_owned(),
    };
    let call = match name {
        "Shell" => tools::shell(input, "command", "cwd")?,
        "Read" | "ReadLints" => tools::read(input, "file_path")?,
        "Write" => tools::write(input, "file_path", "content")?,
        "Delete" => tools::delete(input, "file_path")?,
        "Grep" => tools::search(input, "file_path", "glob", SearchScope::Contents)?,
        "List" => tools::list(input, "file_path")?,
        "Fetch" => tools::fetch(input, "url")?,
        "Task" => tools::spawn(input, "subagent_type", "prompt")?,
        _ => (server.is_some() || name.starts_with("MCP:")).then(|| mcp(name)),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}
