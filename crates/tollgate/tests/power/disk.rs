//! What a hook did to its folder, as `strace` saw it, and what a power cut may leave of that.
//!
//! The model is a file system with a journal (ext4, XFS, btrfs): changes of names reach the disk in their order, and every
//! `fsync` brings all changes before it. Written bytes reach the disk at their file's `fsync`; without one, all of them,
//! only a part, or only zeros may be there.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The calls that change something, or make changes last.
pub const TRACED: &str = "trace=openat,open,creat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,\
copy_file_range,sendfile,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat,\
fsync,fdatasync,exit_group";

/// One step of a hook.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    MakeFile(PathBuf),
    MakeFolder(PathBuf),
    /// At an offset, or at the end.
    Write(PathBuf, Option<u64>, Vec<u8>),
    Cut(PathBuf, u64),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
    Sync(PathBuf),
    /// From here on the agent may run the call.
    Answer,
}

/// The steps of a trace below a folder. What is not understood is an error, so that nothing is overlooked.
pub fn steps(trace: &str, below: &Path) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in trace.lines() {
        let line = line.split_once(' ').map_or(line, |(_, rest)| rest.trim_start());
        let Some((name, rest)) = line.split_once('(') else { continue };
        let (args, result) = rest.rsplit_once(" = ").unwrap_or((rest, "0"));
        if result.starts_with('-') {
            continue;
        }
        let args: Vec<Arg> = args.trim_end().trim_end_matches(')').split(", ").map(Arg::read).collect();
        let made = step(name, &args, result);
        steps.extend(made.into_iter().filter(|step| step.path().is_none_or(|path| path.starts_with(below))));
    }
    steps
}

fn step(name: &str, args: &[Arg], result: &str) -> Vec<Step> {
    let at = |folder: usize| args[folder].path().join(args[folder + 1].path());
    let end = |bytes: &Arg| bytes.bytes.clone();
    vec![match name {
        "openat" | "open" | "creat" => {
            let has = |flag| args.iter().any(|arg| arg.raw.contains(flag));
            let path = Arg::read(result).path();
            let made = (name == "creat" || has("O_CREAT")).then(|| Step::MakeFile(path.clone()));
            let cut = (name == "creat" || has("O_TRUNC")).then_some(Step::Cut(path, 0));
            return made.into_iter().chain(cut).collect();
        }
        "write" if args[0].raw.starts_with("1<") => Step::Answer,
        "write" => Step::Write(args[0].path(), None, end(&args[1])),
        "pwrite64" => Step::Write(args[0].path(), args[3].raw.parse().ok(), end(&args[1])),
        "ftruncate" => Step::Cut(args[0].path(), args[1].raw.parse().unwrap()),
        "rename" => Step::Rename(args[0].path(), args[1].path()),
        "renameat" | "renameat2" => Step::Rename(at(0), at(2)),
        "link" => Step::Link(args[0].path(), args[1].path()),
        "linkat" => Step::Link(at(0), at(2)),
        "unlink" | "rmdir" => Step::Remove(args[0].path()),
        "unlinkat" => Step::Remove(at(0)),
        "mkdir" => Step::MakeFolder(args[0].path()),
        "mkdirat" => Step::MakeFolder(at(0)),
        "fsync" | "fdatasync" => Step::Sync(args[0].path()),
        "exit_group" => Step::Answer,
        // Newer than this `strace`, which shows such calls unasked: questions about mounts.
        other if other.starts_with("syscall_0x") => return Vec::new(),
        other => panic!("`{other}` is not in the model"),
    }]
}

/// One argument: a file descriptor with its path, a text, or anything else.
struct Arg {
    raw: String,
    bytes: Vec<u8>,
}

impl Arg {
    fn read(text: &str) -> Self {
        let hex = text.split("\\x").skip(1).filter_map(|pair| u8::from_str_radix(pair.get(..2)?, 16).ok());
        Self { raw: text.to_owned(), bytes: hex.collect() }
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(String::from_utf8(self.bytes.clone()).unwrap())
    }
}

impl Step {
    fn path(&self) -> Option<&Path> {
        match self {
            Self::MakeFile(path) | Self::MakeFolder(path) | Self::Write(path, ..) | Self::Cut(path, _) => {
                Some(path)
            }
            Self::Rename(path, _) | Self::Link(path, _) | Self::Remove(path) | Self::Sync(path) => Some(path),
            Self::Answer => None,
        }
    }
}

/// A folder's contents: `None` is a folder.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Reads a folder with all that is in it.
pub fn read(folder: &Path) -> Tree {
    let mut tree = Tree::from([(folder.to_owned(), None)]);
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        assert!(kind.is_dir() || kind.is_file(), "{:?} is neither file nor folder", entry.path());
        match kind.is_dir() {
            true => tree.extend(read(&entry.path())),
            false => drop(tree.insert(entry.path(), Some(std::fs::read(entry.path()).unwrap()))),
        }
    }
    tree
}

