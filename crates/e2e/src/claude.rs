//! How Claude Code is set up and started.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::client::{Client, client};
use crate::driver::Driver;
use crate::mock::Turn;
use crate::scratch::Scratch;

/// A key that no server knows; Claude Code only wants one to be there.
const KEY: &str = "sk-dummy-0000000000000000000000000000";

/// The settings file, under the home folder.
pub const SETTINGS: &str = ".claude/settings.json";

/// Drives Claude Code.
#[derive(Debug)]
pub struct Claude;

/// One hook as written into Claude Code's settings.
#[derive(Clone, Debug)]
pub struct Hook {
    /// The event it is for.
    pub event: String,
    /// The program, started without a shell.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Seconds until the host gives up on it.
    pub timeout: Option<u64>,
    /// Whether a hook that fails blocks the call (`onFailure: "block"`), as Tollgate's installer has it.
    pub blocks_on_failure: bool,
}

impl Driver for Claude {
    fn client(&self) -> Result<&'static Client> {
        client("claude-code")
    }

    /// As after a first start by hand: onboarded, the key approved, the project trusted.
    fn configure(&self, scratch: &Scratch, _url: &str) -> Result<()> {
        let project = scratch.project().display().to_string();
        let approved = KEY.get(KEY.len().saturating_sub(20)..).unwrap_or(KEY);
        let mut projects = Map::new();
        projects
            .insert(project, json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}));
        let state = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "numStartups": 3, "installMethod": "native",
            "autoUpdates": false, "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": {"approved": [approved], "rejected": []}, "projects": projects,
        });
        scratch.write_home(".claude.json", &state.to_string())?;
        Ok(())
    }

    fn environment(&self, _scratch: &Scratch, url: &str) -> Vec<(&'static str, String)> {
        let mut variables =
            vec![("ANTHROPIC_BASE_URL", url.to_owned()), ("ANTHROPIC_API_KEY", KEY.to_owned())];
        let switches = [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_AUTOUPDATER",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_TELEMETRY",
            // Without it the client refuses to skip its permission prompts as root.
            "IS_SANDBOX",
        ];
        variables.extend(switches.map(|name| (name, "1".to_owned())));
        variables
    }

    fn arguments(&self, prompt: &str, unattended: bool) -> Vec<String> {
        let mut arguments = vec!["-p".to_owned(), prompt.to_owned()];
        arguments.extend(unattended.then(|| "--dangerously-skip-permissions".to_owned()));
        arguments
    }

    fn terminal_arguments(&self, prompt: &str) -> Vec<String> {
        ["--dangerously-skip-permissions", prompt].map(str::to_owned).to_vec()
    }

    fn shell(&self, command: &str) -> Turn {
        Turn::call("Bash", json!({"command": command, "description": "run"}))
    }

    fn file_tools(&self, file: &str) -> Vec<Turn> {
        vec![
            Turn::call("Write", json!({"file_path": file, "content": "alpha\n"})),
            Turn::call("Read", json!({"file_path": file})),
            Turn::call("Edit", json!({"file_path": file, "old_string": "alpha", "new_string": "gamma"})),
        ]
    }

    fn spawn(&self, prompt: &str) -> Vec<Turn> {
        let input = json!({"description": "help", "prompt": prompt, "run_in_background": false,
                           "subagent_type": "general-purpose"});
        vec![Turn::call("Agent", input)]
    }
}

impl Hook {
    /// A hook in the form Tollgate's installer writes: started without a shell, blocking when it fails.
    pub fn guarded(event: &str, command: &str, args: Vec<String>) -> Hook {
        Hook {
            event: event.to_owned(),
            command: command.to_owned(),
            args,
            timeout: None,
            blocks_on_failure: true,
        }
    }

    /// The same, but the host goes on when it fails.
    pub fn unguarded(event: &str, command: &str, args: Vec<String>) -> Hook {
        Hook { blocks_on_failure: false, ..Hook::guarded(event, command, args) }
    }

    fn to_json(&self) -> Value {
        let mut hook = json!({"type": "command", "command": self.command, "args": self.args});
        if let Some(fields) = hook.as_object_mut() {
            fields.extend(self.timeout.map(|seconds| ("timeout".to_owned(), json!(seconds))));
            fields.extend(self.blocks_on_failure.then(|| ("onFailure".to_owned(), json!("block"))));
        }
        hook
    }
}

/// The settings as they stand; an empty object when there is no file.
pub fn settings(scratch: &Scratch) -> Result<Value> {
    let path = scratch.home().join(SETTINGS);
    if !path.exists() {
        return Ok(json!({}));
    }
    let text = fs::read_to_string(&path)?;
    serde_json::from_str(&text).with_context(|| format!("`{}` is not JSON", path.display()))
}

/// Adds hooks to the settings, beside those that are there.
pub fn register(scratch: &Scratch, hooks: &[Hook]) -> Result<()> {
    let mut settings = settings(scratch)?;
    let fields = settings.as_object_mut().context("the settings are no object")?;
    let events = fields.entry("hooks").or_insert_with(|| json!({}));
    let events = events.as_object_mut().context("`hooks` is no object")?;
    for hook in hooks {
        let groups = events.entry(&hook.event).or_insert_with(|| json!([]));
        let groups = groups.as_array_mut().context("an event's hooks are no array")?;
        groups.push(json!({"hooks": [hook.to_json()]}));
    }
    scratch.write_home(SETTINGS, &format!("{settings:#}\n"))?;
    Ok(())
}
