//! Sends the log, in order, as it stands. The server knows how far it has it; nothing about that is kept here.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tollgate_fleet_protocol::{
    Batch, BatchHead, Checked, ErrorCode, Head, MAX_BATCH, MAX_RECORDS, Missing, Stored,
};
use tollgate_store::{Hash, Link, Log};

use crate::client::{Client, Failure};

/// How far before the end of a log that differs from the server's the first try begins.
const BACK: u64 = 999;
/// So many times in a row the server may ask for another beginning.
const TRIES: u32 = 3;

/// What came of one batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Records that were new to the server.
    pub(crate) new: u64,
    /// Kinds of incidents that it found.
    pub(crate) incidents: Vec<String>,
}

/// Whoever sends the log.
pub(crate) struct Sender {
    log: Log,
    /// The end of the log as the server has it.
    pub(crate) head: Head,
    /// That end is known to be in the log.
    aligned: bool,
    /// Where to begin instead, after the server or the log said so.
    from: Option<u64>,
    /// The end of a log that is shorter than what was sent, and has been told.
    told: Option<u64>,
    /// The most records of the next batch.
    most: usize,
    tries: u32,
}

/// Where a batch begins.
struct Start {
    from: u64,
    /// Everything before it is known to the server, so that a gap here is one for both.
    sure: bool,
}

/// Records that are sent together.
struct Piece {
    lines: Vec<String>,
    after: Head,
    last: Head,
}

impl Sender {
    pub(crate) fn new(log: Log) -> Self {
        let head = Head::default();
        Self { log, head, aligned: false, from: None, told: None, most: MAX_RECORDS, tries: 0 }
    }

    /// The server says where it is. What was known of the log is looked at again.
    pub(crate) fn begin_at(&mut self, head: Head) {
        (self.head, self.aligned, self.from) = (head, false, None);
    }

    /// Sends one batch; `None` when there is nothing to send.
    pub(crate) fn send(&mut self, client: &Client) -> Result<Option<Sent>, Failure> {
        let Some(end) = self.log.head().map(|head| head.seq) else { return Ok(None) };
        let Some(Start { from, sure }) = self.start(end) else { return Ok(None) };
        let Some(piece) = self.read(from) else { return Ok(None) };
        // Read again: records may have come since.
        let head = self.log.head().map(|head| Head { seq: head.seq, hash: head.hash() });
        let missing = (sure && piece.after.seq >= from).then(|| self.missing(from, piece.after.seq));
        let lines = piece.lines.iter().map(String::as_str).collect();
        let batch = Batch { head: BatchHead { after: piece.after.clone(), head, missing }, lines };
        match client.post_gzip::<Stored>("/v1/records", &pack(&batch.to_body())) {
            Ok(stored) => Ok(Some(self.accept(stored, &piece, end))),
            Err(failure) => self.reconsider(failure).map(Some),
        }
    }

    /// Where to begin; `None` when the server has all that is here.
    fn start(&mut self, end: u64) -> Option<Start> {
        let sure = |from| Some(Start { from, sure: true });
        if let Some(from) = self.from {
            return sure(from);
        }
        if self.head.seq == 0 {
            return sure(1);
        }
        self.aligned = self.head.seq <= end && (self.aligned || self.has(&self.head) != Some(false));
        if self.aligned {
            return if self.head.seq < end { sure(self.head.seq + 1) } else { None };
        }
        // The log is another one than what was sent, or was cut.
        let from = self.head.seq.min(end).saturating_sub(BACK).max(1);
        (self.told != Some(end)).then_some(Start { from, sure: false })
    }

    fn accept(&mut self, stored: Stored, piece: &Piece, end: u64) -> Sent {
        self.tries = 0;
        self.most = MAX_RECORDS;
        self.from = None;
        self.aligned = stored.head == piece.last;
        if !self.aligned {
            // The server had all of it, and more than that: go on behind it, or the log just ends here.
            let more = piece.last.seq < end;
            self.from = more.then_some(piece.last.seq + 1);
            self.told = (!more).then_some(end);
        }
        self.head = stored.head;
        Sent { new: stored.new, incidents: stored.incidents }
    }

