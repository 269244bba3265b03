//! `cargo xtask fresh`: the README's commands as a newcomer runs them. A clone of the last commit in a temporary folder whose
//! name has a space, an empty home, no identity for git, no terminal, nothing built.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::sh;

use crate::steps::Steps;

/// Runs the named commands (`install`, `test`), or both.
pub fn run(names: &[String]) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("tollgate fresh {}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let clone = folder.join("tollgate");
    sh::check(sh::command(&["git", "clone", "--quiet", "."]).arg(&clone))?;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|given| given == name);
    let mut steps = Steps::default();
    for name in ["install", "test"].into_iter().filter(|name| wanted(name)) {
        steps.run(name, || step(&folder, &clone, name));
    }
    println!("the clone stays in {}", folder.display());
    steps.finish()
}

fn step(folder: &Path, clone: &PathBuf, name: &str) -> Result<()> {
    let mut command = sh::command(&["cargo", "xtask", name]);
    sh::clean(&mut command, &folder.join(format!("home {name}")))?;
    command
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("TOLLGATE_E2E_CLIENTS")
        .env("CARGO_INSTALL_ROOT", folder.join("installed"));
    sh::check(command.current_dir(clone))
}
