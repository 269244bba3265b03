//! From text to tree: one file for each language, and nothing of its parser anywhere else.

#[cfg(feature = "python")]
pub mod python;
mod scan;

use crate::tree::{Builder, Dialect, Implicit, Kind, NodeId, Range, Tree};

/// Reads a language. Total: whatever the text, there is a tree, whose ranges lie in the text, after a time that grows with
/// the length of the text. Holes of the shell stand in the text as placeholders (`holes::Source`), and are holes of the tree.
pub trait Frontend {
    /// The tree of a text.
    fn parse(&self, text: &str) -> Tree;
}

/// How much may be in one another where a parser is to read it. Real code stays below a third of that.
pub(crate) const NESTING: u32 = 100;

/// How many operators, parts and calls may follow one another in one expression, each of them a level of the tree.
pub(crate) const CHAIN: u32 = 2_000;

/// How deep a tree may be. Whatever walks one may go as deep.
pub const DEPTH: u32 = 200;

/// A language without any words of its own.
pub static PLAIN: Dialect = Dialect {
    constructor: "",
    invoked: "",
    entered: ["", ""],
    missing: "",
    item: "",
    iterated: "",
    shown: "",
    made: "",
    filled: "",
    operators: &[],
    comparisons: &[],
    implicit: Implicit {
        allocates: "",
        sets_item: "",
        removes_item: "",
        missing_item: "",
        class_item: "",
        reads_part: "",
        sets_part: "",
        describes: ["", ""],
        ends: "",
        truth: ["", ""],
        parts: "",
        owners: ["", ""],
        key: "",
        asked: &[],
        maker: "",
        setter: "",
    },
    nothing: ["", "", ""],
    class_bound: "",
    slices: false,
    joins_paths: false,
    fills: false,
    adds_texts: false,
    main: "",
    unbound: &[],
    properties: &[],
};

/// The tree of a text that no parser may see.
pub(crate) fn unread(dialect: &'static Dialect, text: &str) -> Tree {
    let mut builder = Builder::new(dialect);
    let range = Range { start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) };
    let unknown = builder.deep(range);
    let root = builder.block(&[unknown], range);
    builder.finish(root, Vec::new())
}

/// A name, or the hole that the placeholder stands for.
pub(crate) fn name(builder: &mut Builder, text: &str, range: Range) -> NodeId {
    if let Some(hole) = crate::holes::first_in(text) {
        return builder.add(Kind::Hole(hole), range);
    }
    let name = builder.name(text);
    builder.add(Kind::Name(name), range)
}
