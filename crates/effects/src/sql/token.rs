//! Tokens of SQL: words in lower case, strings, symbols, and the clients' own command lines.

use tollgate_model::work;

use super::Flavour;

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword, a plain name or a number, in lower case.
    Word(String),
    /// A quoted name.
    Name(String),
    /// A string.
    Text(String),
    /// Anything else.
    Symbol(char),
    /// A line for the client: `\! ls`, `.shell ls`.
    Client(String),
}

/// Reads a whole text.
pub(super) fn tokens(sql: &str, flavour: Flavour) -> Vec<Token> {
    work::charge(sql.len() * 2);
    let mut reader =
        Reader { rest: sql, flavour, tokens: Vec::new(), fresh_line: true, in_run: false, dollars: true };
    while reader.step() {}
    reader.tokens
}

struct Reader<'s> {
    rest: &'s str,
    flavour: Flavour,
    tokens: Vec<Token>,
    /// Nothing but blanks since the last line break.
    fresh_line: bool,
    /// Within a comment that MySQL runs.
    in_run: bool,
    /// Dollar quotes still close: after one that does not, the rest is read as code.
    dollars: bool,
}

impl<'s> Reader<'s> {
    fn step(&mut self) -> bool {
        let Some(next) = self.rest.chars().next() else { return false };
        let fresh = self.fresh_line;
        self.fresh_line = next == '\n' || (fresh && next.is_whitespace());
        match next {
            _ if next.is_whitespace() => self.skip(next.len_utf8()),
            '-' if self.rest.starts_with("--") => drop(self.line()),
            '#' if self.flavour == Flavour::MySql => drop(self.line()),
            '/' if self.rest.starts_with("/*") => self.comment(),
            '*' if self.in_run && self.rest.starts_with("*/") => {
                self.in_run = false;
                self.skip(2);
            }
            '.' if fresh && self.flavour == Flavour::Sqlite => self.client(),
            '\\' => self.client(),
            '\'' => self.string(),
            '"' if self.flavour == Flavour::MySql => self.quoted('"', true, Token::Text),
            '"' => self.quoted('"', false, Token::Name),
            '`' => self.quoted('`', false, Token::Name),
            '[' if self.flavour != Flavour::MySql && self.bracketed() => {}
            '$' if self.dollar() => {}
            _ if next.is_alphanumeric() || next == '_' || next == '@' => self.word(fresh),
            _ => {
                self.tokens.push(Token::Symbol(next));
                self.skip(next.len_utf8());
            }
        }
        true
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// The rest of the line, taken.
    fn line(&mut self) -> &'s str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = self.rest.get(..end).unwrap_or_default();
        self.skip(end);
        line
    }

    fn client(&mut self) {
        let line = self.line().trim().to_owned();
        self.tokens.push(Token::Symbol(';'));
        self.tokens.push(Token::Client(line));
        self.tokens.push(Token::Symbol(';'));
    }

    /// PostgreSQL's comments nest; MySQL runs what stands in `/*! … */`.
    fn comment(&mut self) {
        let runs = self.rest.starts_with("/*!") || self.rest.starts_with("/*M!");
        if runs && self.flavour == Flavour::MySql {
            self.in_run = true;
            let start = self.rest.find('!').map_or(2, |at| at + 1);
            self.skip(start);
            let version = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            return self.skip(version);
        }
        let mut depth = 0_usize;
        loop {
            if self.rest.starts_with("/*") && (depth == 0 || self.flavour == Flavour::Postgres) {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
            } else {
                let Some(next) = self.rest.chars().next() else { return };
                self.skip(next.len_utf8());
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        let escapes = self.flavour == Flavour::MySql
            || matches!(self.tokens.last(), Some(Token::Word(word)) if word == "e");
        self.quoted('\'', escapes, Token::Text);
    }

    fn quoted(&mut self, quote: char, escapes: bool, token: fn(String) -> Token) {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1).peekable();
        let mut end = self.rest.len();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                if letters.next_if(|(_, next)| *next == quote).is_none() {
                    end = at + quote.len_utf8();
                    break;
                }
            } else if letter == '\\' && escapes {
                text.extend(letters.next().map(|(_, next)| next));
                continue;
            }
            text.push(letter);
        }
        self.tokens.push(token(text));
        self.skip(end);
    }

    /// `[name]` as SQL Server and SQLite quote names; `a[1]` is something else.
    fn bracketed(&mut self) -> bool {
        let close = self.rest.char_indices().take(130).find(|(_, letter)| *letter == ']').map(|(at, _)| at);
        let inner = close.and_then(|close| self.rest.get(1..close));
        match inner {
            Some(name) if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                self.tokens.push(Token::Name(name.to_owned()));
                self.skip(name.len() + 2);
                true
            }
            _ => false,
        }
    }

    /// `$tag$ … $tag$`.
    fn dollar(&mut self) -> bool {
        if self.flavour != Flavour::Postgres || !self.dollars {
            return false;
        }
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let inner = self.rest.get(1..).unwrap_or_default();
        let name = inner.len() - inner.trim_start_matches(is_part).len();
        let digit = inner.starts_with(|letter: char| letter.is_ascii_digit());
        if digit || inner.get(name..).is_none_or(|rest| !rest.starts_with('$')) {
            return false;
        }
        let end = name + 2;
        let (tag, body) =
            (self.rest.get(..end).unwrap_or_default(), self.rest.get(end..).unwrap_or_default());
        let Some(close) = body.find(tag) else {
            self.dollars = false;
            return false;
        };
        self.tokens.push(Token::Text(body.get(..close).unwrap_or_default().to_owned()));
        self.skip(end + close + tag.len());
        true
    }

    fn word(&mut self, fresh: bool) {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '@');
        let end = self.rest.find(|letter: char| !is_part(letter)).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default().to_lowercase();
        // Words of the clients themselves, at the start of a statement.
        let starts = matches!(self.tokens.last(), None | Some(Token::Symbol(';')));
        let client = match word.as_str() {
            "system" | "source" | "pager" | "tee" => self.flavour == Flavour::MySql && starts,
            "go" => {
                fresh && self.rest.lines().next().is_some_and(|line| line.trim().eq_ignore_ascii_case("go"))
            }
            _ => false,
        };
        if client {
            return self.client();
        }
        self.tokens.push(Token::Word(word));
        self.skip(end);
    }
}
