//! What is known about a string before it exists: a set of possible values, each literal text with holes.

mod builder;
mod files;
mod pieces;

use std::fmt;
use std::rc::Rc;

use tollgate_model::work;

pub(crate) use builder::Builder;
pub use pieces::Pieces;

/// The most values one word may have; beyond it the value becomes a hole.
pub const MAX_VALUES: usize = 256;

/// Texts that are compared with each other one by one.
const FEW: usize = 8;

/// The most bytes of literal text in one value; beyond it the value becomes a hole.
pub const MAX_BYTES: usize = 1 << 20;

/// The most pieces of one text; beyond it the text becomes a hole.
pub const MAX_PIECES: usize = 1000;

/// Marks that travel with data: what a piece of text came from. The meaning of each bit belongs to the
/// caller (see `Host`); the evaluator only unions them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taint(pub u64);

impl Taint {
    /// No mark.
    pub const NONE: Self = Self(0);
    /// Marks that only tell files apart which data was read from.
    pub const ORIGINS: Self = Self(0xff_ffff << 8);

    /// Both sets of marks.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when no mark is set that says what the data is.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 & !Self::ORIGINS.0 == 0
    }
}

/// One piece of a possible value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// Known text.
    Text(Rc<str>),
    /// Active glob characters that were not quoted, e.g. `*` or `[a-z]`.
    Glob(Rc<str>),
    /// Unknown text.
    Hole(Hole),
}

/// Unknown text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hole {
    /// What it stands for.
    pub source: HoleSource,
    /// Certainly not the empty string.
    pub nonempty: bool,
}

/// Why a piece is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoleSource {
    /// A variable that nothing in the script sets: it may come from the environment, or be empty.
    Variable(Rc<str>),
    /// Output of a command.
    Output,
    /// All that is in a file, which is read only if somebody needs to know.
    File(Rc<str>),
    /// Input from outside: `read`, `$1` of the script itself, `$RANDOM`, …
    Input,
    /// Bounded away: too many values, too deep, out of steps.
    Budget,
}

/// One possible value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text {
    /// Its pieces; neighbouring `Text` pieces are merged; no pieces means the empty string.
    pub pieces: Pieces,
}

/// All the values a word may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// At least one, at most `Budget::values`. Order of discovery, no duplicates.
    pub any: Vec<Text>,
    /// Where the data came from.
    pub taint: Taint,
}

impl Piece {
    /// Known text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(Rc::from(text))
    }
}

impl HoleSource {
    /// Did a command print it, be it only what is in a file?
    #[must_use]
    pub fn is_output(&self) -> bool {
        matches!(self, Self::Output | Self::File(_))
    }

    /// Where a part of it comes from: a part of a file is not the file.
    #[must_use]
    pub fn of_part(&self) -> Self {
        match self {
            Self::File(_) => Self::Output,
            other => other.clone(),
        }
    }
}

impl Hole {
    /// Unknown text, maybe empty.
    #[must_use]
    pub fn new(source: HoleSource) -> Self {
        Self { source, nonempty: false }
    }

    /// Unknown text that is not empty.
    #[must_use]
    pub fn nonempty(source: HoleSource) -> Self {
        Self { source, nonempty: true }
    }
}

impl Text {
    /// Known text.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self::from(Rc::from(text))
    }

    /// Nothing but a hole.
    #[must_use]
    pub fn hole(hole: Hole) -> Self {
        Self { pieces: Piece::Hole(hole).into() }
    }

    /// The whole text, when nothing of it is unknown and no glob is active.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// True for the empty string and nothing else.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// True when this may be the empty string.
    #[must_use]
    pub fn maybe_empty(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Hole(hole) if !hole.nonempty))
    }

    /// True when it is one hole and nothing else.
    #[must_use]
    pub fn is_hole(&self) -> bool {
        matches!(self.pieces.as_slice(), [Piece::Hole(_)])
    }

    /// True when some of it is unknown.
    #[must_use]
    pub fn has_holes(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Hole(_)))
    }

    /// True when some of it is an active glob.
    #[must_use]
    pub fn has_globs(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
    }

    /// What is left when every hole that may be empty is.
    #[must_use]
    pub fn without_empty_holes(&self) -> Self {
        let mut kept = Self::default();
        let stays = |piece: &&Piece| !matches!(piece, Piece::Hole(hole) if !hole.nonempty);
        self.pieces.iter().filter(stays).for_each(|piece| kept.push(piece.clone()));
        kept
    }

    /// The known text it starts with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// The known text it ends with.
    #[must_use]
    pub fn suffix(&self) -> &str {
        match self.pieces.last() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Bytes of known text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pieces
            .iter()
            .map(|piece| if let Piece::Text(text) | Piece::Glob(text) = piece { text.len() } else { 1 })
            .sum()
    }

    /// Adds known text at the end.
    pub fn push_str(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => {
                work::charge((last.len() + text.len()) / 32 + 1);
                *last = Rc::from([last, text].concat());
            }
            _ => self.pieces.push(Piece::text(text)),
        }
    }

    /// Adds a piece at the end, merging known text.
    pub fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) if matches!(self.pieces.last(), Some(Piece::Text(_))) => self.push_str(&text),
            Piece::Text(text) if text.is_empty() => {}
            piece => self.pieces.push(piece),
        }
    }

    /// Adds another text at the end.
    pub fn append(&mut self, other: &Self) {
        other.pieces.iter().for_each(|piece| self.push(piece.clone()));
    }

    /// Without the newlines it certainly ends with, as command substitution does.
    #[must_use]
    pub fn trim_newlines(&self) -> Self {
        let mut pieces = self.pieces.clone();
        while let Some(Piece::Text(last)) = pieces.last() {
            let trimmed = last.trim_end_matches('\n');
            if trimmed.len() == last.len() {
                break;
            }
            let trimmed: Rc<str> = Rc::from(trimmed);
            pieces.pop();
            if !trimmed.is_empty() {
                pieces.push(Piece::Text(trimmed));
                break;
            }
        }
        Self { pieces }
    }
}

