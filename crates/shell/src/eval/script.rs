//! Lists, pipelines and subshells: which states a command starts in and which it leaves.
//!
//! Convention: a `run_…` method starts in `self.state` and returns the states after as a `Flow`; what
//! `self.state` then holds is not used.

use std::rc::Rc;

use super::redirect::Replaced;
use super::state::{ExitCode, Flow, Jump, JumpKind, State};
use super::{Host, Note, Shell, Status};
use crate::ast::{AndOr, Command, CommandKind, Item, Part, Pipeline, Problem, ProblemKind, Script};
use crate::value::Value;

impl Shell {
    /// Runs the statements of a script one after the other.
    pub(super) fn run_items(&mut self, script: &Script, host: &mut dyn Host) -> Flow {
        self.note_problems(script, host);
        self.run_read(script, false, host)
    }

    /// The same for the script of a process, where an expansion error only ends the present statement.
    pub(super) fn run_top(&mut self, script: &Script, host: &mut dyn Host) -> Flow {
        self.note_problems(script, host);
        self.run_read(script, true, host)
    }

    /// A shell may run nothing of text that it cannot read, or only what comes before.
    fn run_read(&mut self, script: &Script, top: bool, host: &mut dyn Host) -> Flow {
        let read = |kind| matches!(kind, ProblemKind::Deceptive(_) | ProblemKind::OpenHeredoc);
        if script.problems.iter().all(|problem| read(problem.kind)) {
            return self.run_list(&script.items, top, host);
        }
        let unread = State { code: ExitCode::Nonzero, ..self.state.clone() };
        self.context.conditional = true;
        let flow = self.run_list(&script.items, top, host);
        self.join_flows(flow, Flow { ok: None, fail: Some(unread) }, &*host)
    }

    pub(super) fn note_problems(&self, script: &Script, host: &mut dyn Host) {
        for problem in &script.problems {
            host.note(Note::Problem(Problem { span: self.at(problem.span), ..problem.clone() }));
        }
    }

    fn run_list(&mut self, items: &[Item], top: bool, host: &mut dyn Host) -> Flow {
        let mut flow = Flow { ok: Some(self.state.clone()), fail: None };
        let first = self.jumps.len();
        for item in items {
            let mark = self.jumps.len();
            let Some(state) = self.merged(flow, &*host) else { return Flow::default() };
            self.state = state;
            if !self.step(1, item.span, host) {
                return Flow::both(self.state.clone());
            }
            flow = if item.background { self.run_background(item, host) } else { self.run_item(item, host) };
            self.may_end_by_failure(&flow);
            if top && self.ends_by_failure(item, &flow) {
                flow.fail = None;
            }
            if top && self.jumps.len() > mark {
                let given_up = self.absorb(mark, |kind| *kind == JumpKind::Abort, host);
                flow = self.join_flows(flow, given_up, &*host);
            }
            self.join_jumps(first, mark, &*host);
        }
        flow
    }

    /// Does a script with `set -e` end where it cannot enter a folder? The text of the call itself may be run by something
    /// that asks how it went, and then does not.
    fn ends_by_failure(&self, item: &Item, flow: &Flow) -> bool {
        let ([stage], []) = (item.first.stages.as_slice(), item.rest.as_slice()) else { return false };
        let CommandKind::Simple(simple) = &stage.command.kind else { return false };
        let name = simple.words.first().map(|word| word.parts.as_slice());
        let enters =
            matches!(name, Some([Part::Text { text, .. }]) if matches!(text.as_str(), "cd" | "pushd"));
        let replaced =
            self.has_function("cd") || self.has_function("pushd") || !self.state.local.aliases.is_empty();
        let strict = flow.fail.as_ref().is_some_and(|state| state.local.options.errexit);
        enters
            && strict
            && !replaced
            && !item.first.negated
            && !item.background
            && self.context.origin.is_some()
    }

