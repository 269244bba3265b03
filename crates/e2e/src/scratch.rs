//! A home and a project that exist for one run only.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

/// A scratch home with a git project beside it, removed when dropped (unless `TOLLGATE_E2E_KEEP` is set).
#[derive(Debug)]
pub struct Scratch {
    root: TempDir,
}

impl Scratch {
    /// An empty home, and a project with one commit.
    pub fn new() -> Result<Scratch> {
        let mut root = tempfile::Builder::new().prefix("e2e-").tempdir()?;
        root.disable_cleanup(env::var_os("TOLLGATE_E2E_KEEP").is_some());
        let scratch = Scratch { root };
        fs::create_dir_all(scratch.home())?;
        fs::create_dir_all(scratch.temp())?;
        scratch.write_project("README.md", "# A project\n")?;
        scratch.git(&["init", "--quiet", "--initial-branch=main"])?;
        scratch.git(&["add", "."])?;
        scratch.git(&[
            "-c",
            "user.name=e2e",
            "-c",
            "user.email=e2e@localhost",
            "commit",
            "--quiet",
            "-m",
            "start",
        ])?;
        Ok(scratch)
    }

    /// The folder that holds all the rest.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The project folder. It lies beside the home, so that deleting one never takes the other.
    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// The folder for temporary files.
    pub fn temp(&self) -> PathBuf {
        self.root().join("tmp")
    }

    /// Writes a file under the home folder.
    pub fn write_home(&self, path: &str, text: &str) -> Result<PathBuf> {
        write(self.home().join(path), text)
    }

    /// Writes a file under the project folder.
    pub fn write_project(&self, path: &str, text: &str) -> Result<PathBuf> {
        write(self.project().join(path), text)
    }

    /// A command that sees this home and nothing of the machine's own environment but `PATH`.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.project()).env("HOME", self.home()).env("TMPDIR", self.temp());
        command.env("PATH", env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()));
        command.envs([
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
            ("SHELL", "/bin/bash"),
            ("USER", "tester"),
        ]);
        command
    }

    fn git(&self, args: &[&str]) -> Result<()> {
        let output = self.command("git").args(args).output().context("git does not start")?;
        ensure!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }
}

fn write(path: PathBuf, text: &str) -> Result<PathBuf> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path)
}
