//! Puts hook groups into a settings file by inserting text. Every byte that is not ours stays as it was:
//! comments, order, indentation, line ends.

use super::doc::{Doc, EditError, PieceKind, to_value};
use super::status::handlers;
use super::strip::{Groups, without};
use jsonc_parser::ast;
use std::ops::Range;
use tollgate_model::json::Value;

/// A hook group for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The agent's name of the event.
    pub event: String,
    /// `{ "matcher": …, "hooks": [ … ] }`, or the handler itself where the agent has no groups.
    pub group: Value,
}

/// A settings file with our entries in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// Where in the new text our bytes are. Without them it is the old text.
    pub inserted: Vec<Range<usize>>,
    /// The containers that were not there before: `hooks`, or an event's name.
    pub created: Vec<String>,
}

/// Adds entries. Expects that none of ours are there; see [`super::strip`].
///
/// # Errors
/// When the file is not JSON, or its `hooks` do not have the shape that the agent reads.
pub fn insert(text: &str, entries: &[Entry]) -> Result<Edited, EditError> {
    let doc = Doc::parse(text)?;
    let (edits, created) = insertions(&doc, entries)?;
    let edited = apply(&doc, edits, created);
    let after = Doc::parse(&edited.text)?.value();
    let bare = |value: &Value, ours: &dyn Fn(&Value) -> bool| without(value, ours, Groups::Go);
    let kept = bare(&doc.value(), &|_| false) == bare(&after, &|handler| is_new(handler, entries));
    let there = entries.iter().all(|entry| groups(&after, &entry.event).contains(&entry.group));
    if kept && there { Ok(edited) } else { Err(doc.error(0, UNSAFE_EDIT)) }
}

/// Adds a handler to the group that it was taken from and that still stands: an empty one with the same matcher, else one
/// with nothing in it but handlers of `back`. None where there is no such group.
///
/// # Errors
/// When the file is not JSON, or its `hooks` do not have the shape that the agent reads.
pub(super) fn refill(text: &str, entry: &Entry, back: &[Entry]) -> Result<Option<String>, EditError> {
    let doc = Doc::parse(text)?;
    let Some(ast::Value::Object(root)) = &doc.root else { return Ok(None) };
    let Some(hooks) = hooks_of(&doc, root)? else { return Ok(None) };
    let Some(list) = event_array(&doc, hooks, &entry.event)? else { return Ok(None) };
    let Some(handler) = entry.group.get(HOOKS).and_then(Value::as_list).and_then(<[_]>::first) else {
        return Ok(None);
    };
    let same = list.elements.iter().filter(|group| rest(&to_value(group)) == rest(&entry.group));
    let places: Vec<_> = same.filter_map(|group| group.as_object()?.get_array(HOOKS)).collect();
    let ours = |place: &&&ast::Array| place.elements.iter().all(|handler| is_new(&to_value(handler), back));
    let empty = places.iter().find(|place| place.elements.is_empty());
    let Some(place) = empty.or_else(|| places.iter().find(ours)) else { return Ok(None) };
    let slot = Slot::of(&doc, span(&place.range), children(&place.elements));
    Ok(Some(apply(&doc, slot.append(&doc, &[slot.json(handler)]), Vec::new()).text))
}

/// Does a group hold the handler of an entry, under the same matcher?
pub(super) fn is_from(entry: &Entry, group: &Value) -> bool {
    let (own, all) = (handlers(&entry.group), handlers(group));
    *group == entry.group
        || rest(group) == rest(&entry.group) && own.iter().all(|handler| all.contains(handler))
}

/// A group without its handlers.
fn rest(group: &Value) -> Vec<(String, Value)> {
    let members = group.as_map().unwrap_or_default().iter();
    members.filter(|(name, _)| name != HOOKS).cloned().collect()
}

/// The groups of an event.
#[must_use]
pub fn groups<'a>(settings: &'a Value, event: &str) -> &'a [Value] {
    settings.get(HOOKS).and_then(|hooks| hooks.get(event)).and_then(Value::as_list).unwrap_or_default()
}

pub(super) const HOOKS: &str = "hooks";
pub(super) const UNSAFE_EDIT: &str =
    "this edit would have changed other settings, so nothing was written; please report this file";

struct Insert {
    at: usize,
    text: String,
}

