//! `docs/dependencies.md` says what was looked at before a crate was taken in, and in which version.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::support::root;

/// Crates of ours that no package contains: a dependency of theirs reaches nobody who installs Tollgate.
const NOT_SHIPPED: &[&str] = &["devtools", "packaging", "tollgate-e2e", "xtask"];

/// Without a platform cargo would need the crates of all of them, and nobody has those of Windows on Linux.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The direct dependencies of what is shipped, each with its locked version.
fn dependencies() -> BTreeMap<String, String> {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(["--locked", "--filter-platform", PLATFORM].map(str::to_owned).to_vec())
        .exec()
        .unwrap();
    let ours = &metadata.workspace_members;
    let resolve = metadata.resolve.as_ref().unwrap();
    let shipped = resolve
        .nodes
        .iter()
        .filter(|node| ours.contains(&node.id) && !NOT_SHIPPED.contains(&metadata[&node.id].name.as_str()));
    let direct = shipped.flat_map(|node| &node.deps).filter(|dependency| {
        !ours.contains(&dependency.pkg)
            && dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
    });
    direct
        .map(|dependency| {
            let package = &metadata[&dependency.pkg];
            (package.name.to_string(), package.version.to_string())
        })
        .collect()
}

#[test]
fn every_dependency_was_looked_at_in_its_version() {
    let page = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        let (name, version) = (cells.next()?.trim_end_matches('`'), cells.next()?);
        Some((name.to_owned(), version.to_owned()))
    });
    let listed: BTreeMap<String, String> = rows.collect();
    let used = dependencies();
    let unseen: Vec<_> = used.iter().filter(|(name, version)| listed.get(*name) != Some(version)).collect();
    let gone: Vec<_> = listed.keys().filter(|name| !used.contains_key(*name)).collect();
    assert!(
        unseen.is_empty() && gone.is_empty(),
        "look at these and write a row in docs/dependencies.md: {unseen:?}; remove the rows of {gone:?}"
    );
}
