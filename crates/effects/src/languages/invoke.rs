//! Functions of the program: they run where they are called, with what is known there.

use std::rc::Rc;

use super::classes::{Captured, is_same};
use super::expr::ARGUMENT;
use super::machine::Machine;
use super::scope::{Changes, Declared, OUTER, bare};
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
            || (function.called.get()
                && !informed
                && function.params.iter().any(|param| !param.receives)
                && function.captured.borrow().presets.is_empty())
        {
            return Val::Unknown(args.taint());
        }
        function.called.set(true);
        let from = self.scope.mark();
        let made = self.functions.len();
        let space = self.scope.swap_space(Rc::clone(&function.captured.borrow().space));
        let aliased = self.scope.aliased();
        self.scope.open();
        self.scope.enter_frame(true);
        let before = this.map(|this| {
            self.scope.set(self.syntax.this, this.clone());
            if let Some(class) = class_of(this).filter(|_| self.syntax.slices) {
                self.scope.set("cls", class);
            }
            self.own.this.replace(this.clone())
        });
        self.recall(function);
        self.active.push(Rc::clone(function));
        let in_class = std::mem::take(&mut self.own.in_class);
        let value = self.inside(Rc::clone(&function.tokens), function.body.clone(), |machine| {
            machine.bind_params(function, args);
            if function.short {
                return machine.expr(ARGUMENT);
            }
            machine.returns.push(None);
            machine.statements();
            machine.returns.pop().flatten().unwrap_or_else(|| Val::name("None"))
        });
        self.own.in_class = in_class;
        self.keep_presets(function, from);
        let declared = self.scope.leave_frame();
        let changes = self.scope.close();
        self.scope.forget_aliases(aliased);
        self.keep_ends(function, made, &changes, &declared);
        self.share_kept(function, &changes);
        self.active.pop();
        self.outlive(function, changes, &declared);
        self.scope.swap_space(space);
        if let Some(before) = before {
            self.own.this = before;
        }
        self.scope.replay(from, self.active.is_empty());
        self.burn(0);
        value
    }

    /// Parts of objects outlive the function, and so do variables where the language or the function says so.
    fn outlive(&mut self, function: &Function, changes: Changes, declared: &Declared) {
        let outside: Vec<String> = changes.keys().filter_map(|name| outer_name(name)).collect();
        let captured = function.captured.borrow();
        for (name, end) in changes {
            let known = bare(&name);
            // A variable that it has declared is none of those outside.
            let hides =
                || self.scope.get_whole(&name).is_some() && declared.iter().any(|(own, _)| *own == name);
            let own = function.params.iter().any(|param| *param.name == *known)
                || *known == *self.syntax.this
                || captured.values.iter().any(|(own, _)| **own == *known)
                || captured.blocks.iter().any(|(own, _)| *own == name)
                || hides();
            let outer = known.contains('.')
                || known.starts_with('@')
                || (self.syntax.bare_calls && known.starts_with('$'));
            let stays = !self.syntax.local || outer;
            let said = outside.iter().any(|outside| **outside == *name);
            if let Some(end) = end.filter(|_| stays && !own || said) {
                // Whether a block runs is up to whoever is given it.
                let end = match self.scope.get_whole(&name).filter(|_| said && self.syntax.bare_calls) {
                    Some(before) => before.union(&end),
                    None => end,
                };
                if said && !self.active.is_empty() {
                    self.own.outside.push((Rc::clone(&name), end.clone()));
                }
                self.scope.set_whole(name, end);
            }
        }
        // What is said to be outside of a function is outside of those around it, too.
        if self.active.is_empty() {
            for (name, end) in std::mem::take(&mut self.own.outside) {
                self.scope.set_whole(name, end);
            }
        }
    }

    /// What a function that is being made keeps of the one that makes it.
    pub fn kept(&self) -> Captured {
        let space = self.scope.space();
        let Some(owner) = self.active.last() else { return Captured { space, ..Captured::default() } };
        let kept = owner.captured.borrow();
        let names =
            owner.params.iter().map(|param| &param.name).chain(kept.values.iter().map(|(name, _)| name));
        let this = self.own.this.as_ref().map(|this| (Rc::from(self.syntax.this), this.clone()));
        let values = names.filter_map(|name| Some((Rc::clone(name), self.scope.get(name)?.clone())));
        let values = this.into_iter().chain(values).take(CAPTURED).collect();
        Captured { values, owner: Some(Rc::clone(owner)), space, ..Captured::default() }
    }

    /// Functions that were made by one which ends see its variables as they are at the end.
    fn keep_ends(&mut self, owner: &Rc<Function>, made: usize, changes: &Changes, declared: &Declared) {
        let is_made = |function: &&Rc<Function>| {
            function.captured.borrow().owner.as_ref().is_some_and(|known| Rc::ptr_eq(known, owner))
        };
        let made: Vec<Rc<Function>> =
            self.functions.get(made..).unwrap_or_default().iter().filter(is_made).cloned().collect();
        if made.is_empty() {
            return;
        }
        let symbolic = self.syntax.symbolic && !self.syntax.local;
        let is_own = |name: &str| {
            !name.contains('.')
                && (symbolic || !name.starts_with('@'))
                && !name.starts_with(['#', OUTER])
                && name != self.syntax.this
        };
        let outside: Vec<String> = changes.keys().filter_map(|name| outer_name(name)).collect();
        let said = |name: &str| outside.iter().any(|outside| *outside == *name);
        let space = self.scope.space();
        let local = |name: &Rc<str>| self.syntax.local || declared.iter().any(|(own, _)| own == name);
        let mut ends: Vec<(&str, &Val, bool)> = changes
            .iter()
            .filter(|(name, _)| name.starts_with(&*space) && is_own(bare(name)) && !said(name))
            .filter_map(|(name, end)| Some((bare(name), end.as_ref()?, local(name))))
            .collect();
        ends.sort_unstable_by_key(|(name, ..)| *name);
        for function in &made {
            function.captured.borrow_mut().update(&ends);
        }
        self.burn(made.len() * ends.len() / 4);
    }

    /// A default that a function changes in place is so changed when it is called again.
    fn keep_presets(&self, function: &Function, from: usize) {
        for param in function.params.iter().filter(|param| param.preset.is_some()) {
            let Some(before) = function.preset(param) else { continue };
            let mut now = before.clone();
            for (old, new) in self.scope.changed_since(from) {
                if is_same(&now, old) {
                    now = new.clone();
                }
            }
            if !is_same(&now, &before) && matches!(before, Val::List(_) | Val::Table(_)) {
                function.captured.borrow_mut().presets.push((Rc::clone(&param.name), now));
            }
        }
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
        captured.outer.iter().for_each(|name| self.scope.set(&format!("{OUTER}{name}"), Val::name("True")));
        captured.blocks.iter().for_each(|(name, value)| self.scope.set_whole(Rc::clone(name), value.clone()));
    }
}

/// The class that a method is of, which may be called on the class itself.
fn class_of(this: &Val) -> Option<Val> {
    match this {
        Val::Class(_) => Some(this.clone()),
        Val::Object(object) => object.own.clone().map(Val::Class),
        _ => None,
    }
}

/// The whole name of a variable that a function says is not its own.
fn outer_name(mark: &str) -> Option<String> {
    let name = bare(mark);
    let space = mark.strip_suffix(name)?;
    name.strip_prefix(OUTER).map(|name| format!("{space}{name}"))
}
