//! Removing old snapshots: a process of its own, after the answer of a hook that saved something.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use tollgate_undo::{Head, Keep, Store};

use crate::exit::ExitCode;
use crate::{cmd, saving, when};

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(120);
/// A session that saved something in this time may still run.
const RUNNING: i64 = when::DAY;

/// Removes what is older than so many days, or what is too much.
pub fn run(state: &Path, days: u64, most: u64) -> anyhow::Result<ExitCode> {
    cmd::deliver::end_after(LIMIT);
    let store = Store::at(state);
    std::fs::write(saving::clean::mark(state), "")?;
    let since = when::now() - RUNNING;
    let recent: BTreeSet<(String, String)> = store
        .list()?
        .into_iter()
        .map(|snapshot| snapshot.manifest.head)
        .filter(|head| head.time > since && !head.session.is_empty())
        .map(|head| (head.agent, head.session))
        .collect();
    let is_running = |head: &Head| recent.contains(&(head.agent.clone(), head.session.clone()));
    let bytes = store.share_of_disk().min(most);
    let age = Duration::from_hours(24 * days);
    store.clean(&Keep { age, bytes, is_running: &is_running })?;
    Ok(ExitCode::SUCCESS)
}
