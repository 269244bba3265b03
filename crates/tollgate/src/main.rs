//! One gate for every tool call of every coding agent.

#![cfg_attr(not(test), no_main)]

mod alive;
mod cli;
mod cmd;
mod dirs;
mod exceptions;
mod exit;
mod failed_hooks;
mod flows;
mod git;
mod guard;
mod guide;
mod hook;
mod listing;
mod markdown;
mod multiplexer;
mod notify;
mod out;
mod owner;
mod paint;
mod parquet;
mod patience;
mod pin;
mod program;
mod refused;
mod report;
mod runs;
mod saving;
mod secrets;
mod session;
mod stdin;
mod table;
mod terminal;
mod transcripts;
mod usage;
mod versions;
mod watcher;
mod when;
mod world;

#[cfg(not(test))]
tollgate_lastword::entry!(run);

#[global_allocator]
static HEAP: tollgate_lastword::Heap = tollgate_lastword::Heap;

/// The hot path branches off before anything else is touched.
#[cfg_attr(test, expect(dead_code, reason = "the test harness has its own `main`"))]
fn run() -> i32 {
    let text =
        |arg: std::ffi::OsString| arg.into_string().unwrap_or_else(|arg| arg.to_string_lossy().into_owned());
    let args: Vec<String> = std::env::args_os().map(text).collect();
    match args.split_first() {
        Some((_, [verb, rest @ ..])) if verb == "hook" => hook::run(rest),
        _ => i32::from(cli::run()),
    }
}