    /// Ways out that lead to the same place become one: a long script may end behind each of its statements. Those made
    /// since `mark` are joined with earlier ones of as many ways, so that of n ways few are kept, and each is joined
    /// with others that differ little from it.
    fn join_jumps(&mut self, first: usize, mark: usize, host: &dyn Host) {
        if self.jumps.len() < first.saturating_add(2) || self.jumps.len() <= mark {
            return;
        }
        for mut jump in self.jumps.split_off(mark) {
            let like = |jump: &Jump, one: &Jump| one.ways == jump.ways && one.leads_to_the_same_place(jump);
            while let Some(at) = self.jumps.iter().skip(first).rposition(|one| like(&jump, one)) {
                let other = self.jumps.remove(first + at);
                let (ways, kind) = (jump.ways + other.ways, jump.kind);
                jump = Jump { kind, ways, state: self.join_states(other.state, &jump.state, host) };
            }
            self.jumps.push(jump);
        }
    }

    /// An expansion may fail here, which gives up everything up to the next statement at the top.
    pub(super) fn may_abort(&mut self) {
        let last = Rc::new(self.state.last.union(&Value::empty()));
        let state = State { code: ExitCode::Known(1), last, ..self.state.clone() };
        self.jumps.push(Jump::new(JumpKind::Abort, state));
    }

    pub(super) fn run_item(&mut self, item: &Item, host: &mut dyn Host) -> Flow {
        let (conditional, mark) = (self.context.conditional, self.jumps.len());
        let mut flow = self.run_pipeline(&item.first, host);
        for (connective, pipeline) in &item.rest {
            let (taken, kept) = match connective {
                AndOr::And => (flow.ok, Flow { ok: None, fail: flow.fail }),
                AndOr::Or => (flow.fail, Flow { ok: flow.ok, fail: None }),
            };
            let Some(state) = taken else {
                flow = kept;
                continue;
            };
            self.context.conditional |= !kept.is_dead();
            self.state = state;
            let next = self.run_pipeline(pipeline, host);
            flow = self.join_flows(kept, next, &*host);
        }
        // Behind a way out that may have been taken, everything else may not run.
        self.context.conditional = conditional || self.jumps.len() > mark;
        flow
    }

    fn run_background(&mut self, item: &Item, host: &mut dyn Host) -> Flow {
        let before = self.state.clone();
        self.context.background += 1;
        let (flow, looked) =
            self.watching(|shell| shell.in_subshell(host, |shell, host| shell.run_item(item, host)));
        self.remember_job(item, &before, looked, host);
        self.context.background -= 1;
        let after = self.merged(flow, &*host);
        let state = self.join(Some(before), after, &*host).unwrap_or_else(|| self.state.clone());
        Flow::of(Status::Success, state)
    }

    pub(super) fn run_pipeline(&mut self, pipeline: &Pipeline, host: &mut dyn Host) -> Flow {
        let flow = match pipeline.stages.as_slice() {
            [only] => self.run_command(&only.command, host),
            stages => self.run_stages(stages, pipeline.span, host),
        };
        if !pipeline.negated {
            return flow;
        }
        let failed = flow.fail.map(|state| {
            self.state = state;
            host.failed(self);
            State { code: ExitCode::Known(0), ..self.state.clone() }
        });
        let succeeded = flow.ok.map(|state| State { code: ExitCode::Known(1), ..state });
        Flow { ok: failed, fail: succeeded }
    }

    /// Runs `inside` in a copy of the shell. Every way out ends there.
    pub(super) fn in_subshell(
        &mut self,
        host: &mut dyn Host,
        inside: impl FnOnce(&mut Self, &mut dyn Host) -> Flow,
    ) -> Flow {
        let (local, last) = (Rc::clone(&self.state.local), Rc::clone(&self.state.last));
        let (context, mark) = (self.context, self.jumps.len());
        self.context.loops = 0;
        if !local.traps.is_empty() {
            self.state.local_mut().traps = Rc::default();
        }
        let flow = inside(self, host);
        let left = self.absorb(mark, |_| true, host);
        self.ended = false;
        let flow = self.join_flows(flow, left, &*host);
        let flow = self.with_traps(flow, host);
        self.context = context;
        let flow = if flow.is_dead() { Flow::both(self.state.clone()) } else { flow };
        flow.map(|state| State { local: Rc::clone(&local), last: Rc::clone(&last), ..state })
    }

