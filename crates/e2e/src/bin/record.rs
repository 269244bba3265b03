//! `record [FOLDER]`: records Claude Code's payloads anew, and says which keys changed against the stored ones.
//!
//! The client calls this same program as its hook, as `record hook …`.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use tollgate_e2e::client::workspace;
use tollgate_e2e::{capture, record};

fn main() -> Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [verb, rest @ ..] = args.as_slice()
        && verb == "hook"
    {
        return capture::hook(rest);
    }
    let usual = || workspace().join("crates/agents/payloads/claude-code");
    let folder = args.first().map_or_else(usual, PathBuf::from);
    let recordings = record::claude(&env::current_exe()?, &["hook"])?;
    let report = record::store(&folder, &recordings)?;
    io::stdout().write_all(report.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
