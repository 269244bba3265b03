//! The queue of hooks that want to start programs. Hundreds of agents may ask at once; when all their interpreters run
//! at once, each is slower than any time-out. So a few run at a time, in the order in which the hooks came.
//!
//! Every hook draws a number and keeps the file of that number locked while its programs run. It starts when the hook
//! that came as many places before it as there are places is done: the system gives a lock back whatever way its holder
//! dies. A queue that does not move, or cannot be had, is not waited for: then the program starts at once. So nothing
//! that is done to these files keeps a guard from running.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};

/// How long a place is kept at most. A program that runs for longer mostly waits for something else than a processor.
const HOLD: Duration = Duration::from_millis(500);
/// The longest wait, where the agent would wait for longer.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);
/// How long a queue may stand still. Counted in the pauses that were asked for, not in those that a busy machine made
/// of them.
const STILL: Duration = Duration::from_secs(3);
/// How long the counter is waited for, which is locked for microseconds at a time.
const COUNTER_WAIT: Duration = Duration::from_secs(1);
/// How many hooks can be in the queue. Those beyond start at once.
const NUMBERS: u64 = 1024;
/// The counter's file: the next number, and the last one that was let in.
const COUNTER: &str = "counter";

/// The place of one hook in the queue, asked for when its first program starts.
#[derive(Debug)]
pub struct Admission {
    folder: Option<PathBuf>,
    until: Option<Instant>,
    place: Mutex<Place>,
}

#[derive(Debug)]
enum Place {
    NotAsked,
    Kept {
        /// Locked until it is closed.
        _lock: File,
        since: Instant,
    },
    GivenBack,
}

impl Admission {
    /// For the queue of this name in a state directory. Where that is none, programs start at once.
    #[must_use]
    pub fn new(state: &Path, name: &str, until: Option<Instant>) -> Self {
        let folder = state.is_absolute().then(|| state.join("queue").join(name));
        Self { folder, until, place: Mutex::new(Place::NotAsked) }
    }

    /// Waits until it is this hook's turn. Only the first call waits.
    pub(crate) fn enter(&self) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*place, Place::NotAsked) {
            let ticket = self.folder.as_deref().and_then(|folder| Ticket::draw(folder, places()));
            *place = ticket.map_or(Place::GivenBack, |ticket| {
                ticket.wait(self.limit());
                Place::Kept { _lock: ticket.own, since: Instant::now() }
            });
        }
    }

    /// How long the place may still be kept; none when it is given back.
    pub(crate) fn left(&self) -> Option<Duration> {
        match &*self.place.lock().unwrap_or_else(PoisonError::into_inner) {
            Place::Kept { since, .. } => Some(HOLD.saturating_sub(since.elapsed())),
            Place::NotAsked | Place::GivenBack => None,
        }
    }

    /// Lets the next one in.
    pub(crate) fn give_back(&self) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Place::GivenBack;
    }

    /// A quarter of what the agent leaves us is for the programs.
    fn limit(&self) -> Duration {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(LONGEST, |left| (left * 3 / 4).min(LONGEST))
    }
}

/// How many hooks may have programs running.
fn places() -> u64 {
    let processors = thread::available_parallelism().map_or(2, usize::from);
    u64::try_from(processors * 2).unwrap_or(4).clamp(4, 64)
}

/// A number that was drawn, with the lock on its file.
struct Ticket {
    number: u64,
    places: u64,
    own: File,
    before: Option<File>,
    counter: File,
}

impl Ticket {
    /// Draws a number. None where that is not possible.
    fn draw(folder: &Path, places: u64) -> Option<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
        let counter = open(&folder.join(COUNTER))?;
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_micros(50);
        while !try_lock(&counter, FlockOperation::NonBlockingLockExclusive) {
            if waited > COUNTER_WAIT {
                return None;
            }
            thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        let ticket = Self::number(folder, places, counter)?;
        // Also given back when the ticket is dropped, but others wait for it now.
        let _ = flock(&ticket.counter, FlockOperation::Unlock);
        Some(ticket)
    }

    /// With the counter locked.
    fn number(folder: &Path, places: u64, counter: File) -> Option<Self> {
        let number = read_number(&counter, 0);
        let file = |number: u64| open(&folder.join((number % NUMBERS).to_string()));
        let own = file(number)?;
        // Somebody still has the number from the round before: the queue is full.
        if !try_lock(&own, FlockOperation::NonBlockingLockExclusive) {
            return None;
        }
        counter.write_all_at(&number.wrapping_add(1).to_le_bytes(), 0).ok()?;
        let before = number.checked_sub(places).and_then(file);
        Some(Self { number, places, own, before, counter })
    }

