//! How often a session made the same call, for agents that give their calls no id.
//!
//! A small table of fixed size with buckets of eight slots: one read and one write at a known place, and no
//! content that could be damaged beyond a wrong count. A full bucket gives up its first slot.

use rustix::io::{pread, pwrite};

use crate::LogFault;
use crate::files::{Dir, How};

pub(crate) const NAME: &str = "calls";
const BUCKETS: u64 = 1024;
const BUCKET: usize = 128;
/// Eight bytes of the call's hash, then two counters of four.
const SLOT: usize = 16;

/// The number of this call among those of the same session that are alike, from zero.
///
/// Before a tool runs is when it is counted; what comes later about it (permission, result) belongs to the
/// latest of its kind. Where an agent never tells before, the later events are counted themselves.
pub(crate) fn occurrence(session: &Dir, call: &blake3::Hash, phase: &str) -> Result<u64, LogFault> {
    let Some(file) = session.file(NAME, How::Edit)? else { return Ok(0) };
    let tag = call.as_bytes().first_chunk::<8>().copied().unwrap_or_default();
    let offset = u64::from_le_bytes(tag) % BUCKETS * BUCKET as u64;
    let mut bucket = [0; BUCKET];
    let fault = |errno| session.fault(errno, NAME);
    pread(&file.fd, &mut bucket, offset).map_err(fault)?;
    let (place, slot) = find(&bucket, tag);
    let (slot, number) = slot.count(phase == "pre-tool");
    let written = pwrite(&file.fd, &slot.to_bytes(), offset + (place * SLOT) as u64).map_err(fault)?;
    if written == SLOT { Ok(number) } else { Err(fault(rustix::io::Errno::NOSPC)) }
}

#[derive(Clone, Copy)]
struct Slot {
    tag: [u8; 8],
    before: u32,
    after: u32,
}

impl Slot {
    fn of(bytes: &[u8]) -> Self {
        let (tag, counts) = bytes.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        let (before, after) = counts.split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
        let after = after.first_chunk::<4>().unwrap_or(&[0; 4]);
        Self { tag: *tag, before: u32::from_le_bytes(*before), after: u32::from_le_bytes(*after) }
    }

    fn to_bytes(self) -> Vec<u8> {
        [self.tag.as_slice(), &self.before.to_le_bytes(), &self.after.to_le_bytes()].concat()
    }

    fn count(mut self, before: bool) -> (Self, u64) {
        let counter = if before { &mut self.before } else { &mut self.after };
        *counter = counter.saturating_add(1);
        let number = if self.before > 0 { self.before } else { self.after };
        (self, u64::from(number) - 1)
    }
}

/// The slot of a call and its place: its own, else the first free one, else the first.
fn find(bucket: &[u8], tag: [u8; 8]) -> (usize, Slot) {
    let slots = || bucket.chunks(SLOT).map(Slot::of).enumerate();
    slots().find(|(_, slot)| slot.tag == tag).unwrap_or_else(|| {
        let free = slots().find(|(_, slot)| slot.before == 0 && slot.after == 0);
        (free.map_or(0, |(place, _)| place), Slot { tag, before: 0, after: 0 })
    })
}
