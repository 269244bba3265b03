//! The table of what is known, as a page.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::probe;
use crate::commands::known_families;
use crate::options::{Takes, groups};

/// Set to write the page instead of comparing it.
const WRITE: &str = "TOLLGATE_WRITE_DOCS";

#[test]
fn the_page_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/families.md");
    let page = page();
    if std::env::var_os(WRITE).is_some() {
        assert!(std::fs::write(&path, &page).is_ok(), "cannot write {}", path.display());
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == page, "docs/families.md is stale: run `cargo xtask families`");
}

fn page() -> String {
    let mut out = String::from(
        "# What is known of each program\n\n\
         Made by `cargo xtask families` from the tables in `crates/effects/src/commands`. For each program: what it \
         does with plain operands, and what each option changes in that; one that takes a value ends in `=`, one that may have a value attached in `?`. For tools \
         that are told what to do by verbs: the verbs that matter, the first that fits counts, all others are harmless. \
         What shows only when the command runs is `opaque`.\n",
    );
    for family in known_families() {
        let _ = writeln!(out, "\n## {}\n", family.name);
        for program in &family.programs {
            program_lines(&mut out, program);
        }
        for (names, deeds) in &family.tools {
            let _ = writeln!(out, "- **{}**: by its verbs", names.join(", "));
            for (pattern, deed) in deeds {
                let _ = writeln!(out, "  - `{pattern}`: {deed}");
            }
        }
    }
    out
}

fn program_lines(out: &mut String, program: &str) {
    let (base, specs) = probe(&format!("{program} a b"));
    let _ = writeln!(out, "- **{program}**: {}", listed(base.iter().copied()));
    let mut adds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // What git takes before the verb is read first, and belongs to none of them.
    let own = specs.into_iter().skip(usize::from(program.starts_with("git ")));
    let Some(spec) = own.max_by_key(|spec| spec.len()) else { return };
    for (names, takes) in groups(spec) {
        let name = names.first().copied().unwrap_or_default();
        let dashed = if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") };
        let given = match takes {
            Takes::Value => format!("{dashed} d"),
            Takes::Nothing | Takes::Attached => dashed,
        };
        let (kinds, _) = probe(&format!("{program} {given} a b"));
        let more = listed(kinds.difference(&base).copied());
        let less = listed(base.difference(&kinds).copied());
        let what = match (more.as_str(), less.as_str()) {
            ("nothing", "nothing") => "known, changes nothing".to_owned(),
            (_, "nothing") => format!("adds {more}"),
            ("nothing", _) => format!("takes away {less}"),
            _ => format!("adds {more}, takes away {less}"),
        };
        adds.entry(what).or_default().push(shown(&names, takes));
    }
    for (what, options) in adds {
        let _ = writeln!(out, "  - {what}: {}", options.join(" "));
    }
}

fn shown(names: &[&str], takes: Takes) -> String {
    let mark = match takes {
        Takes::Nothing => "",
        Takes::Value => "=",
        Takes::Attached => "?",
    };
    format!("`{}{mark}`", names.join(","))
}

fn listed(kinds: impl Iterator<Item = &'static str>) -> String {
    let kinds: Vec<&str> = kinds.collect();
    if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
}
