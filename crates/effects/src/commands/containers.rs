//! Containers: docker, podman and their like. The inner command runs in another file system; what of this one is
//! mounted there is followed back.

mod data;
mod described;
mod far;
mod image;
pub(super) mod machines;
mod options;
mod reach;
mod registry;
mod volumes;
mod whole;
mod wiped;

use tollgate_model::{Certainty, Effect, EffectKind, EnvUse, FileKind, InfraTool, Place, WriteMode};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{Text, Value};

use self::options::{COMPOSE, COMPOSE_RUN, EXEC, GLOBAL, RUN};
use super::Run;
use super::verbs::Line;
use crate::elsewhere::Elsewhere;
use crate::options::{Options, Order, read};
use crate::word::Word;
pub(super) use described::described;
pub(crate) use described::opened;
use described::started;
pub(super) use far::remote;
pub(super) use reach::shown_secrets;
pub(super) use whole::listed;

pub(super) fn docker(run: &mut Run) -> Outcome {
    let global = read(run.args, GLOBAL, Order::First);
    let Some((verb, mut rest)) = global.operands.split_first() else { return run.derived() };
    let mut verb = verb.shown();
    // `docker container run` is `docker run`; `docker image rm` and the like keep their noun.
    if verb == "container"
        && let Some((inner, words)) = rest.split_first()
    {
        verb = inner.shown();
        rest = words;
    }
    reach::far(run, &global, &verb, rest);
    if matches!(verb.as_str(), "build" | "buildx" | "image" | "builder") {
        reach::build(run, rest);
    }
    if asks_for_help(rest) && !matches!(verb.as_str(), "run" | "exec" | "create" | "compose") {
        return run.derived();
    }
    match verb.as_str() {
        "context" => reach::switched(run, rest),
        "plugin" => reach::plugin(run, rest),
        "run" | "create" => start(run, rest),
        "exec" => exec(run, &read(rest, EXEC, Order::First)),
        "compose" => compose(run, rest),
        "cp" => copy(run, rest),
        "import" | "load" | "export" | "save" => archive(run, &verb, rest),
        "push" => registry::push(run, rest),
        "stack" if rest.first().is_some_and(|verb| verb.is("deploy") || verb.is("up")) => {
            let line = Line::read(rest, "c compose-file resolve-image", false);
            reach::described(run, &line.values(&["c", "compose-file"]).cloned().collect::<Vec<_>>());
            run.derived()
        }
        "unshare" => {
            let inner = read(rest, "rootless-netns", Order::First);
            if inner.operands.is_empty() { run.derived() } else { run.inner(&inner.operands) }
        }
        "volume" if rest.first().is_some_and(|verb| verb.is("create")) => {
            volumes::create(run, rest);
            run.derived()
        }
        _ => {
            delete(run, &verb, rest);
            run.derived()
        }
    }
}

/// Verbs that delete what containers hold.
fn delete(run: &mut Run, verb: &str, rest: &[Word]) {
    let line = Line::read(rest, "filter time t builder", false);
    let noun = line.verb(0);
    if line.has("dry-run") {
        return;
    }
    if whole::takes_all(run, verb, &line) {
        infra(run, "delete-data", "every listed container or image, with the data in them");
    }
    let volumes = line.has("volumes") || line.has("v");
    let all = line.has("a") || line.has("all");
    let lost = match (verb, noun.as_str()) {
        ("volume", "rm" | "remove" | "prune") | ("volumes", "rm" | "prune") => {
            "volumes, with all data in them"
        }
        ("system", "prune") if volumes => "every unused volume, image and container",
        ("system", "reset") => "every container, image and volume",
        ("rm" | "remove", _) if volumes => "a container with its volumes",
        ("kube" | "play", "down") if line.has("force") => "pods with their volumes",
        ("swarm", "leave") if line.has("f") || line.has("force") => "this node's part of the swarm",
        ("stack", "rm" | "down" | "remove") | ("service", "rm" | "remove") => "running services",
        ("secret" | "config", "rm" | "remove") => "settings of running services",
        ("machine", "rm" | "reset") => "a virtual machine with every container in it",
        ("system", "prune") if all => "every unused image",
        _ => return,
    };
    if verb == "system" && lost == "every unused image" {
        return;
    }
    infra(run, "delete-data", lost);
}

fn infra(run: &mut Run, operation: &str, target: &str) {
    let (tool, operation) = (run.program.to_owned(), operation.to_owned());
    run.push(EffectKind::Infra { tool: InfraTool::Named(tool), operation, target: target.to_owned() });
}

