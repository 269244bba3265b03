//! Which command of a script gives it its exit status.

use tollgate_model::Span;
use tollgate_shell::ast::{
    AndOr, AssignValue, Command, CommandKind, Item, Part, Pipeline, Script, Simple, Word,
};
use tollgate_shell::parse;

/// Builtins that change what a name means, or what becomes of the status.
const MEDDLING: [&str; 9] =
    ["trap", "alias", "eval", "hash", "enable", "exec", "function", "unalias", "shopt"];

/// The place of the command whose status is the whole text's, when that is certain: the last one, in no pipe, before
/// no `||` and not in the background, with nothing before it that could change what its name means.
#[must_use]
pub fn status_of(text: &str) -> Option<Span> {
    let script = parse(text, tollgate_shell::ast::Dialect::default());
    in_script(&script)
}

fn in_script(script: &Script) -> Option<Span> {
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
    match deciding.stages.as_slice() {
        [only] => in_command(&only.command),
        _ => None,
    }
}

fn in_command(command: &Command) -> Option<Span> {
    match &command.kind {
        CommandKind::Simple(simple) if is_harmless(simple) => Some(command.span),
        CommandKind::Group(script) | CommandKind::Subshell(script) => in_script(script),
        _ => None,
    }
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
            let found = status_of(text).map(|span| span.of(text));
            assert_eq!(found, expected, "{text}");
        }
    }
}
