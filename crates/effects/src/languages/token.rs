//! Tokens, and what every lexer is made of.

use std::rc::Rc;

use super::change::Change;

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    /// For an opening bracket or block: the token that closes it. Else its own place.
    pub pair: usize,
    /// White space stands before it.
    pub spaced: bool,
    /// It is the first of its line.
    pub fresh: bool,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A name or a word of the language.
    Name(Rc<str>),
    /// A name with the sign of its kind: `$x`, `@x`, `%x`.
    Var(char, Rc<str>),
    /// A whole number.
    Int(i64),
    /// Any other number, a character, a symbol: a value that matters to nobody.
    Other,
    /// A string.
    Str(Rc<[Part]>),
    /// A string that is run by a shell.
    Run(Rc<[Part]>),
    /// A list of words: `qw(a b)`, `%w[a b]`.
    Words(Rc<[Rc<str>]>),
    /// A pattern, where it is plain, and the code in it or in its replacement.
    Pattern(Option<Rc<str>>, Option<Rc<str>>),
    /// What changes a text in place: `s/a/b/`, `tr/a-z/b-za/`.
    Change(Rc<Change>),
    /// An operator or a bracket.
    Op(&'static str),
    /// The end of a line, where that ends a statement.
    Newline,
    /// Lines are indented more from here.
    Indent,
    /// And less.
    Dedent,
}

/// A part of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// Text as it is.
    Text(Rc<str>),
    /// An expression whose value stands here.
    Code(Rc<str>),
}

/// Where a lexer stands in its text.
#[derive(Clone, Debug)]
pub(super) struct Scan<'s> {
    pub text: &'s str,
    pub at: usize,
}

impl<'s> Scan<'s> {
    pub fn new(text: &'s str) -> Self {
        Self { text, at: 0 }
    }

    pub fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub fn done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    pub fn sees(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.sees(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub fn take(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'s str {
        let start = self.at;
        while self.peek().is_some_and(&mut wanted) {
            self.next();
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// What stands before `end`, which is passed too; all the rest when it never comes.
    pub fn until(&mut self, end: &str) -> &'s str {
        let rest = self.rest();
        let found = rest.find(end);
        self.at += found.map_or(rest.len(), |at| at + end.len());
        found.and_then(|at| rest.get(..at)).unwrap_or(rest)
    }

    /// The rest of the line, without its end.
    pub fn line(&mut self) -> &'s str {
        self.take(|c| c != '\n')
    }

    pub fn name(&mut self) -> &'s str {
        self.take(is_name)
    }

    /// The longest operator of a list that stands here. Longer ones come first in the list.
    pub fn op(&mut self, ops: &[&'static str]) -> Option<&'static str> {
        let rest = self.rest();
        // Most differ in the first letter, which is compared without a call.
        let first = rest.as_bytes().first();
        let op = ops.iter().copied().find(|op| op.as_bytes().first() == first && rest.starts_with(op))?;
        self.at += op.len();
        Some(op)
    }

    /// A number: whole ones keep their value.
    pub fn number(&mut self) -> Tok {
        let rest = self.rest();
        let radix = match rest.get(..2) {
            Some("0x" | "0X") => 16,
            Some("0o" | "0O") => 8,
            Some("0b" | "0B") => 2,
            Some("00" | "01" | "02" | "03" | "04" | "05" | "06" | "07") => 8,
            _ => 10,
        };
        if radix != 10 {
            self.at += if radix == 8 && !matches!(rest.get(1..2), Some("o" | "O")) { 1 } else { 2 };
        }
        let digits: String = self.take(|c| c.is_digit(radix) || c == '_').replace('_', "");
        let mut whole = true;
        if radix == 10 && self.peek() == Some('.') && self.second().is_some_and(|c| c.is_ascii_digit()) {
            self.next();
            self.take(|c| c.is_ascii_digit() || c == '_');
            whole = false;
        }
        whole &= self.take(|c| c.is_alphanumeric() || c == '_').is_empty();
        match i64::from_str_radix(&digits, radix) {
            Ok(number) if whole => Tok::Int(number),
            _ => Tok::Other,
        }
    }
}

/// May it be part of a name? Stand-ins for unknown text may.
pub(super) fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || is_stand_in(c)
}

/// May a name begin with it?
pub(super) fn starts_name(c: char) -> bool {
    is_name(c) && !c.is_ascii_digit()
}

/// A character that stands for text the shell did not know.
pub(super) fn is_stand_in(c: char) -> bool {
    ('\u{E000}'..'\u{F000}').contains(&c)
}

/// The parts of a string while it is read.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    text: String,
}

impl Parts {
    pub fn push(&mut self, character: char) {
        self.text.push(character);
    }

