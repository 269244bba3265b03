//! Variables of a program. Branches are run one after the other from the same start, and their outcomes joined.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::classes::is_same;
use super::value::Val;

/// Stands before the name of a variable that a function says is not its own.
pub(super) const OUTER: char = '^';

/// Stands around the number of the module that a variable is of.
const SPACE: char = '\u{1}';

/// The most variables that stand for others.
const ALIASES: usize = 64;

/// The most values in one another that a change in place is looked for in.
const NESTED: u32 = 4;

/// The most changes in place that are kept for the end of the functions being run.
const CHANGED: usize = 128;

/// Variables, and what they were before the branches being run.
#[derive(Debug, Default)]
pub(super) struct Scope {
    vars: HashMap<Rc<str>, Val>,
    journals: Vec<Vec<(Rc<str>, Option<Val>)>>,
    /// Lists and tables that were changed in place: what they were, and what they are.
    changed: Vec<(Val, Val)>,
    /// How many variables were gone through, and not yet paid for.
    work: usize,
    /// What the names begin with that are of the module being run; nothing for those of the program itself.
    space: Rc<str>,
    spaces: u32,
    frames: Vec<Frame>,
    /// Variables that are others by another name.
    aliases: Vec<(Rc<str>, Rc<str>)>,
}

/// A block or a function, and the variables that it has declared: what they were outside.
#[derive(Debug)]
struct Frame {
    is_function: bool,
    declared: Declared,
}

/// Variables by their whole names, and what they were before they were declared.
pub(super) type Declared = Vec<(Rc<str>, Option<Val>)>;

/// What a branch changed: the values at its end, `None` for what it has unset.
pub(super) type Changes = HashMap<Rc<str>, Option<Val>>;

impl Scope {
    pub fn get(&self, name: &str) -> Option<&Val> {
        self.vars.get(&*self.whole(name))
    }

    pub fn set(&mut self, name: &str, value: Val) {
        let name: Rc<str> = Rc::from(self.whole(name));
        self.set_whole(name, value);
    }

    /// What a variable is, by its whole name.
    pub fn get_whole(&self, name: &str) -> Option<&Val> {
        self.vars.get(name)
    }

    /// Sets a variable by its whole name.
    pub fn set_whole(&mut self, name: Rc<str>, value: Val) {
        let before = self.vars.insert(Rc::clone(&name), value);
        if let Some(journal) = self.journals.last_mut() {
            journal.push((name, before));
        }
    }

