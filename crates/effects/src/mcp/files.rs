//! Paths among the arguments of a tool, by what it does with them.

use tollgate_model::json::Value;
use tollgate_model::{Replacement, WriteMode};

use super::fields::{Field, bare, ends_as_path};
use super::keepers::is_prose;
use super::names::{self, Tool, Verb, split};
use super::outgoing::is_local;
use super::{Given, VALUES, flatten, is_editor_verb};
use crate::tools::Hands;

/// What becomes of the paths of a call.
pub(super) fn touched(hands: &mut Hands, tool: &Tool, input: &Value, texts: &[Given]) {
    if tool.is_remote && !is_remote_file(tool, input) {
        attached(hands, tool, texts);
    }
    if tool.is_remote || tool.is_database || is_remote_file(tool, input) {
        return;
    }
    // A part of a file is taken away, and the file stays.
    let part = ["symbol", "symbols", "line", "lines", "cell", "section", "block", "import", "imports"];
    let verb = match input.text("command").filter(|text| is_editor_verb(text)) {
        Some("view" | "read") => said(tool.verb, Verb::Read, input),
        Some("delete") => Verb::Delete,
        Some(_) => said(tool.verb, Verb::Write, input),
        None if tool.verb == Verb::Delete && part.iter().any(|word| tool.has(word)) => Verb::Write,
        None => tool.verb,
    };
    let verb = said_verb(input).map_or(verb, |other| said(verb, other, input));
    let texts = &with_folder(tool, verb, texts);
    let steps = steps(verb, input);
    for (verb, step) in &steps {
        let mut texts = Vec::new();
        flatten("", step, 1, &mut texts);
        each_file(hands, tool, *verb, step, &texts.iter().collect::<Vec<_>>());
    }
    // What stands beside the steps is judged as if there were none.
    let within = |given: &Given| steps.iter().any(|(_, step)| holds(step, given.text));
    let beside: Vec<&Given> = texts.iter().filter(|given| !within(given)).collect();
    each_file(hands, tool, verb, input, &beside);
}

/// What an argument says is done, in a tool whose name says something too: it may say that more is done, never less. Only
/// a tool that writes reads where it is told so and given nothing to write.
fn said(own: Verb, other: Verb, input: &Value) -> Verb {
    let rank = |verb: Verb| match verb {
        Verb::Unknown => 0,
        Verb::Run => 1,
        Verb::Read => 2,
        Verb::Folder => 3,
        Verb::Make => 4,
        Verb::Copy => 5,
        Verb::Write => 6,
        Verb::Move => 7,
        Verb::Delete => 8,
    };
    match (own, other) {
        (Verb::Write, Verb::Read) if !has_text(input) => other,
        _ if rank(own) > rank(other) => own,
        _ => other,
    }
}

/// Is there something to write: a text, by its name or by more than one word, or what takes the place of another?
fn has_text(input: &Value) -> bool {
    let mut texts = Vec::new();
    flatten("", input, 1, &mut texts);
    let is_text = |given: &Given| {
        let words = given.text.contains(char::is_whitespace) && !is_prose(given.key) && !is_path(given);
        given.field == Field::Content || words
    };
    texts.iter().any(is_text) || !replacements(input).is_empty()
}

/// The texts of a call. The folder that work goes on in is what a tool of files works on, where no other path is given.
fn with_folder<'v>(tool: &Tool, verb: Verb, texts: &[Given<'v>]) -> Vec<Given<'v>> {
    let files = [
        "file",
        "files",
        "filesystem",
        "fs",
        "dir",
        "directory",
        "directories",
        "folder",
        "folders",
        "path",
        "project",
        "workspace",
    ];
    let lone = !texts.iter().any(is_path)
        && (verb == Verb::Read || verb != Verb::Run && files.iter().any(|word| tool.has(word)));
    let field = |given: &Given| match given.field {
        Field::Folder if lone && Field::of(given.key) == Field::Other => Field::Path,
        field => field,
    };
    texts.iter().map(|given| Given { field: field(given), ..*given }).collect()
}

