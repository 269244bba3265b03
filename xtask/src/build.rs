//! The release binary: static where the platform allows it, because a static program starts in two thirds of
//! the time.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use xtask::sh::{self, Background, target_dir};

use crate::hot;

/// Builds the release binary; where it lies.
pub fn release() -> Result<PathBuf> {
    release_with(&[])
}

/// The same, with settings in the environment.
pub fn release_with(settings: &[(&str, &str)]) -> Result<PathBuf> {
    sh::check(release_command()?.envs(settings.iter().copied()))?;
    release_path()
}

/// Starts building the release binary, which goes on while tests compile: the two use different folders, and a release build
/// cannot keep two processors busy for long.
pub fn start_release() -> Result<Background> {
    Background::start(&mut release_command()?, target_dir().join("release-build.log"))
}

/// Where the release binary lies.
pub fn release_path() -> Result<PathBuf> {
    Ok(target_dir().join(host()?).join("release/tollgate"))
}

fn release_command() -> Result<Command> {
    let host = host()?;
    let mut command =
        sh::command(&["cargo", "build", "--release", "--locked", "-p", "tollgate", "--target", &host]);
    let mut flags = path_flags()?;
    if let Some(library) = host.contains("linux").then(static_library).flatten() {
        // A target is named so that build scripts and macros stay dynamic, and are linked as ever.
        flags.extend(
            ["-Ctarget-feature=+crt-static", "-Crelocation-model=static", "-Csymbol-mangling-version=v0"]
                .map(str::to_owned),
        );
        if host.starts_with("x86_64") && is_known_start(&library) {
            flags.extend(["--cfg=quick_start", "-Clink-arg=-Wl,--entry=tollgate_start"].map(str::to_owned));
        }
        // The linker's path differs between checkouts. As a flag it would be hashed into every symbol's name.
        let variable = format!("CARGO_TARGET_{}_LINKER", host.to_uppercase().replace('-', "_"));
        command.env(variable, linker()?).env(hot::VARIABLE, hot::list());
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    Ok(command)
}

/// This program as the linker: a copy, because cargo may build it anew while it is in use.
fn linker() -> Result<PathBuf> {
    let linker = target_dir().join("xtask-linker");
    let fresh = target_dir().join(format!("xtask-linker-{}", std::process::id()));
    let own = std::env::current_exe().context("this program has no path")?;
    // Outside a checkout whose path needs quotes nothing was built yet.
    std::fs::create_dir_all(target_dir())?;
    std::fs::copy(&own, &fresh).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, &linker)?;
    Ok(linker)
}

/// Builds the static release binary for another machine; where it lies.
pub fn cross(target: &str, compiler: &str) -> Result<PathBuf> {
    let mut command =
        sh::command(&["cargo", "build", "--release", "--locked", "-p", "tollgate", "--target", target]);
    let mut flags = path_flags()?;
    flags.push("-Ctarget-feature=+crt-static".to_owned());
    let name = target.replace('-', "_");
    command.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), compiler);
    command.env(format!("CC_{name}"), compiler);
    sh::check(command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    Ok(target_dir().join(target).join("release/tollgate"))
}

/// Flags that replace this machine's folders in the binary, so that the same source gives the same bytes wherever it is
/// built. The last flag that matches a path counts: cargo's folder may lie inside the checkout.
fn path_flags() -> Result<Vec<String>> {
    let sysroot = sh::output(&["rustc", "--print", "sysroot"])?;
    let version = sh::output(&["rustc", "-vV"])?;
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or("unknown");
    let sources = PathBuf::from(sysroot.trim()).join("lib/rustlib/src/rust");
    let folders = [
        (Some(sh::root()), "/tollgate".to_owned()),
        (sh::cargo_home(), "/cargo".to_owned()),
        (Some(sources), format!("/rustc/{commit}")),
    ];
    let flag = |(from, to): (Option<PathBuf>, String)| {
        from.map(|from| format!("--remap-path-prefix={}={to}", from.display()))
    };
    Ok(folders.into_iter().filter_map(flag).collect())
}

/// The C library to link statically, where there is one.
fn static_library() -> Option<Vec<u8>> {
    let path = sh::output(&["cc", "-print-file-name=libc.a"]).ok()?;
    std::fs::read(path.trim()).ok()
}

/// The releases of glibc with which `crates/lastword/src/start.rs` was linked and run; others start in their own way.
const KNOWN_STARTS: [&str; 5] = ["2.35", "2.36", "2.39", "2.41", "2.43"];

fn is_known_start(library: &[u8]) -> bool {
    const TITLE: &[u8] = b"stable release version ";
    let at = library.windows(TITLE.len()).position(|window| window == TITLE);
    let release = at.and_then(|at| library.get(at + TITLE.len()..)).unwrap_or_default();
    KNOWN_STARTS
        .iter()
        .any(|known| release.strip_prefix(known.as_bytes()).is_some_and(|rest| rest.starts_with(b".")))
}

/// The platform that this machine is.
pub fn host() -> Result<String> {
    let version = sh::output(&["rustc", "-vV"])?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc names no host")
}

#[cfg(test)]
mod tests {
    use super::is_known_start;

    #[test]
    fn only_releases_that_were_tried_start_quickly() {
        let library =
            |release: &str| format!("\0GNU C Library (X) stable release version {release}.\n").into_bytes();
        assert!(is_known_start(&library("2.36")) && is_known_start(&library("2.43")));
        for other in ["2.3", "2.31", "2.360", "2.44", "3.36"] {
            assert!(!is_known_start(&library(other)), "{other}");
        }
        assert!(!is_known_start(b"musl libc"));
    }
}
