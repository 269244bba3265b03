//! The platforms that packages are made for, with the name that each kind of package has for them.

use anyhow::{Context, Result};

/// One platform.
#[derive(Debug, PartialEq, Eq)]
pub struct Platform {
    /// Rust's name.
    pub target: &'static str,
    /// The processor as `uname -m` and Python's wheels name it.
    pub machine: &'static str,
    /// Debian's name of the architecture.
    pub debian: &'static str,
    /// Node's `process.arch`.
    pub node: &'static str,
    /// Homebrew's block for this processor.
    pub homebrew: &'static str,
}

const PLATFORMS: [Platform; 2] = [
    Platform {
        target: "x86_64-unknown-linux-gnu",
        machine: "x86_64",
        debian: "amd64",
        node: "x64",
        homebrew: "on_intel",
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        machine: "aarch64",
        debian: "arm64",
        node: "arm64",
        homebrew: "on_arm",
    },
];

impl Platform {
    /// The platform by Rust's name.
    pub fn of(target: &str) -> Result<&'static Self> {
        let known = PLATFORMS.iter().find(|platform| platform.target == target);
        known.with_context(|| format!("there are no packages for `{target}`"))
    }

    /// This machine's.
    pub fn host() -> Result<&'static Self> {
        let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        let known = PLATFORMS.iter().find(|platform| system == "linux" && platform.machine == machine);
        known.with_context(|| format!("there are no packages for {machine} {system}"))
    }

    /// The npm package that carries the binary.
    pub fn npm_package(&self) -> String {
        format!("@tollgate/linux-{}", self.node)
    }
}
