//! Approvals of one call each, given by a person, used up by the call. A file per approval, named by the call's full
//! digest; taking it away is using it, so that two calls cannot both have it.
//!
//! The short code that a person types only names a waiting call. It never opens one: 32 bits can be searched for a
//! second, harmless-looking call with the same code in seconds.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::LogFault;
use crate::files::{Dir, How, read_at};

const GRANTS: &str = "grants";
/// How long an approval waits for its call.
pub const GRANT_LIFE: Duration = Duration::from_secs(15 * 60);
/// The length of a digest in hex.
const DIGEST: usize = 64;

/// An approval that waits for its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The call's digest.
    pub digest: String,
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

/// Is this how codes look? A code is the start of a digest, or all of it.
#[must_use]
pub fn is_code(text: &str) -> bool {
    (8..=DIGEST).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Is this a whole digest?
#[must_use]
pub fn is_digest(text: &str) -> bool {
    text.len() == DIGEST && is_code(text)
}

/// Lets the call of this digest pass once.
///
/// # Errors
/// When the digest is none, or the approval cannot be kept.
pub fn grant(state: &Path, digest: &str, now: SystemTime) -> Result<(), LogFault> {
    if !is_digest(digest) {
        return Err(LogFault::Unsafe { path: digest.into(), why: "is not a call's digest" });
    }
    let dir = Dir::make(&state.components().collect::<std::path::PathBuf>())?.make_sub(GRANTS)?;
    dir.put(digest, format!("{}\n", seconds(now)).as_bytes(), true).map(drop)
}

/// Uses up the approval of a call. True when there was one, and it was still good.
///
/// # Errors
/// When there may be one that cannot be read; then the call is not approved.
pub fn take_grant(state: &Path, digest: &str, now: SystemTime) -> Result<bool, LogFault> {
    if !is_digest(digest) {
        return Ok(false);
    }
    let Some(dir) = grants(state)? else { return Ok(false) };
    let Some(grant) = read_grant(&dir, digest)? else { return Ok(false) };
    Ok(dir.remove(digest) && grant.is_alive(now))
}

/// Every approval that waits, good or run out.
///
/// # Errors
/// When they cannot be read.
pub fn list_grants(state: &Path) -> Result<Vec<Grant>, LogFault> {
    let Some(dir) = grants(state)? else { return Ok(Vec::new()) };
    let names = dir.names()?;
    let grants = names.iter().filter(|name| is_digest(name));
    grants.filter_map(|name| read_grant(&dir, name).transpose()).collect()
}

/// Takes back every approval whose digest begins with this code. True when there was one.
///
/// # Errors
/// When they cannot be read.
pub fn revoke_grant(state: &Path, code: &str) -> Result<bool, LogFault> {
    let Some(dir) = grants(state)?.filter(|_| is_code(code)) else { return Ok(false) };
    let names = dir.names()?;
    let removed = names.iter().filter(|name| name.starts_with(code)).filter(|name| dir.remove(name));
    Ok(removed.count() > 0)
}

fn grants(state: &Path) -> Result<Option<Dir>, LogFault> {
    match Dir::open(&state.components().collect::<std::path::PathBuf>())? {
        Some(state) => state.sub(GRANTS),
        None => Ok(None),
    }
}

/// A grant whose file is damaged is none: grants are lost, never invented.
fn read_grant(dir: &Dir, digest: &str) -> Result<Option<Grant>, LogFault> {
    let Some(file) = dir.file(digest, How::Read)? else { return Ok(None) };
    let bytes = read_at(&file.fd, 0, 32).map_err(|errno| dir.fault(errno, digest))?;
    let given = String::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n')?.parse().ok());
    Ok(given.map(|given| Grant { digest: digest.to_owned(), given }))
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
