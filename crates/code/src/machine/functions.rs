//! Functions of the program: how they are made, run and summed up.

use std::cell::{Cell as Flag, RefCell};
use std::rc::Rc;

use super::scope::Unit;
use super::store::Slot;
use super::summary::{Call, Known, Recording, Summary, symbol};
use super::value::{Args, Binds, Closure, Val};
use super::{Back, FUNCTIONS, Machine};
use crate::tree::{Function, FunctionId, Receiver, Rest};

/// Functions in one another, at most.
const ACTIVE: usize = 24;

/// How often a function is run that cannot be summed up.
const RUNS: u32 = 48;

/// The least nodes that a function has to have for it to be worth the while.
const WORTH: u32 = 3;

impl Machine<'_> {
    /// A function as a value.
    pub(super) fn closure(&mut self, unit: &Rc<Unit>, id: FunctionId) -> Val {
        let Some(function) = unit.tree.function(id) else { return Val::unknown() };
        let mut defaults = Vec::with_capacity(function.params.len());
        for param in &function.params {
            defaults.push(param.default.map(|default| self.expr(default)));
        }
        let closure = Rc::new(Closure {
            unit: Rc::clone(unit),
            id,
            frame: self.frame,
            defaults,
            class: RefCell::new(None),
            binds: Flag::new(if function.receiver == Receiver::Outer { Binds::Free } else { Binds::Object }),
            called: Flag::new(false),
            setter: RefCell::new(None),
            runs: Flag::new(0),
            summary: RefCell::new(Known::Nothing),
        });
        if unit.watched && self.functions.len() < FUNCTIONS && self.recordings.is_empty() {
            self.functions.push(Rc::clone(&closure));
        }
        Val::Function(closure)
    }

    /// A function with its name, and what its decorators make of it.
    pub(super) fn define(&mut self, unit: &Rc<Unit>, id: FunctionId) {
        let Some(function) = unit.tree.function(id) else { return };
        let decorators: Vec<Val> =
            unit.tree.list(function.decorators).iter().map(|one| self.expr(*one)).collect();
        let mut value = self.closure(unit, id);
        for decorator in decorators.iter().rev() {
            value = self.decorated(decorator, value);
        }
        if let Some(symbol) = function.name.and_then(|name| unit.symbol(name)) {
            let cell = self.place(symbol);
            self.store.set_val(cell, value);
        }
    }

    /// What a decorator makes of a function.
    pub(super) fn decorated(&mut self, decorator: &Val, function: Val) -> Val {
        let dialect = self.unit.tree.dialect;
        match (decorator, &function) {
            (Val::Name(name), Val::Function(closure)) if dialect.unbound.contains(&&**name) => {
                closure.binds.set(Binds::Free);
                function
            }
            (Val::Name(name), Val::Function(closure)) if &**name == dialect.class_bound => {
                closure.binds.set(Binds::Class);
                function
            }
            (Val::Name(name), Val::Function(closure)) if dialect.properties.contains(&&**name) => {
                closure.binds.set(Binds::Property);
                function
            }
            (Val::Made(made), Val::Function(closure)) if &*made.name == dialect.implicit.setter => {
                let Some(Val::Function(getter)) = made.args.get(0) else { return function };
                getter.setter.replace(Some(Rc::clone(closure)));
                Val::Function(Rc::clone(getter))
            }
            (Val::Function(_) | Val::Partial(_) | Val::Class(_) | Val::Object(_), _) => {
                let made = self.apply(decorator, &Args::of(vec![function.clone()]));
                let useful = made.is_callable() || matches!(made, Val::Object(_) | Val::Any(_));
                if useful { made } else { function }
            }
            _ => function,
        }
    }

    /// Runs a function of the program, as the method of an object or not.
    pub(super) fn invoke(&mut self, this: Option<&Val>, closure: &Rc<Closure>, args: &Args) -> Val {
        let taint = args.all().fold(args.taint(), |all, value| all.union(self.store.taint(value)));
        let again = self.active.iter().any(|active| Rc::ptr_eq(active, closure));
        // A walk that goes down into folders gives back, from there, what it gives back from here.
        if again || self.active.len() >= ACTIVE {
            let walks = args.all().any(|value| matches!(value, Val::Text(_) | Val::File(_)));
            return if walks && again { self.store.many(Vec::new()) } else { Val::Unknown(taint) };
        }
        closure.called.set(true);
        let known = closure.summary.borrow().clone();
        match known {
            Known::Sum(summary) if this.is_none() => {
                if let Some(value) = self.replay(&summary, closure, args) {
                    return value;
                }
            }
            Known::Exhausted(value) => return value,
            Known::Nothing if closure.runs.get() >= 1 && this.is_none() && self.is_worth(closure) => {
                self.sum_up(closure);
                let known = closure.summary.borrow().clone();
                if let Known::Sum(summary) = known
                    && let Some(value) = self.replay(&summary, closure, args)
                {
                    return value;
                }
            }
            _ => {}
        }
        let runs = closure.runs.get();
        closure.runs.set(runs + 1);
        if runs < RUNS {
            return self.run_function(this, closure, args);
        }
        // From here on, one run stands for all others.
        let unknown = Args { list: Vec::new(), named: Vec::new(), open: true };
        let mut value = Val::Unknown(taint);
        let changes = self.attempt(|machine| value = machine.run_function(this, closure, &unknown));
        self.store.join(vec![changes], true);
        closure.summary.replace(Known::Exhausted(value.clone()));
        value
    }

    fn is_worth(&self, closure: &Closure) -> bool {
        let Some(function) = closure.unit.tree.function(closure.id) else { return false };
        let range = closure.unit.tree.node(function.body).range;
        let plain = function.params.iter().all(|param| param.rest == Rest::One && !param.promoted);
        plain && !function.yields && range.end - range.start > WORTH
    }

    /// Runs a function with symbols for its arguments, and keeps what it tells where that holds for any.
    fn sum_up(&mut self, closure: &Rc<Closure>) {
        let Some(function) = closure.unit.tree.function(closure.id) else { return };
        let level = self.recordings.len() + 1;
        let args: Vec<Val> = (0..function.params.len()).map(|at| Val::Text(symbol(level, 'p', at))).collect();
        self.recordings.push(Recording::default());
        let before =
            (self.effort, self.peer.clone(), self.connected, self.all_processes, self.functions.len());
        let watched = self.store.watch();
        let mut back = Val::Nothing;
        let changes = self.attempt(|machine| back = machine.run_function(None, closure, &Args::of(args)));
        drop(changes);
        let changed = self.store.unwatch(watched);
        let recording = self.recordings.pop().unwrap_or_default();
        self.functions.truncate(before.4);
        let moved = self.effort.forks != before.0.forks
            || self.effort.calms != before.0.calms
            || self.effort.started != before.0.started
            || self.effort.grown != before.0.grown
            || self.connected != before.2;
        (self.effort, self.peer, self.connected, self.all_processes) =
            (before.0, before.1, before.2, before.3);
        let gives =
            matches!(back, Val::Text(_) | Val::Nothing | Val::Bool(_) | Val::Int(_) | Val::Unknown(_));
        let holds = !recording.depends && !changed && !moved && gives;
        let known = if holds {
            Known::Sum(Rc::new(Summary { facts: recording.facts, back, reads: recording.reads, level }))
        } else {
            Known::Runs
        };
        closure.summary.replace(known);
    }

    /// Tells what a function does with these arguments, without running it; `None` where they are not such that it holds.
    fn replay(&mut self, summary: &Summary, closure: &Rc<Closure>, args: &Args) -> Option<Val> {
        let function = closure.unit.tree.function(closure.id)?;
        if args.open || args.list.len() > function.params.len() {
            return None;
        }
        // Variables around it that it looks at have to be what they were.
        if summary.reads.iter().any(|(cell, stamp)| self.store.stamp(*cell) != *stamp) {
            return None;
        }
        for (cell, stamp) in &summary.reads {
            self.has_read(*cell, *stamp);
        }
        let mut given = Vec::with_capacity(function.params.len());
        for (at, param) in function.params.iter().enumerate() {
            let name = match closure.unit.tree.kind(param.target) {
                crate::tree::Kind::Name(name) => closure.unit.tree.name(name),
                _ => return None,
            };
            let default = closure.defaults.get(at).cloned().flatten();
            let value = args.get(at).or_else(|| args.option(name)).cloned().or(default)?;
            match value {
                Val::Text(text) => given.push(text),
                Val::Int(number) => given.push(tollgate_shell::value::Value::text(&number.to_string())),
                Val::Unknown(_) => given.push(value.as_text()),
                _ => return None,
            }
        }
        let mut call = Call { level: summary.level, args: given, answers: Vec::new() };
        for fact in &summary.facts {
            if !self.burn(8) {
                break;
            }
            let before = std::mem::replace(&mut self.range, fact.range);
            let act = call.act(&fact.act);
            let answer = match &act {
                crate::facts::Act::Print { text, aside, names } => {
                    self.print_with(&text.clone(), *aside, names.clone());
                    tollgate_shell::value::Value::empty()
                }
                _ => self.note(act),
            };
            call.answers.push(answer);
            self.range = before;
        }
        Some(call.back(&summary.back))
    }

    /// Runs a function where it stands.
    fn run_function(&mut self, this: Option<&Val>, closure: &Rc<Closure>, args: &Args) -> Val {
        let unit = Rc::clone(&closure.unit);
        let Some(function) = unit.tree.function(closure.id) else { return Val::unknown() };
        if !self.burn(20) || !self.enter() {
            return Val::unknown();
        }
        let around = self.scopes.around(closure.frame);
        let frame = self.scopes.open(Some(around), false);
        self.declare(frame, &unit, &function.locals);
        let this_before = (function.receiver != Receiver::Outer).then(|| {
            let class = closure.class.borrow().clone();
            (std::mem::replace(&mut self.this, this.cloned()), std::mem::replace(&mut self.class, class))
        });
        self.active.push(Rc::clone(closure));
        let before = (
            std::mem::replace(&mut self.unit, Rc::clone(&unit)),
            std::mem::replace(&mut self.frame, frame),
            self.range,
        );
        self.backs.push(Back::default());
        self.bind_params(closure, function, this, args);
        let value = if function.short {
            self.expr(function.body)
        } else {
            self.block(function.body);
            Val::Nothing
        };
        let back = self.backs.pop().unwrap_or_default();
        (self.unit, self.frame, self.range) = before;
        self.active.pop();
        if let Some((this, class)) = this_before {
            (self.this, self.class) = (this, class);
        }
        self.leave();
        if function.yields { self.store.many(back.yielded) } else { back.value.unwrap_or(value) }
    }

    fn bind_params(&mut self, closure: &Closure, function: &Function, this: Option<&Val>, args: &Args) {
        let first = this.filter(|_| function.receiver == Receiver::First);
        let mut list = first.into_iter().chain(&args.list).cloned();
        let mut used: Vec<Rc<str>> = Vec::new();
        for (at, param) in function.params.iter().enumerate() {
            let name = match self.unit.tree.kind(param.target) {
                crate::tree::Kind::Name(name) => Some(Rc::from(self.unit.tree.name(name))),
                _ => None,
            };
            let value = match param.rest {
                Rest::Items => {
                    let rest = list.by_ref().collect();
                    self.store.list_of(rest, args.open)
                }
                Rest::Named => {
                    let rest = args.named.iter().filter(|(name, _)| !used.contains(name)).cloned().collect();
                    let others = args.open.then(Val::unknown);
                    self.store.table(rest, others)
                }
                Rest::One => {
                    let named = || args.option(name.as_deref()?).cloned();
                    let given = list.next().or_else(named);
                    let default = closure.defaults.get(at).cloned().flatten();
                    match (given, default) {
                        // Where more may be given, a default is only one way.
                        (None, Some(default)) if args.open => {
                            self.store.either_val(&default, &Val::unknown())
                        }
                        (Some(given), Some(default)) if matches!(&given, Val::Unknown(taint) if taint.is_empty()) => {
                            self.store.either_val(&default, &given)
                        }
                        (given, default) => given.or(default).unwrap_or_default(),
                    }
                }
            };
            used.extend(name);
            if param.promoted
                && let (Some(this), Some(name)) = (self.this.clone(), used.last().cloned())
            {
                self.store.set_entry(&this, &name, value.clone());
            }
            self.assign(param.target, &value);
        }
    }

    /// Functions that are handed to something unknown are called by it, each time with what nobody knows.
    pub(super) fn callbacks(&mut self, args: &Args) {
        self.handed_on(args);
        let before = self.doubtful;
        self.doubtful |= self.program.only_loaded;
        let callable: Vec<Val> =
            args.all().filter(|value| matches!(value, Val::Function(_))).cloned().collect();
        let open = Args { open: true, ..Args::default() };
        for function in callable {
            self.maybe(|machine| drop(machine.apply(&function, &open)));
        }
        for value in args.all().filter(|value| matches!(value, Val::Table(_))).cloned().collect::<Vec<_>>() {
            let entries = self.store.entries(&value).unwrap_or_default();
            for (_, entry) in entries.entries.iter().filter(|(_, entry)| matches!(entry, Val::Function(_))) {
                self.maybe(|machine| drop(machine.apply(entry, &open)));
            }
        }
        self.doubtful = before;
    }

    /// A function of a library that is handed to something unknown is called by it with what follows:
    /// `scheduler.enter(1, 1, os.system, (text,))`.
    fn handed_on(&mut self, args: &Args) {
        for (at, value) in args.list.iter().enumerate() {
            let known = match value {
                Val::Name(name) => self.meaning(name).is_some_and(|meaning| !is_value(meaning.role)),
                other => matches!(other, Val::Partial(_)),
            };
            if !known {
                continue;
            }
            let rest = args.skip(at + 1);
            let listed =
                ["args", "argument"].iter().find_map(|name| rest.option(name)).or(rest.get(0)).cloned();
            let given = match listed.and_then(|list| self.store.items(&list)) {
                Some(items) if rest.list.len() < 2 => items.items.clone(),
                _ => rest.list.iter().filter(|value| !matches!(value, Val::Name(_))).cloned().collect(),
            };
            if !given.is_empty() || matches!(value, Val::Partial(_)) {
                self.apply(&value.clone(), &Args::of(given));
            }
        }
    }

    /// The object whose class a method asks for one above it.
    pub(super) fn above(&mut self) -> Val {
        match (&self.this, &self.class) {
            (Some(this), Some(class)) => {
                let bases = self.store.list(class.bases.clone());
                Val::made("super", Args::of(vec![this.clone(), bases]))
            }
            _ => Val::unknown(),
        }
    }

    /// The names of a module as a table.
    pub(super) fn names_of(&mut self, frame: super::scope::FrameId) -> Val {
        let all = self.scopes.all(frame);
        let entries = all.into_iter().filter_map(|(symbol, cell)| match self.store.get(cell) {
            Slot::Val(value) => Some((self.scopes.name(symbol), value.clone())),
            _ => None,
        });
        let entries = entries.collect();
        self.store.table(entries, None)
    }
}

/// Is it a value of the library, and no function?
pub(super) fn is_value(role: tollgate_catalogue::libraries::Role) -> bool {
    use tollgate_catalogue::libraries::{Make, Role};
    matches!(
        role,
        Role::Known(_)
            | Role::Constant
            | Role::StandsFor
            | Role::Makes(
                Make::Parent | Make::Parents | Make::Base | Make::Stem | Make::Suffix | Make::Itself
            )
    )
}
