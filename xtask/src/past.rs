//! What the past costs: taking it in, asking for figures, judging it again. Histories are generated in the real record
//! format, measured, and removed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use xtask::sh;

use crate::build;

/// Takes a history in and asks `tollgate stats` about all of it.
pub fn index(events: u64) -> Result<()> {
    let tollgate = build::release()?;
    let past = Past::new(events, &[])?;
    past.time(Command::new(&tollgate).arg("stats"))?;
    past.time(Command::new(&tollgate).args(["stats", "--by", "tool"]))
}

/// Judges the calls of our own cases, thousands that recur as in life.
pub fn replay(calls: u64) -> Result<()> {
    let tollgate = build::release()?;
    let mut cases = Vec::new();
    for class in list(&sh::root().join("crates/pipeline/tests/cases"))?.iter().filter(|path| path.is_dir()) {
        cases.extend(list(class)?);
    }
    // A session has 82 events and 40 calls.
    let past = Past::new(calls * 82 / 40, &cases)?;
    past.time(Command::new(&tollgate).args(["replay", "--examples", "0"]))
}

/// What a folder holds, by name.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = std::fs::read_dir(folder).with_context(|| format!("no `{}`", folder.display()))?;
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// A generated history, removed when dropped.
struct Past {
    home: PathBuf,
    state: PathBuf,
}

impl Past {
    fn new(events: u64, commands: &[PathBuf]) -> Result<Self> {
        let home = sh::target_dir().join("bench-past");
        let _ = std::fs::remove_dir_all(&home);
        let past = Self { state: home.join("state"), home };
        let words =
            ["cargo", "run", "--quiet", "--release", "-p", "tollgate-index", "--example", "history", "--"];
        let mut command = sh::command(&words);
        sh::check(command.arg(&past.state).arg(events.to_string()).args(commands))?;
        Ok(past)
    }

    /// Runs a command over the history, and shows what it prints, how long it took, and how much of that processors
    /// were busy with it.
    fn time(&self, command: &mut Command) -> Result<()> {
        command.arg("--state").arg(&self.state).env_clear().env("HOME", &self.home);
        let shown: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        println!("\n$ tollgate {}", shown.join(" "));
        let (start, before) = (Instant::now(), children());
        // `replay` says with exit 1 that something would change.
        command.status().context("cannot start")?;
        let wall = start.elapsed().as_secs_f64();
        println!("{wall:.2} s; {:.2} s of processors", children() - before);
        Ok(())
    }
}

impl Drop for Past {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.home));
    }
}

/// What the processes that we waited for have spent, in seconds; Linux counts in hundredths.
fn children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: u64 = after.split_whitespace().skip(13).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}
