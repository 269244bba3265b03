//! `tollgate observe`: the process in which observers run, after the answer.

use crate::exit::ExitCode;
use std::path::Path;
use std::time::SystemTime;

use tollgate_store::Log;

use crate::guard;

/// Runs what a hook hands over on standard input, and records what each observer did.
pub fn run(state: &Path) -> anyhow::Result<ExitCode> {
    let observed = tollgate_middleware::observe(std::io::stdin().lock(), state)?;
    if let Some(record) = guard::observer_runs(&observed) {
        Log::at(state).append(&record, SystemTime::now())?;
    }
    Ok(ExitCode::SUCCESS)
}
