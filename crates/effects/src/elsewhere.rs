//! Another file system: a container or a remote machine, and what of this one is mounted in it.

use tollgate_model::{Place, World};
use tollgate_shell::value::{Piece, Text};

use crate::paths;

/// Where the paths of a command lead that does not run in this file system.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    mounts: Vec<Mount>,
    /// The home directory here, which the evaluator puts for `~`; there it is `/root`.
    home: String,
    /// What stands for a path that is not on this machine. Below a temporary directory: nobody misses it.
    nowhere: Text,
    /// What is read of the secrets there is marked as such.
    watched: bool,
}

#[derive(Clone, Debug)]
struct Mount {
    there: String,
    here: Text,
    /// It can only be read there.
    read_only: bool,
}

impl Elsewhere {
    /// A file system with nothing of this one in it.
    pub fn new(world: &dyn World) -> Self {
        let temp = world.temp_dirs().first().map_or("/tmp", String::as_str).trim_end_matches('/');
        let nowhere = Text::literal(&format!("{temp}/.another-machine"));
        Self { mounts: Vec::new(), home: world.home().to_owned(), nowhere, watched: false }
    }

    /// The same, with what is read of its secrets marked.
    pub fn watched(self) -> Self {
        Self { watched: true, ..self }
    }

    /// Is it looked at what is shown of its secrets?
    pub fn is_watched(&self) -> bool {
        self.watched
    }

    /// Does a path, as it stands for one there, hold what a container is given as a secret? Which authority signs and which
    /// namespace it is are none.
    pub fn is_secret(&self, place: &Place) -> bool {
        let Some(nowhere) = self.nowhere.as_literal().filter(|_| self.watched) else { return false };
        let there = seen_by_processes(place.path.strip_prefix(nowhere).unwrap_or_default());
        let kept = |folder: &&str| match place.pattern {
            true => paths::could_be_within(&place.path, &format!("{nowhere}{folder}")),
            false => paths::within(there, folder),
        };
        let open = there.ends_with("/ca.crt") || there.ends_with("/namespace");
        !open && ["/run/secrets", "/var/run/secrets"].iter().any(kept)
    }

    /// Puts `here` in at `there`.
    pub fn mount(&mut self, there: &str, here: Text, read_only: bool) {
        self.mounts.push(Mount { there: paths::normal(there), here, read_only });
    }

    /// Is a path of this machine in a folder that is mounted so?
    pub fn holds(&self, path: &str, read_only: bool) -> bool {
        let within = |here: &Text| match here.as_literal() {
            Some(folder) => paths::within(path, folder),
            // It may be any folder, but not surely one that is only read.
            None => !read_only,
        };
        self.mounts.iter().any(|mount| mount.read_only == read_only && within(&mount.here))
    }

    /// What a path there is on this machine: one place, or a folder there with all the mounts below it.
    pub fn here(&self, text: &Text) -> Vec<Text> {
        let prefix = text.prefix();
        if !prefix.starts_with('/') {
            // Any path at all: with nothing mounted it is none of ours.
            return if self.mounts.is_empty() { vec![self.nowhere.clone()] } else { vec![text.clone()] };
        }
        if let Some(mapped) = self.mapped(text) {
            return vec![mapped];
        }
        let own =
            prefix.strip_prefix(self.home.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = own.filter(|_| !self.home.is_empty()) {
            let as_root = with_prefix(text, prefix.len() - rest.len(), &Text::literal("/root"));
            if let Some(mapped) = self.mapped(&as_root) {
                return vec![mapped];
            }
        }
        let mut all = vec![with_prefix(text, 0, &self.nowhere)];
        let folder = if text.as_literal().is_some() { prefix } else { folder_of(prefix) };
        let below = self.mounts.iter().filter(|mount| paths::within(&mount.there, folder));
        all.extend(below.map(|mount| mount.here.clone()));
        all
    }

    fn mapped(&self, text: &Text) -> Option<Text> {
        let prefix = text.prefix();
        let fits = self.mounts.iter().filter(|mount| paths::within(prefix, &mount.there));
        let mount = fits.max_by_key(|mount| mount.there.len())?;
        Some(with_prefix(text, mount.there.trim_end_matches('/').len(), &mount.here))
    }
}

/// `/proc/1/root/x` is `/x`, as that process sees it.
fn seen_by_processes(path: &str) -> &str {
    let rest = path.strip_prefix("/proc/").and_then(|rest| rest.split_once('/'));
    rest.and_then(|(_, rest)| rest.strip_prefix("root")).filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

/// The text with its first `bytes` bytes replaced.
fn with_prefix(text: &Text, bytes: usize, new: &Text) -> Text {
    let mut whole = Text::default();
    new.pieces.iter().for_each(|piece| whole.push(piece.clone()));
    for (index, piece) in text.pieces.iter().enumerate() {
        match piece {
            Piece::Text(known) if index == 0 => {
                let rest = known.get(bytes..).unwrap_or_default();
                let slash = new.suffix().ends_with('/') && rest.starts_with('/');
                whole.push_str(rest.get(usize::from(slash)..).unwrap_or_default());
            }
            other => whole.push(other.clone()),
        }
    }
    whole
}

fn folder_of(prefix: &str) -> &str {
    prefix.rfind('/').and_then(|at| prefix.get(..at)).unwrap_or_default()
}
