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
mod size;
mod store;
mod wanted;

pub use apply::Restored;
pub use capture::{Limits, Origin, Saved};
pub use fault::{Fault, Unsaved};
pub use manifest::{After, Attributes, Content, Entry, Head, Manifest, Node, Time};
pub use plan::{Change, Plan, Step};
pub use retention::{Keep, Kept};
pub use size::size_in_words;
pub use store::{Snapshot, Store, is_id};
pub use wanted::{Depth, Wanted};
