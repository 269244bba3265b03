//! Policy files on disk: which there are for a request, what identifies them, and reading one with care.

use std::collections::HashSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::FILE_NAME;
use crate::layer::Layer;
use crate::request::Request;
use crate::settings::BIGGEST;
use crate::strangers::doubt;

/// A file that the policy in force comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is looked for.
    pub path: PathBuf,
    /// Where it really lies, links followed; the same as `path` when it does not exist.
    pub real: PathBuf,
    /// Whose it is.
    pub layer: Layer,
    /// How it is.
    pub health: Health,
}

/// How a policy file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Health {
    /// There is none, and there was none.
    Missing,
    /// Read and believed.
    Good,
    /// Broken, unreadable, gone, or writable by strangers: told in the notices.
    Faulty,
}

/// What tells, without reading it, that a file is still the same. Any write, rename or change of mode moves the
/// change time, which no program can set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Identity {
    Missing,
    /// It cannot be looked at: the system's error number.
    Error(i32),
    File {
        dev: u64,
        ino: u64,
        size: u64,
        mtime: i128,
        ctime: i128,
    },
    /// Of a directory only which one it is; its entries come and go.
    Directory {
        dev: u64,
        ino: u64,
    },
    /// Of a directory which one it is, and when its entries last changed.
    Listing {
        dev: u64,
        ino: u64,
        mtime: i128,
    },
}

impl Identity {
    /// Of what stands at a path, links followed.
    pub(crate) fn of(path: &Path) -> Self {
        match path.metadata() {
            Ok(metadata) => Self::from(&metadata),
            // No number: a name with a zero byte, which cannot exist either.
            Err(error) => match error.raw_os_error().map(Errno::from_raw_os_error) {
                None | Some(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG) => Self::Missing,
                Some(error) => Self::Error(error.raw_os_error()),
            },
        }
    }

    /// Of a directory with what is in it.
    pub(crate) fn listing(path: &Path) -> Self {
        let Ok(metadata) = path.metadata() else { return Self::of(path) };
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self::Listing {
            dev: metadata.dev(),
            ino: metadata.ino(),
            mtime: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// As it is now, of the same kind as this.
    pub(crate) fn again(self, path: &Path) -> Self {
        match (self, Self::of(path)) {
            (Self::Listing { .. }, _) => Self::listing(path),
            // Of a program only that it is there is known.
            (Self::Directory { .. }, Self::File { dev, ino, .. }) => Self::Directory { dev, ino },
            (_, now) => now,
        }
    }

    /// Changed so recently that another change could fall on the same tick of the file system's clock.
    pub(crate) fn is_young(self) -> bool {
        const TICK: u128 = 100_000_000;
        let Self::File { ctime, .. } = self else { return false };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_nanos());
        i128::try_from(now).unwrap_or(i128::MAX).abs_diff(ctime) < TICK
    }
}

impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        let (dev, ino) = (metadata.dev(), metadata.ino());
        if metadata.is_dir() {
            return Self::Directory { dev, ino };
        }
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self::File {
            dev,
            ino,
            size: metadata.size(),
            mtime: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// A file to read, and how far it may be believed.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub path: PathBuf,
    pub layer: Layer,
    /// The directories that its relative patterns are relative to.
    pub bases: Vec<String>,
    /// It was named by the hook's command.
    pub built: bool,
}

/// The folder of the fleet's policy, below the state directory.
pub const FLEET: &str = "fleet/policy";

/// The policy file of the fleet that this machine has joined.
#[must_use]
pub fn fleet_file(state_dir: &Path) -> PathBuf {
    state_dir.join(FLEET).join(FILE_NAME)
}

/// Every place where a policy file may stand for a request, topmost layer first, outermost directory first. That of a
/// fleet only counts on a machine that has joined one: no other is to look for it at each event.
pub(crate) fn sources(request: &Request, joined: bool) -> Vec<Source> {
    let root = request.root();
    let real_root = root.as_deref().map(real);
    // Nobody works in `/etc/tollgate`: a relative pattern there is meant to hold below the project, too.
    let below_root = real_root.as_deref().and_then(base);
    let trusted = |directory: &Path, layer| Source {
        path: directory.join(FILE_NAME),
        layer,
        bases: base(&real(directory)).into_iter().chain(below_root.clone()).collect(),
        built: false,
    };
    let mut all = vec![trusted(request.managed_dir, Layer::Managed)];
    all.extend(joined.then(|| trusted(&request.state_dir.join(FLEET), Layer::Managed)));
    all.push(trusted(request.config_dir, Layer::User));
    let own = [real(request.managed_dir), real(request.config_dir)];
    for directory in project_directories(request.cwd, root.as_deref(), real_root.as_deref()) {
        if !own.contains(&directory) {
            let bases = base(&directory).into_iter().collect();
            all.push(Source { path: directory.join(FILE_NAME), layer: Layer::Project, bases, built: false });
        }
    }
    let folder = request.built.map(|folder| root.as_deref().unwrap_or(request.cwd).join(folder));
    all.extend(folder.map(|folder| {
        let bases = below_root.clone().into_iter().collect();
        Source { path: folder.join(FILE_NAME), layer: Layer::Project, bases, built: true }
    }));
    all
}

/// What reading a file gave.
#[derive(Debug)]
pub(crate) struct Reading {
    pub identity: Identity,
    /// The bytes, when they could be read.
    pub bytes: Option<Vec<u8>>,
    /// Why it cannot be read or believed.
    pub fault: Option<String>,
    /// The fault may pass without the file changing, so it must not be remembered.
    pub passing: bool,
}

impl Reading {
    fn fault(identity: Identity, why: impl Into<String>) -> Self {
        Self { identity, bytes: None, fault: Some(why.into()), passing: false }
    }

