//! Shell arithmetic on what is known: 64-bit integers, variables, assignments. Unknown stays unknown.

use std::borrow::Cow;

use tollgate_model::Span;

use super::expand::{Mode, NUMBER};
use super::state::Contents;
use super::vars::{Place, is_name};
use super::{Host, Shell};
use crate::ast::Arith;
use crate::value::{HoleSource, Piece, Text, Value};

/// Variables whose values are expressions that name variables, and so on.
const CHAIN: u32 = 8;
const NESTING: u32 = 32;
const LONG: usize = 10_000;

/// Stands for an unknown number.
const UNKNOWN: char = '\u{1}';

impl Shell {
    /// The value of an expression, as text.
    pub(super) fn arithmetic(&mut self, text: &Value, span: Span, host: &mut dyn Host) -> Value {
        let mut results = Vec::new();
        for expression in &text.any {
            match self.number(&source(expression), span, CHAIN, host) {
                Some(number) => results.push(Text::literal(&number.to_string())),
                None => return Value::something(HoleSource::Input).with_taint(text.taint),
            }
        }
        Value::of(results, text.taint)
    }

    /// The number an expression of the tree comes to.
    pub(super) fn number_of_arith(&mut self, arith: &Arith, span: Span, host: &mut dyn Host) -> Option<i64> {
        let text = self.expand_value(&arith.word, Mode::Plain, host);
        self.number_of(&text, span, host)
    }

    /// The number a value comes to, when there is only one.
    pub(super) fn number_of(&mut self, text: &Value, span: Span, host: &mut dyn Host) -> Option<i64> {
        match text.any.as_slice() {
            [only] => self.number(&source(only), span, CHAIN, host),
            _ => None,
        }
    }

    fn number(&mut self, text: &str, span: Span, chain: u32, host: &mut dyn Host) -> Option<i64> {
        if let Ok(number) = text.trim().parse::<i64>()
            && !text.trim_start().trim_start_matches('-').starts_with('0')
        {
            return Some(number);
        }
        if text.len() > LONG || !self.step(1 + text.len() / 16, span, host) {
            return None;
        }
        if text.contains("$(") || text.contains('`') {
            // A subscript in a variable's value is expanded, substitutions included.
            self.run_hidden(&Value::text(text), span, host);
            return None;
        }
        if text.trim().is_empty() {
            return Some(0);
        }
        let chars: Vec<char> = text.chars().collect();
        let mut reader = Reader {
            chars: &chars,
            at: 0,
            span,
            chain,
            depth: 0,
            live: Live::Yes,
            failed: false,
            shell: self,
            host,
        };
        let value = reader.comma();
        reader.skip();
        let (whole, failed) = (reader.at >= chars.len(), reader.failed);
        match value {
            Some(value) if whole && !failed => value,
            _ => {
                self.may_abort();
                None
            }
        }
    }
}

/// `None` outside: a syntax error. `None` inside: not known.
type Number = Option<Option<i64>>;

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    span: Span,
    chain: u32,
    depth: u32,
    live: Live,
    /// Divided by zero.
    failed: bool,
    shell: &'a mut Shell,
    host: &'a mut dyn Host,
}

/// Whether the operand being read is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Live {
    Yes,
    Perhaps,
    No,
}

impl Live {
    /// Evaluated only under this condition.
    fn when(self, condition: Option<bool>) -> Self {
        match (self, condition) {
            (Self::No, _) | (_, Some(false)) => Self::No,
            (live, Some(true)) => live,
            (_, None) => Self::Perhaps,
        }
    }
}

/// Binary operators by how tightly they bind, loosest first. Longer ones first within a level.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

const ASSIGNMENTS: [&str; 11] = ["<<=", ">>=", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "="];

