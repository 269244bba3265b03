//! What a session remembers of its calls: an append-only file of one line per entry.

use std::path::Path;

use rustix::io::write;
use tollgate_model::{Entry, Memory};

use super::{session_dir, session_path};
use crate::LogFault;
use crate::files::{Dir, How, read_at, write_whole};

pub(super) const NAME: &str = "ledger";
/// The most that is read back; what is older is forgotten.
const MAX: u64 = 1 << 20;

/// What a session remembers. A session without an id remembers nothing.
///
/// # Errors
/// When there is a memory and it cannot be read. Then the session goes on without one, which has to be told.
pub fn session_memory(state: &Path, agent: &str, session: &str) -> Result<Memory, LogFault> {
    if session.is_empty() {
        return Ok(Memory::default());
    }
    let Some(dir) = Dir::open(&session_path(state, agent, session))? else { return Ok(Memory::default()) };
    let Some(file) = dir.file(NAME, How::Read)? else { return Ok(Memory::default()) };
    let start = file.size.saturating_sub(MAX);
    let limit = usize::try_from(file.size - start).unwrap_or_default();
    let bytes = read_at(&file.fd, start, limit).map_err(|errno| dir.fault(errno, NAME))?;
    Ok(Memory::read(&String::from_utf8_lossy(&bytes)))
}

/// Adds to what a session remembers, in one write.
///
/// # Errors
/// When it could not be written.
pub fn remember(state: &Path, agent: &str, session: &str, entries: &[Entry]) -> Result<(), LogFault> {
    if session.is_empty() || entries.is_empty() {
        return Ok(());
    }
    let dir = session_dir(state, agent, session)?;
    let Some(file) = dir.file(NAME, How::Append)? else { return Ok(()) };
    let lines: String = entries.iter().map(Entry::line).collect();
    write_whole(lines.as_bytes(), |rest| write(&file.fd, rest)).map_err(|errno| dir.fault(errno, NAME))
}
