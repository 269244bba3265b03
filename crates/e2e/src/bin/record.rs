//! `record [AGENT] [FOLDER] [--store]`: records a client's payloads anew, and says which keys changed against the stored
//! ones. With `--store` it keeps what is new.
//!
//! The client calls this same program as its hook, as `record hook …`.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use tollgate_e2e::client::{client, workspace};
use tollgate_e2e::drivers::OTHERS;
use tollgate_e2e::{capture, record, tollgate_binary};

fn main() -> Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [verb, rest @ ..] = args.as_slice()
        && verb == "hook"
    {
        return capture::hook(rest);
    }
    let store = args.iter().any(|arg| arg == "--store");
    let args: Vec<String> = args.into_iter().filter(|arg| arg != "--store").collect();
    let agent = client(args.first().map_or("claude-code", String::as_str))?.agent;
    let usual = || workspace().join("crates/agents/payloads").join(agent);
    let folder = args.get(1).map_or_else(usual, PathBuf::from);
    let this = env::current_exe()?;
    let recordings = if agent == "claude-code" {
        record::claude(&this, &["hook"])?
    } else {
        let same = |driver: &&&dyn tollgate_e2e::Driver| driver.client().is_ok_and(|c| c.agent == agent);
        let driver = OTHERS.iter().find(same).with_context(|| format!("`{agent}` is not driven"))?;
        record::other(*driver, &tollgate_binary()?, &format!("{} hook", this.display()))?
    };
    let report =
        if store { record::store(&folder, &recordings) } else { record::report(&folder, &recordings) }?;
    io::stdout().write_all(report.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
