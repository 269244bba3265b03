//! Names, parts, items and calls.

use std::borrow::Cow;
use std::rc::Rc;

use tollgate_catalogue::libraries::{Known, Make, Meaning, Role};
use tollgate_shell::value::Value;

use super::functions::is_value;
use super::scope::{Symbol, Unit};
use super::store::{Cell, Slot};
use super::value::{Args, Binds, Val};
use super::{Machine, texts};
use crate::facts::{Act, Data, Why};
use crate::tree::{Kind, List, NodeId};

/// The longest name of something that a library returned.
const NAME: usize = 120;

/// The whole environment.
pub(super) const ENVIRONMENT: &str = "$ENV";

/// What was made by something that is not known.
const UNKNOWN: &str = "unknown";

/// The most that is kept of what is put into something.
const HELD: usize = 64;

/// A function that is picked by a name that is only known when it runs.
const PICKED: &str = "?";

impl Machine<'_> {
    /// What a name stands for.
    pub(super) fn lookup(&mut self, symbol: Symbol) -> Val {
        for cell in self.scopes.places(self.frame, symbol) {
            if let Slot::Val(value) = self.store.get(cell) {
                let value = value.clone();
                self.sees_variable(cell, &value);
                return value;
            }
        }
        let name = self.scopes.name(symbol);
        let starred = |machine: &Self, star: &Rc<str>| {
            let full = format!("{star}.{name}");
            machine.meaning(&full).is_some().then_some(full)
        };
        let full = self.stars.iter().find_map(|star| starred(self, star));
        self.named(full.as_deref().unwrap_or(&name))
    }

    /// A variable is looked at: what is being summed up holds as long as it is that.
    fn sees_variable(&mut self, cell: Cell, value: &Val) {
        if self.recordings.is_empty() || !self.store.is_outer(cell) {
            return;
        }
        let changes =
            matches!(value, Val::List(_) | Val::Table(_) | Val::Object(_) | Val::Any(_) | Val::File(_));
        let stamp = self.store.stamp(cell);
        self.has_read(cell, stamp);
        if let Some(recording) = self.recordings.last_mut().filter(|_| changes) {
            recording.depends = true;
        }
    }

    pub(super) fn has_read(&mut self, cell: Cell, stamp: u32) {
        if let Some(recording) = self.recordings.last_mut() {
            recording.reads.push((cell, stamp));
        }
    }

    /// Something of the language or a library, by its name.
    pub(super) fn named(&mut self, name: &str) -> Val {
        let plain = self.canonical(name).into_owned();
        match self.meaning(&plain) {
            Some(meaning) if is_value(meaning.role) => self.perform(meaning, &plain, &Args::default()),
            _ if plain == "__name__" => {
                let main = self.unit.tree.dialect.main;
                if self.modules.is_empty() {
                    Val::text(main)
                } else {
                    Val::some_text(tollgate_shell::value::Taint::NONE)
                }
            }
            _ => Val::name(&plain),
        }
    }

    /// The plain form of a name: without the detours to the same thing.
    pub(super) fn canonical<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let library = self.library;
        let mut plain = name;
        for prefix in library.prefixes {
            plain = plain.strip_prefix(prefix).unwrap_or(plain);
        }
        let mut made = Cow::Borrowed(plain);
        for filler in library.fillers {
            if made.contains(filler) {
                made = Cow::Owned(made.replace(filler, ""));
            }
        }
        for (alias, real) in library.aliases {
            if let Some(rest) = made.strip_prefix(alias) {
                made = Cow::Owned(format!("{real}{rest}"));
            }
        }
        // What a built-in function belongs to is where all of them are; the names that a function of a module knows are those
        // of the module.
        let [own, around] = self.unit.tree.dialect.implicit.owners;
        if !own.is_empty()
            && let Some((_, rest)) = made.rsplit_once(own)
            && let Some(rest) = rest.strip_prefix('.')
        {
            made = Cow::Owned(rest.to_owned());
        }
        if !around.is_empty()
            && let Some((function, rest)) = made.split_once(around)
            && let Some((module, _)) = function.trim_end_matches('.').rsplit_once('.')
        {
            made = Cow::Owned(format!("{module}{rest}"));
        }
        if let Some(at) = self.detour(&made) {
            made = Cow::Owned(made.get(at..).unwrap_or_default().to_owned());
        }
        made
    }

    /// Where a module begins that another one brought in for itself: `shutil.os.system`, `random._os.system`.
    fn detour(&self, name: &str) -> Option<usize> {
        let first = name.find('.')?;
        if !self.library.modules.contains(name.get(..first)?) {
            return None;
        }
        let mut at = first + 1;
        let mut found = None;
        for part in name.get(at..)?.split('.') {
            let plain = part.strip_prefix('_').unwrap_or(part);
            let end = at + part.len();
            if self.library.through.contains(&plain) && end < name.len() {
                found = Some(end - plain.len());
            }
            at = end + 1;
        }
        found
    }

    /// What a function of a library does.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        if let Some(meaning) = self.library.functions.get(name) {
            return Some(*meaning);
        }
        let native = self.library.native_prefixes.iter().any(|prefix| name.starts_with(prefix));
        if native && let Some(meaning) = self.library.native.get(name.rsplit('.').next().unwrap_or_default())
        {
            return Some(*meaning);
        }
        let program = self.library.programs.iter().find_map(|prefix| name.strip_prefix(prefix))?;
        let plain = program.strip_suffix(".bake").unwrap_or(program);
        let named = !plain.contains('.') && plain.starts_with(|letter: char| letter.is_ascii_lowercase());
        named.then_some(Meaning { role: Role::RunsNamed, at: 0, with: None, flag: false, text: "" })
    }

    /// A call as it stands in the text.
    pub(super) fn call(&mut self, unit: &Rc<Unit>, callee: NodeId, args: List, makes: bool) -> Val {
        let Kind::Attribute { of, name } = unit.tree.kind(callee) else {
            let callee = self.expr(callee);
            let args = self.items(unit, args);
            return self.apply(&callee, &args);
        };
        let of = self.expr(of);
        let args = self.items(unit, args);
        let name = unit.tree.name(name);
        if crate::holes::first_in(name).is_some() {
            self.opaque(Why::Picked);
            self.callbacks(&args);
            return Val::Unknown(args.taint());
        }
        if makes {
            let callee = self.attribute(&of, name);
            return self.apply(&callee, &args);
        }
        self.method(&of, name, &args)
    }

    /// Calls a value.
    pub(super) fn apply(&mut self, callee: &Val, args: &Args) -> Val {
        if !self.burn(8) || !self.enter() {
            return Val::Unknown(args.taint());
        }
        let value = self.apply_any(callee, args);
        self.leave();
        value
    }

    fn apply_any(&mut self, callee: &Val, args: &Args) -> Val {
        match callee {
            Val::Name(name) if &**name == PICKED => {
                self.opaque(Why::Picked);
                Val::unknown()
            }
            Val::Name(name) => {
                self.asked_objects(args);
                self.call_library(&Rc::clone(name), args)
            }
            Val::Function(closure) => self.invoke(None, &Rc::clone(closure), args),
            Val::Partial(partial) => {
                let mut all = partial.args.clone();
                all.list.extend(args.list.iter().cloned());
                all.named.extend(args.named.iter().cloned());
                all.open |= args.open;
                match &partial.this {
                    Some(this) => self.call_on(this, &partial.target, &all),
                    None => self.apply(&partial.target, &all),
                }
            }
            Val::Class(class) => self.make(&Rc::clone(class), args),
            Val::Any(ways) => self.each_way(&Rc::clone(ways), |machine, way| machine.apply(way, args)),
            Val::Object(_) => {
                let invoked = self.unit.tree.dialect.invoked;
                self.method_of_object(callee, invoked, args).unwrap_or_else(|| {
                    self.callbacks(args);
                    Val::Unknown(args.taint())
                })
            }
            Val::Process(process) => self.run_again(&Rc::clone(process), args),
            Val::Made(made) if self.makes(&made.name, Make::Record) => self.record(&Rc::clone(made), args),
            Val::Made(made) => self.call_library(&Rc::clone(&made.name), args),
            other => {
                self.looks_at(other);
                self.callbacks(args);
                // Code that was picked from something that is not known is not known either.
                let taint = self.store.taint(other);
                Val::Unknown(args.all().fold(taint, |all, value| all.union(self.store.taint(value))))
            }
        }
    }

    fn makes(&self, name: &str, make: Make) -> bool {
        self.meaning(name).is_some_and(|meaning| meaning.role == Role::Makes(make))
    }

    /// An object with the parts that were named when its kind was made: `namedtuple("Job", "src dst")`.
    fn record(&mut self, kind: &super::value::Made, args: &Args) -> Val {
        let names = kind.args.val(1, &["field_names"]);
        let names: Vec<String> = match self.store.items(&names) {
            Some(items) => items.items.iter().filter_map(Val::literal).collect(),
            None => {
                let text = names.literal().unwrap_or_default();
                text.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect()
            }
        };
        let each = names.iter().enumerate().filter_map(|(at, name)| {
            let value = args.get(at).or_else(|| args.option(name))?;
            Some((Rc::from(name.as_str()), value.clone()))
        });
        let entries = each.collect();
        self.store.table(entries, None)
    }

    /// Each of several ways, none of which need be gone.
    pub(super) fn each_way(&mut self, ways: &[Val], mut each: impl FnMut(&mut Self, &Val) -> Val) -> Val {
        let mut values: Vec<Val> = Vec::new();
        let mut branches = Vec::new();
        for way in ways {
            branches.push(self.attempt(|machine| values.push(each(machine, way))));
        }
        self.store.join(branches, true);
        values.into_iter().reduce(|all, value| self.store.either_val(&all, &value)).unwrap_or_default()
    }

    /// Calls something of a library.
    pub(super) fn call_library(&mut self, name: &str, args: &Args) -> Val {
        let plain = self.canonical(name).into_owned();
        if self.stubs.iter().any(|stub| **stub == *plain) {
            self.callbacks(args);
            return Val::Unknown(args.taint());
        }
        if let Some(meaning) = self.meaning(&plain) {
            return self.perform(meaning, &plain, args);
        }
        // `str.lower(text)`, `Path.unlink(path)`: a method of what its first argument is.
        if let Some((owner, method)) = plain.rsplit_once('.')
            && let Some(first) = args.get(0).filter(|first| !matches!(first, Val::Name(_)))
            && (self.library.functions.contains_key(owner))
            && let Some(meaning) = self.library.methods.get(method)
        {
            self.looks_at(&first.clone());
            return self.perform(*meaning, &plain, args);
        }
        self.unknown_call(&plain, None, args)
    }

    /// Calls something that nothing is known of: it may call what it is given, and it may mean something to the host.
    fn unknown_call(&mut self, name: &str, of: Option<&Args>, args: &Args) -> Val {
        self.strange = true;
        let args = self.all_shown(args);
        let of = of.map(|of| self.arguments(of));
        let given = self.arguments(&args);
        self.note(Act::Call { name: Rc::from(name), of, args: given });
        self.changed_by(&args);
        self.callbacks(&args);
        if name.len() > NAME { Val::Unknown(args.taint()) } else { Val::made(name, args) }
    }

    /// Lists and tables that are handed to something unknown may be changed by it.
    fn changed_by(&mut self, args: &Args) {
        for value in &args.list {
            self.store.change_items(value, |items| items.open = true);
        }
    }

    /// The arguments, with the whole environment read where it is one of them.
    pub(super) fn all_exposed(&mut self, args: &Args) -> Args {
        let list = args.list.iter().map(|value| self.exposed(value)).collect();
        let named = args.named.iter().map(|(name, value)| (Rc::clone(name), self.exposed(value))).collect();
        Args { list, named, open: args.open }
    }

    /// The value; the whole environment is read where it is that.
    pub(super) fn exposed(&mut self, value: &Val) -> Val {
        match value {
            Val::Name(name) if &**name == ENVIRONMENT => self.whole_environment(),
            other => other.clone(),
        }
    }

    /// Calls a method of a value.
    pub(super) fn method(&mut self, value: &Val, name: &str, args: &Args) -> Val {
        if !self.burn(8) || !self.enter() {
            return Val::Unknown(args.taint());
        }
        let made = self.method_any(value, name, args);
        self.leave();
        made
    }

    fn method_any(&mut self, value: &Val, name: &str, args: &Args) -> Val {
        match value {
            Val::Any(ways) => self.each_way(&Rc::clone(ways), |machine, way| machine.method(way, name, args)),
            Val::Name(owner) if &**owner != PICKED => {
                self.asked_objects(args);
                let full = format!("{owner}.{name}");
                self.call_library(&full, args)
            }
            Val::Module(frame) => {
                let names = self.names_of(*frame);
                match self.store.entry(&names, name) {
                    Some(own) => self.apply(&own, args),
                    None => self.method_by_name(value, name, args),
                }
            }
            Val::Class(class) => match self.member(&Rc::clone(class), name) {
                Some(Val::Function(closure)) if closure.binds.get() == Binds::Class => {
                    self.invoke(Some(value), &closure, args)
                }
                Some(Val::Function(closure)) if closure.binds.get() == Binds::Object => {
                    let this = args.get(0).cloned();
                    self.invoke(this.as_ref(), &closure, &args.skip(1))
                }
                Some(shared) => self.apply(&shared, args),
                None => match self.library_base(class) {
                    Some(base) => self.call_library(&format!("{base}.{name}"), args),
                    None => self.method_by_name(value, name, args),
                },
            },
            Val::Object(_) => self.object_method(value, name, args),
            Val::Made(made) => {
                let made = Rc::clone(made);
                self.made_method(value, &made, name, args)
            }
            Val::File(file) => self.file_method(&Rc::clone(file), name, args),
            Val::Process(process) => self.process_method(&Rc::clone(process), name, args),
            Val::Table(_) if let Some(own) = self.store.entry(value, name).filter(Val::is_callable) => {
                self.apply(&own, args)
            }
            Val::Function(_) | Val::Partial(_) if name == self.unit.tree.dialect.invoked => {
                self.apply(value, args)
            }
            _ => self.method_by_name(value, name, args),
        }
    }

    fn object_method(&mut self, value: &Val, name: &str, args: &Args) -> Val {
        if let Some(made) = self.method_of_object(value, name, args) {
            return made;
        }
        let class = self.store.class(value);
        match class.as_ref().and_then(|class| self.library_base(class)) {
            Some(base) => {
                let full = format!("{base}.{name}");
                self.call_library(&full, args)
            }
            None => match class.and_then(|class| self.member(&class, self.unit.tree.dialect.missing)) {
                Some(missing) => {
                    let picked = self.call_on(value, &missing, &Args::of(vec![Val::text(name)]));
                    self.apply(&picked, args)
                }
                None => self.method_by_name(value, name, args),
            },
        }
    }

    /// A method of a class above that of an object.
    fn method_above(&mut self, this: &Val, bases: &Val, name: &str, args: &Args) -> Val {
        let bases = self.store.items(bases).unwrap_or_default();
        for base in &bases.items {
            match base {
                Val::Class(class) => {
                    if let Some(method) = self.member(class, name) {
                        return self.call_on(this, &method, args);
                    }
                }
                Val::Name(base) => return self.call_library(&format!("{base}.{name}"), args),
                _ => {}
            }
        }
        Val::Nothing
    }

    /// A method of what something of a library returned.
    fn made_method(&mut self, value: &Val, made: &super::value::Made, name: &str, args: &Args) -> Val {
        if &*made.name == "super"
            && let (Some(this), Some(bases)) = (made.args.get(0), made.args.get(1))
        {
            return self.method_above(this, bases, name, args);
        }
        if let Some(parsed) = self.option_parser(made, name, args) {
            return parsed;
        }
        let full = self.canonical(&format!("{}.{name}", made.name)).into_owned();
        if let Some(meaning) = self.meaning(&full) {
            let of_itself =
                matches!(meaning.role, Role::KillsItself | Role::Sends | Role::Makes(Make::RequestOption))
                    || matches!(meaning.role, Role::Makes(_)) && self.library.methods.contains_key(name);
            let mut args = if of_itself { args.after(value.clone()) } else { args.clone() };
            if matches!(meaning.role, Role::Fetches | Role::Posts | Role::Requests) {
                args.named.push((Rc::from(crate::facts::CLIENT), value.clone()));
            }
            let result = self.perform(meaning, &full, &args);
            // An archive takes in what it reads.
            if meaning.role == Role::Reads {
                self.hold(value, &Args::of(vec![result.clone()]), 4);
            }
            return result;
        }
        let of = made.args.clone();
        match self.library.methods.get(name).copied() {
            // What belongs to a service deletes there, not a path.
            Some(Meaning { role: Role::Makes(make), .. }) if changes(make) => {
                self.hold(value, args, 4);
                self.unknown_call(&full, Some(&of), args)
            }
            Some(meaning) if matches!(meaning.role, Role::Makes(_)) => {
                self.perform(meaning, name, &args.after(value.clone()))
            }
            Some(meaning)
                if matches!(meaning.role, Role::Reads | Role::Writes) && made.name.ends_with("Path") =>
            {
                self.perform(meaning, name, &args.after(value.clone()))
            }
            _ => {
                if self.connected
                    && self.library.functions.contains_key(format!("connection.{name}").as_str())
                {
                    return self.send(args);
                }
                self.hold(value, args, 4);
                let result = self.unknown_call(&full, Some(&of), args);
                // What comes of something holds what that does.
                let taint = self.store.taint(value);
                if let (Val::Made(result), false) = (&result, taint.is_empty()) {
                    result.held.borrow_mut().push(Val::Unknown(taint));
                }
                result
            }
        }
    }

    /// Something is put into what a library made, and into what that was made with: it goes where that goes.
    pub(super) fn hold(&mut self, value: &Val, args: &Args, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let telling: Vec<Val> = args.all().filter(|value| self.tells(value)).cloned().collect();
        if telling.is_empty() {
            return;
        }
        match value {
            Val::Made(made) => {
                let mut held = made.held.borrow_mut();
                let room = HELD.saturating_sub(held.len());
                let plain = |value: &Val| match value {
                    Val::Made(_) => Val::Unknown(self.store.taint(value)),
                    other => other.clone(),
                };
                held.extend(telling.iter().map(plain).take(room));
                drop(held);
                for inner in made.args.all().filter(|inner| !matches!(inner, Val::Text(_))) {
                    self.hold(inner, args, depth);
                }
            }
            Val::File(handle) if handle.memory.is_some() => {
                let content = self.all_texts(&telling);
                self.write_to(&Rc::clone(handle), content);
            }
            _ => {}
        }
    }

    /// Does a value say anything that is not written in the program?
    fn tells(&self, value: &Val) -> bool {
        !self.store.taint(value).is_empty()
            || matches!(value, Val::Text(text) if text.any.iter().any(texts::holds_variable))
    }

    /// Calls a method that is known by its name alone, whatever it belongs to.
    fn method_by_name(&mut self, value: &Val, name: &str, args: &Args) -> Val {
        // The columns of a table are renamed, too.
        let known = self.library.methods.get(name).copied();
        let known = known.filter(|meaning| meaning.role != Role::Moves || is_new_name(value, args));
        match known {
            Some(meaning) => {
                self.looks_at(value);
                self.perform(meaning, name, &args.after(value.clone()))
            }
            None => {
                self.looks_at(value);
                let taint = self.store.taint(value);
                let sends = self.connected
                    && self.library.functions.contains_key(format!("connection.{name}").as_str());
                if matches!(value, Val::Unknown(_)) && sends {
                    return self.send(args);
                }
                let known = Args::of(vec![value.clone()]);
                let made = self.unknown_call(name, Some(&known), args);
                match value {
                    Val::Text(_) if is_question(name) => Val::unknown(),
                    Val::Text(_) => texts::remains(value, taint),
                    Val::Unknown(_) if taint.is_empty() && args.taint().is_empty() => {
                        Val::made(&format!("{UNKNOWN}.{name}"), args.clone())
                    }
                    Val::Unknown(_) => Val::Unknown(taint.union(args.taint())),
                    _ => made,
                }
            }
        }
    }

    /// A part of a value by its name.
    pub(super) fn attribute(&mut self, value: &Val, name: &str) -> Val {
        if crate::holes::first_in(name).is_some() {
            return Val::name(PICKED);
        }
        match value {
            Val::Name(owner) if &**owner != PICKED => {
                let full = format!("{owner}.{name}");
                self.named(&full)
            }
            Val::Any(ways) => {
                let ways: Vec<Val> = Rc::clone(ways).iter().map(|way| self.attribute(way, name)).collect();
                ways.into_iter().reduce(|all, way| self.store.either_val(&all, &way)).unwrap_or_default()
            }
            Val::Module(frame) => {
                let names = self.names_of(*frame);
                self.store.entry(&names, name).unwrap_or_default()
            }
            Val::Class(class) => match self.member(&Rc::clone(class), name) {
                Some(shared) => shared,
                None if name == "__name__" => Val::text(&class.name),
                None => match self.library_base(class) {
                    Some(base) => self.named(&format!("{base}.{name}")),
                    None => Val::unknown(),
                },
            },
            Val::Object(cell) if name == self.unit.tree.dialect.implicit.parts => Val::Table(*cell),
            Val::Object(_) => self.part_of_object(value, name).unwrap_or_default(),
            Val::Made(made) => {
                let full = self.canonical(&format!("{}.{name}", made.name)).into_owned();
                let (args, known) = (made.args.clone(), self.meaning(&full));
                match known.filter(|meaning| is_value(meaning.role)) {
                    Some(meaning) => self.perform(meaning, &full, &args),
                    None if full.len() > NAME => Val::Unknown(self.store.taint(value)),
                    None => self.value_method(value, name).unwrap_or_else(|| {
                        let held = Rc::clone(&made.held);
                        Val::Made(Rc::new(super::value::Made { name: Rc::from(full), args, held }))
                    }),
                }
            }
            Val::Process(process) => self.part_of_process(&Rc::clone(process), name),
            Val::File(file) => self.part_of_file(&Rc::clone(file), name),
            Val::Table(_) => match self.store.entry(value, name) {
                Some(entry) => entry,
                None => self.value_method(value, name).unwrap_or(Val::Unknown(self.store.taint(value))),
            },
            Val::Function(closure)
                if closure.binds.get() == Binds::Property
                    && name == self.unit.tree.dialect.implicit.setter =>
            {
                Val::made(name, Args::of(vec![value.clone()]))
            }
            _ => {
                self.looks_at(value);
                self.value_method(value, name).unwrap_or(Val::Unknown(self.store.taint(value)))
            }
        }
    }

    /// Methods that are read like parts, without a call.
    fn value_method(&mut self, value: &Val, name: &str) -> Option<Val> {
        let meaning = *self.library.methods.get(name)?;
        is_value(meaning.role).then(|| self.perform(meaning, name, &Args::of(vec![value.clone()])))
    }

    /// The item at a key.
    pub(super) fn index(&mut self, value: &Val, key: &Val) -> Val {
        self.looks_at(value);
        self.looks_at(key);
        match (value, key) {
            (Val::List(_), Val::Int(at)) => {
                let items = self.store.items(value).unwrap_or_default();
                let at = if *at < 0 { at.saturating_add_unsigned(items.items.len() as u64) } else { *at };
                match usize::try_from(at).ok().and_then(|at| items.items.get(at)).cloned() {
                    Some(item) if !items.open => item,
                    _ => self.store.item(value),
                }
            }
            (Val::List(_), _) => self.store.item(value),
            (Val::Table(_), _) => match key.literal() {
                Some(name) => match self.store.entry(value, &name) {
                    Some(entry) => match self.store.entries(value).and_then(|entries| entries.others.clone())
                    {
                        Some(other) => self.store.either_val(&entry, &other),
                        None => entry,
                    },
                    None if self.copies_environment(value) => {
                        self.perform_variable(&Args::of(vec![key.clone()]))
                    }
                    None => {
                        let others = self.store.entries(value).and_then(|entries| entries.others.clone());
                        others.unwrap_or(Val::Unknown(self.store.taint(value)))
                    }
                },
                None => self.any_part(value),
            },
            (Val::Any(ways), _) => {
                let ways: Vec<Val> = Rc::clone(ways).iter().map(|way| self.index(way, key)).collect();
                ways.into_iter().reduce(|all, way| self.store.either_val(&all, &way)).unwrap_or_default()
            }
            (Val::Text(_), Val::Int(at)) => {
                let end = if *at == -1 { Val::Nothing } else { Val::Int(at.saturating_add(1)) };
                texts::slice(&mut self.store, value, &[Val::Int(*at), end])
            }
            (Val::Object(_), _) => self.item_of_object(value, key),
            (Val::Class(class), _) => {
                let asked = self.unit.tree.dialect.implicit.class_item;
                match self.member(&Rc::clone(class), asked) {
                    Some(Val::Function(asked)) => {
                        self.invoke(Some(value), &asked, &Args::of(vec![key.clone()]))
                    }
                    _ => value.clone(),
                }
            }
            (Val::Name(name), _) => self.index_of_name(&Rc::clone(name), key),
            (Val::Made(_), _) => match key.literal() {
                Some(name) => self.attribute(value, &name),
                None => Val::Unknown(self.store.taint(value)),
            },
            _ => Val::Unknown(self.store.taint(value).union(self.store.taint(key))),
        }
    }

    /// Is a table a copy of the environment?
    fn copies_environment(&self, table: &Val) -> bool {
        matches!(self.store.entry(table, "**"), Some(Val::Name(name)) if &*name == ENVIRONMENT)
    }

    fn item_of_object(&mut self, value: &Val, key: &Val) -> Val {
        let dialect = self.unit.tree.dialect;
        let given = Args::of(vec![key.clone()]);
        self.method_of_object(value, dialect.item, &given)
            .or_else(|| self.method_of_object(value, dialect.implicit.missing_item, &given))
            .or_else(|| self.store.entry(value, &key.literal()?))
            .unwrap_or_default()
    }

    fn index_of_name(&mut self, name: &str, key: &Val) -> Val {
        let full = format!("{name}.?");
        if name == PICKED {
            return Val::name(PICKED);
        }
        if let Some(meaning) = self.meaning(&full) {
            return self.perform(meaning, &full, &Args::of(vec![key.clone()]));
        }
        // `rm["-rf", path]` is the program with its words.
        if let Some(meaning) = self.meaning(name).filter(|meaning| meaning.role == Role::RunsNamed) {
            let words = self.store.items(key).map_or_else(|| vec![key.clone()], |items| items.items.clone());
            return self.perform(meaning, name, &Args::of(words));
        }
        match key.literal() {
            Some(part) => self.attribute(&Val::name(name), &part),
            None if self.library.risky.contains(&name) => Val::name(PICKED),
            None => Val::unknown(),
        }
    }

    /// Sets a part of a value.
    pub(super) fn set_attribute(&mut self, of: &Val, name: &str, value: &Val) {
        let name: Rc<str> = Rc::from(name);
        match of {
            Val::Object(_) => self.set_part(of, &name, value),
            Val::Table(_) => self.store.set_entry(of, &name, value.clone()),
            Val::Class(class) => {
                let symbol = self.scopes.symbol(&name);
                let cell =
                    self.scopes.own(class.frame, symbol).unwrap_or_else(|| self.store.add(Slot::Unset));
                self.scopes.declare(class.frame, symbol, cell);
                self.store.set_val(cell, value.clone());
            }
            Val::Module(frame) => {
                let symbol = self.scopes.symbol(&name);
                let cell = self.scopes.own(*frame, symbol).unwrap_or_else(|| self.store.add(Slot::Unset));
                self.scopes.declare(*frame, symbol, cell);
                self.store.set_val(cell, value.clone());
            }
            Val::Name(owner) if self.is_words(&format!("{owner}.{name}")) => self.words = Some(value.clone()),
            Val::Name(owner) if self.searches(&format!("{owner}.{name}.append")) => {
                let folders = self.paths(value);
                self.folders.splice(..0, folders);
            }
            Val::Made(made) => {
                self.hold(of, &Args::of(vec![value.clone()]), 4);
                let data = crate::facts::Arguments { list: vec![self.data(value)], named: Vec::new() };
                let of = self.arguments(&made.args);
                let full = format!("{}.{name}", made.name);
                self.note(Act::Set { name: Rc::from(full), of, value: data });
            }
            Val::Any(ways) => Rc::clone(ways).iter().for_each(|way| self.set_attribute(way, &name, value)),
            Val::Unknown(taint) if !taint.is_empty() => self.unknown_set(*taint, &name, value),
            other => self.looks_at(other),
        }
    }

    /// A part of something is set of which only is known where it came from.
    fn unknown_set(&mut self, taint: tollgate_shell::value::Taint, name: &str, value: &Val) {
        let of = crate::facts::Arguments { list: vec![Data::Unknown(taint)], named: Vec::new() };
        let value = crate::facts::Arguments { list: vec![self.data(value)], named: Vec::new() };
        self.note(Act::Set { name: Rc::from(name), of, value });
    }

    /// Are these the program's own words?
    fn is_words(&self, name: &str) -> bool {
        self.meaning(name).is_some_and(|meaning| meaning.role == Role::Known(Known::Program))
    }

    /// Is it a list of folders in which modules are looked for?
    fn searches(&self, name: &str) -> bool {
        self.meaning(name).is_some_and(|meaning| meaning.role == Role::Searches)
    }

    /// Sets an item of a value.
    pub(super) fn set_index(&mut self, of: &Val, key: &Val, value: &Val) {
        self.looks_at(key);
        match (of, key) {
            (Val::Table(_), _) => match key.literal() {
                Some(name) => self.store.set_entry(of, &Rc::from(name), value.clone()),
                None => {
                    let before = self.store.entries(of).and_then(|entries| entries.others.clone());
                    let others = match before {
                        Some(before) => self.store.either_val(&before, value),
                        None => value.clone(),
                    };
                    self.store.change_entries(of, |entries| entries.others = Some(others));
                }
            },
            (Val::List(_), Val::Int(at)) => {
                let value = value.clone();
                let at = *at;
                self.store.change_items(of, |items| {
                    let at = if at < 0 { at.saturating_add_unsigned(items.items.len() as u64) } else { at };
                    match usize::try_from(at).ok().and_then(|at| items.items.get_mut(at)) {
                        Some(place) => *place = value,
                        None => items.open = true,
                    }
                });
            }
            (Val::List(_), _) => {
                let value = value.clone();
                self.store.change_items(of, |items| {
                    items.items.push(value);
                    items.open = true;
                });
            }
            (Val::Name(name), _) if &**name == ENVIRONMENT => self.set_variable(key, value),
            (Val::Object(_), _) => {
                let sets = self.unit.tree.dialect.implicit.sets_item;
                drop(self.method_of_object(of, sets, &Args::of(vec![key.clone(), value.clone()])))
            }
            (Val::Any(ways), _) => Rc::clone(ways).iter().for_each(|way| self.set_index(way, key, value)),
            (Val::Made(_), _) => self.hold(of, &Args::of(vec![value.clone()]), 4),
            (Val::Unknown(taint), _) if !taint.is_empty() => {
                let name = key.literal().unwrap_or_default();
                self.unknown_set(*taint, &name, value);
            }
            (Val::File(handle), _) => self.writes_over(&Rc::clone(handle), value),
            _ => {}
        }
    }

    /// The text of a value, of which there is at least something.
    pub(super) fn text_or(&self, value: Option<&Val>, otherwise: &str) -> Value {
        value.map_or_else(|| Value::text(otherwise), Val::as_text)
    }
}

/// Does it change what it is called on?
fn changes(make: Make) -> bool {
    matches!(
        make,
        Make::Append
            | Make::Extend
            | Make::Insert
            | Make::Pop
            | Make::Clear
            | Make::Update
            | Make::SetDefault
            | Make::Remove
            | Make::Turn
            | Make::Mix
            | Make::MixIn
            | Make::SetItem
            | Make::RemoveItem
    )
}

/// Is a method given nothing but another path for what may be one?
fn is_new_name(value: &Val, args: &Args) -> bool {
    let is_path = matches!(value, Val::Text(_) | Val::File(_)) && value.taint().is_empty();
    match args.list.as_slice() {
        [] => args.option("target").is_some(),
        [Val::Text(_) | Val::File(_)] => args.named.is_empty(),
        [Val::Unknown(_) | Val::Made(_)] => is_path && args.named.is_empty(),
        _ => false,
    }
}

/// Methods of texts that answer yes or no, or with a number.
fn is_question(name: &str) -> bool {
    name.starts_with("is") || matches!(name, "count" | "index" | "rindex" | "find" | "rfind")
}
