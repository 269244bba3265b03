//! Retention: old parts are compressed or pruned. Neither breaks the chain: a compressed part holds the same bytes,
//! and what is pruned is first named in a record of its own, so that a part that merely vanished still shows.

use std::io::{Read, Write};
use std::time::SystemTime;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use tollgate_model::Record;
use tollgate_model::json::object;

use super::line::Link;
use super::parts::{self, COMPRESSED, Lines};
use super::{Appended, Log};
use crate::LogFault;
use crate::files::{Dir, How};

/// The field of the record that names what was pruned. No agent's event can have it: theirs have fixed names.
pub(crate) const PRUNED: &str = "pruned";

/// What may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Parts whose last record is older than this go.
    pub since: Option<SystemTime>,
    /// The oldest parts go until the others take no more bytes than this.
    pub bytes: Option<u64>,
}

/// A part that was set aside.
struct Part {
    name: String,
    size: u64,
    changed: i64,
}

impl Log {
    /// Compresses the parts that were set aside, but the newest: an append may need that. Returns how many bytes
    /// that saved.
    ///
    /// # Errors
    /// When a part cannot be read or written. Those before it are done.
    pub fn compress(&self) -> Result<u64, LogFault> {
        let Some(dir) = Dir::open(&self.state)? else { return Ok(0) };
        let mut names = parts::list(&dir)?;
        names.pop();
        let plain = names.iter().filter(|name| !name.ends_with(COMPRESSED));
        plain.map(|name| compress(&dir, name)).sum()
    }

    /// Removes the oldest parts. What goes is named in the log before it goes. Returns that record, or `None` when
    /// there was nothing to remove.
    ///
    /// # Errors
    /// When the log cannot be read or written; then nothing is removed.
    pub fn prune(&self, keep: Keep, now: SystemTime) -> Result<Option<Appended>, LogFault> {
        let Some(dir) = Dir::open(&self.state)? else { return Ok(None) };
        let going = going(&dir, keep)?;
        let Some(last) = going.last().and_then(|part| last_link(&dir, &part.name)) else { return Ok(None) };
        let pruned = object([("to", last.seq.into()), ("hash", last.hash.to_string().into())]);
        let fields = vec![
            ("agent".to_owned(), "tollgate".into()),
            ("event".to_owned(), "prune".into()),
            (PRUNED.to_owned(), pruned),
        ];
        let told = self.append(&Record { call: String::new(), fields }, now)?;
        for part in &going {
            dir.remove(&part.name);
        }
        Ok(Some(told))
    }
}

/// The parts that have to go, oldest first. Never the current one.
fn going(dir: &Dir, keep: Keep) -> Result<Vec<Part>, LogFault> {
    let mut all = Vec::new();
    for name in parts::list(dir)? {
        if let Some(file) = dir.file(&name, How::Read)? {
            all.push(Part { name, size: file.size, changed: file.changed });
        }
    }
    let since = keep.since.map(crate::stamp::seconds);
    let mut left: u64 = all.iter().map(|part| part.size).sum();
    let count = all
        .iter()
        .take_while(|part| {
            let old = since.is_some_and(|since| part.changed < since);
            let large = keep.bytes.is_some_and(|bytes| left > bytes);
            left = left.saturating_sub(part.size);
            old || large
        })
        .count();
    all.truncate(count);
    Ok(all)
}

fn last_link(dir: &Dir, name: &str) -> Option<Link> {
    let mut lines = Lines::of(dir.file(name, How::Read).ok()??, name);
    let mut last = None;
    while let Some(line) = lines.next() {
        last = Link::of(&line.bytes).or(last);
    }
    last
}

/// Writes the compressed part, reads it back, and only then removes the plain one. It keeps its time.
fn compress(dir: &Dir, name: &str) -> Result<u64, LogFault> {
    let fault = |error: std::io::Error| LogFault::of(errno(&error), &dir.path().join(name));
    let Some(file) = dir.file(name, How::Read)? else { return Ok(0) };
    let (size, changed) = (file.size, file.changed);
    let mut plain = Vec::new();
    std::fs::File::from(file.fd).read_to_end(&mut plain).map_err(fault)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&plain).map_err(fault)?;
    let packed = encoder.finish().map_err(fault)?;
    let mut back = Vec::new();
    MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut back).map_err(fault)?;
    if back != plain {
        return Ok(0);
    }
    let target = format!("{name}{COMPRESSED}");
    dir.put(&target, &packed, true)?;
    if let Some(file) = dir.file(&target, How::Edit)? {
        let time = rustix::fs::Timespec { tv_sec: changed, tv_nsec: 0 };
        let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
        let _ = rustix::fs::futimens(&file.fd, &times);
    }
    dir.remove(name);
    Ok(size.saturating_sub(packed.len() as u64))
}

