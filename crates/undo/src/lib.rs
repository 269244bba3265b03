//! Snapshots of what a call would lose, and restoring them. See the README of this crate.

mod apply;
mod attributes;
mod capture;
mod content;
mod contents;
mod fault;
mod folder;
pub mod git;
mod later;
mod manifest;
mod plan;
mod retention;
mod store;

pub use apply::Restored;
pub use capture::{Depth, Limits, Origin, Saved, Wanted};
pub use fault::{Fault, Unsaved};
pub use manifest::{After, Attributes, Content, Entry, Head, Manifest, Node, Time};
pub use plan::{Change, Plan, Step};
pub use retention::{Keep, Kept};
pub use store::{Snapshot, Store, is_id, size_in_words};
