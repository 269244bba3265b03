//! Databases in files: `sqlite3` and `duckdb` change theirs, unless every statement only asks.

use super::{Run, perhaps};
use crate::word::Word;

/// A database in a file changes, unless it is only asked.
pub(super) fn notice(run: &mut Run) {
    let file = given(run.args);
    let Some((file, texts)) = file.filter(|(file, _)| !file.shown().contains(":memory:")) else { return };
    let literal = |word: &Word| word.literal().map(str::to_owned);
    let given = if texts.is_empty() {
        run.stdin().and_then(|input| input.as_literal()).map(str::to_owned)
    } else {
        texts.iter().map(literal).collect::<Option<Vec<_>>>().map(|texts| texts.join(";\n"))
    };
    match given {
        Some(sql) if only_asks(&sql) => {}
        Some(_) => run.analyst.alter(&file, false, run.shell),
        None => perhaps(run, &file),
    }
}

/// Does every statement, and every command of the client, only ask?
fn only_asks(sql: &str) -> bool {
    let lines = || sql.lines().map(str::trim);
    let is_command = |line: &&str| line.starts_with('.');
    let asking = |line: &str| line.split_whitespace().next().is_none_or(|word| COMMANDS.contains(&word));
    let statements: Vec<&str> = lines().filter(|line| !is_command(line) && !line.starts_with("--")).collect();
    let mut quoted = false;
    let ends = |letter: char| {
        quoted ^= letter == '\'';
        letter == ';' && !quoted
    };
    lines().filter(is_command).all(asking) && statements.join("\n").split(ends).all(asks)
}

/// Commands of `sqlite3` and `duckdb` that show something or say how it is shown.
const COMMANDS: [&str; 18] = [
    ".tables",
    ".schema",
    ".dump",
    ".mode",
    ".headers",
    ".header",
    ".indexes",
    ".databases",
    ".show",
    ".help",
    ".quit",
    ".exit",
    ".width",
    ".timer",
    ".stats",
    ".fullschema",
    ".nullvalue",
    ".separator",
];

fn asks(statement: &str) -> bool {
    const CHANGING: [&str; 6] = ["insert", "update", "delete", "replace", "create", "drop"];
    let words = statement.split(|letter: char| letter.is_whitespace() || letter == '(');
    let words = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    match words.first().map(String::as_str) {
        None | Some("select" | "explain" | "values" | "describe" | "show" | "summarize") => true,
        Some("pragma") => !statement.contains('='),
        Some("with") => !words.iter().any(|word| CHANGING.contains(&word.as_str())),
        Some(_) => false,
    }
}

/// The file of a database, and the statements that are given with it.
fn given(args: &[Word]) -> Option<(Word, Vec<Word>)> {
    const TAKES: [&str; 9] =
        ["separator", "newline", "nullvalue", "mmap", "vfs", "init", "heap", "maxsize", "f"];
    let mut operands: Vec<Word> = Vec::new();
    let mut texts = Vec::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let shown = word.shown();
        match shown.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
            Some("readonly") => return None,
            Some("cmd" | "c" | "s") => texts.extend(rest.next().cloned()),
            Some(name) if TAKES.contains(&name) => drop(rest.next()),
            Some(_) => {}
            None => operands.push(word.clone()),
        }
    }
    let (file, more) = operands.split_first()?;
    texts.extend(more.iter().cloned());
    Some((file.clone(), texts))
}
