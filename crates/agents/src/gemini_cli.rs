//! Gemini CLI 0.61.0. It takes its own shape only: what Claude Code obeys lets the call run here.
//!
//! `ask` is never said. Gemini does ask a person then, in `--yolo` too, but it turns a deny rule of Gemini's own policy
//! into a question, and so does plan mode's: the hook is not told the mode or the rules, so it cannot know when that
//! would loosen what the user configured (`crates/e2e` holds that it does). Without a terminal it ends the whole turn
//! without a word to the model.

use tollgate_model::{Agent, Event, Fault, Phase, Reply, SearchScope, ToolCall, Verdict};

use crate::capability::{Context, Deny, EventCapability as Row, Halt, Rewrite};
use crate::fields::Fields;
use crate::read::{Keys, Reader};
use crate::say::{Act, Answer};
use crate::{Adapter, Payload, Profile, Said, ended, tools};

/// The adapter of Gemini CLI.
#[derive(Clone, Copy, Debug)]
pub struct GeminiCli;

static PROFILE: Profile = Profile::proven(Agent::GeminiCli, "Gemini CLI", "0.61.0", TABLE);

static TABLE: &[Row] = &[
    Row {
        deny: Deny::Decision,
        halt: Halt::BesideDeny,
        rewrite: Rewrite::UnlessDenied,
        context: Context::None,
        ..Row::open("BeforeTool", Phase::PreTool)
    },
    Row { deny: Deny::Feedback, halt: Halt::BesideDeny, ..Row::open("AfterTool", Phase::PostTool) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("BeforeAgent", Phase::Prompt) },
    Row { halt: Halt::Alone, ..Row::blockable("AfterAgent", Phase::Stop) },
    Row::open("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    Row::deaf("PreCompress", Phase::PreCompact),
    Row::deaf("Notification", Phase::Notification),
    Row::deaf("BeforeModel", Phase::Other),
    Row::deaf("AfterModel", Phase::Other),
    Row::deaf("BeforeToolSelection", Phase::Other),
];

const KEYS: Keys = Keys { message: "prompt_response", error_in_response: true, ..Keys::SNAKE };

impl Adapter for GeminiCli {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        Reader { profile: &PROFILE, keys: &KEYS, tools: call }.read(payload)
    }

    fn write(&self, said: &Said) -> Reply {
        let mut answer = Answer::default();
        if said.act == Act::Halt && said.row.halt != Halt::IsDeny {
            answer.top("continue", false);
            answer.top("stopReason", said.reason.as_str());
        }
        if said.refuses() && said.row.deny != Deny::Never && said.says_deny() {
            answer.top("decision", "deny");
            answer.top("reason", said.reason.as_str());
        }
        answer.beside(said, "tool_input")
    }

    /// A code of zero is not told.
    fn ended(&self, event: &Event) -> Option<(i32, String)> {
        ended::labelled(ended::answer(event, &["llmContent"])?, Some(0))
    }

    fn tells_end(&self) -> bool {
        true
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        crate::blind_claude_like(verdict, text)
    }
}

fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "run_shell_command" => tools::shell(input, "command", "dir_path")?,
        "read_file" => tools::read(input, "file_path")?,
        "read_many_files" => Some(ToolCall::Read { paths: input.texts("include")? }),
        "write_file" => tools::write(input, "file_path", "content")?,
        "replace" => tools::edit(input, "file_path", "old_string", "new_string")?,
        "grep_search" | "search_file_content" => {
            tools::search(input, "dir_path", "include_pattern", SearchScope::Contents)?
        }
        "glob" => tools::search(input, "dir_path", "", SearchScope::Names)?,
        "list_directory" => tools::list(input, "dir_path")?,
        "web_fetch" => web_fetch(input)?,
        "google_web_search" => tools::web_search(input, "query")?,
        "invoke_agent" => tools::spawn(input, "agent_name", "prompt")?,
        "activate_skill" => tools::command(input, "name", "")?,
        _ => name.strip_prefix("mcp_").map(|rest| tools::mcp(rest, server, "_")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

/// The addresses stand in the prompt. Several are judged by the shape of the input.
fn web_fetch(input: Fields) -> tools::Found {
    let around = |c: char| !c.is_alphanumeric() && c != '/';
    let words = input.optional("prompt")?.split_whitespace().filter(|word| word.contains("://"));
    let mut urls = words.map(|word| word.trim_matches(around));
    let first = urls.next().filter(|_| urls.next().is_none());
    Ok(first.map(|url| ToolCall::Fetch { url: url.to_owned() }))
}
