//! What Claude Code sends, as an event in no agent's terms.
//!
//! Unknown events and fields are let be. Where a tool call waits for the answer, a field of the wrong type is a
//! fault, because a guess about it would be a guess about the call; elsewhere it counts as absent.

use tollgate_model::json::{JsonError, Value, parse};
use tollgate_model::{Actor, Agent, Event, Fault, FaultKind, Kind, Phase, ToolUse};

use super::{attended, capability, tools};
use crate::Payload;

/// Understands a payload.
pub(super) fn read(payload: &Payload) -> Result<Event, Fault> {
    let mut top = parse(payload.bytes).map_err(|error| unreadable(&error))?;
    if top.as_map().is_none() {
        return Err(unexpected(&format!("it is {}, not an object", top.type_name())));
    }
    let name = event_name(&top, payload.hint)?;
    let phase = capability(&name).map_or(Phase::Other, |row| row.phase);
    let fields = Fields { map: &top, within: "", strict: phase.is_safety() };
    let event = Event {
        agent: Agent::ClaudeCode,
        session: fields.optional("session_id")?.to_owned(),
        actor: actor(&fields)?,
        cwd: fields.optional("cwd")?.to_owned(),
        project: (payload.env)("CLAUDE_PROJECT_DIR").filter(|path| !path.is_empty()),
        transcript: Some(fields.optional("transcript_path")?.to_owned()).filter(|path| !path.is_empty()),
        permission_mode: fields.optional("permission_mode")?.to_owned(),
        attended: attended(payload),
        name,
        kind: Kind::Other,
    };
    Ok(Event { kind: kind(phase, &mut top)?, ..event })
}

/// What a command came to: Claude Code tells a success with its output, a failure as `Exit code N` before it.
pub(super) fn ended(event: &Event) -> Option<(i32, String)> {
    match &event.kind {
        Kind::PostTool { response, .. } => {
            let stopped = response.get("interrupted").and_then(Value::as_bool).unwrap_or_default();
            if stopped || response.get("backgroundTaskId").is_some() {
                return None;
            }
            let (out, err) = (response.text("stdout")?, response.text("stderr").unwrap_or_default());
            Some((0, format!("{out}\n{err}")))
        }
        Kind::PostToolFail { error, .. } => {
            let (code, output) = error.strip_prefix("Exit code ")?.split_once('\n').unwrap_or((error, ""));
            Some((code.trim().parse().ok()?, output.to_owned()))
        }
        _ => None,
    }
}

fn event_name(top: &Value, hint: Option<&str>) -> Result<String, Fault> {
    let told = Fields { map: top, within: "", strict: true }.key("hook_event_name")?;
    match (told, hint) {
        (Some(told), Some(hint)) if told != hint => Err(unexpected(&format!(
            "it is about `{}`, but the hook was called for `{hint}`",
            told.escape_debug()
        ))),
        (Some(""), _) | (None, None) => Err(unexpected("it names no event")),
        (Some(name), _) | (None, Some(name)) => Ok(name.to_owned()),
    }
}

/// A subagent has an id; a type alone is the main agent under another name.
fn actor(fields: &Fields) -> Result<Actor, Fault> {
    let id = fields.optional("agent_id")?;
    let kind = fields.optional("agent_type")?;
    Ok(if id.is_empty() { Actor::Main } else { Actor::Subagent { id: id.to_owned(), kind: kind.to_owned() } })
}

fn kind(phase: Phase, top: &mut Value) -> Result<Kind, Fault> {
    let text = |key: &str| top.text(key).unwrap_or_default().to_owned();
    let again = top.get("stop_hook_active").and_then(Value::as_bool).unwrap_or_default();
    Ok(match phase {
        Phase::SessionStart => Kind::SessionStart { source: text("source") },
        Phase::SessionEnd => Kind::SessionEnd { reason: text("reason") },
        Phase::Prompt => Kind::Prompt { text: text("prompt") },
        Phase::Expand => {
            Kind::Expand { command: text("command_name"), args: text("command_args"), text: text("prompt") }
        }
        Phase::PreTool => Kind::PreTool(tool_use(top, true)?),
        Phase::Permission => Kind::Permission(tool_use(top, true)?),
        Phase::PermissionDenied => {
            let reason = text("reason");
            Kind::PermissionDenied { tool: tool_use(top, false)?, reason }
        }
        Phase::PostTool => {
            let tool = tool_use(top, false)?;
            Kind::PostTool { tool, response: take(top, "tool_response").unwrap_or_default() }
        }
        Phase::PostToolFail => {
            let error = text("error");
            Kind::PostToolFail { tool: tool_use(top, false)?, error }
        }
        Phase::PostBatch => Kind::PostBatch(batch(top)?),
        Phase::Notification => {
            Kind::Notification { topic: text("notification_type"), message: text("message") }
        }
        Phase::Stop => Kind::Stop { again, message: text("last_assistant_message") },
        Phase::StopError => Kind::StopError { error: text("error") },
        Phase::SubagentStart => Kind::SubagentStart,
        Phase::SubagentStop => Kind::SubagentStop { again, message: text("last_assistant_message") },
        Phase::PreCompact => Kind::PreCompact { trigger: text("trigger") },
        Phase::PostCompact => Kind::PostCompact { trigger: text("trigger") },
        Phase::ConfigChange => {
            Kind::ConfigChange { source: text("source"), path: top.text("file_path").map(str::to_owned) }
        }
        Phase::Other => Kind::Other,
    })
}

