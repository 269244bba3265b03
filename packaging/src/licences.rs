//! The list of third-party licences. Texts that several parts share are printed once.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::inventory::{Component, Inventory};

/// How a file with a licence or a notice is named.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

const START: &str = "Tollgate is licensed under MIT or Apache-2.0 (LICENSE-MIT, LICENSE-APACHE).
The binary also contains the following software.
";

const GLIBC: &str = "
The GNU C Library is linked statically under the LGPL-2.1-or-later. To relink Tollgate with a changed version of it,
build Tollgate's source (see CONTRIBUTING.md) on a machine that has that version.
";

/// The list as text.
pub fn list(inventory: &Inventory) -> Result<String> {
    let mut text = START.to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in inventory.components.iter().filter(|part| !part.is_ours) {
        let source = part.repository.as_deref().unwrap_or("no repository named");
        write!(text, "\n{} {}\n  licence: {}\n  source: {source}\n", part.name, part.version, part.licence)?;
        for licence in texts_of(part)? {
            texts.entry(licence).or_default().push(format!("{} {}", part.name, part.version));
        }
    }
    if inventory.components.iter().any(|part| part.name == "glibc") {
        text.push_str(GLIBC);
    }
    for (licence, parts) in texts {
        write!(text, "\n{}\n{}\n\n{licence}\n", "=".repeat(80), parts.join(", "))?;
    }
    Ok(text)
}

fn texts_of(part: &Component) -> Result<Vec<String>> {
    let Some(folder) = &part.folder else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && is_licence(&path) {
            texts.push(String::from_utf8_lossy(&fs::read(&path)?).replace('\r', "").trim().to_owned());
        }
    }
    texts.sort();
    Ok(texts)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
    NAMES.iter().any(|start| name.starts_with(start))
}
