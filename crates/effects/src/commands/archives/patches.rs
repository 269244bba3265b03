//! Patches: each names the files that it changes.

use tollgate_model::{EffectKind, Loss, Replacement, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::{extract, here};
use crate::commands::{Run, interpreters, stream};
use crate::languages::edits::Edited;
use crate::options::{Order, read};
use crate::patch::Change;
use crate::taint;
use crate::word::Word;

/// `patch` writes the files its input names, or the one it is told.
pub(super) fn patch(run: &mut Run) -> Outcome {
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
    let told = options.value("o").or(options.operands.first()).cloned();
    let input = options.value("i").or(options.operands.get(1)).cloned();
    let text = match &input {
        Some(file) => run.analyst.script(file, run.shell),
        None => run.stdin().cloned().map(|text| interpreters::script_of(run, text)),
    };
    if let Some(file) = told {
        let known = text.as_ref().and_then(Value::as_literal).map(crate::patch::read).unwrap_or_default();
        let edits = known.into_iter().find_map(|change| match change {
            Change::Update { edits, .. } => Some(edits),
            Change::Add { text, .. } => Some(vec![Replacement { old: String::new(), new: text }]),
            Change::Delete { .. } => None,
        });
        updated(run, &file, &edits.unwrap_or_default());
        return Outcome::silent(Status::Either);
    }
    let strip = options.value("p").and_then(|word| word.literal()?.parse().ok());
    let folder = options.value("d").cloned();
    let before = run.shell.cwd().clone();
    if let Some(folder) = folder {
        run.shell.set_cwd(&folder.value());
    }
    let undoes = if options.has("R") { taint::WORK } else { taint::UNDONE };
    let reverted = input.is_none() && text.as_ref().is_some_and(|text| taint::has(text.taint, undoes));
    match text.as_ref().and_then(Value::as_literal) {
        // What is not committed, as a patch, taken back: nothing else holds it.
        _ if reverted => run.push(EffectKind::WorkLoss {
            operation: "patch --reverse".to_owned(),
            kind: Loss::Files,
            lost: Vec::new(),
        }),
        Some(text) => patched(run, text, strip),
        None => extract(run, &here(run)),
    }
    run.shell.set_cwd(&before);
    Outcome::silent(Status::Either)
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
pub(super) fn apply_patch(run: &mut Run) -> Outcome {
    let text = match run.args.first() {
        Some(word) => Some(word.value()),
        None => run.stdin().cloned(),
    };
    match text.as_ref().and_then(Value::as_literal) {
        Some(text) => patched(run, text, None),
        None => run.analyst.opaque("what the patch changes is only known when it runs", run.call.span),
    }
    Outcome::silent(Status::Either)
}

/// Changes the files of a patch, `strip` folders of their names left out.
fn patched(run: &mut Run, text: &str, strip: Option<usize>) {
    let name = |path: &str| {
        let kept = path.splitn(strip.unwrap_or(0).saturating_sub(1).saturating_add(1), '/').last();
        Word::literal_at(kept.unwrap_or(path), run.call.span)
    };
    let changes: Vec<(Word, Change)> = crate::patch::read(text)
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
