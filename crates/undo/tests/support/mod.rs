//! Generated trees, and pictures of them that two equal trees share.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{Timespec, Timestamps, XattrFlags};

/// A generator that gives the same tree for the same number on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// Fills a folder. Returns the files and the folders in it.
pub fn grow(root: &Path, random: &mut Random) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut folders = vec![root.to_owned()];
    let mut files = Vec::new();
    for number in 0..3 + random.below(14) {
        let around = random.pick(&folders).clone();
        let path = around.join(name(number, random));
        match random.below(10) {
            0 | 1 => {
                fs::create_dir(&path).unwrap();
                folders.push(path);
            }
            2 => symlink(random.pick(&["nowhere", "..", "/etc/passwd", "a\nb"]), &path).unwrap(),
            3 if !files.is_empty() => fs::hard_link(random.pick(&files), &path).unwrap(),
            4 => rustix::fs::mknodat(
                rustix::fs::CWD,
                &path,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::from_raw_mode(0o640),
                0,
            )
            .unwrap(),
            _ => {
                write_some(&path, random);
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        let path = root.join("only");
        write_some(&path, random);
        files.push(path);
    }
    decorate(root, random);
    (files, folders)
}

fn name(number: u64, random: &mut Random) -> OsString {
    match random.below(8) {
        0 => OsString::from(format!("new\nline {number}")),
        1 => OsString::from_vec([b"\xff\xfe".as_slice(), number.to_string().as_bytes()].concat()),
        2 => OsString::from(format!("-rf {number}")),
        3 => OsString::from(format!(".hidden'\"{number}")),
        _ => OsString::from(format!("file{number}.txt")),
    }
}

fn write_some(path: &Path, random: &mut Random) {
    let file = File::create(path).unwrap();
    match random.below(8) {
        0 => {}
        1 => {
            file.set_len(3 << 20).unwrap();
            file.write_all_at(b"island", 2 << 20).unwrap();
        }
        2 => {
            let bytes: Vec<u8> = (0..200_000).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
            file.write_all_at(&bytes, 0).unwrap();
        }
        _ => file.write_all_at(format!("a line {}\nanother\n", random.below(50)).as_bytes(), 0).unwrap(),
    }
    if random.below(4) == 0 {
        // Not every file system has them.
        let _ = rustix::fs::setxattr(path, "user.note", b"kept\0whole", XattrFlags::empty());
    }
}

/// Gives everything modes and times of its own, folders last.
fn decorate(root: &Path, random: &mut Random) {
    let mut paths = all_below(root);
    paths.sort();
    for path in paths.iter().rev() {
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_file() || metadata.is_dir() {
            let modes = if metadata.is_dir() { [0o755, 0o700, 0o750] } else { [0o644, 0o600, 0o4755] };
            fs::set_permissions(path, fs::Permissions::from_mode(*random.pick(&modes))).unwrap();
        }
        let time = Timespec {
            tv_sec: 1_600_000_000 + i64::try_from(random.below(10_000_000)).unwrap(),
            tv_nsec: 123_456_789,
        };
        let times = Timestamps { last_access: time, last_modification: time };
        rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).unwrap();
    }
}

fn all_below(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.to_owned()];
    let mut at = 0;
    while at < all.len() {
        let path = all[at].clone();
        at += 1;
        if path.symlink_metadata().unwrap().is_dir() {
            all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    all
}

/// Everything about a tree that a person could miss: bytes, modes, owners, times, links, extended attributes.
pub fn picture(root: &Path) -> BTreeMap<OsString, String> {
    let mut first: BTreeMap<(u64, u64), PathBuf> = BTreeMap::new();
    let mut paths = all_below(root);
    paths.sort();
    let mut picture = BTreeMap::new();
    for path in paths {
        let metadata = path.symlink_metadata().unwrap();
        let kind = metadata.file_type();
        let twin = first.entry((metadata.dev(), metadata.ino())).or_insert_with(|| path.clone()).clone();
        let content = if kind.is_file() {
            blake3::hash(&fs::read(&path).unwrap()).to_hex().to_string()
        } else if kind.is_symlink() {
            format!("{:?}", fs::read_link(&path).unwrap())
        } else {
            format!("{} {}", kind.is_dir(), kind.is_fifo())
        };
        let mut note = [0_u8; 64];
        let note = rustix::fs::lgetxattr(&path, "user.note", &mut note).map(|length| note[..length].to_vec());
        picture.insert(
            path.strip_prefix(root).unwrap().as_os_str().to_owned(),
            format!(
                "{:o} {}:{} {}.{} {:?} {:?} {content}",
                metadata.mode(),
                metadata.uid(),
                metadata.gid(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                twin.strip_prefix(root).unwrap(),
                note.ok(),
            ),
        );
    }
    picture
}

/// A folder on the file system of the build, not in memory.
pub fn scratch() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("undo-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// How many trees: few in CI, more where a person asks for them.
pub fn trees(usual: u64) -> u64 {
    std::env::var("UNDO_TREES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

pub fn shown(bytes: &OsStr) -> String {
    String::from_utf8_lossy(bytes.as_bytes()).into_owned()
}

/// How many files lie below a folder.
pub fn files_below(root: &Path) -> usize {
    all_below(root).iter().filter(|path| path.is_file()).count()
}

/// The files that have another name.
pub fn names_of_shared_files(root: &Path) -> Vec<PathBuf> {
    let is_shared =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|stat| stat.is_file() && stat.nlink() > 1);
    all_below(root).into_iter().filter(is_shared).collect()
}
