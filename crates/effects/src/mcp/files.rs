//! Paths among the arguments of a tool, by what it does with them.

use tollgate_model::json::Value;
use tollgate_model::{Replacement, WriteMode};

use super::fields::{Field, bare, ends_as_path};
use super::names::{self, Tool, Verb, split};
use super::{Given, VALUES, flatten, is_editor_verb};
use crate::tools::Hands;

/// What becomes of the paths of a call.
pub(super) fn touched(hands: &mut Hands, tool: &Tool, input: &Value, texts: &[Given]) {
    if tool.is_remote && !is_remote_file(input) {
        attached(hands, tool, texts);
    }
    if tool.is_remote || tool.is_database || is_remote_file(input) {
        return;
    }
    // A part of a file is taken away, and the file stays.
    let part = ["symbol", "symbols", "line", "lines", "cell", "section", "block", "import", "imports"];
    let verb = match input.text("command").filter(|text| is_editor_verb(text)) {
        Some("view" | "read") => Verb::Read,
        Some("delete") => Verb::Delete,
        Some(_) => Verb::Write,
        None if tool.verb == Verb::Delete && part.iter().any(|word| tool.has(word)) => Verb::Write,
        None => tool.verb,
    };
    let steps = steps(verb, input);
    for (verb, step) in &steps {
        let mut texts = Vec::new();
        flatten("", step, 1, &mut texts);
        each_file(hands, tool, *verb, step, &texts);
    }
    if steps.is_empty() {
        each_file(hands, tool, verb, input, texts);
    }
}

/// The steps of a call that holds several, each with a verb of its own: `{"op": "delete", "path": …}`; or with a file of
/// its own.
fn steps(tools: Verb, input: &Value) -> Vec<(Verb, &Value)> {
    let verb = |value: &Value| {
        let said = ["op", "operation", "action", "type", "kind"].iter().find_map(|key| value.text(key));
        let said = said.map(names::verb_of).filter(|verb| *verb != Verb::Unknown);
        said.or_else(|| (tools == Verb::Write && value != input && is_file(value)).then_some(tools))
    };
    let lists = input.as_map().unwrap_or_default().iter().filter_map(|(_, value)| value.as_list());
    let inner = lists.flatten().take(VALUES).chain([input]);
    inner.filter_map(|value| Some((verb(value)?, value))).collect()
}

/// A map with a path and a text that goes there.
fn is_file(value: &Value) -> bool {
    let mut texts = Vec::new();
    flatten("", value, 1, &mut texts);
    texts.iter().any(is_path) && texts.iter().any(|given| given.field == Field::Content)
}

fn each_file(hands: &mut Hands, tool: &Tool, verb: Verb, input: &Value, texts: &[Given]) {
    let has = |field: Field| texts.iter().any(|given| given.field == field && is_path(given));
    let (has_source, has_target) = (has(Field::Source), has(Field::Target));
    for given in texts.iter().filter(|given| is_path(given)) {
        let from = given.field == Field::Source;
        let text = bare(given.text);
        match verb {
            Verb::Delete => hands.delete(text),
            Verb::Move if from || given.field == Field::Path && !has_source && has_target => {
                rename(hands, text, texts);
            }
            Verb::Move | Verb::Copy if given.field == Field::Target => {
                hands.write(text, WriteMode::Overwrite, None)
            }
            Verb::Make if is_made(given, has_target) => hands.write(text, WriteMode::Overwrite, None),
            Verb::Write if !from && is_written(tool, given) => write(hands, text, input, texts),
            Verb::Folder => hands.make_dir(text),
            Verb::Run if given.field != Field::Path => {}
            _ => hands.read(text, tool.is_deep),
        }
    }
}

/// Is it the file that a tool makes of what it gets elsewhere?
fn is_made(given: &Given, has_target: bool) -> bool {
    match given.field {
        Field::Target => true,
        Field::Source => !has_target && given.key.to_ascii_lowercase().contains("local"),
        _ => !has_target,
    }
}

