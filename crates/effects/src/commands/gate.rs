//! Tollgate itself, run from a tool call: the owner's commands and the hook are not for agents.

use tollgate_model::EffectKind;
use tollgate_shell::eval::Outcome;

use super::{Commands, Run};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[("tollgate", tollgate)];

/// Commands that only look.
const LOOKS: &[&str] = &[
    "check",
    "build",
    "explain",
    "test",
    "replay",
    "validate",
    "rules",
    "exceptions",
    "log",
    "stats",
    "status",
    "report",
    "audit",
    "doctor",
    "suggest",
    "watch",
    "schema",
    "completions",
    "man",
    "help",
    "--help",
    "-h",
    "--version",
    "-V",
    "",
];

fn tollgate(run: &mut Run) -> Outcome {
    let options = read(run.args, "config= state= json color=", Order::Anywhere);
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let sub = options.operands.get(1).map(Word::shown).unwrap_or_default();
    let looks = LOOKS.contains(&verb.as_str())
        || (verb == "state" && matches!(sub.as_str(), "get" | "list" | ""))
        || (verb == "workflow"
            && matches!(sub.as_str(), "list" | "status" | "graph" | "check" | "eject" | ""));
    if !looks {
        run.push(EffectKind::Tamper {
            what: format!("the gate itself (`tollgate {verb}` is for its owner)"),
        });
    }
    run.derived()
}
