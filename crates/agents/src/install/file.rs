//! Reads and replaces a settings file without being led astray: links are followed with care, the file is
//! replaced in one step, and its mode and group stay.

use rustix::fs::OFlags;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system said no.
    #[error("cannot {verb} `{path}`: {error}")]
    Io {
        /// What was tried.
        verb: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is not one to write to.
    #[error("`{path}` {why}")]
    Unsafe {
        /// Which.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
}

/// A file that is or will be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As the user names it.
    pub named: PathBuf,
    /// The file itself, behind all links.
    pub real: PathBuf,
    /// What is there now.
    pub found: Option<Found>,
}

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
    /// Its group.
    pub group: u32,
}

impl Target {
    /// Finds the file behind a path and reads it.
    ///
    /// # Errors
    /// When it is not a regular file of this user's with one name, or a link on the way cannot be trusted.
    pub fn open(named: &Path) -> Result<Self, FileError> {
        let real = resolve(named)?;
        let found = read_own(&real)?;
        if found.is_none() && named.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
            let why = format!(
                "is a link to `{}`, which is not there; create that file or remove the link",
                real.display()
            );
            return Err(unsafe_file(named, why));
        }
        Ok(Self { named: named.to_owned(), real, found })
    }

    /// Is the named file a link, or behind one?
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.named != self.real
    }

    /// The directories that have to be made first, outermost first.
    #[must_use]
    pub fn missing_dirs(&self) -> Vec<PathBuf> {
        let above =
            self.real.ancestors().skip(1).take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists());
        let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
        missing.reverse();
        missing
    }

    /// Puts new content in place, in one step.
    ///
    /// # Errors
    /// When the file changed since it was read, or cannot be written; then nothing has changed.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.expect_unchanged()?;
        let dir = self.real.parent().unwrap_or(Path::new("/"));
        let mode = match &self.found {
            Some(_) => 0o600,
            None if bytes.starts_with(b"#!") => 0o777,
            None => 0o666,
        };
        let mut temp = tempfile::Builder::new()
            .prefix(".tollgate-")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(dir)
            .map_err(io_error("write in", dir))?;
        let failed = io_error("write", &self.real);
        let written = (|| {
            temp.write_all(bytes)?;
            if let Some(found) = &self.found {
                found.dress(temp.as_file())?;
            }
            temp.as_file().sync_all()
        })();
        written.map_err(&failed)?;
        temp.persist(&self.real).map_err(|error| failed(error.error))?;
        sync_dir(dir);
        Ok(())
    }

    /// Deletes the file.
    ///
    /// # Errors
    /// When it changed since it was read, or cannot be deleted.
    pub fn delete(&self) -> Result<(), FileError> {
        self.expect_unchanged()?;
        std::fs::remove_file(&self.real).map_err(io_error("delete", &self.real))
    }

    fn expect_unchanged(&self) -> Result<(), FileError> {
        if resolve(&self.named)? == self.real && read_own(&self.real)? == self.found {
            return Ok(());
        }
        Err(unsafe_file(&self.named, "was changed by someone else in the meantime; run the command again"))
    }
}

impl Found {
    /// Gives a new file the group and the mode of the old one. The group first: changing it clears mode bits.
    fn dress(&self, file: &File) -> io::Result<()> {
        if file.metadata()?.gid() != self.group {
            std::os::unix::fs::fchown(file, None, Some(self.group))?;
        }
        file.set_permissions(Permissions::from_mode(self.mode))
    }
}

/// Reads a regular file of this user's; none if there is none. Follows no link in the last place.
pub(super) fn read_own(path: &Path) -> Result<Option<Found>, FileError> {
    let failed = io_error("read", path);
    let Some(file) = open_to_read(path, OFlags::NOFOLLOW).map_err(&failed)? else { return Ok(None) };
    let meta = file.metadata().map_err(&failed)?;
    expect_own(path, &meta)?;
    let bytes = read_bounded(file).map_err(&failed)?;
    Ok(Some(Found { bytes, mode: meta.mode() & 0o7777, group: meta.gid() }))
}

