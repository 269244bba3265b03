//! What Tollgate remembers: the append-only, hash-chained log, the project of each session, and the redaction
//! that every kept text goes through.

mod clean;
mod fault;
mod files;
mod log;
mod redact;
mod session;
mod stamp;

pub use fault::LogFault;
pub use log::{Appended, Breach, Entry, Head, Limits, Log, Records, Trouble, Verification};
pub use redact::{Redactor, redact};
pub use session::{SessionProject, prune_sessions, session_project};
pub use stamp::rfc3339;
