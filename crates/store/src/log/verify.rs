//! Is the log what was written? Every line's hash, every link, and the end against the head.

use std::fmt;

use tollgate_model::json;

use super::head::{self, Head};
use super::keep::PRUNED;
use super::line::{Hash, Link, tells_lost_head};
use super::parts::{LineRead, Lines, Parts};
use super::{Log, parts::CURRENT};
use crate::LogFault;
use crate::files::{Dir, File};

/// How many troubles are told one by one.
const TOLD: usize = 1000;

/// What a check of the whole log found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// The records that are whole.
    pub records: u64,
    /// What is not as it was written, in the order of the log; at most a thousand are told.
    pub troubles: Vec<Trouble>,
    /// How many there are in all.
    pub count: u64,
    /// How many of them are alarms.
    pub alarms: u64,
}

impl Verification {
    /// Nothing was removed, edited, reordered or cut, as far as the chain can show.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.alarms == 0
    }
}

/// Something about the log that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The part's file name.
    pub part: String,
    /// The line in it, counted from one; zero for the part as a whole.
    pub line: u64,
    /// What it is.
    pub breach: Breach,
}

/// What is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// A record that was never finished, as a crash leaves it. No alarm.
    Torn,
    /// The line is not the one that was written.
    Edited,
    /// Records are missing before this line.
    Removed {
        /// The first that is missing.
        from: u64,
        /// The last that is missing.
        to: u64,
    },
    /// A record stands behind one that was written later, or stands twice.
    Reordered {
        /// Its number.
        seq: u64,
    },
    /// The log ends before the record that the head names.
    Truncated {
        /// The log's last record.
        last: u64,
        /// The head's.
        head: u64,
    },
    /// The log goes on after the record that the head names, as after a crash. No alarm.
    AheadOfHead {
        /// The log's last record.
        last: u64,
        /// The head's.
        head: u64,
    },
    /// There are records but no readable head; the next append writes one. No alarm.
    NoHead,
    /// The head was missing or damaged when this record was written: what stood before it may have been cut.
    HeadLost,
    /// The part cannot be read.
    Unreadable(LogFault),
}

impl Breach {
    /// A crash cannot have done this.
    #[must_use]
    pub fn is_alarm(&self) -> bool {
        !matches!(self, Self::Torn | Self::AheadOfHead { .. } | Self::NoHead)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, line, breach } = self;
        match line {
            0 => write!(out, "{part}: {breach}"),
            line => write!(out, "{part}:{line}: {breach}"),
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn => out.write_str("an unfinished record, as a crash leaves it"),
            Self::Edited => out.write_str("the line was edited"),
            Self::Removed { from, to } if from == to => write!(out, "record {from} was removed"),
            Self::Removed { from, to } => write!(out, "records {from} to {to} were removed"),
            Self::Reordered { seq } => write!(out, "record {seq} is out of order"),
            Self::Truncated { last, head } => {
                write!(out, "the log ends at record {last}, but record {head} had been written")
            }
            Self::AheadOfHead { last, head } => {
                write!(
                    out,
                    "the log goes on to record {last} after the head's record {head}, as after a crash"
                )
            }
            Self::NoHead => out.write_str("the head is missing or damaged; the next record restores it"),
            Self::HeadLost => out.write_str(
                "the head was missing before this record: it was removed, or lost in a power cut, and records before may be too",
            ),
            Self::Unreadable(fault) => fault.fmt(out),
        }
    }
}

impl Log {
    /// Checks the whole chain over all parts. Takes no lock: the head is read first, so a log that grows
    /// meanwhile is merely ahead of it.
    #[must_use]
    pub fn verify(&self) -> Verification {
        let mut check = Check::default();
        match Dir::open(&self.state) {
            Ok(Some(dir)) => check.log(dir),
            Ok(None) => {}
            Err(fault) => check.tell(Breach::Unreadable(fault)),
        }
        check.result
    }
}

/// The walk over the log. A place is a part, by its index, and a line.
struct Check {
    result: Verification,
    head: Option<Head>,
    parts: Vec<String>,
    line: u64,
    seq: u64,
    hash: Hash,
    /// Where the last record stands.
    last: (usize, u64),
    /// The last record's hash was not that of its line, and was told.
    edited: bool,
    /// Lines without the form of a record, since the last that has it.
    odd: Vec<(usize, u64)>,
    /// The first record, when it is not the very first: something before it was pruned, or removed.
    begin: Option<Link>,
    /// A record says that what was before the first was pruned.
    pruned: bool,
}

impl Default for Check {
    fn default() -> Self {
        Self {
            result: Verification::default(),
            head: None,
            parts: Vec::new(),
            line: 0,
            seq: 0,
            hash: Hash::GENESIS,
            last: (0, 0),
            edited: false,
            odd: Vec::new(),
            begin: None,
            pruned: false,
        }
    }
}

