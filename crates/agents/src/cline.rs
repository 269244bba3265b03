//! Cline 3.0.65. **Unverified**: written from its source, tried by hand and not held by tests: an allowed call ran, a
//! refused one did not, and the refusal ended the whole run, so that the model never read why.
//!
//! Exit codes are ignored, and an answer that is no JSON lets the call run, so every answer is an object.

use tollgate_model::json::{Value, object};
use tollgate_model::{Actor, Agent, Attended, Event, Fault, Kind, Phase, Reply, ToolCall, ToolUse, Verdict};

use crate::capability::{Context, Deny, EventCapability as Row, Halt, Rewrite};
use crate::fields::{Fields, unexpected};
use crate::read;
use crate::say::Answer;
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Cline.
#[derive(Clone, Copy, Debug)]
pub struct Cline;

static PROFILE: Profile = Profile::unverified(Agent::Cline, "Cline", "3.0.65", TABLE);

static TABLE: &[Row] = &[
    Row {
        rewrite: Rewrite::UnlessDenied,
        context: Context::Added,
        halt: Halt::IsDeny,
        ..Row::decides("PreToolUse")
    },
    Row { deny: Deny::Feedback, ..Row::heard("PostToolUse", Phase::PostTool) },
    Row::deaf("UserPromptSubmit", Phase::Prompt),
    Row::deaf("TaskStart", Phase::SessionStart),
    Row::deaf("TaskResume", Phase::SessionStart),
    Row::deaf("TaskComplete", Phase::Stop),
    Row::deaf("TaskError", Phase::StopError),
    Row::deaf("TaskCancel", Phase::StopError),
    Row::deaf("SessionShutdown", Phase::SessionEnd),
];

impl Adapter for Cline {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let top = read::object(payload.bytes, PROFILE.title)?;
        // The hook's own file is named after the event; the payload may use the older name of the same event.
        let name = payload.hint.or_else(|| top.text("hookName"));
        let name = name.ok_or_else(|| unexpected(PROFILE.title, "it names no event"))?.to_owned();
        let phase = PROFILE.row(&name).map_or(Phase::Other, |row| row.phase);
        let strict = phase.is_safety();
        let text = |key: &str| top.text(key).unwrap_or_default().to_owned();
        let kind = match phase {
            Phase::PreTool => Kind::PreTool(tool_use(&top, "tool_call", strict)?),
            Phase::PostTool => {
                let tool = tool_use(&top, "tool_result", strict)?;
                let output = top.get("tool_result").and_then(|result| result.get("output"));
                Kind::PostTool { tool, response: output.cloned().unwrap_or_default() }
            }
            Phase::Prompt => {
                let prompt = top.get("userPromptSubmit").and_then(|submit| submit.text("prompt"));
                Kind::Prompt { text: prompt.unwrap_or_default().to_owned() }
            }
            Phase::SessionStart => Kind::SessionStart { source: "startup".to_owned() },
            Phase::SessionEnd => Kind::SessionEnd { reason: String::new() },
            Phase::Stop => Kind::Stop { again: None, message: String::new() },
            Phase::StopError => Kind::StopError { error: String::new() },
            _ => Kind::Other,
        };
        let parent = text("parent_agent_id");
        let actor = Actor::Subagent { id: text("agent_id"), kind: String::new() };
        Ok(Event {
            agent: Agent::Cline,
            session: text("taskId"),
            actor: if parent.is_empty() { Actor::Main } else { actor },
            cwd: read::first_text(&top, "workspaceRoots"),
            project: None,
            transcript: None,
            permission_mode: String::new(),
            attended: Attended::Unknown,
            trace: tollgate_model::Trace {
                version: read::version(&text("clineVersion")),
                ..tollgate_model::Trace::default()
            },
            name,
            kind,
        })
    }

    fn event_key(&self) -> &'static str {
        ""
    }

    fn write(&self, said: &Said) -> Reply {
        let refused = said.refuses() && said.row.deny == Deny::Decision;
        let mut answer = Answer::default();
        answer.top("cancel", refused);
        if refused {
            answer.top("errorMessage", said.reason.as_str());
        }
        if let Some(input) = said.rewrite {
            answer.top("overrideInput", input.clone());
        }
        answer.text("contextModification", &said.feedback());
        answer.reply(said.row.name)
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        let answer = object([("cancel", (verdict == Verdict::Deny).into()), ("errorMessage", text.into())]);
        Reply { stdout: crate::say::json(&answer), ..Reply::default() }
    }
}

fn tool_use(top: &Value, key: &str, strict: bool) -> Result<ToolUse, Fault> {
    let missing = || unexpected(PROFILE.title, &format!("`{key}` is not there"));
    let call = top.get(key).ok_or_else(missing)?;
    let fields = Fields { map: call, within: "tool_call.", strict: true, sender: PROFILE.title };
    let name = fields.key("name")?.ok_or_else(|| fields.unexpected("it names no tool"))?.to_owned();
    let id = fields.optional("id")?.to_owned();
    let input = call.get("input").cloned().unwrap_or_default();
    let fields = Fields { map: &input, within: "tool_call.input.", strict, sender: PROFILE.title };
    Ok(ToolUse { call: call_of(&name, fields)?, id, name, input })
}

/// The runtime takes a tool's input in several shapes, and so must the gate.
fn call_of(name: &str, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "run_commands" => {
            let lines = commands(input.map);
            (!lines.is_empty()).then(|| tools::posix(&lines.join("\n"), None))
        }
        "execute_command" => tools::shell(input, "command", "")?,
        "editor" => tools::edit(input, "path", "old_text", "new_text")?,
        "write_to_file" => tools::write(input, "path", "content")?,
        "replace_in_file" => tools::edit(input, "path", "", "diff")?,
        "apply_patch" => tools::patch(input, &["input", "patch"])?,
        "read_files" | "read_file" => {
            let paths = paths(input.map);
            (!paths.is_empty()).then_some(ToolCall::Read { paths })
        }
        _ => None,
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

/// A text, a list, `{commands}`, `{command, args}` or `{cmd}`.
fn commands(input: &Value) -> Vec<String> {
    match input {
        Value::String(line) => vec![line.clone()],
        Value::List(lines) => lines.iter().flat_map(commands).collect(),
        Value::Map(_) => {
            if let Some(lines) = input.get("commands") {
                return commands(lines);
            }
            let Some(line) = input.text("command").or_else(|| input.text("cmd")) else { return Vec::new() };
            let args = input.get("args").and_then(Value::as_list).unwrap_or_default();
            let words = args.iter().filter_map(Value::as_str).map(quoted);
            vec![std::iter::once(line.to_owned()).chain(words).collect::<Vec<_>>().join(" ")]
        }
        _ => Vec::new(),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `{files: [{path}]}`, `{paths}`, `{file_paths}`, `{path}`, a list or a text.
fn paths(input: &Value) -> Vec<String> {
    match input {
        Value::String(path) => vec![path.clone()],
        Value::List(elements) => elements.iter().flat_map(paths).collect(),
        Value::Map(_) => {
            let keys = ["files", "paths", "file_paths", "path", "file_path"];
            keys.iter().filter_map(|key| input.get(key)).flat_map(paths).collect()
        }
        _ => Vec::new(),
    }
}
