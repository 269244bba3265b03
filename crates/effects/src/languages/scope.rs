//! Variables of a program. Branches are run one after the other from the same start, and their outcomes joined.

use std::collections::HashMap;
use std::rc::Rc;

use super::value::Val;

/// Variables, and what they were before the branches being run.
#[derive(Debug, Default)]
pub(super) struct Scope {
    vars: HashMap<Rc<str>, Val>,
    journals: Vec<Vec<(Rc<str>, Option<Val>)>>,
}

/// What a branch changed: the values at its end, `None` for what it has unset.
pub(super) type Changes = HashMap<Rc<str>, Option<Val>>;

impl Scope {
    pub fn get(&self, name: &str) -> Option<&Val> {
        self.vars.get(name)
    }

    pub fn set(&mut self, name: &str, value: Val) {
        let name: Rc<str> = Rc::from(name);
        let before = self.vars.insert(Rc::clone(&name), value);
        if let Some(journal) = self.journals.last_mut() {
            journal.push((name, before));
        }
    }

    /// A branch begins.
    pub fn open(&mut self) {
        self.journals.push(Vec::new());
    }

    /// A branch ends: everything is again as it was before it.
    pub fn close(&mut self) -> Changes {
        let mut changes = Changes::new();
        for (name, before) in self.journals.pop().unwrap_or_default().into_iter().rev() {
            let now = match before {
                Some(before) => self.vars.insert(Rc::clone(&name), before),
                None => self.vars.remove(&name),
            };
            changes.entry(name).or_insert(now);
        }
        changes
    }

    /// Goes on after branches of which one was taken, or maybe none.
    pub fn join(&mut self, branches: Vec<Changes>, maybe_none: bool) {
        let names: Vec<Rc<str>> = branches.iter().flat_map(|changes| changes.keys().cloned()).collect();
        let mut names: Vec<Rc<str>> = names;
        names.sort_unstable();
        names.dedup();
        for name in names {
            let before = self.vars.get(&name).cloned();
            let ends = branches.iter().map(|changes| match changes.get(&name) {
                Some(end) => end.clone(),
                None => before.clone(),
            });
            let start = if maybe_none { before.clone() } else { None };
            let joined = ends.fold(start, |all, end| match (all, end) {
                (Some(left), Some(right)) => Some(left.union(&right)),
                (left, right) => left.or(right),
            });
            if let Some(value) = joined {
                self.set(&name, value);
            }
        }
    }
}
