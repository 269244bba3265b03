//! Codex CLI 0.166.0. Its wire format looks like Claude Code's and is stricter: an answer with one member too many,
//! a bare `allow`, an `ask` or a refusal without a reason counts as no answer, and the call runs.

use tollgate_model::json::Value;
use tollgate_model::{Agent, Event, Fault, Phase, Reply, ToolCall, Verdict};

use crate::capability::{Allow, Context, Deny, EventCapability as Row, Halt, Message, Rewrite};
use crate::fields::Fields;
use crate::read::{Keys, Reader};
use crate::say::{Act, Answer};
use crate::{Adapter, Payload, Profile, Said, tools};

/// The adapter of Codex.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

static PROFILE: Profile =
    Profile { also: &["0.165.0"], ..Profile::proven(Agent::Codex, "Codex", "0.166.0", TABLE) };

/// There is no `ask` anywhere. A permission request is silent about one: Codex is about to ask a person itself.
static TABLE: &[Row] = &[
    Row { deny: Deny::Decision, rewrite: Rewrite::UnlessDenied, ..Row::open("PreToolUse", Phase::PreTool) },
    Row {
        deny: Deny::Behaviour,
        ask: crate::capability::Ask::Silence,
        allow: Allow::SkipsPrompt,
        context: Context::None,
        ..Row::open("PermissionRequest", Phase::Permission)
    },
    Row { deny: Deny::Feedback, halt: Halt::BesideDeny, ..Row::open("PostToolUse", Phase::PostTool) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("UserPromptSubmit", Phase::Prompt) },
    Row::open("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    Row { halt: Halt::Alone, ..Row::blockable("Stop", Phase::Stop) },
    Row { halt: Halt::Alone, ..Row::blockable("SubagentStop", Phase::SubagentStop) },
    Row::open("SubagentStart", Phase::SubagentStart),
    Row { message: Message::Shown, ..Row::deaf("PreCompact", Phase::PreCompact) },
    Row { message: Message::Shown, ..Row::deaf("PostCompact", Phase::PostCompact) },
    Row { message: Message::Shown, ..Row::deaf("Interrupt", Phase::StopError) },
    Row::deaf("PreModelRequest", Phase::Other),
    Row::deaf("PostModelRequest", Phase::Other),
];

const KEYS: Keys = Keys { text_input: true, ..Keys::SNAKE };

impl Adapter for Codex {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        Reader { profile: &PROFILE, keys: &KEYS, tools: call }.read(payload)
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        match said.act {
            Act::Pass | Act::Ask => say_pass(said, &mut answer),
            Act::Deny | Act::Halt => say_refusal(said, &mut answer),
        }
        answer.specific_text("additionalContext", &said.context);
        answer.text("systemMessage", &said.message);
        answer.reply(said.row.name)
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        crate::blind_claude_like(verdict, text)
    }
}

/// `allow` is heard only beside a new input, and grants nothing there: the permission request still comes.
fn say_pass(said: &Said, answer: &mut Answer) {
    if said.approve {
        answer.specific("decision", behaviour("allow", None));
    }
    if let Some(input) = said.rewrite {
        answer.specific("permissionDecision", "allow");
        answer.specific("updatedInput", input.clone());
    }
}

fn say_refusal(said: &Said, answer: &mut Answer) {
    let reason = said.reason.as_str();
    if said.act == Act::Halt && matches!(said.row.halt, Halt::BesideDeny | Halt::Alone) {
        answer.top("continue", false);
        answer.top("stopReason", reason);
    }
    match said.row.deny {
        _ if said.act == Act::Halt && said.row.halt == Halt::Alone => {}
        Deny::Decision => {
            answer.specific("permissionDecision", "deny");
            answer.specific("permissionDecisionReason", reason);
        }
        Deny::Behaviour => answer.specific("decision", behaviour("deny", Some(reason))),
        Deny::Block | Deny::Feedback | Deny::EndsTurn => {
            answer.top("decision", "block");
            answer.top("reason", reason);
        }
        Deny::Never => {}
    }
}

fn behaviour(word: &str, message: Option<&str>) -> Value {
    let mut members = vec![("behavior".to_owned(), word.into())];
    members.extend(message.map(|message| ("message".to_owned(), message.into())));
    Value::Map(members)
}

/// Reading and searching are done by `Bash`. Code mode shows each call inside its script under these same names.
fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "Bash" => tools::shell(input, "command", "workdir")?,
        "apply_patch" => tools::patch(input, &["command", "input", "patch"])?,
        "view_image" => tools::read(input, "path")?,
        _ if is_spawn(name) => tools::spawn(input, "agent_type", "message")?,
        _ => name.strip_prefix("mcp__").map(|rest| tools::mcp(rest, server, "__")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

/// A tool's namespace is glued to its name: `collaborationspawn_agent`.
fn is_spawn(name: &str) -> bool {
    name.ends_with("spawn_agent")
}
