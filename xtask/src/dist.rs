//! Release packages: builds the binaries here, and lets the package `packaging` make the files in `dist/` from them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use xtask::sh;

use crate::build;

/// Makes `dist/`. With `twice`, makes it again in another folder and compares the bytes.
pub fn run(twice: bool) -> Result<()> {
    let out = sh::root().join("dist");
    let host = build::release()?;
    let mut packaging = sh::command(&["cargo", "run", "--quiet", "--locked", "-p", "packaging", "--"]);
    packaging.arg("--binary").arg(host).arg("--out").arg(&out);
    for (target, binary) in cross_binaries()? {
        packaging.arg("--cross").arg(format!("{target}={}", binary.display()));
    }
    sh::check(&mut packaging)?;
    if twice { compare(&out, &build_again()?) } else { Ok(()) }
}

/// Linux targets beside this machine's own, each with the C compiler that links it.
const CROSS: [(&str, &str); 1] = [("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc")];

/// Binaries for other machines, where this one has what it takes. What is left out is named with the reason.
fn cross_binaries() -> Result<Vec<(&'static str, PathBuf)>> {
    let installed = sh::output(&["rustup", "target", "list", "--installed"]).unwrap_or_default();
    let host = build::host()?;
    let mut binaries = Vec::new();
    for (target, compiler) in CROSS.into_iter().filter(|(target, _)| *target != host) {
        if !installed.lines().any(|line| line == target) {
            println!("left out: {target} (no standard library; `rustup target add {target}` installs it)");
        } else if !sh::exists(&[compiler, "--version"]) {
            println!("left out: {target} (no linker; `apt-get install gcc-aarch64-linux-gnu` installs it)");
        } else {
            binaries.push((target, build::cross(target, compiler)?));
        }
    }
    Ok(binaries)
}

/// The same commit, built in a clone under another path; where its packages lie.
fn build_again() -> Result<PathBuf> {
    if !sh::output(&["git", "status", "--porcelain"])?.is_empty() {
        bail!("uncommitted changes are not in the second build; commit them first");
    }
    // The space finds commands that do not quote.
    let folder = sh::target_dir().join("dist again");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove `{}`", folder.display()))?;
    }
    let (from, to) = (sh::root().display().to_string(), folder.display().to_string());
    sh::run(&["git", "clone", "--quiet", "--no-hardlinks", &from, &to])?;
    let mut again = sh::command(&["cargo", "xtask", "dist"]);
    sh::check(again.current_dir(&folder).env_remove("CARGO_TARGET_DIR"))?;
    Ok(folder.join("dist"))
}

fn compare(first: &Path, second: &Path) -> Result<()> {
    let names: BTreeSet<OsString> = names(first)?.union(&names(second)?).cloned().collect();
    let mut different = Vec::new();
    for name in &names {
        let same = match (fs::read(first.join(name)), fs::read(second.join(name))) {
            (Ok(first), Ok(second)) => first == second,
            _ => false,
        };
        if !same {
            different.push(name.to_string_lossy().into_owned());
        }
    }
    if !different.is_empty() {
        bail!("the second build differs: {}", different.join(", "));
    }
    println!("reproducible: {} files are identical in two builds", names.len());
    Ok(())
}

fn names(folder: &Path) -> Result<BTreeSet<OsString>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use super::compare;

    #[test]
    fn two_builds_are_the_same_only_if_names_and_bytes_are() {
        let scratch = std::env::temp_dir().join(format!("tollgate-dist-{}", std::process::id()));
        let (first, second) = (scratch.join("first"), scratch.join("second"));
        fs::create_dir_all(&first).unwrap();
        fs::create_dir_all(&second).unwrap();
        for folder in [&first, &second] {
            fs::write(folder.join("a"), "1").unwrap();
        }
        let same = compare(&first, &second);
        fs::write(second.join("b"), "1").unwrap();
        let missing = compare(&first, &second).unwrap_err().to_string();
        fs::write(first.join("b"), "2").unwrap();
        let changed = compare(&first, &second).unwrap_err().to_string();
        fs::remove_dir_all(&scratch).unwrap();
        assert!(same.is_ok());
        assert_eq!(
            (missing.as_str(), changed.as_str()),
            ("the second build differs: b", "the second build differs: b")
        );
    }
}
