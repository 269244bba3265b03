//! The log: one record per event, one line per record, one `write(2)` per line.
//!
//! Invariants, all under an exclusive lock: the record is written before the head; `seq` grows by one; each
//! record's hash covers its whole line and the hash before it; a line, once whole, is never changed.

mod follow;
mod head;
mod keep;
mod line;
mod lock;
mod parts;
mod tail;
mod unanswered;
mod verify;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tollgate_model::Record;

use crate::clean::Clean;
use crate::files::Dir;
use crate::{LogFault, Redactor, origin, rfc3339, session};
pub use follow::{Follower, Place};
pub use head::Head;
pub use keep::Keep;
use line::Line;
pub use line::{Hash, Link};
use lock::Lock;
pub use parts::{Entry, Records};
use tail::Tail;
pub use unanswered::NO_RESULT;
pub use verify::{Breach, Trouble, Verification};

/// The log of a state directory.
#[derive(Clone, Debug)]
pub struct Log {
    state: PathBuf,
    limits: Limits,
    personal: bool,
    durable: bool,
}

/// How large and how patient the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A part that would grow beyond this many bytes is set aside, and a new one begun.
    pub part: u64,
    /// How long a lock that does not move is waited for. While others get on with their records the wait is
    /// longer, up to sixteen times this.
    pub lock_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { part: 16 << 20, lock_wait: Duration::from_millis(250) }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The record's number.
    pub seq: u64,
    /// The call's id: the agent's, or one of ours.
    pub id: String,
    /// The record's hash, 32 hex digits.
    pub hash: String,
    /// The line as it stands in the log, without its line end.
    pub line: String,
    /// The record is safe, but the head could not be moved; the next append will.
    pub lagging: Option<LogFault>,
}

impl Log {
    /// The log of a state directory. Touches nothing yet.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        // Without a trailing slash, which would make the system follow a link.
        Self {
            state: state.components().collect(),
            limits: Limits::default(),
            personal: false,
            durable: false,
        }
    }

    /// The same log, from whose records what is personal is taken out, too, or not.
    #[must_use]
    pub fn personal(self, personal: bool) -> Self {
        Self { personal, ..self }
    }

    /// The same log, each of whose records is on the disk before it counts as written, or not.
    #[must_use]
    pub fn durable(self, durable: bool) -> Self {
        Self { durable, ..self }
    }

    /// The same log with other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Appends a record: redacted, numbered, timed and chained.
    ///
    /// # Errors
    /// When it could not be written. Then nothing of it stays, and the next append is not harmed.
    pub fn append(&self, record: &Record, now: SystemTime) -> Result<Appended, LogFault> {
        let dir = Dir::make(&self.state)?;
        let clean = Clean::of(record, &Redactor::at(&self.state).personal(self.personal));
        let origin = origin::members();
        let lock = Lock::take(&dir, self.limits.lock_wait)?;
        let mut tail = Tail::find(&dir, &lock)?;
        let (id, line) = self.put((&dir, &lock), &mut tail, (&origin, &clean), now)?;
        let lagging = lock.write_head(&tail.head()).err();
        Ok(Appended { seq: line.seq, id, hash: line.hash.to_string(), line: line.into_text(), lagging })
    }

    /// Appends many records while holding the lock once. Returns how many were written.
    ///
    /// # Errors
    /// When one could not be written; those before it stay.
    pub fn append_all(
        &self,
        records: impl IntoIterator<Item = (Record, SystemTime)>,
    ) -> Result<u64, LogFault> {
        let dir = Dir::make(&self.state)?;
        let lock = Lock::take(&dir, self.limits.lock_wait)?;
        self.put_all((&dir, &lock), records)
    }

    fn put_all(
        &self,
        (dir, lock): (&Dir, &Lock),
        records: impl IntoIterator<Item = (Record, SystemTime)>,
    ) -> Result<u64, LogFault> {
        let redactor = Redactor::at(&self.state).personal(self.personal);
        let mut tail = Tail::find(dir, lock)?;
        let origin = origin::members();
        let mut count = 0;
        let mut outcome = Ok(());
        for (record, at) in records {
            outcome =
                self.put((dir, lock), &mut tail, (&origin, &Clean::of(&record, &redactor)), at).map(|_| ());
            if outcome.is_err() {
                break;
            }
            count += 1;
        }
        lock.write_head(&tail.head())?;
        outcome.map(|()| count)
    }

    fn put(
        &self,
        (dir, lock): (&Dir, &Lock),
        tail: &mut Tail,
        (origin, clean): (&str, &Clean),
        now: SystemTime,
    ) -> Result<(String, Line), LogFault> {
        let id = session::call_id(dir, clean, tail.next_seq());
        let mut fields = std::borrow::Cow::from(&clean.json);
        if tail.take_lost_head() {
            fields.to_mut().push_str(line::LOST_HEAD);
        }
        let line = Line::compose(tail.next_seq(), &rfc3339(now), &id, [origin, &fields], tail.hash());
        tail.make_room(dir, lock, line.len(), self.limits.part)?;
        tail.write(dir, &line)?;
        if self.durable {
            tail.sync(dir, &line)?;
        }
        Ok((id, line))
    }

    /// The last record that the head knows of, for anchoring elsewhere; `None` when there is none that can
    /// be read.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        head::read(&Dir::open(&self.state).ok()??)
    }
}
