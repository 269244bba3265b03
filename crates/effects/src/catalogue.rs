//! What is known of each program: the files of `catalogue/` at the root of the repository, as tables that the build makes.

#![allow(clippy::unreadable_literal, reason = "made by the build")]

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// Where a program stands in the tables.
pub(crate) fn place(name: &str) -> Option<usize> {
    NAMES.get(name).copied().map(usize::from)
}

/// What is known of a program.
pub(crate) fn find(name: &str) -> Option<&'static Program> {
    PROGRAMS.get(place(name)?)
}

/// Is a program of this kind?
pub(crate) fn is(name: &str, tag: Tag) -> bool {
    find(name).is_some_and(|program| program.tags.contains(&tag))
}

/// What becomes of the files, hosts and code that a program's words name.
pub(crate) fn uses(name: &str) -> &'static [Use] {
    find(name).map_or(&[], |program| program.uses)
}

/// All programs, in the order of the tables.
pub(crate) fn programs() -> &'static [Program] {
    &PROGRAMS
}
