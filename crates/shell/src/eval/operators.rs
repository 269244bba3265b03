//! The operators of `${…}`: exact on known text, sound on text with holes.

use tollgate_model::Span;

use super::edit::{recased, replaced, slice_list, sliced, transformed, trimmed};
use super::expand::{Expanded, Mode};
use super::param::Fetched;
use super::pattern::Pattern;
use super::state::{ExitCode, Jump, JumpKind, List, State};
use super::{Host, Note, Shell};
use crate::ast::{ParamOp, ReplaceAnchor, Word};
use crate::value::{Hole, HoleSource, Piece, Text, Value};

/// Variables to which the shell itself gives values.
const SHELLS_OWN: &[&str] = &[
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_COMMAND",
    "BASH_LINENO",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COLUMNS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "MAPFILE",
    "MATCH",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PS4",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "UID",
    "ZSH_NAME",
    "ZSH_VERSION",
    "argv",
    "match",
];

impl Shell {
    /// Applies an operator to what a parameter stands for.
    pub(super) fn apply<'a>(
        &mut self,
        name: &str,
        subscript: Option<&Word>,
        fetched: Fetched,
        op: &'a ParamOp,
        span: Span,
        host: &mut dyn Host,
    ) -> Expanded<'a> {
        match (fetched, op) {
            (Fetched::One { value, whole, .. }, ParamOp::None) => {
                Expanded::One { value: value.unwrap_or_else(Value::empty), whole }
            }
            (Fetched::Many { lists, star }, ParamOp::None) => Expanded::Many { lists, star },
            (fetched, ParamOp::Default { kind, colon, word }) => {
                let target = Target { name, subscript, kind: *kind, colon: *colon };
                self.default(&target, fetched, word, span, host)
            }
            (Fetched::Many { lists, .. }, ParamOp::Length) => {
                let count = |list: &List| match list.others {
                    None => Text::literal(&list.items.len().to_string()),
                    Some(_) => number(),
                };
                let taint = crate::value::Taint::NONE;
                Expanded::One { value: Value::of(lists.iter().map(count), taint), whole: true }
            }
            (Fetched::Many { lists, star }, ParamOp::Slice { offset, length }) => {
                let offset = self.number_of_arith(offset, span, host);
                let length = length.as_ref().map(|length| self.number_of_arith(length, span, host));
                let array = subscript.map(|_| name);
                Expanded::Many { lists: self.slices(&lists, array, offset, length), star }
            }
            (Fetched::Many { lists, star }, op) => {
                let operator = self.prepare(op, span, host);
                let lists = lists.iter().map(|list| {
                    let each = |shell: &mut Self, item, host: &mut dyn Host| {
                        shell.transform(item, &operator, span, host)
                    };
                    let items = list.items.iter().map(|item| each(self, item, host)).collect();
                    List::open(items, list.others.as_ref().map(|item| each(self, item, host)))
                });
                Expanded::Many { lists: lists.collect(), star }
            }
            (Fetched::One { value: None, .. }, ParamOp::Transform(_)) => {
                Expanded::One { value: Value::empty(), whole: true }
            }
            (Fetched::One { value, maybe_unset, .. }, op) => {
                let operator = self.prepare(op, span, host);
                let value = value.unwrap_or_else(Value::empty);
                let mut value = self.transform(&value, &operator, span, host);
                if maybe_unset && matches!(op, ParamOp::Transform(_)) {
                    // Quoting turns an empty value into two quotes, but one that is not set into nothing.
                    value = value.union(&Value::empty());
                }
                Expanded::One { value, whole: matches!(op, ParamOp::Length) }
            }
        }
    }

    /// A slice of `$@` counts from `$0`, a slice of an array from its first element.
    fn slices(
        &self,
        lists: &[List],
        array: Option<&str>,
        offset: Option<i64>,
        length: Option<Option<i64>>,
    ) -> Vec<List> {
        let zero = array.is_none().then_some(&self.state.local.args.name);
        // Where subscripts have gaps, counting elements is not counting subscripts.
        let offset = offset.filter(|_| !array.is_some_and(|name| self.is_sparse(name)));
        lists.iter().map(|list| slice_list(list, offset, length, zero)).collect()
    }

    fn default<'a>(
        &mut self,
        target: &Target<'_>,
        fetched: Fetched,
        word: &'a Word,
        span: Span,
        host: &mut dyn Host,
    ) -> Expanded<'a> {
        let (value, unset) = match fetched {
            Fetched::Many { lists, star } => return self.default_many(target, lists, star, word),
            Fetched::One { value, maybe_unset, .. } => (value, maybe_unset),
        };
        let value = value.filter(|_| !self.has_no_value(target, &*host));
        let missing =
            value.is_none() || unset || target.colon && value.as_ref().is_some_and(Value::maybe_empty);
        let present = value.filter(|value| !target.colon || !value.is_empty());
        // What is left when the value is used: with a colon it is not empty.
        let present = present.map(|value| if target.colon { nonempty(&value) } else { value });
        match target.kind {
            '+' => match (present, missing) {
                (None, _) => Expanded::One { value: Value::empty(), whole: false },
                (Some(_), true) => Expanded::Choice { value: Some(Value::empty()), word },
                (Some(_), false) => Expanded::Choice { value: None, word },
            },
            '?' => {
                if missing {
                    let text = self.expand_value(word, Mode::Plain, host);
                    host.note(Note::Complaint { text, span: self.at(span) });
                    let state = State { code: ExitCode::Known(1), ..self.state.clone() };
                    self.jumps.push(Jump::new(JumpKind::Exit, state));
                }
                self.ended |= present.is_none();
                Expanded::One { value: present.unwrap_or_else(Value::empty), whole: false }
            }
            '=' if missing => {
                let operand = self.expand_value(word, Mode::Plain, host);
                let value = present.map_or_else(|| operand.clone(), |value| value.union(&operand));
                self.assign_default(target, value.clone(), span, host);
                Expanded::One { value, whole: false }
            }
            _ if missing => Expanded::Choice { value: present, word },
            _ => Expanded::One { value: present.unwrap_or_else(Value::empty), whole: false },
        }
    }

    /// A default is certain to be used: neither the script nor what it was started from gives the variable a
    /// value. Other operators are taken both ways.
    fn has_no_value(&self, target: &Target<'_>, host: &dyn Host) -> bool {
        !self.doubted
            && matches!(target.kind, '-' | '=')
            && target.subscript.is_none()
            && super::vars::is_name(target.name)
            && !self.state.local.vars.contains_key(target.name)
            && !SHELLS_OWN.contains(&target.name)
            && host.environment(target.name).is_none()
            && host.is_unset(target.name)
    }

    fn assign_default(&mut self, target: &Target<'_>, value: Value, span: Span, host: &mut dyn Host) {
        let name = match target.subscript {
            Some(subscript) => {
                let key = self.expand_value(subscript, Mode::Plain, host);
                format!("{}[{}]", target.name, key.as_literal().unwrap_or_default())
            }
            None => target.name.to_owned(),
        };
        self.assign_scalar(&name, value, span, host);
    }

    fn default_many<'a>(
        &mut self,
        target: &Target<'_>,
        lists: Vec<List>,
        star: bool,
        word: &'a Word,
    ) -> Expanded<'a> {
        let empty = |list: &List| match list.items.as_slice() {
            [] => true,
            [only] => target.colon && only.maybe_empty(),
            _ => false,
        };
        let (missing, present) = (
            lists.iter().any(empty),
            !lists.iter().all(|list| list.items.is_empty() && list.others.is_none()),
        );
        match (target.kind, missing, present) {
            ('+', _, false) => Expanded::Many { lists: vec![List::default()], star },
            ('+', true, true) => Expanded::Choice { value: Some(Value::empty()), word },
            ('+', false, _) | (_, true, false) => Expanded::Choice { value: None, word },
            (_, false, _) => Expanded::Many { lists, star },
            (_, true, true) => {
                let values = lists.iter().filter_map(List::values).reduce(|left, right| left.union(&right));
                Expanded::Choice { value: values, word }
            }
        }
    }

    /// Expands the operands of an operator once.
    fn prepare(&mut self, op: &ParamOp, span: Span, host: &mut dyn Host) -> Operator {
        match op {
            ParamOp::Length => Operator::Length,
            ParamOp::Trim { suffix, longest, pattern } => {
                Operator::Trim { suffix: *suffix, longest: *longest, patterns: self.patterns(pattern, host) }
            }
            ParamOp::Replace { anchor, pattern, with } => Operator::Replace {
                anchor: *anchor,
                patterns: self.patterns(pattern, host),
                with: self.expand_value(with, Mode::Plain, host),
            },
            ParamOp::Slice { offset, length } => Operator::Slice {
                offset: self.number_of_arith(offset, span, host),
                length: length.as_ref().map(|length| self.number_of_arith(length, span, host)),
            },
            ParamOp::Case { upper, all, pattern } => Operator::Case {
                upper: *upper,
                all: *all,
                patterns: pattern.as_ref().map(|pattern| self.patterns(pattern, host)),
            },
            ParamOp::Transform(letter) => Operator::Transform(*letter),
            _ => Operator::Unknown,
        }
    }

    /// The patterns a word may be.
    pub(super) fn patterns(&mut self, word: &Word, host: &mut dyn Host) -> Vec<Pattern> {
        let value = self.expand_value(word, Mode::Pattern, host);
        value.any.iter().map(Pattern::new).collect()
    }

    fn transform(&mut self, value: &Value, operator: &Operator, span: Span, host: &mut dyn Host) -> Value {
        if let Operator::Transform('P') = operator {
            return self.prompt(value, span, host);
        }
        let mut texts = Vec::new();
        for text in &value.any {
            if !self.step(1 + text.bytes() / 64, span, host) {
                return Value::unknown(HoleSource::Budget).with_taint(value.taint);
            }
            texts.extend(operator.on(text));
        }
        if let Operator::Slice { length: Some(Some(..0)), .. } = operator {
            // A negative length that reaches back before the offset is an error.
            self.may_abort();
        }
        let mut result = Value::of(texts, value.taint);
        if let Operator::Replace { with, .. } = operator {
            result.taint = result.taint.union(with.taint);
        }
        result
    }

    /// `${x@P}`: expanded as a prompt, substitutions included.
    fn prompt(&mut self, value: &Value, span: Span, host: &mut dyn Host) -> Value {
        if !value.is_known() {
            host.note(Note::DynamicCode { text: value.clone(), span: self.at(span) });
        }
        self.run_hidden(value, span, host);
        value.map(|text| match text.as_literal() {
            Some(known) if !known.contains(['\\', '$', '`']) => text.clone(),
            _ => Text::hole(Hole::new(HoleSource::Output)),
        })
    }
}

