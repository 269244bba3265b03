//! Standard input within limits: size, silence, total time. The end of the stream is not waited for: one
//! complete JSON value is enough.

use std::io;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tollgate_model::json::Scanner;
use tollgate_model::{Fault, FaultKind};

/// The largest payload that is read.
pub const LIMIT: usize = 8 << 20;

/// Room for an ordinary payload. Memory that is not used is not touched.
const FIRST: usize = 32 << 10;

/// How long a host may stay silent in the middle of a payload.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a payload may take in all.
const TOTAL: Duration = Duration::from_secs(4);

/// The payload.
pub fn read() -> Result<Vec<u8>, Fault> {
    let input = io::stdin();
    let start = Instant::now();
    let mut scanner = Scanner::default();
    let mut bytes: Vec<u8> = Vec::with_capacity(FIRST);
    loop {
        let left = TOTAL.saturating_sub(start.elapsed()).min(SILENCE);
        if !ready(&input, left)? {
            return Err(Fault::new(FaultKind::Input, "the agent's payload did not come in time"));
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len());
        }
        let before = bytes.len();
        let count = match rustix::io::read(&input, spare_capacity(&mut bytes)) {
            Ok(count) => count,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
            Err(error) => return Err(Fault::new(FaultKind::Input, format!("standard input: {error}"))),
        };
        if bytes.len() > LIMIT {
            let message = format!("the agent's payload is larger than {} MiB", LIMIT >> 20);
            return Err(Fault::new(FaultKind::Input, message));
        }
        if count == 0 || scanner.feed(bytes.get(before..).unwrap_or_default()) {
            return Ok(bytes);
        }
    }
}

fn ready(input: &io::Stdin, left: Duration) -> Result<bool, Fault> {
    let timeout = Timespec::try_from(left).ok();
    let mut fds = [PollFd::new(input, PollFlags::IN)];
    match poll(&mut fds, timeout.as_ref()) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(Fault::new(FaultKind::Input, format!("standard input: {error}"))),
    }
}
