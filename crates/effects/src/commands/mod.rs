//! Command knowledge: how each program's arguments become effects, one file per family.

mod agents_cli;
mod alter;
mod ansible;
mod appliers;
pub(crate) mod archives;
mod clusters;
pub(crate) mod codecs;
mod configs;
mod containers;
pub(crate) mod databases;
mod destroyers;
pub(crate) mod files;
mod find;
mod flags;
mod frameworks;
mod gate;
mod git;
mod handlers;
mod infrastructure;
pub(crate) mod interpreters;
mod kubernetes;
mod limits;
mod loads;
pub(crate) mod network;
mod openings;
mod outputs;
mod packages;
mod persistence;
mod pipes;
mod printers;
mod proxies;
mod readers;
mod remotes;
mod responses;
mod roles;
mod runners;
mod screens;
pub(crate) mod secrets;
mod servers;
mod services;
mod setup;
mod sources;
pub(crate) mod strangers;
mod stream;
mod system;
pub(crate) mod tasks;
mod trees;
mod trials;
mod uses;
mod variables;
mod vaults;
mod vcs;
mod verbs;
mod wrappers;
mod zsh;

pub(crate) use agents_cli::leads_away as leads_agent_away;
pub(crate) use containers::opened;
pub(crate) use git::written_settings;
pub(crate) use persistence::is_unchecked;
pub(crate) use readers::secrets_in_home;
use tollgate_model::{Certainty, EffectKind, NetDirection, work};
use tollgate_shell::eval::{Call, Host, Kind, Outcome, Shell, Status, Stream};
use tollgate_shell::value::{Taint, Value};

use crate::analyst::{Analyst, COMMAND, WORD, call_taint, taint};
use crate::catalogue;
use crate::elsewhere::Elsewhere;
use crate::word::Word;
use tollgate_catalogue::Tag;

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

/// The longest chain of programs of which each starts the next one. Each takes much of the stack.
const PROGRAMS: u32 = 32;

/// What a family does with a command.
type Handler = fn(&mut Run) -> Outcome;

/// Runs a command's handler. A program without one is a program on disk, or unknown: judged by what it is given.
pub(crate) fn run(run: &mut Run) -> Outcome {
    if !work::charge(COMMAND + run.args.len() * WORD) {
        return Outcome::silent(Status::Either);
    }
    if let Some(outcome) = interpreters::stand_in(run) {
        return outcome;
    }
    if let Some(words) = responses::expanded(run) {
        return run.inner(&words);
    }
    let also = handlers::find(run.program).and_then(|handlers| handlers.also).map(|also| also(run));
    let dumped = also.is_some_and(|outcome| taint::has(outcome.stdout.taint, taint::ENVIRONMENT));
    let dump = if dumped { taint::ENVIRONMENT } else { Taint::NONE };
    let marks = verbs::notice(run).union(setup::marks(run)).union(secrets::passed(run)).union(dump);
    flags::notice(run);
    loads::notice(run);
    trees::notice(run);
    interpreters::hosts::notice(run);
    sources::notice(run);
    secrets::loaded::notice(run);
    system::hold(run);
    remotes::notice(run);
    servers::notice(run);
    databases::carried::notice(run);
    proxies::notice(run);
    roles::notice(run);
    alter::notice(run);
    outputs::cleaned(run);
    let handler = handler(run.program);
    let versioned = || interpreters::languages::versioned(run.program);
    let outcome = match handler
        .or_else(|| wrappers::prefixed(run.program))
        .or_else(|| system::prefixed(run.program))
        .or_else(|| git::prefixed(run.program))
        .or_else(|| vaults::prefixed(run.program))
        .or_else(|| agents_cli::named(run.program))
        .or_else(versioned)
    {
        Some(handler) => {
            outputs::notice(run, true);
            interpreters::brought(run);
            // What this call has written itself is only called like a known program.
            let made = if interpreters::is_made_here(run) { interpreters::program(run) } else { None };
            made.unwrap_or_else(|| {
                let mark = run.analyst.mark();
                let outcome = handler(run);
                readers::told::spare(run, mark, outcome)
            })
        }
        None => unhandled(run),
    };
    let outcome = Outcome { stdout: passed_on(run, outcome.stdout.with_taint(marks)), ..outcome };
    network::watch(run, &outcome);
    outcome
}

/// A program that no family has a handler for: on disk, with verbs in a table, or unknown.
fn unhandled(run: &mut Run) -> Outcome {
    gate::notice_mount(run);
    outputs::notice(run, false);
    // Of some only what they take away is known.
    let partly = verbs::is_partly_known(run.program);
    let verbs = verbs::find(run.program).is_some() && !partly;
    let installed = ["/usr/", "/bin/", "/sbin/", "/opt/"].iter().any(|top| run.path.starts_with(top));
    if (installed || !run.path.contains('/')) && !verbs && !is_followed(run) {
        readers::unknown(run);
    }
    let outcome = interpreters::program(run);
    if outcome.is_none() && !verbs && !is_followed(run) {
        strangers::suspect(run);
        if !partly {
            destroyers::notice(run);
        }
    }
    outcome.unwrap_or_else(|| run.derived())
}

/// What a program prints, with what is known of lists and files in it.
fn passed_on(run: &mut Run, mut printed: Value) -> Value {
    printed.taint = system::listing::marks(run, printed.taint);
    printed.taint = printed.taint.union(run.analyst.finds(&printed, run.shell));
    if taint::has(printed.taint, taint::WALKED) && system::listing::compares(run) {
        printed.taint = printed.taint.union(taint::COMPARED);
    }
    if catalogue::is(run.program, Tag::PassesWhole) { printed } else { printed.part() }
}

