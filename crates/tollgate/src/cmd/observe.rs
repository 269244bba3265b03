//! `tollgate observe`: the process in which observers run, after the answer.

use crate::exit::ExitCode;
use std::path::Path;
use std::time::SystemTime;

use anyhow::Context;
use tollgate_store::Log;

use crate::guard;

/// Runs what a hook wrote down and keeps count of what failed.
pub fn run(file: &Path) -> anyhow::Result<ExitCode> {
    let state = file.parent().and_then(Path::parent).context("not a file that a hook wrote")?;
    let faults = tollgate_middleware::observe(file)?;
    if let Some(record) = guard::observer_faults(&faults) {
        Log::at(state).append(&record, SystemTime::now())?;
    }
    Ok(ExitCode::SUCCESS)
}
