//! Patches that git applies: what they write, and what they take back.

use tollgate_model::{EffectKind, NetDirection, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Stream};
use tollgate_shell::value::{Taint, Text, Value};

use super::lose::Doomed;
use super::{Git, Verb, settings};
use crate::analyst::taint;
use crate::commands::{Run, archives};
use crate::word::Word;
use tollgate_model::patch::{self, Change, Strip};

pub(super) const VERBS: &[(&str, Verb)] = &[("apply", apply), ("am", am)];

fn apply(git: &mut Git) -> Outcome {
    let spec = "stat numstat summary check index N,intent-to-add 3,3way ours theirs union cached unsafe-paths build-fake-ancestor= \
        z R,reverse reject p= C= inaccurate-eof recount unidiff-zero apply no-add add allow-binary-replacement binary exclude= \
        include= ignore-space-change ignore-whitespace whitespace= directory= v,verbose q,quiet allow-overlap allow-empty";
    let options = git.options(spec);
    let looks = ["stat", "numstat", "summary", "check", "cached"].iter().any(|name| options.has(name));
    if !looks {
        for patch in handed(git, &options.operands) {
            take_back(git, &patch, options.has("R"), Vec::new());
        }
    }
    if !looks || options.has("apply") {
        let folder =
            options.value("directory").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
        let strip = options.value("p").and_then(|count| count.shown().parse().ok()).unwrap_or(1);
        patches(git, &options.operands, &folder, Strip::Folders(strip), options.has("R"));
        if options.has("unsafe-paths") {
            git.run.analyst.opaque("the patch may write outside the repository", git.run.call.span);
        }
    }
    git.run.derived()
}

/// The marks of a patch, and the file that keeps it, if one does.
pub(in crate::commands) struct Handed {
    pub(in crate::commands) marks: Taint,
    pub(in crate::commands) keeper: Option<String>,
}

impl Handed {
    /// A patch in a file, or in what `-` and `/dev/stdin` stand for.
    pub(in crate::commands) fn file(run: &mut Run, file: &Word) -> Option<Self> {
        if file.is("-") || file.is("/dev/stdin") {
            return Self::input(run);
        }
        let written = run.shell.file(&file.value()).map(|written| written.value);
        let text = written.or_else(|| run.analyst.script(file, run.shell))?;
        Some(Self { marks: text.taint, keeper: keeper(run, file) })
    }

    /// A patch on standard input.
    pub(in crate::commands) fn input(run: &Run) -> Option<Self> {
        let file = match &run.call.stdin.stream {
            Stream::File(path) => path.single(),
            _ => None,
        };
        let word =
            |text: &Text| Word { text: text.clone(), span: run.call.span, splits: false, taint: Taint::NONE };
        Some(Self { marks: run.stdin()?.taint, keeper: file.and_then(|text| keeper(run, &word(text))) })
    }
}

/// The path of a file that keeps what is in it. A temporary one does not for long.
fn keeper(run: &Run, file: &Word) -> Option<String> {
    match run.analyst.places(file, run.shell).as_slice() {
        [(place, _)] if !place.pattern && place.zone != Zone::Temp && !place.path.starts_with("/dev/") => {
            Some(place.path.clone())
        }
        _ => None,
    }
}

fn handed(git: &mut Git, files: &[Word]) -> Vec<Handed> {
    match files {
        [] => Handed::input(git.run).into_iter().collect(),
        files => files.iter().filter_map(|file| Handed::file(git.run, file)).collect(),
    }
}

/// What is not committed, as a patch, taken back: nothing else holds it but the file that keeps the patch. Put back from
/// there, it is where it was.
fn take_back(git: &mut Git, patch: &Handed, reverse: bool, paths: Vec<Word>) {
    let undoes = if reverse { taint::WORK } else { taint::UNDONE };
    if taint::has(patch.marks, undoes) {
        let mark = git.run.analyst.mark();
        git.lose(&Doomed { modified: true, paths, ..Doomed::new("git apply --reverse") });
        if let Some(path) = &patch.keeper {
            git.run.analyst.keeps(path.clone(), mark);
        }
    } else if let Some(path) = &patch.keeper {
        git.run.analyst.keepers.put_back(path);
    }
}

/// The same by another program than git, in the present folder or of one file.
pub(in crate::commands) fn taken_back(run: &mut Run, patch: &Handed, reverse: bool, file: Option<&Word>) {
    let before = run.shell.cwd().clone();
    let place = file.and_then(|file| run.analyst.places(file, run.shell).into_iter().next());
    let path = place.map(|(place, _)| place.path);
    if let Some((folder, _)) = path.as_deref().and_then(|path| path.rsplit_once('/')) {
        run.shell.set_cwd(&Value::text(folder));
    }
    let paths = path.iter().map(|path| Word::literal_at(path, run.call.span)).collect();
    let mut git = Git {
        verb: "apply".to_owned(),
        args: Vec::new(),
        settings: settings::inherited(run.shell),
        git_dir: None,
        work_tree: None,
        run,
    };
    take_back(&mut git, patch, reverse, paths);
    run.shell.set_cwd(&before);
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
        let folder =
            options.value("directory").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
        let strip = options.value("p").and_then(|count| count.shown().parse().ok()).unwrap_or(1);
        patches(git, &options.operands, &folder, Strip::Folders(strip), false);
    }
    git.run.derived()
}

/// Has this call fetched something from a host that is neither a forge nor this machine?
fn from_stranger(git: &Git) -> bool {
    git.run.analyst.searched().iter().any(|effect| match &effect.kind {
        EffectKind::Net { host, direction: NetDirection::In, .. } => {
            !tollgate_model::hosts::on_forge(host) && !crate::url::is_this_machine(host)
        }
        _ => false,
    })
}

/// Writes what patches write, as far as they can be read.
fn patches(git: &mut Git, files: &[Word], folder: &str, strip: Strip, reverse: bool) {
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
        git.run.analyst.opaque("the patch comes from an unknown host, and nobody has read it", span);
    }
    let mut changes: Vec<Change> =
        texts.iter().flat_map(Value::literals).flat_map(|text| patch::unified(text, strip)).collect();
    if changes.len() > patch::FILES {
        changes.truncate(patch::FILES);
        git.run.analyst.opaque("the patch changes too many files to be checked", span);
    }
    for change in changes.into_iter().map(|change| if reverse { change.reversed() } else { change }) {
        let (Change::Add { path, .. } | Change::Update { path, .. } | Change::Delete { path }) = &change;
        let to = match &change {
            Change::Update { to: Some(to), .. } => to,
            _ => path,
        };
        let word = git.in_tree(&format!("{folder}{to}"), &Word::literal_at("", span));
        match &change {
            Change::Add { text, .. } => {
                git.run.analyst.write(&word, WriteMode::Overwrite, Some(&Value::text(text)), git.run.shell);
            }
            Change::Update { edits, .. } => archives::patches::updated(git.run, &word, edits),
            Change::Delete { .. } => archives::patches::updated(git.run, &word, &[]),
        }
    }
}
