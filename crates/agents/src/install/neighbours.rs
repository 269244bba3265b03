//! Other people's hooks around the gate's own: how each agent's are read, which files beside ours hold some, and which
//! the gate cannot run in the agent's place.

use std::path::{Path, PathBuf};

use tollgate_model::{Agent, Phase};

use super::adopt::{Reading, Ways};
use super::claude::settings::Scope;
use super::codex;
use super::file::read_any;
use super::setup::{Content, Form, Piece, Roots, Setup, profile_of};

impl Setup {
    /// How other people's hooks in a file of this agent's are read; none where the gate cannot run them.
    #[must_use]
    pub fn reading(&self, file: &Path) -> Option<Reading> {
        if matches!(self.form, Form::Kiro | Form::Plugin | Form::Scripts) {
            return None;
        }
        let profile = profile_of(self.agent.name())?;
        let runs = |event: &&str| profile.row(event).is_some_and(|row| row.phase != Phase::Other);
        Some(Reading {
            millis: matches!(self.form, Form::GroupsMillis | Form::GroupsExec),
            events: self.events.iter().copied().filter(runs).collect(),
            tools: TOOL_EVENTS,
            ways: self.ways(file),
        })
    }

    fn ways(&self, file: &Path) -> Ways {
        match self.agent {
            Agent::Codex => Ways {
                aliases: &[("Edit", "apply_patch"), ("Write", "apply_patch"), ("Agent", "spawn_agent")],
                trust: Some(text(&file.with_file_name(CODEX_CONFIG))),
                ..Ways::default()
            },
            Agent::Cursor => Ways { members: &["failClosed"], in_folder: true, ..Ways::default() },
            Agent::Windsurf => {
                Ways { members: &["powershell", "show_output", "working_directory"], ..Ways::default() }
            }
            Agent::CopilotCli => Ways {
                members: &["bash", "powershell", "cwd", "env", "timeoutSec"],
                strict: &["preToolUse"],
                ..Ways::default()
            },
            _ => Ways::default(),
        }
    }

    /// The files beside ours in which other people register hooks of this agent's.
    #[must_use]
    pub fn neighbours(&self, roots: &Roots, scope: Scope) -> Vec<Piece> {
        let Some(own) = self.file(roots, scope).filter(|_| self.form == Form::Copilot) else {
            return Vec::new();
        };
        let files = beside(&own).into_iter().filter(|file| file.extension().is_some_and(|end| end == "json"));
        let project = (scope == Scope::Project).then(|| roots.project.to_owned());
        files.map(|path| Piece { project: project.clone(), ..self.neighbour(path) }).collect()
    }

    /// A file in which nothing of ours is registered.
    #[must_use]
    pub fn neighbour(&self, path: PathBuf) -> Piece {
        Piece { agent: self.agent, path, content: Content::Entries(Vec::new()), project: None }
    }

    /// Which hooks of other people's stay outside of the gate's pipeline, whatever they say, and why.
    #[must_use]
    pub fn outside(&self, roots: &Roots, scope: Scope) -> Vec<String> {
        let Some(own) = self.file(roots, scope) else { return Vec::new() };
        let title = profile_of(self.agent.name()).map_or(self.agent.name(), |profile| profile.title);
        let named = |files: Vec<PathBuf>, why: &str| {
            files.iter().map(|file| format!("`{}` {why}", name(file))).collect::<Vec<_>>()
        };
        match self.form {
            Form::Plugin => named(beside(&own), &format!("is a plug-in, which runs inside of {title}")),
            Form::Kiro => named(beside(&own), "is written in a form that the gate does not read"),
            Form::Scripts => {
                let ours: Vec<PathBuf> = self.events.iter().map(|event| own.join(event)).collect();
                let others = beside(&own.join("EVENT")).into_iter().filter(|file| !ours.contains(file));
                named(others.collect(), "is for an event at which the gate runs nothing")
            }
            _ if self.agent == Agent::Codex => {
                let config = own.with_file_name(CODEX_CONFIG);
                let own = codex::has_own_hooks(&text(&config)).then_some(config);
                named(own.into_iter().collect(), "has hooks of its own, which are not edited")
            }
            _ => Vec::new(),
        }
    }
}

/// The events whose matchers are names of tools, by the names of all agents.
const TOOL_EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "BeforeTool",
    "AfterTool",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "permissionRequest",
];
const CODEX_CONFIG: &str = "config.toml";

/// The other files in the folder of a file, by name.
fn beside(own: &Path) -> Vec<PathBuf> {
    let entries = own.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.retain(|file| file != own);
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn text(file: &Path) -> String {
    read_any(file).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
