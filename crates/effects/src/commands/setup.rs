//! Tools that print shell code for the shell to run, to set itself up: `eval "$(ssh-agent -s)"`,
//! `source <(kubectl completion bash)`. A catalogue.

use tollgate_shell::value::Taint;

use super::Run;
use crate::analyst::{call_taint, taint};
use crate::names::{Names, index};
use crate::word::Word;

/// Programs, with the first words that make them print code; none means always.
const TOOLS: &[(&[&str], &[&str])] = &[
    (&["ssh-agent", "dircolors", "keychain", "lesspipe", "lesspipe.sh", "resize", "tset", "getopt"], &[]),
    (&["direnv"], &["hook", "export"]),
    (
        &["pyenv", "rbenv", "nodenv", "goenv", "plenv", "jenv", "phpenv", "phpbrew", "swiftenv", "luaenv"],
        &["init", "virtualenv-init", "sh-shell", "hook-env"],
    ),
    (&["brew"], &["shellenv"]),
    (&["fnm"], &["env", "completions"]),
    (&["mise", "rtx"], &["activate", "env", "hook-env"]),
    (
        &["zoxide", "starship", "atuin", "mcfly", "oh-my-posh", "navi", "broot"],
        &["init", "widget", "gen-completions"],
    ),
    (&["conda", "mamba", "micromamba"], &["shell.bash", "shell.zsh", "shell.posix", "shell"]),
    (&["opam"], &["env", "config"]),
    (&["luarocks"], &["path"]),
    (&["docker-machine"], &["env"]),
    (&["minikube"], &["docker-env", "podman-env"]),
    (&["poetry", "hatch"], &["env"]),
    (&["thefuck"], &["--alias", "-a"]),
    (&["register-python-argcomplete"], &[]),
    (&["ssh-find-agent"], &[]),
    (&["fzf"], &["--bash", "--zsh"]),
    (&["vfox"], &["activate"]),
    (&["pixi"], &["shell-hook"]),
    (&["devbox"], &["shellenv", "global"]),
    (&["gpgconf"], &[]),
];

static PROGRAMS: Names<128> = index!(TOOLS, (programs, _) => programs);

/// The mark of what such a tool prints, if the command is one and nothing else goes into it.
pub(super) fn marks(run: &Run) -> Taint {
    // Behind the name of a profile, as of minikube, comes the verb.
    let args = match run.args {
        [option, _, rest @ ..] if option.is("-p") || option.is("--profile") => rest,
        args => args,
    };
    let first = args.first().and_then(Word::literal).unwrap_or_default();
    let named = PROGRAMS
        .rows(TOOLS, run.program, |(names, _)| names)
        .any(|(_, words)| words.is_empty() || words.contains(&first));
    let completes = matches!(first, "completion" | "completions" | "generate-shell-completion")
        && (super::is_command(run.program) || !run.path.contains('/'));
    if (named || completes) && call_taint(run.call).is_empty() { taint::SETUP } else { Taint::NONE }
}
