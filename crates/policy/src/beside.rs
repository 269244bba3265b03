//! What another crate keeps compiled with a policy: in the same file, believed as long as the same things are as they
//! were.

use std::path::{Path, PathBuf};

use crate::file::read_file;
use crate::policy::Policy;
use crate::settings::BIGGEST;
use crate::snapshot::Stamp;
use crate::source::{Identity, SourceFile};

/// Who makes something of a policy that every event needs.
pub trait Beside {
    /// The files that it is made from, there or not.
    fn files(&self, policy: &Policy) -> Vec<PathBuf>;

    /// Makes it.
    fn build(&self, policy: &Policy) -> Built;

    /// Did this program make these bytes?
    fn believes(&self, bytes: &[u8]) -> bool;
}

/// What was made of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// What every event needs of it.
    pub bytes: Vec<u8>,
    /// What must be told about it.
    pub notices: Vec<String>,
    /// The files that were read: they are the gate's own.
    pub sources: Vec<SourceFile>,
}

/// What files are now. Of one that is not there, its folder tells when it comes: many have the same.
pub(crate) fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    let mut stamps: Vec<Stamp> = Vec::new();
    for stamp in files.iter().map(|file| stamp(file)) {
        if !stamps.contains(&stamp) {
            stamps.push(stamp);
        }
    }
    stamps
}

fn stamp(file: &Path) -> Stamp {
    if let Some(folder) = file.parent().filter(|_| file.symlink_metadata().is_err()) {
        return Stamp::new(folder, Identity::listing(folder));
    }
    Stamp::of_file(file, Identity::of(file), read_file(file, BIGGEST).ok().as_deref())
}
