//! Restoring: what stands there now is saved first, then every path becomes what it was.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::attributes;
use crate::capture::{Extra, Limits, Origin, Saved};
use crate::content::{self, Hashing};
use crate::fault::Fault;
use crate::folder;
use crate::manifest::{After, Attributes, Content, Entry, Manifest, Node};
use crate::plan::{Change, Plan, Step};
use crate::store::{Open, Snapshot, Store, object_name, path_of};
use crate::wanted::{Depth, Wanted};

/// How long a clean-up is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What restoring did.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// What stood there before. Restoring it takes the restoring back.
    pub saved: Option<Saved>,
    /// How many paths are what they were.
    pub done: usize,
    /// What could not be restored, and why.
    pub failed: Vec<(PathBuf, Fault)>,
}

impl Store {
    /// Carries out a plan.
    ///
    /// # Errors
    /// When what is there now cannot be saved: then nothing is changed.
    pub fn restore(&self, plan: &Plan, origin: &Origin) -> Result<Restored, Fault> {
        if plan.steps.is_empty() {
            return Ok(Restored::default());
        }
        let saved = self.save_present(plan, origin)?;
        let open = self.open()?.ok_or_else(|| Fault::Unknown(plan.snapshot.id.clone()))?;
        let _lock = open.lock(false, PATIENCE)?;
        let mut apply = Apply { open: &open, manifest: &plan.snapshot.manifest, failed: Vec::new() };
        let done = apply.run(&plan.steps);
        Ok(Restored { saved: Some(saved), done, failed: apply.failed })
    }

    /// A saved content, with zeros for its holes. Checked.
    ///
    /// # Errors
    /// When it cannot be read, or is not what was saved.
    pub fn read(&self, snapshot: &Snapshot, content: &Content) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; usize::try_from(content.size).unwrap_or(0)];
        let mut hashing = Hashing::new(content.size, &content.extents);
        let mut put = |offset: u64, piece: &[u8]| {
            hashing.add(piece);
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let room = bytes.get_mut(start..start.saturating_add(piece.len()));
            room.ok_or(Errno::FBIG).map(|room| room.copy_from_slice(piece))
        };
        let name = PathBuf::from(object_name(&content.hash));
        let read = match snapshot.manifest.small(&content.hash) {
            Some(packed) => each_extent(packed, &content.extents, &mut put),
            None if content.extents.is_empty() => Ok(()),
            None => {
                let open = self.open()?.ok_or_else(|| Fault::Unknown(snapshot.id.clone()))?;
                content::each::<Errno>(open.object(&content.hash)?, &content.extents, &mut put)
            }
        };
        read.map_err(Fault::at(&name))?;
        if hashing.end() == content.hash { Ok(bytes) } else { Err(Fault::Damaged(name)) }
    }

    fn save_present(&self, plan: &Plan, origin: &Origin) -> Result<Saved, Fault> {
        let wanted: Vec<Wanted> = plan.steps.iter().map(|step| present(step, plan)).collect();
        let head = &plan.snapshot.manifest.head;
        let extra = Extra {
            even_nothing: true,
            unsynced: false,
            undoes: Some(plan.snapshot.id.clone()),
            repositories: head.repositories.clone(),
            pins: Vec::new(),
        };
        let saved = self.save_as(origin, &wanted, &Limits::NONE, extra);
        match saved.map_err(|why| Fault::NotSaved(Box::new(why)))? {
            Some(saved) => Ok(saved),
            None => Err(Fault::Unknown(plan.snapshot.id.clone())),
        }
    }
}

/// What is saved of a path before it is restored: all of it, where all of it goes.
fn present(step: &Step, plan: &Plan) -> Wanted {
    let node = step.entry.and_then(|at| plan.snapshot.manifest.entries.get(at)).map(|entry| &entry.node);
    let depth = match (step.change, node) {
        (Change::Attributes, _) => Depth::Node,
        _ => Depth::Tree,
    };
    Wanted { path: step.path.clone(), depth, after: After::Unknown }
}

struct Apply<'a> {
    open: &'a Open,
    manifest: &'a Manifest,
    failed: Vec<(PathBuf, Fault)>,
}

