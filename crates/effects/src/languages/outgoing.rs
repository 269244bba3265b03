//! What goes out of a program: the environment in it, and what it is made of.

use std::rc::Rc;

use tollgate_shell::value::{Piece, Text, Value};

use super::ops::ENVIRONMENT;
use super::value::{Args, Val};

/// What is not known of the arguments is still in what they are written down as.
pub(super) fn encoded(name: &str, args: &Args) -> Val {
    let mut text = Text::default();
    args.all().for_each(|value| holes(value, &mut text));
    if text.pieces.is_empty() {
        return Val::object(name, args.clone());
    }
    Val::Text(Value::of([text], args.taint()))
}

fn holes(value: &Val, found: &mut Text) {
    match value {
        Val::Text(text) => {
            let pieces = text.any.iter().take(4).flat_map(|text| &text.pieces);
            let unknown = pieces.filter(|piece| matches!(piece, Piece::Hole(_)));
            unknown.take(16).for_each(|piece| found.push(piece.clone()));
        }
        Val::List(list) => list.items.iter().take(16).for_each(|value| holes(value, found)),
        Val::Table(table) => table.entries.iter().take(16).for_each(|(_, value)| holes(value, found)),
        _ => {}
    }
}

/// The value, with the environment read where it is in it.
pub(super) fn with_environment(value: &Val) -> Val {
    match value {
        Val::Name(name) if &**name == "$ENV" => Val::Unknown(ENVIRONMENT),
        Val::List(list) => {
            let items = list.items.iter().map(with_environment).collect();
            if list.open { Val::many(items) } else { Val::list(items) }
        }
        Val::Table(table) => {
            let entries = table.entries.iter();
            Val::table(entries.map(|(key, value)| (Rc::clone(key), with_environment(value))).collect())
        }
        other => other.clone(),
    }
}

/// The whole environment is in it somewhere.
pub(super) fn holds_environment(value: &Val) -> bool {
    match value {
        Val::Name(name) => &**name == "$ENV",
        Val::List(list) => list.items.iter().any(holds_environment),
        Val::Table(table) => table.entries.iter().any(|(_, value)| holds_environment(value)),
        _ => false,
    }
}
