//! Filters and pipelines of databases of documents: does a filter leave anything out, and what does a pipeline replace?
//! As JSON, or as JavaScript writes it.

use tollgate_model::json::Value;

/// Maps in maps.
const DEPTH: usize = 24;

/// Does a filter fit every document (`true`), none (`false`), or some of them?
pub(crate) fn truth(filter: &Value) -> Option<bool> {
    of(filter, DEPTH)
}

fn of(filter: &Value, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let members = filter.as_map()?;
    let known: Vec<_> = members.iter().take(64).map(|(key, value)| member(key, value, depth)).collect();
    all(&known)
}

fn all(known: &[Option<bool>]) -> Option<bool> {
    if known.contains(&Some(false)) {
        return Some(false);
    }
    known.iter().all(|part| *part == Some(true)).then_some(true)
}

fn any(known: &[Option<bool>]) -> Option<bool> {
    if known.contains(&Some(true)) {
        return Some(true);
    }
    known.iter().all(|part| *part == Some(false)).then_some(false)
}

fn member(key: &str, value: &Value, depth: usize) -> Option<bool> {
    let parts = || -> Vec<Option<bool>> {
        value.as_list().unwrap_or_default().iter().take(64).map(|part| of(part, depth)).collect()
    };
    match (key, value) {
        ("$and", _) => all(&parts()),
        ("$or", _) => any(&parts()),
        ("$nor", _) => any(&parts()).map(|held| !held),
        ("$expr", Value::Bool(held)) => Some(*held),
        ("$expr", Value::Number(number)) => Some(number != "0"),
        ("$where", Value::String(code)) => {
            let code = code.trim().trim_start_matches("return ").trim_end_matches(';');
            match code {
                "true" | "1" | "1==1" | "1 == 1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            }
        }
        ("$comment" | "$alwaysTrue", _) => Some(true),
        ("$alwaysFalse", _) => Some(false),
        ("_id", Value::Null) => Some(false),
        (_, Value::Map(operators)) if !key.starts_with('$') && !operators.is_empty() => {
            let known: Vec<_> =
                operators.iter().take(16).map(|(name, to)| operator(key, name, to, depth)).collect();
            all(&known)
        }
        _ => None,
    }
}

/// What is so of a field in every document: of its key much, of others little.
fn operator(field: &str, name: &str, to: &Value, depth: usize) -> Option<bool> {
    let is_key = field == "_id";
    match (name, to) {
        ("$in", Value::List(items)) if items.is_empty() => Some(false),
        ("$nin", Value::List(items)) if items.is_empty() => Some(true),
        ("$exists", Value::Bool(held)) if is_key => Some(*held),
        ("$exists", Value::Number(number)) if is_key => Some(number != "0"),
        ("$ne", Value::Null) if is_key => Some(true),
        ("$gt" | "$gte", Value::Map(_)) if is_key && to.get("$minKey").is_some() => Some(true),
        ("$gt" | "$gte", Value::String(text)) if is_key && text.contains("MinKey") => Some(true),
        ("$nin", Value::List(items)) if is_key && items.iter().all(|item| *item == Value::Null) => Some(true),
        ("$regex", Value::String(pattern)) => {
            matches!(pattern.as_str(), "" | ".*" | "^" | "$" | ".+" | "^.*$" | "^.*" | ".").then_some(true)
        }
        ("$not", Value::Map(inner)) => {
            let depth = depth.checked_sub(1)?;
            let known: Vec<_> =
                inner.iter().take(16).map(|(name, to)| operator(field, name, to, depth)).collect();
            all(&known).map(|held| !held)
        }
        _ => None,
    }
}

/// The collection that a pipeline replaces by nothing, or by a part of itself.
pub(crate) fn replaced(stages: &[Value], source: &str) -> Option<String> {
    let out = stages.iter().find_map(|stage| stage.get("$out"))?;
    let name = out.as_str().or_else(|| out.text("coll"))?;
    let empties =
        stages.iter().any(|stage| stage.get("$match").is_some_and(|filter| truth(filter) == Some(false)));
    let narrows =
        |stage: &Value| ["$match", "$limit", "$sample", "$group"].iter().any(|key| stage.get(key).is_some());
    (empties || name == source && stages.iter().any(narrows)).then(|| name.to_owned())
}

/// A command that is sent as a map, and deletes or changes every document: `{delete: 'users', deletes: [{q: {}}]}`.
pub(crate) fn commanded(map: &Value) -> Option<(&'static str, String)> {
    let every = |key: &str, wanted: &str| {
        let parts = map.get(key).and_then(Value::as_list).unwrap_or_default();
        parts.iter().any(|part| {
            let one = matches!(part.get("limit"), Some(Value::Number(number)) if number == "1");
            let many = wanted == "delete" || matches!(part.get("multi"), Some(Value::Bool(true)));
            !one && many && part.get("q").is_some_and(|filter| truth(filter) == Some(true))
        })
    };
    if let Some(name) = map.text("delete").filter(|_| every("deletes", "delete")) {
        return Some(("delete-all", name.to_owned()));
    }
    if let Some(name) = map.text("update").filter(|_| every("updates", "update")) {
        return Some(("update-all", name.to_owned()));
    }
    let inner = map.get("deleteMany").and_then(|inner| inner.get("filter"));
    if inner.is_some_and(|filter| truth(filter) == Some(true)) {
        return Some(("delete-all", "deleteMany".to_owned()));
    }
    let stages = map.get("pipeline").and_then(Value::as_list)?;
    let source = map.text("aggregate").or_else(|| map.text("collection")).unwrap_or_default();
    replaced(stages, source).map(|name| ("delete-all", name))
}

/// The value that a text begins with, as JavaScript writes it.
pub(crate) fn literal(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text.trim_start() };
    reader.value(DEPTH)
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default().trim_start();
    }

    fn takes(&mut self, mark: char) -> bool {
        let found = self.rest.starts_with(mark);
        if found {
            self.skip(mark.len_utf8());
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        if self.takes('{') {
            return self.map(depth);
        }
        if self.takes('[') {
            return self.list(depth);
        }
        match self.rest.chars().next()? {
            '"' | '\'' | '`' => self.quoted().map(Value::String),
            _ => Some(self.bare()),
        }
    }

    fn map(&mut self, depth: usize) -> Option<Value> {
        let mut members = Vec::new();
        while !self.takes('}') {
            let key = match self.rest.chars().next()? {
                '"' | '\'' => self.quoted()?,
                _ => self.name()?,
            };
            let value = if self.takes(':') { self.value(depth)? } else { Value::String(key.clone()) };
            members.push((key, value));
            if !self.takes(',') && !self.rest.starts_with('}') {
                return None;
            }
        }
        Some(Value::Map(members))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        while !self.takes(']') {
            items.push(self.value(depth)?);
            if !self.takes(',') && !self.rest.starts_with(']') {
                return None;
            }
        }
        Some(Value::List(items))
    }

    fn quoted(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let behind = self.rest.get(quote.len_utf8()..)?;
        let end = behind.find(quote)?;
        let text = behind.get(..end)?.to_owned();
        self.rest = behind.get(end + quote.len_utf8()..)?.trim_start();
        Some(text)
    }

    fn name(&mut self) -> Option<String> {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let name = self.rest.get(..end).filter(|name| !name.is_empty())?.to_owned();
        self.skip(end);
        Some(name)
    }

    /// A number, a word, or a call, up to what ends it.
    fn bare(&mut self) -> Value {
        let mut open = 0_i32;
        let end = self.rest.find(|c: char| {
            match c {
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open -= 1,
                _ => {}
            }
            open < 0 || open == 0 && c == ','
        });
        let end = end.unwrap_or(self.rest.len());
        let text = self.rest.get(..end).unwrap_or_default().trim().to_owned();
        self.skip(end);
        match text.as_str() {
            "true" | "True" | "!0" => Value::Bool(true),
            "false" | "False" | "!1" => Value::Bool(false),
            "null" | "None" | "undefined" => Value::Null,
            _ if text.parse::<f64>().is_ok() => Value::Number(text),
            _ => Value::String(text),
        }
    }
}
