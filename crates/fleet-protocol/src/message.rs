//! Joining, and the greeting once a minute.

use serde::{Deserialize, Serialize};

use crate::bundle::Installed;
use crate::key::PublicKey;
use crate::record::Head;

/// What a machine is. Every text is cut to 200 characters by the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct System {
    /// Its name.
    pub host: String,
    /// The user whose log it is.
    pub user: String,
    /// `linux`, `macos`, …
    pub os: String,
    /// `x86_64`, …
    pub arch: String,
    /// The version of Tollgate.
    pub gate: String,
    /// A hash of what no clone shares: `/etc/machine-id`, the disk's or the board's number. Never the numbers
    /// themselves. A key that is used by two of them is a cloned machine.
    pub instance: String,
}

/// Joins a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrol {
    /// What the administrator gave, good for one machine.
    pub token: String,
    /// The machine's new key.
    pub key: PublicKey,
    /// What it is.
    pub system: System,
}

/// The answer to [`Enrol`]: what a machine keeps and never takes from later answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolled {
    /// The fleet's name.
    pub fleet: String,
    /// The machine's id.
    pub machine: String,
    /// The machine's group.
    pub group: String,
    /// The minisign keys that sign bundles, in base64. A machine that was given keys with its token
    /// (`/etc/tollgate/fleet.yaml`) trusts those and ignores these.
    pub policy_keys: Vec<String>,
    /// The key that signs grants.
    pub grant_key: PublicKey,
}

/// An agent that was found on the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agent {
    /// Its name: `claude-code`, …
    pub name: String,
    /// Its version; empty when it is not known.
    pub version: String,
    /// Does every event of it pass the gate?
    pub guarded: bool,
}

/// Something that does not work on the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fault {
    /// `bundle-expired`, `bundle-refused`, `log-broken`, `hook-missing`, `clock`, …
    pub kind: String,
    /// In words.
    pub text: String,
}

/// The policies of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// The bundle in force.
    pub enforced: Option<Installed>,
    /// The bundle that is observed.
    pub observed: Option<Installed>,
    /// Calls judged since the machine observes it.
    pub observed_calls: u64,
    /// How many of them it would have refused, and the policy in force did not.
    pub observed_refusals: u64,
}

/// A record that the server asked for, as the machine's log has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Its number.
    pub seq: u64,
    /// Its hash, computed from the line and not taken from its end; empty when the record is gone.
    pub hash: String,
}

/// A machine's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// What it is.
    pub system: System,
    /// The agents on it.
    pub agents: Vec<Agent>,
    /// Its policies.
    pub policy: Policy,
    /// What does not work.
    pub faults: Vec<Fault>,
    /// The end of its log; `None` when there is none yet.
    pub head: Option<Head>,
    /// Answers to [`Welcome::check`] of the last answer.
    pub checked: Vec<Checked>,
}

/// How a machine should use a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Judge calls by it as well, change nothing, and report.
    Observe,
    /// Take it into force.
    Enforce,
}

/// A bundle for a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Which; its text is at `GET /v1/bundles/DIGEST`.
    pub bundle: Installed,
    /// What for.
    pub stage: Stage,
}

/// The answer to [`Hello`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Welcome {
    /// The end of the machine's chain, as the server has it.
    pub head: Head,
    /// The machine's group. A bundle for it is signed for it.
    pub group: String,
    /// What to enforce, and what to observe; at most one of each.
    pub policies: Vec<Assignment>,
    /// Records whose hashes the next [`Hello`] should tell, so that a log which was rewritten shows.
    pub check: Vec<u64>,
    /// The time to the next [`Hello`], in seconds.
    pub again_s: u64,
}

/// The body of every answer that is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorAnswer {
    /// The error.
    pub error: ErrorBody,
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// For programs.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// With `clock_skew`: the server's time in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_time: Option<u64>,
    /// With `out_of_order`: places in the chains that the server has of this machine, the end of the current one first.
    /// The batch has to begin after the one with the largest number that is in the machine's log with that hash; at the
    /// log's first record when none is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Head>,
}

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// 400: the request is not in the form described here. Sending it again does not help.
    BadRequest,
    /// 401: the signature is missing or does not fit.
    BadSignature,
    /// 401: the time is too far off. Sign again with `server_time`.
    ClockSkew,
    /// 401: this nonce was used before. Sign again with a new one.
    Replayed,
    /// 401: the token is not known, was used by another machine, or has expired.
    BadToken,
    /// 403: no machine of this fleet has this key.
    UnknownMachine,
    /// 403: the machine's key was revoked. The machine keeps its policy and stops sending.
    Revoked,
    /// 403: the role or token does not allow this.
    Forbidden,
    /// 404: there is no such thing.
    NotFound,
    /// 409: the batch continues nothing that the server has; see `known`.
    OutOfOrder,
    /// 409: the state does not allow this.
    Conflict,
    /// 413: the body is too large.
    TooLarge,
    /// 429 or 503: try again after `Retry-After` seconds.
    Busy,
    /// 500: the server failed; its log says why.
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_later_versions_add_does_not_break_this_one() {
        let hello: Hello = serde_json::from_str(r#"{"system":{"host":"a","tpm":true},"new":1}"#).unwrap();
        assert_eq!(hello.system.host, "a");
        let welcome: Welcome = serde_json::from_str(r#"{"again_s":60}"#).unwrap();
        assert_eq!((welcome.again_s, welcome.head), (60, Head::default()));
    }
}
