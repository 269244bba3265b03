//! `echo`, `printf` and zsh's `print`: what they print, when it is known.

use tollgate_model::Span;

use super::super::echo::{Escapes, escaped, unescaped};
use super::super::state::{Descriptor, Flow};
use super::super::{Field, Host, Shell, Status};
use super::joined;
use crate::ast::Dialect;
use crate::value::{Hole, HoleSource, Piece, Text, Value};

/// Arguments of `printf` that are formatted one by one.
const ARGUMENTS: usize = 1_000;

impl Shell {
    pub(super) fn builtin_echo(&mut self, args: &[Field]) -> Flow {
        let (mut newline, mut escapes) = (true, false);
        let mut rest = args;
        while let [first, others @ ..] = rest {
            let Some(letters) = first.value.as_literal().and_then(|word| word.strip_prefix('-')) else {
                break;
            };
            if letters.is_empty() || !letters.chars().all(|c| matches!(c, 'n' | 'e' | 'E')) {
                break;
            }
            newline &= !letters.contains('n');
            escapes = letters.rfind('e') > letters.rfind('E') || escapes && !letters.contains('E');
            rest = others;
        }
        let plain = joined(rest);
        let decoded = plain.map(|text| decode(text, Escapes::Echo));
        let text = match self.dialect {
            Dialect::Posix => {
                // dash always decodes escapes and knows no option but `-n`; bash as `sh` is as usual.
                let words = if args.len() > rest.len() && newline { args } else { rest };
                let always = joined(words).map(|text| decode(text, Escapes::Echo));
                if escapes { decoded.union(&always) } else { plain.union(&always) }
            }
            _ if !escapes && (self.dialect == Dialect::Zsh || self.state.local.options.xpg_echo) => {
                plain.union(&decoded)
            }
            _ if escapes => decoded,
            _ => plain,
        };
        self.print(text, newline)
    }

    pub(super) fn builtin_print(&mut self, args: &[Field]) -> Flow {
        let given = super::options(args);
        let text = joined(given.rest);
        let raw = given.letters.contains('r');
        let text = if raw { text } else { text.map(|text| decode(text, Escapes::Echo)) };
        self.print(text, !given.letters.contains('n'))
    }

    fn print(&mut self, text: Value, newline: bool) -> Flow {
        let end = if newline { Value::text("\n") } else { Value::empty() };
        let whole = text.concat(&end);
        self.budget.charge(&whole);
        self.emit(1, &whole);
        // To a file, a pipe or another descriptor writing may fail; to whoever reads the answer of the whole command
        // it does not, and neither does it to `$(…)`, which reads to the end.
        let heard = match self.state.local.fds.get(&1) {
            None => true,
            Some(Descriptor::Pipe(id)) => self.captures.contains(id),
            Some(_) => false,
        };
        Flow::of(if heard { Status::Success } else { Status::Either }, self.state.clone())
    }

    pub(super) fn builtin_printf(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let mut rest = args;
        let mut target = None;
        while let [first, others @ ..] = rest {
            match first.value.as_literal() {
                Some("-v") => {
                    target = others.first().map(|field| field.value.clone());
                    rest = others.get(1..).unwrap_or_default();
                }
                Some(word) if word.starts_with("-v") => {
                    target = word.strip_prefix("-v").map(Value::text);
                    rest = others;
                }
                Some("--") => {
                    rest = others;
                    break;
                }
                _ => break,
            }
        }
        let [format, given @ ..] = rest else { return self.either() };
        let output = formatted(&format.value, given);
        self.budget.charge(&output);
        match target {
            Some(names) => {
                if !names.is_known() {
                    self.spread(&output);
                }
                for name in names.literals() {
                    self.run_hidden(&Value::text(name), span, host);
                    self.assign_scalar(name, output.clone(), span, host);
                }
            }
            None => self.emit(1, &output),
        }
        self.either()
    }
}

/// Decodes the known parts.
fn decode(text: &Text, escapes: Escapes) -> Text {
    let mut result = Text::default();
    for piece in &text.pieces {
        match piece {
            Piece::Text(known) => {
                let (known, stopped) = unescaped(known, escapes);
                result.push_str(&known);
                if stopped {
                    break;
                }
            }
            piece => result.push(piece.clone()),
        }
    }
    result
}

/// What `printf` makes of a format and its arguments.
fn formatted(format: &Value, args: &[Field]) -> Value {
    let taint = args.iter().fold(format.taint, |taint, field| taint.union(field.value.taint));
    if args.len() > ARGUMENTS
        || args.iter().any(|field| field.splits && field.value.maybe_empty()) && args.len() > 1
    {
        return Value::unknown(HoleSource::Output).with_taint(taint);
    }
    let texts = format.any.iter().map(|format| format_text(format, args));
    let whole = texts.reduce(|left, right| left.union(&right)).unwrap_or_else(Value::empty);
    whole.with_taint(taint)
}

fn format_text(format: &Text, args: &[Field]) -> Value {
    let values: Vec<&Value> = args.iter().map(|field| &field.value).collect();
    let mut printer = Printer { rest: &values, output: Value::empty(), used: false, stopped: false };
    loop {
        let before = printer.rest.len();
        printer.used = false;
        for piece in &format.pieces {
            match piece {
                Piece::Text(known) => printer.run(known),
                piece => printer.add(&Text { pieces: piece.clone().into() }.into()),
            }
        }
        // The format is used again while it takes up arguments.
        if printer.stopped || printer.rest.is_empty() || !printer.used || printer.rest.len() == before {
            return printer.output;
        }
    }
}

