//! Everything in a program that can change: variables, lists, tables, objects.
//!
//! There is one store, which is never copied. A branch changes it in place, and what it changed is written on a trail; at
//! its end the changes are taken back and kept, and when all branches have run, whatever any of them changed is joined once.
//! So a branch costs what it changes, whatever the program has said before.

use std::collections::BTreeMap;
use std::rc::Rc;

use tollgate_shell::value::Taint;

use super::value::{Class, Val};

/// A place in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell(u32);

/// What is in a place.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// A variable that nothing has been given to.
    Unset,
    /// A variable.
    Val(Val),
    /// The items of a list.
    Items(Rc<Items>),
    /// The entries of a table.
    Entries(Rc<Entries>),
    /// The parts of an object.
    Parts(Rc<Class>, Rc<Entries>),
}

/// Items in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    pub items: Vec<Val>,
    /// There may be any number of items like these.
    pub open: bool,
}

/// Items with names.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    pub entries: Vec<(Rc<str>, Val)>,
    /// There may be others, under names that are not known, that are like this.
    pub others: Option<Val>,
}

/// What a branch has changed.
pub(super) type Changes = BTreeMap<Cell, Slot>;

/// Ends the name of an item of what a library made.
const ITEM: &str = ".item";

/// The most items that are kept of a list or table.
const ITEMS: usize = 4096;

/// The most items that are kept of a list that may have any number of them.
const KINDS: usize = 64;

/// The store.
#[derive(Debug, Default)]
pub(super) struct Store {
    slots: Vec<Slot>,
    /// How often each place was changed.
    stamps: Vec<u32>,
    trail: Vec<(Cell, Slot)>,
    /// How many branches are being run, in one another.
    branches: u32,
    /// What it has cost since it was last asked.
    work: usize,
    /// The places before this one are watched by a summary, and whether any was changed.
    watched: Option<(u32, bool)>,
}

impl Store {
    /// A new place.
    pub fn add(&mut self, slot: Slot) -> Cell {
        let cell = Cell(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
        self.slots.push(slot);
        self.stamps.push(0);
        self.work += 1;
        cell
    }

    pub fn get(&self, cell: Cell) -> &Slot {
        self.slots.get(cell.0 as usize).unwrap_or(&Slot::Unset)
    }

    /// The value of a variable.
    pub fn val(&self, cell: Cell) -> Option<&Val> {
        match self.get(cell) {
            Slot::Val(value) => Some(value),
            _ => None,
        }
    }

    pub fn set(&mut self, cell: Cell, slot: Slot) {
        self.work += 1;
        if let Some((first, changed)) = &mut self.watched {
            *changed |= cell.0 < *first;
        }
        let Some(place) = self.slots.get_mut(cell.0 as usize) else { return };
        let old = std::mem::replace(place, slot);
        if let Some(stamp) = self.stamps.get_mut(cell.0 as usize) {
            *stamp = stamp.wrapping_add(1);
        }
        if self.branches > 0 {
            self.trail.push((cell, old));
        }
    }

    pub fn set_val(&mut self, cell: Cell, value: Val) {
        self.set(cell, Slot::Val(value));
    }

    /// How often a place was changed.
    pub fn stamp(&self, cell: Cell) -> u32 {
        self.stamps.get(cell.0 as usize).copied().unwrap_or_default()
    }

    /// Was it there before what is being summed up began?
    pub fn is_outer(&self, cell: Cell) -> bool {
        self.watched.is_some_and(|(first, _)| cell.0 < first)
    }

    /// What has been done since the last time.
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }

    /// From now on, is anything changed that is there already?
    pub fn watch(&mut self) -> Option<(u32, bool)> {
        let first = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.watched.replace((first, false))
    }

    /// Was it? What was watched before is watched again.
    pub fn unwatch(&mut self, before: Option<(u32, bool)>) -> bool {
        let changed = self.watched.is_some_and(|(_, changed)| changed);
        self.watched = before.map(|(first, old)| (first, old || changed));
        changed
    }

    /// A branch begins: where its trail does.
    pub fn open(&mut self) -> usize {
        self.branches += 1;
        self.trail.len()
    }

