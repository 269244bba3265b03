//! The compiled policy: one small file, believed as long as every source is what it was when it was made.
//! Layout: magic, format, hash of the rest; length of the head; head (sources); body (policy and notices).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tollgate_model::{Card, Pack};

use crate::file::read_file;
use crate::layer::Layer;
use crate::policy::Policy;
use crate::request::Request;
use crate::settings::BIGGEST;
use crate::source::{Health, Identity, SourceFile};

const MAGIC: &[u8; 8] = b"TGPOLICY";
const FORMAT: u32 = 10;
const HASH: usize = 32;

/// What a snapshot was made for and from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The request.
    pub key: [u8; HASH],
    /// The rules there are, and this version.
    pub catalogue: u64,
    pub stamps: Vec<Stamp>,
    /// What another crate made of the policy; nothing when none was asked.
    #[serde(with = "bytes")]
    pub beside: Vec<u8>,
}

impl Head {
    /// The same without contents, once every source is old enough for its times to tell.
    pub(crate) fn settled(&self) -> Option<Self> {
        let mut young = self.stamps.iter().filter(|stamp| stamp.content.is_some()).peekable();
        if young.peek().is_none() || young.any(|stamp| stamp.identity.is_young()) {
            return None;
        }
        let stamps = self.stamps.iter().map(|stamp| Stamp { content: None, ..stamp.clone() }).collect();
        Some(Self { stamps, ..self.clone() })
    }
}

/// The folders that a request names. A snapshot holds none of their names, which may hold a secret: it keeps a path as what
/// follows the part that the path shares with one of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Folders<'a>(pub [&'a [u8]; 2]);

impl Request<'_> {
    pub(crate) fn folders(&self) -> Folders<'_> {
        let project = self.project.unwrap_or(Path::new(""));
        Folders([self.cwd, project].map(|folder| folder.as_os_str().as_bytes()))
    }
}

/// A path without what it shares with a folder of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShortPath {
    folder: u8,
    shared: u32,
    #[serde(with = "bytes")]
    rest: Vec<u8>,
}

impl ShortPath {
    fn whole(path: &Path) -> Self {
        Self { folder: 0, shared: 0, rest: path.as_os_str().as_bytes().to_vec() }
    }

    fn shortened(&self, folders: Folders) -> Self {
        let path = self.path(Folders::default());
        let shared = |folder: &[u8]| folder.iter().zip(&path).take_while(|(one, other)| one == other).count();
        let (folder, shared) =
            (0..).zip(folders.0.map(shared)).max_by_key(|(_, shared)| *shared).unwrap_or_default();
        let rest = path.get(shared..).unwrap_or_default().to_vec();
        Self { folder, shared: u32::try_from(shared).unwrap_or_default(), rest }
    }

    fn path(&self, folders: Folders) -> Vec<u8> {
        let folder = folders.0.get(usize::from(self.folder)).copied().unwrap_or_default();
        let shared = usize::try_from(self.shared).ok().and_then(|shared| folder.get(..shared));
        [shared.unwrap_or_default(), &self.rest].concat()
    }
}

/// One thing on disk that the policy depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    path: ShortPath,
    pub identity: Identity,
    /// The hash of a file too young to be told by its times.
    pub content: Option<[u8; HASH]>,
}

impl Stamp {
    pub(crate) fn new(path: &Path, identity: Identity) -> Self {
        Self { path: ShortPath::whole(path), identity, content: None }
    }

    /// Of a file as it was read. Its content counts as long as its times could miss another change.
    pub(crate) fn of_file(path: &Path, identity: Identity, bytes: Option<&[u8]>) -> Self {
        let content = bytes.filter(|_| identity.is_young()).map(|bytes| *blake3::hash(bytes).as_bytes());
        Self { content, ..Self::new(path, identity) }
    }

    /// The same, without what its path shares with the request's folders.
    pub(crate) fn shortened(self, folders: Folders) -> Self {
        Self { path: self.path.shortened(folders), ..self }
    }

    /// Is it still as it was?
    pub(crate) fn is_current(&self, folders: Folders) -> bool {
        let path = self.path.path(folders);
        let path = Path::new(OsStr::from_bytes(&path));
        let has = |hash| read_file(path, BIGGEST).is_ok_and(|bytes| blake3::hash(&bytes) == hash);
        self.identity.again(path) == self.identity && self.content.is_none_or(has)
    }
}

/// What a snapshot says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Body {
    pub policy: Policy,
    pub digest: String,
    pub notices: Vec<String>,
    sources: Vec<(ShortPath, ShortPath, u8, Health)>,
}

impl Body {
    pub(crate) fn new(
        policy: Policy,
        notices: Vec<String>,
        sources: &[SourceFile],
        folders: Folders,
    ) -> Self {
        let bytes = |path: &Path| ShortPath::whole(path).shortened(folders);
        let sources = sources
            .iter()
            .map(|file| (bytes(&file.path), bytes(&file.real), file.layer as u8, file.health))
            .collect();
        Self { digest: policy.digest(), policy, notices, sources }
    }

