//! Values made of data: encodings, JSON, lists side by side, parts of texts and paths.

use std::rc::Rc;

use tollgate_model::json::{Value as Json, parse};
use tollgate_shell::value::{HoleSource, Taint, Value};

use super::pure::{Pure, apply, first, flat_list, join_paths, made, parent};
use super::text::{characters, each_text, rot13, text_of, unpercent, vague};
use super::value::{Args, Val, is_listing};
use crate::analyst::taint;
use crate::encodings;

/// The most rows of lists side by side that are told apart.
const ROWS: usize = 256;

pub(super) fn zip(args: &Args) -> Val {
    let lists: Option<Vec<_>> = args
        .list
        .iter()
        .map(|value| match value {
            Val::List(list) if !list.open => Some(Rc::clone(list)),
            _ => None,
        })
        .collect();
    let Some(lists) = lists else {
        return Val::many(vec![Val::list(args.list.iter().map(Val::item).collect())]);
    };
    let length = lists.iter().map(|list| list.items.len()).min().unwrap_or_default();
    if length > ROWS {
        return Val::many(vec![Val::list(args.list.iter().map(Val::item).collect())]);
    }
    let row = |at: usize| Val::list(lists.iter().filter_map(|list| list.items.get(at).cloned()).collect());
    Val::list((0..length).map(row).collect())
}

/// Another name in the folder of a path: what `kept` leaves of the old one, then the argument.
pub(super) fn beside_path(args: &Args, kept: impl Fn(&str) -> String) -> Val {
    let Some(end) = args.literal(1) else { return vague(&args.at(0, &[]), args.taint()) };
    let whole = args.at(0, &[]);
    // Which of the names it is, is not known, but the folder is.
    if let Val::Text(text) = &whole
        && is_listing(text)
    {
        let name = Value::something(HoleSource::Input).concat(&Value::text(&end));
        return Val::Text(join_paths(&[parent(text), name]).with_taint(text.taint));
    }
    each_text(&whole, |path| match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{}{end}", kept(name)),
        None => format!("{}{end}", kept(path)),
    })
}

pub(super) fn partition(args: &Args) -> Val {
    let (Some(text), Some(mark)) = (args.literal(0), args.literal(1)) else {
        return Val::many(vec![Val::Unknown(args.taint())]);
    };
    let marked = |part: &str| Val::Text(Value::text(part).with_taint(args.taint()));
    let (before, after) = text.split_once(&*mark).unwrap_or((&text, ""));
    Val::list(vec![marked(before), marked(&mark), marked(after)])
}

/// What a text of JSON says, or what is known of it.
pub(super) fn json(args: &Args) -> Val {
    let content = match args.get(0) {
        Some(Val::File(file)) => Val::Text(file.content.clone()),
        other => other.cloned().unwrap_or_default(),
    };
    let known = content.literal().filter(|text| text.len() < 1 << 16);
    match known.and_then(|text| parse(text.as_bytes()).ok()) {
        Some(value) => of_json(&value, content.taint(), 8),
        None => Val::Unknown(content.taint()),
    }
}

fn of_json(value: &Json, marks: Taint, depth: u32) -> Val {
    let Some(depth) = depth.checked_sub(1) else { return Val::Unknown(marks) };
    match value {
        Json::String(text) => Val::Text(Value::text(text).with_taint(marks)),
        Json::List(items) => Val::list(items.iter().map(|item| of_json(item, marks, depth)).collect()),
        Json::Map(entries) => Val::table(
            entries.iter().map(|(key, item)| (Rc::from(key.as_str()), of_json(item, marks, depth))).collect(),
        ),
        _ => Val::Unknown(marks),
    }
}

/// Functions that undo an encoding.
pub(super) fn codes(what: Pure, args: &Args) -> Option<Val> {
    let marks = args.taint();
    let known = args.literal(0);
    Some(match what {
        Pure::Base64 => decoded(known.as_deref().and_then(encodings::from_base64), args),
        Pure::Hex => decoded(known.as_deref().and_then(encodings::from_hex), args),
        Pure::Rot13 => made(known.map(|text| text.chars().map(rot13).collect()), args),
        Pure::Codec => match args.literal(1).unwrap_or_default().replace('_', "").as_str() {
            "rot13" | "rot-13" => apply(Pure::Rot13, args),
            "base64" => apply(Pure::Base64, args),
            "hex" | "hexcodec" => apply(Pure::Hex, args),
            "utf-8" | "utf8" | "ascii" | "" => first(args),
            _ => Val::Unknown(marks.union(taint::DECODED)),
        },
        Pure::Percent => made(known.map(|text| unpercent(&text)), args),
        Pure::Unpacked => Val::Unknown(marks.union(taint::DECODED)),
        Pure::Pack => match args.literal(1).unwrap_or_default().chars().next() {
            Some('c' | 'C' | 'U' | 'W') => made(characters(&Args::of(vec![first(args)])), args),
            Some('H') => apply(Pure::Hex, &Args::of(first(args).items())),
            _ => Val::Unknown(marks.union(taint::DECODED)),
        },
        Pure::Unpack => Val::list(vec![apply(Pure::UnpackOne, args)]),
        Pure::UnpackOne => match args.literal(1).unwrap_or_default().chars().next() {
            Some('m') => apply(Pure::Base64, &Args::of(vec![first(args)])),
            Some('a' | 'A') => first(args),
            _ => Val::Unknown(marks.union(taint::DECODED)),
        },
        Pure::PackFirst => match args.literal(0).unwrap_or_default().chars().next() {
            Some('H') => apply(Pure::Hex, &args.skip(1)),
            _ => apply(Pure::Pack, &Args::of(vec![flat_list(args, 1), args.at(0, &[])])),
        },
        Pure::UnpackFirst => match args.literal(0).unwrap_or_default().chars().next() {
            // `unpack "u"` is another encoding.
            Some('u' | 'm') => Val::Unknown(marks.union(taint::DECODED)),
            _ => Val::Unknown(marks),
        },
        Pure::Buffer => match (args.get(0), args.literal(1).as_deref()) {
            (Some(Val::List(_)), _) => made(characters(args), args),
            (_, Some("base64" | "base64url")) => apply(Pure::Base64, args),
            (_, Some("hex")) => apply(Pure::Hex, args),
            _ => first(args),
        },
        _ => return None,
    })
}

/// What was decoded, or the mark that something was.
fn decoded(bytes: Option<Vec<u8>>, args: &Args) -> Val {
    let marks = args.taint();
    match bytes.and_then(text_of) {
        Some(text) => Val::Text(Value::text(&text).with_taint(marks)),
        None => Val::Unknown(marks.union(taint::DECODED)),
    }
}

/// Tables, or lists, in one.
pub(super) fn merge(args: &Args) -> Val {
    let tables = args.list.iter().filter_map(|value| match value {
        Val::Table(table) => Some(table.entries.clone()),
        _ => None,
    });
    let mut entries: Vec<_> = tables.flatten().collect();
    entries.extend(args.named.iter().cloned());
    let lists: Vec<Val> =
        args.list.iter().filter(|value| matches!(value, Val::List(_))).flat_map(Val::items).collect();
    if args.list.iter().any(|value| matches!(value, Val::Unknown(_) | Val::Object(_))) {
        return Val::Unknown(args.taint());
    }
    if lists.is_empty() { Val::table(entries) } else { Val::list(lists) }
}

/// A name and its value.
pub(super) fn pair(value: &Val) -> Option<(Rc<str>, Val)> {
    match value {
        Val::List(list) => Some((Rc::from(list.items.first()?.literal()?), list.items.get(1)?.clone())),
        _ => None,
    }
}
