//! `tollgate approve`: a person lets one refused call pass.

use crate::exit::ExitCode;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, bail};
use tollgate_model::json::Value;
use tollgate_store::{GRANT_LIFE, Log, is_code};

use crate::dirs::Dirs;
use crate::{out, owner, terminal};

/// How many refused calls are listed.
const LISTED: usize = 10;

/// Arguments of `tollgate approve`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The call's code, as the refusal names it. Without it: the calls that were refused last
    code: Option<String>,
    /// Take the approval back
    #[arg(long, requires = "code")]
    revoke: bool,
}

/// Shows what waits, or lets one call pass.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory")?;
    let Some(code) = &args.code else { return list(&dirs.state) };
    owner::admit("approve")?;
    if !is_code(code) {
        bail!("`{code}` is not a call's code; `tollgate approve` lists the calls that were refused last");
    }
    if args.revoke {
        return revoke(&dirs.state, code);
    }
    let Some(call) = refused(&dirs.state).into_iter().find(|call| call.code == *code) else {
        bail!("no refused call has the code `{code}`; `tollgate approve` lists those that were refused last");
    };
    call.show();
    match terminal::confirm("\nLet this one call pass?") {
        None => bail!("an approval needs a terminal, so that a person gives it"),
        Some(false) => {
            out::line("Nothing was approved.");
            Ok(ExitCode::from(1))
        }
        Some(true) => {
            tollgate_store::grant(&dirs.state, code, SystemTime::now())?;
            let minutes = GRANT_LIFE.as_secs() / 60;
            out::line(&format!(
                "Approved: exactly this call passes once, within {minutes} minutes. Tell the agent to try it again."
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
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
    let waits = |code: &str| grants.iter().any(|grant| grant.code == code && grant.is_alive(now));
    let calls = refused(state);
    if calls.is_empty() {
        out::line("No call was refused.");
        return Ok(ExitCode::SUCCESS);
    }
    for call in calls.iter().take(LISTED) {
        let mark = if waits(&call.code) { "approved" } else { "" };
        out::line(&format!("{}  {}  {:<8}  {}", call.code, call.time, mark, call.text));
        call.findings.iter().for_each(|finding| out::line(&format!("          {finding}")));
    }
    out::line("\n`tollgate approve CODE` lets one of them pass once.");
    Ok(ExitCode::SUCCESS)
}

/// A call that the log says was refused.
struct Refused {
    code: String,
    time: String,
    who: String,
    folder: String,
    text: String,
    findings: Vec<String>,
}

impl Refused {
    fn show(&self) {
        out::line(&format!("Call {} of {}, {}, in {}:\n", self.code, self.who, self.time, self.folder));
        out::line(&format!("  {}\n", self.text));
        self.findings.iter().for_each(|finding| out::line(&format!("  {finding}")));
    }

    fn of(record: &Value) -> Option<Self> {
        let text = |key: &str| record.text(key).unwrap_or_default().to_owned();
        let refuses = |finding: &&Value| matches!(finding.text("verdict"), Some("ask" | "deny" | "halt"));
        let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let findings: Vec<&Value> = findings.iter().filter(refuses).collect();
        let code = text("code");
        (!code.is_empty() && !findings.is_empty()).then(|| Self {
            code,
            time: text("ts"),
            who: text("agent"),
            folder: text("cwd"),
            text: format!("{} {}", text("tool"), input(record)),
            findings: findings
                .into_iter()
                .map(|finding| {
                    let part = |key| shown(finding.text(key).unwrap_or_default());
                    format!("{} [{}]", part("what"), part("rule"))
                })
                .collect(),
        })
    }
}

/// The refused calls, the last first, each once.
fn refused(state: &Path) -> Vec<Refused> {
    let mut calls: Vec<Refused> = Vec::new();
    for entry in Log::at(state).records() {
        let Some(call) = entry.value().as_ref().and_then(Refused::of) else { continue };
        calls.retain(|earlier| earlier.code != call.code);
        calls.push(call);
    }
    calls.reverse();
    calls
}

/// The command, path or address of a call, or its whole input.
fn input(record: &Value) -> String {
    let Some(input) = record.get("input") else { return String::new() };
    let keys = ["command", "file_path", "path", "url", "notebook_path"];
    let text = keys.iter().find_map(|key| input.text(key)).map_or_else(
        || {
            let mut text = String::new();
            tollgate_model::json::write(input, &mut text);
            text
        },
        str::to_owned,
    );
    shown(&text)
}

/// On one line, without anything that would move the cursor.
fn shown(text: &str) -> String {
    let line: String = text.chars().take(300).collect();
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
