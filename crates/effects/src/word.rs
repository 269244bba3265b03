//! One word of a command, with one possible text.

use tollgate_model::Span;
use tollgate_shell::eval::Field;
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

/// One word of a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// What is known of it.
    pub text: Text,
    /// Where it stands.
    pub span: Span,
    /// May be any number of words.
    pub splits: bool,
    /// What its data came from.
    pub taint: Taint,
}

impl Word {
    /// A word of known text.
    pub fn literal_at(text: &str, span: Span) -> Self {
        Self { text: Text::literal(text), span, splits: false, taint: Taint::NONE }
    }

    /// A field with one of the texts that it may have.
    fn of(field: &Field, text: Text) -> Self {
        Self { text, span: field.span, splits: field.splits, taint: field.value.taint }
    }

    /// The text, when all of it is known.
    pub fn literal(&self) -> Option<&str> {
        self.text.as_literal()
    }

    /// True when it is exactly this text.
    pub fn is(&self, text: &str) -> bool {
        self.literal() == Some(text)
    }

    /// The text with `*` for what is not known.
    pub fn shown(&self) -> String {
        show(&self.text)
    }

    /// As a value of its own.
    pub fn value(&self) -> Value {
        Value::of([self.text.clone()], self.taint)
    }

    /// As a field of a command.
    pub fn field(&self) -> Field {
        Field { value: self.value(), span: self.span, splits: self.splits }
    }

    /// What follows the first `mark`.
    pub fn after(&self, mark: char) -> Self {
        let prefix = self.text.prefix();
        self.from(prefix.find(mark).map_or(prefix.len(), |at| at + mark.len_utf8()))
    }

    /// What follows the first `bytes` bytes of the known beginning.
    pub fn from(&self, bytes: usize) -> Self {
        let mut text = Text::default();
        for (index, piece) in self.text.pieces.iter().enumerate() {
            match piece {
                Piece::Text(known) if index == 0 => text.push_str(known.get(bytes..).unwrap_or_default()),
                other => text.push(other.clone()),
            }
        }
        Self { text, ..self.clone() }
    }

    /// Without its last bytes, as far as they are known.
    pub fn without_end(&self, bytes: usize) -> Self {
        let mut text = self.text.clone();
        if let Some(Piece::Text(last)) = text.pieces.last_mut() {
            let left = last.get(..last.len().saturating_sub(bytes)).unwrap_or_default();
            *last = left.into();
        }
        Self { text, ..self.clone() }
    }
}

/// A text with `*` for what is not known.
pub(crate) fn show(text: &Text) -> String {
    let mut out = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Text(known) | Piece::Glob(known) => out.push_str(known),
            Piece::Hole(_) => out.push('*'),
        }
    }
    out
}

/// The ways a command's words may come out, each word with one text. With few ways all combinations are made;
/// with more, every text of a word still comes in one of them; with too many the word is not known.
pub(crate) fn ways(fields: &[Field]) -> Vec<Vec<Word>> {
    const COMBINED: usize = 64;
    const MOST: usize = 256;
    let mut ways: Vec<Vec<Word>> = vec![Vec::with_capacity(fields.len())];
    for field in fields {
        let words = || field.value.any.iter().map(|text| Word::of(field, text.clone()));
        match field.value.any.as_slice() {
            [only] => ways.iter_mut().for_each(|way| way.push(Word::of(field, only.clone()))),
            texts if ways.len() * texts.len() <= COMBINED => {
                ways = ways.iter().flat_map(|way| words().map(|word| longer(way, word))).collect();
            }
            [one, ..] if ways.len() + field.value.any.len() <= MOST => {
                let before = ways.first().cloned().unwrap_or_default();
                ways.iter_mut().for_each(|way| way.push(Word::of(field, one.clone())));
                ways.extend(words().skip(1).map(|word| longer(&before, word)));
            }
            _ => {
                let unknown = Text::hole(Hole::new(HoleSource::Budget));
                ways.iter_mut().for_each(|way| way.push(Word::of(field, unknown.clone())));
            }
        }
    }
    ways
}

fn longer(way: &[Word], word: Word) -> Vec<Word> {
    way.iter().cloned().chain([word]).collect()
}

/// A text with the variables that may be empty taken out; `None` when there are none.
pub(crate) fn emptied(text: &Text) -> Option<Text> {
    let may_vanish = |piece: &Piece| {
        matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(_), nonempty: false }))
    };
    if !text.pieces.iter().any(may_vanish) {
        return None;
    }
    let mut kept = Text::default();
    text.pieces.iter().filter(|piece| !may_vanish(piece)).for_each(|piece| kept.push(piece.clone()));
    (!kept.is_empty()).then_some(kept)
}

/// How `found` writes a part of a path that stands for any number of folders.
pub(crate) const EVERYWHERE: &str = "**";

/// Does the word stand for files at any depth?
pub(crate) fn is_everywhere(word: &Word) -> bool {
    word.text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(glob) if &**glob == EVERYWHERE))
}

/// `"${DIR:?}/out"`: a folder in something that is surely not empty, written by somebody who thought of that.
pub(crate) fn is_checked(text: &Text) -> bool {
    match text.pieces.as_slice() {
        [Piece::Hole(Hole { source: HoleSource::Variable(_), nonempty: true }), Piece::Text(rest)] => {
            rest.len() > 1 && rest.starts_with('/') && !rest.contains("..")
        }
        _ => false,
    }
}
