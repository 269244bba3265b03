//! JSON as hosts send it: read strictly and once, written compactly.
//!
//! Stricter than most readers on purpose: duplicate keys, trailing text, a byte order mark and nesting beyond
//! `MAX_DEPTH` are errors, because two readers may disagree about them and one of the two is the agent's host.

mod parse;
mod scan;
mod write;

pub use parse::{JsonError, MAX_DEPTH, parse};
pub use scan::Scanner;
pub use write::write;

/// A JSON value. Objects keep their order; numbers keep their text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string. A lone surrogate is U+FFFD, as it would be for the program that gets it; a byte that is
    /// not UTF-8 is U+F700 plus that byte.
    String(String),
    /// `[…]`
    List(Vec<Value>),
    /// `{…}`, keys unique.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The member of that name, if this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Map(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth, if this is a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The elements, if this is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members, if this is an object.
    #[must_use]
    pub fn as_map(&self) -> Option<&[(String, Value)]> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The text of a string member.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Self::as_str)
    }

    /// The bytes of all texts and numbers in it: how large a result is, without writing it out.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Null | Self::Bool(_) => 0,
            Self::Number(text) | Self::String(text) => text.len() as u64,
            Self::List(elements) => elements.iter().map(Self::size).sum(),
            Self::Map(members) => members.iter().map(|(_, value)| value.size()).sum(),
        }
    }

    /// What kind of value it is, for messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number.to_string())
    }
}

/// An object with these members.
#[must_use]
pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
