//! Real commands that must not be refused: how many are, and which.

use std::ffi::OsStr;

use anyhow::{Context, Result};

use xtask::sh;

/// Judges every command of a file with the test binary of `pipeline`.
pub fn run(file: Option<&str>) -> Result<()> {
    let file = file.context("name a file of JSON lines with `command`")?;
    let file = std::fs::canonicalize(file).with_context(|| format!("no such file: {file}"))?;
    judge(file.as_os_str())
}

/// What judging costs in a warm process.
pub fn speed() -> Result<()> {
    judge("--speed".as_ref())
}

fn judge(what: &OsStr) -> Result<()> {
    let words =
        ["cargo", "run", "--quiet", "--release", "-p", "tollgate-pipeline", "--example", "corpus", "--"];
    sh::check(sh::command(&words).arg(what))
}
