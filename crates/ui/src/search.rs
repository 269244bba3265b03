//! Rows of the log, newest first: parts are read from the last one back, and no more of them than must be.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use tollgate_index::Index;
use tollgate_store::{Entry, Log};

use crate::filter::Wanted;
use crate::row::{Ending, Outcome, Row};

/// Results that wait for their call while records are read backwards.
const MOST_ENDINGS: usize = 50_000;

/// Rows, and where the next ones are.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// Newest first.
    pub rows: Vec<Row>,
    /// Ask for those before this record next; `None`: there are no more.
    pub next: Option<u64>,
    /// The time was over before the page was full.
    pub partial: bool,
}

/// Which rows, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Only rows of older records.
    pub before: u64,
    /// Nothing older than this record is wanted.
    pub from: u64,
    /// The most rows.
    pub rows: usize,
    /// Only calls.
    pub calls: bool,
    /// When it must end.
    pub budget: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { before: u64::MAX, from: 0, rows: 100, calls: true, budget: Duration::from_secs(2) }
    }
}

/// Searches the log. The index says what became of calls whose result was not met.
#[must_use]
pub fn search(log: &Log, index: Option<&Index>, wanted: &Wanted, limits: &Limits) -> Page {
    let mut reading = Reading {
        wanted,
        limits,
        end: Instant::now() + limits.budget,
        endings: HashMap::new(),
        page: Page::default(),
    };
    // The names of parts tell where each begins; the current part comes last and begins somewhere.
    for part in log.parts().iter().rev() {
        if first_of(part).is_some_and(|first| first >= limits.before) {
            continue;
        }
        let entries: Vec<Entry> = log.records_of(part).collect();
        if reading.take(entries, index) {
            break;
        }
    }
    reading.page.rows.iter_mut().for_each(|row| row.at.shrink_to_fit());
    reading.page
}

/// The number of the first record of a part that was set aside.
fn first_of(part: &str) -> Option<u64> {
    part.strip_prefix("events-")?.split('.').next()?.parse().ok()
}

struct Reading<'a> {
    wanted: &'a Wanted,
    limits: &'a Limits,
    end: Instant,
    endings: HashMap<(String, String), Ending>,
    page: Page,
}

impl Reading<'_> {
    /// Takes the records of a part, the last first. Says whether to stop.
    fn take(&mut self, entries: Vec<Entry>, index: Option<&Index>) -> bool {
        let newest = entries.last().map_or(i64::MAX, |entry| self.wanted.query.time_of(entry));
        if self.wanted.query.ends_before(newest) {
            return true;
        }
        let mut waiting = Vec::new();
        for (count, entry) in entries.into_iter().rev().enumerate() {
            if count % 512 == 0 && Instant::now() > self.end {
                self.finish(&mut waiting, index);
                self.page.next.get_or_insert(entry.seq + 1);
                self.page.partial = true;
                return true;
            }
            if entry.seq < self.limits.from {
                self.finish(&mut waiting, index);
                return true;
            }
            if self.keep_ending(&entry) || entry.seq >= self.limits.before {
                continue;
            }
            let Some(row) = self.row(&entry) else { continue };
            waiting.push(row);
            if waiting.len() + self.page.rows.len() >= self.limits.rows {
                self.finish(&mut waiting, index);
                if self.page.rows.len() >= self.limits.rows {
                    self.page.next = self.page.rows.last().map(|row| row.seq).filter(|seq| *seq > 1);
                    return true;
                }
            }
        }
        self.finish(&mut waiting, index);
        false
    }

    /// Completes rows with what the index knows, and keeps those with the outcome that is wanted.
    fn finish(&mut self, waiting: &mut Vec<Row>, index: Option<&Index>) {
        complete(waiting, index);
        let wanted = self.wanted.outcome;
        let fits = |row: &Row| wanted.is_none_or(|outcome| row.outcome == outcome);
        self.page.rows.extend(waiting.drain(..).filter(fits));
    }

    /// Remembers a result for its call, which is older.
    fn keep_ending(&mut self, entry: &Entry) -> bool {
        let is_ending = [r#""phase":"post-tool"#, r#""phase":"permission-denied""#, r#""phase":"no-result""#];
        if !is_ending.iter().any(|phase| entry.line.contains(phase)) {
            return false;
        }
        let Some(record) = entry.value() else { return true };
        if let Some((call, ending)) = Ending::of(&record)
            && self.endings.len() < MOST_ENDINGS
        {
            let session = record.text("session").unwrap_or_default().to_owned();
            // The last result is met first, and counts.
            self.endings.entry((session, call)).or_insert(ending);
            return true;
        }
        crate::row::is_result(record.text("phase").unwrap_or_default())
    }

    fn row(&mut self, entry: &Entry) -> Option<Row> {
        if !self.wanted.query.matches(entry) {
            return None;
        }
        let record = entry.value()?;
        let mut row = Row::of(&record)?;
        let other = self.wanted.session.as_ref().is_some_and(|session| *session != row.session_id);
        if other || (self.limits.calls && !row.is_call()) {
            return None;
        }
        let call = (row.session.clone(), record.text("id").unwrap_or_default().to_owned());
        if let Some(ending) = self.endings.remove(&call) {
            row.end(&ending);
        }
        Some(row)
    }
}

/// Asks the index about calls whose result was not met.
pub(crate) fn complete(rows: &mut [Row], index: Option<&Index>) {
    let open: Vec<u64> = rows.iter().filter(|row| row.outcome == Outcome::Open).map(|row| row.seq).collect();
    let Some(ended) = index.filter(|_| !open.is_empty()).and_then(|index| index.outcomes(&open).ok()) else {
        return;
    };
    for row in rows {
        if let Some(ended) = ended.get(&row.seq) {
            row.end_by_index(ended);
        }
    }
}
