use serde::{Deserialize, Serialize};

/// A byte range of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The text it covers, or nothing when it does not fit `source`.
    #[must_use]
    pub fn of(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

fn clamp(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
