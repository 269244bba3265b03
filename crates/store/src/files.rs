//! Opening and writing files that only we may have made: no link is followed, and what is opened must be a
//! regular file of ours with one name. Directories are 0700, files 0600.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use crate::LogFault;

/// A directory of ours, held open so that nobody can swap it under us.
pub(crate) struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

/// What a file is opened for.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// To read; not made when missing.
    Read,
    /// To read, and write at any place.
    Edit,
    /// To read, and write at the end.
    Append,
}

/// A checked file with what was known of it when it was opened.
pub(crate) struct File {
    pub(crate) fd: OwnedFd,
    pub(crate) size: u64,
    pub(crate) inode: u64,
    /// Seconds since 1970 of the last change.
    pub(crate) changed: i64,
    /// And the nanoseconds of it.
    pub(crate) nanos: i64,
}

impl File {
    /// All of it, up to `most` bytes. Room is made for what is there and a little more, not for all that could be.
    pub(crate) fn whole(&self, most: usize) -> Result<Vec<u8>, Errno> {
        let room = usize::try_from(self.size).unwrap_or(most).saturating_add(1).min(most);
        read_at(&self.fd, 0, room)
    }
}

/// Why a file that was opened is not used: its name is gone.
pub(crate) const REMOVED: &str = "was removed meanwhile";

const DIR_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Not to hang on a pipe, and not to gain a terminal.
const FILE_FLAGS: OFlags =
    OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Keeps a small note in a state directory: replaced at once, whole or not at all, and only ours to read.
///
/// # Errors
/// When it cannot be written.
pub fn keep_note(state: &Path, name: &str, bytes: &[u8]) -> Result<(), LogFault> {
    let state: PathBuf = state.components().collect();
    Dir::make(&state)?.put(name, bytes, true).map(drop)
}

/// Reads a small note from a state directory. `None` when there is none.
///
/// # Errors
/// When it cannot be read, or is not a file of ours.
pub fn read_note(state: &Path, name: &str, most: usize) -> Result<Option<Vec<u8>>, LogFault> {
    let Some(dir) = Dir::open(&state.components().collect::<PathBuf>())? else { return Ok(None) };
    let Some(file) = dir.file(name, How::Read)? else { return Ok(None) };
    file.whole(most).map(Some).map_err(|errno| dir.fault(errno, name))
}

/// Changes a small note while no other process does. `act` gets what is there (nothing at first) and gives back what is
/// to be there instead, if anything, and a result.
///
/// # Errors
/// When it cannot be read or written, or another process holds it all the time.
pub fn change_note<T>(
    state: &Path,
    name: &str,
    act: impl FnOnce(&[u8]) -> (Option<Vec<u8>>, T),
) -> Result<T, LogFault> {
    let dir = Dir::make(&state.components().collect::<PathBuf>())?;
    let fault = |errno| dir.fault(errno, name);
    let file = dir.file(name, How::Edit)?.ok_or_else(|| fault(Errno::NOENT))?;
    let begun = Instant::now();
    while let Err(errno) = rustix::fs::flock(&file.fd, FlockOperation::NonBlockingLockExclusive) {
        match errno {
            Errno::WOULDBLOCK | Errno::INTR if begun.elapsed() < NOTE_PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Errno::WOULDBLOCK | Errno::INTR => return Err(LogFault::Locked { waited: begun.elapsed() }),
            errno => return Err(fault(errno)),
        }
    }
    let (bytes, result) = act(&read_at(&file.fd, 0, NOTE).map_err(fault)?);
    if let Some(bytes) = bytes {
        rustix::fs::ftruncate(&file.fd, 0).map_err(fault)?;
        let mut at = 0;
        let write = |rest: &[u8]| {
            let count = rustix::io::pwrite(&file.fd, rest, at)?;
            at += count as u64;
            Ok(count)
        };
        write_whole(&bytes, write).map_err(fault)?;
    }
    Ok(result)
}

/// The longest note that is changed in place.
const NOTE: usize = 64 << 10;
/// How long a note that another process changes is waited for.
const NOTE_PATIENCE: Duration = Duration::from_secs(3);

