//! `tollgate deliver`: the process that brings records to the sinks, after the answer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tollgate_lastword::{self as lastword, Deadline};
use tollgate_policy::{Request, SinkKind, SinkUse};
use tollgate_sinks::{Address, Courier, Route, Signal, Sink};

use crate::dirs::{self, MANAGED};
use crate::exit::ExitCode;

/// How long a delivery may take. A courier ends by itself well before.
const LIMIT: Duration = Duration::from_secs(5 * 60);

/// Arguments of `tollgate deliver`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Where the policy is
    #[arg(long, value_name = "DIR")]
    config: PathBuf,
    /// Where the log is
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// The record from which on a new sink gets them
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    from: u64,
}

/// Delivers until there is nothing more.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // The hook's own limit on memory came with us, and would go on to programs of others.
    end_after(LIMIT);
    let limit = getrlimit(Resource::As);
    let _ = setrlimit(Resource::As, Rlimit { current: limit.maximum, maximum: limit.maximum });
    // The agent's working directory is a project's: no program is looked for there, and it can be removed.
    std::env::set_current_dir(&args.config).or_else(|_| std::env::set_current_dir("/"))?;
    let sinks = configured(&args.config, &args.state);
    Courier { state: &args.state, sinks: &sinks, from: args.from }.run();
    Ok(ExitCode::SUCCESS)
}

/// Ends a background process that hangs: nobody waits for it, and it may hold a lock.
pub fn end_after(limit: Duration) {
    lastword::prepare("", "", 1);
    lastword::arm(Deadline::after(limit), u64::MAX);
}

/// The sinks that the policy names. No project has a say in them.
pub fn configured(config: &Path, state: &Path) -> Vec<Route> {
    let request = Request {
        managed_dir: Path::new(MANAGED),
        config_dir: config,
        state_dir: state,
        project: None,
        cwd: config,
        built: None,
    };
    let policy = tollgate_policy::look(&request, &tollgate_rules::Rules).policy;
    let route = |sink, named: &SinkUse| Route { sink, canaries: named.canaries };
    policy
        .sinks
        .iter()
        .flat_map(|named| sinks(named).into_iter().map(move |sink| route(sink, named)))
        .collect()
}

/// What a sink of the policy comes to. OpenTelemetry is three, each with its own pace.
fn sinks(named: &SinkUse) -> Vec<Sink> {
    let or = |text: &str, usual: &str| if text.is_empty() { usual.to_owned() } else { text.to_owned() };
    let address = |usual: &str| Address {
        url: or(&named.url, usual),
        headers: named.headers.clone(),
        ca: Some(place(&named.ca)).filter(|ca| !ca.as_os_str().is_empty()),
    };
    vec![match named.uses {
        SinkKind::Jsonl => Sink::Jsonl { path: place(&named.path) },
        SinkKind::Analytics => Sink::Analytics { path: analytics(&named.path) },
        SinkKind::Statsd => Sink::Statsd {
            address: or(&named.address, "localhost:8125"),
            prefix: or(&named.prefix, "tollgate"),
        },
        SinkKind::Command => Sink::Command { words: named.run.clone() },
        SinkKind::Webhook => Sink::Webhook { to: address("") },
        SinkKind::Syslog => Sink::Syslog { socket: place(&or(&named.path, "/dev/log")) },
        SinkKind::Otlp => {
            let to = address("http://localhost:4318");
            return Signal::ALL.map(|signal| Sink::Otlp { signal, to: to.clone() }).into();
        }
    }]
}

/// The file of hand-written handlers. What the environment says may come from a project, so that only a name that
/// nothing else reads as its own is taken from there.
fn analytics(named: &str) -> PathBuf {
    const USUAL: &str = ".agentic/analytics/events.jsonl";
    let asked = std::env::var("ANALYTICS_PATH").unwrap_or_default();
    let harmless = asked.ends_with(".jsonl") && !asked.split('/').any(|name| name == "..");
    match (named, asked.as_str()) {
        ("", asked) if harmless => place(asked),
        ("", _) => PathBuf::from(USUAL),
        (named, _) => place(named),
    }
}

/// A path with the home directory in it.
fn place(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), dirs::home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
