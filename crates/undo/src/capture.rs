//! Saving: the paths of a call become a snapshot, whole or not at all.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::attributes;
use crate::content;
use crate::contents::Contents;
use crate::fault::{Fault, Unsaved};
use crate::folder;
use crate::git::Repository;
use crate::manifest::{After, Attributes, Content, Entry, Head, Manifest, Node};
use crate::store::{Open, Store};
use crate::wanted::{Depth, Wanted};

/// How much may be saved, and how long that may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of content.
    pub bytes: u64,
    /// Files, symlinks and folders.
    pub files: u64,
    /// Time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 << 20, files: 20_000, time: Duration::from_millis(300) }
    }
}

impl Limits {
    /// Whatever it takes, for a person who waits.
    pub const NONE: Self = Self { bytes: u64::MAX, files: u64::MAX, time: Duration::MAX };
}

/// Whose call it is.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The agent.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// The call in words, without secrets.
    pub call: String,
    /// The agent's own id of the call.
    pub call_id: String,
}

/// A snapshot that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Its name.
    pub id: String,
    /// How many files, symlinks and folders it holds.
    pub files: u64,
    /// How many bytes of content.
    pub bytes: u64,
}

impl Store {
    /// Saves what stands at the paths. `None` when there is nothing: no snapshot is made.
    ///
    /// # Errors
    /// When not everything can be saved within the limits. Then nothing is.
    pub fn save(
        &self,
        origin: &Origin,
        wanted: &[Wanted],
        limits: &Limits,
    ) -> Result<Option<Saved>, Unsaved> {
        self.save_as(origin, wanted, limits, Extra::default())
    }

    /// Saves files that a call edits, without waiting for the disk: a power failure that loses the snapshot most likely
    /// loses the edit, too. To wait would make the hook half as slow again.
    ///
    /// # Errors
    /// When not everything can be saved within the limits. Then nothing is.
    pub fn save_edited(
        &self,
        origin: &Origin,
        wanted: &[Wanted],
        limits: &Limits,
    ) -> Result<Option<Saved>, Unsaved> {
        self.save_as(origin, wanted, limits, Extra { unsynced: true, ..Extra::default() })
    }

    /// Saves what stands at the paths together with the state of repositories: HEAD, index, refs and reflogs. Where
    /// `pinned` is given, their commits and these objects are kept from being pruned for as long as the snapshot lasts.
    ///
    /// # Errors
    /// When not everything can be saved within the limits. Then nothing is.
    pub fn save_with_git(
        &self,
        origin: &Origin,
        wanted: &[Wanted],
        repositories: &[Repository],
        pinned: Option<&[String]>,
        limits: &Limits,
    ) -> Result<Option<Saved>, Unsaved> {
        let mut all: Vec<Wanted> = repositories.iter().flat_map(Repository::state).collect();
        all.extend_from_slice(wanted);
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let mut extra = Extra {
            repositories: repositories.iter().map(|repository| bytes(repository.folder())).collect(),
            ..Extra::default()
        };
        let mut pins = Vec::new();
        for repository in repositories {
            if let Some(objects) = pinned {
                pins.extend(repository.pin(objects)?);
            }
        }
        extra.pins = pins.iter().map(|pin| bytes(pin)).collect();
        let saved = self.save_as(origin, &all, limits, extra);
        if !matches!(saved, Ok(Some(_))) {
            pins.iter().for_each(|pin| crate::git::unpin(pin));
        }
        saved
    }

    pub(crate) fn save_as(
        &self,
        origin: &Origin,
        wanted: &[Wanted],
        limits: &Limits,
        extra: Extra,
    ) -> Result<Option<Saved>, Unsaved> {
        let start = Instant::now();
        if !extra.even_nothing && !exists_any(wanted)? {
            return Ok(None);
        }
        let open = self.make()?;
        let _lock = open.lock(false, limits.time.min(Duration::from_secs(10)))?;
        let mut capture = Capture::new(&open, *limits, start)?;
        for one in wanted {
            capture.take(one)?;
        }
        capture.end(origin, extra).map(Some)
    }
}

/// What a snapshot is besides the files of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    /// A snapshot is made even when nothing stands at any of the paths.
    pub(crate) even_nothing: bool,
    /// It need not survive a power failure.
    pub(crate) unsynced: bool,
    pub(crate) undoes: Option<String>,
    pub(crate) repositories: Vec<Vec<u8>>,
    pub(crate) pins: Vec<Vec<u8>>,
}

