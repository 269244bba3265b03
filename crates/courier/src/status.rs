//! What became of the courier's work: kept for `tollgate fleet status`, `doctor` and the next courier.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tollgate_fleet_protocol::{Checked, Fault, Head, Installed};

use crate::files::{Error, Files};

const NAME: &str = "status.json";

/// How things stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// When the server last answered, in seconds since 1970; 0 when it never did.
    pub contact: u64,
    /// The end of the log as the server has it.
    pub head: Head,
    /// Records that the server has taken since the machine joined.
    pub sent: u64,
    /// What does not work, as it is told to the server.
    pub faults: Vec<Fault>,
    /// Kinds of incidents that the server found in the log.
    pub incidents: Vec<String>,
    /// Why the last request failed; empty when it did not.
    pub error: String,
    /// Failures since the last success.
    pub failures: u32,
    /// When to try again, in seconds since 1970.
    pub retry_at: u64,
    /// How far the server's clock is ahead, in seconds.
    pub skew: i64,
    /// The server no longer takes this machine's key.
    pub revoked: bool,
    /// The bundle that is observed.
    pub observed: Option<Observation>,
    /// Bundles that were refused, so that they are not fetched each minute.
    pub(crate) refused: Vec<RefusedBundle>,
    /// Nobody can still be at work who read the policy before the machine joined.
    pub(crate) settled: bool,
    /// Answers that the next greeting owes.
    pub(crate) checked: Vec<Checked>,
}

/// A bundle by which calls are judged without effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Which.
    pub bundle: Installed,
    /// The last record that was judged by it.
    pub reached: u64,
    /// Calls judged.
    pub calls: u64,
    /// Calls that it would have refused, and the policy in force did not.
    pub refusals: u64,
}

/// A bundle that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RefusedBundle {
    /// Its digest.
    pub digest: String,
    /// What was in force then: another bundle in force may make it fit.
    pub over: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Why.
    pub why: String,
}

impl Status {
    /// The status of a state directory. One that cannot be read is empty.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self::read(&Files::of(state))
    }

    pub(crate) fn read(files: &Files) -> Self {
        files.read(NAME).ok().flatten().unwrap_or_default()
    }

    pub(crate) fn keep(&self, files: &Files) -> Result<(), Error> {
        files.keep(NAME, self)
    }

    /// Replaces what was known about one kind of fault.
    pub(crate) fn set_fault(&mut self, kind: &str, text: Option<String>) {
        self.faults.retain(|fault| fault.kind != kind);
        self.faults.extend(text.map(|text| Fault { kind: kind.to_owned(), text }));
    }
}