    /// The name of a variable among those of all modules. Methods and parts of objects are known in all of them.
    pub fn whole<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let alias = self.aliases.iter().rev().find(|(alias, _)| **alias == *name);
        if let Some((_, target)) = alias {
            return Cow::Owned(target.to_string());
        }
        match self.space.is_empty() || !self.is_inside(name) {
            true => Cow::Borrowed(name),
            false => Cow::Owned(format!("{}{name}", self.space)),
        }
    }

    /// Is it a name of the module being run, or a part of such a variable?
    fn is_inside(&self, name: &str) -> bool {
        let Some((root, _)) = name.split_once('.') else { return !name.starts_with('#') };
        if root.is_empty()
            || root.starts_with('#')
            || matches!(root, "self" | "cls" | "this" | "$self" | "$this")
        {
            return false;
        }
        let root = self.vars.get(format!("{}{root}", self.space).as_str());
        root.is_some_and(|value| !matches!(value, Val::Name(_)))
    }

    /// The names of a module begin: they are none of the program's. What is returned leads back.
    pub fn begin_space(&mut self) -> Rc<str> {
        self.spaces += 1;
        let space = Rc::from(format!("{SPACE}{}{SPACE}", self.spaces));
        self.swap_space(space)
    }

    /// Goes over to the names of another module.
    pub fn swap_space(&mut self, space: Rc<str>) -> Rc<str> {
        std::mem::replace(&mut self.space, space)
    }

    pub fn space(&self) -> Rc<str> {
        Rc::clone(&self.space)
    }

    /// From here on, a variable is another one by another name.
    pub fn alias(&mut self, name: &str, target: &str) {
        if name != target && self.aliases.len() < ALIASES {
            let target: Rc<str> = Rc::from(self.whole(target));
            self.aliases.push((Rc::from(name), target));
        }
    }

    /// A variable stands for itself again.
    pub fn unalias(&mut self, name: &str) {
        self.aliases.retain(|(alias, _)| **alias != *name);
    }

    /// How many variables stand for others.
    pub fn aliased(&self) -> usize {
        self.aliases.len()
    }

    /// Those that came to stand for others since then do so no more.
    pub fn forget_aliases(&mut self, from: usize) {
        self.aliases.truncate(from);
    }

    /// A block or a function begins, which may declare variables of its own.
    pub fn enter_frame(&mut self, is_function: bool) {
        self.frames.push(Frame { is_function, declared: Vec::new() });
    }

    /// It ends: the variables that it has declared, and what they were before.
    pub fn leave_frame(&mut self) -> Declared {
        self.frames.pop().map(|frame| frame.declared).unwrap_or_default()
    }

    /// A variable of this block, or of the whole function.
    pub fn declare(&mut self, name: &str, of_function: bool) {
        let name: Rc<str> = Rc::from(self.whole(name));
        let before = self.vars.get(&name).cloned();
        let frame = self.frames.iter_mut().rev().find(|frame| frame.is_function || !of_function);
        if let Some(frame) = frame
            && !frame.declared.iter().any(|(known, _)| *known == name)
        {
            frame.declared.push((name, before));
        }
    }

    /// A list or a table that a variable holds is changed in place: all variables that hold it see that.
    pub fn change(&mut self, place: &str, old: &Val, new: Val) {
        self.note(old, &new);
        if is_shared(old) {
            self.replace(old, &new);
        }
        self.set(place, new);
    }

    /// The same, where it is not known which variable holds it.
    pub fn alter(&mut self, old: &Val, new: Val) {
        self.note(old, &new);
        self.replace(old, &new);
    }

    fn note(&mut self, old: &Val, new: &Val) {
        if self.changed.len() < CHANGED && !self.journals.is_empty() {
            self.changed.push((old.clone(), new.clone()));
        }
    }

    /// What has been changed in place since then, if anything.
    pub fn changed_since(&self, from: usize) -> &[(Val, Val)] {
        self.changed.get(from..).unwrap_or_default()
    }

    /// The names of the parts that are kept under names which begin so.
    pub fn parts(&mut self, start: &str) -> Vec<Rc<str>> {
        self.work += self.vars.len();
        let names = self.vars.keys().filter_map(|name| name.strip_prefix(start));
        names.filter(|name| !name.contains('.')).map(Rc::from).collect()
    }

    /// Variables that hold this very text hold, where texts can be changed in place, maybe what it became.
    pub fn text_altered(&mut self, old: &Val, new: &Val) {
        let Some(old) = old.literal() else { return };
        self.work += self.vars.len();
        let is_it = |value: &Val| matches!(value, Val::Text(_)) && value.literal().as_ref() == Some(&old);
        let holding: Vec<Rc<str>> =
            self.vars.iter().filter(|(_, value)| is_it(value)).map(|(name, _)| Rc::clone(name)).collect();
        for name in holding {
            let either = self.vars.get(&name).map(|value| value.union(new));
            either.into_iter().for_each(|value| self.set_whole(Rc::clone(&name), value));
        }
    }

    /// How much work there was since it was last asked.
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work) / 4
    }

    /// How much was changed in place up to now.
    pub fn mark(&self) -> usize {
        self.changed.len()
    }

    /// Changes in place since then outlive a function that has ended.
    pub fn replay(&mut self, from: usize, outermost: bool) {
        let changed: Vec<(Val, Val)> = self.changed.get(from..).unwrap_or_default().to_vec();
        for (old, new) in &changed {
            self.replace(old, new);
        }
        if outermost {
            self.changed.clear();
        }
    }

    fn replace(&mut self, old: &Val, new: &Val) {
        let mut work = self.vars.len();
        let holding: Vec<(Rc<str>, Val)> = self
            .vars
            .iter()
            .filter_map(|(name, value)| {
                Some((Rc::clone(name), exchanged(value, old, new, NESTED, &mut work)?))
            })
            .collect();
        self.work += work;
        for (name, value) in holding {
            self.set_whole(name, value);
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
                self.set_whole(name, value);
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

/// The value with another in the place of one that it is, or that is a part of it, or of a part of that.
fn exchanged(value: &Val, old: &Val, new: &Val, depth: u32, work: &mut usize) -> Option<Val> {
    if is_same(value, old) {
        return Some(new.clone());
    }
    if depth == 0 {
        return None;
    }
    match value {
        Val::Table(table) => {
            *work += table.entries.len();
            let mut entries: Option<Vec<(Rc<str>, Val)>> = None;
            for (at, (_, entry)) in table.entries.iter().enumerate() {
                if let Some(swapped) = exchanged(entry, old, new, depth - 1, work)
                    && let Some((_, entry)) = entries.get_or_insert_with(|| table.entries.clone()).get_mut(at)
                {
                    *entry = swapped;
                }
            }
            entries.map(Val::table)
        }
        Val::List(list) => {
            *work += list.items.len();
            let mut items: Option<Vec<Val>> = None;
            for (at, item) in list.items.iter().enumerate() {
                if let Some(swapped) = exchanged(item, old, new, depth - 1, work)
                    && let Some(item) = items.get_or_insert_with(|| list.items.clone()).get_mut(at)
                {
                    *item = swapped;
                }
            }
            items.map(|items| if list.open { Val::many(items) } else { Val::list(items) })
        }
        _ => None,
    }
}

/// A whole name, without what says which module it is of.
pub(super) fn bare(name: &str) -> &str {
    name.strip_prefix(SPACE).and_then(|rest| rest.split_once(SPACE)).map_or(name, |(_, bare)| bare)
}
