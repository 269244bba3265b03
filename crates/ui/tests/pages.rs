//! The pages in Debian's Chromium: `web/tests/run.mjs`, and the committed `web/dist` compared with a new build.
//!
//! Everything runs in a copy below `target`, where `cargo xtask test` puts the npm packages. Plain `cargo test` leaves out
//! what is not installed, and says so.

#![allow(clippy::print_stderr, reason = "tests")]

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// What the copy consists of. `dist` is copied for the mock server and replaced by a new build.
const PARTS: &[&str] = &[
    "dist",
    "fixtures",
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "svelte.config.js",
    "tests",
    "tsconfig.json",
    "vite.config.ts",
];

#[test]
fn the_committed_pages_are_what_their_sources_build() -> Result {
    let Some(copy) = copy("ui-build")? else { return Ok(()) };
    fs::remove_dir_all(copy.join("dist"))?;
    succeed(&node(&copy, &["node_modules/svelte-check/bin/svelte-check", "--tsconfig", "./tsconfig.json"])?)?;
    succeed(&node(&copy, &["node_modules/vite/bin/vite.js", "build"])?)?;
    let (built, kept) = (files(&copy.join("dist"))?, files(&web().join("dist"))?);
    let same = built == kept;
    assert!(
        same,
        "crates/ui/web/dist is not what its sources build: run `npm ci && npm run build` there and commit it"
    );
    Ok(())
}

#[test]
fn the_pages_work_in_a_browser() -> Result {
    if !Path::new("/usr/bin/chromium").exists() {
        eprintln!("left out: `chromium` is not installed (`cargo xtask test` installs it)");
        return Ok(());
    }
    let Some(copy) = copy("ui-pages")? else { return Ok(()) };
    let output = node(&copy, &["tests/run.mjs"])?;
    eprintln!("{}", String::from_utf8_lossy(&output.stdout));
    succeed(&output)
}

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web")
}

/// A copy of the pages' sources beside the npm packages; none where those are not installed.
fn copy(name: &str) -> Result<Option<PathBuf>> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("/")).to_path_buf();
    let packages = [target.join("test-tools/ui/node_modules"), web().join("node_modules")];
    let Some(packages) = packages.iter().find(|packages| packages.join("playwright-core").exists()) else {
        eprintln!(
            "left out: the npm packages of the pages are not installed (`cargo xtask test` installs them)"
        );
        return Ok(None);
    };
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("left out: `node` is not installed (`cargo xtask test` installs it)");
        return Ok(None);
    }
    let copy = target.join("tmp").join(name);
    match fs::remove_dir_all(&copy) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&copy)?,
    }
    for part in PARTS {
        copy_all(&web().join(part), &copy.join(part))?;
    }
    std::os::unix::fs::symlink(packages, copy.join("node_modules"))?;
    Ok(Some(copy))
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Names and contents, sorted.
fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
    }
    found.sort();
    Ok(found)
}

fn node(copy: &Path, words: &[impl AsRef<OsStr>]) -> io::Result<Output> {
    let scratch = copy.join("homes");
    Command::new("node").args(words).current_dir(copy).env("TOLLGATE_UI_SCRATCH", scratch).output()
}

fn succeed(output: &Output) -> Result {
    if output.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Err(format!("{}\n{said}", output.status).into())
}
