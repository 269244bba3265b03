//! Why something could not be kept, in words for people.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

/// Why something could not be kept. None of them outlasts its cause: the next event tries again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// Another process held the lock all the time.
    Locked {
        /// How long we waited.
        waited: Duration,
    },
    /// No room: disk, quota or file size limit.
    Full {
        /// Where.
        path: PathBuf,
    },
    /// The file system is read-only.
    ReadOnly {
        /// Where.
        path: PathBuf,
    },
    /// We may not.
    Denied {
        /// Where.
        path: PathBuf,
    },
    /// What stands there is not what we would have put there, so it was left untouched.
    Unsafe {
        /// Where.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Anything else the system said.
    Io {
        /// Where.
        path: PathBuf,
        /// Its error number.
        code: i32,
    },
}

impl LogFault {
    /// The fault that an error number at `path` means.
    pub(crate) fn of(errno: Errno, path: &Path) -> Self {
        let path = path.to_owned();
        match errno {
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Self::Full { path },
            Errno::ROFS => Self::ReadOnly { path },
            Errno::ACCESS | Errno::PERM => Self::Denied { path },
            Errno::LOOP | Errno::MLINK => Self::Unsafe { path, why: "is a symbolic link" },
            Errno::NOTDIR => Self::Unsafe { path, why: "is not a directory, or lies below a file" },
            Errno::ISDIR => Self::Unsafe { path, why: "is a directory" },
            Errno::NXIO => Self::Unsafe { path, why: "is not a regular file" },
            other => Self::Io { path, code: other.raw_os_error() },
        }
    }
}

impl fmt::Display for LogFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { waited } => {
                let ms = waited.as_millis();
                write!(
                    out,
                    "another process has held the log for {ms} ms; look for a stopped `tollgate` process"
                )
            }
            Self::Full { path } => {
                write!(out, "no room for `{}`: free some disk space or raise the limit", path.display())
            }
            Self::ReadOnly { path } => {
                write!(
                    out,
                    "`{}` is on a read-only file system; choose another state directory",
                    path.display()
                )
            }
            Self::Denied { path } => {
                write!(out, "no permission for `{}`; it must belong to you and be writable", path.display())
            }
            Self::Unsafe { path, why } => {
                write!(out, "`{}` {why}, so it was left untouched; move it away", path.display())
            }
            Self::Io { path, code } => {
                write!(out, "`{}`: {}", path.display(), std::io::Error::from_raw_os_error(*code))
            }
        }
    }
}

impl std::error::Error for LogFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f04_every_error_says_where_and_what_to_do() {
        let check = |errno: Errno, expected: &str| {
            assert_eq!(LogFault::of(errno, Path::new("/s/log")).to_string(), expected);
        };
        check(Errno::NOSPC, "no room for `/s/log`: free some disk space or raise the limit");
        check(Errno::DQUOT, "no room for `/s/log`: free some disk space or raise the limit");
        check(Errno::ROFS, "`/s/log` is on a read-only file system; choose another state directory");
        check(Errno::ACCESS, "no permission for `/s/log`; it must belong to you and be writable");
        check(Errno::LOOP, "`/s/log` is a symbolic link, so it was left untouched; move it away");
        check(Errno::IO, "`/s/log`: Input/output error (os error 5)");
    }
}
