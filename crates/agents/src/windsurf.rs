//! Windsurf's Cascade. **Unverified**: written from copies of its documentation, never run against it.
//!
//! Exit 2 before an action, with the reason on standard error, is all that it hears.

use tollgate_model::json::{Value, object};
use tollgate_model::{Agent, Event, Fault, Kind, Phase, Reply, ToolCall, ToolUse, Verdict};

use crate::capability::{Deny, EventCapability as Row, Message};
use crate::fields::{Fields, unexpected};
use crate::read;
use crate::say::exit_two;
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Windsurf.
#[derive(Clone, Copy, Debug)]
pub struct Windsurf;

static PROFILE: Profile = Profile::unverified(Agent::Windsurf, "Windsurf", "", TABLE);

static TABLE: &[Row] = &[
    Row::decides("pre_run_command"),
    Row::decides("pre_write_code"),
    Row::decides("pre_read_code"),
    Row::decides("pre_mcp_tool_use"),
    Row { deny: Deny::Block, message: Message::WithReason, ..Row::deaf("pre_user_prompt", Phase::Prompt) },
    Row::deaf("post_run_command", Phase::PostTool),
    Row::deaf("post_write_code", Phase::PostTool),
    Row::deaf("post_read_code", Phase::PostTool),
    Row::deaf("post_mcp_tool_use", Phase::PostTool),
    Row::deaf("post_cascade_response", Phase::Other),
];

impl Adapter for Windsurf {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let top = read::object(payload.bytes, PROFILE.title)?;
        let told = top.text(self.event_key());
        let name = told.or(payload.hint).unwrap_or_default().to_owned();
        if name.is_empty() || payload.hint.is_some_and(|hint| hint != name) {
            return Err(unexpected(PROFILE.title, "it is about another event than the hook was called for"));
        }
        let phase = PROFILE.row(&name).map_or(Phase::Other, |row| row.phase);
        let info = top.get("tool_info").cloned().unwrap_or_default();
        let fields =
            Fields { map: &info, within: "tool_info.", strict: phase.is_safety(), sender: PROFILE.title };
        let kind = match phase {
            Phase::PreTool => Kind::PreTool(tool(&name, fields)?),
            Phase::PostTool => Kind::PostTool { tool: tool(&name, fields)?, response: Value::Null },
            Phase::Prompt => Kind::Prompt { text: fields.optional("user_prompt")?.to_owned() },
            _ => Kind::Other,
        };
        Ok(Event {
            agent: Agent::Windsurf,
            session: top.text("trajectory_id").unwrap_or_default().to_owned(),
            actor: tollgate_model::Actor::Main,
            cwd: fields.optional("cwd")?.to_owned(),
            project: None,
            transcript: None,
            permission_mode: String::new(),
            attended: tollgate_model::Attended::Unknown,
            trace: tollgate_model::Trace::default(),
            name,
            kind,
        })
    }

    fn event_key(&self) -> &'static str {
        "agent_action_name"
    }

    fn write(&self, said: &Said) -> Reply {
        let heard = said.refuses() && said.row.deny != Deny::Never;
        if heard { exit_two(&said.reason) } else { Reply::default() }
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        if verdict == Verdict::Deny { exit_two(text) } else { Reply::default() }
    }
}

/// The event itself says which kind of tool it is.
fn tool(event: &str, info: Fields) -> Result<ToolUse, Fault> {
    let name = event.split_once('_').map_or(event, |(_, name)| name);
    let call = match name {
        "run_command" => tools::shell(info, "command_line", "cwd")?,
        "read_code" => tools::read(info, "file_path")?,
        "write_code" => tools::edits(info, "file_path", "edits", ["old_string", "new_string"])?,
        _ => {
            let server = info.optional("mcp_server_name")?.to_owned();
            Some(ToolCall::Mcp { server, tool: info.optional("mcp_tool_name")?.to_owned() })
        }
    };
    let arguments = info.map.get("mcp_tool_arguments").filter(|arguments| arguments.as_map().is_some());
    let input = arguments.unwrap_or(info.map).clone();
    let input = if input.as_map().is_some() { input } else { object([]) };
    Ok(ToolUse { id: String::new(), name: name.to_owned(), call: call.unwrap_or(ToolCall::Other), input })
}
