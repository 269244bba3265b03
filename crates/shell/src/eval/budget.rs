//! What bounds an evaluation: counts of work done, never time.

use tollgate_model::{Span, work};

use super::state::{Elements, State};
use super::{Host, Limit, Note, Shell};
use crate::value::{Text, Value};

/// What a command costs besides its words.
pub(super) const COMMAND: usize = 4;
const STEPS: u32 = 200_000;
const WORDS: u32 = 10_000;
/// Units of work that one step stands for.
const STEP: usize = 8;
const DEPTH: u32 = 64;
const ITERATIONS: u32 = 2_000;
const RECURSIONS: u32 = 500;
/// A text is read to this length.
const LONGEST: usize = 1 << 20;

/// What is left.
#[derive(Debug)]
pub(super) struct Budget {
    pub steps: u32,
    pub words: u32,
    pub depth: u32,
    /// Loop passes with known values; when used up, loops are summed up instead.
    pub iterations: u32,
    /// Calls of functions that are already running.
    pub recursions: u32,
    told: Vec<Limit>,
}

/// What of a budget was kept back, and the state then.
#[derive(Debug)]
pub struct KeptBack {
    steps: u32,
    words: u32,
    told: usize,
    state: State,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: STEPS,
            words: WORDS,
            depth: DEPTH,
            iterations: ITERATIONS,
            recursions: RECURSIONS,
            told: Vec::new(),
        }
    }
}

impl Budget {
    /// What a text of this many bytes adds: each of its commands may be run, and each of its loops, some times.
    pub fn add_for_text(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes.min(LONGEST)).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_add(bytes.saturating_mul(2));
        self.words = self.words.saturating_add(bytes);
        self.iterations = self.iterations.saturating_add(bytes / 2);
    }

    /// Pays for copying a value; running out shows at the next step.
    pub fn charge(&mut self, value: &Value) {
        let bytes: usize = value.any.iter().map(Text::bytes).sum();
        work::charge(bytes / 32 + value.any.len());
        let steps = u32::try_from(bytes / 256 + value.any.len() / 16).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Pays for copying the elements of an array.
    pub fn charge_elements(&mut self, elements: &Elements) {
        elements.known.values().chain(&elements.others).for_each(|value| self.charge(value));
        let steps = u32::try_from(elements.known.len() / 2).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Pays for going through a value letter by letter.
    pub fn charge_letters(&mut self, value: &Value) {
        let bytes: usize = value.any.iter().map(Text::bytes).sum();
        work::charge(bytes / 2);
        self.steps = self.steps.saturating_sub(u32::try_from(bytes / 4).unwrap_or(u32::MAX));
    }
}

impl Shell {
    /// Uses up steps. False when there are none left, which the host is told once.
    pub(super) fn step(&mut self, count: usize, span: Span, host: &mut dyn Host) -> bool {
        if !work::charge(count.saturating_mul(STEP)) {
            self.exhausted(Limit::Steps, span, host);
            return false;
        }
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if let Some(left) = self.budget.steps.checked_sub(count) {
            self.budget.steps = left;
            return true;
        }
        self.budget.steps = 0;
        self.exhausted(Limit::Steps, span, host);
        false
    }

    /// Pays for further ways that a command may come out; running out shows at the next step.
    pub fn pay(&mut self, ways: usize) {
        let steps = u32::try_from(ways * COMMAND).unwrap_or(u32::MAX);
        self.budget.steps = self.budget.steps.saturating_sub(steps);
    }

    /// Keeps steps back from what runs next, which gets `limit` of them at most.
    pub fn keep_back(&mut self, limit: u32) -> KeptBack {
        let steps = self.budget.steps.saturating_sub(limit);
        self.budget.steps -= steps;
        let told = self.budget.told.len();
        KeptBack { steps, words: self.budget.words, told, state: self.state.clone() }
    }

    /// Keeps everything back from what runs next, which gets steps of its own and starts where something was kept back
    /// before.
    pub fn set_aside(&mut self, steps: u32, start: &KeptBack) -> KeptBack {
        let kept = self.keep_back(0);
        self.budget.steps = steps;
        self.state = start.state.clone();
        kept
    }

    /// Goes on where all was set aside, as if nothing had run since. Were the steps enough?
    pub fn take_back(&mut self, kept: KeptBack) -> bool {
        self.budget.steps = 0;
        let enough = self.give_back(&kept);
        self.state = kept.state;
        enough
    }

    /// Gives back what was kept back. What ran out in between has run out there alone. Was it enough?
    pub fn give_back(&mut self, kept: &KeptBack) -> bool {
        let enough = self.budget.told.len() <= kept.told;
        if !enough {
            self.budget.words = kept.words;
        }
        self.budget.steps += kept.steps;
        self.budget.told.truncate(kept.told);
        enough
    }

    /// Words are counted anew.
    pub(super) fn renew_words(&mut self) {
        self.budget.words = WORDS;
    }

    /// Uses up words made by expansion. False when there are not enough left.
    pub(super) fn spend_words(&mut self, count: usize, span: Span, host: &mut dyn Host) -> bool {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if let Some(left) = self.budget.words.checked_sub(count) {
            self.budget.words = left;
            return true;
        }
        self.exhausted(Limit::Words, span, host);
        false
    }

    /// Goes one level down, unless that is too deep.
    pub(super) fn nested<R>(
        &mut self,
        span: Span,
        host: &mut dyn Host,
        inside: impl FnOnce(&mut Self, &mut dyn Host) -> R,
    ) -> Option<R> {
        let Some(left) = self.budget.depth.checked_sub(1) else {
            self.exhausted(Limit::Depth, span, host);
            return None;
        };
        self.budget.depth = left;
        let result = inside(self, host);
        self.budget.depth += 1;
        Some(result)
    }

    /// Tells the host once that a budget has run out.
    pub(super) fn exhausted(&mut self, limit: Limit, span: Span, host: &mut dyn Host) {
        if !self.budget.told.contains(&limit) {
            self.budget.told.push(limit);
            host.note(Note::Budget { limit, span: self.at(span) });
        }
    }

    /// Where a node stands in the first source.
    pub(super) fn at(&self, span: Span) -> Span {
        self.context.origin.unwrap_or(span)
    }
}
