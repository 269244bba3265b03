//! Loops: pass by pass while everything is known, else summed up so that every pass is covered.

use std::collections::BTreeSet;

use tollgate_model::Span;

use super::state::{ExitCode, Flow, JumpKind, State};
use super::{Field, Host, Note, Shell, Status, brace, swarm};
use crate::ast::{Arith, Script, Word};
use crate::value::{Text, Value};

/// Passes of one loop that are followed one by one.
const PASSES: u32 = 256;
/// Steps that following one loop pass by pass may take.
const WORK: u32 = 10_000;
/// Sums of a loop before whatever still changes is given up as unknown.
const SUMS: u32 = 2;
/// After that many further sums the rest is left as it is.
const LIMIT: u32 = 6;

/// What one pass does; starts in `self.state`.
type Body<'a> = &'a mut dyn FnMut(&mut Shell, &mut dyn Host) -> Flow;

impl Shell {
    pub(super) fn run_for(
        &mut self,
        names: &[String],
        words: Option<&[Word]>,
        body: &Script,
        select: bool,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let is_long = |word: &Word| brace::has_long_range(&word.parts, self.budget.words as usize);
        if swarm::starts_jobs(body) && words.is_some_and(|words| words.iter().any(is_long)) {
            host.note(Note::Swarm { span: self.at(span) });
        }
        let lists = match words {
            Some(words) => self.expand_words(words, host),
            None => self.arguments(span),
        };
        let (entry, context) = (self.state.clone(), self.context.conditional);
        let mut all = Flow::default();
        for fields in &lists {
            self.context.conditional = context || lists.len() > 1;
            self.state = entry.clone();
            let flow = self.run_for_list(names, fields, body, select, span, host);
            all = self.join_flows(all, flow, &*host);
        }
        self.context.conditional = context;
        all
    }

    /// The lists that `"$@"` may be, as fields.
    pub(super) fn arguments(&self, span: Span) -> Vec<Vec<Field>> {
        let field = |value: &Value, splits| Field { value: value.clone(), span: self.at(span), splits };
        let fields = |list: &super::state::List| {
            let items = list.items.iter().map(|value| field(value, false));
            items.chain(list.rest().iter().map(|(value, splits)| field(value, *splits))).collect()
        };
        self.state.local.args.any.iter().map(fields).collect()
    }

    fn run_for_list(
        &mut self,
        names: &[String],
        fields: &[Field],
        body: &Script,
        select: bool,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let mut exit = Flow::default();
        let known = !select && fields.iter().all(|field| !field.splits);
        let mut rest = fields;
        let stride = names.len().max(1);
        let (mut passes, steps) = (0, self.budget.steps);
        while known && !rest.is_empty() && passes < PASSES && self.spend_pass(steps) {
            let (now, later) = rest.split_at_checked(stride).unwrap_or((rest, &[]));
            rest = later;
            passes += 1;
            self.bind(names, now, span, host);
            let (next, broken) = self.run_pass(&mut |shell, host| shell.run_items(body, host), host);
            exit = self.join_flows(exit, broken, &*host);
            match next {
                Some(state) => self.state = state,
                None => return exit,
            }
        }
        if rest.is_empty() {
            let code = if passes == 0 { ExitCode::Known(0) } else { self.state.code };
            let done = Flow::by_code(State { code, ..self.state.clone() });
            return self.join_flows(exit, done, &*host);
        }
        self.context.conditional = true;
        let blurred = Value::any_of(rest.iter().map(|field| &field.value));
        let blurred = Field::new(blurred.unwrap_or_else(Value::empty), self.at(span));
        let values: Vec<Field> = names.iter().map(|_| blurred.clone()).collect();
        let flow = self.sum_up(
            &mut |shell, host| {
                shell.bind(names, &values, span, host);
                shell.run_items(body, host)
            },
            host,
        );
        self.join_flows(exit, flow, &*host)
    }

    pub(super) fn bind(&mut self, names: &[String], fields: &[Field], span: Span, host: &mut dyn Host) {
        for (index, name) in names.iter().enumerate() {
            let value = fields.get(index).map_or_else(Value::empty, |field| field.value.clone());
            self.assign_scalar(name, value, span, host);
        }
    }

    /// Whether one more pass may be followed, in a loop begun with so many steps left.
    fn spend_pass(&mut self, steps: u32) -> bool {
        if steps.saturating_sub(self.budget.steps) > WORK {
            return false;
        }
        match self.budget.iterations.checked_sub(1) {
            Some(left) => {
                self.budget.iterations = left;
                true
            }
            None => false,
        }
    }

    pub(super) fn run_while(
        &mut self,
        condition: &Script,
        body: &Script,
        until: bool,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let mut test = |shell: &mut Self, host: &mut dyn Host| {
            let flow = shell.run_items(condition, host);
            if until { Flow { ok: flow.fail, fail: flow.ok } } else { flow }
        };
        if swarm::is_fixed(condition)
            && let Some(note) = self.endless(body, span)
        {
            let before = self.state.clone();
            let flow = test(self, host);
            self.state = before;
            if flow.ok.is_some() && flow.fail.is_none() {
                host.note(note);
            }
        }
        let mut body = |shell: &mut Self, host: &mut dyn Host| shell.run_items(body, host);
        self.run_loop(&mut test, &mut body, span, host)
    }

