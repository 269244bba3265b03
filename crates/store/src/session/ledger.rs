//! What a session remembers of its calls: append-only files of one line per entry. What was done stands in one, what
//! is about to be there in another, of which only the end counts: nearly all of it is there by the next call.

use std::path::Path;

use rustix::io::write;
use tollgate_model::{Entry, Mark, Memory};

use super::past;
use crate::files::{Dir, How, read_at, write_whole};
use crate::session_folder::{digest, session_dir, session_path};
use crate::{LogFault, Redactor};

pub(super) const NAME: &str = "ledger";
/// How often a file is looked for that others rename.
const TRIES: usize = 8;
pub(super) const AHEAD: &str = "ahead";
/// The most that is read back of what is about to be there. Every call reads it.
const MAX_AHEAD: u64 = 64 << 10;
/// The longest text that is kept, with its path.
const MAX_TEXT: usize = 64 << 10;
/// How many of them stay when there are too many: the newest. Older ones are on the disk, where the analysis finds them.
const MOST_TEXTS: usize = 1024;
const TEXT: &str = "text-";

/// What a session remembers. A session without an id remembers nothing.
///
/// # Errors
/// When there is a memory and it cannot be read. Then the session goes on without one, which has to be told.
pub fn session_memory(state: &Path, agent: &str, session: &str) -> Result<Memory, LogFault> {
    if session.is_empty() {
        return Ok(Memory::default());
    }
    let Some(dir) = Dir::open(&session_path(state, agent, session))? else { return Ok(Memory::default()) };
    let mut lines = past::read(&dir)?;
    lines.push_str(&read_whole(&dir, NAME)?);
    lines.push_str(&tail(&dir, AHEAD, MAX_AHEAD)?);
    Ok(Memory::read(&lines))
}

/// All lines of a file.
pub(super) fn read_whole(dir: &Dir, name: &str) -> Result<String, LogFault> {
    tail(dir, name, u64::MAX)
}

/// The last lines of a file.
fn tail(dir: &Dir, name: &str, most: u64) -> Result<String, LogFault> {
    let Some(file) = dir.file(name, How::Read)? else { return Ok(String::new()) };
    let start = file.size.saturating_sub(most);
    let limit = usize::try_from(file.size - start).unwrap_or_default();
    let bytes = read_at(&file.fd, start, limit).map_err(|errno| dir.fault(errno, name))?;
    let mut text = String::from_utf8(bytes)
        .unwrap_or_else(|fault| String::from_utf8_lossy(fault.as_bytes()).into_owned());
    if start > 0 {
        let torn = text.find('\n').map_or(text.len(), |end| end + 1);
        text.drain(..torn);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
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
    let mut text = file.whole(MAX_TEXT).map_err(|errno| dir.fault(errno, &name))?;
    let head = path.len() + 1;
    // Another path may have taken the place.
    if !text.starts_with(path.as_bytes()) || text.get(path.len()) != Some(&0) {
        return Ok(None);
    }
    Ok(Some(Kept { text: text.split_off(head), time: (file.changed, file.nanos) }))
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
    keep_texts(&dir, state, entries)?;
    let new = || entries.iter().filter(|entry| !known.holds(entry));
    let size = append(&dir, NAME, new().filter(|entry| !is_ahead(entry)))?;
    if size > past::FULL {
        past::fold(&dir)?;
    }
    append(&dir, AHEAD, new().filter(|entry| is_ahead(entry))).map(drop)
}

fn is_ahead(entry: &Entry) -> bool {
    matches!(entry, Entry::File { mark, .. } if mark.is_state()) || matches!(entry, Entry::Gone { .. })
}

/// Returns how large the file is then. One that was renamed meanwhile may have been read before: then once more.
fn append<'e>(dir: &Dir, name: &str, entries: impl Iterator<Item = &'e Entry>) -> Result<u64, LogFault> {
    let lines: String = entries.map(Entry::line).collect();
    if lines.is_empty() {
        return Ok(0);
    }
    let fault = |errno| dir.fault(errno, name);
    for _ in 0..TRIES {
        let Some(file) = dir.file(name, How::Append)? else { return Ok(0) };
        write_whole(lines.as_bytes(), |rest| write(&file.fd, rest)).map_err(fault)?;
        if dir.file(name, How::Read)?.is_some_and(|now| now.inode == file.inode) {
            return Ok(file.size + lines.len() as u64);
        }
    }
    Err(LogFault::Unsafe { path: dir.path().join(name), why: "is replaced again and again" })
}

/// Texts are there before the memory names them. Secrets in them are taken out, as everywhere; the rest stays, since
/// one line that looks like a key must not hide what a script does.
fn keep_texts(dir: &Dir, state: &Path, entries: &[Entry]) -> Result<(), LogFault> {
    let redactor = Redactor::at(state);
    for entry in entries {
        let (path, text) = match entry {
            Entry::File { path, mark: Mark::Text(text) } => (path, redactor.text(text)),
            Entry::File { path, mark: Mark::Link(target) } => (path, target.into()),
            _ => continue,
        };
        let name = text_name(path);
        keep_text(dir, &name, format!("{path}\0{text}").as_bytes())?;
        // One in sixteen looks whether there are too many.
        if name.ends_with('0') {
            drop_oldest_texts(dir)?;
        }
    }
    Ok(())
}

fn drop_oldest_texts(dir: &Dir) -> Result<(), LogFault> {
    let names: Vec<String> = dir.names()?.into_iter().filter(|name| name.starts_with(TEXT)).collect();
    let Some(over) = names.len().checked_sub(MOST_TEXTS) else { return Ok(()) };
    let dated = names.into_iter().filter_map(|name| {
        let file = dir.file(&name, How::Read).ok()??;
        Some(((file.changed, file.nanos), name))
    });
    let mut dated: Vec<((i64, i64), String)> = dated.collect();
    dated.sort();
    for (_, name) in dated.iter().take(over) {
        dir.remove(name);
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

/// The file of a text. No two paths share one: what one call leaves must not push out what another left.
fn text_name(path: &str) -> String {
    let hash: String = digest(&[path]).to_hex().chars().take(32).collect();
    format!("{TEXT}{hash}")
}
