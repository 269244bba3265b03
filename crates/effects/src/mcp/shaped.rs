//! Texts of a tool that read as commands, as SQL or as programs, whatever their names say.

use tollgate_model::json::Value;

use super::fields::{Field, says_sql};
use super::keepers::is_prose;
use super::names::{Tool, Verb, split};
use super::{Given, LINES, called, database, pieces, supposed};
use crate::commands::is_command;
use crate::commands::strangers;
use crate::tools::Hands;

/// What the texts of a call would do, if it runs them. `ran` says that it has run what its names say.
pub(super) fn code(hands: &mut Hands, tool: &Tool, input: &Value, texts: &[Given], ran: bool) {
    let runs = tool.verb == Verb::Run;
    if runs || tool.is_database && tool.has("query") {
        let read = |given: &&Given| given.field == Field::Sql && (tool.is_database || says_sql(given.key));
        texts
            .iter()
            .filter(|given| !read(given) && !is_prose(given.key) && is_statement(given.text))
            .take(LINES)
            .for_each(|given| database(hands, given.text));
    }
    typed(hands, input, texts);
    if ran || tool.is_database {
        return;
    }
    // A server of one language runs what it is given.
    let speaks = tool.language.is_some_and(|language| language != "bash");
    for given in texts.iter().filter(|given| may_run(tool, given)).take(LINES) {
        if is_line(given.text, runs) {
            supposed(hands, given.text);
        } else if runs && (speaks || is_program(given.text) || names_code(given.key)) {
            let mark = hands.analyst.mark();
            if !called::script(hands, tool, input, given) {
                hands.run_pieces(pieces(tool, input, given));
            }
            hands.analyst.doubt(mark, strangers::is_grave);
        }
    }
}

/// What an editor is told to type into its terminal.
fn typed(hands: &mut Hands, input: &Value, texts: &[Given]) {
    if input.text("command").is_some_and(|command| command.contains("terminal.sendSequence")) {
        texts
            .iter()
            .filter(|given| given.field == Field::Content)
            .for_each(|given| hands.run(given.text.trim_end()));
    }
}

/// May a tool run the text? No text for people, and one that the tool's names leave open.
fn may_run(tool: &Tool, given: &Given) -> bool {
    let open = match given.field {
        Field::Other => true,
        Field::Content | Field::Keys | Field::Sql | Field::Source | Field::Target => tool.verb == Verb::Run,
        _ => false,
    };
    open && !is_prose(given.key)
}

/// The longest text that is tried as commands.
const LONGEST: usize = 1 << 16;

/// Does it begin with a program, once comments, brackets, words of the shell, assignments and quotes are taken off? In a
/// text that a tool runs, a program further on counts too, where nothing says that it stands in a sentence.
fn is_line(text: &str, runs: bool) -> bool {
    if text.len() >= LONGEST {
        return false;
    }
    let mut pieces = pieces_of(text);
    let first = pieces.find(|piece| started(piece.text).is_some());
    first.is_some_and(|piece| starts_program(piece.text))
        || runs && pieces.any(|piece| starts_program(piece.text) && (piece.is_joined || is_typed(piece.text)))
}

/// A part of a text that would be a command of its own.
struct Piece<'t> {
    text: &'t str,
    /// It stands behind `&&`, `||` or `|`, which no sentence has.
    is_joined: bool,
}

/// The parts of a text between line breaks and the marks that part commands; those that are comments are left out.
fn pieces_of(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| {
        let mut is_joined = false;
        line.split_inclusive([';', '&', '|', ')']).map(move |part| {
            let text = part.trim_end_matches([';', '&', '|', ')']);
            let piece = Piece { text, is_joined };
            // Between two marks of the same kind there is nothing.
            is_joined = part.ends_with(['&', '|']) || text.is_empty() && is_joined && !part.ends_with(')');
            piece
        })
    })
}

/// The first word of a command that is no word of the shell, and what follows it.
fn started(text: &str) -> Option<(&str, &str)> {
    const LEADS: &[&str] =
        &["{", "!", "if", "while", "until", "then", "else", "do", "time", "true", "false", ":"];
    let is_set = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at_checked(end)?;
        if word.contains(['<', '>']) && word.ends_with(['<', '>']) {
            // A redirection before the program, with its file.
            rest = behind.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
        } else if LEADS.contains(&word) || is_set(word) || word.contains(['<', '>']) {
            rest = behind;
        } else {
            return Some((word, behind));
        }
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    }
    None
}

fn starts_program(text: &str) -> bool {
    let Some((word, _)) = started(text) else { return false };
    let name: String = word.chars().filter(|c| !matches!(c, '\\' | '\'' | '"')).collect();
    is_command(name.rsplit('/').next().unwrap_or_default())
}

/// Is a program given nothing but options, paths and variables, as at a prompt and not in a sentence?
fn is_typed(text: &str) -> bool {
    let Some((_, behind)) = started(text) else { return false };
    let mut words = behind.split_whitespace().map(|word| word.trim_matches(['"', '\''])).peekable();
    words.peek().is_some()
        && words.all(|word| word.starts_with(['-', '~', '.', '$', '/', '>', '<', '*']) || word.contains('/'))
}

/// Does it begin as a statement that changes a database, and not as a sentence about one?
pub(super) fn is_statement(text: &str) -> bool {
    let small = without_comments(&text.chars().take(4096).collect::<String>()).to_ascii_lowercase();
    let mut words = small.trim_start_matches(|c: char| c == '(' || c.is_whitespace()).split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let has = |part: &str| small.contains(part);
    match first {
        "drop" | "alter" => OBJECTS.contains(&second) && words.next().is_some(),
        "truncate" => words.next().is_none_or(|_| second == "table"),
        "delete" => second == "from",
        "update" => has(" set "),
        "grant" => has(" on ") && has(" to "),
        "with" => has(" as ("),
        "begin" | "begin;" | "start" | "set" | "use" => has(";"),
        "select" | "copy" | "insert" => true,
        // It is carried out to be explained.
        "explain" => has("analyze"),
        _ => false,
    }
}

/// SQL with a blank for each comment.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("--")).min() {
        let (before, comment) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        out.push(' ');
        let end = if comment.starts_with("/*") { "*/" } else { "\n" };
        rest = comment.split_once(end).map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out
}

/// What can be dropped and altered.
const OBJECTS: &[&str] = &[
    "table",
    "database",
    "schema",
    "view",
    "materialized",
    "index",
    "column",
    "role",
    "user",
    "owned",
    "function",
    "sequence",
    "type",
    "extension",
    "keyspace",
    "collection",
    "stream",
    "warehouse",
    "stage",
];

/// Does the name say that it is code?
pub(super) fn names_code(key: &str) -> bool {
    split(key)
        .iter()
        .any(|word| matches!(word.as_str(), "code" | "snippet" | "expression" | "src" | "program"))
}

/// Calls in brackets, and what joins them into a program.
fn is_program(text: &str) -> bool {
    text.contains('(')
        && text.contains(')')
        && [";", "\n", "import ", "="].iter().any(|part| text.contains(part))
}
