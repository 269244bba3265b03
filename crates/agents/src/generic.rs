//! Our own protocol, for any host: one JSON object in, one out. `docs/agents/generic.md` is its reference.
//!
//! Amp (unverified) speaks it too, through the plug-in that `init` writes.

use tollgate_model::json::{Value, object};
use tollgate_model::{
    Actor, Agent, Attended, Event, Fault, Kind, Phase, Reply, SearchScope, ToolCall, ToolUse, Verdict,
};

use crate::capability::{Allow, Ask, Context, Deny, EventCapability as Row, Halt, Message, Rewrite};
use crate::fields::{Fields, take, unexpected};
use crate::read;
use crate::say::{Act, Answer};
use crate::{Adapter, Payload, Profile, Proof, Said, tools};

/// A host that speaks our own protocol.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    profile: &'static Profile,
    calls: Tools,
}

/// The adapter of any host.
pub static GENERIC: Host =
    Host { profile: &Profile::new(Agent::Generic, "generic", "1", Proof::Own, TABLE), calls: kind_of };

/// The adapter of Amp.
pub static AMP: Host =
    Host { profile: &Profile::unverified(Agent::Amp, "Amp", "0.0.1790712063", AMP_TABLE), calls: amp_call };

const fn told(name: &'static str, phase: Phase) -> Row {
    Row { context: Context::Added, message: Message::Shown, ..Row::deaf(name, phase) }
}

/// The host says what it can do by what it does with the answer; the protocol can say everything.
static TABLE: &[Row] = &[
    Row {
        deny: Deny::Decision,
        ask: Ask::Decision,
        halt: Halt::BesideDeny,
        rewrite: Rewrite::UnlessDenied,
        allow: Allow::SkipsPrompt,
        ..told("pre-tool", Phase::PreTool)
    },
    Row {
        deny: Deny::Behaviour,
        ask: Ask::Silence,
        halt: Halt::Interrupt,
        allow: Allow::SkipsPrompt,
        ..told("permission", Phase::Permission)
    },
    Row { deny: Deny::Feedback, halt: Halt::BesideDeny, ..told("post-tool", Phase::PostTool) },
    Row { deny: Deny::Feedback, ..told("post-tool-fail", Phase::PostToolFail) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..told("prompt", Phase::Prompt) },
    told("session-start", Phase::SessionStart),
    Row::deaf("session-end", Phase::SessionEnd),
    Row { deny: Deny::Block, halt: Halt::Alone, ..told("stop", Phase::Stop) },
    Row { deny: Deny::Block, halt: Halt::Alone, ..told("subagent-stop", Phase::SubagentStop) },
    told("subagent-start", Phase::SubagentStart),
    told("pre-compact", Phase::PreCompact),
    told("post-compact", Phase::PostCompact),
    Row::deaf("stop-error", Phase::StopError),
    Row::deaf("notification", Phase::Notification),
];

/// The plug-in can refuse a call and change its input.
static AMP_TABLE: &[Row] = &[
    Row {
        deny: Deny::Decision,
        rewrite: Rewrite::UnlessDenied,
        message: Message::WithReason,
        ..Row::deaf("pre-tool", Phase::PreTool)
    },
    Row::deaf("post-tool", Phase::PostTool),
    Row::deaf("session-start", Phase::SessionStart),
    Row::deaf("stop", Phase::Stop),
];

impl Adapter for Host {
    fn profile(&self) -> &'static Profile {
        self.profile
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        understand(self.profile, payload, self.calls)
    }

    fn event_key(&self) -> &'static str {
        "event"
    }

    /// Always one object with a verdict.
    fn write(&self, said: &Said) -> Reply {
        let verdict = match (said.act, said.row.deny) {
            (Act::Pass, _) if said.approve => "approve",
            (Act::Pass, _) | (Act::Deny, Deny::Never) => "allow",
            (Act::Ask, _) => "ask",
            (Act::Deny, _) => "deny",
            (Act::Halt, _) => "halt",
        };
        let mut answer = Answer::default();
        answer.top("verdict", verdict);
        answer.text("reason", &said.reason);
        answer.text("context", &said.context);
        answer.text("message", &said.message);
        if let Some(input) = said.rewrite {
            answer.top("input", input.clone());
        }
        answer.reply(said.row.name)
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        let answer = object([("verdict", verdict.name().into()), ("reason", text.into())]);
        Reply { stdout: crate::say::json(&answer), ..Reply::default() }
    }
}

/// What a call is to do, by the tool's name, its kind and its input.
type Tools = fn(&str, &str, Fields) -> tools::Found;

fn understand(profile: &'static Profile, payload: &Payload, calls: Tools) -> Result<Event, Fault> {
    let mut top = read::object(payload.bytes, profile.title)?;
    let fields = Fields { map: &top, within: "", strict: true, sender: profile.title };
    let name = match (fields.key("event")?, payload.hint) {
        (Some(told), Some(hint)) if told != hint => {
            return Err(fields.unexpected("it is about another event than the hook was called for"));
        }
        (Some(name), _) | (None, Some(name)) => name.to_owned(),
        (None, None) => return Err(fields.unexpected("it names no event")),
    };
    let phase = profile.row(&name).map(|row| row.phase);
    let phase = phase.ok_or_else(|| fields.unexpected(&format!("there is no event `{name}`")))?;
    let text = |key: &str| fields.optional(key).map(str::to_owned);
    let event = Event {
        agent: profile.agent,
        session: text("session")?,
        actor: actor(fields)?,
        cwd: text("cwd")?,
        project: Some(text("project")?).filter(|project| !project.is_empty()),
        transcript: Some(text("transcript")?).filter(|transcript| !transcript.is_empty()),
        permission_mode: text("permission_mode")?,
        trace: tollgate_model::Trace {
            version: read::version(&text("version")?),
            ..tollgate_model::Trace::default()
        },
        attended: match top.get("attended").and_then(Value::as_bool) {
            Some(true) => Attended::Yes,
            Some(false) => Attended::No,
            None => Attended::Unknown,
        },
        name,
        kind: Kind::Other,
    };
    Ok(Event { kind: kind(profile, phase, &mut top, calls)?, ..event })
}