impl Reader<'_> {
    fn comma(&mut self) -> Number {
        let mut value = self.assignment()?;
        while self.eat(",") {
            value = self.assignment()?;
        }
        Some(value)
    }

    fn assignment(&mut self) -> Number {
        self.depth += 1;
        if self.depth > NESTING {
            return None;
        }
        let value = self.assignment_inside();
        self.depth -= 1;
        value
    }

    fn assignment_inside(&mut self) -> Number {
        let start = self.at;
        if let Some(target) = self.target() {
            self.skip();
            let found = ASSIGNMENTS.iter().find(|operator| self.looking_at(operator));
            if let Some(operator) = found
                && !self.looking_at("==")
            {
                self.at += operator.len();
                let right = self.assignment()?;
                let value = match operator.strip_suffix('=') {
                    Some("") | None => right,
                    Some(binary) => combine(binary, self.read(&target), right),
                };
                self.write(&target, value);
                return Some(value);
            }
        }
        self.at = start;
        self.ternary()
    }

    fn ternary(&mut self) -> Number {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Some(condition);
        }
        let live = self.live;
        self.live = live.when(condition.map(|number| number != 0));
        let yes = self.assignment()?;
        if !self.eat(":") {
            return None;
        }
        self.live = live.when(condition.map(|number| number == 0));
        let no = self.assignment()?;
        self.live = live;
        Some(match condition {
            Some(0) => no,
            Some(_) => yes,
            None => None,
        })
    }

    fn binary(&mut self, level: usize) -> Number {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let live = self.live;
            // The right side of `&&` and `||` may not be evaluated.
            self.live = match operator {
                "&&" => live.when(left.map(|number| number != 0)),
                "||" => live.when(left.map(|number| number == 0)),
                _ => live,
            };
            let right = self.binary(level + 1)?;
            self.live = live;
            self.failed |= matches!(operator, "/" | "%") && right == Some(0) && self.live != Live::No;
            left = combine(operator, left, right);
        }
        Some(left)
    }

    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.skip();
        let found = operators.iter().find(|operator| self.looking_at(operator)).copied()?;
        let after = self.chars.get(self.at + found.len()).copied();
        // `&` is not the start of `&&`, `<` not that of `<<`, and none is part of an assignment.
        let longer = match found {
            "&" => matches!(after, Some('&' | '=')),
            "|" => matches!(after, Some('|' | '=')),
            "<" | ">" => after == self.chars.get(self.at).copied(),
            "*" => matches!(after, Some('*' | '=')),
            "<<" | ">>" | "^" | "+" | "-" | "/" | "%" => after == Some('='),
            _ => false,
        };
        if longer {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn power(&mut self) -> Number {
        let base = self.unary()?;
        if !self.eat("**") {
            return Some(base);
        }
        self.depth += 1;
        if self.depth > NESTING {
            return None;
        }
        let exponent = self.power()?;
        self.depth -= 1;
        let exponent = exponent.and_then(|exponent| u32::try_from(exponent).ok());
        Some(base.zip(exponent).map(|(base, exponent)| base.wrapping_pow(exponent)))
    }

    fn unary(&mut self) -> Number {
        for (operator, step) in [("++", 1), ("--", -1)] {
            let start = self.at;
            if self.eat(operator) {
                if let Some(target) = self.target() {
                    let value = self.read(&target).map(|value| value.wrapping_add(step));
                    self.write(&target, value);
                    return Some(value);
                }
                self.at = start;
            }
        }
        self.skip();
        let Some(sign) = self.chars.get(self.at).copied().filter(|c| matches!(c, '!' | '~' | '-' | '+'))
        else {
            return self.primary();
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > NESTING {
            return None;
        }
        let value = self.unary()?;
        self.depth -= 1;
        Some(value.map(|value| match sign {
            '!' => i64::from(value == 0),
            '~' => !value,
            '-' => value.wrapping_neg(),
            _ => value,
        }))
    }

    fn primary(&mut self) -> Number {
        if self.eat("(") {
            let value = self.comma()?;
            return self.eat(")").then_some(value);
        }
        self.skip();
        match self.chars.get(self.at) {
            Some(c) if c.is_ascii_digit() => return Some(self.literal()),
            Some(&UNKNOWN) => {
                self.take_while(|c| c == UNKNOWN || c.is_ascii_alphanumeric());
                return Some(None);
            }
            _ => {}
        }
        let target = self.target()?;
        let value = self.read(&target);
        for (operator, step) in [("++", 1), ("--", -1)] {
            if self.eat(operator) {
                self.write(&target, value.map(|value| value.wrapping_add(step)));
            }
        }
        Some(value)
    }

    /// `12`, `0x1f`, `017`, `2#101`
    fn literal(&mut self) -> Option<i64> {
        let text = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '#' | '@' | '_'));
        if let Some((base, digits)) = text.split_once('#') {
            let base: u32 = base.parse().ok().filter(|base| (2..=64).contains(base))?;
            return digits.chars().try_fold(0_i64, |sum, c| {
                let digit = digit(c, base).filter(|digit| *digit < base)?;
                Some(sum.wrapping_mul(i64::from(base)).wrapping_add(i64::from(digit)))
            });
        }
        if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return i64::from_str_radix(hex, 16).ok();
        }
        match text.strip_prefix('0') {
            Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
            _ => text.parse().ok(),
        }
    }

    /// A variable, with its subscript as text.
    fn target(&mut self) -> Option<String> {
        self.skip();
        let start = self.at;
        let mut name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name(&name) {
            self.at = start;
            return None;
        }
        if self.chars.get(self.at) == Some(&'[') {
            let mut depth = 0_u32;
            while let Some(c) = self.chars.get(self.at) {
                self.at += 1;
                name.push(*c);
                match c {
                    '[' => depth += 1,
                    ']' if depth == 1 => break,
                    ']' => depth -= 1,
                    _ => {}
                }
            }
        }
        Some(name)
    }

    fn read(&mut self, target: &str) -> Option<i64> {
        let chain = self.chain.checked_sub(1)?;
        let (name, subscript) = super::param::split_name(target);
        let value = match subscript {
            None => {
                let name = self.shell.referred(&name)?;
                let variable = self.shell.lookup(&name, self.host);
                match variable.contents {
                    Contents::Unset => Some(Value::text("0")),
                    _ if variable.maybe_unset => None,
                    _ => variable.scalar(),
                }
            }
            Some(subscript) => self.element(&name, &subscript),
        }?;
        let text = value.as_literal()?;
        if text.trim().is_empty() {
            return Some(0);
        }
        self.shell.number(text, self.span, chain, self.host)
    }

    fn element(&mut self, name: &str, subscript: &str) -> Option<Value> {
        let place = self.shell.place_of(name, subscript, self.span, self.host);
        let name = self.shell.referred(name)?;
        let variable = self.shell.lookup(&name, self.host);
        match (&variable.contents, place) {
            (Contents::Array(array), Place::Element(key)) => match array.any.as_slice() {
                [only] if only.others.is_none() => Some(only.get(&key).unwrap_or_else(|| Value::text("0"))),
                _ => None,
            },
            _ => None,
        }
    }

    fn write(&mut self, target: &str, value: Option<i64>) {
        if self.live == Live::No {
            return;
        }
        let value = match value.filter(|_| self.live == Live::Yes) {
            Some(number) => Value::text(&number.to_string()),
            None => Value::something(HoleSource::Input),
        };
        self.shell.assign_scalar(target, value, self.span, self.host);
    }

    fn skip(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn looking_at(&self, wanted: &str) -> bool {
        wanted.chars().enumerate().all(|(index, c)| self.chars.get(self.at + index) == Some(&c))
    }

    fn eat(&mut self, wanted: &str) -> bool {
        self.skip();
        let found = self.looking_at(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let taken: String = self.chars.iter().skip(self.at).take_while(|c| wanted(**c)).collect();
        self.at += taken.chars().count();
        taken
    }
}

/// The expression with a stand-in for each unknown part, so that what it assigns is still seen.
fn source(text: &Text) -> Cow<'_, str> {
    if let Some(known) = text.as_literal() {
        return Cow::Borrowed(known);
    }
    let part = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Glob(text) => text.to_string(),
        Piece::Hole(_) => UNKNOWN.to_string(),
    };
    let whole: String = text.pieces.iter().map(part).collect();
    Cow::Owned(whole.replace(NUMBER, &UNKNOWN.to_string()))
}

fn digit(c: char, base: u32) -> Option<u32> {
    match c {
        '0'..='9' => c.to_digit(10),
        'a'..='z' => Some(u32::from(c) - u32::from('a') + 10),
        'A'..='Z' if base <= 36 => Some(u32::from(c) - u32::from('A') + 10),
        'A'..='Z' => Some(u32::from(c) - u32::from('A') + 36),
        '@' => Some(62),
        '_' => Some(63),
        _ => None,
    }
}

fn combine(operator: &str, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    match (operator, left, right) {
        ("&&", Some(0), _) | ("&&", _, Some(0)) => return Some(0),
        ("||", Some(n), _) | ("||", _, Some(n)) if n != 0 => return Some(1),
        _ => {}
    }
    let (left, right) = (left?, right?);
    let shift = u32::try_from(right & 63).unwrap_or_default();
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.wrapping_shl(shift),
        ">>" => left.wrapping_shr(shift),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}
