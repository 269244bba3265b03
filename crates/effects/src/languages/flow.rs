//! Branches, loops and conditions, as all languages have them.

use std::ops::Range;
use std::rc::Rc;

use tollgate_model::{Certainty, EffectKind, ProcessAction};

use super::machine::{Machine, Origin};
use super::narrow::Joined;
use super::scope::{Changes, bare};
use super::services::is_service;
use super::token::{Tok, Token};
use super::value::{Args, Val};

/// What a condition says of variables where it holds.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub narrowed: Vec<(Rc<str>, Val)>,
    /// It says so where it does not hold.
    pub negated: bool,
    pub joined: Joined,
    /// It is known not to hold.
    pub fails: bool,
}

impl Said {
    /// What a condition says that is written so. Where only a part of it is denied, it says nothing.
    pub fn of(mut narrowed: Vec<(Rc<str>, Val)>, tokens: &[Token]) -> Self {
        let is_not = |tok: &Tok| {
            matches!(tok, Tok::Op("!" | "!=" | "!==" | "!~"))
                || matches!(tok, Tok::Name(name) if matches!(&**name, "not" | "unless"))
        };
        let negations = tokens.iter().filter(|token| is_not(&token.tok)).count();
        let negated = negations == 1 && tokens.first().is_some_and(|token| is_not(&token.tok));
        let joined = Joined::of(tokens);
        let whole = match tokens {
            [_, open, .., close] => open.tok == Tok::Op("(") && open.pair == close.pair,
            _ => false,
        };
        if negations > 0 && !(negated && (joined == Joined::All && !joins(tokens) || whole)) {
            narrowed.clear();
        }
        Self { narrowed, negated, joined, fails: false }
    }
}

/// The class of what yields items without end.
pub(super) const ENDLESS: &str = "endless";

/// How much a program has split itself, waited, and taken for itself, up to some place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    forks: u32,
    calms: u32,
    started: u32,
    grown: u32,
}

/// Words that leave a loop, or let others run meanwhile.
const LEAVING: &[&str] = &[
    "break", "return", "raise", "throw", "exit", "quit", "last", "die", "yield", "await", "abort", "_exit",
    "goto",
];

