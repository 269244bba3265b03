//! What the effects found so far are about, so that a command which asks for one kind need not look through all of them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use tollgate_model::{Effect, EffectKind, work};

use super::Analyst;
use crate::search::EFFECTS_PER_UNIT;

/// The paths and programs of the first effects. Nothing is removed from it: an effect that was taken back may still be in it,
/// so it can tell that there is no such effect, but not that there is one.
#[derive(Default)]
pub(super) struct EffectIndex {
    indexed: usize,
    written: BTreeSet<String>,
    deleted: HashSet<String>,
    programs: HashSet<String>,
}

impl EffectIndex {
    /// Effects behind this one may have changed.
    pub(super) fn truncate(&mut self, mark: usize) {
        self.indexed = self.indexed.min(mark);
    }

    fn extend(&mut self, effects: &[Effect]) {
        for effect in effects.iter().skip(self.indexed) {
            match &effect.kind {
                EffectKind::Write { place, .. } => drop(self.written.insert(place.path.clone())),
                EffectKind::Delete { place, .. } => drop(self.deleted.insert(place.path.clone())),
                EffectKind::Exec { program, .. } if !self.programs.contains(program) => {
                    self.programs.insert(program.clone());
                }
                _ => {}
            }
        }
        self.indexed = effects.len();
    }
}

impl Analyst<'_> {
    /// What was found so far, for a search through all of it, which is paid for.
    pub(crate) fn searched(&self) -> &[Effect] {
        work::charge(self.effects.len() / EFFECTS_PER_UNIT);
        &self.effects
    }

    /// May one of the effects delete this very path?
    pub(crate) fn may_have_deleted(&self, path: &str) -> bool {
        self.indexed(|index| index.deleted.contains(path))
    }

    /// May one of the effects write this very path?
    pub(crate) fn may_have_written(&self, path: &str) -> bool {
        self.indexed(|index| index.written.contains(path))
    }

    /// May one of the effects write this path, or one below it?
    pub(crate) fn may_have_written_below(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches('/');
        let start = format!("{folder}/");
        self.indexed(|index| {
            let mut below = index.written.range(start.clone()..);
            index.written.contains(folder) || below.next().is_some_and(|path| path.starts_with(&start))
        })
    }

    /// May one of these programs have been started?
    pub(crate) fn may_have_started(&self, programs: &[&str]) -> bool {
        self.indexed(|index| programs.iter().any(|program| index.programs.contains(*program)))
    }

    fn indexed(&self, ask: impl FnOnce(&EffectIndex) -> bool) -> bool {
        let mut index = self.index.borrow_mut();
        index.extend(&self.effects);
        ask(&index)
    }

    /// Takes what was found since the mark out of the list.
    pub(super) fn take_since(&mut self, mark: usize) -> Vec<Effect> {
        self.index.get_mut().truncate(mark);
        self.effects.split_off(mark.min(self.effects.len()))
    }
}

/// An index that is made when it is first asked for.
pub(super) type LazyIndex = RefCell<EffectIndex>;
