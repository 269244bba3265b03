//! A record as it may be kept: no secrets, no long texts, no more than a line can hold.

use std::borrow::Cow;

use tollgate_model::Record;
use tollgate_model::json::{self, Value};

use crate::Redactor;

/// The longest text that is kept whole.
const MAX_TEXT: usize = 16 << 10;
/// What is read beyond `MAX_TEXT` before the cut, so that a secret across the cut is still seen whole.
const MARGIN: usize = 4 << 10;
/// The longest line.
const MAX_RECORD: usize = 256 << 10;
/// What the log adds around the fields.
const FRAME: usize = 2 << 10;
/// The most values that are kept of one field.
const MAX_NODES: usize = 20_000;
/// The most bytes that are read of one field.
const MAX_FIELD: usize = 1 << 20;
/// The longest number that is kept as one.
const MAX_NUMBER: usize = 64;
/// How many values are dropped one by one from a record that is too long.
const MAX_DROPS: usize = 32;
/// The longest call id that is kept whole.
const MAX_ID: usize = 256;
/// Members that the log itself writes.
const RESERVED: [&str; 8] = ["v", "seq", "ts", "id", "host", "user", "prev", "hash"];

/// A record's fields, clean.
pub(crate) struct Clean {
    /// The agent's own call id; empty when it gives none.
    pub(crate) call: String,
    /// The fields as JSON members, each with a comma before it.
    pub(crate) json: String,
    fields: Vec<(String, Value)>,
}

impl Clean {
    /// Cleans a record.
    pub(crate) fn of(record: &Record, redactor: &Redactor) -> Self {
        let fields = record.fields.iter().enumerate().map(|(index, (name, value))| {
            let mut walk = Walk { redactor, nodes: MAX_NODES, bytes: MAX_FIELD };
            let kept =
                if RESERVED.contains(&name.as_str()) { format!("_{name}") } else { walk.key(name, index) };
            (kept, walk.member(name, value))
        });
        let mut fields: Vec<(String, Value)> = fields.collect();
        let mut call = cut(&record.call, MAX_ID, redactor);
        if redactor.has_seen() {
            call = redactor.known(&call).into_owned();
            fields.iter_mut().for_each(|(_, value)| without_known(value, redactor));
        }
        let mut clean = Self { call, json: members(&fields), fields };
        if clean.json.len() > MAX_RECORD - FRAME {
            clean.shrink(redactor);
        }
        clean
    }

    /// The text of a field; empty when it is no text.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.field(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A field.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// Drops the largest members, then the largest fields, until a line can hold the rest.
    fn shrink(&mut self, redactor: &Redactor) {
        let mut length = self.json.len();
        for round in 0..MAX_DROPS {
            if length <= MAX_RECORD - FRAME {
                break;
            }
            length = length.saturating_sub(drop_largest(&mut self.fields, round < MAX_DROPS / 2, redactor));
        }
        if length > MAX_RECORD - FRAME {
            self.fields = vec![("dropped".to_owned(), (self.fields.len() as u64).into())];
        }
        self.json = members(&self.fields);
    }
}

/// Takes out what another text showed to be a secret.
fn without_known(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redactor.known(text) {
                *text = clean;
            }
        }
        Value::List(elements) => elements.iter_mut().for_each(|element| without_known(element, redactor)),
        Value::Map(members) => members.iter_mut().for_each(|(_, member)| without_known(member, redactor)),
        _ => {}
    }
}

fn members(fields: &[(String, Value)]) -> String {
    let mut out = String::with_capacity(1024);
    for (name, value) in fields {
        out.push(',');
        json::write(&name.as_str().into(), &mut out);
        out.push(':');
        json::write(value, &mut out);
    }
    out
}

/// One field on its way into the record.
struct Walk<'r> {
    redactor: &'r Redactor,
    nodes: usize,
    bytes: usize,
}

