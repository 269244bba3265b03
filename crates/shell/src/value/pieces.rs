//! The pieces of a text. Nearly every text has one, or none, and asks for no memory then.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use super::Piece;

/// Some pieces, in their order.
#[derive(Clone, Debug, Default)]
pub struct Pieces(Held);

#[derive(Clone, Debug, Default)]
enum Held {
    #[default]
    None,
    One(Piece),
    Many(Vec<Piece>),
}

impl Pieces {
    /// Adds a piece at the end.
    pub fn push(&mut self, piece: Piece) {
        self.0 = match std::mem::take(&mut self.0) {
            Held::None => Held::One(piece),
            Held::One(first) => Held::Many(vec![first, piece]),
            Held::Many(mut pieces) => {
                pieces.push(piece);
                Held::Many(pieces)
            }
        };
    }

    /// Takes the last piece away.
    pub fn pop(&mut self) -> Option<Piece> {
        match std::mem::take(&mut self.0) {
            Held::None => None,
            Held::One(piece) => Some(piece),
            Held::Many(mut pieces) => {
                let last = pieces.pop();
                *self = pieces.into();
                last
            }
        }
    }

    /// The pieces as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[Piece] {
        match &self.0 {
            Held::None => &[],
            Held::One(piece) => std::slice::from_ref(piece),
            Held::Many(pieces) => pieces,
        }
    }

    /// The pieces as a slice that can be changed.
    pub fn as_mut_slice(&mut self) -> &mut [Piece] {
        match &mut self.0 {
            Held::None => &mut [],
            Held::One(piece) => std::slice::from_mut(piece),
            Held::Many(pieces) => pieces,
        }
    }
}

impl PartialEq for Pieces {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Pieces {}

impl Ord for Pieces {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

impl PartialOrd for Pieces {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Pieces {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl Deref for Pieces {
    type Target = [Piece];

    fn deref(&self) -> &[Piece] {
        self.as_slice()
    }
}

impl DerefMut for Pieces {
    fn deref_mut(&mut self) -> &mut [Piece] {
        self.as_mut_slice()
    }
}

impl From<Piece> for Pieces {
    fn from(piece: Piece) -> Self {
        Self(Held::One(piece))
    }
}

impl From<Vec<Piece>> for Pieces {
    fn from(mut pieces: Vec<Piece>) -> Self {
        match pieces.len() {
            0 | 1 => Self(pieces.pop().map_or(Held::None, Held::One)),
            _ => Self(Held::Many(pieces)),
        }
    }
}

impl FromIterator<Piece> for Pieces {
    fn from_iter<I: IntoIterator<Item = Piece>>(pieces: I) -> Self {
        let mut all = Self::default();
        pieces.into_iter().for_each(|piece| all.push(piece));
        all
    }
}

impl<'p> IntoIterator for &'p Pieces {
    type Item = &'p Piece;
    type IntoIter = std::slice::Iter<'p, Piece>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
