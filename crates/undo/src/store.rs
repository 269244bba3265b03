//! The store's folders and files: opened without following symlinks, and only ours.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::content;
use crate::fault::Fault;
use crate::folder;
use crate::manifest::{self, FRAME, Hash, Manifest};

/// The store's folder in the state directory.
const FOLDER: &str = "undo";
pub(crate) const OBJECTS: &str = "objects";
const SNAPSHOTS: &str = "snapshots";
const NEW: &str = "new";
const CALLS: &str = "calls";
const LOCK: &str = "lock";

/// The largest manifest that is read.
const MOST: usize = 256 << 20;

/// Letters that people do not mix up.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// How long an id is, as long as it is free.
const ID: usize = 4;
const LONGEST_ID: usize = 12;

/// Where snapshots are kept. Nothing is opened before something is saved or read.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
}

/// A snapshot and its name.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// `u-7F3K`.
    pub id: String,
    /// What it says.
    pub manifest: Manifest,
}

/// Is it an id of a snapshot?
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.strip_prefix("u-").is_some_and(|letters| {
        (ID..=LONGEST_ID).contains(&letters.len()) && letters.bytes().all(|byte| LETTERS.contains(&byte))
    })
}

impl Store {
    /// The store in a state directory.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        Self { path: state.join(FOLDER) }
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Can saved files share their blocks with others on the store's file system? `None` where that cannot be tried. Leaves
    /// nothing behind.
    #[must_use]
    pub fn can_clone(&self) -> Option<bool> {
        let folder = self.path().ancestors().find(|folder| folder.is_dir())?;
        content::can_clone(folder)
    }

    /// Every whole snapshot, newest first, without small contents.
    ///
    /// # Errors
    /// When the store is there and cannot be read.
    pub fn list(&self) -> Result<Vec<Snapshot>, Fault> {
        let Some(open) = self.open()? else { return Ok(Vec::new()) };
        let mut all: Vec<Snapshot> = open.ids()?.into_iter().filter_map(|id| open.told(id)).collect();
        all.sort_by(|a, b| (b.manifest.head.time, &b.id).cmp(&(a.manifest.head.time, &a.id)));
        Ok(all)
    }

    /// One snapshot, checked.
    ///
    /// # Errors
    /// When there is none, or it is not whole.
    pub fn find(&self, id: &str) -> Result<Snapshot, Fault> {
        let unknown = || Fault::Unknown(id.to_owned());
        let open = self.open()?.filter(|_| is_id(id)).ok_or_else(unknown)?;
        open.snapshot(id)
    }

