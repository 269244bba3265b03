//! The policy in force, with the layer each value comes from.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tollgate_index::Scope;
use tollgate_model::{Exemption, Pack, Rule};
use tollgate_policy::{FILE_NAME, Health, Layer, Loaded, Policy, Request, Severity, SourceFile};
use tollgate_rules::Rules;
use tollgate_ui::{Code, Refusal};

use super::desk::Product;
use crate::dirs::{MANAGED, repository};
use crate::exceptions;
use crate::when;

/// Sessions whose folders are known projects.
const SESSIONS: usize = 20_000;

/// `Policy`.
pub fn policy(desk: &Product, project: Option<&str>) -> Result<Value, Refusal> {
    let project = project.map(|project| known(desk, project)).transpose()?;
    let nobody = desk.state().join("no-policy-here");
    let look = |user: bool, project: Option<&Path>| {
        let request = Request {
            managed_dir: Path::new(MANAGED),
            config_dir: if user { &desk.dirs.config } else { &nobody },
            state_dir: desk.state(),
            project,
            built: None,
            cwd: project.unwrap_or(&desk.dirs.home),
        };
        tollgate_policy::look(&request, &Rules)
    };
    let all = look(true, project.as_deref());
    let layers = [
        ("built-in", values(&Policy::builtin())),
        ("managed", values(&look(false, None).policy)),
        ("user", values(&look(true, None).policy)),
        ("project", values(&all.policy)),
    ];
    Ok(json!({
        "digest": all.digest, "project": project.as_ref().map(|path| path.to_string_lossy()),
        "values": traced(&layers), "files": files(&all), "problems": problems(&all), "notices": all.notices,
        "exceptions": exceptions(desk, &all.policy),
    }))
}

/// Only folders that the log knows are looked at: the address is no way to look for files.
fn known(desk: &Product, project: &str) -> Result<PathBuf, Refusal> {
    let rows = desk.index()?.figures(Scope::default()).sessions(SESSIONS).map_err(Refusal::failed)?;
    let fits = |cwd: &str| cwd == project || repository(Path::new(cwd)) == Path::new(project);
    match rows.iter().any(|row| !row.cwd.is_empty() && fits(&row.cwd)) {
        true => Ok(PathBuf::from(project)),
        false => Err(Refusal::new(Code::NotFound, "the log knows no such project")),
    }
}

/// Every value of a policy by name, in the same order for every policy.
fn values(policy: &Policy) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> =
        policy.settings().into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let pack = |pack: Pack| {
        (format!("packs.{}", pack.name()), if policy.is_off(pack) { "off" } else { "on" }.to_owned())
    };
    values.extend(Pack::ALL.into_iter().map(pack));
    for card in tollgate_rules::all().map(Rule::card) {
        values.push((format!("rules.{}", card.id), policy.level(card).name().to_owned()));
    }
    values
}

/// Each value with the last layer that changed it.
fn traced(layers: &[(&str, Vec<(String, String)>); 4]) -> Vec<Value> {
    let [(_, _), .., (_, last)] = layers;
    let from = |at: usize, value: &str| {
        let mut behind = "project";
        for (layer, values) in layers.iter().rev() {
            if values.get(at).is_none_or(|(_, other)| other != value) {
                break;
            }
            behind = layer;
        }
        behind
    };
    last.iter()
        .enumerate()
        .map(|(at, (name, value))| json!({ "name": name, "value": value, "layer": from(at, value) }))
        .collect()
}

fn policy_files(loaded: &Loaded) -> impl Iterator<Item = &SourceFile> {
    let is_policy = |file: &&SourceFile| file.path.file_name().is_some_and(|name| name == FILE_NAME);
    loaded.sources.iter().filter(is_policy).filter(|file| file.health != Health::Missing)
}

fn files(loaded: &Loaded) -> Vec<Value> {
    let value =
        |file: &SourceFile| json!({ "path": file.path.to_string_lossy(), "layer": file.layer.name() });
    policy_files(loaded).map(value).collect()
}

fn problems(loaded: &Loaded) -> Vec<Value> {
    policy_files(loaded).flat_map(|file| file_problems(&file.path, file.layer)).collect()
}

fn file_problems(path: &Path, layer: Layer) -> Vec<Value> {
    let Ok(text) = tollgate_policy::read_text(path, 1 << 20) else { return Vec::new() };
    let problems = tollgate_policy::check(path, &text, layer, &Rules);
    let value = |problem: &tollgate_policy::Problem| {
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        json!({
            "severity": severity, "message": problem.message, "hint": problem.hint, "path": problem.path,
            "line": problem.at.line, "column": problem.at.column,
            "shown": tollgate_policy::render(std::slice::from_ref(problem), &text, false),
        })
    };
    problems.iter().map(value).collect()
}

fn exceptions(desk: &Product, policy: &Policy) -> Vec<Value> {
    let kept = tollgate_store::list_exemptions(desk.state()).unwrap_or_default();
    let now = exceptions::now();
    let until = |one: &Exemption| match one.until {
        0 => "never ends".to_owned(),
        until => when::stamp(i64::try_from(until).unwrap_or_default().saturating_mul(1_000_000)),
    };
    let all = policy.allow.iter().chain(&kept).filter(|one| one.is_alive(now));
    all.map(|one| json!({ "what": one.told(), "reason": one.reason, "until": until(one) })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_of_the_last_layer_that_changed_it() {
        let layer = |value: &str| vec![("mode".to_owned(), value.to_owned())];
        let from = |all: [&str; 4]| {
            let [a, b, c, d] = all.map(layer);
            traced(&[("built-in", a), ("managed", b), ("user", c), ("project", d)])[0]["layer"].clone()
        };
        assert_eq!(from(["a", "a", "a", "a"]), "built-in");
        assert_eq!(from(["a", "b", "b", "b"]), "managed");
        assert_eq!(from(["a", "b", "a", "a"]), "user");
        assert_eq!(from(["a", "a", "a", "b"]), "project");
    }
}
