//! A git directory of our own that stands for a repository's: links to its data, and a configuration that we wrote.
//!
//! Git reads configuration again at each start. As long as that is the repository's, a filter or file-system monitor that
//! is planted between two of our questions would run. From a directory of our own it reads only keys that start nothing.

use std::fs::{self, DirBuilder};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tollgate_policy::read_text;

/// The folder in the state directory that holds such directories for as long as an event lasts.
const FOLDER: &str = "git";
/// What a process that died left behind is removed after this.
const STALE: Duration = Duration::from_secs(600);

/// Parts of the repository that belong to one work tree, and those that all its work trees share. All are only data.
const OWN: [&str; 1] = ["index"];
const SHARED: [&str; 6] = ["objects", "refs", "packed-refs", "reftable", "shallow", "info"];

/// Keys that say how files compare and how data is stored. None of them names a program.
const KEYS: [&str; 16] = [
    "core.repositoryformatversion",
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.trustctime",
    "core.checkstat",
    "core.autocrlf",
    "core.eol",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.excludesfile",
    "core.attributesfile",
    "index.sparse",
    "extensions.objectformat",
    "extensions.refstorage",
];

/// A git directory of our own. It is removed with the value.
#[derive(Debug)]
pub struct PrivateDir {
    path: PathBuf,
}

impl PrivateDir {
    /// Makes one for the repository of a folder. `listed` is what `git config --list -z` says there.
    pub fn new(state: &Path, root: &Path, listed: &[u8]) -> Option<Self> {
        let (own, shared) = git_dirs(root)?;
        let private = Self { path: make_folder(state)? };
        let head = read_text(&own.join("HEAD"), 4096).ok()?;
        write(&private.path.join("HEAD"), &head)?;
        write(&private.path.join("config"), &configuration(listed))?;
        for (folder, names) in [(&own, &OWN[..]), (&shared, &SHARED[..])] {
            for name in names.iter().filter(|name| folder.join(name).symlink_metadata().is_ok()) {
                symlink(folder.join(name), private.path.join(name)).ok()?;
            }
        }
        link_shared_indexes(&own, &private.path);
        Some(private)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        // Links are removed, not followed. What is left is removed by a later event.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The directory of a work tree or bare repository, and the one that it shares with other work trees.
fn git_dirs(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let own = root.ancestors().find_map(git_dir)?;
    let shared = match read_text(&own.join("commondir"), 4096) {
        Ok(text) => own.join(text.trim_end_matches('\n')),
        Err(_) => own.clone(),
    };
    Some((own, shared))
}

fn git_dir(folder: &Path) -> Option<PathBuf> {
    let dot = folder.join(".git");
    if dot.is_dir() {
        return Some(dot);
    }
    if let Ok(text) = read_text(&dot, 4096) {
        return Some(folder.join(text.strip_prefix("gitdir:")?.trim_start().trim_end_matches('\n')));
    }
    (folder.join("HEAD").is_file() && folder.join("objects").is_dir()).then(|| folder.to_owned())
}

/// An index may be split in two, of which the other is named by its hash.
fn link_shared_indexes(own: &Path, private: &Path) {
    for entry in fs::read_dir(own).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b"sharedindex.") {
            let _ = symlink(entry.path(), private.join(name));
        }
    }
}

/// A new folder that only we can enter: in the state directory, or with a name that nobody can know in advance.
fn make_folder(state: &Path) -> Option<PathBuf> {
    let folder = state.join(FOLDER);
    let made = state.is_absolute() && DirBuilder::new().recursive(true).mode(0o700).create(&folder).is_ok();
    if made && folder.symlink_metadata().is_ok_and(|kind| kind.is_dir()) {
        remove_stale(&folder);
        if let Some(path) = make_unique(&folder) {
            return Some(path);
        }
    }
    make_unique(&std::env::temp_dir())
}

fn make_unique(folder: &Path) -> Option<PathBuf> {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    (0..8).find_map(|turn| {
        let address = std::ptr::from_ref(&turn).addr();
        let seed = format!("{nanos} {} {turn} {address}", std::process::id());
        let name: String = blake3::hash(seed.as_bytes()).to_hex().chars().take(24).collect();
        let path = folder.join(format!("tollgate-git-{name}"));
        DirBuilder::new().mode(0o700).create(&path).is_ok().then_some(path)
    })
}

fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        if changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STALE)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn write(path: &Path, text: &str) -> Option<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).ok()?;
    file.write_all(text.as_bytes()).ok()
}

/// The configuration of a repository without everything that could start a program. The later of two values counts, as
/// in git.
fn configuration(listed: &[u8]) -> String {
    let mut text = String::new();
    for entry in listed.split(|byte| *byte == 0) {
        let entry = String::from_utf8_lossy(entry);
        // A key without a value is true.
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
        let promisor = key.starts_with("remote.") && key.ends_with(".promisor") && !key.contains('\n');
        let (Some((section, name)), true) = (key.rsplit_once('.'), KEYS.contains(&key) || promisor) else {
            continue;
        };
        let section = match section.split_once('.') {
            Some((section, sub)) => format!("{section} {}", quoted(sub)),
            None => section.to_owned(),
        };
        text.push_str(&format!("[{section}]\n\t{name} = {}\n", quoted(value)));
    }
    text
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::configuration;

    #[test]
    fn only_keys_that_start_nothing_are_taken_over() {
        let listed = b"core.bare\nfalse\0core.filemode\ntrue\0core.fsmonitor\n/x\0filter.a.clean\nevil\0alias.status\n!evil\0\
            core.excludesfile\na \"b\"\\c\0core.ignorecase\0remote.o\"r.promisor\ntrue\0remote.o.uploadpack\nevil\0\
            core.eol\nlf\n[core]\nfsmonitor=evil\0";
        assert_eq!(
            configuration(listed),
            "[core]\n\tfilemode = \"true\"\n[core]\n\texcludesfile = \"a \\\"b\\\"\\\\c\"\n[core]\n\tignorecase = \"true\"\n\
             [remote \"o\\\"r\"]\n\tpromisor = \"true\"\n[core]\n\teol = \"lf\\n[core]\\nfsmonitor=evil\"\n"
        );
    }
}
