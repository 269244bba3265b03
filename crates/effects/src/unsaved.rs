//! Work that is in no commit, and commands that put something else in its place by the way: a file that is emptied
//! before it is read, or what is committed over what is not.

use tollgate_model::git::{GitAsk, Repo};
use tollgate_model::{
    Certainty, Effect, EffectKind, FileKind, Loss, Place, Span, World, WriteMode, Zone, is_rebuildable,
};
use tollgate_shell::eval::{Call, Open, OpenMode, Shell, Stream};
use tollgate_shell::value::Taint;

use crate::analyst::Analyst;
use crate::paths;
use crate::word::ways;

/// What lies there, or below it, and is in no commit. Outside of the workspace others look.
pub(crate) fn unsaved(place: &Place, untracked: bool, world: &dyn World) -> Vec<String> {
    let known = place.path.split('*').next().unwrap_or_default();
    let is_folder = known.len() == place.path.len() && world.kind(known) == FileKind::Dir;
    let above = known.rsplit_once('/').map_or("/", |(folder, _)| folder);
    // The workspace itself counts for all that is in it.
    let inside = place.zone == Zone::Workspace || place.path == world.workspace();
    let within = inside && !is_rebuildable(&place.path, world.workspace(), world);
    let repo = within.then(|| Repo::find(if is_folder { known } else { above }, world)).flatten();
    let Some(root) = repo.and_then(|repo| repo.root) else { return Vec::new() };
    let ask = GitAsk { paths: vec![place.path.clone()], untracked, ..GitAsk::default() };
    let Some(status) = world.git_status(&root, &ask) else { return Vec::new() };
    status.modified.into_iter().chain(status.untracked).collect()
}

/// What a command that has just run has put something else in the place of. `mark` is where its effects begin.
pub(crate) fn notice(analyst: &mut Analyst, call: &Call, mark: usize, shell: &Shell) {
    let targets = targets(analyst, call, mark, shell);
    if targets.is_empty() {
        return;
    }
    let program = call.name().unwrap_or_default().to_owned();
    let read = read(analyst, call, mark, shell);
    let shown = if call.stdin.stream == Stream::Pipe { committed(analyst, mark) } else { Vec::new() };
    for (place, certainty, span) in targets {
        let again = read.contains(&place.path) && program != "sponge";
        let back = shown.iter().any(|path| place.path.ends_with(&format!("/{path}")));
        let operation = match (again, back) {
            (true, _) => format!("{program}, which empties its own input"),
            (_, true) => "git show".to_owned(),
            _ => continue,
        };
        let lost = unsaved(&place, true, analyst.world);
        if !lost.is_empty() {
            let above = place.path.rsplit_once('/').map_or("/", |(folder, _)| folder);
            let root = Repo::find(above, analyst.world).and_then(|repo| repo.root).unwrap_or_default();
            analyst.push(EffectKind::WorkLoss { operation, kind: Loss::Files, lost, root }, span, certainty);
        }
    }
}

/// The files that the command, or the shell for it, empties and writes anew.
fn targets(analyst: &Analyst, call: &Call, mark: usize, shell: &Shell) -> Vec<(Place, Certainty, Span)> {
    let mut targets = Vec::new();
    for open in call.redirects.iter().filter(|open| open.mode == OpenMode::Write) {
        targets.extend(
            opened(analyst, open, shell).into_iter().map(|(place, certainty)| (place, certainty, open.span)),
        );
    }
    if call.stdin.stream == Stream::Pipe {
        targets.extend(analyst.since(mark).iter().filter_map(|effect| match &effect.kind {
            EffectKind::Write { place, mode: WriteMode::Overwrite, .. } => {
                Some((place.clone(), effect.certainty, effect.span))
            }
            _ => None,
        }));
    }
    targets.retain(|(place, ..)| place.zone == Zone::Workspace);
    targets
}

fn opened(analyst: &Analyst, open: &Open, shell: &Shell) -> Vec<(Place, Certainty)> {
    let words = ways(std::slice::from_ref(&open.path)).into_iter().flatten();
    words.flat_map(|word| analyst.places(&word, shell)).collect()
}

/// What the command reads itself, and what those before it in the pipe read meanwhile.
fn read(analyst: &Analyst, call: &Call, mark: usize, shell: &Shell) -> Vec<String> {
    let mut paths = own(analyst, call, mark, shell);
    let piped = call.stdin.value.as_ref().filter(|_| call.stdin.stream == Stream::Pipe);
    paths.extend(piped.into_iter().flat_map(|value| analyst.read_from(value.taint)).cloned());
    paths
}

/// The marks of the files of the project that a command has read, for what it prints.
pub(crate) fn origins(analyst: &mut Analyst, call: &Call, mark: usize, shell: &Shell) -> Taint {
    let paths = own(analyst, call, mark, shell);
    let ours = paths.iter().filter(|path| paths::within(path, analyst.world.workspace()));
    let ours: Vec<String> = ours.cloned().collect();
    ours.iter().fold(Taint::NONE, |marks, path| marks.union(analyst.origin(path)))
}

/// The files that a command has read itself, or the shell for it.
fn own(analyst: &Analyst, call: &Call, mark: usize, shell: &Shell) -> Vec<String> {
    let path = |effect: &Effect| match &effect.kind {
        EffectKind::Read { place, recursive: false } => Some(place.path.clone()),
        _ => None,
    };
    let mut paths: Vec<String> = analyst.since(mark).iter().filter_map(path).collect();
    for open in call.redirects.iter().filter(|open| open.mode == OpenMode::Read) {
        paths.extend(opened(analyst, open, shell).into_iter().map(|(place, _)| place.path));
    }
    paths
}

/// The files that the command before in the pipe prints as they are committed: `git show HEAD:path`.
fn committed(analyst: &Analyst, mark: usize) -> Vec<String> {
    if !analyst.may_have_started(&["git"]) {
        return Vec::new();
    }
    let before = analyst.searched().get(..mark).unwrap_or_default();
    let argv = before.iter().rev().find_map(|effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } => Some(argv.as_slice()).filter(|_| program == "git"),
        _ => None,
    });
    let argv = argv.unwrap_or_default();
    if !argv.iter().any(|word| matches!(word.as_str(), "show" | "cat-file")) {
        return Vec::new();
    }
    let path =
        |word: &String| word.rsplit_once(':').map(|(_, path)| path.trim_start_matches("./").to_owned());
    argv.iter().filter_map(path).filter(|path| !path.is_empty()).collect()
}
