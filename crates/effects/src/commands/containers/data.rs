//! Data that outlives a container: volumes by name, another container's volumes, the folders of databases.

use tollgate_model::{Certainty, Effect, EffectKind, InfraTool, Place};

use super::Mount;
use crate::commands::Run;
use crate::elsewhere::Elsewhere;
use crate::options::Options;
use crate::paths;
use crate::word::Word;

/// Where docker keeps the data of its volumes.
const VOLUMES: &str = "/var/lib/docker/volumes/";

/// A volume by its name, where it lies on this machine.
pub(super) fn named(run: &Run, word: &Word) -> Option<Mount> {
    let shown = word.shown();
    let (name, there) = match shown.split_once(':') {
        Some((name, rest)) => (name, rest.split(':').next().unwrap_or_default()),
        None => {
            let fields = || shown.split(',').filter_map(|part| part.split_once('='));
            let field =
                |names: &[&str]| fields().find(|(name, _)| names.contains(name)).map(|(_, value)| value);
            (field(&["source", "src"])?, field(&["target", "dst", "destination"])?)
        }
    };
    let plain = !name.is_empty() && !name.contains(['/', '*', '.', '~', '$']) && there.starts_with('/');
    let here = Word::literal_at(&format!("{VOLUMES}{name}/_data"), run.call.span);
    plain.then(|| Mount { here, there: there.to_owned(), read_only: false })
}

/// What was deleted since the mark and is not the container's own. Other uses of volumes are nobody's loss.
pub(super) fn lost(run: &mut Run, mark: usize, options: &Options) {
    let borrowed = options.has("volumes-from");
    let found = run.analyst.since(mark).iter().find_map(|effect| {
        let place = emptied(effect)?;
        let what = match volume(&place.path) {
            Some(name) if is_cache(name) => return None,
            Some(name) => format!("the volume `{name}`, with all data in it"),
            None if borrowed && !place.shown.starts_with("/tmp") => {
                "the volumes of another container".to_owned()
            }
            None => return None,
        };
        Some((what, effect.certainty))
    });
    run.analyst.sift(mark, |effect| touched(effect).is_none_or(|place| volume(&place.path).is_none()));
    push(run, found);
}

/// A database that runs in a container keeps its rows in the folder that its image names.
pub(super) fn wiped(run: &mut Run, mark: usize) {
    let found = run.analyst.since(mark).iter().find_map(|effect| {
        let place = emptied(effect)?;
        let path = paths::normal(place.shown.trim_end_matches("/*"));
        let is_data = DATA.iter().any(|folder| paths::within(&path, folder) || paths::within(folder, &path));
        is_data.then(|| (format!("`{path}`, where a database keeps its rows"), effect.certainty))
    });
    push(run, found);
}

/// The folders that the images of databases declare as volumes.
const DATA: &[&str] = &[
    "/var/lib/postgresql",
    "/var/lib/mysql",
    "/var/lib/mariadb",
    "/data/db",
    "/data/configdb",
    "/bitnami",
    "/var/opt/mssql",
    "/var/lib/clickhouse",
    "/var/lib/cassandra",
    "/var/lib/influxdb",
    "/var/lib/influxdb2",
    "/var/lib/rabbitmq",
    "/var/lib/neo4j/data",
    "/usr/share/elasticsearch/data",
    "/usr/share/opensearch/data",
    "/qdrant/storage",
    "/opt/oracle/oradata",
    "/cockroach/cockroach-data",
];

fn push(run: &mut Run, found: Option<(String, Certainty)>) {
    let Some((target, certainty)) = found else { return };
    let (tool, operation) = (run.program.to_owned(), "delete-data".to_owned());
    run.analyst.push(
        EffectKind::Infra { tool: InfraTool::Named(tool), operation, target },
        run.call.span,
        certainty,
    );
}

fn volume(path: &str) -> Option<&str> {
    path.strip_prefix(VOLUMES)?.split('/').next()
}

/// A volume that only saves time: what is in it is made or fetched again. A word of its name says so.
fn is_cache(name: &str) -> bool {
    let kinds = [
        "cache",
        "modules",
        "nodemodules",
        "target",
        "build",
        "dist",
        "tmp",
        "temp",
        "venv",
        "cargo",
        "registry",
        "gomod",
        "gopath",
        "gradle",
        "maven",
        "m2",
        "pnpm",
        "yarn",
        "npm",
        "scratch",
        "test",
        "tests",
    ];
    let name = name.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| kinds.contains(&word) || word.ends_with("cache"))
}

/// A whole folder, or all that is in it, goes.
fn emptied(effect: &Effect) -> Option<&Place> {
    match &effect.kind {
        EffectKind::Delete { place, recursive, moved: false } if *recursive || place.pattern => Some(place),
        _ => None,
    }
}

fn touched(effect: &Effect) -> Option<&Place> {
    match &effect.kind {
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. }
        | EffectKind::Alter { place, .. } => Some(place),
        _ => None,
    }
}

/// What is mounted to be read only is not changed, unless it is mounted once more.
pub(super) fn spare(run: &mut Run, mark: usize, there: &Elsewhere) {
    let spared = |place: &Place| {
        let held = |read_only: bool| there.holds(&place.path, read_only);
        held(true) && !held(false)
    };
    run.analyst.sift(mark, |effect| {
        matches!(effect.kind, EffectKind::Read { .. }) || !touched(effect).is_some_and(spared)
    });
}
