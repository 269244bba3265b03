use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::head::{self, Head};
use crate::LogFault;
use crate::files::{Dir, How, write_whole};

/// How many times longer a lock is waited for that others take and give back all the time.
const MOVING: u32 = 16;

/// The right to write the log, until dropped. What is locked is the head's file, which is never replaced.
pub(crate) struct Lock<'d> {
    dir: &'d Dir,
    fd: OwnedFd,
}

impl<'d> Lock<'d> {
    /// Waits for the lock, but not for one that does not move.
    pub(crate) fn take(dir: &'d Dir, wait: Duration) -> Result<Self, LogFault> {
        let mut tries = 0;
        loop {
            let fd = dir.unchecked(head::NAME, How::Edit)?.ok_or(LogFault::Locked { waited: wait })?;
            acquire(dir, &fd, wait)?;
            tries += 1;
            let removed = rustix::fs::fstat(&fd).is_ok_and(|stat| stat.st_nlink == 0);
            // Somebody took the file away while we waited: its lock guards nothing any more.
            if removed && tries < 5 {
                continue;
            }
            let file = dir.check(fd, head::NAME)?;
            return Ok(Self { dir, fd: file.fd });
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

fn acquire(dir: &Dir, fd: &OwnedFd, wait: Duration) -> Result<(), LogFault> {
    if attempt(dir, fd)? {
        return Ok(());
    }
    let begun = Instant::now();
    let (mut moved, mut seen) = (begun, head::read_from(fd));
    let mut pause = Pause::default();
    loop {
        pause.sleep();
        if attempt(dir, fd)? {
            return Ok(());
        }
        let (now, head) = (Instant::now(), head::read_from(fd));
        if head != seen {
            (moved, seen) = (now, head);
        }
        if now - moved >= wait || now - begun >= wait * MOVING {
            return Err(LogFault::Locked { waited: now - begun });
        }
    }
}

fn attempt(dir: &Dir, fd: &OwnedFd) -> Result<bool, LogFault> {
    match flock(fd, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
        Err(errno) => Err(dir.fault(errno, head::NAME)),
    }
}

/// Growing pauses, not the same for two processes, so that a crowd does not march in step.
struct Pause {
    micros: u64,
    noise: u64,
}

impl Default for Pause {
    fn default() -> Self {
        Self { micros: 20, noise: u64::from(std::process::id()) }
    }
}

impl Pause {
    fn sleep(&mut self) {
        self.noise =
            self.noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let jitter = (self.noise >> 33) % self.micros;
        std::thread::sleep(Duration::from_micros(self.micros + jitter));
        self.micros = (self.micros * 3 / 2).min(1_000);
    }
}
