//! What a machine keeps since it joined: its fleet, its key, and whom it believes.

use std::path::PathBuf;

use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use tollgate_fleet_protocol::{MachineKey, PublicKey};
use tollgate_store::keep_note;

use crate::client::{Client, Failure};
use crate::files::{Error, Files};

const NAME: &str = "machine.json";
const KEY: &str = "key";
/// The certificates that are trusted instead of the system's.
pub(crate) const CA: &str = "ca.pem";

/// A machine of a fleet. Written once; nothing that a server says later changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The server's address.
    pub server: String,
    /// The fleet's name.
    pub fleet: String,
    /// The machine's id.
    pub machine: String,
    /// The machine's group: bundles for others are refused.
    pub group: String,
    /// The minisign keys of the first bundle; a bundle may name those of the next.
    pub policy_keys: Vec<String>,
    /// Signs grants.
    pub grant_key: PublicKey,
    /// When it joined, in seconds since 1970.
    pub joined: u64,
    /// Are only the certificates in `ca.pem` trusted?
    pub own_ca: bool,
}

impl Member {
    /// The fleet that the machine of a state directory has joined.
    ///
    /// # Errors
    /// When there is something that cannot be read.
    pub fn of(state: &std::path::Path) -> Result<Option<Self>, Error> {
        Self::read(&Files::of(state))
    }

    pub(crate) fn read(files: &Files) -> Result<Option<Self>, Error> {
        files.read(NAME)
    }

    pub(crate) fn keep(&self, files: &Files) -> Result<(), Error> {
        files.keep(NAME, self)
    }

    /// Takes the membership away; the courier ends when it sees that.
    pub(crate) fn remove(files: &Files) {
        let _ = std::fs::remove_file(files.folder.join(NAME));
    }

    /// Whoever speaks for this machine.
    pub(crate) fn client(&self, files: &Files, skew: i64) -> Result<Client, Error> {
        let Some(key) = key(files)? else { return Err(files.fault(KEY, &"it is gone")) };
        if key.public().machine_id() != self.machine {
            return Err(files.fault(KEY, &"it is not the key that joined the fleet"));
        }
        let ca: Option<PathBuf> = self.own_ca.then(|| files.folder.join(CA));
        Ok(Client::new(&self.server, ca.as_deref(), key, skew)?)
    }
}

/// The key that was made before; one that is damaged is none.
pub(crate) fn key(files: &Files) -> Result<Option<MachineKey>, Error> {
    let Some(bytes) = files.bytes(KEY)? else { return Ok(None) };
    let seed: Result<[u8; 32], _> = bytes.as_slice().try_into();
    let seed = seed.map_err(|_| files.fault(KEY, &"it is damaged"))?;
    MachineKey::from_seed(&seed).map(Some).map_err(|error| files.fault(KEY, &error))
}

/// The key that was made before, else a new one. An earlier try to join may have told the server of it.
pub(crate) fn key_or_new(files: &Files) -> Result<MachineKey, Error> {
    if let Some(key) = key(files)? {
        return Ok(key);
    }
    let mut seed = [0; 32];
    let filled = SystemRandom::new().fill(&mut seed);
    filled.map_err(|_| files.fault(KEY, &"this system has no randomness"))?;
    keep_note(&files.folder, KEY, &seed).map_err(|fault| files.fault(KEY, &fault))?;
    MachineKey::from_seed(&seed).map_err(|error| files.fault(KEY, &error))
}

/// For a server that is not joined yet.
pub(crate) fn stranger(
    server: &str,
    ca: Option<&std::path::Path>,
    key: MachineKey,
) -> Result<Client, Failure> {
    Client::new(server, ca, key, 0)
}
