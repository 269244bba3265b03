//! Compiles `catalogue/libraries` into the tables that `src/library.rs` includes.

use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new("../../catalogue/libraries");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    for language in ["python"] {
        match tollgate_catalogue::compile::libraries::compile(&folder.join(format!("{language}.toml"))) {
            Ok(table) => std::fs::write(out.join(format!("{language}.rs")), table)?,
            Err(faults) => faults.0.iter().for_each(|fault| println!("cargo::error={fault}")),
        }
    }
    Ok(())
}
