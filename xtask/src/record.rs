//! `cargo xtask record [AGENT…] [--store]`: records the payloads of the real clients anew, and shows what changed against
//! those that the tests are about.

use anyhow::{Context, Result};

use crate::sh;

/// Records the named clients, or all of them. Nothing is written unless `--store` says so.
pub fn run(args: &[String]) -> Result<()> {
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
        command.env("TOLLGATE_BIN", sh::root().join("target/debug/tollgate"));
        sh::check(&mut command).with_context(|| format!("{agent} could not be recorded"))?;
    }
    if !store {
        println!("\nNothing was written; `cargo xtask record --store` keeps what is new.");
    }
    Ok(())
}
