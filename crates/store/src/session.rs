//! What is kept per session: its project, its memory, and how often the same call was made. Session ids are the agent's
//! words, so they are hashed before they name anything.

mod calls;
mod ledger;
mod past;

use std::path::Path;
use std::time::{Duration, SystemTime};

use tollgate_model::json::{self, Value};

use crate::LogFault;
use crate::clean::Clean;
use crate::files::{Dir, How};
use crate::project_file::{Kept, MAX_PROJECT, NAME as PROJECT, kept_project, labelled, read_project};
use crate::session_folder::{SESSIONS, digest, is_hash, session_dir, session_in};
use crate::stamp::seconds;
use crate::state;

pub use ledger::{Kept as KeptText, remember, session_memory, session_text};

/// The project of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionProject {
    /// Its folder.
    pub path: String,
    /// This event was the first and fixed it.
    pub first: bool,
    /// It could not be kept or read; then `path` is what this event says.
    pub fault: Option<LogFault>,
    /// The workflows that are under way in the session.
    pub workflows: Option<Value>,
}

impl SessionProject {
    fn new(path: String, first: bool, fault: Option<LogFault>) -> Self {
        Self { path, first, fault, workflows: None }
    }

    /// May a workflow of the session be under way? What cannot be read is no proof that none is.
    #[must_use]
    pub fn may_be_under_way(&self, name: &str) -> bool {
        let named = |one: &Value| one.text("name") == Some(name);
        let listed = matches!(&self.workflows, Some(Value::List(all)) if all.iter().any(named));
        listed || self.fault.is_some()
    }
}

/// The project of a session: what the session's first event said, whatever later ones would say.
///
/// A session without an id has no memory: each of its events speaks for itself.
pub fn session_project(
    state: &Path,
    agent: &str,
    session: &str,
    compute: impl FnOnce() -> String,
) -> SessionProject {
    if session.is_empty() {
        return SessionProject::new(compute(), true, None);
    }
    let dir = match session_dir(state, agent, session) {
        Ok(dir) => dir,
        Err(fault) => return SessionProject::new(compute(), false, Some(fault)),
    };
    match read_project(&dir) {
        Ok(Kept::Whole(path, workflows)) => SessionProject { path, first: false, fault: None, workflows },
        Ok(kept) => fix_project(&dir, compute(), matches!(kept, Kept::Damaged)),
        Err(fault) => SessionProject::new(compute(), false, Some(fault)),
    }
}

/// The project that a folder lies in, as the session has it that was used last there: agents name their own, which
/// need not be a repository.
#[must_use]
pub fn last_project(state: &Path, folder: &Path) -> Option<String> {
    let sessions = Dir::open(state).ok()??.sub(SESSIONS).ok()??;
    let project = |name: &String| {
        let (file, kept) = kept_project(&sessions.sub(name).ok()??).ok()??;
        match kept {
            Kept::Whole(path, _) if folder.starts_with(&path) => Some((file.changed, path)),
            _ => None,
        }
    };
    let names = sessions.names().ok()?;
    names.iter().filter(|name| is_hash(name)).filter_map(project).max().map(|(_, path)| path)
}

/// Forgets the sessions in which nothing has happened for that long. Returns how many.
///
/// # Errors
/// When the directory of sessions cannot be read.
pub fn prune_sessions(state: &Path, older_than: Duration) -> Result<u64, LogFault> {
    let Some(state) = Dir::open(state)? else { return Ok(0) };
    let Some(sessions) = state.sub(SESSIONS)? else { return Ok(0) };
    let now = seconds(SystemTime::now());
    let limit = i64::try_from(older_than.as_secs()).unwrap_or(i64::MAX);
    let mut count = 0;
    for name in sessions.names()?.iter().filter(|name| is_hash(name)) {
        // One that cannot be opened safely is not ours to remove.
        let Ok(Some(session)) = sessions.sub(name) else { continue };
        if age(&session, now) >= limit && remove(&session) && sessions.remove_dir(name) {
            count += 1;
        }
    }
    Ok(count)
}

/// The id of the call that a record is about: the agent's own; else a hash of session, tool, input and how
/// often that was seen; else, for an event about no call, its number.
pub(crate) fn call_id(state: &Dir, clean: &Clean, seq: u64) -> String {
    if !clean.call.is_empty() {
        return clean.call.clone();
    }
    let (agent, session, tool) = (clean.text("agent"), clean.text("session"), clean.text("tool"));
    if tool.is_empty() {
        return format!("e{seq}");
    }
    let mut input = String::new();
    if let Some(value) = clean.field("input") {
        json::write(value, &mut input);
    }
    let base = digest(&[agent, session, tool, &input]);
    let count = session_in(state, agent, session)
        .and_then(|dir| calls::occurrence(&dir, &base, clean.text("phase")))
        // A number that no other call has is better than one that many have.
        .unwrap_or(seq);
    let mut hasher = blake3::Hasher::new();
    hasher.update(base.as_bytes()).update(&count.to_le_bytes());
    let id: String = hasher.finalize().to_hex().chars().take(16).collect();
    format!("h{id}")
}

/// Keeps the project, once one is known. When another event was quicker, that one's counts.
fn fix_project(dir: &Dir, path: String, replace: bool) -> SessionProject {
    if path.is_empty() {
        return SessionProject::new(path, false, None);
    }
    if path.len() > MAX_PROJECT {
        let shown: String = path.chars().take(80).collect();
        let fault = LogFault::Unsafe { path: shown.into(), why: "is too long for a project path" };
        return SessionProject::new(path, false, Some(fault));
    }
    // A state may be older than its project: a person started a workflow, or the project's file was damaged.
    let written = state::locked(dir, |under_way| {
        let text = labelled(&path, under_way).ok_or_else(|| dir.fault(rustix::io::Errno::FBIG, PROJECT))?;
        dir.put(PROJECT, text.as_bytes(), replace)
    });
    match written.and_then(|ours| Ok((ours, read_project(dir)?))) {
        Ok((ours, Kept::Whole(path, workflows))) => {
            SessionProject { path, first: ours, fault: None, workflows }
        }
        Ok(_) => SessionProject::new(path, false, None),
        Err(fault) => SessionProject::new(path, false, Some(fault)),
    }
}

/// Seconds since anything in a session was changed.
fn age(session: &Dir, now: i64) -> i64 {
    let changed = [PROJECT, calls::NAME, ledger::NAME, ledger::AHEAD, crate::state::NAME]
        .iter()
        .filter_map(|name| session.file(name, How::Read).ok()?);
    changed.map(|file| now.saturating_sub(file.changed)).min().unwrap_or(i64::MAX)
}

fn remove(session: &Dir) -> bool {
    let names = session.names().unwrap_or_default();
    names.iter().all(|name| session.remove(name))
}