    pub fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn code(&mut self, code: &str) {
        self.flush();
        self.parts.push(Part::Code(Rc::from(code)));
    }

    pub fn finish(mut self) -> Rc<[Part]> {
        self.flush();
        Rc::from(self.parts)
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts.push(Part::Text(Rc::from(bytes_meant(std::mem::take(&mut self.text)))));
        }
    }
}

/// The text with bytes that were written one by one, as `\xd0\xbe`, put together to the character that they are.
fn bytes_meant(text: String) -> String {
    let is_byte = |c: char| ('\u{80}'..='\u{ff}').contains(&c);
    if !text.contains(is_byte) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_byte) {
        let (plain, tail) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let end = tail.find(|c: char| !is_byte(c)).unwrap_or(tail.len());
        let (run, after) = tail.split_at_checked(end).unwrap_or((tail, ""));
        let bytes: Vec<u8> = run.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
        out.push_str(plain);
        out.push_str(std::str::from_utf8(&bytes).unwrap_or(run));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A string of one known text.
pub(super) fn plain(text: &str) -> Rc<[Part]> {
    if text.is_empty() { Rc::from([]) } else { Rc::from([Part::Text(Rc::from(text))]) }
}

/// Reads what follows a backslash, as most languages with C's escapes do.
pub(super) fn escape(scan: &mut Scan, out: &mut Parts) {
    let Some(letter) = scan.next() else { return };
    let code = match letter {
        'n' => return out.push('\n'),
        't' => return out.push('\t'),
        'r' => return out.push('\r'),
        'a' => return out.push('\u{7}'),
        'b' => return out.push('\u{8}'),
        'f' => return out.push('\u{c}'),
        'v' => return out.push('\u{b}'),
        'e' => return out.push('\u{1b}'),
        '\n' => return,
        'x' if scan.sees("{") => braced(scan),
        'u' if scan.sees("{") => braced(scan),
        'x' => digits(scan, 16, 2),
        'u' => digits(scan, 16, 4),
        'U' => digits(scan, 16, 8),
        '0'..='7' => {
            scan.at -= 1;
            digits(scan, 8, 3)
        }
        other => return out.push(other),
    };
    out.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
}

fn braced(scan: &mut Scan) -> Option<u32> {
    scan.next();
    let digits = scan.take(|c| c.is_ascii_hexdigit());
    scan.eat("}");
    u32::from_str_radix(digits, 16).ok()
}

fn digits(scan: &mut Scan, radix: u32, most: usize) -> Option<u32> {
    let mut count = 0;
    let digits = scan.take(|c| {
        count += 1;
        count <= most && c.is_digit(radix)
    });
    u32::from_str_radix(digits, radix).ok()
}

/// The closing partner of a bracket; other characters close themselves.
pub(super) fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// Raw text up to the closing partner of `open`, brackets nested, backslashes kept. The opening one was read.
pub(super) fn delimited<'s>(scan: &mut Scan<'s>, open: char) -> &'s str {
    let close = closing(open);
    let (start, mut depth) = (scan.at, 0_usize);
    while let Some(character) = scan.next() {
        if character == '\\' {
            scan.next();
        } else if character == close && depth == 0 {
            return scan.text.get(start..scan.at - close.len_utf8()).unwrap_or_default();
        } else if character == close {
            depth -= 1;
        } else if character == open {
            depth += 1;
        }
    }
    scan.text.get(start..).unwrap_or_default()
}

/// An expression in braces inside a string: the opening brace was read, the closing one is passed. Strings in
/// it may hold braces.
pub(super) fn embedded<'s>(scan: &mut Scan<'s>) -> &'s str {
    let start = scan.at;
    let mut depth = 0_usize;
    while let Some(character) = scan.next() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => return scan.text.get(start..scan.at - 1).unwrap_or_default(),
            '}' => depth -= 1,
            '\\' => {
                scan.next();
            }
            '\'' | '"' => skip_quoted(scan, character),
            '`' => skip_template(scan),
            _ => {}
        }
    }
    scan.text.get(start..).unwrap_or_default()
}

