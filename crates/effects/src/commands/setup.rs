//! Tools that print shell code for the shell to run, to set itself up: `eval "$(ssh-agent -s)"`,
//! `source <(kubectl completion bash)`.

use tollgate_catalogue::{Role, Use};
use tollgate_shell::value::Taint;

use super::Run;
use crate::analyst::{call_taint, taint};
use crate::catalogue;
use crate::word::Word;

/// The mark of what such a tool prints, if the command is one and nothing else goes into it.
pub(super) fn marks(run: &Run) -> Taint {
    // Behind the name of a profile, as of minikube, comes the verb.
    let args = match run.args {
        [option, _, rest @ ..] if option.is("-p") || option.is("--profile") => rest,
        args => args,
    };
    let first = args.first().and_then(Word::literal).unwrap_or_default();
    let prints = |way: &Use| {
        let words = way.call.first().copied().unwrap_or(way.with);
        way.role == Role::PrintsSetup && (words.is_empty() || words.contains(&first))
    };
    let named = catalogue::uses(run.program).iter().any(prints);
    let completes = matches!(first, "completion" | "completions" | "generate-shell-completion")
        && (super::is_command(run.program) || !run.path.contains('/'));
    if (named || completes) && call_taint(run.call).is_empty() { taint::SETUP } else { Taint::NONE }
}