    /// A branch ends: its changes are taken back and returned.
    pub fn close(&mut self, mark: usize) -> Changes {
        self.branches = self.branches.saturating_sub(1);
        let mut changes = Changes::new();
        for (cell, old) in self.trail.split_off(mark.min(self.trail.len())).into_iter().rev() {
            let Some(place) = self.slots.get_mut(cell.0 as usize) else { continue };
            let now = std::mem::replace(place, old);
            if let Some(stamp) = self.stamps.get_mut(cell.0 as usize) {
                *stamp = stamp.wrapping_add(1);
            }
            changes.entry(cell).or_insert(now);
            self.work += 1;
        }
        changes
    }

    /// Has a branch changed anything that was something before?
    pub fn matters(&self, changes: &Changes) -> bool {
        changes.iter().any(|(cell, now)| match (self.get(*cell), now) {
            (Slot::Unset, _) => false,
            (Slot::Val(before), Slot::Val(now)) => !before.is_same(now),
            _ => true,
        })
    }

    /// What a variable has been since a branch began, besides what it is now.
    pub fn earlier(&self, mark: usize) -> Vec<(Cell, Slot)> {
        self.trail.get(mark..).unwrap_or_default().to_vec()
    }

    /// Any of these branches has run, or none.
    pub fn join(&mut self, branches: Vec<Changes>, maybe_none: bool) {
        let mut all: BTreeMap<Cell, Vec<Option<Slot>>> = BTreeMap::new();
        let count = branches.len();
        for (at, changes) in branches.into_iter().enumerate() {
            for (cell, slot) in changes {
                let ways = all.entry(cell).or_insert_with(|| vec![None; count]);
                if let Some(way) = ways.get_mut(at) {
                    *way = Some(slot);
                }
            }
        }
        for (cell, ways) in all {
            let base = self.get(cell).clone();
            let mut joined: Option<Slot> = maybe_none.then(|| base.clone());
            for way in ways {
                let way = way.unwrap_or_else(|| base.clone());
                joined = Some(match joined {
                    Some(so_far) => self.either(so_far, way),
                    None => way,
                });
            }
            if let Some(joined) = joined {
                self.set(cell, joined);
            }
        }
    }

    fn either(&mut self, one: Slot, other: Slot) -> Slot {
        match (one, other) {
            (Slot::Unset, other) | (other, Slot::Unset) => other,
            (Slot::Val(one), Slot::Val(other)) => Slot::Val(self.either_val(&one, &other)),
            (Slot::Items(one), Slot::Items(other)) => Slot::Items(self.either_items(&one, &other)),
            (Slot::Entries(one), Slot::Entries(other)) => Slot::Entries(self.either_entries(&one, &other)),
            (Slot::Parts(class, one), Slot::Parts(_, other)) => {
                Slot::Parts(class, self.either_entries(&one, &other))
            }
            (one, _) => one,
        }
    }

    /// Either of two values. Lists and tables become one that may be either.
    pub fn either_val(&mut self, one: &Val, other: &Val) -> Val {
        self.work += 1;
        if one.is_same(other) {
            return one.clone();
        }
        match (one, other) {
            (Val::List(a), Val::List(b)) => {
                let (Slot::Items(a), Slot::Items(b)) = (self.get(*a).clone(), self.get(*b).clone()) else {
                    return one.clone();
                };
                let items = self.either_items(&a, &b);
                Val::List(self.add(Slot::Items(items)))
            }
            (Val::Table(a), Val::Table(b)) => {
                let (Slot::Entries(a), Slot::Entries(b)) = (self.get(*a).clone(), self.get(*b).clone())
                else {
                    return one.clone();
                };
                let entries = self.either_entries(&a, &b);
                Val::Table(self.add(Slot::Entries(entries)))
            }
            _ => one.either(other),
        }
    }

    fn either_items(&mut self, one: &Rc<Items>, other: &Rc<Items>) -> Rc<Items> {
        if Rc::ptr_eq(one, other) {
            return Rc::clone(one);
        }
        self.work += one.items.len() + other.items.len();
        // Lists that one of two branches added to begin alike, and would be twice as long behind each.
        let pairs = one.items.iter().zip(&other.items);
        let alike = pairs.take_while(|(one, other)| one.is_same(other)).count();
        let whole = one.items.len().max(other.items.len()) == alike && one.items.len() == other.items.len();
        let items: Vec<Val> = one.items.iter().chain(other.items.iter().skip(alike)).cloned().collect();
        let mut made = Items { items, open: !whole || one.open || other.open };
        self.tighten(&mut made);
        Rc::new(made)
    }

