//! `tollgate replay`: what the present policy, or another, would have said to the calls of the past.
//!
//! What a rule found then is a fact and stays, at the rule's present level. Beside that, every call is judged again in a
//! world that stands still: no file is looked at, so that the answer is the same today and tomorrow. What would hang on the
//! disk as it was then is counted as not known.

mod judge;
mod past;
mod recorded;
mod tally;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tollgate_policy::{Layer, Policy, Severity};
use tollgate_rules::Rules;

use crate::dirs::{Dirs, MANAGED};
use crate::exit::ExitCode;
use crate::{out, when};
pub use judge::{Baseline, Judges, Still, exceptions_of};
pub use past::{Source, Written};

/// Arguments of `tollgate replay`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Compare this policy file with the present policy
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Read calls from the transcripts instead of the log
    #[arg(long)]
    transcripts: bool,
    /// Only calls since: `24h`, `30d`, a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Show N examples per rule
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// State directory
    #[arg(long, hide = true)]
    state: Option<PathBuf>,
}

/// Judges the past again. Exit 1 when something would change.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let state = args.state.clone().unwrap_or_else(|| dirs.state.clone());
    let since = args.since.as_deref().map(when::parse).transpose()?;
    let present = present(&dirs, &state);
    let (policy, baseline) = match &args.policy {
        Some(file) => (read(file, &state)?, Baseline::Policy(Box::new(present))),
        None => (present, Baseline::Recorded),
    };
    let source = if args.transcripts { Source::transcripts(&dirs.home) } else { Source::log(&state) };
    let judges = Judges { policy, baseline, still: Still::of(&dirs, &state), dirs: &dirs, state: &state };
    let tally = judges.run(source, since, args.examples)?;
    if args.json {
        out::line(&tally.value().to_string())
    } else {
        tally.print()
    }
    Ok(if tally.changed() == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The user's and the machine's policy: that of a project is another for every project.
pub fn present(dirs: &Dirs, state: &Path) -> Policy {
    let request = tollgate_policy::Request {
        managed_dir: Path::new(MANAGED),
        config_dir: &dirs.config,
        state_dir: state,
        project: None,
        built: None,
        cwd: &dirs.home,
    };
    tollgate_policy::load(&request, &Rules).policy
}

/// A policy file by itself, as a user's file.
fn read(file: &Path, state: &Path) -> anyhow::Result<Policy> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let problems = tollgate_policy::check(file, &text, Layer::User, &Rules);
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        bail!("{}", tollgate_policy::render(&problems, &text, false));
    }
    laid(&text, None, state)
}

/// The policy that a text makes as a user's file, under a managed one or none. Laid where a user's file would lie, in
/// a place of our own.
pub fn laid(text: &str, managed: Option<&Path>, state: &Path) -> anyhow::Result<Policy> {
    let place = state.join(format!("replay-{}", std::process::id()));
    std::fs::create_dir_all(&place).with_context(|| format!("cannot make `{}`", place.display()))?;
    let written = std::fs::write(place.join(tollgate_policy::FILE_NAME), text);
    let nobody = place.join("managed");
    let request = tollgate_policy::Request {
        managed_dir: managed.unwrap_or(&nobody),
        config_dir: &place,
        state_dir: &place.join("state"),
        project: None,
        built: None,
        cwd: &place,
    };
    let loaded = tollgate_policy::load(&request, &Rules);
    let _ = std::fs::remove_dir_all(&place);
    written.with_context(|| format!("cannot write below `{}`", place.display()))?;
    Ok(loaded.policy)
}
