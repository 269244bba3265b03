//! `env`: variables for one command.

use tollgate_model::EffectKind;
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use crate::analyst::taint;
use crate::commands::{Run, interpreters, variables};
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(super) fn env(run: &mut Run) -> Outcome {
    let spec = "i,ignore-environment 0,null u,unset= C,chdir= S,split-string= block-signal? default-signal? \
        ignore-signal? list-signal-handling v,debug a,argv0=";
    let options = read(run.args, spec, Order::First);
    let mut command = options.operands.clone();
    // `-` before the command stands for `-i`; any later one is the command's own.
    if command.first().is_some_and(|word| word.is("-")) {
        command.remove(0);
    }
    let mut given: Vec<(String, Value)> = Vec::new();
    loads_file(run, &mut command);
    while command.first().is_some_and(is_assignment) {
        let word = command.remove(0);
        let (name, value) =
            (word.text.prefix().split('=').next().unwrap_or_default(), word.after('=').value());
        variables::variable(run.analyst, name, &value, run.call, run.shell);
        given.push((name.to_owned(), value));
    }
    let Run { analyst, shell, call, path, program, args } = run;
    // The variables hold for the command and nothing after it.
    shell.isolated(|shell| {
        given.into_iter().for_each(|(name, value)| shell.set_variable(&name, value, true));
        in_folder(&mut Run { analyst, shell, call, path, program, args }, &options, command)
    })
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
        run.push(EffectKind::EnvRead { names: Vec::new() });
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