    fn failed(identity: Identity, error: &std::io::Error) -> Self {
        Self { passing: true, ..Self::fault(identity, format!("cannot be read ({error})")) }
    }
}

impl Source {
    /// Reads the file: never anything but a regular file, never more than a policy file may have.
    pub(crate) fn read(&self) -> Reading {
        let identity = Identity::of(&self.path);
        match identity {
            Identity::Missing => return Reading { identity, bytes: None, fault: None, passing: false },
            Identity::Error(number) => {
                let error = std::io::Error::from_raw_os_error(number);
                return Reading::fault(identity, format!("cannot be read ({error})"));
            }
            Identity::Directory { .. } | Identity::Listing { .. } => {
                return Reading::fault(identity, "is a directory, not a file");
            }
            Identity::File { .. } => {}
        }
        // Opening a pipe waits, and opening a device may do things, so what it is comes first.
        if !self.path.is_file() {
            return Reading::fault(identity, "is not a regular file");
        }
        self.read_regular().unwrap_or_else(|error| Reading::failed(identity, &error))
    }

    fn read_regular(&self) -> std::io::Result<Reading> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&self.path)?;
        let metadata = file.metadata()?;
        let identity = Identity::from(&metadata);
        if !metadata.is_file() {
            return Ok(Reading { passing: true, ..Reading::fault(identity, "is not a regular file") });
        }
        let fault = if self.layer == Layer::Project { None } else { doubt(&file, &metadata) };
        let bytes = read_capped(file)?;
        if bytes.len() > BIGGEST {
            return Ok(Reading::fault(identity, "is too big: a policy file has at most 1 MiB"));
        }
        Ok(Reading { identity, bytes: Some(bytes), fault, passing: false })
    }
}

fn read_capped(file: File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(BIGGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A path with every link followed, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        let (Ok(found), Ok(rest)) = (known.canonicalize(), path.strip_prefix(known)) else { continue };
        return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
    }
    path.to_owned()
}

/// The project's root and every directory from there down to the working directory, by where it really lies and
/// by the links of its name: neither a link into the project nor one within it sheds anything.
fn project_directories(cwd: &Path, root: Option<&Path>, real_root: Option<&Path>) -> Vec<PathBuf> {
    const LONGEST: usize = 4096;
    const MOST_LINKED: usize = 128;
    let (Some(root), Some(real_root)) = (root, real_root) else { return Vec::new() };
    let mut all = vec![real_root.to_owned()];
    if cwd.as_os_str().len() > LONGEST {
        return all;
    }
    let real_cwd = real(cwd);
    all.extend(between(&real_cwd, real_root).map(Path::to_owned));
    if real_cwd != cwd {
        let named = between(cwd, root).chain(between(cwd, real_root)).take(MOST_LINKED);
        all.extend(named.filter_map(|directory| directory.canonicalize().ok()));
    }
    let mut seen = HashSet::new();
    all.retain(|directory| seen.insert(directory.clone()));
    all
}

/// The directories below `root` down to `leaf`, outermost first; none when it lies elsewhere.
fn between<'a>(leaf: &'a Path, root: &Path) -> impl Iterator<Item = &'a Path> {
    let depth = leaf.strip_prefix(root).map_or(0, |rest| rest.components().count());
    let mut below: Vec<&Path> = leaf.ancestors().take(depth).collect();
    below.reverse();
    below.into_iter()
}

fn base(directory: &Path) -> Option<String> {
    directory.to_str().map(|text| text.trim_end_matches('/').to_owned())
}
