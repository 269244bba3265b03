//! What is kept per session: its project, its memory, and how often the same call was made. Session ids are the agent's
//! words, so they are hashed before they name anything.

mod calls;
mod ledger;
mod past;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tollgate_model::json::{self, Value};

use crate::LogFault;
use crate::clean::Clean;
use crate::files::{Dir, File, How};
use crate::state;

pub use ledger::{Kept as KeptText, remember, session_memory, session_text};

const SESSIONS: &str = "sessions";
const PROJECT: &str = "project";
/// The longest project path that is kept.
const MAX_PROJECT: usize = 4 << 10;
/// The longest file of a project that is read: room for hundreds of workflows.
const MAX_FILE: usize = MAX_PROJECT + (32 << 10);
/// What stands between the project and the workflows that are under way. No line ends there, so that a file that was cut
/// short is known for one.
const LABEL: &str = "\u{1}";
/// A session in use is marked as such once in this time, so that it is not pruned.
const FRESH: Duration = Duration::from_hours(24);

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

pub(crate) fn session_dir(state: &Path, agent: &str, session: &str) -> Result<Dir, LogFault> {
    session_in(&Dir::make(&state.components().collect::<std::path::PathBuf>())?, agent, session)
}

fn session_in(state: &Dir, agent: &str, session: &str) -> Result<Dir, LogFault> {
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

enum Kept {
    Nothing,
    /// The path, and the workflows that are under way.
    Whole(String, Option<Value>),
    /// Cut short by a crash of the machine: as good as nothing.
    Damaged,
}

/// Writes down beside the project which workflows are under way, where every event reads it anyway: one that is not
/// named there is not asked. A session without a project gets both at its first event.
pub(crate) fn label(dir: &Dir, workflows: Option<&Value>) -> Result<(), LogFault> {
    let Kept::Whole(path, _) = read_project(dir)? else { return Ok(()) };
    let text = labelled(&path, workflows).ok_or_else(|| dir.fault(rustix::io::Errno::FBIG, PROJECT))?;
    dir.put(PROJECT, text.as_bytes(), true).map(drop)
}

/// The file of a project. What would not be read back whole is none.
fn labelled(path: &str, workflows: Option<&Value>) -> Option<String> {
    let mut text = path.to_owned();
    if let Some(workflows) = workflows {
        text.push_str(LABEL);
        json::write(workflows, &mut text);
    }
    text.push('\n');
    (text.len() <= MAX_FILE).then_some(text)
}

fn read_project(dir: &Dir) -> Result<Kept, LogFault> {
    let Some((file, kept)) = kept_project(dir)? else { return Ok(Kept::Nothing) };
    if matches!(kept, Kept::Whole(..)) {
        refresh(&file);
    }
    Ok(kept)
}

fn kept_project(dir: &Dir) -> Result<Option<(File, Kept)>, LogFault> {
    let Some(file) = dir.file(PROJECT, How::Read)? else { return Ok(None) };
    let bytes = file.whole(MAX_FILE + 1).map_err(|errno| dir.fault(errno, PROJECT))?;
    Ok(Some((file, whole(&bytes).unwrap_or(Kept::Damaged))))
}

fn whole(bytes: &[u8]) -> Option<Kept> {
    let text = std::str::from_utf8(bytes.strip_suffix(b"\n")?).ok()?;
    let (path, label) = text.split_once(LABEL).unwrap_or((text, ""));
    if path.is_empty() || path.len() > MAX_PROJECT {
        return None;
    }
    let workflows = match label {
        "" => None,
        label => Some(json::parse(label.as_bytes()).ok()?),
    };
    Some(Kept::Whole(path.to_owned(), workflows))
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

fn refresh(file: &File) {
    let now = SystemTime::now();
    if seconds(now) - file.changed > FRESH.as_secs() as i64 {
        let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
        let _ = rustix::fs::futimens(
            &file.fd,
            &rustix::fs::Timestamps { last_access: now, last_modification: now },
        );
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

fn is_hash(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(crate) fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(since).unwrap_or(i64::MAX)
}
