//! Claude Code: which of its events are hooked, and how.

pub mod canary;
pub mod plugin;
pub mod repair;
mod setting_types;
pub mod settings;
pub mod validity;

use std::path::PathBuf;

use super::adopt::{Reading, Ways};
use super::edit::Entry;
pub use super::registration::Registration;
use super::registration::runs_gate;
use super::setup::{AT_A_STOP, TIMEOUT};
use super::status::{matches_all, ours_in};
pub use crate::version::Version;
use tollgate_model::json::{Value, object};

/// How one event is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hooked {
    /// Claude Code's name of the event.
    pub event: &'static str,
    /// Its matcher is a tool's name.
    pub tool: bool,
    /// Seconds until Claude Code gives up: more than the gate takes with the longest middleware, so that its own answer
    /// always comes first.
    pub timeout: u64,
    /// A gate that fails blocks the call. Only where a call waits for the answer: nothing else may stop a session.
    pub blocks: bool,
}

/// Every event that is hooked.
///
/// Left out: `WorktreeCreate` and `WorktreeRemove`, where a hook replaces what Claude Code itself would do;
/// `MessageDisplay`, which starts a process for each piece of streamed text; and `FileChanged`, whose matcher is
/// also the list of files to watch, so that "all" would watch none or everything. None of the four can carry a
/// decision about a call, and a changed policy file is seen by its hash at the next event.
pub const EVENTS: &[Hooked] = &[
    decides("PreToolUse"),
    decides("PermissionRequest"),
    follows("PostToolUse"),
    follows("PostToolUseFailure"),
    follows("PermissionDenied"),
    other("PostToolBatch"),
    other("UserPromptSubmit"),
    other("UserPromptExpansion"),
    other("SessionStart"),
    // Claude Code waits for this one while it exits.
    Hooked { timeout: 5, ..other("SessionEnd") },
    waits("Stop"),
    other("StopFailure"),
    other("SubagentStart"),
    waits("SubagentStop"),
    other("PreCompact"),
    other("PostCompact"),
    other("PreModelSwitch"),
    other("PostModelSwitch"),
    other("Setup"),
    other("TeammateIdle"),
    other("TaskCreated"),
    other("TaskCompleted"),
    other("Elicitation"),
    other("ElicitationResult"),
    other("ConfigChange"),
    other("InstructionsLoaded"),
    other("CwdChanged"),
    other("DirectoryAdded"),
    other("Notification"),
];

/// The first version that starts a hook from `command` and `args` without a shell. An older one would start
/// the bare command. Observed: 2.1.138 has not got it, 2.1.139 has.
pub const EXEC_FORM_SINCE: Version = Version(2, 1, 139);

/// The first version that heeds `onFailure`. Observed: 2.1.263 does not know it, 2.1.265 does.
pub const ON_FAILURE_SINCE: Version = Version(2, 1, 265);

/// How other people's hooks are read that the gate runs in Claude Code's place. With a project, they are that project's.
#[must_use]
pub fn reading(project: Option<PathBuf>) -> Reading {
    let events = [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "SessionStart",
        "SessionEnd",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "Notification",
    ];
    let tools = &["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"];
    let ways =
        Ways { unmatched: &["UserPromptSubmit", "Stop"], unanchored: true, project, ..Ways::default() };
    Reading { millis: false, events: events.to_vec(), tools, ways }
}

impl Registration {
    /// The groups to register, one per event.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        EVENTS
            .iter()
            .map(|hooked| {
                let args = self.args("claude-code", hooked.event);
                Entry { event: hooked.event.to_owned(), group: group(hooked, &self.command, args) }
            })
            .collect()
    }
}

fn group(hooked: &Hooked, command: &str, args: Vec<String>) -> Value {
    let hooks = ("hooks", Value::List(vec![handler_of(hooked, command, args)]));
    if hooked.tool { object([("matcher", "*".into()), hooks]) } else { object([hooks]) }
}

fn handler_of(hooked: &Hooked, command: &str, args: Vec<String>) -> Value {
    let mut members = vec![
        ("type".to_owned(), "command".into()),
        ("command".to_owned(), command.into()),
        ("args".to_owned(), Value::List(args.into_iter().map(Value::from).collect())),
        ("timeout".to_owned(), hooked.timeout.into()),
    ];
    if hooked.blocks {
        members.push(("onFailure".to_owned(), "block".into()));
    }
    Value::Map(members)
}

/// Is this handler one that starts the gate? Also in the forms that people write by hand.
#[must_use]
pub fn is_ours(handler: &Value) -> bool {
    handler.text("type") == Some("command") && runs_gate(handler)
}

/// The first handler of ours for an event.
#[must_use]
pub fn handler<'a>(settings: &'a Value, event: &str) -> Option<&'a Value> {
    ours_in(settings, event, is_ours).next().map(|(_, handler)| handler)
}

/// Why the gate is not asked about every call although it is registered, if so.
#[must_use]
pub fn weakness(settings: &Value) -> Option<String> {
    let Some((group, handler)) = ours_in(settings, "PreToolUse", is_ours).next() else {
        return Some("the gate is not registered for `PreToolUse`, the event that decides".to_owned());
    };
    if !matches_all(group) {
        return Some("the gate's matcher for `PreToolUse` leaves tools out; it must be `*`".to_owned());
    }
    if handler.get("args").is_none() {
        return Some(
            "the gate is started through a shell, which can fail or be bent; it must have `args`".to_owned(),
        );
    }
    let set = |key: &str| !matches!(handler.get(key), None | Some(Value::Bool(false)));
    let key = ["async", "asyncRewake", "if", "once"].into_iter().find(|key| set(key))?;
    Some(format!("`{key}` in the gate's entry for `PreToolUse` lets calls pass it"))
}

const fn other(event: &'static str) -> Hooked {
    Hooked { event, tool: false, timeout: TIMEOUT, blocks: false }
}

const fn waits(event: &'static str) -> Hooked {
    Hooked { timeout: AT_A_STOP, ..other(event) }
}

const fn follows(event: &'static str) -> Hooked {
    Hooked { tool: true, ..other(event) }
}

const fn decides(event: &'static str) -> Hooked {
    Hooked { blocks: true, ..follows(event) }
}
