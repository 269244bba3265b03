//! `tollgate allow`: a person makes an exception, for a while. `tollgate exceptions` lists them and takes them back.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use tollgate_model::json::{self, Value};
use tollgate_model::{Exemption, Pack, Rule};
use tollgate_store::Log;

use crate::dirs::{Dirs, applying, repository};
use crate::exit::ExitCode;
use crate::listing::Output;
use crate::{exceptions, out, owner, terminal, when};

/// Arguments of `tollgate allow`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule to disable; without it, all rules for a command or path
    rule: Option<String>,
    /// Only for this command; `*` matches in a word, `**` any words
    #[arg(long, conflicts_with = "path")]
    command: Option<String>,
    /// Only for files that match this glob
    #[arg(long)]
    path: Option<String>,
    /// Where it applies
    #[arg(long, value_enum, default_value = "project")]
    scope: Scope,
    /// Session of `--scope session` [default: the last refused]
    #[arg(long, requires = "scope")]
    session: Option<String>,
    /// Duration: `30m`, `8h`, `7d`, `4w` or `forever`
    #[arg(long = "for", default_value = "8h", value_name = "TIME")]
    life: String,
    /// Reason to record
    #[arg(long, default_value = "")]
    reason: String,
    /// Print an entry for the policy file and change nothing
    #[arg(long)]
    print: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Session,
    Project,
    User,
}

/// Shows the exception, asks, and keeps it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory")?;
    let one = args.exemption(&dirs)?;
    if args.print {
        out::text(&entry(&one));
        return Ok(ExitCode::SUCCESS);
    }
    owner::admit("allow")?;
    out::line(&format!("Allows what {} is against, {}.", one.told(), life(&one)));
    match terminal::confirm("\nMake this exception?") {
        None => bail!(
            "an exception needs a terminal, so that a person makes it; `--print` gives the entry for your policy file"
        ),
        Some(false) => {
            out::line("Nothing was allowed.");
            Ok(ExitCode::from(1))
        }
        Some(true) => {
            keep(&dirs.state, &one)?;
            out::line(&format!(
                "Exception {} counts from now on. `tollgate exceptions revoke {}` takes it back.",
                one.id, one.id
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// On record first: there is no exception that nobody can find out about.
fn keep(state: &Path, one: &Exemption) -> anyhow::Result<()> {
    Log::at(state)
        .append(&exceptions::record_of("allow", one), SystemTime::now())
        .context("the exception could not be recorded, so it was not made")?;
    Ok(tollgate_store::keep_exemption(state, one)?)
}

impl Args {
    fn exemption(&self, dirs: &Dirs) -> anyhow::Result<Exemption> {
        let here = std::env::current_dir().context("the working directory is gone")?;
        let project = repository(&here);
        let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        let now = exceptions::now();
        let mut one = Exemption {
            rule: self.rule.clone().unwrap_or_default(),
            command: self
                .command
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(str::to_owned)
                .collect(),
            path: self.path.as_deref().map(|path| absolute(&here, path)).unwrap_or_default(),
            given: now,
            until: self.until(now)?,
            reason: self.reason.clone(),
            ..Exemption::default()
        };
        match self.scope {
            Scope::User => {}
            Scope::Project => one.project = project.to_string_lossy().into_owned(),
            Scope::Session => one.session = self.session(dirs, &project)?,
        }
        let policy = applying().map(|loaded| loaded.policy).unwrap_or_default();
        let own = |id: &str| policy.custom.iter().any(|rule| rule.id == id).then_some(Pack::Core);
        let pack =
            |id: &str| tollgate_rules::all().map(Rule::card).find(|card| card.id == id).map(|card| card.pack);
        if let Err((message, hint)) = tollgate_policy::lawful(&one, |id| pack(id).or_else(|| own(id))) {
            let names = tollgate_rules::all().map(|rule| rule.card().id);
            let near =
                tollgate_policy::nearest(&one.rule, names).filter(|_| message.starts_with("unknown rule"));
            bail!("{message}; {}", near.map_or(hint, |near| format!("did you mean `{near}`?")));
        }
        one.id = id(&one);
        Ok(one)
    }

    fn until(&self, now: u64) -> anyhow::Result<u64> {
        if self.life == "forever" {
            return Ok(0);
        }
        let Some(micros) = when::length(&self.life).filter(|micros| *micros > 0) else {
            bail!("`{}` is no length of time; write `30m`, `8h`, `7d`, `4w` or `forever`", self.life);
        };
        Ok(now.saturating_add(u64::try_from(micros / 1_000_000).unwrap_or_default()))
    }

    fn session(&self, dirs: &Dirs, project: &Path) -> anyhow::Result<String> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let mut last = None;
        for entry in Log::at(&dirs.state).records() {
            let Some(record) = entry.value() else { continue };
            let refused = matches!(record.text("verdict"), Some("ask" | "deny" | "halt"));
            let here = record.text("cwd").is_some_and(|cwd| Path::new(cwd).starts_with(project));
            if refused && here {
                last = record.text("session").map(str::to_owned);
            }
        }
        last.filter(|session| !session.is_empty())
            .context("no call was refused in this project; name the session: `--session ID`")
    }
}

/// Names an exception. The same exception made twice is one.
fn id(one: &Exemption) -> String {
    let mut text = String::new();
    json::write(&Exemption { given: 0, until: 0, reason: String::new(), ..one.clone() }.value(), &mut text);
    blake3::hash(text.as_bytes()).to_hex().chars().take(8).collect()
}

fn absolute(here: &Path, path: &str) -> String {
    let home = path.strip_prefix("~/").and_then(|rest| Some(crate::dirs::home()?.join(rest)));
    let path: PathBuf = home.unwrap_or_else(|| here.join(path)).components().collect();
    path.to_string_lossy().into_owned()
}

fn life(one: &Exemption) -> String {
    match one.until {
        0 => "until it is taken back".to_owned(),
        until => format!("until {}", time(until)),
    }
}

fn time(seconds: u64) -> String {
    when::stamp(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000))
}

/// The exception as it stands in a policy file. A file has no sessions, and counts in days.
fn entry(one: &Exemption) -> String {
    let mut lines = String::from("allow:\n");
    let mut lead = "  - ";
    let mut add = |key: &str, text: &str| {
        if !text.is_empty() {
            let mut quoted = String::new();
            json::write(&Value::String(text.to_owned()), &mut quoted);
            lines.push_str(&format!("{lead}{key}: {quoted}\n"));
            lead = "    ";
        }
    };
    add("rule", &one.rule);
    add("command", &one.command.join(" "));
    add("path", &one.path);
    add("project", &one.project);
    if one.until != 0 {
        add("until", &when::date(i64::try_from(one.until).unwrap_or(i64::MAX).saturating_mul(1_000_000)));
    }
    add("reason", &one.reason);
    lines
}

/// Arguments of `tollgate exceptions`.
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    #[command(subcommand)]
    command: Option<ListCommand>,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Subcommand, Debug)]
