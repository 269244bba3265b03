//! Containers on other machines, and images that leave their container.

use super::infra;
use crate::commands::Run;
use crate::commands::verbs::Line;
use crate::options::Options;
use crate::word::Word;

/// Another machine's containers are somebody's service: what stops or removes them is asked about.
pub(super) fn far(run: &mut Run, global: &Options, verb: &str, rest: &[Word]) {
    let noun = rest.first().map(Word::shown).unwrap_or_default();
    let ends = matches!(verb, "rm" | "kill" | "stop" | "rmi" | "down" | "prune" | "restart")
        || matches!(noun.as_str(), "rm" | "prune" | "down" | "stop" | "kill" | "remove");
    let set = |name: &str| {
        let own = run.call.assigns.iter().find(|(given, _)| &**given == name).map(|(_, value)| value.clone());
        own.or_else(|| run.shell.variable(name)).and_then(|value| value.as_literal().map(str::to_owned))
    };
    let host =
        global.value("H").map(Word::shown).or_else(|| set("DOCKER_HOST")).or_else(|| set("CONTAINER_HOST"));
    let host = host.filter(|host| host.starts_with("tcp://") || host.starts_with("ssh://"));
    let host = host.filter(|host| !crate::url::is_this_machine(&crate::url::host(host)));
    let context = global.value("c").map(Word::shown).or_else(|| set("DOCKER_CONTEXT"));
    let context = context.filter(|name| {
        !matches!(name.as_str(), "default" | "desktop-linux" | "rootless" | "colima" | "orbstack")
    });
    if let Some(place) = host.or(context).filter(|_| ends) {
        infra(run, "delete", &format!("containers on `{place}`"));
    }
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
