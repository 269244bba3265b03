//! The real clients beyond the pinned test run: other versions of them, and recording their payloads.

use std::path::Path;

use anyhow::{Context, Result, bail};

use xtask::sh;

/// Runs the end-to-end tests of each named client in the version it is named with (`codex=0.165.0`).
pub fn test_versions(binary: &Path, clients: &[String]) -> Result<()> {
    for client in clients {
        let Some((agent, _)) = client.split_once('=') else { bail!("write `codex=0.165.0`, not `{client}`") };
        let agent = tollgate_e2e::client::client(agent)?.agent;
        let module = format!("{}::", agent.split('-').next().unwrap_or(agent));
        let words = ["cargo", "test", "-p", "tollgate-e2e", "--locked", "--test", "agents", "--"];
        let mut command = sh::command(&words);
        command.args(["--include-ignored", &module]).env("TOLLGATE_BIN", binary);
        sh::check(command.env(tollgate_e2e::client::VERSION, client))?;
    }
    Ok(())
}

/// Records the payloads of the named clients, or of all, and shows what changed against the stored ones. Nothing is written
/// without `--store`.
pub fn record(args: &[String]) -> Result<()> {
    let store = args.iter().any(|arg| arg == "--store");
    let named: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--store").collect();
    let all = tollgate_e2e::client::CLIENTS.iter().map(|client| client.agent);
    let agents = if named.is_empty() { all.collect() } else { named };
    // The installer registers the recording hook, so the gate must be there.
    sh::run(&["cargo", "build", "--locked", "-p", "tollgate", "-p", "tollgate-e2e", "--bins"])?;
    for agent in agents {
        println!("\n{agent}");
        let mut words =
            vec!["cargo", "run", "--locked", "-q", "-p", "tollgate-e2e", "--bin", "record", "--", agent];
        words.extend(store.then_some("--store"));
        let mut command = sh::command(&words);
        command.env("TOLLGATE_BIN", sh::target_dir().join("debug/tollgate"));
        sh::check(&mut command).with_context(|| format!("{agent} could not be recorded"))?;
    }
    if !store {
        println!("\nNothing was written; `cargo xtask record --store` keeps what is new.");
    }
    Ok(())
}
