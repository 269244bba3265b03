//! Embeds the built page: a table of every file below `web/dist`, so that building needs no node.

use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=web/dist");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web/dist");
    let mut files = Vec::new();
    walk(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        table.push_str(&format!("    ({:?}, include_bytes!({:?})),\n", format!("/{name}"), file));
    }
    table.push_str("]\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("assets.rs");
    std::fs::write(out, table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
