//! Reading files that others may have put there: a pipe, a device or a file without end must not hold up an event.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// All of a regular file, links followed.
///
/// # Errors
/// When it cannot be read, is not a regular file, or has more than `most` bytes.
pub fn read_file(path: &Path, most: usize) -> Result<Vec<u8>> {
    let bytes = read_start(path, most.saturating_add(1))?;
    if bytes.len() > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("has more than {most} bytes")));
    }
    Ok(bytes)
}

/// The same, as text.
///
/// # Errors
/// As above, and when it is not UTF-8.
pub fn read_text(path: &Path, most: usize) -> Result<String> {
    String::from_utf8(read_file(path, most)?).map_err(|_| Error::new(ErrorKind::InvalidData, "is not UTF-8"))
}

/// The first bytes of a regular file, links followed.
///
/// # Errors
/// When it cannot be read or is not a regular file.
pub fn read_start(path: &Path, most: usize) -> Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn open(path: &Path) -> Result<File> {
    let irregular = || Error::new(ErrorKind::InvalidInput, "is not a regular file");
    // Opening a device may do things, so what it is comes first; and once more, since it may be another by then.
    if !path.metadata()?.is_file() {
        return Err(irregular());
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f48_only_regular_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let kind = |name: &str, most| read_file(&at(name), most).map_err(|error| error.kind());
        assert_eq!(kind("file", 5), Ok(b"12345".to_vec()));
        assert_eq!(kind("link", 5), Ok(b"12345".to_vec()));
        assert_eq!(kind("file", 4), Err(ErrorKind::FileTooLarge));
        assert_eq!(read_start(&at("file"), 2).unwrap(), b"12");
        for name in ["zero", "pipe"] {
            assert_eq!(kind(name, 5), Err(ErrorKind::InvalidInput), "{name}");
        }
        assert_eq!(kind("absent", 5), Err(ErrorKind::NotFound));
    }
}
