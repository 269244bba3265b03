//! Classes and objects of the program.

use std::rc::Rc;

use super::Machine;
use super::scope::Unit;
use super::store::{Entries, Slot};
use super::value::{Args, Binds, Class, Closure, Val};
use crate::tree::{Binary, ClassId};

/// Classes lie above one another at most this high.
const HEIGHT: usize = 16;

/// The most objects that are ended when the program ends.
const OBJECTS: usize = 64;

impl Machine<'_> {
    /// A class with its name, and what its decorators make of it.
    pub(super) fn define_class(&mut self, unit: &Rc<Unit>, id: ClassId) -> Val {
        let Some(class) = unit.tree.class(id) else { return Val::unknown() };
        let decorators: Vec<Val> =
            unit.tree.list(class.decorators).iter().map(|one| self.expr(*one)).collect();
        let bases = self.items(unit, class.bases);
        let frame = self.scopes.open(Some(self.frame), true);
        let name: Rc<str> = class.name.map_or_else(|| Rc::from(""), |name| Rc::from(unit.tree.name(name)));
        let fields = class.fields.iter().map(|field| Rc::from(unit.tree.name(*field))).collect();
        let maker = match bases.option(unit.tree.dialect.implicit.maker) {
            Some(Val::Class(maker)) => Some(Rc::clone(maker)),
            _ => bases.list.iter().find_map(|base| match base {
                Val::Class(base) => base.maker.clone(),
                _ => None,
            }),
        };
        let made = Rc::new(Class { name, frame, bases: bases.list, fields, maker });
        // What the body sets is the class's own.
        let outer = std::mem::replace(&mut self.frame, frame);
        self.declare_body(unit, class.body);
        self.block(class.body);
        self.frame = outer;
        for (_, cell) in self.scopes.all(frame) {
            if let Slot::Val(Val::Function(closure)) = self.store.get(cell) {
                closure.class.borrow_mut().get_or_insert_with(|| Rc::clone(&made));
            }
        }
        let mut value = Val::Class(Rc::clone(&made));
        for decorator in decorators.iter().rev() {
            value = match decorator {
                Val::Function(_) | Val::Partial(_) => {
                    let decorated = self.apply(decorator, &Args::of(vec![value.clone()]));
                    if matches!(decorated, Val::Class(_)) { decorated } else { value }
                }
                _ => value,
            };
        }
        if let Some(symbol) = class.name.and_then(|name| unit.symbol(name)) {
            let cell = self.place(symbol);
            self.store.set_val(cell, value.clone());
        }
        self.made_from(&made, &bases.named);
        value
    }

    /// The names that the body of a class sets.
    fn declare_body(&mut self, unit: &Rc<Unit>, body: crate::tree::NodeId) {
        use crate::tree::Kind;
        let Kind::Block(list) = unit.tree.kind(body) else { return };
        for statement in unit.tree.list(list) {
            let name = match unit.tree.kind(*statement) {
                Kind::Function(id) => unit.tree.function(id).and_then(|function| function.name),
                Kind::Class(id) => unit.tree.class(id).and_then(|class| class.name),
                Kind::Assign { target, .. } => match unit.tree.kind(target) {
                    Kind::Name(name) => Some(name),
                    _ => None,
                },
                _ => None,
            };
            self.declare(self.frame, unit, name.as_slice());
        }
    }

    /// Making a class may be something that those above it do.
    fn made_from(&mut self, class: &Rc<Class>, named: &[(Rc<str>, Val)]) {
        let value = Val::Class(Rc::clone(class));
        let dialect = self.unit.tree.dialect;
        if let Some(maker) = class.maker.clone() {
            self.made_by(&maker, class);
        }
        let named = named.iter().filter(|(name, _)| &**name != dialect.implicit.maker).cloned().collect();
        let args = Args { list: Vec::new(), named, open: false };
        for base in &class.bases {
            if let Val::Class(base) = base
                && let Some(Val::Function(made)) = self.member(base, self.unit.tree.dialect.made)
            {
                self.invoke(Some(&value), &made, &args);
            }
        }
    }

    /// A class of the program makes a class: it is given the name, the bases and the parts.
    fn made_by(&mut self, maker: &Rc<Class>, class: &Rc<Class>) {
        let dialect = self.unit.tree.dialect;
        let bases = self.store.list(class.bases.clone());
        let parts = self.names_of(class.frame);
        let given = Args::of(vec![Val::text(&class.name), bases, parts]);
        let before = self.forming.replace(Val::Class(Rc::clone(class)));
        if let Some(Val::Function(makes)) = self.member(maker, dialect.implicit.allocates) {
            self.invoke(Some(&Val::Class(Rc::clone(maker))), &makes, &given);
        }
        if let Some(Val::Function(fills)) = self.member(maker, dialect.constructor) {
            self.invoke(Some(&Val::Class(Rc::clone(class))), &fills, &given);
        }
        self.forming = before;
    }

    /// A method or a shared part, of a class or one above it.
    pub(super) fn member(&mut self, class: &Rc<Class>, name: &str) -> Option<Val> {
        if name.is_empty() {
            return None;
        }
        let symbol = self.scopes.known(name)?;
        let mut asked = vec![Rc::clone(class)];
        let mut at = 0;
        while let Some(class) = asked.get(at).cloned() {
            at += 1;
            let own = self.scopes.own(class.frame, symbol).and_then(|cell| self.store.val(cell).cloned());
            if own.is_some() || at > HEIGHT {
                return own;
            }
            let room = HEIGHT.saturating_sub(asked.len());
            asked.extend(class.bases.iter().take(room).filter_map(|base| match base {
                Val::Class(base) => Some(Rc::clone(base)),
                _ => None,
            }));
        }
        None
    }

    /// The library's class that a class is made from.
    pub(super) fn library_base(&self, class: &Class) -> Option<Rc<str>> {
        let mut asked: Vec<&Class> = vec![class];
        for _ in 0..HEIGHT {
            let class = asked.pop()?;
            for base in &class.bases {
                match base {
                    Val::Name(name) => return Some(Rc::clone(name)),
                    Val::Class(base) => asked.push(base),
                    _ => {}
                }
            }
        }
        None
    }

    /// Makes an object.
    pub(super) fn make(&mut self, class: &Rc<Class>, args: &Args) -> Val {
        let dialect = self.unit.tree.dialect;
        if let Some(maker) = class.maker.clone()
            && let Some(Val::Function(called)) = self.member(&maker, dialect.invoked)
        {
            return self.invoke(Some(&Val::Class(Rc::clone(class))), &called, args);
        }
        if let Some(Val::Function(allocates)) = self.member(class, dialect.implicit.allocates) {
            let made = self.invoke(Some(&Val::Class(Rc::clone(class))), &allocates, args);
            if matches!(made, Val::Object(_)) {
                return made;
            }
        }
        let object = Val::Object(self.store.add(Slot::Parts(Rc::clone(class), Rc::new(Entries::default()))));
        if self.objects.len() < OBJECTS && self.member(class, dialect.implicit.ends).is_some() {
            self.objects.push(object.clone());
        }
        let constructor = dialect.constructor;
        match self.member(class, constructor) {
            Some(made @ (Val::Function(_) | Val::Partial(_))) => drop(self.call_on(&object, &made, args)),
            _ => {
                let fields = self.fields(class);
                for (at, field) in fields.iter().enumerate() {
                    let given = args.get(at).or_else(|| args.option(field)).cloned();
                    if let Some(value) = given.or_else(|| self.preset_of(class, field)) {
                        self.store.set_entry(&object, field, value);
                    }
                }
                if let Some(made) = self.member(class, self.unit.tree.dialect.filled) {
                    self.call_on(&object, &made, &Args::default());
                }
                if let Some(base) = self.library_base(class) {
                    self.call_library(&base, args);
                }
            }
        }
        object
    }

    /// The parts that making an object fills, those of the classes above it first.
    fn fields(&self, class: &Class) -> Vec<Rc<str>> {
        let mut fields: Vec<Rc<str>> = Vec::new();
        for base in &class.bases {
            if let Val::Class(base) = base
                && fields.len() < 64
            {
                fields.extend(self.fields(base));
            }
        }
        for field in &class.fields {
            if !fields.contains(field) {
                fields.push(Rc::clone(field));
            }
        }
        fields
    }

    /// What `field(default_factory=…)` says of a part that is not given.
    fn preset_of(&mut self, class: &Rc<Class>, field: &str) -> Option<Val> {
        let Some(Val::Made(made)) = self.member(class, field) else { return None };
        let factory = made.args.option("default_factory").or(made.args.option("factory")).cloned();
        match factory {
            // What is known without being called is the value itself.
            Some(known @ Val::Text(_)) => Some(known),
            Some(factory) => Some(self.apply(&factory, &Args::default())),
            None => made.args.option("default").cloned(),
        }
    }

    /// Calls a function as the method of an object.
    pub(super) fn call_on(&mut self, object: &Val, function: &Val, args: &Args) -> Val {
        match function {
            Val::Function(closure) => match closure.binds.get() {
                Binds::Free => self.invoke(None, &Rc::clone(closure), args),
                Binds::Class => {
                    let class = self.store.class(object).map_or_else(|| object.clone(), Val::Class);
                    self.invoke(Some(&class), &Rc::clone(closure), args)
                }
                Binds::Object | Binds::Property => self.invoke(Some(object), &Rc::clone(closure), args),
            },
            Val::Any(ways) => {
                let ways: Vec<Val> = ways.iter().map(|way| self.call_on(object, way, args)).collect();
                ways.into_iter().reduce(|all, way| self.store.either_val(&all, &way)).unwrap_or_default()
            }
            other => self.apply(other, args),
        }
    }

    /// Calls a method of an object of the program; `None` where its class has none.
    pub(super) fn method_of_object(&mut self, object: &Val, name: &str, args: &Args) -> Option<Val> {
        if name.is_empty() {
            return None;
        }
        if let Some(own) =
            self.store.entry(object, name).filter(|own| own.is_callable() || matches!(own, Val::Name(_)))
        {
            return Some(self.apply(&own, args));
        }
        let class = self.store.class(object)?;
        if let Some(method) = self.member(&class, name) {
            if let Val::Function(closure) = &method
                && closure.binds.get() == Binds::Property
            {
                let value = self.invoke(Some(object), &Rc::clone(closure), &Args::default());
                return Some(self.apply(&value, args));
            }
            return Some(self.call_on(object, &method, args));
        }
        None
    }

    /// A part of an object of the program.
    pub(super) fn part_of_object(&mut self, object: &Val, name: &str) -> Option<Val> {
        let implicit = &self.unit.tree.dialect.implicit;
        let (reads, [gets, _]) = (implicit.reads_part, implicit.describes);
        let class = self.store.class(object)?;
        if let Some(asked @ Val::Function(_)) = self.member(&class, reads)
            && !self.is_active(&asked)
        {
            return Some(self.call_on(object, &asked, &Args::of(vec![Val::text(name)])));
        }
        if let Some(part) = self.store.entry(object, name) {
            return Some(part);
        }
        match self.member(&class, name) {
            Some(Val::Function(closure)) if closure.binds.get() == Binds::Property => {
                Some(self.invoke(Some(object), &closure, &Args::default()))
            }
            Some(Val::Function(closure)) => Some(self.bound(object, closure)),
            Some(shared @ Val::Object(_)) => {
                let given = Args::of(vec![object.clone(), Val::Class(Rc::clone(&class))]);
                Some(self.method_of_object(&shared, gets, &given).unwrap_or(shared))
            }
            Some(shared) => Some(shared),
            None => {
                let missing = self.unit.tree.dialect.missing;
                let asked =
                    self.member(&class, missing).filter(|_| name != missing && !missing.is_empty())?;
                Some(self.call_on(object, &asked, &Args::of(vec![Val::text(name)])))
            }
        }
    }

    /// A method with its object.
    fn bound(&mut self, object: &Val, closure: Rc<Closure>) -> Val {
        let target = Val::Function(closure);
        Val::Partial(Rc::new(super::value::Partial {
            target,
            args: Args::default(),
            this: Some(object.clone()),
        }))
    }

    /// Is a function being run?
    fn is_active(&self, function: &Val) -> bool {
        let Val::Function(closure) = function else { return false };
        self.active.iter().any(|active| Rc::ptr_eq(active, closure))
    }

    /// `a + b` where one of them is an object of the program.
    pub(super) fn operated(&mut self, op: Binary, left: &Val, right: &Val) -> Val {
        let operators = self.unit.tree.dialect.operators;
        for (_, [own, other, _]) in operators.iter().filter(|(known, _)| *known == op) {
            if let Some(made) = self.method_of_object(left, own, &Args::of(vec![right.clone()])) {
                return made;
            }
            if let Some(made) = self.method_of_object(right, other, &Args::of(vec![left.clone()])) {
                return made;
            }
        }
        Val::Unknown(self.store.taint(left).union(self.store.taint(right)))
    }

    /// `a += b` of an object that says itself what that is.
    pub(super) fn changed_in_place(&mut self, op: Binary, left: &Val, by: &Val) -> Option<Val> {
        if !matches!(left, Val::Object(_)) {
            return None;
        }
        let operators = self.unit.tree.dialect.operators;
        let mut own = operators.iter().filter(|(known, _)| *known == op);
        own.find_map(|(_, [.., own])| self.method_of_object(left, own, &Args::of(vec![by.clone()])))
    }

    /// A comparison of objects of the program.
    pub(super) fn compared_objects(&mut self, op: crate::tree::Comparison, left: &Val, right: &Val) {
        use crate::tree::Comparison;
        let own = self.unit.tree.dialect.comparisons;
        for name in own.iter().filter(|(known, _)| *known == op).flat_map(|(_, names)| *names) {
            let (of, with) = match op {
                Comparison::In | Comparison::NotIn => (right, left),
                _ => (left, right),
            };
            let made = self.method_of_object(of, name, &Args::of(vec![with.clone()]));
            if made.is_none() && !matches!(op, Comparison::In | Comparison::NotIn) {
                self.method_of_object(with, name, &Args::of(vec![of.clone()]));
            }
        }
    }

    /// A condition asks an object whether it is true.
    pub(super) fn asked_for_truth(&mut self, value: &Val) {
        if matches!(value, Val::Object(_)) {
            let ways = self.unit.tree.dialect.implicit.truth;
            ways.iter().any(|way| self.method_of_object(value, way, &Args::default()).is_some());
        }
    }

    /// A function of a library is given objects of the program, and may ask them for what they are. What was asked once is
    /// not asked again.
    pub(super) fn asked_objects(&mut self, args: &Args) {
        for value in args.all().filter(|value| matches!(value, Val::Object(_))) {
            let Some(class) = self.store.class(value) else { continue };
            for name in self.unit.tree.dialect.implicit.asked {
                if let Some(Val::Function(method)) = self.member(&class, name)
                    && !method.called.get()
                {
                    self.invoke(Some(value), &method, &Args::default());
                }
            }
        }
    }

    /// An object is done with.
    pub(super) fn ended(&mut self, value: &Val) {
        if matches!(value, Val::Object(_)) {
            let ends = self.unit.tree.dialect.implicit.ends;
            self.method_of_object(value, ends, &Args::default());
        }
    }

    /// The program ends, and with it all its objects.
    pub(super) fn all_ended(&mut self) {
        for object in std::mem::take(&mut self.objects) {
            self.ended(&object);
        }
    }

    /// Sets a part of an object as its class says: by a method for all of them, by a property, or by a part that is an object.
    pub(super) fn set_part(&mut self, object: &Val, name: &Rc<str>, value: &Val) {
        let implicit = &self.unit.tree.dialect.implicit;
        let (sets, [_, described]) = (implicit.sets_part, implicit.describes);
        let class = self.store.class(object);
        if let Some(all @ Val::Function(_)) = class.as_ref().and_then(|class| self.member(class, sets))
            && !self.is_active(&all)
        {
            self.call_on(object, &all, &Args::of(vec![Val::text(name), value.clone()]));
            return;
        }
        match class.as_ref().and_then(|class| self.member(class, name)) {
            Some(Val::Function(property)) if property.setter.borrow().is_some() => {
                let setter = property.setter.borrow().clone();
                if let Some(setter) = setter {
                    self.invoke(Some(object), &setter, &Args::of(vec![value.clone()]));
                }
            }
            Some(part @ Val::Object(_)) if self.has_method(&part, described) => {
                let given = Args::of(vec![object.clone(), value.clone()]);
                self.method_of_object(&part, described, &given);
            }
            _ => self.store.set_entry(object, name, value.clone()),
        }
    }

    fn has_method(&mut self, object: &Val, name: &str) -> bool {
        self.store.class(object).is_some_and(|class| self.member(&class, name).is_some())
    }
}
