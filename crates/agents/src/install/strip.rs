//! Takes our handlers out of a settings file by deleting text, and nothing else.

use super::doc::{Doc, EditError, Piece, PieceKind, to_value};
use super::edit::{HOOKS, UNSAFE_EDIT, span, value_span};
use jsonc_parser::ast;
use std::ops::Range;
use tollgate_model::json::Value;

/// What becomes of a group that is left empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Groups {
    /// It goes.
    #[default]
    Go,
    /// It stays, so that those after it keep their places.
    Stay,
}

/// Takes out every handler that `ours` says is ours, and the groups, events and `hooks` left empty by that.
/// With `created`, only the events and `hooks` named there.
///
/// # Errors
/// When the file is not JSON.
pub fn strip(
    text: &str,
    ours: &dyn Fn(&Value) -> bool,
    created: Option<&[String]>,
) -> Result<String, EditError> {
    take_out(text, ours, created, Groups::Go)
}

/// Takes out every handler that `ours` says is ours, and at most the groups left empty by that.
///
/// # Errors
/// When the file is not JSON.
pub(super) fn clear(text: &str, ours: &dyn Fn(&Value) -> bool, groups: Groups) -> Result<String, EditError> {
    take_out(text, ours, Some(&[]), groups)
}

fn take_out(
    text: &str,
    ours: &dyn Fn(&Value) -> bool,
    created: Option<&[String]>,
    groups: Groups,
) -> Result<String, EditError> {
    let before = Doc::parse(text)?.value();
    let mut text = text.to_owned();
    let mut touched = Vec::new();
    while let Some((shorter, event)) = strip_one(&text, ours, groups)? {
        text = shorter;
        touched.push(event);
    }
    if !touched.is_empty() {
        touched.push(HOOKS.to_owned());
    }
    let may_go =
        |name: &str| touched.iter().any(|t| t == name) && created.is_none_or(|c| c.iter().any(|n| n == name));
    while let Some(shorter) = strip_empty(&text, &may_go)? {
        text = shorter;
    }
    let doc = Doc::parse(&text)?;
    if without(&before, ours, groups) == without(&doc.value(), &|_| false, groups) {
        Ok(text)
    } else {
        Err(doc.error(0, UNSAFE_EDIT))
    }
}

/// Takes out the first group that is all ours, or the first handler of ours in a shared group.
fn strip_one(
    text: &str,
    ours: &dyn Fn(&Value) -> bool,
    groups: Groups,
) -> Result<Option<(String, String)>, EditError> {
    let doc = Doc::parse(text)?;
    for (event, list) in event_lists(&doc) {
        for group in &list.elements {
            let Some(handlers) = group.as_object().and_then(|group| group.get_array(HOOKS)) else {
                if ours(&to_value(group)) {
                    return Ok(Some((remove(&doc, span(&list.range), value_span(group)), event)));
                }
                continue;
            };
            let mine = |handler: &ast::Value| ours(&to_value(handler));
            let Some(first) = handlers.elements.iter().find(|handler| mine(handler)) else { continue };
            let shorter = if groups == Groups::Go && handlers.elements.iter().all(mine) {
                remove(&doc, span(&list.range), value_span(group))
            } else {
                remove(&doc, span(&handlers.range), value_span(first))
            };
            return Ok(Some((shorter, event)));
        }
    }
    Ok(None)
}

/// Takes out one bare event, or a bare `hooks`, that may go.
fn strip_empty(text: &str, may_go: &dyn Fn(&str) -> bool) -> Result<Option<String>, EditError> {
    let doc = Doc::parse(text)?;
    let Some(ast::Value::Object(root)) = &doc.root else { return Ok(None) };
    for prop in root.properties.iter().filter(|prop| prop.name.as_str() == HOOKS) {
        let ast::Value::Object(hooks) = &prop.value else { continue };
        let empty = hooks.properties.iter().find(|event| {
            may_go(event.name.as_str())
                && event.value.as_array().is_some_and(|list| is_bare(&doc, &list.range))
        });
        if let Some(event) = empty {
            return Ok(Some(remove(&doc, span(&hooks.range), span(&event.range))));
        }
        if may_go(HOOKS) && is_bare(&doc, &hooks.range) {
            return Ok(Some(remove(&doc, span(&root.range), span(&prop.range))));
        }
    }
    Ok(None)
}

/// Is there nothing between these brackets? A comment is something: a person wrote it.
fn is_bare(doc: &Doc, container: &jsonc_parser::common::Range) -> bool {
    doc.slice(container.start + 1..container.end.saturating_sub(1)).trim().is_empty()
}

