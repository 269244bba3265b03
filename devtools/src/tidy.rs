//! What the compiler does not hold: the dependency table, layers, purity, the list of fault tests, generated pages,
//! licences.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use xtask::sh;

use crate::syntax::references;
use crate::{agent_docs, docs, layers};

/// Who may know whom. Siblings do not know each other.
const KNOWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("lastword", &[]),
    ("shell", &["model"]),
    ("catalogue", &[]),
    ("code", &["catalogue", "model", "shell"]),
    ("effects", &["catalogue", "model", "shell"]),
    ("rules", &["model"]),
    ("policy", &["model"]),
    ("middleware", &["model", "policy", "store"]),
    ("workflow", &["model", "policy"]),
    ("pipeline", &["model", "effects", "rules", "policy"]),
    ("agents", &["model"]),
    ("store", &["model"]),
    ("undo", &[]),
    ("contain", &["lastword"]),
    ("index", &["model", "store"]),
    ("ui", &["model", "store", "index"]),
    ("sinks", &["store"]),
    ("e2e", &[]),
    ("fleet-protocol", &[]),
    ("fleet", &["fleet-protocol", "model", "store"]),
    ("courier", &["fleet-protocol", "sinks", "store"]),
    (
        "tollgate",
        &[
            "model",
            "lastword",
            "effects",
            "rules",
            "policy",
            "workflow",
            "pipeline",
            "middleware",
            "agents",
            "courier",
            "fleet-protocol",
            "sinks",
            "store",
            "undo",
            "contain",
            "index",
            "ui",
        ],
    ),
];

/// Sources without IO: no files, environment, processes, network, threads or clocks.
const PURE: &[&str] = &["model", "shell", "code", "effects", "rules", "workflow", "agents", "fleet-protocol"];

/// The half of a pure crate that does IO; and tests that have files of their own.
const IMPURE: &[&str] = &["crates/agents/src/install", "crates/effects/src/printed_help/"];

const IO: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "std::io",
    "SystemTime",
    "Instant::now",
];

/// Runs every check and shows all problems at once.
pub fn run() -> Result<()> {
    let mut problems = Vec::new();
    let sources = sources()?;
    problems.extend(dependencies()?);
    for (path, text) in &sources {
        problems.extend(purity(path, text)?);
    }
    problems.extend(layers::problems(&sources)?);
    problems.extend(faults(&sources)?);
    problems.extend(last_word(&sources));
    problems.extend(docs::stale()?);
    problems.extend(agent_docs::stale()?);
    if !problems.is_empty() {
        problems.iter().for_each(|problem| eprintln!("{problem}"));
        bail!("{} problems", problems.len());
    }
    println!("tidy: {} files in order", sources.len());
    Ok(())
}

fn dependencies() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(sh::root().join("crates"))? {
        let folder = entry?.path();
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).with_context(|| name.clone())?;
        let Some((_, allowed)) = KNOWS.iter().find(|(known, _)| *known == name) else {
            problems.push(format!("crates/{name}: not in the dependency table of devtools/src/tidy.rs"));
            continue;
        };
        let normal = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let normal = normal.split("\n[").next().unwrap_or_default();
        for line in normal.lines() {
            let Some(other) = line.strip_prefix("tollgate-") else { continue };
            let other = other.split(['.', ' ', '=']).next().unwrap_or_default();
            if !allowed.contains(&other) {
                problems.push(format!("crates/{name}: must not know `{other}`"));
            }
        }
    }
    Ok(problems)
}

fn purity(path: &Path, text: &str) -> Result<Vec<String>> {
    let shown = path.display().to_string();
    let pure = PURE.iter().any(|name| shown.starts_with(&format!("crates/{name}/src/")));
    if !pure || IMPURE.iter().any(|folder| shown.starts_with(folder)) {
        return Ok(Vec::new());
    }
    let found = references(text).with_context(|| shown.clone())?.into_iter().filter_map(|reference| {
        let name = reference.path.join("::");
        let word = IO.iter().find(|word| {
            name == **word || name.starts_with(&format!("{word}::")) || name.ends_with(**word)
        })?;
        Some(format!("{shown}:{}: `{word}` in a pure crate", reference.line))
    });
    Ok(found.collect())
}

/// Each row of the page about faults has a test that is named after it, and each such test has its row.
fn faults(sources: &[(PathBuf, String)]) -> Result<Vec<String>> {
    let page = std::fs::read_to_string(sh::root().join("docs/faults.md"))?;
    let row = |line: &str| line.strip_prefix("| F")?.split(' ').next()?.parse::<u32>().ok();
    let rows: BTreeSet<u32> = page.lines().filter_map(row).collect();
    let test =
        |line: &str| line.trim_start().strip_prefix("fn f")?.get(..3)?.strip_suffix('_')?.parse::<u32>().ok();
    let tests: BTreeSet<u32> = sources.iter().flat_map(|(_, text)| text.lines().filter_map(test)).collect();
    let untested = rows.difference(&tests).map(|row| format!("docs/faults.md: no test is named f{row:02}_…"));
    let unlisted =
        tests.difference(&rows).map(|row| format!("docs/faults.md: no row F{row} for the tests f{row:02}_…"));
    Ok(untested.chain(unlisted).collect())
}

fn last_word(sources: &[(PathBuf, String)]) -> Option<String> {
    let own = sources.iter().filter(|(path, _)| path.starts_with("crates/lastword/src"));
    let count: usize = own.map(|(_, text)| text.lines().count()).sum();
    (count > 1_200).then(|| format!("crates/lastword: {count} lines; the one crate with `unsafe` stays tiny"))
}

/// Every Rust source of the project, by its path from the root. Read from the folders and not from git, so that an unpacked
/// archive can be tested as well as a clone.
fn sources() -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for folder in ["crates", "devtools", "fuzz", "packaging", "xtask"] {
        collect_sources(&sh::root().join(folder), &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn collect_sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" && name != "node_modules" {
            collect_sources(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path)?;
            found.push((path.strip_prefix(sh::root())?.to_owned(), text));
        }
    }
    Ok(())
}

/// Licences that may stand in our binary.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "CC0-1.0",
    "Unicode-3.0",
    "CDLA-Permissive-2.0",
    "Unlicense",
    "0BSD",
    "Apache-2.0 WITH LLVM-exception",
    "MIT-0",
];

/// Every dependency has a licence that we may use.
pub fn licences() -> Result<()> {
    let listed = sh::output(&["cargo", "metadata", "--format-version", "1", "--locked"])?;
    let mut bad = Vec::new();
    for package in listed.split("{\"name\":\"").skip(1) {
        let name = package.split('"').next().unwrap_or_default();
        let Some(licence) = package.split("\"license\":\"").nth(1).and_then(|rest| rest.split('"').next())
        else {
            continue;
        };
        let free = licence.split(" OR ").flat_map(|part| part.split('/')).any(|choice| {
            choice.split(" AND ").all(|part| LICENCES.contains(&part.trim_matches(['(', ')', ' '])))
        });
        if !free {
            bad.push(format!("{name}: {licence}"));
        }
    }
    if !bad.is_empty() {
        bail!("licences that we may not use:\n{}", bad.join("\n"));
    }
    println!("licences: fine");
    Ok(())
}
