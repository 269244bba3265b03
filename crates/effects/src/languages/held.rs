//! What objects hold: what is put into them after they were made. A letter gets its text, an archive its files, a
//! request its headers, and what an object was made with gets it too: an archive writes to its buffer.

use std::cell::{Cell, RefCell};

use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Value};

use super::value::{Args, Object, Val};
use crate::analyst::taint;

/// The most values that an object keeps.
const KEPT: usize = 16;

/// The most values that are looked at in one.
const LOOKED: usize = 256;

/// What went into an object.
#[derive(Debug, Default)]
pub(super) struct Held {
    values: RefCell<Vec<Val>>,
    marks: Cell<Taint>,
    wired: Cell<bool>,
}

impl Held {
    pub fn marks(&self) -> Taint {
        self.marks.get()
    }

    pub fn values(&self) -> Vec<Val> {
        self.values.borrow().clone()
    }

    fn put(&self, value: &Val) {
        self.marks.set(self.marks.get().union(value.taint()));
        let mut values = self.values.borrow_mut();
        if values.len() < KEPT {
            values.push(value.clone());
        }
    }
}

impl Val {
    /// Puts what tells something into the object. Is it led into a connection, which what goes in leaves by?
    pub fn hold(&self, args: &Args) -> bool {
        let mut told = Vec::new();
        let mut left = LOOKED;
        args.all().for_each(|value| telling(value, &mut told, &mut left));
        !told.is_empty() && self.take_in(&told, &mut LOOKED.clone())
    }

    fn take_in(&self, told: &[Val], left: &mut usize) -> bool {
        let Val::Object(object) = self else { return false };
        if *left == 0 {
            return false;
        }
        *left -= 1;
        told.iter().for_each(|value| object.held.put(value));
        let wired = object.args.all().filter(|arg| arg.take_in(told, left)).count() > 0;
        wired || object.held.wired.get()
    }

    /// What goes into the object from now on leaves.
    pub fn wire(&self) {
        if let Val::Object(object) = self {
            object.held.wired.set(true);
        }
    }

    /// Is a part of it what a file holds, a secret, or a variable of the environment?
    pub fn tells(&self) -> bool {
        let mut told = Vec::new();
        telling(self, &mut told, &mut LOOKED.clone());
        !told.is_empty()
    }
}

/// The parts of a value that tell something.
fn telling(value: &Val, told: &mut Vec<Val>, left: &mut usize) {
    if *left == 0 || told.len() >= KEPT {
        return;
    }
    *left -= 1;
    match value {
        Val::Text(text) if is_telling(text.taint) || names_variable(text) => told.push(value.clone()),
        Val::Unknown(marks) if is_telling(*marks) => told.push(value.clone()),
        Val::File(file) if is_telling(file.content.taint) => told.push(Val::Text(file.content.clone())),
        Val::Name(name) if &**name == "$ENV" => told.push(Val::Unknown(super::ops::ENVIRONMENT)),
        Val::List(list) => list.items.iter().for_each(|item| telling(item, told, left)),
        Val::Table(table) => table.entries.iter().for_each(|(_, item)| telling(item, told, left)),
        Val::Object(object) => of_object(object, told, left),
        _ => {}
    }
}

fn of_object(object: &Object, told: &mut Vec<Val>, left: &mut usize) {
    object.args.all().for_each(|arg| telling(arg, told, left));
    told.extend(object.held.values());
}

fn is_telling(marks: Taint) -> bool {
    taint::has(marks, taint::FILE) || taint::has(marks, taint::SECRET)
}

fn names_variable(text: &Value) -> bool {
    let is_variable =
        |piece: &Piece| matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(_), .. }));
    text.any.iter().take(4).flat_map(|text| &text.pieces).any(is_variable)
}
