//! The deadline of a hook. It counts the process's own time: on a crowded machine a process that waits for a processor
//! is not to blame for it. The agent's own time-out does count that, so there is a latest moment as well.
//!
//! Once the deadline has answered, the process has a moment left to write its record.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::now;
use crate::worker;

/// When a hook must have answered.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    /// Counted without the time that the process waits for a processor.
    pub own: Duration,
    /// Counted by the clock.
    pub latest: Duration,
    /// How long the process may go on after the deadline has answered.
    pub grace: Duration,
}

impl Deadline {
    /// By the clock alone.
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self { own: limit, latest: limit, grace: Duration::ZERO }
    }
}

/// All in nanoseconds: when the deadline was set, how long the process had waited for a processor by then, and the
/// fields of the `Deadline`.
static SET: AtomicU64 = AtomicU64::new(0);
static WAITED: AtomicU64 = AtomicU64::new(0);
static OWN: AtomicU64 = AtomicU64::new(0);
static LATEST: AtomicU64 = AtomicU64::new(0);
static GRACE: AtomicU64 = AtomicU64::new(0);
/// The deadline has answered.
static PASSED: AtomicBool = AtomicBool::new(false);

/// Has the deadline answered?
#[must_use]
pub fn has_passed() -> bool {
    PASSED.load(Ordering::SeqCst)
}

/// Sets the deadline. A process that has just started has waited for nothing yet; later, `waited` asks the system.
pub(crate) fn set(deadline: Deadline, later: bool) {
    if has_passed() {
        return;
    }
    SET.store(now(), Ordering::SeqCst);
    WAITED.store(if later { waited() } else { 0 }, Ordering::SeqCst);
    OWN.store(nanos(deadline.own), Ordering::SeqCst);
    LATEST.store(nanos(deadline.latest), Ordering::SeqCst);
    GRACE.store(nanos(deadline.grace), Ordering::SeqCst);
    ring_in(deadline.own.min(deadline.latest));
}

/// What a timer's signal means.
pub(crate) enum Rung {
    /// The process has not had its time yet; the timer runs again.
    TooEarly,
    /// The deadline: the answer goes out now. With a grace, the timer runs again for that.
    Now {
        /// The process may go on for a moment.
        grace: bool,
    },
    /// The grace is over.
    Over,
}

/// Decides what a timer's signal means. Called by the signal handler: no allocation, no locks.
pub(crate) fn rung() -> Rung {
    if has_passed() {
        return Rung::Over;
    }
    let elapsed = now().saturating_sub(SET.load(Ordering::SeqCst));
    let waited = waited().saturating_sub(WAITED.load(Ordering::SeqCst));
    let own = OWN.load(Ordering::SeqCst).saturating_sub(elapsed.saturating_sub(waited));
    let left = own.min(LATEST.load(Ordering::SeqCst).saturating_sub(elapsed));
    if left > SLACK {
        ring_in(Duration::from_nanos(left));
        return Rung::TooEarly;
    }
    PASSED.store(true, Ordering::SeqCst);
    let grace = GRACE.load(Ordering::SeqCst);
    if grace > 0 {
        ring_in(Duration::from_nanos(grace));
    }
    Rung::Now { grace: grace > 0 }
}

/// Less than this is not waited for again.
const SLACK: u64 = 2_000_000;

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How long the process has waited for a processor so far. Zero where the system does not say.
fn waited() -> u64 {
    let mut text = [0_u8; 96];
    // SAFETY: the path ends in NUL, pointer and length come from one array, and all three calls may be made in a signal
    // handler.
    let size = unsafe {
        let file = libc::open(c"/proc/self/schedstat".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return 0;
        }
        let size = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        size
    };
    let text = text.get(..usize::try_from(size).unwrap_or(0)).unwrap_or_default();
    let second = text.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let digit =
        |value: u64, byte: &u8| value.saturating_mul(10).saturating_add(u64::from(byte.wrapping_sub(b'0')));
    if second.iter().all(u8::is_ascii_digit) { second.iter().fold(0, digit) } else { 0 }
}

/// Starts the timer, and tells a watcher of it.
fn ring_in(limit: Duration) {
    worker::write_deadline(now().saturating_add(nanos(limit)));
    start_timer(limit);
}

fn start_timer(limit: Duration) {
    // No time at all would stop the timer.
    let limit = limit.max(Duration::from_millis(1));
    let tv_sec = libc::time_t::try_from(limit.as_secs()).unwrap_or(libc::time_t::MAX);
    let it_value = libc::timeval { tv_sec, tv_usec: libc::suseconds_t::from(limit.subsec_micros()) };
    let once = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value };
    // SAFETY: the struct is fully initialised and only read.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const once, std::ptr::null_mut()) };
}
