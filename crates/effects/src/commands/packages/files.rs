//! Packages that are files of this machine.

use super::install;
use crate::commands::Run;
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
