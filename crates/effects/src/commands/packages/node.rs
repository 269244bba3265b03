//! Managers of Node's packages.

use super::indexes::index;
use super::install;
use super::told::{Part, find};
use crate::commands::Run;
use crate::indexes::is_known_index;

/// What they install, and from where.
pub(super) fn notice(run: &mut Run) {
    let Some(told) = find(run.program).map(|manager| manager.told(run.args)) else { return };
    let installs = ["install", "i", "in", "ins", "add", "isntall", "ci", "update", "up", "upgrade"];
    let verb = told.verbs.first().map(String::as_str).unwrap_or_default();
    if !installs.contains(&verb) || told.looks_only() {
        return;
    }
    let registries = told.parts.iter().filter_map(|part| match part {
        Part::Source(name, from) if name == "registry" => Some(from.shown()),
        _ => None,
    });
    for from in registries {
        let local = from.contains("://localhost") || from.contains("://127.0.0.1");
        if !is_known_index(&from) && !local {
            index(run, &from);
        }
    }
    let manager = run.program.to_owned();
    told.packages.iter().for_each(|package| install(run, &manager, package));
}
