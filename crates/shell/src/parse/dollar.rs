//! What begins with `$`: parameters, command substitution, arithmetic.

use super::quote::{BRACKETS, Context, SUBSCRIPT};
use super::word::Parts;
use super::{Closers, Parser};
use crate::ast::{Arith, Dialect, Param, ParamOp, Part, Script, Word};
use crate::lexer::without_joins;

impl Parser<'_> {
    /// Reads an expansion, or a `$` that is only text.
    pub(super) fn dollar(&mut self, context: Context, parts: &mut Parts) {
        let start = self.at.pos;
        let next = self.at.joined(start + 1);
        match self.at.byte(next) {
            Some(b'(') => {
                self.at.pos = next;
                self.dollar_parenthesis(start, context, parts);
            }
            Some(b'{') => {
                self.at.pos = next + 1;
                self.braced(start, context, parts);
            }
            // dash takes `$[` for text, and goes on to the next operator.
            Some(b'[') if self.dialect != Dialect::Posix => {
                self.at.pos = next + 1;
                self.dollar_bracket(start, context, parts);
            }
            Some(b'\'') if context.dollar_quotes => self.ansi_quoted(next, parts),
            Some(b'"') if context.dollar_quotes => {
                self.at.pos = next;
                self.double_quoted(parts);
            }
            _ => self.bare_param(next, context, parts),
        }
    }

    /// `( … )` from after the opening one.
    pub(super) fn parenthesised(&mut self, start: usize) -> Script {
        let script = self.substituted(Closers::PAREN);
        if !self.at.eat(b")") {
            self.unclosed(start);
        }
        script
    }

    /// `$(( … ))` or `$( … )`, from its first parenthesis on.
    fn dollar_parenthesis(&mut self, start: usize, context: Context, parts: &mut Parts) {
        let open = self.at.pos;
        let quoted = context.quoted;
        if self.at.ahead(b"((").is_some() && self.is_arith(open) {
            self.at.eat(b"((");
            let expression = self.nested(|parser| Some(parser.arith(start)));
            let expression = expression.unwrap_or_else(|| Arith { word: self.no_word() });
            let span = self.span(start, self.at.pos);
            parts.push(Part::Arith { expression, quoted, span });
            return;
        }
        self.at.eat(b"(");
        let script = self.parenthesised(start);
        let span = self.span(start, self.at.pos);
        parts.push(Part::Command { script, quoted, span });
    }

    /// `$[ … ]` from after the bracket.
    fn dollar_bracket(&mut self, start: usize, context: Context, parts: &mut Parts) {
        let expression = self.nested(|parser| {
            let (word, end) = parser.enclosed_word(&BRACKETS);
            if end.is_some() {
                parser.at.pos += 1;
            } else {
                parser.unclosed(start);
            }
            Some(Arith { word })
        });
        let expression = expression.unwrap_or_else(|| Arith { word: self.no_word() });
        let span = self.span(start, self.at.pos);
        parts.push(Part::Arith { expression, quoted: context.quoted, span });
    }

    /// `$name`, `$1`, `$@` and their like, with the name at `next`.
    fn bare_param(&mut self, next: usize, context: Context, parts: &mut Parts) {
        let start = self.at.pos;
        let end = self.bare_param_end(next);
        if end == next {
            self.at.pos += 1;
            parts.text("$", context.quoted);
            return;
        }
        self.at.pos = end;
        let raw = without_joins(self.at.slice(next, end));
        let (name, op) = match raw.strip_prefix(['=', '~', '^', '+']) {
            Some(name) => (name.to_owned(), ParamOp::Unknown(raw)),
            None => (raw, ParamOp::None),
        };
        let subscript = self.bare_subscript();
        let expansion = Box::new(Param { name, subscript, indirect: false, op });
        let span = self.span(start, self.at.pos);
        parts.push(Part::Param { expansion, quoted: context.quoted, span });
    }

    fn bare_param_end(&self, next: usize) -> usize {
        match self.at.byte(next) {
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => next + 1,
            Some(b'=' | b'~' | b'^' | b'+') if self.is_zsh() => {
                let end = self.at.name_end(next + 1);
                if end == next + 1 { next } else { end }
            }
            _ => self.at.name_end(next),
        }
    }

    /// zsh takes a subscript without braces.
    fn bare_subscript(&mut self) -> Option<Word> {
        if !self.is_zsh() || self.at.peek() != Some(b'[') {
            return None;
        }
        let start = self.at.pos;
        self.at.pos += 1;
        self.nested(|parser| {
            let (word, end) = parser.enclosed_word(&SUBSCRIPT);
            if end == Some(b']') {
                parser.at.pos += 1;
            } else {
                parser.unclosed(start);
            }
            Some(word)
        })
    }
}