fn insertions(doc: &Doc, entries: &[Entry]) -> Result<(Vec<Insert>, Vec<String>), EditError> {
    let new = |entries: &[Entry]| entries.iter().map(|entry| entry.event.clone()).collect::<Vec<_>>();
    let Some(root) = &doc.root else { return Ok((whole_file(doc, entries), with_hooks(new(entries)))) };
    let ast::Value::Object(root) = root else {
        return Err(doc.error(start(root), "the settings must be an object `{ … }`"));
    };
    let Some(hooks) = hooks_of(doc, root)? else {
        let slot = Slot::of(doc, span(&root.range), children(&root.properties));
        let member = slot.hooks_member(entries);
        return Ok((slot.append(doc, &[member]), with_hooks(new(entries))));
    };
    let mut edits = Vec::new();
    let mut fresh = Vec::new();
    for entry in entries {
        match event_array(doc, hooks, &entry.event)? {
            Some(list) => {
                let slot = Slot::of(doc, span(&list.range), children(&list.elements));
                edits.extend(slot.append(doc, &[slot.json(&entry.group)]));
            }
            None => fresh.push(entry.clone()),
        }
    }
    if !fresh.is_empty() {
        let slot = Slot::of(doc, span(&hooks.range), children(&hooks.properties));
        let members: Vec<String> = fresh.iter().map(|entry| slot.event_member(entry)).collect();
        edits.extend(slot.append(doc, &members));
    }
    Ok((edits, new(&fresh)))
}

fn with_hooks(mut created: Vec<String>) -> Vec<String> {
    created.push(HOOKS.to_owned());
    created
}

/// The `hooks` object, if there is one.
fn hooks_of<'a, 'd>(doc: &Doc, root: &'d ast::Object<'a>) -> Result<Option<&'d ast::Object<'a>>, EditError> {
    match only(doc, root, HOOKS)? {
        None => Ok(None),
        Some(ast::Value::Object(hooks)) => Ok(Some(hooks)),
        Some(other) => Err(doc.error(
            start(other),
            format!("`hooks` must be an object `{{ … }}`, found {}; correct or remove it", kind(other)),
        )),
    }
}

fn event_array<'a, 'd>(
    doc: &Doc,
    hooks: &'d ast::Object<'a>,
    event: &str,
) -> Result<Option<&'d ast::Array<'a>>, EditError> {
    match only(doc, hooks, event)? {
        None => Ok(None),
        Some(ast::Value::Array(list)) => Ok(Some(list)),
        Some(other) => Err(doc.error(
            start(other),
            format!("`hooks.{event}` must be a list `[ … ]`, found {}; correct or remove it", kind(other)),
        )),
    }
}

/// A member that occurs at most once: of two, the agent reads the last and a person the first.
fn only<'a, 'd>(
    doc: &Doc,
    object: &'d ast::Object<'a>,
    name: &str,
) -> Result<Option<&'d ast::Value<'a>>, EditError> {
    let mut found = object.properties.iter().filter(|prop| prop.name.as_str() == name);
    let first = found.next().map(|prop| &prop.value);
    match found.next() {
        Some(again) => {
            Err(doc.error(again.range.start, format!("`{name}` is there twice; keep one of the two")))
        }
        None => Ok(first),
    }
}

/// The text for a file without a value: as it is, plus one object.
fn whole_file(doc: &Doc, entries: &[Entry]) -> Vec<Insert> {
    let last = doc.pieces.last();
    let at = last.map_or(0, |piece| piece.range.end);
    let newline = doc.newline();
    let slot = Slot { unit: "  ".into(), indent: "  ".into(), newline, spread: true, ..Slot::default() };
    let mut text = if last.is_some() { newline.to_owned() } else { String::new() };
    text.push_str(&format!("{{{newline}  {}{newline}}}", slot.hooks_member(entries)));
    if !doc.slice(at..doc.body.len()).contains('\n') {
        text.push_str(newline);
    }
    vec![Insert { at, text }]
}

/// The end of a list or object, where new elements go, and the style they are written in.
#[derive(Clone, Default)]
struct Slot {
    open: usize,
    close: usize,
    last: Option<usize>,
    newline: &'static str,
    unit: String,
    indent: String,
    spread: bool,
    tight: bool,
}

impl Slot {
    fn of(doc: &Doc, container: Range<usize>, children: Vec<Range<usize>>) -> Self {
        let (open, close) = (container.start + 1, container.end.saturating_sub(1));
        let one_line = !doc.body.trim().contains('\n') && doc.pieces.len() > 2;
        let own_line = children.first().map(|first| doc.slice(open..first.start).contains('\n'));
        let lines = doc.slice(container.clone()).contains('\n');
        let object = doc.slice(container.start..open) == "{";
        let after_comment = doc.before(close).is_some_and(|piece| piece.kind == PieceKind::LineComment);
        let unit = doc.indent_unit();
        let indent = match children.first() {
            Some(first) if own_line == Some(true) => doc.indent_at(first.start).to_owned(),
            _ => format!("{}{unit}", doc.indent_at(container.start)),
        };
        Self {
            open,
            close,
            last: children.last().map(|child| child.end),
            newline: doc.newline(),
            unit: unit.to_owned(),
            indent,
            spread: own_line.unwrap_or(!one_line) || after_comment || (object && lines),
            tight: one_line && !doc.body.contains(": "),
        }
    }

