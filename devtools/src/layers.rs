//! Layers within a crate: which of its top-level modules refer to each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::syntax::{Reference, references};

/// Crates with modules in a circle, and how many. A number may only fall; a crate that is not here has none.
const CIRCLES: &[(&str, usize)] = &[("effects", 19)];

/// The crates whose largest circle of modules is not the one that is listed.
pub fn problems(sources: &[(PathBuf, String)]) -> Result<Vec<String>> {
    let mut crates: BTreeMap<&str, Vec<(&Path, &str)>> = BTreeMap::new();
    for (path, text) in sources {
        let mut parts = path.iter().filter_map(|part| part.to_str());
        if let (Some("crates"), Some(name), Some("src")) = (parts.next(), parts.next(), parts.next()) {
            crates.entry(name).or_default().push((path, text));
        }
    }
    let mut problems = Vec::new();
    for (name, files) in crates {
        let circle = largest_circle(&files).with_context(|| format!("crates/{name}"))?;
        let known = CIRCLES.iter().find(|(known, _)| *known == name).map_or(1, |(_, size)| *size);
        if circle.len() > known {
            let list = circle.join(", ");
            problems.push(format!(
                "crates/{name}: {} modules in a circle, {known} allowed: {list}",
                circle.len()
            ));
        } else if circle.len() < known {
            problems.push(format!(
                "crates/{name}: only {} modules in a circle; set {known} to that in devtools/src/layers.rs",
                circle.len()
            ));
        }
    }
    Ok(problems)
}

/// The largest set of top-level modules of which each reaches each other.
fn largest_circle<'s>(files: &[(&'s Path, &str)]) -> Result<Vec<&'s str>> {
    let modules: BTreeSet<&str> = files.iter().filter_map(|(path, _)| top_module(path)).collect();
    let exported = exports(files, &modules)?;
    let mut graph: DiGraphMap<&str, ()> = DiGraphMap::new();
    for (path, text) in files {
        let Some(module) = top_module(path) else { continue };
        graph.add_node(module);
        let depth = depth(path);
        for reference in references(text).with_context(|| path.display().to_string())? {
            let target = target(&reference, depth).and_then(|name| match modules.get(name) {
                Some(module) => Some(*module),
                None => exported.get(name).copied(),
            });
            if let Some(target) = target.filter(|target| *target != module) {
                graph.add_edge(module, target, ());
            }
        }
    }
    let mut largest = tarjan_scc(&graph).into_iter().max_by_key(Vec::len).unwrap_or_default();
    largest.sort_unstable();
    Ok(largest)
}

/// The name at the root of the crate that a path begins with, from a module of this depth.
fn target(reference: &Reference, depth: usize) -> Option<&str> {
    let supers = reference.path.iter().take_while(|part| *part == "super").count();
    let first = match reference.path.first()?.as_str() {
        "crate" => 1,
        "super" if supers == depth => supers,
        _ => return None,
    };
    reference.path.get(first).map(String::as_str)
}

/// Names that the root of the crate exports, and the module each is from.
fn exports<'s>(files: &[(&'s Path, &str)], modules: &BTreeSet<&'s str>) -> Result<BTreeMap<String, &'s str>> {
    let mut exported = BTreeMap::new();
    for (_, text) in
        files.iter().filter(|(path, _)| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs"))
    {
        for reference in references(text)? {
            let mut path = reference.path.iter().skip_while(|part| matches!(part.as_str(), "crate" | "self"));
            let module = path.next().and_then(|name| modules.get(name.as_str()));
            if let (Some(module), Some(name)) = (module, reference.path.last()) {
                exported.insert(name.clone(), *module);
            }
        }
    }
    Ok(exported)
}

/// The top-level module that a file belongs to: none for the root itself and for other programs of the crate.
fn top_module(path: &Path) -> Option<&str> {
    let name = path.iter().nth(3)?.to_str()?.trim_end_matches(".rs");
    (!matches!(name, "lib" | "main" | "bin" | "tests")).then_some(name)
}

/// How many modules a file is below the root.
fn depth(path: &Path) -> usize {
    let parts = path.iter().count() - 3;
    if path.ends_with("mod.rs") { parts - 1 } else { parts }
}
