//! What restoring a snapshot would change, and what of that was changed by somebody else since.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use crate::attributes;
use crate::content;
use crate::fault::Fault;
use crate::folder;
use crate::later::{Aftermath, mark};
use crate::manifest::{After, Attributes, Entry, Node, Time};
use crate::store::{Open, Snapshot, Store};

/// Without word from the host, what changes within this time is taken for the call's own doing.
const CALL_SECONDS: i64 = 120;

/// What restoring does to one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is gone, and comes back.
    Create,
    /// It is different, and becomes what it was.
    Replace,
    /// It was not there, and goes.
    Remove,
    /// Only mode, owner, times or extended attributes become what they were.
    Attributes,
}

impl Change {
    /// `create`, `replace`, `remove`, `attributes`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Remove => "remove",
            Self::Attributes => "attributes",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub path: PathBuf,
    /// What.
    pub change: Change,
    /// Who else changed it since the call, when somebody did.
    pub conflict: Option<String>,
    /// Its place in the snapshot; `None` for something new in a folder that is restored exactly.
    pub(crate) entry: Option<usize>,
    /// Written into the file that is there, whose other names stay names of it.
    pub(crate) in_place: bool,
}

/// Everything that restoring a snapshot changes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The changes, a folder before what is in it.
    pub steps: Vec<Step>,
}

impl Plan {
    /// The changes that somebody else's work stands against.
    pub fn conflicts(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.conflict.is_some())
    }
}

impl Store {
    /// What restoring a snapshot, or only some paths of it, would change now.
    ///
    /// # Errors
    /// When there is no such snapshot, or a path cannot be looked at.
    pub fn plan(&self, id: &str, only: &[PathBuf]) -> Result<Plan, Fault> {
        let snapshot = self.find(id)?;
        let open = self.open()?.ok_or_else(|| Fault::Unknown(id.to_owned()))?;
        let mut steps = Vec::new();
        for (at, entry) in snapshot.manifest.entries.iter().enumerate() {
            if is_chosen(entry.path(), only) {
                steps.extend(compare(entry, at)?);
                steps.extend(strangers(entry, &snapshot)?);
            }
        }
        relink(&snapshot, &mut steps)?;
        let conflicts = Conflicts::new(&open, &snapshot)?;
        for step in &mut steps {
            step.conflict = conflicts.check(step)?;
        }
        Ok(Plan { snapshot, steps })
    }
}

fn is_chosen(path: &Path, only: &[PathBuf]) -> bool {
    only.is_empty() || only.iter().any(|chosen| path.starts_with(chosen))
}

/// How a path differs from what was saved.
fn compare(entry: &Entry, at: usize) -> Result<Option<Step>, Fault> {
    let path = entry.path();
    let now = folder::look(path)?;
    let change = match (&entry.node, &now) {
        (Node::Missing, None) => None,
        (Node::Missing, Some(_)) => Some(Change::Remove),
        (_, None) => Some(Change::Create),
        (Node::Parent(_), Some(stat)) if folder::kind(stat) == FileType::Directory => None,
        (node, Some(stat)) if !is_same_kind(node, stat) => Some(Change::Replace),
        (node, Some(stat)) => differs(node, stat, path)?,
    };
    let is_file = |stat: &Stat| folder::kind(stat) == FileType::RegularFile;
    let shared = now.filter(is_file).map(|stat| attributes::of_stat(&stat)).filter(|now| now.links > 1);
    let in_place = match (&entry.node, &shared) {
        (Node::File { attributes: saved, .. }, Some(now)) => is_same_file(saved, now),
        _ => false,
    };
    // Another file that has other names now must not change with it.
    let change = match change {
        Some(Change::Attributes) if shared.is_some() && !in_place => Some(Change::Replace),
        change => change,
    };
    let step = |change| Step { path: path.to_owned(), change, conflict: None, entry: Some(at), in_place };
    Ok(change.map(step))
}

