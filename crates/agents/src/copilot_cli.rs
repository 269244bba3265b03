//! GitHub Copilot CLI 1.0.102, and the form in which VS Code's agent sends the same hooks.
//!
//! The CLI's own payloads do not name their event, so the installed command does. VS Code's (unverified) and those of
//! hooks registered under Claude Code's names do; they are answered in both shapes at once.

use tollgate_model::json::{Value, object};
use tollgate_model::{Agent, Event, Fault, Kind, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Allow, Ask, Context, Deny, EventCapability as Row, Halt, Message, Rewrite};
use crate::fields::Fields;
use crate::read::{self, Keys, Reader};
use crate::say::{Act, Answer};
use crate::{Adapter, Change, Payload, Profile, Said, Version, ended, tools};

/// The adapter of Copilot CLI.
#[derive(Clone, Copy, Debug)]
pub struct CopilotCli;

static PROFILE: Profile = Profile {
    version_in: "COPILOT_CLI_BINARY_VERSION",
    changes: CHANGES,
    ..Profile::proven(Agent::CopilotCli, "Copilot CLI", "1.0.102", TABLE)
};

/// By its changelog and the reports on it; only 1.0.102 was driven.
const CHANGES: &[Change] = &[
    Change { since: Version(1, 0, 49), before: "the calls of subagents pass no hook", opens: true },
    Change { since: Version(1, 0, 57), before: "a hook that fails lets the call run", opens: true },
    Change { since: Version(1, 0, 70), before: "exit 2 does not refuse", opens: true },
    Change {
        since: ASKS_SINCE,
        before: "a question that nobody hears may be answered by the agent itself; it is a refusal there",
        opens: false,
    },
];

/// Before, `--allow-all` could say yes in a person's place.
const ASKS_SINCE: Version = Version(1, 0, 97);

const fn pre_tool(name: &'static str) -> Row {
    Row {
        deny: Deny::Decision,
        ask: Ask::Decision,
        rewrite: Rewrite::UnlessDenied,
        allow: Allow::SkipsPrompt,
        ..Row::heard(name, Phase::PreTool)
    }
}

const fn permission(name: &'static str) -> Row {
    Row {
        deny: Deny::Behaviour,
        ask: Ask::Silence,
        halt: Halt::Interrupt,
        allow: Allow::SkipsPrompt,
        context: Context::None,
        ..Row::heard(name, Phase::Permission)
    }
}

const fn stop(name: &'static str, phase: Phase) -> Row {
    Row { deny: Deny::Block, message: Message::WithReason, ..Row::deaf(name, phase) }
}

static TABLE: &[Row] = &[
    pre_tool("preToolUse"),
    permission("permissionRequest"),
    Row { deny: Deny::Feedback, ..Row::heard("postToolUse", Phase::PostTool) },
    Row { deny: Deny::Feedback, ..Row::heard("postToolUseFailure", Phase::PostToolFail) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::heard("userPromptSubmitted", Phase::Prompt) },
    Row::heard("sessionStart", Phase::SessionStart),
    Row::deaf("sessionEnd", Phase::SessionEnd),
    stop("agentStop", Phase::Stop),
    stop("subagentStop", Phase::SubagentStop),
    Row::heard("subagentStart", Phase::SubagentStart),
    Row::deaf("preCompact", Phase::PreCompact),
    Row::deaf("notification", Phase::Notification),
    Row::deaf("errorOccurred", Phase::StopError),
    pre_tool("PreToolUse"),
    permission("PermissionRequest"),
    Row { deny: Deny::Feedback, ..Row::heard("PostToolUse", Phase::PostTool) },
    Row { deny: Deny::Feedback, ..Row::heard("PostToolUseFailure", Phase::PostToolFail) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::heard("UserPromptSubmit", Phase::Prompt) },
    Row::heard("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    stop("Stop", Phase::Stop),
    stop("SubagentStop", Phase::SubagentStop),
    Row::heard("SubagentStart", Phase::SubagentStart),
    Row::deaf("PreCompact", Phase::PreCompact),
    Row::deaf("Notification", Phase::Notification),
];

const CAMEL: Keys = Keys {
    event: "",
    session: "sessionId",
    transcript: "transcriptPath",
    actor: "agentId",
    actor_kind: "agentType",
    tool: "toolName",
    input: &["toolArgs", "toolInput"],
    call: "toolCallId",
    response: "toolResult",
    message: "response",
    text_input: true,
    ..Keys::SNAKE
};

const PASCAL: Keys = Keys { response: "tool_result", text_input: true, ..Keys::SNAKE };

impl Adapter for CopilotCli {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let top = read::object(payload.bytes, PROFILE.title)?;
        let keys = if top.get("sessionId").is_some() { &CAMEL } else { &PASCAL };
        let error = top.get("error").and_then(|error| error.text("message")).map(str::to_owned);
        let parent = top.text("parentAgentId").filter(|_| top.text("sessionId") == top.text("agentId"));
        let parent = parent.map(str::to_owned);
        let reader = Reader { profile: &PROFILE, keys, tools: call };
        let mut event = reader.read_value(top, payload.hint)?;
        reader.tell_version(&mut event, payload);
        if let (Kind::StopError { error: told }, Some(error)) = (&mut event.kind, error) {
            *told = error;
        }
        // A subagent calls its own id its session; the session is the one that started it.
        event.session = parent.unwrap_or(event.session);
        Ok(event)
    }

    /// What a question does depends on the version. VS Code's form tells none, and was not observed to ask.
    fn row(&self, event: &Event) -> Row {
        let row = PROFILE.row(&event.name).copied().unwrap_or(Row::UNKNOWN);
        let old = Version::read(&event.trace.version).is_some_and(|version| version < ASKS_SINCE);
        if old && row.ask == Ask::Decision { Row { ask: Ask::AsDeny, ..row } } else { row }
    }

    /// Only VS Code's form names its event.
    fn event_key(&self) -> &'static str {
        "hook_event_name"
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        match said.act {
            Act::Pass => say_pass(said, &mut answer),
            Act::Ask => say_decision("ask", said, &mut answer),
            Act::Deny | Act::Halt => say_refusal(said, &mut answer),
        }
        if let Some(input) = said.rewrite {
            answer.top("modifiedArgs", input.clone());
        }
        // After a call nothing is replaced; the model reads the reason beside the result.
        let context = said.feedback();
        answer.text("additionalContext", &context);
        if said.row.name.starts_with(char::is_uppercase) {
            say_again(said, &context, &mut answer);
        }
        answer.reply(said.row.name)
    }

    /// A hook that ends with any exit code but 0 refuses the call.
    fn ended(&self, event: &Event) -> Option<(i32, String)> {
        ended::signed(ended::answer(event, &["textResultForLlm", "text_result_for_llm"])?)
    }

    fn tells_end(&self) -> bool {
        true
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        if verdict == Verdict::Deny { crate::say::exit_two(text) } else { Reply::default() }
    }
}

