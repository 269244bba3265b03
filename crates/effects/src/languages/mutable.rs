//! What becomes of a list, a table or an object that is handed to something which may change it.

use std::rc::Rc;

use super::classes::{Class, ITEM};
use super::machine::Machine;
use super::members::number_of;
use super::value::{Args, Val};

/// Methods of lists and tables that leave them as they are, in the words of all languages.
const LOOKS: &[&str] = &[
    "__contains__",
    "__getitem__",
    "__iter__",
    "__len__",
    "count",
    "each_key",
    "each_pair",
    "each_value",
    "findIndex",
    "findLastIndex",
    "has",
    "includes",
    "index",
    "indexOf",
    "key",
    "keys",
    "lastIndexOf",
    "length",
    "reduceRight",
    "size",
    "sum",
    "take",
    "toSpliced",
    "toString",
    "with",
];

/// Methods that change the text they are called on.
const CHANGES_TEXT: &[&str] = &["replace", "insert", "prepend", "initialize_copy"];

/// Functions of libraries that set a part of what they are given first: its name and its value follow.
const SETTERS: &[&str] = &["setattr", "object.__setattr__", "operator.setitem", "Reflect.set"];

impl Val {
    /// The same items in a thing of its own: a change of one is not seen in the other.
    pub fn copied(&self) -> Val {
        match self {
            Self::List(list) if list.open => Self::many(list.items.clone()),
            Self::List(list) => Self::list(list.items.clone()),
            Self::Table(table) => Self::table(table.entries.clone()),
            other => other.clone(),
        }
    }

    /// The same, and so for all that is in it.
    pub fn copied_whole(&self) -> Val {
        match self {
            Self::List(list) => {
                let items = list.items.iter().map(Val::copied_whole).collect();
                if list.open { Self::many(items) } else { Self::list(items) }
            }
            Self::Table(table) => {
                let whole = |(name, value): &(Rc<str>, Val)| (Rc::clone(name), value.copied_whole());
                Self::table(table.entries.iter().map(whole).collect())
            }
            other => other.clone(),
        }
    }
}

