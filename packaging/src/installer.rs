//! `install.sh`. It carries the checksums of this release's tarballs, so that it trusts no server but the one that it
//! came from.

use anyhow::Result;

use crate::dist::Dist;
use crate::platform::Platform;
use crate::tarball::Tarball;
use crate::template::fill;

const SCRIPT: &str = include_str!("../install.sh");

/// Writes the script.
pub fn write(dist: &mut Dist, tarballs: &[(&Platform, Tarball)]) -> Result<()> {
    let sums: Vec<String> =
        tarballs.iter().map(|(_, tarball)| format!("{}  {}", tarball.sum, tarball.name)).collect();
    let base = dist.release.download_base();
    let values = [("VERSION", dist.release.version), ("BASE", &base), ("SUMS", &sums.join("\n"))];
    dist.write_program("install.sh", fill(SCRIPT, &values)?.as_bytes())
}
