//! What goes wrong, in people's words.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use crate::size::size_in_words;

/// Why something cannot be saved whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsaved {
    /// More bytes than the budget.
    Bytes(u64),
    /// More files than the budget.
    Files(u64),
    /// More time than the budget.
    Time(Duration),
    /// Something that no copy brings back: a socket, a device.
    Kind(PathBuf, &'static str),
    /// A file that was written to while it was read.
    Changing(PathBuf),
    /// The store lies below a path that is to be saved.
    OwnStore(PathBuf),
    /// The store or a file cannot be read or written.
    Io(Fault),
}

impl fmt::Display for Unsaved {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(most) => write!(out, "more than {} would have to be saved", size_in_words(*most)),
            Self::Files(most) => write!(out, "more than {most} files would have to be saved"),
            Self::Time(most) => write!(out, "saving takes longer than {} ms", most.as_millis()),
            Self::Kind(path, what) => write!(out, "`{}` is {what}", path.display()),
            Self::Changing(path) => write!(out, "`{}` changes while it is saved", path.display()),
            Self::OwnStore(path) => write!(out, "`{}` holds the saved files themselves", path.display()),
            Self::Io(fault) => fault.fmt(out),
        }
    }
}

impl From<Fault> for Unsaved {
    fn from(fault: Fault) -> Self {
        Self::Io(fault)
    }
}

/// Why a store cannot be used, or a snapshot not be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operating system refused.
    System {
        /// What was looked at.
        path: PathBuf,
        /// Its answer.
        errno: Errno,
    },
    /// No snapshot has this id.
    Unknown(String),
    /// A saved copy is not what was written.
    Damaged(PathBuf),
    /// Another process holds the store.
    Busy,
    /// A path leads over a symlink that was not there when it was saved.
    Link(PathBuf),
    /// What stands there now cannot be saved, so that nothing is restored.
    NotSaved(Box<Unsaved>),
}

impl Fault {
    pub(crate) fn at(path: &Path) -> impl Fn(Errno) -> Self + '_ {
        move |errno| Self::System { path: path.to_owned(), errno }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { path, errno } => write!(out, "`{}`: {errno}", path.display()),
            Self::Unknown(id) => write!(out, "no snapshot `{id}`; type `tollgate undo list` to see all"),
            Self::Damaged(path) => write!(out, "the saved copy `{}` is damaged", path.display()),
            Self::Busy => write!(out, "another process cleans up the saved files; try again"),
            Self::Link(path) => write!(out, "`{}` is a symlink now; restore to it by hand", path.display()),
            Self::NotSaved(why) => write!(out, "what is there now cannot be saved first: {why}"),
        }
    }
}

impl std::error::Error for Fault {}
