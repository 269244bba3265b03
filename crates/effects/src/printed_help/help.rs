//! The options that programs print themselves, against those that are known here.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use super::probe;
use crate::options::{Takes, known};

/// Programs whose help is safe to ask for and written as GNU writes it, with the words before the options.
const PROGRAMS: &[&str] = &[
    "rm",
    "rmdir",
    "cp",
    "mv",
    "ln",
    "install",
    "mkdir",
    "shred",
    "truncate",
    "tee",
    "chmod",
    "chown",
    "chgrp",
    "tar",
    "sed",
    "xargs",
    "sort",
    "split",
    "env",
    "nice",
    "timeout",
    "stdbuf",
    "nohup",
    "realpath",
    "readlink",
    "dirname",
    "basename",
    "mktemp",
    "wipefs",
    "fallocate",
    "mount",
    "pkill",
    "killall",
    "setsid",
    "flock",
    "ionice",
    "unshare",
    "nsenter",
    "chroot",
    "taskset",
    "curl",
    "wget",
    "base64",
    "base32",
    "patch",
    "psql",
    "useradd",
    "usermod",
    "script",
    "watch",
    "su",
    "setpriv",
    "runuser",
    "chrt",
    "docker",
    "docker run",
    "docker exec",
    "docker compose",
    "docker compose run",
    "docker compose exec",
    "cat",
    "head",
    "tail",
    "nl",
    "od",
    "wc",
    "cut",
    "paste",
    "uniq",
    "fold",
    "fmt",
    "expand",
    "unexpand",
    "shuf",
    "csplit",
    "diff",
    "cmp",
    "comm",
    "join",
    "md5sum",
    "cksum",
    "iconv",
    "grep",
    "tac",
    "systemctl",
    "make",
    "tr",
];

/// Verbs of git that lose, rewrite, publish or run something. Those that print differences are not read option by
/// option: every word of theirs is looked at.
const GIT: &[&str] = &[
    "reset",
    "checkout",
    "restore",
    "switch",
    "clean",
    "rm",
    "mv",
    "checkout-index",
    "read-tree",
    "push",
    "fetch",
    "pull",
    "clone",
    "init",
    "commit",
    "branch",
    "tag",
    "add",
    "stash push",
    "update-ref",
    "gc",
    "prune",
    "reflog expire",
    "worktree add",
    "worktree remove",
    "rebase",
    "merge",
    "am",
    "apply",
    "archive",
    "bundle create",
    "grep",
    "remote add",
    "config",
    "submodule foreach",
    "mergetool",
    "send-pack",
    "ls-remote",
];

/// Options that are known to differ, and why.
const REASONS: &[(&str, &str, &str)] = &[
    ("cut", "M", "a form of a list"),
    ("diff", "GTYPE-group-format", "stands for several names"),
    ("diff", "LTYPE-line-format", "stands for several names"),
    ("make", "j", "the value can be left out"),
    ("make", "l", "the value can be left out"),
    ("sort", "c", "only the long form takes a value"),
    ("sort", "C", "only the long form takes a value"),
    ("sort", "check", "the value can be left out"),
    ("killall", "o", "its help leaves the value out"),
    ("killall", "older-than", "its help leaves the value out"),
    ("killall", "y", "its help leaves the value out"),
    ("killall", "younger-than", "its help leaves the value out"),
    ("nsenter", "W", "its help parts the names with a dot"),
    ("psql", "single-transaction", "what stands before it is a remark"),
    ("psql", "1", "what stands behind it is a remark"),
    ("wget", "nc", "read as `-n` with the rest attached"),
    ("wget", "nd", "read as `-n` with the rest attached"),
    ("wget", "nH", "read as `-n` with the rest attached"),
    ("wget", "np", "read as `-n` with the rest attached"),
    ("wget", "nv", "read as `-n` with the rest attached"),
    ("wget", "hsts-file", "its help leaves the value out"),
    ("wget", "max-redirect", "its help leaves the value out"),
];

