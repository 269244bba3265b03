//! Hands records of the log on to others. Meant for a process of its own, after the answer is out: nothing here can
//! change a verdict. Every sink has a deadline and a bound; what it cannot take is dropped, and counted.
//!
//! Records come from the log, so that secrets were taken out before.

mod account;
mod command;
mod courier;
mod file;
mod http;
mod otlp;
mod spans;
mod statsd;
mod syslog;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

pub use account::{Account, accounts};
pub use courier::{Courier, is_running};
pub use http::trusted_roots;

/// The most records that wait for one sink; the oldest beyond that are dropped.
pub const MOST: u64 = 10_000;
/// The most records that one delivery takes.
pub const BATCH: usize = 1000;
/// How long a delivery to one sink may take.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Where records go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    /// The records themselves, a line each.
    Jsonl {
        /// The file.
        path: PathBuf,
    },
    /// The analytics line of hand-written handlers: timestamp, event type, handler, tool, decision, reason, call.
    Analytics {
        /// The file; relative to the project that a record is of.
        path: PathBuf,
    },
    /// Counters and timers by UDP.
    Statsd {
        /// Host and port.
        address: String,
        /// What stands before every name.
        prefix: String,
    },
    /// OpenTelemetry by HTTP with JSON.
    Otlp {
        /// What is sent; each signal gets on by itself.
        signal: Signal,
        /// `https://host:port`, without the path.
        to: Address,
    },
    /// A program that gets the records on its standard input, a line each.
    Command {
        /// Its words; no shell is asked.
        words: Vec<String>,
    },
    /// An address that gets the records as a JSON list.
    Webhook {
        /// Where.
        to: Address,
    },
    /// The chain's head, in the system's log.
    Syslog {
        /// The socket that the system's log listens on.
        socket: PathBuf,
    },
}

/// A sink, and which records it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Where they go.
    pub sink: Sink,
    /// Canary calls go there, too.
    pub canaries: bool,
}

impl Route {
    /// Is the record for this sink?
    pub(crate) fn takes(&self, record: &Value) -> bool {
        self.canaries || record.get("canary") != Some(&Value::Bool(true))
    }
}

/// To the sink goes what agents did, and no canary call.
impl From<Sink> for Route {
    fn from(sink: Sink) -> Self {
        Self { sink, canaries: false }
    }
}

/// What OpenTelemetry is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A span per call, under that of its session.
    Traces,
    /// Every record.
    Logs,
    /// Counts and times.
    Metrics,
}

impl Signal {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Traces, Self::Logs, Self::Metrics];

    /// The last part of its path.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Logs => "logs",
            Self::Metrics => "metrics",
        }
    }
}

/// Where something is sent by HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// `https://…` or `http://…`.
    pub url: String,
    /// Headers; `${NAME}` in a value stands for a variable of the environment.
    pub headers: Vec<(String, String)>,
    /// A file with the certificates that are believed, instead of the usual ones.
    pub ca: Option<PathBuf>,
}

/// Why a delivery failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In words.
    pub why: String,
    /// Nothing of it arrived, and it may later.
    pub again: bool,
}

impl Trouble {
    /// It may be tried again.
    pub(crate) fn later(why: impl Into<String>) -> Self {
        Self { why: why.into(), again: true }
    }

    /// It was taken in part, or will never be.
    pub(crate) fn lost(why: impl Into<String>) -> Self {
        Self { why: why.into(), again: false }
    }
}

impl Sink {
    /// Its name in counts and listings. Holds nothing secret: of an address, only the host.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Jsonl { path } => format!("jsonl {}", path.display()),
            Self::Analytics { path } => format!("analytics {}", path.display()),
            Self::Statsd { address, .. } => format!("statsd {address}"),
            Self::Otlp { signal, to } => format!("otlp {} {}", to.shown(), signal.name()),
            Self::Command { words } => {
                format!("command {}", words.first().map_or("", String::as_str))
            }
            Self::Webhook { to } => format!("webhook {}", to.shown()),
            Self::Syslog { socket } => format!("syslog {}", socket.display()),
        }
    }

    /// Does what it gets leave this machine's user, so that a log rewritten here shows there?
    #[must_use]
    pub fn is_anchor(&self) -> bool {
        match self {
            Self::Syslog { .. } | Self::Webhook { .. } => true,
            Self::Otlp { signal, .. } => *signal == Signal::Logs,
            _ => false,
        }
    }

    /// Hands records to the sink, at most for as long as `PATIENCE`. `memory` is what the sink keeps between
    /// deliveries.
    ///
    /// # Errors
    /// When they were not taken.
    pub fn deliver(&self, records: &[Value], memory: &mut Value) -> Result<(), Trouble> {
        let end = Instant::now() + PATIENCE;
        match self {
            Self::Jsonl { path } => {
                let all: Vec<&Value> = records.iter().collect();
                file::write(path, &all, |record| Some(record.to_string()))
            }
            Self::Analytics { path } => {
                let all: Vec<&Value> = records.iter().collect();
                file::write(path, &all, file::analytics)
            }
            Self::Statsd { address, prefix } => statsd::send(address, prefix, records),
            Self::Otlp { signal, to } => otlp::send(*signal, to, records, memory, end),
            Self::Command { words } => command::feed(words, records, end),
            Self::Webhook { to } => http::post(to, "", &Value::Array(records.to_vec()).to_string(), end),
            Self::Syslog { socket } => syslog::note(socket, records),
        }
    }
}

/// A text member; empty when there is none.
pub(crate) fn text<'v>(record: &'v Value, key: &str) -> &'v str {
    record.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// What the agent was made to do.
pub(crate) fn verdict(record: &Value) -> &str {
    match text(record, "expressed") {
        "" => text(record, "verdict"),
        expressed => expressed,
    }
}

/// How long the gate took, in microseconds.
pub(crate) fn gate_micros(record: &Value) -> u64 {
    let steps = record.get("us").and_then(Value::as_object);
    steps.map_or(0, |steps| steps.values().filter_map(Value::as_u64).sum())
}

/// The folder of the project that a record is of; empty when it is of none.
pub(crate) fn project(record: &Value) -> &str {
    match text(record, "project") {
        "" => text(record, "cwd"),
        project => project,
    }
}

/// The rules that found something.
pub(crate) fn rules(record: &Value) -> impl Iterator<Item = &str> {
    let findings = record.get("findings").and_then(Value::as_array).into_iter().flatten();
    findings.map(|finding| text(finding, "rule"))
}
