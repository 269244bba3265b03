//! The command line for people.

use crate::exit::ExitCode;

use clap::{Parser, Subcommand};

use crate::cmd;

/// One gate for every tool call of every coding agent.
#[derive(Parser)]
#[command(name = "tollgate", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Guard the coding agents on this machine: show the plan, install the hooks, prove them
    Init(cmd::init::Args),
    /// Take out exactly what `init` put in
    Uninstall(cmd::uninstall::Args),
    /// Is every hook installed, current and really firing, and is the policy the one you think
    Doctor(cmd::doctor::Args),
    /// Prove the installed hooks: one call that must be refused, one that must pass
    Canary(cmd::canary::Args),
    /// Check policy files: every problem with file, line and column
    Check(cmd::check::Args),
    /// Show what a command or tool call would do, and what Tollgate says to it
    Explain(cmd::explain::Args),
    /// Let one refused call pass (for a person, in a terminal of their own)
    Approve(cmd::approve::Args),
    /// The catalogue of rules
    Rules(cmd::rules::Args),
    /// Workflows: which are on, how they stand, start, stop, eject, graph
    Workflow(cmd::workflow::Args),
    /// What workflows remember
    State(cmd::state::Args),
    /// Answer one event of an agent (what the agent's host runs; payload on standard input)
    Hook {
        /// The agent, and the event where its payload does not name it
        #[arg(required = true, num_args = 1..)]
        words: Vec<String>,
    },
}

/// Runs the command and says in people's words what went wrong.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Init(args) => cmd::init::run(args),
        Command::Uninstall(args) => cmd::uninstall::run(args),
        Command::Doctor(args) => cmd::doctor::run(args),
        Command::Canary(args) => cmd::canary::run(args),
        Command::Check(args) => cmd::check::run(args),
        Command::Explain(args) => cmd::explain::run(args),
        Command::Approve(args) => cmd::approve::run(args),
        Command::Rules(args) => cmd::rules::run(args),
        Command::Workflow(args) => cmd::workflow::run(args),
        Command::State(args) => cmd::state::run(args),
        Command::Hook { words } => crate::hook::run(words),
    };
    result.unwrap_or_else(|error| {
        crate::out::error(&format!("tollgate: {error:#}"));
        ExitCode::from(2)
    })
}
