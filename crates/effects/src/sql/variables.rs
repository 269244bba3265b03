//! Variables of the clients: texts that they put into the SQL before a server sees it. `-v t=users` and `:"t"` of psql,
//! `$(t)` of sqlcmd, `${t}` of Hive, `&t` and `<% t %>` of others.

/// How often a text is gone through: a variable may hold the name of another.
const ROUNDS: usize = 3;
const LONGEST: usize = 1 << 20;
/// The longest name, with its marks.
const NAME: usize = 80;

/// The text with the values of variables in their places. Those that it sets itself join the ones that are given.
pub(crate) fn filled(sql: &str, given: &[(String, String)]) -> String {
    let mut variables = given.to_vec();
    variables.extend(sql.lines().take(10_000).filter_map(set));
    let mut text = sql.to_owned();
    if variables.is_empty() {
        return text;
    }
    for _ in 0..ROUNDS {
        let next = once(&text, &variables);
        if next == text || next.len() > LONGEST {
            break;
        }
        text = next;
    }
    text
}

/// `\set name value…`, `:setvar name value`, `define name = value`.
fn set(line: &str) -> Option<(String, String)> {
    let line = line.trim().trim_end_matches(';');
    let lower = line.to_ascii_lowercase();
    let start = ["\\set ", ":setvar ", "define ", "set hivevar:", "!set "];
    let start = start.iter().find(|start| lower.starts_with(**start))?;
    let rest = line.get(start.len()..)?.trim_start();
    let (name, value) = rest.split_once(|c: char| c.is_whitespace() || c == '=')?;
    let value = value.trim_start_matches(['=', ' ', '\t']);
    let values = value.split_whitespace().map(|part| part.trim_matches(['\'', '"']));
    // psql joins its words without blanks; a value in quotes holds its own.
    let quoted = value.starts_with(['\'', '"']);
    let value = if quoted { value.trim_matches(['\'', '"']).to_owned() } else { values.collect() };
    Some((name.to_owned(), value))
}

fn once(sql: &str, variables: &[(String, String)]) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(letter) = rest.chars().next() {
        let found = match letter {
            ':' if rest.starts_with("::") => {
                out.push_str("::");
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
            ':' => colon(rest, variables),
            '$' | '&' | '<' | '{' => marked(rest, variables),
            _ => None,
        };
        match found {
            Some((value, length)) if out.len() + value.len() <= LONGEST => {
                out.push_str(&value);
                rest = rest.get(length..).unwrap_or_default();
            }
            _ => {
                out.push(letter);
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

/// `:name`, `:'name'`, `:"name"`.
fn colon(rest: &str, variables: &[(String, String)]) -> Option<(String, usize)> {
    let behind = rest.get(1..)?;
    let quote = behind.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let named = behind.get(quote.map_or(0, char::len_utf8)..)?;
    let name = named.get(..named.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(named.len()))?;
    let value = value_of(name, variables)?;
    match quote {
        None => Some((value.to_owned(), 1 + name.len())),
        Some(quote) => {
            let closed = named.get(name.len()..)?.starts_with(quote);
            closed.then(|| (format!("{quote}{value}{quote}"), 3 + name.len()))
        }
    }
}

/// `$(name)`, `${name}`, `${hivevar:name}`, `&name`, `&&name`, `&{name}`, `<% name %>`, `{{ name }}`.
fn marked(rest: &str, variables: &[(String, String)]) -> Option<(String, usize)> {
    for (open, close) in [("$(", ")"), ("${", "}"), ("&{", "}"), ("<%", "%>"), ("{{", "}}")] {
        let Some(inner) = rest.strip_prefix(open) else { continue };
        // Longer ones are none, so that a text of brackets is gone through once.
        let end = inner.get(..inner.len().min(NAME)).unwrap_or_default().find(close)?;
        let name = inner.get(..end)?.trim();
        let value = value_of(name.rsplit(':').next().unwrap_or(name), variables)?;
        return Some((value.to_owned(), open.len() + end + close.len()));
    }
    let behind = rest.strip_prefix('&')?.trim_start_matches('&');
    let skipped = rest.len() - behind.len();
    let end = behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len());
    let value = value_of(behind.get(..end)?, variables)?;
    // A dot ends the name.
    let dot = usize::from(behind.get(end..)?.starts_with('.'));
    Some((value.to_owned(), skipped + end + dot))
}

fn value_of<'v>(name: &str, variables: &'v [(String, String)]) -> Option<&'v str> {
    variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
