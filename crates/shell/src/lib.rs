//! Shell text to resolved commands. Total: never fails, never panics, bounded in time and memory.
//!
//! `parse` gives a tree (`ast`); `eval::Shell` walks it and hands every command that would run, with what
//! is known of its words (`value`), to a `Host`.

pub mod ast;
mod budget;
pub mod eval;
mod lexer;
pub mod map;
pub mod multicall;
mod parse;
pub mod value;

pub use budget::Limits;
pub use parse::{first_lookalike, parse};
