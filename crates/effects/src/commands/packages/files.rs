//! Packages that are files of this machine.

use super::indexes::index;
use super::install;
use crate::commands::Run;
use crate::indexes::is_known_index;
use crate::word::Word;

/// Managers that are told by an option to install files: `dpkg -i`, `rpm -Uvh`, `pacman -U`, `installer -pkg`.
pub(super) fn install_files(run: &mut Run) {
    let told = |word: &Word| {
        let text = word.shown();
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        match run.program {
            "dpkg" => short.starts_with('i') || matches!(text.as_str(), "--install" | "--unpack"),
            "rpm" => {
                short.contains(['i', 'U', 'F']) && !short.contains(['q', 'V', 'K', 'e'])
                    || matches!(text.as_str(), "--install" | "--upgrade" | "--freshen" | "--reinstall")
            }
            "installer" => matches!(short, "pkg" | "package"),
            _ => short.starts_with('U') || text == "--upgrade",
        }
    };
    if !run.args.iter().any(told) {
        return;
    }
    let manager = run.program.to_owned();
    let packages: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    packages.iter().for_each(|package| install(run, &manager, package));
}

/// The packages of a list that this session has made itself: `pip install -r <(…)`.
pub(super) fn required(run: &mut Run, manager: &str, list: &Word) {
    let made = run.analyst.own_text(list, run.shell);
    let Some(text) = made.and_then(|made| made.as_literal().map(str::to_owned)) else {
        return;
    };
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let option = ["-i ", "--index-url ", "--extra-index-url ", "-f ", "--find-links "]
            .iter()
            .find_map(|option| line.strip_prefix(option));
        match (option, line.split_once('@').filter(|(_, address)| address.contains("://"))) {
            (Some(address), _) if !is_known_index(address.trim()) => index(run, address.trim()),
            (Some(_), _) => {}
            (None, Some((_, address))) => install(run, manager, &Word::literal_at(address.trim(), list.span)),
            (None, None) if line.is_empty() => {}
            (None, None) => install(run, manager, &Word::literal_at(line, list.span)),
        }
    }
}

/// A package that is a file or a folder, by how its name looks.
pub(super) fn names_file(package: &str) -> bool {
    let ends = [
        ".deb", ".rpm", ".apk", ".whl", ".tgz", ".gz", ".xz", ".zst", ".bz2", ".zip", ".gem", ".rb", ".snap",
        ".pkg", ".flatpak",
    ];
    !package.contains("://")
        && (package.starts_with(['.', '/', '~'])
            || package.contains('/')
            || ends.iter().any(|end| package.ends_with(end)))
}

/// The gate's own program.
pub(super) const GATE: &str = "tollgate";

/// Does the package in a folder make a program that is called like the gate?
pub(super) fn makes_gate(run: &mut Run, folder: &Word) -> bool {
    let mut text = folder.text.clone();
    text.push_str("/Cargo.toml");
    let manifest = Word { text, ..folder.clone() };
    let manifest = run.analyst.script(&manifest, run.shell);
    let names = |line: &str| {
        line.split_once('=')
            .is_some_and(|(key, name)| key.trim() == "name" && name.trim().trim_matches(['"', '\'']) == GATE)
    };
    manifest.is_some_and(|text| text.as_literal().is_some_and(|text| text.lines().any(names)))
}
