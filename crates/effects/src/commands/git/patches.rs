//! Patches that git applies: what they write, and what they take back.

use tollgate_model::{EffectKind, NetDirection, WriteMode};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::lose::Doomed;
use super::{Git, Verb};
use crate::analyst::taint;
use crate::commands::archives;
use crate::patch::{self, Change};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[("apply", apply), ("am", am)];

fn apply(git: &mut Git) -> Outcome {
    let spec = "stat numstat summary check index N,intent-to-add 3,3way ours theirs union cached unsafe-paths build-fake-ancestor= \
        z R,reverse reject p= C= inaccurate-eof recount unidiff-zero apply no-add add allow-binary-replacement binary exclude= \
        include= ignore-space-change ignore-whitespace whitespace= directory= v,verbose q,quiet allow-overlap allow-empty";
    let options = git.options(spec);
    let looks = ["stat", "numstat", "summary", "check", "cached"].iter().any(|name| options.has(name));
    let undoes = if options.has("R") { taint::WORK } else { taint::UNDONE };
    if passing(git, &options.operands).iter().any(|patch| taint::has(patch.taint, undoes)) && !looks {
        git.lose(&Doomed { modified: true, ..Doomed::new("git apply --reverse") });
    }
    if !looks || options.has("apply") {
        let folder =
            options.value("directory").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
        let strip = options.value("p").and_then(|count| count.shown().parse().ok()).unwrap_or(1);
        patches(git, &options.operands, &folder, strip);
        if options.has("unsafe-paths") {
            git.run.analyst.opaque("the patch may write outside the repository", git.run.call.span);
        }
    }
    git.run.derived()
}

/// The patches that no file keeps: what comes by a pipe.
fn passing(git: &Git, files: &[Word]) -> Vec<Value> {
    let piped = files.iter().filter(|file| file.text.prefix().starts_with("/dev/fd/"));
    let mut patches: Vec<Value> =
        piped.filter_map(|file| Some(git.run.shell.file(&file.value())?.value)).collect();
    if files.iter().all(|file| file.is("-")) {
        patches.extend(git.run.stdin().cloned());
    }
    patches
}

fn am(git: &mut Git) -> Outcome {
    let spec = "i,interactive b,binary 3,3way no-3way q,quiet s,signoff u,utf8 no-utf8 k,keep keep-non-patch m,message-id \
        no-message-id keep-cr no-keep-cr c,scissors no-scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace \
        directory= exclude= include= C= p= patch-format= reject resolvemsg= continue r,resolved skip abort quit retry \
        show-current-patch? allow-empty no-verify,n committer-date-is-author-date ignore-date S,gpg-sign? no-gpg-sign empty= rerere-autoupdate verify";
    let options = git.options(spec);
    if options.has("no-verify") {
        git.skips_hooks();
    }
    let goes_on = ["continue", "r", "skip", "abort", "quit", "retry", "show-current-patch"]
        .iter()
        .any(|name| options.has(name));
    if !goes_on {
        patches(git, &options.operands, "", 1);
    }
    git.run.derived()
}

/// Has this call fetched something from a host that is neither a forge nor this machine?
fn from_stranger(git: &Git) -> bool {
    git.run.analyst.found().iter().any(|effect| match &effect.kind {
        EffectKind::Net { host, direction: NetDirection::In, .. } => {
            !tollgate_model::hosts::on_forge(host) && !crate::url::is_this_machine(host)
        }
        _ => false,
    })
}

/// Writes what patches write, as far as they can be read.
fn patches(git: &mut Git, files: &[Word], folder: &str, strip: usize) {
    let span = git.run.call.span;
    let mut texts: Vec<Value> = Vec::new();
    for file in files.iter().filter(|file| !file.is("-")) {
        git.run.read(file, false);
        texts.extend(git.run.analyst.script(file, git.run.shell));
    }
    if files.iter().all(|file| file.is("-")) {
        texts.extend(git.run.stdin().cloned());
    }
    if texts.iter().any(|text| taint::has(text.taint, taint::NET)) && from_stranger(git) {
        git.run.analyst.opaque("the patch comes from a stranger's host, and nobody has seen it", span);
    }
    let known: Vec<String> =
        texts.iter().flat_map(Value::literals).flat_map(|text| patched(text, strip)).take(256).collect();
    let added = added(&texts);
    for path in known {
        let word = git.in_tree(&format!("{folder}{path}"), &Word::literal_at("", span));
        match added.iter().find(|(name, _)| name.ends_with(&path)) {
            Some((_, text)) => {
                let text = Value::text(text);
                git.run.analyst.write(&word, WriteMode::Overwrite, Some(&text), git.run.shell);
            }
            None => {
                let changes = texts.iter().flat_map(Value::literals).flat_map(patch::read);
                let edits = changes.into_iter().find_map(|change| match change {
                    Change::Update { path: name, to, edits }
                        if to.as_ref().unwrap_or(&name).ends_with(&path) =>
                    {
                        Some(edits)
                    }
                    _ => None,
                });
                archives::patches::updated(git.run, &word, &edits.unwrap_or_default());
            }
        }
    }
}

/// The files that patches make, with what is in them.
fn added(texts: &[Value]) -> Vec<(String, String)> {
    let changes = texts.iter().flat_map(Value::literals).flat_map(patch::read);
    let added = changes.filter_map(|change| match change {
        Change::Add { path, text } => Some((path, text)),
        _ => None,
    });
    added.collect()
}

/// The paths that a patch makes or changes.
fn patched(text: &str, strip: usize) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for line in text.lines() {
        let path = match line.strip_prefix("+++ ").or(line.strip_prefix("--- ")) {
            Some(path) => {
                let path = path.split('\t').next().unwrap_or_default().trim().trim_matches('"');
                (path != "/dev/null").then(|| path.splitn(strip + 1, '/').nth(strip).unwrap_or(path))
            }
            None => line
                .strip_prefix("rename to ")
                .or(line.strip_prefix("copy to "))
                .map(|path| path.trim().trim_matches('"')),
        };
        if let Some(path) = path.filter(|path| !path.is_empty() && !paths.iter().any(|known| known == path)) {
            paths.push(path.to_owned());
        }
    }
    paths
}
