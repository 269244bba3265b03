//! The log as it grows: the board, the last rows, and what is new for whoever listens. One thread reads, however many listen.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::sync::broadcast;
use tollgate_store::{Entry, Log};

use crate::board::{Board, Card};
use crate::row::{Ending, Row};

/// Records that are read when the server starts.
const AT_START: usize = 20_000;
/// Rows that a listener can go back to.
const KEPT: usize = 2_000;
/// Batches that a slow listener may lag behind.
const LAG: usize = 64;
/// Rows in one batch: what a browser takes in without a stutter.
const BATCH: usize = 500;
/// The pause between two looks at the log, with somebody listening and without.
const PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_millis(500);

/// What is new, as the stream sends it.
#[derive(Debug)]
pub struct News {
    /// A `RowBatch` as JSON.
    pub json: String,
    /// The last record in it.
    pub head: u64,
}

/// Follows the log.
pub struct Feed {
    live: Mutex<Live>,
    news: broadcast::Sender<Arc<News>>,
}

#[derive(Default)]
struct Live {
    board: Board,
    rows: VecDeque<Row>,
    /// Calls without a result, by session and id.
    open: HashMap<(String, String), u64>,
    head: u64,
    /// The log was read up to where it was at the start.
    ready: bool,
}

impl Feed {
    /// Begins to follow the log of a state directory, in a thread that ends with the feed.
    #[must_use]
    pub fn start(state: &Path) -> Arc<Self> {
        let feed = Arc::new(Self { live: Mutex::default(), news: broadcast::channel(LAG).0 });
        let (weak, log) = (Arc::downgrade(&feed), Log::at(state));
        let run = move || {
            let mut after = 0;
            if let Some(feed) = weak.upgrade() {
                after = feed.catch_up(&log);
            }
            let mut follower = log.follow(after);
            while let Some(feed) = weak.upgrade() {
                let entries = follower.poll();
                let is_idle = entries.is_empty();
                entries.chunks(BATCH).for_each(|entries| feed.take(entries));
                let pause = if feed.news.receiver_count() > 0 { PAUSE } else { LONG_PAUSE };
                drop(feed);
                if is_idle || pause == PAUSE {
                    std::thread::sleep(pause);
                }
            }
        };
        // Without the thread the pages show what they read themselves.
        let _ = std::thread::Builder::new().name("feed".into()).spawn(run);
        feed
    }

    /// The board. The first one waits a moment for the log.
    #[must_use]
    pub fn cards(&self, now: i64) -> Vec<Card> {
        for _ in 0..20 {
            let live = self.live();
            if live.ready {
                return live.board.cards(now);
            }
            drop(live);
            std::thread::sleep(Duration::from_millis(25));
        }
        self.live().board.cards(now)
    }

    /// The last record that was read.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.live().head
    }

    /// The rows after a record, oldest first, as far as they are kept.
    #[must_use]
    pub fn rows_after(&self, after: u64) -> Vec<Row> {
        self.live().rows.iter().filter(|row| row.seq > after).cloned().collect()
    }

    /// The last rows, newest first.
    #[must_use]
    pub fn last_rows(&self, most: usize) -> Vec<Row> {
        self.live().rows.iter().rev().take(most).cloned().collect()
    }

    /// What is new from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Arc<News>> {
        self.news.subscribe()
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the end of the log. Returns the last record.
    fn catch_up(&self, log: &Log) -> u64 {
        let mut last: VecDeque<Entry> = VecDeque::new();
        for part in log.parts().iter().rev().take(2).rev() {
            for entry in log.records_of(part) {
                if last.len() == AT_START {
                    last.pop_front();
                }
                last.push_back(entry);
            }
        }
        let mut live = self.live();
        for entry in &last {
            live.add(entry);
        }
        live.ready = true;
        last.back().map_or(0, |entry| entry.seq)
    }

    fn take(&self, entries: &[Entry]) {
        let mut changed: BTreeMap<u64, Row> = BTreeMap::new();
        let mut live = self.live();
        for entry in entries {
            if let Some(row) = live.add(entry) {
                changed.insert(row.seq, row);
            }
        }
        let head = live.head;
        drop(live);
        if self.news.receiver_count() > 0 {
            let rows: Vec<&Row> = changed.values().collect();
            let json = json!({ "rows": rows, "head": head }).to_string();
            // Nobody listens any more: nothing is lost.
            let _ = self.news.send(Arc::new(News { json, head }));
        }
    }
}

impl Live {
    /// Takes in a record, and returns the row that it made or changed.
    fn add(&mut self, entry: &Entry) -> Option<Row> {
        self.head = self.head.max(entry.seq);
        let record = entry.value()?;
        let call = record.text("id").unwrap_or_default();
        let Some(row) = Row::of(&record) else {
            self.board.end(&record);
            let session = record.text("session").unwrap_or_default();
            let (call, ending) = Ending::of(&record)?;
            let seq = self.open.remove(&(session.to_owned(), call))?;
            let at = self.rows.binary_search_by_key(&seq, |row| row.seq).ok()?;
            let row = self.rows.get_mut(at)?;
            return row.end(&ending).then(|| row.clone());
        };
        self.board.add(&row, call);
        if row.is_call() {
            self.open.insert((row.session.clone(), call.to_owned()), row.seq);
        }
        self.rows.push_back(row.clone());
        if self.rows.len() > KEPT {
            self.rows.pop_front();
            let first = self.rows.front().map_or(0, |row| row.seq);
            if self.open.len() > KEPT {
                self.open.retain(|_, seq| *seq >= first);
            }
        }
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Instant, SystemTime};

    use tollgate_model::{Record, json};

    use super::*;
    use crate::row::Outcome;

    fn append(log: &Log, line: &str) {
        let json::Value::Map(fields) = json::parse(line.as_bytes()).unwrap() else { return };
        log.append(&Record { call: "c1".into(), fields }, SystemTime::now()).unwrap();
    }

    #[test]
    fn a_result_completes_the_row_of_its_call() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let log = Log::at(&state);
        let head = r#""agent":"codex","session":"s","tool":"Bash","cwd":"/p""#;
        append(&log, &format!(r#"{{{head},"phase":"pre-tool","verdict":"allow"}}"#));
        let feed = Feed::start(&state);
        let mut news = feed.listen();
        assert_eq!(feed.cards(0).len(), 1);
        append(&log, &format!(r#"{{{head},"phase":"post-tool-fail","error":"no"}}"#));
        let end = Instant::now() + Duration::from_secs(5);
        while feed.head() < 2 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        let rows = feed.last_rows(10);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].seq, rows[0].outcome, rows[0].error.as_str()), (1, Outcome::Failed, "no"));
        let told = news.blocking_recv().unwrap();
        assert!(told.json.contains(r#""outcome":"failed""#) && told.head == 2, "{}", told.json);
    }
}
