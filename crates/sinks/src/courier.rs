//! Brings the log to the sinks, one courier per state directory at a time. The log is the buffer: each sink has a
//! place in it, and one that falls too far behind loses the oldest, counted.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};
use serde_json::Value;
use tollgate_store::{Entry, Log};

use crate::account::{Account, accounts, keep};
use crate::{BATCH, MOST, Route};

const LOCK: &str = "sinks.lock";
/// So many records before the one that started a courier may be news for a new sink.
const LOOK_BACK: u64 = 100;
/// How long a courier waits for more, so that a busy session has one process and not one per event.
const LINGER: Duration = Duration::from_secs(2);
/// How long a courier goes on at most. The next event starts another one.
const LIFE: Duration = Duration::from_secs(4 * 60);
const PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two tries at a sink that fails, in seconds.
const LONGEST: u64 = 60;

/// Whoever brings records to the sinks.
pub struct Courier<'a> {
    /// The state directory.
    pub state: &'a Path,
    /// Where to.
    pub sinks: &'a [Route],
    /// The record whose hook started this courier. A sink that is new gets this one and what follows, and what came just
    /// before it under the same policy.
    pub from: u64,
}

/// Is a courier under way? It looks at the log once more after it let go of the lock, so that a record that was
/// written before this was asked is not left behind.
#[must_use]
pub fn is_running(state: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let Ok(file) = openat(CWD, state.join(LOCK), flags, Mode::empty()) else { return false };
    flock(&file, FlockOperation::NonBlockingLockShared).is_err()
}

