//! When old snapshots are looked for, and who does it: a process of its own, after the answer.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tollgate_policy::Budget;
use tollgate_undo::Store;

/// The hidden command that does it.
const NAME: &str = "clean-snapshots";
/// How often it is looked whether something is old.
const OFTEN: Duration = Duration::from_hours(1);

/// A file whose time says when the last clean-up was.
pub fn mark(state: &Path) -> PathBuf {
    Store::at(state).path().join("cleaned")
}

/// Is it time to look?
pub fn is_due(state: &Path) -> bool {
    let last = mark(state).metadata().and_then(|metadata| metadata.modified());
    last.map_or(true, |at| at.elapsed().is_ok_and(|age| age > OFTEN))
}

/// Starts a process that outlives this one. One that cannot be started leaves it to the next.
pub fn start(state: &Path, budget: &Budget) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    let kept = [budget.days, budget.store].map(|number| number.to_string());
    command.arg(NAME).arg(state).args(kept).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}