    /// A list of any number of items keeps few of them: what is added to it again and again, in branches, is not there as
    /// often. So whatever is done with such a list costs the same however long the program is.
    fn tighten(&mut self, items: &mut Items) {
        items.open |= items.items.len() > ITEMS;
        items.items.truncate(ITEMS);
        if !items.open || items.items.len() <= KINDS {
            return;
        }
        let mut kept: Vec<Val> = Vec::with_capacity(KINDS);
        for item in std::mem::take(&mut items.items) {
            self.work += 1;
            if kept.iter().any(|known| known.is_same(&item)) {
                continue;
            }
            match kept.last().cloned().filter(|_| kept.len() >= KINDS) {
                Some(last) => {
                    let either = self.either_val(&last, &item);
                    kept.pop();
                    kept.push(either);
                }
                None => kept.push(item),
            }
        }
        items.items = kept;
    }

    fn either_entries(&mut self, one: &Rc<Entries>, other: &Rc<Entries>) -> Rc<Entries> {
        if Rc::ptr_eq(one, other) {
            return Rc::clone(one);
        }
        self.work += one.entries.len() + other.entries.len();
        let mut joined: BTreeMap<Rc<str>, Val> = BTreeMap::new();
        let mut order: Vec<Rc<str>> = Vec::new();
        for (name, value) in one.entries.iter().chain(&other.entries) {
            match joined.get(name).cloned() {
                Some(known) => {
                    let value = self.either_val(&known, value);
                    joined.insert(Rc::clone(name), value);
                }
                None => {
                    order.push(Rc::clone(name));
                    joined.insert(Rc::clone(name), value.clone());
                }
            }
        }
        let others = match (&one.others, &other.others) {
            (Some(one), Some(other)) => Some(self.either_val(one, other)),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        let entries =
            order.into_iter().filter_map(|name| joined.remove(&name).map(|value| (name, value))).collect();
        Rc::new(Entries { entries, others })
    }

    /// A list of these.
    pub fn list(&mut self, items: Vec<Val>) -> Val {
        self.list_of(items, false)
    }

    /// A list of any number of items like these.
    pub fn many(&mut self, items: Vec<Val>) -> Val {
        self.list_of(items, true)
    }

    pub fn list_of(&mut self, mut items: Vec<Val>, open: bool) -> Val {
        let open = open || items.len() > ITEMS;
        items.truncate(ITEMS);
        self.work += items.len();
        Val::List(self.add(Slot::Items(Rc::new(Items { items, open }))))
    }

    /// A table of these.
    pub fn table(&mut self, mut entries: Vec<(Rc<str>, Val)>, others: Option<Val>) -> Val {
        entries.truncate(ITEMS);
        self.work += entries.len();
        Val::Table(self.add(Slot::Entries(Rc::new(Entries { entries, others }))))
    }

    /// The items of a list.
    pub fn items(&self, value: &Val) -> Option<Rc<Items>> {
        match value {
            Val::List(cell) => match self.get(*cell) {
                Slot::Items(items) => Some(Rc::clone(items)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The entries of a table, or the parts of an object.
    pub fn entries(&self, value: &Val) -> Option<Rc<Entries>> {
        match value {
            Val::Table(cell) | Val::Object(cell) => match self.get(*cell) {
                Slot::Entries(entries) | Slot::Parts(_, entries) => Some(Rc::clone(entries)),
                _ => None,
            },
            _ => None,
        }
    }

    /// An entry by its name.
    pub fn entry(&self, value: &Val, name: &str) -> Option<Val> {
        let entries = self.entries(value)?;
        entries.entries.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value.clone())
    }

    /// What is in a place, to be changed and set again. Where no branch is being run nobody else knows it, and it is changed
    /// without a copy.
    fn take(&mut self, cell: Cell) -> Slot {
        if self.branches > 0 {
            return self.get(cell).clone();
        }
        self.slots.get_mut(cell.0 as usize).map_or(Slot::Unset, |slot| std::mem::replace(slot, Slot::Unset))
    }

    /// Changes the items of a list.
    pub fn change_items(&mut self, value: &Val, change: impl FnOnce(&mut Items)) {
        let Val::List(cell) = value else { return };
        let Slot::Items(items) = self.take(*cell) else { return };
        self.work += if Rc::strong_count(&items) > 1 { items.items.len() / 8 + 1 } else { 1 };
        let mut items = Rc::unwrap_or_clone(items);
        change(&mut items);
        self.tighten(&mut items);
        self.set(*cell, Slot::Items(Rc::new(items)));
    }

    /// Changes the entries of a table, or the parts of an object.
    pub fn change_entries(&mut self, value: &Val, change: impl FnOnce(&mut Entries)) {
        let (Val::Table(cell) | Val::Object(cell)) = value else { return };
        let slot = self.take(*cell);
        let (class, entries) = match slot {
            Slot::Entries(entries) => (None, entries),
            Slot::Parts(class, entries) => (Some(class), entries),
            _ => return,
        };
        self.work += if Rc::strong_count(&entries) > 1 { entries.entries.len() / 8 + 1 } else { 1 };
        let mut entries = Rc::unwrap_or_clone(entries);
        change(&mut entries);
        entries.entries.truncate(ITEMS);
        let entries = Rc::new(entries);
        self.set(
            *cell,
            class.map_or_else(
                || Slot::Entries(Rc::clone(&entries)),
                |class| Slot::Parts(class, Rc::clone(&entries)),
            ),
        );
    }

    /// Sets an entry or a part.
    pub fn set_entry(&mut self, value: &Val, name: &Rc<str>, entry: Val) {
        self.change_entries(value, |entries| {
            match entries.entries.iter_mut().rev().find(|(known, _)| known == name) {
                Some((_, place)) => *place = entry,
                None => entries.entries.push((Rc::clone(name), entry)),
            }
        });
    }

    /// The class of an object.
    pub fn class(&self, value: &Val) -> Option<Rc<Class>> {
        match value {
            Val::Object(cell) => match self.get(*cell) {
                Slot::Parts(class, _) => Some(Rc::clone(class)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a value and what is in it came from.
    pub fn taint(&self, value: &Val) -> Taint {
        self.taint_of(value, &mut 64)
    }

    fn taint_of(&self, value: &Val, left: &mut u32) -> Taint {
        if *left == 0 {
            return Taint::NONE;
        }
        *left -= 1;
        let mut taint = value.taint();
        if let Some(items) = self.items(value) {
            for item in &items.items {
                taint = taint.union(self.taint_of(item, left));
            }
        } else if let Some(entries) = self.entries(value) {
            for entry in entries.entries.iter().map(|(_, entry)| entry).chain(&entries.others) {
                taint = taint.union(self.taint_of(entry, left));
            }
        } else if let Val::Made(made) = value {
            for arg in made.args.all().chain(&*made.held.borrow()) {
                taint = taint.union(self.taint_of(arg, left));
            }
        }
        taint
    }

    /// Any item of a list or table, in one value; of anything else, something that came from there.
    pub fn item(&mut self, value: &Val) -> Val {
        if let Some(items) = self.items(value) {
            let mut each = items.items.iter();
            let first = each.next().cloned().unwrap_or_default();
            // The same again and again says nothing new.
            let mut last = first.clone();
            return each.fold(first, |all, item| {
                if item.is_same(&last) {
                    return all;
                }
                last = item.clone();
                self.either_val(&all, item)
            });
        }
        match value {
            Val::Table(_) => {
                let keys = self.entries(value).unwrap_or_default();
                let keys: Vec<Val> = keys.entries.iter().map(|(key, _)| Val::text(key)).collect();
                keys.into_iter().reduce(|all, key| all.either(&key)).unwrap_or_default()
            }
            Val::Text(text) if text.is_known() => Val::some_text(text.taint),
            Val::Text(_) => value.clone(),
            Val::File(file) => Val::Text(file.content.clone()),
            Val::Any(ways) => {
                let items: Vec<Val> = ways.iter().map(|way| self.item(way)).collect();
                items.into_iter().reduce(|all, item| self.either_val(&all, &item)).unwrap_or_default()
            }
            Val::Made(made) if self.taint(value).is_empty() && made.name.len() < 100 => {
                let (args, held) = (made.args.clone(), Rc::clone(&made.held));
                Val::Made(Rc::new(super::value::Made {
                    name: Rc::from(format!("{}{ITEM}", made.name)),
                    args,
                    held,
                }))
            }
            other => Val::Unknown(self.taint(other)),
        }
    }
}
