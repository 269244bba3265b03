//! Running programs.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).unwrap_or_default()
}

/// A command in the workspace's root.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words.first().copied().unwrap_or_default());
    command.args(words.get(1..).unwrap_or_default()).current_dir(root());
    command
}

/// Runs and shows it; fails when it fails.
pub fn run(words: &[&str]) -> Result<()> {
    check(&mut command(words))
}

/// Runs a prepared command and shows it.
pub fn check(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("+ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// What a command prints.
pub fn output(words: &[&str]) -> Result<String> {
    let output = command(words)
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", words.join(" ")))?;
    if !output.status.success() {
        bail!("`{}` failed", words.join(" "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Does the program exist and answer?
pub fn exists(words: &[&str]) -> bool {
    command(words).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