/// Does a tool that writes write there? A path that only its shape shows may be a setting.
fn is_written(tool: &Tool, given: &Given) -> bool {
    let files =
        ["file", "files", "filesystem", "fs", "write", "save", "append", "edit", "editor", "document"];
    let settings = ["setting", "settings", "config", "configuration", "option", "options", "preference"];
    let any = |words: &[&str]| words.iter().any(|word| tool.has(word));
    Field::of(given.key) != Field::Other || any(&files) || ends_as_path(&split(given.key)) && !any(&settings)
}

/// Files of this machine that go to a service, or come from one.
fn attached(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    let is_file = |given: &&Given| {
        matches!(given.field, Field::Path | Field::Source) || given.key.starts_with("attachment")
    };
    let is_here = |given: &&Given| given.text.starts_with(['/', '~']) && !given.text.contains('\n');
    for given in texts.iter().filter(is_here) {
        if tool.verb == Verb::Make && (given.field == Field::Target || given.field == Field::Source) {
            hands.write(given.text, WriteMode::Overwrite, None);
        } else if is_file(&given) {
            hands.read(given.text, false);
        }
    }
}

fn rename(hands: &mut Hands, from: &str, texts: &[Given]) {
    match texts.iter().find(|given| given.field == Field::Target) {
        Some(to) => hands.rename(from, bare(to.text)),
        None => hands.delete(from),
    }
}

fn write(hands: &mut Hands, path: &str, input: &Value, texts: &[Given]) {
    let edits = replacements(input);
    if !edits.is_empty() {
        return hands.edit(path, &edits);
    }
    let content = texts.iter().find(|given| given.field == Field::Content).map(|given| given.text.to_owned());
    let content = content.or_else(|| longest(texts));
    hands.write(path, WriteMode::Overwrite, content.as_deref());
}

/// What is most likely written where no name says so: the longest text, with its lines.
fn longest(texts: &[Given]) -> Option<String> {
    let is_text = |given: &&Given| {
        matches!(given.field, Field::Other | Field::Code | Field::Sql | Field::Shell | Field::Keys)
            && !is_path(given)
    };
    let mut found: Option<(&str, String)> = None;
    let mut last: Option<(&str, String)> = None;
    for given in texts.iter().filter(is_text) {
        last = match last.take() {
            Some((key, text)) if key == given.key => Some((key, format!("{text}\n{}", given.text))),
            _ => Some((given.key, given.text.to_owned())),
        };
        let long = |one: &Option<(&str, String)>| one.as_ref().map_or(0, |(_, text)| text.len());
        if long(&last) > long(&found) {
            found.clone_from(&last);
        }
    }
    found.map(|(_, text)| text)
}

/// What an editing tool replaces by what, in the words of the common ones.
fn replacements(input: &Value) -> Vec<Replacement> {
    let one = |value: &Value| {
        let text = |keys: &[&str]| keys.iter().find_map(|key| value.text(key)).map(str::to_owned);
        let old = text(&["oldText", "old_str", "old_string", "old_text", "needle", "old", "search"])?;
        let new = ["newText", "new_str", "new_string", "new_text", "repl", "replacement", "new", "replace"];
        Some(Replacement { old, new: text(&new).unwrap_or_default() })
    };
    match input.get("edits").and_then(Value::as_list) {
        Some(edits) => edits.iter().filter_map(one).collect(),
        None => one(input).into_iter().collect(),
    }
}

/// A file in a repository of a forge, not on this disk.
pub(super) fn is_remote_file(input: &Value) -> bool {
    (input.get("owner").is_some() && input.get("repo").is_some())
        || input.get("project_id").is_some()
        || input.get("bucket").is_some()
}

pub(super) fn is_path(given: &Given) -> bool {
    let text = bare(given.text);
    let one_line =
        !text.is_empty() && text.len() < 4096 && !text.contains(['\n', '\0']) && !text.contains("://");
    let shaped =
        text.contains('/') || text.starts_with(['.', '~']) || text.contains('.') && !text.contains(' ');
    match given.field {
        Field::Path => one_line,
        Field::Source | Field::Target => one_line && shaped,
        _ => false,
    }
}
