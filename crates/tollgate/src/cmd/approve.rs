//! `tollgate approve`: a person lets one refused call pass.

use crate::exit::ExitCode;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, bail};
use tollgate_model::json::Value;
use tollgate_store::{GRANT_LIFE, Log, is_code, is_digest};

use crate::dirs::Dirs;
use crate::report::escaped;
use crate::{out, owner, terminal};

/// How many refused calls are listed.
const LISTED: usize = 10;
/// How many characters of a call the list shows.
const LISTED_LENGTH: usize = 300;
/// How many characters of a call are shown to whoever approves it: all that the log keeps, in nearly every case.
const SHOWN_LENGTH: usize = 16 << 10;

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
    let mut calls: Vec<Refused> = refused(state).into_iter().filter(|call| call.has_code(code)).collect();
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
    let calls = refused(state);
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

/// A call that the log says was refused.
struct Refused {
    code: String,
    /// Empty in a record of an older version.
    digest: String,
    time: String,
    who: String,
    folder: String,
    text: String,
    findings: Vec<String>,
}

impl Refused {
    fn show(&self) {
        out::line(&format!("Call {} of {}, {}, in {}:\n", self.code, self.who, self.time, self.folder));
        out::line(&format!("  {}\n", cut(&self.text, SHOWN_LENGTH)));
        self.findings.iter().for_each(|finding| out::line(&format!("  {finding}")));
    }

    fn has_code(&self, code: &str) -> bool {
        self.digest.starts_with(code) || (self.digest.is_empty() && self.code == code)
    }

    /// The shortest code that no other of these calls has.
    fn distinct_code(&self, calls: &[Self]) -> String {
        let others = || calls.iter().filter(|call| call.digest != self.digest);
        let lengths = (self.code.len()..=self.digest.len()).filter_map(|length| self.digest.get(..length));
        let distinct = lengths.into_iter().find(|code| !others().any(|call| call.digest.starts_with(code)));
        distinct.unwrap_or(&self.code).to_owned()
    }

    fn of(record: &Value) -> Option<Self> {
        let text = |key: &str| escaped(record.text(key).unwrap_or_default());
        let refuses = |finding: &&Value| matches!(finding.text("verdict"), Some("ask" | "deny" | "halt"));
        let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let findings: Vec<&Value> = findings.iter().filter(refuses).collect();
        let code = text("code");
        (!code.is_empty() && !findings.is_empty()).then(|| Self {
            code,
            digest: text("digest"),
            time: text("ts"),
            who: text("agent"),
            folder: text("cwd"),
            text: format!("{} {}", text("tool"), input(record)),
            findings: findings
                .into_iter()
                .map(|finding| {
                    let part = |key| cut(&escaped(finding.text(key).unwrap_or_default()), LISTED_LENGTH);
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
        calls.retain(|earlier| (&earlier.code, &earlier.digest) != (&call.code, &call.digest));
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
    escaped(&text)
}

/// A text that is cut says so: what is hidden behind the cut is approved as well.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let (start, rest) = text.split_at(end);
            format!("{start}… [cut: {} more characters]", rest.chars().count())
        }
    }
}
