//! Variables of a program. Branches are run one after the other from the same start, and their outcomes joined.

use std::collections::HashMap;
use std::rc::Rc;

use super::classes::is_same;
use super::value::Val;

/// Stands before the name of a variable that a function says is not its own.
pub(super) const OUTER: char = '^';

/// The most changes in place that are kept for the end of the functions being run.
const CHANGED: usize = 128;

/// Variables, and what they were before the branches being run.
#[derive(Debug, Default)]
pub(super) struct Scope {
    vars: HashMap<Rc<str>, Val>,
    journals: Vec<Vec<(Rc<str>, Option<Val>)>>,
    /// Lists and tables that were changed in place: what they were, and what they are.
    changed: Vec<(Val, Val)>,
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

    /// A list or a table that a variable holds is changed in place: all variables that hold it see that.
    pub fn change(&mut self, place: &str, old: &Val, new: Val) {
        if self.changed.len() < CHANGED && !self.journals.is_empty() {
            self.changed.push((old.clone(), new.clone()));
        }
        if is_shared(old) {
            self.replace(old, &new);
        }
        self.set(place, new);
    }

    /// How much was changed in place up to now.
    pub fn mark(&self) -> usize {
        self.changed.len()
    }

    /// Changes in place since then outlive a function that has ended. Returns how much work that was.
    pub fn replay(&mut self, from: usize, outermost: bool) -> usize {
        let changed: Vec<(Val, Val)> = self.changed.get(from..).unwrap_or_default().to_vec();
        for (old, new) in &changed {
            self.replace(old, new);
        }
        if outermost {
            self.changed.clear();
        }
        changed.len() * self.vars.len() / 4
    }

    fn replace(&mut self, old: &Val, new: &Val) {
        let holding: Vec<(Rc<str>, Val)> = self
            .vars
            .iter()
            .filter_map(|(name, value)| Some((Rc::clone(name), exchanged(value, old, new)?)))
            .collect();
        for (name, value) in holding {
            self.set(&name, value);
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

/// Does more than one variable hold it? One is who asks.
fn is_shared(value: &Val) -> bool {
    match value {
        Val::List(list) => Rc::strong_count(list) > 2,
        Val::Table(table) => Rc::strong_count(table) > 2,
        _ => false,
    }
}

/// The value with another in the place of one that it is, or that is a part of it.
fn exchanged(value: &Val, old: &Val, new: &Val) -> Option<Val> {
    if is_same(value, old) {
        return Some(new.clone());
    }
    match value {
        Val::Table(table) if table.entries.iter().any(|(_, entry)| is_same(entry, old)) => {
            let swap = |entry: &Val| if is_same(entry, old) { new.clone() } else { entry.clone() };
            Some(Val::table(
                table.entries.iter().map(|(name, entry)| (Rc::clone(name), swap(entry))).collect(),
            ))
        }
        _ => None,
    }
}
