//! Rules that a policy file brings with it: `custom`. They only ever refuse, so every layer may have some.

use serde::{Deserialize, Serialize};
use tollgate_model::{Level, json};

use crate::cel::Condition;

/// A rule of a policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custom {
    /// Its name.
    pub id: String,
    /// How bad a hit is.
    pub level: Level,
    /// The phases it is asked at.
    pub on: Vec<String>,
    /// The condition as it stands in the file.
    pub when: String,
    /// The same, checked.
    pub condition: Condition,
    /// Why, in the author's words.
    pub reason: String,
    /// What to do instead; may be empty.
    pub instead: String,
    /// Its tests.
    pub examples: Vec<Sample>,
    /// Whose file it stands in: `managed`, `user`, `project`.
    pub layer: String,
    /// That file, for messages.
    pub file: String,
    /// Line and column there.
    pub place: (u32, u32),
}

/// An example of a custom rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The rule must see it.
    pub hit: bool,
    /// The tool, as Claude Code names it; empty for a prompt.
    pub tool: String,
    /// The tool's input as JSON, or the prompt.
    pub input: String,
    /// Line and column in the file.
    pub place: (u32, u32),
}

impl Sample {
    /// The command, the call or the prompt.
    #[must_use]
    pub fn shown(&self) -> String {
        let input = json::parse(self.input.as_bytes()).ok();
        let command = input.as_ref().and_then(|input| input.text("command"));
        match (self.tool.as_str(), command) {
            ("Bash", Some(command)) => command.to_owned(),
            ("", _) => self.input.clone(),
            (tool, _) => format!("{tool} {}", self.input),
        }
    }
}

impl Custom {
    /// Whose it is, for a sentence: "the project's policy".
    #[must_use]
    pub fn whose(&self) -> &'static str {
        match self.layer.as_str() {
            "managed" => "the managed policy",
            "user" => "the user's policy",
            _ => "the project's policy",
        }
    }
}

/// The rules of two policies. The same id with another condition stays twice: both hold.
pub(crate) fn both(a: &[Custom], b: &[Custom]) -> Vec<Custom> {
    let more = b.iter().filter(|one| {
        a.iter()
            .all(|other| other.id != one.id || other.condition != one.condition || other.level < one.level)
    });
    a.iter().chain(more).cloned().collect()
}
