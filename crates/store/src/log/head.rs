use std::fmt::Write;
use std::os::fd::OwnedFd;

use tollgate_model::json::{self, Value};

use super::line::Hash;
use crate::files::{Dir, How, read_at};

/// The last record that was written and acknowledged, kept apart from the log so that a shortened log shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub(crate) hash: Hash,
    /// The bytes of the current part after it.
    pub(crate) size: u64,
    /// The number of the current part's first record.
    pub(crate) first: u64,
}

/// The file's name. It is also what is locked.
pub(crate) const NAME: &str = "head";
/// Always that many bytes, so that one `pwrite` replaces all of it.
const LENGTH: usize = 192;

impl Head {
    /// The hash of the last record, 32 hex digits.
    #[must_use]
    pub fn hash(&self) -> String {
        self.hash.to_string()
    }

    /// One line of JSON, filled up with spaces.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let Self { seq, hash, size, first } = self;
        let mut text = String::with_capacity(LENGTH);
        let _ = write!(text, r#"{{"v":1,"seq":{seq},"hash":"{hash}","size":{size},"first":{first}"#);
        let check = checksum(text.as_bytes());
        let _ = write!(text, r#","check":"{check:016x}"}}"#);
        let mut bytes = text.into_bytes();
        bytes.resize(bytes.len().max(LENGTH - 1), b' ');
        bytes.push(b'\n');
        bytes
    }

    /// `None` unless every byte is as we wrote it.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let value = json::parse(bytes).ok()?;
        let number = |key| match value.get(key) {
            Some(Value::Number(text)) => text.parse().ok(),
            _ => None,
        };
        let hash = Hash::from_hex(value.text("hash")?.as_bytes())?;
        let head = Self { seq: number("seq")?, hash, size: number("size")?, first: number("first")? };
        (head.to_bytes() == bytes).then_some(head)
    }
}

/// The head of a log, without its lock.
pub(crate) fn read(dir: &Dir) -> Option<Head> {
    let file = dir.file(NAME, How::Read).ok()??;
    read_from(&file.fd)
}

/// The head in an open file.
pub(crate) fn read_from(fd: &OwnedFd) -> Option<Head> {
    Head::from_bytes(&bytes_of(fd))
}

/// The bytes of a head; empty when they cannot be read.
pub(crate) fn bytes_of(fd: &OwnedFd) -> Vec<u8> {
    read_at(fd, 0, LENGTH).unwrap_or_default()
}

/// FNV-1a: the head guards against damage here, against people only where it is anchored elsewhere.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f05_any_flipped_byte_makes_it_unreadable() {
        let head = Head { seq: u64::MAX, hash: Hash::GENESIS, size: u64::MAX, first: u64::MAX };
        let bytes = head.to_bytes();
        assert_eq!((bytes.len(), Head::from_bytes(&bytes)), (LENGTH, Some(head)));
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert_eq!(Head::from_bytes(&flipped), None, "byte {at}");
            assert_eq!(Head::from_bytes(&bytes[..at]), None, "cut at {at}");
        }
    }
}
