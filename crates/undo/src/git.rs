//! The state of a git repository as files: HEAD, index, refs, reflogs. Git itself is never run.
//!
//! Commits that lose their last name stay in the object database until git prunes it. A pin keeps them: one ref with a
//! reflog that names them all, which is two files however many commits there are.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::fault::Unsaved;
use crate::manifest::After;
use crate::wanted::{Depth, Wanted};

/// Where pins are, below the git directory.
const PINS: &str = "refs/tollgate";

/// Files and folders that belong to one work tree.
const OWN: [&str; 21] = [
    "HEAD",
    "index",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_AUTOSTASH",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_NAMES",
    "BISECT_TERMS",
    "BISECT_EXPECTED_REV",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "logs",
];
/// Files and folders that all work trees share.
const SHARED: [&str; 7] = ["packed-refs", "refs", "logs", "reftable", "config", "shallow", "worktrees"];

/// The most commits that one pin names.
const MOST_PINNED: usize = 20_000;
/// The most that is read of a file with refs.
const MOST_READ: u64 = 32 << 20;

/// A repository's folders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repository {
    own: PathBuf,
    shared: PathBuf,
}

impl Repository {
    /// The repository that a folder lies in.
    #[must_use]
    pub fn find(folder: &Path) -> Option<Self> {
        let own = folder.ancestors().find_map(git_dir)?;
        let shared = match read(&own.join("commondir"), 4096) {
            Some(text) => own.join(text.trim_end_matches('\n')),
            None => own.clone(),
        };
        Some(Self { own: own.canonicalize().ok()?, shared: shared.canonicalize().ok()? })
    }

    /// Its git directory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.own
    }

    /// Everything that says which commits there are and what is staged.
    pub(crate) fn state(&self) -> Vec<Wanted> {
        let own = OWN.iter().map(|name| self.own.join(name));
        let shared = SHARED.iter().map(|name| self.shared.join(name));
        let mut paths: BTreeSet<PathBuf> = own.chain(shared).collect();
        let entries = fs::read_dir(&self.own).into_iter().flatten().flatten();
        paths.extend(
            entries
                .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"sharedindex."))
                .map(|entry| entry.path()),
        );
        paths.into_iter().map(|path| Wanted { path, depth: Depth::Exact, after: After::Unknown }).collect()
    }

    /// Keeps every commit that a ref or reflog names now, and other objects, from being pruned. `None` when there is none.
    pub(crate) fn pin(&self, others: &[String]) -> Result<Option<PathBuf>, Unsaved> {
        if self.shared.join("reftable").exists() {
            return Err(Unsaved::Kind(self.shared.clone(), "a repository whose refs are no files"));
        }
        let mut commits = self.commits();
        commits.extend(others.iter().filter_map(|word| object(word)));
        let Some(first) = self.head().or_else(|| commits.first().cloned()) else { return Ok(None) };
        if commits.len() > MOST_PINNED {
            return Err(Unsaved::Kind(self.shared.clone(), "a repository with too many refs"));
        }
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}", seconds.as_nanos(), std::process::id());
        let zero: String = first.chars().map(|_| '0').collect();
        let lines: String = commits
            .iter()
            .map(|commit| {
                format!("{zero} {commit} Tollgate <tollgate@localhost> {} +0000\tsaved\n", seconds.as_secs())
            })
            .collect();
        let pin = self.shared.join(PINS).join(&name);
        let written = write(&self.shared.join("logs").join(PINS).join(&name), &lines)
            .and_then(|()| write(&pin, &format!("{first}\n")));
        match written {
            Ok(()) => Ok(Some(pin)),
            Err(_) => {
                unpin(&pin);
                Err(Unsaved::Kind(self.shared.clone(), "a repository that cannot be written to"))
            }
        }
    }

    fn head(&self) -> Option<String> {
        let head = read(&self.own.join("HEAD"), 4096)?;
        let Some(name) = head.trim().strip_prefix("ref: ") else { return object(head.trim()) };
        let loose = read(&self.shared.join(name), 4096).and_then(|text| object(text.trim()));
        loose.or_else(|| {
            let packed = read(&self.shared.join("packed-refs"), MOST_READ)?;
            packed.lines().find_map(|line| object(line.strip_suffix(name)?.trim()))
        })
    }

    /// The objects that refs and reflogs name.
    fn commits(&self) -> BTreeSet<String> {
        let mut commits = BTreeSet::new();
        let mut files = vec![self.own.join("HEAD"), self.shared.join("packed-refs"), self.own.join("logs")];
        files.extend([self.shared.join("refs"), self.shared.join("logs")]);
        while let Some(path) = files.pop() {
            if is_pin(&path) {
                continue;
            }
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    files.extend(
                        fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()),
                    );
                }
                Ok(metadata) if metadata.is_file() => {
                    let text = read(&path, MOST_READ).unwrap_or_default();
                    let words = text.lines().flat_map(|line| line.split([' ', '^']).take(3));
                    commits.extend(words.filter_map(object));
                }
                _ => {}
            }
        }
        commits
    }
}

/// Is it a pin, or a folder of pins?
pub(crate) fn is_pin(path: &Path) -> bool {
    let names: Vec<&OsStr> = path.iter().collect();
    names.windows(2).any(|pair| pair == [OsStr::new("refs"), OsStr::new("tollgate")])
}

/// Gives up a pin.
pub(crate) fn unpin(pin: &Path) {
    let Some((folder, name)) = pin.parent().zip(pin.file_name()) else { return };
    if !is_pin(pin) {
        return;
    }
    // What stays keeps objects a little longer. Folders go when they are empty.
    let _ = fs::remove_file(pin);
    let _ = fs::remove_dir(folder);
    if let Some(shared) = folder.parent().and_then(Path::parent) {
        let logs = shared.join("logs").join(PINS);
        let _ = fs::remove_file(logs.join(name));
        let _ = fs::remove_dir(logs);
    }
}

fn git_dir(folder: &Path) -> Option<PathBuf> {
    let dot = folder.join(".git");
    if dot.is_dir() {
        return Some(dot);
    }
    if let Some(text) = read(&dot, 4096) {
        return Some(folder.join(text.strip_prefix("gitdir:")?.trim_start().trim_end_matches('\n')));
    }
    (folder.join("HEAD").is_file() && folder.join("objects").is_dir()).then(|| folder.to_owned())
}

/// The name of an object, if it is one and not the name of none.
fn object(word: &str) -> Option<String> {
    let whole = matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    (whole && word.bytes().any(|byte| byte != b'0')).then(|| word.to_owned())
}

fn read(path: &Path, most: u64) -> Option<String> {
    // Not to hang on a pipe.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    fs::File::open(path).ok()?.take(most).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o777).create(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o666).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
