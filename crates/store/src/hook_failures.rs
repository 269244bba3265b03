//! Hooks whose last run failed although the agent went on: a file per hook, removed by its next good run, so that
//! `tollgate doctor` knows them. Who was told about a failure is kept with the session.

use std::path::{Path, PathBuf};

use crate::LogFault;
use crate::files::{Dir, How};
use crate::redact;
use crate::session_folder::{digest, session_dir};

const FAILURES: &str = "failed-hooks";
/// The longest file that is read: a path and a description.
const LONGEST: usize = 16 << 10;

/// A failed run of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFailure {
    /// The project of the session.
    pub project: String,
    /// What happened.
    pub why: String,
}

/// Keeps that the last run of a hook failed. `hook` is any text that names it and no other.
///
/// # Errors
/// When it cannot be written.
pub fn keep_hook_failure(state: &Path, hook: &str, failure: &HookFailure) -> Result<(), LogFault> {
    let why: String = redact(&failure.why).chars().take(1000).collect();
    let folder = Dir::make(&state.components().collect::<PathBuf>())?.make_sub(FAILURES)?;
    folder.put(&name(hook), format!("{}\0{why}", failure.project).as_bytes(), true).map(drop)
}

/// Forgets the failure of a hook that ran well in the same project. In another project it may have had nothing to do.
pub fn clear_hook_failure(state: &Path, hook: &str, project: &str) {
    let Ok(Some(folder)) = failures(state) else { return };
    if read(&folder, hook).is_some_and(|failure| failure.project == project) {
        folder.remove(&name(hook));
    }
}

/// The last run of a hook, if that failed and can be read.
#[must_use]
pub fn hook_failure(state: &Path, hook: &str) -> Option<HookFailure> {
    read(&failures(state).ok()??, hook)
}

/// Is this the first failure of a hook that a session hears of? One process of many hears yes. Without a session, or
/// when nothing can be kept, each is the first: telling twice is better than not telling.
#[must_use]
pub fn is_first_hook_failure(state: &Path, agent: &str, session: &str, hook: &str) -> bool {
    if session.is_empty() {
        return true;
    }
    let told = session_dir(state, agent, session)
        .and_then(|folder| folder.put(&format!("told-{}", name(hook)), b"", false));
    told.unwrap_or(true)
}

fn failures(state: &Path) -> Result<Option<Dir>, LogFault> {
    match Dir::open(&state.components().collect::<PathBuf>())? {
        Some(state) => state.sub(FAILURES),
        None => Ok(None),
    }
}

fn read(folder: &Dir, hook: &str) -> Option<HookFailure> {
    let file = folder.file(&name(hook), How::Read).ok()??;
    let text = String::from_utf8(file.whole(LONGEST).ok()?).ok()?;
    let (project, why) = text.split_once('\0')?;
    Some(HookFailure { project: project.to_owned(), why: why.to_owned() })
}

fn name(hook: &str) -> String {
    digest(&[hook]).to_hex().chars().take(32).collect()
}