    /// Waits for the one before it, while the queue moves and no longer than the limit.
    fn wait(&self, limit: Duration) {
        let begun = Instant::now();
        let (mut still, mut seen) = (Duration::ZERO, self.let_in());
        while still < STILL && begun.elapsed() < limit && !self.is_next(seen) {
            let ahead = u32::try_from(self.number.saturating_sub(seen.saturating_add(self.places)))
                .unwrap_or(u32::MAX);
            // Asked for less often from far behind.
            let pause = Duration::from_millis(4).saturating_mul(ahead).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            thread::sleep(pause);
            let now = self.let_in();
            still = if now == seen { still + pause } else { Duration::ZERO };
            seen = now;
        }
        // The last number that was let in, as a hint for those who wait.
        let _ = self.counter.write_all_at(&self.number.to_le_bytes(), 8);
    }

    /// The one before is done, or those far behind have been let in already.
    fn is_next(&self, let_in: u64) -> bool {
        let done = |file: &File| {
            let free = try_lock(file, FlockOperation::NonBlockingLockShared);
            if free {
                let _ = flock(file, FlockOperation::Unlock);
            }
            free
        };
        let_in >= self.number.saturating_add(self.places) || self.before.as_ref().is_none_or(done)
    }

    fn let_in(&self) -> u64 {
        read_number(&self.counter, 8)
    }
}

const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Opens a file of the queue, without waiting and without following a link. Only a regular file is one.
fn open(path: &Path) -> Option<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let flags = i32::try_from(flags.bits()).ok()?;
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
    file.open(path).ok().filter(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))
}

fn try_lock(file: &File, how: FlockOperation) -> bool {
    flock(file, how).is_ok()
}

/// What is not there, is zero.
fn read_number(file: &File, at: u64) -> u64 {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, at).map_or(0, |()| u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_in_in_order_and_only_so_many() {
        let folder = tempfile::tempdir().unwrap();
        let tickets: Vec<Ticket> = (0..6).map(|_| Ticket::draw(folder.path(), 2).unwrap()).collect();
        let next = |ticket: &Ticket| ticket.is_next(ticket.let_in());
        assert_eq!(tickets.iter().map(next).collect::<Vec<_>>(), [true, true, false, false, false, false]);
        let mut tickets = tickets.into_iter();
        drop(tickets.next());
        let rest: Vec<Ticket> = tickets.collect();
        assert_eq!(rest.iter().map(next).collect::<Vec<_>>(), [true, true, false, false, false]);
    }

    #[test]
    fn a_place_is_given_back_by_time() {
        let folder = tempfile::tempdir().unwrap();
        let admission = Admission::new(folder.path(), "guards", None);
        assert_eq!(admission.left(), None);
        admission.enter();
        assert!(admission.left().is_some());
        admission.give_back();
        assert_eq!(admission.left(), None);
        admission.enter();
        assert_eq!(admission.left(), None, "who has waited once does not wait again");
    }

    #[test]
    fn a_queue_that_stands_still_or_cannot_be_had_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let holders: Vec<Ticket> = (0..4).map(|_| Ticket::draw(folder.path(), 4).unwrap()).collect();
        let ticket = Ticket::draw(folder.path(), 4).unwrap();
        let begun = Instant::now();
        ticket.wait(Duration::from_secs(60));
        assert!(
            begun.elapsed() >= STILL && begun.elapsed() < Duration::from_secs(30),
            "{:?}",
            begun.elapsed()
        );
        let begun = Instant::now();
        ticket.wait(Duration::from_millis(100));
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        drop(holders);

        let begun = Instant::now();
        let broken = tempfile::tempdir().unwrap();
        std::fs::create_dir(broken.path().join(COUNTER)).unwrap();
        assert!(Ticket::draw(broken.path(), 4).is_none());
        let fifo = tempfile::tempdir().unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            fifo.path().join(COUNTER),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        assert!(Ticket::draw(fifo.path(), 4).is_none());
        assert!(Ticket::draw(&fifo.path().join(COUNTER), 4).is_none(), "its folder is no folder");
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}
