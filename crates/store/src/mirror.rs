//! Files for people in the workspace. No link is followed, and what is not a plain file is left alone.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::LogFault;
use crate::files::{temporary_name, write_whole};

/// Writes a file below a folder, whole or not at all.
///
/// # Errors
/// When it cannot be written, or a link or something else that is no plain file stands in the way.
pub fn write_mirror(root: &Path, path: &str, text: &str) -> Result<(), LogFault> {
    let fault = |errno| LogFault::of(errno, &root.join(path));
    let (folder, name) = open(root, path, true)?;
    if let Some(why) = obstacle(&folder, name) {
        return Err(LogFault::Unsafe { path: root.join(path), why });
    }
    let temporary = temporary_name();
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&folder, &temporary, flags, Mode::RUSR | Mode::WUSR).map_err(fault)?;
    let written = write_whole(text.as_bytes(), |rest| rustix::io::write(&file, rest))
        .and_then(|()| rustix::fs::renameat(&folder, &temporary, &folder, name));
    if written.is_err() {
        let _ = rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty());
    }
    written.map_err(fault)
}

/// Takes such a file away again, if it is one.
pub fn remove_mirror(root: &Path, path: &str) {
    if let Ok((folder, name)) = open(root, path, false)
        && obstacle(&folder, name).is_none()
    {
        let _ = rustix::fs::unlinkat(&folder, name, AtFlags::empty());
    }
}

fn open<'p>(root: &Path, path: &'p str, make: bool) -> Result<(OwnedFd, &'p str), LogFault> {
    let fault = |errno| LogFault::of(errno, &root.join(path));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::openat(CWD, root, flags, Mode::empty()).map_err(fault)?;
    let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
    while let Some(name) = names.next() {
        if name == ".." || name == "." {
            return Err(fault(Errno::INVAL));
        }
        if names.peek().is_none() {
            return Ok((folder, name));
        }
        if make {
            match rustix::fs::mkdirat(&folder, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(fault(errno)),
            }
        }
        folder = rustix::fs::openat(&folder, name, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(fault)?;
    }
    Err(fault(Errno::INVAL))
}

/// Why what stands there must not be replaced.
fn obstacle(folder: &OwnedFd, name: &str) -> Option<&'static str> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink == 1 => None,
        FileType::RegularFile => Some("has other names (hard links)"),
        FileType::Symlink => Some("is a symbolic link"),
        _ => Some("is not a regular file"),
    }
}
