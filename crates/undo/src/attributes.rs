//! Modes, owners, times and extended attributes: read and put back.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Gid, Mode, Stat, Timespec, Timestamps, Uid, XattrFlags};
use rustix::io::Errno;

use crate::manifest::{Attributes, Time};

/// Permission bits, with set-id and sticky.
const BITS: u32 = 0o7777;
/// The kernel allows no larger value of an extended attribute.
const LONGEST: usize = 64 << 10;

/// The attributes of an open file or folder.
pub(crate) fn of_open(fd: &OwnedFd, stat: &Stat) -> Result<Attributes, Errno> {
    Ok(Attributes { xattrs: xattrs(fd)?, ..of_stat(stat) })
}

/// What a `stat` tells.
#[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
pub(crate) fn of_stat(stat: &Stat) -> Attributes {
    Attributes {
        mode: stat.st_mode as u32 & BITS,
        uid: stat.st_uid,
        gid: stat.st_gid,
        accessed: Time(stat.st_atime as i64, stat.st_atime_nsec as i64),
        modified: Time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: Time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        identity: (stat.st_dev as u64, stat.st_ino as u64),
        links: stat.st_nlink as u64,
        xattrs: Vec::new(),
    }
}

/// Names and values.
type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn xattrs(fd: &OwnedFd) -> Result<Pairs, Errno> {
    let mut list = Vec::new();
    match rustix::fs::flistxattr_query(fd) {
        Ok(0) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(list),
        Ok(_) => {}
        Err(errno) => return Err(errno),
    }
    let mut names = vec![0_u8; LONGEST];
    let length = rustix::fs::flistxattr(fd, &mut *names)?;
    let mut value = vec![0_u8; LONGEST];
    for name in
        names.get(..length).unwrap_or_default().split(|byte| *byte == 0).filter(|name| !name.is_empty())
    {
        let length = rustix::fs::fgetxattr(fd, name, &mut *value)?;
        list.push((name.to_vec(), value.get(..length).unwrap_or_default().to_vec()));
    }
    list.sort();
    Ok(list)
}

/// Puts back everything but the times.
pub(crate) fn put(fd: &OwnedFd, wanted: &Attributes) -> Result<(), Errno> {
    let now = rustix::fs::fstat(fd)?;
    if (now.st_uid, now.st_gid) != (wanted.uid, wanted.gid) {
        rustix::fs::fchown(fd, Some(Uid::from_raw(wanted.uid)), Some(Gid::from_raw(wanted.gid)))?;
    }
    put_xattrs(fd, wanted)?;
    // After the owner: a change of that takes the set-id bits away.
    rustix::fs::fchmod(fd, mode(wanted))
}

/// The permission bits.
pub(crate) fn mode(wanted: &Attributes) -> Mode {
    Mode::from_raw_mode(wanted.mode as rustix::fs::RawMode)
}

fn put_xattrs(fd: &OwnedFd, wanted: &Attributes) -> Result<(), Errno> {
    let there = xattrs(fd)?;
    for (name, _) in there.iter().filter(|(name, _)| wanted.xattrs.iter().all(|(other, _)| other != name)) {
        lenient(name, rustix::fs::fremovexattr(fd, &**name))?;
    }
    for pair in wanted.xattrs.iter().filter(|pair| !there.contains(pair)) {
        let (name, value) = pair;
        lenient(name, rustix::fs::fsetxattr(fd, &**name, value, XattrFlags::empty()))?;
    }
    Ok(())
}

/// Labels of security modules are the system's: it sets them by its own rules, and lets few others do it.
fn lenient(name: &[u8], result: Result<(), Errno>) -> Result<(), Errno> {
    match result {
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) if name.starts_with(b"security.") => Ok(()),
        result => result,
    }
}

/// Puts the times back.
pub(crate) fn put_times(fd: &OwnedFd, wanted: &Attributes) -> Result<(), Errno> {
    rustix::fs::futimens(fd, &times(wanted))
}

/// Puts owner and times of a symlink back.
pub(crate) fn put_on_link(folder: impl AsFd, name: &OsStr, wanted: &Attributes) -> Result<(), Errno> {
    let now = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if (now.st_uid, now.st_gid) != (wanted.uid, wanted.gid) {
        let owner = (Some(Uid::from_raw(wanted.uid)), Some(Gid::from_raw(wanted.gid)));
        rustix::fs::chownat(&folder, name, owner.0, owner.1, AtFlags::SYMLINK_NOFOLLOW)?;
    }
    rustix::fs::utimensat(&folder, name, &times(wanted), AtFlags::SYMLINK_NOFOLLOW)
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
fn times(wanted: &Attributes) -> Timestamps {
    let spec = |time: Time| Timespec { tv_sec: time.0, tv_nsec: time.1 as _ };
    Timestamps { last_access: spec(wanted.accessed), last_modification: spec(wanted.modified) }
}
