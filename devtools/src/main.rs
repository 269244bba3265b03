//! The half of `cargo xtask` that needs the product's own crates.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use devtools::{agent_docs, clients, docs, tidy};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let (command, rest) = args.split_first().context("started by `cargo xtask`, with a command")?;
    match command.as_str() {
        "tidy" => tidy::run(),
        "licences" => tidy::licences(),
        "docs" => docs::run().and_then(|()| agent_docs::write()),
        "record" => clients::record(rest),
        "e2e" => {
            let (binary, versions) = rest.split_first().context("the binary under test is not named")?;
            clients::test_versions(Path::new(binary), versions)
        }
        _ => bail!("unknown command `{command}`"),
    }
}
