//! JSON as an agent sends it, member by member, with what is wrong said in words.

use tollgate_model::json::{JsonError, Value};
use tollgate_model::{Fault, FaultKind};

/// An object whose members should have certain types.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    /// The object.
    pub(crate) map: &'a Value,
    /// What stands before a member's name in messages.
    pub(crate) within: &'static str,
    /// A wrong type is a fault; otherwise it counts as absent.
    pub(crate) strict: bool,
    /// Who sent it, as people call it.
    pub(crate) sender: &'static str,
}

impl<'a> Fields<'a> {
    /// A text that the meaning of the whole hangs on: even `null` is of the wrong type.
    pub(crate) fn key(&self, name: &str) -> Result<Option<&'a str>, Fault> {
        match self.map.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => self.wrong(name, other, "a string").map(|()| None),
        }
    }

    /// A text that may be left out.
    pub(crate) fn optional(&self, name: &str) -> Result<&'a str, Fault> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(other) => self.wrong(name, other, "a string").map(|()| ""),
        }
    }

    /// A list that the meaning of the whole hangs on.
    pub(crate) fn list(&self, name: &str) -> Result<&'a [Value], Fault> {
        match self.map.get(name) {
            None => Ok(&[]),
            Some(Value::List(elements)) => Ok(elements),
            Some(other) => self.wrong(name, other, "a list").map(|()| [].as_slice()),
        }
    }

    /// Texts, given as a list or as one text.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Fault> {
        let elements = match self.map.get(name) {
            Some(Value::String(text)) => return Ok(vec![text.clone()]),
            _ => self.list(name)?,
        };
        let text = |element: &Value| match element {
            Value::String(text) => Ok(Some(text.clone())),
            other => self.wrong(name, other, "a list of strings").map(|()| None),
        };
        Ok(elements.iter().map(text).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// A member that is an object itself.
    pub(crate) fn object(&self, name: &str, within: &'static str) -> Result<Option<Fields<'a>>, Fault> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(map @ Value::Map(_)) => Ok(Some(Fields { map, within, ..*self })),
            Some(other) => self.wrong(name, other, "an object").map(|()| None),
        }
    }

    /// A switch. Anything that is not clearly off is on.
    pub(crate) fn switch(&self, name: &str) -> bool {
        !matches!(self.map.get(name), None | Some(Value::Null | Value::Bool(false)))
    }

    /// The payload is JSON, but not what this agent sends.
    pub(crate) fn unexpected(&self, what: &str) -> Fault {
        unexpected(self.sender, what)
    }

    fn wrong(&self, name: &str, value: &Value, wanted: &str) -> Result<(), Fault> {
        if !self.strict {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}{name}` is {}, not {wanted}", self.within, value.type_name())))
    }
}

/// The payload is JSON, but not what this agent sends.
pub(crate) fn unexpected(sender: &str, what: &str) -> Fault {
    Fault::new(FaultKind::Payload, format!("the payload is not what {sender} sends: {what}"))
}

/// The payload is no JSON.
pub(crate) fn unreadable(error: &JsonError) -> Fault {
    let kind = match error {
        JsonError::Empty | JsonError::Truncated => FaultKind::Input,
        _ => FaultKind::Payload,
    };
    Fault::new(kind, format!("the payload cannot be read: {error}"))
}

/// Takes a member out of an object, so that a large one need not be copied.
pub(crate) fn take(map: &mut Value, key: &str) -> Option<Value> {
    match map {
        Value::Map(members) => {
            members.iter_mut().find(|(name, _)| name == key).map(|(_, value)| std::mem::take(value))
        }
        _ => None,
    }
}