/// Skips a quoted string whose opening quote was read. It ends with its line at the latest.
fn skip_quoted(scan: &mut Scan, quote: char) {
    let before = scan.at;
    while let Some(character) = scan.next() {
        match character {
            '\\' => {
                scan.next();
            }
            '\n' => {
                scan.at = before;
                return;
            }
            other if other == quote => return,
            _ => {}
        }
    }
    scan.at = before;
}

/// Skips a template literal whose opening backtick was read; templates and expressions in it may nest.
pub(super) fn skip_template(scan: &mut Scan) {
    // True: inside a template; false: inside an expression of one.
    let mut inside = vec![true];
    while let (Some(template), Some(character)) = (inside.last().copied(), scan.next()) {
        match character {
            '\\' => {
                scan.next();
            }
            '`' if template => {
                inside.pop();
            }
            '`' => inside.push(true),
            '$' if template && scan.eat("{") => inside.push(false),
            '{' if !template => inside.push(false),
            '}' if !template => {
                inside.pop();
            }
            '\'' | '"' if !template => skip_quoted(scan, character),
            _ => {}
        }
    }
}

/// The tokens of a text while they are found.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub list: Vec<Token>,
    pub spaced: bool,
    pub fresh: bool,
}

impl Tokens {
    pub fn push(&mut self, tok: Tok) {
        let pair = self.list.len();
        self.list.push(Token { tok, pair, spaced: self.spaced, fresh: self.fresh });
        (self.spaced, self.fresh) = (false, false);
    }

    pub fn last(&self) -> Option<&Tok> {
        self.list.last().map(|token| &token.tok)
    }

    /// Joins brackets and blocks with what closes them. `role` says which words open and close blocks.
    pub fn finish(mut self, role: impl Fn(&[Token], usize) -> Role) -> Rc<[Token]> {
        let mut open: Vec<(usize, Bracket)> = Vec::new();
        // How many of each kind are open, so that a stray closing bracket costs no search.
        let mut counts = [0_usize; 5];
        for at in 0..self.list.len() {
            match role(&self.list, at) {
                Role::None => {}
                Role::Opens(kind) => {
                    open.push((at, kind));
                    counts.get_mut(kind as usize).into_iter().for_each(|count| *count += 1);
                }
                Role::Closes(kind) => {
                    if counts.get(kind as usize).is_none_or(|count| *count == 0) {
                        continue;
                    }
                    // What was left open inside ends here too.
                    while let Some((opener, opened)) = open.pop() {
                        counts.get_mut(opened as usize).into_iter().for_each(|count| *count -= 1);
                        self.list.get_mut(opener).into_iter().for_each(|token| token.pair = at);
                        if opened == kind {
                            break;
                        }
                    }
                }
            }
        }
        let end = self.list.len();
        for (opener, _) in open {
            self.list.get_mut(opener).into_iter().for_each(|token| token.pair = end);
        }
        Rc::from(self.list)
    }
}

/// Kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
    /// Indented lines.
    Lines,
    /// From a word to its `end`.
    Words,
}

/// What a token does to the nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    None,
    Opens(Bracket),
    Closes(Bracket),
}

/// The role of brackets and indents, the same everywhere.
pub(super) fn brackets(tokens: &[Token], at: usize) -> Role {
    match tokens.get(at).map(|token| &token.tok) {
        Some(Tok::Op("(")) => Role::Opens(Bracket::Round),
        Some(Tok::Op("[")) => Role::Opens(Bracket::Square),
        Some(Tok::Op("{")) => Role::Opens(Bracket::Curly),
        Some(Tok::Op(")")) => Role::Closes(Bracket::Round),
        Some(Tok::Op("]")) => Role::Closes(Bracket::Square),
        Some(Tok::Op("}")) => Role::Closes(Bracket::Curly),
        Some(Tok::Indent) => Role::Opens(Bracket::Lines),
        Some(Tok::Dedent) => Role::Closes(Bracket::Lines),
        _ => Role::None,
    }
}
