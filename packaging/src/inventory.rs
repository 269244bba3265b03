//! What is linked into a binary, from cargo's own resolution.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

use crate::binary::Binary;
use crate::release::{Release, output};

/// Everything in one binary, sorted by name and version. The first is the program itself.
pub struct Inventory {
    /// The program.
    pub program: Component,
    /// What it is made of.
    pub components: Vec<Component>,
}

/// One part of a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The licence, as an SPDX expression.
    pub licence: String,
    /// Where its source is developed.
    pub repository: Option<String>,
    /// SHA-256 of the source package that was built.
    pub checksum: Option<String>,
    /// Its package URL, which identifies it everywhere.
    pub purl: String,
    /// The folder of its source.
    pub folder: Option<PathBuf>,
    /// Part of this workspace.
    pub is_ours: bool,
    /// The package URLs of what it uses.
    pub uses: BTreeSet<String>,
}

impl Inventory {
    /// Everything that a binary was built from.
    pub fn read(release: &Release, binary: &Binary) -> Result<Self> {
        let filter = ["--locked", "--filter-platform", binary.platform.target];
        let metadata = MetadataCommand::new()
            .manifest_path(release.root.join("Cargo.toml"))
            .other_options(filter.map(str::to_owned).to_vec())
            .exec()?;
        let lock = String::from_utf8(release.source("Cargo.lock")?)?;
        let mut components = crates(&metadata, &checksums(&lock)?)?;
        let at = components.iter().position(|component| component.name == "tollgate");
        let mut program = components.remove(at.context("cargo does not know `tollgate`")?);
        let linked = libraries(release, binary, &components)?;
        program.uses.extend(linked.iter().map(|library| library.purl.clone()));
        components.extend(linked);
        components.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(Self { program, components })
    }
}

/// The crates that `tollgate` depends on, directly or not, without those that only tests or build scripts use.
fn crates(metadata: &Metadata, checksums: &BTreeMap<(String, String), String>) -> Result<Vec<Component>> {
    let resolve = metadata.resolve.as_ref().context("cargo resolved nothing")?;
    let packages: BTreeMap<&PackageId, &Package> =
        metadata.packages.iter().map(|package| (&package.id, package)).collect();
    let root = metadata.packages.iter().find(|package| package.name == "tollgate");
    let mut waiting = vec![&root.context("no package `tollgate`")?.id];
    let mut found: BTreeMap<&PackageId, Component> = BTreeMap::new();
    while let Some(id) = waiting.pop() {
        if found.contains_key(id) {
            continue;
        }
        let node = resolve.nodes.iter().find(|node| node.id == *id).context("an unresolved package")?;
        let linked = node
            .deps
            .iter()
            .filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal));
        let linked: Vec<&PackageId> = linked.map(|dep| &dep.pkg).collect();
        let package = packages.get(id).context("a package without a manifest")?;
        let mut component = component(package, checksums);
        component.uses = linked.iter().filter_map(|id| packages.get(id)).map(|used| purl(used)).collect();
        found.insert(id, component);
        waiting.extend(linked);
    }
    Ok(found.into_values().collect())
}

fn component(package: &Package, checksums: &BTreeMap<(String, String), String>) -> Component {
    let (name, version) = (package.name.to_string(), package.version.to_string());
    Component {
        checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
        // The older form of a choice.
        licence: package.license.clone().unwrap_or_default().replace('/', " OR "),
        repository: package.repository.clone(),
        purl: purl(package),
        folder: package.manifest_path.parent().map(|folder| folder.as_std_path().to_owned()),
        is_ours: package.source.is_none(),
        uses: BTreeSet::new(),
        name,
        version,
    }
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// The checksums of cargo's registry, by name and version.
fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>> {
    let lock: toml::Table = lock.parse()?;
    let packages =
        lock.get("package").and_then(toml::Value::as_array).context("no packages in Cargo.lock")?;
    let text = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let row =
        |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.iter().filter_map(row).collect())
}

/// Libraries that are no crates: Rust's own, SQLite, and the C library where it is linked in.
fn libraries(release: &Release, binary: &Binary, crates: &[Component]) -> Result<Vec<Component>> {
    let rust = output(Command::new("rustc").arg("--version").current_dir(&release.root))?;
    let rust = rust.split_whitespace().nth(1).unwrap_or("unknown").to_owned();
    let mut libraries =
        vec![library("rust-std", rust, "MIT OR Apache-2.0", "https://github.com/rust-lang/rust")];
    let sqlite =
        crates.iter().find(|part| part.name == "libsqlite3-sys").and_then(|part| part.folder.as_ref());
    if let Some(folder) = sqlite {
        let version = sqlite_version(folder)?;
        libraries.push(library("sqlite", version, "blessing", "https://sqlite.org"));
    }
    if binary.is_static() {
        let source = "https://sourceware.org/glibc";
        libraries.push(library("glibc", glibc_version(), "LGPL-2.1-or-later", source));
    }
    Ok(libraries)
}

fn library(name: &str, version: String, licence: &str, repository: &str) -> Component {
    Component {
        name: name.to_owned(),
        purl: format!("pkg:generic/{name}@{version}"),
        version,
        licence: licence.to_owned(),
        repository: Some(repository.to_owned()),
        checksum: None,
        folder: None,
        is_ours: false,
        uses: BTreeSet::new(),
    }
}

fn sqlite_version(folder: &Path) -> Result<String> {
    let header = std::fs::read_to_string(folder.join("sqlite3/sqlite3.h"))?;
    let line = header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
    Ok(line.context("sqlite3.h names no version")?.trim().trim_matches('"').to_owned())
}

/// The release of the C library that the compiler links statically.
fn glibc_version() -> String {
    const TITLE: &[u8] = b"stable release version ";
    let path = output(Command::new("cc").arg("-print-file-name=libc.a")).unwrap_or_default();
    let library = std::fs::read(path.trim()).unwrap_or_default();
    let at = library.windows(TITLE.len()).position(|window| window == TITLE);
    let rest = at.and_then(|at| library.get(at + TITLE.len()..)).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
    let version: String = digits.map(|byte| char::from(*byte)).collect();
    let version = version.trim_end_matches('.');
    if version.is_empty() { "unknown".to_owned() } else { version.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn the_inventory_holds_what_is_linked_and_not_what_only_tests_use() {
        let binary = Binary { platform: Platform::host().unwrap(), bytes: Vec::new() };
        let inventory = Inventory::read(&Release::read().unwrap(), &binary).unwrap();
        assert_eq!(inventory.program.name, "tollgate");
        let find = |name: &str| inventory.components.iter().find(|part| part.name == name);
        let serde = find("serde_json").unwrap();
        assert!(serde.checksum.as_ref().is_some_and(|sum| sum.len() == 64), "{serde:?}");
        assert!(find("tollgate-model").unwrap().is_ours);
        assert!(find("sqlite").unwrap().version.starts_with("3."));
        // A test's, a build script's, and one of a binary that is not static.
        for other in ["rcgen", "cc", "glibc", "packaging", "xtask"] {
            assert!(find(other).is_none(), "{other}");
        }
        assert!(inventory.components.iter().all(|part| !part.licence.is_empty()));
        assert!(inventory.components.is_sorted_by_key(|part| (part.name.clone(), part.version.clone())));
    }
}
