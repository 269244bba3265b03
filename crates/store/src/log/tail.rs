//! The end of the log: where the next record goes and what it follows.

use super::head::Head;
use super::line::{Hash, Line, Link};
use super::lock::Lock;
use super::parts::{self, CURRENT};
use crate::LogFault;
use crate::files::{Dir, File, How, read_at, write_whole};

/// No honest log gets here; a forged number must not be able to overflow ours.
const MAX_SEQ: u64 = 1 << 53;

/// The end of the log, under its lock.
pub(crate) struct Tail {
    file: File,
    /// The number of the part's first record, present or to come.
    first: u64,
    seq: u64,
    hash: Hash,
    /// The last line has no end: the next record brings one.
    open_line: bool,
    /// There are records, and nothing says how many there were.
    lost_head: bool,
}

impl Tail {
    /// Opens the log and finds its end: by the head when it fits, else by the last records themselves.
    pub(crate) fn find(dir: &Dir, lock: &Lock) -> Result<Self, LogFault> {
        let file = open(dir)?;
        match lock.read_head() {
            Some(Head { seq, hash, size, first }) if size == file.size && seq < MAX_SEQ => {
                Ok(Self { file, first, seq, hash, open_line: false, lost_head: false })
            }
            head => {
                let tail = Self::recover(dir, file, head)?;
                // Before anything follows: a head must never fit a part that it was not written for.
                let _ = lock.write_head(&tail.head());
                Ok(tail)
            }
        }
    }

    /// After a crash the log is longer than its head, and its last record counts. A log that is shorter than
    /// its head was cut: the head counts, so that the gap stays visible for ever. A current part without a record
    /// was begun by one who got no further: then the last record is that of the part before.
    fn recover(dir: &Dir, file: File, head: Option<Head>) -> Result<Self, LogFault> {
        let end = End::of(&file).map_err(|errno| dir.fault(errno, CURRENT))?;
        let known = head.filter(|head| head.seq < MAX_SEQ).map(|head| (head.seq, head.hash));
        let found = end.last.map(|link| (link.seq, link.hash)).or_else(|| newest_part(dir));
        let lost_head = head.is_none() && found.is_some();
        let (seq, hash) = match (known, found) {
            (Some(known), Some(found)) if found.0 > known.0 => found,
            (Some(known), _) => known,
            (None, found) => found.unwrap_or((0, Hash::GENESIS)),
        };
        let first = end.first.unwrap_or(seq + 1);
        Ok(Self { file, first, seq, hash, open_line: end.open_line, lost_head })
    }

    /// Was the head lost? The next record says so, once.
    pub(crate) fn take_lost_head(&mut self) -> bool {
        std::mem::take(&mut self.lost_head)
    }

    /// Waits until what was written is on the disk, with the name of a part that was just begun.
    pub(crate) fn sync(&self, dir: &Dir, line: &Line) -> Result<(), LogFault> {
        let synced = rustix::fs::fdatasync(&self.file.fd);
        let named = if self.file.size == line.len() { dir.sync() } else { Ok(()) };
        synced.and(named).map_err(|errno| dir.fault(errno, CURRENT))
    }

    pub(crate) fn next_seq(&self) -> u64 {
        self.seq + 1
    }

    pub(crate) fn hash(&self) -> Hash {
        self.hash
    }

    /// The head that says what this says.
    pub(crate) fn head(&self) -> Head {
        Head { seq: self.seq, hash: self.hash, size: self.file.size, first: self.first }
    }

    /// Sets the part aside if it would grow beyond `limit`. When that fails, it just grows on.
    pub(crate) fn make_room(
        &mut self,
        dir: &Dir,
        lock: &Lock,
        length: u64,
        limit: u64,
    ) -> Result<(), LogFault> {
        if self.file.size == 0 || self.file.size + length <= limit {
            return Ok(());
        }
        if dir.rename_new(CURRENT, &parts::name(self.first)).is_ok() {
            self.file = open(dir)?;
            self.first = self.next_seq();
            self.open_line = false;
            let _ = lock.write_head(&self.head());
        }
        Ok(())
    }

    /// Writes the line. When that fails half-way, what was written is taken back.
    pub(crate) fn write(&mut self, dir: &Dir, line: &Line) -> Result<(), LogFault> {
        let joined;
        let bytes = if self.open_line {
            joined = [b"\n", line.bytes()].concat();
            &joined
        } else {
            line.bytes()
        };
        if let Err(errno) = write_whole(bytes, |rest| rustix::io::write(&self.file.fd, rest)) {
            // Should even this fail, the next append ends the torn line.
            let _ = rustix::fs::ftruncate(&self.file.fd, self.file.size);
            return Err(dir.fault(errno, CURRENT));
        }
        self.file.size += bytes.len() as u64;
        (self.seq, self.hash, self.open_line) = (line.seq, line.hash, false);
        Ok(())
    }
}

fn open(dir: &Dir) -> Result<File, LogFault> {
    dir.file(CURRENT, How::Append)?.ok_or_else(|| dir.fault(rustix::io::Errno::NOENT, CURRENT))
}

fn newest_part(dir: &Dir) -> Option<(u64, Hash)> {
    let newest = parts::list(dir).ok()?.pop()?;
    let file = dir.file(&newest, How::Read).ok()??;
    End::of(&file).ok()?.last.map(|link| (link.seq, link.hash))
}

/// What the bytes at the two ends of a part tell.
struct End {
    first: Option<u64>,
    last: Option<Link>,
    open_line: bool,
}

impl End {
    fn of(file: &File) -> Result<Self, rustix::io::Errno> {
        let first = read_at(&file.fd, 0, 64)?;
        let first = super::line::seq_at_start(&first).filter(|&seq| seq < MAX_SEQ);
        let mut end = Self { first, last: None, open_line: false };
        for window in [64 << 10, 2 << 20] {
            let start = file.size.saturating_sub(window);
            let bytes = read_at(&file.fd, start, window.min(file.size) as usize)?;
            end.open_line = bytes.last().is_some_and(|&byte| byte != b'\n');
            // The window's first piece is half a line unless the window holds all; then it is no record.
            end.last = bytes.rsplit(|&byte| byte == b'\n').filter_map(Link::of).find(is_ours);
            if end.last.is_some() || start == 0 {
                break;
            }
        }
        Ok(end)
    }
}

fn is_ours(link: &Link) -> bool {
    link.sound && link.seq < MAX_SEQ
}