/// The handler of a command.
fn handler(name: &str) -> Option<Handler> {
    handlers::find(name)?.handler
}

/// Does the evaluator itself run what the command is given, as with `eval`?
fn is_followed(run: &Run) -> bool {
    matches!(run.call.kind, Kind::Builtin | Kind::Source) && run.call.name() == Some(run.program)
}

/// The names of all commands that have a handler.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    handlers::known()
}

/// Has the command a handler, or verbs that mean something?
pub(crate) fn is_command(name: &str) -> bool {
    handler(name).is_some()
        || verbs::find(name).is_some()
        || interpreters::languages::versioned(name).is_some()
        || wrappers::prefixed(name).is_some()
        || system::prefixed(name).is_some()
}

/// What a command has printed, once it has run.
pub(crate) fn shown(analyst: &mut Analyst, call: &Call, outcome: &Outcome) {
    secrets::shown(analyst, call, outcome);
}

/// What it means that a program sets a variable for those that it starts.
pub(crate) fn set_variable(run: &mut Run, name: &str, value: &Value) {
    variables::variable(run.analyst, name, value, run.call, run.shell);
}

/// What variables set for a command mean: some of them are code.
pub(crate) fn environment(analyst: &mut Analyst, call: &Call, shell: &mut Shell) {
    git::settle(shell);
    secrets::watch(analyst, call);
    for (name, value) in &call.assigns {
        variables::variable(analyst, name, value, call, shell);
    }
    if call.name() == Some("enable") && call.args().any(|field| field.value.as_literal() == Some("-f")) {
        analyst.opaque("`enable -f` loads a library into the shell", call.span);
    }
    if matches!(call.name(), Some("export" | "declare" | "typeset" | "readonly" | "local")) {
        for word in crate::word::ways(&call.argv).into_iter().flatten().skip(1) {
            if let Some((name, _)) = word.text.prefix().split_once('=') {
                variables::variable(analyst, name, &word.after('=').value(), call, shell);
            } else if let Some((name, value)) =
                word.literal().and_then(|name| Some((name, shell.variable(name)?)))
            {
                variables::variable(analyst, name, &value, call, shell);
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

/// The command before failed, and the script goes on because it did.
pub(crate) fn failed(shell: &mut Shell) {
    git::failed(shell);
}

impl Run<'_, '_> {
    /// Runs another command with these words, as a wrapper does.
    pub(crate) fn inner(&mut self, words: &[Word]) -> Outcome {
        if self.analyst.started >= PROGRAMS {
            let why = "programs start each other in a chain that is too long to be analysed".to_owned();
            self.analyst.push(EffectKind::Opaque { why }, self.call.span, Certainty::Budget);
            return Outcome::silent(Status::Either);
        }
        let mut call = self.call.clone();
        call.argv = words.iter().map(Word::field).collect();
        call.assigns.clear();
        self.analyst.started += 1;
        let outcome = self.analyst.command(&call, self.shell);
        self.analyst.started -= 1;
        outcome
    }

    /// What an action prints, instead of its being printed.
    pub(crate) fn captured(&mut self, action: impl FnOnce(&mut Run) -> Outcome) -> Value {
        let Run { analyst, shell, call, path, program, args } = self;
        // What it prints is seen where the program itself prints it.
        let call = Call { stdout: Stream::Pipe, ..call.clone() };
        let (outcome, printed) = shell.captured(|shell| {
            let mut run = Run { analyst, shell, call: &call, path, program, args };
            action(&mut run)
        });
        if printed.is_empty() { outcome.stdout } else { printed.concat(&outcome.stdout) }
    }

    pub(crate) fn read(&mut self, word: &Word, recursive: bool) -> Value {
        self.analyst.read(word, recursive, self.shell)
    }

    pub(crate) fn push(&mut self, kind: EffectKind) {
        let span = self.call.span;
        self.analyst.push(kind, span, Certainty::Certain);
    }

    /// Acts on what is in a file that this call has written. Meanwhile the file is not there, so that what it runs
    /// does not find it again.
    pub(crate) fn with_written(&mut self, file: &Word, act: impl FnOnce(&mut Self, &str)) {
        let Some(written) = self.analyst.own_text(file, self.shell) else { return };
        let Some(text) = written.as_literal().map(str::to_owned) else { return };
        self.shell.forget_file(&file.value());
        act(self, &text);
        self.shell.write_file(&file.value(), &written, false);
    }

    /// What a variable is for the command: set before its word, or in the shell.
    pub(crate) fn variable(&self, name: &str) -> Option<Value> {
        let own =
            self.call.assigns.iter().find(|(given, _)| &**given == name).map(|(_, value)| value.clone());
        own.or_else(|| self.shell.variable(name))
    }

    /// The command's standard input, when something is known of it.
    pub(crate) fn stdin(&self) -> Option<&Value> {
        self.call.stdin.value.as_ref()
    }

    /// Prints something that is made from the command's input and words. A secret among the words of a program in a
    /// container is handed to it, as a password is, and not shown.
    pub(crate) fn derived(&self) -> Outcome {
        let watched = self.analyst.elsewhere.as_ref().is_some_and(Elsewhere::is_watched);
        let input = || self.stdin().map_or(Taint::NONE, |input| input.taint);
        Outcome::unknown(if watched { input() } else { call_taint(self.call) })
    }
}