    /// Appends elements: a comma after the last one, and the text after whatever comments follow it.
    fn append(&self, doc: &Doc, elements: &[String]) -> Vec<Insert> {
        let mut edits = Vec::new();
        let comma_there = self.last.is_some_and(|last| {
            doc.token_after(last)
                .is_some_and(|piece| piece.kind == PieceKind::Comma && piece.range.end <= self.close)
        });
        if let Some(last) = self.last.filter(|_| !comma_there) {
            edits.push(Insert { at: last, text: ",".into() });
        }
        let at = doc.before(self.close).map_or(self.open, |piece| piece.range.end);
        let (lead, between) = self.separators();
        let mut text = format!("{lead}{}", elements.join(&between));
        if comma_there {
            text.push(',');
        }
        if self.spread && self.last.is_none() && !doc.slice(at..self.close).contains('\n') {
            text.push_str(self.newline);
            text.push_str(doc.indent_at(self.open));
        }
        edits.push(Insert { at, text });
        edits
    }

    fn separators(&self) -> (String, String) {
        if self.spread {
            let line = format!("{}{}", self.newline, self.indent);
            return (line.clone(), format!(",{line}"));
        }
        let space = if self.tight { "" } else { " " };
        (if self.last.is_some() { space.to_owned() } else { String::new() }, format!(",{space}"))
    }

    fn hooks_member(&self, entries: &[Entry]) -> String {
        let inner = Slot { indent: format!("{}{}", self.indent, self.unit), last: None, ..self.clone() };
        let (lead, between) = inner.separators();
        let members: Vec<String> = entries.iter().map(|entry| inner.event_member(entry)).collect();
        let end = if self.spread { format!("{}{}", self.newline, self.indent) } else { String::new() };
        let colon = if self.tight { ":" } else { ": " };
        format!("\"{HOOKS}\"{colon}{{{lead}{}{end}}}", members.join(&between))
    }

    fn event_member(&self, entry: &Entry) -> String {
        let colon = if self.tight { ":" } else { ": " };
        format!("{}{colon}[{}]", compact(&entry.event.as_str().into()), self.json(&entry.group))
    }

    fn json(&self, value: &Value) -> String {
        if self.tight { compact(value) } else { spaced(value) }
    }
}

/// JSON on one line, with the spaces people put there.
pub(super) fn spaced(value: &Value) -> String {
    match value {
        Value::List(elements) => {
            format!("[{}]", elements.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        Value::Map(members) => {
            let member = |(key, value): &(String, Value)| {
                format!("{}: {}", compact(&key.as_str().into()), spaced(value))
            };
            if members.is_empty() {
                return "{}".to_owned();
            }
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        other => compact(other),
    }
}

fn compact(value: &Value) -> String {
    let mut text = String::new();
    tollgate_model::json::write(value, &mut text);
    text
}

fn apply(doc: &Doc, mut edits: Vec<Insert>, created: Vec<String>) -> Edited {
    edits.sort_by_key(|edit| edit.at);
    let mut text = doc.bom.to_owned();
    let mut inserted: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for edit in &edits {
        text.push_str(doc.slice(from..edit.at));
        inserted.push(text.len()..text.len() + edit.text.len());
        text.push_str(&edit.text);
        from = edit.at;
    }
    text.push_str(doc.slice(from..doc.body.len()));
    Edited { text, inserted, created }
}

/// The text with other text in these places, which do not overlap.
pub(super) fn replace(doc: &Doc, mut replacements: Vec<(Range<usize>, String)>) -> String {
    replacements.sort_by_key(|(range, _)| range.start);
    let mut text = doc.bom.to_owned();
    let mut from = 0;
    for (range, new) in &replacements {
        text.push_str(doc.slice(from..range.start));
        text.push_str(new);
        from = range.end;
    }
    text.push_str(doc.slice(from..doc.body.len()));
    text
}

fn is_new(handler: &Value, entries: &[Entry]) -> bool {
    entries.iter().any(|entry| {
        entry.group == *handler
            || entry
                .group
                .get(HOOKS)
                .and_then(Value::as_list)
                .is_some_and(|handlers| handlers.contains(handler))
    })
}

fn children<'a, T: jsonc_parser::common::Ranged + 'a>(list: &'a [T]) -> Vec<Range<usize>> {
    list.iter().map(|child| child.start()..child.end()).collect()
}

pub(super) fn span(range: &jsonc_parser::common::Range) -> Range<usize> {
    range.start..range.end
}

pub(super) fn value_span(value: &ast::Value) -> Range<usize> {
    use jsonc_parser::common::Ranged;
    value.start()..value.end()
}

fn start(value: &ast::Value) -> usize {
    value_span(value).start
}

fn kind(value: &ast::Value) -> &'static str {
    super::doc::to_value(value).type_name()
}
