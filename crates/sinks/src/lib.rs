//! Hands records of the log on to others. Meant for a process of its own, after the answer is out: nothing here can
//! change a verdict. Every sink has a deadline and a bound; what it cannot take is dropped, and counted.
//!
//! Records come from the log, so that secrets were taken out before.

mod command;
mod file;
mod http;
mod otlp;
mod statsd;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The most records that one delivery takes.
pub const MOST: usize = 10_000;
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
    /// The line of the first seed: timestamp, event type, handler, tool, decision, reason, call.
    Analytics {
        /// The file; `ANALYTICS_PATH`, or `.agentic/analytics/events.jsonl` in the project.
        path: PathBuf,
    },
    /// Counters and timers by UDP.
    Statsd {
        /// Host and port.
        address: String,
        /// What stands before every name.
        prefix: String,
    },
    /// OpenTelemetry by HTTP with JSON: a span per call under its session, logs, metrics.
    Otlp {
        /// `http://host:port`, without the path.
        endpoint: String,
        /// Headers, such as a key.
        headers: Vec<(String, String)>,
    },
    /// A program that gets the records on its standard input, a line each.
    Command {
        /// Its words; no shell is asked.
        words: Vec<String>,
    },
    /// An address that gets the records as a JSON list.
    Webhook {
        /// `http://…`
        url: String,
        /// Headers.
        headers: Vec<(String, String)>,
    },
}

/// What became of a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Records that the sink took.
    pub sent: u64,
    /// Records that it did not.
    pub dropped: u64,
    /// Why not.
    pub why: Option<String>,
}

/// Hands lines of the log to a sink. Never fails and never takes longer than `PATIENCE`: what does not get through is
/// dropped, and counted.
#[must_use]
pub fn deliver(sink: &Sink, lines: &[String]) -> Delivered {
    let taken: Vec<Value> =
        lines.iter().take(MOST).filter_map(|line| serde_json::from_str(line).ok()).collect();
    let end = Instant::now() + PATIENCE;
    let outcome = match sink {
        Sink::Jsonl { path } => file::append(path, taken.iter().map(Value::to_string)),
        Sink::Analytics { path } => file::append(path, taken.iter().filter_map(file::analytics)),
        Sink::Statsd { address, prefix } => statsd::send(address, prefix, &taken),
        Sink::Otlp { endpoint, headers } => otlp::send(endpoint, headers, &taken, end),
        Sink::Command { words } => command::feed(words, &taken, end),
        Sink::Webhook { url, headers } => {
            http::post(url, headers, &Value::Array(taken.clone()).to_string(), end)
        }
    };
    let (all, whole) = (lines.len() as u64, taken.len() as u64);
    match outcome {
        Ok(()) => {
            let why = (all > whole).then(|| format!("{} records were too many or unreadable", all - whole));
            Delivered { sent: whole, dropped: all - whole, why }
        }
        Err(why) => Delivered { sent: 0, dropped: all, why: Some(why) },
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
