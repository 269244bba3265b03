//! The machine as rules see it: read-only, and looked at only when a verdict depends on it.

use std::cell::{OnceCell, RefCell};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use tollgate_model::git::{GitAsk, GitStatus};
use tollgate_model::json::Value;
use tollgate_model::{FileKind, Memory, NOTHING, State, World};
use tollgate_policy::{Health, SourceFile};
use tollgate_store::{KeptText, LogFault, Whose, read_state};

use crate::dirs;
use crate::git::Git;

/// Where temporary files lie.
const TEMP: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];

/// How many paths are remembered.
const FOLLOWED: usize = 128;
/// How many links one path may lead over, as the kernel has it.
const MAX_LINKS: u32 = 40;
/// The longest path that the kernel takes.
const MAX_PATH: usize = 4096;

/// This machine.
pub struct Machine {
    home: String,
    project: String,
    workspace: OnceCell<String>,
    temp: Vec<String>,
    own: Vec<String>,
    homes: OnceCell<Vec<String>>,
    /// Where paths led that were asked for: several rules look at the same ones.
    followed: RefCell<Vec<(String, Option<String>)>>,
    git: Git,
    session: Session,
    memory: OnceCell<Result<Memory, LogFault>>,
    /// Texts of the session's that were asked for and could not be read.
    unread: RefCell<Vec<String>>,
    state: OnceCell<Value>,
}

/// Whose memory is asked.
#[derive(Default)]
struct Session {
    state: PathBuf,
    agent: &'static str,
    id: String,
}

impl Machine {
    /// The machine, seen from a session's project. `policies` are the files that the policy was read from, links
    /// followed: they are the gate's own, wherever they lie.
    pub fn new(project: &str, config: &Path, state: &Path, policies: &[SourceFile]) -> Self {
        let home = dirs::home().map(text).unwrap_or_default();
        let mut temp: Vec<String> = TEMP.iter().map(|folder| (*folder).to_owned()).collect();
        temp.extend(own_temp());
        let mut own = vec![text(config.to_owned()), text(state.to_owned()), dirs::MANAGED.to_owned()];
        own.extend(std::env::current_exe().ok().map(text));
        own.extend(
            policies.iter().filter(|file| file.health != Health::Missing).map(|file| text(file.real.clone())),
        );
        Self {
            home,
            project: project.to_owned(),
            workspace: OnceCell::new(),
            temp,
            own,
            homes: OnceCell::new(),
            followed: RefCell::default(),
            git: Git::at(state),
            session: Session::default(),
            memory: OnceCell::new(),
            unread: RefCell::default(),
            state: OnceCell::new(),
        }
    }

    /// The same machine, with the memory of a session.
    pub fn in_session(mut self, state: &Path, agent: &'static str, id: &str) -> Self {
        self.session = Session { state: state.to_owned(), agent, id: id.to_owned() };
        self
    }

    /// Why the session's memory could not be read, where it was needed and could not.
    pub fn memory_faults(&self) -> Vec<String> {
        let memory = self.memory.get().and_then(|memory| memory.as_ref().err()).map(ToString::to_string);
        memory.into_iter().chain(self.unread.borrow().iter().cloned()).collect()
    }

    /// The contents that only the index of a work tree names; `None` when that cannot be told.
    pub fn staged_objects(&self, root: &str) -> Option<Vec<String>> {
        self.git.staged_objects(root)
    }

    /// The files in which a commit differs from what is checked out in a work tree; `None` when that cannot be told.
    pub fn changed_since(&self, root: &str, revision: &str) -> Option<Vec<String>> {
        self.git.changed_since(root, revision)
    }

    /// What the session keeps of a file, unless the disk has something newer at its name. The time of the last change
    /// of any kind counts, which nobody sets back. Of two at the same tick, what was written is what was said.
    fn kept(&self, path: &str, on_disk: std::io::Result<fs::Metadata>) -> Option<KeptText> {
        let Session { state, agent, id } = &self.session;
        match tollgate_store::session_text(state, agent, id, path) {
            Ok(kept) => kept
                .filter(|kept| on_disk.map_or(true, |disk| (disk.ctime(), disk.ctime_nsec()) <= kept.time)),
            Err(fault) => {
                self.unread.borrow_mut().push(fault.to_string());
                None
            }
        }
    }

    /// Where a path leads: as far as it exists links are followed, the rest is as it is named. Every folder is looked at
    /// once, for the paths of a call share most of theirs.
    fn follow(&self, path: &str, links: &mut u32) -> Option<String> {
        if let Some((_, real)) = self.followed.borrow().iter().find(|(known, _)| known == path) {
            return real.clone();
        }
        let real = self.look(path, links);
        let mut followed = self.followed.borrow_mut();
        if followed.len() < FOLLOWED {
            followed.push((path.to_owned(), real.clone()));
        }
        real
    }

    fn look(&self, path: &str, links: &mut u32) -> Option<String> {
        let (folder, name) = path.rsplit_once('/')?;
        let folder = if folder.is_empty() { String::new() } else { self.follow(folder, links)? };
        let folder = folder.trim_end_matches('/');
        match name {
            "" | "." => return Some(if folder.is_empty() { "/".to_owned() } else { folder.to_owned() }),
            ".." => {
                let (above, _) = folder.rsplit_once('/').unwrap_or_default();
                return Some(if above.is_empty() { "/".to_owned() } else { above.to_owned() });
            }
            _ => {}
        }
        let path = format!("{folder}/{name}");
        let Ok(target) = fs::read_link(&path) else { return Some(path) };
        *links = links.checked_sub(1)?;
        let target = text(target);
        let target = if target.starts_with('/') { target } else { format!("{folder}/{target}") };
        self.follow(&target, links)
    }
}