fn asks_for_help(words: &[Word]) -> bool {
    words.iter().any(|word| word.is("--help") || word.is("-h"))
}

/// `run` and `create`: mounts and rights, then the image and its command.
fn start(run: &mut Run, words: &[Word]) -> Outcome {
    let options = read(words, RUN, Order::First);
    let mut there = Elsewhere::new(run.analyst.world);
    mounts(run, &options, &mut there);
    rights(run, &options);
    let command = inner_command(&options, options.operands.get(1..).unwrap_or_default());
    reach::image_tool(run, &options);
    let mark = run.analyst.mark();
    let command = image::entered(run, &options, command, &mut there);
    let outcome = inside(run, there, options.value("w"), &command);
    data::lost(run, mark, &options);
    reach::shown_files(run, &options, mark);
    // A new container knows only what it was given.
    run.analyst.sift(mark, |effect| !matches!(effect.kind, EffectKind::EnvRead { .. }));
    outcome
}

/// The entry point, if one is given, and the words behind the image.
fn inner_command(options: &Options, words: &[Word]) -> Vec<Word> {
    let entry = options.value("entrypoint").filter(|entry| !entry.is(""));
    entry.into_iter().chain(words).cloned().collect()
}

fn exec(run: &mut Run, options: &Options) -> Outcome {
    let there = Elsewhere::new(run.analyst.world);
    let command = options.operands.get(1..).unwrap_or_default().to_vec();
    let container = options.operands.first().cloned();
    if let Some(container) = &container {
        wiped::wiped(run, container, &command);
    }
    reach::shown_secrets(run, &command);
    let mark = run.analyst.mark();
    let outcome = inside(run, there, options.value("w"), &command);
    data::wiped(run, mark);
    outcome
}

/// Runs a command in another file system. What it does to processes, packages or rights there is not ours.
pub(super) fn inside(run: &mut Run, there: Elsewhere, folder: Option<&Word>, command: &[Word]) -> Outcome {
    if command.is_empty() {
        return run.derived();
    }
    let mark = run.analyst.mark();
    let outer = run.analyst.elsewhere.replace(there);
    let before = run.shell.cwd().clone();
    run.shell.set_cwd(&folder.map_or_else(|| Value::text("/"), Word::value));
    let outcome = run.inner(command);
    run.shell.set_cwd(&before);
    if let Some(there) = std::mem::replace(&mut run.analyst.elsewhere, outer) {
        data::spare(run, mark, &there);
    }
    run.analyst.sift(mark, reaches_out);
    outcome
}

/// Effects that matter although they happen in a container.
fn reaches_out(effect: &Effect) -> bool {
    let stays = |operation: &str| {
        matches!(
            operation,
            "stop-service" | "destroy-storage" | "delete-user" | "change-login" | "remove-package"
        )
    };
    match &effect.kind {
        EffectKind::Process { .. }
        | EffectKind::Privilege { .. }
        | EffectKind::Persist { .. }
        | EffectKind::Install { .. }
        | EffectKind::Weaken { .. }
        | EffectKind::Device { .. } => false,
        EffectKind::EnvRead { what } => *what == EnvUse::All,
        EffectKind::Infra { operation, .. } => !stays(operation),
        _ => true,
    }
}

/// Follows `-v` and `--mount`, and notes those that hand out this machine.
fn mounts(run: &mut Run, options: &Options, there: &mut Elsewhere) {
    let home = run.analyst.world.home();
    let volumes =
        options.values("v").filter_map(|word| volume(word, home).or_else(|| volumes::named(run, word)));
    let mounts =
        options.values("mount").filter_map(|word| mount(word).or_else(|| volumes::mounted(run, word)));
    let devices = options.values("device").map(|word| {
        let path = word.shown();
        let host = path.split(':').next().unwrap_or_default().to_owned();
        Mount { here: Word::literal_at(&host, word.span), there: host, read_only: false }
    });
    for one in volumes.chain(mounts).chain(devices).collect::<Vec<_>>() {
        note_mount(run, &one);
        let resolved = run.shell.resolve(&one.here.value());
        let here = resolved.single().cloned().unwrap_or_else(|| one.here.text.clone());
        there.mount(&one.there, here, one.read_only);
    }
    let kept =
        options.values("v").chain(options.values("mount")).filter(|word| volumes::named(run, word).is_none());
    for one in kept.filter_map(|word| data::named(run, word)).collect::<Vec<_>>() {
        there.mount(&one.there, one.here.text, one.read_only);
    }
}

struct Mount {
    here: Word,
    there: String,
    read_only: bool,
}

