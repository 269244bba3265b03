use std::io::Read;
use std::path::Path;

use crate::files::{Dir, How, read_at};

const NAME: &str = "redact.key";
const LENGTH: usize = 32;

/// The installation's key, made when there is none. `None` when it cannot be had safely.
pub(crate) fn load(state: &Path) -> Option<[u8; LENGTH]> {
    let dir = Dir::make(&state.components().collect::<std::path::PathBuf>()).ok()?;
    if let Some(key) = read(&dir)? {
        return Some(key);
    }
    // A file of another length was cut short by a crash of the machine. Two processes may both replace it;
    // then a few stand-ins do not match later ones, and nothing worse.
    dir.put(NAME, &random()?, dir.exists(NAME)).ok()?;
    read(&dir)?
}

/// `Some(None)` when there is no usable key yet.
fn read(dir: &Dir) -> Option<Option<[u8; LENGTH]>> {
    let Some(file) = dir.file(NAME, How::Read).ok()? else { return Some(None) };
    Some(read_at(&file.fd, 0, LENGTH + 1).ok()?.try_into().ok())
}

fn random() -> Option<[u8; LENGTH]> {
    let mut key = [0; LENGTH];
    std::fs::File::open("/dev/urandom").ok()?.read_exact(&mut key).ok()?;
    Some(key)
}
