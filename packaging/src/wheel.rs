//! The Python wheel: the binary as a script of the package, with its manual pages. There is no Python code in it.

use std::fmt::Write;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::archive;
use crate::binary::Binary;
use crate::contents::{Contents, SBOM, THIRD_PARTY};
use crate::dist::Dist;
use crate::files::Files;
use crate::release::REPOSITORY;
use crate::template::fill;

const METADATA: &str = include_str!("../pypi/METADATA");

/// Writes the wheel of a platform.
pub fn write(dist: &mut Dist, binary: &Binary, contents: &Contents) -> Result<()> {
    let version = dist.release.version;
    let tags = tags(binary);
    let (info, data) = (format!("tollgate-{version}.dist-info"), format!("tollgate-{version}.data"));
    let mut files = Files::default();
    files.add_program(format!("{data}/scripts/tollgate"), binary.bytes.clone());
    files.add_all(&format!("{data}/data/share/man/man1"), &contents.man);
    for (name, text) in contents.texts.iter().filter(|(name, _)| name.starts_with("LICENSE")) {
        files.add(format!("{info}/licenses/{name}"), text.bytes.clone());
    }
    files.add(format!("{info}/licenses/{THIRD_PARTY}"), contents.third_party.as_str());
    files.add(format!("{info}/sboms/{SBOM}"), contents.sbom.as_str());
    let readme = String::from_utf8(dist.release.source("README.md")?)?;
    let head = fill(METADATA, &[("VERSION", version), ("REPOSITORY", REPOSITORY)])?;
    files.add(format!("{info}/METADATA"), format!("{head}\n{readme}"));
    files.add(format!("{info}/WHEEL"), wheel(&tags));
    let list = format!("{info}/RECORD");
    let record = record(&files, &list)?;
    let bytes = archive::zip(&files, (&list, record.as_bytes()), dist.release.time)?;
    let tags = tags.join(".");
    dist.write(&format!("tollgate-{version}-py3-none-{tags}.whl"), &bytes)?;
    Ok(())
}

/// The platforms that pip may install it on. A static binary needs nothing of the machine but its kernel.
fn tags(binary: &Binary) -> Vec<String> {
    let machine = binary.platform.machine;
    if binary.is_static() {
        vec![format!("manylinux2014_{machine}"), format!("manylinux_2_17_{machine}")]
    } else {
        vec![format!("linux_{machine}")]
    }
}

fn wheel(tags: &[String]) -> String {
    let start = "Wheel-Version: 1.0\nGenerator: tollgate packaging\nRoot-Is-Purelib: false\n";
    let tags: String = tags.iter().map(|tag| format!("Tag: py3-none-{tag}\n")).collect();
    format!("{start}{tags}")
}

/// Every file with its checksum; the list itself has none.
fn record(files: &Files, list: &str) -> Result<String> {
    let mut text = String::new();
    for (path, file) in files.iter() {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
        writeln!(text, "{path},sha256={sum},{}", file.bytes.len())?;
    }
    writeln!(text, "{list},,")?;
    Ok(text)
}
