//! Puts hooks that Claude Code does not read into the form that it reads: handlers that are plain strings, matchers that
//! are objects or lists, handlers without a group. What cannot be understood stays as it is, and is a problem for
//! [`super::validity`].

use super::super::doc::{Doc, EditError, to_value};
use super::super::edit::{HOOKS, replace, spaced, value_span};
use super::super::plan::Repaired;
use super::validity::is_event;
use jsonc_parser::ast;
use std::ops::Range;
use tollgate_model::json::{Value, object};

/// Repairs the hooks of a settings file. Every byte outside of the repaired entries stays as it was.
///
/// # Errors
/// When the text is not JSON.
pub fn repair(text: &str) -> Result<Repaired, EditError> {
    let doc = Doc::parse(text)?;
    let mut edits = Edits::default();
    if let Some(ast::Value::Object(root)) = &doc.root {
        let hooks = root.properties.iter().filter(|prop| prop.name.as_str() == HOOKS);
        for event in hooks.filter_map(|prop| prop.value.as_object()).flat_map(|hooks| &hooks.properties) {
            if is_event(event.name.as_str()) {
                edits.event(event.name.as_str(), &event.value);
            }
        }
    }
    if edits.changes.is_empty() {
        return Ok(Repaired { text: text.to_owned(), changes: Vec::new() });
    }
    Ok(Repaired { text: replace(&doc, edits.replacements), changes: edits.changes })
}

#[derive(Default)]
struct Edits {
    replacements: Vec<(Range<usize>, String)>,
    changes: Vec<String>,
}

impl Edits {
    fn event(&mut self, event: &str, value: &ast::Value) {
        let place = format!("hooks.{event}");
        match value {
            ast::Value::Array(list) => {
                for (at, group) in list.elements.iter().enumerate() {
                    self.group(event, &format!("{place}.{at}"), group);
                }
            }
            // Without a list the gate's own group could not be put beside it.
            ast::Value::NullKeyword(_) => self.swap(&place, value, &Value::List(Vec::new())),
            ast::Value::Object(_) | ast::Value::StringLit(_) => {
                let group = repaired_group(event, &to_value(value));
                if is_group(&group) {
                    self.swap(&place, value, &Value::List(vec![group]));
                }
            }
            _ => {}
        }
    }

    /// Replaces as little of a group as possible.
    fn group(&mut self, event: &str, place: &str, group: &ast::Value) {
        let (old, new) = (to_value(group), repaired_group(event, &to_value(group)));
        if old == new {
            return;
        }
        let lists = group.as_object().and_then(|group| group.get_array(HOOKS));
        let (Some(group), Some(handlers)) = (group.as_object(), lists) else {
            return self.swap(place, group, &new);
        };
        if let Some((prop, text)) = group.get("matcher").zip(new.get("matcher")) {
            self.swap(&format!("{place}.matcher"), &prop.value, text);
        }
        let repaired = new.get(HOOKS).and_then(Value::as_list).unwrap_or_default();
        for (at, (handler, new)) in handlers.elements.iter().zip(repaired).enumerate() {
            self.swap(&format!("{place}.{HOOKS}.{at}"), handler, new);
        }
    }

    fn swap(&mut self, place: &str, old: &ast::Value, new: &Value) {
        let was = to_value(old);
        if was != *new {
            self.changes.push(format!("{place}: {} -> {}", spaced(&was), spaced(new)));
            self.replacements.push((value_span(old), spaced(new)));
        }
    }
}

fn is_group(value: &Value) -> bool {
    value.get(HOOKS).and_then(Value::as_list).is_some()
}

fn repaired_group(event: &str, group: &Value) -> Value {
    let members = match group {
        Value::String(_) => return object([(HOOKS, Value::List(vec![repaired_handler(group)]))]),
        Value::Map(members) => members,
        other => return other.clone(),
    };
    let repaired = |(name, value): &(String, Value)| match name.as_str() {
        "matcher" => (name.clone(), matcher(event, value).map_or(value.clone(), Value::from)),
        HOOKS => (name.clone(), repaired_handlers(value)),
        _ => (name.clone(), value.clone()),
    };
    if group.get(HOOKS).is_some() {
        return Value::Map(members.iter().map(repaired).collect());
    }
    if !STARTS.iter().any(|name| group.get(name).is_some()) {
        return group.clone();
    }
    // A handler where a group belongs: only the matcher is the group's.
    let (own, handler): (Vec<_>, Vec<_>) = members.iter().cloned().partition(|(name, _)| name == "matcher");
    let mut own: Vec<(String, Value)> = own.iter().map(repaired).collect();
    own.push((HOOKS.to_owned(), Value::List(vec![repaired_handler(&Value::Map(handler))])));
    Value::Map(own)
}

