//! Reading the log: its parts, oldest first, line by line.

use std::io::{BufRead, BufReader};

use tollgate_model::json::{self, Value};

use super::Log;
use super::line::Link;
use crate::LogFault;
use crate::files::{Dir, File, How};

/// The part that is written to.
pub(crate) const CURRENT: &str = "events.jsonl";
/// No line of ours is longer; the rest of one that is, is skipped.
const MAX_LINE: usize = 1 << 20;

/// The name of a part that was set aside, by its first record. Sorting by name is sorting by age.
pub(crate) fn name(first: u64) -> String {
    format!("events-{first:012}.jsonl")
}

/// What a part that was compressed ends in.
pub(crate) const COMPRESSED: &str = ".gz";

/// The names of the parts that were set aside, oldest first. While one is being compressed it is there twice, and
/// the plain one counts.
pub(crate) fn list(dir: &Dir) -> Result<Vec<String>, LogFault> {
    let mut parts: Vec<(u64, String)> =
        dir.names()?.into_iter().filter_map(|name| Some((first_of(&name)?, name))).collect();
    parts.sort_unstable();
    parts.dedup_by_key(|(first, _)| *first);
    Ok(parts.into_iter().map(|(_, name)| name).collect())
}

/// The number of the first record of a part that was set aside, by its name.
pub(crate) fn first_of(part: &str) -> Option<u64> {
    let plain = part.strip_suffix(COMPRESSED).unwrap_or(part);
    let digits = plain.strip_prefix("events-")?.strip_suffix(".jsonl")?;
    (digits.len() >= 12 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// One kept record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// Its line, as it stands in the log.
    pub line: String,
}

impl Entry {
    /// The record as JSON; `None` when somebody broke it.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        json::parse(self.line.as_bytes()).ok()
    }
}

impl Log {
    /// Every record, oldest first. Torn lines are left out, and so are parts that cannot be read: `verify`
    /// tells of both.
    #[must_use]
    pub fn records(&self) -> Records {
        self.records_from(0)
    }

    /// The records from that number on, oldest first. Parts that end before it are not opened.
    #[must_use]
    pub fn records_from(&self, seq: u64) -> Records {
        let mut parts = Dir::open(&self.state).ok().flatten().and_then(|dir| Parts::open(dir).ok());
        if let Some(parts) = &mut parts {
            parts.skip_to(seq);
        }
        Records { parts, lines: None, from: seq }
    }

    /// The names of all parts, oldest first, the current one last.
    #[must_use]
    pub fn parts(&self) -> Vec<String> {
        let Ok(Some(dir)) = Dir::open(&self.state) else { return Vec::new() };
        let mut names = list(&dir).unwrap_or_default();
        names.extend(dir.exists(CURRENT).then(|| CURRENT.to_owned()));
        names
    }

    /// The records of one part, oldest first.
    #[must_use]
    pub fn records_of(&self, part: &str) -> Records {
        let known = part == CURRENT || first_of(part).is_some();
        let dir = Dir::open(&self.state).ok().flatten().filter(|_| known);
        let file = dir.and_then(|dir| dir.file(part, How::Read).ok()?);
        Records { parts: None, lines: file.map(|file| Lines::of(file, part)), from: 0 }
    }
}

/// The records of a log, oldest first.
pub struct Records {
    parts: Option<Parts>,
    lines: Option<Lines>,
    from: u64,
}

impl Iterator for Records {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            if self.lines.is_none() {
                let (name, opened) = self.parts.as_mut()?.next()?;
                self.lines = opened.ok().map(|file| Lines::of(file, &name));
            }
            match self.lines.as_mut().and_then(Lines::next) {
                Some(line) => {
                    if let Some(entry) = entry(line, self.from) {
                        return Some(entry);
                    }
                }
                None => self.lines = None,
            }
        }
    }
}

fn entry(line: LineRead, from: u64) -> Option<Entry> {
    let seq = Link::seq_of(&line.bytes).filter(|seq| *seq >= from)?;
    Some(Entry { seq, line: String::from_utf8(line.bytes).ok()? })
}