/// Numbers of inodes are used again, so that the number of names has to be the same, too.
fn is_same_file(saved: &Attributes, now: &Attributes) -> bool {
    (saved.identity, saved.links) == (now.identity, now.links)
}

fn is_same_kind(node: &Node, stat: &Stat) -> bool {
    let wanted = match node {
        Node::Missing => return false,
        Node::Parent(_) | Node::Folder { .. } => FileType::Directory,
        Node::File { .. } => FileType::RegularFile,
        Node::Symlink { .. } => FileType::Symlink,
        Node::Pipe(_) => FileType::Fifo,
    };
    folder::kind(stat) == wanted
}

fn differs(node: &Node, stat: &Stat, path: &Path) -> Result<Option<Change>, Fault> {
    let Some(saved) = node.attributes() else { return Ok(None) };
    let now = attributes::of_stat(stat);
    let untouched = (now.identity, now.changed) == (saved.identity, saved.changed);
    if untouched {
        return Ok(None);
    }
    let (around, name) = folder::around(path)?;
    let fault = Fault::at(path);
    match node {
        Node::File { content, .. } => {
            let fd = folder::read(&around, name).map_err(&fault)?;
            if !content::is_same(&fd, stat, content).map_err(&fault)? {
                return Ok(Some(Change::Replace));
            }
            let now = attributes::of_open(&fd, stat).map_err(&fault)?;
            Ok((!is_alike(&now, saved)).then_some(Change::Attributes))
        }
        Node::Folder { .. } => {
            let fd = folder::list(&around, name).map_err(&fault)?;
            let now = attributes::of_open(&fd, stat).map_err(&fault)?;
            Ok((!is_alike(&now, saved)).then_some(Change::Attributes))
        }
        Node::Symlink { target, .. } => {
            let led = rustix::fs::readlinkat(&around, name, Vec::new()).map_err(&fault)?;
            let change = if led.to_bytes() == target { Change::Attributes } else { Change::Replace };
            Ok((change == Change::Replace || !is_alike(&now, saved)).then_some(change))
        }
        Node::Pipe(_) => Ok((!is_alike(&now, saved)).then_some(Change::Replace)),
        Node::Missing | Node::Parent(_) => Ok(None),
    }
}

fn is_alike(now: &Attributes, saved: &Attributes) -> bool {
    let part = |one: &'_ Attributes| (one.mode, one.uid, one.gid, one.modified);
    part(now) == part(saved) && now.xattrs == saved.xattrs
}

/// What is new in a folder that is restored exactly.
fn strangers(entry: &Entry, snapshot: &Snapshot) -> Result<Vec<Step>, Fault> {
    let path = entry.path();
    let is_folder = |stat: Stat| folder::kind(&stat) == FileType::Directory;
    if !matches!(entry.node, Node::Folder { exact: true, .. }) || !folder::look(path)?.is_some_and(is_folder)
    {
        return Ok(Vec::new());
    }
    let (around, name) = folder::around(path)?;
    let opened = folder::list(&around, name).map_err(Fault::at(path))?;
    let names = folder::names(&opened).map_err(Fault::at(path))?;
    let entries = &snapshot.manifest.entries;
    let is_new = |path: &PathBuf| {
        entries.binary_search_by(|entry| entry.path.as_slice().cmp(path.as_os_str().as_bytes())).is_err()
            && !crate::git::is_pin(path)
    };
    let step = |path| Step { path, change: Change::Remove, conflict: None, entry: None, in_place: false };
    let paths = names.iter().map(|name| path.join(std::ffi::OsStr::from_bytes(name)));
    Ok(paths.filter(is_new).map(step).collect())
}

