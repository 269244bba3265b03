//! Git repositories: what their files say.

mod config;

pub use crate::git_status::{GitAsk, GitStatus, STATUS_LIMIT, stands_for};
pub use config::Config;

use crate::git_status::ancestors;
use crate::{FileKind, World};

/// The largest file of a repository that is read.
const FILE_LIMIT: usize = 1 << 20;

/// A repository, by its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// The work tree; a bare repository has none.
    pub root: Option<String>,
    /// Its own directory: `HEAD`, the index.
    pub git_dir: String,
    /// The directory that it shares with other work trees: refs, configuration.
    pub common_dir: String,
}

impl Repo {
    /// The repository that git finds from a folder, upwards.
    #[must_use]
    pub fn find(folder: &str, world: &dyn World) -> Option<Self> {
        ancestors(folder).find_map(|at| Self::in_folder(at, world))
    }

    /// The repository whose own directory is given, as with `--git-dir`.
    #[must_use]
    pub fn at(git_dir: &str, world: &dyn World) -> Option<Self> {
        let git_dir = match world.kind(git_dir) {
            FileKind::File => link_target(git_dir, world)?,
            FileKind::Dir => git_dir.to_owned(),
            _ => return None,
        };
        is_git_dir(&git_dir, world).then(|| Self { root: None, common_dir: common(&git_dir, world), git_dir })
    }

