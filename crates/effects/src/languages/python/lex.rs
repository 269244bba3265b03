//! Python's tokens: indentation, and strings with their prefixes.

use std::rc::Rc;

use tollgate_model::work;

use super::super::token::{
    Parts, Scan, Tok, Token, Tokens, brackets, embedded, escape, is_stand_in, starts_name,
};

const OPS: &[&str] = &[
    "**=", "//=", ">>=", "<<=", "...", "!=", "<=", ">=", "==", "->", ":=", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "@=", "**", "//", "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=",
    "+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "@", "!", "`", "$", "?",
];

pub(super) fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
    // A lone carriage return ends a line too, and a comment with it.
    let lines = text.contains('\r').then(|| text.replace("\r\n", "\n").replace('\r', "\n"));
    let text = lines.as_deref().unwrap_or(text);
    let mut lexer = Lexer { scan: Scan::new(text), tokens: Tokens::default(), indents: vec![0], depth: 0 };
    lexer.indent();
    while !lexer.scan.done() {
        lexer.step();
    }
    lexer.tokens.push(Tok::Newline);
    for _ in 1..lexer.indents.len() {
        lexer.tokens.push(Tok::Dedent);
    }
    lexer.tokens.finish(brackets)
}

/// Python takes letters of other shapes in a name for the plain ones.
fn folded(c: char) -> char {
    let code = u32::from(c);
    let letter = |offset: u32| {
        let base = if offset < 26 { u32::from('A') + offset } else { u32::from('a') + offset - 26 };
        char::from_u32(base).unwrap_or(c)
    };
    match code {
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).unwrap_or(c),
        0x1D400..=0x1D6A3 => letter((code - 0x1D400) % 52),
        0x1D7CE..=0x1D7FF => char::from_u32(u32::from('0') + (code - 0x1D7CE) % 10).unwrap_or(c),
        0x2070..=0x209C => superscript(c),
        0x24D0..=0x24E9 => char::from_u32(code - 0x24D0 + u32::from('a')).unwrap_or(c),
        _ => superscript(c),
    }
}

/// Letters that stand above or below the line, and a few of their own.
fn superscript(c: char) -> char {
    let pairs =
        "ªaºoſsℎhℊgℯeℴoⁱiⁿnₐaₑeₒoₓxₕhₖkₗlₘmₙnₚpₛsₜtᵢiᵣrᵤuᵥvᵃaᵇbᶜcᵈdᵉeᶠfᵍgʰhʲjᵏkˡlᵐmᵒoᵖpʳrˢsᵗtᵘuᵛvʷwˣxʸyᶻz";
    let mut letters = pairs.chars();
    while let (Some(shape), Some(plain)) = (letters.next(), letters.next()) {
        if shape == c {
            return plain;
        }
    }
    c
}

struct Lexer<'s> {
    scan: Scan<'s>,
    tokens: Tokens,
    indents: Vec<usize>,
    /// Open brackets: inside them a line does not end.
    depth: usize,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let Some(c) = self.scan.peek() else { return };
        match c {
            '\n' => {
                self.scan.next();
                if self.depth == 0 {
                    self.tokens.push(Tok::Newline);
                    self.indent();
                }
                self.tokens.spaced = true;
            }
            '\\' if self.scan.rest().starts_with("\\\n") => {
                self.scan.at += 2;
                self.tokens.spaced = true;
            }
            '#' => {
                self.scan.line();
            }
            '"' | '\'' => self.string(""),
            _ if c.is_whitespace() => {
                self.scan.next();
                self.tokens.spaced = true;
            }
            '0'..='9' => {
                let number = self.scan.number();
                self.tokens.push(number);
            }
            _ if starts_name(c) => self.word(),
            _ => self.op(),
        }
    }

    fn op(&mut self) {
        match self.scan.op(OPS) {
            Some(op) => {
                match op {
                    "(" | "[" | "{" => self.depth += 1,
                    ")" | "]" | "}" => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.tokens.push(Tok::Op(op));
            }
            None => {
                self.scan.next();
            }
        }
    }

    fn word(&mut self) {
        let name = self.scan.name();
        let prefix = name.len() <= 2 && name.chars().all(|c| "rRbBuUfFtT".contains(c));
        if prefix && matches!(self.scan.peek(), Some('"' | '\'')) {
            self.string(name);
        } else if name.chars().all(is_stand_in) {
            self.tokens.push(Tok::Other);
        } else {
            let plain: String = name.chars().map(folded).collect();
            self.tokens.push(Tok::Name(Rc::from(plain)));
        }
    }

    fn string(&mut self, prefix: &str) {
        let raw = prefix.contains(['r', 'R']);
        let format = prefix.contains(['f', 'F', 't', 'T']);
        let Some(quote) = self.scan.next() else { return };
        let triple = [quote; 3].iter().collect::<String>();
        let long = self.scan.rest().starts_with(triple.get(1..).unwrap_or_default());
        let end = if long { triple } else { quote.to_string() };
        if long {
            self.scan.at += 2;
        }
        let mut parts = Parts::default();
        loop {
            if self.scan.eat(&end) {
                break;
            }
            match self.scan.next() {
                None => break,
                Some('\n') if !long => break,
                Some('\\') if raw => {
                    parts.push('\\');
                    self.scan.next().into_iter().for_each(|c| parts.push(c));
                }
                Some('\\') => escape(&mut self.scan, &mut parts),
                Some('{') if format && !self.scan.eat("{") => self.field(&mut parts),
                Some('}') if format => {
                    self.scan.eat("}");
                    parts.push('}');
                }
                Some(c) => parts.push(c),
            }
        }
        self.tokens.push(Tok::Str(parts.finish()));
    }

    /// `{expression!r:format}`
    fn field(&mut self, parts: &mut Parts) {
        let code = embedded(&mut self.scan);
        let mut depth = 0_usize;
        let mut end = code.len();
        for (at, c) in code.char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ':' if depth == 0 => {
                    end = at;
                    break;
                }
                '!' if depth == 0 && !code.get(at + 1..).unwrap_or_default().starts_with('=') => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        parts.code(code.get(..end).unwrap_or(code).trim_end_matches('=').trim());
    }

    /// The blanks at the beginning of a line, where it is no empty one.
    fn indent(&mut self) {
        loop {
            let blanks = self.scan.take(|c| matches!(c, ' ' | '\t' | '\r' | '\u{c}'));
            match self.scan.peek() {
                Some('#') => {
                    self.scan.line();
                }
                Some('\n') => {}
                Some(_) => return self.level(blanks.chars().map(|c| if c == '\t' { 8 } else { 1 }).sum()),
                None => return,
            }
            if self.scan.next().is_none() {
                return;
            }
        }
    }

    fn level(&mut self, width: usize) {
        self.tokens.fresh = true;
        if self.indents.last().is_none_or(|last| width > *last) {
            // The first line may be indented: nothing opens there.
            if !self.tokens.list.is_empty() {
                self.tokens.push(Tok::Indent);
                self.indents.push(width);
            }
            return;
        }
        while self.indents.len() > 1 && self.indents.last().is_some_and(|last| width < *last) {
            self.indents.pop();
            self.tokens.push(Tok::Dedent);
        }
    }
}
