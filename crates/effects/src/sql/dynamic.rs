//! Statements that SQL puts together and runs then: `EXECUTE 'dr' || 'op …'`, `PREPARE p FROM @text`. What is known of
//! the texts is followed through variables and the functions that join, cut and decode them.

use std::collections::BTreeMap;

use super::token::Token;
use crate::encodings::{from_base64, from_hex};

/// What stands for a text that only the server knows.
const UNKNOWN: &str = "unknown_value";
/// Brackets in brackets, and how many terms are read in all.
const DEPTH: usize = 16;
const STEPS: usize = 50_000;
/// Stands between the items of a list.
const ITEMS: &str = "\u{1f}";
/// The longest text that is followed.
const LONGEST: usize = 8 * 1024;

/// The code that the statements make and run.
pub(super) fn made(tokens: &[Token]) -> Vec<String> {
    if !(0..tokens.len()).any(|at| runs(tokens, at)) {
        return Vec::new();
    }
    let mut maker = Maker { tokens, known: BTreeMap::new(), steps: STEPS };
    let mut made = Vec::new();
    for at in 0..tokens.len() {
        maker.assign(at);
        if let Some(start) = maker.code(at) {
            // A single text is read where it stands.
            let (text, end) = maker.expression(start, DEPTH);
            let plain = end == start + 1 && matches!(tokens.get(start), Some(Token::Text(_)));
            made.extend(text.filter(|_| !plain));
        }
        if maker.word(at).is_some_and(is_planner) && maker.symbol(at + 1, '(') {
            let (texts, _) = maker.arguments(at + 2, DEPTH);
            made.extend(texts.into_iter().flatten().filter(|text| text.trim().contains(' ')));
        }
        if maker.steps == 0 {
            // What is too long to be followed may be anything.
            made.push(format!("drop table {UNKNOWN}"));
            break;
        }
    }
    made
}

/// Is there something at this place that runs a text? Rights to run and functions of triggers are none.
fn runs(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    is_planner(word(at)) || is_runner(word(at)) && !matches!(word(at + 1), "function" | "procedure" | "on")
}

fn is_runner(word: &str) -> bool {
    matches!(word, "execute" | "exec" | "immediate" | "prepare" | "sp_executesql")
}

/// Functions that have their texts run, at once or at a time of day.
fn is_planner(word: &str) -> bool {
    matches!(
        word,
        "schedule"
            | "schedule_in_database"
            | "dblink"
            | "dblink_exec"
            | "query_to_xml"
            | "create_job"
            | "openquery"
            | "run_command_on_workers"
            | "run_command_on_all_nodes"
    )
}

struct Maker<'t> {
    tokens: &'t [Token],
    /// Variables, by their names.
    known: BTreeMap<String, String>,
    steps: usize,
}

impl<'t> Maker<'t> {
    fn word(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn symbol(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at) == Some(&Token::Symbol(mark))
    }

    /// Where the code begins that a word at this place runs.
    fn code(&self, at: usize) -> Option<usize> {
        match self.word(at)? {
            "execute" | "exec" if matches!(self.word(at + 1), Some("immediate" | "sp_executesql")) => None,
            "execute" | "exec" | "immediate" | "sp_executesql" => Some(at + 1),
            "prepare" => (at + 1..at + 5).find(|at| self.word(*at) == Some("from")).map(|from| from + 1),
            _ => None,
        }
    }

    /// `v := …`, `set @v = …`, `@v += …`, `v text default …`, `select … into v`.
    fn assign(&mut self, at: usize) {
        let start = match self.tokens.get(at) {
            Some(Token::Symbol(':' | '+')) if self.symbol(at + 1, '=') => at + 2,
            Some(Token::Symbol('=')) if !self.symbol(at.wrapping_sub(1), ':') => at + 1,
            Some(Token::Word(word)) if word == "default" => at + 1,
            Some(Token::Word(word)) if word == "into" => return self.select_into(at),
            _ => return,
        };
        if self.symbol(at.wrapping_sub(1), '+') && self.symbol(at, '=') {
            return;
        }
        let (Some(text), _) = self.expression(start, DEPTH) else { return };
        let adds = self.symbol(at, '+');
        let before = at.checked_sub(1).and_then(|at| self.word(at));
        let first = self.clause_start(at).and_then(|at| self.word(at));
        for name in before.into_iter().chain(first) {
            let old = self.known.get(name).filter(|_| adds).cloned().unwrap_or_default();
            if old.len() < LONGEST {
                self.known.insert(name.to_owned(), old + &text);
            }
        }
    }

