//! What became of the deliveries to each sink: kept in the state directory, shown by `stats` and `doctor`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_store::{LogFault, keep_note, read_note};

const NAME: &str = "sinks.json";

/// One sink's account.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The last record that was sent or dropped.
    pub seq: u64,
    /// Its hash, so that a log which was begun anew is known.
    pub hash: String,
    /// How many were sent.
    pub sent: u64,
    /// How many were dropped.
    pub dropped: u64,
    /// Why the last delivery failed; empty when it did not.
    pub why: String,
    /// Failures since the last success.
    pub failures: u32,
    /// When to try again, in seconds since 1970.
    pub retry_at: u64,
    /// When something was last sent, in seconds since 1970.
    pub sent_at: u64,
    /// What the sink itself remembers.
    pub memory: Value,
}

/// All accounts, by the sinks' names. One that cannot be read is empty.
#[must_use]
pub fn accounts(state: &Path) -> BTreeMap<String, Account> {
    let bytes = read_note(state, NAME, 16 << 20).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Replaces all accounts at once.
pub(crate) fn keep(state: &Path, accounts: &BTreeMap<String, Account>) -> Result<(), LogFault> {
    keep_note(state, NAME, &serde_json::to_vec(accounts).unwrap_or_default())
}