struct Printer<'a> {
    rest: &'a [&'a Value],
    output: Value,
    used: bool,
    stopped: bool,
}

/// `%-10.3s`
struct Directive {
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Printer<'_> {
    fn run(&mut self, format: &str) {
        let mut rest = format;
        while !self.stopped && !rest.is_empty() {
            let Some((text, directive)) = rest.split_once('%') else {
                return self.add(&Value::text(&unescaped(rest, Escapes::Format).0));
            };
            self.add(&Value::text(&unescaped(text, Escapes::Format).0));
            rest = self.directive(directive);
        }
    }

    /// Reads one directive, after its `%`; what follows it.
    fn directive<'f>(&mut self, text: &'f str) -> &'f str {
        let mut chars = text.chars();
        let mut directive = Directive { flags: String::new(), width: None, precision: None };
        let mut in_precision = false;
        loop {
            let Some(c) = chars.next() else { return "" };
            match c {
                '-' | '+' | ' ' | '#' | '0' if directive.width.is_none() && !in_precision => {
                    directive.flags.push(c)
                }
                '0'..='9' => {
                    let digit = usize::try_from(c.to_digit(10).unwrap_or_default()).unwrap_or_default();
                    let number = if in_precision { &mut directive.precision } else { &mut directive.width };
                    *number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit).min(10_000));
                }
                '.' => {
                    in_precision = true;
                    directive.precision = Some(0);
                }
                '*' => {
                    let number = self
                        .next()
                        .as_literal()
                        .and_then(|text| text.parse().ok())
                        .map(|n: usize| n.min(10_000));
                    if in_precision { directive.precision = number } else { directive.width = number }
                }
                'h' | 'l' | 'L' | 'j' | 'z' | 't' => {}
                '(' => {
                    self.next();
                    self.add(&Value::something(HoleSource::Output));
                    let rest = chars.as_str();
                    return rest.split_once(")T").map_or("", |(_, rest)| rest);
                }
                '%' => {
                    self.add(&Value::text("%"));
                    return chars.as_str();
                }
                letter => {
                    self.convert(letter, &directive);
                    return chars.as_str();
                }
            }
        }
    }

    fn convert(&mut self, letter: char, directive: &Directive) {
        let value = self.next();
        let taint = value.taint;
        let mut stopped = false;
        let texts = value.any.iter().map(|text| match (letter, text.as_literal()) {
            ('s', Some(known)) => Text::literal(&directive.fit(known)),
            ('s', None) => text.clone(),
            ('b', _) => {
                stopped |= text.as_literal().is_some_and(|known| unescaped(known, Escapes::Argument).1);
                decode(text, Escapes::Argument)
            }
            ('q', Some(known)) => Text::literal(&directive.fit(&escaped(known))),
            // What is not known stays what it is, quoted or not.
            ('q', None) => text.clone(),
            ('c', Some(known)) => {
                Text::literal(&directive.fit(known.get(..first_length(known)).unwrap_or_default()))
            }
            ('d' | 'i' | 'u' | 'x' | 'X' | 'o', Some(known)) => {
                number(known).map_or_else(unknown, |number| Text::literal(&directive.number(letter, number)))
            }
            _ => unknown(),
        });
        let converted = Value::of(texts.collect::<Vec<_>>(), taint);
        self.add(&converted);
        self.stopped |= stopped;
    }

    fn next(&mut self) -> Value {
        self.used = true;
        match self.rest {
            [first, rest @ ..] => {
                self.rest = rest;
                Value::clone(first)
            }
            [] => Value::empty(),
        }
    }

    fn add(&mut self, value: &Value) {
        self.output = self.output.concat(value);
    }
}

impl Directive {
    fn fit(&self, text: &str) -> String {
        let cut: String = match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text.to_owned(),
        };
        self.pad(&cut)
    }

    fn pad(&self, text: &str) -> String {
        let width = self.width.unwrap_or(0);
        if self.flags.contains('-') { format!("{text:<width$}") } else { format!("{text:>width$}") }
    }

    fn number(&self, letter: char, number: i64) -> String {
        let digits = match letter {
            'x' => format!("{number:x}"),
            'X' => format!("{number:X}"),
            'o' => format!("{number:o}"),
            _ => number.unsigned_abs().to_string(),
        };
        let sign = match letter {
            'd' | 'i' if number < 0 => "-",
            'd' | 'i' if self.flags.contains('+') => "+",
            'x' | 'X' if self.flags.contains('#') && number != 0 => "0x",
            _ => "",
        };
        let least = match self.width {
            Some(width) if self.flags.contains('0') && !self.flags.contains('-') => {
                width.saturating_sub(sign.len())
            }
            _ => self.precision.unwrap_or(1),
        };
        self.pad(&format!("{sign}{digits:0>least$}"))
    }
}

/// A number as `printf` reads it: empty is zero, `'c` is a character's code.
fn number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    if let Some(quoted) = text.strip_prefix(['\'', '"']) {
        return Some(quoted.chars().next().map_or(0, |c| i64::from(u32::from(c))));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(hex, 16).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()
    } else if digits.is_empty() {
        Some(0)
    } else {
        digits.parse().ok()
    };
    value.map(|value: i64| value.wrapping_mul(sign))
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn unknown() -> Text {
    Text::hole(Hole::nonempty(HoleSource::Output))
}
