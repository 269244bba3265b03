//! Blocks and functions that declare variables of their own: a name in one of them is not the same name outside.

use std::ops::Range;
use std::rc::Rc;

use super::classes::is_same;
use super::machine::Machine;
use super::scope::{Changes, Declared, bare};
use super::token::Tok;
use super::value::{Args, Function, Val};

/// A variable that one is a reference to, by its name.
pub(super) const REFERENCE: &str = "\\";

impl Machine<'_, '_, '_> {
    /// Runs a block with variables of its own. Functions that are made in it go on knowing them.
    pub fn scoped<R>(&mut self, action: impl FnOnce(&mut Self) -> R) -> R {
        let made = self.functions.len();
        self.scope.enter_frame(false);
        let result = action(self);
        let declared = self.scope.leave_frame();
        self.keep_block(made, &declared);
        for (name, before) in declared.into_iter().rev() {
            if let Some(before) = before {
                self.scope.set_whole(name, before);
            }
        }
        result
    }

    fn keep_block(&mut self, made: usize, declared: &Declared) {
        // What is called meanwhile makes functions that are not of this block.
        let is_of_block = |function: &&Rc<Function>| {
            let captured = function.captured.borrow();
            match (&captured.owner, self.active.last()) {
                (Some(owner), Some(active)) => Rc::ptr_eq(owner, active),
                (None, None) => captured.space == self.scope.space(),
                _ => false,
            }
        };
        let functions: Vec<Rc<Function>> =
            self.functions.get(made..).unwrap_or_default().iter().filter(is_of_block).cloned().collect();
        if !self.burn(functions.len() * declared.len() / 4) {
            return;
        }
        for (name, _) in declared {
            let Some(value) = self.scope.get_whole(name).cloned() else { continue };
            functions.iter().for_each(|function| function.captured.borrow_mut().keep(name, &value));
        }
    }

    /// The variables that a pattern names are declared.
    pub fn declare_names(&mut self, pattern: Range<usize>, of_function: bool) {
        let tokens = Rc::clone(&self.tokens);
        for token in tokens.get(pattern).unwrap_or_default() {
            match &token.tok {
                Tok::Name(name) => self.scope.declare(name, of_function),
                Tok::Var(sign, name) => self.scope.declare(&format!("{sign}{name}"), of_function),
                _ => {}
            }
        }
    }

    /// What a function has changed of variables that it keeps of the blocks around it is so for all that keep them.
    pub fn share_kept(&mut self, function: &Rc<Function>, changes: &Changes) {
        let kept = function.captured.borrow().blocks.clone();
        for (name, before) in kept {
            let Some(Some(end)) = changes.get(&name) else { continue };
            if is_same(end, &before) || end.literal().is_some() && end.literal() == before.literal() {
                continue;
            }
            self.burn(self.functions.len() / 4);
            for other in &self.functions {
                for (known, value) in &mut other.captured.borrow_mut().blocks {
                    if *known == name {
                        *value = value.union(end);
                    }
                }
            }
        }
    }

    /// A loop whose variable is the item itself has changed the list: what it left there stands in it.
    pub fn aliased_items(&mut self, place: &str, list: &Val, ends: Vec<Val>) {
        let Val::List(known) = list else {
            let any = ends.into_iter().reduce(|all, end| all.union(&end)).unwrap_or_default();
            return self.scope.set(place, list.union(&any));
        };
        let new = match !known.open && ends.len() == known.items.len() {
            true => Val::list(ends),
            false => Val::many(known.items.iter().cloned().chain(ends).collect()),
        };
        self.changed_place(place, list, new);
    }

    /// A list or a table that stands in a place is changed, and so is what the place is a part of.
    pub fn changed_place(&mut self, place: &str, old: &Val, new: Val) {
        self.scope.change(place, old, new.clone());
        if let Some((owner, part)) = place.rsplit_once('.').filter(|(owner, _)| !owner.starts_with('#')) {
            self.put_in_part(owner, part, &new);
        }
    }

    /// A reference to an item of a list or a table; a list or a table is one itself.
    pub fn reference_to_part(&mut self, value: Val) -> Val {
        let place = self.place.take();
        match place.filter(|place| place.contains('.') && matches!(value, Val::Text(_) | Val::Unknown(_))) {
            Some(place) => {
                let target = self.scope.whole(&place).into_owned();
                Val::object(REFERENCE, Args::of(vec![Val::text(&target), value]))
            }
            None => value,
        }
    }

    /// The value, or what the variable holds that it is a reference to.
    pub fn dereferenced(&mut self, value: Val) -> Val {
        // A list of one may stand for that one.
        let one = match &value {
            Val::List(list) if !list.open && list.items.len() == 1 => list.items.first(),
            other => Some(other),
        };
        let target = match one {
            Some(Val::Object(object)) if &*object.class == REFERENCE => {
                object.args.literal(0).map(|target| (target, object.args.at(1, &[])))
            }
            _ => None,
        };
        match target {
            Some((target, first)) => {
                let held = self.scope.get_whole(&target).cloned().unwrap_or(first);
                self.place = Some(Rc::from(bare(&target)));
                held
            }
            None => value,
        }
    }
}
