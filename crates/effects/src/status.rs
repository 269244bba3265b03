//! Which command of a script gives it its exit status.

use tollgate_model::Span;
use tollgate_shell::ast::{
    AndOr, AssignValue, Command, CommandKind, Item, Part, Pipeline, Script, Simple, Word,
};
use tollgate_shell::parse;

/// Builtins that change what a name means, or what becomes of the status.
const MEDDLING: [&str; 9] =
    ["trap", "alias", "eval", "hash", "enable", "exec", "function", "unalias", "shopt"];

/// Programs that only pass on what they are given, or a part of it.
const PASSING: [&str; 6] = ["tee", "cat", "tail", "head", "grep", "egrep"];

const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// The command whose status is that of a whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deciding {
    /// Where it stands.
    pub span: Span,
    /// Its words; one that is not known before it runs is empty.
    pub words: Vec<String>,
}

/// The command whose status is the whole text's, when that is certain: the last one, in no pipe unless `pipefail` is
/// set, before no `||` and not in the background, with nothing before it that could change what its name means.
#[must_use]
pub fn status_of(text: &str) -> Option<Deciding> {
    in_text(text, 0)
}

fn in_text(text: &str, depth: u8) -> Option<Deciding> {
    let script = parse(text, tollgate_shell::ast::Dialect::default());
    in_script(&script, false, depth)
}

fn in_script(script: &Script, pipefail: bool, depth: u8) -> Option<Deciding> {
    let (last, before) = script.items.split_last().filter(|_| script.problems.is_empty())?;
    let plain = before.iter().all(|item| pipelines(item).all(is_plain));
    if !plain || last.background || last.rest.iter().any(|(link, _)| *link == AndOr::Or) {
        return None;
    }
    let all: Vec<&Pipeline> = pipelines(last).collect();
    let (deciding, earlier) = all.split_last()?;
    if deciding.negated || !earlier.iter().all(|pipeline| is_plain(pipeline)) {
        return None;
    }
    let mut done = before.iter().flat_map(pipelines).chain(earlier.iter().copied());
    let pipefail = pipefail || done.any(sets_pipefail);
    let (first, behind) = deciding.stages.split_first()?;
    let passed_on = behind.iter().all(|stage| pipefail && passes_on(&stage.command));
    passed_on.then(|| in_command(&first.command, pipefail, depth))?
}

fn in_command(command: &Command, pipefail: bool, depth: u8) -> Option<Deciding> {
    match &command.kind {
        CommandKind::Simple(simple) if is_harmless(simple) => {
            let words: Vec<String> =
                simple.words.iter().map(|word| literal(word).unwrap_or_default()).collect();
            match code(&words) {
                Some(text) if depth < 3 => {
                    in_text(text, depth + 1).map(|inner| Deciding { span: command.span, ..inner })
                }
                Some(_) => None,
                None => Some(Deciding { span: command.span, words }),
            }
        }
        CommandKind::Group(script) | CommandKind::Subshell(script) => in_script(script, pipefail, depth),
        _ => None,
    }
}

/// The code that a shell is given: `bash -lc '…'`.
fn code(words: &[String]) -> Option<&str> {
    let (program, args) = words.split_first()?;
    let shell = SHELLS.contains(&program.rsplit('/').next().unwrap_or(program));
    let option = args
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    args.get(option + 1).filter(|_| shell).map(String::as_str)
}

fn sets_pipefail(pipeline: &Pipeline) -> bool {
    let [stage] = pipeline.stages.as_slice() else { return false };
    let CommandKind::Simple(simple) = &stage.command.kind else { return false };
    let words: Vec<String> = simple.words.iter().map(|word| literal(word).unwrap_or_default()).collect();
    matches!(words.as_slice(), [set, options @ .., last] if set == "set" && last == "pipefail"
        && options.last().is_some_and(|option| option.starts_with('-') && option.ends_with('o')))
}

fn passes_on(command: &Command) -> bool {
    let CommandKind::Simple(simple) = &command.kind else { return false };
    let first = simple.words.first().and_then(literal).unwrap_or_default();
    is_harmless(simple) && PASSING.contains(&first.as_str())
}

fn pipelines(item: &Item) -> impl Iterator<Item = &Pipeline> {
    std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline))
}

fn is_plain(pipeline: &Pipeline) -> bool {
    pipeline.stages.iter().all(|stage| match &stage.command.kind {
        CommandKind::Simple(simple) => is_harmless(simple),
        _ => false,
    })
}

/// Neither meddles with the shell nor with where programs are found.
fn is_harmless(simple: &Simple) -> bool {
    let paths = simple.assigns.iter().all(|assign| {
        let scalar = matches!(assign.value, AssignValue::Scalar(_));
        scalar && !matches!(assign.name.as_str(), "PATH" | "BASH_ENV" | "ENV" | "LD_PRELOAD")
    });
    let words: Vec<Option<String>> = simple.words.iter().map(literal).collect();
    let first = words.first().cloned().flatten().unwrap_or_default();
    let second = words.get(1).cloned().flatten().unwrap_or_default();
    let sourced = matches!(first.as_str(), "source" | ".") && !second.ends_with("bin/activate");
    let exported = words.iter().flatten().any(|word| word.starts_with("PATH="));
    paths && !sourced && !exported && !MEDDLING.contains(&first.as_str())
}

fn literal(word: &Word) -> Option<String> {
    let texts = word.parts.iter().map(|part| match part {
        Part::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Option<String>>()
}

#[cfg(test)]
mod tests {
    use super::status_of;

    #[test]
    fn a_shells_own_code_is_looked_into() {
        for (text, expected) in [
            ("bash -lc 'cd a && pytest -q'", Some("pytest -q")),
            ("sh -c 'pytest || true'", None),
            ("sh -c 'pytest >/dev/null; echo 1 passed in 1s'", Some("echo 1 passed in 1s")),
            ("bash -c \"bash -c 'cargo test'\"", Some("cargo test")),
        ] {
            let found = status_of(text).map(|found| found.words.join(" "));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_last_command_decides() {
        for (text, expected) in [
            ("pytest -q", Some("pytest -q")),
            ("cd a && pytest", Some("pytest")),
            ("cd a; X=1 pytest -x 2>&1", Some("X=1 pytest -x 2>&1")),
            ("source .venv/bin/activate && pytest", Some("pytest")),
            ("(cd a && cargo test)", Some("cargo test")),
            ("pytest || true", None),
            ("pytest; true", Some("true")),
            ("pytest | tee log", None),
            ("cd x && cargo test 2>&1 | tail -5", None),
            ("set -o pipefail; pytest -q | tee log", Some("pytest -q")),
            ("set -euo pipefail && cargo test 2>&1 | tail -5", Some("cargo test 2>&1")),
            ("(set -o pipefail; pytest | tail -1)", Some("pytest")),
            ("set -o pipefail; pytest | sed s/failed/passed/", None),
            ("set -o pipefail; echo x | pytest", None),
            ("set +o pipefail; pytest | tee log", None),
            ("! pytest", None),
            ("pytest &", None),
            ("pytest() { return 1; }; pytest", None),
            ("alias pytest=false; pytest", None),
            ("PATH=.:$PATH pytest", None),
            ("export PATH=.; pytest", None),
            ("trap 'exit 0' EXIT; pytest", None),
            ("source x.sh && pytest", None),
            ("if pytest; then :; fi", None),
            ("pytest '", None),
            ("", None),
        ] {
            let found = status_of(text).map(|found| found.span.of(text));
            assert_eq!(found, expected, "{text}");
        }
    }
}
