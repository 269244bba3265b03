//! The functions of a condition: how each is written, what it takes and gives, and what it does.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::eval::{Answer, Stop, failed};
use super::time;
use super::types::Type;
use super::value::Val;
use crate::glob;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Function {
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    Glob,
    Lower,
    Upper,
    Trim,
    Reverse,
    Size,
    CharAt,
    IndexOf,
    LastIndexOf,
    Replace,
    Split,
    Substring,
    Join,
    Int,
    UInt,
    Double,
    Text,
    Bytes,
    Bool,
    Dyn,
    Moment,
    Span,
    Part,
}

/// How a function is written: `text.trim()`, `int(text)`, or either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Method,
    Call,
    Either,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Any,
    Text,
    Int,
    Texts,
    Sized,
    Moment,
    MomentOrSpan,
    /// What a conversion can be made of.
    Plain,
}

/// A function by its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    pub name: &'static str,
    pub function: Function,
    pub form: Form,
    /// What it takes, what it is asked of first.
    pub takes: &'static [Takes],
    /// How many of these may be left out, from the last.
    pub optional: usize,
    pub gives: Gives,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Bool,
    Int,
    UInt,
    Double,
    Text,
    Texts,
    Bytes,
    Dyn,
    Moment,
    Span,
}

impl Gives {
    pub(super) fn kind(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::UInt => Type::UInt,
            Self::Double => Type::Double,
            Self::Text => Type::Text,
            Self::Texts => Type::List(Box::new(Type::Text)),
            Self::Bytes => Type::Bytes,
            Self::Dyn => Type::Dyn,
            Self::Moment => Type::Moment,
            Self::Span => Type::Span,
        }
    }
}

impl Takes {
    /// May a value of this type be given?
    pub(super) fn may_be(self, kind: &Type) -> bool {
        let any = |types: &[Type]| types.iter().any(|one| kind.is(one));
        match self {
            Self::Any => !matches!(kind, Type::Object(_)),
            Self::Text => any(&[Type::Text]),
            Self::Int => any(&[Type::Int]) && *kind != Type::Double && *kind != Type::UInt,
            Self::Texts => kind.element().is_some_and(|element| element.is(&Type::Text)),
            Self::Sized => any(&[Type::Text, Type::Bytes]) || kind.element().is_some(),
            Self::Moment => any(&[Type::Moment]),
            Self::MomentOrSpan => any(&[Type::Moment, Type::Span]),
            Self::Plain => any(&[Type::Bool, Type::Int, Type::Text, Type::Bytes, Type::Moment, Type::Span]),
        }
    }

    /// For messages.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Text => "a text",
            Self::Int => "a whole number",
            Self::Texts => "a list of texts",
            Self::Sized => "a text, a list or a map",
            Self::Moment => "a timestamp",
            Self::MomentOrSpan => "a timestamp or a duration",
            Self::Plain => "a single value",
        }
    }
}

const fn method(name: &'static str, function: Function, takes: &'static [Takes], gives: Gives) -> Signature {
    Signature { name, function, form: Form::Method, takes, optional: 0, gives }
}

/// With its last parameter left to choice.
const fn longer(name: &'static str, function: Function, takes: &'static [Takes], gives: Gives) -> Signature {
    Signature { optional: 1, ..method(name, function, takes, gives) }
}

const fn either(name: &'static str, function: Function, takes: &'static [Takes], gives: Gives) -> Signature {
    Signature { form: Form::Either, ..method(name, function, takes, gives) }
}

const fn convert(name: &'static str, function: Function, gives: Gives) -> Signature {
    Signature { form: Form::Call, ..method(name, function, &[Takes::Plain], gives) }
}

const fn part(name: &'static str, takes: &'static [Takes]) -> Signature {
    method(name, Function::Part, takes, Gives::Int)
}

const TEXT: &[Takes] = &[Takes::Text];
const TWO_TEXTS: &[Takes] = &[Takes::Text, Takes::Text];
const MOMENT: &[Takes] = &[Takes::Moment];
const OF_TIME: &[Takes] = &[Takes::MomentOrSpan];

