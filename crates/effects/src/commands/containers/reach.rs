//! Containers on other machines, and images that leave their container.

use tollgate_model::{Certainty, Effect, EffectKind, FileKind, Place};

use tollgate_shell::eval::Outcome;

use super::{infra, inside};
use crate::analyst::taint;
use crate::commands::Run;
use crate::commands::verbs::Line;
use crate::elsewhere::Elsewhere;
use crate::options::Options;
use crate::word::Word;

/// Another machine's containers are somebody's service: what stops or removes them is asked about.
pub(super) fn far(run: &mut Run, global: &Options, verb: &str, rest: &[Word]) {
    let noun = Line::read(rest, "p project-name f file profile env-file project-directory", false).verb(0);
    let ends = matches!(verb, "rm" | "kill" | "stop" | "rmi" | "down" | "prune" | "restart")
        || matches!(noun.as_str(), "rm" | "prune" | "down" | "stop" | "kill" | "remove");
    let set = |name: &str| run.variable(name).and_then(|value| value.as_literal().map(str::to_owned));
    let host =
        global.value("H").map(Word::shown).or_else(|| set("DOCKER_HOST")).or_else(|| set("CONTAINER_HOST"));
    let host = host.filter(|host| host.starts_with("tcp://") || host.starts_with("ssh://"));
    let host = host.filter(|host| !crate::url::is_this_machine(&crate::url::host(host)));
    let context = global.value("c").map(Word::shown).or_else(|| set("DOCKER_CONTEXT"));
    let context = context.or_else(|| run.analyst.docker_context.clone());
    let context = context.filter(|name| {
        !matches!(name.as_str(), "default" | "desktop-linux" | "rootless" | "colima" | "orbstack")
    });
    if let Some(place) = host.or(context).filter(|_| ends) {
        infra(run, "delete", &format!("containers on `{place}`"));
    }
}

/// `context use name`: what follows in the call is told to another machine.
pub(super) fn switched(run: &mut Run, rest: &[Word]) -> Outcome {
    if let [verb, name, ..] = rest
        && verb.is("use")
    {
        run.analyst.docker_context = Some(name.shown());
    }
    run.derived()
}

/// A plugin of the engine runs with its rights; one from the engine's own registry is somebody's release.
pub(super) fn plugin(run: &mut Run, rest: &[Word]) -> Outcome {
    let line = Line::read(rest, "alias", false);
    let image = line.verb(1);
    let host = image.split_once('/').map_or("", |(host, _)| host);
    let strange = host.contains(['.', ':']) && !["docker.io", "ghcr.io", "quay.io"].contains(&host);
    if line.verb(0) == "install" && strange {
        let address = Word::literal_at(&format!("https://{image}"), run.call.span);
        crate::commands::packages::install(run, "docker", &address);
    }
    run.derived()
}

/// What a container or a pod is given as a secret lies in files of a folder of its own, and is shown here if the command
/// prints what it reads there.
pub(in crate::commands) fn shown_secrets(run: &mut Run, command: &[Word]) {
    // Within a container that is looked at so, another one says nothing new.
    if run.analyst.elsewhere.as_ref().is_some_and(Elsewhere::is_watched) {
        return;
    }
    let mark = run.analyst.mark();
    let there = Elsewhere::new(run.analyst.world).watched();
    let printed = run.captured(|run| inside(run, there.clone(), None, command));
    let read = run.analyst.since(mark).iter().find_map(|effect| match &effect.kind {
        EffectKind::Read { place, .. } if there.is_secret(place) => Some(place.shown.clone()),
        _ => None,
    });
    run.analyst.sift(mark, |_| false);
    if let Some(file) = read.filter(|_| taint::has(printed.taint, taint::SECRET)) {
        infra(run, "read-secret", &file);
    }
}

/// The compose files that the words name, else the variable.
pub(super) fn compose_files(run: &Run, named: Vec<Word>) -> Vec<Word> {
    let set = |name: &str| run.variable(name).and_then(|value| value.as_literal().map(str::to_owned));
    let Some(files) = set("COMPOSE_FILE").filter(|files| named.is_empty() && !files.is_empty()) else {
        return named;
    };
    let mark =
        set("COMPOSE_PATH_SEPARATOR").filter(|mark| !mark.is_empty()).unwrap_or_else(|| ":".to_owned());
    files.split(&mark).map(|file| Word::literal_at(file, run.call.span)).collect()
}

