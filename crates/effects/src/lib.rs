//! What a tool call would do. One model serves every tool of every agent: the `Read` tool, `cat`, `< file`
//! and `cp` all become `Read`.

mod aftermath;
mod analyst;
mod approval;
mod commands;
mod content;
mod elsewhere;
mod languages;
mod links;
mod mcp;
mod memory;
mod notebook;
mod options;
mod patch;
mod paths;
mod secrets_scan;
mod settings;
mod sql;
mod startup;
mod status;
mod tools;
mod url;
mod word;

pub use approval::only_reads;
pub use memory::entries;
pub use status::status_of;

use tollgate_model::{Effect, Event, ToolUse, World};

/// Everything the call that waits for an answer would do. Pure: the same event in the same world gives the
/// same effects.
#[must_use]
pub fn analyse(event: &Event, world: &dyn World) -> Vec<Effect> {
    match event.pending() {
        Some(tool) => tools::effects(tool, &event.cwd, world),
        None => Vec::new(),
    }
}

/// What a call does that is not, or no longer, asked about.
#[must_use]
pub fn analyse_call(tool: &ToolUse, cwd: &str, world: &dyn World) -> Vec<Effect> {
    tools::effects(tool, cwd, world)
}
