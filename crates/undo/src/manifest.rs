//! What a snapshot says: one file per snapshot, with a checksum over all of it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The first bytes of every manifest; the digit is the version.
const MAGIC: &[u8; 8] = b"tg-undo1";
const HASH: usize = 32;

/// Seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time(pub i64, pub i64);

/// What call a snapshot belongs to, and how much it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// When it was taken, in microseconds since 1970.
    pub time: i64,
    /// The agent whose call it was.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// The call, as people read it. Secrets are taken out by the caller.
    pub call: String,
    /// The agent's own id of the call.
    pub call_id: String,
    /// The snapshot that was restored, when this one holds what was there before.
    pub undoes: Option<String>,
    /// How many files, symlinks and folders it holds.
    pub files: u64,
    /// How many bytes of content it holds.
    pub bytes: u64,
    /// Git directories whose state it holds.
    pub repositories: Vec<Vec<u8>>,
    /// Git directories in which it keeps commits from being pruned.
    pub pins: Vec<Vec<u8>>,
}

/// A snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Whose it is.
    pub head: Head,
    /// Everything in it, a folder before what is in it.
    pub entries: Vec<Entry>,
    /// Small contents, sorted. They need no file of their own, so that saving one edit is one write.
    pub inline: Vec<(Hash, Vec<u8>)>,
}

impl Manifest {
    /// The data of a small content.
    pub(crate) fn small(&self, hash: &Hash) -> Option<&[u8]> {
        let at = self.inline.binary_search_by(|(other, _)| other.cmp(hash)).ok()?;
        self.inline.get(at).map(|(_, bytes)| bytes.as_slice())
    }
}

/// The BLAKE3 hash of a content.
pub type Hash = [u8; HASH];

/// One path as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Absolute, in the bytes of the file system.
    pub path: Vec<u8>,
    /// What stood there.
    pub node: Node,
    /// What the call leaves there.
    pub after: After,
}

impl Entry {
    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Is it something that was saved, not the absence of it or the folder around it?
    #[must_use]
    pub fn is_saved(&self) -> bool {
        !matches!(self.node, Node::Missing | Node::Parent(_))
    }
}

/// What a call leaves at a path, as far as its effects say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum After {
    /// Not known before it runs.
    #[default]
    Unknown,
    /// Nothing.
    Gone,
}

/// What stood at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// Nothing.
    Missing,
    /// The folder around something saved: only its times change.
    Parent(Attributes),
    /// A folder.
    Folder {
        /// Its attributes.
        attributes: Attributes,
        /// Everything in it was saved, and what is new in it goes when it is restored.
        exact: bool,
    },
    /// A regular file.
    File {
        /// Its attributes.
        attributes: Attributes,
        /// What it held.
        content: Content,
        /// Another path of the snapshot that was the same file.
        twin: Option<Vec<u8>>,
    },
    /// A symlink.
    Symlink {
        /// Its attributes.
        attributes: Attributes,
        /// Where it led.
        target: Vec<u8>,
    },
    /// A named pipe.
    Pipe(Attributes),
}

impl Node {
    /// Its attributes, if there was something.
    #[must_use]
    pub fn attributes(&self) -> Option<&Attributes> {
        match self {
            Self::Missing => None,
            Self::Parent(attributes) | Self::Pipe(attributes) => Some(attributes),
            Self::Folder { attributes, .. }
            | Self::File { attributes, .. }
            | Self::Symlink { attributes, .. } => Some(attributes),
        }
    }
}

/// Everything about a file but its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Permission bits.
    pub mode: u32,
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last access.
    pub accessed: Time,
    /// Last modification.
    pub modified: Time,
    /// Last change of any kind. Nobody can set it, so that it tells a later change.
    pub changed: Time,
    /// Device and inode.
    pub identity: (u64, u64),
    /// How many names it had.
    pub links: u64,
    /// Extended attributes, access control lists among them.
    pub xattrs: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A file's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Names it in the store.
    pub hash: Hash,
    /// Its length.
    pub size: u64,
    /// Where it holds data: offset and length. The rest are holes.
    pub extents: Vec<(u64, u64)>,
}

/// What a manifest's file begins with: magic, checksum, and the length of all but the small contents.
pub(crate) const FRAME: usize = MAGIC.len() + HASH + LENGTH;
const LENGTH: usize = 8;

/// The bytes of a manifest's file. The small contents come last, so that a list need not read them.
pub(crate) fn encode(manifest: &Manifest) -> Option<Vec<u8>> {
    let told = postcard::to_allocvec(&(&manifest.head, &manifest.entries)).ok()?;
    let inline = postcard::to_allocvec(&manifest.inline).ok()?;
    let mut body = Vec::with_capacity(LENGTH + told.len() + inline.len());
    body.extend_from_slice(&(told.len() as u64).to_le_bytes());
    body.extend_from_slice(&told);
    body.extend_from_slice(&inline);
    let mut bytes = Vec::with_capacity(FRAME + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(blake3::hash(&body).as_bytes());
    bytes.extend_from_slice(&body);
    Some(bytes)
}

/// How many bytes after the frame tell everything but the small contents; `None` when this is no frame.
pub(crate) fn told_length(frame: &[u8]) -> Option<usize> {
    let length = frame.strip_prefix(MAGIC)?.get(HASH..)?.first_chunk::<LENGTH>()?;
    usize::try_from(u64::from_le_bytes(*length)).ok()
}

/// Reads what a manifest tells, without its small contents and unchecked, for lists.
pub(crate) fn decode_told(told: &[u8]) -> Option<Manifest> {
    let (head, entries) = postcard::from_bytes(told).ok()?;
    Some(Manifest { head, entries, inline: Vec::new() })
}

/// Reads a manifest back; `None` when it is not whole.
pub(crate) fn decode(bytes: &[u8]) -> Option<Manifest> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (hash, body) = rest.split_at_checked(HASH)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (told, inline) = body.get(LENGTH..)?.split_at_checked(told_length(bytes)?)?;
    Some(Manifest { inline: postcard::from_bytes(inline).ok()?, ..decode_told(told)? })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::*;

    #[test]
    fn a_manifest_is_whole_or_none() {
        let entry = Entry { path: b"/a\n\xff".to_vec(), node: Node::Missing, after: After::Gone };
        let manifest = Manifest { entries: vec![entry], ..Manifest::default() };
        let bytes = encode(&manifest).unwrap();
        assert_eq!(decode(&bytes), Some(manifest));
        assert!((0..bytes.len()).all(|end| decode(&bytes[..end]).is_none()));
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert_eq!(decode(&broken), None, "byte {at}");
        }
    }
}