    pub(crate) fn sources(&self, folders: Folders) -> Vec<SourceFile> {
        let path = |short: &ShortPath| PathBuf::from(OsStr::from_bytes(&short.path(folders)));
        let layer = |number: u8| {
            [Layer::Managed, Layer::User].get(usize::from(number)).copied().unwrap_or(Layer::Project)
        };
        let file = |(at, real, number, health): &(ShortPath, ShortPath, u8, Health)| SourceFile {
            path: path(at),
            real: path(real),
            layer: layer(*number),
            health: *health,
        };
        self.sources.iter().map(file).collect()
    }
}

/// The bytes of a snapshot.
pub(crate) fn encode(head: &Head, body: &Body) -> Option<Vec<u8>> {
    let head = postcard::to_allocvec(head).ok()?;
    let body = postcard::to_allocvec(body).ok()?;
    let length = u32::try_from(head.len()).ok()?.to_le_bytes();
    let rest = [length.as_slice(), &head, &body].concat();
    Some([MAGIC.as_slice(), &FORMAT.to_le_bytes(), blake3::hash(&rest).as_bytes(), &rest].concat())
}

/// A snapshot whose hash holds; the body is decoded only when the head is found to be current.
pub(crate) struct Snapshot<'a> {
    pub head: Head,
    body: &'a [u8],
}

impl<'a> Snapshot<'a> {
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC.as_slice())?.strip_prefix(&FORMAT.to_le_bytes())?;
        let (hash, rest) = rest.split_at_checked(HASH)?;
        if blake3::hash(rest).as_bytes() != hash {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (head, body) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
        Some(Self { head: postcard::from_bytes(head).ok()?, body })
    }

    pub(crate) fn body(&self) -> Option<Body> {
        postcard::from_bytes(self.body).ok()
    }
}

/// Bytes in one piece, where serde would go through them one by one.
mod bytes {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        <&[u8]>::deserialize(deserializer).map(<[u8]>::to_vec)
    }
}

/// A hash of all that a snapshot takes from the program: a newer one with other rules does not believe it.
pub(crate) fn catalogue_hash(cards: &[&'static Card]) -> u64 {
    // Every event asks for it, and all of it is compiled in: nobody can choose what is hashed.
    let mut sum = mixed(0, env!("CARGO_PKG_VERSION"));
    for pack in Pack::ALL {
        sum = mixed(sum, pack.name());
    }
    for card in cards {
        sum = mixed(sum ^ (card.pack as u64) << 8 ^ card.level as u64, card.id);
    }
    sum
}

/// A sum with a text mixed in, eight bytes at a time.
fn mixed(sum: u64, text: &str) -> u64 {
    let step = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let sum =
        words.iter().fold(step(sum, text.len() as u64), |sum, word| step(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| step(sum, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::{Folders, Head, Stamp};
    use crate::source::Identity;

    #[test]
    fn f30_paths_are_kept_without_the_folders_of_the_request() {
        let directory = tempfile::tempdir().unwrap();
        let (project, cwd) = (directory.path().join("one"), directory.path().join("two/deep"));
        let bytes = |path: &'_ std::path::PathBuf| path.as_os_str().as_encoded_bytes().to_vec();
        let (cwd_bytes, project_bytes) = (bytes(&cwd), bytes(&project));
        let folders = Folders([&cwd_bytes, &project_bytes]);
        for path in [cwd.join("x"), project.join("x"), directory.path().join("two/x"), "/etc/x".into()] {
            let stamp = Stamp::new(&path, Identity::of(&path)).shortened(folders);
            assert_eq!(stamp.path.path(folders), bytes(&path));
            assert!(!stamp.path.rest.windows(3).any(|part| part == b"one" || part == b"two"), "{path:?}");
        }
    }

    #[test]
    fn f26_a_young_file_is_told_by_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        std::fs::write(&path, "text").unwrap();
        let identity = Identity::of(&path);
        let read = |text: &str| Stamp::of_file(&path, identity, Some(text.as_bytes()));
        let head =
            |stamp: Stamp| Head { key: [0; 32], catalogue: 0, stamps: vec![stamp], beside: Vec::new() };
        let (same, other) = (read("text"), read("tent"));
        assert!(same.content.is_some() && same.is_current(Folders::default()));
        assert!(
            !other.is_current(Folders::default()),
            "changed within the tick: the same times, another text"
        );
        assert!(head(same.clone()).settled().is_none(), "too young to be settled");
        std::thread::sleep(std::time::Duration::from_millis(150));
        assert!(read("text").content.is_none(), "old enough for its times to tell");
        let settled = head(same).settled().unwrap();
        assert!(settled.stamps[0].content.is_none() && settled.stamps[0].is_current(Folders::default()));
        assert!(settled.settled().is_none());
        std::fs::write(&path, "tent").unwrap();
        assert!(!settled.stamps[0].is_current(Folders::default()));
    }
}
