//! Where the things of a session are kept. Session ids are the agent's words, so they are hashed before they name anything.

use std::path::{Path, PathBuf};

use crate::LogFault;
use crate::files::Dir;

/// The folder that has a folder for each session.
pub(crate) const SESSIONS: &str = "sessions";

/// The folder of a session, made where it is missing.
pub(crate) fn session_dir(state: &Path, agent: &str, session: &str) -> Result<Dir, LogFault> {
    session_in(&Dir::make(&state.components().collect::<PathBuf>())?, agent, session)
}

/// The same, below a state directory that is open.
pub(crate) fn session_in(state: &Dir, agent: &str, session: &str) -> Result<Dir, LogFault> {
    state.make_sub(SESSIONS)?.make_sub(&session_name(agent, session))
}

/// Where a session's things are, without a look whether they are there.
pub(crate) fn session_path(state: &Path, agent: &str, session: &str) -> PathBuf {
    state.join(SESSIONS).join(session_name(agent, session))
}

fn session_name(agent: &str, session: &str) -> String {
    digest(&[agent, session]).to_hex().chars().take(32).collect()
}

/// A hash over texts that cannot run into each other.
pub(crate) fn digest(texts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize()
}

/// Whether a folder's name is one that a session is given.
pub(crate) fn is_hash(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
