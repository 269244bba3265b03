//! What follows a value: its parts, its items, calls.

use std::rc::Rc;

use super::classes::{Class, ITEM, PROPERTY};
use super::expr::ARGUMENT;
use super::flat;
use super::gits::is_git;
use super::machine::Machine;
use super::ops::Op;
use super::perl;
use super::pure::Pure;
use super::standins::PROXY;
use super::text;
use super::token::Tok;
use super::value::{Args, Object, Val};

impl Machine<'_, '_, '_> {
    /// Members, indexes and calls that follow a value.
    pub fn postfix(&mut self, mut value: Val) -> Val {
        loop {
            if !self.burn(4) {
                return value;
            }
            let Some(token) = self.token().cloned() else { return value };
            let place = self.place.take();
            if self.syntax.curried && !matches!(&token.tok, Tok::Op(op) if self.syntax.members.contains(op)) {
                if !(is_function(&value) && flat::starts_argument(self)) {
                    self.place = place;
                    return value;
                }
                value = flat::curried_call(self, &value);
                continue;
            }
            match &token.tok {
                Tok::Op(op) if self.syntax.members.contains(op) => {
                    match self.member(&value, place.as_deref()) {
                        Some(next) => value = next,
                        None => {
                            self.place = place;
                            return value;
                        }
                    }
                }
                Tok::Op("(") if !(self.syntax.bare_calls && token.spaced) => {
                    let args = self.arguments();
                    value = self.apply(&value, &args);
                    self.place = self.own.aspect.take();
                }
                Tok::Op("[") if !(token.fresh || self.syntax.bare_calls && token.spaced) => {
                    value = self.subscript(&value, place.as_deref());
                }
                Tok::Op("++" | "--") if !token.fresh => {
                    self.at += 1;
                    value = Val::unknown();
                }
                // Templates with a function before them.
                Tok::Str(parts)
                    if !self.syntax.bare_calls
                        && !token.fresh
                        && (!token.spaced || (self.syntax.flat && matches!(value, Val::Name(_)))) =>
                {
                    self.at += 1;
                    let text = self.string(parts);
                    value = self.apply(&value, &Args::of(vec![Val::Text(text)]));
                }
                // `println value`
                Tok::Name(_) if token.spaced && !token.fresh && self.prints(&value) => {
                    let said = self.expr(ARGUMENT);
                    value = self.apply(&value, &Args::of(vec![said]));
                }
                _ => {
                    self.place = place;
                    return value;
                }
            }
        }
    }

    /// Is it a function that prints, in a language that may leave brackets out?
    fn prints(&self, value: &Val) -> bool {
        let op = match value {
            Val::Name(name) if self.syntax.flat => (self.syntax.function)(name),
            _ => None,
        };
        matches!(op, Some(Op::Print(_)))
    }

    /// A member of a value, called or not. `None` when no member follows.
    fn member(&mut self, value: &Val, place: Option<&str>) -> Option<Val> {
        match self.ahead(1) {
            Some(Tok::Name(_)) => {}
            Some(Tok::Op("(")) => {
                self.at += 1;
                let args = self.arguments();
                return Some(self.apply(value, &args));
            }
            Some(Tok::Op("[")) => {
                self.at += 1;
                return Some(self.subscript(value, place));
            }
            // `$table->{name}`
            Some(Tok::Op("{")) if self.syntax.bare_calls && self.syntax.symbolic => {
                self.at += 1;
                return Some(perl::keyed(self, value, place));
            }
            Some(Tok::Op("#")) => {
                self.at += 1;
                return Some(Val::unknown());
            }
            Some(Tok::Var(_, _)) => {
                self.at += 2;
                return Some(Val::Unknown(value.taint()));
            }
            _ => return None,
        }
        self.at += 1;
        let name = self.name()?;
        let kind = if self.syntax.flat { flat::turbofish(self) } else { None };
        let called = self
            .token()
            .is_some_and(|token| token.tok == Tok::Op("(") && !(self.syntax.bare_calls && token.spaced));
        let mut args = if called {
            Some(self.arguments())
        } else if self.syntax.bare_calls {
            self.bare_arguments()
        } else {
            None
        };
        if let Some(block) = (self.syntax.block)(self) {
            args.get_or_insert_default().list.push(block);
        }
        if let Some(args) = args {
            let made = self.method(value, place, &name, args);
            self.place = self.own.aspect.take();
            return Some(flat::of_type(kind.as_deref(), made));
        }
        Some(self.attribute(value, place, &name))
    }

    fn subscript(&mut self, value: &Val, place: Option<&str>) -> Val {
        let close = self.pair();
        self.at += 1;
        // `$list[] = …`
        self.grown += u32::from(self.at == close);
        if let Val::Name(name) = value
            && (self.syntax.function)(name) == Some(Op::Named)
        {
            let args = self.range(self.at..close, Machine::argument_list);
            self.at = close + 1;
            return self.apply(value, &args);
        }
        let slices = self.syntax.slices
            && self.range(self.at..close, |machine| machine.find(|tok| *tok == Tok::Op(":")) < machine.end);
        if slices {
            let parts = self.range(self.at..close, |machine| machine.split(machine.end, ":"));
            let bounds: Vec<Val> = parts
                .into_iter()
                .map(|range| if range.is_empty() { Val::unknown() } else { self.expr_in(range) })
                .collect();
            self.at = close + 1;
            self.place = place.filter(|place| place.len() < 190).map(|place| Rc::from(format!("{place}.[]")));
            return text::slice(value, &bounds);
        }
        let key = self.range(self.at..close, |machine| machine.expr(0));
        self.at = close + 1;
        // `map["set"](…)` is a method by its name.
        if let (Val::List(_) | Val::Table(_), Val::Text(_), true) = (value, &key, self.sees("("))
            && let Some(name) = key.literal()
        {
            let args = self.arguments();
            return self.method(value, place, &name, args);
        }
        self.index(value, place, &key)
    }

    /// The item at a key. An object of the program is told by its own method what is set there.
    pub fn index(&mut self, value: &Val, place: Option<&str>, key: &Val) -> Val {
        let item = self.item_at(value, place, key);
        if let Val::Object(object) = value
            && let Some(class) = &object.own
            && ["__setitem__", "__delitem__", "offsetSet", "[]="]
                .iter()
                .any(|name| class.member(name).is_some())
        {
            let key = key.literal().filter(|key| key.len() < 100).unwrap_or_else(|| "?".to_owned());
            self.place = Some(Rc::from(format!("{}.{ITEM}{key}", object.class)));
        }
        item
    }

    fn item_at(&mut self, value: &Val, place: Option<&str>, key: &Val) -> Val {
        match (value, key, key.literal()) {
            (Val::Text(_), ..) if self.syntax.bare_calls && !self.syntax.symbolic => {
                self.place =
                    place.filter(|place| place.len() < 190).map(|place| Rc::from(format!("{place}.[]")));
                match key {
                    Val::Int(at) => text::slice(value, &[Val::Int(*at), Val::Int(at.saturating_add(1))]),
                    _ => Val::Unknown(value.taint().union(key.taint())),
                }
            }
            (Val::List(list), Val::Int(at), _) => {
                let at = if *at < 0 { at.saturating_add_unsigned(list.items.len() as u64) } else { *at };
                let item = usize::try_from(at).ok().and_then(|at| list.items.get(at)).cloned();
                self.place =
                    place.filter(|place| place.len() < 190).map(|place| Rc::from(format!("{place}.{at}")));
                match item {
                    Some(item) if !list.open => item,
                    _ => value.item(),
                }
            }
            (Val::List(_), ..) => {
                self.place =
                    place.filter(|place| place.len() < 190).map(|place| Rc::from(format!("{place}.?")));
                value.item()
            }
            (Val::Any(ways), ..) => self.each_way(ways, |machine, way| machine.index(way, None, key)),
            (Val::Class(class), ..) if class.member("__class_getitem__").is_some() => {
                let given = Args::of(vec![key.clone()]);
                self.method_of_class(&Rc::clone(class), "__class_getitem__", &given).unwrap_or_default()
            }
            (Val::Function(function), ..) if self.syntax.bare_calls => {
                self.invoke(&Rc::clone(function), &Args::of(vec![key.clone()]))
            }
            (Val::Text(_), Val::Int(at), _) => {
                text::slice(value, &[Val::Int(*at), Val::Int(at.saturating_add(1))])
            }
            // Whatever stands in it is only known when it runs.
            (Val::Name(name), ..) if &**name == "?" => value.clone(),
            // `Dir["*.rb"]` is a call.
            (Val::Name(name), ..) if (self.syntax.function)(&format!("{name}.[]")).is_some() => {
                self.library(&format!("{name}.[]"), &Args::of(vec![key.clone()]))
            }
            _ if let Some(item) = self.own_item(value, key) => item,
            (_, _, Some(key)) => self.attribute(value, place, &key),
            (Val::Name(name), _, None) if self.syntax.risky.contains(&&**name) => Val::name("?"),
            (Val::Table(_), _, None) => {
                self.place =
                    place.filter(|place| place.len() < 190).map(|place| Rc::from(format!("{place}.?")));
                let entries = value.items().into_iter().reduce(|all, entry| all.union(&entry));
                entries.unwrap_or(Val::Unknown(value.taint().union(key.taint())))
            }
            (Val::Name(name), _, None) => match (self.syntax.function)(&format!("{name}.?")) {
                Some(op) => self.perform(op, name, &Args::of(vec![key.clone()])),
                None => Val::unknown(),
            },
            _ => Val::Unknown(value.taint().union(key.taint())),
        }
    }

    /// A part of a value by its name.
    pub fn attribute(&mut self, value: &Val, place: Option<&str>, name: &str) -> Val {
        let place = number_of(value).map(|number| &**number).or(place);
        if name == "__dict__" && number_of(value).is_some() {
            self.place = place.map(Rc::from);
            return value.clone();
        }
        if let Some(told) = self.told_by_class(value, "__getattribute__", name) {
            self.place = None;
            return told;
        }
        let full =
            place.filter(|place| place.len() + name.len() < 200).map(|place| format!("{place}.{name}"));
        let known = full.as_deref().and_then(|full| self.scope.get(full)).cloned();
        // What a class says of all its objects is set where the class stands.
        let of_class = || match self.scope.get(name) {
            Some(text @ Val::Text(_)) if matches!(place, Some("self" | "cls")) => Some(text.clone()),
            _ => None,
        };
        let known = known.or_else(of_class);
        let result = match known {
            Some(known) => known,
            None => self.part(value, name),
        };
        self.place = full.map(Rc::from);
        result
    }

    pub fn part(&mut self, value: &Val, name: &str) -> Val {
        if let Some(part) = self.part_of_own(value, name) {
            return part;
        }
        if self.syntax.bare_calls
            && let Some(result) = self.called_bare(value, name)
        {
            return result;
        }
        match value {
            Val::Name(owner)
                if matches!(name, "to_proc" | "unbind" | "curry")
                    && (self.syntax.function)(owner).is_some() =>
            {
                value.clone()
            }
            Val::Name(owner) => self.named(&format!("{owner}.{name}")),
            Val::Any(ways) => self.each_way(ways, |machine, way| machine.part(way, name)),
            // A call needs no brackets: `Class.new`.
            Val::Class(class)
                if self.syntax.bare_calls
                    && let Some(result) = self.method_of_class(&Rc::clone(class), name, &Args::default()) =>
            {
                result
            }
            Val::Class(class) => self.part_of_class(class, name),
            Val::Object(object) if object.own.is_some() => {
                let told = ["__getattr__", "__get"].iter().find_map(|by| self.told_by_class(value, by, name));
                told.or_else(|| self.value_method(value, name)).unwrap_or(Val::Unknown(value.taint()))
            }
            Val::Object(object) if &*object.class == PROXY => self.proxy_part(object, name),
            Val::Object(object) => self.part_of_known(value, object, name),
            Val::Table(_) => self.part_of_table(value, name),
            Val::Pipe(pipe) if matches!(name, "stdout" | "output" | "text" | "stdoutText") => {
                Val::Text(pipe.printed.clone())
            }
            Val::Pipe(_)
                if matches!(name, "returncode" | "pid" | "status" | "exitCode" | "code" | "signal") =>
            {
                Val::unknown()
            }
            Val::Text(_) | Val::Unknown(_) if matches!(name, "length" | "size" | "byteLength") => {
                Val::unknown()
            }
            Val::File(handle) => handle.part(name).unwrap_or_else(|| value.clone()),
            Val::Pipe(_) => value.clone(),
            // The rows of a table, of whatever model: `model.objects.all()`.
            Val::Unknown(_) if name == "objects" => Val::name("model.objects"),
            // The way from any value to code: `[].constructor.constructor("…")`.
            _ if name == "constructor" => Val::name("constructor"),
            Val::List(list) if matches!(name, "length" | "size" | "count") && !list.open => {
                Val::Int(i64::try_from(list.items.len()).unwrap_or_default())
            }
            _ => self.value_method(value, name).unwrap_or(Val::Unknown(value.taint())),
        }
    }

    /// An entry of a table. What it does not have is unknown; where a call needs no brackets, it may be a method.
    fn part_of_table(&mut self, value: &Val, name: &str) -> Val {
        match value.entry(name).cloned() {
            Some(Val::Object(property)) if &*property.class == PROPERTY => {
                self.call_on(value, &property.args.at(0, &[]), &Args::default())
            }
            Some(entry) => entry,
            None if self.syntax.bare_calls || self.syntax.flat => {
                self.value_method(value, name).unwrap_or(Val::Unknown(value.taint()))
            }
            None => Val::Unknown(value.taint()),
        }
    }

    /// A part of an object of the library's.
    fn part_of_known(&mut self, value: &Val, object: &Object, name: &str) -> Val {
        let full = format!("{}.{name}", object.class);
        match (self.syntax.function)(&full) {
            Some(op) if op.is_value() => self.perform(op, &full, &object.args),
            _ if full.len() > 120 => Val::Unknown(value.taint()),
            _ => self.value_method(value, name).unwrap_or_else(|| Val::object(&full, object.args.clone())),
        }
    }

    fn part_of_class(&mut self, class: &Rc<Class>, name: &str) -> Val {
        match class.member(name).cloned() {
            Some(Val::Object(property)) if &*property.class == PROPERTY && !self.syntax.slices => {
                let this = Val::Class(Rc::clone(class));
                return self.call_on(&this, &property.args.at(0, &[]), &Args::default());
            }
            Some(shared) => return shared,
            None => {}
        }
        let full = format!("{}.{name}", class.name);
        match (self.syntax.function)(&full) {
            Some(_) => self.named(&full),
            None => self.part(&Val::unknown(), name),
        }
    }

    /// A method without arguments, where a call needs no brackets.
    fn called_bare(&mut self, value: &Val, name: &str) -> Option<Val> {
        match value {
            Val::Name(owner) => {
                self.asked_of_service(owner, name, &Args::default());
            }
            // `repo.branch("old").delete`
            Val::Object(object) if is_git(&object.class) => {
                let args = if name == "delete" { object.args.clone() } else { Args::default() };
                if let Some(result) = self.git_call(&object.class, name, &args) {
                    return Some(result);
                }
            }
            Val::Object(object) => {
                self.asked_of_service(&object.class, name, &Args::default());
            }
            _ => {}
        }
        None
    }

    /// Methods that are read like parts, without a call.
    fn value_method(&mut self, value: &Val, name: &str) -> Option<Val> {
        let plain = [Op::Read, Op::Pure(Pure::Same), Op::Pure(Pure::Reverse)];
        let reads = |op: &Op| self.syntax.flat && plain.contains(op);
        let op =
            (self.syntax.method)(name).filter(|op| op.is_value() || self.syntax.bare_calls || reads(op))?;
        Some(self.perform(op, name, &Args::of(vec![value.clone()])))
    }
}

fn is_function(value: &Val) -> bool {
    matches!(value, Val::Name(_) | Val::Function(_) | Val::Partial(_) | Val::Class(_) | Val::Any(_))
}

/// What the parts of an object of the program are kept under.
pub(super) fn number_of(value: &Val) -> Option<&Rc<str>> {
    match value {
        Val::Object(object) if object.own.is_some() => Some(&object.class),
        _ => None,
    }
}
