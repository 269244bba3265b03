//! How deep a text is, before a parser sees it.
//!
//! Parsers go down one level of their own stack for each bracket, and what they make goes away the same way. So a text is
//! gone over once, byte by byte, with nothing but strings, comments and brackets understood; a statement that is too deep is
//! blanked, so that what stands around it is still read, and is an `Unknown` node of the tree.

use std::borrow::Cow;

use crate::tree::Range;

/// What a language looks like from so far away.
pub(crate) struct Style {
    /// What begins a comment to the end of the line.
    pub line_comment: &'static str,
    /// What a comment stands between.
    pub comment: Option<(&'static str, &'static str)>,
    /// Three quotes in a row begin a string of several lines, and letters before quotes say that code may stand in it.
    pub python: bool,
    /// "`" begins a string with code in it, and `/` may begin a pattern.
    pub javascript: bool,
}

/// What is open at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A bracket, with what closes it.
    Bracket(u8),
    /// Code in a string, which goes on behind it: the quote and how many of them.
    Code(u8, u8),
}

/// One thing that is open, and how deep what stands in it has been.
#[derive(Clone, Copy, Debug)]
struct Level {
    open: Open,
    /// Operators, parts and calls in the present element.
    chain: u32,
    /// The deepest bracket in the present element.
    inner: u32,
    /// The deepest element so far.
    deepest: u32,
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    style: &'static Style,
    levels: Vec<Level>,
    /// Where the present statement begins.
    statement: usize,
    /// The byte before, blanks left out.
    last: u8,
    /// The present statement is too deep.
    too_deep: bool,
    cut: Vec<Range>,
    /// Columns at which the blocks around the present line begin.
    indents: Vec<usize>,
    /// How many `else` have followed one another.
    branches: u32,
}

/// The text without what is too deep, and where that stands.
pub(crate) fn cut<'t>(text: &'t str, style: &'static Style) -> (Cow<'t, str>, Vec<Range>) {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        style,
        levels: vec![Level::new(Open::Bracket(0))],
        statement: 0,
        last: b'\n',
        too_deep: false,
        cut: Vec::new(),
        indents: Vec::new(),
        branches: 0,
    };
    scan.run();
    let cut = scan.cut;
    if cut.is_empty() {
        return (Cow::Borrowed(text), cut);
    }
    let mut kept = text.as_bytes().to_vec();
    for range in &cut {
        let part = kept.get_mut(range.start as usize..range.end as usize);
        part.into_iter().flatten().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // Whole statements were blanked, so that no character was cut in two.
    (Cow::Owned(String::from_utf8_lossy(&kept).into_owned()), cut)
}

impl Level {
    fn new(open: Open) -> Self {
        Self { open, chain: 0, inner: 0, deepest: 0 }
    }

    fn element(&mut self) {
        self.deepest = self.deepest.max(self.chain + self.inner);
        self.chain = 0;
        self.inner = 0;
    }
}