#[test]
#[ignore = "asks the programs of this machine"]
fn options_are_as_the_programs_print_them() {
    let mut wrong = Vec::new();
    let git = GIT.iter().map(|verb| format!("git {verb}"));
    for program in PROGRAMS.iter().map(|name| (*name).to_owned()).chain(git) {
        let (_, specs) = probe(&format!("{program} a b"));
        for (option, takes) in printed(&program) {
            let found: Vec<Takes> = specs.iter().filter_map(|spec| known(spec, &option)).collect();
            let excused = REASONS.iter().any(|(name, known, _)| *name == program && *known == option);
            let right = found.iter().any(|found| agrees(&option, *found, takes));
            if !right && !excused {
                wrong.push(format!("{program}: {option} takes {takes:?}, known as {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A long option with a value that must be attached reads the same as one without: `=` tells.
fn agrees(option: &str, here: Takes, there: Takes) -> bool {
    let long = option.chars().count() > 1;
    here == there
        || long
            && matches!((here, there), (Takes::Nothing, Takes::Attached) | (Takes::Attached, Takes::Nothing))
}

/// The options that a program prints, without dashes, and what they take.
fn printed(program: &str) -> BTreeMap<String, Takes> {
    let mut words = program.split(' ');
    let name = words.next().unwrap_or_default();
    let flag = match name {
        "git" => "-h",
        _ => "--help",
    };
    let more: &[&str] = if name == "curl" { &["all"] } else { &[] };
    let output = Command::new(name)
        .args(words)
        .arg(flag)
        .args(more)
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else { return BTreeMap::new() };
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).lines().flat_map(options_of).collect()
}

/// The options at the start of a line of help.
fn options_of(line: &str) -> Vec<(String, Takes)> {
    let text = line.trim_start();
    if line.len() == text.len() || !text.starts_with('-') || line.len() - text.len() > 10 {
        return Vec::new();
    }
    let text = text.replace(",  ", ", ");
    let text = if text.get(2..5) == Some(" --") { text.replacen(" --", ", --", 1) } else { text };
    let text = text.split("  ").next().unwrap_or_default().split('\t').next().unwrap_or_default();
    let entries: Vec<&str> = text.split(',').map(str::trim).filter(|entry| entry.starts_with('-')).collect();
    // What stands behind one name is meant for all that have nothing of their own.
    let last = entries.iter().map(|entry| takes(entry)).rfind(|takes| *takes != Takes::Nothing);
    let last = last.unwrap_or(Takes::Nothing);
    let own = |entry: &&str| if takes(entry) == Takes::Nothing { last } else { takes(entry) };
    let named: Vec<(String, Takes)> = entries.iter().map(|entry| (name(entry), own(entry))).collect();
    // Who asks for help or the version gets nothing else.
    if named.iter().any(|(name, _)| matches!(name.as_str(), "help" | "version" | "usage")) {
        return Vec::new();
    }
    named.into_iter().filter(|(name, _)| !name.is_empty() && name != "NUM").collect()
}

fn name(entry: &str) -> String {
    let entry = entry.trim_start_matches('-').trim_start_matches("[no-]");
    entry.split([' ', '=', '[', '<', '(']).next().unwrap_or_default().trim_end_matches('.').to_owned()
}

fn takes(entry: &str) -> Takes {
    let bare = entry.replacen("[no-]", "", 1);
    let rest = bare.trim_start_matches('-');
    match rest.find([' ', '=', '[', '<', '(']).and_then(|at| rest.get(at..)) {
        None => Takes::Nothing,
        Some(rest) if rest.starts_with('[') => Takes::Attached,
        // Behind a blank, a value is in brackets or in capitals, or it is the description.
        Some(rest) if rest.starts_with(' ') && !is_value(rest.trim_start()) => Takes::Nothing,
        Some(_) => Takes::Value,
    }
}

fn is_value(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    let capital = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '-' | ':' | '=' | '.' | '[' | ']');
    let types = [
        "string",
        "list",
        "int",
        "uint",
        "uint16",
        "bytes",
        "decimal",
        "duration",
        "mount",
        "network",
        "map",
        "ulimit",
        "gpu-request",
        "n",
    ];
    word.starts_with(['<', '[', '('])
        || word.contains('|')
        || word == text && word.len() == 1
        || word.len() > 1 && word.chars().all(capital)
        || types.contains(&word)
}
