//! Files by an open folder and a name, so that nobody can swap a folder for a symlink between two steps.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use crate::fault::Fault;

/// To walk through a folder needs no right to list it.
#[cfg(target_os = "linux")]
const WALK: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const WALK: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Not to hang on a pipe, and not to gain a terminal.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Opens the folder at an absolute path without following any symlink.
#[cfg(target_os = "linux")]
pub(crate) fn walk(path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let at_once =
        retry_on_intr(|| rustix::fs::openat2(CWD, path, WALK, Mode::empty(), ResolveFlags::NO_SYMLINKS));
    match at_once {
        // Older kernels cannot, and some sandboxes forbid it.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN | Errno::NOTDIR) => step_by_step(path),
        result => result,
    }
}

/// Opens the folder at an absolute path without following any symlink.
#[cfg(not(target_os = "linux"))]
pub(crate) fn walk(path: &Path) -> Result<OwnedFd, Errno> {
    step_by_step(path)
}

fn step_by_step(path: &Path) -> Result<OwnedFd, Errno> {
    let mut at = retry_on_intr(|| rustix::fs::openat(CWD, "/", WALK, Mode::empty()))?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => {
                at = retry_on_intr(|| rustix::fs::openat(&at, name, WALK, Mode::empty()))
                    .map_err(|errno| not_a_folder(&at, name, errno))?;
            }
            _ => return Err(Errno::INVAL),
        }
    }
    Ok(at)
}

/// A symlink on the way is told from a file on the way: Linux says the same of both.
fn not_a_folder(at: &OwnedFd, name: &OsStr, errno: Errno) -> Errno {
    let is_link = || stat(at, name).is_ok_and(|stat| kind(&stat) == FileType::Symlink);
    if matches!(errno, Errno::NOTDIR | Errno::LOOP) && is_link() { Errno::LOOP } else { errno }
}

/// Opens the folder around a path, and gives the name in it.
pub(crate) fn around(path: &Path) -> Result<(OwnedFd, &OsStr), Fault> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Fault::at(path)(Errno::INVAL));
    };
    match walk(folder) {
        Ok(fd) => Ok((fd, name)),
        Err(Errno::LOOP) => Err(Fault::Link(folder.to_owned())),
        Err(errno) => Err(Fault::at(folder)(errno)),
    }
}

/// What stands at a name; a symlink is not followed.
pub(crate) fn stat(folder: impl AsFd, name: &OsStr) -> Result<Stat, Errno> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// What stands at a path, `None` for nothing.
pub(crate) fn look(path: &Path) -> Result<Option<Stat>, Fault> {
    let gone = |errno| matches!(errno, Errno::NOENT | Errno::NOTDIR);
    let (folder, name) = match around(path) {
        Ok(around) => around,
        Err(Fault::System { errno, .. }) if gone(errno) => return Ok(None),
        Err(fault) => return Err(fault),
    };
    match stat(&folder, name) {
        Ok(stat) => Ok(Some(stat)),
        Err(errno) if gone(errno) => Ok(None),
        Err(errno) => Err(Fault::at(path)(errno)),
    }
}

/// What kind of file it is.
pub(crate) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Opens a file to read.
pub(crate) fn read(folder: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| rustix::fs::openat(&folder, name, READ, Mode::empty()))
}

/// Opens a folder to list.
pub(crate) fn list(folder: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| rustix::fs::openat(&folder, name, LIST, Mode::empty()))
}

/// The names in a folder that was opened with `list`.
pub(crate) fn names(folder: &OwnedFd) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// Removes what is at a name, with everything below it. Symlinks are removed, not followed.
pub(crate) fn remove(folder: impl AsFd, name: &OsStr) -> Result<(), Errno> {
    let stat = match stat(&folder, name) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(()),
        Err(errno) => return Err(errno),
    };
    if kind(&stat) != FileType::Directory {
        return rustix::fs::unlinkat(&folder, name, AtFlags::empty());
    }
    let inside = list(&folder, name)?;
    for child in names(&inside)? {
        remove(&inside, OsStr::from_bytes(&child))?;
    }
    rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR)
}
