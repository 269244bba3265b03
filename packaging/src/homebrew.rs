//! The Homebrew formula, which installs the tarballs of this release.

use std::fmt::Write;

use anyhow::Result;

use crate::dist::Dist;
use crate::platform::Platform;
use crate::release::REPOSITORY;
use crate::tarball::Tarball;
use crate::template::fill;

const FORMULA: &str = include_str!("../homebrew/tollgate.rb");

/// Writes the formula.
pub fn write(dist: &mut Dist, tarballs: &[(&Platform, Tarball)]) -> Result<()> {
    let base = dist.release.download_base();
    let mut downloads = String::new();
    for (platform, tarball) in tarballs {
        writeln!(downloads, "    {} do", platform.homebrew)?;
        writeln!(downloads, "      url \"{base}/{}\"", tarball.name)?;
        writeln!(downloads, "      sha256 \"{}\"", tarball.sum)?;
        writeln!(downloads, "    end")?;
    }
    let values =
        [("VERSION", dist.release.version), ("REPOSITORY", REPOSITORY), ("DOWNLOADS", downloads.trim_end())];
    dist.write("tollgate.rb", fill(FORMULA, &values)?.as_bytes())?;
    Ok(())
}