fn actor(fields: Fields) -> Result<Actor, Fault> {
    let Some(subagent) = fields.object("subagent", "subagent.")? else { return Ok(Actor::Main) };
    let id = subagent.optional("id")?.to_owned();
    Ok(Actor::Subagent { id, kind: subagent.optional("type")?.to_owned() })
}

fn kind(profile: &Profile, phase: Phase, top: &mut Value, calls: Tools) -> Result<Kind, Fault> {
    let text = |key: &str| top.text(key).unwrap_or_default().to_owned();
    let again = top.get("again").and_then(Value::as_bool);
    let (message, error) = (text("message"), text("error"));
    Ok(match phase {
        Phase::PreTool => Kind::PreTool(tool_use(profile, top, calls)?),
        Phase::Permission => Kind::Permission(tool_use(profile, top, calls)?),
        Phase::PostTool => {
            let response = take(top, "response").unwrap_or_default();
            Kind::PostTool { tool: tool_use(profile, top, calls)?, response }
        }
        Phase::PostToolFail => Kind::PostToolFail { tool: tool_use(profile, top, calls)?, error },
        Phase::Prompt => Kind::Prompt { text: text("prompt") },
        Phase::SessionStart => Kind::SessionStart { source: text("source") },
        Phase::SessionEnd => Kind::SessionEnd { reason: text("reason") },
        Phase::Stop => Kind::Stop { again, message },
        Phase::SubagentStop => Kind::SubagentStop { again, message },
        Phase::SubagentStart => Kind::SubagentStart,
        Phase::PreCompact => Kind::PreCompact { trigger: text("trigger") },
        Phase::PostCompact => Kind::PostCompact { trigger: text("trigger") },
        Phase::StopError => Kind::StopError { error },
        Phase::Notification => Kind::Notification { topic: text("topic"), message },
        _ => Kind::Other,
    })
}

fn tool_use(profile: &Profile, top: &mut Value, calls: Tools) -> Result<ToolUse, Fault> {
    let mut tool = take(top, "tool").unwrap_or_default();
    if tool.as_map().is_none() {
        return Err(unexpected(profile.title, &format!("`tool` is {}, not an object", tool.type_name())));
    }
    let fields = Fields { map: &tool, within: "tool.", strict: true, sender: profile.title };
    let name = fields.key("name")?.ok_or_else(|| fields.unexpected("it names no tool"))?.to_owned();
    let (id, kind) = (fields.optional("id")?.to_owned(), fields.optional("kind")?.to_owned());
    let input = take(&mut tool, "input").unwrap_or(Value::Map(Vec::new()));
    if input.as_map().is_none() {
        let what = format!("`tool.input` is {}, not an object", input.type_name());
        return Err(unexpected(profile.title, &what));
    }
    let fields = Fields { map: &input, within: "tool.input.", strict: true, sender: profile.title };
    let call = calls(&name, &kind, fields)?.unwrap_or(ToolCall::Other);
    Ok(ToolUse { id, name, call, input })
}

/// The kinds of tools that a host can name. Without one the call is judged by the shape of its input.
fn kind_of(_name: &str, kind: &str, input: Fields) -> tools::Found {
    match kind {
        "shell" => tools::shell(input, "command", "cwd"),
        "powershell" => tools::powershell(input, "command"),
        "read" => {
            let mut paths = input.texts("paths")?;
            paths.extend(input.key("path")?.map(str::to_owned));
            Ok((!paths.is_empty()).then_some(ToolCall::Read { paths }))
        }
        "write" => tools::write(input, "path", "content"),
        "edit" => tools::edits(input, "path", "edits", ["old", "new"]),
        "delete" => tools::delete(input, "path"),
        "patch" => tools::patch(input, &["patch"]),
        "search" => tools::search(input, "path", "glob", SearchScope::Contents),
        "find" => tools::search(input, "path", "glob", SearchScope::Names),
        "fetch" => tools::fetch(input, "url"),
        "web-search" => tools::web_search(input, "query"),
        "spawn" => tools::spawn(input, "agent", "prompt"),
        "command" => tools::command(input, "name", "args"),
        "mcp" | "other" | "" => Ok(None),
        other => Err(input.unexpected(&format!("there is no kind of tool `{other}`"))),
    }
}

fn amp_call(name: &str, _kind: &str, input: Fields) -> tools::Found {
    match name {
        "Bash" => tools::either(tools::shell(input, "cmd", "cwd")?, || tools::shell(input, "command", "cwd")),
        "shell_command" => tools::shell(input, "command", "workdir"),
        "create_file" => tools::write(input, "path", "content"),
        "edit_file" => tools::edit(input, "path", "old_str", "new_str"),
        "apply_patch" => tools::patch(input, &["patchText", "patch", "input"]),
        "Read" => tools::read(input, "path"),
        "Grep" => tools::search(input, "path", "glob", SearchScope::Contents),
        "glob" => tools::search(input, "path", "", SearchScope::Names),
        "read_web_page" => tools::fetch(input, "url"),
        "web_search" => tools::web_search(input, "query"),
        "Task" => tools::spawn(input, "", "prompt"),
        _ => Ok(name.strip_prefix("mcp__").map(|rest| tools::mcp(rest, None, "__"))),
    }
}
