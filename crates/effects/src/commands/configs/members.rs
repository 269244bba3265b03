//! Members of a JSON document that small languages set: `.scripts.test = "x"` of jq and yq, `this.a = 1` of json,
//! `scripts.test=x` of npm.

use tollgate_model::json::{self, Value};

use crate::commands::{Run, stream};
use crate::languages::edits::Edited;
use crate::word::Word;

/// A member that gets another value.
#[derive(Debug, PartialEq)]
pub(in crate::commands) struct Set {
    path: Vec<String>,
    to: Value,
    /// It is added to what is there: members to members, text to text.
    joins: bool,
}

impl Set {
    /// `scripts.test` gets a text.
    pub(in crate::commands) fn text(path: &str, text: &str) -> Self {
        let parts = path.split(['.', '[', ']']).map(|part| part.trim_matches(['"', '\'']));
        let path = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self { path, to: Value::String(text.to_owned()), joins: false }
    }
}

/// What a program sets, if it does nothing else. `variables` are those that it is given by name.
pub(in crate::commands) fn sets(program: &str, variables: &[(String, Value)]) -> Option<Vec<Set>> {
    split(program, |rest| rest.starts_with([';', '|']) && !rest.starts_with("|="))
        .into_iter()
        .map(|part| set(part.trim(), variables))
        .collect()
}

/// The document after all of them.
pub(in crate::commands) fn applied(text: &str, sets: &[Set]) -> Option<String> {
    let mut whole = json::parse(text.as_bytes()).ok()?;
    sets.iter().try_for_each(|set| put(&mut whole, &set.path, set))?;
    let mut out = String::new();
    json::write(&whole, &mut out);
    out.push('\n');
    Some(out)
}

/// Changes a file so.
pub(in crate::commands) fn edit(run: &mut Run, file: &Word, sets: &[Set]) {
    let edit = |text: &str| applied(text, sets).map(|text| Edited { text, ran: Vec::new() });
    stream::in_place(run, file, &edit, &[]);
}

fn put(value: &mut Value, path: &[String], set: &Set) -> Option<()> {
    let Some((first, rest)) = path.split_first() else {
        match (value, &set.to) {
            (Value::Map(members), Value::Map(more)) if set.joins => {
                members.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
                members.extend(more.iter().cloned());
            }
            (Value::String(text), Value::String(more)) if set.joins => text.push_str(more),
            (value, to) => *value = to.clone(),
        }
        return Some(());
    };
    if *value == Value::Null {
        *value = Value::Map(Vec::new());
    }
    let Value::Map(members) = value else { return None };
    if !members.iter().any(|(name, _)| name == first) {
        members.push((first.clone(), Value::Null));
    }
    let (_, member) = members.iter_mut().find(|(name, _)| name == first)?;
    put(member, rest, set)
}

fn set(part: &str, variables: &[(String, Value)]) -> Option<Set> {
    const SIGNS: &[&str] = &["|=", "+=", "*=", "="];
    let left = *split(part, |rest| SIGNS.iter().any(|sign| rest.starts_with(sign))).first()?;
    let behind = part.get(left.len()..)?;
    let sign = SIGNS.iter().find(|sign| behind.starts_with(**sign))?;
    let right = behind.get(sign.len()..)?.trim();
    let joins = matches!(*sign, "+=" | "*=");
    Some(Set { path: path(left.trim())?, to: value(right, variables)?, joins })
}

/// `.a.b`, `.a["b"]`, `."a"`, `this.a`.
fn path(text: &str) -> Option<Vec<String>> {
    let mut rest = text.strip_prefix("this").unwrap_or(text);
    let mut path = Vec::new();
    while !rest.is_empty() {
        let bracket = rest.strip_prefix("[").or_else(|| rest.strip_prefix(".["));
        let quoted = bracket.or_else(|| rest.strip_prefix('.').filter(|rest| rest.starts_with('"')));
        let (name, behind) = match quoted {
            Some(quoted) => {
                let mark = quoted.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
                let (name, behind) = quoted.get(1..)?.split_once(mark)?;
                (name, if bracket.is_some() { behind.strip_prefix(']')? } else { behind })
            }
            None => {
                let plain = rest.strip_prefix('.')?;
                let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | ':');
                plain.split_at_checked(plain.find(is_end).unwrap_or(plain.len()))?
            }
        };
        if !name.is_empty() {
            path.push(name.to_owned());
        } else if !behind.is_empty() || !path.is_empty() {
            return None;
        }
        rest = behind;
    }
    Some(path)
}

fn value(text: &str, variables: &[(String, Value)]) -> Option<Value> {
    if let Some(name) = text.strip_prefix('$') {
        return variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    }
    let single = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    if let Some(text) = single.filter(|text| !text.contains(['\'', '\\'])) {
        return Some(Value::String(text.to_owned()));
    }
    json::parse(with_quoted_keys(text).as_bytes()).ok()
}

/// `{test: "x"}` as JSON writes it.
fn with_quoted_keys(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in split(text, |rest| rest.starts_with(':')).into_iter().enumerate() {
        let start = part.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let (before, key) = part.split_at_checked(start).unwrap_or((part, ""));
        let is_key =
            key.starts_with(|c: char| c.is_ascii_alphabetic()) && before.trim_end().ends_with(['{', ',']);
        out.push_str(if at > 0 { ":" } else { "" });
        out.push_str(&if is_key { format!("{before}\"{key}\"") } else { part.to_owned() });
    }
    out
}

/// The parts between signs that stand outside of quotes and brackets; braces count as none, for keys stand in them.
fn split(text: &str, ends: impl Fn(&str) -> bool) -> Vec<&str> {
    let (mut parts, mut start, mut quote, mut depth, mut escaped) = (Vec::new(), 0, None, 0_i32, false);
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        match quote {
            Some(open) => {
                if c == open && !escaped {
                    quote = None;
                }
                escaped = c == '\\' && !escaped;
            }
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if matches!(c, '(' | '[') => depth += 1,
            None if matches!(c, ')' | ']') => depth -= 1,
            None if depth == 0 && at >= start && ends(rest) => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            None => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_set() {
        let given = [("c".to_owned(), Value::String("x y".to_owned()))];
        for (program, expected) in [
            (".scripts.pretest = $c | .v = 2", r#"{"scripts":{"test":"a","pretest":"x y"},"v":2}"#),
            (".scripts[\"test\"] |= \"b | c\"", r#"{"scripts":{"test":"b | c"},"v":1}"#),
            (".scripts += {pre: \"b: c\", \"d\": $c}", ""),
            (".scripts += {pre: \"b: c\"}", r#"{"scripts":{"test":"a","pre":"b: c"},"v":1}"#),
            ("this.scripts.test='rm x';", r#"{"scripts":{"test":"rm x"},"v":1}"#),
            (".scripts.test += \" && b\"", r#"{"scripts":{"test":"a && b"},"v":1}"#),
            (".v = .v + 1", ""),
            (".scripts | keys", ""),
            (".a == 1", ""),
        ] {
            let made =
                sets(program, &given).and_then(|sets| applied(r#"{"scripts":{"test":"a"},"v":1}"#, &sets));
            assert_eq!(made.unwrap_or_default().trim_end(), expected, "{program}");
        }
    }
}
