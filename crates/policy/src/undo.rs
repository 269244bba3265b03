//! `undo:` of a policy: whether what a call loses is saved before it runs, and how much that may take.

use serde::{Deserialize, Serialize};

/// Whether a call's losses are saved before it runs. Ordered: the later is the safer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Undo {
    /// Nothing is saved.
    Off,
    /// Files that the call deletes, overwrites or edits, and git state that it loses.
    #[default]
    Save,
}

/// How much one call may save, and how much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Bytes of one call.
    pub size: u64,
    /// Files of one call.
    pub files: u64,
    /// Milliseconds that saving one call may take.
    pub ms: u64,
    /// Days for which a snapshot is kept.
    pub days: u64,
    /// Bytes of all snapshots together.
    pub store: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { size: 256 << 20, files: 20_000, ms: 300, days: 14, store: 5 << 30 }
    }
}

impl Budget {
    /// For people: what differs between two policies.
    pub(crate) fn words(&self) -> String {
        let Self { size, files, ms, days, store } = self;
        format!("{size} bytes, {files} files, {ms} ms a call; {days} days, {store} bytes in all")
    }

    /// The strictest of two: less is saved, so that more is asked, and what is saved is kept for longer.
    pub(crate) fn strictest(self, other: Self) -> Self {
        Self {
            size: self.size.min(other.size),
            files: self.files.min(other.files),
            ms: self.ms.min(other.ms),
            days: self.days.max(other.days),
            store: self.store.max(other.store),
        }
    }
}
