use std::borrow::Cow;

use tollgate_model::json::Value;

/// A value of an expression. Texts and JSON are borrowed from the event.
#[derive(Clone, Debug, PartialEq)]
pub enum Val<'a> {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that is not below zero.
    UInt(u64),
    /// Another number.
    Double(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A moment, in nanoseconds since 1970.
    Moment(i128),
    /// A span of time, in nanoseconds.
    Span(i128),
    /// A list.
    List(Vec<Val<'a>>),
    /// A map that a condition wrote.
    Entries(Vec<(Val<'a>, Val<'a>)>),
    /// A JSON object.
    Map(&'a [(String, Value)]),
    /// Something with known fields.
    Object(Object),
}

/// What has known fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The event.
    Event,
    /// The tool call.
    Call,
    /// An effect, by its place.
    Effect(usize),
    /// What is known about the machine.
    Facts,
    /// What the session's workflows remember.
    State,
}

impl<'a> Val<'a> {
    /// A borrowed text.
    #[must_use]
    pub fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// A JSON value.
    #[must_use]
    pub fn json(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(text) => match text.parse::<i64>() {
                Ok(number) => Self::Int(number),
                Err(_) => text.parse::<f64>().map_or(Self::Null, Self::Double),
            },
            Value::String(text) => Self::text(text),
            Value::List(items) => Self::List(items.iter().map(Self::json).collect()),
            Value::Map(members) => Self::Map(members),
        }
    }

    /// Texts as a list.
    #[must_use]
    pub fn texts(texts: &'a [String]) -> Self {
        Self::List(texts.iter().map(|text| Self::text(text)).collect())
    }

    /// What kind of value it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Int(_) | Self::UInt(_) | Self::Double(_) => "a number",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::Moment(_) => "a timestamp",
            Self::Span(_) => "a duration",
            Self::List(_) => "a list",
            Self::Entries(_) => "a map",
            Self::Map(_) | Self::Object(_) => "an object",
        }
    }

    /// Is it what a field holds that says nothing?
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(truth) => !truth,
            Self::Int(number) => *number == 0,
            Self::UInt(number) => *number == 0,
            Self::Double(number) => *number == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Entries(entries) => entries.is_empty(),
            Self::Map(members) => members.is_empty(),
            Self::Moment(_) | Self::Span(_) | Self::Object(_) => false,
        }
    }

    /// How much work it is to look at all of it.
    pub(super) fn weight(&self) -> u32 {
        let size = match self {
            Self::Text(text) => text.len() / 64,
            Self::Bytes(bytes) => bytes.len() / 64,
            Self::List(items) => items.len(),
            Self::Entries(entries) => entries.len(),
            Self::Map(members) => members.len(),
            _ => 0,
        };
        u32::try_from(size).unwrap_or(u32::MAX)
    }
}
