//! Compiles the catalogue into the tables that `src/catalogue.rs` and `src/commands/handlers.rs` include.

use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new("../../catalogue");
    println!("cargo::rerun-if-changed={}", folder.display());
    match tollgate_catalogue::compile::compile(folder) {
        Ok(compiled) => {
            let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
            std::fs::write(out.join("tables.rs"), compiled.tables)?;
            std::fs::write(out.join("handlers.rs"), compiled.handlers)?;
        }
        Err(faults) => {
            faults.0.iter().for_each(|fault| println!("cargo::error={fault}"));
        }
    }
    Ok(())
}
