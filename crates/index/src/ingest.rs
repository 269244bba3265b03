//! Catching up with the log: lines are read in order, understood on other cores, and counted in order.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tollgate_model::json;
use tollgate_store::{Entry, Log, members, plain};

use crate::db::{Index, IndexFault, turn};
use crate::fact::Fact;
use crate::fold::Fold;

/// Lines that travel together.
const BATCH: usize = 2048;
/// Records between two writes.
const WRITE: usize = 500_000;
/// Batches on their way, per core.
const AHEAD: usize = 4;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The record that was just taken in.
    pub seq: u64,
    /// The log's last.
    pub last: u64,
}

impl Index {
    /// Takes in what the log has beyond the index. Returns how many records that were.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn catch_up(&mut self, mut progress: impl FnMut(Progress)) -> Result<u64, IndexFault> {
        let _turn = turn(&self.state);
        match self.take_in(&mut progress) {
            Err(fault) if fault.is_damage() => {
                self.clear(&fault.to_string())?;
                self.take_in(&mut progress)
            }
            outcome => outcome,
        }
    }

    fn take_in(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<u64, IndexFault> {
        let log = Log::at(&self.state);
        let last = log.head().map_or(0, |head| head.seq);
        if let Some(why) = self.misfit(&log) {
            self.clear(why)?;
        }
        let mut taking = Taking::of(self)?;
        let from = taking.index.reached().0 + 1;
        taking.index.begin()?;
        let outcome = understood(log.records_from(from), |facts, end| {
            let seq = end.0;
            taking.take(facts, end)?;
            progress(Progress { seq, last: last.max(seq) });
            Ok(())
        });
        match outcome.and_then(|()| taking.finish()) {
            Ok(count) => Ok(count),
            Err(fault) => {
                let _ = self.db.execute_batch("ROLLBACK");
                Err(fault)
            }
        }
    }

    /// Why the index is not one of this log. A pruned log still fits: its past counts.
    fn misfit(&self, log: &Log) -> Option<&'static str> {
        let (seq, hash) = self.reached();
        if seq == 0 {
            return None;
        }
        let mut records = log.records_from(seq);
        match records.next() {
            Some(entry) if entry.seq == seq && hash_of(&entry) != hash => Some("the log is another one"),
            Some(_) => None,
            None if log.head().is_some_and(|head| head.seq >= seq) => None,
            None => Some("the log is shorter than it was"),
        }
    }
}

/// An index on its way to the end of the log.
struct Taking<'i> {
    index: &'i mut Index,
    fold: Fold,
    count: u64,
    unwritten: usize,
    reached: (u64, String),
    at: i64,
}

impl<'i> Taking<'i> {
    fn of(index: &'i mut Index) -> Result<Self, IndexFault> {
        let fold = Fold { open: index.open_calls()?, ..Fold::default() };
        let reached = index.reached();
        Ok(Self { index, fold, count: 0, unwritten: 0, reached, at: 0 })
    }

    fn take(&mut self, facts: &[Fact], end: (u64, String)) -> Result<(), IndexFault> {
        for fact in facts {
            if self.index.only.takes(fact) {
                let session = self.index.session(&fact.agent, &fact.session, fact.at)?;
                self.fold.add(fact, session);
            }
            self.at = fact.at;
        }
        self.reached = end;
        self.count += facts.len() as u64;
        self.unwritten += facts.len();
        if self.unwritten >= WRITE {
            self.write()?;
            self.index.begin()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), IndexFault> {
        self.index.write(&self.fold, (self.reached.0, &self.reached.1))?;
        self.fold.written(self.at);
        self.unwritten = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<u64, IndexFault> {
        self.write()?;
        Ok(self.count)
    }
}

/// A batch of facts, with the number and the hash of its last line.
type Understood = (Vec<Fact>, (u64, String));

/// A batch with its place in the order.
type Numbered<T> = (usize, T);

/// Understands lines on all cores and hands the facts out in the order of the log.
fn understood(
    records: impl Iterator<Item = Entry> + Send,
    mut each: impl FnMut(&[Fact], (u64, String)) -> Result<(), IndexFault>,
) -> Result<(), IndexFault> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let (lines_in, lines_out) = sync_channel::<Numbered<Vec<Entry>>>(cores * AHEAD);
    let (facts_in, facts_out) = sync_channel::<Numbered<Understood>>(cores * AHEAD);
    let lines_out = std::sync::Mutex::new(lines_out);
    std::thread::scope(|scope| {
        scope.spawn(move || read(records, &lines_in));
        for _ in 0..cores {
            let (lines, facts) = (&lines_out, facts_in.clone());
            scope.spawn(move || understand(lines, &facts));
        }
        drop(facts_in);
        let mut waiting = std::collections::BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        // Received to the end even after a fault, so that no thread waits for ever.
        for (number, batch) in facts_out {
            waiting.insert(number, batch);
            while let Some((facts, end)) = waiting.remove(&next) {
                next += 1;
                if outcome.is_ok() {
                    outcome = each(&facts, end);
                }
            }
        }
        outcome
    })
}

fn read(mut records: impl Iterator<Item = Entry>, out: &SyncSender<Numbered<Vec<Entry>>>) {
    for number in 0.. {
        let batch: Vec<Entry> = records.by_ref().take(BATCH).collect();
        if batch.is_empty() || out.send((number, batch)).is_err() {
            return;
        }
    }
}

fn understand(
    lines: &std::sync::Mutex<Receiver<Numbered<Vec<Entry>>>>,
    out: &SyncSender<Numbered<Understood>>,
) {
    loop {
        let received = match lines.lock() {
            Ok(lines) => lines.recv(),
            Err(_) => return,
        };
        let Ok((number, batch)) = received else { return };
        let facts = batch.iter().filter_map(|entry| Fact::of(entry.line.as_bytes())).collect();
        let end = batch.last().map(|entry| (entry.seq, hash_of(entry))).unwrap_or_default();
        if out.send((number, (facts, end))).is_err() {
            return;
        }
    }
}

fn hash_of(entry: &Entry) -> String {
    let whole =
        || json::parse(entry.line.as_bytes()).ok().and_then(|value| value.text("hash").map(str::to_owned));
    let last = members(entry.line.as_bytes()).and_then(|members| members.last().copied());
    let hash =
        last.filter(|(name, _)| *name == "hash").and_then(|(_, value)| plain(value)).map(str::to_owned);
    hash.or_else(whole).unwrap_or_default()
}
