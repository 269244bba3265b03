//! Every package is made, installed into a scratch folder by the program that it is for, and asked as a hook.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod action;
mod claude_plugin;
mod deb;
mod dependencies;
mod installer;
mod npm;
mod real_client;
mod reproducible;
mod support;
mod tarball;
mod wheel;
