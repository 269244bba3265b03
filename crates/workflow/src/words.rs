//! Texts for the model and for people, with their `{names}` filled in.

use tollgate_model::Kind;
use tollgate_model::json::{self, Value};

use crate::asking::{Asking, stands};
use crate::case::plain;
use crate::{template, text};

/// The longest value of one name in a text.
const LONGEST: usize = 4000;

/// A text with its names filled in; none when one of them has no value.
pub fn fill(asking: &Asking, text: &str) -> Option<String> {
    let (filled, missing) = template::fill(text, |name, rest| value(asking, name, rest), |_| String::new());
    missing.is_empty().then_some(filled)
}

/// A message with its names filled in. A sentence with a name that has no value is left out, unless none is left.
pub fn message(asking: &Asking, text: &str) -> String {
    let known: Vec<String> = sentences(text).into_iter().filter_map(|part| fill(asking, part)).collect();
    if known.is_empty() {
        let unknown = |name: &str| match asking.flow.artifacts.iter().find(|(known, _)| known == name) {
            Some((_, paths)) => paths.first().cloned().unwrap_or_default(),
            None => format!("{{{name}}}"),
        };
        return template::fill(text, |name, rest| value(asking, name, rest), unknown).0;
    }
    known.concat().trim_end().to_owned()
}

/// The sentences of a text, each with the space behind it.
fn sentences(text: &str) -> Vec<&str> {
    text.split_inclusive(". ").flat_map(|part| part.split_inclusive("? ")).collect()
}

/// A text with its names filled in; what has no value is `none`.
pub fn summary(asking: &Asking, text: &str) -> String {
    template::fill(text, |name, rest| value(asking, name, rest), |_| "none".to_owned()).0
}

/// The last lines of what a command printed.
pub fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let start = lines.len().saturating_sub(4);
    cut(&lines.get(start..).unwrap_or_default().join(" / "), 400)
}

fn value(asking: &Asking, name: &str, rest: &str) -> Option<String> {
    let case = asking.case;
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let found = match name {
        "session" => some(&case.event.session),
        "date" => Some(template::date(case.now, if rest.is_empty() { "%F" } else { rest })),
        "milestone" => case.milestone().map(str::to_owned),
        "agent" => some(case.agent()),
        "project" => some(case.world.workspace()),
        "prompt" => some(case.prompt()),
        "task" => some(first_line(case.prompt())),
        "source" => match &case.event.kind {
            Kind::SessionStart { source } => some(source),
            Kind::PreCompact { trigger } => some(trigger),
            Kind::Notification { message, .. } => some(message),
            _ => None,
        },
        "output" => some(&case.output()),
        "tool" => case.event.tool().and_then(|tool| some(&tool.name)),
        "path" => {
            case.writes().next().and_then(|(place, _)| some(case.below(&place.path).unwrap_or(&place.path)))
        }
        "file" => stands(case, rest),
        "json" => in_json(&stands(case, rest.split(':').next()?)?, rest),
        "toml" => in_toml(&stands(case, rest.split(':').next()?)?, rest),
        "line" => {
            let (file, start) = rest.split_once(':')?;
            let text = stands(case, file)?;
            text.lines().find_map(|line| line.strip_prefix(start)).and_then(|rest| some(rest.trim()))
        }
        "input" => {
            case.event.tool().and_then(|tool| tool.input.get(rest)).and_then(|value| some(&plain(value)))
        }
        "workflows" => some(&workflows(asking)),
        _ => other(asking, name),
    };
    found.map(|text| cut(&text, LONGEST))
}

/// A capture, an artifact, or a value of the state.
fn other(asking: &Asking, name: &str) -> Option<String> {
    if let Some((_, found)) = asking.captures.borrow().iter().rev().find(|(known, _)| known == name) {
        return Some(found.clone());
    }
    if asking.flow.artifacts.iter().any(|(known, _)| known == name) {
        // A folder with all that is in it is shown as the folder.
        let pattern = asking.case.pattern(asking.flow, name)?;
        return Some(pattern.strip_suffix("**").map(str::to_owned).unwrap_or(pattern));
    }
    let (space, key) = name.split_once('.')?;
    let states = asking.case.states;
    let value = states.session.get(space, key).or(states.project.get(space, key))?;
    Some(plain(value)).filter(|text| !text.is_empty())
}

/// The workflows that are active, with their phases.
fn workflows(asking: &Asking) -> String {
    let states = asking.case.states;
    let all = states.session.all().chain(states.project.all());
    let active = all.filter(|(_, key, value)| *key == "is_active" && **value == Value::Bool(true));
    let named = active.map(|(space, ..)| {
        let phase = states.session.text(space, "phase");
        let phase = if phase.is_empty() { states.project.text(space, "phase") } else { phase };
        if phase.is_empty() { space.to_owned() } else { format!("{space} (phase {phase})") }
    });
    named.collect::<Vec<_>>().join(", ")
}

/// `file:key:key` in a JSON file.
fn in_json(text: &str, way: &str) -> Option<String> {
    let value = json::parse(text.as_bytes()).ok()?;
    let mut keys = way.split(':').skip(1);
    let found = keys.try_fold(&value, |value, key| value.get(key))?;
    Some(plain(found)).filter(|text| !text.is_empty())
}

/// `file:table:key` in a TOML file, for plain values.
fn in_toml(text: &str, way: &str) -> Option<String> {
    let mut parts = way.split(':').skip(1);
    let (table, key) = (parts.next()?, parts.next()?);
    let mut within = table.is_empty();
    for line in text.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[') {
            within = name.trim_end_matches(']') == table;
        } else if within
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// A text, cut to a length.
pub fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}… (cut)", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Without what says the same twice.
pub fn once(lines: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut kept = Vec::new();
    for line in lines {
        let normal = text::normal(&line);
        if !seen.contains(&normal) {
            seen.push(normal);
            kept.push(line);
        }
    }
    kept
}
