//! Which functions of this crate are for which program: the `handler` and `also` of its file in `catalogue/`.

use super::Handler;
use crate::catalogue::{place, programs};

include!(concat!(env!("OUT_DIR"), "/handlers.rs"));

/// What Rust does for a program that data cannot say.
pub(super) struct Handlers {
    pub handler: Option<Handler>,
    /// Is called before the handler. What it says of the output does not count.
    pub also: Option<Handler>,
}

/// The functions of a program.
pub(super) fn find(name: &str) -> Option<&'static Handlers> {
    HANDLERS.get(place(name)?)
}

/// The names of all programs with a handler or with verbs.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    let all = programs().iter().zip(&HANDLERS);
    let matters = all.filter(|(program, handlers)| handlers.handler.is_some() || program.verbs.is_some());
    matters.flat_map(|(program, _)| program.names).copied()
}
