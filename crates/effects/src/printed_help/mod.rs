//! The options that are known of programs, against those that the programs of this machine print.

mod help;

use std::collections::BTreeSet;

use tollgate_model::git::GitStatus;
use tollgate_model::json::{Value, object};
use tollgate_model::{
    Agent, EffectKind, Event, Kind, StillFile, StillGit, StillWorld, ToolCall, ToolUse, WriteMode,
};

use crate::options::seen;

/// The effects that a command has, by name; and the option specifications it was read with.
fn probe(command: &str) -> (BTreeSet<&'static str>, Vec<&'static str>) {
    let world = world();
    let call = ToolCall::shell(command);
    let event = Event::of(
        Agent::ClaudeCode,
        "PreToolUse",
        "/home/user/project",
        Kind::PreTool(ToolUse {
            id: "1".into(),
            name: "Bash".into(),
            call,
            input: object([("x", Value::Null)]),
        }),
    );
    drop(seen::take());
    let effects = crate::analyse(&event, &world);
    let tells = |kind: &EffectKind| !is_run(kind, command) && !matches!(kind, EffectKind::Alter { .. });
    let kinds = effects.iter().filter(|effect| tells(&effect.kind)).map(|effect| name(&effect.kind));
    (kinds.collect(), seen::take())
}

/// An effect's name, with what makes it better or worse.
fn name(kind: &EffectKind) -> &'static str {
    match kind {
        EffectKind::Delete { recursive: true, .. } => "delete of trees",
        EffectKind::Permission { recursive: true, .. } => "permission of trees",
        EffectKind::Write { mode: WriteMode::Append, .. } => "append",
        EffectKind::Write { mode: WriteMode::Edit, .. } => "edit",
        other => other.name(),
    }
}

/// That the command itself runs says nothing.
fn is_run(kind: &EffectKind, command: &str) -> bool {
    matches!(kind, EffectKind::Exec { program, .. } if command.split(' ').next() == Some(program))
}

/// A project with a file and a folder to work on.
fn world() -> StillWorld {
    let file = |path: &str| (path.to_owned(), StillFile::File(b"text\n".to_vec()));
    let dir = |path: &str| (path.to_owned(), StillFile::Dir);
    let head =
        ("/home/user/project/.git/HEAD".to_owned(), StillFile::File(b"ref: refs/heads/main\n".to_vec()));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let status = GitStatus { modified: names(&["a"]), untracked: names(&["b"]), ..GitStatus::default() };
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        files: [
            file("/home/user/project/a"),
            file("/home/user/project/.git/objects/x"),
            file("/home/user/project/.git/refs/heads/main"),
            file("/home/user/project/b"),
            dir("/home/user/project/d"),
            head,
        ]
        .into(),
        git: [("/home/user/project".to_owned(), StillGit { status, ..StillGit::default() })].into(),
        ..StillWorld::default()
    }
}