/// All of them.
pub(super) const FUNCTIONS: [Signature; 36] = [
    method("contains", Function::Contains, TWO_TEXTS, Gives::Bool),
    method("startsWith", Function::StartsWith, TWO_TEXTS, Gives::Bool),
    method("endsWith", Function::EndsWith, TWO_TEXTS, Gives::Bool),
    either("matches", Function::Matches, TWO_TEXTS, Gives::Bool),
    method("glob", Function::Glob, TWO_TEXTS, Gives::Bool),
    method("lowerAscii", Function::Lower, TEXT, Gives::Text),
    method("upperAscii", Function::Upper, TEXT, Gives::Text),
    method("trim", Function::Trim, TEXT, Gives::Text),
    method("reverse", Function::Reverse, TEXT, Gives::Text),
    either("size", Function::Size, &[Takes::Sized], Gives::Int),
    method("charAt", Function::CharAt, &[Takes::Text, Takes::Int], Gives::Text),
    longer("indexOf", Function::IndexOf, &[Takes::Text, Takes::Text, Takes::Int], Gives::Int),
    longer("lastIndexOf", Function::LastIndexOf, &[Takes::Text, Takes::Text, Takes::Int], Gives::Int),
    longer("replace", Function::Replace, &[Takes::Text, Takes::Text, Takes::Text, Takes::Int], Gives::Text),
    longer("split", Function::Split, &[Takes::Text, Takes::Text, Takes::Int], Gives::Texts),
    longer("substring", Function::Substring, &[Takes::Text, Takes::Int, Takes::Int], Gives::Text),
    longer("join", Function::Join, &[Takes::Texts, Takes::Text], Gives::Text),
    convert("int", Function::Int, Gives::Int),
    convert("uint", Function::UInt, Gives::UInt),
    convert("double", Function::Double, Gives::Double),
    convert("string", Function::Text, Gives::Text),
    convert("bytes", Function::Bytes, Gives::Bytes),
    convert("bool", Function::Bool, Gives::Bool),
    Signature { takes: &[Takes::Any], ..convert("dyn", Function::Dyn, Gives::Dyn) },
    convert("timestamp", Function::Moment, Gives::Moment),
    convert("duration", Function::Span, Gives::Span),
    part("getFullYear", MOMENT),
    part("getMonth", MOMENT),
    part("getDate", MOMENT),
    part("getDayOfMonth", MOMENT),
    part("getDayOfWeek", MOMENT),
    part("getDayOfYear", MOMENT),
    part("getHours", OF_TIME),
    part("getMinutes", OF_TIME),
    part("getSeconds", OF_TIME),
    part("getMilliseconds", OF_TIME),
];

/// No text that a condition makes is longer.
const LONGEST: usize = 1 << 20;

/// Calls a function, by its place among all of them.
pub(super) fn call<'a>(number: u8, values: &[Val<'a>]) -> Answer<'a> {
    let Some(signature) = FUNCTIONS.get(usize::from(number)) else {
        return Err(failed("a function is unknown".to_owned()));
    };
    match signature.function {
        Function::Size => size(values),
        Function::Int
        | Function::UInt
        | Function::Double
        | Function::Text
        | Function::Bytes
        | Function::Bool
        | Function::Dyn
        | Function::Moment
        | Function::Span => match values {
            [value] => converted(signature, value),
            _ => Err(wrong(values)),
        },
        Function::Part => match values {
            [Val::Moment(moment)] => time::part_of_moment(signature.name, *moment).map(Val::Int),
            [Val::Span(span)] => time::part_of_span(signature.name, *span).map(Val::Int),
            _ => None,
        }
        .ok_or_else(|| wrong(values)),
        Function::Join => joined(values),
        function => of_text(function, values),
    }
}

