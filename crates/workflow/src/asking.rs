//! A workflow asking about an event: what conditions are judged with, and texts are filled in from.

use std::cell::RefCell;

use tollgate_model::FileKind;

use crate::case::Case;
use crate::files;
use crate::flow::Flow;

/// A workflow asking about an event.
pub struct Asking<'a, 'c> {
    /// The workflow.
    pub flow: &'a Flow,
    /// Its phase.
    pub phase: &'a str,
    /// The event.
    pub case: &'a Case<'c>,
    /// What patterns have found.
    pub captures: RefCell<Vec<(String, String)>>,
    /// What could not be told.
    pub unsure: RefCell<Vec<String>>,
}

/// A file that a workflow would write for people: what stands there.
pub fn stands(case: &Case, path: &str) -> Option<String> {
    let path = format!("{}/{path}", case.world.workspace());
    (case.world.kind(&path) == FileKind::File).then(|| files::text(case.world, &path))?
}
