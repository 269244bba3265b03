//! Which calls are understood to be harmless: everything they do is certain and only reads in the workspace.
//!
//! Invariant: a call is harmless because each of its effects is known to be, never because nothing was found.

use tollgate_model::{Certainty, CodeSource, Effect, EffectKind, Event, ToolCall, Zone};

/// Would the call that waits for an answer only read, and only in the workspace?
#[must_use]
pub fn only_reads(event: &Event, effects: &[Effect]) -> bool {
    let understood = match event.pending().map(|tool| &tool.call) {
        Some(ToolCall::Shell { sandbox_off, .. }) => !sandbox_off,
        Some(ToolCall::Read { .. } | ToolCall::Search { .. }) => true,
        _ => false,
    };
    understood && !effects.is_empty() && effects.iter().all(is_harmless)
}

fn is_harmless(effect: &Effect) -> bool {
    effect.certainty == Certainty::Certain
        && match &effect.kind {
            EffectKind::Read { place, .. } => place.zone == Zone::Workspace,
            EffectKind::Write { place, .. } => place.path == "/dev/null",
            EffectKind::Exec { program, argv, source: CodeSource::Literal } => is_reader(program, argv),
            _ => false,
        }
}

/// Does a program only read when it is started like this? What it reads is an effect of its own.
fn is_reader(program: &str, argv: &[String]) -> bool {
    let Some((command, args)) = argv.split_first() else { return false };
    let folder = command.rsplit_once('/').map_or("/bin", |(folder, _)| folder);
    if !matches!(folder, "/bin" | "/usr/bin") {
        return false;
    }
    // A word that is not known may be an option.
    if args.iter().any(|word| word.starts_with('*') || (word.starts_with('-') && word.contains('*'))) {
        return false;
    }
    if program == "git" {
        return is_git_reader(args);
    }
    let options = || args.iter().filter(|word| word.starts_with('-') && word.len() > 1);
    READERS.iter().any(|(name, doubtful)| {
        *name == program && options().all(|word| !doubtful.iter().any(|d| is_option(word, d)))
    })
}

/// Programs that only read, with the options that make them write, run or set something.
const READERS: &[(&str, &[&str])] = &[
    ("[", &[]),
    ("b2sum", &[]),
    ("basename", &[]),
    ("cat", &[]),
    ("cd", &[]),
    ("cksum", &[]),
    ("cmp", &[]),
    ("comm", &[]),
    ("cut", &[]),
    ("date", &["-s", "--set"]),
    ("df", &[]),
    ("diff", &["-l", "--paginate"]),
    ("dirname", &[]),
    ("du", &[]),
    ("echo", &[]),
    ("egrep", &[]),
    ("false", &[]),
    ("fgrep", &[]),
    ("file", &["-C", "-m", "-z", "--compile", "--magic-file", "--uncompress"]),
    ("find", &[]),
    ("grep", &[]),
    ("head", &[]),
    ("id", &[]),
    ("join", &[]),
    ("ls", &[]),
    ("md5sum", &[]),
    ("nl", &[]),
    ("od", &[]),
    ("paste", &[]),
    ("printf", &[]),
    ("pwd", &[]),
    ("readlink", &[]),
    ("realpath", &[]),
    ("rev", &[]),
    ("rg", &["-z", "--pre", "--hostname-bin", "--search-zip"]),
    ("sed", &["-i", "-s", "--in-place", "--separate"]),
    ("seq", &[]),
    ("sha1sum", &[]),
    ("sha256sum", &[]),
    ("sha512sum", &[]),
    ("sort", &["-o", "-T", "-S", "--output", "--temporary-directory", "--compress-program", "--files0-from"]),
    ("stat", &[]),
    ("tac", &[]),
    ("tail", &[]),
    ("test", &[]),
    ("tree", &["-o"]),
    ("true", &[]),
    ("uname", &[]),
    ("wc", &[]),
    ("which", &[]),
    ("whoami", &[]),
];

/// May a word be this option, alone, with a value, among others, or cut short?
fn is_option(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    if option.starts_with("--") {
        return name.len() > 2 && name.starts_with("--") && option.starts_with(name);
    }
    let letter = option.trim_start_matches('-');
    !word.starts_with("--") && word.contains(letter)
}

/// Verbs of git that only read, whatever their options; those that write name the file they write.
const GIT_VERBS: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];

/// Verbs of git that list when they are given nothing but these.
const GIT_LISTS: &[(&str, &[&str])] = &[
    ("branch", &["-a", "-r", "-v", "-vv", "--all", "--list", "--remotes", "--show-current", "--verbose"]),
    ("remote", &["-v", "--verbose"]),
    ("stash", &["list"]),
    ("tag", &["-l", "--list"]),
    ("worktree", &["list"]),
];

fn is_git_reader(args: &[String]) -> bool {
    let mut words = args.iter().map(String::as_str).skip_while(|word| *word == "--no-pager");
    let Some(verb) = words.next() else { return false };
    let rest: Vec<&str> = words.collect();
    let lists = |(name, only): &(&str, &[&str])| {
        *name == verb
            && rest.iter().all(|word| only.contains(word))
            && (!matches!(verb, "stash" | "worktree") || !rest.is_empty())
    };
    GIT_VERBS.contains(&verb) || GIT_LISTS.iter().any(lists)
}
