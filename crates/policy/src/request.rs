//! What a policy is wanted for.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a policy is wanted for. All paths absolute.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Of whoever manages the machine.
    pub managed_dir: &'a Path,
    /// The user's.
    pub config_dir: &'a Path,
    /// Where snapshots and last good texts are kept.
    pub state_dir: &'a Path,
    /// The session's project, fixed at its first event.
    pub project: Option<&'a Path>,
    /// A folder with a policy file that `tollgate build` wrote, absolute or below the project. It tightens like a
    /// project's own, and has to be there.
    pub built: Option<&'a Path>,
    /// The working directory.
    pub cwd: &'a Path,
}

impl Request<'_> {
    /// The project's root, absolute.
    pub(crate) fn root(&self) -> Option<PathBuf> {
        self.project.map(|project| self.cwd.join(project)).filter(|root| root.is_absolute())
    }

    /// Names the snapshot that answers this request.
    pub(crate) fn key(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let [project, built] = [self.project, self.built].map(|path| path.unwrap_or(Path::new("")));
        for path in [self.managed_dir, self.config_dir, self.state_dir, project, built, self.cwd] {
            let bytes = path.as_os_str().as_bytes();
            hasher.update(&bytes.len().to_le_bytes()).update(bytes);
        }
        *hasher.finalize().as_bytes()
    }
}
