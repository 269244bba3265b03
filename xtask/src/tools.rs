//! Programs that some tests are about and that are cheap to get: they are put below `target`, and nowhere else.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::sh;

/// The search path with the programs that tests of middleware want. What could not be had is said, and is left out.
pub fn search_path() -> OsString {
    let folder = sh::root().join("target/test-tools");
    let (node, python) = (folder.join("node_modules/.bin"), folder.join("python/bin"));
    let at = |path: &PathBuf| path.display().to_string();
    let npm = ["npm", "install", "--silent", "--no-save", "--prefix", &at(&folder), "tsx"];
    get("tsx", &node, &npm);
    let target = at(&folder.join("python"));
    get("uv", &python, &["python3", "-m", "pip", "install", "--quiet", "--target", &target, "uv"]);
    for name in ["bun", "deno"] {
        if !is_on_path(name) {
            println!("left out: TypeScript under {name}, which is not installed");
        }
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let all = env::split_paths(&path).chain([node, python]);
    env::join_paths(all).unwrap_or(path)
}

fn get(name: &str, folder: &std::path::Path, install: &[&str]) {
    if is_on_path(name) || folder.join(name).exists() {
        return;
    }
    println!("{name} is missing; installing it below target");
    if sh::run(install).is_err() || !folder.join(name).exists() {
        println!("left out: middleware under {name}, which could not be installed");
    }
}

fn is_on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
