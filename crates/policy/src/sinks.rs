//! The key `sinks`: where records go after the answer. How they are sent is the `sinks` crate's to know.

use serde::{Deserialize, Serialize};

/// A sink that records go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinkUse {
    /// What kind of sink it is.
    pub uses: SinkKind,
    /// The file or socket, as it is written; empty for the usual one.
    pub path: String,
    /// Host and port.
    pub address: String,
    /// What stands before every name.
    pub prefix: String,
    /// Where it is sent by HTTP.
    pub url: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// A file with the certificates that are believed.
    pub ca: String,
    /// A program and its arguments.
    pub run: Vec<String>,
    /// It gets canary calls, too.
    pub canaries: bool,
}

/// What kind of sink it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SinkKind {
    /// Records, a line each.
    Jsonl,
    /// The analytics line of hand-written handlers.
    Analytics,
    /// Counters and timers by UDP.
    Statsd,
    /// OpenTelemetry.
    Otlp,
    /// A program.
    Command,
    /// An address that gets the records.
    Webhook,
    /// The chain's head in the system's log.
    Syslog,
}

impl SinkKind {
    /// Every kind, by its name in a policy file.
    pub const ALL: [(&'static str, Self); 7] = [
        ("jsonl", Self::Jsonl),
        ("analytics", Self::Analytics),
        ("statsd", Self::Statsd),
        ("otlp", Self::Otlp),
        ("command", Self::Command),
        ("webhook", Self::Webhook),
        ("syslog", Self::Syslog),
    ];

    /// Its name in a policy file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The keys that it takes, and the one that it cannot do without.
    #[must_use]
    pub fn keys(self) -> (&'static [&'static str], Option<&'static str>) {
        match self {
            Self::Jsonl => (&["path", "canaries"], Some("path")),
            Self::Analytics | Self::Syslog => (&["path", "canaries"], None),
            Self::Statsd => (&["address", "prefix", "canaries"], None),
            Self::Otlp => (&["url", "headers", "ca", "canaries"], None),
            Self::Command => (&["run", "canaries"], Some("run")),
            Self::Webhook => (&["url", "headers", "ca", "canaries"], Some("url")),
        }
    }
}
