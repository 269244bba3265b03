//! The page of what is known of each program.

use anyhow::Result;

use xtask::sh;

/// Writes the page, and compares the options that are known with those that the programs of this machine print.
/// A test of `tollgate-effects` says when the page is stale.
pub fn run() -> Result<()> {
    let lib = ["cargo", "test", "--quiet", "-p", "tollgate-effects", "--lib"];
    let mut page = sh::command(&lib);
    sh::check(page.arg("families::table").env("TOLLGATE_WRITE_DOCS", "1"))?;
    let mut help = sh::command(&lib);
    sh::check(help.args(["families::help", "--", "--ignored"]))
}
