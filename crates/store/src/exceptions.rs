//! Exceptions that a person made for a while: a file for each, named by its id. Looked at only when a call is
//! about to be refused.

use std::path::{Path, PathBuf};

use tollgate_model::{Exemption, json};

use crate::LogFault;
use crate::files::{Dir, How};
use crate::grants::is_code;

const EXCEPTIONS: &str = "exceptions";
/// More than one takes by far.
const LONGEST: usize = 1 << 16;

/// Keeps an exception.
///
/// # Errors
/// When its id is none, or it cannot be written.
pub fn keep_exemption(state: &Path, one: &Exemption) -> Result<(), LogFault> {
    if !is_code(&one.id) {
        return Err(LogFault::Unsafe { path: one.id.as_str().into(), why: "is not an exception's id" });
    }
    let mut text = String::new();
    json::write(&one.value(), &mut text);
    let dir = Dir::make(&whole(state))?.make_sub(EXCEPTIONS)?;
    dir.put(&one.id, text.as_bytes(), true).map(drop)
}

/// Every exception that is kept, run out or not. One that is damaged is none.
///
/// # Errors
/// When they cannot be read.
pub fn list_exemptions(state: &Path) -> Result<Vec<Exemption>, LogFault> {
    let Some(dir) = exceptions(state)? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for name in dir.names()?.iter().filter(|name| is_code(name)) {
        let Some(file) = dir.file(name, How::Read)? else { continue };
        let bytes = file.whole(LONGEST).map_err(|errno| dir.fault(errno, name))?;
        let kept = json::parse(&bytes).ok().as_ref().and_then(Exemption::of);
        all.extend(kept.filter(|one| one.id == *name));
    }
    all.sort_by(|a, b| (a.given, &a.id).cmp(&(b.given, &b.id)));
    Ok(all)
}

/// Takes an exception back. True when there was one.
///
/// # Errors
/// When they cannot be read.
pub fn revoke_exemption(state: &Path, id: &str) -> Result<bool, LogFault> {
    Ok(is_code(id) && exceptions(state)?.is_some_and(|dir| dir.remove(id)))
}

fn exceptions(state: &Path) -> Result<Option<Dir>, LogFault> {
    match Dir::open(&whole(state))? {
        Some(state) => state.sub(EXCEPTIONS),
        None => Ok(None),
    }
}

fn whole(state: &Path) -> PathBuf {
    state.components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_listed_until_it_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let one = Exemption { id: "0a1b2c3d".into(), rule: "x".into(), given: 2, ..Exemption::default() };
        let other = Exemption { id: "ffffffff".into(), given: 1, ..one.clone() };
        assert_eq!(list_exemptions(&state).unwrap(), []);
        keep_exemption(&state, &one).unwrap();
        keep_exemption(&state, &other).unwrap();
        assert_eq!(list_exemptions(&state).unwrap(), [other.clone(), one.clone()]);
        let file = state.join("exceptions/ffffffff");
        let text = std::fs::read_to_string(&file).unwrap();
        for damaged in ["", "{}", &text.replace("ffffffff", "0a1b2c3d")] {
            std::fs::write(&file, damaged).unwrap();
            assert_eq!(list_exemptions(&state).unwrap(), std::slice::from_ref(&one), "{damaged}");
        }
        assert!(revoke_exemption(&state, &one.id).unwrap());
        assert!(!revoke_exemption(&state, &one.id).unwrap());
        assert!(keep_exemption(&state, &Exemption { id: "../x".into(), ..one }).is_err());
    }
}