/// `host:container[:options]`; a name without a slash is a volume of docker's own.
fn volume(word: &Word, home: &str) -> Option<Mount> {
    let shown = word.shown();
    let is_path = shown.starts_with(['/', '.', '~']) || word.text.prefix().is_empty();
    let (_, rest) = shown.split_once(':')?;
    let (there, options) = rest.split_once(':').unwrap_or((rest, ""));
    let read_only = options.split(',').any(|option| option == "ro" || option == "readonly");
    let here = before_colon(word);
    // People write `~:/data` and mean the home.
    let here = if here.is("~") { Word::literal_at(home, word.span) } else { here };
    (is_path && there.starts_with('/')).then(|| Mount { here, there: there.to_owned(), read_only })
}

fn before_colon(word: &Word) -> Word {
    use tollgate_shell::value::Piece;
    let mut text = Text::default();
    for piece in &word.text.pieces {
        match piece {
            Piece::Text(known) if known.contains(':') => {
                text.push_str(known.split(':').next().unwrap_or_default());
                break;
            }
            other => text.push(other.clone()),
        }
    }
    Word { text, ..word.clone() }
}

/// `type=bind,source=…,target=…[,readonly]`.
fn mount(word: &Word) -> Option<Mount> {
    let shown = word.shown();
    let field = |names: &[&str]| {
        shown
            .split(',')
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| names.contains(name))
            .map(|(_, value)| value)
    };
    if field(&["type"]) != Some("bind") {
        return None;
    }
    let here = field(&["source", "src"])?;
    let there = field(&["target", "dst", "destination"])?;
    let flag = |part: &str| matches!(part, "readonly" | "ro" | "readonly=true" | "ro=true" | "readonly=1");
    let read_only = shown.split(',').any(flag);
    // Unknown parts are shown as `*`; such a source stays unknown.
    let text = if here.contains('*') { word.text.clone() } else { Text::literal(here) };
    let here = Word { text, ..word.clone() };
    Some(Mount { here, there: there.to_owned(), read_only })
}

/// A folder of the machine that a pod is given.
pub(super) fn host_path(run: &mut Run, folder: &str) {
    let here = Word::literal_at(folder, run.call.span);
    note_mount(run, &Mount { here, there: folder.to_owned(), read_only: false });
}

fn note_mount(run: &mut Run, mount: &Mount) {
    for (place, certainty) in run.analyst.places(&mount.here, run.shell) {
        let what = match place.path.as_str() {
            path if is_socket(path) => "mount-socket",
            _ if is_host_itself(&place.path) && mount.read_only => "mount-host-read-only",
            _ if is_host_itself(&place.path) => "mount-host",
            path if path == run.analyst.world.home() && mount.read_only => "mount-host-read-only",
            path if path == run.analyst.world.home() => "mount-host",
            _ if place.zone == tollgate_model::Zone::Secret => "mount-secret",
            _ => continue,
        };
        let kind = EffectKind::Infra {
            tool: InfraTool::Named(run.program.to_owned()),
            operation: what.to_owned(),
            target: place.path,
        };
        run.analyst.push(kind, mount.here.span, certainty);
    }
}

/// Is it the socket by which containers are made?
fn is_socket(path: &str) -> bool {
    ["/docker.sock", "/podman.sock", "/containerd.sock"].iter().any(|end| path.ends_with(end))
}

/// The root and the folders that the system cannot live without.
fn is_host_itself(path: &str) -> bool {
    matches!(
        path,
        "/" | "/etc"
            | "/home"
            | "/root"
            | "/usr"
            | "/bin"
            | "/sbin"
            | "/lib"
            | "/lib64"
            | "/boot"
            | "/dev"
            | "/var"
            | "/var/lib"
            | "/var/lib/docker"
            | "/proc"
            | "/sys"
            | "/opt"
            | "/Users"
            | "/System"
            | "/Library"
            | "/private"
            | "/Volumes"
            | "/mnt"
            | "/media"
            | "/run"
            | "/var/run"
            | "/srv"
    )
}

