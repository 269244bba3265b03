//! Standard input within limits: size, silence, total time. The end of the stream is not waited for: one
//! complete JSON value is enough.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tollgate_model::json::Scanner;
use tollgate_model::{Fault, FaultKind};

/// The largest payload that is read.
pub const LIMIT: usize = 8 << 20;

/// How long a host may stay silent in the middle of a payload.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a payload may take in all.
const TOTAL: Duration = Duration::from_secs(4);

/// The payload.
pub fn read() -> Result<Vec<u8>, Fault> {
    let input = io::stdin();
    let start = Instant::now();
    let mut scanner = Scanner::default();
    let mut bytes: Vec<u8> = Vec::new();
    let mut chunk = vec![0_u8; 64 << 10];
    loop {
        let left = TOTAL.saturating_sub(start.elapsed()).min(SILENCE);
        if !ready(&input, left)? {
            return Err(Fault::new(FaultKind::Input, "the agent's payload did not come in time"));
        }
        let count = match rustix::io::read(&input, &mut chunk[..]) {
            Ok(count) => count,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
            Err(error) => return Err(Fault::new(FaultKind::Input, format!("standard input: {error}"))),
        };
        let new = chunk.get(..count).unwrap_or_default();
        bytes.extend_from_slice(new);
        if bytes.len() > LIMIT {
            let message = format!("the agent's payload is larger than {} MiB", LIMIT >> 20);
            return Err(Fault::new(FaultKind::Input, message));
        }
        if new.is_empty() || scanner.feed(new) {
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
