//! How a call of `tollgate canary` is told from a call of an agent.

/// The ids of its sessions begin with this. Only `tollgate canary` and `doctor` choose a session's id; an agent's calls come
/// with the one that its client gave them.
pub const CANARY_SESSION: &str = "tollgate-canary-";

/// Is this the session of a canary call?
#[must_use]
pub fn is_canary(session: Option<&str>) -> bool {
    session.is_some_and(|session| session.starts_with(CANARY_SESSION))
}