fn exists_any(wanted: &[Wanted]) -> Result<bool, Fault> {
    for one in wanted {
        if folder::look(&one.path)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Capture<'a> {
    open: &'a Open,
    limits: Limits,
    start: Instant,
    bytes: u64,
    files: u64,
    entries: BTreeMap<Vec<u8>, Entry>,
    /// The first path of each file with several names.
    twins: HashMap<(u64, u64), Vec<u8>>,
    contents: Contents<'a>,
    /// The store itself, which cannot hold itself.
    own: (u64, u64),
}

impl<'a> Capture<'a> {
    fn new(open: &'a Open, limits: Limits, start: Instant) -> Result<Self, Fault> {
        let stat = rustix::fs::fstat(&open.root).map_err(Fault::at(&open.path))?;
        Ok(Self {
            open,
            limits,
            start,
            bytes: 0,
            files: 0,
            entries: BTreeMap::new(),
            twins: HashMap::new(),
            contents: Contents::new(open, limits.time, start),
            own: attributes::of_stat(&stat).identity,
        })
    }

    fn take(&mut self, wanted: &Wanted) -> Result<(), Unsaved> {
        let path = wanted.path.as_path();
        let (around, name) = match folder::around(path) {
            Ok(around) => around,
            Err(Fault::System { errno: Errno::NOENT | Errno::NOTDIR, .. }) => {
                self.missing(wanted);
                return Ok(());
            }
            Err(fault) => return Err(fault.into()),
        };
        self.parent(path.parent().unwrap_or(Path::new("/")))?;
        match folder::stat(&around, name) {
            Ok(stat) => self.node(&around, name, wanted.clone(), &stat),
            Err(Errno::NOENT | Errno::NOTDIR) => {
                self.missing(wanted);
                Ok(())
            }
            Err(errno) => Err(Fault::at(path)(errno).into()),
        }
    }

    fn missing(&mut self, wanted: &Wanted) {
        let path = wanted.path.as_os_str().as_bytes().to_vec();
        let entry = Entry { path: path.clone(), node: Node::Missing, after: wanted.after };
        self.entries.entry(path).or_insert(entry);
    }

    /// The folder around a path gets its times back.
    fn parent(&mut self, path: &Path) -> Result<(), Unsaved> {
        let bytes = path.as_os_str().as_bytes().to_vec();
        if self.entries.contains_key(&bytes) || path.parent().is_none() {
            return Ok(());
        }
        if let Some(stat) = folder::look(path)? {
            let node = Node::Parent(attributes::of_stat(&stat));
            self.entries.insert(bytes.clone(), Entry { path: bytes, node, after: After::Unknown });
        }
        Ok(())
    }

    /// Saves a file, or a folder with what is in it.
    fn node(&mut self, around: &OwnedFd, name: &OsStr, wanted: Wanted, stat: &Stat) -> Result<(), Unsaved> {
        if folder::kind(stat) != FileType::Directory {
            return self.leaf(around, name, &wanted, stat);
        }
        let opened = Rc::new(folder::list(around, name).map_err(Fault::at(&wanted.path))?);
        let mut waiting = vec![(opened, wanted)];
        while let Some((opened, wanted)) = waiting.pop() {
            self.folder(&opened, &wanted)?;
            if wanted.depth == Depth::Node {
                continue;
            }
            for name in folder::names(&opened).map_err(Fault::at(&wanted.path))? {
                let name = OsStr::from_bytes(&name);
                let inner = Wanted { path: wanted.path.join(name), ..wanted.clone() };
                if wanted.depth == Depth::Exact && crate::git::is_pin(&inner.path) {
                    continue;
                }
                let stat = folder::stat(&*opened, name).map_err(Fault::at(&inner.path))?;
                if folder::kind(&stat) == FileType::Directory {
                    let below = folder::list(&*opened, name).map_err(Fault::at(&inner.path))?;
                    waiting.push((Rc::new(below), inner));
                } else {
                    self.leaf(&opened, name, &inner, &stat)?;
                }
            }
        }
        Ok(())
    }

    fn folder(&mut self, opened: &OwnedFd, wanted: &Wanted) -> Result<(), Unsaved> {
        let fault = Fault::at(&wanted.path);
        let stat = rustix::fs::fstat(opened).map_err(&fault)?;
        let attributes = attributes::of_open(opened, &stat).map_err(&fault)?;
        if attributes.identity == self.own {
            return Err(Unsaved::OwnStore(wanted.path.clone()));
        }
        self.count(0)?;
        self.insert(wanted, Node::Folder { attributes, exact: wanted.depth == Depth::Exact });
        Ok(())
    }

    fn insert(&mut self, wanted: &Wanted, node: Node) {
        let path = wanted.path.as_os_str().as_bytes().to_vec();
        self.entries.insert(path.clone(), Entry { path, node, after: wanted.after });
    }

    /// Saves what is no folder.
    fn leaf(&mut self, around: &OwnedFd, name: &OsStr, wanted: &Wanted, stat: &Stat) -> Result<(), Unsaved> {
        let path = wanted.path.as_path();
        if self.entries.get(path.as_os_str().as_bytes()).is_some_and(Entry::is_saved) {
            return Ok(());
        }
        self.count(0)?;
        let unsaved = |what| Err(Unsaved::Kind(path.to_owned(), what));
        let node = match folder::kind(stat) {
            FileType::RegularFile => self.file(around, name, path)?,
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(around, name, Vec::new()).map_err(Fault::at(path))?;
                Node::Symlink { attributes: attributes::of_stat(stat), target: target.into_bytes() }
            }
            FileType::Fifo => Node::Pipe(attributes::of_stat(stat)),
            FileType::Socket => return unsaved("a socket"),
            FileType::BlockDevice | FileType::CharacterDevice => return unsaved("a device"),
            _ => return unsaved("no file that can be copied"),
        };
        self.insert(wanted, node);
        Ok(())
    }

    fn file(&mut self, around: &OwnedFd, name: &OsStr, path: &Path) -> Result<Node, Unsaved> {
        let fault = Fault::at(path);
        let fd = folder::read(around, name).map_err(&fault)?;
        let stat = rustix::fs::fstat(&fd).map_err(&fault)?;
        if folder::kind(&stat) != FileType::RegularFile {
            return Err(Unsaved::Changing(path.to_owned()));
        }
        let attributes = attributes::of_open(&fd, &stat).map_err(&fault)?;
        if let Some(twin) = self.twin(&stat, &attributes, path) {
            let content = self.content_of(&twin);
            return Ok(Node::File { attributes, content, twin: Some(twin) });
        }
        let content = self.content(&fd, &stat, path)?;
        let after = rustix::fs::fstat(&fd).map_err(&fault)?;
        if attributes::of_stat(&after).changed != attributes.changed || after.st_size != stat.st_size {
            return Err(Unsaved::Changing(path.to_owned()));
        }
        Ok(Node::File { attributes, content, twin: None })
    }

    /// The path under which the same file was saved before.
    fn twin(&mut self, stat: &Stat, attributes: &Attributes, path: &Path) -> Option<Vec<u8>> {
        if stat.st_nlink < 2 {
            return None;
        }
        let bytes = path.as_os_str().as_bytes();
        let first = self.twins.entry(attributes.identity).or_insert_with(|| bytes.to_vec());
        (first != bytes).then(|| first.clone())
    }

    fn content_of(&self, path: &[u8]) -> Content {
        match self.entries.get(path).map(|entry| &entry.node) {
            Some(Node::File { content, .. }) => content.clone(),
            _ => Content::default(),
        }
    }

    fn content(&mut self, fd: &OwnedFd, stat: &Stat, path: &Path) -> Result<Content, Unsaved> {
        let fault = Fault::at(path);
        let extents = content::extents(fd, stat).map_err(&fault)?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let data: u64 = extents.iter().map(|(_, length)| length).sum();
        self.add_bytes(data)?;
        let hash = self.contents.add(fd, size, &extents, path)?;
        Ok(Content { hash, size, extents })
    }

    fn count(&mut self, more: u64) -> Result<(), Unsaved> {
        self.files += 1;
        if self.files > self.limits.files {
            return Err(Unsaved::Files(self.limits.files));
        }
        self.add_bytes(more)
    }

    fn add_bytes(&mut self, more: u64) -> Result<(), Unsaved> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > self.limits.bytes {
            return Err(Unsaved::Bytes(self.limits.bytes));
        }
        if self.start.elapsed() > self.limits.time {
            return Err(Unsaved::Time(self.limits.time));
        }
        Ok(())
    }

    fn end(mut self, origin: &Origin, extra: Extra) -> Result<Saved, Unsaved> {
        if !extra.unsynced {
            self.contents.sync()?;
        }
        if self.start.elapsed() > self.limits.time {
            return Err(Unsaved::Time(self.limits.time));
        }
        let head = Head {
            time: micros(),
            agent: origin.agent.clone(),
            session: origin.session.clone(),
            call: origin.call.clone(),
            call_id: origin.call_id.clone(),
            undoes: extra.undoes,
            files: self.files,
            bytes: self.bytes,
            repositories: extra.repositories,
            pins: extra.pins,
        };
        let inline = self.contents.into_inline();
        let manifest = Manifest { head, entries: self.entries.into_values().collect(), inline };
        let id = self.open.keep_manifest(&manifest, !extra.unsynced)?;
        self.open.begin_call(&manifest.head, &id);
        Ok(Saved { id, files: self.files, bytes: self.bytes })
    }
}

pub(crate) fn micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
