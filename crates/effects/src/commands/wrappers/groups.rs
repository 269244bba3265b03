//! Commands with the rights of another group.

use tollgate_shell::eval::Outcome;

use super::super::{Run, interpreters};
use crate::options::{Order, read};
use crate::word::Word;

/// `sg group command`, or a shell that reads its input; `sg run …` is ast-grep by its short name.
pub(in crate::commands) fn sg(run: &mut Run) -> Outcome {
    const VERBS: &[&str] = &["run", "scan", "test", "new", "lsp", "completions", "help"];
    let names_command = run.args.iter().any(|word| word.is("-c") || word.is("--command"));
    let is_verb = |word: &Word| VERBS.iter().any(|verb| word.is(verb)) || word.text.prefix().starts_with("-");
    if run.args.first().is_some_and(is_verb) && !names_command {
        let name = Word::literal_at("ast-grep", run.call.span);
        return run.inner(&[std::slice::from_ref(&name), run.args].concat());
    }
    let options = read(run.args, "c,command=", Order::Anywhere);
    match options.operands.get(1).or(options.value("c")).cloned() {
        Some(text) => interpreters::code(run, &text.value(), text.span),
        None => interpreters::stdin_code(run),
    }
}
