//! One gate for every tool call of every coding agent.

mod cli;
mod cmd;
mod dirs;
mod hook;
mod out;
mod owner;
mod program;
mod report;
mod stdin;
mod terminal;
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    // The hot path branches off before anything else is touched.
    match args.split_first() {
        Some((_, [verb, rest @ ..])) if verb == "hook" => hook::run(rest),
        _ => cli::run(),
    }
}
