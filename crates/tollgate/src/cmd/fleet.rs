//! `tollgate fleet`: joins and leaves a fleet, and says how things stand. The courier itself is started by hooks.

pub mod health;
mod host;
mod settings;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tollgate_courier::{Courier, Error, Member};

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::report::{Light, shown};
use crate::{out, owner, terminal};
use host::Host;
use settings::{SETTINGS, Settings};

/// How long a courier may live. It ends by itself before.
const LIMIT: Duration = Duration::from_secs(13 * 3600);
/// How long `tollgate fleet sync` may take: a log of weeks may have to be sent.
const LONGEST_SYNC: Duration = Duration::from_secs(3600);

/// Arguments of `tollgate fleet`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// Join a fleet (in your terminal)
    Join {
        /// Address of the server [default: from the settings file]
        url: Option<String>,
        /// Token from the administrator
        #[arg(long)]
        token: Option<String>,
        /// File with the certificates to trust for this server
        #[arg(long, value_name = "FILE")]
        ca: Option<PathBuf>,
        /// Public key that signs policies; repeatable
        #[arg(long, value_name = "KEY")]
        policy_key: Vec<String>,
        /// Settings file [default: /etc/tollgate/fleet.yaml]
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Leave the fleet (in your terminal)
    Leave {
        /// Leave even when the server cannot be told
        #[arg(long)]
        offline: bool,
    },
    /// Show how this machine stands in its fleet
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Send the log, fetch policies and approvals now
    Sync,
}

/// Arguments of `tollgate fleet-courier`.
#[derive(clap::Args, Debug)]
pub struct CourierArgs {
    /// Where the policy is
    #[arg(long, value_name = "DIR")]
    config: PathBuf,
    /// Where the log is
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    match &args.verb {
        Verb::Join { url, token, ca, policy_key, from } => {
            let given = Settings {
                server: url.clone().unwrap_or_default(),
                token: token.clone().unwrap_or_default(),
                ca: ca.clone(),
                policy_keys: policy_key.clone(),
            };
            join(&dirs, given, from.as_deref())
        }
        Verb::Leave { offline } => leave(&dirs, *offline),
        Verb::Status { json } => status(&dirs.state, *json),
        Verb::Sync => sync(&dirs),
    }
}

/// Works for the fleet until nothing has come for a while.
pub fn courier(args: &CourierArgs) -> anyhow::Result<ExitCode> {
    super::deliver::end_after(LIMIT);
    // The hook's own limit on memory came with us.
    let limit = getrlimit(Resource::As);
    let _ = setrlimit(Resource::As, Rlimit { current: limit.maximum, maximum: limit.maximum });
    // The agent's working directory is a project's, and can be removed.
    std::env::set_current_dir(&args.config).or_else(|_| std::env::set_current_dir("/"))?;
    let host = Host::new(&args.config, &args.state);
    Courier { state: &args.state, machine: &host }.run()?;
    Ok(ExitCode::SUCCESS)
}

fn join(dirs: &Dirs, given: Settings, from: Option<&Path>) -> anyhow::Result<ExitCode> {
    owner::admit("fleet join")?;
    if let Some(member) = Member::of(&dirs.state)? {
        return Err(Error::Joined(member.fleet).into());
    }
    let settings = given.with_file(from)?;
    if !settings.by_administrator {
        let question = format!(
            "Join the fleet at {}? It gets this user's log, sets the managed policy, and may approve calls.",
            settings.invitation.server
        );
        match terminal::confirm(&question) {
            None => bail!(
                "joining needs a terminal, so that a person does it, or the settings file {SETTINGS} of an administrator"
            ),
            Some(false) => {
                out::line("Nothing was joined.");
                return Ok(ExitCode::from(1));
            }
            Some(true) => {}
        }
    }
    let host = Host::new(&dirs.config, &dirs.state);
    let member = tollgate_courier::join(&dirs.state, &settings.invitation, &host)?;
    let (fleet, group) = (shown(&member.fleet), shown(&member.group));
    out::line(&format!("Joined the fleet `{fleet}` as machine {} of group `{group}`.", member.machine));
    match member.policy_keys.as_slice() {
        [] => out::line("It named no key that signs policies, so none will be taken."),
        keys => keys.iter().for_each(|key| out::line(&format!("Policies must be signed by {}", shown(key)))),
    }
    match (Courier { state: &dirs.state, machine: &host }).sync() {
        Ok(_) => status(&dirs.state, false),
        Err(error) => {
            out::line(&format!("Not synchronised yet: {error}. The next event of an agent tries again."));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn leave(dirs: &Dirs, offline: bool) -> anyhow::Result<ExitCode> {
    owner::admit("fleet leave")?;
    // What is damaged can still be taken away.
    let member = if offline { Member::of(&dirs.state).unwrap_or_default() } else { Member::of(&dirs.state)? };
    let fleet = member.as_ref().map_or_else(String::new, |member| shown(&member.fleet));
    if member.is_none() && !(offline && tollgate_courier::has_traces(&dirs.state)) {
        return Err(Error::NotJoined.into());
    }
    if settings::is_managed() && !rustix::process::geteuid().is_root() {
        bail!("{SETTINGS} says that this machine belongs to a fleet; ask whoever manages the machine");
    }
    match terminal::confirm(&format!("Leave the fleet `{fleet}`? Its policy ends here.")) {
        None => bail!("leaving a fleet needs a terminal, so that a person does it"),
        Some(false) => {
            out::line("Nothing was changed.");
            return Ok(ExitCode::from(1));
        }
        Some(true) => {}
    }
    if let Err(error) = tollgate_courier::leave(&dirs.state)
        && !offline
    {
        bail!("{error}; to leave without telling the server, add --offline");
    }
    tollgate_courier::forget(&dirs.state)?;
    tollgate_policy::forget(&dirs.state, &tollgate_policy::fleet_file(&dirs.state));
    tollgate_policy::expire(&dirs.state);
    out::line(&format!("This machine left the fleet `{fleet}`. Its log stays here."));
    Ok(ExitCode::SUCCESS)
}

fn sync(dirs: &Dirs) -> anyhow::Result<ExitCode> {
    owner::refuse_agents("fleet sync")?;
    if Member::of(&dirs.state)?.is_none() {
        return Err(Error::NotJoined.into());
    }
    super::deliver::end_after(LONGEST_SYNC);
    let host = Host::new(&dirs.config, &dirs.state);
    if (Courier { state: &dirs.state, machine: &host }).sync()?.is_none() {
        out::line("A courier is at work already; it looks for new records twice a second.\n");
    }
    status(&dirs.state, false)
}

/// Exit 1 when something does not work.
fn status(state: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let report = health::Report::of(state)?;
    if json {
        out::line(&report.value().to_string());
    } else {
        report.print();
    }
    let red = report.lines().iter().any(|line| line.light == Light::Red);
    Ok(ExitCode::from(u8::from(red)))
}
