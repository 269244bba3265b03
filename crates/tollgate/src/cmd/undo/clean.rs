//! Removing old snapshots: a process of its own, after the answer of a hook that saved something.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tollgate_undo::{Head, Keep, Store};

use crate::exit::ExitCode;
use crate::{cmd, when};

/// The name of the hidden command.
pub const NAME: &str = "clean-snapshots";
/// How long it may take.
const LIMIT: Duration = Duration::from_secs(120);
/// How often it is looked whether something is old.
const OFTEN: Duration = Duration::from_hours(1);
/// A session that saved something in this time may still run.
const RUNNING: i64 = when::DAY;
/// Its time says when the last clean-up was.
const MARK: &str = "cleaned";

/// Is it time to look?
pub fn is_due(state: &Path) -> bool {
    let mark = Store::at(state).path().join(MARK).metadata().and_then(|metadata| metadata.modified());
    mark.map_or(true, |at| at.elapsed().is_ok_and(|age| age > OFTEN))
}

/// Starts a process that outlives this one. One that cannot be started leaves it to the next.
pub fn start(state: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg(NAME).arg(state).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}

/// Removes what is too old or too much.
pub fn run(state: &Path) -> anyhow::Result<ExitCode> {
    cmd::deliver::end_after(LIMIT);
    let store = Store::at(state);
    std::fs::write(store.path().join(MARK), "")?;
    let since = when::now() - RUNNING;
    let recent: BTreeSet<(String, String)> = store
        .list()?
        .into_iter()
        .map(|snapshot| snapshot.manifest.head)
        .filter(|head| head.time > since && !head.session.is_empty())
        .map(|head| (head.agent, head.session))
        .collect();
    let is_running = |head: &Head| recent.contains(&(head.agent.clone(), head.session.clone()));
    let bytes = store.share_of_disk().min(Keep::BYTES);
    store.clean(&Keep { age: Keep::AGE, bytes, is_running: &is_running })?;
    Ok(ExitCode::SUCCESS)
}