/// Names of one file become names of one file again.
fn relink(snapshot: &Snapshot, steps: &mut Vec<Step>) -> Result<(), Fault> {
    let renewed = |step: &Step| matches!(step.change, Change::Create | Change::Replace) && !step.in_place;
    let new: BTreeSet<&Path> =
        steps.iter().filter(|step| renewed(step)).map(|step| step.path.as_path()).collect();
    let mut more = Vec::new();
    for (at, entry) in snapshot.manifest.entries.iter().enumerate() {
        let Node::File { twin: Some(twin), .. } = &entry.node else { continue };
        let twin = crate::store::path_of(twin);
        let apart =
            mark(entry.path()).map(|(identity, _)| identity) != mark(&twin).map(|(identity, _)| identity);
        if apart || new.contains(twin.as_path()) {
            more.push((at, entry.path().to_owned()));
        }
    }
    let mut known: BTreeMap<PathBuf, usize> =
        steps.iter().enumerate().map(|(at, step)| (step.path.clone(), at)).collect();
    for (at, path) in more {
        match known.remove(&path).and_then(|place| steps.get_mut(place)) {
            Some(step) => step.in_place = false,
            None => {
                let change = if folder::look(&path)?.is_some() { Change::Replace } else { Change::Create };
                steps.push(Step { path, change, conflict: None, entry: Some(at), in_place: false });
            }
        }
    }
    Ok(())
}

/// What is known of later changes.
struct Conflicts<'a> {
    snapshot: &'a Snapshot,
    aftermath: Option<Aftermath>,
    /// Paths that later calls saved before they changed them.
    later: BTreeMap<Vec<u8>, String>,
}

impl<'a> Conflicts<'a> {
    fn new(open: &Open, snapshot: &'a Snapshot) -> Result<Self, Fault> {
        let mut later = BTreeMap::new();
        let paths: BTreeSet<&[u8]> =
            snapshot.manifest.entries.iter().map(|entry| entry.path.as_slice()).collect();
        for other in open.ids()?.into_iter().filter(|id| *id != snapshot.id).filter_map(|id| open.told(id)) {
            let head = &other.manifest.head;
            if head.time < snapshot.manifest.head.time || head.undoes.is_some() {
                continue;
            }
            for entry in other.manifest.entries.iter().filter(|entry| !matches!(entry.node, Node::Parent(_)))
            {
                if paths.contains(entry.path.as_slice()) {
                    later.insert(entry.path.clone(), other.id.clone());
                }
            }
        }
        Ok(Self { snapshot, aftermath: open.aftermath(&snapshot.id), later })
    }

    /// Who changed the path since the call, if anybody did. What is gone holds nobody's work.
    fn check(&self, step: &Step) -> Result<Option<String>, Fault> {
        let Some(stat) = folder::look(&step.path)? else { return Ok(None) };
        // A folder's times change with everything in it, and that stays.
        if step.change == Change::Attributes && folder::kind(&stat) != FileType::RegularFile {
            return Ok(None);
        }
        if let Some(id) = self.later.get(step.path.as_os_str().as_bytes()) {
            return Ok(Some(format!("a later call changed it (see {id})")));
        }
        let now = attributes::of_stat(&stat);
        let since_call = "it was changed after the call".to_owned();
        let entry = step.entry.and_then(|at| Some((at, self.snapshot.manifest.entries.get(at)?)));
        if let (Some(aftermath), Some((at, _))) = (&self.aftermath, &entry) {
            let same = aftermath.marks.get(*at) == Some(&Some((now.identity, now.changed)));
            return Ok((!same).then_some(since_call));
        }
        if entry.is_some_and(|(_, entry)| entry.after == After::Gone) {
            return Ok(Some("it was made again after the call".to_owned()));
        }
        let end = match &self.aftermath {
            Some(aftermath) => Time(aftermath.time / 1_000_000, aftermath.time % 1_000_000 * 1000),
            None => Time(self.snapshot.manifest.head.time / 1_000_000 + CALL_SECONDS, 0),
        };
        Ok((now.changed > end).then_some(since_call))
    }
}