impl Scan<'_> {
    fn run(&mut self) {
        self.line_start();
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.step(byte);
        }
        self.end_statement(self.bytes.len());
    }

    fn step(&mut self, byte: u8) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(self.style.line_comment.as_bytes()) {
            self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            return;
        }
        if let Some((begin, end)) = self.style.comment
            && rest.starts_with(begin.as_bytes())
        {
            self.at += begin.len();
            self.skip_to(end.as_bytes());
            return;
        }
        match byte {
            b'\'' | b'"' => self.quoted(byte),
            b'`' if self.style.javascript => self.string(byte, 1, true),
            b'/' if self.style.javascript && self.begins_pattern() => self.pattern(),
            b'(' | b'[' | b'{' => self.open(byte),
            b')' | b']' | b'}' => self.close(byte),
            b'\\' if self.style.python => self.at += 2,
            b'\n' => self.newline(),
            b';' => {
                self.at += 1;
                self.end_statement(self.at);
                self.last = byte;
            }
            b',' => {
                self.at += 1;
                self.last = byte;
                if let Some(level) = self.levels.last_mut() {
                    level.element();
                }
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            _ if byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'_' => self.word(),
            _ => {
                self.at += 1;
                self.count(byte);
            }
        }
    }

    /// A letter of an operator, or a word.
    fn count(&mut self, byte: u8) {
        self.last = byte;
        if let Some(level) = self.levels.last_mut() {
            level.chain += 1;
            self.too_deep |= level.chain > super::CHAIN;
        }
    }

    fn word(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || *byte == b'_';
        let length = rest.iter().take_while(|byte| is_word(byte)).count().max(1);
        let word = rest.get(..length).unwrap_or_default();
        self.at += length;
        if word == b"else" {
            self.branches += 1;
            self.too_deep |= self.style.javascript && self.branches > super::CHAIN;
        }
        let opens = matches!(self.bytes.get(self.at), Some(b'\'' | b'"'));
        if self.style.python && opens && length <= 2 && word.iter().any(|byte| b"fFtT".contains(byte)) {
            let quote = self.bytes.get(self.at).copied().unwrap_or_default();
            let count = self.quotes(quote);
            self.string(quote, count, true);
            return;
        }
        self.count(*word.last().unwrap_or(&b'a'));
    }

    fn quotes(&self, quote: u8) -> u8 {
        let three = self.bytes.get(self.at..self.at + 3) == Some(&[quote; 3]);
        if self.style.python && three { 3 } else { 1 }
    }

    fn quoted(&mut self, quote: u8) {
        let count = self.quotes(quote);
        self.string(quote, count, false);
    }

    /// A string from its first quote.
    fn string(&mut self, quote: u8, count: u8, code: bool) {
        self.at += usize::from(count);
        self.text(quote, count, code);
    }

    /// What stands in a string, to its end or to code in it.
    fn text(&mut self, quote: u8, count: u8, code: bool) {
        let lines = count == 3 || quote == b'`';
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let next = self.bytes.get(self.at + 1).copied();
            match byte {
                b'\\' => self.at += 2,
                b'\n' if !lines => break,
                b'{' if code && quote != b'`' && next == Some(b'{') => self.at += 2,
                b'{' if code && quote != b'`' => {
                    self.at += 1;
                    return self.enter(Open::Code(quote, count));
                }
                b'$' if quote == b'`' && next == Some(b'{') => {
                    self.at += 2;
                    return self.enter(Open::Code(quote, count));
                }
                _ if byte == quote => {
                    let length = usize::from(count);
                    let end = self.bytes.get(self.at..self.at + length);
                    if end.is_some_and(|end| end.iter().all(|byte| *byte == quote)) {
                        self.at += length;
                        break;
                    }
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        self.last = quote;
    }

    fn enter(&mut self, open: Open) {
        self.levels.push(Level::new(open));
        self.too_deep |= self.levels.len() > super::NESTING as usize;
        self.last = b'(';
    }

    fn open(&mut self, byte: u8) {
        self.at += 1;
        let close = match byte {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        // What follows a value is a part of it.
        if let Some(level) = self.levels.last_mut() {
            level.chain += 1;
        }
        self.enter(Open::Bracket(close));
    }

    fn close(&mut self, byte: u8) {
        self.at += 1;
        self.last = byte;
        let Some(level) = self.levels.last().copied() else { return };
        let closes = match level.open {
            Open::Bracket(close) => close == byte,
            Open::Code(..) => byte == b'}',
        };
        if !closes || self.levels.len() == 1 {
            return;
        }
        self.leave();
        if let Open::Code(quote, count) = level.open {
            self.text(quote, count, true);
        } else if byte == b'}' && self.style.javascript {
            self.after_block();
        }
    }

    fn leave(&mut self) {
        let Some(mut level) = self.levels.pop() else { return };
        level.element();
        if let Some(outer) = self.levels.last_mut() {
            outer.inner = outer.inner.max(level.deepest + 1);
            self.too_deep |= outer.inner + outer.chain > super::CHAIN;
        }
    }

    /// A block may end a statement; `else` and what goes on with a value do not begin one.
    fn after_block(&mut self) {
        let next = self.bytes.get(self.at..).unwrap_or_default();
        let blanks = next.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = next.get(blanks..).unwrap_or_default();
        let goes_on = next.starts_with(b"else")
            || next
                .first()
                .is_some_and(|byte| !(byte.is_ascii_alphanumeric() || b"_$}\"'`@#".contains(byte)));
        if !goes_on {
            self.branches = 0;
            self.end_statement(self.at);
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        // An f-string of one line ends with the line.
        if self.style.python {
            while matches!(self.levels.last(), Some(Level { open: Open::Code(_, 1), .. })) {
                self.leave();
            }
        }
        let next =
            self.bytes.get(self.at..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
        let goes_on = self.style.javascript
            && (next.is_some_and(|byte| b".+-*/%&|^<>=?:,)]".contains(byte))
                || b".+-*/%&|^<>=?:,([!~".contains(&self.last));
        if self.levels.len() == 1 && !goes_on {
            self.end_statement(self.at);
            self.last = b'\n';
            self.line_start();
        } else if !goes_on && self.style.javascript {
            self.end_inner();
        }
    }

    /// A statement ends in a block that goes on.
    fn end_inner(&mut self) {
        if let Some(level) = self.levels.last_mut().filter(|level| level.open == Open::Bracket(b'}')) {
            level.element();
        }
    }

    /// A statement ends: if it is too deep, it is cut.
    fn end_statement(&mut self, end: usize) {
        if self.levels.len() > 1 && end < self.bytes.len() {
            return self.end_inner();
        }
        while self.levels.len() > 1 {
            self.leave();
        }
        if let Some(level) = self.levels.first_mut() {
            level.element();
            self.too_deep |= level.deepest > super::CHAIN;
            *level = Level::new(Open::Bracket(0));
        }
        if std::mem::take(&mut self.too_deep) {
            let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            self.cut.push(Range { start: number(self.statement), end: number(end) });
        }
        self.statement = end;
    }

    /// Where blocks are told by their columns, how deep the line that begins here is in them.
    fn line_start(&mut self) {
        if !self.style.python {
            return;
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let column = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).count();
        if matches!(rest.get(column), None | Some(b'\n' | b'\r' | b'#')) {
            return;
        }
        while self.indents.last().is_some_and(|outer| *outer > column) {
            self.indents.pop();
        }
        if self.indents.last() != Some(&column) {
            self.indents.push(column);
        }
        self.too_deep |= self.indents.len() > super::NESTING as usize;
    }

    fn skip_to(&mut self, end: &[u8]) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at += found.map_or(rest.len(), |at| at + end.len());
    }

    /// `/` behind a value divides it.
    fn begins_pattern(&self) -> bool {
        !(self.last.is_ascii_alphanumeric() || self.last >= 0x80 || b"_$)]}'\"`".contains(&self.last))
            || self.after_word(&[b"return", b"typeof", b"case", b"in", b"of", b"void", b"delete"])
    }

    fn after_word(&self, words: &[&[u8]]) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default().trim_ascii_end();
        words.iter().any(|word| before.ends_with(word))
    }

    fn pattern(&mut self) {
        self.at += 1;
        let mut class = false;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\n' => break,
                b'\\' => self.at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => {
                    self.at += 1;
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.last = b'a';
    }
}