impl Dir {
    /// Opens a directory; `None` when it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, LogFault> {
        match retry_on_intr(|| rustix::fs::openat(CWD, path, DIR_FLAGS, Mode::empty())) {
            Ok(fd) => Self::checked(fd, path.to_owned()).map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(LogFault::of(errno, path)),
        }
    }

    /// Opens a directory, and makes it and all that is missing above it.
    pub(crate) fn make(path: &Path) -> Result<Self, LogFault> {
        if let Some(dir) = Self::open(path)? {
            return Ok(dir);
        }
        make_all(path).map_err(|errno| LogFault::of(errno, path))?;
        Self::open(path)?.ok_or_else(|| LogFault::of(Errno::NOENT, path))
    }

    /// Opens a directory in this one; `None` when it does not exist.
    pub(crate) fn sub(&self, name: &str) -> Result<Option<Self>, LogFault> {
        let path = self.path.join(name);
        match retry_on_intr(|| rustix::fs::openat(&self.fd, name, DIR_FLAGS, Mode::empty())) {
            Ok(fd) => Self::checked(fd, path).map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(LogFault::of(errno, &path)),
        }
    }

    /// Opens a directory in this one, and makes it when missing.
    pub(crate) fn make_sub(&self, name: &str) -> Result<Self, LogFault> {
        if let Some(dir) = self.sub(name)? {
            return Ok(dir);
        }
        match rustix::fs::mkdirat(&self.fd, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(self.fault(errno, name)),
        }
        self.sub(name)?.ok_or_else(|| self.fault(Errno::NOENT, name))
    }

    /// Opens and checks a file; `None` when it is to be read and does not exist.
    pub(crate) fn file(&self, name: &str, how: How) -> Result<Option<File>, LogFault> {
        match self.unchecked(name, how)? {
            Some(fd) => self.check(fd, name).map(Some),
            None => Ok(None),
        }
    }

    /// Opens a file without a look at what it is: `check` must follow before it is read or written.
    pub(crate) fn unchecked(&self, name: &str, how: How) -> Result<Option<OwnedFd>, LogFault> {
        let flags = match how {
            How::Read => OFlags::RDONLY,
            How::Edit => OFlags::RDWR | OFlags::CREATE,
            How::Append => OFlags::RDWR | OFlags::CREATE | OFlags::APPEND,
        };
        let open = || rustix::fs::openat(&self.fd, name, FILE_FLAGS | flags, Mode::RUSR | Mode::WUSR);
        match retry_on_intr(open) {
            Ok(fd) => Ok(Some(fd)),
            Err(Errno::NOENT) if matches!(how, How::Read) => Ok(None),
            Err(errno) => Err(self.fault(errno, name)),
        }
    }

    /// Makes sure that an open file is one that only we may have made.
    pub(crate) fn check(&self, fd: OwnedFd, name: &str) -> Result<File, LogFault> {
        let stat = rustix::fs::fstat(&fd).map_err(|errno| self.fault(errno, name))?;
        if let Some(why) = suspicion(&stat) {
            return Err(LogFault::Unsafe { path: self.path.join(name), why });
        }
        if stat.st_mode & 0o077 != 0 {
            rustix::fs::fchmod(&fd, Mode::RUSR | Mode::WUSR).map_err(|errno| self.fault(errno, name))?;
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        Ok(File { fd, size, inode: stat.st_ino, changed: stat.st_mtime, nanos: stat.st_mtime_nsec as i64 })
    }

    /// Puts a small file in place at once, whole or not at all. With `replace` false an existing file wins,
    /// and `false` comes back.
    pub(crate) fn put(&self, name: &str, bytes: &[u8], replace: bool) -> Result<bool, LogFault> {
        let temporary = temporary_name();
        let outcome = self.put_by(&temporary, name, bytes, replace);
        if !matches!(outcome, Ok(true)) {
            self.remove(&temporary);
        }
        outcome
    }

    fn put_by(&self, temporary: &str, name: &str, bytes: &[u8], replace: bool) -> Result<bool, LogFault> {
        let flags = FILE_FLAGS | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let fault = |errno| self.fault(errno, name);
        let fd = rustix::fs::openat(&self.fd, temporary, flags, Mode::RUSR | Mode::WUSR).map_err(fault)?;
        write_whole(bytes, |rest| rustix::io::write(&fd, rest)).map_err(fault)?;
        let renamed = if replace {
            rustix::fs::renameat(&self.fd, temporary, &self.fd, name)
        } else {
            self.rename_new(temporary, name)
        };
        match renamed {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(errno) => Err(fault(errno)),
        }
    }

    /// Renames unless the target exists. Where the file system cannot do both at once, a look comes first.
    pub(crate) fn rename_new(&self, from: &str, to: &str) -> Result<(), Errno> {
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if !self.exists(to) => {
                rustix::fs::renameat(&self.fd, from, &self.fd, to)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(Errno::EXIST),
            outcome => outcome,
        }
    }

    /// Something stands there, whatever it is.
    pub(crate) fn exists(&self, name: &str) -> bool {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Removes a file, if it can.
    pub(crate) fn remove(&self, name: &str) -> bool {
        rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()).is_ok()
    }

    /// Removes an empty directory, if it can.
    pub(crate) fn remove_dir(&self, name: &str) -> bool {
        rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR).is_ok()
    }

    /// The names in it, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, LogFault> {
        let fault = |errno| LogFault::of(errno, &self.path);
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            names.extend(entry.file_name().to_str().ok().map(str::to_owned));
        }
        names.retain(|name| name != "." && name != "..");
        names.sort_unstable();
        Ok(names)
    }

    /// Waits until the names in it are on the disk.
    pub(crate) fn sync(&self) -> Result<(), Errno> {
        rustix::fs::fsync(&self.fd)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The fault of an error at a name in this directory.
    pub(crate) fn fault(&self, errno: Errno, name: impl AsRef<OsStr>) -> LogFault {
        LogFault::of(errno, &self.path.join(name.as_ref()))
    }

    fn checked(fd: OwnedFd, path: PathBuf) -> Result<Self, LogFault> {
        let stat = rustix::fs::fstat(&fd).map_err(|errno| LogFault::of(errno, &path))?;
        if stat.st_uid != user() {
            return Err(LogFault::Unsafe { path, why: "belongs to another user" });
        }
        if stat.st_mode & 0o022 != 0 {
            return Err(LogFault::Unsafe { path, why: "is writable by other users" });
        }
        Ok(Self { fd, path })
    }
}

