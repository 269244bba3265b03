//! The command line for people.

use crate::exit::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::cmd;

/// Judge every tool call of every coding agent
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
    /// Show Tollgate at work in a scratch repository
    Demo(cmd::demo::Args),
    /// Install the hooks of the agents on this machine
    Init(cmd::init::Args),
    /// Remove the hooks that `init` installed
    Uninstall(cmd::uninstall::Args),
    /// Check hooks and policy
    Doctor(cmd::doctor::Args),
    /// Test the installed hooks with two harmless calls
    Canary(cmd::canary::Args),
    /// Check policy files for mistakes
    Check(cmd::check::Args),
    /// Show the policy in force and where it comes from
    Policy(cmd::policy::Args),
    /// Write hook and policy files for committing, or a bundle
    Build(cmd::build::Args),
    /// Verify policy bundles, and make keys to sign them
    Bundle(cmd::bundle::Args),
    /// Join or leave a fleet, and show its state
    Fleet(cmd::fleet::Args),
    /// Show what a call would do and how it is judged
    Explain(cmd::explain::Args),
    /// Allow one refused call once (asks in your terminal)
    Approve(cmd::approve::Args),
    /// Allow a rule, command or path for a while
    Allow(cmd::allow::Args),
    /// List exceptions, or revoke one
    Exceptions(cmd::allow::ListArgs),
    /// List and explain the rules
    Rules(cmd::rules::Args),
    /// Run policy tests and the examples of own rules
    Test(cmd::test::Args),
    /// Trust a project's policy and programs
    Trust(cmd::trust::Args),
    /// Run one rule, pack or validator on a tool input
    Validate(cmd::validate::Args),
    /// Create a middleware with a unit test
    Middleware(cmd::middleware::Args),
    /// Show and filter events
    Log(cmd::log::Args),
    /// Count calls, refusals, times and costs
    Stats(cmd::stats::Args),
    /// Verify the log and find calls that bypassed the gate
    Audit(cmd::audit::Args),
    /// Restore files that a call deleted or overwrote
    Undo(cmd::undo::Args),
    /// Run a command that can change only the workspace
    Run(cmd::run::Args),
    /// Judge past calls by the present or another policy
    Replay(cmd::replay::Args),
    /// Compress or remove old parts of the log
    Prune(cmd::prune::Args),
    /// Suggest policy changes from your history
    Suggest(cmd::suggest::Args),
    /// Serve the dashboard on this machine
    Ui(cmd::ui::Args),
    /// Show sessions and calls live in this terminal
    Watch(cmd::watch::Args),
    /// Print a session's status line
    Statusline(cmd::statusline::Args),
    /// Summarise a period or a session
    Report(cmd::report::Args),
    /// Print a JSON Schema for editors
    Schema(cmd::schema::Args),
    /// List, start, stop and edit workflows
    Workflow(cmd::workflow::Args),
    /// Show and change what workflows remember
    State(cmd::state::Args),
    /// Print a completion script for a shell
    Completions(cmd::completions::Args),
    /// Print or write the manual pages
    Man(cmd::man::Args),
    /// Answer one event of an agent (run by the agent)
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
    /// Work for the fleet (what a hook starts)
    #[command(hide = true)]
    FleetCourier(cmd::fleet::CourierArgs),
    /// Remove old snapshots (what a hook starts)
    #[command(hide = true)]
    CleanSnapshots {
        /// Where they are
        state: std::path::PathBuf,
        /// For how many days they are kept
        days: u64,
        /// How many bytes all of them may hold
        store: u64,
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
    let verb = Cli::<Verb>::try_parse().map_or_else(|error| explain_mistake(&error), |cli| cli.verb);
    let result = match verb {
        Verb::Public(command) => run_public(&command),
        Verb::Internal(command) => run_internal(&command),
    };
    result.unwrap_or_else(|error| match error.downcast_ref::<cmd::figures::NoLog>() {
        Some(nothing) => {
            crate::out::error(&nothing.to_string());
            ExitCode::SUCCESS
        }
        None => {
            crate::out::error(&format!(
                "tollgate: {}",
                crate::report::without_numbers(&format!("{error:#}"))
            ));
            ExitCode::from(2)
        }
    })
}

/// Prints what is wrong with the command line, and ends. The commands that only a hook starts are not suggested.
fn explain_mistake(error: &clap::Error) -> ! {
    match Cli::<Command>::try_parse() {
        Err(public) => public.exit(),
        Ok(_) => error.exit(),
    }
}

