//! Conditions: does one leave anything out, or everything? What is not known for sure is neither.

use super::token::Token;

/// Brackets in brackets.
const DEPTH: usize = 16;
/// A limit that no table of anybody's reaches is none.
const MANY: f64 = 1_000_000.0;

/// Does a clause leave anything out? `WHERE 1=1` does not, nor does a join with a copy of all rows: `copies` are names of
/// queries that yield every row of the table.
pub(super) fn is_filtered(clause: &[Token], copies: &[&Token]) -> bool {
    let at = |word: &str| clause.iter().position(|token| is_word(token, word));
    let many = |at: usize| number(clause.get(at + 1)).is_some_and(|limit| limit >= MANY);
    if at("top").is_some() || at("limit").is_some_and(|at| !many(at)) {
        return true;
    }
    truth_of(clause, copies) != Some(true)
}

/// Does a query yield no row at all: `WHERE FALSE`, `LIMIT 0`?
pub(super) fn is_emptied(clause: &[Token]) -> bool {
    let none = |pair: &[Token]| {
        pair.first().is_some_and(|first| is_word(first, "limit")) && number(pair.get(1)) == Some(0.0)
    };
    let wheres = clause.iter().any(|token| is_word(token, "where"));
    clause.windows(2).any(none) || wheres && truth_of(clause, &[]) == Some(false)
}

/// What is known of the condition of a clause; without one it holds.
fn truth_of(clause: &[Token], copies: &[&Token]) -> Option<bool> {
    let Some(at) = clause.iter().position(|token| is_word(token, "where")) else { return Some(true) };
    let rest = clause.get(at + 1..).unwrap_or_default();
    let ends =
        |token: &&Token| !["returning", "limit", "order", "group"].iter().any(|word| is_word(token, word));
    let condition: Vec<&Token> = rest.iter().take_while(ends).collect();
    let all: Vec<&Token> = table(clause).into_iter().chain(copies.iter().copied()).collect();
    let joined = joined(clause).is_some_and(|other| all.contains(&other));
    truth(&condition, &Rows { all, joined }, DEPTH)
}

/// The table that a clause is about.
pub(super) fn table(clause: &[Token]) -> Option<&Token> {
    clause.iter().find(|token| !is_word(token, "from") && !is_word(token, "only"))
}

/// The one other table or query that rows are joined with: `USING other`, or the second `FROM other`.
fn joined(clause: &[Token]) -> Option<&Token> {
    let at = clause.iter().skip(1).position(|token| is_word(token, "using") || is_word(token, "from"))? + 1;
    let behind = clause.get(at + 1..)?;
    let names = behind.iter().take_while(|token| !is_word(token, "where"));
    // A list, or a query in brackets, is more than one name with another.
    let plain = names.clone().all(|token| matches!(token, Token::Word(_) | Token::Name(_)));
    plain.then(|| behind.first()).flatten()
}

/// What stands for every row of the table.
struct Rows<'t> {
    /// Its name, and those of queries that yield all of it.
    all: Vec<&'t Token>,
    /// The rows are joined with one of these.
    joined: bool,
}

fn truth(condition: &[&Token], rows: &Rows, depth: usize) -> Option<bool> {
    // What is too deep to be read is no condition.
    let Some(depth) = depth.checked_sub(1) else { return Some(true) };
    let parts = split(condition, "or");
    if parts.len() > 1 {
        let known: Vec<_> = parts.into_iter().map(|part| truth(part, rows, depth)).collect();
        if known.contains(&Some(true)) {
            return Some(true);
        }
        return known.iter().all(|part| *part == Some(false)).then_some(false);
    }
    let parts = split(condition, "and");
    if parts.len() > 1 {
        let known: Vec<_> = parts.into_iter().map(|part| truth(part, rows, depth)).collect();
        if known.contains(&Some(false)) {
            return Some(false);
        }
        return known.iter().all(|part| *part == Some(true)).then_some(true);
    }
    match condition {
        [not, rest @ ..] if is_word(not, "not") && !rest.is_empty() => {
            truth(rest, rows, depth).map(|held| !held)
        }
        [Token::Symbol('('), inner @ .., Token::Symbol(')')] if is_whole(inner) => truth(inner, rows, depth),
        _ => compared(condition).or_else(|| of_rows(condition, rows)),
    }
}

