//! Clusters: kubectl, helm and what is around them.

use tollgate_model::hosts::on_forge;
use tollgate_model::{EffectKind, EnvUse, InfraTool};
use tollgate_shell::eval::{Outcome, Stream};

use super::containers::{is_remote, remote, shown_secrets};
use super::packages::install;
use super::verbs::Line;
use super::{Run, openings};
use crate::analyst::taint;
use crate::openings::{How, Leaves, Opening};
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;

/// kubectl's options that take a value, global and of the verbs.
const VALUES: &str = "n namespace context cluster user kubeconfig s server token as as-group as-uid cache-dir certificate-authority \
    client-certificate client-key request-timeout tls-server-name username password v vmodule profile profile-output \
    f filename k kustomize l selector field-selector o output template grace-period timeout replicas current-replicas \
    resource-version c container p patch type field-manager validate subresource raw sort-by L label-columns \
    pod-selector chunk-size image env overrides port to-revision revision tail since from-literal from-file from-env-file \
    verb resource clusterrole role group serviceaccount patch-file exec-command exec-arg exec-env exec-api-version \
    auth-provider auth-provider-arg manifest manifest-url";

/// What runs in a pod or is copied out of it; the rest is in the table.
pub(super) fn kubectl(run: &mut Run) -> Outcome {
    let global = Line::read(run.args, VALUES, false);
    match global.verb(0).as_str() {
        "exec" | "rsh" => exec(run, &global),
        "patch" if !is_local(&global) && !global.has("dry-run") => {
            openings::patch(run, &global);
            run.derived()
        }
        "auth" if global.verb(1) == "reconcile" => {
            manifests(run, &global);
            run.derived()
        }
        "create" if global.verb(1) == "secret" && global.has("dry-run") => drafted(run, &global),
        "apply" | "create" | "replace" => {
            wide_role(run, &global);
            manifests(run, &global);
            if matches!(global.verb(1).as_str(), "job" | "cronjob" | "cj" | "deployment" | "deploy") {
                return started(run, &global);
            }
            run.derived()
        }
        "cp" => {
            copy(run, &global);
            run.derived()
        }
        "run" => {
            if is_privileged(run) {
                let (tool, operation) = (run.program.to_owned(), "unconfined".to_owned());
                let target = "--privileged".to_owned();
                run.push(EffectKind::Infra { tool: InfraTool::Named(tool), operation, target });
            }
            started(run, &global)
        }
        "krew" if global.verb(1) == "install" => {
            global.values(&["manifest-url"]).for_each(|address| install(run, "krew", address));
            run.derived()
        }
        "debug" if global.verb(1).starts_with("node/") => {
            run.analyst.opaque("commands in a shell on a cluster node are not analysed", run.call.span);
            run.derived()
        }
        _ => run.derived(),
    }
}

/// `create secret … --from-env-file=.env --dry-run=client -o yaml` prints what is in the file, for whatever comes behind.
fn drafted(run: &mut Run, line: &Line) -> Outcome {
    let from = line.values(&["from-env-file", "from-file"]).next().is_some();
    if !from || line.values(&["o", "output"]).all(|form| form.is("name")) {
        return run.derived();
    }
    if run.call.stdout == Stream::Outer && !run.call.piped_to {
        run.push(EffectKind::EnvRead {
            what: EnvUse::Store("the files of `kubectl create secret`".to_owned()),
        });
    }
    Outcome::unknown(taint::SECRET)
}

/// `create clusterrole name --verb='*' --resource='*'`.
fn wide_role(run: &mut Run, line: &Line) {
    let all = |name: &str| line.values(&[name]).any(|word| matches!(word.shown().as_str(), "*" | "*.*"));
    if line.verb(1) == "clusterrole" && all("verb") && all("resource") && !line.has("dry-run") {
        run.push(Opening::new(How::Grant, "a role that may do everything in the cluster").effect("kubectl"));
    }
}