fn of_text<'a>(function: Function, values: &[Val<'a>]) -> Answer<'a> {
    let bool = |truth: bool| Ok(Val::Bool(truth));
    let text = |text: String| Ok(Val::Text(Cow::Owned(text)));
    match (function, values) {
        (Function::Contains, [Val::Text(of), Val::Text(with)]) => bool(of.contains(&**with)),
        (Function::StartsWith, [Val::Text(of), Val::Text(with)]) => bool(of.starts_with(&**with)),
        (Function::EndsWith, [Val::Text(of), Val::Text(with)]) => bool(of.ends_with(&**with)),
        (Function::Matches, [Val::Text(of), Val::Text(with)]) => regex_lite::Regex::new(with)
            .map(|regex| Val::Bool(regex.is_match(of)))
            .map_err(|error| failed(format!("the pattern `{with}` is none: {error}"))),
        (Function::Glob, [Val::Text(of), Val::Text(with)]) => {
            bool(glob::expand(with).is_ok_and(|all| all.iter().any(|one| glob::matches(one, of))))
        }
        (Function::Lower, [Val::Text(of)]) => text(of.to_ascii_lowercase()),
        (Function::Upper, [Val::Text(of)]) => text(of.to_ascii_uppercase()),
        (Function::Trim, [Val::Text(of)]) => text(of.trim().to_owned()),
        (Function::Reverse, [Val::Text(of)]) => text(of.chars().rev().collect()),
        (Function::CharAt, [Val::Text(of), Val::Int(at)]) => {
            let at = place(of, *at)?;
            text(of.chars().skip(at).take(1).collect())
        }
        (Function::Substring, [Val::Text(of), Val::Int(from), more @ ..]) => {
            let from = place(of, *from)?;
            let to = match more {
                [Val::Int(to)] => place(of, *to)?,
                [] => usize::MAX,
                _ => return Err(wrong(values)),
            };
            let length = to
                .checked_sub(from)
                .ok_or_else(|| failed("a part of a text ends before it begins".to_owned()))?;
            text(of.chars().skip(from).take(length).collect())
        }
        (Function::IndexOf | Function::LastIndexOf, [Val::Text(of), Val::Text(part), more @ ..]) => {
            found(function, of, part, more)
        }
        (Function::Replace, [Val::Text(of), Val::Text(old), Val::Text(new), more @ ..]) => {
            let most = limit(more).ok_or_else(|| wrong(values))?;
            let count = of.matches(&**old).take(most).count();
            if of.len().saturating_add(count.saturating_mul(new.len())) > LONGEST {
                return Err(failed("a text is too long".to_owned()));
            }
            text(of.replacen(&**old, new, most))
        }
        (Function::Split, [Val::Text(of), Val::Text(between), more @ ..]) => {
            let most = limit(more).ok_or_else(|| wrong(values))?;
            Ok(Val::List(
                parts(of, between, most).into_iter().map(|part| Val::Text(Cow::Owned(part))).collect(),
            ))
        }
        _ => Err(wrong(values)),
    }
}

/// How often, from a parameter that may be left out: below zero means always.
fn limit(more: &[Val]) -> Option<usize> {
    match more {
        [] => Some(usize::MAX),
        [Val::Int(most)] => Some(usize::try_from(*most).unwrap_or(usize::MAX)),
        _ => None,
    }
}

fn parts(of: &str, between: &str, most: usize) -> Vec<String> {
    if most == 0 {
        return Vec::new();
    }
    if !between.is_empty() {
        return of.splitn(most, between).map(str::to_owned).collect();
    }
    let mut letters = of.chars();
    let mut all: Vec<String> = letters.by_ref().take(most - 1).map(String::from).collect();
    let rest = letters.as_str();
    all.extend((!rest.is_empty()).then(|| rest.to_owned()));
    all
}

/// A place in a text, counted in letters; its end is one.
fn place(text: &str, at: i64) -> Result<usize, Stop> {
    let at = usize::try_from(at).ok().filter(|at| *at <= text.chars().count());
    at.ok_or_else(|| Stop::Absent("the text has no such place".to_owned()))
}

/// Where a part stands in a text, in letters; -1 where it does not.
fn found<'a>(function: Function, of: &str, part: &str, more: &[Val]) -> Answer<'a> {
    let at = match more {
        [] => None,
        [Val::Int(at)] => Some(place(of, *at)?),
        _ => return Err(wrong(more)),
    };
    let byte = |letters: usize| of.char_indices().nth(letters).map_or(of.len(), |(byte, _)| byte);
    let letters = |byte: usize| of.get(..byte).map_or(0, |before| before.chars().count());
    let place = if function == Function::IndexOf {
        let from = at.map_or(0, byte);
        of.get(from..).and_then(|rest| rest.find(part)).map(|found| letters(from + found))
    } else {
        // The last that begins no later.
        let end = at.map_or(of.len(), |at| byte(at).saturating_add(part.len()).min(of.len()));
        let end = (end..=of.len()).find(|end| of.is_char_boundary(*end)).unwrap_or(of.len());
        let before = of.get(..end).and_then(|rest| rest.rfind(part)).map(letters);
        before.filter(|found| at.is_none_or(|at| *found <= at))
    };
    Ok(Val::Int(place.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1)))
}

