//! The npm packages: one per platform that carries the binary, and `tollgate`, which depends on those and picks the one
//! for the machine. Nothing is downloaded and no script runs when they are installed.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::archive;
use crate::binary::Binary;
use crate::contents::{Contents, SBOM, THIRD_PARTY};
use crate::dist::Dist;
use crate::files::Files;
use crate::platform::Platform;

const MAIN: &str = include_str!("../npm/package.json");
const PLATFORM: &str = include_str!("../npm/platform.json");
const LAUNCHER: &str = include_str!("../npm/tollgate.js");

/// Writes the package that carries a platform's binary.
pub fn write_platform(dist: &mut Dist, binary: &Binary, contents: &Contents) -> Result<()> {
    let platform = binary.platform;
    let mut fields = vec![
        ("name", json!(platform.npm_package())),
        ("version", json!(dist.release.version)),
        ("description", json!(format!("The binary of tollgate for linux-{}", platform.node))),
        ("os", json!(["linux"])),
        ("cpu", json!([platform.node])),
    ];
    if !binary.is_static() {
        fields.push(("libc", json!(["glibc"])));
    }
    let mut files = licences(contents);
    files.add("package/package.json", manifest(PLATFORM, fields)?);
    files.add_program("package/bin/tollgate", binary.bytes.clone());
    files.add(format!("package/{THIRD_PARTY}"), contents.third_party.as_str());
    files.add(format!("package/{SBOM}"), contents.sbom.as_str());
    write(dist, &format!("tollgate-linux-{}", platform.node), &files)
}

/// Writes the package that people install.
pub fn write_main(dist: &mut Dist, platforms: &[&Platform], contents: &Contents) -> Result<()> {
    let version = dist.release.version;
    let exact: serde_json::Map<String, Value> =
        platforms.iter().map(|platform| (platform.npm_package(), json!(version))).collect();
    let fields = vec![("version", json!(version)), ("optionalDependencies", Value::Object(exact))];
    let mut files = licences(contents);
    files.add("package/package.json", manifest(MAIN, fields)?);
    files.add_program("package/bin/tollgate.js", LAUNCHER);
    write(dist, "tollgate-npm", &files)
}

fn licences(contents: &Contents) -> Files {
    let mut files = Files::default();
    files.add_all("package", &contents.texts);
    files
}

/// A `package.json` from a template, with fields put in.
fn manifest(template: &str, fields: Vec<(&str, Value)>) -> Result<String> {
    let mut manifest: Value = serde_json::from_str(template).context("a template of npm is no JSON")?;
    let members = manifest.as_object_mut().context("a template of npm is no object")?;
    members.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Ok(format!("{manifest:#}\n"))
}

fn write(dist: &mut Dist, name: &str, files: &Files) -> Result<()> {
    let name = format!("{name}-{}.tgz", dist.release.version);
    dist.write(&name, &archive::tar_gz(files, dist.release.time)?)?;
    Ok(())
}