impl Apply<'_> {
    /// Removes, makes folders, makes files, and gives folders their attributes last: each of these changes them.
    fn run(&mut self, steps: &[Step]) -> usize {
        let mut steps: Vec<&Step> = steps.iter().collect();
        steps.sort_by(|a, b| a.path.as_os_str().as_bytes().cmp(b.path.as_os_str().as_bytes()));
        let goes = |step: &&&Step| matches!(step.change, Change::Remove) || self.changes_kind(step);
        let going: Vec<&Step> = steps.iter().filter(goes).copied().collect();
        for step in going.iter().rev() {
            self.attempt(&step.path, remove(&step.path));
        }
        for step in &steps {
            if let Some(entry) = self.entry(step) {
                let made = self.make(step, entry);
                self.attempt(&step.path, made);
            }
        }
        // The names of a file are made once all first names are there.
        for step in &steps {
            if let Some(Entry { node: Node::File { twin: Some(twin), .. }, path, .. }) = self.entry(step)
                && !step.in_place
                && step.change != Change::Attributes
            {
                let linked = link(&path_of(twin), &path_of(path));
                self.attempt(&step.path, linked);
            }
        }
        self.finish_folders(&steps);
        steps.iter().filter(|step| self.failed.iter().all(|(path, _)| *path != step.path)).count()
    }

    fn entry(&self, step: &Step) -> Option<&Entry> {
        step.entry.and_then(|at| self.manifest.entries.get(at))
    }

    fn attempt(&mut self, path: &Path, result: Result<(), Fault>) {
        if let Err(fault) = result
            && self.failed.iter().all(|(other, _)| other != path)
        {
            self.failed.push((path.to_owned(), fault));
        }
    }

    /// A folder cannot be renamed over, nor renamed over something else.
    fn changes_kind(&self, step: &Step) -> bool {
        let Some(entry) = self.entry(step).filter(|_| step.change == Change::Replace) else { return false };
        let is_folder = matches!(entry.node, Node::Folder { .. } | Node::Parent(_));
        let kind = folder::look(&step.path).ok().flatten().map(|stat| folder::kind(&stat));
        kind.is_some_and(|kind| (kind == rustix::fs::FileType::Directory) || is_folder)
    }

    fn make(&self, step: &Step, entry: &Entry) -> Result<(), Fault> {
        let path = entry.path();
        match &entry.node {
            Node::Missing => Ok(()),
            Node::Parent(_) | Node::Folder { .. } if step.change == Change::Attributes => Ok(()),
            Node::Parent(_) | Node::Folder { .. } => {
                let (around, name) = folder::around(path)?;
                match rustix::fs::mkdirat(&around, name, Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(errno) => Err(Fault::at(path)(errno)),
                }
            }
            Node::File { attributes, .. } if step.change == Change::Attributes => {
                put_attributes(path, attributes)
            }
            Node::File { twin: Some(_), .. } if !step.in_place => Ok(()),
            Node::File { attributes, content, .. } if step.in_place => {
                self.rewrite(path, attributes, content)
            }
            Node::File { attributes, content, .. } => self.renew(path, attributes, content),
            Node::Symlink { attributes, .. } if step.change == Change::Attributes => {
                let (around, name) = folder::around(path)?;
                attributes::put_on_link(&around, name, attributes).map_err(Fault::at(path))
            }
            Node::Symlink { attributes, target } => place(path, |around, name| {
                rustix::fs::symlinkat(OsStr::from_bytes(target), around, name)?;
                attributes::put_on_link(around, name, attributes)
            }),
            Node::Pipe(attributes) => place(path, |around, name| {
                make_pipe(around, name)?;
                let fd = folder::read(around, name)?;
                attributes::put(&fd, attributes)?;
                attributes::put_times(&fd, attributes)
            }),
        }
    }

    /// Makes a file beside its place, whole, and renames it there.
    fn renew(&self, path: &Path, attributes: &Attributes, content: &Content) -> Result<(), Fault> {
        let mut damaged = None;
        let placed = place(path, |around, name| {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = rustix::fs::openat(around, name, flags, Mode::RUSR | Mode::WUSR)?;
            if let Err(fault) = self.fill(&fd, content) {
                damaged = Some(fault);
                return Err(Errno::IO);
            }
            attributes::put(&fd, attributes)?;
            attributes::put_times(&fd, attributes)
        });
        match damaged {
            Some(fault) => Err(fault),
            None => placed,
        }
    }

    /// Writes into the file that is there: it has other names, which would stay names of the wrong content.
    fn rewrite(&self, path: &Path, attributes: &Attributes, content: &Content) -> Result<(), Fault> {
        let fault = Fault::at(path);
        let (around, name) = folder::around(path)?;
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = rustix::fs::openat(&around, name, flags, Mode::empty()).map_err(&fault)?;
        rustix::fs::ftruncate(&fd, 0).map_err(&fault)?;
        self.fill(&fd, content)?;
        attributes::put(&fd, attributes).map_err(&fault)?;
        attributes::put_times(&fd, attributes).map_err(&fault)
    }

    /// Fills an empty file with a content, and checks that it is what was saved.
    fn fill(&self, to: &OwnedFd, content: &Content) -> Result<(), Fault> {
        let name = object_name(&content.hash);
        let fault = Fault::at(Path::new(&name));
        let mut hashing = Hashing::new(content.size, &content.extents);
        if let Some(bytes) = self.manifest.small(&content.hash) {
            hashing.add(bytes);
            each_extent(bytes, &content.extents, |offset, piece| content::write_at(to, piece, offset))
                .map_err(&fault)?;
        } else if !content.extents.is_empty() {
            let object = self.open.object(&content.hash)?;
            let cloned = content::clone(to, &object);
            let copied = content::each::<Errno>(&object, &content.extents, |offset, piece| {
                hashing.add(piece);
                if cloned { Ok(()) } else { content::write_at(to, piece, offset) }
            });
            copied.map_err(&fault)?;
        }
        rustix::fs::ftruncate(to, content.size).map_err(&fault)?;
        if hashing.end() == content.hash { Ok(()) } else { Err(Fault::Damaged(PathBuf::from(&name))) }
    }

    /// Deepest first: giving a folder its times back comes after everything in it.
    fn finish_folders(&mut self, steps: &[&Step]) {
        for entry in self.manifest.entries.iter().rev() {
            let path = entry.path();
            let touched = || is_touched(path, steps);
            let finished = match &entry.node {
                Node::Folder { attributes, .. } if touched() => put_attributes(path, attributes),
                Node::Parent(attributes) if touched() => put_parent(path, attributes, steps),
                _ => Ok(()),
            };
            self.attempt(path, finished);
        }
    }
}