    /// The open store; `None` when nothing was ever saved.
    pub(crate) fn open(&self) -> Result<Option<Open>, Fault> {
        match Open::at(&self.path) {
            Ok(open) => Ok(Some(open)),
            Err(Fault::System { errno: Errno::NOENT, .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// The open store, made where it is missing.
    pub(crate) fn make(&self) -> Result<Open, Fault> {
        if let Some(open) = self.open()? {
            return Ok(open);
        }
        for name in [OBJECTS, NEW, CALLS, SNAPSHOTS] {
            make_all(&self.path.join(name))?;
        }
        Open::at(&self.path)
    }
}

fn make_all(path: &Path) -> Result<(), Fault> {
    match rustix::fs::mkdirat(CWD, path, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(Errno::NOENT) => {
            let above = path.parent().ok_or_else(|| Fault::at(path)(Errno::NOENT))?;
            make_all(above)?;
            make_all(path)
        }
        Err(errno) => Err(Fault::at(path)(errno)),
    }
}

/// The store's folders, open.
pub(crate) struct Open {
    pub(crate) path: PathBuf,
    pub(crate) root: OwnedFd,
    pub(crate) objects: OwnedFd,
    pub(crate) snapshots: OwnedFd,
    pub(crate) new: OwnedFd,
    pub(crate) calls: OwnedFd,
}

/// Held while a snapshot is written, or, alone, while objects are removed.
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock ends with it")] OwnedFd);

impl Open {
    fn at(path: &Path) -> Result<Self, Fault> {
        let fault = Fault::at(path);
        let root = folder::list(CWD, path.as_os_str()).map_err(&fault)?;
        let stat = rustix::fs::fstat(&root).map_err(&fault)?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(fault(Errno::PERM));
        }
        if stat.st_mode & 0o077 != 0 {
            rustix::fs::fchmod(&root, Mode::RWXU).map_err(&fault)?;
        }
        let sub = |name: &str| folder::list(&root, OsStr::new(name)).map_err(&fault);
        // Made last of all, so that a store that is only half made is made again.
        let snapshots = sub(SNAPSHOTS)?;
        let (objects, new, calls) = (sub(OBJECTS)?, sub(NEW)?, sub(CALLS)?);
        Ok(Self { path: path.to_owned(), objects, snapshots, new, calls, root })
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self, alone: bool, patience: Duration) -> Result<Lock, Fault> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = self.path.join(LOCK);
        let fault = Fault::at(&path);
        let fd = rustix::fs::openat(&self.root, LOCK, flags, Mode::RUSR | Mode::WUSR).map_err(&fault)?;
        let how = match alone {
            true => FlockOperation::NonBlockingLockExclusive,
            false => FlockOperation::NonBlockingLockShared,
        };
        let start = Instant::now();
        loop {
            match rustix::fs::flock(&fd, how) {
                Ok(()) => return Ok(Lock(fd)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if start.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(Fault::Busy),
                Err(errno) => return Err(fault(errno)),
            }
        }
    }

    pub(crate) fn ids(&self) -> Result<Vec<String>, Fault> {
        let names = folder::names(&self.snapshots).map_err(Fault::at(&self.path))?;
        Ok(names
            .into_iter()
            .filter_map(|name| String::from_utf8(name).ok())
            .filter(|name| is_id(name))
            .collect())
    }

    /// A snapshot without its small contents, unchecked.
    pub(crate) fn told(&self, id: String) -> Option<Snapshot> {
        let fd = folder::read(&self.snapshots, OsStr::new(&id)).ok()?;
        let frame = read_up_to(&fd, 0, FRAME).ok()?;
        let length = manifest::told_length(&frame).filter(|length| *length <= MOST)?;
        let manifest = manifest::decode_told(&read_up_to(&fd, FRAME as u64, length).ok()?)?;
        Some(Snapshot { id, manifest })
    }

    /// A snapshot, checked.
    pub(crate) fn snapshot(&self, id: &str) -> Result<Snapshot, Fault> {
        let path = self.path.join(SNAPSHOTS).join(id);
        let fd = match folder::read(&self.snapshots, OsStr::new(id)) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Err(Fault::Unknown(id.to_owned())),
            Err(errno) => return Err(Fault::at(&path)(errno)),
        };
        let bytes = read_up_to(&fd, 0, MOST).map_err(Fault::at(&path))?;
        let manifest = manifest::decode(&bytes).ok_or(Fault::Damaged(path))?;
        Ok(Snapshot { id: id.to_owned(), manifest })
    }

    /// A new file that nobody knows yet.
    pub(crate) fn new_file(&self) -> Result<(OwnedFd, String), Errno> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}-{:x}", std::process::id(), nanos());
            match rustix::fs::openat(&self.new, &name, flags, Mode::RUSR | Mode::WUSR) {
                Ok(fd) => return Ok((fd, name)),
                Err(Errno::EXIST | Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    /// Gives up a new file.
    pub(crate) fn drop_file(&self, name: &str) {
        // What stays is removed with the next clean-up.
        let _ = rustix::fs::unlinkat(&self.new, name, AtFlags::empty());
    }

    /// Puts a new file in its place among the contents.
    pub(crate) fn keep_object(&self, name: &str, hash: &Hash) -> Result<(), Errno> {
        let object = object_name(hash);
        match rustix::fs::renameat(&self.new, name, &self.objects, &object) {
            Err(Errno::NOENT) => {
                let group = object.split('/').next().unwrap_or_default();
                match rustix::fs::mkdirat(&self.objects, group, Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno),
                }
                rustix::fs::renameat(&self.new, name, &self.objects, &object)
            }
            result => result,
        }
    }

    /// Makes sure that the name of a content is on disk.
    pub(crate) fn sync_group(&self, hash: &Hash) -> Result<(), Errno> {
        let object = object_name(hash);
        let group = object.split('/').next().unwrap_or_default();
        rustix::fs::fsync(&folder::list(&self.objects, OsStr::new(group))?)?;
        rustix::fs::fsync(&self.objects)
    }

    /// Opens a content.
    pub(crate) fn object(&self, hash: &Hash) -> Result<OwnedFd, Fault> {
        let name = object_name(hash);
        folder::read(&self.objects, OsStr::new(&name))
            .map_err(Fault::at(&self.path.join(OBJECTS).join(&name)))
    }

    /// Puts a manifest in its place, under a free id. Syncing it once it is there syncs its name as well, on the file
    /// systems that keep a journal; one that was cut short by a power failure is known by its checksum.
    pub(crate) fn keep_manifest(&self, manifest: &Manifest, synced: bool) -> Result<String, Fault> {
        let fault = Fault::at(&self.path);
        let bytes = manifest::encode(manifest).ok_or_else(|| fault(Errno::FBIG))?;
        let (fd, name) = self.new_file().map_err(&fault)?;
        let written = content::write_at(&fd, &bytes, 0).map_err(&fault);
        let id = written
            .and_then(|()| self.name_manifest(&name, &bytes))
            .inspect_err(|_| self.drop_file(&name))?;
        if synced && let Err(errno) = rustix::fs::fsync(&fd) {
            self.forget(&id)?;
            return Err(fault(errno));
        }
        Ok(id)
    }

    fn name_manifest(&self, name: &str, bytes: &[u8]) -> Result<String, Fault> {
        for turn in 0_u8..64 {
            let id = new_id(bytes, turn);
            match claim(&self.new, name, &self.snapshots, &id) {
                Ok(()) => return Ok(id),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(Fault::at(&self.path)(errno)),
            }
        }
        Err(Fault::at(&self.path)(Errno::EXIST))
    }

    /// Removes a snapshot. Its contents go with the next clean-up.
    pub(crate) fn forget(&self, id: &str) -> Result<(), Fault> {
        let path = self.path.join(SNAPSHOTS).join(id);
        rustix::fs::unlinkat(&self.snapshots, id, AtFlags::empty()).map_err(Fault::at(&path))
    }
}

/// `ab/cdef…`.
pub(crate) fn object_name(hash: &Hash) -> String {
    let hex = blake3::Hash::from_bytes(*hash).to_hex();
    let (group, rest) = hex.split_at_checked(2).unwrap_or_default();
    format!("{group}/{rest}")
}

/// Renames, unless the new name is taken. Not every file system can do that in one step.
fn claim(from: &OwnedFd, name: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            rustix::fs::linkat(from, name, to, new, AtFlags::empty())?;
            rustix::fs::unlinkat(from, name, AtFlags::empty())
        }
        result => result,
    }
}