fn run_public(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(args) => cmd::demo::run(args),
        Command::Init(args) => cmd::init::run(args),
        Command::Uninstall(args) => cmd::uninstall::run(args),
        Command::Doctor(args) => cmd::doctor::run(args),
        Command::Canary(args) => cmd::canary::run(args),
        Command::Check(args) => cmd::check::run(args),
        Command::Policy(args) => cmd::policy::run(args),
        Command::Build(args) => cmd::build::run(args),
        Command::Bundle(args) => cmd::bundle::run(args),
        Command::Fleet(args) => cmd::fleet::run(args),
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
        Command::Run(args) => cmd::run::run(args),
        Command::Replay(args) => cmd::replay::run(args),
        Command::Prune(args) => cmd::prune::run(args),
        Command::Suggest(args) => cmd::suggest::run(args),
        Command::Ui(args) => cmd::ui::run(args),
        Command::Watch(args) => cmd::watch::run(args),
        Command::Statusline(args) => cmd::statusline::run(args),
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
        Internal::CleanSnapshots { state, days, store } => cmd::undo::clean::run(state, *days, *store),
        Internal::Deliver(args) => cmd::deliver::run(args),
        Internal::FleetCourier(args) => cmd::fleet::courier(args),
        Internal::Observe { state } => cmd::observe::run(state),
    }
}

/// The command line as users see it.
fn public() -> clap::Command {
    Cli::<Command>::command()
}

#[cfg(test)]
mod tests {
    use super::public;

    /// The longest help text, in characters: it fits beside the option in a terminal of 100 columns.
    const LONGEST: usize = 60;

    fn too_long(command: &clap::Command, path: &str) -> Vec<String> {
        let name = format!("{path} {}", command.get_name());
        let own = command.get_about().map(|help| (name.clone(), help.to_string()));
        let help = |arg: &clap::Arg| Some((format!("{name} {}", arg.get_id()), arg.get_help()?.to_string()));
        let options = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(help);
        let long = |(name, help): (String, String)| {
            let wrong = help.chars().count() > LONGEST || help.contains('\n') || help.ends_with('.');
            wrong.then(|| format!("{name}: {help}"))
        };
        let mut all: Vec<String> = own.into_iter().chain(options).filter_map(long).collect();
        all.extend(command.get_subcommands().flat_map(|inner| too_long(inner, &name)));
        all
    }

    /// The page of a command and of those below it.
    fn page(command: &mut clap::Command, level: &str) -> String {
        let usage = command.render_usage().to_string();
        let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let mut text = format!("{level} {}\n\n{about}.\n\n    {}\n", command.get_name(), usage.trim());
        let hidden =
            |arg: &&clap::Arg| arg.is_hide_set() || ["help", "version"].contains(&arg.get_id().as_str());
        let rows: Vec<String> = command.get_arguments().filter(|arg| !hidden(arg)).map(row).collect();
        if !rows.is_empty() {
            text.push_str(&format!("\n| argument | does |\n|---|---|\n{}", rows.concat()));
        }
        let below = command.get_subcommands_mut().filter(|inner| inner.get_name() != "help");
        below.for_each(|inner| text.push_str(&format!("\n{}", page(inner, &format!("{level}#")))));
        text
    }

    fn row(arg: &clap::Arg) -> String {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default().replace('|', "\\|");
        let values = arg.get_possible_values();
        let named = |value: &clap::builder::PossibleValue| format!("`{}`", value.get_name());
        let listed = !values.is_empty()
            && !arg.is_hide_possible_values_set()
            && arg.get_num_args().is_some_and(|n| n.takes_values());
        let choices = match listed {
            true => format!(": {}", values.iter().map(named).collect::<Vec<_>>().join(", ")),
            false => String::new(),
        };
        format!("| `{}` | {help}{choices} |\n", arg.to_string().replace('|', "\\|"))
    }

    #[test]
    fn the_reference_of_commands_is_current() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands.md");
        let mut command = public().bin_name("tollgate");
        command.build();
        let mut fresh = "# Commands\n\nWritten by a test from the command line itself. `tollgate COMMAND --help` prints the same.\n".to_owned();
        for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
            fresh.push_str(&format!("\n{}", page(inner, "##")));
        }
        if std::env::var_os("TOLLGATE_WRITE_DOCS").is_some() {
            std::fs::write(file, &fresh).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(file).unwrap_or_default(),
            fresh,
            "stale: run this test with TOLLGATE_WRITE_DOCS=1"
        );
    }

    #[test]
    fn internal_commands_are_not_suggested() {
        for mistyped in ["observ", "delive", "aliv"] {
            let error = public().try_get_matches_from(["tollgate", mistyped]).unwrap_err().to_string();
            assert!(
                ["observe", "deliver", "alive"].iter().all(|hidden| !error.contains(&format!("'{hidden}'"))),
                "{error}"
            );
        }
    }

    #[test]
    fn help_texts_are_one_short_line() {
        assert_eq!(too_long(&public(), ""), Vec::<String>::new());
    }
}
