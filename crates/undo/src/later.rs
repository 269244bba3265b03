//! What a call left: looked at when the host says that it ended, so that later changes are told from its own.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::AtFlags;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::attributes;
use crate::content;
use crate::fault::Fault;
use crate::folder;
use crate::manifest::{Head, Time};
use crate::store::{Open, Store, is_id, read_up_to};

/// The largest file of this kind that is read.
const MOST: usize = 64 << 20;

/// What a path was right after the call: nothing, or a file that any change gives another mark.
pub(crate) type Mark = Option<((u64, u64), Time)>;

/// What every path of a snapshot was right after the call, in the order of its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Aftermath {
    pub(crate) time: i64,
    pub(crate) marks: Vec<Mark>,
}

impl Store {
    /// The host says that a call has ended: keeps what it left at the paths of its snapshot. Returns whether it had one.
    ///
    /// # Errors
    /// When that cannot be kept. Then later changes are told by their time.
    pub fn end_call(&self, agent: &str, session: &str, call_id: &str) -> Result<bool, Fault> {
        if call_id.is_empty() {
            return Ok(false);
        }
        let name = call_name(agent, session, call_id);
        // Most calls have no snapshot: one look is all that they cost.
        if self.path().join("calls").join(&name).symlink_metadata().is_err() {
            return Ok(false);
        }
        let Some(open) = self.open()? else { return Ok(false) };
        let Ok(fd) = folder::read(&open.calls, OsStr::new(&name)) else { return Ok(false) };
        let id = read_up_to(&fd, 0, 64).map_err(Fault::at(&open.path))?;
        let id = String::from_utf8(id).unwrap_or_default();
        let Some(snapshot) = Some(id).filter(|id| is_id(id)).and_then(|id| open.told(id)) else {
            return Ok(false);
        };
        let marks = snapshot.manifest.entries.iter().map(|entry| mark(entry.path())).collect();
        open.keep_aftermath(&snapshot.id, &Aftermath { time: crate::capture::micros(), marks })?;
        // A name that stays is removed with the next clean-up.
        let _ = rustix::fs::unlinkat(&open.calls, &name, AtFlags::empty());
        Ok(true)
    }
}

impl Open {
    /// Notes which snapshot belongs to a call that is about to run. Without the note later changes are told by their time.
    pub(crate) fn begin_call(&self, head: &Head, id: &str) {
        if head.call_id.is_empty() {
            return;
        }
        let name = call_name(&head.agent, &head.session, &head.call_id);
        if let Ok((fd, new)) = self.new_file() {
            let kept = content::write_at(&fd, id.as_bytes(), 0)
                .and_then(|()| rustix::fs::renameat(&self.new, &new, &self.calls, &name));
            if kept.is_err() {
                self.drop_file(&new);
            }
        }
    }

    fn keep_aftermath(&self, id: &str, aftermath: &Aftermath) -> Result<(), Fault> {
        let fault = Fault::at(&self.path);
        let bytes = postcard::to_allocvec(aftermath).map_err(|_| fault(Errno::FBIG))?;
        let (fd, name) = self.new_file().map_err(&fault)?;
        let kept = content::write_at(&fd, &bytes, 0)
            .and_then(|()| rustix::fs::renameat(&self.new, &name, &self.snapshots, after_name(id)));
        kept.map_err(|errno| {
            self.drop_file(&name);
            fault(errno)
        })
    }

    /// What the call of a snapshot left, if the host said that it ended.
    pub(crate) fn aftermath(&self, id: &str) -> Option<Aftermath> {
        let fd = folder::read(&self.snapshots, OsStr::new(&after_name(id))).ok()?;
        postcard::from_bytes(&read_up_to(&fd, 0, MOST).ok()?).ok()
    }
}

pub(crate) fn after_name(id: &str) -> String {
    format!("{id}.after")
}

/// A path's mark now.
pub(crate) fn mark(path: &Path) -> Mark {
    let now = attributes::of_stat(&folder::look(path).ok()??);
    Some((now.identity, now.changed))
}

/// Call ids are the agent's words, so they are hashed before they name anything.
fn call_name(agent: &str, session: &str, call_id: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [agent, session, call_id] {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(32).collect()
}
