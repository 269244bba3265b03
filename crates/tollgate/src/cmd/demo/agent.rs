//! The scripted agent: starts the hook as Claude Code starts it, and carries out what passes.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::answer::Answer;
use super::scratch::{LIMIT, Scratch};
use super::script::{Call, UNDO};
use crate::program::{self, Ran};

/// The session's id, in the log and for `tollgate report --session`.
pub const SESSION: &str = "demo";

/// An agent in a session.
pub struct Agent<'a> {
    scratch: &'a Scratch,
    /// Numbers the calls.
    calls: u32,
    /// What was saved last.
    pub saved: String,
}

/// What a call left for the agent to read.
struct Output {
    response: Value,
    took: Duration,
}

impl<'a> Agent<'a> {
    pub fn new(scratch: &'a Scratch) -> anyhow::Result<Self> {
        fs::create_dir_all(scratch.state())
            .with_context(|| format!("cannot make `{}`", scratch.state().display()))?;
        Ok(Self { scratch, calls: 0, saved: String::new() })
    }

    /// Begins the session.
    pub fn start_session(&self) -> anyhow::Result<Answer> {
        self.hook("SessionStart", json!({ "source": "startup" }))
    }

    /// Ends the turn.
    pub fn stop(&self) -> anyhow::Result<Answer> {
        self.hook("Stop", json!({ "stop_hook_active": false, "last_assistant_message": "Done." }))
    }

    /// Asks the gate about a call.
    pub fn ask(&mut self, call: &Call) -> anyhow::Result<Answer> {
        if let Call::Prompt(prompt) = call {
            return self.hook("UserPromptSubmit", json!({ "prompt": prompt }));
        }
        self.calls += 1;
        let answer = self.hook("PreToolUse", self.tool_call(call))?;
        if let Some(id) = answer.snapshot() {
            id.clone_into(&mut self.saved);
        }
        Ok(answer)
    }

    /// Does what a call says, inside the scratch folder, and reports the result to the gate. The inner error says what went
    /// wrong with the call.
    pub fn carry_out(&self, call: &Call) -> anyhow::Result<Result<(), String>> {
        let output = match call {
            Call::Prompt(_) => return Ok(Ok(())),
            Call::Read(path) => self.read(path),
            Call::Edit { path, old, new } => self.edit(path, old, new),
            Call::Write { path, content } => self.write(path, content),
            Call::Bash(command) => self.bash(command),
            Call::TakeBack => self.take_back(),
        };
        let output = match output {
            Ok(output) => output,
            Err(error) => return Ok(Err(format!("{error:#}"))),
        };
        let mut fields = self.tool_call(call);
        merge(&mut fields, json!({ "tool_response": output.response }));
        merge(
            &mut fields,
            json!({ "duration_ms": u64::try_from(output.took.as_millis()).unwrap_or(u64::MAX) }),
        );
        Ok(match self.hook("PostToolUse", fields)? {
            Answer::Allowed => Ok(()),
            other => Err(format!("the answer to its result was {}", other.shown())),
        })
    }

    /// Starts the hook as the client does: payload on standard input, answer on standard output.
    fn hook(&self, event: &str, fields: Value) -> anyhow::Result<Answer> {
        let scratch = self.scratch;
        let mut payload = json!({
            "session_id": SESSION,
            "transcript_path": scratch.path("~/.claude/projects/app/demo.jsonl"),
            "cwd": scratch.project(),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        merge(&mut payload, fields);
        let mut command = scratch.tollgate();
        command.args(["hook", "claude-code", event]);
        command.arg("--config").arg(scratch.config()).arg("--state").arg(scratch.state());
        command.env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", scratch.project());
        command.env("CLAUDE_CODE_SESSION_ID", SESSION).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let ran = program::run(&mut command, payload.to_string().as_bytes(), LIMIT);
        match ran.context("cannot start the hook")? {
            Some(ran) => Ok(Answer::read(&ran)),
            None => Ok(Answer::Broken(format!("no answer within {} s", LIMIT.as_secs()))),
        }
    }

    fn tool_call(&self, call: &Call) -> Value {
        let file = |path: &str| self.scratch.path(path);
        let (tool, input) = match call {
            Call::Read(path) => ("Read", json!({ "file_path": file(path) })),
            Call::Edit { path, old, new } => {
                ("Edit", json!({ "file_path": file(path), "old_string": old, "new_string": new }))
            }
            Call::Write { path, content } => {
                ("Write", json!({ "file_path": file(path), "content": content }))
            }
            Call::Bash(command) => ("Bash", json!({ "command": command })),
            Call::TakeBack => ("Bash", json!({ "command": format!("{UNDO} {}", self.saved) })),
            Call::Prompt(_) => ("", Value::Null),
        };
        let id = format!("toolu_demo_{:02}", self.calls);
        json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id })
    }

    fn read(&self, path: &str) -> anyhow::Result<Output> {
        let file = self.scratch.path(path);
        let content = text_of(&file)?;
        Ok(Output::of(json!({ "type": "text", "file": { "filePath": file, "content": content } })))
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> anyhow::Result<Output> {
        let file = self.scratch.path(path);
        let before = text_of(&file)?;
        if !before.contains(old) {
            bail!("`{path}` does not contain {old}");
        }
        fs::write(&file, before.replacen(old, new, 1))
            .with_context(|| format!("cannot write `{}`", file.display()))?;
        Ok(Output::of(json!({ "filePath": file, "oldString": old, "newString": new })))
    }

    fn write(&self, path: &str, content: &str) -> anyhow::Result<Output> {
        let file = self.scratch.path(path);
        fs::write(&file, content).with_context(|| format!("cannot write `{path}`"))?;
        Ok(Output::of(json!({ "type": "update", "filePath": file, "content": content })))
    }

    fn bash(&self, text: &str) -> anyhow::Result<Output> {
        let mut command = self.scratch.command(Path::new("/bin/sh"));
        Self::run(command.arg("-c").arg(text))
    }

    fn take_back(&self) -> anyhow::Result<Output> {
        let mut command = self.scratch.tollgate();
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", SESSION);
        Self::run(command.args(["undo", &self.saved]))
    }

    fn run(command: &mut Command) -> anyhow::Result<Output> {
        match program::run(command, b"", LIMIT).context("cannot start it")? {
            Some(Ran { exit: Some(0), stdout, stderr, took }) => {
                let response = json!({ "stdout": stdout, "stderr": stderr, "interrupted": false });
                Ok(Output { response, took })
            }
            Some(Ran { exit, stderr, .. }) => {
                bail!("it passed the gate, but failed ({exit:?}): {}", stderr.trim())
            }
            None => bail!("it passed the gate, but took more than {} s", LIMIT.as_secs()),
        }
    }
}

impl Output {
    fn of(response: Value) -> Self {
        Self { response, took: Duration::ZERO }
    }
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))
}

/// Adds the fields of one JSON object to another.
fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}
