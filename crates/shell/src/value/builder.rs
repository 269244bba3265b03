//! Values put together piece by piece, in time linear in their length.

use std::rc::Rc;

use tollgate_model::work;

use super::{Hole, HoleSource, MAX_BYTES, MAX_PIECES, MAX_VALUES, Piece, Pieces, Taint, Text, Value};

/// A value under construction.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    any: Vec<Growing>,
    taint: Taint,
}

#[derive(Clone, Debug, Default)]
struct Growing {
    pieces: Pieces,
    /// Known text not yet made a piece.
    tail: String,
    bytes: usize,
}

impl Builder {
    /// Adds a value at the end: every combination, or a hole when there are too many or they are too long.
    pub fn push(&mut self, value: &Value) {
        self.taint = self.taint.union(value.taint);
        let size = self.any.iter().map(|text| text.bytes).max().unwrap_or_default()
            + value.any.iter().map(Text::bytes).max().unwrap_or_default();
        let pieces = self.any.iter().map(|text| text.pieces.len()).max().unwrap_or_default();
        let count = self.any.len() * value.any.len();
        let copied = if value.any.len() > 1 { count * (2 + pieces) } else { count };
        let paid =
            work::charge(copied + value.any.iter().map(Text::bytes).sum::<usize>() * self.any.len() / 16);
        if !paid
            || count > MAX_VALUES
            || pieces > MAX_PIECES
            || size > MAX_BYTES
            || count * size > 4 * MAX_BYTES
        {
            return self.give_up(!value.maybe_empty());
        }
        match value.any.as_slice() {
            [only] => self.any.iter_mut().for_each(|text| text.push(only)),
            several => {
                let each = |text: &Growing| -> Vec<Growing> {
                    several.iter().map(|more| text.clone().with(more)).collect()
                };
                self.any = self.any.iter().flat_map(each).collect();
            }
        }
    }

    /// Adds known text at the end.
    pub fn push_str(&mut self, text: &str) {
        let paid = work::charge(text.len() * self.any.len() / 16);
        if !paid || self.any.iter().any(|growing| growing.bytes + text.len() > MAX_BYTES) {
            return self.give_up(!text.is_empty());
        }
        self.any.iter_mut().for_each(|growing| growing.push_str(text));
    }

    /// True when nothing has been added that could show.
    pub fn is_empty(&self) -> bool {
        self.any.iter().all(|text| text.pieces.is_empty() && text.tail.is_empty())
    }

    /// The value.
    pub fn finish(self) -> Value {
        if let [_] = self.any.as_slice() {
            return Value { any: self.any.into_iter().map(Growing::finish).collect(), taint: self.taint };
        }
        Value::of(self.any.into_iter().map(Growing::finish), self.taint)
    }

    fn give_up(&mut self, more: bool) {
        let filled = |text: &Growing| {
            !text.tail.is_empty()
                || text.pieces.iter().any(|piece| !matches!(piece, Piece::Hole(hole) if !hole.nonempty))
        };
        let nonempty = more || self.any.iter().all(filled);
        let hole = Piece::Hole(Hole { source: HoleSource::Budget, nonempty });
        self.any = vec![Growing { pieces: hole.into(), tail: String::new(), bytes: 1 }];
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self { any: vec![Growing::default()], taint: Taint::NONE }
    }
}

impl From<&Value> for Builder {
    fn from(value: &Value) -> Self {
        work::charge(value.any.iter().map(|text| text.pieces.len() + text.bytes() / 32).sum());
        let growing = |text: &Text| Growing::default().with(text);
        Self { any: value.any.iter().map(growing).collect(), taint: value.taint }
    }
}

impl Growing {
    fn with(mut self, text: &Text) -> Self {
        self.push(text);
        self
    }

    fn push(&mut self, text: &Text) {
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) if self.pieces.is_empty() && self.tail.is_empty() => {
                    self.pieces.push(Piece::Text(Rc::clone(known)));
                    self.bytes += known.len();
                }
                Piece::Text(known) => self.push_str(known),
                piece => {
                    self.settle();
                    self.pieces.push(piece.clone());
                    self.bytes += 1;
                }
            }
        }
    }

    fn push_str(&mut self, known: &str) {
        // Text that is already a piece is opened up again, once.
        if self.tail.is_empty()
            && !known.is_empty()
            && let Some(Piece::Text(last)) = self.pieces.last()
        {
            self.tail.push_str(last);
            self.pieces.pop();
        }
        self.tail.push_str(known);
        self.bytes += known.len();
    }

    fn settle(&mut self) {
        if !self.tail.is_empty() {
            self.pieces.push(Piece::Text(Rc::from(self.tail.as_str())));
            self.tail.clear();
        }
    }

    fn finish(mut self) -> Text {
        self.settle();
        Text { pieces: self.pieces }
    }
}
