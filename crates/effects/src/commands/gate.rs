//! Tollgate itself, run from a tool call: the owner's commands and the hook are not for agents.

use tollgate_model::EffectKind;
use tollgate_shell::eval::Outcome;

use super::Run;
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;
use tollgate_catalogue::Tag;

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

/// A mount over the gate's own files, or over what they lie in, hides them.
pub(super) fn notice_mount(run: &mut Run) {
    let plain = |word: &&Word| !word.text.prefix().starts_with('-');
    if catalogue::is(run.program, Tag::Mounts)
        && let Some(target) = run.args.iter().rfind(plain)
    {
        run.analyst.cover(&target.clone(), true, run.shell);
    }
}

pub(super) fn tollgate(run: &mut Run) -> Outcome {
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
