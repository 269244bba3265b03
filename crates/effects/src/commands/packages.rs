//! Package managers: what they install and from where, what they publish, what they remove.

pub(super) mod addresses;
mod backend;
mod essential;
mod files;
pub(super) mod indexes;
mod node;
mod told;

use tollgate_model::{Certainty, EffectKind, WriteMode};

use super::Run;
use super::verbs::{Deed, Line};
use crate::indexes::is_known_index;
use crate::word::Word;
pub(super) use essential::is_essential;
use indexes::index;
pub(super) use told::operands;

/// Changes where packages come from.
pub(super) const INDEX: Deed = Deed::ChangesPackageIndex;

/// What managers install and from where.
pub(super) fn notice(run: &mut Run) {
    addresses::notice(run);
    match run.program {
        "pip" | "pip3" | "pipx" => python(run, run.args, "pip"),
        "uv" => uv(run),
        "npm" | "pnpm" | "yarn" | "bun" => node::notice(run),
        "poetry" | "pdm" | "rye" => {
            plain(run, &["add"], "C directory P project G group E extras source python")
        }
        "cargo" => cargo(run),
        "go" => {
            plain(run, &["install", "get"], "C mod modfile overlay p");
            indexes::go_module(run);
        }
        "gem" => gem(run),
        "composer" => plain(run, &["require"], "d working-dir"),
        "brew" if run.args.first().is_some_and(|verb| verb.is("tap")) => {
            if let Some(address) = run.args.get(2).cloned() {
                install(run, "brew", &address);
            }
        }
        "brew" | "apt" | "apt-get" | "dnf" | "yum" | "apk" | "snap" | "flatpak" | "zypper" => {
            plain(run, &["install", "add", "in"], "o t c X repository");
        }
        "dpkg" | "rpm" | "pacman" | "yay" | "paru" | "installer" => files::install_files(run),
        "conda" | "mamba" | "micromamba" => {
            plain(run, &["install", "create"], "n name p prefix c channel f file");
            indexes::channel(run);
        }
        program => {
            let version = program
                .strip_prefix("pip")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if version {
                python(run, run.args, "pip");
            }
        }
    }
}

pub(super) fn install(run: &mut Run, manager: &str, package: &Word) {
    bring(run, manager, package, false);
}

/// A package that is fetched to be run at once.
pub(super) fn start(run: &mut Run, manager: &str, package: &Word) {
    bring(run, manager, package, true);
}

fn bring(run: &mut Run, manager: &str, package: &Word, runs: bool) {
    let certainty = if package.literal().is_some() { Certainty::Certain } else { Certainty::Possible };
    let kind = EffectKind::Install { manager: manager.to_owned(), package: package.shown(), runs };
    run.analyst.push(kind, package.span, certainty);
    if files::names_file(&package.shown()) {
        run.analyst.recall_package(package, run.shell);
    }
}

const PIP_VALUES: &str = "python r requirement c constraint e editable t target platform python-version implementation abi \
    root prefix src upgrade-strategy C config-settings global-option no-binary only-binary progress-bar root-user-action report \
    group i index-url extra-index-url f find-links trusted-host log proxy retries timeout exists-action cert client-cert \
    cache-dir index default-index p spec";

fn python(run: &mut Run, words: &[Word], manager: &str) {
    let line = Line::read(words, PIP_VALUES, false);
    for list in line.values(&["r", "requirement"]).cloned().collect::<Vec<_>>() {
        if list.text.prefix().contains("://") {
            install(run, manager, &list);
        } else {
            files::required(run, manager, &list);
        }
    }
    // `pipx run --spec address tool`.
    for package in line.values(&["spec"]).cloned().collect::<Vec<_>>() {
        start(run, manager, &package);
    }
    if !matches!(line.verb(0).as_str(), "install" | "download" | "wheel" | "inject") || line.has("dry-run") {
        return;
    }
    for from in
        line.values(&["i", "index-url", "extra-index-url", "index", "default-index", "f", "find-links"])
    {
        let from = from.shown();
        if !is_known_index(&from) && from.contains("://") {
            index(run, &from);
        }
    }
    for host in line.values(&["trusted-host"]).map(Word::shown) {
        index(run, &format!("--trusted-host {host}"));
    }
    let editable = || line.values(&["e", "editable"]);
    for package in line.operands.iter().skip(1).chain(editable().filter(|word| word.shown().contains("://")))
    {
        install(run, manager, package);
    }
    for folder in line.operands.iter().skip(1).chain(editable()).cloned().collect::<Vec<_>>() {
        backend::built(run, &folder);
    }
}

fn uv(run: &mut Run) {
    let line = Line::read(run.args, PIP_VALUES, false);
    match line.verb(0).as_str() {
        "pip" => {
            let at = run.args.iter().position(|word| word.is("pip")).map_or(0, |at| at + 1);
            python(run, run.args.get(at..).unwrap_or_default(), "uv");
        }
        "add" => line.operands.iter().skip(1).for_each(|package| install(run, "uv", package)),
        "tool" if line.verb(1) == "install" => {
            line.operands.iter().skip(2).for_each(|package| install(run, "uv", package));
        }
        _ => {}
    }
}

fn plain(run: &mut Run, verbs: &[&str], values: &str) {
    let line = Line::read(run.args, values, false);
    if !verbs.contains(&line.verb(0).as_str()) || line.has("dry-run") || line.has("s") {
        return;
    }
    let manager = run.program.to_owned();
    line.operands.iter().skip(1).for_each(|package| install(run, &manager, package));
}

fn cargo(run: &mut Run) {
    let values = "git branch tag rev path root registry index version vers target-dir F features target j jobs profile bin example";
    let toolchain = run.args.first().is_some_and(|word| word.text.prefix().starts_with('+'));
    let line = Line::read(run.args.get(usize::from(toolchain)..).unwrap_or_default(), values, false);
    if !matches!(line.verb(0).as_str(), "install" | "add") {
        return;
    }
    for url in line.values(&["git"]) {
        let word = Word { text: prefixed("git+", url), ..url.clone() };
        install(run, "cargo", &word);
    }
    for from in line.values(&["index"]).map(Word::shown) {
        index(run, &from);
    }
    line.operands.iter().skip(1).for_each(|package| install(run, "cargo", package));
    let folders: Vec<Word> = line.values(&["path"]).cloned().collect();
    if line.verb(0) == "install" && folders.iter().any(|folder| files::makes_gate(run, folder)) {
        let file = Word::literal_at(
            &format!("{}/.cargo/bin/{}", run.analyst.world.home(), files::GATE),
            run.call.span,
        );
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
}

fn prefixed(prefix: &str, word: &Word) -> tollgate_shell::value::Text {
    let mut text = tollgate_shell::value::Text::literal(prefix);
    text.append(&word.text);
    text
}

fn gem(run: &mut Run) {
    let values = "v version s source i install-dir n bindir P trust-policy p http-proxy platform";
    let line = Line::read(run.args, values, false);
    if !matches!(line.verb(0).as_str(), "install" | "i") {
        return;
    }
    for from in line.values(&["s", "source"]).map(Word::shown) {
        if !is_known_index(from.trim_end_matches('/')) {
            index(run, &from);
        }
    }
    line.operands.iter().skip(1).for_each(|package| install(run, "gem", package));
}