/// A pod that is given the node it runs on.
fn is_privileged(run: &Run) -> bool {
    run.args.iter().take_while(|word| !word.is("--")).any(|word| {
        let text = word.shown().replace([' ', '"'], "");
        let keys = ["privileged:true", "hostPID:true", "hostNetwork:true", "hostPath:"];
        text == "--privileged" || text == "--privileged=true" || keys.iter().any(|key| text.contains(key))
    })
}

/// The command that a new pod runs.
fn started(run: &mut Run, line: &Line) -> Outcome {
    if line.after.is_empty() { run.derived() } else { remote(run, &line.after, "in a new pod") }
}

fn exec(run: &mut Run, line: &Line) -> Outcome {
    let pod = line.verb(1);
    let mut command = line.after.clone();
    if command.is_empty() {
        command = behind_pod(run.args, line);
    }
    if command.is_empty() {
        return run.derived();
    }
    shown_secrets(run, &command);
    remote(run, &command, &format!("in the pod {pod}"))
}

/// The words behind the pod, with the options that are the command's own.
fn behind_pod(words: &[Word], line: &Line) -> Vec<Word> {
    let Some(first) = line.operands.get(2) else { return Vec::new() };
    let at = words.iter().position(|word| word.span == first.span && word.shown() == first.shown());
    at.and_then(|at| words.get(at..)).unwrap_or_default().to_vec()
}

/// What is put into a cluster: a manifest from the network is code that nobody has read, and a file that becomes
/// a map can be read by everybody who may read the cluster's settings. Secrets belong into secrets.
fn manifests(run: &mut Run, line: &Line) {
    let dry = line.values(&["dry-run"]).any(|how| !how.is("none")) || line.has("dry-run");
    let from = ["f", "filename", "k", "kustomize"];
    for file in line.values(&from).cloned().collect::<Vec<_>>() {
        let shown = file.shown();
        let input = file.is("-") && run.stdin().is_some_and(|input| taint::has(input.taint, taint::NET));
        let address = shown.contains("://") || shown.starts_with("github.com/") || shown.starts_with("git@");
        let known = shown.strip_prefix("https://").is_some_and(is_release);
        if dry || known || is_local(line) {
            continue;
        }
        let text = if file.is("-") { run.stdin().cloned() } else { run.analyst.own_text(&file, run.shell) };
        if let Some(text) = text.as_ref().and_then(|text| text.as_literal()) {
            super::containers::described(run, text);
        }
        described(run, &file);
        if input {
            run.analyst.opaque("the cluster gets content from the network that nobody has read", file.span);
        } else if address {
            let scheme = if shown.contains("://") { "" } else { "git://" };
            install(run, "kubectl", &Word::literal_at(&format!("{scheme}{shown}"), file.span));
        } else {
            run.analyst.recall_package(&file, run.shell);
        }
    }
    let is_map = matches!(line.verb(1).as_str(), "configmap" | "configmaps" | "cm");
    for file in line.values(&["from-file", "from-env-file"]).filter(|_| is_map).cloned().collect::<Vec<_>>() {
        let path = if file.text.prefix().contains('=') { file.after('=') } else { file };
        run.read(&path, false);
    }
}

/// What the manifests of a file, or of those in a folder, open. A cluster of this machine is only played with.
fn described(run: &mut Run, file: &Word) {
    let names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
    let below = |name: &str| {
        let folder = file.shown();
        Word::literal_at(&format!("{}/{name}", folder.trim_end_matches('/')), file.span)
    };
    if let Some(text) = openings::given(run, file) {
        return openings::manifest(run, &text);
    }
    for list in names.iter().filter_map(|name| openings::given(run, &below(name))).collect::<Vec<_>>() {
        let resources = Leaves::documents(&list);
        let listed = resources.iter().flat_map(|document| document.ending("resources")).map(|(_, name)| name);
        for text in listed.take(8).filter_map(|name| openings::given(run, &below(name))).collect::<Vec<_>>() {
            openings::manifest(run, &text);
        }
    }
    for path in within(run, file) {
        if let Some(text) = openings::given(run, &Word::literal_at(&path, file.span)) {
            openings::manifest(run, &text);
        }
    }
}

