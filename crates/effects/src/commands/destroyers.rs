//! Tools that nobody knows, told to take something away for good and not to ask: `tool noun delete name --force`. What
//! lies on this machine and is made again is not meant.

use tollgate_model::{Certainty, EffectKind, InfraTool};

use super::Run;
use crate::word::Word;

/// Verbs that nothing takes back.
const VERBS: &[&str] = &["delete", "destroy", "purge", "wipe", "nuke", "erase", "terminate", "obliterate"];

/// Options by which programs agree not to ask.
const SURE: &[&str] = &[
    "--force",
    "-force",
    "--yes",
    "-y",
    "--no-prompt",
    "--no-confirm",
    "--assume-yes",
    "--auto-approve",
    "--non-interactive",
    "--no-input",
    "--skip-confirmation",
    "--skip-confirm",
    "--no-dry-run",
];

/// Options with which nothing happens yet.
const TRIES: &[&str] = &["--dry-run", "--help"];

/// Kinds of things that belong to this machine, to a test, or to the work at hand.
const OWN: &[&str] = &[
    "cache",
    "caches",
    "tmp",
    "temp",
    "local",
    "localhost",
    "test",
    "tests",
    "testing",
    "dev",
    "lock",
    "locks",
    "log",
    "logs",
    "build",
    "builds",
    "artifact",
    "artifacts",
    "worktree",
    "worktrees",
    "branch",
    "branches",
    "venv",
    "virtualenv",
    "session",
    "sessions",
    "alias",
    "aliases",
    "history",
    "fixture",
    "fixtures",
    "sandbox",
    "demo",
    "example",
    "examples",
    "scratch",
    "dist",
    "node_modules",
    "workspace",
    "profile",
    "config",
    "note",
    "notes",
    "todo",
    "task",
    "tasks",
    "comment",
    "comments",
    "draft",
    "drafts",
    "label",
    "labels",
    "tab",
    "tabs",
    "window",
    "pane",
    "bookmark",
    "bookmarks",
    "toolchain",
    "plugin",
    "plugins",
    "extension",
    "extensions",
    "theme",
    "themes",
];

/// How many words that are no options may stand up to the verb.
const DEPTH: usize = 4;

/// Takes down what a tool of which nothing is known would take away without a question.
pub(super) fn notice(run: &mut Run) {
    let words: Vec<String> = run.args.iter().take(32).map(Word::shown).collect();
    let sure = |(at, word): (usize, &String)| {
        SURE.contains(&word.as_str())
            || word == "-f" && words.get(at + 1).is_none_or(|next| next.starts_with('-'))
    };
    if !words.iter().enumerate().any(sure) || words.iter().any(|word| is_trial(word)) {
        return;
    }
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    // Behind an option stands its value as likely as a word of its own.
    let behind =
        |at: usize| at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| word.starts_with('-'));
    let files =
        words.iter().enumerate().any(|(at, word)| !word.starts_with('-') && !behind(at) && is_file(word));
    // `lume delete name` is one of this machine's own things; what a service keeps has a noun: `topic delete name`.
    let told = |(at, word): (usize, &&str)| is_verb(word) && (at > 0 || !VERBS.contains(word));
    let told = operands.len() > 1 && operands.iter().take(DEPTH).enumerate().any(told)
        || run.program.ends_with("-nuke");
    // The noun says what kind of thing goes, with the verb or before it; what it is called says nothing.
    let verb = operands.iter().position(|word| is_verb(word)).unwrap_or_default();
    let nouns = operands.iter().take(verb + 1);
    let own = nouns.flat_map(|word| word.split(|c: char| !c.is_alphanumeric())).any(is_own);
    if told && !own && !files {
        let target = format!("{} {}", run.program, operands.join(" ")).chars().take(120).collect();
        let (tool, operation) = (run.program.to_owned(), "delete".to_owned());
        run.analyst.push(
            EffectKind::Infra { tool: InfraTool::Named(tool), operation, target },
            run.call.span,
            Certainty::Possible,
        );
    }
}

fn is_trial(word: &str) -> bool {
    TRIES.contains(&word.split('=').next().unwrap_or_default())
}

/// `delete`, `delete-topic`, `topics:destroy`.
fn is_verb(word: &str) -> bool {
    let mut parts = word.split([':', '-', '_', '.']);
    let first = parts.next().unwrap_or_default();
    VERBS.contains(&first) || parts.next_back().is_some_and(|last| VERBS.contains(&last))
}

fn is_own(part: &str) -> bool {
    OWN.contains(&part.to_ascii_lowercase().as_str())
}

/// A word that names a file: such tools work on files, which are judged as such.
fn is_file(word: &str) -> bool {
    let ends = |(stem, end): (&str, &str)| {
        !stem.is_empty() && (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphabetic())
    };
    word.starts_with(['.', '/', '~']) || !word.contains("://") && word.rsplit_once('.').is_some_and(ends)
}
