//! Classes and objects of the program.

use std::rc::Rc;

use super::Machine;
use super::scope::Unit;
use super::store::{Entries, Slot};
use super::value::{Args, Binds, Class, Closure, Val};
use crate::tree::{Binary, ClassId};

/// Classes lie above one another at most this high.
const HEIGHT: usize = 16;

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
        let made = Rc::new(Class { name, frame, bases: bases.list, fields });
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
        self.made_from(&made);
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
    fn made_from(&mut self, class: &Rc<Class>) {
        let value = Val::Class(Rc::clone(class));
        for base in &class.bases {
            if let Val::Class(base) = base
                && let Some(Val::Function(made)) = self.member(base, self.unit.tree.dialect.made)
            {
                self.invoke(Some(&value), &made, &Args::default());
            }
        }
    }

    /// A method or a shared part, of a class or one above it.
    pub(super) fn member(&mut self, class: &Rc<Class>, name: &str) -> Option<Val> {
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
        let object = Val::Object(self.store.add(Slot::Parts(Rc::clone(class), Rc::new(Entries::default()))));
        let constructor = self.unit.tree.dialect.constructor;
        match self.member(class, constructor) {
            Some(made @ (Val::Function(_) | Val::Partial(_))) => drop(self.call_on(&object, &made, args)),
            _ => {
                let fields = self.fields(class);
                for (at, field) in fields.iter().enumerate() {
                    let value = args.get(at).or_else(|| args.option(field)).cloned();
                    if let Some(value) = value {
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
        if let Some(part) = self.store.entry(object, name) {
            return Some(part);
        }
        let class = self.store.class(object)?;
        match self.member(&class, name) {
            Some(Val::Function(closure)) if closure.binds.get() == Binds::Property => {
                Some(self.invoke(Some(object), &closure, &Args::default()))
            }
            Some(Val::Function(closure)) => Some(self.bound(object, closure)),
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

    /// `a + b` of an object of the program.
    pub(super) fn operated(&mut self, op: Binary, left: &Val, right: &Val) -> Val {
        let operators = self.unit.tree.dialect.operators;
        let Some((_, method)) = operators.iter().find(|(known, _)| *known == op) else {
            return Val::unknown();
        };
        let given = Args::of(vec![right.clone()]);
        self.method_of_object(left, method, &given).unwrap_or_default()
    }
}
