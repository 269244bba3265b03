use std::collections::BTreeMap;

use crate::git_status::{GitAsk, GitStatus};
use crate::json::Value;
use crate::{Mark, Memory, NOTHING};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A block or character device.
    Device,
    /// A pipe, a socket, anything else.
    Other,
}

/// A read-only, lazy view of the machine. Only asked when a verdict depends on it.
///
/// Paths are absolute and lexically normal.
pub trait World {
    /// What `~` stands for in the agent's shell.
    fn home(&self) -> &str;
    /// Every directory that is a home of this user: `home`, and the user database's where it differs, so that
    /// a changed `HOME` protects more and never less.
    fn homes(&self) -> Vec<String>;
    /// The session's project folder.
    fn workspace(&self) -> &str;
    /// Directories for temporary files.
    fn temp_dirs(&self) -> &[String];
    /// Tollgate's own directories and files (configuration, state, binary).
    fn own_places(&self) -> &[String];
    /// What stands at a path, links followed.
    fn kind(&self, path: &str) -> FileKind;
    /// The path with every link on it followed, as far as it exists; `None` when it cannot be told.
    fn real(&self, path: &str) -> Option<String>;
    /// What tells a file that has several names (hard links) from all others; `None` for one with a single name.
    fn identity(&self, _path: &str) -> Option<(u64, u64)> {
        None
    }
    /// The names in a directory, at most `limit`.
    fn list(&self, path: &str, limit: usize) -> Vec<String>;
    /// Those of the first `limit` names in a directory that are links.
    fn links(&self, path: &str, limit: usize) -> Vec<String>;
    /// The first `limit` bytes of a file.
    fn read(&self, path: &str, limit: usize) -> Option<Vec<u8>>;
    /// The value of an environment variable the agent's shell would see.
    fn environment(&self, name: &str) -> Option<String>;
    /// The home directory of another user.
    fn home_of(&self, user: &str) -> Option<String>;
    /// What is not committed in the work tree at `root`; `None` when that cannot be told. Never runs code of
    /// the repository.
    fn git_status(&self, _root: &str, _ask: &GitAsk) -> Option<GitStatus> {
        None
    }
    /// How many commits would have no name left without these refs (full names); `None` when that cannot be
    /// told.
    fn git_lone_commits(&self, _root: &str, _refs: &[String]) -> Option<usize> {
        None
    }
    /// How many commits of the branches and the stash no remote has; `None` when that cannot be told.
    fn git_unpushed_commits(&self, _root: &str) -> Option<usize> {
        None
    }
    /// What the session remembers of its earlier calls.
    fn memory(&self) -> &Memory {
        &NOTHING
    }
    /// What an earlier call of the session puts into a file, as long as the disk has nothing newer there. Only asked
    /// for paths of which the memory says so.
    fn pending(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
    /// Is a link that an earlier call of the session makes still what this name is, or will be?
    fn is_pending_link(&self, _name: &str) -> bool {
        true
    }
    /// The first `limit` bytes of a file, whatever an earlier call of the session will make of it.
    fn read_disk(&self, path: &str, limit: usize) -> Option<Vec<u8>> {
        self.read(path, limit)
    }
    /// What workflows remember: an object of namespaces.
    fn state(&self) -> &Value {
        &STATELESS
    }
}

/// No workflow remembers anything.
pub static STATELESS: Value = Value::Map(Vec::new());

/// A world that stands still: written down beforehand, for rules' examples, policy tests and replay.
#[derive(Clone, Debug, Default)]
pub struct StillWorld {
    /// What `~` stands for.
    pub home: String,
    /// The project.
    pub workspace: String,
    /// Directories for temporary files.
    pub temp: Vec<String>,
    /// Tollgate's own places.
    pub own: Vec<String>,
    /// Everything that exists.
    pub files: BTreeMap<String, StillFile>,
    /// The environment.
    pub environment: BTreeMap<String, String>,
    /// Git work trees.
    pub git: BTreeMap<String, StillGit>,
    /// What the session remembers.
    pub memory: Memory,
}

/// A work tree of a `StillWorld`. What it is besides (branch, remotes, stash) stands in the files of its
/// `.git`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StillGit {
    /// What is not committed.
    pub status: GitStatus,
    /// Commits that only this ref names.
    pub lone: BTreeMap<String, usize>,
    /// Commits that no remote has.
    pub unpushed: usize,
}

