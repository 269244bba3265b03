//! Programs of which nothing is known: what they may run of what they are given. A program that is followed by a
//! command may be a wrapper; one with `-e` or `--exec` may run the text. What that would do is only possible, so
//! only what is grave is kept.

use tollgate_model::{CodeSource, Effect, EffectKind, NetDirection, ProcessAction, WriteMode, Zone, work};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::Value;

use super::{Run, interpreters, is_command};
use crate::analyst::taint;
use crate::catalogue;
use crate::languages::{self, Language, Program};
use crate::word::Word;
use tollgate_catalogue::Tag;

/// Options that take code or a command, by the names that programs agree on. Single letters count when a word
/// with a blank follows.
const CODE_OPTIONS: &[&str] = &[
    "c",
    "e",
    "E",
    "x",
    "g",
    "q",
    "exec",
    "execute",
    "command",
    "cmd",
    "run",
    "eval",
    "expr",
    "code",
    "shell",
    "hook",
    "call",
    "query-goal",
    "batch-string",
    "python-expr",
    "b",
    "exec-cmd",
    "post-cmd",
    "pre-cmd",
    "on-change",
    "on-success",
    "on-failure",
    "on-error",
    "on-exit",
    "on-complete",
    "on-download-complete",
    "on-event",
    "build.cmd",
    "build-cmd",
    "start-cmd",
    "before",
    "after",
    "then",
    "callback",
    "filter-cmd",
    "preview",
    "opener",
    "pager",
    "editor",
    "ssh-command",
    "rsh",
    "proxy-command",
    "use-askpass",
    "askpass",
];

/// Verbs after which a text is code.
const CODE_VERBS: &[&str] = &[
    "eval",
    "exec",
    "run",
    "runner",
    "shell",
    "sh",
    "cmd",
    "php:eval",
    "ev",
    "exec-env",
    "exec-file",
    "tinker",
    "cmd.run",
    "cmd.shell",
];

/// How many of its words a program is tried with as a command.
const TRIED: usize = 6;

/// Takes down what a program that no family knows may do by running what it is given.
pub(crate) fn suspect(run: &mut Run) {
    if run.args.is_empty() || catalogue::is(run.program, Tag::ShowsWords) {
        return;
    }
    let commands: Vec<usize> =
        (0..run.args.len().min(64)).filter(|at| begins_command(run.args, *at)).collect();
    for at in commands.into_iter().take(TRIED) {
        let words = run.args.get(at..).unwrap_or_default().to_vec();
        possibly(run, |run| drop(run.inner(&words)));
    }
    for code in codes(run.program, run.args) {
        if taint::has(code.taint, taint::NET) {
            run.analyst.dynamic_code(code.taint, code.span);
        }
        possibly(run, |run| either(run, &code));
    }
    for output in outputs(run.args) {
        possibly(run, |run| run.analyst.write(&output, WriteMode::Overwrite, None, run.shell));
    }
}

/// Files that a program writes, by the options that programs agree on.
fn outputs(words: &[Word]) -> Vec<Word> {
    let names = ["o", "output", "out", "outfile", "output-file", "out-file", "output-document", "dest"];
    let mut outputs = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.text.prefix();
        let Some(name) = text.strip_prefix('-').map(|rest| rest.trim_start_matches('-')) else { continue };
        if names.contains(&name) {
            outputs.extend(words.get(at + 1).cloned());
        } else if name.split_once('=').is_some_and(|(name, _)| names.contains(&name)) {
            outputs.push(word.after('='));
        }
    }
    outputs
}

/// Units of work for trying something.
const SUPPOSITION: usize = 200;

/// Runs something that may never run: what is grave in it is possible, and the shell stays as it was.
/// Suppositions do not nest, so that words which may all be commands cost no more than their number.
pub(crate) fn possibly(run: &mut Run, act: impl FnOnce(&mut Run)) {
    supposing(run, is_grave, act);
}

/// The same, for what `keep` picks.
pub(super) fn supposing(run: &mut Run, keep: impl Fn(&Effect) -> bool, act: impl FnOnce(&mut Run)) {
    if run.analyst.guessing || !work::charge(SUPPOSITION + run.analyst.links.copied().len()) {
        return;
    }
    let mark = run.analyst.mark();
    let links = run.analyst.links.clone();
    run.analyst.guessing = true;
    let Run { analyst, shell, call, path, program, args } = run;
    shell.supposed(|shell: &mut Shell| act(&mut Run { analyst, shell, call, path, program, args }));
    run.analyst.guessing = false;
    run.analyst.links = links;
    run.analyst.doubt(mark, keep);
}

/// A text that is a command, or code of some language: of those that are read best, and for any other what its
/// quoted texts say.
pub(crate) fn either(run: &mut Run, text: &Word) {
    interpreters::code(run, &text.value(), text.span);
    for language in [Language::Python, Language::Hashed, Language::Lisp] {
        let program =
            Program { code: text.value(), span: text.span, file: None, from_input: false, args: Vec::new() };
        languages::run(run, language, &program);
    }
    run_quoted(run, text);
}

/// Runs the commands that stand in quotes in code.
pub(crate) fn run_quoted(run: &mut Run, text: &Word) {
    for words in quoted(&text.shown()) {
        match words.as_slice() {
            [line] => drop(interpreters::code(run, &Value::text(line), text.span)),
            words => {
                let words: Vec<Word> = words.iter().map(|word| Word::literal_at(word, text.span)).collect();
                run.inner(&words);
            }
        }
    }
}

