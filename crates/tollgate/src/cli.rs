//! The command line for people.

use crate::exit::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::cmd;

/// One gate for every tool call of every coding agent.
#[derive(Parser)]
#[command(name = "tollgate", version, max_term_width = 100)]
struct Cli<V: Subcommand> {
    #[command(subcommand)]
    verb: V,
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one in a process")]
enum Verb {
    #[command(flatten)]
    Public(Command),
    #[command(flatten)]
    Internal(Internal),
}

#[derive(Subcommand)]
enum Command {
    /// Show the gate at work in a scratch repository
    Demo(cmd::demo::Args),
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
    /// Write the agents' own files and the policy under `build/`, for committing; fails on any configuration error
    Build(cmd::build::Args),
    /// Show what a command or tool call would do, and what Tollgate says to it
    Explain(cmd::explain::Args),
    /// Let one refused call pass (for a person, in a terminal of their own)
    Approve(cmd::approve::Args),
    /// Make an exception, for a while (for a person, in a terminal of their own)
    Allow(cmd::allow::Args),
    /// The exceptions that were made, and taking one back
    Exceptions(cmd::allow::ListArgs),
    /// The catalogue of rules
    Rules(cmd::rules::Args),
    /// Run the policy's tests and the examples of its rules; coverage by rule
    Test(cmd::test::Args),
    /// Trust this project's policy and programs: they are copied, and the copies run
    Trust(cmd::trust::Args),
    /// One validator alone: a tool's input on standard input, `{"safe": …, "reason": …, "metadata": …}` as answer
    Validate(cmd::validate::Args),
    /// Write a middleware of your own, with its unit test
    Middleware(cmd::middleware::Args),
    /// What happened: every event, filtered
    Log(cmd::log::Args),
    /// Figures: calls, refusals, times, and how each rule fares
    Stats(cmd::stats::Args),
    /// Is the log what was written, and did every call of every transcript pass the gate
    Audit(cmd::audit::Args),
    /// Take back what a call deleted or overwrote
    Undo(cmd::undo::Args),
    /// What this policy, or another, would have said to the calls of the past
    Replay(cmd::replay::Args),
    /// Make the log smaller: compress old parts, or remove them and say so
    Prune(cmd::prune::Args),
    /// What the past says about the policy, as a diff
    Suggest(cmd::suggest::Args),
    /// A period or a session on a page: text, Markdown, HTML or JSON
    Report(cmd::report::Args),
    /// JSON Schema of the policy file, hook files, workflows and policy tests, for editors
    Schema(cmd::schema::Args),
    /// Workflows: which are on, how they stand, start, stop, eject, graph
    Workflow(cmd::workflow::Args),
    /// What workflows remember
    State(cmd::state::Args),
    /// Print a completion script for a shell
    Completions(cmd::completions::Args),
    /// Print the manual page, or write one page per subcommand
    Man(cmd::man::Args),
    /// Answer one event of an agent (what the agent's host runs; payload on standard input)
    Hook {
        /// The agent, and the event where its payload does not name it
        #[arg(required = true, num_args = 1..)]
        words: Vec<String>,
    },
}

/// What a hook starts. Neither help, completions nor manual pages show it.
#[derive(Subcommand)]
enum Internal {
    /// Run the observers of an event (what a hook starts, with the event on standard input)
    #[command(hide = true)]
    Observe {
        /// Where the log is
        #[arg(long)]
        state: std::path::PathBuf,
    },
    /// Bring records to the sinks (what a hook starts)
    #[command(hide = true)]
    Deliver(cmd::deliver::Args),
    /// Remove old snapshots (what a hook starts)
    #[command(hide = true)]
    CleanSnapshots {
        /// Where they are
        state: std::path::PathBuf,
    },
    /// Compare the transcripts with the log for the next session (what a hook starts)
    #[command(hide = true)]
    Alive {
        /// Where the log is
        state: std::path::PathBuf,
    },
}

/// Runs the command and says in people's words what went wrong.
pub fn run() -> ExitCode {
    let result = match Cli::<Verb>::parse().verb {
        Verb::Public(command) => run_public(&command),
        Verb::Internal(command) => run_internal(&command),
    };
    result.unwrap_or_else(|error| {
        crate::out::error(&format!("tollgate: {error:#}"));
        ExitCode::from(2)
    })
}

fn run_public(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(args) => cmd::demo::run(args),
        Command::Init(args) => cmd::init::run(args),
        Command::Uninstall(args) => cmd::uninstall::run(args),
        Command::Doctor(args) => cmd::doctor::run(args),
        Command::Canary(args) => cmd::canary::run(args),
        Command::Check(args) => cmd::check::run(args),
        Command::Build(args) => cmd::build::run(args),
        Command::Explain(args) => cmd::explain::run(args),
        Command::Approve(args) => cmd::approve::run(args),
        Command::Allow(args) => cmd::allow::run(args),
        Command::Exceptions(args) => cmd::allow::list(args),
        Command::Rules(args) => cmd::rules::run(args),
        Command::Test(args) => cmd::test::run(args),
        Command::Trust(args) => cmd::trust::run(args),
        Command::Validate(args) => cmd::validate::run(args),
        Command::Middleware(args) => cmd::middleware::run(args),
        Command::Log(args) => cmd::log::run(args),
        Command::Stats(args) => cmd::stats::run(args),
        Command::Audit(args) => cmd::audit::run(args),
        Command::Undo(args) => cmd::undo::run(args),
        Command::Replay(args) => cmd::replay::run(args),
        Command::Prune(args) => cmd::prune::run(args),
        Command::Suggest(args) => cmd::suggest::run(args),
        Command::Report(args) => cmd::report::run(args),
        Command::Schema(args) => cmd::schema::run(args),
        Command::Workflow(args) => cmd::workflow::run(args),
        Command::State(args) => cmd::state::run(args),
        Command::Completions(args) => cmd::completions::run(args, public()),
        Command::Man(args) => cmd::man::run(args, public()),
        Command::Hook { words } => crate::hook::run(words),
    }
}

/// How long reading the transcripts may take.
const ALIVE: std::time::Duration = std::time::Duration::from_secs(120);

fn run_internal(command: &Internal) -> anyhow::Result<ExitCode> {
    match command {
        Internal::Alive { state } => {
            cmd::deliver::end_after(ALIVE);
            cmd::audit::brief(state)
        }
        Internal::CleanSnapshots { state } => cmd::undo::clean::run(state),
        Internal::Deliver(args) => cmd::deliver::run(args),
        Internal::Observe { state } => cmd::observe::run(state),
    }
}

/// The command line as users see it.
fn public() -> clap::Command {
    Cli::<Command>::command()
}
