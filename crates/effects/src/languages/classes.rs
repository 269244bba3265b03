//! Classes and objects of the program itself: every object has parts of its own, and the methods of its class.

use std::rc::Rc;

use tollgate_shell::value::Value;

use super::machine::Machine;
use super::options::Told;
use super::scope::bare;
use super::value::{Args, Function, Val};

/// A class.
#[derive(Debug)]
pub(super) struct Class {
    pub name: Rc<str>,
    /// Its methods, and what all its objects share.
    pub members: Vec<(Rc<str>, Val)>,
    pub bases: Vec<Val>,
    /// The parts that making an object fills in this order, where no constructor does.
    pub fields: Vec<Rc<str>>,
    /// The classes above it, in the order in which they are asked, each once.
    above: Vec<Rc<Class>>,
    /// How many classes lie above it, at most.
    depth: u32,
}

/// What a function keeps of the one that it was made in.
#[derive(Debug, Default)]
pub(super) struct Captured {
    pub values: Vec<(Rc<str>, Val)>,
    pub owner: Option<Rc<Function>>,
    /// Defaults of parameters that were changed in place.
    pub presets: Vec<(Rc<str>, Val)>,
    /// Variables of the blocks that it was made in, by their whole names, as they were at the ends of those.
    pub blocks: Vec<(Rc<str>, Val)>,
    /// Variables that it says are not its own.
    pub outer: Vec<Rc<str>>,
    /// The module that it is of.
    pub space: Rc<str>,
}

/// The most variables of the function around it that one keeps.
const KEPT: usize = 64;

impl Captured {
    /// What variables are in the end, besides what they were when the function was made. Those that are not known yet
    /// are added where they end with the function around it.
    pub fn update(&mut self, ends: &[(&str, &Val, bool)]) {
        for (name, end, local) in ends {
            let room = *local && self.values.len() < KEPT;
            match self.values.iter_mut().find(|(known, _)| **known == **name) {
                Some((_, value)) => *value = value.union(end),
                None if room => {
                    self.values.push((Rc::from(*name), (*end).clone()));
                }
                None => {}
            }
        }
    }

    /// A block that it was made in has ended.
    pub fn keep(&mut self, name: &Rc<str>, value: &Val) {
        if self.blocks.len() < KEPT && !self.blocks.iter().any(|(known, _)| known == name) {
            self.blocks.push((Rc::clone(name), value.clone()));
        }
    }
}

/// The object whose method runs, and how many were made.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub this: Option<Val>,
    /// A loop is run once more, for what it left itself to do.
    pub rounds: u32,
    /// Folders that modules are looked for in before all others.
    pub folders_first: Vec<Value>,
    /// What functions that are still being run have set outside of them.
    pub outside: Vec<(Rc<str>, Val)>,
    /// What the program's parser of options was told.
    pub options: Vec<Told>,
    /// The variables that the arguments being read stand in, and those of the arguments that were read last.
    pub places: Vec<Option<Rc<str>>>,
    pub given: Vec<Option<Rc<str>>>,
    /// What conditions made variables, in the branches where they hold.
    pub believed: Vec<(Rc<str>, Val)>,
    /// The part of a name that the last call yields: `name.suffix`.
    pub aspect: Option<Rc<str>>,
    /// The body of a class is being run, and no function of it.
    pub in_class: bool,
    made: u32,
    /// The class of each object that was made.
    pub classes: Vec<Rc<Class>>,
}

/// The most objects that are told apart.
const OBJECTS: u32 = 2000;

/// The most ways that are kept of a value.
const WAYS: usize = 8;

/// Classes lie above one another at most this high.
const HEIGHT: u32 = 16;

/// The most classes above one that are asked for a part.
const ABOVE: usize = 64;

/// The method that is called instead of making an object, under a name that no program has.
pub(super) const CALLED: &str = "-called";

/// Stands before the name of a part that is an item: `object[name]`.
pub(super) const ITEM: &str = "[]";

