//! Real commands that must not be refused: how many are, and which.

use anyhow::{Context, Result};

use crate::{build, sh};

/// Judges every command of a file with the test binary of `pipeline`.
pub fn run(file: Option<&str>) -> Result<()> {
    let file = file.context("name a file of JSON lines with `command`")?;
    let file = std::fs::canonicalize(file).with_context(|| format!("no such file: {file}"))?;
    let _ = build::target_dir();
    let mut command = sh::command(&[
        "cargo",
        "run",
        "--quiet",
        "--release",
        "-p",
        "tollgate-pipeline",
        "--example",
        "corpus",
        "--",
    ]);
    sh::check(command.arg(file))
}