/// A file of a `StillWorld`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StillFile {
    /// A regular file with its content.
    File(Vec<u8>),
    /// A directory.
    Dir,
    /// A device.
    Device,
    /// A link to an absolute path.
    Link(String),
    /// Another name of the file at this path.
    Twin(String),
}

impl StillWorld {
    fn follow(&self, path: &str) -> String {
        let mut at = path.to_owned();
        for _ in 0..16 {
            let Some((link, target)) = self.link_on(&at) else { return at };
            let rest = at.get(link.len()..).unwrap_or_default();
            at = format!("{}{rest}", target.trim_end_matches('/'));
            if at.is_empty() {
                at.push('/');
            }
        }
        at
    }

    fn link_on(&self, path: &str) -> Option<(&str, &str)> {
        self.files.iter().find_map(|(name, file)| match file {
            StillFile::Link(target) if is_at_or_below(path, name) => Some((name.as_str(), target.as_str())),
            _ => None,
        })
    }
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl World for StillWorld {
    fn home(&self) -> &str {
        &self.home
    }

    fn homes(&self) -> Vec<String> {
        vec![self.home.clone()]
    }

    fn workspace(&self) -> &str {
        &self.workspace
    }

    fn temp_dirs(&self) -> &[String] {
        &self.temp
    }

    fn own_places(&self) -> &[String] {
        &self.own
    }

    fn kind(&self, path: &str) -> FileKind {
        let path = self.follow(path);
        match self.files.get(&path) {
            Some(StillFile::File(_) | StillFile::Twin(_)) => FileKind::File,
            Some(StillFile::Dir) => FileKind::Dir,
            Some(StillFile::Device) => FileKind::Device,
            Some(StillFile::Link(_)) => FileKind::Missing,
            None if self.files.keys().any(|name| name != &path && is_at_or_below(name, &path)) => {
                FileKind::Dir
            }
            None => FileKind::Missing,
        }
    }

    fn real(&self, path: &str) -> Option<String> {
        Some(self.follow(path))
    }

    fn identity(&self, path: &str) -> Option<(u64, u64)> {
        let path = self.follow(path);
        let original = match self.files.get(&path)? {
            StillFile::Twin(original) => original,
            _ => &path,
        };
        let is_twin = |file: &StillFile| matches!(file, StillFile::Twin(of) if of == original);
        let at = self.files.keys().position(|name| name == original)?;
        self.files.values().any(is_twin).then(|| (0, u64::try_from(at).unwrap_or_default()))
    }

    fn list(&self, path: &str, limit: usize) -> Vec<String> {
        let folder = format!("{}/", self.follow(path).trim_end_matches('/'));
        let names = self.files.keys().filter_map(|name| name.strip_prefix(&folder));
        let mut names: Vec<String> =
            names.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
        names.dedup();
        names.truncate(limit);
        names
    }

    fn links(&self, path: &str, limit: usize) -> Vec<String> {
        let is_link =
            |name: &String| matches!(self.files.get(&format!("{path}/{name}")), Some(StillFile::Link(_)));
        self.list(path, limit).into_iter().filter(is_link).collect()
    }

    fn read(&self, path: &str, limit: usize) -> Option<Vec<u8>> {
        match self.files.get(&self.follow(path)) {
            Some(StillFile::File(content)) => Some(content.iter().copied().take(limit).collect()),
            Some(StillFile::Twin(original)) if original != path => self.read(original, limit),
            _ => None,
        }
    }

    fn environment(&self, name: &str) -> Option<String> {
        self.environment.get(name).cloned()
    }

    fn home_of(&self, user: &str) -> Option<String> {
        let own = self.home.rsplit('/').next().is_some_and(|name| name == user);
        if own { Some(self.home.clone()) } else { (user == "root").then(|| "/root".to_owned()) }
    }

    fn git_status(&self, root: &str, ask: &GitAsk) -> Option<GitStatus> {
        self.git.get(root).map(|git| git.status.part(root, ask))
    }

    fn git_lone_commits(&self, root: &str, refs: &[String]) -> Option<usize> {
        let git = self.git.get(root)?;
        Some(refs.iter().filter_map(|name| git.lone.get(name)).sum())
    }

    fn git_unpushed_commits(&self, root: &str) -> Option<usize> {
        self.git.get(root).map(|git| git.unpushed)
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn pending(&self, path: &str) -> Option<Vec<u8>> {
        match self.memory.state_of(path)? {
            Mark::Text(text) if !self.files.contains_key(path) => Some(text.as_bytes().to_vec()),
            _ => None,
        }
    }
}
