//! What was there before: the bytes of a settings file and how they were changed, so that `uninstall` can
//! put them back.

use super::edit::Entry;
use super::file::{FileError, io_error, private_dir, read_own, write_private};
use std::path::{Path, PathBuf};
use tollgate_model::json::{self, Value};

/// How a settings file was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The agent.
    pub agent: String,
    /// The settings file, as named.
    pub path: PathBuf,
    /// Hash of the content without our entries; none when there was no file.
    pub before: Option<String>,
    /// Hash of the content that was written.
    pub after: String,
    /// The containers that were made: `hooks`, or an event's name.
    pub created: Vec<String>,
    /// The directories that were made, outermost first.
    pub made_dirs: Vec<PathBuf>,
    /// The events that got an entry.
    pub events: Vec<String>,
    /// The hooks of other people's that the gate runs in the agent's place.
    pub adopted: Vec<Entry>,
    /// Seconds since 1970.
    pub time: u64,
}

/// The directory of backups: one folder per settings file, named by the hash of its path.
#[derive(Clone, Debug)]
pub struct Backups {
    state: PathBuf,
    dir: PathBuf,
}

impl Backups {
    /// The backups in a state directory.
    #[must_use]
    pub fn in_state(state: &Path) -> Self {
        Self { state: state.to_owned(), dir: state.join("backups") }
    }

    /// The folder for a settings file.
    #[must_use]
    pub fn folder(&self, settings: &Path) -> PathBuf {
        self.dir.join(short(&hash(settings.as_os_str().as_encoded_bytes())))
    }

    /// How a settings file was last changed, if it was. A manifest that cannot be read counts as none: the
    /// entries can still be taken out one by one.
    #[must_use]
    pub fn manifest(&self, settings: &Path) -> Option<Manifest> {
        Manifest::read(&self.folder(settings).join(MANIFEST)).filter(|manifest| manifest.path == settings)
    }

    /// All manifests.
    #[must_use]
    pub fn all(&self) -> Vec<Manifest> {
        let folders = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut all: Vec<Manifest> =
            folders.filter_map(|entry| Manifest::read(&entry.path().join(MANIFEST))).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// The bytes from before the change, if they are all there.
    #[must_use]
    pub fn bytes(&self, manifest: &Manifest) -> Option<Vec<u8>> {
        let before = manifest.before.as_ref()?;
        let found = read_own(&self.folder(&manifest.path).join(bytes_name(before))).ok()??;
        (hash(&found.bytes) == *before).then_some(found.bytes)
    }

    /// Keeps bytes under the name of their hash.
    ///
    /// # Errors
    /// When the folder is not private or cannot be written.
    pub fn keep(&self, settings: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let folder = self.make_folder(settings)?;
        write_private(&folder.join(bytes_name(&hash(bytes))), bytes)
    }

    /// Writes a manifest over the last one.
    ///
    /// # Errors
    /// When the folder is not private or cannot be written.
    pub fn save(&self, manifest: &Manifest) -> Result<(), FileError> {
        let folder = self.make_folder(&manifest.path)?;
        write_private(&folder.join(MANIFEST), manifest.write().as_bytes())
    }

    /// Drops the manifest, and the bytes as well unless they are to be kept.
    ///
    /// # Errors
    /// When they cannot be deleted.
    pub fn forget(&self, settings: &Path, keep_bytes: bool) -> Result<(), FileError> {
        let folder = self.folder(settings);
        let gone = if keep_bytes {
            std::fs::remove_file(folder.join(MANIFEST))
        } else {
            std::fs::remove_dir_all(&folder)
        };
        match gone {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(io_error("delete", &folder)(error))
            }
            _ => {
                // Fails while other backups are there, as it should.
                let _ = std::fs::remove_dir(&self.dir);
                Ok(())
            }
        }
    }
}

impl Backups {
    fn make_folder(&self, settings: &Path) -> Result<PathBuf, FileError> {
        let folder = self.folder(settings);
        for dir in [&self.state, &self.dir, &folder] {
            private_dir(dir)?;
        }
        Ok(folder)
    }
}

impl Manifest {
    fn read(path: &Path) -> Option<Self> {
        let value = json::parse(&read_own(path).ok()??.bytes).ok()?;
        let texts = |key: &str| -> Vec<String> {
            let list = value.get(key).and_then(Value::as_list).unwrap_or_default();
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Some(Self {
            agent: value.text("agent")?.to_owned(),
            path: PathBuf::from(value.text("path")?),
            before: value.text("before").map(str::to_owned),
            after: value.text("after")?.to_owned(),
            created: texts("created"),
            made_dirs: texts("made_dirs").into_iter().map(PathBuf::from).collect(),
            events: texts("events"),
            adopted: value
                .get("adopted")
                .and_then(Value::as_list)
                .unwrap_or_default()
                .iter()
                .filter_map(entry)
                .collect(),
            time: match value.get("time") {
                Some(Value::Number(number)) => number.parse().unwrap_or(0),
                _ => 0,
            },
        })
    }

    fn write(&self) -> String {
        let texts = |list: &[String]| Value::List(list.iter().map(|text| text.as_str().into()).collect());
        let dirs: Vec<String> = self.made_dirs.iter().map(|dir| dir.display().to_string()).collect();
        let value = json::object([
            ("version", 1.into()),
            ("agent", self.agent.as_str().into()),
            ("path", self.path.display().to_string().into()),
            ("before", self.before.as_deref().map_or(Value::Null, Value::from)),
            ("after", self.after.as_str().into()),
            ("created", texts(&self.created)),
            ("made_dirs", texts(&dirs)),
            ("events", texts(&self.events)),
            ("adopted", Value::List(self.adopted.iter().map(entry_value).collect())),
            ("time", self.time.into()),
        ]);
        let mut text = String::new();
        json::write(&value, &mut text);
        text
    }
}

fn entry_value(entry: &Entry) -> Value {
    json::object([("event", entry.event.as_str().into()), ("group", entry.group.clone())])
}

fn entry(value: &Value) -> Option<Entry> {
    Some(Entry { event: value.text("event")?.to_owned(), group: value.get("group")?.clone() })
}

/// The hash that manifests use.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

const MANIFEST: &str = "manifest.json";

fn short(hash: &str) -> String {
    hash.chars().take(16).collect()
}

fn bytes_name(hash: &str) -> String {
    format!("{}.bytes", short(hash))
}
