//! How large the transcripts were when they were last compared: one that shrank lost calls that nobody can check.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use tollgate_store::keep_note;

use crate::table::bytes;
use crate::transcripts::Transcript;

const NAME: &str = "transcripts.json";

/// A transcript that is shorter than it was.
pub struct Shrunk {
    path: String,
    before: u64,
    now: u64,
}

impl fmt::Display for Shrunk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, before, now } = self;
        write!(out, "{path}: {} of {} are left; its calls cannot be compared", bytes(*now), bytes(*before))
    }
}

/// Compares with the last time, and remembers this one. A transcript that is gone is no alarm: agents clean up.
pub fn compare(state: &Path, transcripts: &[Transcript]) -> Vec<Shrunk> {
    let kept = std::fs::read(state.join(NAME)).ok();
    let mut sizes: BTreeMap<String, u64> =
        kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let mut shrunk = Vec::new();
    for transcript in transcripts {
        let name = transcript.path.to_string_lossy().into_owned();
        let before = sizes.get(&name).copied().unwrap_or(0);
        if transcript.size < before {
            shrunk.push(Shrunk { path: name, before, now: transcript.size });
        } else {
            sizes.insert(name, transcript.size);
        }
    }
    sizes.retain(|name, _| Path::new(name).exists());
    if sizes.is_empty() {
        return shrunk;
    }
    // What cannot be remembered is compared again next time; the audit itself is not harmed.
    let _ = keep_note(state, NAME, &serde_json::to_vec(&sizes).unwrap_or_default());
    shrunk
}
