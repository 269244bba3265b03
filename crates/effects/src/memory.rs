//! What the session remembers: files that a call leaves with a history, and what earlier calls have left.

use tollgate_model::{Certainty, Effect, EffectKind, Entry, Mark, Memory, Place, World, Zone, is_claim};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Taint, Value};

use crate::analyst::{Analyst, taint};
use crate::word::Word;

/// What has to be remembered of a call that passes, as far as it is not yet known. The memory is only asked
/// when there is something.
#[must_use]
pub fn entries<'m>(effects: &[Effect], memory: impl FnOnce() -> &'m Memory) -> Vec<Entry> {
    let entries: Vec<Entry> = effects.iter().filter_map(entry).collect();
    if entries.is_empty() {
        return entries;
    }
    let memory = memory();
    let mut new: Vec<Entry> = Vec::new();
    for entry in entries {
        if !memory.holds(&entry) && !new.contains(&entry) {
            new.push(entry);
        }
    }
    new
}

fn entry(effect: &Effect) -> Option<Entry> {
    match &effect.kind {
        EffectKind::Leaves { place, mark: Mark::Known } => Some(Entry::Replaced { path: place.path.clone() }),
        EffectKind::Leaves { place, mark } => {
            Some(Entry::File { path: place.path.clone(), mark: mark.clone() })
        }
        EffectKind::Read { place, .. } if place.zone == Zone::Secret => {
            Some(Entry::SecretRead { shown: place.shown.chars().take(200).collect() })
        }
        _ => None,
    }
}

/// What a written file has to be remembered for.
pub(crate) fn left(place: &Place, certainty: Certainty, world: &dyn World, shell: &Shell) -> Vec<EffectKind> {
    if place.pattern {
        return Vec::new();
    }
    let mut left = Vec::new();
    let mut leave = |mark| left.push(EffectKind::Leaves { place: place.clone(), mark });
    if let Some(stored) = shell.file(&Value::text(&place.path)) {
        let marks = stored.value.taint;
        if taint::has(marks, taint::NET) {
            leave(Mark::Downloaded);
        } else if taint::has(marks, taint::DECODED) {
            leave(Mark::Decoded);
        } else if stored.value.is_known()
            && certainty == Certainty::Certain
            && !world.memory().marks(&place.path).is_empty()
        {
            leave(Mark::Known);
        }
        if taint::has(marks, taint::SECRET) && place.zone != Zone::Secret {
            leave(Mark::Secret);
        }
    }
    if is_claim(&place.path) {
        leave(Mark::Claim);
    }
    left
}

impl Analyst<'_> {
    /// Marks on what a file holds, from earlier calls of the session.
    pub(crate) fn remembered(&self, place: &Place) -> Taint {
        if place.pattern {
            return Taint::NONE;
        }
        let marks = self.world.memory().marks(&place.path);
        marks.into_iter().fold(Taint::NONE, |all, mark| match mark {
            Mark::Downloaded => all.union(taint::NET),
            Mark::Decoded => all.union(taint::DECODED),
            Mark::Secret => all.union(taint::SECRET),
            Mark::Claim | Mark::Known | Mark::Dangerous(_) => all,
        })
    }

    /// What is in a file that goes elsewhere, with its history.
    pub(crate) fn moved(&mut self, word: &Word, shell: &Shell) -> Option<Value> {
        let places = self.places(word, shell);
        let marks = places.iter().fold(Taint::NONE, |all, (place, _)| all.union(self.remembered(place)));
        let text = self.script(word, shell);
        if marks.is_empty() {
            return text;
        }
        let mut text = text.unwrap_or_else(|| Value::output(taint::FILE));
        text.taint = text.taint.union(marks);
        Some(text)
    }

    /// A file is run that an earlier call may have left. One that this call has written is not that one.
    pub(crate) fn recall(&mut self, word: &Word, shell: &Shell) {
        if shell.file(&word.value()).is_some() {
            return;
        }
        for (place, certainty) in self.places(word, shell) {
            let memory = self.world.memory();
            let runs = |mark: &&Mark| matches!(mark, Mark::Downloaded | Mark::Decoded | Mark::Dangerous(_));
            let marks: Vec<Mark> = memory.marks(&place.path).into_iter().filter(runs).cloned().collect();
            for mark in marks {
                self.push(EffectKind::Recalls { place: place.clone(), mark }, word.span, certainty);
            }
        }
    }
}
