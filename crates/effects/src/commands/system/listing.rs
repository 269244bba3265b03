//! Lists of everything there is, until something picks some of it: processes, files, containers.

use tollgate_shell::value::Taint;

use crate::analyst::taint;
use crate::catalogue;
use crate::commands::readers::is_file;
use crate::commands::uses::is_flag;
use crate::commands::{Run, find, wrappers};
use crate::word::Word;
use tollgate_catalogue::Tag;

/// The marks of what a command prints: lists, and what is left of them.
pub(crate) fn marks(run: &mut Run, printed: Taint) -> Taint {
    // What only starts others prints what they print.
    if wrappers::is_wrapper(run.program)
        || matches!(run.program, "sh" | "bash" | "dash" | "zsh" | "ksh" | "eval")
    {
        return printed;
    }
    let listed = match run.program {
        "ps" => ps(&words(run)),
        "pgrep" => pgrep(&words(run)),
        "ls" if run.args.iter().any(|word| matches!(word.shown().trim_end_matches('/'), "/proc")) => TABLE,
        "ls" | "find" | "stat" | "du" if run.args.iter().any(is_every_process) => TABLE,
        "basename" | "echo" | "printf" if run.args.iter().any(is_every_process) => taint::PROCESSES,
        "find" if run.args.iter().any(|word| matches!(word.shown().trim_end_matches('/'), "/proc")) => {
            taint::PROCESSES
        }
        "lsblk" | "blkid" | "findmnt" | "df" | "mount" => taint::DEVICES,
        "seq" if counts_far(&words(run)) => taint::PROCESSES,
        "docker" | "podman" | "nerdctl" | "finch" => super::super::containers::listed(&words(run)),
        _ => names(run),
    };
    let came = Taint(printed.0 & ALL);
    let kept = if came.is_empty() { came } else { kept(run, came) };
    Taint(printed.0 & !ALL).union(listed).union(kept)
}

/// Rows with a process each, and other things about it.
const TABLE: Taint = taint::TABLE;

const ALL: u64 = taint::TABLE.0 | taint::PROCESSES.0 | taint::LISTED.0 | taint::CONTAINERS.0;

/// `/proc/[0-9]*`: the folders of all processes.
pub(super) fn is_every_process(word: &Word) -> bool {
    let shown = word.shown();
    let name = shown.strip_prefix("/proc/").filter(|_| word.text.has_globs());
    name.is_some_and(|name| is_any_number(name.trim_end_matches('/')))
}

/// A pattern that all numbers fit: `*`, `[0-9]*`.
pub(super) fn is_any_number(pattern: &str) -> bool {
    let rest =
        ["[0-9]", "[1-9]", "[[:digit:]]"].iter().fold(pattern.to_owned(), |text, set| text.replace(set, ""));
    rest.ends_with('*') && rest.trim_matches(['*', '+', '(', ')', '?']).is_empty()
}

/// Numbers up to where those of all processes lie.
fn counts_far(words: &[String]) -> bool {
    words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .filter_map(|word| word.parse::<u64>().ok())
        .any(|last| last > 999)
}

/// Names of files: those in a folder, or those that a program was given.
fn names(run: &mut Run) -> Taint {
    let lists = matches!(run.program, "ls" | "gls" | "dir" | "vdir" | "exa" | "eza" | "lsd");
    if !lists && !catalogue::is(run.program, Tag::ListsOperands) {
        return Taint::NONE;
    }
    let operands: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    let itself = run.args.iter().any(|word| is_flag(word, "-d"));
    let all = run.program == "du" && run.args.iter().any(|word| is_flag(word, "-a") || word.is("--all"));
    let here = [Word::literal_at(".", run.call.span)];
    let named = if operands.is_empty() && (lists || all) { &here[..] } else { &operands };
    let mut marks = taint::LISTED;
    for word in named {
        let told = word.text.has_globs() || lists && (itself || is_file(run, word));
        let pattern = if told || !lists && !all { word.clone() } else { find::right_below(word) };
        run.analyst.list(&pattern, told || !lists, run.shell);
        // Names without their folder are those of files here.
        let is_path = told || !lists || word.is(".") || word.is("./");
        if is_path {
            marks = marks.union(run.analyst.finds(&pattern.value(), run.shell));
        }
    }
    marks
}

fn words(run: &Run) -> Vec<String> {
    run.args.iter().map(Word::shown).collect()
}

/// Does `ps` show every process, or every one of a user? Only their numbers, or more?
fn ps(words: &[String]) -> Taint {
    let (mut whole, mut narrow, mut format) = (false, false, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').unwrap_or((long, ""));
            match name {
                "user" | "User" => {
                    whole = true;
                    if value.is_empty() {
                        rest.next();
                    }
                }
                "format" => format = Some(value.to_owned()),
                "pid" | "ppid" | "quick-pid" | "sid" | "tty" | "group" | "Group" => narrow = true,
                _ => {}
            }
            continue;
        }
        let dashed = word.starts_with('-');
        let letters = word.trim_start_matches('-');
        for (at, letter) in letters.char_indices() {
            let value = |rest: &mut std::slice::Iter<String>| {
                let attached = letters.get(at + 1..).unwrap_or_default().to_owned();
                if attached.is_empty() { rest.next().cloned().unwrap_or_default() } else { attached }
            };
            match letter {
                'e' | 'A' if dashed => whole = true,
                'a' | 'x' if !dashed || letters.contains('x') => whole = true,
                'o' | 'O' => {
                    format = Some(value(&mut rest));
                    break;
                }
                'u' | 'U' if dashed => {
                    whole = true;
                    value(&mut rest);
                    break;
                }
                'C' | 'p' | 'q' | 's' | 't' | 'g' | 'G' if dashed => narrow = true,
                'p' | 't' | '0'..='9' => narrow = true,
                _ => {}
            }
        }
    }
    let number = |field: &str| {
        matches!(field.trim_end_matches('='), "pid" | "pgid" | "pgrp" | "sid" | "tgid" | "ppid")
    };
    let bare = format.is_some_and(|format| format.split([',', ' ']).all(number));
    match (whole && !narrow, bare) {
        (false, _) => Taint::NONE,
        (true, true) => taint::PROCESSES,
        (true, false) => TABLE,
    }
}