/// Longer with each turn, so that a full store still finds a free one.
fn new_id(bytes: &[u8], turn: u8) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytes).update(&nanos().to_le_bytes()).update(&std::process::id().to_le_bytes());
    hasher.update(&[turn]);
    let length = (ID + usize::from(turn / 8)).min(LONGEST_ID);
    let letters = hasher.finalize().as_bytes().iter().take(length).copied().collect::<Vec<u8>>();
    let letter = |byte: u8| LETTERS.get(usize::from(byte % 32)).map_or('0', |letter| char::from(*letter));
    format!("u-{}", letters.into_iter().map(letter).collect::<String>())
}

fn nanos() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

/// Reads up to `most` bytes from an offset.
pub(crate) fn read_up_to(fd: &OwnedFd, offset: u64, most: usize) -> Result<Vec<u8>, Errno> {
    let size = usize::try_from(rustix::fs::fstat(fd)?.st_size).unwrap_or(0);
    let mut bytes = Vec::with_capacity(size.min(most));
    content::each::<Errno>(fd, &[(offset, most as u64)], |_, piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// The path of these bytes.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_told_from_other_names() {
        let id = new_id(b"x", 0);
        assert!(is_id(&id) && id.len() == 6, "{id}");
        assert_eq!(new_id(b"x", 63).len(), 13);
        assert!(["u-", "u-7F3", "u-7f3k", "u-../..", "x-7F3K", ""].iter().all(|text| !is_id(text)));
    }
}
