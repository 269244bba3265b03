//! The state of workflows, per session or per project. One small file, replaced whole under a lock, so that
//! whoever reads it sees one state and no change of another process is lost.
//!
//! What is damaged, of another version or not a file of ours is moved aside, and that is told: a state is lost
//! rather than invented.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use tollgate_model::json::{Value, object};
use tollgate_model::{Change, State};

use crate::LogFault;
use crate::files::{Dir, How};
use crate::project_file::label;
use crate::session_folder::{session_dir, session_path};

/// Whose state.
#[derive(Clone, Copy, Debug)]
pub enum Whose<'a> {
    /// Of one session of an agent.
    Session {
        /// The agent's name.
        agent: &'a str,
        /// The session's id.
        session: &'a str,
    },
    /// Of everybody in a project.
    Project(&'a str),
}

/// A state, and what must be told about it.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The state.
    pub state: State,
    /// A state was there that could not be believed: where it was moved to.
    pub told: Option<String>,
}

pub(crate) const NAME: &str = "flow";
const LOCK: &str = "flow.lock";
const PROJECTS: &str = "projects";
const MAGIC: &str = "tollgate-state 1 ";
const MOST: usize = 4 << 20;
/// How long a lock is waited for that somebody holds: a hundred processes that come at once on a busy machine.
pub const STATE_PATIENCE: Duration = Duration::from_secs(4);

/// The state as it is. A session without an id has none.
///
/// # Errors
/// When there may be one that cannot be read.
pub fn read_state(state: &Path, whose: Whose) -> Result<Held, LogFault> {
    let Some(dir) = whose.open(state)? else { return Ok(Held::default()) };
    match look(&dir) {
        Look::State(state) => Ok(Held { state, told: None }),
        Look::Fault(fault) => Err(fault),
        Look::Damaged => {
            let _lock = lock(&dir)?;
            settle(&dir)
        }
    }
}

/// Makes changes. Returns the state after them.
///
/// # Errors
/// When they could not be kept.
pub fn change_state(state: &Path, whose: Whose, changes: &[Change]) -> Result<Held, LogFault> {
    if whose.is_nobody() {
        return Ok(Held::default());
    }
    let dir = whose.make(state)?;
    let _lock = lock(&dir)?;
    let mut held = settle(&dir)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let before = under_way(&held.state);
    changes.iter().for_each(|change| held.state.apply(change, now));
    let after = under_way(&held.state);
    let labelled = matches!(whose, Whose::Session { .. }) && before != after;
    if labelled && after.is_some() {
        // Before the state: a workflow that is under way is never missing there, even if this process dies here.
        label(&dir, joined(before, &after).as_ref())?;
    }
    dir.put(NAME, &encode(&held.state), true)?;
    if labelled {
        // What it says too much costs a look at the state, and nothing else.
        let _ = label(&dir, after.as_ref());
    }
    Ok(held)
}

/// Does something with what is under way in a directory while nobody changes that. What cannot be believed is nothing.
pub(crate) fn locked<T>(
    dir: &Dir,
    act: impl FnOnce(Option<&Value>) -> Result<T, LogFault>,
) -> Result<T, LogFault> {
    if !dir.exists(NAME) {
        return act(None);
    }
    let _lock = lock(dir)?;
    match look(dir) {
        Look::State(state) => act(under_way(&state).as_ref()),
        _ => act(None),
    }
}

/// What is under way before or after a change.
fn joined(before: Option<Value>, after: &Option<Value>) -> Option<Value> {
    let (Some(Value::List(mut all)), Some(Value::List(more))) = (before, after) else { return after.clone() };
    all.retain(|one| more.iter().all(|other| other.get("name") != one.get("name")));
    all.extend(more.iter().cloned());
    Some(Value::List(all))
}

/// The workflows that were started and have not ended, each with its phase.
#[must_use]
pub fn under_way(state: &State) -> Option<Value> {
    let active = state.all().filter(|(_, key, value)| *key == "is_active" && **value == Value::Bool(true));
    let named = active
        .map(|(space, ..)| object([("name", space.into()), ("phase", state.text(space, "phase").into())]));
    let all: Vec<Value> = named.collect();
    (!all.is_empty()).then_some(Value::List(all))
}

