//! Values as others are told of them.

use std::rc::Rc;

use super::Machine;
use super::value::{Args, Val};
use crate::facts::{Arguments, Data};

/// How deep values are told.
const DEPTH: u32 = 6;

/// The most parts of one value, and of the arguments of a call.
const PARTS: usize = 200;

impl Machine<'_> {
    pub(super) fn arguments(&self, args: &Args) -> Arguments {
        let mut left = PARTS;
        Arguments {
            list: args.list.iter().map(|value| self.data_of(value, DEPTH, &mut left)).collect(),
            named: args
                .named
                .iter()
                .map(|(name, value)| (Rc::clone(name), self.data_of(value, DEPTH, &mut left)))
                .collect(),
        }
    }

    pub(super) fn data(&self, value: &Val) -> Data {
        self.data_of(value, DEPTH, &mut PARTS.clone())
    }

    fn data_of(&self, value: &Val, depth: u32, left: &mut usize) -> Data {
        if depth == 0 || *left == 0 {
            return Data::Unknown(self.store.taint(value));
        }
        *left -= 1;
        match value {
            Val::Text(text) => Data::Text(text.clone()),
            Val::Int(number) => Data::Int(*number),
            Val::Bool(truth) => Data::Bool(*truth),
            Val::Nothing => Data::Nothing,
            Val::Name(name) => Data::Name(Rc::clone(name)),
            Val::List(_) => {
                let items = self.store.items(value).unwrap_or_default();
                let told =
                    items.items.iter().take(64).map(|item| self.data_of(item, depth - 1, left)).collect();
                Data::List(told, items.open || items.items.len() > 64)
            }
            Val::Table(_) | Val::Object(_) => {
                let entries = self.store.entries(value).unwrap_or_default();
                let each = entries.entries.iter().take(64);
                let others = entries.others.iter().map(|other| (Rc::from("?"), other.clone()));
                let all: Vec<(Rc<str>, Val)> = each.cloned().chain(others).collect();
                Data::Table(
                    all.iter()
                        .map(|(name, entry)| (Rc::clone(name), self.data_of(entry, depth - 1, left)))
                        .collect(),
                )
            }
            Val::Made(made) => {
                let list = made.args.list.iter().map(|value| self.data_of(value, depth - 1, left)).collect();
                let named = made
                    .args
                    .named
                    .iter()
                    .map(|(name, value)| (Rc::clone(name), self.data_of(value, depth - 1, left)));
                let mut named: Vec<(Rc<str>, Data)> = named.collect();
                let held = made.held.borrow();
                if !held.is_empty() {
                    let held =
                        held.iter().take(64).map(|value| self.data_of(value, depth - 1, left)).collect();
                    named.push((Rc::from(crate::facts::HELD), Data::List(held, false)));
                }
                let args = Arguments { list, named };
                Data::Made(Rc::clone(&made.name), args)
            }
            Val::File(file) => Data::Text(self.content(file)),
            Val::Process(process) => Data::Text(process.printed.clone()),
            Val::Function(_) | Val::Partial(_) | Val::Class(_) | Val::Module(_) => Data::Code,
            Val::Any(_) | Val::Unknown(_) => Data::Unknown(self.store.taint(value)),
        }
    }
}
