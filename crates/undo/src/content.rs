//! Contents: read with their holes, hashed, cloned where the file system can.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{SeekFrom, Stat};
use rustix::io::{Errno, retry_on_intr};

use crate::manifest::{Content, Hash};

/// How much is read at once.
pub(crate) const CHUNK: usize = 256 << 10;

/// Where a file holds data.
pub(crate) fn extents(fd: impl AsFd, stat: &Stat) -> Result<Vec<(u64, u64)>, Errno> {
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    let on_disk = u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
    if size == 0 {
        return Ok(Vec::new());
    }
    // Small files may lie in their inode, with no block of their own.
    if on_disk >= size || size <= 4096 {
        return Ok(vec![(0, size)]);
    }
    let mut extents = Vec::new();
    let mut at = 0;
    while at < size {
        let start = match rustix::fs::seek(&fd, SeekFrom::Data(at)) {
            Ok(start) if start < size => start,
            Ok(_) | Err(Errno::NXIO) => break,
            Err(Errno::INVAL) => return Ok(vec![(0, size)]),
            Err(errno) => return Err(errno),
        };
        let end = rustix::fs::seek(&fd, SeekFrom::Hole(start))?.min(size);
        extents.push((start, end - start));
        at = end;
    }
    Ok(extents)
}

/// Hashes a content: its length, its layout, its data.
pub(crate) struct Hashing(blake3::Hasher);

impl Hashing {
    pub(crate) fn new(size: u64, extents: &[(u64, u64)]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&size.to_le_bytes());
        for (offset, length) in extents {
            hasher.update(&offset.to_le_bytes()).update(&length.to_le_bytes());
        }
        Self(hasher)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn end(&self) -> Hash {
        *self.0.finalize().as_bytes()
    }
}

/// Gives the data of a file to `take`, piece by piece, with the offset of each. A file that ends early ends the reading.
pub(crate) fn each<E: From<Errno>>(
    fd: impl AsFd,
    extents: &[(u64, u64)],
    mut take: impl FnMut(u64, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let largest = extents.iter().map(|(_, length)| *length).max().unwrap_or(0);
    let mut buffer = vec![0_u8; usize::try_from(largest).unwrap_or(CHUNK).clamp(1, CHUNK)];
    for &(offset, length) in extents {
        let mut done = 0;
        while done < length {
            let room = usize::try_from(length - done).unwrap_or(CHUNK).min(buffer.len());
            let piece = buffer.get_mut(..room).unwrap_or_default();
            let count = retry_on_intr(|| rustix::io::pread(&fd, &mut *piece, offset + done))?;
            if count == 0 {
                return Ok(());
            }
            take(offset + done, piece.get(..count).unwrap_or_default())?;
            done += count as u64;
        }
    }
    Ok(())
}

/// Does a file hold exactly this?
pub(crate) fn is_same(fd: &OwnedFd, stat: &Stat, content: &Content) -> Result<bool, Errno> {
    if u64::try_from(stat.st_size) != Ok(content.size) {
        return Ok(false);
    }
    let within = |(start, length): &(u64, u64)| {
        content.extents.iter().any(|(from, long)| from <= start && start + length <= from + long)
    };
    if !extents(fd, stat)?.iter().all(within) {
        return Ok(false);
    }
    let mut hashing = Hashing::new(content.size, &content.extents);
    each::<Errno>(fd, &content.extents, |_, bytes| {
        hashing.add(bytes);
        Ok(())
    })?;
    Ok(hashing.end() == content.hash)
}

/// Writes all of it at an offset.
pub(crate) fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> Result<(), Errno> {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        let count = retry_on_intr(|| rustix::io::pwrite(&fd, rest, offset + done as u64))?;
        if count == 0 {
            return Err(Errno::NOSPC);
        }
        done += count;
    }
    Ok(())
}

/// Can files in this folder share their blocks? Tried with two files that have no name.
#[cfg(target_os = "linux")]
pub(crate) fn can_clone(folder: &std::path::Path) -> Option<bool> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let nameless = || openat(CWD, folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR).ok();
    Some(clone(nameless()?, nameless()?))
}

/// Can files in this folder share their blocks? Not known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn can_clone(_folder: &std::path::Path) -> Option<bool> {
    None
}

/// Lets a new file share the blocks of another; false where the file systems cannot.
#[cfg(target_os = "linux")]
pub(crate) fn clone(to: impl AsFd, from: impl AsFd) -> bool {
    rustix::fs::ioctl_ficlone(to, from).is_ok()
}

/// Lets a new file share the blocks of another; false where the file systems cannot.
#[cfg(not(target_os = "linux"))]
pub(crate) fn clone(_to: impl AsFd, _from: impl AsFd) -> bool {
    false
}