impl From<Rc<str>> for Text {
    fn from(text: Rc<str>) -> Self {
        if text.is_empty() { Self::default() } else { Self { pieces: Piece::Text(text).into() } }
    }
}

/// Known text and globs as they are, a variable as `‹X›`, other unknown text as `‹?›`.
impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) | Piece::Glob(text) => out.write_str(text)?,
                Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => write!(out, "‹{name}›")?,
                Piece::Hole(_) => out.write_str("‹?›")?,
            }
        }
        Ok(())
    }
}

impl Value {
    /// One known text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Text::literal(text).into()
    }

    /// The empty string.
    #[must_use]
    pub fn empty() -> Self {
        Text::default().into()
    }

    /// Unknown, maybe empty.
    #[must_use]
    pub fn unknown(source: HoleSource) -> Self {
        Text::hole(Hole::new(source)).into()
    }

    /// Unknown, but not empty.
    #[must_use]
    pub fn something(source: HoleSource) -> Self {
        Text::hole(Hole::nonempty(source)).into()
    }

    /// Unknown output of a command that carries these marks.
    #[must_use]
    pub fn output(taint: Taint) -> Self {
        Self { taint, ..Self::unknown(HoleSource::Output) }
    }

    /// All of these texts, or a hole when there are too many. No text at all is the empty string.
    #[must_use]
    pub fn of(texts: impl IntoIterator<Item = Text>, taint: Taint) -> Self {
        let mut any: Vec<Text> = Vec::new();
        // Where the texts stand in `any`, ordered by text, once there are too many to look through.
        let mut order: Vec<usize> = Vec::new();
        for text in texts {
            if any.len() >= MAX_VALUES || !work::charge(1 + text.pieces.len()) {
                return Self { taint, ..Self::unknown(HoleSource::Budget) };
            }
            if any.len() < FEW {
                if !any.contains(&text) {
                    any.push(text);
                }
                continue;
            }
            if order.is_empty() {
                order.extend(0..any.len());
                order.sort_by(|one, two| any.get(*one).cmp(&any.get(*two)));
            }
            if let Err(at) = order.binary_search_by(|known| any.get(*known).cmp(&Some(&text))) {
                order.insert(at, any.len());
                any.push(text);
            }
        }
        if any.is_empty() {
            any.push(Text::default());
        }
        Self { any, taint }
    }

    /// The same with more marks.
    #[must_use]
    pub fn with_taint(mut self, taint: Taint) -> Self {
        self.taint = self.taint.union(taint);
        self
    }

    /// The only possible text.
    #[must_use]
    pub fn single(&self) -> Option<&Text> {
        match self.any.as_slice() {
            [text] => Some(text),
            _ => None,
        }
    }

    /// The only possible text, when it is known in full.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        self.single().and_then(Text::as_literal)
    }

    /// The possible texts that are known in full.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.any.iter().filter_map(Text::as_literal)
    }

    /// True when every possible text is known in full.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.any.iter().all(|text| text.as_literal().is_some())
    }

    /// True when this is the empty string and nothing else.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.any.iter().all(Text::is_empty)
    }

    /// True when this may be the empty string.
    #[must_use]
    pub fn maybe_empty(&self) -> bool {
        self.any.iter().any(Text::maybe_empty)
    }

    /// Applies `change` to every possible text.
    #[must_use]
    pub fn map(&self, change: impl FnMut(&Text) -> Text) -> Self {
        Self::of(self.any.iter().map(change), self.taint)
    }

    /// Any of these; `None` when there is none.
    #[must_use]
    pub fn any_of<'a>(values: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut taint = Taint::NONE;
        let mut values = values.into_iter().inspect(|value| taint = taint.union(value.taint)).peekable();
        values.peek()?;
        let whole = Self::of(values.by_ref().flat_map(|value| value.any.iter().cloned()), Taint::NONE);
        // The marks of values that were too many to keep still count.
        values.for_each(drop);
        Some(whole.with_taint(taint))
    }

    /// One after the other with `separator` between.
    #[must_use]
    pub fn joined<'a>(values: impl IntoIterator<Item = &'a Self>, separator: &str) -> Self {
        let mut whole = Builder::default();
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                whole.push_str(separator);
            }
            whole.push(value);
        }
        whole.finish()
    }

    /// Either of the two.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let taint = self.taint.union(other.taint);
        if self.any == other.any {
            return Self { any: self.any.clone(), taint };
        }
        Self::of(self.any.iter().chain(&other.any).cloned(), taint)
    }

    /// One after the other; every combination, or a hole when there are too many or they are too long.
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        let taint = self.taint.union(other.taint);
        if other.any.len() == 1 && other.is_empty() {
            return Self { any: self.any.clone(), taint };
        }
        if self.any.len() == 1 && self.is_empty() {
            return Self { any: other.any.clone(), taint };
        }
        let mut whole = Builder::from(self);
        whole.push(other);
        whole.finish()
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Self {
        Self { any: vec![text], taint: Taint::NONE }
    }
}

/// The possible texts between bars.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, text) in self.any.iter().enumerate() {
            let bar = if index == 0 { "" } else { "|" };
            write!(out, "{bar}{text}")?;
        }
        Ok(())
    }
}
