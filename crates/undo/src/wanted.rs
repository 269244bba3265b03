//! What a caller wants saved.

use std::path::PathBuf;

use crate::manifest::After;

/// How much of a path is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Only itself: of a folder, its attributes.
    Node,
    /// With everything below it.
    Tree,
    /// With everything below it, and restoring removes what is new there.
    Exact,
}

/// A path that a call may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Absolute, with no symlink on the way to its last name.
    pub path: PathBuf,
    /// How much of it.
    pub depth: Depth,
    /// What the call leaves there.
    pub after: After,
}

impl Wanted {
    /// A path with everything below it.
    #[must_use]
    pub fn tree(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), depth: Depth::Tree, after: After::Unknown }
    }
}
