//! What the project's own commands share.

pub mod sh;
