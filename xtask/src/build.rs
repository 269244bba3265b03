//! The release binary: static where the platform allows it, because a static program starts in two thirds of
//! the time.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::sh;

/// Builds the release binary; where it lies.
pub fn release() -> Result<PathBuf> {
    let host = host()?;
    let mut command =
        sh::command(&["cargo", "build", "--release", "--locked", "-p", "tollgate", "--target", &host]);
    if host.contains("linux") {
        // A target is named so that build scripts and macros stay dynamic.
        command.env("RUSTFLAGS", "-C target-feature=+crt-static -C relocation-model=static");
    }
    sh::check(&mut command)?;
    Ok(target_dir().join(host).join("release/tollgate"))
}

/// Where cargo puts what it builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| sh::root().join("target"), PathBuf::from)
}

fn host() -> Result<String> {
    let version = sh::output(&["rustc", "-vV"])?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc names no host")
}
