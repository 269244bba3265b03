//! Compiled things that other crates keep beside the policy's snapshot, under the same rules.

use std::path::{Path, PathBuf};

use serde::{Serialize, de::DeserializeOwned};

use crate::beside;
use crate::shelf::Shelf;
use crate::snapshot::{Folders, Stamp};

const MAGIC: &[u8; 8] = b"TGCACHE\x01";
const HASH: usize = 32;

/// What `build` makes of some files, from the state directory as long as the files are what they were. `key` names
/// everything else that it depends on, the program's version included.
pub fn cached<T: Serialize + DeserializeOwned>(
    state_dir: &Path,
    key: &[u8],
    files: &[PathBuf],
    build: impl FnOnce() -> T,
) -> T {
    let mut hasher = blake3::Hasher::new();
    hasher.update(MAGIC).update(env!("CARGO_PKG_VERSION").as_bytes()).update(&[0]).update(key);
    let name = format!("{}.snap", hasher.finalize().to_hex());
    let shelf = Shelf::new(state_dir);
    if let Some(kept) = shelf.read(&name).and_then(|bytes| recall(&bytes)) {
        return kept;
    }
    // Stamped before they are read: what changes meanwhile is seen the next time.
    let stamps = beside::stamps(files);
    let built = build();
    if let Some(bytes) = encode(&stamps, &built) {
        shelf.write(&name, &bytes);
    }
    built
}

fn encode<T: Serialize>(stamps: &[Stamp], built: &T) -> Option<Vec<u8>> {
    let body = postcard::to_allocvec(&(stamps, built)).ok()?;
    Some([MAGIC.as_slice(), blake3::hash(&body).as_bytes(), &body].concat())
}

fn recall<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (hash, body) = bytes.strip_prefix(MAGIC.as_slice())?.split_at_checked(HASH)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (stamps, built): (Vec<Stamp>, T) = postcard::from_bytes(body).ok()?;
    stamps.iter().all(|stamp| stamp.is_current(Folders::default())).then_some(built)
}
