//! The Debian package. It has no maintainer scripts: installing it runs nothing.

use anyhow::Result;

use crate::archive;
use crate::binary::Binary;
use crate::contents::{Contents, SBOM, THIRD_PARTY};
use crate::dist::Dist;
use crate::files::Files;
use crate::release::REPOSITORY;
use crate::template::fill;

const CONTROL: &str = include_str!("../deb/control");
const COPYRIGHT: &str = include_str!("../deb/copyright");

/// Where Debian's shells look for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("tollgate.bash", "usr/share/bash-completion/completions/tollgate"),
    ("_tollgate", "usr/share/zsh/vendor-completions/_tollgate"),
    ("tollgate.fish", "usr/share/fish/vendor_completions.d/tollgate.fish"),
];

/// Writes the package of a platform.
pub fn write(dist: &mut Dist, binary: &Binary, contents: &Contents) -> Result<()> {
    let (version, time) = (dist.release.version, dist.release.time);
    let data = data(binary, contents)?;
    let mut control = Files::default();
    let kibibytes = data.size().div_ceil(1024).to_string();
    let libraries = if binary.is_static() { "" } else { "Depends: libc6, libgcc-s1\n" };
    let values = [
        ("VERSION", version),
        ("ARCHITECTURE", binary.platform.debian),
        ("SIZE", &kibibytes),
        ("DEPENDS", libraries),
        ("REPOSITORY", REPOSITORY),
    ];
    control.add("control", fill(CONTROL, &values)?);
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", archive::tar_gz(&control, time)?),
        ("data.tar.gz", archive::tar_gz(&data, time)?),
    ];
    let name = format!("tollgate_{version}_{}.deb", binary.platform.debian);
    dist.write(&name, &archive::ar(&members, time)?)?;
    Ok(())
}

fn data(binary: &Binary, contents: &Contents) -> Result<Files> {
    const DOC: &str = "usr/share/doc/tollgate";
    let mut files = Files::default();
    files.add_program("usr/bin/tollgate", binary.bytes.clone());
    for (name, page) in contents.man.iter() {
        files.add(format!("usr/share/man/man1/{name}.gz"), archive::gzip(&page.bytes)?);
    }
    for (name, script) in contents.completions.iter() {
        if let Some((_, place)) = COMPLETIONS.iter().find(|(known, _)| *known == name) {
            files.add(*place, script.bytes.clone());
        }
    }
    for (name, text) in contents.texts.iter() {
        match name {
            "CHANGELOG.md" => files.add(format!("{DOC}/changelog.gz"), archive::gzip(&text.bytes)?),
            _ => files.add(format!("{DOC}/{name}"), text.bytes.clone()),
        }
    }
    files.add(format!("{DOC}/copyright"), fill(COPYRIGHT, &[("REPOSITORY", REPOSITORY)])?);
    files.add(format!("{DOC}/{THIRD_PARTY}"), contents.third_party.as_str());
    files.add(format!("{DOC}/{SBOM}"), contents.sbom.as_str());
    Ok(files)
}