fn said_verb(value: &Value) -> Option<Verb> {
    let said = ["op", "operation", "action", "type", "kind"].iter().find_map(|key| value.text(key));
    said.map(names::verb_of).filter(|verb| *verb != Verb::Unknown)
}

/// Is the very text among the texts of the value?
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => std::ptr::eq(own.as_str(), text),
        Value::List(values) => values.iter().any(|value| holds(value, text)),
        Value::Map(members) => members.iter().any(|(_, value)| holds(value, text)),
        _ => false,
    }
}

/// The steps of a call that holds several, each with a verb of its own: `{"op": "delete", "path": …}`; or with a file of
/// its own.
fn steps(tools: Verb, input: &Value) -> Vec<(Verb, &Value)> {
    let verb = |value: &Value| {
        let said = said_verb(value).map(|other| said(tools, other, value));
        said.or_else(|| (tools == Verb::Write && is_file(value)).then_some(tools))
    };
    let lists = input.as_map().unwrap_or_default().iter().filter_map(|(_, value)| value.as_list());
    lists.flatten().take(VALUES).filter_map(|value| Some((verb(value)?, value))).collect()
}

/// A map with a path and a text that goes there.
fn is_file(value: &Value) -> bool {
    let mut texts = Vec::new();
    flatten("", value, 1, &mut texts);
    texts.iter().any(is_path) && texts.iter().any(|given| given.field == Field::Content)
}

fn each_file(hands: &mut Hands, tool: &Tool, verb: Verb, input: &Value, texts: &[&Given]) {
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
            Verb::Make if is_made(tool, given, has_target) => hands.write(text, WriteMode::Overwrite, None),
            Verb::Write if !from && is_written(tool, given) => write(hands, tool, text, input, texts),
            Verb::Folder => hands.make_dir(text),
            Verb::Run if given.field != Field::Path => {}
            _ => hands.read(text, tool.is_deep),
        }
    }
}

/// Is it the file that a tool makes of what it gets elsewhere?
fn is_made(tool: &Tool, given: &Given, has_target: bool) -> bool {
    // What is turned into something else is read.
    let turned = ["convert", "render", "transcode"].iter().any(|word| tool.has(word));
    match given.field {
        Field::Target => true,
        Field::Source => !has_target && given.key.to_ascii_lowercase().contains("local"),
        _ => !has_target && !turned && !given.text.starts_with("file:"),
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

fn rename(hands: &mut Hands, from: &str, texts: &[&Given]) {
    match texts.iter().find(|given| given.field == Field::Target) {
        Some(to) => hands.rename(from, bare(to.text)),
        None => hands.delete(from),
    }
}

fn write(hands: &mut Hands, tool: &Tool, path: &str, input: &Value, texts: &[&Given]) {
    let edits = replacements(input);
    let content = texts.iter().find(|given| given.field == Field::Content).map(|given| given.text.to_owned());
    if !edits.is_empty() {
        hands.edit(path, &edits);
        // Whoever takes a text as well may write it instead.
        if content.is_none() || ["edit", "replace", "str"].iter().any(|word| tool.has(word)) {
            return;
        }
    }
    let content = content.or_else(|| longest(texts));
    hands.write(path, WriteMode::Overwrite, content.as_deref());
}

/// What is most likely written where no name says so: the longest text, with its lines.
fn longest(texts: &[&Given]) -> Option<String> {
    let is_text = |given: &&&Given| {
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

/// A file in a repository of a forge or in a store, not on this disk. A server of this machine has none, whatever it is
/// given besides.
pub(super) fn is_remote_file(tool: &Tool, input: &Value) -> bool {
    let has = |key: &str| input.get(key).is_some();
    !is_local(tool) && (has("owner") && has("repo") || has("project_id") || has("bucket"))
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
