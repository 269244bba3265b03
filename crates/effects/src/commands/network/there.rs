//! A command that runs on another machine: it is read like any other, but only what would destroy that machine or its
//! data, or let somebody in there, is told.

use tollgate_model::stage::is_test_database;
use tollgate_model::{
    CodeSource, Effect, EffectKind, InfraTool, Lasting, ProcessAction, World, WriteMode, Zone,
};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Code, Scope};
use tollgate_shell::value::Value;

use super::super::Run;
use crate::startup;

/// A command that runs on another machine.
pub(crate) fn there(run: &mut Run, text: &Value, host: &str) {
    let code = Code {
        text: text.clone(),
        scope: Scope::Child,
        dialect: Dialect::Bash,
        name: None,
        args: None,
        span: run.call.span,
    };
    let mark = run.analyst.mark();
    let analyst = &mut *run.analyst;
    run.shell.isolated(|shell| shell.captured(|shell| shell.run_text(&code, analyst)));
    let effects: Vec<Effect> = run.analyst.since(mark).to_vec();
    run.analyst.sift(mark, |_| false);
    for effect in effects {
        // A file there says nothing of the file of that name here.
        if let EffectKind::Write { place, .. } = &effect.kind {
            run.shell.forget_file(&Value::text(&place.path));
        }
        let kind = match effect.kind {
            EffectKind::Infra { .. } | EffectKind::Database { .. } => effect.kind,
            other => match destroys(&other, run.analyst.world) {
                Some(operation) => {
                    EffectKind::Infra { tool: InfraTool::RemoteShell, operation, target: host.to_owned() }
                }
                None => continue,
            },
        };
        run.analyst.push(kind, effect.span, effect.certainty);
    }
}

/// Folders below which people and programs have one of their own each.
const SHARED: &[&str] = &["data", "home", "media", "mnt", "root", "sdcard", "storage", "Users", "volumes"];

/// A folder where machines keep what they are for (`/data`, `/app`, `/srv`) or what is somebody's (`/sdcard/DCIM`,
/// `/home/ann`), or all that is in it.
fn is_kept(path: &str) -> bool {
    let folder = path.trim_end_matches(['*', '/']);
    let parts: Vec<&str> = folder.split('/').skip(1).collect();
    match parts.as_slice() {
        [] | ["tmp", ..] => false,
        [_] => true,
        [first, _] => SHARED.contains(first),
        _ => false,
    }
}

/// A file of a database, by its name or because databases keep theirs there.
fn is_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let endings = [".db", ".sqlite", ".sqlite3", ".db3", ".duckdb", ".mdb", ".ibd", ".frm", ".rdb", ".aof"];
    let kept = [
        "postgresql",
        "pgsql",
        "mysql",
        "mariadb",
        "mongodb",
        "mongo",
        "redis",
        "influxdb",
        "cassandra",
        "etcd",
    ];
    let within = path.strip_prefix("/var/lib/").and_then(|rest| rest.split_once('/'));
    let ended = endings.iter().any(|ending| name.ends_with(ending));
    let data = ended || within.is_some_and(|(folder, _)| kept.contains(&folder));
    data && !path.starts_with("/tmp/") && !path.starts_with("/var/tmp/") && !is_test_database(&name)
}

/// What an effect would destroy on the machine where it happens, or whom it would let in.
fn destroys(kind: &EffectKind, world: &dyn World) -> Option<String> {
    match kind {
        EffectKind::Device { place } => Some(format!("overwrites the device `{}`", place.shown)),
        EffectKind::Delete { place, recursive: true, .. }
            if place.root || is_kept(&place.path) || matches!(place.zone, Zone::System | Zone::Unknown) =>
        {
            Some(format!("deletes `{}` and everything in it", place.shown))
        }
        EffectKind::Delete { place, .. } if is_data(&place.path) => {
            Some(format!("deletes the database `{}`", place.shown))
        }
        EffectKind::Write { place, mode: WriteMode::Overwrite, .. } if is_data(&place.path) => {
            Some(format!("overwrites the database `{}`", place.shown))
        }
        EffectKind::Write { place, .. } => stays(&startup::left(place, &[], world)?),
        lasting @ EffectKind::Persist { .. } => stays(lasting),
        EffectKind::Permission { place, recursive: true, .. } if place.root => {
            Some(format!("changes the permissions of everything in `{}`", place.shown))
        }
        EffectKind::Process { action: ProcessAction::Power, .. } => {
            Some("shuts down or restarts the machine".to_owned())
        }
        EffectKind::Process { action: ProcessAction::ForkBomb, .. } => Some("starts a fork bomb".to_owned()),
        EffectKind::Exec { source: CodeSource::Downloaded, .. } => {
            Some("runs code from the network".to_owned())
        }
        // What git knows is there again with the next fetch; what it does not know is not.
        EffectKind::Exec { program, argv, .. } if program == "git" && cleans(argv) => {
            Some("deletes the files that git does not know".to_owned())
        }
        _ => None,
    }
}

/// Ways in, jobs of cron, and what a login runs. Services are what such machines are for.
fn stays(kind: &EffectKind) -> Option<String> {
    let counts = match kind {
        EffectKind::Persist { kind: Lasting::AccessFile | Lasting::StartupFile, .. } => true,
        EffectKind::Persist { kind: Lasting::Job, what } => what.contains("cron"),
        _ => false,
    };
    counts.then(|| format!("changes {}, which stays after the call", kind.what().unwrap_or_default()))
}

/// `git clean` that is told to delete.
fn cleans(argv: &[String]) -> bool {
    let words: Vec<&String> = argv.iter().skip_while(|word| *word != "clean").skip(1).collect();
    let short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let flag = |letter: char, name: &str| {
        words.iter().any(|word| *word == name || short(word) && word.contains(letter))
    };
    flag('f', "--force") && !flag('n', "--dry-run")
}
