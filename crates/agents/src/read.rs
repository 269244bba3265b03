//! What an agent sends, as an event in no agent's terms. The agents' payloads are alike but for names, so one
//! reader with a list of names does for most of them.
//!
//! Unknown events and fields are let be. Where a tool call waits for the answer, a field of the wrong type is a
//! fault, because a guess about it would be a guess about the call; elsewhere it counts as absent.

use tollgate_model::json::{Value, parse};
use tollgate_model::{Actor, Attended, Event, Fault, Kind, Phase, ToolCall, ToolUse, Trace};

use crate::fields::{Fields, take, unexpected, unreadable};
use crate::{Payload, Profile};

/// How one agent's payloads are read.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    pub(crate) profile: &'static Profile,
    pub(crate) keys: &'static Keys,
    pub(crate) tools: Tools,
}

/// What a call of a tool is to do, by its name, its MCP server if the payload names one, and its input.
pub(crate) type Tools = fn(&str, Option<&str>, Fields) -> Result<ToolCall, Fault>;

/// The names of the members of an agent's payloads.
pub(crate) struct Keys {
    /// The event's name; empty where only the command line has it.
    pub(crate) event: &'static str,
    pub(crate) session: &'static str,
    pub(crate) cwd: &'static str,
    pub(crate) transcript: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) actor: &'static str,
    pub(crate) actor_kind: &'static str,
    pub(crate) tool: &'static str,
    /// The first one that is there counts.
    pub(crate) input: &'static [&'static str],
    pub(crate) call: &'static str,
    pub(crate) response: &'static str,
    pub(crate) error: &'static str,
    pub(crate) message: &'static str,
    /// The input may be a text: a tool of free form, or JSON in a string.
    pub(crate) text_input: bool,
    /// A tool that failed is told by an `error` in its response.
    pub(crate) error_in_response: bool,
}

impl Keys {
    /// The names that Claude Code uses and that most others have taken over.
    pub(crate) const SNAKE: Self = Self {
        event: "hook_event_name",
        session: "session_id",
        cwd: "cwd",
        transcript: "transcript_path",
        mode: "permission_mode",
        actor: "agent_id",
        actor_kind: "agent_type",
        tool: "tool_name",
        input: &["tool_input"],
        call: "tool_use_id",
        response: "tool_response",
        error: "error",
        message: "last_assistant_message",
        text_input: false,
        error_in_response: false,
    };
}

