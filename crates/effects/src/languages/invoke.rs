//! Functions of the program: they run where they are called, with what is known there.

use std::rc::Rc;

use super::classes::Captured;
use super::expr::ARGUMENT;
use super::machine::Machine;
use super::scope::{Changes, OUTER};
use super::value::{Args, Function, Val};

/// Functions in one another, at most.
const ACTIVE: usize = 24;

/// The most values that a function keeps of the one that it was made in.
const CAPTURED: usize = 16;

impl Machine<'_, '_, '_> {
    /// A method that the program defines.
    pub fn own_method(&mut self, name: &str) -> Option<Val> {
        match self.scope.get(&format!(".{name}")) {
            Some(method @ (Val::Function(_) | Val::Any(_) | Val::Partial(_))) => Some(method.clone()),
            _ => None,
        }
    }

    /// Runs a function of the program.
    pub fn invoke(&mut self, function: &Rc<Function>, args: &Args) -> Val {
        self.invoke_on(None, function, args)
    }

    /// Runs a method of an object.
    pub fn invoke_on(&mut self, this: Option<&Val>, function: &Rc<Function>, args: &Args) -> Val {
        let again = self.active.iter().any(|active| Rc::ptr_eq(active, function));
        let informed = args.all().any(|value| !matches!(value, Val::Unknown(taint) if taint.is_empty()));
        // A walk that goes down into folders gives back, from there, what it gives back from here.
        if again && args.all().any(|value| matches!(value, Val::Text(_) | Val::File(_))) {
            return Val::list(Vec::new());
        }
        if again
            || self.active.len() >= ACTIVE
            || (function.called.get() && !informed && !function.params.is_empty())
        {
            return Val::Unknown(args.taint());
        }
        function.called.set(true);
        let from = self.scope.mark();
        self.scope.open();
        let before = this.map(|this| {
            self.scope.set(self.syntax.this, this.clone());
            self.own.this.replace(this.clone())
        });
        self.recall(function);
        self.active.push(Rc::clone(function));
        let value = self.inside(Rc::clone(&function.tokens), function.body.clone(), |machine| {
            machine.bind_params(function, args);
            if function.short {
                return machine.expr(ARGUMENT);
            }
            machine.returns.push(None);
            machine.statements();
            machine.returns.pop().flatten().unwrap_or_else(|| Val::name("None"))
        });
        let changes = self.scope.close();
        self.outlive(function, changes);
        self.active.pop();
        if let Some(before) = before {
            self.own.this = before;
        }
        let changed = self.scope.replay(from, self.active.is_empty());
        self.burn(changed);
        value
    }

    /// Parts of objects outlive the function, and so do variables where the language or the function says so.
    fn outlive(&mut self, function: &Function, changes: Changes) {
        let outside: Vec<Rc<str>> =
            changes.keys().filter_map(|name| name.strip_prefix(OUTER)).map(Rc::from).collect();
        for (name, end) in changes {
            let own = function.params.iter().any(|param| *param.name == *name)
                || *name == *self.syntax.this
                || function.captured.borrow().values.iter().any(|(known, _)| *known == name);
            let outer = name.contains('.')
                || name.starts_with('@')
                || (self.syntax.bare_calls && name.starts_with('$'));
            let stays = !self.syntax.local || outer;
            let said = outside.contains(&name);
            if let Some(end) = end.filter(|_| stays && !own || said) {
                self.scope.set(&name, end);
            }
        }
    }

    /// What a function that is being made keeps of the one that makes it.
    pub fn kept(&self) -> Captured {
        let Some(owner) = self.active.last() else { return Captured::default() };
        let kept = owner.captured.borrow();
        let names =
            owner.params.iter().map(|param| &param.name).chain(kept.values.iter().map(|(name, _)| name));
        let this = self.own.this.as_ref().map(|this| (Rc::from(self.syntax.this), this.clone()));
        let values = names.filter_map(|name| Some((Rc::clone(name), self.scope.get(name)?.clone())));
        let values = this.into_iter().chain(values).take(CAPTURED).collect();
        Captured { values, owner: Some(Rc::clone(owner)) }
    }

    /// What the function that made this one was given, where that is over.
    fn recall(&mut self, function: &Function) {
        let captured = function.captured.borrow();
        let over = captured
            .owner
            .as_ref()
            .is_some_and(|owner| !self.active.iter().any(|active| Rc::ptr_eq(active, owner)));
        if over {
            captured.values.iter().for_each(|(name, value)| self.scope.set(name, value.clone()));
        }
    }
}
