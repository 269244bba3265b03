//! What a session remembers of its calls: an append-only file of one line per entry.

use std::path::Path;

use rustix::io::write;
use tollgate_model::{Entry, Mark, Memory};

use super::{digest, session_dir, session_path};
use crate::files::{Dir, How, read_at, write_whole};
use crate::{LogFault, Redactor};

pub(super) const NAME: &str = "ledger";
/// The most that is read back; what is older is forgotten.
const MAX: u64 = 1 << 20;
/// The longest text that is kept.
const MAX_TEXT: usize = 64 << 10;
/// How many of them.
const MOST_TEXTS: usize = 256;

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

/// What a session keeps of a file that a call writes, and when it did.
pub struct Kept {
    /// The text; of a link, where it leads.
    pub text: Vec<u8>,
    /// Seconds since 1970, and nanoseconds.
    pub time: (i64, i64),
}

/// What is kept of the file at a path; `None` when nothing is, or no longer.
///
/// # Errors
/// When there is something and it cannot be read.
pub fn session_text(state: &Path, agent: &str, session: &str, path: &str) -> Result<Option<Kept>, LogFault> {
    let Some(dir) = Dir::open(&session_path(state, agent, session))? else { return Ok(None) };
    let name = text_name(path);
    let Some(file) = dir.file(&name, How::Read)? else { return Ok(None) };
    let text = file.whole(MAX_TEXT + 1).map_err(|errno| dir.fault(errno, &name))?;
    Ok(Some(Kept { text, time: (file.changed, file.nanos) }))
}

/// Adds to what a session remembers, in one write. `known` is what it remembers already.
///
/// # Errors
/// When it could not be written.
pub fn remember(
    state: &Path,
    agent: &str,
    session: &str,
    entries: &[Entry],
    known: &Memory,
) -> Result<(), LogFault> {
    if session.is_empty() || entries.is_empty() {
        return Ok(());
    }
    let dir = session_dir(state, agent, session)?;
    keep_texts(&dir, state, entries, known)?;
    let lines: String = entries.iter().filter(|entry| !known.holds(entry)).map(Entry::line).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let Some(file) = dir.file(NAME, How::Append)? else { return Ok(()) };
    write_whole(lines.as_bytes(), |rest| write(&file.fd, rest)).map_err(|errno| dir.fault(errno, NAME))
}

/// Texts are there before the memory names them. Secrets in them are taken out, as everywhere; the rest stays, since
/// one line that looks like a key must not hide what a script does.
fn keep_texts(dir: &Dir, state: &Path, entries: &[Entry], known: &Memory) -> Result<(), LogFault> {
    let redactor = Redactor::at(state);
    let mut count = 0;
    for entry in entries {
        let (path, text) = match entry {
            Entry::File { path, mark: Mark::Text(text) } => (path, redactor.text(text)),
            Entry::File { path, mark: Mark::Link(target) } => (path, target.into()),
            _ => continue,
        };
        keep_text(dir, &text_name(path), text.as_bytes())?;
        count += 1;
        if count == MOST_TEXTS {
            break;
        }
    }
    if count > 0 {
        drop_oldest(dir, known, count);
    }
    Ok(())
}

/// Written over in place: some file systems take a third of a millisecond to replace a file by another. What a reader
/// may see half is judged with what is on the disk.
fn keep_text(dir: &Dir, name: &str, text: &[u8]) -> Result<(), LogFault> {
    let fault = |errno| dir.fault(errno, name);
    let Some(file) = dir.file(name, How::Edit)? else { return Ok(()) };
    write_whole(text, |rest| write(&file.fd, rest)).map_err(fault)?;
    if file.size > text.len() as u64 {
        rustix::fs::ftruncate(&file.fd, text.len() as u64).map_err(fault)?;
    }
    Ok(())
}

/// No more than so many texts are kept. The memory goes on to name those that are dropped, and the disk is asked for them.
fn drop_oldest(dir: &Dir, known: &Memory, new: usize) {
    let mut paths: Vec<&str> = Vec::new();
    for path in known.stated() {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let over = (paths.len() + new).saturating_sub(MOST_TEXTS);
    for path in paths.iter().take(over).rev().take(new) {
        dir.remove(&text_name(path));
    }
}

/// A path says more than a name in a state directory should, and may be longer.
fn text_name(path: &str) -> String {
    let name: String = digest(&[path]).to_hex().chars().take(32).collect();
    format!("text-{name}")
}