impl World for Machine {
    fn home(&self) -> &str {
        &self.home
    }

    fn homes(&self) -> Vec<String> {
        let find = || {
            let mut homes = vec![self.home.clone()];
            homes.extend(dirs::home_by_uid().map(text));
            homes.extend(self.real(&self.home));
            homes.retain(|home| home.len() > 1);
            homes.dedup();
            homes
        };
        self.homes.get_or_init(find).clone()
    }

    fn workspace(&self) -> &str {
        self.workspace.get_or_init(|| self.real(&self.project).unwrap_or_else(|| self.project.clone()))
    }

    fn temp_dirs(&self) -> &[String] {
        &self.temp
    }

    fn own_places(&self) -> &[String] {
        &self.own
    }

    fn kind(&self, path: &str) -> FileKind {
        let Ok(meta) = fs::metadata(path) else { return FileKind::Missing };
        let kind = meta.file_type();
        if kind.is_file() {
            FileKind::File
        } else if kind.is_dir() {
            FileKind::Dir
        } else if kind.is_block_device() || kind.is_char_device() {
            FileKind::Device
        } else {
            FileKind::Other
        }
    }

    fn real(&self, path: &str) -> Option<String> {
        if path.len() > MAX_PATH {
            return Some(path.to_owned());
        }
        let mut links = MAX_LINKS;
        self.follow(path, &mut links)
    }

    fn identity(&self, path: &str) -> Option<(u64, u64)> {
        let meta = fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.nlink() > 1)?;
        Some((meta.dev(), meta.ino()))
    }

    fn list(&self, path: &str, limit: usize) -> Vec<String> {
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.take(limit).collect()
    }

    fn links(&self, path: &str, limit: usize) -> Vec<String> {
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let links = entries.flatten().take(limit).filter(is_link);
        links.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    fn read(&self, path: &str, limit: usize) -> Option<Vec<u8>> {
        // Only regular files: a pipe or a device in the workspace must not hold the gate up.
        tollgate_policy::read_start(Path::new(path), limit).ok()
    }

    fn environment(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn home_of(&self, user: &str) -> Option<String> {
        // A user of a directory service, or in a container, is in no list: the name of the home is theirs.
        let own = || self.home.rsplit('/').next().filter(|name| *name == user).map(|_| self.home.clone());
        dirs::home_of(user).map(text).or_else(own)
    }

    fn git_status(&self, root: &str, ask: &GitAsk) -> Option<GitStatus> {
        self.git.status(root, ask, self)
    }

    fn git_lone_commits(&self, root: &str, refs: &[String]) -> Option<usize> {
        self.git.lone_commits(root, refs)
    }

    fn git_unpushed_commits(&self, root: &str) -> Option<usize> {
        self.git.unpushed_commits(root)
    }

    fn memory(&self) -> &Memory {
        let Session { state, agent, id } = &self.session;
        let memory = self.memory.get_or_init(|| tollgate_store::session_memory(state, agent, id));
        memory.as_ref().unwrap_or(&NOTHING)
    }

    fn pending(&self, path: &str) -> Option<Vec<u8>> {
        self.kept(path, fs::metadata(path)).map(|kept| kept.text)
    }

    fn is_pending_link(&self, name: &str) -> bool {
        self.kept(name, fs::symlink_metadata(name)).is_some()
    }

    fn state(&self) -> &Value {
        let Session { state, agent, id } = &self.session;
        let read = |whose| read_state(state, whose).map(|held| held.state).unwrap_or_default();
        self.state.get_or_init(|| {
            let project = read(Whose::Project(self.workspace()));
            State::merged(&[&project, &read(Whose::Session { agent, session: id })])
        })
    }
}

/// `TMPDIR`, where it names a place that is temporary anyway: a project's settings may set it.
fn own_temp() -> Option<String> {
    let named = std::env::var("TMPDIR").ok()?;
    let roots = ["/tmp/", "/var/", "/private/", "/run/", "/dev/shm/"];
    (roots.iter().any(|root| named.starts_with(root)) && !named.contains("..")).then_some(named)
}

fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap_or_else(|path| path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn paths_lead_where_the_kernel_says() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("a/b/c")).unwrap();
        fs::write(root.join("a/b/file"), "").unwrap();
        for (target, name) in [
            ("a/b", "near"),
            ("../b/c/..", "a/b/back"),
            ("near/c", "twice"),
            ("round", "round"),
            ("a/none/../b", "broken"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        symlink(root.join("a"), root.join("far")).unwrap();
        let machine = Machine::new(&text(root.clone()), Path::new("/c"), Path::new("/s"), &[]);
        let real = |name: &str| machine.real(&text(root.join(name)));
        for name in ["", "a/b", "near", "near/file", "a/b/back", "twice", "far/b/c", "far/b/back/file"] {
            assert_eq!(real(name), Some(text(fs::canonicalize(root.join(name)).unwrap())), "{name}");
        }
        for (name, leads) in [("near/new/file", "a/b/new/file"), ("far/x", "a/x"), ("none/x", "none/x")] {
            assert_eq!(real(name), Some(text(root.join(leads))), "{name}");
        }
        assert_eq!(real("round/x"), None);
        assert_eq!(machine.real("/"), Some("/".to_owned()));
    }
}