/// Is something restored at or below a path? The steps are sorted by the bytes of their paths.
fn is_touched(path: &Path, steps: &[&Step]) -> bool {
    let bytes = |step: &&Step| step.path.as_os_str().as_bytes().to_vec();
    let own = path.as_os_str().as_bytes();
    let below = [own, b"/"].concat();
    let at =
        |first: &[u8]| steps.get(steps.partition_point(|step| bytes(step).as_slice() < first)).map(bytes);
    at(own).is_some_and(|found| found == own) || at(&below).is_some_and(|found| found.starts_with(&below))
}

/// A folder around something restored keeps its mode, unless it was made anew.
fn put_parent(path: &Path, attributes: &Attributes, steps: &[&Step]) -> Result<(), Fault> {
    let is_new = steps
        .binary_search_by(|step| step.path.as_os_str().as_bytes().cmp(path.as_os_str().as_bytes()))
        .is_ok();
    let fault = Fault::at(path);
    let (around, name) = folder::around(path)?;
    let fd = folder::list(&around, name).map_err(&fault)?;
    if is_new {
        rustix::fs::fchmod(&fd, attributes::mode(attributes)).map_err(&fault)?;
    }
    match attributes::put_times(&fd, attributes) {
        // A folder of somebody else has the times that it has.
        Ok(()) | Err(Errno::PERM) => Ok(()),
        Err(errno) => Err(fault(errno)),
    }
}

fn put_attributes(path: &Path, attributes: &Attributes) -> Result<(), Fault> {
    let (around, name) = folder::around(path)?;
    let fault = Fault::at(path);
    let fd = folder::read(&around, name).map_err(&fault)?;
    attributes::put(&fd, attributes).map_err(&fault)?;
    attributes::put_times(&fd, attributes).map_err(&fault)
}

fn remove(path: &Path) -> Result<(), Fault> {
    let (around, name) = folder::around(path)?;
    folder::remove(&around, name).map_err(Fault::at(path))
}

/// Makes something under a name of its own and renames it to its place, so that the place is never half made.
fn place(path: &Path, make: impl FnOnce(&OwnedFd, &OsStr) -> Result<(), Errno>) -> Result<(), Fault> {
    let (around, name) = folder::around(path)?;
    let new = format!(".tollgate-undo-{}", std::process::id());
    // Left over from a process of the same number that died.
    let _ = rustix::fs::unlinkat(&around, &new, AtFlags::empty());
    let placed =
        make(&around, OsStr::new(&new)).and_then(|()| rustix::fs::renameat(&around, &new, &around, name));
    // After a failure, and where both names were names of one file already: renaming then does nothing.
    let _ = rustix::fs::unlinkat(&around, &new, AtFlags::empty());
    placed.map_err(Fault::at(path))
}

fn link(from: &Path, to: &Path) -> Result<(), Fault> {
    let (folder, first) = folder::around(from)?;
    place(to, |around, name| rustix::fs::linkat(&folder, first, around, name, AtFlags::empty()))
}

/// Gives the data of a small content to `take`, extent by extent.
fn each_extent(
    packed: &[u8],
    extents: &[(u64, u64)],
    mut take: impl FnMut(u64, &[u8]) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let mut rest = packed;
    for (offset, length) in extents {
        let (piece, more) = rest.split_at(rest.len().min(usize::try_from(*length).unwrap_or(usize::MAX)));
        take(*offset, piece)?;
        rest = more;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn make_pipe(around: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    rustix::fs::mknodat(around, name, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
}

#[cfg(not(target_os = "linux"))]
fn make_pipe(_around: &OwnedFd, _name: &OsStr) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}
