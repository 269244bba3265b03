//! The release binary: static where the platform allows it, because a static program starts in two thirds of
//! the time.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{hot, sh};

/// Builds the release binary; where it lies.
pub fn release() -> Result<PathBuf> {
    release_with(&[])
}

/// The same, with settings in the environment.
pub fn release_with(settings: &[(&str, &str)]) -> Result<PathBuf> {
    let host = host()?;
    let mut command =
        sh::command(&["cargo", "build", "--release", "--locked", "-p", "tollgate", "--target", &host]);
    command.envs(settings.iter().copied());
    if host.contains("linux") {
        // A target is named so that build scripts and macros stay dynamic, and are linked as ever.
        let linker = std::env::current_exe().context("this program has no path")?;
        let linker = format!("-Clinker={}", linker.display());
        let flags = [
            "-Ctarget-feature=+crt-static",
            "-Crelocation-model=static",
            "-Csymbol-mangling-version=v0",
            &linker,
        ];
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).env(hot::VARIABLE, hot::list());
    }
    sh::check(&mut command)?;
    Ok(target_dir().join(host).join("release/tollgate"))
}

/// Where cargo puts what it builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| sh::root().join("target"), PathBuf::from)
}

/// The platform that this machine is.
pub fn host() -> Result<String> {
    let version = sh::output(&["rustc", "-vV"])?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc names no host")
}