fn event_lists<'a, 'd>(doc: &'d Doc<'a>) -> Vec<(String, &'d ast::Array<'a>)> {
    let Some(ast::Value::Object(root)) = &doc.root else { return Vec::new() };
    let hooks = root.properties.iter().filter(|prop| prop.name.as_str() == HOOKS);
    let events = hooks.filter_map(|prop| prop.value.as_object()).flat_map(|hooks| &hooks.properties);
    events.filter_map(|event| Some((event.name.as_str().to_owned(), event.value.as_array()?))).collect()
}

/// Deletes one element with the comma and the white space that came with it.
fn remove(doc: &Doc, container: Range<usize>, child: Range<usize>) -> String {
    let after = doc.token_after(child.end).filter(|piece| piece.kind == PieceKind::Comma);
    let before = doc.token_before(child.start).filter(|piece| piece.kind == PieceKind::Comma);
    let comma = after.or(before).map_or(child.end..child.end, |piece| piece.range.clone());
    let end = after.map_or(child.end, |piece| piece.range.end);
    let from = match doc.before(child.start) {
        Some(piece) if !swallows(doc, piece, end) => piece.range.end,
        _ => child.start,
    };
    let gone = [from..child.end, comma];
    let (open, close) = (container.start + 1, container.end.saturating_sub(1));
    let empty =
        doc.pieces.iter().filter(|p| open <= p.range.start && p.range.end <= close).all(|p| inside(p, &gone));
    delete(doc, if empty { [open..close, close..close] } else { gone })
}

/// Would a line comment that comes before swallow what follows on the deleted element's line?
fn swallows(doc: &Doc, before: &Piece, end: usize) -> bool {
    let rest = doc.slice(end..doc.body.len());
    let line = rest.split(['\n', '\r']).next().unwrap_or("");
    before.kind == PieceKind::LineComment && !line.trim().is_empty()
}

fn inside(piece: &Piece, gone: &[Range<usize>]) -> bool {
    gone.iter().any(|range| range.start <= piece.range.start && piece.range.end <= range.end)
}

fn delete(doc: &Doc, mut gone: [Range<usize>; 2]) -> String {
    gone.sort_by_key(|range| range.start);
    let mut text = doc.bom.to_owned();
    let mut from = 0;
    for range in gone {
        text.push_str(doc.slice(from..range.start.max(from)));
        from = from.max(range.end);
    }
    text.push_str(doc.slice(from..doc.body.len()));
    text
}

/// The settings without the handlers that are ours and without empty containers around hooks: what must be
/// the same before and after an edit.
pub(super) fn without(settings: &Value, ours: &dyn Fn(&Value) -> bool, groups: Groups) -> Value {
    let Value::Map(members) = settings else { return Value::Map(Vec::new()) };
    let keep = |(name, value): &(String, Value)| {
        if name != HOOKS {
            return Some((name.clone(), value.clone()));
        }
        let Value::Map(events) = value else { return Some((name.clone(), value.clone())) };
        let events: Vec<_> =
            events.iter().filter_map(|(event, list)| event_without(event, list, ours, groups)).collect();
        (!events.is_empty()).then(|| (name.clone(), Value::Map(events)))
    };
    Value::Map(members.iter().filter_map(keep).collect())
}

fn event_without(
    event: &str,
    list: &Value,
    ours: &dyn Fn(&Value) -> bool,
    groups: Groups,
) -> Option<(String, Value)> {
    let Value::List(all) = list else { return Some((event.to_owned(), list.clone())) };
    let kept: Vec<Value> = all.iter().filter_map(|group| group_without(group, ours, groups)).collect();
    (!kept.is_empty()).then(|| (event.to_owned(), Value::List(kept)))
}

fn group_without(group: &Value, ours: &dyn Fn(&Value) -> bool, groups: Groups) -> Option<Value> {
    let Some(handlers) = group.get(HOOKS).and_then(Value::as_list) else {
        return (!ours(group)).then(|| group.clone());
    };
    let kept: Vec<Value> = handlers.iter().filter(|handler| !ours(handler)).cloned().collect();
    if groups == Groups::Go && kept.is_empty() && !handlers.is_empty() {
        return None;
    }
    let swap = |(name, value): &(String, Value)| {
        (name.clone(), if name == HOOKS { Value::List(kept.clone()) } else { value.clone() })
    };
    group.as_map().map(|members| Value::Map(members.iter().map(swap).collect()))
}
