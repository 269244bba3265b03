//! The tarball: the binary with everything that belongs to it. The SBOM also lies beside it.

use anyhow::Result;

use crate::archive;
use crate::binary::Binary;
use crate::contents::{Contents, SBOM, THIRD_PARTY};
use crate::dist::Dist;
use crate::files::Files;

/// A tarball that was written.
pub struct Tarball {
    /// Its file name.
    pub name: String,
    /// Its SHA-256.
    pub sum: String,
}

/// Writes the tarball of a platform.
pub fn write(dist: &mut Dist, binary: &Binary, contents: &Contents) -> Result<Tarball> {
    let folder = format!("tollgate-{}-{}", dist.release.version, binary.platform.target);
    let mut files = Files::default();
    files.add_program(format!("{folder}/tollgate"), binary.bytes.clone());
    files.add_all(&format!("{folder}/man/man1"), &contents.man);
    files.add_all(&format!("{folder}/completions"), &contents.completions);
    files.add_all(&folder, &contents.texts);
    files.add(format!("{folder}/{THIRD_PARTY}"), contents.third_party.as_str());
    files.add(format!("{folder}/{SBOM}"), contents.sbom.as_str());
    dist.write(&format!("{folder}.cdx.json"), contents.sbom.as_bytes())?;
    let name = format!("{folder}.tar.gz");
    let sum = dist.write(&name, &archive::tar_gz(&files, dist.release.time)?)?;
    Ok(Tarball { name, sum })
}
