//! `cargo xtask book`: the documentation as a website, by mdBook.

use std::path::PathBuf;

use anyhow::Result;
use xtask::sh;

/// The release of mdBook that the book is written for.
const MDBOOK: &str = "0.5.4";

/// Builds the book; where its first page is.
pub fn build() -> Result<PathBuf> {
    let folder = sh::target_dir().join("book");
    sh::run(&[&program()?, "build", "--dest-dir", &folder.to_string_lossy()])?;
    Ok(folder.join("index.html"))
}

/// The installed mdBook, else one below `target`, which is built once.
fn program() -> Result<String> {
    if sh::exists(&["mdbook", "--version"]) {
        return Ok("mdbook".to_owned());
    }
    let tools = sh::target_dir().join("test-tools");
    let program = tools.join("bin/mdbook").to_string_lossy().into_owned();
    if !sh::exists(&[&program, "--version"]) {
        println!("mdbook: building it below target/, which takes some minutes");
        let (version, root) = (format!("mdbook@{MDBOOK}"), tools.to_string_lossy().into_owned());
        let search = ["--no-default-features", "--features", "search"];
        let install = ["cargo", "install", "--locked", "--quiet", "--root", &root, &version];
        sh::run(&[&install[..], &search].concat())?;
    }
    Ok(program)
}