/// Makes a folder hold exactly this.
pub fn write(folder: &Path, tree: &Tree) {
    std::fs::remove_dir_all(folder).unwrap();
    for (path, content) in tree {
        let (mode, made) = match content {
            None => (0o700, std::fs::create_dir_all(path)),
            Some(bytes) => (0o600, std::fs::write(path, bytes)),
        };
        made.unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// A file of the model: what was there, and every write with its step.
struct File {
    before: Vec<u8>,
    writes: Vec<(usize, Change)>,
    length: u64,
    /// All writes before this step are on the disk.
    synced: usize,
}

enum Change {
    Write(u64, Vec<u8>),
    Cut(u64),
}

/// What a power cut after `end` steps may leave. `chance` picks one of the possibilities: a number below its argument.
pub fn after_power_cut(
    before: &Tree,
    steps: &[Step],
    end: usize,
    mut chance: impl FnMut(usize) -> usize,
) -> Tree {
    let is_sync = |step: &Step| matches!(step, Step::Sync(_));
    let least = steps[..end].iter().rposition(is_sync).map_or(0, |at| at + 1);
    let names_until = least + chance(end - least + 1);
    let mut model = Model::of(before);
    for (at, step) in steps[..end].iter().enumerate() {
        model.take(at, step, at < names_until);
    }
    model.on_disk(&mut chance)
}

/// What all the steps make when nothing fails.
pub fn in_the_end(before: &Tree, steps: &[Step]) -> Tree {
    let mut model = Model::of(before);
    for (at, step) in steps.iter().enumerate() {
        model.take(at, step, true);
    }
    model.files.iter_mut().for_each(|file| file.synced = usize::MAX);
    model.on_disk(&mut |_| 0)
}

/// Names as programs see them and as the disk has them; `None` is a folder.
#[derive(Default)]
struct Model {
    files: Vec<File>,
    seen: BTreeMap<PathBuf, Option<usize>>,
    disk: BTreeMap<PathBuf, Option<usize>>,
}

impl Model {
    fn of(tree: &Tree) -> Self {
        let mut model = Self::default();
        for (path, content) in tree {
            let file = content.as_ref().map(|bytes| model.add(bytes.clone()));
            model.seen.insert(path.clone(), file);
        }
        model.disk = model.seen.clone();
        model
    }

    fn add(&mut self, before: Vec<u8>) -> usize {
        let length = before.len() as u64;
        self.files.push(File { before, writes: Vec::new(), length, synced: 0 });
        self.files.len() - 1
    }

    fn take(&mut self, at: usize, step: &Step, lasts: bool) {
        match step {
            Step::MakeFile(path) if self.seen.contains_key(path) => {}
            Step::MakeFile(path) => {
                let file = self.add(Vec::new());
                self.name(lasts, |names| _ = names.insert(path.clone(), Some(file)));
            }
            Step::MakeFolder(path) => self.name(lasts, |names| _ = names.insert(path.clone(), None)),
            Step::Rename(from, to) => {
                let moved = self.seen.get(from).copied().flatten().expect("only files are renamed");
                self.name(lasts, |names| {
                    names.remove(from);
                    names.insert(to.clone(), Some(moved));
                });
            }
            Step::Link(from, to) => {
                let linked = self.seen.get(from).copied().flatten();
                self.name(lasts, |names| _ = names.insert(to.clone(), linked));
            }
            Step::Remove(path) => self.name(lasts, |names| _ = names.remove(path)),
            Step::Write(path, offset, bytes) => {
                let Some(file) = self.file(path) else { return };
                let offset = offset.unwrap_or(file.length);
                file.length = file.length.max(offset + bytes.len() as u64);
                file.writes.push((at, Change::Write(offset, bytes.clone())));
            }
            Step::Cut(path, length) => {
                let Some(file) = self.file(path) else { return };
                file.length = *length;
                file.writes.push((at, Change::Cut(*length)));
            }
            Step::Sync(path) => {
                if let Some(file) = self.file(path) {
                    file.synced = at;
                }
            }
            Step::Answer => {}
        }
    }

    fn name(&mut self, lasts: bool, mut change: impl FnMut(&mut BTreeMap<PathBuf, Option<usize>>)) {
        change(&mut self.seen);
        if lasts {
            change(&mut self.disk);
        }
    }

    fn file(&mut self, path: &Path) -> Option<&mut File> {
        let at = self.seen.get(path).copied().flatten()?;
        self.files.get_mut(at)
    }

    fn on_disk(&self, chance: &mut impl FnMut(usize) -> usize) -> Tree {
        let contents: Vec<Vec<u8>> = self.files.iter().map(|file| file.on_disk(chance)).collect();
        self.disk.iter().map(|(path, file)| (path.clone(), file.map(|at| contents[at].clone()))).collect()
    }
}

/// Bytes that reach the disk together or not at all.
const SECTOR: usize = 512;

impl File {
    fn on_disk(&self, chance: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
        let safe = self.writes.iter().take_while(|(at, _)| *at < self.synced).count();
        let more = chance(self.writes.len() - safe + 1);
        let mut content = self.before.clone();
        for (number, (_, change)) in self.writes.iter().take(safe + more).enumerate() {
            let (start, bytes) = match change {
                Change::Cut(length) => {
                    content.resize(usize::try_from(*length).unwrap(), 0);
                    continue;
                }
                Change::Write(offset, bytes) => (usize::try_from(*offset).unwrap(), bytes),
            };
            let end = start + bytes.len();
            content.resize(content.len().max(end), 0);
            let torn = number + 1 == safe + more && more > 0;
            let whole = if torn { SECTOR * chance(bytes.len().div_ceil(SECTOR) + 1) } else { bytes.len() };
            let whole = whole.min(bytes.len());
            content[start..start + whole].copy_from_slice(&bytes[..whole]);
        }
        content
    }
}