/// Quoted texts in code: each that has several words, and those of one statement from the first that is a
/// command.
fn quoted(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut statement: Vec<String> = Vec::new();
    let mut characters = code.chars();
    while let Some(c) = characters.next() {
        if c == ';' {
            found.extend(command_of(&mut statement));
        }
        if !matches!(c, '"' | '\'' | '`') {
            continue;
        }
        let mut string = String::new();
        while let Some(next) = characters.next().filter(|next| *next != c) {
            let escaped = if next == '\\' { characters.next() } else { Some(next) };
            string.extend(escaped);
        }
        if string.contains(' ') && found.len() < QUOTED {
            found.push(vec![string.clone()]);
        }
        statement.push(string);
    }
    found.extend(command_of(&mut statement));
    found
}

/// How many quoted texts of one code are looked at.
const QUOTED: usize = 64;

fn command_of(statement: &mut Vec<String>) -> Option<Vec<String>> {
    let words = std::mem::take(statement);
    let at = words.iter().position(|word| is_command(word.rsplit('/').next().unwrap_or_default()))?;
    words.get(at..).filter(|words| words.len() > 1).map(<[String]>::to_vec)
}

/// Something that nobody wants to happen unseen.
pub(crate) fn is_grave(effect: &Effect) -> bool {
    match &effect.kind {
        EffectKind::Delete { place, recursive, .. } => {
            (place.root && *recursive)
                || place.zone >= Zone::OtherProject
                || (*recursive && place.zone == Zone::Unknown)
        }
        EffectKind::Write { place, .. } => place.zone >= Zone::Home,
        EffectKind::Permission { place, recursive, .. } => *recursive && place.zone >= Zone::Home,
        EffectKind::Read { place, .. } => place.zone == Zone::Secret,
        EffectKind::Exec { source, .. } => matches!(source, CodeSource::Downloaded | CodeSource::Decoded),
        EffectKind::Net { direction, carries, .. } => *direction == NetDirection::Out && !carries.is_empty(),
        EffectKind::Process { action, target } => {
            matches!(action, ProcessAction::Power | ProcessAction::ForkBomb) || target == "-1"
        }
        EffectKind::Infra { operation, .. } => matches!(operation.as_str(), "destroy" | "delete"),
        EffectKind::Device { .. }
        | EffectKind::Tamper { .. }
        | EffectKind::Weaken { .. }
        | EffectKind::WorkLoss { .. }
        | EffectKind::HistoryRewrite { .. } => true,
        EffectKind::Database { operation, .. } => operation != EffectKind::DATABASE_USE,
        _ => false,
    }
}

/// Does a command begin at this word? It is one by its name, and something follows it.
fn begins_command(words: &[Word], at: usize) -> bool {
    let Some(name) = words.get(at).and_then(Word::literal) else { return false };
    words.len() > at + 1 && is_command(name.rsplit('/').next().unwrap_or_default())
}

/// The words that are code by the option or the verb before them.
fn codes(program: &str, words: &[Word]) -> Vec<Word> {
    let mut codes = Vec::new();
    let mut verb = runs_by_name(program);
    for (at, word) in words.iter().enumerate() {
        let text = word.text.prefix();
        let Some(name) = text.strip_prefix('-').map(|rest| rest.trim_start_matches('-')) else {
            let follows = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(takes_code);
            if is_text(word) && (verb || follows) {
                codes.push(word.clone());
            }
            verb |= CODE_VERBS.contains(&text);
            continue;
        };
        if let Some(sign) = name.find(['=', ':']) {
            if CODE_OPTIONS.contains(&name.split_at(sign).0) {
                codes.push(word.from(text.len() - name.len() + sign + 1));
            }
        } else if name.len() > 2 && !text.starts_with("--") && is_text(word) && takes_code(word) {
            codes.push(word.from(2));
        }
    }
    codes
}

/// Is the next word code, by the name of this option?
fn takes_code(word: &Word) -> bool {
    let text = word.text.prefix();
    match text.strip_prefix("--") {
        Some(long) => CODE_OPTIONS.contains(&long),
        None => text.strip_prefix('-').is_some_and(|name| {
            let last = name.chars().last().map(String::from).unwrap_or_default();
            CODE_OPTIONS.contains(&name) || (name.len() < 4 && CODE_OPTIONS.contains(&last.as_str()))
        }),
    }
}

/// Text of several words.
pub(crate) fn is_text(word: &Word) -> bool {
    word.shown().trim().contains([' ', '\t', '\n', '('])
}

/// A program whose name says that it runs what it is given.
fn runs_by_name(program: &str) -> bool {
    let parts = program.split(['-', '_', '.']);
    parts.into_iter().any(|part| {
        matches!(
            part,
            "run"
                | "runner"
                | "rerun"
                | "exec"
                | "cmd"
                | "retry"
                | "repeat"
                | "spawn"
                | "launch"
                | "wrap"
                | "wrapper"
                | "sh"
                | "shell"
                | "eval"
                | "watch"
                | "loop"
                | "every"
                | "with"
        )
    })
}

/// Input that an interpreter of which little is known runs.
pub(super) fn input_code(run: &mut Run) {
    let Some(text) = run.stdin().and_then(|text| text.as_literal().map(str::to_owned)) else { return };
    let code = Word::literal_at(&text, run.call.span);
    possibly(run, |run| either(run, &code));
}

/// Input that a program of which nothing is known may run as a script.
pub(crate) fn input(run: &mut Run) {
    let Some(text) = run.stdin().filter(|text| text.is_known()).cloned() else { return };
    possibly(run, |run| drop(interpreters::code(run, &text, run.call.span)));
}
