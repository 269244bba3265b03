//! All tests, in the order of how fast they fail.

use anyhow::{Result, bail};

use crate::{build, sh, tidy, tools};

/// Everything that CI runs.
pub fn run() -> Result<()> {
    sh::run(&["cargo", "fmt", "--all", "--check"])?;
    tidy::run()?;
    sh::run(&["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])?;
    licences()?;
    let binary = build::release()?;
    unit(&binary.to_string_lossy())?;
    e2e_with(&binary.to_string_lossy())
}

/// The real clients only: all of them as they are pinned, or each that is named in the version that it is named with.
pub fn e2e(clients: &[String]) -> Result<()> {
    let binary = build::release()?;
    if clients.is_empty() {
        return e2e_with(&binary.to_string_lossy());
    }
    for client in clients {
        let Some((agent, _)) = client.split_once('=') else { bail!("write `codex=0.165.0`, not `{client}`") };
        let agent = tollgate_e2e::client::client(agent)?.agent;
        let module = format!("{}::", agent.split('-').next().unwrap_or(agent));
        let words = ["cargo", "test", "-p", "tollgate-e2e", "--locked", "--test", "agents", "--"];
        let mut command = sh::command(&words);
        command.args(["--include-ignored", &module]).env("TOLLGATE_BIN", &binary);
        sh::check(command.env(tollgate_e2e::client::VERSION, client))?;
    }
    Ok(())
}

fn unit(binary: &str) -> Result<()> {
    if cfg!(target_os = "linux") {
        // What kills a hook at each of its system calls, and what takes its notifications.
        need("strace", &["strace", "-V"], &["strace"])?;
        // What counts the instructions of an event.
        need("valgrind", &["valgrind", "--version"], &["valgrind"])?;
        need("curl", &["curl", "--version"], &["curl"])?;
    }
    need("python3", &["python3", "--version"], &["python3"])?;
    let mut command = if sh::exists(&["cargo", "nextest", "--version"]) {
        sh::command(&["cargo", "nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        sh::command(&["cargo", "test", "--workspace", "--locked", "--no-fail-fast"])
    };
    // What is made up at random is the same in every run: a red test is red again. Another seed tries other
    // inputs.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "20261116");
    }
    sh::check(command.env("TOLLGATE_BIN", binary).env("PATH", tools::search_path()))
}

fn e2e_with(binary: &str) -> Result<()> {
    need("npm", &["npm", "--version"], &["nodejs", "npm"])?;
    need("git", &["git", "--version"], &["git"])?;
    let mut command = if sh::exists(&["cargo", "nextest", "--version"]) {
        sh::command(&["cargo", "nextest", "run", "-p", "tollgate-e2e", "--locked", "--run-ignored", "all"])
    } else {
        sh::command(&["cargo", "test", "-p", "tollgate-e2e", "--locked", "--", "--include-ignored"])
    };
    sh::check(command.env("TOLLGATE_BIN", binary))
}

/// Licences and sources of everything we build on. Needs no network; advisories do, and are checked by
/// `cargo deny check` where there is one.
fn licences() -> Result<()> {
    if sh::exists(&["cargo", "deny", "--version"]) {
        return sh::run(&["cargo", "deny", "--all-features", "check", "bans", "licenses", "sources"]);
    }
    tidy::licences()
}

/// Makes sure a program is there, by Debian's packages where it is not.
fn need(name: &str, probe: &[&str], packages: &[&str]) -> Result<()> {
    if sh::exists(probe) {
        return Ok(());
    }
    println!("{name} is missing; installing {}", packages.join(" "));
    let sudo: &[&str] = if sh::exists(&["sudo", "-n", "true"]) { &["sudo"] } else { &[] };
    let update: Vec<&str> = sudo.iter().copied().chain(["apt-get", "update", "-qq"]).collect();
    let mut install: Vec<&str> = sudo.iter().copied().chain(["apt-get", "install", "-y", "-qq"]).collect();
    install.extend(packages);
    sh::run(&update)?;
    sh::run(&install)?;
    if !sh::exists(probe) {
        bail!("{name} is still missing; install it and run `cargo xtask test` again");
    }
    Ok(())
}
