//! Contents on their way into the store: small ones in memory, large ones copied or cloned at once.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::content::{self, Hashing};
use crate::fault::{Fault, Unsaved};
use crate::manifest::Hash;
use crate::store::Open;

/// A content up to this size lies in the manifest: to sync one file is far quicker than to sync thousands.
const SMALL: usize = 64 << 10;
/// When the small contents of a snapshot are more than this together, they get files of their own.
const INLINE: usize = 32 << 20;
/// More new contents than this are synced together, with everything else on the disk.
const SYNCED_ALONE: usize = 64;

/// The contents of one snapshot.
pub(crate) struct Contents<'a> {
    open: &'a Open,
    time: Duration,
    start: Instant,
    /// Contents that are not in a file yet.
    inline: BTreeMap<Hash, Small>,
    inline_bytes: usize,
    /// Contents that were written and not synced.
    unsynced: Vec<(OwnedFd, Hash)>,
    written: usize,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(open: &'a Open, time: Duration, start: Instant) -> Self {
        Self { open, time, start, inline: BTreeMap::new(), inline_bytes: 0, unsynced: Vec::new(), written: 0 }
    }

    /// Takes in the content of a file.
    pub(crate) fn add(
        &mut self,
        fd: &OwnedFd,
        size: u64,
        extents: &[(u64, u64)],
        path: &Path,
    ) -> Result<Hash, Unsaved> {
        let data: u64 = extents.iter().map(|(_, length)| length).sum();
        match usize::try_from(data).is_ok_and(|data| data <= SMALL) {
            true => self.small(fd, size, extents, path),
            false => self.large(fd, size, extents, path),
        }
    }

    /// The contents that the manifest holds itself.
    pub(crate) fn into_inline(self) -> Vec<(Hash, Vec<u8>)> {
        self.inline.into_iter().map(|(hash, small)| (hash, small.bytes)).collect()
    }

    /// A content that fits into memory: kept there as long as all such together are few.
    fn small(
        &mut self,
        fd: &OwnedFd,
        size: u64,
        extents: &[(u64, u64)],
        path: &Path,
    ) -> Result<Hash, Unsaved> {
        let mut bytes = Vec::new();
        let read = content::each::<Errno>(fd, extents, |_, piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        read.map_err(Fault::at(path))?;
        let mut hashing = Hashing::new(size, extents);
        hashing.add(&bytes);
        let hash = hashing.end();
        if self.inline.contains_key(&hash) {
            return Ok(hash);
        }
        self.inline_bytes += bytes.len() + 64;
        self.inline.insert(hash, Small { extents: extents.to_vec(), bytes });
        if self.inline_bytes > INLINE {
            self.spill()?;
        }
        Ok(hash)
    }

    /// Writes what is only in memory.
    fn spill(&mut self) -> Result<(), Unsaved> {
        for (hash, small) in std::mem::take(&mut self.inline) {
            self.write(&hash, |fd| small.write(fd))?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        hash: &Hash,
        fill: impl FnOnce(&OwnedFd) -> Result<(), Errno>,
    ) -> Result<(), Unsaved> {
        let fault = Fault::at(&self.open.path);
        let (fd, name) = self.open.new_file().map_err(&fault)?;
        if let Err(errno) = fill(&fd).and_then(|()| self.open.keep_object(&name, hash)) {
            self.open.drop_file(&name);
            return Err(fault(errno).into());
        }
        self.keep_for_sync(fd, *hash);
        Ok(())
    }

    fn keep_for_sync(&mut self, fd: OwnedFd, hash: Hash) {
        self.written += 1;
        if self.written <= SYNCED_ALONE {
            self.unsynced.push((fd, hash));
        }
    }

    /// A content that is copied, or cloned, as it is read.
    fn large(
        &mut self,
        fd: &OwnedFd,
        size: u64,
        extents: &[(u64, u64)],
        path: &Path,
    ) -> Result<Hash, Unsaved> {
        let fault = Fault::at(&self.open.path);
        let (new, name) = self.open.new_file().map_err(&fault)?;
        let copied = self.copy(fd, &new, size, extents, path);
        let kept = copied.and_then(|hash| {
            self.open.keep_object(&name, &hash).map_err(&fault)?;
            Ok(hash)
        });
        match &kept {
            Ok(hash) => self.keep_for_sync(new, *hash),
            Err(_) => self.open.drop_file(&name),
        }
        kept
    }

    fn copy(
        &self,
        from: &OwnedFd,
        to: &OwnedFd,
        size: u64,
        extents: &[(u64, u64)],
        path: &Path,
    ) -> Result<Hash, Unsaved> {
        let mut hashing = Hashing::new(size, extents);
        let cloned = content::clone(to, from);
        if !cloned {
            rustix::fs::ftruncate(to, size).map_err(Fault::at(&self.open.path))?;
        }
        // A clone is read instead of the file: nobody writes to it.
        let source = if cloned { to } else { from };
        content::each::<Stop>(source, extents, |offset, piece| {
            hashing.add(piece);
            if self.start.elapsed() > self.time {
                return Err(Stop::Late);
            }
            if cloned { Ok(()) } else { Ok(content::write_at(to, piece, offset)?) }
        })
        .map_err(|stop| match stop {
            Stop::Late => Unsaved::Time(self.time),
            Stop::Errno(errno) => Fault::at(path)(errno).into(),
        })?;
        Ok(hashing.end())
    }

    /// Everything is on disk before the manifest says that it is.
    pub(crate) fn sync(&mut self) -> Result<(), Fault> {
        let fault = Fault::at(&self.open.path);
        if self.written > SYNCED_ALONE {
            return sync_all(&self.open.root).map_err(&fault);
        }
        for (fd, hash) in std::mem::take(&mut self.unsynced) {
            rustix::fs::fsync(&fd).map_err(&fault)?;
            self.open.sync_group(&hash).map_err(&fault)?;
        }
        Ok(())
    }
}

/// A content in memory: the data of its extents, one after the other.
struct Small {
    extents: Vec<(u64, u64)>,
    bytes: Vec<u8>,
}

impl Small {
    /// Writes it as the file lay, which is how all contents lie in the store.
    fn write(&self, fd: &OwnedFd) -> Result<(), Errno> {
        let mut rest = self.bytes.as_slice();
        for (offset, length) in &self.extents {
            let (piece, more) = rest.split_at(rest.len().min(usize::try_from(*length).unwrap_or(usize::MAX)));
            content::write_at(fd, piece, *offset)?;
            rest = more;
        }
        Ok(())
    }
}

/// Why reading ends early.
enum Stop {
    Late,
    Errno(Errno),
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

#[cfg(target_os = "linux")]
fn sync_all(store: &OwnedFd) -> Result<(), Errno> {
    rustix::fs::syncfs(store)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_store: &OwnedFd) -> Result<(), Errno> {
    rustix::fs::sync();
    Ok(())
}
