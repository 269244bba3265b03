//! Makes the release packages from a built binary. `cargo xtask dist` builds the binary and runs this.
//!
//! Every file is reproducible: times come from the commit, entries are sorted, owners and modes are fixed.

mod archive;
mod binary;
mod claude_plugin;
mod contents;
mod deb;
mod dist;
mod files;
mod homebrew;
mod installer;
mod inventory;
mod licences;
mod npm;
mod platform;
mod release;
mod sbom;
mod tarball;
mod template;
mod wheel;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;

use crate::binary::Binary;
use crate::contents::Contents;
use crate::dist::Dist;
use crate::inventory::Inventory;
use crate::platform::Platform;
use crate::release::Release;

/// Make the release packages from a built binary
#[derive(Parser)]
struct Args {
    /// The binary for this machine; it also writes the manual pages and completions
    #[arg(long)]
    binary: PathBuf,
    /// A binary for another machine, as TARGET=PATH
    #[arg(long, value_name = "TARGET=PATH")]
    cross: Vec<String>,
    /// The folder for the packages; an earlier one is replaced
    #[arg(long)]
    out: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let binaries = binaries(&args)?;
    let release = Release::read()?;
    let host = Contents::generate(&release, &args.binary)?;
    let mut dist = Dist::new(&release, &args.out)?;
    let mut tarballs = Vec::new();
    for binary in &binaries {
        let inventory = Inventory::read(&release, binary)?;
        let contents = host.for_platform(&release, &inventory)?;
        tarballs.push((binary.platform, tarball::write(&mut dist, binary, &contents)?));
        deb::write(&mut dist, binary, &contents)?;
        wheel::write(&mut dist, binary, &contents)?;
        npm::write_platform(&mut dist, binary, &contents)?;
    }
    let platforms: Vec<&Platform> = binaries.iter().map(|binary| binary.platform).collect();
    npm::write_main(&mut dist, &platforms, &host)?;
    homebrew::write(&mut dist, &tarballs)?;
    installer::write(&mut dist, &tarballs)?;
    claude_plugin::write(&mut dist)?;
    dist.finish()
}

fn binaries(args: &Args) -> Result<Vec<Binary>> {
    let mut binaries = vec![Binary::read(Platform::host()?, &args.binary)?];
    for cross in &args.cross {
        let (target, path) =
            cross.split_once('=').with_context(|| format!("write TARGET=PATH, not `{cross}`"))?;
        binaries.push(Binary::read(Platform::of(target)?, path.as_ref())?);
    }
    Ok(binaries)
}
