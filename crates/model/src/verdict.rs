use serde::{Deserialize, Serialize};

/// What becomes of a call. Ordered: joining two verdicts is `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Goes on, in silence.
    #[default]
    Allow,
    /// Goes on, and is remembered.
    Note,
    /// Goes on, because everything that it would lose is saved first.
    Save,
    /// A person is asked.
    Ask,
    /// Does not run.
    Deny,
    /// Does not run, and the agent's turn ends.
    Halt,
}

impl Verdict {
    /// Every verdict, mildest first.
    pub const ALL: [Self; 6] = [Self::Allow, Self::Note, Self::Save, Self::Ask, Self::Deny, Self::Halt];

    /// The call must not run without a person's word.
    #[must_use]
    pub fn refuses(self) -> bool {
        self >= Self::Ask
    }

    /// `allow`, `note`, `save`, `ask`, `deny`, `halt`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Note => "note",
            Self::Save => "save",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }
}

/// How bad a rule's hit is, as the policy sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not looked at.
    Off,
    /// Remembered.
    Note,
    /// Runs once everything that the call would lose is saved; where that cannot be done, the rule's stricter level holds.
    Save,
    /// A person is asked.
    Ask,
    /// Refused.
    Deny,
}

impl Level {
    /// The names a policy file may use, mildest first.
    pub const NAMES: [&'static str; 5] = ["off", "note", "save", "ask", "deny"];

    /// The verdict of a hit at this level.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Off => Verdict::Allow,
            Self::Note => Verdict::Note,
            Self::Save => Verdict::Save,
            Self::Ask => Verdict::Ask,
            Self::Deny => Verdict::Deny,
        }
    }

    /// Its name in a policy file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Note => "note",
            Self::Save => "save",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Whether refusals are carried out. Ordered: the later is the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Decide and log, never refuse (self-protection still does).
    Observe,
    /// Refuse what is to be refused.
    #[default]
    Enforce,
}

/// What a safety event gets when the gate itself cannot decide. Ordered: the later is the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFault {
    /// Let it run, and say so.
    Allow,
    /// Ask a person; deny where nobody can be asked.
    #[default]
    Ask,
    /// Refuse.
    Deny,
}

/// Whether calls understood to be harmless skip the agent's own prompt. Ordered: the later is the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Approve {
    /// Certain, read-only and inside the workspace.
    #[serde(rename = "read-only")]
    ReadOnly,
    /// Never.
    #[default]
    #[serde(rename = "none")]
    None,
}
