//! Pieces of a makefile's lines: calls of functions, names, marks.

/// Does a line of a recipe run even where recipes are only shown?
pub(super) fn runs_always(line: &str) -> bool {
    let marks = line.len() - line.trim_start().trim_start_matches(['@', '-', '+', ' ']).len();
    let marked = line.get(..marks).is_some_and(|marks| marks.contains('+'));
    marked || line.contains("$(MAKE)") || line.contains("${MAKE}")
}

/// The commands of `$(shell …)` in a text.
pub(in crate::commands) fn shells(text: &str) -> Vec<String> {
    let mut commands = calls(text, &["$(shell ", "$(shell\t"], ')');
    commands.extend(calls(text, &["${shell "], '}'));
    commands
}

/// What stands in the calls of a function of make.
fn calls(text: &str, begins: &[&str], close: char) -> Vec<String> {
    let rests = begins.iter().flat_map(|begin| text.split(begin).skip(1)).take(64);
    rests.map(|rest| rest.get(..closing(rest, close)).unwrap_or_default().to_owned()).collect()
}

/// How long the beginning of a call of `eval` is.
pub(super) const EVAL: usize = "$(eval ".len();

/// How many of them are looked at.
pub(super) const EVALS: usize = 64;

/// Where calls of `eval` begin in a text, with what is evaluated.
pub(super) fn evals(text: &str) -> Vec<(usize, String)> {
    let marks = text.match_indices("eval").filter_map(|(at, _)| {
        let begin = at.checked_sub(2)?;
        let close = match text.get(begin..at)? {
            "$(" => ')',
            "${" => '}',
            _ => return None,
        };
        let inner = text.get(begin + EVAL..)?;
        let parted = text.get(at..)?.strip_prefix("eval")?.starts_with([' ', '\t']);
        parted.then(|| Some((begin, inner.get(..closing(inner, close))?.to_owned())))?
    });
    marks.take(EVALS).collect()
}

/// Does something of make still stand open at the end of the text?
pub(super) fn is_open(text: &str) -> bool {
    let opened = text.matches("$(").count() + text.matches("${").count();
    opened > text.matches([')', '}']).count()
}

/// The commands of BSD's `${name:!command!}` in a text.
pub(in crate::commands) fn asked(text: &str) -> Vec<String> {
    let rests = text.split(":!").skip(1).filter_map(|rest| rest.split_once('!'));
    rests.map(|(command, _)| command.to_owned()).collect()
}

/// Where a variable's name ends: at the mark that closes it, those within it left out.
pub(super) fn closing(text: &str, close: char) -> usize {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    text.len()
}

/// The arguments of a function of make, at the commas that stand in no brackets.
pub(super) fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0_u32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    all.extend(text.get(start..));
    all
}

/// A recipe line without the marks that silence it or let it fail.
pub(in crate::commands) fn plain_recipe(line: &str) -> &str {
    line.trim_start().trim_start_matches(['@', '-', '+'])
}

pub(super) fn is_assignment(line: &str) -> bool {
    line.contains('=') && !assigned(line).contains([':', ' ', '\t', '$'])
}

/// The name of the variable that a line sets.
pub(super) fn assigned(line: &str) -> &str {
    let name = line.split('=').next().unwrap_or_default().trim_start();
    let name = name.trim_start_matches("export ").trim_start_matches("override ");
    name.trim_end_matches([':', '?', '+', '!', ' ', '\t']).trim()
}

/// A word with `to` for `from`, where `%` stands for the same part of both; unchanged where it does not fit.
pub(super) fn patched(from: &str, to: &str, word: &str) -> String {
    let Some((start, end)) = from.split_once('%') else {
        return if from == word { to.to_owned() } else { word.to_owned() };
    };
    let stem = word.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    stem.map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
}

/// Does a word fit one of these patterns? What is itself a pattern may or may not.
pub(super) fn fits(patterns: &str, word: &str) -> bool {
    patterns.split_whitespace().any(|pattern| match pattern.split_once('%') {
        Some((start, end)) => {
            word.len() >= start.len() + end.len() && word.starts_with(start) && word.ends_with(end)
        }
        None => pattern == word,
    })
}
