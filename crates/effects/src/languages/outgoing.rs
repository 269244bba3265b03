//! What goes out of a program: the environment in it, and what it is made of.

use std::rc::Rc;

use tollgate_shell::value::{Piece, Text, Value};

use super::machine::Machine;
use super::ops::{ENVIRONMENT, Op};
use super::value::{Args, Val};

impl Machine<'_, '_, '_> {
    /// An option of a request is set: the request, the option's name, its value.
    pub fn request_option(&mut self, args: &Args) -> Val {
        let name = match args.get(1) {
            Some(Val::Name(name)) => name.to_string(),
            Some(Val::Object(object)) => object.class.to_string(),
            _ => return Val::unknown(),
        };
        let option = name.rsplit(['.', '_']).next().unwrap_or_default();
        match option {
            "URL" => self.network(Op::Fetch, &args.skip(2)),
            "POSTFIELDS" | "COPYPOSTFIELDS" | "INFILE" | "HTTPPOST" | "READDATA" | "MIMEPOST" => {
                self.send_to_peer("send", args.skip(2))
            }
            _ => {
                self.send_headers(args.skip(2).list);
                Val::unknown()
            }
        }
    }

    /// The same for a table of options.
    pub fn request_options(&mut self, args: &Args) -> Val {
        let options = match args.get(1) {
            Some(Val::Table(table)) => table.entries.clone(),
            _ => args.named.clone(),
        };
        for (name, value) in options {
            self.request_option(&Args::of(vec![args.at(0, &[]), Val::Name(name), value]));
        }
        args.at(0, &[])
    }
}

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