/// Writes all bytes, whatever pieces the system takes them in.
pub(crate) fn write_whole(
    bytes: &[u8],
    mut write: impl FnMut(&[u8]) -> Result<usize, Errno>,
) -> Result<(), Errno> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match write(rest) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Reads up to `limit` bytes from `offset`.
pub(crate) fn read_at(fd: &OwnedFd, offset: u64, limit: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = vec![0; limit];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        let count = retry_on_intr(|| rustix::io::pread(fd, &mut *room, offset + filled as u64))?;
        if count == 0 {
            break;
        }
        filled += count;
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn suspicion(stat: &Stat) -> Option<&'static str> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Some("is not a regular file");
    }
    if stat.st_uid != user() {
        return Some("belongs to another user");
    }
    match stat.st_nlink {
        0 => Some(REMOVED),
        1 => None,
        _ => Some("has other names (hard links)"),
    }
}

/// Who we are; no process of ours ever becomes another user.
fn user() -> u32 {
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

fn make_all(path: &Path) -> Result<(), Errno> {
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(Errno::NOENT) => {
            make_all(path.parent().ok_or(Errno::NOENT)?)?;
            match rustix::fs::mkdir(path, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(errno) => Err(errno),
            }
        }
        Err(errno) => Err(errno),
    }
}

/// Unique in its directory as long as the processes that share it are; O_EXCL sees to the rest.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |age| age.subsec_nanos());
    format!(".new-{}-{nanos}-{count}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each step is what one `write` answers.
    fn check(steps: &[Result<usize, Errno>], expected: Result<&str, Errno>) {
        let mut seen = Vec::new();
        let mut steps = steps.iter();
        let outcome = write_whole(b"abcdef", |rest| {
            let step = *steps.next().expect("no write after the last step");
            if let Ok(count) = step {
                seen.extend_from_slice(&rest[..count]);
            }
            step
        });
        let seen = String::from_utf8(seen).unwrap();
        assert_eq!(outcome.map(|()| seen.as_str()), expected);
    }

    #[test]
    fn f04_short_and_interrupted_writes_are_completed() {
        check(&[Ok(6)], Ok("abcdef"));
        check(&[Ok(1), Ok(2), Ok(3)], Ok("abcdef"));
        check(&[Err(Errno::INTR), Ok(4), Err(Errno::INTR), Err(Errno::INTR), Ok(2)], Ok("abcdef"));
        check(&[Ok(3), Err(Errno::NOSPC)], Err(Errno::NOSPC));
        check(&[Err(Errno::IO)], Err(Errno::IO));
        check(&[Ok(0)], Err(Errno::IO));
    }
}