    /// What a refusal asks for, if that can be done.
    fn reconsider(&mut self, failure: Failure) -> Result<Sent, Failure> {
        self.tries += 1;
        match failure.code() {
            Some(ErrorCode::OutOfOrder) if self.tries <= TRIES => {
                self.from = Some(self.common(failure.known()));
                Ok(Sent::default())
            }
            Some(ErrorCode::TooLarge) if self.most > 1 => {
                self.most /= 2;
                Ok(Sent::default())
            }
            _ => {
                self.tries = 0;
                self.from = None;
                Err(failure)
            }
        }
    }

    /// The record after the last of these places that the log has as well; the first one when it has none of them.
    fn common(&self, known: &[Head]) -> u64 {
        let is_known =
            |link: &Link| known.iter().any(|head| head.seq == link.seq && head.hash == link.hash.to_string());
        let first = known.iter().map(|head| head.seq).min().unwrap_or_default();
        let links = self.log.records_from(first).filter_map(|entry| Link::of(entry.line.as_bytes()));
        links.filter(is_known).last().map_or(1, |link| link.seq + 1)
    }

    /// Has the log this record? `None` when it has none with that number any more.
    fn has(&self, head: &Head) -> Option<bool> {
        let entry = self.log.records_from(head.seq).next().filter(|entry| entry.seq == head.seq)?;
        let link = Link::of(entry.line.as_bytes());
        Some(link.is_some_and(|link| link.hash.to_string() == head.hash))
    }

    fn read(&self, from: u64) -> Option<Piece> {
        let mut lines = Vec::new();
        let mut size = 0;
        let (mut after, mut last) = (None, Head::default());
        for entry in self.log.records_from(from) {
            // A line that is no record has no place in the chain; the gap that it leaves shows.
            let Some(link) = Link::of(entry.line.as_bytes()) else { continue };
            size += entry.line.len() + 1;
            if lines.len() >= self.most || (size > MAX_BATCH && !lines.is_empty()) {
                break;
            }
            let before = Head { seq: link.seq.saturating_sub(1), hash: link.prev.to_string() };
            after.get_or_insert(before);
            last = Head { seq: link.seq, hash: link.hash.to_string() };
            lines.push(entry.line);
        }
        Some(Piece { lines, after: after?, last })
    }

    fn missing(&self, from: u64, to: u64) -> Missing {
        let why = if self.is_pruned(to) { "pruned" } else { "not in the log" };
        Missing { from, to, why: why.to_owned() }
    }

    /// Does the log say itself that everything up to a record was pruned?
    fn is_pruned(&self, to: u64) -> bool {
        let told = |line: &str| {
            let record: serde_json::Value = serde_json::from_str(line).ok()?;
            record.get("pruned")?.get("to")?.as_u64()
        };
        let records = self.log.records().filter(|entry| entry.line.contains(r#""pruned":{"#));
        records.filter_map(|entry| told(&entry.line)).any(|pruned| pruned >= to)
    }

    /// The hashes of records that the server asked for.
    pub(crate) fn check(&self, asked: &[u64]) -> Vec<Checked> {
        const MOST: usize = 32;
        let hash = |seq: u64| {
            let entry = self.log.records_from(seq).next().filter(|entry| entry.seq == seq);
            entry.map_or_else(String::new, |entry| hash_of(&entry.line))
        };
        asked.iter().take(MOST).map(|seq| Checked { seq: *seq, hash: hash(*seq) }).collect()
    }
}

/// The hash of a line, computed from it: what stands at its end may be another one.
fn hash_of(line: &str) -> String {
    let Some(link) = Link::of(line.as_bytes()) else { return String::new() };
    if link.sound {
        return link.hash.to_string();
    }
    let body = line.rsplit_once(r#","hash":""#).map_or("", |(body, _)| body);
    let mut hasher = blake3::Hasher::new();
    hasher.update(link.prev.to_string().as_bytes()).update(body.as_bytes());
    hasher.finalize().to_hex().chars().take(Hash::GENESIS.to_string().len()).collect()
}

fn pack(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