impl Machine<'_, '_, '_> {
    /// The condition from here to `end`.
    pub fn condition(&mut self, end: usize) -> Said {
        let before = std::mem::take(&mut self.narrowed);
        let start = self.at;
        let asked = self.range(start..end, |machine| machine.expr(0));
        self.asked_object(&asked);
        let narrowed = std::mem::replace(&mut self.narrowed, before);
        let tokens = self.tokens.get(start..end.min(self.end)).unwrap_or_default();
        Said { fails: asked.as_truth() == Some(false), ..Said::of(narrowed, tokens) }
    }

    /// From here on, variables are what a condition said.
    pub fn believe(&mut self, said: &Said) {
        let narrowed = &said.narrowed;
        for (at, (place, value)) in narrowed.iter().enumerate() {
            if narrowed.iter().take(at).any(|(earlier, _)| earlier == place) {
                continue;
            }
            if matches!(self.scope.get(place), Some(Val::Text(text)) if text.is_known()) {
                continue;
            }
            if self.believe_of_listed(place, said) {
                continue;
            }
            let others = narrowed.iter().skip(at + 1).filter(|(other, _)| other == place);
            let value = others.fold(value.clone(), |all, (_, value)| all.union(value));
            self.own.believed.push((Rc::clone(place), value.clone()));
            self.scope.set(place, value);
        }
    }

    /// Does a block only leave what is around it?
    pub fn leaves(&self, range: &Range<usize>) -> bool {
        let tokens = self.tokens.get(range.clone()).unwrap_or_default();
        let first = tokens.iter().find(|token| !matches!(token.tok, Tok::Newline));
        let leaving = ["continue", "return", "break", "raise", "next", "throw", "exit", "last", "die"];
        matches!(first.map(|token| &token.tok), Some(Tok::Name(name)) if leaving.contains(&&**name))
    }

    /// Runs a branch and takes its changes back.
    pub fn attempt(&mut self, action: impl FnOnce(&mut Self)) -> Changes {
        if !self.enter() {
            self.at = self.end;
            return Changes::new();
        }
        self.unsure += 1;
        self.scope.open();
        let from = self.own.believed.len();
        action(self);
        self.unsure -= 1;
        self.leave();
        let mut changes = self.scope.close();
        // What a condition says of a variable changes nothing about it.
        for (place, meant) in self.own.believed.drain(from.min(self.own.believed.len())..) {
            let same = |value: &Option<Val>| matches!((value, &meant), (Some(Val::Text(now)), Val::Text(meant)) if now == meant);
            changes.retain(|name, value| bare(name) != &*place || !same(value));
        }
        changes
    }

    /// Runs what may not be run.
    pub fn branch(&mut self, action: impl FnOnce(&mut Self)) {
        let changes = self.attempt(action);
        self.scope.join(vec![changes], true);
    }

    pub fn effort(&self) -> Effort {
        Effort { forks: self.forks, calms: self.calms, started: self.started, grown: self.grown }
    }

    /// Runs the body of a loop that may never end.
    pub fn looped(&mut self, start: Effort, action: impl Fn(&mut Self)) {
        let from = self.at;
        self.branch(&action);
        // What the body puts on a list of work is taken from it the next time.
        if self.own.rounds == 0 && takes_work(self.tokens.get(from..self.at).unwrap_or_default()) {
            self.own.rounds += 1;
            self.at = from;
            self.branch(&action);
            self.own.rounds -= 1;
        }
        self.splits(start);
        if std::mem::take(&mut self.endless)
            && !leaves_loop(self.tokens.get(from..self.at).unwrap_or_default())
        {
            self.exhausts(start);
        }
    }

    /// Is what stands in the range always true? Nothing is, where a loop has no condition.
    pub fn always(&self, range: Range<usize>) -> bool {
        let tokens = self.tokens.get(range).unwrap_or_default();
        match tokens {
            [] => true,
            [token] => match &token.tok {
                Tok::Int(number) => *number != 0,
                Tok::Name(name) => matches!(&**name, "True" | "true" | "TRUE"),
                _ => false,
            },
            _ => false,
        }
    }

    /// A loop without end that starts processes, or takes memory or disk, and never waits.
    pub fn exhausts(&mut self, start: Effort) {
        if self.around.origin == Origin::File || self.calms > start.calms {
            return;
        }
        let target = match (self.started > start.started, self.grown > start.grown) {
            (true, _) => "processes",
            (_, true) => "the loop",
            _ => return,
        };
        let kind = EffectKind::Process { action: ProcessAction::ForkBomb, target: target.into() };
        self.push(kind, Certainty::Certain);
    }

    /// A loop that splits the process and never waits.
    pub fn splits(&mut self, start: Effort) {
        if self.forks > start.forks && self.calms == start.calms {
            let kind = EffectKind::Process { action: ProcessAction::ForkBomb, target: "fork".into() };
            self.push(kind, Certainty::Certain);
        }
    }

    /// `sorted(list, key=function)`: the function is asked about every item.
    pub fn asked_by_key(&mut self, args: &Args) {
        let Some(key) = args.option("key").cloned() else { return };
        let whole = args.get(0).cloned().unwrap_or_default();
        self.for_each(&whole, 1, |machine, item| drop(machine.apply(&key, &Args::of(vec![item.clone()]))));
    }

    /// Runs the body of a loop for every item of a list: one by one where they are known and few.
    pub fn for_each(&mut self, list: &Val, size: usize, mut body: impl FnMut(&mut Self, &Val)) {
        match list {
            Val::List(known)
                if !known.open
                    && !known.items.is_empty()
                    && known.items.len() <= 64
                    && known.items.len() * size <= 20_000 =>
            {
                for item in &known.items {
                    if self.is_stopped() {
                        return;
                    }
                    body(self, item);
                }
            }
            other => {
                self.burn(16);
                let start = self.effort();
                // What a service lists is of the service.
                let item = match other {
                    Val::Object(object) if is_service(&object.class) => other.clone(),
                    _ => other.item(),
                };
                self.branch(|machine| body(machine, &item));
                if is_endless(other) {
                    self.splits(start);
                    self.exhausts(start);
                }
            }
        }
    }

    /// A function returns a value, or one of several.
    pub fn give_back(&mut self, value: Val) {
        if let Some(last) = self.returns.last_mut() {
            *last = Some(match last.take() {
                Some(before) => before.union(&value),
                None => value,
            });
        }
    }

    /// The last value of a body is what it returns, where the language has it so.
    pub fn give_back_last(&mut self, value: Val) {
        if let Some(last @ None) = self.returns.last_mut() {
            *last = Some(value);
        }
    }
}

/// Does a condition have several parts?
fn joins(tokens: &[Token]) -> bool {
    let is_and =
        |tok: &Tok| matches!(tok, Tok::Op("&&")) || matches!(tok, Tok::Name(name) if &**name == "and");
    tokens.iter().any(|token| is_and(&token.tok))
}

/// Does anything in the body of a loop leave it, or let others run meanwhile?
pub(super) fn leaves_loop(body: &[Token]) -> bool {
    body.iter().any(|token| matches!(&token.tok, Tok::Name(name) if LEAVING.contains(&&**name)))
}

/// Does it yield items without end, or far more than anybody waits for?
fn is_endless(list: &Val) -> bool {
    match list {
        Val::Object(object) => {
            matches!(&*object.class, ENDLESS | "itertools.count" | "itertools.cycle" | "itertools.repeat")
        }
        _ => false,
    }
}

/// Does the body of a loop take its items from a list that it may add to?
fn takes_work(body: &[Token]) -> bool {
    body.iter()
        .any(|token| matches!(&token.tok, Tok::Name(name) if matches!(&**name, "pop" | "popleft" | "shift")))
}

/// Does the block leave the loop around it?
pub(super) fn block_leaves(value: &Val) -> bool {
    let Val::Function(function) = value else { return false };
    leaves_loop(function.tokens.get(function.body.clone()).unwrap_or_default())
}
