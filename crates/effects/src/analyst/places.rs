//! Where the paths of a call lie.

use tollgate_model::{Certainty, Place, work};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::Analyst;
use crate::paths;
use crate::word::{Word, emptied};

/// Units of work for finding out where a path lies.
const PLACE: usize = 50;

impl Analyst<'_> {
    /// The places a word may name, seen from the present directory.
    pub(crate) fn places(&self, word: &Word, shell: &Shell) -> Vec<(Place, Certainty)> {
        self.places_by(word, shell, true, |text, shown| self.place(text, shown))
    }

    /// The places of the names themselves: a link is not followed, unless a slash behind it says so.
    pub(super) fn names(&self, word: &Word, shell: &Shell) -> Vec<(Place, Certainty)> {
        self.places_by(word, shell, false, |text, shown| {
            paths::name(text, shown, self.world, &self.links, &|text, shown| self.located(text, shown))
        })
    }

    /// The place of a path. A script names the same ones again and again, and nothing about them changes meanwhile.
    fn place(&self, text: &Text, shown: &str) -> Place {
        self.located(&self.links.follow(text), shown)
    }

    /// The place of a path in which the call's own links are followed.
    pub(crate) fn located(&self, text: &Text, shown: &str) -> Place {
        if let Some(place) = self.placed.borrow().get(text) {
            work::charge(PLACE / 8);
            return Place { shown: shown.to_owned(), ..place.clone() };
        }
        work::charge(PLACE + text.bytes() / 4);
        let place = paths::at(text, shown, self.world);
        self.placed.borrow_mut().insert(text.clone(), place.clone());
        place
    }

    fn places_by(
        &self,
        word: &Word,
        shell: &Shell,
        whole: bool,
        place: impl Fn(&Text, &str) -> Place,
    ) -> Vec<(Place, Certainty)> {
        let mut places: Vec<(Place, Certainty)> = Vec::new();
        if work::is_spent() {
            return places;
        }
        let mut add = |place: Place, certainty| {
            if !places.iter().any(|(known, _)| known.path == place.path) {
                places.push((place, certainty));
            }
        };
        let shown = word.shown();
        let resolved = shell.resolve(&self.in_temp(word));
        for text in self.here(&resolved).iter().chain(&self.climbed(word, shell)) {
            let led = paths::led(&self.links.follow(text), whole, self.links.made(), self.world);
            for text in std::iter::once(text).chain(&led) {
                let sure = resolved.any.len() == 1 && paths::is_certain(&self.links.follow(text), self.world);
                let certainty = if sure { Certainty::Certain } else { Certainty::Possible };
                add(place(text, &shown), certainty);
            }
        }
        // A variable that may be empty turns `"$DIR/"` into the root.
        if let Some(emptied) = emptied(&word.text) {
            let value = shell.resolve(&Value::of([emptied], word.taint));
            for text in &self.here(&value) {
                let place = place(text, &shown);
                if place.root {
                    add(place, Certainty::Possible);
                }
            }
        }
        places
    }

    /// Where `..` behind a link leads: up from what the link leads to.
    fn climbed(&self, word: &Word, shell: &Shell) -> Vec<Text> {
        let spelled = if self.elsewhere.is_none() { shell.spelled(&word.value()) } else { None };
        let texts = spelled.iter().flat_map(|value| value.any.iter());
        texts.filter_map(|text| paths::physical(text, &self.links, self.world)).collect()
    }

    /// `$TMPDIR`, where nothing says what it is, is a folder for temporary files. That it may be empty is
    /// considered besides.
    pub(crate) fn in_temp(&self, word: &Word) -> Value {
        let named = |piece: &Piece| matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) if &**name == "TMPDIR");
        let rest = word.text.pieces.split_first().filter(|(first, _)| named(first)).map(|(_, rest)| rest);
        let (Some(rest), Some(folder)) = (rest, self.world.temp_dirs().first()) else {
            return word.value();
        };
        let mut text = Text::literal(folder);
        rest.iter().for_each(|piece| text.push(piece.clone()));
        Value::of([text], word.taint)
    }

    /// Paths on this machine, for those of the file system that the command sees.
    fn here(&self, resolved: &Value) -> Vec<Text> {
        match &self.elsewhere {
            Some(elsewhere) => resolved.any.iter().flat_map(|text| elsewhere.here(text)).collect(),
            None => resolved.any.clone(),
        }
    }
}
