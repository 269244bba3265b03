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

impl Default for Limits {
    fn default() -> Self {
        Self { text: 1 << 20, nodes: 50_000, depth: 64 }
    }
}
