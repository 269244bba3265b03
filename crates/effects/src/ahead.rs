//! The machine as the session's earlier calls leave it: an agent may send several calls at once, and all of them are
//! judged before the first has run. Only the analysis looks through it; rules ask what would be lost on the disk.

use std::cell::Cell;

use tollgate_model::git::{GitAsk, GitStatus};
use tollgate_model::json::Value;
use tollgate_model::{FileKind, Mark, Memory, World, work};

/// Units of work for asking the machine something.
const ASK: usize = 50;

/// The most links that one path is followed over.
const LINKS: usize = 8;

/// A world with what is written but not there yet.
pub(crate) struct Ahead<'w>(&'w dyn World, Cell<bool>);

impl<'w> Ahead<'w> {
    pub(crate) fn of(world: &'w dyn World) -> Self {
        Self(world, Cell::new(false))
    }

    /// Was something taken for what the disk does not say, although it says something? The earlier call may fail, and
    /// then the disk is right.
    pub(crate) fn covered(&self) -> bool {
        self.1.get()
    }

    fn covers(&self, path: &str) {
        if self.0.kind(path) != FileKind::Missing {
            self.1.set(true);
        }
    }

    /// The path with the links followed that earlier calls make.
    fn followed(&self, path: &str) -> Option<String> {
        let mut at: Option<String> = None;
        for _ in 0..LINKS {
            let here = at.as_deref().unwrap_or(path);
            let link = self.0.memory().link_on(here).filter(|(name, _)| self.0.is_pending_link(name));
            let Some((name, target)) = link else { break };
            self.covers(name);
            let rest = here.get(name.len()..).unwrap_or_default();
            at = Some(format!("{}{rest}", target.trim_end_matches('/')));
        }
        at.map(|at| if at.is_empty() { "/".to_owned() } else { at })
    }

    fn text(&self, path: &str) -> Option<Vec<u8>> {
        let known = matches!(self.0.memory().state_of(path), Some(Mark::Text(_)));
        let text = if known { self.0.pending(path) } else { None };
        if text.is_some() {
            self.covers(path);
        }
        text
    }

    /// The names right below a folder that only earlier calls put there.
    fn names_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let mut names: Vec<String> = Vec::new();
        for path in self.0.memory().stated() {
            let name = path.strip_prefix(&prefix).and_then(|rest| rest.split('/').next());
            let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
            if !names.iter().any(|known| known == name) && self.0.memory().state_of(path).is_some() {
                names.push(name.to_owned());
            }
        }
        names
    }
}

impl World for Ahead<'_> {
    fn kind(&self, path: &str) -> FileKind {
        work::charge(ASK);
        let followed = self.followed(path);
        let path = followed.as_deref().unwrap_or(path);
        match self.0.kind(path) {
            FileKind::Missing if self.text(path).is_some() => FileKind::File,
            FileKind::Missing if !self.names_below(path).is_empty() => FileKind::Dir,
            kind => kind,
        }
    }

    fn real(&self, path: &str) -> Option<String> {
        work::charge(ASK);
        match self.followed(path) {
            Some(followed) => Some(self.0.real(&followed).unwrap_or(followed)),
            None => self.0.real(path),
        }
    }

    fn list(&self, path: &str, limit: usize) -> Vec<String> {
        work::charge(ASK * 2);
        let followed = self.followed(path);
        let path = followed.as_deref().unwrap_or(path);
        let mut names = self.0.list(path, limit);
        for name in self.names_below(path) {
            if names.len() < limit && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn links(&self, path: &str, limit: usize) -> Vec<String> {
        let followed = self.followed(path);
        let path = followed.as_deref().unwrap_or(path);
        let mut links = self.0.links(path, limit);
        let pending = |name: &String| self.0.is_pending_link(&format!("{path}/{name}"));
        links.extend(self.names_below(path).into_iter().filter(pending));
        links
    }

    fn read(&self, path: &str, limit: usize) -> Option<Vec<u8>> {
        if !work::charge(ASK * 2) {
            return None;
        }
        let followed = self.followed(path);
        let path = followed.as_deref().unwrap_or(path);
        let text = match self.text(path) {
            Some(mut text) => {
                text.truncate(limit);
                Some(text)
            }
            None => self.0.read(path, limit),
        };
        work::charge(text.as_ref().map_or(0, Vec::len) / 64);
        text
    }

    fn read_disk(&self, path: &str, limit: usize) -> Option<Vec<u8>> {
        self.0.read_disk(path, limit)
    }

    fn identity(&self, path: &str) -> Option<(u64, u64)> {
        self.0.identity(path)
    }

    fn home(&self) -> &str {
        self.0.home()
    }

    fn homes(&self) -> Vec<String> {
        self.0.homes()
    }

    fn workspace(&self) -> &str {
        self.0.workspace()
    }

    fn temp_dirs(&self) -> &[String] {
        self.0.temp_dirs()
    }

    fn own_places(&self) -> &[String] {
        self.0.own_places()
    }

    fn environment(&self, name: &str) -> Option<String> {
        self.0.environment(name)
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.0.home_of(user)
    }

    fn git_status(&self, root: &str, ask: &GitAsk) -> Option<GitStatus> {
        self.0.git_status(root, ask)
    }

    fn git_lone_commits(&self, root: &str, refs: &[String]) -> Option<usize> {
        self.0.git_lone_commits(root, refs)
    }

    fn git_unpushed_commits(&self, root: &str) -> Option<usize> {
        self.0.git_unpushed_commits(root)
    }

    fn memory(&self) -> &Memory {
        self.0.memory()
    }

    fn state(&self) -> &Value {
        self.0.state()
    }
}
