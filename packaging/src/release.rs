//! Which release this is: version, time, and where its sources are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The release that is packaged.
pub struct Release {
    /// The version of the workspace.
    pub version: &'static str,
    /// Seconds since 1970: the time of the commit, and of every file in every package.
    pub time: i64,
    /// The workspace's root.
    pub root: PathBuf,
}

/// Where releases are published.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

impl Release {
    /// From the workspace. `SOURCE_DATE_EPOCH` stands in for the commit's time where it is set.
    pub fn read() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("no workspace")?.to_owned();
        let time = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(named) => named,
            Err(_) => output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(&root))
                .context("no commit to take the time from; set SOURCE_DATE_EPOCH")?,
        };
        let time = time.trim().parse().with_context(|| format!("`{}` is no time", time.trim()))?;
        Ok(Self { version: env!("CARGO_PKG_VERSION"), time, root })
    }

    /// The time in the form of RFC 3339.
    pub fn timestamp(&self) -> Result<String> {
        Ok(jiff::Timestamp::from_second(self.time)?.to_string())
    }

    /// The address under which this release's files are published.
    pub fn download_base(&self) -> String {
        format!("{REPOSITORY}/releases/download/v{}", self.version)
    }

    /// A file of the workspace.
    pub fn source(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.root.join(name);
        fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))
    }
}

/// What a program prints; an error when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = format!("{command:?}");
    let output = command.output().with_context(|| format!("cannot start {shown}"))?;
    if !output.status.success() {
        bail!("{shown} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}
