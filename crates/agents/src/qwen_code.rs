//! Qwen Code 0.24.4. The names are Claude Code's, the engine is Gemini's.
//!
//! Of several hooks' `permissionDecision` the last one counts, whatever it says. So a refusal says both words and an
//! approval is never said. A question would talk another hook's refusal away, so it is said only when no other hook
//! decides (`install::rivals`). It cannot loosen the user's own rules, which were obeyed before the hook is called; with
//! a person there it is a prompt in every mode, `yolo` too; with nobody there Qwen Code itself refuses, and the model
//! reads our reason. A bare `decision: ask` is no way out: beside another hook's answer it counts for nothing.

use tollgate_model::json::Value;
use tollgate_model::{Agent, Event, Fault, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Allow, Ask, Context, Deny, EventCapability as Row, Halt, Rewrite};
use crate::fields::Fields;
use crate::read::{Keys, Reader};
use crate::say::{Act, Answer};
use crate::{Adapter, Payload, Profile, Said, ended, tools};

/// The adapter of Qwen Code.
#[derive(Clone, Copy, Debug)]
pub struct QwenCode;

static PROFILE: Profile = Profile {
    version_in: "QWEN_CODE_STARTUP_VERSION",
    also: &["0.23.4"],
    ..Profile::proven(Agent::QwenCode, "Qwen Code", "0.24.4", TABLE)
};

/// Context is not taken before a call, and a new input nowhere but in a permission request.
static TABLE: &[Row] = &[
    Row {
        deny: Deny::Decision,
        ask: Ask::Alone,
        halt: Halt::BesideDeny,
        context: Context::None,
        ..Row::open("PreToolUse", Phase::PreTool)
    },
    Row {
        deny: Deny::Behaviour,
        ask: Ask::Silence,
        halt: Halt::Interrupt,
        rewrite: Rewrite::WithAllow,
        allow: Allow::SkipsPrompt,
        context: Context::None,
        ..Row::open("PermissionRequest", Phase::Permission)
    },
    Row::deaf("PermissionDenied", Phase::PermissionDenied),
    Row { deny: Deny::Feedback, halt: Halt::BesideDeny, ..Row::open("PostToolUse", Phase::PostTool) },
    Row { deny: Deny::Feedback, ..Row::open("PostToolUseFailure", Phase::PostToolFail) },
    Row::open("PostToolBatch", Phase::PostBatch),
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("UserPromptSubmit", Phase::Prompt) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("UserPromptExpansion", Phase::Expand) },
    Row::open("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    Row { halt: Halt::Alone, ..Row::blockable("Stop", Phase::Stop) },
    Row { halt: Halt::Alone, ..Row::blockable("SubagentStop", Phase::SubagentStop) },
    Row::deaf("StopFailure", Phase::StopError),
    Row::open("SubagentStart", Phase::SubagentStart),
    Row::deaf("PreCompact", Phase::PreCompact),
    Row::deaf("PostCompact", Phase::PostCompact),
    Row::deaf("Notification", Phase::Notification),
    Row::deaf("MessageDisplay", Phase::Other),
    Row::deaf("InstructionsLoaded", Phase::Other),
    Row::deaf("SessionDelete", Phase::Other),
    Row::deaf("TodoCreated", Phase::Other),
    Row::deaf("TodoCompleted", Phase::Other),
];

impl Adapter for QwenCode {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        Reader { profile: &PROFILE, keys: &Keys::SNAKE, tools: call }.read(payload)
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        let mut behaviour = Vec::new();
        if said.approve {
            behaviour.push(("behavior".to_owned(), "allow".into()));
            behaviour.extend(said.rewrite.map(|input| ("updatedInput".to_owned(), input.clone())));
        }
        if said.act == Act::Ask {
            answer.specific("permissionDecision", "ask");
            answer.specific("permissionDecisionReason", said.reason.as_str());
        }
        if said.refuses() {
            say_refusal(said, &mut answer, &mut behaviour);
        }
        if !behaviour.is_empty() {
            answer.specific("decision", Value::Map(behaviour));
        }
        // After a call the reason of a block reaches nobody, but context does reach the model.
        answer.specific_text("additionalContext", &said.feedback());
        answer.text("systemMessage", &said.message);
        if answer.speaks() {
            answer.measured(said.metrics);
        }
        answer.reply(said.row.name)
    }

    fn ended(&self, event: &Event) -> Option<(i32, String)> {
        ended::labelled(ended::answer(event, &["llmContent"])?, None)
    }

    fn tells_end(&self) -> bool {
        true
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        crate::blind_claude_like(verdict, text)
    }
}

fn say_refusal(said: &Said, answer: &mut Answer, behaviour: &mut Vec<(String, Value)>) {
    let reason = said.reason.as_str();
    if said.act == Act::Halt && matches!(said.row.halt, Halt::BesideDeny | Halt::Alone) {
        answer.top("continue", false);
        answer.top("stopReason", reason);
    }
    match said.row.deny {
        _ if !said.says_deny() => {}
        Deny::Decision => {
            answer.top("decision", "block");
            answer.top("reason", reason);
            answer.specific("permissionDecision", "deny");
            answer.specific("permissionDecisionReason", reason);
        }
        Deny::Behaviour => {
            behaviour.push(("behavior".to_owned(), "deny".into()));
            behaviour.push(("message".to_owned(), reason.into()));
            if said.act == Act::Halt {
                behaviour.push(("interrupt".to_owned(), true.into()));
            }
        }
        Deny::Block => {
            answer.top("decision", "block");
            answer.top("reason", reason);
        }
        Deny::Feedback | Deny::EndsTurn | Deny::Never => {}
    }
}

fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "run_shell_command" | "monitor" => tools::shell(input, "command", "directory")?,
        "read_file" => tools::read(input, "file_path")?,
        "read_many_files" => Some(ToolCall::Read { paths: input.texts("paths")? }),
        "write_file" => tools::write(input, "file_path", "content")?,
        "edit" => tools::edit(input, "file_path", "old_string", "new_string")?,
        "notebook_edit" => tools::edit(input, "notebook_path", "", "new_source")?,
        "grep_search" => tools::search(input, "path", "glob", SearchScope::Contents)?,
        "glob" => tools::search(input, "path", "", SearchScope::Names)?,
        "list_directory" => tools::list(input, "path")?,
        "web_fetch" => tools::fetch(input, "url")?,
        "web_search" => tools::web_search(input, "query")?,
        "agent" => tools::spawn(input, "subagent_type", "prompt")?,
        "skill" => tools::command(input, "skill", "args")?,
        _ => name.strip_prefix("mcp__").map(|rest| tools::mcp(rest, server, "__")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}
