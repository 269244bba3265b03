use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::head::{self, Head};
use crate::LogFault;
use crate::files::{Dir, How, REMOVED, write_whole};

/// How many times longer a lock is waited for that others take and give back all the time.
const MOVING: u32 = 16;
/// In microseconds.
const LONGEST_PAUSE: u64 = 40_000;

/// The right to write the log, until dropped. What is locked is the head's file, which is never replaced.
pub(crate) struct Lock<'d> {
    dir: &'d Dir,
    fd: OwnedFd,
}

impl<'d> Lock<'d> {
    /// Waits for the lock, but not for one that does not move.
    pub(crate) fn take(dir: &'d Dir, wait: Duration) -> Result<Self, LogFault> {
        let mut rounds = 0;
        loop {
            let fd = acquire(dir, wait)?;
            rounds += 1;
            match dir.check(fd, head::NAME) {
                // Somebody took the file away while we waited: its lock guards nothing any more.
                Err(LogFault::Unsafe { why: REMOVED, .. }) if rounds < 5 => {}
                file => return Ok(Self { dir, fd: file?.fd }),
            }
        }
    }

    /// The head, unless it was never written or is damaged.
    pub(crate) fn read_head(&self) -> Option<Head> {
        head::read_from(&self.fd)
    }

    /// Replaces the head.
    pub(crate) fn write_head(&self, head: &Head) -> Result<(), LogFault> {
        let mut offset = 0;
        let write = |rest: &[u8]| {
            let count = rustix::io::pwrite(&self.fd, rest, offset)?;
            offset += count as u64;
            Ok(count)
        };
        write_whole(&head.to_bytes(), write).map_err(|errno| self.dir.fault(errno, head::NAME))
    }
}

/// Asks again and again: whoever gets the lock that way is running and is done with it in microseconds, where one
/// who was woken for it would first have to be scheduled, with the lock in hand.
///
/// The patience with a lock that does not move is counted in the pauses we asked for, not in those we got: where
/// the machine is so busy that we sleep for too long, the one who holds the lock is late for the same reason.
fn acquire(dir: &Dir, wait: Duration) -> Result<OwnedFd, LogFault> {
    let fd = open(dir)?;
    if attempt(dir, &fd)? {
        return Ok(fd);
    }
    let begun = Instant::now();
    let (mut quiet, mut seen) = (Duration::ZERO, head::bytes_of(&fd));
    let mut pauses = Pauses::default();
    while quiet < wait && begun.elapsed() < wait * MOVING {
        let pause = pauses.next();
        std::thread::sleep(pause);
        if attempt(dir, &fd)? {
            return Ok(fd);
        }
        let bytes = head::bytes_of(&fd);
        quiet = if bytes == seen { quiet + pause } else { Duration::ZERO };
        seen = bytes;
    }
    Err(LogFault::Locked { waited: begun.elapsed() })
}

fn open(dir: &Dir) -> Result<OwnedFd, LogFault> {
    dir.unchecked(head::NAME, How::Edit)?.ok_or_else(|| dir.fault(Errno::NOENT, head::NAME))
}

fn attempt(dir: &Dir, fd: &OwnedFd) -> Result<bool, LogFault> {
    match flock(fd, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
        Err(errno) => Err(dir.fault(errno, head::NAME)),
    }
}

/// The pauses between two tries: short at first, as the lock is most often free again at once, then longer, as a
/// crowd must not spend the machine on asking. No two processes keep in step.
struct Pauses {
    micros: u64,
    noise: u64,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { micros: 20, noise: u64::from(std::process::id()) }
    }
}

impl Pauses {
    fn next(&mut self) -> Duration {
        self.noise =
            self.noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pause = self.micros / 2 + (self.noise >> 33) % self.micros;
        self.micros = (self.micros * 3 / 2).min(LONGEST_PAUSE);
        Duration::from_micros(pause)
    }
}
