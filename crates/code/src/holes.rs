//! Code with holes: what the shell puts into a program's text is only known when it runs.
//!
//! `python3 -c "rm('$x')"` is given to a frontend with a placeholder for each hole: a name that every language takes for an
//! identifier, and that any string may hold. A text that has the placeholder's letter in it itself gets a hole for it, so
//! that nothing a program says can pass for a hole that it is not.

use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

/// The letter around the number of a hole: one that all languages allow in identifiers, and that nobody uses.
const MARK: char = '\u{A66E}';

/// A text for a frontend, and what its placeholders stand for.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The text, with placeholders.
    pub code: String,
    /// What they stand for.
    holes: Vec<Hole>,
    /// Where the whole text came from.
    taint: Taint,
}

impl Source {
    /// One of the texts that a program may be.
    #[must_use]
    pub fn new(text: &Text, taint: Taint) -> Self {
        let mut source = Self { taint, ..Self::default() };
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) | Piece::Glob(known) => source.push_str(known),
                Piece::Hole(hole) => source.push_hole(hole.clone()),
            }
        }
        source
    }

    fn push_str(&mut self, known: &str) {
        let mut rest = known;
        while let Some((before, after)) = rest.split_once(MARK) {
            self.code.push_str(before);
            self.push_hole(Hole::nonempty(HoleSource::Input));
            rest = after;
        }
        self.code.push_str(rest);
    }

    fn push_hole(&mut self, hole: Hole) {
        let known = self.holes.iter().take(64).position(|known| *known == hole);
        let number = known.unwrap_or(self.holes.len());
        if known.is_none() {
            self.holes.push(hole);
        }
        self.code.push_str(&format!("{MARK}{number}{MARK}"));
    }

    /// A hole by its number, as a value.
    #[must_use]
    pub fn hole(&self, number: u32) -> Value {
        let hole = usize::try_from(number).ok().and_then(|number| self.holes.get(number)).cloned();
        let hole = hole.unwrap_or_else(|| Hole::new(HoleSource::Input));
        Value::from(Text::hole(hole)).with_taint(self.taint)
    }

    /// A string of the program, with holes where its placeholders are.
    #[must_use]
    pub fn text(&self, text: &str) -> Value {
        if self.holes.is_empty() || !text.contains(MARK) {
            return Value::text(text);
        }
        let mut made = Text::default();
        for (at, part) in text.split(MARK).enumerate() {
            let hole = part.parse().ok().filter(|_| at % 2 == 1);
            match hole.and_then(|number: usize| self.holes.get(number)) {
                Some(hole) => made.push(Piece::Hole(hole.clone())),
                None => made.push_str(part),
            }
        }
        Value::of([made], self.taint)
    }
}

/// The number of the first hole in a name.
pub(crate) fn first_in(name: &str) -> Option<u32> {
    let (_, rest) = name.split_once(MARK)?;
    rest.split(MARK).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holed() -> Text {
        let mut text = Text::literal("rm(");
        text.push(Piece::Hole(Hole::new(HoleSource::Variable("x".into()))));
        text.push_str(")");
        text
    }

    #[test]
    fn a_hole_becomes_a_placeholder_and_a_hole_again() {
        let source = Source::new(&holed(), Taint(4));
        let name = source.code.trim_start_matches("rm(").trim_end_matches(')');
        assert_eq!(first_in(name), Some(0));
        assert_eq!(source.hole(0).to_string(), "‹x›");
        let text = source.text(&format!("/a/{name}/b"));
        assert_eq!((text.to_string().as_str(), text.taint), ("/a/‹x›/b", Taint(4)));
    }

    #[test]
    fn a_text_cannot_pass_for_a_hole() {
        let forged = Text::literal(&format!("{MARK}0{MARK}"));
        let source = Source::new(&forged, Taint::NONE);
        let text = source.text(&source.code);
        assert!(text.single().is_some_and(Text::has_holes));
        assert!(!text.to_string().contains('x'));
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        let source = Source::new(&Text::literal("print(1)"), Taint::NONE);
        assert_eq!(source.code, "print(1)");
        assert_eq!(source.text("/tmp").as_literal(), Some("/tmp"));
    }
}