/// `pgrep -u user` without a name, or with one that fits all.
fn pgrep(words: &[String]) -> Taint {
    let mut named = words.iter().filter(|word| !word.starts_with('-'));
    let of_user = words.iter().any(|word| {
        word.starts_with("--uid")
            || word.starts_with("--euid")
            || word.trim_start_matches('-').contains(['u', 'U'])
                && word.starts_with('-')
                && !word.starts_with("--")
    });
    let attached = words.iter().any(|word| word.contains('=') || word.len() > 2 && word.starts_with("-u"));
    let others = words
        .iter()
        .any(|word| ["-P", "-g", "-s", "-t", "-G", "-F"].iter().any(|flag| word.starts_with(flag)));
    // The user is a word of its own, or attached.
    let user = of_user && !attached && named.next().is_some();
    let names: Vec<&String> = named.collect();
    let all = |name: &&String| matches!(name.as_str(), "." | ".*" | "");
    let whole =
        !others && (names.is_empty() && (user || of_user) || !names.is_empty() && names.iter().all(all));
    let more = words
        .iter()
        .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(['l', 'a']));
    match (whole, more) {
        (false, _) => Taint::NONE,
        (true, true) => TABLE,
        (true, false) => taint::PROCESSES,
    }
}

/// Does a program hold one list against another: `comm a b`, `grep -vxFf a b`, `sort a b | uniq -u`?
pub(crate) fn compares(run: &Run) -> bool {
    let letter = |letters: &[char]| {
        let short = |word: &Word| {
            word.text
                .prefix()
                .strip_prefix('-')
                .is_some_and(|rest| !rest.starts_with('-') && rest.contains(letters))
        };
        run.args.iter().any(short)
    };
    match run.program {
        "comm" | "join" | "diff" | "sdiff" | "colordiff" | "combine" => true,
        "uniq" => letter(&['u', 'd', 'D']),
        "grep" | "egrep" | "fgrep" | "rg" => {
            letter(&['f']) || run.args.iter().any(|word| word.text.prefix().starts_with("--file"))
        }
        "awk" | "gawk" | "mawk" | "nawk" => run.args.iter().any(|word| {
            let dense = word.shown().replace(' ', "");
            dense.contains("NR==FNR") || dense.contains("FNR==NR")
        }),
        _ => false,
    }
}

/// What a filter leaves of a list: a column of it is a list of numbers; what picks rows leaves none.
fn kept(run: &Run, came: Taint) -> Taint {
    let others = Taint(came.0 & (taint::LISTED.0 | taint::CONTAINERS.0));
    // A column of processes is their numbers.
    let column =
        if taint::has(came, Taint(TABLE.0 | taint::PROCESSES.0)) { taint::PROCESSES } else { Taint::NONE };
    let column = column.union(others);
    let words = words(run);
    let text = words
        .iter()
        .filter(|word| !word.starts_with('-') || word.len() > 4)
        .cloned()
        .collect::<Vec<_>>()
        .join(" ");
    match run.program {
        "awk" | "gawk" | "mawk" | "nawk" => {
            let mut script = text.replace(char::is_whitespace, "");
            for head in ["NR>1", "NR!=1", "NR>=2", "FNR>1"] {
                script = script.replace(head, "");
            }
            if script.contains(['/', '~', '=', '>', '<']) { Taint::NONE } else { column }
        }
        "cut" => column,
        "grep" | "egrep" | "rg" => {
            let inverted = words.iter().any(|word| word == "-v" || word == "-vE" || word == "--invert-match");
            let mut pattern = words.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
            for class in ["[0-9]", "[[:digit:]]", "\\d", "[1-9]"] {
                pattern = pattern.replace(class, "");
            }
            let numbers = pattern.trim_matches(['^', '$', '+', '*', '.', '\\', ' ']).is_empty();
            match (inverted, numbers) {
                (true, _) => came,
                (false, true) => column,
                (false, false) => Taint::NONE,
            }
        }
        "tail" if words.iter().any(|word| word.trim_start_matches(['-', 'n']).starts_with('+')) => came,
        "sed" | "gsed" if !text.contains('/') || text.trim_start().starts_with('s') => {
            Taint(came.0 & !taint::LISTED.0)
        }
        "docker" | "podman" | "nerdctl" | "finch" if words.iter().any(|word| word == "inspect") => came,
        "sort" | "uniq" | "tr" | "cat" | "tac" | "tee" | "echo" | "printf" | "xargs" | "paste" | "column"
        | "shuf" => came,
        _ => Taint::NONE,
    }
}