impl Courier<'_> {
    /// Delivers until nothing more comes. Another courier's work is left to that one.
    pub fn run(&self) {
        let begun = Instant::now();
        loop {
            let Some(lock) = self.lock() else { return };
            let reached = self.rounds(begun);
            drop(lock);
            if self.head() <= reached || begun.elapsed() > LIFE {
                return;
            }
        }
    }

    /// Goes round until it has been quiet for a while. Returns the last record that was seen.
    fn rounds(&self, begun: Instant) -> u64 {
        let mut accounts = accounts(self.state);
        accounts.retain(|name, _| self.sinks.iter().any(|route| route.sink.name() == *name));
        for Route { sink, .. } in self.sinks {
            let new = || Account { seq: self.first().saturating_sub(1), ..Account::default() };
            let account = accounts.entry(sink.name()).or_insert_with(new);
            if !self.is_of_this_log(account) {
                (account.seq, account.hash) = (self.first().saturating_sub(1), String::new());
            }
        }
        let mut quiet = Instant::now();
        let mut reached = 0;
        loop {
            let head = self.head();
            if self.round(&mut accounts, head) {
                // What cannot be kept is delivered again by the next courier; there is nobody to tell here.
                let _ = keep(self.state, &accounts);
                quiet = Instant::now();
            }
            if (head == reached && quiet.elapsed() >= LINGER) || begun.elapsed() > LIFE {
                return reached;
            }
            reached = head;
            std::thread::sleep(PAUSE);
        }
    }

    /// The first record for a new sink. Hooks that run at the same time each start a courier, and the one that gets to work
    /// need not be the first hook's: so it looks back as far as the policy stays the same.
    fn first(&self) -> u64 {
        let before = self.from.saturating_sub(LOOK_BACK).max(1);
        let policy = |entry: &Entry| {
            let record: Value = serde_json::from_str(&entry.line).ok()?;
            record.get("policy").and_then(Value::as_str).map(str::to_owned)
        };
        let known: Vec<(u64, Option<String>)> = Log::at(self.state)
            .records_from(before)
            .take_while(|entry| entry.seq <= self.from)
            .map(|entry| (entry.seq, policy(&entry)))
            .collect();
        let Some((_, Some(own))) = known.last() else { return self.from };
        let same = known.iter().rev().take_while(|(_, policy)| policy.as_ref() == Some(own));
        same.last().map_or(self.from, |(seq, _)| *seq)
    }

    /// Is the record that was last sent still there, or pruned? A log that was begun anew counts from one.
    fn is_of_this_log(&self, account: &Account) -> bool {
        let here = || Log::at(self.state).records_from(account.seq).next();
        account.hash.is_empty()
            || here().is_some_and(|entry| entry.seq > account.seq || hash_of(&entry.line) == account.hash)
    }

    /// One delivery to each sink that has something to get, all at once. Did any account change?
    fn round(&self, accounts: &mut BTreeMap<String, Account>, head: u64) -> bool {
        std::thread::scope(|scope| {
            let busy = accounts.iter_mut().filter(|(_, account)| account.seq < head && account.is_due());
            let running: Vec<_> = busy
                .filter_map(|(name, account)| {
                    let route = self.sinks.iter().find(|route| route.sink.name() == *name)?;
                    Some(scope.spawn(move || self.serve(route, account, head)))
                })
                .collect();
            !running.is_empty()
        })
    }

    fn serve(&self, route: &Route, account: &mut Account, head: u64) {
        account.drop_beyond(head);
        let lines = Log::at(self.state).records_from(account.seq + 1).take(BATCH);
        let (mut last, mut unread, mut hash) = (account.seq, 0, String::new());
        let mut records: Vec<Value> = Vec::new();
        for entry in lines {
            // What is not there any more was pruned before it could be sent.
            unread += entry.seq.saturating_sub(last + 1);
            last = entry.seq;
            hash = hash_of(&entry.line).to_owned();
            match serde_json::from_str(&entry.line) {
                Ok(record) if route.takes(&record) => records.push(record),
                Ok(_) => {}
                Err(_) => unread += 1,
            }
        }
        if last == account.seq {
            // The head is ahead of what can be read; there is nothing here to wait for.
            (account.seq, account.hash) = (head, String::new());
            return;
        }
        let count = records.len() as u64;
        let mut memory = account.memory.clone();
        let outcome = if records.is_empty() { Ok(()) } else { route.sink.deliver(&records, &mut memory) };
        match outcome {
            Ok(()) => {
                let dropped = account.dropped + unread;
                let sent = account.sent + count;
                let sent_at = now();
                *account = Account { seq: last, hash, sent, dropped, memory, sent_at, ..Account::default() };
            }
            Err(trouble) => {
                account.fail(&trouble.why);
                if !trouble.again {
                    account.dropped += count + unread;
                    (account.seq, account.hash, account.memory) = (last, hash, memory);
                }
            }
        }
    }

    fn head(&self) -> u64 {
        Log::at(self.state).head().map_or(0, |head| head.seq)
    }

    /// The lock, unless another courier has it. A hook that asks who has it holds it for a moment.
    fn lock(&self) -> Option<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = openat(CWD, self.state.join(LOCK), flags, Mode::RUSR | Mode::WUSR).ok()?;
        for _ in 0..20 {
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Some(file);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Account {
    /// May it be tried? A time further off than any pause was set by a clock that has been put back since.
    fn is_due(&self) -> bool {
        self.retry_at <= now() || self.retry_at > now() + LONGEST
    }

    /// Drops what is more than the bound allows.
    fn drop_beyond(&mut self, head: u64) {
        let over = head.saturating_sub(self.seq).saturating_sub(MOST);
        if over > 0 {
            self.dropped += over;
            (self.seq, self.hash) = (self.seq + over, String::new());
        }
    }

    fn fail(&mut self, why: &str) {
        self.failures = self.failures.saturating_add(1);
        self.retry_at = now() + (1_u64 << self.failures.min(6).saturating_sub(1)).min(LONGEST);
        self.why = why.chars().filter(|c| !c.is_control()).take(300).collect();
    }
}

/// The hash at the end of a line of the log.
fn hash_of(line: &str) -> &str {
    line.rsplit('"').nth(1).unwrap_or_default()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
