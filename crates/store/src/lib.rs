//! What Tollgate remembers: the append-only, hash-chained log, the project and the memory of each session,
//! approvals, and the redaction that every kept text goes through.

mod clean;
mod exceptions;
mod fault;
mod files;
mod grants;
mod hook_failures;
mod log;
mod mirror;
mod origin;
mod project_file;
mod raw;
mod redact;
mod session;
mod session_folder;
mod stamp;
mod state;

pub use exceptions::{keep_exemption, list_exemptions, revoke_exemption};
pub use fault::LogFault;
pub use files::{change_note, keep_note, read_note};
pub use grants::{GRANT_LIFE, Grant, grant, is_code, is_digest, list_grants, revoke_grant, take_grant};
pub use hook_failures::{
    HookFailure, clear_hook_failure, hook_failure, is_first_hook_failure, keep_hook_failure,
};
pub use log::{
    Appended, Breach, Entry, Follower, Hash, Head, Keep, Limits, Link, Log, NO_RESULT, Place, Records,
    Trouble, Verification,
};
pub use mirror::{remove_mirror, write_mirror};
pub use raw::{members, plain};
pub use redact::{Redactor, redact};
pub use session::{
    KeptText, SessionProject, last_project, prune_sessions, remember, session_memory, session_project,
    session_text,
};
pub use stamp::{micros_of, rfc3339};
pub use state::{Held, STATE_PATIENCE, Whose, change_state, read_state, under_way};
