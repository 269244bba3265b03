//! Two calls that prove a registered gate with any agent: what the agent would send, and what it would make of the
//! answer.

use tollgate_model::Agent;
use tollgate_model::json::{Value, object, parse, write};

pub use super::claude::canary::{Answer, Command};

/// What the agent would write to the gate before it runs a shell command.
#[must_use]
pub fn payload(agent: Agent, session: &str, cwd: &str, shell: &str) -> String {
    let command = |key: &str| object([(key, shell.into())]);
    let snake = |event: &str, tool: &str| {
        object([
            ("session_id", session.into()),
            ("cwd", cwd.into()),
            ("hook_event_name", event.into()),
            ("tool_name", tool.into()),
            ("tool_input", command("command")),
        ])
    };
    let value = match agent {
        Agent::ClaudeCode | Agent::Codex => snake("PreToolUse", "Bash"),
        Agent::GeminiCli => snake("BeforeTool", "run_shell_command"),
        Agent::QwenCode => snake("PreToolUse", "run_shell_command"),
        Agent::Cursor => snake("preToolUse", "Shell"),
        Agent::Droid => snake("PreToolUse", "Execute"),
        Agent::Auggie => object([
            ("conversation_id", session.into()),
            ("workspace_roots", Value::List(vec![cwd.into()])),
            ("hook_event_name", "PreToolUse".into()),
            ("tool_name", "launch-process".into()),
            ("tool_input", command("command")),
        ]),
        Agent::Kiro => snake("PreToolUse", "execute_bash"),
        Agent::CopilotCli => object([
            ("sessionId", session.into()),
            ("cwd", cwd.into()),
            ("toolName", "bash".into()),
            ("toolArgs", command("command")),
        ]),
        Agent::OpenCode | Agent::Kilo => object([
            ("input", object([("tool", "bash".into()), ("sessionID", session.into())])),
            ("output", object([("args", command("command"))])),
            ("directory", cwd.into()),
        ]),
        Agent::Windsurf => object([
            ("agent_action_name", "pre_run_command".into()),
            ("trajectory_id", session.into()),
            ("tool_info", object([("command_line", shell.into()), ("cwd", cwd.into())])),
        ]),
        Agent::Cline => object([
            ("taskId", session.into()),
            ("workspaceRoots", Value::List(vec![cwd.into()])),
            ("tool_call", object([("name", "run_commands".into()), ("input", command("command"))])),
        ]),
        Agent::Amp | Agent::Generic => object([
            ("event", "pre-tool".into()),
            ("session", session.into()),
            ("cwd", cwd.into()),
            (
                "tool",
                object([("name", "Bash".into()), ("kind", "shell".into()), ("input", command("command"))]),
            ),
        ]),
    };
    line(&value)
}

/// Reads an answer as strictly as the agent does.
#[must_use]
pub fn read_answer(agent: Agent, exit: Option<i32>, stdout: &str, stderr: &str) -> Answer {
    let Some(exit) = exit else { return Answer::Broken("it was killed by a signal".into()) };
    let by_code = matches!(agent, Agent::Droid | Agent::Auggie | Agent::Windsurf | Agent::Kiro);
    match (exit, stdout.trim()) {
        (2, _) if !stderr.trim().is_empty() => Answer::Refused(stderr.trim().to_owned()),
        (0, _) if by_code => Answer::Passed,
        (0, "") if must_speak(agent) => Answer::Broken("it says nothing".into()),
        (0, "") => Answer::Passed,
        (0, text) => match parse(text.as_bytes()) {
            Ok(value) if value.as_map().is_some() => judge(agent, &value),
            _ => Answer::Broken(format!("not one JSON object: `{}`", first_line(text))),
        },
        (code, _) => Answer::Broken(format!("exit {code}: {}", first_line(stderr))),
    }
}

/// Silence is no answer for these.
fn must_speak(agent: Agent) -> bool {
    matches!(
        agent,
        Agent::OpenCode | Agent::Kilo | Agent::Cursor | Agent::Cline | Agent::Amp | Agent::Generic
    )
}

/// The member that decides, the words that refuse, and the member that says why.
fn judge(agent: Agent, answer: &Value) -> Answer {
    let specific = answer.get("hookSpecificOutput").unwrap_or(&Value::Null);
    let (map, key, words, why): (&Value, &str, &[&str], &str) = match agent {
        Agent::ClaudeCode | Agent::Codex | Agent::QwenCode => {
            (specific, "permissionDecision", &["deny", "ask"], "permissionDecisionReason")
        }
        Agent::CopilotCli => (answer, "permissionDecision", &["deny", "ask"], "permissionDecisionReason"),
        Agent::GeminiCli | Agent::OpenCode | Agent::Kilo => (answer, "decision", &["deny"], "reason"),
        Agent::Cursor => (answer, "permission", &["deny", "ask"], "user_message"),
        Agent::Cline => {
            let refused = answer.get("cancel").and_then(Value::as_bool) == Some(true);
            let why = answer.text("errorMessage").unwrap_or_default().to_owned();
            return if refused { Answer::Refused(why) } else { Answer::Passed };
        }
        _ => (answer, "verdict", &["deny", "ask", "halt"], "reason"),
    };
    match (map.text(key), map.text(why).unwrap_or_default()) {
        (Some(word), "") if words.contains(&word) => {
            Answer::Broken(format!("`{key}` is `{word}` without a reason"))
        }
        (Some(word), reason) if words.contains(&word) => Answer::Refused(reason.to_owned()),
        _ => Answer::Passed,
    }
}

fn line(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text.push('\n');
    text
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").chars().take(120).collect()
}
