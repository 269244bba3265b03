//! The courier's files: all below one folder of the state directory, which no tool call of an agent may touch.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tollgate_store::{keep_note, read_note};

use crate::client::Failure;

/// The folder, below the state directory.
pub const FOLDER: &str = "fleet";
/// Larger than any note kept here but a bundle.
const MOST: usize = 1 << 20;

/// Why something about the fleet failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of ours cannot be read or written.
    #[error("cannot use `{}`: {why}", path.display())]
    Files {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// There is no fleet.
    #[error("this machine has not joined a fleet; to join one, run: tollgate fleet join URL --token TOKEN")]
    NotJoined,
    /// There is one already.
    #[error("this machine has joined the fleet `{0}` already; to leave it, run: tollgate fleet leave")]
    Joined(String),
    /// What the person or the server said does not fit.
    #[error("{0}")]
    Refused(String),
    /// The server did not answer, or said no.
    #[error(transparent)]
    Request(#[from] Failure),
}

/// The folder of a state directory.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) state: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Files {
    pub(crate) fn of(state: &Path) -> Self {
        Self { state: state.to_owned(), folder: state.join(FOLDER) }
    }

    /// Reads a note. `None` when there is none.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| self.fault(name, &error))
    }

    /// The bytes of a note. `None` when there is none.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        read_note(&self.folder, name, MOST).map_err(|fault| self.fault(name, &fault))
    }

    /// Replaces a note, whole or not at all; only its owner can read it.
    pub(crate) fn keep<T: Serialize>(&self, name: &str, value: &T) -> Result<(), Error> {
        let bytes = serde_json::to_vec(value).map_err(|error| self.fault(name, &error))?;
        keep_note(&self.folder, name, &bytes).map_err(|fault| self.fault(name, &fault))
    }

    /// A fault at a name in the folder.
    pub(crate) fn fault(&self, name: &str, why: &dyn std::fmt::Display) -> Error {
        Error::Files { path: self.folder.join(name), why: why.to_string() }
    }
}
