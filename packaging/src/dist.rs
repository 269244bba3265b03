//! The folder of finished packages, and their checksums.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::release::Release;

/// The list of checksums, in the form of `sha256sum`.
const SUMS: &str = "SHA256SUMS";

/// The folder being filled.
pub struct Dist<'a> {
    /// The release that the packages are of.
    pub release: &'a Release,
    folder: PathBuf,
    sums: Vec<(String, String)>,
}

impl<'a> Dist<'a> {
    /// An empty folder. An earlier one is replaced; a folder with anything else in it is not touched.
    pub fn new(release: &'a Release, folder: &Path) -> Result<Self> {
        let failed = || format!("cannot use `{}`", folder.display());
        if folder.exists() {
            let is_empty = fs::read_dir(folder).with_context(failed)?.next().is_none();
            if !is_empty && !folder.join(SUMS).is_file() {
                bail!("`{}` is not a folder of packages; name another one", folder.display());
            }
            fs::remove_dir_all(folder).with_context(failed)?;
        }
        fs::create_dir_all(folder).with_context(failed)?;
        // Marks the folder as ours while it is being filled.
        fs::write(folder.join(SUMS), "").with_context(failed)?;
        Ok(Self { release, folder: folder.to_owned(), sums: Vec::new() })
    }

    /// Writes a package; its SHA-256.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<String> {
        let path = self.folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
        let sum = sha256(bytes);
        self.sums.push((name.to_owned(), sum.clone()));
        writeln!(std::io::stdout(), "{sum}  {name}")?;
        Ok(sum)
    }

    /// Writes a package that is run as a program.
    pub fn write_program(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, bytes)?;
        fs::set_permissions(self.folder.join(name), fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// Writes the checksums.
    pub fn finish(mut self) -> Result<()> {
        self.sums.sort();
        let mut text = String::new();
        for (name, sum) in &self.sums {
            writeln!(text, "{sum}  {name}")?;
        }
        Ok(fs::write(self.folder.join(SUMS), text)?)
    }
}

/// The SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
