//! `tollgate approve`: a person lets one refused call pass.

use crate::exit::ExitCode;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, bail};
use tollgate_store::{GRANT_LIFE, is_code, is_digest};

use crate::dirs::Dirs;
use crate::refused::{self, LISTED_LENGTH, Refused, cut};
use crate::report::escaped;
use crate::{out, owner, terminal};

/// How many refused calls are listed.
const LISTED: usize = 10;

/// Arguments of `tollgate approve`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Code from the refusal; without it, list refused calls
    code: Option<String>,
    /// Revoke the approval
    #[arg(long, requires = "code")]
    revoke: bool,
}

/// Shows what waits, or lets one call pass.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory")?;
    let Some(code) = &args.code else { return list(&dirs.state) };
    owner::admit("approve")?;
    if !is_code(code) {
        bail!(
            "`{}` is not a call's code; `tollgate approve` lists the calls that were refused last",
            escaped(code)
        );
    }
    if args.revoke {
        return revoke(&dirs.state, code);
    }
    let call = find(&dirs.state, code)?;
    call.show();
    match terminal::confirm("\nLet this one call pass?") {
        None => bail!("an approval needs a terminal, so that a person gives it"),
        Some(false) => {
            out::line("Nothing was approved.");
            Ok(ExitCode::from(1))
        }
        Some(true) => {
            tollgate_store::grant(&dirs.state, &call.digest, SystemTime::now())?;
            let minutes = GRANT_LIFE.as_secs() / 60;
            out::line(&format!(
                "Approved: exactly this call passes once, within {minutes} minutes. Tell the agent to try it again."
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The one refused call that a code names.
fn find(state: &Path, code: &str) -> anyhow::Result<Refused> {
    let mut calls: Vec<Refused> =
        refused::all(state).into_iter().filter(|call| call.has_code(code)).collect();
    let Some(call) = calls.pop() else {
        bail!("no refused call has the code `{code}`; `tollgate approve` lists those that were refused last");
    };
    if !calls.is_empty() {
        calls.push(call);
        calls.iter().for_each(Refused::show);
        let longer: Vec<String> = calls.iter().map(|call| call.distinct_code(&calls)).collect();
        bail!(
            "{} refused calls have the code `{code}`; name one of them with a longer code: {}",
            calls.len(),
            longer.join(", ")
        );
    }
    if !is_digest(&call.digest) {
        bail!(
            "call {code} was recorded by an older Tollgate, without its digest; let the agent try it again"
        );
    }
    Ok(call)
}

fn revoke(state: &Path, code: &str) -> anyhow::Result<ExitCode> {
    if tollgate_store::revoke_grant(state, code)? {
        out::line(&format!("The approval of call {code} is taken back."));
        return Ok(ExitCode::SUCCESS);
    }
    out::line(&format!("Call {code} has no approval that waits."));
    Ok(ExitCode::from(1))
}

fn list(state: &Path) -> anyhow::Result<ExitCode> {
    let now = SystemTime::now();
    let grants = tollgate_store::list_grants(state)?;
    let waits = |digest: &str| grants.iter().any(|grant| grant.digest == digest && grant.is_alive(now));
    let calls = refused::all(state);
    if calls.is_empty() {
        out::line("No call was refused.");
        return Ok(ExitCode::SUCCESS);
    }
    for call in calls.iter().take(LISTED) {
        let mark = if waits(&call.digest) { "approved" } else { "" };
        let (code, text) = (call.distinct_code(&calls), cut(&call.text, LISTED_LENGTH));
        out::line(&format!("{code}  {}  {mark:<8}  {text}", call.time));
        call.findings.iter().for_each(|finding| out::line(&format!("          {finding}")));
    }
    out::line("\n`tollgate approve CODE` lets one of them pass once.");
    Ok(ExitCode::SUCCESS)
}