    /// The branch that is checked out; `None` when the head is detached or cannot be read.
    #[must_use]
    pub fn branch(&self, world: &dyn World) -> Option<String> {
        let head = text(&format!("{}/HEAD", self.git_dir), world)?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// The configuration that git would see here, the user's and the machine's included.
    #[must_use]
    pub fn config(&self, world: &dyn World) -> Config {
        let mut config = Config::of_user(world);
        config.read(&format!("{}/config", self.common_dir), world);
        config.read(&format!("{}/config.worktree", self.git_dir), world);
        config
    }

    /// Is this the name of a branch, tag or remote branch?
    #[must_use]
    pub fn has_ref(&self, name: &str, world: &dyn World) -> bool {
        let loose =
            |folder: &str| world.kind(&format!("{}/{folder}{name}", self.common_dir)) == FileKind::File;
        let folders = ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/", ""];
        if name.starts_with("refs/") && loose("") || folders.iter().take(4).any(|folder| loose(folder)) {
            return true;
        }
        let Some(packed) = text(&format!("{}/packed-refs", self.common_dir), world) else { return false };
        let is_it = |line: &str| {
            let full = line.split_whitespace().nth(1).unwrap_or_default();
            folders.iter().any(|folder| full.strip_prefix(folder) == Some(name))
        };
        packed.lines().any(is_it)
    }

    /// What is in the stash, newest first.
    #[must_use]
    pub fn stashes(&self, world: &dyn World) -> Vec<String> {
        let log = text(&format!("{}/logs/refs/stash", self.common_dir), world).unwrap_or_default();
        log.lines().rev().map(|line| line.split_once('\t').map_or("", |(_, what)| what).to_owned()).collect()
    }

    fn in_folder(folder: &str, world: &dyn World) -> Option<Self> {
        let dot_git = format!("{}/.git", folder.trim_end_matches('/'));
        if let Some(mut repo) = Self::at(&dot_git, world) {
            repo.root = Some(repo.own_work_tree(world).unwrap_or_else(|| folder.to_owned()));
            return Some(repo);
        }
        // A bare repository, or a `.git` entered from below.
        let mut repo = is_git_dir(folder, world).then(|| Self::at(folder, world)).flatten()?;
        repo.root = repo.own_work_tree(world);
        Some(repo)
    }

    /// `core.worktree` puts the files somewhere else.
    fn own_work_tree(&self, world: &dyn World) -> Option<String> {
        let mut config = Config::default();
        config.read(&format!("{}/config", self.common_dir), world);
        config.get("core.worktree").map(|path| absolute(path, &self.git_dir))
    }
}

fn is_git_dir(folder: &str, world: &dyn World) -> bool {
    let has = |name: &str, kind: FileKind| world.kind(&format!("{folder}/{name}")) == kind;
    has("HEAD", FileKind::File)
        && (has("commondir", FileKind::File)
            || has("objects", FileKind::Dir)
            || has("config", FileKind::File))
}

/// Where a `.git` file leads: `gitdir: ../.git/worktrees/x`.
fn link_target(file: &str, world: &dyn World) -> Option<String> {
    let content = text(file, world)?;
    let target = content.strip_prefix("gitdir:")?.trim();
    Some(absolute(target, file.rsplit_once('/').map_or("", |(folder, _)| folder)))
}

fn common(git_dir: &str, world: &dyn World) -> String {
    match text(&format!("{git_dir}/commondir"), world) {
        Some(path) => absolute(path.trim(), git_dir),
        None => git_dir.to_owned(),
    }
}

fn text(path: &str, world: &dyn World) -> Option<String> {
    world.read(path, FILE_LIMIT).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A path made absolute and tidy.
fn absolute(path: &str, folder: &str) -> String {
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StillFile, StillWorld};

    fn world(files: &[(&str, &str)]) -> StillWorld {
        let files =
            files.iter().map(|(path, text)| ((*path).into(), StillFile::File(text.as_bytes().to_vec())));
        StillWorld { home: "/h".into(), files: files.collect(), ..StillWorld::default() }
    }

    const PLAIN: &[(&str, &str)] = &[
        ("/w/.git/HEAD", "ref: refs/heads/feature/x\n"),
        ("/w/.git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.test:a/b.git\n"),
        ("/w/.git/objects/x", ""),
        ("/w/.git/packed-refs", "# pack-refs\n1234 refs/heads/main\n5678 refs/remotes/origin/dev\n"),
        ("/w/.git/refs/heads/feature/x", "1\n"),
        ("/w/.git/logs/refs/stash", "0 1 A <a> 1 +0\tWIP on main: one\n1 2 A <a> 1 +0\tOn main: two\n"),
        ("/w/src/a.rs", ""),
    ];

    #[test]
    fn a_plain_repository() {
        let world = world(PLAIN);
        let repo = Repo::find("/w/src", &world).unwrap();
        assert_eq!(repo.root.as_deref(), Some("/w"));
        assert_eq!(repo.branch(&world).as_deref(), Some("feature/x"));
        assert_eq!(repo.config(&world).get("remote.origin.url"), Some("git@example.test:a/b.git"));
        assert_eq!(repo.stashes(&world), ["On main: two", "WIP on main: one"]);
        let refs = ["main", "feature/x", "origin/dev", "refs/heads/main", "heads/main"];
        assert!(refs.iter().all(|name| repo.has_ref(name, &world)));
        assert!(!["dev", "src", "x", "a.rs"].iter().any(|name| repo.has_ref(name, &world)));
        assert_eq!(Repo::find("/elsewhere", &world), None);
    }

    #[test]
    fn a_linked_work_tree() {
        let mut files = PLAIN.to_vec();
        files.extend([
            ("/t/.git", "gitdir: /w/.git/worktrees/t\n"),
            ("/w/.git/worktrees/t/HEAD", "ref: refs/heads/other\n"),
            ("/w/.git/worktrees/t/commondir", "../..\n"),
        ]);
        let world = world(&files);
        let repo = Repo::find("/t", &world).unwrap();
        assert_eq!((repo.root.as_deref(), repo.common_dir.as_str()), (Some("/t"), "/w/.git"));
        assert_eq!(repo.branch(&world).as_deref(), Some("other"));
        assert!(repo.has_ref("main", &world));
    }

    #[test]
    fn a_bare_repository_and_a_tree_elsewhere() {
        let bare = [
            ("/b/HEAD", "ref: refs/heads/main\n"),
            ("/b/objects/x", ""),
            ("/b/config", "[core]\nbare = true\n"),
        ];
        assert_eq!(Repo::find("/b", &world(&bare)).unwrap().root, None);
        let moved = [("/r/.git/HEAD", "1234\n"), ("/r/.git/config", "[core]\n worktree = ../../h\n")];
        let repo = Repo::find("/r", &world(&moved)).unwrap();
        assert_eq!(repo.root.as_deref(), Some("/h"));
        assert_eq!(repo.branch(&world(&moved)), None);
    }
}
