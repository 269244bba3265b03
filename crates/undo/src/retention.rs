//! What is kept for how long, and removing what nothing names any more.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::capture::micros;
use crate::fault::Fault;
use crate::folder;
use crate::git;
use crate::later::after_name;
use crate::manifest::{Hash, Head, Manifest, Node};
use crate::store::{Open, Snapshot, Store, object_name, path_of};

/// How long a running save is waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// A call that has not ended after this never says so.
const CALL: i64 = 24 * 60 * 60;
const DAY: u64 = 24 * 60 * 60;

/// How much is kept.
pub struct Keep<'a> {
    /// Snapshots older than this go.
    pub age: Duration,
    /// When all of them hold more, the oldest go.
    pub bytes: u64,
    /// Snapshots of a session that still runs stay, whatever their age.
    pub is_running: &'a dyn Fn(&Head) -> bool,
}

impl Keep<'_> {
    /// How long snapshots are kept by default.
    pub const AGE: Duration = Duration::from_secs(14 * DAY);
    /// How much is kept by default, at most: 5 % of the disk may be less.
    pub const BYTES: u64 = 5 << 30;
}

/// What a clean-up came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Snapshots that are gone.
    pub removed: usize,
    /// Contents that are gone.
    pub objects: usize,
    /// Snapshots that are left.
    pub snapshots: usize,
    /// What these hold on disk.
    pub bytes: u64,
}

impl Store {
    /// 5 % of the disk that the store lies on.
    #[must_use]
    pub fn share_of_disk(&self) -> u64 {
        match rustix::fs::statvfs(self.path()) {
            Ok(disk) => disk.f_blocks.saturating_mul(disk.f_frsize) / 20,
            Err(_) => u64::MAX,
        }
    }

    /// Removes old snapshots and whatever no snapshot names. Hooks may save meanwhile.
    ///
    /// # Errors
    /// When the store cannot be read, or a snapshot saves for too long.
    pub fn clean(&self, keep: &Keep) -> Result<Kept, Fault> {
        let Some(open) = self.open()? else { return Ok(Kept::default()) };
        let mut known = References::default();
        known.update(&open)?;
        let going = choose(&known, &open, keep);
        let mut kept = Kept { removed: going.len(), ..Kept::default() };
        for id in &going {
            let pins = known.pins(id);
            let _lock = open.lock(true, PATIENCE)?;
            open.forget(id)?;
            let _ = rustix::fs::unlinkat(&open.snapshots, after_name(id), AtFlags::empty());
            pins.iter().for_each(|pin| git::unpin(&path_of(pin)));
            known.snapshots.remove(id);
        }
        kept.objects = sweep(&open, &mut known)?;
        kept.snapshots = known.snapshots.len();
        kept.bytes = sizes(&open).values().sum();
        Ok(kept)
    }
}

/// What every snapshot names.
#[derive(Default)]
struct References {
    snapshots: BTreeMap<String, Manifest>,
    /// Snapshots that cannot be read: nobody knows what they name.
    unread: BTreeSet<String>,
}

impl References {
    /// Takes in the snapshots that are new.
    fn update(&mut self, open: &Open) -> Result<(), Fault> {
        for id in open.ids()? {
            if self.snapshots.contains_key(&id) || self.unread.contains(&id) {
                continue;
            }
            match open.told(id.clone()) {
                Some(Snapshot { id, manifest }) => drop(self.snapshots.insert(id, manifest)),
                None => drop(self.unread.insert(id)),
            }
        }
        Ok(())
    }

    fn pins(&self, id: &str) -> Vec<Vec<u8>> {
        self.snapshots.get(id).map(|manifest| manifest.head.pins.clone()).unwrap_or_default()
    }
}

fn hashes(manifest: &Manifest) -> impl Iterator<Item = Hash> {
    manifest.entries.iter().filter_map(|entry| match &entry.node {
        Node::File { content, .. } => Some(content.hash),
        _ => None,
    })
}