impl Machine<'_, '_, '_> {
    /// A method that nobody knows may change what it is called on, and what it is given.
    pub fn changed_by_method(&mut self, value: &Val, name: &str, args: &Args) {
        if LOOKS.contains(&name) || name.ends_with('?') {
            return;
        }
        if number_of(value).is_some() {
            return self.parts_set_by_method(value, name, args);
        }
        if matches!(value, Val::Text(_)) && CHANGES_TEXT.contains(&name) {
            return args.list.iter().for_each(|new| self.text_changed(value, new));
        }
        let mut given: Vec<Val> = args.all().cloned().collect();
        // What a block makes of the items takes their places.
        if name.ends_with('!') && given.iter().any(|value| matches!(value, Val::Function(_))) {
            given.push(Val::unknown());
        }
        self.may_change(value, &given);
        self.changed_by_call(args);
    }

    /// A text is changed in place, where the language can do that: who else holds it sees it, too.
    pub fn text_changed(&mut self, old: &Val, new: &Val) {
        if matches!(old, Val::Text(_)) && self.syntax.bare_calls && !self.syntax.symbolic {
            self.scope.text_altered(old, new);
        }
    }

    /// Items are taken out of lists: `del list[0]`. Which are left, and where, is not known any more.
    pub fn drop_items(&mut self) {
        for range in self.split(self.end, ",") {
            let value = self.expr_in(range);
            let place = self.place.take();
            self.dropped(place.as_deref(), &value);
            let owner = place.as_deref().and_then(|place| place.rsplit_once('.')).map(|(owner, _)| owner);
            let list = owner.and_then(|owner| self.scope.get(owner)).cloned();
            if let Some(list @ Val::List(_)) = list {
                self.scope.alter(&list, Val::many(list.items()));
            }
        }
    }

    /// An object of the program, or an item of one, is done with.
    fn dropped(&mut self, place: Option<&str>, value: &Val) {
        let item = place.and_then(|place| place.split_once('.')).and_then(|(number, part)| {
            let key = part.strip_prefix(ITEM)?;
            let at = number.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1)?;
            Some((Rc::<str>::from(number), self.own.classes.get(at)?.clone(), Val::text(key)))
        });
        match item {
            Some((number, class, key)) => {
                let object = Val::own_object(&number, &class, value.taint());
                let given = Args::of(vec![key]);
                for name in ["__delitem__", "offsetUnset"] {
                    self.method_of_own(&object, name, &given);
                }
            }
            None if place.is_some_and(|place| !place.contains('.')) => self.ended(value),
            None => {}
        }
    }

    /// A function that nobody knows may change what it is given.
    pub fn changed_by_call(&mut self, args: &Args) {
        for (at, value) in args.list.iter().enumerate() {
            if matches!(value, Val::List(_) | Val::Table(_)) {
                let others: Vec<Val> = args.list.iter().skip(at + 1).cloned().collect();
                self.may_change(value, &others);
            }
        }
    }

    /// Which item stands where is not known any more, and what it was given may be among them.
    fn may_change(&mut self, value: &Val, given: &[Val]) {
        let put = given.iter().flat_map(put).reduce(|all, next| all.union(&next));
        match (value, put) {
            (Val::List(list), put) if put.is_some() || list.items.len() > 1 => {
                let items = list.items.iter().cloned().chain(put).collect();
                self.scope.alter(value, Val::many(items));
            }
            (Val::Table(_), Some(put)) => self.put_anywhere(value, &put),
            _ => {}
        }
    }

    /// A table is given a value under a name that is not known.
    pub fn put_anywhere(&mut self, value: &Val, put: &Val) {
        let Val::Table(table) = value else { return };
        self.burn(table.entries.len() / 4);
        let known = |name: &str, entry: &Val| if name == "?" { entry.clone() } else { entry.union(put) };
        let any = table.entries.iter().map(|(name, entry)| (Rc::clone(name), known(name, entry)));
        let entries = any.chain([(Rc::from("?"), put.clone())]).collect();
        self.scope.alter(value, Val::table(entries));
    }

    /// A function of a library may ask objects that it is given for what they are, and set parts of them.
    pub fn sets_parts(&mut self, name: &str, args: &Args) {
        self.asked_objects(args);
        let Some(target) = args.get(0).cloned() else { return };
        match name {
            _ if SETTERS.contains(&name) => self.put_part(&target, args.get(1), &args.at(2, &[])),
            "Object.defineProperty" => {
                let value = args.get(2).and_then(|said| said.entry("value")).cloned().unwrap_or_default();
                self.put_part(&target, args.get(1), &value);
            }
            "Object.assign" => args.skip(1).list.iter().for_each(|more| self.put_parts(&target, more)),
            _ => {}
        }
    }

    /// A method that sets parts of the program's own object: `object.__dict__.update(…)`.
    fn parts_set_by_method(&mut self, object: &Val, name: &str, args: &Args) {
        match name {
            "update" => {
                args.list.iter().for_each(|more| self.put_parts(object, more));
                for (part, value) in &args.named {
                    self.put_part(object, Some(&Val::text(part)), value);
                }
            }
            "__setattr__" | "__setitem__" | "instance_variable_set" | "setdefault" => {
                self.put_part(object, args.get(0), &args.at(1, &[]));
            }
            _ => {}
        }
    }

    fn put_parts(&mut self, target: &Val, more: &Val) {
        let Val::Table(table) = more else { return };
        for (name, value) in &table.entries {
            self.put_part(target, Some(&Val::text(name)), value);
        }
    }

    /// One part of a table or of the program's own object is set; one whose name is not known may be any.
    fn put_part(&mut self, target: &Val, name: Option<&Val>, value: &Val) {
        let name = name.and_then(Val::literal);
        match (target, name) {
            (Val::Table(table), Some(name)) => {
                let kept = table.entries.iter().filter(|(known, _)| **known != *name).cloned();
                let entries = kept.chain([(Rc::from(name.as_str()), value.clone())]).collect();
                self.scope.alter(target, Val::table(entries));
            }
            (Val::Table(_), None) => self.put_anywhere(target, value),
            (Val::List(_), _) => self.may_change(target, std::slice::from_ref(value)),
            (Val::Object(object), Some(name)) if object.own.is_some() => {
                let place = format!("{}.{}", object.class, name.trim_start_matches('@'));
                self.assign(Some(Rc::from(place)), value.clone());
            }
            (Val::Object(object), None) if let Some(class) = &object.own => {
                for name in self.part_names(&object.class, class) {
                    let place = format!("{}.{name}", object.class);
                    let before = self.attribute(target, None, &name);
                    self.scope.set(&place, before.union(value));
                }
            }
            _ => {}
        }
    }

    /// The names of an object's parts that are not methods.
    fn part_names(&mut self, number: &str, class: &Class) -> Vec<Rc<str>> {
        let start = format!("{number}.");
        let shared = class.members.iter().filter(|(_, value)| matches!(value, Val::Text(_)));
        let mut names: Vec<Rc<str>> = self.scope.parts(&start);
        names.extend(shared.map(|(name, _)| Rc::clone(name)));
        names
    }
}

/// What may be put into a list or a table by something that is given this: a number is no item of note.
fn put(value: &Val) -> Vec<Val> {
    match value {
        Val::Int(_) | Val::Name(_) | Val::Function(_) | Val::Partial(_) | Val::Class(_) => Vec::new(),
        Val::List(_) | Val::Table(_) => value.items(),
        other => vec![other.clone()],
    }
}
