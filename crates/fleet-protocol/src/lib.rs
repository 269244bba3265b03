//! What a machine and `tollgate-server` say to each other.
//!
//! Pure: types, the bytes that are signed, and the checks of both sides. Whoever links this brings HTTP, gzip, clocks
//! and randomness. Nothing here is used while a hook answers.
//!
//! # Requests of a machine
//!
//! Every request has the header `authorization: tollgate-v1 MACHINE.TIME.NONCE.SIGNATURE` ([`Authorization`]). The
//! signature covers method, target (path and query), machine, time, nonce and the BLAKE3 hash of the body as sent
//! ([`request_bytes`]). The server refuses a time more than [`MAX_SKEW`] seconds from its own, and a nonce that the
//! machine used before. After [`ErrorCode::ClockSkew`] the machine signs again with the clock of the answer
//! ([`ErrorBody::server_time`]): a wrong clock must not cut a machine off.
//!
//! Bodies are JSON, except where noted. Errors are [`ErrorAnswer`] with a status of 400 or more. `429` and `503` have
//! a `Retry-After` header in seconds: nothing was stored, and the same bytes may be sent again, signed anew.
//!
//! | request | body | answer | meaning |
//! |---|---|---|---|
//! | `POST /v1/enrol` | [`Enrol`] | [`Enrolled`] | joins. Signed with the new key, whose id is `MACHINE`. The same token with the same key may be sent again |
//! | `POST /v1/hello` | [`Hello`] | [`Welcome`] | once a minute, and when something changed: inventory and head in, policies and questions out |
//! | `POST /v1/records` | [`Batch`], gzip | [`Stored`] | log records, in order, as they stand. Safe to repeat |
//! | `GET /v1/bundles/DIGEST` | – | [`SignedBundle`] | a bundle that a [`Welcome`] names |
//! | `GET /v1/grants?after=ID&wait=SECONDS` | – | [`Grants`] | approvals for this machine with a larger id. Waits up to [`MAX_WAIT`] seconds for one; comes back within 2 s of the approval |
//! | `POST /v1/leave` | – | `{}` | the machine revokes its own key |
//!
//! # Sending the log
//!
//! The server keeps the head of each machine's chain: it is in [`Welcome::head`] and [`Stored::head`]. A courier needs no
//! place of its own. It reads its log from the next record on and sends what it finds, at most [`MAX_RECORDS`] records
//! and [`MAX_BATCH`] bytes a time. [`BatchHead::after`] is the number before that of the first line, and the hash that this
//! line names as `prev`.
//!
//! When that continues nothing the server has, it answers 409 with places that it does have ([`ErrorBody::known`]), and the
//! courier begins again after the largest that its own log has, too. Where records no longer exist, it says so
//! ([`BatchHead::missing`]), and the batch is taken wherever it stands.
//!
//! Apart from the wait for grants, a courier sends one request after the other, and reads the log's head right before it
//! sends it: a head that is older than what was sent before is taken for a log that was cut. A batch is a transaction and a
//! row of its own, so a courier collects what comes within a few seconds, and sends at once when a call was refused that
//! somebody may approve.
//!
//! A log that was rewritten is not refused: the server keeps what it had, begins another chain where the log differs, and
//! records an incident. So is an edited line: it is sent as it stands.
//!
//! # Policies
//!
//! A bundle is signed with a minisign key that no server has ([`SignedBundle::open`]), and replaces another one only by
//! [`Bundle::check_update`]. The server says which bundle a machine should enforce and which it should observe
//! ([`Assignment`]). To observe is to judge calls by it as well and to report the difference: the policy in force stays
//! in force. So the worst that a taken-over server can do is to hold back a newer bundle until the one in force expires;
//! then the machine keeps it, and reports the fault.

mod bundle;
mod grant;
mod key;
mod message;
mod record;
mod request;

pub use bundle::{Bundle, BundleError, Installed, MAX_BUNDLE, SignedBundle, UpdateError, bundle_digest};
pub use grant::{GRANT_LIFE, Grant, GrantError, Grants};
pub use key::{KeyError, MachineKey, PublicKey};
pub use message::{
    Agent, Assignment, Checked, Enrol, Enrolled, ErrorAnswer, ErrorBody, ErrorCode, Fault, Hello, Policy,
    Stage, System, Welcome,
};
pub use record::{Batch, BatchError, BatchHead, Head, MAX_BATCH, MAX_RECORD, MAX_RECORDS, Missing, Stored};
pub use request::{Authorization, MAX_SKEW, Refused, is_machine_id, is_nonce, request_bytes};

/// How many seconds a request for grants waits at most.
pub const MAX_WAIT: u64 = 25;
