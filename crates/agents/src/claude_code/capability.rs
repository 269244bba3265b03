//! What Claude Code 2.1.325 honours, event by event. `say`, `fault`, `doctor` and the documentation follow this
//! table; nothing else in the crate knows an event's powers.

use tollgate_model::Phase;

/// What one event lets a hook do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventCapability {
    /// Claude Code's name of the event.
    pub name: &'static str,
    /// Its place in an agent's life.
    pub phase: Phase,
    /// How a refusal is said.
    pub deny: Deny,
    /// How a question is said.
    pub ask: Ask,
    /// How the turn is ended.
    pub halt: Halt,
    /// How text reaches the model.
    pub context: Context,
    /// Whether the tool input can be replaced.
    pub rewrite: Rewrite,
    /// How text reaches the person.
    pub message: Message,
}

/// How a refusal is said, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deny {
    /// `permissionDecision: deny`: does not happen, the model or the person reads why.
    Decision,
    /// `decision.behavior: deny`: the dialog is answered with no. Nothing else is listened to, not even exit 2.
    Behaviour,
    /// `decision: block`: does not happen.
    Block,
    /// `decision: block`: it has happened, but the model reads why that was wrong.
    Feedback,
    /// `decision: block`: it has happened, and the agent's turn ends.
    EndsTurn,
    /// Cannot be refused.
    Never,
}

/// How a question is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `permissionDecision: ask`.
    Decision,
    /// Silence: Claude Code is about to ask a person anyway.
    Silence,
    /// Not at all: it becomes a refusal.
    AsDeny,
}

/// How the turn is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// `continue: false` beside the refusal, since alone it lets the tool run first.
    BesideDeny,
    /// `continue: false` alone, since a refusal to stop would keep the agent going.
    Alone,
    /// `interrupt: true` in the refusal.
    Interrupt,
    /// The refusal itself ends the turn.
    IsDeny,
    /// Not at all: a refusal is the most there is.
    AsDeny,
}

/// How text reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// `additionalContext`.
    Added,
    /// `additionalContext`, only beside a refusal: without one it would keep the agent from stopping.
    BesideDeny,
    /// Plain text, which becomes instructions for the compaction. So would JSON, word for word.
    Instructions,
    /// Not at all.
    None,
}

/// Whether the tool input can be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// `updatedInput`, with any answer but a refusal.
    UnlessDenied,
    /// `updatedInput`, only when the call is approved.
    WithAllow,
    /// No.
    None,
}

/// How text reaches the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// `systemMessage`.
    Shown,
    /// `systemMessage` is taken, but this version shows it to nobody.
    Unseen,
    /// `systemMessage`, which the model reads instead.
    ToModel,
    /// Plain text, which is shown as it is.
    Plain,
    /// Not at all.
    None,
}

/// One row per event of Claude Code 2.1.325.
#[must_use]
pub fn capabilities() -> &'static [EventCapability] {
    TABLE
}

/// The row of an event; nothing when this version has no such event.
#[must_use]
pub fn capability(name: &str) -> Option<&'static EventCapability> {
    TABLE.iter().find(|row| row.name == name)
}

impl EventCapability {
    /// What the event honours, in words: deny, ask, halt, context, rewrite, message.
    #[must_use]
    pub fn words(&self) -> [&'static str; 6] {
        let deny = match self.deny {
            Deny::Decision | Deny::Behaviour | Deny::Block => "refused",
            Deny::Feedback => "too late, told to the model",
            Deny::EndsTurn => "too late, ends the turn",
            Deny::Never if self.message == Message::None => "no",
            Deny::Never => "no, but told",
        };
        let ask = match self.ask {
            Ask::Decision => "asked",
            Ask::Silence => "asked by the agent",
            Ask::AsDeny => "as deny",
        };
        let halt = match self.halt {
            Halt::BesideDeny if self.deny == Deny::Feedback => "ends the turn",
            Halt::BesideDeny | Halt::Interrupt => "refused, ends the turn",
            Halt::Alone => "ends the turn",
            Halt::IsDeny => "ends the turn, as deny",
            Halt::AsDeny => "as deny",
        };
        let context = match self.context {
            Context::Added => "yes",
            Context::BesideDeny => "beside a deny",
            Context::Instructions => "as compact instructions",
            Context::None => "no",
        };
        let rewrite = match self.rewrite {
            Rewrite::UnlessDenied => "yes",
            Rewrite::WithAllow => "when approved",
            Rewrite::None => "no",
        };
        let message = match self.message {
            Message::Shown | Message::Plain => "shown",
            Message::Unseen => "sent, not shown",
            Message::ToModel => "told to the model",
            Message::None => "no",
        };
        [deny, ask, halt, context, rewrite, message]
    }

    /// An event that is only told about.
    const fn deaf(name: &'static str, phase: Phase) -> Self {
        Self {
            name,
            phase,
            deny: Deny::Never,
            ask: Ask::AsDeny,
            halt: Halt::AsDeny,
            context: Context::None,
            rewrite: Rewrite::None,
            message: Message::None,
        }
    }

    /// An event that can be blocked and whose messages are shown.
    const fn blockable(name: &'static str, phase: Phase) -> Self {
        Self { deny: Deny::Block, message: Message::Shown, ..Self::deaf(name, phase) }
    }

    /// An event that cannot be blocked, but takes text for the model and for the person.
    const fn open(name: &'static str, phase: Phase) -> Self {
        Self { context: Context::Added, message: Message::Shown, ..Self::deaf(name, phase) }
    }

    /// An event that can be blocked, in silence.
    const fn mute(name: &'static str, phase: Phase) -> Self {
        Self { deny: Deny::Block, ..Self::deaf(name, phase) }
    }

    /// An event of which nothing is known: nothing is printed, since it may be taken for anything.
    pub(super) const UNKNOWN: Self = Self::deaf("", Phase::Other);
}

type Row = EventCapability;

static TABLE: &[EventCapability] = &[
    Row {
        deny: Deny::Decision,
        ask: Ask::Decision,
        halt: Halt::BesideDeny,
        rewrite: Rewrite::UnlessDenied,
        ..Row::open("PreToolUse", Phase::PreTool)
    },
    Row {
        deny: Deny::Behaviour,
        ask: Ask::Silence,
        halt: Halt::Interrupt,
        rewrite: Rewrite::WithAllow,
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