fn errno(error: &std::io::Error) -> rustix::io::Errno {
    error.raw_os_error().map_or(rustix::io::Errno::IO, rustix::io::Errno::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::{Breach, Limits};

    fn log(state: &Path) -> Log {
        Log::at(state).limits(Limits { part: 2 << 10, ..Limits::default() })
    }

    fn filled() -> (tempfile::TempDir, Log) {
        let state = tempfile::tempdir().unwrap();
        let log = log(state.path());
        for number in 0..100_u64 {
            let fields = vec![("prompt".to_owned(), format!("step {number}").into())];
            log.append(&Record { call: String::new(), fields }, UNIX_EPOCH + Duration::from_secs(number))
                .unwrap();
        }
        (state, log)
    }

    fn numbers(log: &Log) -> Vec<u64> {
        log.records().map(|entry| entry.seq).collect()
    }

    #[test]
    fn a_compressed_log_reads_and_verifies_like_the_plain_one() {
        let (_state, log) = filled();
        let before: Vec<String> = log.records().map(|entry| entry.line).collect();
        assert!(log.compress().unwrap() > 0);
        let parts = log.parts();
        assert!(parts.len() > 3 && parts[0].ends_with(".gz") && parts[parts.len() - 2].ends_with(".jsonl"));
        assert_eq!(log.records().map(|entry| entry.line).collect::<Vec<_>>(), before);
        assert_eq!((log.verify().records, log.verify().is_sound()), (100, true));
        assert_eq!(log.records_from(57).map(|entry| entry.seq).next(), Some(57));
        assert_eq!(log.compress().unwrap(), 0);
    }

    #[test]
    fn whoever_reads_while_parts_are_compressed_misses_nothing() {
        let (_state, log) = filled();
        let mut records = log.records();
        let mut seen = vec![records.next().unwrap().seq];
        assert!(log.compress().unwrap() > 0);
        seen.extend(records.map(|entry| entry.seq));
        assert_eq!(seen, (1..=100).collect::<Vec<u64>>());
    }

    #[test]
    fn f39_what_was_pruned_is_told_and_what_vanished_shows() {
        let (state, log) = filled();
        log.compress().unwrap();
        assert_eq!(log.prune(Keep::default(), UNIX_EPOCH).unwrap(), None);
        let told = log.prune(Keep { bytes: Some(4 << 10), since: None }, UNIX_EPOCH).unwrap().unwrap();
        let left = numbers(&log);
        assert!(left[0] > 2 && left.last() == Some(&told.seq), "{left:?}");
        assert_eq!(log.verify().troubles, []);
        let again = log.prune(Keep { bytes: Some(0), since: None }, UNIX_EPOCH).unwrap();
        assert!(again.is_some() && log.verify().is_sound());
        for number in 0..60_u64 {
            let fields = vec![("prompt".to_owned(), format!("more {number}").into())];
            log.append(&Record { call: String::new(), fields }, UNIX_EPOCH).unwrap();
        }
        assert!(log.verify().is_sound(), "{:?}", log.verify());
        std::fs::remove_file(state.path().join(&log.parts()[0])).unwrap();
        let troubles = log.verify().troubles;
        assert!(
            troubles.iter().any(|trouble| matches!(trouble.breach, Breach::Removed { .. })),
            "{troubles:?}"
        );
    }

    #[test]
    fn f39_an_agents_event_cannot_pass_for_a_pruning() {
        let (state, log) = filled();
        let first = log.records().nth(40).unwrap();
        let hash = first.line.rsplit('"').nth(1).unwrap().to_owned();
        let forged = object([("to", 41_u64.into()), ("hash", hash.as_str().into())]);
        let fields = vec![("input".to_owned(), object([(PRUNED, forged)]))];
        log.append(&Record { call: String::new(), fields }, UNIX_EPOCH).unwrap();
        std::fs::remove_file(state.path().join(&log.parts()[0])).unwrap();
        assert!(!log.verify().is_sound());
    }

    #[test]
    fn by_age_only_whole_old_parts_go() {
        let (_state, log) = filled();
        let keep = Keep { since: Some(UNIX_EPOCH), bytes: None };
        assert_eq!(log.prune(keep, UNIX_EPOCH).unwrap(), None);
        let keep = Keep { since: Some(SystemTime::now() + Duration::from_secs(60)), bytes: None };
        assert!(log.prune(keep, UNIX_EPOCH).unwrap().is_some());
        // How much fits into the last part depends on the name of this machine.
        assert!(log.verify().is_sound() && log.parts().len() <= 2 && numbers(&log)[0] > 50);
    }
}
