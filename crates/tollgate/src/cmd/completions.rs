//! `tollgate completions SHELL`: a completion script, made from the command line's own definition.

use clap_complete::Shell;

use crate::exit::ExitCode;
use crate::out;

/// Arguments of `tollgate completions`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args, mut command: clap::Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tollgate", &mut script);
    out::text(&String::from_utf8(script)?);
    Ok(ExitCode::SUCCESS)
}
