//! Where interpreters are looked for. `PATH` comes from the agent, and may begin with a folder of the project under
//! judgement: a `python3` there would answer for every guard.

use std::env::{join_paths, split_paths, var_os, vars_os};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How the variables end in which agents name the project.
const PROJECT: &str = "_PROJECT_DIR";

/// `PATH` without relative folders and without those that lie in the workspace, by name or through a link.
pub(crate) fn safe_path() -> OsString {
    let workspaces = workspaces();
    let path = var_os("PATH").unwrap_or_default();
    let folders = split_paths(&path).filter(|folder| is_outside(folder, &workspaces));
    // An empty `PATH` would mean the working directory.
    join_paths(folders).ok().filter(|path| !path.is_empty()).unwrap_or_else(|| "/usr/bin:/bin".into())
}

/// Can a program be started by its name?
pub(crate) fn on_path(name: &str) -> bool {
    split_paths(&safe_path()).any(|folder| folder.join(name).is_file())
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
}
