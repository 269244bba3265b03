//! Lists and tables that methods change in place, or take something from.

use std::rc::Rc;

use super::expr::number;
use super::machine::Machine;
use super::value::{Args, List, Val};

impl Machine<'_, '_, '_> {
    /// `left << right`: into a file or a pipe, to the end of a list or a text, or a number by so many bits.
    pub fn pushed(&mut self, left: &Val, right: &Val, place: Option<&str>) -> Val {
        let args = || Args::of(vec![right.clone()]);
        match (left, right) {
            (Val::File(file), _) => self.file_method(&Rc::clone(file), "write", &args()),
            (Val::Pipe(pipe), _) => self.pipe_method(&Rc::clone(pipe), "write", &args()),
            (Val::Int(a), Val::Int(b)) => number('<', *a, *b),
            _ => {
                if !self.grow(left, place, "<<", std::slice::from_ref(right)) {
                    let whole = self.add(left, right);
                    self.text_changed(left, &whole);
                    self.assign(place.map(Rc::from), whole);
                }
                left.clone()
            }
        }
    }

    /// A method that changes the list it is called on.
    pub fn grow(&mut self, value: &Val, place: Option<&str>, name: &str, added: &[Val]) -> bool {
        let Val::List(list) = value else { return false };
        let mut all = list.items.clone();
        match name {
            "append" | "push" | "add" | "<<" => all.extend(added.iter().cloned()),
            "unshift" | "appendleft" | "prepend" => drop(all.splice(0..0, added.iter().cloned())),
            "insert" => insert(&mut all, added),
            "extend" => all.extend(added.iter().flat_map(Val::items)),
            "concat" if self.syntax.bare_calls => all.extend(added.iter().flat_map(Val::items)),
            "reverse!" => all.reverse(),
            "clear" if !list.open && self.unsure == 0 => all.clear(),
            // Which is the first is not known any more.
            "sort" | "sort!"
                if place.is_some() && !list.open && (name == "sort!" || !self.syntax.bare_calls) =>
            {
                let any = Val::many(all);
                place.iter().for_each(|place| self.changed_place(place, value, any.clone()));
                return false;
            }
            "reverse" if !self.syntax.bare_calls && added.is_empty() => all.reverse(),
            _ => return false,
        }
        self.grown += 1;
        let (Some(place), true) = (place, self.burn(list.items.len() / 4)) else { return false };
        let grown = if list.open || self.unsure > 0 { Val::many(all) } else { Val::list(all) };
        self.changed_place(place, value, grown);
        // What is turned round is also what the method returns.
        name != "reverse" && name != "reverse!"
    }

    /// A method that takes something out of a list or a table and returns it.
    pub fn take_out(&mut self, value: &Val, place: Option<&str>, name: &str, args: &Args) -> Option<Val> {
        match value {
            Val::List(list) => self.take_item(list, place, name, args),
            Val::Table(table) if matches!(name, "pop" | "delete") => {
                let key = args.literal(0)?;
                let entry = value.entry(&key)?.clone();
                if let (Some(place), 0) = (place, self.unsure) {
                    let kept = table.entries.iter().filter(|(name, _)| **name != *key).cloned();
                    self.changed_place(place, value, Val::table(kept.collect()));
                }
                Some(entry)
            }
            Val::Table(table) if name == "set" && args.list.len() == 2 => {
                let key = args.literal(0).unwrap_or_else(|| "?".to_owned());
                let entries = table.entries.iter().cloned().chain([(Rc::from(key), args.at(1, &[]))]);
                let new = Val::table(entries.collect());
                if let Some(place) = place {
                    self.changed_place(place, value, new.clone());
                }
                Some(new)
            }
            _ => None,
        }
    }

    fn take_item(&mut self, list: &Rc<List>, place: Option<&str>, name: &str, args: &Args) -> Option<Val> {
        let first = matches!(args.get(0), Some(Val::Int(0)));
        let at_start = match name {
            "pop" if args.list.is_empty() => false,
            "pop" if first => true,
            "popleft" | "shift" if args.list.is_empty() => true,
            "pop" if args.list.len() == 1 => return Some(Val::List(Rc::clone(list)).item()),
            _ => return None,
        };
        let any = Val::List(Rc::clone(list)).item();
        if list.open || self.unsure > 0 || list.items.is_empty() || !self.burn(list.items.len() / 4) {
            return Some(any);
        }
        let mut items = list.items.clone();
        let taken = if at_start { Some(items.remove(0)) } else { items.pop() };
        if let Some(place) = place {
            self.changed_place(place, &Val::List(Rc::clone(list)), Val::list(items));
        }
        taken
    }
}

/// `list.insert(place, item)`; where only an item is given, it goes to the end.
fn insert(items: &mut Vec<Val>, added: &[Val]) {
    match added {
        [Val::Int(at), item] => {
            // Counted from the end, it goes before the one that is meant.
            let at = if *at < 0 { at.saturating_add_unsigned(items.len() as u64).max(0) } else { *at };
            let at = usize::try_from(at).unwrap_or(items.len()).min(items.len());
            items.insert(at, item.clone());
        }
        _ => items.extend(added.last().cloned()),
    }
}

/// The words of a text that a pattern may pick: whichever it is, it is one of them, or something else.
pub(super) fn fragments(value: &Val) -> Val {
    use tollgate_shell::value::{HoleSource, Text, Value};
    let taint = value.taint();
    let hole = Value::something(HoleSource::Input).with_taint(taint);
    let Some(text) = value.literal().filter(|text| text.len() < 4096) else { return Val::Text(hole) };
    let words = text.split(|c: char| c.is_whitespace() || "='\",:;|()<>[]{}".contains(c));
    let paths: Vec<Text> = words.filter(|word| word.contains('/')).take(8).map(Text::literal).collect();
    match paths.is_empty() {
        true => Val::Text(hole),
        false => Val::Text(Value::of(paths, taint).union(&hole)),
    }
}

/// Is nothing but the same known of both?
pub(super) fn is_alike(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::Text(left), Val::Text(right)) => left == right,
        (Val::Int(left), Val::Int(right)) => left == right,
        _ => super::classes::is_same(left, right),
    }
}