/// The snapshots that go: those that are too old, and then the oldest until the rest is small enough.
fn choose(known: &References, open: &Open, keep: &Keep) -> Vec<String> {
    let oldest = micros().saturating_sub(i64::try_from(keep.age.as_micros()).unwrap_or(i64::MAX));
    let sizes = sizes(open);
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for hash in known.snapshots.values().flat_map(hashes) {
        *uses.entry(object_name(&hash)).or_default() += 1;
    }
    let mut left: u64 = sizes.values().sum();
    let mut by_age: Vec<(&String, &Manifest)> = known.snapshots.iter().collect();
    by_age.sort_by_key(|(_, manifest)| manifest.head.time);
    let mut going = Vec::new();
    for (id, manifest) in by_age {
        let due = manifest.head.time < oldest || left > keep.bytes;
        if !due || (keep.is_running)(&manifest.head) {
            continue;
        }
        for name in hashes(manifest).map(|hash| object_name(&hash)) {
            let Some(count) = uses.get_mut(&name) else { continue };
            *count = count.saturating_sub(1);
            if *count == 0 {
                left = left.saturating_sub(sizes.get(&name).copied().unwrap_or(0));
            }
        }
        left = left.saturating_sub(sizes.get(id).copied().unwrap_or(0));
        going.push(id.clone());
    }
    going
}

/// What every content and manifest takes on disk, by name.
fn sizes(open: &Open) -> BTreeMap<String, u64> {
    let mut sizes = BTreeMap::new();
    let on_disk = |stat: &rustix::fs::Stat| u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
    for group in names(&open.objects) {
        let Ok(inside) = folder::list(&open.objects, OsStr::new(&group)) else { continue };
        for name in names(&inside) {
            if let Ok(stat) = folder::stat(&inside, OsStr::new(&name)) {
                sizes.insert(format!("{group}/{name}"), on_disk(&stat));
            }
        }
    }
    for id in names(&open.snapshots) {
        if let Ok(stat) = folder::stat(&open.snapshots, OsStr::new(&id)) {
            sizes.insert(id, on_disk(&stat));
        }
    }
    sizes
}

fn names(folder: &std::os::fd::OwnedFd) -> Vec<String> {
    let names = folder::names(folder).unwrap_or_default();
    names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect()
}

/// Removes contents that no snapshot names, group by group: a hook that saves waits for one group at most.
fn sweep(open: &Open, known: &mut References) -> Result<usize, Fault> {
    let mut removed = 0;
    for group in names(&open.objects) {
        let _lock = open.lock(true, PATIENCE)?;
        known.update(open)?;
        if !known.unread.is_empty() {
            return Ok(removed);
        }
        let used: BTreeSet<String> =
            known.snapshots.values().flat_map(hashes).map(|hash| object_name(&hash)).collect();
        let Ok(inside) = folder::list(&open.objects, OsStr::new(&group)) else { continue };
        for name in names(&inside).into_iter().filter(|name| !used.contains(&format!("{group}/{name}"))) {
            removed += usize::from(rustix::fs::unlinkat(&inside, &name, AtFlags::empty()).is_ok());
        }
    }
    sweep_beginnings(open)?;
    Ok(removed)
}

/// Files that nobody finished writing, and calls that never ended. Nobody writes while the lock is held.
fn sweep_beginnings(open: &Open) -> Result<(), Fault> {
    let _lock = open.lock(true, PATIENCE)?;
    let fault = Fault::at(&open.path);
    for name in folder::names(&open.new).map_err(&fault)? {
        ignore(rustix::fs::unlinkat(&open.new, OsStr::from_bytes(&name), AtFlags::empty()));
    }
    let now = micros() / 1_000_000;
    for name in folder::names(&open.calls).map_err(&fault)? {
        let name = OsStr::from_bytes(&name);
        let stat = folder::stat(&open.calls, name);
        if stat.is_ok_and(|stat| now - stat.st_mtime > CALL) {
            ignore(rustix::fs::unlinkat(&open.calls, name, AtFlags::empty()));
        }
    }
    Ok(())
}

/// What stays is removed the next time.
fn ignore(_: Result<(), Errno>) {}
