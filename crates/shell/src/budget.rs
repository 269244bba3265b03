//! Bounds on what one parse may cost.

/// How much text, how many nodes and how deep a nesting is read before `parse` stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of source text; what lies beyond is not read.
    pub text: usize,
    /// Nodes of the tree: words, parts, commands and problems.
    pub nodes: usize,
    /// Compound commands, substitutions and expansions inside one another.
    pub depth: usize,
}

impl Limits {
    /// The limits for a text of this many bytes: a long script has as many nodes as it has words.
    #[must_use]
    pub fn for_text(bytes: usize) -> Self {
        let limits = Self::default();
        Self { nodes: limits.nodes + bytes.min(limits.text) / 2, ..limits }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { text: 1 << 20, nodes: 50_000, depth: 64 }
    }
}
