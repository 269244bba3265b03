//! How a call of `tollgate canary` is told from a call of an agent.

/// The ids of its sessions begin with this.
pub const SESSION: &str = "tollgate-canary-";

/// Is this the session of a canary call?
pub fn is_canary(session: Option<&str>) -> bool {
    session.is_some_and(|session| session.starts_with(SESSION))
}
