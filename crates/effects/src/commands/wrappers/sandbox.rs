//! `bwrap`: a command in a file system that is put together from parts of this one.

use tollgate_shell::eval::Outcome;

use super::super::{Run, containers};
use crate::elsewhere::Elsewhere;
use crate::word::Word;

/// Options with one word behind them.
const ONE: &[&str] = &[
    "args",
    "argv0",
    "level-prefix",
    "userns",
    "userns2",
    "pidns",
    "uid",
    "gid",
    "hostname",
    "chdir",
    "unsetenv",
    "lock-file",
    "sync-fd",
    "remount-ro",
    "exec-label",
    "file-label",
    "proc",
    "dev",
    "tmpfs",
    "mqueue",
    "dir",
    "seccomp",
    "add-seccomp-fd",
    "block-fd",
    "userns-block-fd",
    "info-fd",
    "json-status-fd",
    "cap-add",
    "cap-drop",
    "perms",
    "size",
    "overlay-src",
    "tmp-overlay",
    "ro-overlay",
];

/// Options with two.
const TWO: &[&str] = &[
    "bind",
    "bind-try",
    "dev-bind",
    "dev-bind-try",
    "ro-bind",
    "ro-bind-try",
    "bind-fd",
    "ro-bind-fd",
    "file",
    "bind-data",
    "ro-bind-data",
    "symlink",
    "setenv",
    "chmod",
];

pub(in crate::commands) fn bwrap(run: &mut Run) -> Outcome {
    let mut there = Elsewhere::new(run.analyst.world);
    let mut folder = None;
    // It keeps nothing out that would be lost.
    let mut open = false;
    let mut rest = run.args.iter();
    let mut command: Vec<Word> = Vec::new();
    while let Some(word) = rest.next() {
        let shown = word.shown();
        let Some(name) = shown.strip_prefix("--").filter(|name| !name.is_empty()) else {
            command.extend((!word.is("--")).then(|| word.clone()));
            command.extend(rest.cloned());
            break;
        };
        if name == "overlay" {
            rest.nth(2);
        } else if TWO.contains(&name) {
            if let (Some(here), Some(at)) = (rest.next(), rest.next())
                && name.contains("bind")
                && !name.ends_with("fd")
                && !name.ends_with("data")
            {
                there.mount(&at.shown(), here.text.clone(), name.starts_with("ro-bind"));
                open |=
                    name.starts_with("dev-bind") || name.starts_with("bind") && here.is("/") && at.is("/");
            }
        } else if ONE.contains(&name) {
            let value = rest.next();
            folder = if name == "chdir" { value.cloned() } else { folder };
        }
    }
    if open && !command.is_empty() {
        let before = run.shell.cwd().clone();
        folder.iter().for_each(|folder| run.shell.set_cwd(&folder.value()));
        let outcome = run.inner(&command);
        run.shell.set_cwd(&before);
        return outcome;
    }
    let here = Word {
        text: run.shell.cwd().single().cloned().unwrap_or_default(),
        ..Word::literal_at("", run.call.span)
    };
    containers::inside(run, there, Some(&folder.unwrap_or(here)), &command)
}
