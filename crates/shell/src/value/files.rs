//! What is in files that are read only if somebody needs to know.

use super::{Hole, HoleSource, Piece, Taint, Text, Value};

impl Value {
    /// What is in a file that nobody has read yet.
    #[must_use]
    pub fn file(path: &str, taint: Taint) -> Self {
        Self { taint, ..Self::unknown(HoleSource::File(path.into())) }
    }

    /// Does it hold what is in a file that nobody has read yet?
    #[must_use]
    pub fn has_file(&self) -> bool {
        let is_file = |piece: &Piece| matches!(piece, Piece::Hole(Hole { source: HoleSource::File(_), .. }));
        self.any.iter().any(|text| text.pieces.iter().any(is_file))
    }

    /// The same with the files in it that can be read.
    #[must_use]
    pub fn filled(&self, mut content: impl FnMut(&str) -> Option<String>) -> Self {
        self.map(|text| {
            let mut filled = Text::default();
            for piece in &text.pieces {
                match piece {
                    Piece::Hole(Hole { source: HoleSource::File(path), .. }) => match content(path) {
                        Some(known) => filled.push_str(&known),
                        None => filled.push(piece.clone()),
                    },
                    other => filled.push(other.clone()),
                }
            }
            filled
        })
    }

    /// A part of it: parts of files are not the files.
    #[must_use]
    pub fn part(&self) -> Self {
        if !self.has_file() {
            return self.clone();
        }
        self.map(|text| {
            let mut part = Text::default();
            for piece in &text.pieces {
                match piece {
                    Piece::Hole(hole) => {
                        part.push(Piece::Hole(Hole { source: hole.source.of_part(), ..hole.clone() }))
                    }
                    other => part.push(other.clone()),
                }
            }
            part
        })
    }
}
