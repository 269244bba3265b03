//! Files that alone hold work which the call has taken out of the work tree: a patch that was applied backwards.

use tollgate_model::git::stands_for;
use tollgate_model::{Certainty, Effect, Place, Span};
use tollgate_shell::eval::Shell;

use super::Analyst;
use crate::paths;
use crate::word::Word;

/// Each file by its path, with what is lost with it.
#[derive(Default)]
pub(crate) struct Keepers(Vec<(String, Vec<Effect>)>);

impl Keepers {
    /// The work is where it was before, so that the file keeps nothing that is not there.
    pub(crate) fn put_back(&mut self, path: &str) {
        self.0.retain(|(keeper, _)| keeper != path);
    }
}

impl Analyst<'_> {
    /// What was taken down since the mark is lost only with this file.
    pub(crate) fn keeps(&mut self, path: String, mark: usize) {
        let lost = self.since(mark).to_vec();
        self.sift(mark, |_| false);
        if !lost.is_empty() {
            self.keepers.0.push((path, lost));
        }
    }

    /// Something goes, or gets another content: what it kept is lost.
    pub(super) fn lets_go(&mut self, place: &Place, span: Span, certainty: Certainty) {
        if self.keepers.0.is_empty() {
            return;
        }
        let goes = |keeper: &str| match place.pattern {
            true => stands_for(&place.path, keeper),
            false => paths::within(keeper, &place.path),
        };
        let (gone, kept) = std::mem::take(&mut self.keepers.0).into_iter().partition(|(path, _)| goes(path));
        self.keepers.0 = kept;
        for effect in gone.into_iter().flat_map(|(_, lost): (String, Vec<Effect>)| lost) {
            self.push(effect.kind, span, effect.certainty.min(certainty));
        }
    }

    /// The same for all that a word names.
    pub(crate) fn lets_go_of(&mut self, word: &Word, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.lets_go(&place, word.span, certainty);
        }
    }
}