/// What an operator such as `:-` is applied to.
struct Target<'a> {
    name: &'a str,
    subscript: Option<&'a Word>,
    kind: char,
    colon: bool,
}

/// An operator with its operands expanded.
enum Operator {
    Length,
    Trim { suffix: bool, longest: bool, patterns: Vec<Pattern> },
    Replace { anchor: ReplaceAnchor, patterns: Vec<Pattern>, with: Value },
    Slice { offset: Option<i64>, length: Option<Option<i64>> },
    Case { upper: bool, all: bool, patterns: Option<Vec<Pattern>> },
    Transform(char),
    Unknown,
}

impl Operator {
    /// Everything it may make of one text.
    fn on(&self, text: &Text) -> Vec<Text> {
        let vague = || vec![blurred(text)];
        match self {
            Self::Length => vec![
                text.as_literal()
                    .map_or_else(number, |text| Text::literal(&text.chars().count().to_string())),
            ],
            Self::Trim { suffix, longest, patterns } => {
                let trim = |pattern: &Pattern| trimmed(text, pattern, *suffix, *longest);
                patterns.iter().map(|pattern| trim(pattern).unwrap_or_else(|| blurred(text))).collect()
            }
            Self::Replace { anchor, patterns, with } => {
                let each = |pattern: &Pattern| -> Vec<Text> {
                    with.any
                        .iter()
                        .flat_map(|with| {
                            // Since bash 5.2 `&` stands for what was found.
                            let hits = with.as_literal().is_some_and(|with| with.contains('&'));
                            let ways = if hits { &[false, true][..] } else { &[false][..] };
                            ways.iter().map(move |hits| {
                                replaced(text, pattern, *anchor, with, *hits).unwrap_or_else(|| blurred(text))
                            })
                        })
                        .collect()
                };
                patterns.iter().flat_map(each).collect()
            }
            Self::Slice { offset, length } => {
                vec![sliced(text, *offset, *length).unwrap_or_else(|| blurred(text))]
            }
            Self::Case { upper, all, patterns } => match patterns {
                None => vec![recased(text, *upper, *all, None)],
                Some(patterns) => {
                    patterns.iter().map(|pattern| recased(text, *upper, *all, Some(pattern))).collect()
                }
            },
            Self::Transform(letter) => transformed(text, *letter).map_or_else(vague, |text| vec![text]),
            Self::Unknown => vague(),
        }
    }
}

fn number() -> Text {
    Text::hole(Hole::nonempty(HoleSource::Input))
}

/// Something made from this text: keeps what it came from.
fn blurred(text: &Text) -> Text {
    let source = text.pieces.iter().find_map(|piece| match piece {
        Piece::Hole(hole) => Some(hole.source.of_part()),
        _ => None,
    });
    Text::hole(Hole::new(source.unwrap_or(HoleSource::Budget)))
}

/// The values that are not empty; a hole is then known not to be.
pub(super) fn nonempty(value: &Value) -> Value {
    let filled = value.any.iter().filter(|text| !text.is_empty()).map(|text| match text.pieces.as_slice() {
        [Piece::Hole(hole)] => Text::hole(Hole { nonempty: true, ..hole.clone() }),
        _ => text.clone(),
    });
    Value::of(filled, value.taint)
}
