//! The gate's own files under the state directory: snapshots, and the last good text of every policy file.
//! Only a regular file of our own with one link is believed; writing never follows a link.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Mode, OFlags};

/// Larger than any file kept here.
const BIGGEST: u64 = 8 << 20;
/// One snapshot per working directory: the oldest go when there are more.
const MOST_SNAPSHOTS: usize = 512;
const GOOD_MAGIC: &[u8; 8] = b"TGGOOD\x01\n";
const HASH: usize = 32;

/// The directory of these files.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    directory: PathBuf,
    read_only: bool,
}

impl Shelf {
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self { directory: state_dir.join("snapshots"), read_only: false }
    }

    /// One on which nothing is put.
    pub(crate) fn read_only(state_dir: &Path) -> Self {
        Self { read_only: true, ..Self::new(state_dir) }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The bytes of a file that only we can have written.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let file = open(&self.path(name), OFlags::NOFOLLOW | OFlags::NONBLOCK)?;
        let metadata = file.metadata().ok().filter(is_ours)?;
        let mut bytes =
            Vec::with_capacity(usize::try_from(metadata.size().min(BIGGEST)).unwrap_or_default() + 1);
        file.take(BIGGEST).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Puts a file in place as a whole, or not at all. Not being able to is no fault.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Option<()> {
        if self.read_only {
            return None;
        }
        let directory = self.open()?;
        let (mut file, temporary) = create(&directory, name)?;
        let written = file.write_all(bytes).is_ok()
            && rustix::fs::renameat(&directory, &temporary, &directory, name).is_ok();
        if !written {
            let _ = rustix::fs::unlinkat(&directory, &temporary, AtFlags::empty());
        }
        written.then_some(())
    }

    /// The name of the file that keeps the last good text of a policy file.
    pub(crate) fn good_name(source: &Path) -> String {
        format!("{}.good", blake3::hash(source.as_os_str().as_bytes()).to_hex())
    }

    /// The last good text of a policy file.
    pub(crate) fn good(&self, source: &Path) -> Good {
        let name = Self::good_name(source);
        if self.path(&name).symlink_metadata().is_err() {
            return Good::Never;
        }
        self.read(&name).and_then(|bytes| unpack(&bytes, source)).map_or(Good::Lost, Good::Text)
    }

    /// Keeps the last good text of a policy file.
    pub(crate) fn keep(&self, source: &Path, text: &str) {
        let mut body = Vec::with_capacity(text.len() + 256);
        body.extend_from_slice(source.as_os_str().as_bytes());
        body.push(0);
        body.extend_from_slice(text.as_bytes());
        let bytes = [GOOD_MAGIC.as_slice(), blake3::hash(&body).as_bytes(), &body].concat();
        self.write(&Self::good_name(source), &bytes);
    }

    /// Forgets that a policy file was ever seen.
    pub(crate) fn forget(&self, source: &Path) -> bool {
        std::fs::remove_file(self.path(&Self::good_name(source))).is_ok()
    }

    /// Takes out one file.
    pub(crate) fn remove(&self, name: &str) {
        if !self.read_only {
            remove(&self.path(name));
        }
    }

    /// Takes out all snapshots. What policy files last said stays.
    pub(crate) fn expire(&self) {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let is_snapshot = |path: &PathBuf| path.extension().is_some_and(|end| end == "snap");
        entries.map(|entry| entry.path()).filter(is_snapshot).for_each(|path| remove(&path));
    }

    /// Takes out the oldest snapshots when there are too many, and what a killed process left half-written. The
    /// newest stays, whatever the clock says.
    pub(crate) fn prune(&self, newest: &str) {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut snapshots = Vec::new();
        for path in entries.map(|entry| entry.path()) {
            let age = path.symlink_metadata().map(|metadata| (metadata.mtime(), metadata.mtime_nsec()));
            match (path.extension().and_then(|end| end.to_str()), age) {
                (Some("snap"), Ok(age)) if !path.ends_with(newest) => snapshots.push((age, path)),
                (Some("new"), Ok((modified, _))) if is_old(modified) => remove(&path),
                _ => {}
            }
        }
        if snapshots.len() > MOST_SNAPSHOTS {
            snapshots.sort_unstable();
            snapshots.iter().take(snapshots.len() - MOST_SNAPSHOTS / 2).for_each(|(_, path)| remove(path));
        }
    }

    /// The directory, made when there is none: ours alone, and not behind a link.
    fn open(&self) -> Option<File> {
        if self.directory.symlink_metadata().is_err() {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.directory).ok()?;
        }
        let directory = open(&self.directory, OFlags::NOFOLLOW | OFlags::DIRECTORY)?;
        let metadata = directory.metadata().ok().filter(is_mine)?;
        if metadata.mode() & 0o077 != 0 {
            rustix::fs::fchmod(&directory, Mode::RWXU).ok()?;
        }
        Some(directory)
    }
}

/// What is known of a policy file from before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Good {
    /// It was never seen.
    Never,
    /// It was seen; what it said is lost.
    Lost,
    /// What it said.
    Text(String),
}

impl Good {
    pub(crate) fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }
}

fn unpack(bytes: &[u8], source: &Path) -> Option<String> {
    let (hash, body) = bytes.strip_prefix(GOOD_MAGIC.as_slice())?.split_at_checked(HASH)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let text = body.strip_prefix(source.as_os_str().as_bytes())?.strip_prefix(b"\0")?;
    String::from_utf8(text.to_vec()).ok()
}

fn create(directory: &File, name: &str) -> Option<(File, String)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let stem = name.split('.').next().unwrap_or(name);
    (0..8).find_map(|attempt| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_nanos());
        let thread = std::thread::current().id();
        let salt =
            blake3::hash(format!("{} {now} {thread:?} {attempt}", std::process::id()).as_bytes()).to_hex();
        let salt: String = salt.chars().take(16).collect();
        let temporary = format!("{stem}.{salt}.new");
        let file = rustix::fs::openat(directory, &temporary, flags, Mode::RUSR | Mode::WUSR).ok()?;
        Some((File::from(file), temporary))
    })
}

fn open(path: &Path, flags: OFlags) -> Option<File> {
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).ok()
}

fn is_ours(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.mode() & 0o022 == 0 && metadata.nlink() == 1 && is_mine(metadata)
}

fn is_mine(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

fn is_old(modified: i64) -> bool {
    const HOUR: Duration = Duration::from_secs(3600);
    let modified = UNIX_EPOCH + Duration::from_secs(u64::try_from(modified).unwrap_or_default());
    SystemTime::now().duration_since(modified).is_ok_and(|age| age > HOUR)
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}
