//! The dashboard's server over a log that real hooks wrote: its answers, and what an agent on the same machine may try.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod attacks;
mod client;
mod owner;
mod schema;
mod stream;
