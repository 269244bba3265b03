//! A machine's side of a fleet, as `tollgate-fleet-protocol` describes it: joins, sends the log, installs policy bundles,
//! fetches approvals.
//!
//! Meant for a process of its own, after the answer is out: nothing here can change a verdict. Every request has a
//! deadline, and failures leave the policy in force as it is.

mod backoff;
mod bundles;
mod client;
mod clock;
mod files;
mod grants;
mod join;
mod machine;
mod member;
mod records;
mod run;
mod status;

pub use bundles::Trust as InForce;
pub use client::{Failure, check_server};
pub use files::{Error, FOLDER};
pub use join::{Invitation, forget, has_traces, join, leave};
pub use machine::{Machine, Observed};
pub use member::Member;
pub use run::{Courier, is_running};
pub use status::{Observation, Status};
