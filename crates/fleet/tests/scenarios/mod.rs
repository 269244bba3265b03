//! What the server is asked to do, and what goes wrong.

pub mod faults;
pub mod logs;
pub mod machines;
pub mod people;
