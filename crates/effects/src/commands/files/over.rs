//! Trees that are copied over others: one that is a repository brings its own `.git`, and that of the other is lost.

use tollgate_model::{Certainty, Effect, EffectKind, FileKind, Place, WriteMode, Zone, work};

use super::rights::is_plain_call;
use crate::commands::Run;
use crate::commands::git::fresh_root;
use crate::word::Word;

/// What the names of a source say comes with it: all that is in a folder, or its `.git` alone.
pub(in crate::commands) fn folder(source: &Word) -> Option<Word> {
    let shown = source.shown();
    let (folder, name) = shown.trim_end_matches('/').rsplit_once('/').unwrap_or((".", &shown));
    let hidden = matches!(name, "." | ".git" | ".*" | ".[!.]*" | ".[^.]*" | ".??*" | "{*,.*}" | ".[a-zA-Z]*");
    hidden.then(|| Word::literal_at(if folder.is_empty() { "/" } else { folder }, source.span))
}

/// Everything in a folder comes into another, `.git` included.
pub(in crate::commands) fn repository(run: &mut Run, source: &Word, target: &Word) {
    let path = |word: &Word| match run.analyst.places(word, run.shell).as_slice() {
        [(place, _)] if !place.pattern => Some(place.clone()),
        _ => None,
    };
    let (Some(from), Some(to)) = (path(source), path(target)) else { return };
    if to.zone == Zone::Temp || from.path == to.path {
        return;
    }
    let kept = format!("{}/.git", from.path.trim_end_matches('/'));
    let gone =
        |effect: &Effect| matches!(&effect.kind, EffectKind::Delete { place, .. } if place.path == kept);
    let is_repository = run.analyst.world.kind(&kept) != FileKind::Missing
        || fresh_root(run.shell, &from.path) == Some(&from.path);
    let over = format!("{}/.git", to.path.trim_end_matches('/'));
    if is_repository
        && !(run.analyst.may_have_deleted(&kept) && run.analyst.searched().iter().any(gone))
        && run.analyst.world.kind(&over) != FileKind::Missing
    {
        let head = Word::literal_at(&format!("{over}/HEAD"), target.span);
        run.analyst.write(&head, WriteMode::Overwrite, None, run.shell);
    }
}

/// A folder has another name from now on, or a copy of that name, with all that the call put into it.
pub(super) fn carried(run: &mut Run, source: &Word, landing: &Word, moved: bool) {
    work::charge(run.args.len());
    let places = run.analyst.places(source, run.shell);
    let folder = |(place, _): &(Place, Certainty)| {
        !place.pattern && run.analyst.world.kind(&place.path) == FileKind::Dir
    };
    if !places.is_empty()
        && places.iter().all(folder)
        && is_plain_call(run, "aRrfvpPdLT")
        && run.analyst.can_make_dir(landing, false, run.shell)
    {
        run.shell.make_folder(&landing.value());
    }
    run.shell.carry(&source.value(), &landing.value(), moved);
}