fn say_pass(said: &Said, answer: &mut Answer) {
    match said.row.deny {
        _ if !said.approve => {}
        Deny::Behaviour => answer.top("behavior", "allow"),
        _ => answer.top("permissionDecision", "allow"),
    }
}

fn say_decision(word: &str, said: &Said, answer: &mut Answer) {
    answer.top("permissionDecision", word);
    answer.top("permissionDecisionReason", said.reason.as_str());
}

fn say_refusal(said: &Said, answer: &mut Answer) {
    match said.row.deny {
        Deny::Decision => say_decision("deny", said, answer),
        Deny::Behaviour => {
            answer.top("behavior", "deny");
            answer.top("message", said.reason.as_str());
            if said.act == Act::Halt {
                answer.top("interrupt", true);
            }
        }
        Deny::Block | Deny::EndsTurn => {
            answer.top("decision", "block");
            answer.top("reason", said.reason.as_str());
        }
        Deny::Feedback | Deny::Never => {}
    }
}

/// The same in Claude Code's shape, which is what VS Code's agent documents.
fn say_again(said: &Said, context: &str, answer: &mut Answer) {
    let word = match (said.act, said.row.deny) {
        (Act::Ask, Deny::Decision) => Some("ask"),
        (Act::Deny | Act::Halt, Deny::Decision) => Some("deny"),
        (Act::Pass, Deny::Decision) if said.approve => Some("allow"),
        _ => None,
    };
    if let Some(word) = word {
        answer.specific("permissionDecision", word);
        answer.specific_text("permissionDecisionReason", &said.reason);
    }
    if said.row.deny == Deny::Behaviour && (said.refuses() || said.approve) {
        let word = if said.approve { "allow" } else { "deny" };
        let message: Value = said.reason.as_str().into();
        answer.specific("decision", object([("behavior", word.into()), ("message", message)]));
    }
    if let Some(input) = said.rewrite {
        answer.specific("updatedInput", input.clone());
    }
    answer.specific_text("additionalContext", context);
}

/// Arguments come as an object, as JSON in a string, or (a patch) as they are.
fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    if let Some(map) = tools::unwrapped(input.map) {
        return call(name, server, Fields { map: &map, ..input });
    }
    let call = match name {
        "bash" | "Bash" | "run_in_terminal" | "runInTerminal" => tools::shell(input, "command", "")?,
        "powershell" => tools::powershell(input, "command")?,
        "create_file" => tools::write(input, "filePath", "content")?,
        "replace_string_in_file" => tools::edit(input, "filePath", "oldString", "newString")?,
        "insert_edit_into_file" => tools::edit(input, "filePath", "", "code")?,
        "read_file" => tools::read(input, "filePath")?,
        "fetch_webpage" => fetch_webpage(input)?,
        "create" | "Write" => tools::either(tools::write(input, "path", "file_text")?, || {
            tools::write(input, "file_path", "content")
        })?,
        "edit" | "Edit" => tools::either(tools::edit(input, "path", "old_str", "new_str")?, || {
            tools::edit(input, "file_path", "old_string", "new_string")
        })?,
        "str_replace_editor" => str_replace_editor(input)?,
        "apply_patch" => tools::patch(input, &["patch", "input", "command"])?,
        "view" | "Read" => tools::either(tools::read(input, "path")?, || tools::read(input, "file_path"))?,
        "grep" | "rg" | "Grep" => tools::search(input, "path", "glob", SearchScope::Contents)?,
        "glob" | "Glob" => tools::search(input, "path", "", SearchScope::Names)?,
        "web_fetch" | "WebFetch" => tools::fetch(input, "url")?,
        "web_search" | "WebSearch" => tools::web_search(input, "query")?,
        "task" | "Agent" | "Task" => tools::spawn(input, "agent_type", "prompt")?,
        _ => name.strip_prefix("mcp__").map(|rest| tools::mcp(rest, server, "__")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

/// Several addresses are judged by the shape of the input.
fn fetch_webpage(input: Fields) -> tools::Found {
    let urls = input.texts("urls")?;
    let [url] = urls.as_slice() else { return Ok(None) };
    Ok(Some(ToolCall::Fetch { url: url.clone() }))
}

/// One tool that views, creates and edits.
fn str_replace_editor(input: Fields) -> tools::Found {
    match input.optional("command")? {
        "view" => tools::read(input, "path"),
        "create" => tools::write(input, "path", "file_text"),
        _ => tools::edit(input, "path", "old_str", "new_str"),
    }
}
