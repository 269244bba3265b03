//! Patches: each names the files that it changes.

use tollgate_model::{Replacement, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::{extract, here};
use crate::commands::git::{Handed, taken_back};
use crate::commands::{Run, interpreters, stream};
use crate::languages::edits::Edited;
use crate::options::{Options, Order, read};
use crate::taint;
use crate::word::Word;
use tollgate_model::patch::{Change, Strip};

/// `patch` writes the files its input names, or the one it is told.
pub(in crate::commands) fn patch(run: &mut Run) -> Outcome {
    let spec = "p,strip= R,reverse N,forward E,remove-empty-files i,input= o,output= d,directory= D= F,fuzz= f,force t,batch \
        s,quiet,silent u,unified c,context e,ed n,normal l b,backup z,suffix= Y= B= V,version-control= r,reject-file= dry-run \
        posix verbose binary no-backup-if-mismatch merge? follow-symlinks g,get= T Z v backup-if-mismatch quoting-style= read-only= reject-format=";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("dry-run") {
        return run.derived();
    }
    if let Some(rejects) = options.value("r").cloned() {
        run.analyst.write(&rejects, WriteMode::Overwrite, None, run.shell);
    }
    let input = options.value("i").or(options.operands.get(1)).cloned();
    let input = input.filter(|file| !file.is("-"));
    let text = match &input {
        Some(file) => run.analyst.script(file, run.shell),
        None => run.stdin().cloned().map(|text| interpreters::script_of(run, text)),
    };
    let handed = match &input {
        Some(file) => Handed::file(run, file),
        None => Handed::input(run),
    };
    let before = run.shell.cwd().clone();
    if let Some(folder) = options.value("d").cloned() {
        run.shell.set_cwd(&folder.value());
    }
    applied(run, &options, text.as_ref(), handed.as_ref());
    run.shell.set_cwd(&before);
    Outcome::silent(Status::Either)
}

/// Applies a patch in the present folder, or to the one file that is told.
fn applied(run: &mut Run, options: &Options, text: Option<&Value>, handed: Option<&Handed>) {
    let reverse = options.has("R");
    let undoes = if reverse { taint::WORK } else { taint::UNDONE };
    let told = options.operands.first().cloned();
    let target = told.clone().unwrap_or_else(|| here(run));
    let is_copy = run.analyst.places(&target, run.shell).iter().all(|(place, _)| place.zone == Zone::Temp);
    if let Some(handed) = handed.filter(|_| !is_copy && !options.has("o")) {
        taken_back(run, handed, reverse, told.as_ref());
        if taint::has(handed.marks, undoes) {
            return;
        }
    }
    let read = |strip: Strip| {
        let changes = tollgate_model::patch::unified(text.and_then(Value::as_literal)?, strip).into_iter();
        Some(changes.map(|change| if reverse { change.reversed() } else { change }).collect::<Vec<_>>())
    };
    if let Some(file) = options.value("o").or(told.as_ref()).cloned() {
        let edits = read(Strip::Side).unwrap_or_default().into_iter().find_map(|change| match change {
            Change::Update { edits, .. } => Some(edits),
            Change::Add { text, .. } => Some(vec![Replacement { old: String::new(), new: text }]),
            Change::Delete { .. } => None,
        });
        return updated(run, &file, &edits.unwrap_or_default());
    }
    // Without a number of folders to leave out, all are.
    let strip = options.value("p").map_or(Strip::All, |word| {
        Strip::Folders(word.literal().and_then(|count| count.parse().ok()).unwrap_or(1))
    });
    match read(strip) {
        Some(changes) => patched(run, changes),
        None => extract(run, &here(run)),
    }
}

/// A file whose text is known holds what a patch makes of it; else what was there, and what is put in.
pub(in crate::commands) fn updated(run: &mut Run, file: &Word, changes: &[Replacement]) {
    let edit = |text: &str| {
        let mut text = Some(text).filter(|_| !changes.is_empty())?.to_owned();
        for Replacement { old, new } in changes {
            if old.is_empty() || !text.contains(old.as_str()) {
                return None;
            }
            text = text.replacen(old.as_str(), new, 1);
        }
        Some(Edited { text, ran: Vec::new() })
    };
    let fresh = |change: &Replacement| {
        let old: Vec<&str> = change.old.lines().collect();
        let lines = change.new.lines().filter(|line| !old.contains(line));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let added: Vec<String> = changes.iter().map(fresh).filter(|text| !text.is_empty()).collect();
    stream::in_place(run, file, &edit, &added);
}

/// The patch tool of some agents, as a command: the patch is its argument or its input.
pub(in crate::commands) fn apply_patch(run: &mut Run) -> Outcome {
    let text = match run.args.first() {
        Some(word) => Some(word.value()),
        None => run.stdin().cloned(),
    };
    match text.as_ref().and_then(Value::as_literal) {
        Some(text) => patched(run, tollgate_model::patch::read(text)),
        None => run.analyst.opaque("what the patch changes is known only at run time", run.call.span),
    }
    Outcome::silent(Status::Either)
}

/// Changes the files of a patch.
fn patched(run: &mut Run, changes: Vec<Change>) {
    let changes = run.first(changes, tollgate_model::patch::FILES, "files in the patch");
    let name = |path: &str| Word::literal_at(path, run.call.span);
    let changes: Vec<(Word, Change)> = changes
        .into_iter()
        .map(|change| match &change {
            Change::Add { path, .. } | Change::Delete { path } => (name(path), change),
            Change::Update { path, to, .. } => (name(to.as_ref().unwrap_or(path)), change),
        })
        .collect();
    for (word, change) in changes {
        match change {
            Change::Add { text, .. } => {
                run.analyst.write(&word, WriteMode::Overwrite, Some(&Value::text(&text)), run.shell);
            }
            Change::Update { edits, .. } => updated(run, &word, &edits),
            Change::Delete { .. } => run.analyst.delete(&word, false, run.shell),
        }
    }
}