fn batch(top: &mut Value) -> Result<Vec<ToolUse>, Fault> {
    match take(top, "tool_calls") {
        Some(Value::List(calls)) => calls.into_iter().map(|mut call| tool_use(&mut call, false)).collect(),
        Some(other) => Err(unexpected(&format!("`tool_calls` is {}, not a list", other.type_name()))),
        None => Ok(Vec::new()),
    }
}

fn tool_use(top: &mut Value, strict: bool) -> Result<ToolUse, Fault> {
    let fields = Fields { map: top, within: "", strict };
    let name =
        Fields { strict: true, ..fields }.key("tool_name")?.ok_or_else(|| unexpected("it names no tool"))?;
    let name = name.to_owned();
    let id = fields.optional("tool_use_id")?.to_owned();
    let server = top.get("mcp_server").and_then(|server| server.text("name")).map(str::to_owned);
    let input = take(top, "tool_input").unwrap_or(Value::Map(Vec::new()));
    if strict && input.as_map().is_none() {
        return Err(unexpected(&format!("`tool_input` is {}, not an object", input.type_name())));
    }
    let fields = Fields { map: &input, within: "tool_input.", strict };
    Ok(ToolUse { call: tools::call(&name, server.as_deref(), fields)?, id, name, input })
}

/// Takes a member out of an object, so that a large one need not be copied.
fn take(map: &mut Value, key: &str) -> Option<Value> {
    match map {
        Value::Map(members) => {
            members.iter_mut().find(|(name, _)| name == key).map(|(_, value)| std::mem::take(value))
        }
        _ => None,
    }
}

/// An object whose members should have certain types.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    /// The object.
    pub(super) map: &'a Value,
    /// What stands before a member's name in messages.
    pub(super) within: &'static str,
    /// A wrong type is a fault; otherwise it counts as absent.
    pub(super) strict: bool,
}

impl<'a> Fields<'a> {
    /// A text that the meaning of the whole hangs on: even `null` is of the wrong type.
    pub(super) fn key(&self, name: &str) -> Result<Option<&'a str>, Fault> {
        match self.map.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => self.wrong(name, other, "a string").map(|()| None),
        }
    }

    /// A text that may be left out.
    pub(super) fn optional(&self, name: &str) -> Result<&'a str, Fault> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(other) => self.wrong(name, other, "a string").map(|()| ""),
        }
    }

    /// A list that the meaning of the whole hangs on.
    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], Fault> {
        match self.map.get(name) {
            None => Ok(&[]),
            Some(Value::List(elements)) => Ok(elements),
            Some(other) => self.wrong(name, other, "a list").map(|()| [].as_slice()),
        }
    }

    /// A member that is an object itself.
    pub(super) fn object(&self, name: &str, within: &'static str) -> Result<Option<Fields<'a>>, Fault> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(map @ Value::Map(_)) => Ok(Some(Fields { map, within, strict: self.strict })),
            Some(other) => self.wrong(name, other, "an object").map(|()| None),
        }
    }

    /// A switch. Anything that is not clearly off is on.
    pub(super) fn switch(&self, name: &str) -> bool {
        !matches!(self.map.get(name), None | Some(Value::Null | Value::Bool(false)))
    }

    fn wrong(&self, name: &str, value: &Value, wanted: &str) -> Result<(), Fault> {
        if !self.strict {
            return Ok(());
        }
        Err(unexpected(&format!("`{}{name}` is {}, not {wanted}", self.within, value.type_name())))
    }
}

/// The payload is JSON, but not what Claude Code sends.
pub(super) fn unexpected(what: &str) -> Fault {
    Fault::new(FaultKind::Payload, format!("the payload is not what Claude Code sends: {what}"))
}

fn unreadable(error: &JsonError) -> Fault {
    let kind = match error {
        JsonError::Empty | JsonError::Truncated => FaultKind::Input,
        _ => FaultKind::Payload,
    };
    Fault::new(kind, format!("the payload cannot be read: {error}"))
}
