//! `tollgate run`: a command with limits on what it can reach.
//!
//! The limits are set on this process, which then becomes the command: no parent stays that would have to pass on signals, the
//! terminal and the exit code. So nobody is there either to say afterwards what the limits stopped. The command itself does, by
//! "Permission denied" or "Operation not permitted" for the path or connection, and `tollgate run --limits` shows what is open.

mod limits;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::out;
use limits::Limits;

/// Arguments of `tollgate run`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files and folders that it may also write
    #[arg(long, value_name = "PATH", num_args = 1..)]
    write: Vec<PathBuf>,
    /// Without network
    #[arg(long)]
    no_net: bool,
    /// Show the limits; run nothing
    #[arg(long)]
    limits: bool,
    /// The command and its arguments
    #[arg(last = true, required_unless_present = "limits")]
    command: Vec<OsString>,
}

/// Exit codes of programs that run others: this one failed, the command cannot be executed, there is none.
const FAILED: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Sets the limits and becomes the command. Returns only when one of the two failed.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.limits {
        find_limits(args)?.print();
        return Ok(ExitCode::SUCCESS);
    }
    match limit(args) {
        Ok(()) => Ok(start(&args.command)),
        Err(error) => {
            out::error(&format!("tollgate: {error:#}. Nothing was run"));
            Ok(ExitCode::from(FAILED))
        }
    }
}

fn limit(args: &Args) -> anyhow::Result<()> {
    let limits = find_limits(args)?;
    if let Some(note) = limits.note() {
        out::error(&format!("tollgate: {note}"));
    }
    let holds = tollgate_contain::apply(&limits.profile())?;
    for gap in holds.gaps() {
        out::error(&format!("tollgate: this kernel (Landlock ABI {}) does not limit {gap}", holds.abi));
    }
    Ok(())
}

fn find_limits(args: &Args) -> anyhow::Result<Limits> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let cwd = std::env::current_dir().context("the working directory is gone")?;
    Limits::find(&dirs, &cwd, &args.write, args.no_net)
}

fn start(command: &[OsString]) -> ExitCode {
    let error = tollgate_lastword::become_program(command);
    let name = command.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    let (why, code) = match error.kind() {
        ErrorKind::NotFound => ("command not found".to_owned(), NOT_FOUND),
        _ => (error.to_string(), NOT_EXECUTABLE),
    };
    out::error(&format!("tollgate: {name}: {why}"));
    ExitCode::from(code)
}
