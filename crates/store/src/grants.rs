//! Approvals of one call each, given by a person, used up by the call. A file per approval, named by the
//! call's code; taking it away is using it, so that two calls cannot both have it.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::LogFault;
use crate::files::{Dir, How, read_at};

const GRANTS: &str = "grants";
/// How long an approval waits for its call.
pub const GRANT_LIFE: Duration = Duration::from_secs(15 * 60);

/// An approval that waits for its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The call's code.
    pub code: String,
    /// Seconds since 1970 when it was given.
    pub given: u64,
}

impl Grant {
    /// A clock that was set back makes a grant void rather than longer.
    #[must_use]
    pub fn is_alive(&self, now: SystemTime) -> bool {
        let now = seconds(now);
        self.given <= now && now - self.given < GRANT_LIFE.as_secs()
    }
}

/// Is this how codes look?
#[must_use]
pub fn is_code(text: &str) -> bool {
    (8..=32).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Lets the call of this code pass once.
///
/// # Errors
/// When the code is none, or the approval cannot be kept.
pub fn grant(state: &Path, code: &str, now: SystemTime) -> Result<(), LogFault> {
    if !is_code(code) {
        return Err(LogFault::Unsafe { path: code.into(), why: "is not a call's code" });
    }
    let dir = Dir::make(&state.components().collect::<std::path::PathBuf>())?.make_sub(GRANTS)?;
    dir.put(code, format!("{}\n", seconds(now)).as_bytes(), true).map(drop)
}

/// Uses up the approval of a call. True when there was one, and it was still good.
///
/// # Errors
/// When there may be one that cannot be read; then the call is not approved.
pub fn take_grant(state: &Path, code: &str, now: SystemTime) -> Result<bool, LogFault> {
    if !is_code(code) {
        return Ok(false);
    }
    let Some(dir) = grants(state)? else { return Ok(false) };
    let Some(grant) = read_grant(&dir, code)? else { return Ok(false) };
    Ok(dir.remove(code) && grant.is_alive(now))
}

/// Every approval that waits, good or run out.
///
/// # Errors
/// When they cannot be read.
pub fn list_grants(state: &Path) -> Result<Vec<Grant>, LogFault> {
    let Some(dir) = grants(state)? else { return Ok(Vec::new()) };
    let names = dir.names()?;
    names.iter().filter(|name| is_code(name)).filter_map(|name| read_grant(&dir, name).transpose()).collect()
}

/// Takes an approval back. True when there was one.
///
/// # Errors
/// When they cannot be read.
pub fn revoke_grant(state: &Path, code: &str) -> Result<bool, LogFault> {
    Ok(is_code(code) && grants(state)?.is_some_and(|dir| dir.remove(code)))
}

fn grants(state: &Path) -> Result<Option<Dir>, LogFault> {
    match Dir::open(&state.components().collect::<std::path::PathBuf>())? {
        Some(state) => state.sub(GRANTS),
        None => Ok(None),
    }
}

/// A grant whose file is damaged is none: grants are lost, never invented.
fn read_grant(dir: &Dir, code: &str) -> Result<Option<Grant>, LogFault> {
    let Some(file) = dir.file(code, How::Read)? else { return Ok(None) };
    let bytes = read_at(&file.fd, 0, 32).map_err(|errno| dir.fault(errno, code))?;
    let given = String::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n')?.parse().ok());
    Ok(given.map(|given| Grant { code: code.to_owned(), given }))
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