/// The parts of a log, oldest first, each with its name.
pub(crate) struct Parts {
    dir: Dir,
    names: std::vec::IntoIter<String>,
    /// The part that was the current one when we began; taken once it is read.
    current: Option<Result<Option<File>, LogFault>>,
}

impl Parts {
    /// Opens the current part first: should it be set aside meanwhile, it is met there, and known again.
    pub(crate) fn open(dir: Dir) -> Result<Self, LogFault> {
        let current = dir.file(CURRENT, How::Read);
        let names = list(&dir)?.into_iter();
        Ok(Self { dir, names, current: Some(current) })
    }

    /// Leaves out the parts that end before a record, as the name of the next one tells.
    fn skip_to(&mut self, seq: u64) {
        let names: Vec<String> = self.names.by_ref().collect();
        let starts: Vec<u64> = names.iter().filter_map(|name| first_of(name)).collect();
        let skipped = starts.iter().rposition(|first| *first <= seq).unwrap_or(0);
        self.names = names.into_iter().skip(skipped).collect::<Vec<_>>().into_iter();
    }

    /// A part by its name, or by the one that it has got since by being compressed.
    fn named(&self, name: String) -> (String, Result<Option<File>, LogFault>) {
        let opened = self.dir.file(&name, How::Read);
        if !matches!(opened, Ok(None)) || name.ends_with(COMPRESSED) {
            return (name, opened);
        }
        let name = format!("{name}{COMPRESSED}");
        let opened = self.dir.file(&name, How::Read);
        (name, opened)
    }

    fn is_current(&self, file: &File) -> bool {
        matches!(&self.current, Some(Ok(Some(current))) if current.inode == file.inode)
    }
}

impl Iterator for Parts {
    type Item = (String, Result<File, LogFault>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(name) = self.names.next() {
            let (name, opened) = self.named(name);
            if let Ok(Some(file)) = &opened
                && self.is_current(file)
            {
                self.current = None;
            }
            if let Some(part) = opened.transpose() {
                return Some((name, part));
            }
        }
        let current = self.current.take()?.transpose()?;
        Some((CURRENT.to_owned(), current))
    }
}

/// The lines of a part.
pub(crate) struct Lines {
    reader: Box<dyn BufRead + Send>,
}

/// One line.
pub(crate) struct LineRead {
    /// Without the line end, and cut when it is longer than any of ours.
    pub(crate) bytes: Vec<u8>,
    /// It has a line end.
    pub(crate) ended: bool,
}

impl Lines {
    pub(crate) fn of(file: File, name: &str) -> Self {
        let file = std::fs::File::from(file.fd);
        if name.ends_with(COMPRESSED) {
            let plain = flate2::read::MultiGzDecoder::new(BufReader::with_capacity(128 << 10, file));
            return Self { reader: Box::new(BufReader::with_capacity(128 << 10, plain)) };
        }
        Self { reader: Box::new(BufReader::with_capacity(128 << 10, file)) }
    }

    /// The next line; `None` at the end, or where the disk fails.
    pub(crate) fn next(&mut self) -> Option<LineRead> {
        let mut line = LineRead { bytes: Vec::new(), ended: false };
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok([]) => return (!line.bytes.is_empty()).then_some(line),
                Ok(chunk) => chunk,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return None,
            };
            let end = memchr::memchr(b'\n', chunk);
            let piece = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            let room = MAX_LINE.saturating_sub(line.bytes.len());
            line.bytes.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                line.ended = true;
                return Some(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sort_by_age_and_strangers_are_left_out() {
        assert_eq!(name(17), "events-000000000017.jsonl");
        assert_eq!(first_of("events-000000000017.jsonl"), Some(17));
        assert_eq!(first_of("events-000000000017.jsonl.gz"), Some(17));
        assert_eq!(first_of("events-1000000000000.jsonl"), Some(1_000_000_000_000));
        for stranger in
            ["events.jsonl", "events-17.jsonl", "events-00000000001x.jsonl", "events-000000000017"]
        {
            assert_eq!(first_of(stranger), None, "{stranger}");
        }
    }
}
