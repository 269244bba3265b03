//! Files by which kubectl and its kin know clusters. One that a tool of this call writes, for a cluster that it makes or
//! whose owner it asks, holds no stranger's commands.

use tollgate_model::{Effect, EffectKind, FileKind};
use tollgate_shell::value::{Taint, Value};

use super::Run;
use super::flags::given;
use super::variables::in_temp;
use crate::analyst::taint;
use crate::catalogue;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// A file that is longer is not read.
const LIMIT: usize = 256 << 10;

/// Programs that write such a file, their verbs, and the option that names it; else `KUBECONFIG` does.
const WRITERS: &[(&str, &[&str], &str)] = &[
    ("kind", &["create", "cluster"], "kubeconfig="),
    ("kind", &["export", "kubeconfig"], "kubeconfig="),
    ("k3d", &["cluster", "create"], ""),
    ("k3d", &["kubeconfig", "write"], "o,output="),
    ("k3d", &["kubeconfig", "merge"], "o,output="),
    ("minikube", &["start"], ""),
    ("minikube", &["update-context"], ""),
    ("vcluster", &["create"], "kube-config="),
    ("vcluster", &["connect"], "kube-config="),
    ("k0s", &["kubeconfig"], ""),
    ("aws", &["eks", "update-kubeconfig"], "kubeconfig="),
    ("az", &["aks", "get-credentials"], "f,file="),
    ("gcloud", &["container", "clusters", "get-credentials"], ""),
    ("doctl", &["kubernetes", "cluster", "kubeconfig", "save"], ""),
];

/// Notes the file that this program writes, where there was none; and asks about one that it reads and that nobody
/// knows.
pub(super) fn settings(run: &mut Run) {
    let concerned = catalogue::is(run.program, Tag::ReadsKubeconfig)
        || WRITERS.iter().any(|(name, ..)| *name == run.program);
    if !concerned {
        return;
    }
    let spec = spec(run.program, run.args);
    let named = spec.filter(|spec| !spec.is_empty()).and_then(|spec| given(run, spec).into_iter().next());
    let Some(value) = named.map(|word| word.value()).or_else(|| variable(run)) else { return };
    if spec.is_some() && is_new(run, &value) {
        run.shell.write_file(&value, &Value::output(Taint::NONE), false);
    }
    let assigned = run.call.assigns.iter().any(|(name, _)| **name == *"KUBECONFIG");
    let read = spec.is_none() && catalogue::is(run.program, Tag::ReadsKubeconfig) && !assigned;
    if read && !is_plain(run, &value) && (in_temp(run, &value) || is_strange(run, &value)) {
        run.analyst.opaque("`KUBECONFIG` loads other code into the program", run.call.span);
    }
}

/// What `KUBECONFIG` says for this program, as far as the call sets it.
fn variable(run: &Run) -> Option<Value> {
    let set = run.call.assigns.iter().rev().find(|(name, _)| **name == *"KUBECONFIG");
    set.map(|(_, value)| value.clone()).or_else(|| run.shell.variable("KUBECONFIG"))
}

/// Is the variable set for later, to a file that is not there yet? Whoever reads it is asked about then.
pub(super) fn is_for_later(run: &Run, value: &Value) -> bool {
    let sets = matches!(run.call.name(), Some("export" | "declare" | "typeset" | "readonly" | "local"));
    sets && is_new(run, value)
}

/// Is nothing strange in the file: it is what such a tool of this call writes, or a text that says so itself?
pub(super) fn is_plain(run: &Run, value: &Value) -> bool {
    if value.as_literal().is_none_or(|text| text.is_empty() || text.contains(':')) {
        return false;
    }
    let words = crate::word::ways(&run.call.argv).into_iter().next().unwrap_or_default();
    let writes = words.split_first().is_some_and(|(first, rest)| {
        let name = first.shown();
        spec(name.rsplit('/').next().unwrap_or_default(), rest).is_some()
    });
    match run.shell.file(value) {
        Some(written) => match written.value.as_literal() {
            Some(text) => is_quiet(text),
            None => {
                let strange = [taint::NET, taint::DECODED, taint::FILE];
                !strange.into_iter().any(|mark| taint::has(written.value.taint, mark))
            }
        },
        None if is_new(run, value) => writes || is_made(run, value),
        None => on_disk(run, value).is_some_and(|text| is_quiet(&text)),
    }
}

/// Has this call itself written the file, wherever it lies, and is it not plain?
pub(super) fn is_strange(run: &Run, value: &Value) -> bool {
    let written = run.shell.file(value);
    written.and_then(|written| written.value.as_literal().map(|text| !is_quiet(text))).unwrap_or(false)
}

/// Does the file name no program, no file whose text would be sent, and no way round a stranger's certificate? Where a
/// key may be written in another way, by escapes or as a reference, nothing is known.
fn is_quiet(text: &str) -> bool {
    let keys = ["exec", "auth-provider", "tokenFile", "proxy-url", "insecure-skip-tls-verify"];
    let marks = ["\\", "<<", "&", "*", "!"];
    text.contains("clusters:") && !keys.iter().chain(&marks).any(|mark| text.contains(mark))
}

fn on_disk(run: &Run, value: &Value) -> Option<String> {
    let path = run.shell.resolve(value).as_literal()?.to_owned();
    let bytes = run.analyst.world.read(&path, LIMIT).filter(|bytes| bytes.len() < LIMIT)?;
    String::from_utf8(bytes).ok()
}

fn spec(program: &str, args: &[Word]) -> Option<&'static str> {
    let mut rows = WRITERS.iter().filter(|(name, ..)| *name == program).peekable();
    rows.peek()?;
    let mut verbs = args.iter().filter(|word| !word.text.prefix().starts_with('-')).map(Word::shown);
    let said: Vec<String> = verbs.by_ref().take(4).collect();
    let fits = |wanted: &&[&str]| {
        wanted.iter().zip(&said).filter(|(wanted, said)| *wanted == said).count() == wanted.len()
    };
    rows.find(|(_, wanted, _)| fits(wanted)).map(|(_, _, spec)| *spec)
}

/// Nothing is there yet, on disk or from this call.
fn is_new(run: &Run, value: &Value) -> bool {
    let Some(path) = run.shell.resolve(value).as_literal().map(str::to_owned) else { return false };
    let written =
        |effect: &Effect| matches!(&effect.kind, EffectKind::Write { place, .. } if place.path == path);
    run.analyst.world.kind(&path) == FileKind::Missing
        && run.shell.file(value).is_none()
        && !(run.analyst.may_have_written(&path) && run.analyst.searched().iter().any(written))
}

fn is_made(run: &Run, value: &Value) -> bool {
    run.shell.resolve(value).as_literal().is_some_and(|path| run.analyst.is_made(path))
}
