//! Which characters of a word are active patterns. While a word is being put together a `Glob` piece is
//! any unquoted text; `settle` leaves only real operators as `Glob`.

use tollgate_model::work;

use crate::value::{Piece, Text};

/// An extended pattern longer than this is read as text.
const GROUP_LENGTH: usize = 4096;

/// Marks known text as unquoted, where it has a character that could be active.
pub(super) fn activate(text: &Text) -> Text {
    let pieces = text.pieces.iter().map(|piece| match piece {
        Piece::Text(text) if is_special(text) => Piece::Glob(text.clone()),
        piece => piece.clone(),
    });
    Text { pieces: pieces.collect() }
}

/// Some character may be active in a pattern.
pub(super) fn is_special(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b']' | b'(' | b')' | b'\\'))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sym<'a> {
    Char { c: char, active: bool },
    Hole(&'a Piece),
}

/// Tells operators from plain text, for pathname expansion.
pub(super) fn settle(text: Text) -> Text {
    if !text.has_globs() {
        return text;
    }
    let mut syms = Vec::new();
    for piece in &text.pieces {
        match piece {
            Piece::Text(text) => syms.extend(text.chars().map(|c| Sym::Char { c, active: false })),
            Piece::Glob(text) => syms.extend(text.chars().map(|c| Sym::Char { c, active: true })),
            hole @ Piece::Hole(_) => syms.push(Sym::Hole(hole)),
        }
    }
    Settler { syms: &syms, at: 0, text: Text::default(), plain: String::new(), bracket_from: 0 }.run()
}

struct Settler<'a> {
    syms: &'a [Sym<'a>],
    at: usize,
    text: Text,
    plain: String,
    /// No bracket that opens before this closes.
    bracket_from: usize,
}

impl Settler<'_> {
    fn run(mut self) -> Text {
        while let Some(sym) = self.syms.get(self.at) {
            match *sym {
                Sym::Hole(hole) => {
                    self.flush();
                    self.text.push(hole.clone());
                    self.at += 1;
                }
                Sym::Char { c, active } => {
                    let length = if active { self.operator(c) } else { 0 };
                    if length == 0 {
                        self.plain.push(c);
                        self.at += 1;
                    } else {
                        self.take(length);
                    }
                }
            }
        }
        self.flush();
        self.text
    }

    /// How many characters the operator here takes; 0 when there is none.
    fn operator(&mut self, c: char) -> usize {
        let group = if matches!(c, '?' | '*' | '+' | '@' | '!') { self.group() } else { 0 };
        match c {
            _ if group > 0 => group,
            '*' => (self.at..).take_while(|at| self.is_active(*at, '*')).count(),
            '?' => 1,
            '[' => self.bracket(),
            _ => 0,
        }
    }

    fn bracket(&mut self) -> usize {
        if self.at < self.bracket_from {
            return 0;
        }
        let negated = self.is_active(self.at + 1, '!') || self.is_active(self.at + 1, '^');
        let first = self.at + 1 + usize::from(negated);
        let mut at = first;
        while let Some(Sym::Char { c, .. }) = self.syms.get(at) {
            if self.is_active(at, ']') && at > first {
                return at + 1 - self.at;
            }
            if *c == '/' {
                break;
            }
            at += 1;
        }
        self.bracket_from = at;
        0
    }

    fn group(&self) -> usize {
        if !self.is_active(self.at + 1, '(') {
            return 0;
        }
        let mut depth = 0_u32;
        for at in self.at + 1..self.syms.len().min(self.at + GROUP_LENGTH) {
            if at % 8 == 0 && !work::charge(1) {
                return 0;
            }
            if self.is_active(at, '(') {
                depth += 1;
            } else if self.is_active(at, ')') {
                depth -= 1;
                if depth == 0 {
                    return at + 1 - self.at;
                }
            }
        }
        0
    }

    fn is_active(&self, at: usize, wanted: char) -> bool {
        matches!(self.syms.get(at), Some(Sym::Char { c, active: true }) if *c == wanted)
    }

    /// Takes an operator; what was quoted in it is escaped.
    fn take(&mut self, length: usize) {
        self.flush();
        let mut operator = String::new();
        for sym in self.syms.iter().skip(self.at).take(length) {
            if let Sym::Char { c, active } = sym {
                if !active && !c.is_alphanumeric() {
                    operator.push('\\');
                }
                operator.push(*c);
            }
        }
        self.text.pieces.push(Piece::Glob(operator.into()));
        self.at += length;
    }

    fn flush(&mut self) {
        self.text.push_str(&self.plain);
        self.plain.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operators are shown between angle brackets; `raw` is unquoted.
    fn check(raw: &str, expected: &str) {
        let text = settle(Text { pieces: Piece::Glob(raw.into()).into() });
        let shown: String = text.pieces.iter().map(show).collect();
        assert_eq!(shown, expected, "{raw}");
    }

    fn show(piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => text.to_string(),
            Piece::Glob(text) => format!("<{text}>"),
            Piece::Hole(_) => "‹›".into(),
        }
    }

    #[test]
    fn operators() {
        check("a*b", "a<*>b");
        check("**/x", "<**>/x");
        check("/bin/r?", "/bin/r<?>");
        check("[a-z]x", "<[a-z]>x");
        check("[", "[");
        check("[ab", "[ab");
        check("[]", "[]");
        check("[]x]", "<[]x]>");
        check("[a/b]", "[a/b]");
        check("@(a|b)c", "<@(a|b)>c");
        check("f(x)", "f(x)");
    }
}
