//! The rules' pages under `docs/rules/`, from their cards.

use std::path::PathBuf;

use anyhow::{Context, Result};
use tollgate_model::Pack;

use xtask::sh;

/// Writes every page, and takes away those of packs that are gone.
pub fn run() -> Result<()> {
    let folder = folder();
    std::fs::create_dir_all(&folder)?;
    let pages = pages();
    for stray in present()?.iter().filter(|name| !pages.iter().any(|(page, _)| page == *name)) {
        std::fs::remove_file(folder.join(stray))?;
    }
    for (name, text) in &pages {
        std::fs::write(folder.join(name), text).with_context(|| name.clone())?;
    }
    println!("docs: {} pages in {}", pages.len(), folder.display());
    Ok(())
}

/// Pages that are not what the cards say.
pub fn stale() -> Result<Vec<String>> {
    let pages = pages();
    let differs = |(name, text): &&(String, String)| {
        std::fs::read_to_string(folder().join(name)).map_or(true, |present| present != *text)
    };
    let mut names: Vec<String> = pages.iter().filter(differs).map(|(name, _)| name.clone()).collect();
    names.extend(present()?.into_iter().filter(|name| !pages.iter().any(|(page, _)| page == name)));
    Ok(names.iter().map(|name| format!("docs/rules/{name}: stale, run `cargo xtask docs`")).collect())
}

fn pages() -> Vec<(String, String)> {
    let packs = Pack::ALL.into_iter();
    let mut pages: Vec<(String, String)> = packs
        .filter_map(|pack| Some((format!("{}.md", pack.name()), tollgate_rules::pack_page(pack)?)))
        .collect();
    pages.push(("README.md".to_owned(), tollgate_rules::index()));
    pages
}

fn present() -> Result<Vec<String>> {
    let Ok(entries) = std::fs::read_dir(folder()) else { return Ok(Vec::new()) };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn folder() -> PathBuf {
    sh::root().join("docs/rules")
}
