//! Command knowledge: how each program's arguments become effects, one file per family.

mod agents_cli;
mod archives;
mod cloud;
pub(crate) mod codecs;
mod containers;
mod databases;
mod files;
mod find;
mod flags;
mod frameworks;
mod gate;
mod git;
mod infrastructure;
pub(crate) mod interpreters;
mod kubernetes;
mod network;
mod packages;
mod persistence;
mod platforms;
mod readers;
mod remotes;
mod runners;
pub(crate) mod secrets;
mod services;
mod setup;
mod sources;
pub(crate) mod strangers;
mod stream;
mod system;
pub(crate) mod tasks;
mod variables;
mod verbs;
mod wrappers;

use tollgate_model::{Certainty, EffectKind, NetDirection};
use tollgate_shell::eval::{Call, Host, Outcome, Shell};
use tollgate_shell::value::Value;

use crate::analyst::{Analyst, call_taint};
use crate::word::Word;

/// One command that runs, with everything its family needs to know.
pub(crate) struct Run<'r, 'w> {
    pub analyst: &'r mut Analyst<'w>,
    pub shell: &'r mut Shell,
    pub call: &'r Call,
    /// The command word as written.
    pub path: &'r str,
    /// The command word without its directory.
    pub program: &'r str,
    pub args: &'r [Word],
}

/// What a family does with a command.
type Handler = fn(&mut Run) -> Outcome;

/// One family's commands.
type Commands = &'static [(&'static str, Handler)];

const FAMILIES: &[Commands] = &[
    files::COMMANDS,
    readers::COMMANDS,
    find::COMMANDS,
    flags::COMMANDS,
    wrappers::COMMANDS,
    interpreters::COMMANDS,
    interpreters::languages::COMMANDS,
    interpreters::tail::COMMANDS,
    stream::COMMANDS,
    codecs::COMMANDS,
    network::COMMANDS,
    system::COMMANDS,
    gate::COMMANDS,
    git::COMMANDS,
    containers::COMMANDS,
    kubernetes::COMMANDS,
    infrastructure::COMMANDS,
    databases::COMMANDS,
    frameworks::COMMANDS,
    runners::COMMANDS,
    archives::COMMANDS,
    agents_cli::COMMANDS,
    persistence::COMMANDS,
    secrets::COMMANDS,
    tasks::COMMANDS,
    sources::COMMANDS,
];

/// Runs a command's handler. A program without one is a program on disk, or unknown: judged by what it is given.
pub(crate) fn run(run: &mut Run) -> Outcome {
    if let Some((_, aside)) =
        [secrets::ASIDE, tasks::ASIDE].into_iter().flatten().find(|(name, _)| *name == run.program)
    {
        aside(run);
    }
    let marks = verbs::notice(run).union(setup::marks(run));
    flags::notice(run);
    interpreters::hosts::notice(run);
    remotes::notice(run);
    let handler = FAMILIES
        .iter()
        .copied()
        .flatten()
        .find(|(name, _)| *name == run.program)
        .map(|(_, handler)| *handler);
    let versioned = || interpreters::languages::versioned(run.program);
    let outcome = match handler
        .or_else(|| wrappers::prefixed(run.program))
        .or_else(|| system::prefixed(run.program))
        .or_else(|| git::prefixed(run.program))
        .or_else(versioned)
    {
        Some(handler) => handler(run),
        None => {
            let verbs = verbs::find(run.program).is_some();
            let outcome = interpreters::program(run);
            if outcome.is_none() && !verbs {
                strangers::suspect(run);
            }
            outcome.unwrap_or_else(|| run.derived())
        }
    };
    let outcome = Outcome { stdout: outcome.stdout.with_taint(marks), ..outcome };
    network::watch(run, &outcome);
    outcome
}

/// The names of all commands that have a handler.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().map(|(name, _)| *name).chain(verbs::known())
}

/// What a command has printed, once it has run.
pub(crate) fn shown(analyst: &mut Analyst, call: &Call, outcome: &Outcome) {
    secrets::shown(analyst, call, outcome);
}

/// Has the command a handler, or verbs that mean something?
pub(crate) fn is_command(name: &str) -> bool {
    known().any(|command| command == name)
        || interpreters::languages::versioned(name).is_some()
        || wrappers::prefixed(name).is_some()
        || system::prefixed(name).is_some()
}

/// What variables set for a command mean: some of them are code.
pub(crate) fn environment(analyst: &mut Analyst, call: &Call, shell: &mut Shell) {
    git::settle(shell);
    secrets::watch(analyst, call);
    for (name, value) in &call.assigns {
        variables::variable(analyst, name, value, call, shell);
    }
    if matches!(call.name(), Some("export" | "declare" | "typeset" | "readonly" | "local")) {
        for word in crate::word::ways(&call.argv).into_iter().flatten().skip(1) {
            if let Some((name, _)) = word.text.prefix().split_once('=') {
                variables::variable(analyst, name, &word.after('=').value(), call, shell);
            }
        }
    }
}

/// Is it one of bash's network paths? Then it is no file.
pub(crate) fn socket(analyst: &mut Analyst, word: &Word) -> bool {
    let shown = word.shown();
    let Some(host) = network::socket_host(&shown) else { return false };
    let kind = EffectKind::Net { host, direction: NetDirection::Out, carries: Vec::new() };
    analyst.push(kind, word.span, Certainty::Certain);
    true
}

impl Run<'_, '_> {
    /// Runs another command with these words, as a wrapper does.
    pub(crate) fn inner(&mut self, words: &[Word]) -> Outcome {
        let mut call = self.call.clone();
        call.argv = words.iter().map(Word::field).collect();
        call.assigns.clear();
        self.analyst.command(&call, self.shell)
    }

    pub(crate) fn read(&mut self, word: &Word, recursive: bool) -> Value {
        self.analyst.read(word, recursive, self.shell)
    }

    pub(crate) fn push(&mut self, kind: EffectKind) {
        let span = self.call.span;
        self.analyst.push(kind, span, Certainty::Certain);
    }

    /// The command's standard input, when something is known of it.
    pub(crate) fn stdin(&self) -> Option<&Value> {
        self.call.stdin.value.as_ref()
    }

    /// Prints something that is made from the command's input and words.
    pub(crate) fn derived(&self) -> Outcome {
        Outcome::unknown(call_taint(self.call))
    }
}