    /// The first word of what a place belongs to.
    fn clause_start(&self, at: usize) -> Option<usize> {
        let before = self.tokens.get(at.saturating_sub(12)..at)?;
        let opens = |token: &Token| match token {
            Token::Symbol(mark) => matches!(mark, ';' | ','),
            Token::Word(word) => {
                matches!(word.as_str(), "declare" | "begin" | "then" | "else" | "loop" | "set" | "select")
            }
            _ => false,
        };
        let start = before.iter().rposition(opens).map_or(0, |at| at + 1);
        Some(at - before.len() + start)
    }

    fn select_into(&mut self, at: usize) {
        let Some(name) = self.word(at + 1) else { return };
        let before = self.tokens.get(at.saturating_sub(200)..at).unwrap_or_default();
        let ends = |token: &Token| matches!(token, Token::Word(word) if word == "select");
        let Some(start) = before.iter().rposition(ends) else { return };
        if let (Some(text), _) = self.expression(at - before.len() + start + 1, DEPTH) {
            self.known.insert(name.to_owned(), text);
        }
    }

    /// Terms joined by `||` or `+`, and where they end. `None` when nothing of it is known.
    fn expression(&mut self, start: usize, depth: usize) -> (Option<String>, usize) {
        let (mut text, mut known, mut at) = (String::new(), false, start);
        loop {
            let (term, end) = self.term(at, depth);
            if end == at {
                break;
            }
            known |= term.is_some();
            text.push_str(term.as_deref().unwrap_or(UNKNOWN));
            at = end;
            // `text::type`
            while self.symbol(at, ':') && self.symbol(at + 1, ':') {
                at += 3;
            }
            if self.symbol(at, '|') && self.symbol(at + 1, '|') {
                at += 2;
            } else if self.symbol(at, '+') && !self.symbol(at + 1, '=') {
                at += 1;
            } else if !matches!(self.tokens.get(at), Some(Token::Text(_))) {
                break;
            }
        }
        (Some(text).filter(|text| known && text.len() <= LONGEST), at)
    }