impl Whose<'_> {
    fn is_nobody(&self) -> bool {
        matches!(self, Self::Session { session: "", .. } | Self::Project(""))
    }

    fn open(&self, state: &Path) -> Result<Option<Dir>, LogFault> {
        match self {
            _ if self.is_nobody() => Ok(None),
            Self::Session { agent, session } => Dir::open(&session_path(state, agent, session)),
            Self::Project(project) => Dir::open(&state.join(PROJECTS).join(project_name(project))),
        }
    }

    fn make(&self, state: &Path) -> Result<Dir, LogFault> {
        match self {
            Self::Session { agent, session } => session_dir(state, agent, session),
            Self::Project(project) => {
                let state: std::path::PathBuf = state.components().collect();
                Dir::make(&state)?.make_sub(PROJECTS)?.make_sub(&project_name(project))
            }
        }
    }
}

fn project_name(project: &str) -> String {
    blake3::hash(project.as_bytes()).to_hex().chars().take(32).collect()
}

enum Look {
    State(State),
    Damaged,
    Fault(LogFault),
}

fn look(dir: &Dir) -> Look {
    let file = match dir.file(NAME, How::Read) {
        Ok(Some(file)) => file,
        Ok(None) => return Look::State(State::default()),
        Err(LogFault::Unsafe { .. }) => return Look::Damaged,
        Err(fault) => return Look::Fault(fault),
    };
    match file.whole(MOST) {
        Ok(bytes) => decode(&bytes).map_or(Look::Damaged, Look::State),
        Err(Errno::ISDIR) => Look::Damaged,
        Err(errno) => Look::Fault(dir.fault(errno, NAME)),
    }
}

/// The state under the lock; what cannot be believed is moved aside first.
fn settle(dir: &Dir) -> Result<Held, LogFault> {
    match look(dir) {
        Look::State(state) => Ok(Held { state, told: None }),
        Look::Fault(fault) => Err(fault),
        Look::Damaged => {
            let aside = (1..1000).map(|number| format!("{NAME}.damaged-{number}"));
            let aside = aside.into_iter().find(|name| !dir.exists(name)).unwrap_or_default();
            dir.rename_new(NAME, &aside).map_err(|errno| dir.fault(errno, NAME))?;
            let told = format!(
                "the state of this session's workflows was damaged or of another version; it starts afresh, \
                 and what was there is kept as `{}`",
                dir.path().join(aside).display()
            );
            Ok(Held { state: State::default(), told: Some(told) })
        }
    }
}

fn encode(state: &State) -> Vec<u8> {
    let body = state.write();
    format!("{MAGIC}{}\n{body}\n", blake3::hash(body.as_bytes()).to_hex()).into_bytes()
}

fn decode(bytes: &[u8]) -> Option<State> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (hash, body) = text.strip_prefix(MAGIC)?.split_once('\n')?;
    let body = body.strip_suffix('\n')?;
    (blake3::hash(body.as_bytes()).to_hex().as_str() == hash).then(|| State::read(body))?
}

/// Waits for the lock, with pauses in which no two processes keep in step.
fn lock(dir: &Dir) -> Result<OwnedFd, LogFault> {
    let fault = |errno| dir.fault(errno, LOCK);
    let file = dir.file(LOCK, How::Edit)?.ok_or_else(|| fault(Errno::NOENT))?;
    let begun = Instant::now();
    let mut pause = 30 + u64::from(std::process::id() % 37);
    loop {
        match flock(&file.fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file.fd),
            Err(Errno::WOULDBLOCK | Errno::INTR) if begun.elapsed() < STATE_PATIENCE => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => {
                return Err(LogFault::Locked { waited: begun.elapsed() });
            }
            Err(errno) => return Err(fault(errno)),
        }
        std::thread::sleep(Duration::from_micros(pause));
        pause = (pause * 3 / 2).min(4000 + u64::from(std::process::id() % 997));
    }
}
