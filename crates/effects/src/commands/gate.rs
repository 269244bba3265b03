//! Tollgate itself, run from a tool call: the owner's commands and the hook are not for agents.

use tollgate_model::{Effect, EffectKind, Tampered};
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
    if verb == "undo" && takes_back(run, &sub) {
        return run.derived();
    }
    if let Some(command) = limited(run.args) {
        return if command.is_empty() { run.derived() } else { run.inner(&command) };
    }
    if !looks {
        run.push(EffectKind::Tamper {
            target: Tampered::Gate,
            what: format!("Tollgate (only the person may run `tollgate {verb}`)"),
        });
    }
    run.derived()
}

/// The command that `tollgate run` starts; none with `--limits`. It is judged as if it stood alone: an agent that types its own
/// limits gains nothing by them. `None` where this is no `tollgate run`, or where the shell could make the command begin elsewhere.
fn limited(args: &[Word]) -> Option<Vec<Word>> {
    let (verb, rest) = args.split_first()?;
    let is_plain = |word: &Word| word.literal().is_some();
    let end = rest.iter().position(|word| word.literal() == Some("--")).unwrap_or(rest.len());
    let (options, command) = rest.split_at_checked(end)?;
    let shows = options.iter().any(|word| word.literal() == Some("--limits"));
    if verb.literal() != Some("run") || !options.iter().all(is_plain) || command.is_empty() && !shows {
        return None;
    }
    // What comes with `--limits` is not run; that it is judged all the same does no harm.
    Some(command.iter().skip(1).cloned().collect())
}

/// `tollgate undo` in an agent's shell: an ordinary writing call, as long as it works on the session's own saved files.
/// Which these are stands in the environment, so nothing in the call may change that: a store that somebody else laid out
/// would be written wherever it says.
fn takes_back(run: &mut Run, sub: &str) -> bool {
    let words: Option<Vec<&str>> = run.args.iter().map(Word::literal).collect();
    let Some(words) = words else { return false };
    let is_other = |word: &&str| ["--state", "--config", "--diff"].iter().any(|name| word.starts_with(name));
    let earlier = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, .. } => program != "tollgate",
        _ => false,
    };
    let is_told = !run.call.assigns.is_empty() || run.shell.exported().next().is_some();
    if words.iter().any(is_other) || is_told || run.analyst.found().iter().any(earlier) {
        return false;
    }
    if !matches!(sub, "list" | "show" | "") {
        let here = Word::literal_at(run.analyst.world.workspace(), run.call.span);
        run.analyst.alter(&here, false, run.shell);
    }
    true
}