/// Reads a regular file, whoever's it is; none if there is none. A pipe or device in its place is an error
/// and not waited for.
pub(super) fn read_any(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open_to_read(path, OFlags::empty())? else { return Ok(None) };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    read_bounded(file).map(Some)
}

/// Makes a directory that only this user can enter, or checks that it is one.
pub(super) fn private_dir(path: &Path) -> Result<(), FileError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io_error("make", path))?;
    let meta = path.symlink_metadata().map_err(io_error("read", path))?;
    if !meta.is_dir() {
        return Err(unsafe_file(path, "is not a directory; remove it"));
    }
    if meta.uid() != own_uid() || meta.mode() & 0o022 != 0 {
        return Err(unsafe_file(
            path,
            format!("can be written by others; type `chmod 700 {}`", path.display()),
        ));
    }
    Ok(())
}

/// Writes a file that only this user can read, in one step, over whatever has that name.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = io_error("write", path);
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut temp = tempfile::NamedTempFile::new_in(dir).map_err(&failed)?;
    temp.write_all(bytes).and_then(|()| temp.as_file().sync_all()).map_err(&failed)?;
    temp.persist(path).map_err(|error| failed(error.error))?;
    sync_dir(dir);
    Ok(())
}

pub(super) fn io_error(verb: &'static str, path: &Path) -> impl Fn(io::Error) -> FileError {
    move |error| FileError::Io { verb, path: path.to_owned(), error }
}

const LARGEST: u64 = 16 * 1024 * 1024;
const MOST_LINKS: usize = 40;

/// The path behind all links. A link in a directory where anyone can put one is not followed.
fn resolve(named: &Path) -> Result<PathBuf, FileError> {
    let mut ahead: Vec<PathBuf> =
        named.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        match part.components().next() {
            Some(Component::Normal(name)) => {
                let next = real.join(name);
                let Ok(target) = std::fs::read_link(&next) else {
                    real = next;
                    continue;
                };
                links += 1;
                expect_safe_link(&next, &real, links)?;
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                ahead.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
            }
            Some(Component::ParentDir) => {
                real.pop();
            }
            _ => {}
        }
    }
    Ok(real)
}

fn expect_safe_link(link: &Path, dir: &Path, links: usize) -> Result<(), FileError> {
    if links > MOST_LINKS {
        return Err(unsafe_file(link, "is part of a loop of links"));
    }
    let meta = dir.symlink_metadata().map_err(io_error("read", dir))?;
    if meta.mode() & 0o002 != 0 {
        return Err(unsafe_file(
            link,
            "is a link in a directory where anyone can put one; replace it by the file itself",
        ));
    }
    Ok(())
}

fn open_to_read(path: &Path, more: OFlags) -> io::Result<Option<File>> {
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC | more).bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_bounded(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other("larger than 16 MiB, which no settings file is"));
    }
    Ok(bytes)
}

fn expect_own(path: &Path, meta: &Metadata) -> Result<(), FileError> {
    if !meta.is_file() {
        return Err(unsafe_file(path, "is not a regular file"));
    }
    if meta.uid() != own_uid() {
        let why =
            format!("belongs to user {}, not to you ({}); run this as its owner", meta.uid(), own_uid());
        return Err(unsafe_file(path, why));
    }
    if meta.nlink() > 1 {
        return Err(unsafe_file(
            path,
            "has a second name (a hard link), which an edit would cut off; make it a plain file or a symbolic link",
        ));
    }
    Ok(())
}

fn unsafe_file(path: &Path, why: impl Into<String>) -> FileError {
    FileError::Unsafe { path: path.to_owned(), why: why.into() }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes a rename last. Best effort: some file systems cannot, and the content itself is safe already.
fn sync_dir(dir: &Path) {
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
}