/// What a class says of a method that is read like a part.
pub(super) const PROPERTY: &str = "property";

impl Class {
    pub fn value(name: &str, members: Vec<(Rc<str>, Val)>, bases: Vec<Val>, fields: Vec<Rc<str>>) -> Val {
        let above = bases.iter().map(|base| match base {
            Val::Class(class) => class.depth + 1,
            _ => 0,
        });
        let depth = above.max().unwrap_or_default();
        let bases = if depth > HEIGHT { Vec::new() } else { bases };
        let depth = if depth > HEIGHT { 0 } else { depth };
        let above = order(&bases);
        Val::Class(Rc::new(Self { name: Rc::from(name), members, bases, fields, above, depth }))
    }

    /// A method or a shared part, of the class or one above it.
    pub fn member(&self, name: &str) -> Option<&Val> {
        self.own_member(name).or_else(|| self.above.iter().find_map(|class| class.own_member(name)))
    }

    fn own_member(&self, name: &str) -> Option<&Val> {
        self.members.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    /// The parts that making an object fills, those of the classes above it first.
    fn all_fields(&self) -> Vec<Rc<str>> {
        let above = self.above.iter().rev().flat_map(|class| &class.fields);
        let mut fields: Vec<Rc<str>> = Vec::new();
        for field in above.take(64).chain(&self.fields) {
            if !fields.contains(field) {
                fields.push(Rc::clone(field));
            }
        }
        fields
    }
}

/// The classes above one with these bases: each stands behind all that are made of it.
fn order(bases: &[Val]) -> Vec<Rc<Class>> {
    let mut all: Vec<Rc<Class>> = Vec::new();
    for base in bases.iter().take(4) {
        if let Val::Class(class) = base {
            all.push(Rc::clone(class));
            all.extend(class.above.iter().cloned());
        }
    }
    let mut order: Vec<Rc<Class>> = Vec::new();
    for class in all.into_iter().rev() {
        if !order.iter().any(|known| Rc::ptr_eq(known, &class)) {
            order.push(class);
        }
    }
    order.reverse();
    order.truncate(ABOVE);
    order
}

/// One of two values that are not alike; where nothing can be done with either, it is unknown.
pub(super) fn either(left: &Val, right: &Val) -> Val {
    let mut ways: Vec<Val> = Vec::new();
    for way in ways_of(left).iter().chain(ways_of(right)) {
        if !ways.iter().any(|known| is_same(known, way)) {
            ways.push(way.clone());
        }
    }
    let is_useful = |way: &Val| {
        matches!(
            way,
            Val::Name(_)
                | Val::Function(_)
                | Val::Partial(_)
                | Val::Class(_)
                | Val::Object(_)
                | Val::Table(_)
                | Val::List(_)
        )
    };
    if ways.len() > WAYS || !ways.iter().any(is_useful) {
        return Val::Unknown(left.taint().union(right.taint()));
    }
    Val::Any(Rc::from(ways))
}

fn ways_of(value: &Val) -> &[Val] {
    match value {
        Val::Any(ways) => ways,
        other => std::slice::from_ref(other),
    }
}

/// Are they one and the same thing?
pub(super) fn is_same(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::Name(left), Val::Name(right)) => left == right,
        (Val::Function(left), Val::Function(right)) => Rc::ptr_eq(left, right),
        (Val::Partial(left), Val::Partial(right)) => Rc::ptr_eq(left, right),
        (Val::Class(left), Val::Class(right)) => Rc::ptr_eq(left, right),
        (Val::Object(left), Val::Object(right)) => Rc::ptr_eq(left, right),
        (Val::Table(left), Val::Table(right)) => Rc::ptr_eq(left, right),
        (Val::List(left), Val::List(right)) => Rc::ptr_eq(left, right),
        (Val::Unknown(left), Val::Unknown(right)) => left == right,
        _ => false,
    }
}