    fn term(&mut self, at: usize, depth: usize) -> (Option<String>, usize) {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.steps > 0) else { return (None, at) };
        self.steps -= 1;
        let text = |at: usize| match self.tokens.get(at) {
            Some(Token::Text(text)) => Some(text.clone()),
            _ => None,
        };
        match self.tokens.get(at) {
            Some(Token::Text(text)) => (Some(text.clone()), at + 1),
            Some(Token::Symbol('(')) => {
                let inner = if self.word(at + 1) == Some("select") { at + 2 } else { at + 1 };
                let (text, end) = self.expression(inner, depth);
                (text, self.closed(end))
            }
            Some(Token::Word(word)) if self.symbol(at + 1, '(') => {
                let (args, end) = self.arguments(at + 2, depth);
                (call(word, &args), end)
            }
            Some(Token::Word(mark))
                if matches!(mark.as_str(), "n" | "e" | "u" | "q") && text(at + 1).is_some() =>
            {
                (text(at + 1), at + 2)
            }
            Some(Token::Word(word)) if word == "array" && self.symbol(at + 1, '[') => {
                let (items, end) = self.arguments(at + 2, depth);
                (call("concat_ws", &[&[Some(ITEMS.to_owned())], items.as_slice()].concat()), end)
            }
            Some(Token::Word(mark)) if mark == "x" && text(at + 1).is_some() => {
                (text(at + 1).and_then(|hex| from_bytes(from_hex(&hex))), at + 2)
            }
            Some(Token::Word(word)) if word.starts_with("0x") => {
                (from_bytes(word.get(2..).and_then(from_hex)), at + 1)
            }
            Some(Token::Word(word)) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                (Some(word.clone()), at + 1)
            }
            Some(Token::Word(word) | Token::Name(word)) => {
                let known = self.known.get(word).cloned();
                let mut end = at + 1;
                while self.symbol(end, '.') && end < at + 6 {
                    end += 2;
                }
                (known, end)
            }
            _ => (None, at),
        }
    }

    /// The arguments of a call, and where it ends.
    fn arguments(&mut self, start: usize, depth: usize) -> (Vec<Option<String>>, usize) {
        let (mut args, mut at) = (Vec::new(), start);
        while at < self.tokens.len() && !self.symbol(at, ')') && !self.symbol(at, ']') && self.steps > 0 {
            // `name => value`
            if self.word(at).is_some() && self.symbol(at + 1, '=') && self.symbol(at + 2, '>') {
                at += 3;
            }
            let (text, end) = self.expression(at, depth);
            args.push(text);
            at = self.next_argument(end);
            if self.symbol(at, ',') {
                at += 1;
            }
        }
        (args, at + 1)
    }

    /// The comma or the bracket behind the rest of an argument.
    fn next_argument(&mut self, start: usize) -> usize {
        let (mut at, mut depth) = (start, 0_usize);
        while let Some(token) = self.tokens.get(at).filter(|_| self.steps > 0) {
            self.steps -= 1;
            match token {
                Token::Symbol('(') => depth += 1,
                Token::Symbol(')' | ']' | ',') if depth == 0 => break,
                Token::Symbol(')') => depth -= 1,
                Token::Symbol(';') => break,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn closed(&mut self, start: usize) -> usize {
        let mut at = self.next_argument(start);
        while self.symbol(at, ',') && self.steps > 0 {
            at = self.next_argument(at + 1);
        }
        at + 1
    }
}

/// What a function makes of texts. One that is not known is taken to give back what it was given.
fn call(name: &str, args: &[Option<String>]) -> Option<String> {
    let known = |at: usize| args.get(at).cloned().flatten();
    let or_unknown = |arg: &Option<String>| arg.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let count = |at: usize| known(at).and_then(|text| text.trim().parse::<usize>().ok());
    let first = known(0);
    match name {
        _ if args.iter().flatten().map(String::len).sum::<usize>() > LONGEST => None,
        "concat" => {
            let text: String = args.iter().map(or_unknown).collect();
            args.iter().any(Option::is_some).then_some(text)
        }
        "concat_ws" => {
            let parts: Vec<String> = args.iter().skip(1).map(or_unknown).collect();
            Some(parts.join(&first?))
        }
        "array_to_string" => Some(first?.replace(ITEMS, &known(1).unwrap_or_default())),
        "convert_from" | "encode" => {
            let text = first?;
            // Bytes in their usual form.
            let bytes = text.strip_prefix("\\x").and_then(from_hex);
            from_bytes(bytes).or(Some(text))
        }
        "format" => Some(formatted(&first?, args.get(1..).unwrap_or_default())),
        "replace" => {
            let (text, to) = (first?, known(2)?);
            (text.len() * to.len().max(1) <= LONGEST * 16)
                .then(|| known(1).map(|from| text.replace(&from, &to)))?
        }
        "translate" => {
            let (from, to) = (known(1)?, known(2)?);
            let mapped = |c: char| match from.chars().position(|old| old == c) {
                Some(at) => to.chars().nth(at),
                None => Some(c),
            };
            Some(first?.chars().filter_map(mapped).collect())
        }
        "reverse" => Some(first?.chars().rev().collect()),
        "lower" | "lcase" => Some(first?.to_lowercase()),
        "upper" | "ucase" => Some(first?.to_uppercase()),
        "left" | "right" | "substr" | "substring" | "mid" => cut(name, &first?, count(1)?, count(2)),
        "repeat" => Some(first?.repeat(count(1)?.min(64))),
        "chr" | "char" | "nchar" => {
            first.as_ref()?;
            let one = |arg: &Option<String>| char::from_u32(arg.as_ref()?.trim().parse().ok()?);
            args.iter().map_while(|arg| arg.is_some().then(|| one(arg))).collect()
        }
        "decode"
        | "from_base64"
        | "unhex"
        | "base64_decode"
        | "hex_decode_string"
        | "base64_decode_string"
        | "from_hex" => decoded(name, &first?, known(1).as_deref()),
        _ => first,
    }
}

/// A part of a text.
fn cut(name: &str, text: &str, count: usize, length: Option<usize>) -> Option<String> {
    let letters = text.chars();
    Some(match name {
        "left" => letters.take(count).collect(),
        "right" => letters.clone().skip(letters.count().saturating_sub(count)).collect(),
        _ => letters.skip(count.saturating_sub(1)).take(length.unwrap_or(usize::MAX)).collect(),
    })
}

fn decoded(name: &str, text: &str, how: Option<&str>) -> Option<String> {
    let hex = name.contains("hex") || how.is_some_and(|how| how.eq_ignore_ascii_case("hex"));
    let base = name.contains("base64") || how.is_some_and(|how| how.eq_ignore_ascii_case("base64"));
    match (hex, base) {
        (true, _) => from_bytes(from_hex(text)),
        (_, true) => from_bytes(from_base64(text)),
        _ => Some(text.to_owned()),
    }
}

fn from_bytes(bytes: Option<Vec<u8>>) -> Option<String> {
    String::from_utf8(bytes?).ok()
}

/// `format('drop table %I', name)`: `%s`, `%I`, `%L` and `%1$s`.
fn formatted(pattern: &str, args: &[Option<String>]) -> String {
    let mut out = String::new();
    let mut next = 0;
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let place = behind.get(..digits).and_then(|digits| digits.parse::<usize>().ok());
        let behind = behind.get(digits..).unwrap_or_default();
        let behind = behind.strip_prefix('$').unwrap_or(behind);
        let mut letters = behind.chars();
        match letters.next() {
            Some('s' | 'I' | 'L') => {
                let at = place.map_or(next, |place| place.saturating_sub(1));
                next = at + 1;
                out.push_str(args.get(at).and_then(Option::as_deref).unwrap_or(UNKNOWN));
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = letters.as_str();
        if out.len() > LONGEST {
            return out;
        }
    }
    out + rest
}