    pub(super) fn run_c_for(
        &mut self,
        header: &[Arith; 3],
        body: &Script,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let [first, check, step] = header;
        if check.word.parts.is_empty()
            && let Some(note) = self.endless(body, span)
        {
            host.note(note);
        }
        self.number_of_arith(first, span, host);
        let mut test = |shell: &mut Self, host: &mut dyn Host| {
            if check.word.parts.is_empty() {
                return Flow::of(Status::Success, shell.state.clone());
            }
            let number = shell.number_of_arith(check, span, host);
            let status = number.map_or(Status::Either, |number| Status::of(number != 0));
            Flow::of(status, shell.state.clone())
        };
        let mut body = |shell: &mut Self, host: &mut dyn Host| {
            let mark = shell.jumps.len();
            let flow = shell.run_items(body, host);
            let continued = shell.absorb(mark, |kind| matches!(kind, JumpKind::Continue(0 | 1)), host);
            let flow = shell.join_flows(flow, continued, &*host);
            let Some(state) = shell.merged(flow, &*host) else { return Flow::default() };
            shell.state = state;
            shell.number_of_arith(step, span, host);
            Flow::both(shell.state.clone())
        };
        self.run_loop(&mut test, &mut body, span, host)
    }

    /// What is to be said of a loop if nothing ends it.
    fn endless(&self, body: &Script, span: Span) -> Option<Note> {
        let span = self.at(span);
        if swarm::starts_jobs(body) {
            return Some(Note::Swarm { span });
        }
        swarm::fills(body).then_some(Note::Flood { span })
    }

    /// Tests and passes in turn: followed while the test is certain, then summed up.
    fn run_loop(&mut self, test: Body<'_>, body: Body<'_>, span: Span, host: &mut dyn Host) -> Flow {
        let mut exit = Flow::default();
        let context = self.context;
        // The loop ends as the last command of its body did.
        let mut code = ExitCode::Known(0);
        let steps = self.budget.steps;
        for _ in 0..PASSES {
            if !self.step(1, span, host) || !self.spend_pass(steps) {
                break;
            }
            let (head, mark) = (self.state.clone(), self.jumps.len());
            self.context.loops += 1;
            let flow = test(self, host);
            self.context.loops -= 1;
            let left = self.absorb(mark, |kind| matches!(kind, JumpKind::Break(0 | 1)), host);
            exit = self.join_flows(exit, left, &*host);
            if flow.ok.is_none() {
                let done = flow.fail.map(|state| Flow::by_code(State { code, ..state }));
                self.context = context;
                return self.join_flows(exit, done.unwrap_or_default(), &*host);
            }
            if flow.fail.is_some() {
                self.state = head;
                break;
            }
            if let Some(state) = flow.ok {
                self.state = state;
            }
            let (next, broken) = self.run_pass(body, host);
            exit = self.join_flows(exit, broken, &*host);
            let Some(state) = next else { return exit };
            // Nothing changes any more: an endless loop, left only by a signal.
            let endless = state.local == head.local && state.world == head.world;
            code = state.code;
            self.state = state;
            if endless {
                self.context.conditional = true;
                return self.join_flows(exit, Flow::both(self.state.clone()), &*host);
            }
        }
        self.context.conditional = true;
        let flow = self.sum_up(
            &mut |shell, host| {
                let flow = test(shell, host);
                let Some(state) = flow.ok else { return Flow { ok: None, fail: flow.fail } };
                shell.state = state;
                let after = body(shell, host);
                // The state in which the test fails leaves the loop like any other.
                shell.join_flows(after, Flow { ok: None, fail: flow.fail }, &*host)
            },
            host,
        );
        self.join_flows(exit, flow, &*host)
    }

    /// One pass: the state at its end, and the states in which the loop was left.
    fn run_pass(&mut self, body: Body<'_>, host: &mut dyn Host) -> (Option<State>, Flow) {
        let mark = self.jumps.len();
        self.context.loops += 1;
        let flow = body(self, host);
        self.context.loops -= 1;
        let continued = self.absorb(mark, |kind| matches!(kind, JumpKind::Continue(0 | 1)), host);
        let broken = self.absorb(mark, |kind| matches!(kind, JumpKind::Break(0 | 1)), host);
        for jump in self.jumps.iter_mut().skip(mark) {
            if let JumpKind::Break(levels) | JumpKind::Continue(levels) = &mut jump.kind {
                *levels = levels.saturating_sub(1);
            }
        }
        let flow = self.join_flows(flow, continued, &*host);
        (self.merged(flow, &*host), broken)
    }

    /// Passes until the state before a pass covers the state after; what keeps changing becomes unknown. What
    /// the loop prints it cannot read, so that needs no further pass.
    fn sum_up(&mut self, body: Body<'_>, host: &mut dyn Host) -> Flow {
        let entry = self.state.clone();
        let printed = entry.local.printed();
        let files: Vec<Text> = (1..=2).flat_map(|fd| self.printed_to(fd)).collect();
        let mut head = entry.clone();
        let mut exit = Flow::default();
        let mut looked = BTreeSet::new();
        for sums in 0..LIMIT {
            self.state = head.clone();
            let ((next, broken), seen) = self.watching(|shell| shell.run_pass(body, host));
            looked.extend(seen);
            exit = self.join_flows(exit, broken, &*host);
            let Some(joined) = self.join(Some(head.clone()), next, &*host) else { break };
            let next = if sums < SUMS { joined } else { self.widen(&head, &joined, &printed) };
            let settled = next.local == head.local && next.world.buffers_like(&head.world, &printed);
            // Behind a pattern any file may have been looked into.
            let open = looked.iter().any(|key: &Text| key.as_literal().is_none());
            let unread = |key: &Text| !open && files.contains(key) && !looked.contains(key);
            let covered = settled && next.world.files_like(&head.world, unread);
            head = if covered { self.widen(&head, &next, &printed) } else { next };
            if covered {
                break;
            }
        }
        head.open_printed(&entry, &printed);
        self.join_flows(exit, Flow::both(head), &*host)
    }
}