/// The parts between a word that stands outside of brackets; what `between` needs is no such word.
fn split<'c, 't>(condition: &'c [&'t Token], word: &str) -> Vec<&'c [&'t Token]> {
    let (mut parts, mut start, mut depth, mut between) = (Vec::new(), 0, 0_i32, false);
    for (at, token) in condition.iter().enumerate() {
        match token {
            Token::Symbol('(') => depth += 1,
            Token::Symbol(')') => depth -= 1,
            _ if is_word(token, "between") => between = true,
            _ if depth == 0 && is_word(token, word) && !(word == "and" && std::mem::take(&mut between)) => {
                parts.push(condition.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(condition.get(start..).unwrap_or_default());
    parts
}

/// Does the bracket around these close behind them, and not before?
fn is_whole(inner: &[&Token]) -> bool {
    let mut depth = 0_i32;
    inner.iter().all(|token| {
        match token {
            Token::Symbol('(') => depth += 1,
            Token::Symbol(')') => depth -= 1,
            _ => {}
        }
        depth >= 0
    })
}

/// `true`, `1`, `1=1`, `2 < 1`, `'a' <> 'b'`, `id = id`.
fn compared(part: &[&Token]) -> Option<bool> {
    if let [one] = part {
        return match one {
            Token::Word(word) if word == "true" => Some(true),
            Token::Word(word) if word == "false" || word == "null" => Some(false),
            other => number(Some(other)).map(|number| number != 0.0),
        };
    }
    if let [left, is, null] = part
        && is_word(is, "is")
    {
        return (is_word(left, "null") && is_word(null, "null") || *left == *null).then_some(true);
    }
    let symbol = |token: &&&Token| matches!(token, Token::Symbol('=' | '<' | '>' | '!'));
    let start = part.iter().position(|token| symbol(&token))?;
    let (left, rest) = part.split_at_checked(start)?;
    let length = rest.iter().take_while(symbol).count();
    let (operator, right) = rest.split_at_checked(length)?;
    let operator: String =
        operator.iter().map(|token| if let Token::Symbol(c) = token { *c } else { ' ' }).collect();
    let order = if left == right && !left.is_empty() {
        std::cmp::Ordering::Equal
    } else {
        match (left, right) {
            ([Token::Text(left)], [Token::Text(right)]) => left.cmp(right),
            ([left], [right]) => constant(left)?.partial_cmp(&constant(right)?)?,
            _ => return None,
        }
    };
    Some(match operator.as_str() {
        "=" | "==" => order.is_eq(),
        "<>" | "!=" => order.is_ne(),
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        _ => return None,
    })
}

fn constant(token: &Token) -> Option<f64> {
    match token {
        Token::Word(word) if word == "true" => Some(1.0),
        Token::Word(word) if word == "false" => Some(0.0),
        other => number(Some(other)),
    }
}

fn number(token: Option<&Token>) -> Option<f64> {
    match token {
        Some(Token::Word(word)) if word.starts_with(|c: char| c.is_ascii_digit()) => word.parse().ok(),
        _ => None,
    }
}

/// What is so in every row: keys that there are, patterns that fit all, rows that are among all of them.
fn of_rows(part: &[&Token], rows: &Rows) -> Option<bool> {
    let held = match part {
        [.., like, Token::Text(pattern)] if is_word(like, "like") || is_word(like, "ilike") => {
            !pattern.is_empty() && pattern.chars().all(|c| c == '%')
        }
        [exists, Token::Symbol('('), select, .., Token::Symbol(')')]
            if is_word(exists, "exists") && is_word(select, "select") =>
        {
            !part.iter().any(|token| is_word(token, "from") || is_word(token, "where"))
        }
        [key, within, Token::Symbol('('), select, same, from, other, .., Token::Symbol(')')]
            if rows.all.contains(other)
                && is_word(within, "in")
                && is_word(select, "select")
                && is_word(from, "from") =>
        {
            let narrows = ["where", "limit", "join", "having"];
            key == same && !part.iter().any(|token| narrows.iter().any(|word| is_word(token, word)))
        }
        [
            length,
            Token::Symbol('('),
            ..,
            Token::Symbol(')'),
            Token::Symbol('>'),
            Token::Symbol('='),
            zero,
        ] => {
            matches!(length, Token::Word(name) if name.ends_with("length")) && number(Some(zero)) == Some(0.0)
        }
        [_, Token::Symbol('.'), key, Token::Symbol('='), _, Token::Symbol('.'), same] if rows.joined => {
            key == same
        }
        _ => is_true_of_keys(part),
    };
    held.then_some(true)
}

/// `id is not null`, `id > 0`, `id >= 1`, `id <> ''`: a key is that in every row.
fn is_true_of_keys(part: &[&Token]) -> bool {
    let bare = part.rsplit(|token| **token == Token::Symbol('.')).next().unwrap_or_default();
    let Some((Token::Word(key) | Token::Name(key), rest)) = bare.split_first() else { return false };
    if !matches!(key.to_ascii_lowercase().as_str(), "id" | "_id" | "uuid" | "pk" | "rowid" | "ctid" | "oid") {
        return false;
    }
    if let [is, not, null] = rest
        && is_word(is, "is")
    {
        return is_word(not, "not") && is_word(null, "null");
    }
    let Some((bound, operator)) = rest.split_last() else { return false };
    let symbol = |token: &&Token| if let Token::Symbol(c) = token { *c } else { ' ' };
    let operator: String = operator.iter().map(symbol).collect();
    match (operator.as_str(), bound) {
        (">" | "<>" | "!=", Token::Word(number)) => number == "0",
        (">=", Token::Word(number)) => matches!(number.as_str(), "0" | "1"),
        (">-" | ">=-" | "<>-" | "!=-", Token::Word(number)) => number.parse::<f64>().is_ok(),
        (">" | "<>" | "!=", Token::Text(text)) => text.is_empty(),
        _ => false,
    }
}

pub(super) fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(text) if text == word)
}
