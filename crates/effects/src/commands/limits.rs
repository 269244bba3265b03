//! Lists that are longer than is looked at: what stands behind is not known, and that is said.

use tollgate_model::{Certainty, EffectKind};
use tollgate_shell::value::{Hole, HoleSource, Text};

use super::Run;
use crate::word::Word;

/// The first of many words. All others become one of which nothing is known, so that whoever deletes, runs or sends it
/// is judged by that.
pub(super) fn first_words(mut words: Vec<Word>, most: usize) -> Vec<Word> {
    let Some(first) = words.get(most).cloned() else { return words };
    let taint = words.iter().skip(most).fold(first.taint, |marks, word| marks.union(word.taint));
    words.truncate(most);
    let text = Text::hole(Hole::nonempty(HoleSource::Budget));
    words.push(Word { text, splits: true, taint, ..first });
    words
}

impl Run<'_, '_> {
    /// The first of many things that are run, deleted or sent. That there are more is something to ask about.
    pub(super) fn first<T>(&mut self, mut things: Vec<T>, most: usize, what: &str) -> Vec<T> {
        if things.len() > most {
            things.truncate(most);
            let why = format!("there are too many {what} to be checked");
            self.analyst.push(EffectKind::Opaque { why }, self.call.span, Certainty::Budget);
        }
        things
    }
}
