//! The files of a package, before it is packed.

use std::collections::{BTreeMap, BTreeSet};

/// Files by path, sorted.
#[derive(Clone, Default)]
pub struct Files(BTreeMap<String, File>);

/// One file.
#[derive(Clone)]
pub struct File {
    /// Its content.
    pub bytes: Vec<u8>,
    /// May it be run?
    pub is_program: bool,
}

impl File {
    /// The permissions, whatever the umask of whoever packs.
    pub fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

impl Files {
    /// Adds a file that is only read.
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), File { bytes: bytes.into(), is_program: false });
    }

    /// Adds a program.
    pub fn add_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), File { bytes: bytes.into(), is_program: true });
    }

    /// Adds other files below a folder.
    pub fn add_all(&mut self, folder: &str, files: &Files) {
        for (path, file) in files.iter() {
            self.0.insert(format!("{folder}/{path}"), file.clone());
        }
    }

    /// Every file, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Every folder that holds something, the outer ones first.
    pub fn folders(&self) -> BTreeSet<&str> {
        let ends = |path: &str| path.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
        self.0.keys().flat_map(|path| ends(path).into_iter().filter_map(|end| path.get(..end))).collect()
    }

    /// The size of all files together.
    pub fn size(&self) -> usize {
        self.0.values().map(|file| file.bytes.len()).sum()
    }
}
