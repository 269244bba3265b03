//! `tollgate approve`: a person lets one refused call pass.

use crate::exit::ExitCode;
use std::io::IsTerminal;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_model::Record;
use tollgate_model::json::Value;
use tollgate_store::{GRANT_LIFE, Log, is_code, is_digest, micros_of};

use crate::dirs::Dirs;
use crate::listing::Output;
use crate::refused::{self, LISTED_LENGTH, Refused, cut};
use crate::report::{escaped, tilde};
use crate::{out, owner, paint, table, terminal, when};

/// How many refused calls are listed.
const LISTED: usize = 10;

/// Arguments of `tollgate approve`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Code from the refusal; without it, choose one
    code: Option<String>,
    /// Revoke the approval
    #[arg(long, requires = "code")]
    revoke: bool,
    #[command(flatten)]
    output: Output,
}

/// Shows what waits, or lets one call pass.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory")?;
    let Some(code) = &args.code else { return choose(&dirs.state, args.output) };
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
    approve(&dirs.state, &find(&dirs.state, code)?)
}

/// Asks about one call, and lets it pass.
fn approve(state: &Path, call: &Refused) -> anyhow::Result<ExitCode> {
    call.show();
    match terminal::confirm("\nLet this one call pass?") {
        None => bail!("an approval needs a terminal, so that a person gives it"),
        Some(false) => {
            out::line("Nothing was approved.");
            Ok(ExitCode::from(1))
        }
        Some(true) => {
            tollgate_store::grant(state, &call.digest, SystemTime::now())?;
            log_approval(state, call);
            let minutes = GRANT_LIFE.as_secs() / 60;
            out::line(&format!(
                "Approved: exactly this call passes once, within {minutes} minutes. Tell the agent to try it again."
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Whoever reads the log later must see who let the call pass. The approval holds even where this cannot be written.
fn log_approval(state: &Path, call: &Refused) {
    let fields = [("agent", "tollgate"), ("event", "approve"), ("verdict", "note"), ("of", &call.code)];
    let mut fields = fields.map(|(key, value)| (key.to_owned(), Value::from(value))).to_vec();
    fields.push(("call_seq".to_owned(), call.seq.into()));
    let _ = Log::at(state).append(&Record { call: String::new(), fields }, SystemTime::now());
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

/// The calls that wait for a person, newest first. In a terminal of a person one of them can be chosen.
fn choose(state: &Path, output: Output) -> anyhow::Result<ExitCode> {
    let now = SystemTime::now();
    let grants = tollgate_store::list_grants(state)?;
    let is_approved =
        |call: &Refused| grants.iter().any(|grant| grant.digest == call.digest && grant.is_alive(now));
    let calls = refused::since(state, when::now() - when::DAY, LISTED);
    if !output.is_text() {
        let row = |call: &Refused| {
            json!({
                "code": call.distinct_code(&calls), "seq": call.seq, "ts": call.time, "agent": call.who,
                "session": call.session, "cwd": call.folder, "text": call.text, "findings": call.findings,
                "effects": call.effects, "approved": is_approved(call),
            })
        };
        output.print(&calls.iter().map(row).collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    if calls.is_empty() {
        out::line(
            "No call waits for an approval. Calls refused more than a day ago are in: tollgate log --verdict deny",
        );
        return Ok(ExitCode::SUCCESS);
    }
    for (at, call) in calls.iter().enumerate() {
        let mark = if is_approved(call) { "  approved, not yet tried again" } else { "" };
        let time = micros_of(&call.time).map_or_else(|| call.time.clone(), when::local);
        let code = call.distinct_code(&calls);
        out::line(&format!("{:>2}  {code}  {time}  {}  {}{mark}", at + 1, call.who, tilde_in(&call.folder)));
        let text = cut(&call.text, LISTED_LENGTH);
        let effects = (!call.effects.is_empty()).then(|| format!("effects: {}", call.effects.join(", ")));
        for part in std::iter::once(text).chain(call.findings.iter().cloned()).chain(effects) {
            let lines = paint::wrap(&part, table::width().saturating_sub(6));
            lines.iter().for_each(|line| out::line(&format!("      {line}")));
        }
    }
    let is_person = std::io::stdout().is_terminal() && owner::agent_sign().is_none();
    let picked = if is_person { pick(&calls) } else { None };
    let Some(call) = picked else {
        out::line("\nTo allow one of them once, run: tollgate approve CODE");
        return Ok(ExitCode::SUCCESS);
    };
    owner::admit("approve")?;
    approve(state, call)
}

/// The call whose number is typed. Nothing, or anything else, picks none.
fn pick(calls: &[Refused]) -> Option<&Refused> {
    let typed = terminal::ask(&format!("\nAllow which one? [1-{}, Enter for none] ", calls.len()))?;
    calls.get(typed.trim().parse::<usize>().ok()?.checked_sub(1)?)
}

/// A folder as people write it.
fn tilde_in(folder: &str) -> String {
    crate::dirs::home().map_or_else(|| folder.to_owned(), |home| tilde(Path::new(folder), &home))
}
