//! What an agent's events honour. Each adapter has a table of rows; `say`, `fault`, `doctor` and the documentation
//! follow it, and nothing else knows an event's powers.

use tollgate_model::Phase;

/// What one event lets a hook do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventCapability {
    /// The agent's name of the event.
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
    /// What an approval does.
    pub allow: Allow,
}

/// How a refusal is said, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deny {
    /// The decision about a call: it does not happen, the model or the person reads why.
    Decision,
    /// The answer to a permission dialog: no.
    Behaviour,
    /// What was about to happen does not happen.
    Block,
    /// It has happened, but the model reads why that was wrong.
    Feedback,
    /// It has happened, and the agent's turn ends.
    EndsTurn,
    /// Cannot be refused.
    Never,
}

/// How a question is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The decision about a call: a person is asked.
    Decision,
    /// The decision about a call, as long as no other hook decides about it too: the question would undo the other's
    /// refusal. A refusal otherwise.
    Alone,
    /// Silence: the agent is about to ask a person anyway, or asks the gate again before the call.
    Silence,
    /// Not at all: it becomes a refusal.
    AsDeny,
}

/// How the turn is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Beside the refusal, since alone it lets the tool run first.
    BesideDeny,
    /// Alone, since a refusal to stop would keep the agent going.
    Alone,
    /// As a part of the refusal.
    Interrupt,
    /// The refusal itself ends the turn.
    IsDeny,
    /// Not at all: a refusal is the most there is.
    AsDeny,
}

/// How text reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// As context of its own.
    Added,
    /// Only beside a refusal: without one it would keep the agent from stopping.
    BesideDeny,
    /// Plain text, which becomes instructions for the compaction. So would JSON, word for word.
    Instructions,
    /// Not at all.
    None,
}

/// Whether the tool input can be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// With any answer but a refusal.
    UnlessDenied,
    /// Only when the call is approved.
    WithAllow,
    /// No.
    None,
}

/// How text reaches the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// As a message of its own.
    Shown,
    /// It is taken, but this version shows it to nobody.
    Unseen,
    /// The model reads it instead.
    ToModel,
    /// Only behind the reason of a refusal, or beside context for the model.
    WithReason,
    /// Plain text, which is shown as it is.
    Plain,
    /// Not at all.
    None,
}

/// What an approval does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allow {
    /// The agent's own prompt is skipped.
    SkipsPrompt,
    /// Nothing: the agent's own rules still decide.
    Nothing,
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
            Ask::Alone => "asked, if no other hook decides",
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
            Message::WithReason => "with the reason",
            Message::Unseen => "sent, not shown",
            Message::ToModel => "told to the model",
            Message::None => "no",
        };
        [deny, ask, halt, context, rewrite, message]
    }

    /// An event that is only told about.
    pub(crate) const fn deaf(name: &'static str, phase: Phase) -> Self {
        Self {
            name,
            phase,
            deny: Deny::Never,
            ask: Ask::AsDeny,
            halt: Halt::AsDeny,
            context: Context::None,
            rewrite: Rewrite::None,
            message: Message::None,
            allow: Allow::Nothing,
        }
    }

    /// An event that can be blocked and whose messages are shown.
    pub(crate) const fn blockable(name: &'static str, phase: Phase) -> Self {
        Self { deny: Deny::Block, message: Message::Shown, ..Self::deaf(name, phase) }
    }

    /// An event that cannot be blocked, but takes text for the model and for the person.
    pub(crate) const fn open(name: &'static str, phase: Phase) -> Self {
        Self { context: Context::Added, message: Message::Shown, ..Self::deaf(name, phase) }
    }

    /// An event at which a call waits, and that takes nothing but a refusal and its reason.
    pub(crate) const fn decides(name: &'static str) -> Self {
        Self { deny: Deny::Decision, message: Message::WithReason, ..Self::deaf(name, Phase::PreTool) }
    }

    /// An event that cannot be blocked, but takes text for the model; the person's goes with it.
    pub(crate) const fn heard(name: &'static str, phase: Phase) -> Self {
        Self { context: Context::Added, message: Message::WithReason, ..Self::deaf(name, phase) }
    }

    /// An event that can be blocked, in silence.
    pub(crate) const fn mute(name: &'static str, phase: Phase) -> Self {
        Self { deny: Deny::Block, ..Self::deaf(name, phase) }
    }

    /// An event of which nothing is known: nothing is printed, since it may be taken for anything.
    pub(crate) const UNKNOWN: Self = Self::deaf("", Phase::Other);
}