enum ListCommand {
    /// Revoke an exception
    Revoke {
        /// Id from the list
        id: String,
    },
}

/// Lists exceptions, or takes one back. That only tightens, so anybody may.
pub fn list(args: &ListArgs) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory")?;
    let all = tollgate_store::list_exemptions(&dirs.state)?;
    if let Some(ListCommand::Revoke { id }) = &args.command {
        return revoke(&dirs.state, &all, id);
    }
    let written = applying().map(|loaded| loaded.policy.allow).unwrap_or_default();
    if !args.output.is_text() {
        args.output.print(&all.iter().chain(&written).map(row).collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() && written.is_empty() {
        out::line("No exceptions are made.");
    }
    let now = exceptions::now();
    for one in &all {
        let end = if one.is_alive(now) { life(one) } else { "run out".to_owned() };
        out::line(&format!("{}  {}, {end}{}", one.id, one.told(), because(one)));
    }
    for one in &written {
        out::line(&format!("policy    {}, {}{}", one.told(), life(one), because(one)));
    }
    Ok(ExitCode::SUCCESS)
}

/// An exception for programs.
fn row(one: &Exemption) -> serde_json::Value {
    let time = |seconds: u64| {
        let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        (seconds > 0).then(|| when::stamp(micros))
    };
    serde_json::json!({
        "id": one.id, "rule": one.rule, "command": one.command, "path": one.path, "project": one.project,
        "session": one.session, "given": time(one.given), "until": time(one.until), "reason": one.reason,
    })
}

fn because(one: &Exemption) -> String {
    if one.reason.is_empty() { String::new() } else { format!(" ({})", one.reason) }
}

fn revoke(state: &Path, all: &[Exemption], id: &str) -> anyhow::Result<ExitCode> {
    let Some(one) = all.iter().find(|one| one.id == id) else {
        bail!("no exception has the id `{id}`; `tollgate exceptions` lists them");
    };
    tollgate_store::revoke_exemption(state, id)?;
    Log::at(state).append(&exceptions::record_of("exception-revoked", one), SystemTime::now())?;
    out::line(&format!("Exception {id} is taken back."));
    Ok(ExitCode::SUCCESS)
}
