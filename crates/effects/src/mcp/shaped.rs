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
        if is_line(given.text) {
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

/// Does it begin with a program?
fn is_line(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    text.len() < 4096 && is_command(first.rsplit('/').next().unwrap_or_default())
}

/// Does it begin as a statement that changes a database, and not as a sentence about one?
fn is_statement(text: &str) -> bool {
    let small = text.trim_start().get(..text.len().min(4096)).unwrap_or(text).to_ascii_lowercase();
    let mut words = small.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let has = |part: &str| small.contains(part);
    match first {
        "drop" | "alter" => OBJECTS.contains(&second),
        "truncate" => words.next().is_none_or(|_| second == "table"),
        "delete" => second == "from",
        "update" => has(" set "),
        "grant" => has(" on ") && has(" to "),
        "with" => has(" as ("),
        "begin" | "begin;" | "start" | "set" | "use" => has(";"),
        "select" | "copy" | "insert" => true,
        _ => false,
    }
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