impl Machine<'_, '_, '_> {
    /// Does the same with each that a value may be.
    pub fn each_way(&mut self, ways: &Rc<[Val]>, mut action: impl FnMut(&mut Self, &Val) -> Val) -> Val {
        let results: Vec<Val> = ways.iter().map(|way| action(self, way)).collect();
        results.into_iter().reduce(|all, next| all.union(&next)).unwrap_or_else(Val::unknown)
    }

    /// Runs the body of a class and takes down what it defines.
    pub fn class_of(
        &mut self,
        name: &str,
        bases: Vec<Val>,
        fields: Vec<Rc<str>>,
        body: impl FnOnce(&mut Self),
    ) -> Val {
        self.scope.open();
        body(self);
        let mut changes: Vec<(Rc<str>, Option<Val>)> = self.scope.close().into_iter().collect();
        changes.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut members: Vec<(Rc<str>, Val)> = Vec::new();
        for (whole, value) in changes {
            let known = bare(&whole);
            let Some(value) = value else { continue };
            if let Some(method) = known.strip_prefix('.').filter(|method| !method.contains('.')) {
                members.push((Rc::from(method), value.clone()));
                let any = self.scope.get(known).map_or_else(|| value.clone(), |before| before.union(&value));
                self.scope.set(known, any);
                continue;
            }
            let shared = known.strip_prefix("this.").unwrap_or(known);
            let is_method = matches!(value, Val::Function(_));
            let shared = if self.syntax.symbolic { shared.trim_start_matches('$') } else { shared };
            if !is_method && !shared.contains('.') {
                members.push((Rc::from(shared), value.clone()));
            }
            // What all its objects share is no variable around it, and one of a method that runs without an object.
            if self.syntax.local && !self.syntax.bare_calls {
                if !is_method && !shared.contains('.') {
                    self.scope.set(&format!("{}.{shared}", self.syntax.this), value);
                }
                continue;
            }
            // Elsewhere a method is called by its name alone.
            let outside =
                self.scope.get_whole(&whole).filter(|before| !is_method && !is_same(before, &value));
            let either = outside.map(|before| before.union(&value));
            self.scope.set_whole(whole, either.unwrap_or(value));
        }
        members.truncate(512);
        Class::value(name, members, bases, fields)
    }

    /// A class of objects with these parts: a list of names, names in one text, or one by one.
    pub fn record(&mut self, args: &Args) -> Val {
        let (first, block) = (usize::from(self.syntax.slices), args.list.last().cloned());
        let names =
            args.list.iter().skip(first).flat_map(Val::items_or_self).filter_map(|name| name.literal());
        let split = |name: String| name.split([' ', ',']).map(Rc::from).collect::<Vec<Rc<str>>>();
        let fields = names.flat_map(split).filter(|name| !name.is_empty()).take(32).collect();
        self.class_of("", Vec::new(), fields, |machine| {
            if let Some(Val::Function(block)) = block {
                block.called.set(true);
                machine.inside(Rc::clone(&block.tokens), block.body.clone(), Machine::statements);
            }
        })
    }

    /// Makes an object.
    pub fn make(&mut self, class: &Rc<Class>, args: &Args) -> Val {
        if self.own.made >= OBJECTS {
            self.callbacks(args);
            return Val::Unknown(args.taint());
        }
        if let Some(called) = class.member(CALLED).cloned() {
            self.call_on(&Val::Class(Rc::clone(class)), &called, args);
        }
        self.own.made += 1;
        let number: Rc<str> = Rc::from(format!("#{}", self.own.made));
        let object = Val::own_object(&number, class, args.taint());
        self.own.classes.push(Rc::clone(class));
        // What is made before the parts are; it may be something else altogether.
        if let Some(maker @ Val::Function(_)) = class.member("__new__").cloned() {
            let made = self.call_on(&Val::Class(Rc::clone(class)), &maker, args);
            if let Val::Text(_) | Val::List(_) | Val::Table(_) = made {
                return made;
            }
        }
        match class.member(self.syntax.constructor).cloned() {
            Some(constructor) => {
                self.call_on(&object, &constructor, args);
            }
            None => {
                self.fill(&number, class, args);
                self.method_of_own(&object, "__post_init__", &Args::default());
            }
        }
        object
    }

    /// Gives an object its parts, in the order of the class or by their names.
    fn fill(&mut self, number: &str, class: &Rc<Class>, args: &Args) {
        let fields = class.all_fields();
        if fields.is_empty() {
            self.callbacks(args);
        }
        for (at, field) in fields.iter().enumerate() {
            let named = || args.named.iter().find(|(name, _)| name == field).map(|(_, value)| value);
            let value = match args.get(at).or_else(named).cloned() {
                Some(value) => value,
                None => match class.member(field).cloned() {
                    Some(default) => self.default_of(default),
                    None => continue,
                },
            };
            self.assign(Some(Rc::from(format!("{number}.{field}"))), value);
        }
    }

    /// `field(default_factory=function)` is what the function returns.
    fn default_of(&mut self, value: Val) -> Val {
        let Val::Object(object) = &value else { return value };
        if !object.class.ends_with("field") && !object.class.ends_with("Field") {
            return value;
        }
        match (object.args.option("default_factory").cloned(), object.args.option("default").cloned()) {
            (Some(function), _) => self.apply(&function, &Args::default()),
            (None, Some(default)) => default,
            (None, None) => Val::Unknown(value.taint()),
        }
    }

    /// A class may have a method of its own for setting a part, which then decides what is set.
    pub fn set_by_class(&mut self, place: &str, value: &Val) -> bool {
        let Some((number, part)) = place.strip_prefix('#').and_then(|place| place.split_once('.')) else {
            return self.set_by_property(place, value);
        };
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some(class) = at.and_then(|at| self.own.classes.get(at)).cloned() else { return false };
        let number: Rc<str> = Rc::from(format!("#{number}"));
        let object = Val::own_object(&number, &class, value.taint());
        if let Some(key) = part.strip_prefix(ITEM) {
            let key = if key == "?" { Val::unknown() } else { Val::text(key) };
            let set = ["__setitem__", "offsetSet", "[]="].iter().find_map(|name| class.member(name)).cloned();
            let Some(set) = set else { return false };
            self.call_on(&object, &set, &Args::of(vec![key, value.clone()]));
            return true;
        }
        if let Some(described @ Val::Object(_)) = class.member(part).cloned()
            && self
                .method_of_own(&described, "__set__", &Args::of(vec![object.clone(), value.clone()]))
                .is_some()
        {
            return true;
        }
        let (setter, args) = match (class.member(part), class.member("__setattr__")) {
            (Some(Val::Object(property)), _) if &*property.class == PROPERTY => {
                (property.args.get(1).cloned(), vec![value.clone()])
            }
            (_, setter) => (setter.cloned(), vec![Val::text(part), value.clone()]),
        };
        let Some(setter @ Val::Function(function)) = &setter else { return false };
        // Within that method the part is set itself.
        if self.active.iter().any(|active| Rc::ptr_eq(active, function)) {
            return false;
        }
        self.call_on(&object, setter, &Args::of(args));
        true
    }

    /// A class may have a method of its own that says what a part is.
    pub fn told_by_class(&mut self, object: &Val, method: &str, part: &str) -> Option<Val> {
        let Val::Object(of) = object else { return None };
        match of.own.as_ref()?.member(method)?.clone() {
            Val::Function(function) if !self.active.iter().any(|active| Rc::ptr_eq(active, &function)) => {
                Some(self.invoke_on(Some(object), &function, &Args::of(vec![Val::text(part)])))
            }
            _ => None,
        }
    }

    /// Calls a method of an object.
    pub fn call_on(&mut self, object: &Val, method: &Val, args: &Args) -> Val {
        match method {
            Val::Function(function) => self.invoke_on(Some(object), function, args),
            Val::Partial(partial) if partial.this.is_none() => {
                let mut all = partial.args.clone();
                all.list.extend(args.list.iter().cloned());
                all.named.extend(args.named.iter().cloned());
                self.call_on(object, &partial.target.clone(), &all)
            }
            other => self.apply(other, args),
        }
    }

    /// Calls a method that the class of an object has.
    pub fn method_of_own(&mut self, object: &Val, name: &str, args: &Args) -> Option<Val> {
        let Val::Object(of) = object else { return None };
        let method = of.own.as_ref()?.member(name)?.clone();
        Some(self.call_on(object, &method, args))
    }

    /// A part that the class of an object has: a method of it, or what its method returns.
    pub fn part_of_own(&mut self, object: &Val, name: &str) -> Option<Val> {
        let Val::Object(of) = object else { return None };
        let class = Rc::clone(of.own.as_ref()?);
        Some(match class.member(name).cloned() {
            Some(Val::Object(property)) if &*property.class == PROPERTY => {
                self.call_on(object, &property.args.at(0, &[]), &Args::default())
            }
            Some(Val::Function(function)) if self.syntax.bare_calls => {
                self.invoke_on(Some(object), &function, &Args::default())
            }
            Some(method @ Val::Function(_)) => Val::bound(method, Args::default(), Some(object.clone())),
            Some(shared) => {
                // The class may have been given another one since.
                let set = self.scope.get(&format!("{}.{name}", class.name));
                let shared = set.map_or_else(|| shared.clone(), |set| set.union(&shared));
                self.described(object, shared)
            }
            None => return None,
        })
    }

    /// Any part of an object.
    pub fn parts_of_own(&mut self, object: &Val) -> Val {
        let Val::Object(of) = object else { return Val::unknown() };
        let fields = of.own.as_ref().map(|class| class.all_fields()).unwrap_or_default();
        let parts =
            fields.iter().filter_map(|field| self.scope.get(&format!("{}.{field}", of.class)).cloned());
        parts.reduce(|all, part| all.union(&part)).unwrap_or_else(Val::unknown)
    }

    /// Calls what a class has for all: a function of it, or the making of an object.
    pub fn method_of_class(&mut self, class: &Rc<Class>, name: &str, args: &Args) -> Option<Val> {
        if name == "new" && class.member(name).is_none() {
            return Some(self.make(class, args));
        }
        let method = class.member(name)?.clone();
        match args.list.split_first() {
            // `Class.method(object, …)`
            Some((this @ Val::Object(object), rest)) if object.own.is_some() && self.syntax.slices => {
                let args = Args { list: rest.to_vec(), named: args.named.clone() };
                Some(self.call_on(this, &method, &args))
            }
            _ if self.syntax.slices => Some(self.call_on(&Val::Class(Rc::clone(class)), &method, args)),
            _ => Some(self.apply(&method, args)),
        }
    }

    /// The object whose method runs, as one of the classes above its own.
    pub fn above(&mut self) -> Option<Val> {
        let this = self.own.this.clone()?;
        let Val::Object(object) = &this else { return None };
        let bases = object.own.as_ref()?.bases.clone();
        let Val::Class(above) = Class::value("super", Vec::new(), bases, Vec::new()) else { return None };
        Some(Val::own_object(&object.class, &above, this.taint()))
    }

    /// Makes the parts of the class above: `super(…)`.
    pub fn make_above(&mut self, args: &Args) -> Val {
        let constructor = self.above().and_then(|above| match &above {
            Val::Object(object) => {
                let class = object.own.as_ref()?;
                let found = class.member(self.syntax.constructor).cloned()?;
                Some((above.clone(), found))
            }
            _ => None,
        });
        match constructor {
            Some((above, constructor)) => self.call_on(&above, &constructor, args),
            None => {
                self.callbacks(args);
                Val::unknown()
            }
        }
    }
}