    /// What the traps of a process do when it ends.
    fn with_traps(&mut self, flow: Flow, host: &mut dyn Host) -> Flow {
        let traps = |state: &Option<State>| state.as_ref().is_some_and(|state| !state.local.traps.is_empty());
        if !traps(&flow.ok) && !traps(&flow.fail) {
            return flow;
        }
        flow_with(flow, |state| {
            self.state = state;
            self.run_traps(host);
            self.state.clone()
        })
    }

    /// Takes the ways out made since `mark` that end here; the states they lead to.
    pub(super) fn absorb(
        &mut self,
        mark: usize,
        ends: impl Fn(&JumpKind) -> bool,
        host: &mut dyn Host,
    ) -> Flow {
        if self.jumps.len() <= mark {
            return Flow::default();
        }
        let (here, on): (Vec<Jump>, Vec<Jump>) =
            self.jumps.split_off(mark).into_iter().partition(|jump| ends(&jump.kind));
        self.jumps.extend(on);
        let mut all = Flow::default();
        for jump in here {
            all = self.join_flows(all, Flow::by_code(jump.state), &*host);
        }
        all
    }

    /// Runs one command with its redirections.
    pub(super) fn run_command(&mut self, command: &Command, host: &mut dyn Host) -> Flow {
        if !self.step(1, command.span, host) {
            return Flow::both(self.state.clone());
        }
        let pending = self.pending.len();
        let flow = match &command.kind {
            CommandKind::Simple(simple) => {
                self.run_traps_between(host);
                self.run_simple(simple, &command.redirects, command.span, host)
            }
            _ => self.run_compound(command, host),
        };
        if self.pending.len() > pending {
            return flow_with(flow, |state| {
                self.state = state;
                self.run_pending(pending, host);
                self.state.clone()
            });
        }
        flow
    }

    fn run_compound(&mut self, command: &Command, host: &mut dyn Host) -> Flow {
        let before = (!command.redirects.is_empty()).then(|| self.state.clone());
        let Some((_, replaced)) = self.redirect_for(&command.redirects, host) else {
            return Flow::default();
        };
        let flow =
            self.nested(command.span, host, |shell, host| shell.run_kind(&command.kind, command.span, host));
        let flow = flow.unwrap_or_else(|| Flow::both(self.state.clone()));
        let Some(before) = before else { return flow };
        // A file that cannot be opened keeps the command from running at all.
        let flow = self.with_descriptors(flow, &replaced);
        if opens_file(command) { self.or_unopened(flow, before, &*host) } else { flow }
    }

    /// Or a file could not be opened, and the command did not run. A file that cannot be opened is not read
    /// later either, so what is known of files stays as certain as it is.
    pub(super) fn or_unopened(&self, flow: Flow, entry: State, host: &dyn Host) -> Flow {
        let world = flow.ok.as_ref().or(flow.fail.as_ref()).map(|state| Rc::clone(&state.world));
        let world = world.unwrap_or_else(|| Rc::clone(&entry.world));
        let failed = State { code: ExitCode::Known(1), world, ..entry };
        self.join_flows(flow, Flow { ok: None, fail: Some(failed) }, host)
    }

    /// Puts descriptors back, on every way out.
    pub(super) fn with_descriptors(&mut self, flow: Flow, replaced: &Replaced) -> Flow {
        for jump in self.jumps.iter_mut().skip(replaced.mark) {
            replaced.put_back(&mut jump.state);
        }
        flow.map(|mut state| {
            replaced.put_back(&mut state);
            state
        })
    }
}

/// Like `Flow::map`, but a state that both ends share is changed once.
fn flow_with(flow: Flow, mut change: impl FnMut(State) -> State) -> Flow {
    match (flow.ok, flow.fail) {
        (Some(ok), Some(fail))
            if Rc::ptr_eq(&ok.local, &fail.local) && Rc::ptr_eq(&ok.world, &fail.world) =>
        {
            let codes = (ok.code, fail.code);
            drop(fail);
            let after = change(ok);
            Flow {
                ok: Some(State { code: codes.0, ..after.clone() }),
                fail: Some(State { code: codes.1, ..after }),
            }
        }
        (ok, fail) => Flow { ok: ok.map(&mut change), fail: fail.map(&mut change) },
    }
}

fn opens_file(command: &Command) -> bool {
    command.redirects.iter().any(|redirect| super::redirect::opens_file(&redirect.kind))
}