/// The manifests in a folder: those that this call has written, and those on disk.
fn within(run: &Run, folder: &Word) -> Vec<String> {
    let Some((place, _)) = run.analyst.places(folder, run.shell).into_iter().next() else {
        return Vec::new();
    };
    let is_manifest = |path: &String| [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end));
    let written = run.analyst.searched().iter().filter_map(|effect| match &effect.kind {
        EffectKind::Write { place: file, .. } => {
            paths::within(&file.path, &place.path).then(|| file.path.clone())
        }
        _ => None,
    });
    let listed =
        run.analyst.world.list(&place.path, 64).into_iter().map(|name| format!("{}/{name}", place.path));
    let mut files: Vec<String> = written.chain(listed).filter(is_manifest).collect();
    files.dedup();
    files.truncate(12);
    files
}

/// A cluster that a tool has made in containers of this machine, and names so.
fn is_local(line: &Line) -> bool {
    let starts = ["kind-", "k3d-", "minikube", "docker-desktop", "rancher-desktop", "colima", "orbstack"];
    line.values(&["context", "kube-context"])
        .any(|name| starts.iter().any(|start| name.shown().starts_with(start)))
}

/// A file of a release or of a tagged tree on a well-known forge.
fn is_release(address: &str) -> bool {
    let own = ["raw.githubusercontent.com/", "k8s.io/", "kubernetes.io/"];
    own.iter().any(|host| address.starts_with(host)) || on_forge(address) && address.contains("/releases/")
}

fn copy(run: &mut Run, line: &Line) {
    if let [_, from, to] = line.operands.as_slice() {
        let (from, to) = (from.clone(), to.clone());
        if !is_remote(&from) {
            run.read(&from, true);
        } else if keeps_secrets(&from.shown()) {
            let (tool, operation) = (run.program.to_owned(), "read-secret".to_owned());
            run.push(EffectKind::Infra {
                tool: InfraTool::Named(tool),
                operation,
                target: format!("{} cp {}", run.program, from.shown()),
            });
        }
        if !is_remote(&to) {
            run.analyst.write(&to, tollgate_model::WriteMode::Overwrite, None, run.shell);
        }
    }
}

/// Where pods are given their secrets, and what files of secrets are called.
fn keeps_secrets(remote: &str) -> bool {
    let path = remote.split_once(':').map_or(remote, |(_, path)| path);
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    path.split('/').any(|part| matches!(part, "secrets" | ".ssh" | ".aws" | ".gnupg"))
        || name == ".env"
        || name.starts_with("id_") && !name.ends_with(".pub")
        || matches!(name, ".pgpass" | ".netrc" | "credentials" | "shadow")
}

/// A chart from an address is code that nobody has read; a registry or a repository is where charts come from.
pub(super) fn helm(run: &mut Run) -> Outcome {
    let line = Line::read(
        run.args,
        "n namespace kube-context kubeconfig timeout f values set version description repo",
        false,
    );
    if matches!(line.verb(0).as_str(), "install" | "upgrade") && !line.has("dry-run") {
        let strange = |chart: &&Word| {
            let address = chart.shown();
            address.contains("://")
                && !address.starts_with("oci://")
                && !address.strip_prefix("https://").is_some_and(is_release)
        };
        for chart in line.operands.iter().skip(1).filter(strange) {
            install(run, "helm", chart);
        }
    }
    // A plugin is a program that comes from where it is told.
    if line.verb(0) == "plugin" && matches!(line.verb(1).as_str(), "install" | "add") {
        for plugin in line.operands.iter().skip(2).filter(|plugin| plugin.text.prefix().contains("://")) {
            install(run, "helm", plugin);
        }
    }
    run.derived()
}

/// `k3s kubectl …`.
pub(super) fn k3s(run: &mut Run) -> Outcome {
    let options = read(run.args, "debug data-dir= p,profile=", Order::First);
    match options.operands.split_first() {
        Some((verb, _)) if matches!(verb.shown().as_str(), "kubectl" | "helm" | "helm3") => {
            let words: Vec<_> = options.operands.iter().filter(|word| !word.is("--")).cloned().collect();
            run.inner(&words)
        }
        _ => run.derived(),
    }
}
