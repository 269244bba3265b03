//! `${…}`: the parameter, its subscript and its operator.

use super::compound::literal;
use super::quote::{
    Context, LENGTH, OFFSET, REPLACED, Rules, SUBSCRIPT, operand_rules, pattern_rules, replacement_rules,
};
use super::word::Parts;
use super::{Closers, Parser};
use crate::ast::{Arith, Param, ParamOp, Part, ReplaceAnchor, Word};
use crate::lexer::without_joins;

impl Parser<'_> {
    /// Reads an expansion from after its `{`.
    pub(super) fn braced(&mut self, start: usize, context: Context, parts: &mut Parts) {
        self.at.join();
        if matches!(self.at.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.function_substitution(start, context, parts);
            return;
        }
        let read = self.nested(|parser| Some(parser.param_or_unknown(context)));
        let Some((param, rest)) = read else { return };
        if !self.at.eat(b"}") {
            self.unclosed(start);
        }
        let span = self.span(start, self.at.pos);
        parts.push(Part::Param { expansion: Box::new(param), quoted: context.quoted, span });
        // What an unknown form does with its value nobody can say, but what is substituted in it runs.
        parts.0.extend(rest.0.into_iter().filter(|part| !matches!(part, Part::Text { .. })));
    }

    /// The parameter, and what follows a form that is not known.
    fn param_or_unknown(&mut self, context: Context) -> (Param, Parts) {
        let start = self.at.pos;
        let mut rest = Parts::default();
        let (mut param, known) = self.param(context);
        if !known {
            self.enclosed(operand_rules(context, self.dialect), &mut rest);
            // After a stop the rest of the text would be copied at every level.
            let raw = if self.ledger.stopped { "" } else { self.at.slice(start, self.at.pos) };
            param.op = ParamOp::Unknown(raw.to_owned());
            self.looked(raw.len());
        }
        (param, rest)
    }

    /// `${ …; }` and `${| …; }`, which run in the shell itself.
    fn function_substitution(&mut self, start: usize, context: Context, parts: &mut Parts) {
        self.at.eat(b"|");
        let script = self.substituted(Closers::BRACE);
        if !self.at.eat(b"}") {
            self.unclosed(start);
        }
        let span = self.span(start, self.at.pos);
        parts.push(Part::Command { script, quoted: context.quoted, span });
    }

    /// The parameter up to the closing brace, and whether all of it was understood.
    fn param(&mut self, context: Context) -> (Param, bool) {
        let mut param = Param { name: String::new(), subscript: None, indirect: false, op: ParamOp::None };
        if self.prefix_ahead(b'#') {
            self.at.pos += 1;
            param.op = ParamOp::Length;
        } else if self.prefix_ahead(b'!') {
            self.at.pos += 1;
            param.indirect = true;
        }
        param.name = self.param_name();
        if param.name.is_empty() {
            return (param, false);
        }
        self.at.join();
        if self.at.peek() == Some(b'[') && !self.param_subscript(&mut param) {
            return (param, false);
        }
        self.at.join();
        if param.op == ParamOp::Length {
            return (param, self.at.peek() == Some(b'}'));
        }
        let op = if param.indirect && self.names_ahead(&param) {
            Some(ParamOp::Names)
        } else {
            self.param_op(context)
        };
        let known = op.is_some() && matches!(self.at.peek(), Some(b'}') | None);
        param.op = op.unwrap_or(ParamOp::None);
        (param, known)
    }

    /// Whether `#` or `!` is an operator before a name, and not itself the parameter.
    fn prefix_ahead(&self, prefix: u8) -> bool {
        if self.at.peek() != Some(prefix) {
            return false;
        }
        let next = self.at.joined(self.at.pos + 1);
        match self.at.byte(next) {
            Some(byte) if byte == b'_' || byte.is_ascii_alphanumeric() => true,
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => self.at.after(next) == Some(b'}'),
            _ => false,
        }
    }

    fn param_name(&mut self) -> String {
        let start = self.at.pos;
        let end = match self.at.peek() {
            Some(b'0'..=b'9') => self.digits_end(),
            // `${$(…)}` is a form of zsh, not a use of `$$`.
            Some(b'$') if matches!(self.at.after(start), Some(b'(' | b'{')) => start,
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => start + 1,
            _ => self.at.name_end(start),
        };
        self.at.pos = end;
        without_joins(self.at.slice(start, end))
    }

    fn digits_end(&self) -> usize {
        let mut end = self.at.pos;
        while self.at.byte(self.at.joined(end)).is_some_and(|byte| byte.is_ascii_digit()) {
            end = self.at.joined(end) + 1;
        }
        end
    }

    /// `[…]`; false when it does not close before the brace.
    fn param_subscript(&mut self, param: &mut Param) -> bool {
        self.at.pos += 1;
        let (word, end) = self.enclosed_word(&SUBSCRIPT);
        param.subscript = Some(word);
        if end == Some(b']') {
            self.at.pos += 1;
        }
        end == Some(b']')
    }

    /// `${!prefix*}`, `${!prefix@}`, `${!array[@]}`: consumes the `*` or `@`.
    fn names_ahead(&mut self, param: &Param) -> bool {
        if let Some(subscript) = &param.subscript {
            let all = literal(subscript).is_some_and(|text| text == "@" || text == "*");
            return all && self.at.peek() == Some(b'}');
        }
        let listed = matches!(self.at.peek(), Some(b'*' | b'@')) && self.at.after(self.at.pos) == Some(b'}');
        if listed {
            self.at.pos = self.at.joined(self.at.pos + 1);
        }
        listed
    }

    /// The operator and its operands, or nothing when it is not known.
    fn param_op(&mut self, context: Context) -> Option<ParamOp> {
        let Some(operator) = self.at.peek() else { return Some(ParamOp::None) };
        match operator {
            b'}' => Some(ParamOp::None),
            b':' => self.colon_op(context),
            b'-' | b'=' | b'?' | b'+' => Some(self.default_op(false, context)),
            b'#' | b'%' => {
                let longest = self.eat_doubled(operator);
                let pattern = self.operand(pattern_rules());
                Some(ParamOp::Trim { suffix: operator == b'%', longest, pattern })
            }
            b'/' => Some(self.replace_op(context)),
            b'^' | b',' => {
                let all = self.eat_doubled(operator);
                let pattern = self.operand(pattern_rules());
                let pattern = Some(pattern).filter(|pattern| !pattern.parts.is_empty());
                Some(ParamOp::Case { upper: operator == b'^', all, pattern })
            }
            b'@' => self.transform_op(),
            _ => None,
        }
    }

    /// Consumes the operator and tells whether it was written twice.
    fn eat_doubled(&mut self, operator: u8) -> bool {
        self.at.eat(&[operator]);
        self.at.eat(&[operator])
    }

    fn operand(&mut self, rules: &Rules) -> Word {
        self.enclosed_word(rules).0
    }

    fn colon_op(&mut self, context: Context) -> Option<ParamOp> {
        match self.at.after(self.at.pos) {
            Some(b'-' | b'=' | b'?' | b'+') => {
                self.at.pos = self.at.joined(self.at.pos + 1);
                Some(self.default_op(true, context))
            }
            // A letter is a modifier in zsh; elsewhere it starts an expression. `::=` assigns.
            Some(byte) if self.is_zsh() && (byte.is_ascii_alphabetic() || byte == b':') => None,
            _ => {
                self.at.pos += 1;
                Some(self.slice_op())
            }
        }
    }

    fn default_op(&mut self, colon: bool, context: Context) -> ParamOp {
        let kind = self.at.bump().chars().next().unwrap_or('-');
        let word = self.operand(operand_rules(context, self.dialect));
        ParamOp::Default { kind, colon, word }
    }

    fn replace_op(&mut self, context: Context) -> ParamOp {
        self.at.eat(b"/");
        let anchor = if self.at.eat(b"/") {
            ReplaceAnchor::All
        } else if self.at.eat(b"#") {
            ReplaceAnchor::Start
        } else if self.at.eat(b"%") {
            ReplaceAnchor::End
        } else {
            ReplaceAnchor::First
        };
        let (pattern, end) = self.enclosed_word(&REPLACED);
        if end == Some(b'/') {
            self.at.pos += 1;
        }
        let with = self.operand(replacement_rules(context));
        ParamOp::Replace { anchor, pattern, with }
    }

    /// `offset[:length]`. A `:` that belongs to a `?` does not end the offset.
    fn slice_op(&mut self) -> ParamOp {
        let start = self.at.pos;
        let mut parts = Parts::default();
        let mut choices = 0_usize;
        let mut end;
        loop {
            let from = self.at.pos;
            end = self.enclosed(&OFFSET, &mut parts);
            choices += self.at.slice(from, self.at.pos).matches('?').count();
            if end != Some(b':') || choices == 0 {
                break;
            }
            choices -= 1;
            parts.text(self.at.bump(), true);
        }
        let offset = Arith { word: self.finish(parts, start) };
        let length = self.at.eat(b":").then(|| Arith { word: self.operand(&LENGTH) });
        ParamOp::Slice { offset, length }
    }

    /// `@` and one letter.
    fn transform_op(&mut self) -> Option<ParamOp> {
        let letter = self.at.joined(self.at.pos + 1);
        let byte = self.at.byte(letter).filter(u8::is_ascii_alphabetic)?;
        if self.at.after(letter) != Some(b'}') {
            return None;
        }
        self.at.pos = self.at.joined(letter + 1);
        Some(ParamOp::Transform(char::from(byte)))
    }
}