impl Walk<'_> {
    /// A value by its name, which may say that it is a secret.
    fn member(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.redactor.member(name, text) {
                Some(stand_in) => Value::String(stand_in),
                None => self.text(text),
            },
            Value::Number(text) => match self.redactor.member(name, text) {
                Some(stand_in) => Value::String(stand_in),
                None => self.number(text),
            },
            Value::List(elements) => Value::List(self.list(name, elements)),
            Value::Map(members) => Value::Map(self.map(members)),
            other => other.clone(),
        }
    }

    /// The elements of a list stand under its name, or behind the flag before them.
    fn list(&mut self, name: &str, elements: &[Value]) -> Vec<Value> {
        let mut out = Vec::with_capacity(elements.len().min(self.nodes));
        let program = elements.first().and_then(Value::as_str).unwrap_or_default();
        let mut flag = "";
        for (index, element) in elements.iter().enumerate() {
            if self.spent() {
                out.push(
                    format!("…[dropped: {} of {} elements]", elements.len() - index, elements.len()).into(),
                );
                break;
            }
            let argument = element.as_str().and_then(|text| self.argument(program, flag, text));
            out.push(argument.unwrap_or_else(|| self.member(name, element)));
            flag = element.as_str().unwrap_or_default();
        }
        out
    }

    /// A word of a command that is a secret because of the flag before it: `["--password", "x"]`.
    fn argument(&mut self, program: &str, flag: &str, word: &str) -> Option<Value> {
        if !flag.starts_with('-') || word.starts_with('-') || word.len() > MAX_TEXT {
            return None;
        }
        if let Some(stand_in) = self.redactor.member(flag, word) {
            return Some(stand_in.into());
        }
        let short = program.len() + flag.len() < 256 && !word.contains(char::is_whitespace);
        let before = format!("{program} {flag} ");
        let line = short.then(|| format!("{before}{word}"))?;
        let clean = self.redactor.text(&line);
        clean.strip_prefix(&before).filter(|clean| *clean != word).map(Value::from)
    }

    fn map(&mut self, members: &[(String, Value)]) -> Vec<(String, Value)> {
        let named = members.iter().find(|(key, _)| key == "name" || key == "key");
        let named = named.and_then(|(_, name)| name.as_str()).unwrap_or_default();
        let mut out: Vec<(String, Value)> = Vec::with_capacity(members.len().min(self.nodes));
        for (index, (key, value)) in members.iter().enumerate() {
            if self.spent() {
                let left = format!("{} of {} members", members.len() - index, members.len());
                out.push(("…[dropped]".to_owned(), left.into()));
                break;
            }
            let kept = self.key(key, index);
            let name = if key == "value" { named } else { key };
            let value = self.member(name, value);
            out.push((kept, value));
        }
        out
    }

    /// A key may itself be a secret. Two that became the same are told apart by their place.
    fn key(&mut self, key: &str, index: usize) -> String {
        let clean = self.cut(key);
        if clean == key { clean } else { format!("{clean}#{index}") }
    }

    fn text(&mut self, text: &str) -> Value {
        Value::String(self.cut(text))
    }

    fn number(&mut self, text: &str) -> Value {
        match json::parse(text.as_bytes()) {
            Ok(Value::Number(number)) if number == text && text.len() <= MAX_NUMBER => Value::Number(number),
            _ => self.text(text),
        }
    }

    fn cut(&mut self, text: &str) -> String {
        self.bytes = self.bytes.saturating_sub(text.len().min(MAX_TEXT) + 4);
        cut(text, MAX_TEXT, self.redactor)
    }

    fn spent(&mut self) -> bool {
        self.nodes = self.nodes.saturating_sub(1);
        self.nodes == 0 || self.bytes == 0
    }
}

/// A text without secrets, cut to `limit` bytes with the length and the hash of the whole.
fn cut(text: &str, limit: usize, redactor: &Redactor) -> String {
    if text.len() <= limit {
        return redactor.text(text).into_owned();
    }
    let window = text.get(..text.floor_char_boundary(limit + MARGIN)).unwrap_or_default();
    let clean = redactor.text(window);
    // What is left of a secret that the window cut in two stands in its last bytes: they go.
    let reach = if window.len() < text.len() { clean.len().saturating_sub(MARGIN) } else { clean.len() };
    let end = whole_stand_ins(&clean, clean.floor_char_boundary(limit.min(reach)));
    let mut out = clean.get(..end).unwrap_or_default().to_owned();
    out.push_str(&mark("cut", text.len(), redactor.digest(text.as_bytes())));
    out
}

/// Moves a cut to before the stand-in that it would break.
fn whole_stand_ins(text: &str, end: usize) -> usize {
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('‹') {
        Some(open) if !head.get(open..).unwrap_or_default().contains('›') => open,
        _ => end,
    }
}

fn mark(what: &str, length: usize, digest: Option<String>) -> String {
    match digest {
        Some(digest) => format!("…[{what}: {length} bytes, blake3 {digest}]"),
        None => format!("…[{what}: {length} bytes]"),
    }
}

/// Drops the largest field, or, in nested objects, the largest member of it. Returns how many bytes that saves.
fn drop_largest(fields: &mut [(String, Value)], nested: bool, redactor: &Redactor) -> usize {
    let Some((_, value)) = fields.iter_mut().max_by_key(|(_, value)| size(value)) else { return 0 };
    if let Value::Map(members) = value
        && nested
        && members.iter().any(|(_, member)| size(member) > 64)
    {
        return drop_largest(members, nested, redactor);
    }
    let mut text = String::new();
    json::write(value, &mut text);
    let stand_in = mark("dropped", text.len(), redactor.digest(text.as_bytes()));
    let saved = text.len().saturating_sub(stand_in.len() + 2);
    *value = Value::String(stand_in);
    saved
}

/// About the bytes of a value's JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) | Value::Number(text) => 2 + text.len(),
        Value::List(elements) => 2 + elements.iter().map(|element| 1 + size(element)).sum::<usize>(),
        Value::Map(members) => {
            2 + members.iter().map(|(key, member)| 4 + key.len() + size(member)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) => 5,
    }
}