/// `docker build -o dir` writes files of the image to this machine; `--allow` takes its confinement away.
pub(super) fn build(run: &mut Run, words: &[Word]) {
    let line = Line::read(
        words,
        "o output allow f file t tag build-arg target platform cache-from cache-to secret",
        false,
    );
    if line.values(&["allow"]).any(|word| word.text.prefix().starts_with("security")) {
        infra(run, "unconfined", "--allow security.insecure");
    }
    super::image::built(run, &line);
    for output in line.values(&["o", "output"]).cloned().collect::<Vec<_>>() {
        let shown = output.shown();
        let folder = match shown.split(',').find_map(|part| part.strip_prefix("dest=")) {
            Some(dest) => Word::literal_at(dest, output.span),
            None if shown.contains('=') || shown == "-" => continue,
            None => output,
        };
        crate::commands::archives::extract(run, &folder);
    }
}

/// An image named for a tool (`hashicorp/terraform`) starts that tool with the words behind it.
pub(super) fn image_tool(run: &mut Run, options: &Options) {
    let Some((image, words)) = options.operands.split_first().filter(|_| !options.has("entrypoint")) else {
        return;
    };
    let shown = image.shown();
    let name = shown.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
    let name = name.trim_end_matches("-cli");
    crate::commands::network::opened_by_image(run, &shown, words);
    if let Some(tool) = crate::commands::verbs::find(name).filter(|_| !words.iter().any(|word| word.is(name)))
    {
        crate::commands::verbs::judge(run, tool, words);
    }
}

/// What a container starts: an image whose own program is known starts it with the words behind, unless they name
/// another.
pub(super) fn entered(options: &Options, command: Vec<Word>) -> Vec<Word> {
    let Some(image) = options.operands.first().filter(|_| !options.has("entrypoint")) else { return command };
    let Some(first) = command.first() else { return command };
    let shown = image.shown();
    let name = shown.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
    let name = name.trim_end_matches("-cli");
    let other = first.literal().is_none_or(crate::commands::is_command);
    let own = first.text.prefix().starts_with('-') || (crate::commands::is_command(name) && !other);
    if !own {
        return command;
    }
    std::iter::once(Word::literal_at(name, image.span)).chain(command).collect()
}

/// `compose config` prints the settings with every variable in its place, those of `.env` too.
pub(super) fn shown_settings(run: &mut Run, global: &Options, words: &[Word]) {
    let quiet =
        ["-q", "--quiet", "--services", "--volumes", "--images", "--profiles", "--hash", "--no-interpolate"];
    if words.iter().any(|word| quiet.iter().any(|flag| word.text.prefix().starts_with(flag))) {
        return;
    }
    let described: Vec<Word> = match global.values("f").cloned().collect::<Vec<_>>() {
        named if named.is_empty() => USUAL.iter().map(|name| Word::literal_at(name, run.call.span)).collect(),
        named => named,
    };
    let texts: Vec<String> = described
        .iter()
        .filter_map(|file| run.analyst.script(file, run.shell)?.as_literal().map(str::to_owned))
        .collect();
    // What nothing refers to is not shown.
    if !texts.is_empty() && !texts.iter().any(|text| text.contains('$') || text.contains("env_file")) {
        return;
    }
    let mut files: Vec<Word> = global.values("env-file").cloned().collect();
    let usual = Word::literal_at(".env", run.call.span);
    let there = |(place, _): &(Place, Certainty)| run.analyst.world.kind(&place.path) == FileKind::File;
    if files.is_empty() && run.analyst.places(&usual, run.shell).iter().any(there) {
        files.push(usual);
    }
    files.iter().for_each(|file| drop(run.read(file, false)));
}

/// A container that prints its environment prints the files that it was made from.
pub(super) fn shown_files(run: &mut Run, options: &Options, mark: usize) {
    let prints = |effect: &Effect| matches!(effect.kind, EffectKind::EnvRead { .. });
    if run.analyst.told_loaded || run.analyst.since(mark).iter().any(prints) {
        for file in options.values("env-file").cloned().collect::<Vec<_>>() {
            run.read(&file, false);
        }
    }
}

/// The files that compose takes when none is named.
const USUAL: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
];

/// A compose file that comes from this call, or from a place where anybody may write.
pub(super) fn described(run: &mut Run, files: &[Word]) {
    let usual: Vec<Word> = USUAL.iter().map(|name| Word::literal_at(name, run.call.span)).collect();
    for file in if files.is_empty() { &usual } else { files } {
        run.analyst.recall(file, run.shell);
        let read = |run: &mut Run, text: &str| {
            super::described(run, text);
            super::started(run, text);
        };
        match run.stdin().filter(|_| file.is("-")).and_then(|text| text.as_literal().map(str::to_owned)) {
            Some(text) => read(run, &text),
            None => run.with_written(file, read),
        }
    }
}
