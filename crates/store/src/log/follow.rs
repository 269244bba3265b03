//! Reading the log as it grows: only what is new is read, however large the current part is.

use super::Log;
use super::line::Link;
use super::parts::CURRENT;
use crate::files::{Dir, How, read_at};
use crate::log::parts::Entry;

/// Read at once.
const CHUNK: usize = 4 << 20;
/// A part ends in a whole line no further back than this.
const TAIL: u64 = 1 << 20;

/// Up to where a log was read, for a process that goes on there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The part that was the current one.
    pub inode: u64,
    /// The end of what was read of it, in bytes.
    pub offset: u64,
}

/// Follows a log from some record on.
#[derive(Debug)]
pub struct Follower {
    log: Log,
    last: u64,
    place: Option<Place>,
}

impl Log {
    /// Follows the log after a record.
    #[must_use]
    pub fn follow(&self, after: u64) -> Follower {
        Follower { log: self.clone(), last: after, place: None }
    }
}

impl Follower {
    /// The last record that was handed out.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Up to where the log was read.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// The same, which goes on where another one was. A place that does not fit the log costs a longer look at it.
    #[must_use]
    pub fn resume_at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The records that came since, oldest first; empty when there are none. Call again until it is empty.
    pub fn poll(&mut self) -> Vec<Entry> {
        let Ok(Some(dir)) = Dir::open(&self.log.state) else { return Vec::new() };
        let Ok(Some(file)) = dir.file(CURRENT, How::Read) else { return Vec::new() };
        match self.place {
            Some(place) if place.inode == file.inode && place.offset <= file.size => {
                self.more(&file, place.offset).unwrap_or_default()
            }
            _ => self.attach(&file),
        }
    }

    fn more(&mut self, file: &crate::files::File, read: u64) -> Option<Vec<Entry>> {
        if file.size == read {
            return None;
        }
        let bytes = read_at(&file.fd, read, CHUNK).ok()?;
        let whole = match memchr::memrchr(b'\n', &bytes) {
            Some(end) => end + 1,
            // A line that no record has: skipped, so that following goes on.
            None if bytes.len() >= CHUNK => bytes.len(),
            None => return None,
        };
        self.place = Some(Place { inode: file.inode, offset: read + whole as u64 });
        let lines = bytes.get(..whole)?.split(|byte| *byte == b'\n');
        let mut entries: Vec<Entry> = Vec::new();
        for line in lines {
            let Some(seq) = Link::seq_of(line).filter(|seq| *seq > self.last) else { continue };
            let Ok(line) = String::from_utf8(line.to_vec()) else { continue };
            self.last = seq;
            entries.push(Entry { seq, line });
        }
        Some(entries)
    }

    /// Another part is the current one: what the earlier ones still have comes first.
    fn attach(&mut self, file: &crate::files::File) -> Vec<Entry> {
        let from = file.size.saturating_sub(TAIL);
        let tail = read_at(&file.fd, from, TAIL as usize).unwrap_or_default();
        let end = memchr::memrchr(b'\n', &tail).map_or(from, |end| from + end as u64 + 1);
        let begun_anew = self.log.head().is_some_and(|head| head.seq < self.last);
        if begun_anew && self.log.records_from(self.last).next().is_none() {
            self.last = 0;
        }
        self.place = Some(Place { inode: file.inode, offset: end });
        let entries: Vec<Entry> = self.log.records_from(self.last + 1).collect();
        self.last = entries.last().map_or(self.last, |entry| entry.seq.max(self.last));
        entries
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use tollgate_model::Record;

    use crate::{Limits, Log};

    #[test]
    fn nothing_is_missed_or_told_twice_while_parts_change() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let log = Log::at(&state).limits(Limits { part: 4000, ..Limits::default() });
        let mut seen = Vec::new();
        let mut follower = log.follow(0);
        for round in 0..100 {
            for _ in 0..round % 7 {
                let fields = vec![("agent".to_owned(), "x".repeat(round * 3).into())];
                log.append(&Record { call: String::new(), fields }, SystemTime::now()).unwrap();
            }
            seen.extend(follower.poll().into_iter().map(|entry| entry.seq));
        }
        seen.extend(follower.poll().into_iter().map(|entry| entry.seq));
        let all: Vec<u64> = log.records().map(|entry| entry.seq).collect();
        assert!(log.parts().len() > 2 && all.len() > 250);
        assert_eq!(seen, all);
    }
}
