//! What a tool call would do. One model serves every tool of every agent: the `Read` tool, `cat`, `< file`
//! and `cp` all become `Read`.

mod aftermath;
mod ahead;
mod analyst;
mod approval;
mod builds;
mod cargo;
mod carriers;
mod catalogue;
mod commands;
mod content;
mod documents;
mod elsewhere;
mod encodings;
mod gravity;
mod hidden;
mod indexes;
mod instructions;
mod languages;
mod links;
mod mcp;
mod memory;
mod notebook;
mod openings;
mod options;
mod orders;
mod own_process;
mod paths;
mod personal;
mod pictures;
mod pipelines;
#[cfg(test)]
mod printed_help;
mod search;
mod secret_names;
mod secrets_scan;
mod settings;
mod shapes;
mod sources;
mod sql;
mod startup;
mod status;
mod taint;
mod tools;
mod unresolved;
mod unsaved;
mod url;
mod word;
mod yaml;

pub use approval::only_reads;
pub use memory::entries;
pub use paths::{Places, is_project, protected_places};
pub use status::{Deciding, status_of};

use tollgate_model::{Effect, Event, Kind, ToolUse, World};

/// The most of a written text that is looked at.
const TEXT_LIMIT: usize = 1 << 20;

/// Everything the call that waits for an answer would do, or what a person's prompt tells the agent. Pure: the
/// same event in the same world gives the same effects.
#[must_use]
pub fn analyse(event: &Event, world: &dyn World) -> Vec<Effect> {
    match (event.pending(), &event.kind) {
        (Some(tool), _) => tools::effects(tool, &event.cwd, world),
        (None, Kind::Prompt { text }) => personal::effects(text),
        (None, Kind::Expand { args, .. }) => personal::effects(args),
        (None, _) => Vec::new(),
    }
}

/// What a call does that is not, or no longer, asked about.
#[must_use]
pub fn analyse_call(tool: &ToolUse, cwd: &str, world: &dyn World) -> Vec<Effect> {
    tools::effects(tool, cwd, world)
}
