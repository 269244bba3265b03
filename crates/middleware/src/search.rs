//! Where programs of middleware are looked for. `PATH` comes from the agent: a `python3` in a folder that it put there would
//! answer for every guard. So the folders that the owner had in `PATH` at the last `init` or `trust` come first, and what the
//! agent adds counts only for programs that are in none of them.

use std::env::{join_paths, split_paths, var_os, vars_os};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tollgate_store::{keep_note, read_note};

/// The note in the state directory that holds the owner's folders.
const NOTE: &str = "programs-path";
/// Longer than any `PATH` that a system takes.
const LONGEST: usize = 128 << 10;
/// Where programs are when `PATH` names no folder that can be used. An empty one would mean the working directory.
const DEFAULT: &str = "/usr/bin:/bin";
/// How the variables end in which agents name the project.
const PROJECT: &str = "_PROJECT_DIR";

/// The folders in which programs of middleware are looked for, read when the first program is started.
#[derive(Debug, Default)]
pub struct SearchPath {
    state: PathBuf,
    folders: OnceLock<OsString>,
}

impl SearchPath {
    /// With the owner's folders that this state directory knows.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { state: state.to_owned(), folders: OnceLock::new() }
    }

    /// Keeps this process's `PATH` as the owner's. For commands that only a person can run.
    ///
    /// # Errors
    /// When the state directory cannot be written.
    pub fn keep(state: &Path) -> std::io::Result<()> {
        let path = usable(&var_os("PATH").unwrap_or_default(), &workspaces());
        keep_note(state, NOTE, path.as_bytes()).map_err(|fault| std::io::Error::other(fault.to_string()))
    }

    /// A value for `PATH`.
    pub(crate) fn value(&self) -> &OsStr {
        self.folders.get_or_init(|| {
            let workspaces = workspaces();
            let owner = read_note(&self.state, NOTE, LONGEST).ok().flatten().unwrap_or_default();
            let folders = [OsString::from_vec(owner), var_os("PATH").unwrap_or_default()];
            let all = folders.iter().flat_map(|path| split_paths(path));
            let usable = usable(&join_paths(all).unwrap_or_default(), &workspaces);
            if usable.is_empty() { DEFAULT.into() } else { usable }
        })
    }

    /// Can a program be started by its name?
    pub(crate) fn has(&self, name: &str) -> bool {
        split_paths(self.value()).any(|folder| folder.join(name).is_file())
    }
}

/// `PATH` without relative folders, without those that lie in a workspace, by name or through a link, and without those in
/// which anybody may put a program. Each once.
fn usable(path: &OsStr, workspaces: &[PathBuf]) -> OsString {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in split_paths(path).filter(|folder| is_outside(folder, workspaces) && !is_public(folder)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    join_paths(folders).unwrap_or_default()
}

/// May anybody put a file into this folder, or replace a folder above it?
fn is_public(folder: &Path) -> bool {
    const WORLD: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mode = |folder: &Path| folder.metadata().map_or(0, |metadata| metadata.mode());
    let mut above = real.ancestors();
    above.next().is_some_and(|own| mode(own) & WORLD != 0)
        || above.any(|folder| mode(folder) & (WORLD | STICKY) == WORLD)
}

/// Does a folder lie in none of the workspaces? A link in an outside folder may lead into one, too: that is the
/// person's own doing.
fn is_outside(folder: &Path, workspaces: &[PathBuf]) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let inside = |path: &Path| workspaces.iter().any(|workspace| path.starts_with(workspace));
    folder.is_absolute() && !inside(folder) && !inside(&real)
}

/// The working directory and the project: the one that the agent names, else the outermost repository around the working
/// directory.
fn workspaces() -> Vec<PathBuf> {
    let cwd = std::env::current_dir().ok();
    let names_project = |name: &OsString| name.to_str().is_some_and(|name| name.ends_with(PROJECT));
    let named = vars_os().filter(|(name, _)| names_project(name));
    let mut known: Vec<PathBuf> = named.map(|(_, folder)| PathBuf::from(folder)).collect();
    if known.is_empty() {
        let around = cwd.iter().flat_map(|cwd| cwd.ancestors());
        known.extend(around.filter(|folder| folder.join(".git").exists()).last().map(Path::to_owned));
    }
    known.extend(cwd);
    let real = known.iter().filter_map(|folder| folder.canonicalize().ok());
    let mut all: Vec<PathBuf> = real.chain(known.iter().cloned()).collect();
    // Whoever works in the home directory itself, or keeps it in git, has programs there.
    let home = var_os("HOME").map(PathBuf::from);
    all.retain(|folder| folder.parent().is_some() && folder.is_absolute() && Some(folder) != home.as_ref());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f52_folders_of_the_workspace_are_left_out() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (work, tools) = (base.join("work"), base.join("tools"));
        std::fs::create_dir_all(work.join("bin")).unwrap();
        std::fs::create_dir_all(&tools).unwrap();
        std::os::unix::fs::symlink(work.join("bin"), base.join("link")).unwrap();
        let workspaces = [work.clone()];
        for (folder, outside) in [
            (work.join("bin"), false),
            (work.join("../work/bin"), false),
            (base.join("link"), false),
            (PathBuf::from("bin"), false),
            (PathBuf::new(), false),
            (tools, true),
            (base.join("workshop/bin"), true),
            (PathBuf::from("/usr/bin"), true),
        ] {
            assert_eq!(is_outside(&folder, &workspaces), outside, "{}", folder.display());
        }
    }

    #[test]
    fn f52_a_folder_that_anybody_may_fill_is_left_out() {
        use std::os::unix::fs::PermissionsExt;
        let base = tempfile::tempdir().unwrap();
        let (own, open) = (base.path().join("own"), base.path().join("open"));
        let below = open.join("below");
        for (folder, mode) in [(&own, 0o755), (&open, 0o777), (&below, 0o755)] {
            std::fs::create_dir(folder).unwrap();
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!((is_public(&own), is_public(&open), is_public(&below)), (false, true, true));
    }

    #[test]
    fn f52_the_owners_folders_come_first() {
        let state = tempfile::tempdir().unwrap();
        keep_note(state.path(), NOTE, b"/owner/bin:/usr/bin").unwrap();
        let path = SearchPath::new(state.path());
        assert!(path.value().as_bytes().starts_with(b"/owner/bin:/usr/bin"), "{:?}", path.value());
    }
}
