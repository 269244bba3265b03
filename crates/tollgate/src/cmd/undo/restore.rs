//! `tollgate undo restore`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use tollgate_undo::{Origin, Plan, Restored, Step};

use super::{Desk, Reader, text};
use crate::exit::ExitCode;
use crate::out;
use crate::report::escaped;
use crate::table::counted;

/// How many paths are listed.
const LISTED: usize = 50;

/// Arguments of `tollgate undo restore`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Snapshot id
    pub id: String,
    #[command(flatten)]
    pub how: How,
}

/// What to restore, and how.
#[derive(clap::Args, Debug)]
pub struct How {
    /// Restore only these paths and what lies below them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Show the changes without making them
    #[arg(long)]
    dry_run: bool,
    /// Replace later changes, too; they are saved first
    #[arg(long)]
    force: bool,
}

/// Restores a snapshot.
pub fn run(desk: &Desk, id: &str, how: &How) -> anyhow::Result<ExitCode> {
    let snapshot = desk.admit(id)?;
    let paths = how
        .paths
        .iter()
        .map(std::path::absolute)
        .collect::<Result<Vec<PathBuf>, _>>()
        .context("the working directory is gone; change to another")?;
    let holds = |path: &PathBuf| snapshot.manifest.entries.iter().any(|entry| entry.path().starts_with(path));
    if let Some(stranger) = paths.iter().find(|path| !holds(path)) {
        bail!("`{}` is not in {id}; `tollgate undo show {id}` lists what is", escaped(&text(stranger)));
    }
    let plan = desk.store.plan(id, &paths)?;
    if plan.steps.is_empty() {
        out::line(&format!("Nothing to restore: everything in {id} is as it was."));
        return Ok(ExitCode::SUCCESS);
    }
    if how.dry_run {
        print_steps(plan.steps.iter());
        return Ok(ExitCode::from(u8::from(plan.conflicts().next().is_some() && !how.force)));
    }
    if plan.conflicts().next().is_some() && !how.force {
        return refuse(&plan);
    }
    let restored = desk.store.restore(&plan, &origin(desk, id))?;
    Ok(tell(id, &restored))
}

/// The call that a restore is, in the list.
fn origin(desk: &Desk, id: &str) -> Origin {
    let (agent, session) = match &desk.reader {
        Reader::Person => ("person", String::new()),
        Reader::Session(session) => ("agent", session.clone()),
    };
    Origin { agent: agent.to_owned(), session, call: format!("tollgate undo {id}"), call_id: String::new() }
}

fn refuse(plan: &Plan) -> anyhow::Result<ExitCode> {
    out::error("Nothing was restored: these were changed after the call.");
    for step in plan.conflicts().take(LISTED) {
        let why = step.conflict.as_deref().unwrap_or_default();
        out::error(&format!("  {}: {why}", escaped(&text(&step.path))));
    }
    let id = &plan.snapshot.id;
    out::error(&format!(
        "To replace them (they are saved first): tollgate undo restore {id} --force\n\
         To restore only some paths: tollgate undo restore {id} PATH…"
    ));
    Ok(ExitCode::from(1))
}

fn print_steps<'a>(steps: impl Iterator<Item = &'a Step>) {
    for step in steps {
        let why = step.conflict.as_ref().map(|why| format!("  (conflict: {why})")).unwrap_or_default();
        out::line(&format!("{:<10}  {}{why}", step.change.name(), escaped(&text(&step.path))));
    }
}

fn tell(id: &str, restored: &Restored) -> ExitCode {
    out::line(&format!("Restored {} from {id}.", counted(restored.done as u64, "path")));
    if let Some(saved) = &restored.saved {
        out::line(&format!("To take that back: tollgate undo {}", saved.id));
    }
    for (path, fault) in &restored.failed {
        out::error(&format!("tollgate: `{}` was not restored: {fault}", escaped(&text(path))));
    }
    ExitCode::from(u8::from(!restored.failed.is_empty()))
}