/// The member that says what a handler starts, and the type that goes with it.
const STARTS: [&str; 3] = ["command", "prompt", "url"];
const TYPES: [(&str, &str); 3] = [("command", "command"), ("prompt", "prompt"), ("url", "http")];

fn repaired_handlers(value: &Value) -> Value {
    match value {
        Value::List(all) => Value::List(all.iter().map(repaired_handler).collect()),
        Value::String(_) | Value::Map(_) => Value::List(vec![repaired_handler(value)]),
        other => other.clone(),
    }
}

fn repaired_handler(handler: &Value) -> Value {
    let members = match handler {
        Value::String(line) if !line.trim().is_empty() => {
            return object([("type", "command".into()), ("command", command_line(line).into())]);
        }
        Value::Map(members) => members,
        other => return other.clone(),
    };
    let mut new: Vec<(String, Value)> = Vec::new();
    let kind = TYPES.iter().find(|(name, _)| handler.get(name).is_some()).map(|(_, kind)| *kind);
    if let (Some(kind), None | Some(Value::Null)) = (kind, handler.get("type")) {
        new.push(("type".to_owned(), kind.into()));
    }
    for (name, value) in members {
        match (name.as_str(), value) {
            // Null is what a writer leaves for "not set".
            (_, Value::Null) => {}
            ("timeout", value) => new.extend(seconds(value).map(|value| (name.clone(), value))),
            ("command", Value::List(words)) if handler.get("args").is_none() => {
                let Some((program, args)) = words.split_first() else { continue };
                new.push((name.clone(), program.clone()));
                new.push(("args".to_owned(), Value::List(args.to_vec())));
            }
            _ => new.push((name.clone(), value.clone())),
        }
    }
    Value::Map(new)
}

/// A time-out as a number; none when there is no such time.
fn seconds(value: &Value) -> Option<Value> {
    let text = match value {
        Value::Number(text) => text,
        Value::String(text) => text.trim(),
        other => return Some(other.clone()),
    };
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Some(Value::Number(text.to_owned())),
        Ok(_) => None,
        Err(_) => Some(value.clone()),
    }
}

/// A handler that was a plain string is a path as often as a command. A path keeps together where its variables hold
/// spaces.
fn command_line(line: &str) -> String {
    let line = line.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,${}".contains(c);
    if line.contains('$') && line.chars().all(plain) { format!("\"{line}\"") } else { line.to_owned() }
}

/// A matcher as the string that means the same; none when there is no such string.
fn matcher(event: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(ALL.to_owned()),
        Value::Map(members) => match members.as_slice() {
            [] => Some(ALL.to_owned()),
            [(name, value)] if subjects(event).contains(&name.as_str()) => alternatives(value),
            _ => None,
        },
        value => alternatives(value),
    }
}

const ALL: &str = "*";

fn alternatives(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::List(all) => {
            let all: Option<Vec<&str>> = all.iter().map(Value::as_str).collect();
            all.filter(|all| !all.is_empty()).map(|all| all.join("|"))
        }
        _ => None,
    }
}

/// The names that people give to what the matcher of an event is compared with.
fn subjects(event: &str) -> &'static [&'static str] {
    match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" | "PermissionDenied" => {
            &["toolName", "toolNames", "tool_name", "tool_names", "tool", "tools", "name"]
        }
        "SubagentStart" | "SubagentStop" => &[
            "agentName",
            "agentNames",
            "agent_name",
            "agentType",
            "agent_type",
            "subagentType",
            "subagent_type",
            "agent",
            "agents",
            "name",
        ],
        "SessionStart" | "ConfigChange" | "DirectoryAdded" => &["source"],
        "SessionEnd" => &["reason"],
        "PreCompact" | "PostCompact" | "Setup" => &["trigger"],
        "Notification" => &["notificationType", "notification_type", "type"],
        _ => &[],
    }
}