impl Check {
    fn log(&mut self, dir: Dir) {
        self.head = head::read(&dir);
        match Parts::open(dir) {
            Ok(parts) => parts.for_each(|(name, part)| self.part(name, part)),
            Err(fault) => self.tell(Breach::Unreadable(fault)),
        }
        self.end();
    }

    fn part(&mut self, name: String, part: Result<File, LogFault>) {
        let lines = part.map(|file| Lines::of(file, &name));
        self.parts.push(name);
        self.line = 0;
        match lines {
            Ok(mut lines) => {
                while let Some(line) = lines.next() {
                    self.line += 1;
                    self.line(&line);
                }
            }
            Err(fault) => self.tell(Breach::Unreadable(fault)),
        }
    }

    fn line(&mut self, line: &LineRead) {
        let Some(link) = Link::of(&line.bytes) else {
            if self.odd.len() < TOLD {
                self.odd.push(self.place());
            }
            return;
        };
        if self.seq == 0 && link.seq > 1 && self.begin.is_none() {
            // Told at the end, should no record say that it was pruned.
            self.begin = Some(link);
            (self.seq, self.hash) = (link.seq - 1, link.prev);
        }
        self.pruned |= link.sound && self.begin.is_some_and(|begin| names_pruned(&line.bytes, &begin));
        let follows = link.prev == self.hash && link.seq == self.seq.saturating_add(1);
        self.odd_lines(follows);
        if !follows {
            self.broken_link(&link);
        }
        let other = self.head.is_some_and(|head| head.seq == link.seq && head.hash != link.hash);
        if other || !link.sound {
            self.tell(Breach::Edited);
        }
        if link.sound && tells_lost_head(&line.bytes) {
            self.tell(Breach::HeadLost);
        }
        self.result.records += u64::from(link.sound);
        self.edited = other || !link.sound;
        self.last = self.place();
        // A record that was moved back or doubled must not hide the order of those behind it.
        if link.seq > self.seq {
            (self.seq, self.hash) = (link.seq, link.hash);
        }
    }

    /// Lines that are no records are torn if the chain goes on over them, and edited records if it does not.
    fn odd_lines(&mut self, torn: bool) {
        for place in std::mem::take(&mut self.odd) {
            self.tell_at(place, if torn { Breach::Torn } else { Breach::Edited });
        }
    }

    fn broken_link(&mut self, link: &Link) {
        let expected = self.seq.saturating_add(1);
        if link.seq > expected {
            self.tell(Breach::Removed { from: expected, to: link.seq - 1 });
        } else if link.seq < expected {
            self.tell(Breach::Reordered { seq: link.seq });
        } else if !self.edited && link.sound {
            // The line before was rewritten together with its own hash, which this one does not know.
            self.tell_at(self.last, Breach::Edited);
        }
    }

    fn end(&mut self) {
        let last = self.seq;
        if let Some(begin) = self.begin.filter(|_| !self.pruned) {
            self.tell_at((0, 1), Breach::Removed { from: 1, to: begin.seq - 1 });
        }
        self.odd_lines(self.head.is_none_or(|head| head.seq <= last));
        match self.head {
            None if last > 0 => self.tell(Breach::NoHead),
            Some(head) if head.seq > last => self.tell(Breach::Truncated { last, head: head.seq }),
            Some(head) if head.seq < last => self.tell(Breach::AheadOfHead { last, head: head.seq }),
            _ => {}
        }
    }

    fn tell(&mut self, breach: Breach) {
        self.tell_at(self.place(), breach);
    }

    fn tell_at(&mut self, (part, line): (usize, u64), breach: Breach) {
        self.result.count += 1;
        self.result.alarms += u64::from(breach.is_alarm());
        if self.result.troubles.len() < TOLD {
            let part = self.parts.get(part).map_or(CURRENT, String::as_str).to_owned();
            self.result.troubles.push(Trouble { part, line, breach });
        }
    }

    fn place(&self) -> (usize, u64) {
        (self.parts.len().saturating_sub(1), self.line)
    }
}

/// Does a record say that everything before `begin` was pruned? A pruning that was cut short left more than it says.
fn names_pruned(line: &[u8], begin: &Link) -> bool {
    let mark = format!("\"{PRUNED}\":{{");
    if !line.windows(mark.len()).any(|window| window == mark.as_bytes()) {
        return false;
    }
    let Ok(record) = json::parse(line) else { return false };
    let Some(pruned) = record.get(PRUNED) else { return false };
    let to = match pruned.get("to") {
        Some(json::Value::Number(text)) => text.parse::<u64>().unwrap_or(0),
        _ => 0,
    };
    let follows = to + 1 == begin.seq && pruned.text("hash") == Some(begin.prev.to_string().as_str());
    follows || to >= begin.seq
}