fn joined<'a>(values: &[Val<'a>]) -> Answer<'a> {
    let (items, between) = match values {
        [Val::List(items)] => (items, ""),
        [Val::List(items), Val::Text(between)] => (items, &**between),
        _ => return Err(wrong(values)),
    };
    let texts: Option<Vec<&str>> = items
        .iter()
        .map(|item| match item {
            Val::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let texts = texts.ok_or_else(|| wrong(values))?;
    let size =
        texts.iter().map(|text| text.len().saturating_add(between.len())).fold(0, usize::saturating_add);
    if size > LONGEST {
        return Err(failed("a text is too long".to_owned()));
    }
    Ok(Val::Text(Cow::Owned(texts.join(between))))
}

fn size<'a>(values: &[Val<'a>]) -> Answer<'a> {
    let size = match values {
        [Val::Text(text)] => text.chars().count(),
        [Val::Bytes(bytes)] => bytes.len(),
        [Val::List(items)] => items.len(),
        [Val::Map(members)] => members.len(),
        [Val::Entries(entries)] => entries.len(),
        _ => return Err(wrong(values)),
    };
    Ok(Val::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

fn converted<'a>(signature: &Signature, value: &Val<'a>) -> Answer<'a> {
    let made = match signature.function {
        Function::Int => int(value).map(Val::Int),
        Function::UInt => uint(value).map(Val::UInt),
        Function::Double => double(value).map(Val::Double),
        Function::Text => text(value).map(|text| Val::Text(Cow::Owned(text))),
        Function::Bytes => match value {
            Val::Text(text) => Some(Val::Bytes(text.as_bytes().to_vec())),
            Val::Bytes(bytes) => Some(Val::Bytes(bytes.clone())),
            _ => None,
        },
        Function::Bool => truth(value).map(Val::Bool),
        Function::Moment => match value {
            Val::Text(text) => time::read_moment(text).map(Val::Moment),
            Val::Int(seconds) => time::in_calendar(i128::from(*seconds) * 1_000_000_000).map(Val::Moment),
            Val::Moment(moment) => Some(Val::Moment(*moment)),
            _ => None,
        },
        Function::Span => match value {
            Val::Text(text) => time::read_span(text).map(Val::Span),
            Val::Span(span) => Some(Val::Span(*span)),
            _ => None,
        },
        _ => Some(value.clone()),
    };
    made.ok_or_else(|| failed(format!("`{}` cannot be made of {}", signature.name, value.kind())))
}

#[expect(clippy::cast_possible_truncation, reason = "in range, and towards zero as CEL has it")]
fn int(value: &Val) -> Option<i64> {
    match value {
        Val::Int(number) => Some(*number),
        Val::UInt(number) => i64::try_from(*number).ok(),
        Val::Double(number) => (number.abs() < 9_223_372_036_854_775_807.0).then_some(*number as i64),
        Val::Text(text) => text.parse().ok(),
        Val::Moment(moment) => Some(time::seconds(*moment)),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, and towards zero")]
fn uint(value: &Val) -> Option<u64> {
    match value {
        Val::UInt(number) => Some(*number),
        Val::Int(number) => u64::try_from(*number).ok(),
        Val::Double(number) => {
            (*number > -1.0 && *number < 18_446_744_073_709_551_615.0).then_some(*number as u64)
        }
        Val::Text(text) => text.parse().ok(),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "what the conversion means")]
fn double(value: &Val) -> Option<f64> {
    match value {
        Val::Double(number) => Some(*number),
        Val::Int(number) => Some(*number as f64),
        Val::UInt(number) => Some(*number as f64),
        Val::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn text(value: &Val) -> Option<String> {
    Some(match value {
        Val::Text(text) => text.clone().into_owned(),
        Val::Bool(truth) => truth.to_string(),
        Val::Int(number) => number.to_string(),
        Val::UInt(number) => number.to_string(),
        Val::Double(number) => number.to_string(),
        Val::Bytes(bytes) => String::from_utf8(bytes.clone()).ok()?,
        Val::Moment(moment) => time::show_moment(*moment),
        Val::Span(span) => time::show_span(*span),
        _ => return None,
    })
}

fn truth(value: &Val) -> Option<bool> {
    match value {
        Val::Bool(truth) => Some(*truth),
        Val::Text(text) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn wrong(values: &[Val]) -> Stop {
    let kinds: Vec<&str> = values.iter().map(Val::kind).collect();
    failed(format!("{} is not what it takes", kinds.join(" with ")))
}
