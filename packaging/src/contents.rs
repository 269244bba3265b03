//! What every package carries beside the binary: manual pages, completions, licences, the SBOM.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::files::Files;
use crate::inventory::Inventory;
use crate::release::{Release, output};
use crate::{licences, sbom};

/// The files, each under the name that it has in the tarball.
#[derive(Clone)]
pub struct Contents {
    /// Manual pages.
    pub man: Files,
    /// Completion scripts, each under the name that its shell looks for.
    pub completions: Files,
    /// README, changelog and our own licences.
    pub texts: Files,
    /// The licences of everything that is linked in.
    pub third_party: String,
    /// The software bill of materials.
    pub sbom: String,
}

/// The name of the list of licences.
pub const THIRD_PARTY: &str = "THIRD-PARTY-LICENSES.txt";
/// The name of the bill of materials.
pub const SBOM: &str = "tollgate.cdx.json";

const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "tollgate.bash"),
    ("zsh", "_tollgate"),
    ("fish", "tollgate.fish"),
    ("elvish", "tollgate.elv"),
    ("powershell", "tollgate.ps1"),
];

const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

impl Contents {
    /// Lets the binary write its own manual pages and completions. It must be of this release.
    pub fn generate(release: &Release, binary: &Path) -> Result<Self> {
        let version = output(Command::new(binary).arg("--version"))?;
        if version.trim() != format!("tollgate {}", release.version) {
            bail!("`{}` is `{}`, not version {}", binary.display(), version.trim(), release.version);
        }
        let mut completions = Files::default();
        for (shell, name) in COMPLETIONS {
            completions.add(name, output(Command::new(binary).args(["completions", shell]))?);
        }
        let mut texts = Files::default();
        for name in TEXTS {
            texts.add(name, release.source(name)?);
        }
        let (third_party, sbom) = (String::new(), String::new());
        Ok(Self { man: manual_pages(binary)?, completions, texts, third_party, sbom })
    }

    /// The same for a platform: what is linked in differs between them.
    pub fn for_platform(&self, release: &Release, inventory: &Inventory) -> Result<Self> {
        let (third_party, sbom) = (licences::list(inventory)?, sbom::document(release, inventory)?);
        Ok(Self { third_party, sbom, ..self.clone() })
    }
}

fn manual_pages(binary: &Path) -> Result<Files> {
    let folder = tempfile::tempdir()?;
    output(Command::new(binary).arg("man").arg("--dir").arg(folder.path()))?;
    let mut pages = Files::default();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        pages.add(entry.file_name().to_string_lossy(), fs::read(entry.path())?);
    }
    Ok(pages)
}
