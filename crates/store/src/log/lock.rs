use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};

use super::head::{self, Head};
use crate::LogFault;
use crate::files::{Dir, How, REMOVED, write_whole};

/// How many times longer a lock is waited for that others take and give back all the time.
const MOVING: u32 = 16;
/// How often the lock is tried before we queue for it. Most often it is free again at once.
const TRIES: u32 = 6;

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

fn acquire(dir: &Dir, wait: Duration) -> Result<OwnedFd, LogFault> {
    let fd = open(dir)?;
    for turn in 0..TRIES {
        if attempt(dir, &fd)? {
            return Ok(fd);
        }
        std::thread::sleep(Duration::from_micros(20 << turn));
    }
    queue(dir, fd, wait)
}

/// Stands in the kernel's queue, which is fair and costs a crowd nothing, where asking again and again would take
/// the machine from the one who holds the lock. Now and then we look up: a lock that stays where it is was left
/// by a process that is stopped, and one that is free behind a stopped process in the queue can be taken.
fn queue(dir: &Dir, fd: OwnedFd, wait: Duration) -> Result<OwnedFd, LogFault> {
    let turn = turn(open(dir)?);
    let begun = Instant::now();
    let (mut moved, mut seen) = (begun, head::bytes_of(&fd));
    loop {
        match turn.recv_timeout(wait / 10) {
            Ok(locked) => return Ok(locked),
            Err(RecvTimeoutError::Timeout) => {}
            // No thread could be had.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(wait / 50),
        }
        if attempt(dir, &fd)? {
            return Ok(fd);
        }
        let (now, bytes) = (Instant::now(), head::bytes_of(&fd));
        if bytes != seen {
            (moved, seen) = (now, bytes);
        }
        if now - moved >= wait || now - begun >= wait * MOVING {
            return Err(LogFault::Locked { waited: now - begun });
        }
    }
}

/// Sends the file once it is locked. The system cannot wait for a lock and a clock at once, so a thread waits for
/// the lock. If nobody is there any more when its turn comes, it lets go.
fn turn(fd: OwnedFd) -> Receiver<OwnedFd> {
    let (sender, receiver) = channel();
    let wait = move || {
        if retry_on_intr(|| flock(&fd, FlockOperation::LockExclusive)).is_ok() {
            let _ = sender.send(fd);
        }
    };
    // Without a thread the sender is gone, which the receiver sees.
    let _ = std::thread::Builder::new().stack_size(64 << 10).spawn(wait);
    receiver
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