impl Reader {
    /// Understands a payload.
    pub(crate) fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let mut event = self.read_value(object(payload.bytes, self.profile.title)?, payload.hint)?;
        self.tell_version(&mut event, payload);
        Ok(event)
    }

    /// Takes the agent's version from its environment, where it stands there.
    pub(crate) fn tell_version(&self, event: &mut Event, payload: &Payload) {
        if !self.profile.version_in.is_empty() {
            event.trace.version = version(&(payload.env)(self.profile.version_in).unwrap_or_default());
        }
    }

    /// The same, of JSON that was parsed already.
    pub(crate) fn read_value(&self, mut top: Value, hint: Option<&str>) -> Result<Event, Fault> {
        let keys = self.keys;
        let name = self.event_name(&top, hint)?;
        let phase = self.profile.row(&name).map_or(Phase::Other, |row| row.phase);
        let fields = self.fields(&top, phase.is_safety());
        let event = Event {
            agent: self.profile.agent,
            session: fields.optional(keys.session)?.to_owned(),
            actor: self.actor(&fields)?,
            cwd: fields.optional(keys.cwd)?.to_owned(),
            project: None,
            transcript: Some(fields.optional(keys.transcript)?.to_owned()).filter(|path| !path.is_empty()),
            permission_mode: fields.optional(keys.mode)?.to_owned(),
            attended: Attended::Unknown,
            trace: trace(&top),
            name,
            kind: Kind::Other,
        };
        Ok(Event { kind: self.kind(phase, &mut top)?, ..event })
    }

    fn fields<'a>(&self, map: &'a Value, strict: bool) -> Fields<'a> {
        Fields { map, within: "", strict, sender: self.profile.title }
    }

    fn event_name(&self, top: &Value, hint: Option<&str>) -> Result<String, Fault> {
        let fields = self.fields(top, true);
        let told = if self.keys.event.is_empty() { None } else { fields.key(self.keys.event)? };
        match (told, hint) {
            (Some(told), Some(hint)) if told != hint => Err(fields.unexpected(&format!(
                "it is about `{}`, but the hook was called for `{hint}`",
                told.escape_debug()
            ))),
            (Some(""), _) | (None, None) => Err(fields.unexpected("it names no event")),
            (Some(name), _) | (None, Some(name)) => Ok(name.to_owned()),
        }
    }

    /// A subagent has an id; a type alone is the main agent under another name.
    fn actor(&self, fields: &Fields) -> Result<Actor, Fault> {
        let id = fields.optional(self.keys.actor)?.to_owned();
        let kind = fields.optional(self.keys.actor_kind)?.to_owned();
        Ok(if id.is_empty() { Actor::Main } else { Actor::Subagent { id, kind } })
    }

    fn kind(&self, phase: Phase, top: &mut Value) -> Result<Kind, Fault> {
        let keys = self.keys;
        let text = |key: &str| top.text(key).unwrap_or_default().to_owned();
        let again = again(top);
        Ok(match phase {
            Phase::SessionStart => Kind::SessionStart { source: text("source") },
            Phase::SessionEnd => Kind::SessionEnd { reason: text("reason") },
            Phase::Prompt => Kind::Prompt { text: text("prompt") },
            Phase::Expand => Kind::Expand {
                command: text("command_name"),
                args: text("command_args"),
                text: text("prompt"),
            },
            Phase::PreTool => Kind::PreTool(self.tool_use(top, true)?),
            Phase::Permission => Kind::Permission(self.tool_use(top, true)?),
            Phase::PermissionDenied => {
                let reason = text("reason");
                Kind::PermissionDenied { tool: self.tool_use(top, false)?, reason }
            }
            Phase::PostTool => self.after_tool(top)?,
            Phase::PostToolFail => {
                let error = text(keys.error);
                Kind::PostToolFail { tool: self.tool_use(top, false)?, error }
            }
            Phase::PostBatch => Kind::PostBatch(self.batch(top)?),
            Phase::Notification => {
                Kind::Notification { topic: text("notification_type"), message: text("message") }
            }
            Phase::Stop => Kind::Stop { again, message: text(keys.message) },
            Phase::StopError => Kind::StopError { error: text(keys.error) },
            Phase::SubagentStart => Kind::SubagentStart,
            Phase::SubagentStop => Kind::SubagentStop { again, message: text(keys.message) },
            Phase::PreCompact => Kind::PreCompact { trigger: text("trigger") },
            Phase::PostCompact => Kind::PostCompact { trigger: text("trigger") },
            Phase::ConfigChange => {
                Kind::ConfigChange { source: text("source"), path: top.text("file_path").map(str::to_owned) }
            }
            Phase::Other => Kind::Other,
        })
    }

    fn after_tool(&self, top: &mut Value) -> Result<Kind, Fault> {
        let tool = self.tool_use(top, false)?;
        let response = take(top, self.keys.response).unwrap_or_default();
        let error = response.get("error").filter(|_| self.keys.error_in_response);
        let error = error.and_then(|error| error.as_str().or_else(|| error.text("message")));
        Ok(match error.map(str::to_owned) {
            Some(error) => Kind::PostToolFail { tool, error },
            None => Kind::PostTool { tool, response },
        })
    }

    fn batch(&self, top: &mut Value) -> Result<Vec<ToolUse>, Fault> {
        match take(top, "tool_calls") {
            Some(Value::List(calls)) => {
                calls.into_iter().map(|mut call| self.tool_use(&mut call, false)).collect()
            }
            Some(other) => Err(unexpected(
                self.profile.title,
                &format!("`tool_calls` is {}, not a list", other.type_name()),
            )),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn tool_use(&self, top: &mut Value, strict: bool) -> Result<ToolUse, Fault> {
        let fields = self.fields(top, strict);
        let name = Fields { strict: true, ..fields }.key(self.keys.tool)?;
        let name = name.ok_or_else(|| fields.unexpected("it names no tool"))?.to_owned();
        let id = fields.optional(self.keys.call)?.to_owned();
        let server = server(top);
        let key = self.keys.input.iter().find(|key| top.get(key).is_some()).copied().unwrap_or_default();
        let input = take(top, key).unwrap_or(Value::Map(Vec::new()));
        if strict && input.as_map().is_none() && !(self.keys.text_input && input.as_str().is_some()) {
            let what = format!("`{key}` is {}, not an object", input.type_name());
            return Err(unexpected(self.profile.title, &what));
        }
        let fields = Fields { map: &input, within: "tool_input.", strict, sender: self.profile.title };
        Ok(ToolUse { call: (self.tools)(&name, server.as_deref(), fields)?, id, name, input })
    }
}

/// A payload, which is an object or nothing that any agent sends.
pub(crate) fn object(bytes: &[u8], sender: &str) -> Result<Value, Fault> {
    let top = parse(bytes).map_err(|error| unreadable(&error))?;
    if top.as_map().is_none() {
        return Err(unexpected(sender, &format!("it is {}, not an object", top.type_name())));
    }
    Ok(top)
}

/// The first text of a list; empty when there is none.
pub(crate) fn first_text(top: &Value, key: &str) -> String {
    let first = top.get(key).and_then(Value::as_list).and_then(<[_]>::first);
    first.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The MCP server, where the payload names it beside the tool.
fn server(top: &Value) -> Option<String> {
    let claude = top.get("mcp_server").and_then(|server| server.text("name"));
    let gemini = || top.get("mcp_context").and_then(|context| context.text("server_name"));
    claude.or_else(gemini).or_else(|| top.text("mcp_server_name")).map(str::to_owned)
}

/// A version as the agent tells it, and no more than one.
pub(crate) fn version(told: &str) -> String {
    told.chars().take(40).collect()
}

/// Does the agent go on because a hook refused its stop? Most say so; Cursor counts how often that was.
fn again(top: &Value) -> Option<bool> {
    let said = top.get("stop_hook_active").and_then(Value::as_bool);
    said.or_else(|| match top.get("loop_count") {
        Some(Value::Number(text)) => text.parse::<u64>().ok().map(|count| count > 0),
        _ => None,
    })
}

/// For the record only, so that nothing in it can be a fault.
fn trace(top: &Value) -> Trace {
    let took_ms = match top.get("duration_ms") {
        Some(Value::Number(text)) => text.parse().ok(),
        _ => None,
    };
    let text = |key: &str| top.text(key).unwrap_or_default().to_owned();
    Trace { prompt: text("prompt_id"), took_ms, version: version(&text("cursor_version")) }
}
