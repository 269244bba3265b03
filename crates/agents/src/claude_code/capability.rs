//! What Claude Code 2.1.325 honours, event by event.

use tollgate_model::Phase;

use crate::capability::{Allow, Ask, Context, Deny, EventCapability as Row, Halt, Message, Rewrite};

pub(super) static TABLE: &[Row] = &[
    Row {
        deny: Deny::Decision,
        ask: Ask::Decision,
        halt: Halt::BesideDeny,
        rewrite: Rewrite::UnlessDenied,
        allow: Allow::SkipsPrompt,
        ..Row::open("PreToolUse", Phase::PreTool)
    },
    Row {
        deny: Deny::Behaviour,
        ask: Ask::Silence,
        halt: Halt::Interrupt,
        rewrite: Rewrite::WithAllow,
        allow: Allow::SkipsPrompt,
        message: Message::Unseen,
        ..Row::deaf("PermissionRequest", Phase::Permission)
    },
    Row::deaf("PermissionDenied", Phase::PermissionDenied),
    Row { deny: Deny::Feedback, halt: Halt::BesideDeny, ..Row::open("PostToolUse", Phase::PostTool) },
    Row { deny: Deny::Feedback, ..Row::open("PostToolUseFailure", Phase::PostToolFail) },
    Row { deny: Deny::EndsTurn, halt: Halt::IsDeny, ..Row::open("PostToolBatch", Phase::PostBatch) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("UserPromptSubmit", Phase::Prompt) },
    Row { deny: Deny::Block, halt: Halt::IsDeny, ..Row::open("UserPromptExpansion", Phase::Expand) },
    Row::open("SessionStart", Phase::SessionStart),
    Row::deaf("SessionEnd", Phase::SessionEnd),
    Row::open("Setup", Phase::Other),
    Row { context: Context::BesideDeny, halt: Halt::Alone, ..Row::blockable("Stop", Phase::Stop) },
    Row {
        context: Context::BesideDeny,
        halt: Halt::Alone,
        ..Row::blockable("SubagentStop", Phase::SubagentStop)
    },
    Row::deaf("StopFailure", Phase::StopError),
    Row::open("SubagentStart", Phase::SubagentStart),
    Row { context: Context::Instructions, ..Row::mute("PreCompact", Phase::PreCompact) },
    Row { message: Message::Plain, ..Row::deaf("PostCompact", Phase::PostCompact) },
    Row { deny: Deny::Decision, ask: Ask::Decision, ..Row::blockable("PreModelSwitch", Phase::Other) },
    Row::open("PostModelSwitch", Phase::Other),
    Row { halt: Halt::Alone, ..Row::blockable("TeammateIdle", Phase::Other) },
    Row::blockable("TaskCreated", Phase::Other),
    Row::blockable("TaskCompleted", Phase::Other),
    Row { ask: Ask::Silence, ..Row::mute("Elicitation", Phase::Other) },
    Row::mute("ElicitationResult", Phase::Other),
    Row::mute("ConfigChange", Phase::ConfigChange),
    Row::deaf("Notification", Phase::Notification),
    Row::deaf("InstructionsLoaded", Phase::Other),
    Row { message: Message::Shown, ..Row::deaf("CwdChanged", Phase::Other) },
    Row { message: Message::Shown, ..Row::deaf("FileChanged", Phase::Other) },
    Row { message: Message::ToModel, ..Row::deaf("DirectoryAdded", Phase::Other) },
    Row::deaf("MessageDisplay", Phase::Other),
    Row::deaf("WorktreeCreate", Phase::Other),
    Row::deaf("WorktreeRemove", Phase::Other),
];
