//! OpenCode 1.18.33, and Kilo Code 7.7.7, which is made from it. Both have no hook programs but plug-ins in their
//! own process: ours (`install/shim`) starts the gate with what it was given and carries out one JSON object.
//!
//! The answer: `{"decision": "deny", "reason"}` throws, `args` replaces the input, `context` is handed to the model,
//! `message` is logged. No answer that can be read is a refusal.

use tollgate_model::json::{Value, object};
use tollgate_model::{Actor, Agent, Event, Fault, Kind, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Deny, EventCapability as Row, Message, Rewrite};
use crate::fields::{Fields, take};
use crate::read::{self, Keys, Reader};
use crate::say::Answer;
use crate::{Adapter, Payload, Profile, Said, ended, tools};

/// An agent that runs our plug-in.
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    profile: &'static Profile,
}

/// The adapter of OpenCode.
pub static OPENCODE: Plugin =
    Plugin { profile: &Profile::proven(Agent::OpenCode, "OpenCode", "1.18.33", TABLE) };

/// The adapter of Kilo Code.
pub static KILO: Plugin = Plugin { profile: &Profile::proven(Agent::Kilo, "Kilo Code", "7.7.7", TABLE) };

/// OpenCode's own rules decide after the gate, so that an approval would grant nothing. Nobody can be asked.
static TABLE: &[Row] = &[
    Row { rewrite: Rewrite::UnlessDenied, ..Row::decides("tool.execute.before") },
    Row { deny: Deny::Feedback, ..Row::heard("tool.execute.after", Phase::PostTool) },
    Row { deny: Deny::Block, message: Message::WithReason, ..Row::deaf("chat.message", Phase::Prompt) },
    Row::heard("event.session.created", Phase::SessionStart),
    Row::deaf("event.session.idle", Phase::Stop),
    Row::deaf("event.session.error", Phase::StopError),
    Row::deaf("event.session.deleted", Phase::SessionEnd),
    Row::deaf("event.session.compacted", Phase::PostCompact),
    Row::deaf("experimental.session.compacting", Phase::PreCompact),
];

const KEYS: Keys = Keys {
    event: "",
    session: "sessionID",
    cwd: "directory",
    tool: "tool",
    input: &["args"],
    call: "callID",
    ..Keys::SNAKE
};

impl Adapter for Plugin {
    fn profile(&self) -> &'static Profile {
        self.profile
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        understand(self.profile, payload)
    }

    fn event_key(&self) -> &'static str {
        ""
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        if said.refuses() && matches!(said.row.deny, Deny::Decision | Deny::Block) {
            answer.top("decision", "deny");
            answer.top("reason", said.reason.as_str());
        } else {
            answer.top("decision", "allow");
        }
        if let Some(input) = said.rewrite {
            answer.top("args", input.clone());
        }
        answer.text("context", &said.feedback());
        answer.reply(said.row.name)
    }

    fn ended(&self, event: &Event) -> Option<(i32, String)> {
        ended::members(event, "exit", "output")
    }

    fn tells_end(&self) -> bool {
        true
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        let decision = if verdict == Verdict::Deny { "deny" } else { "allow" };
        let stdout = crate::say::json(&object([("decision", decision.into()), ("reason", text.into())]));
        Reply { stdout, ..Reply::default() }
    }
}

/// What a plug-in is given comes in two objects, `input` and `output`; a bus event in `properties`.
fn understand(profile: &'static Profile, payload: &Payload) -> Result<Event, Fault> {
    let mut top = read::object(payload.bytes, profile.title)?;
    let mut flat = Vec::new();
    let mut text = None;
    for part in ["input", "output", "properties"] {
        let Some(Value::Map(mut members)) = take(&mut top, part) else { continue };
        keep_exit(&mut members);
        text =
            text.or_else(|| members.iter().find(|(key, _)| key == "parts").map(|(_, parts)| spoken(parts)));
        flat.extend(members.into_iter().map(|(key, value)| match (part, key.as_str()) {
            ("output", "output") => ("tool_response".to_owned(), value),
            _ => (key, value),
        }));
    }
    if let Some(directory) = directory(&top, &flat) {
        flat.push(("directory".to_owned(), directory.into()));
    }
    flat.extend(text.map(|text| ("prompt".to_owned(), text.into())));
    let reader = Reader { profile, keys: &KEYS, tools: call };
    let mut event = reader.read_value(Value::Map(flat), payload.hint)?;
    if let Kind::SessionStart { source } = &mut event.kind {
        "startup".clone_into(source);
    }
    if let Some(parent) = top.text("parentSession").filter(|parent| !parent.is_empty()) {
        let id = std::mem::replace(&mut event.session, parent.to_owned());
        event.actor = Actor::Subagent { id, kind: String::new() };
    }
    Ok(event)
}

/// The text parts of a message.
/// The code with which a command ended goes with what it printed.
fn keep_exit(members: &mut [(String, Value)]) {
    let exit =
        members.iter().find(|(key, _)| key == "metadata").and_then(|(_, data)| data.get("exit")).cloned();
    let output = members.iter_mut().find(|(key, _)| key == "output");
    if let (Some(exit @ Value::Number(_)), Some((_, output))) = (exit, output) {
        *output = object([("output", std::mem::take(output)), ("exit", exit)]);
    }
}

fn spoken(parts: &Value) -> String {
    let parts = parts.as_list().unwrap_or_default().iter();
    parts.filter_map(|part| part.text("text")).collect::<Vec<_>>().join("\n")
}

fn directory(top: &Value, flat: &[(String, Value)]) -> Option<String> {
    let info = || flat.iter().find(|(key, _)| key == "info").and_then(|(_, info)| info.text("directory"));
    top.text("directory").or_else(info).map(str::to_owned)
}

/// MCP tools are `server_tool`, as any other name may be, and are judged by the shape of their input.
fn call(name: &str, _server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "bash" => tools::shell(input, "command", "workdir")?,
        "write" => tools::write(input, "filePath", "content")?,
        "edit" => tools::edit(input, "filePath", "oldString", "newString")?,
        "multiedit" => tools::edits(input, "filePath", "edits", ["oldString", "newString"])?,
        "apply_patch" | "patch" => tools::patch(input, &["patchText", "patch", "input"])?,
        "read" => tools::read(input, "filePath")?,
        "grep" => tools::search(input, "path", "include", SearchScope::Contents)?,
        "glob" => tools::search(input, "path", "", SearchScope::Names)?,
        "list" => tools::list(input, "path")?,
        "webfetch" => tools::fetch(input, "url")?,
        "websearch" => tools::web_search(input, "query")?,
        "task" => tools::spawn(input, "subagent_type", "prompt")?,
        "skill" => tools::command(input, "name", "")?,
        _ => None,
    };
    Ok(call.unwrap_or(ToolCall::Other))
}
