//! `env`: variables for one command.

use tollgate_model::{CodeSource, Effect, EffectKind, EnvUse};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Value};

use crate::analyst::taint;
use crate::commands::{Run, interpreters, variables};
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(in crate::commands) fn env(run: &mut Run) -> Outcome {
    let spec = "i,ignore-environment 0,null u,unset= C,chdir= S,split-string= block-signal? default-signal? \
        ignore-signal? list-signal-handling v,debug a,argv0=";
    let options = read(run.args, spec, Order::First);
    let mut command = options.operands.clone();
    let mut cleared = options.has("i");
    // `-` before the command stands for `-i`; any later one is the command's own.
    if command.first().is_some_and(|word| word.is("-")) {
        command.remove(0);
        cleared = true;
    }
    let mut given: Vec<(String, Value)> = Vec::new();
    let words = command.len();
    loads_file(run, &mut command);
    let cleared = cleared && command.len() == words;
    while command.first().is_some_and(is_assignment) {
        let word = command.remove(0);
        let (name, value) =
            (word.text.prefix().split('=').next().unwrap_or_default(), word.after('=').value());
        variables::variable(run.analyst, name, &value, run.call, run.shell);
        given.push((name.to_owned(), value));
    }
    let cleared = cleared && !options.has("S") && given.iter().all(|(_, value)| is_plain(value));
    let starts = (run.analyst.mark(), command.clone());
    let Run { analyst, shell, call, path, program, args } = run;
    // The variables hold for the command and nothing after it.
    let bare = options.has("i") || starts.1.len() < words && args.first().is_some_and(|word| word.is("-"));
    let outcome = shell.isolated(|shell| {
        if bare {
            shell.clear_environment();
        }
        options.values("u").filter_map(Word::literal).for_each(|name| shell.withhold(name));
        given.into_iter().for_each(|(name, value)| shell.set_variable(&name, value, true));
        in_folder(&mut Run { analyst, shell, call, path, program, args }, &options, command)
    });
    let (mark, command) = starts;
    if cleared { spare(run, mark, &command, outcome) } else { outcome }
}

/// Is it no secret, nor made from one?
fn is_plain(value: &Value) -> bool {
    let secret = |name: &str| crate::secret_names::is_secret_name(name);
    let holds = |piece: &Piece| match piece {
        Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => secret(name),
        Piece::Hole(_) => taint::has(value.taint, taint::SECRET),
        _ => false,
    };
    !taint::has(value.taint, taint::SECRET) && !value.any.iter().any(|text| text.pieces.iter().any(holds))
}

/// Programs that know no variables but those they are given.
const BARE: &[&str] = &[
    "env", "printenv", "bash", "sh", "dash", "zsh", "ksh", "export", "declare", "typeset", "set", "compgen",
    "sort", "uniq", "grep", "egrep", "head", "tail", "cat", "wc", "tr", "cut", "column", "echo", "printf",
    "true", "exec", "test", "[",
];

/// In an environment that was made empty nothing is shown by showing all of it, unless something in between fills it
/// anew: a shell that reads its start-up files, or a program that brings an environment of its own.
fn spare(run: &mut Run, mark: usize, command: &[Word], outcome: Outcome) -> Outcome {
    let fills = |word: &Word| {
        let text = word.shown();
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        text == "--login"
            || text == "--rcfile"
            || letters.is_some_and(|letters| letters.len() < 6 && letters.contains(['l', 'i']))
    };
    let foreign = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, source, .. } => {
            !BARE.contains(&program.as_str()) || !matches!(source, CodeSource::Literal)
        }
        _ => false,
    };
    let shell = command.first().is_some_and(|word| word.shown().ends_with("sh"));
    if shell && command.iter().skip(1).any(fills) || run.analyst.since(mark).iter().any(foreign) {
        return outcome;
    }
    let dump = |effect: &Effect| matches!(&effect.kind, EffectKind::EnvRead { what: EnvUse::All });
    run.analyst.sift(mark, |effect| !dump(effect));
    let mut outcome = outcome;
    outcome.stdout.taint = Taint(outcome.stdout.taint.0 & !taint::ENVIRONMENT.0);
    outcome
}

fn in_folder(run: &mut Run, options: &Options, command: Vec<Word>) -> Outcome {
    let Some(folder) = options.value("C") else { return runs(run, options, command) };
    let before = run.shell.cwd().clone();
    run.shell.set_cwd(&folder.value());
    let outcome = runs(run, options, command);
    run.shell.set_cwd(&before);
    outcome
}

fn runs(run: &mut Run, options: &Options, command: Vec<Word>) -> Outcome {
    if let Some(text) = options.value("S").cloned() {
        let mut words = vec![text];
        words.extend(command);
        return interpreters::joined(run, &words);
    }
    if command.is_empty() {
        run.push(EffectKind::EnvRead { what: EnvUse::All });
        return Outcome::unknown(taint::ENVIRONMENT);
    }
    let command = super::called(options.value("a"), command);
    run.inner(&command)
}

/// `env $(grep -v '^#' .env | xargs) command`: what is read from a file of variables is variables, and shows none.
fn loads_file(run: &mut Run, command: &mut Vec<Word>) {
    let is_list =
        |word: &Word| word.splits && word.literal().is_none() && taint::has(word.taint, taint::SECRET);
    while command.len() > 1 && command.first().is_some_and(is_list) {
        let word = command.remove(0);
        crate::commands::secrets::loaded(run, word.taint);
    }
}

pub(super) fn is_assignment(word: &Word) -> bool {
    let prefix = word.text.prefix();
    prefix.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%'))
    })
}
