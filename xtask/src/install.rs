//! `cargo xtask install`: one command for a new machine. Builds the binary, installs it and registers the agents found here;
//! where there is none, it shows the gate at work instead and says what to do next.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::sh;

use crate::build;

/// Builds, or takes the binary that is named, installs it and hands over to `tollgate`.
pub fn run(args: &[String]) -> Result<()> {
    let named = args.iter().position(|arg| arg == "--binary").map(|at| args.get(at + 1));
    let built = match named {
        Some(path) => PathBuf::from(path.context("`--binary` needs the path of a built tollgate")?),
        None => build::release()?,
    };
    let folder =
        bin_dir().context("set HOME, CARGO_HOME or CARGO_INSTALL_ROOT: there is no folder to install to")?;
    let installed = put(&built, &folder)?;
    println!("installed {}", installed.display());
    let agents = found_agents(&installed)?;
    let agreed = args.iter().any(|arg| arg == "--yes");
    if agents.is_empty() {
        show(&installed)?;
    } else if agreed || has_terminal() {
        let mut init = sh::command(&[&installed.to_string_lossy(), "init"]);
        sh::check(init.args(agreed.then_some("--yes")))?;
    } else {
        println!("\nFound on this machine: {}. Not guarded yet:", agents.join(", "));
        println!("their settings are only changed once you agree, and there is no terminal to ask in.");
        println!("  see what would change: {} init --dry-run", quoted(&installed));
        println!("  guard them:            {} init --yes", quoted(&installed));
    }
    tell_search_path(&folder);
    Ok(())
}

/// Is there a terminal in which `tollgate init` can ask? It asks there wherever standard input comes from.
fn has_terminal() -> bool {
    File::options().read(true).write(true).open("/dev/tty").is_ok()
}

/// A path that can be pasted into a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    if sh::is_plain(path) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn put(built: &Path, folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let installed = folder.join("tollgate");
    build::put_in_one_piece(built, &installed)?;
    Ok(installed)
}

fn found_agents(tollgate: &Path) -> Result<Vec<String>> {
    let listed = sh::output(&[&tollgate.to_string_lossy(), "init", "--detect"])?;
    Ok(listed.lines().map(str::to_owned).collect())
}

/// Without an agent there is nothing to register: the demo proves the binary and ends with the next steps, to which these
/// are added.
fn show(tollgate: &Path) -> Result<()> {
    println!("\nNo coding agent found on this machine yet. This is what the gate does:\n");
    sh::check(sh::command(&[&tollgate.to_string_lossy(), "demo"]).arg("--fast"))?;
    println!("  {:<33}register an agent before it is installed", "tollgate init --agent NAME");
    println!("  {:<33}show this again, at reading speed", "tollgate demo");
    Ok(())
}

fn tell_search_path(folder: &Path) {
    let path = env::var_os("PATH").unwrap_or_default();
    if !env::split_paths(&path).any(|entry| entry == folder) {
        println!(
            "\n{} is not on your PATH; add it: export PATH={}:\"$PATH\"",
            folder.display(),
            quoted(folder)
        );
    }
}

/// Where `cargo install` would put a program.
fn bin_dir() -> Option<PathBuf> {
    let root = env::var_os("CARGO_INSTALL_ROOT").filter(|root| !root.is_empty()).map(PathBuf::from);
    Some(root.or_else(sh::cargo_home)?.join("bin"))
}
