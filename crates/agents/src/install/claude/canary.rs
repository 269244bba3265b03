//! Two calls that prove a registered gate: one that it must refuse and one that it must let pass.

use super::handler;
use std::time::Duration;
use tollgate_model::json::{self, Value, object};

/// A command as Claude Code would start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// How long Claude Code would wait.
    pub timeout: Duration,
}

impl Command {
    /// The gate as registered for `PreToolUse` in these settings, in exec form.
    #[must_use]
    pub fn registered(settings: &Value) -> Option<Self> {
        let handler = handler(settings, "PreToolUse")?;
        let args = handler.get("args").and_then(Value::as_list)?;
        let seconds = match handler.get("timeout") {
            Some(Value::Number(number)) => number.parse().ok()?,
            _ => 600,
        };
        Some(Self {
            program: handler.text("command")?.to_owned(),
            args: args.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            timeout: Duration::from_secs(seconds),
        })
    }

    /// The value of an option on the command line.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == name)?;
        self.args.get(at + 1).map(String::as_str)
    }
}

/// What Claude Code would write to the gate before it runs a shell command.
#[must_use]
pub fn payload(session: &str, call: &str, cwd: &str, shell: &str) -> String {
    let value = object([
        ("session_id", session.into()),
        ("transcript_path", "".into()),
        ("cwd", cwd.into()),
        ("permission_mode", "default".into()),
        ("hook_event_name", "PreToolUse".into()),
        ("tool_name", "Bash".into()),
        ("tool_input", object([("command", shell.into()), ("description", "Tollgate canary".into())])),
        ("tool_use_id", call.into()),
    ]);
    let mut text = String::new();
    json::write(&value, &mut text);
    text.push('\n');
    text
}

/// What Claude Code makes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call does not run, or a person is asked; with the reason.
    Refused(String),
    /// The call goes on.
    Passed,
    /// Claude Code would not understand it, and would do what its fault rule says.
    Broken(String),
}

/// Reads an answer as strictly as Claude Code does, and stricter where that shows a mistake.
#[must_use]
pub fn read_answer(exit: Option<i32>, stdout: &str, stderr: &str) -> Answer {
    let Some(exit) = exit else { return Answer::Broken("it was killed by a signal".into()) };
    match (exit, stdout.trim()) {
        (0, "") => Answer::Passed,
        (0, text) => read_json(text),
        (2, _) if !stderr.trim().is_empty() => Answer::Refused(stderr.trim().to_owned()),
        (2, _) => Answer::Broken("exit 2 without a reason on standard error".into()),
        (code, _) => Answer::Broken(format!("exit {code}: {}", first_line(stderr))),
    }
}

fn read_json(text: &str) -> Answer {
    let Ok(value) = json::parse(text.as_bytes()) else {
        return Answer::Broken(format!("not one JSON object: `{}`", first_line(text)));
    };
    let Some(specific) = value.get("hookSpecificOutput") else { return Answer::Passed };
    if specific.text("hookEventName") != Some("PreToolUse") {
        return Answer::Broken("`hookEventName` is not `PreToolUse`".into());
    }
    let reason = specific.text("permissionDecisionReason").unwrap_or("");
    match specific.text("permissionDecision") {
        None | Some("allow") => Answer::Passed,
        Some("deny" | "ask") if !reason.is_empty() => Answer::Refused(reason.to_owned()),
        Some(decision) => Answer::Broken(format!("`permissionDecision` is `{decision}` without a reason")),
    }
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").chars().take(120).collect()
}
