//! Files that the call has found, listed or moved, and what becomes of them by other names.

use tollgate_model::{Certainty, Effect, EffectKind, Place, Span, Zone};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{HoleSource, Piece, Taint, Text, Value};

use super::Analyst;
use crate::word::{EVERYWHERE, Word};
use crate::{paths, taint};

/// Programs that find files below a folder.
const WALKERS: &[&str] = &["find", "gfind", "fd", "fdfind", "grep", "egrep", "fgrep", "rg", "ag", "ack"];

impl Analyst<'_> {
    /// A file that a walk of this call has found: it is there, whatever its name.
    pub(super) fn walked(&self, word: &Word) -> Option<Word> {
        let at = word.text.pieces.iter().position(super::files::is_found)?;
        let root = word.text.prefix().strip_suffix('/').filter(|_| at == 1)?;
        if !self.may_have_started(WALKERS) {
            return None;
        }
        let walks = |effect: &Effect| match &effect.kind {
            EffectKind::Exec { program, argv, .. } => {
                WALKERS.contains(&program.as_str())
                    && (root == "." || argv.iter().any(|word| word.trim_end_matches('/') == root))
            }
            _ => false,
        };
        self.searched().iter().any(walks).then(|| {
            let mut word = word.clone();
            if let Some(piece) = word.text.pieces.get_mut(at) {
                *piece = Piece::Glob(EVERYWHERE.into());
            }
            word
        })
    }

    /// Remembers names that a program lists: a pattern, and whether they are told with their folders.
    pub(crate) fn list(&mut self, pattern: &Word, told: bool, shell: &Shell) {
        let value = shell.resolve(&pattern.value());
        if let (Some(text), true) = (value.single(), self.listed.len() < 16) {
            self.listed.push((Word { text: text.clone(), ..pattern.clone() }, told));
        }
    }

    /// The files that a word stands for which is one of a list that nothing was picked from.
    pub(super) fn listed(&self, word: &Word, shell: &Shell) -> Vec<Word> {
        if !taint::has(word.taint, taint::LISTED) || word.literal().is_some() {
            return Vec::new();
        }
        let mut text = Text::default();
        for piece in &word.text.pieces {
            match piece {
                Piece::Hole(hole) if hole.source.is_output() => text.push(Piece::Glob("*".into())),
                other => text.push(other.clone()),
            }
        }
        let all = Word { text, ..word.clone() };
        let alone = matches!(word.text.pieces.as_slice(), [Piece::Hole(_)]);
        let path = |word: &Word| self.places(word, shell).into_iter().map(|(place, _)| place.path).next();
        let meant = path(&all);
        let fits = |(pattern, told): &&(Word, bool)| if *told { alone } else { path(pattern) == meant };
        self.listed
            .iter()
            .filter(fits)
            .map(|(pattern, _)| Word { span: word.span, ..pattern.clone() })
            .collect()
    }

    /// Remembers the patterns among what a program prints that stand for files: the marks of having found them outside
    /// the project, or in it.
    pub(crate) fn finds(&mut self, printed: &Value, shell: &Shell) -> Taint {
        let patterns = printed.any.iter().filter(|text| text.has_globs());
        let words = patterns.map(|text| {
            let line = Word { text: text.clone(), ..Word::literal_at("", Span::default()) };
            if text.suffix().ends_with('\n') { line.without_end(1) } else { line }
        });
        let places: Vec<Place> =
            words.flat_map(|word| self.places(&word, shell)).map(|(place, _)| place).collect();
        let mut marks = Taint::NONE;
        for place in
            places.into_iter().filter(|place| place.zone >= Zone::Workspace && self.elsewhere.is_none())
        {
            marks = marks.union(if self.is_ours_at(&place) { taint::WALKED } else { taint::FOUND });
            if !self.found_at.contains(&place) {
                self.found_at.push(place);
            }
        }
        marks
    }

    fn is_ours_at(&self, place: &Place) -> bool {
        place.zone == Zone::Workspace || paths::within(&place.path, self.world.workspace())
    }

    /// Files that this call has found, as far as the word may be one that was picked from them: any of those outside the
    /// project, and in it those that are left of one list when another is held against it.
    fn picked(&self, word: &Word) -> Vec<Place> {
        let open = matches!(word.text.pieces.first(), Some(Piece::Hole(hole)) if !matches!(hole.source, HoleSource::Variable(_)));
        let is_meant = |place: &&Place| {
            let mark = if self.is_ours_at(place) { taint::COMPARED } else { taint::FOUND };
            open && taint::has(word.taint, mark)
        };
        self.found_at.iter().filter(is_meant).cloned().collect()
    }

    /// A file goes, or what is in it, that may have been picked from those that were found.
    pub(super) fn lose_picked(&mut self, word: &Word, recursive: bool, moved: bool) {
        for place in self.picked(word) {
            let shown = place.path.clone();
            let recursive = recursive || self.is_ours_at(&place);
            let kind = EffectKind::Delete { place: Place { shown, ..place }, recursive, moved };
            self.push(kind, word.span, Certainty::Possible);
        }
    }

    /// The mark of what is read from a file.
    pub(crate) fn origin(&mut self, path: &str) -> Taint {
        let known = self.origin_numbers.get(path).copied();
        taint::origin(known.unwrap_or_else(|| {
            self.origin_numbers.insert(path.to_owned(), self.origins.len());
            self.origins.push(path.to_owned());
            self.origins.len() - 1
        }))
    }

    /// The files that data was read from, by its marks.
    pub(crate) fn read_from(&self, marks: Taint) -> impl Iterator<Item = &String> {
        let is_marked = move |at: usize| taint::has(marks, taint::origin(at));
        self.origins.iter().enumerate().filter(move |(at, _)| is_marked(*at)).map(|(_, path)| path)
    }

    /// Something else is put in the place of what was moved to that name before: nobody called that by its own.
    pub(crate) fn bury(&mut self, word: &Word, shell: &Shell) {
        let resolved = shell.resolve(&word.value());
        let Some(name) = resolved.as_literal() else { return };
        let moved: Vec<String> = self.links.moved_onto(name).into_iter().map(str::to_owned).collect();
        for from in moved {
            let shown = format!("{} (moved from {from})", word.shown());
            let mut place = paths::place(&Text::literal(&from), &shown, self.world, &self.links);
            place.pattern |= place.zone == Zone::Workspace;
            let kind = EffectKind::Delete { place, recursive: false, moved: false };
            self.push(kind, word.span, Certainty::Certain);
        }
    }
}