/// Options that take the walls down.
fn rights(run: &mut Run, options: &Options) {
    let host = |name: &str| options.value(name).is_some_and(|word| word.is("host"));
    let cap = |word: &Word| {
        let name = word.shown().to_ascii_uppercase();
        matches!(
            name.trim_start_matches("CAP_"),
            "ALL" | "SYS_ADMIN" | "SYS_MODULE" | "SYS_RAWIO" | "DAC_READ_SEARCH" | "BPF"
        )
    };
    let disk = |word: &Word| {
        let path = word.shown();
        ["/dev/sd", "/dev/nvme", "/dev/vd", "/dev/mem", "/dev/kmem", "/dev/mapper", "/dev/disk"]
            .iter()
            .any(|start| path.starts_with(start))
    };
    // Without labels a container is what it is on machines that have none: nothing gets out of it by that.
    let unconfined = |word: &Word| {
        let option = word.shown();
        let labels = option.starts_with("label=") || option.starts_with("label:");
        option.contains("unconfined") || option.contains("disable") && !labels
    };
    let on = |word: &&str| options.has(word) && !options.value(word).is_some_and(|value| value.is("false"));
    let how = if on(&"privileged") {
        "--privileged"
    } else if host("pid") {
        "--pid=host"
    } else if host("userns") {
        "--userns=host"
    } else if options.values("cap-add").any(cap) {
        "--cap-add"
    } else if options.values("device").any(disk) {
        "--device"
    } else if options.values("security-opt").any(unconfined) {
        "--security-opt"
    } else {
        return;
    };
    infra(run, "unconfined", how);
}

fn copy(run: &mut Run, words: &[Word]) -> Outcome {
    let options = read(words, "a,archive L,follow-link q,quiet overwrite pause", Order::Anywhere);
    let [from, to] = options.operands.as_slice() else { return run.derived() };
    let (from, to) = (from.clone(), to.clone());
    if !is_remote(&from) && !from.is("-") {
        run.read(&from, true);
    }
    let world = run.analyst.world;
    let is_folder = |(place, _): &(Place, Certainty)| world.kind(&place.path) == FileKind::Dir;
    if is_remote(&to) || to.is("-") {
        return run.derived();
    }
    // All that is in a folder comes over what has its names.
    if from.text.suffix().ends_with("/.") && run.analyst.places(&to, run.shell).iter().any(is_folder) {
        super::archives::extract(run, &to);
    }
    run.analyst.write(&to, WriteMode::Overwrite, None, run.shell);
    run.derived()
}

/// `container:path`, as `docker cp` and `kubectl cp` tell it from a file.
pub(super) fn is_remote(word: &Word) -> bool {
    let shown = word.shown();
    shown.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with(['/', '.', '~']))
}

fn archive(run: &mut Run, verb: &str, words: &[Word]) -> Outcome {
    let options =
        read(words, "o,output= i,input= c,change= m,message= platform= q,quiet format=", Order::Anywhere);
    if let Some(file) = options.value("o").cloned() {
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
    let given = if verb == "import" { options.operands.first() } else { options.value("i") };
    if let Some(file) = given.filter(|file| !file.is("-") && !file.shown().contains("://")).cloned() {
        run.read(&file, false);
    }
    let prints = matches!(verb, "save" | "export") && !options.has("o");
    if prints { Outcome::unknown(crate::analyst::taint::FILE) } else { run.derived() }
}

pub(super) fn compose_alone(run: &mut Run) -> Outcome {
    compose(run, run.args)
}

fn compose(run: &mut Run, words: &[Word]) -> Outcome {
    let global = read(words, COMPOSE, Order::First);
    let Some((verb, rest)) = global.operands.split_first() else { return run.derived() };
    if matches!(verb.shown().as_str(), "config" | "convert") {
        reach::shown_settings(run, &global, rest);
    }
    if global.has("dry-run") || (asks_for_help(rest) && !matches!(verb.shown().as_str(), "run" | "exec")) {
        return run.derived();
    }
    if matches!(verb.shown().as_str(), "up" | "run" | "start" | "create") {
        reach::described(run, &reach::compose_files(run, global.values("f").cloned().collect()));
    }
    let line = Line::read(rest, "t timeout rmi scale", false);
    let volumes = line.has("v") || line.has("volumes");
    match verb.shown().as_str() {
        "run" => {
            let options = read(rest, COMPOSE_RUN, Order::First);
            let mut there = Elsewhere::new(run.analyst.world);
            mounts(run, &options, &mut there);
            rights(run, &options);
            let command = inner_command(&options, options.operands.get(1..).unwrap_or_default());
            let mark = run.analyst.mark();
            let outcome = inside(run, there, options.value("w"), &command);
            data::lost(run, mark, &options);
            data::wiped(run, mark);
            return outcome;
        }
        "exec" => return exec(run, &read(rest, COMPOSE_RUN, Order::First)),
        "down" if volumes => infra(run, "delete-data", "the project's volumes, with all data in them"),
        "rm" if volumes => infra(run, "delete-data", "the project's containers with their volumes"),
        "push" => return registry::push(run, &[]),
        _ => {}
    }
    run.derived()
}
