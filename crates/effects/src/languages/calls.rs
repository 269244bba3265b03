//! Calls: of functions, methods and what libraries have.

use std::rc::Rc;

use tollgate_model::work;
use tollgate_shell::value::Taint;

use super::classes::Class;
use super::flat::{COMMAND, OPENING};
use super::losses::REPOSITORY;
use super::machine::{Machine, Origin};
use super::members::number_of;
use super::network::CLIENT;
use super::opened::is_emulated;
use super::ops::Op;
use super::sayings::{is_body, is_new_name, is_question, is_sending, is_setting, names_only};
use super::services::{is_query, is_service};
use super::standins::PROXY;
use super::text::secret_in;
use super::value::{Args, Val};
use crate::analyst::taint;

impl Machine<'_, '_, '_> {
    /// Calls a value.
    pub fn apply(&mut self, callee: &Val, args: &Args) -> Val {
        match callee {
            Val::Name(name) if &**name == "?" => {
                let why = "its code picks a function by a name that is known only at run time";
                self.opaque(why);
                Val::unknown()
            }
            Val::Name(name) => self.library(name, args),
            Val::Function(function) => self.invoke(function, args),
            Val::Partial(partial) => {
                let mut all = partial.args.clone();
                all.list.extend(args.list.iter().cloned());
                all.named.extend(args.named.iter().cloned());
                match &partial.this {
                    Some(this) => self.call_on(this, &partial.target, &all),
                    None => self.apply(&partial.target, &all),
                }
            }
            Val::Class(class) => self.make(class, args),
            Val::Any(ways) => self.each_way(ways, |machine, way| machine.apply(way, args)),
            Val::Object(object) if object.own.is_some() => {
                self.method_of_own(callee, self.syntax.invoked, args).unwrap_or_else(|| {
                    self.callbacks(args);
                    Val::Unknown(callee.taint().union(args.taint()))
                })
            }
            Val::Text(_) if self.syntax.symbolic => self.apply_named(callee, args),
            Val::Pipe(pipe) => self.run_with(&Rc::clone(pipe), args),
            Val::Object(object) if &*object.class == PROXY => self.proxy_call(object, args),
            Val::Object(object) if is_service(&object.class) => {
                let (owner, last) = object.class.rsplit_once('.').unwrap_or(("", &object.class));
                if let Some(result) = self.client_call(owner, last, args) {
                    return result;
                }
                let last = if is_query(&object.class) { "query" } else { last };
                self.asked_of_service(owner, last, args);
                self.carries_off(owner, Some(callee), last, args);
                self.callbacks(args);
                Val::object(&object.class, args.clone())
            }
            other => {
                self.callbacks(args);
                Val::Unknown(other.taint().union(args.taint()))
            }
        }
    }

    /// Calls the function that a text names.
    fn apply_named(&mut self, name: &Val, args: &Args) -> Val {
        match name.literal().map(|name| name.replace("::", ".")) {
            Some(name) => {
                let function = self.named_function(&name);
                self.apply(&function, args)
            }
            None if self.around.origin == Origin::Inline => self.apply(&Val::name("?"), args),
            None => {
                self.callbacks(args);
                Val::Unknown(args.taint())
            }
        }
    }

    /// Calls something of a library.
    pub fn library(&mut self, name: &str, args: &Args) -> Val {
        let canonical = (self.syntax.canonical)(name);
        let name = canonical.as_deref().unwrap_or(name);
        if self.is_stubbed(name) {
            self.callbacks(args);
            return Val::Unknown(args.taint());
        }
        if name == "vars"
            && let Some(object) = args.get(0).filter(|value| number_of(value).is_some())
        {
            return object.clone();
        }
        self.sets_parts(name, args);
        match (self.syntax.function)(name) {
            Some(op) => self.perform(op, name, args),
            None if let Some(value) = self.any_method(name, args) => value,
            None => {
                self.strange = true;
                self.note_connection(name, args);
                self.note_peer(name, args);
                self.note_repository(name, args);
                let (owner, last) = name.rsplit_once('.').unwrap_or(("", name));
                if let Some(result) = self.client_call(owner, last, args) {
                    return result;
                }
                self.asked_of_service(owner, last, args);
                let made = owner.ends_with(".new").then(|| Val::name(owner));
                self.carries_off(owner, made.as_ref(), last, args);
                let args = &self.exposed_args(args);
                self.changed_by_call(args);
                self.callbacks(args);
                if name.len() > 120 {
                    Val::Unknown(args.taint())
                } else {
                    Val::object_of(name, args.clone(), (self.syntax.foreign)(name))
                }
            }
        }
    }

    /// The arguments, with the whole environment read where it is one of them.
    pub fn exposed_args(&mut self, args: &Args) -> Args {
        let mut args = args.clone();
        for value in &mut args.list {
            *value = self.exposed(value);
        }
        args
    }

    /// The value; the whole environment is read where it is that.
    pub fn exposed(&mut self, value: &Val) -> Val {
        match value {
            Val::Name(name) if &**name == "$ENV" => self.environment(true, "", &Args::default()),
            other => other.clone(),
        }
    }

    /// Functions handed to something unknown are called by it.
    pub fn callbacks(&mut self, args: &Args) {
        self.callbacks_with(args, Taint::NONE);
    }

    /// A function of a library that is handed to something unknown is called by it with what follows:
    /// `scheduler.enter(1, 1, os.system, (text,))`.
    fn handed_on(&mut self, args: &Args) {
        for (at, value) in args.list.iter().enumerate() {
            let known = match value {
                Val::Name(name) => {
                    let canonical = (self.syntax.canonical)(name);
                    (self.syntax.function)(canonical.as_deref().unwrap_or(name)).is_some()
                }
                other => matches!(other, Val::Partial(_)),
            };
            if !known || !work::charge(args.list.len() - at) {
                continue;
            }
            let rest = args.skip(at + 1);
            let listed = ["args", "argument"].iter().find_map(|name| rest.option(name)).or(rest.get(0));
            let given = match listed {
                Some(Val::List(list)) if rest.list.len() < 2 => list.items.clone(),
                _ => rest.list.iter().filter(|value| !matches!(value, Val::Name(_))).cloned().collect(),
            };
            if !given.is_empty() || matches!(value, Val::Partial(_)) {
                self.apply(&value.clone(), &Args::of(given));
            }
        }
    }

    /// The same, with data of these marks.
    fn callbacks_with(&mut self, args: &Args, marks: Taint) {
        self.handed_on(args);
        let later = u32::from(self.run.analyst.languages.brief && marks.is_empty());
        self.unsure += later;
        let given = if marks.is_empty() { Args::default() } else { Args::of(vec![Val::Unknown(marks)]) };
        for value in args.all() {
            match value {
                Val::Function(function) => {
                    self.invoke(function, &given);
                }
                Val::Name(name) if !marks.is_empty() && (self.syntax.function)(name) == Some(Op::Eval) => {
                    self.library(&Rc::clone(name), &given);
                }
                Val::Table(table) => {
                    for (_, entry) in &table.entries {
                        if let Val::Function(function) = entry {
                            self.invoke(function, &Args::default());
                        }
                    }
                }
                _ => {}
            }
        }
        self.unsure -= later;
    }

    /// Calls a method of a value.
    pub fn method(&mut self, value: &Val, place: Option<&str>, name: &str, args: Args) -> Val {
        let place = number_of(value).map(|number| &**number).or(place);
        let full = place.map(|place| format!("{place}.{name}"));
        if let Some(own) = full.as_deref().and_then(|full| self.scope.get(full)).cloned() {
            return self.apply(&own, &args);
        }
        if let Some(result) = self.method_of_own(value, name, &args) {
            return result;
        }
        match value {
            Val::Any(ways) => {
                return self.each_way(ways, |machine, way| machine.method(way, place, name, args.clone()));
            }
            Val::Class(class) => {
                return self.of_class(&Rc::clone(class), place, name, args);
            }
            Val::Name(owner) if &**owner != "?" => return self.method_of_name(owner, name, args),
            Val::Object(object) if &*object.class == PROXY => return self.proxy_method(object, name, args),
            Val::Object(object) if &*object.class == COMMAND => {
                return self.command_method(object, place, name, &args);
            }
            Val::Object(object) if &*object.class == OPENING => {
                return self.opening_method(object, place, name, &args);
            }
            Val::Object(object) => {
                if let Some(result) = self.option_parser(object, name, &args) {
                    return result;
                }
                let full = format!("{}.{name}", object.class);
                if let Some(op) = (self.syntax.function)(&full) {
                    let mut all = args;
                    if op.wants_receiver() {
                        all.list.insert(0, value.clone());
                    } else if op.is_network() {
                        all.named.push((CLIENT.into(), value.clone()));
                    }
                    let result = self.perform(op, &full, &all);
                    // An archive takes in what it reads.
                    if matches!(op, Op::Read | Op::ReadAll) {
                        self.put_into(value, &Args::of(vec![result.clone()]));
                    }
                    return result;
                }
            }
            Val::Table(_) => {
                if let Some(entry) = value.entry(name).cloned() {
                    return self.apply(&entry, &args);
                }
            }
            Val::File(handle) => return self.file_method(&Rc::clone(handle), name, &args),
            Val::Pipe(pipe) => return self.pipe_method(&Rc::clone(pipe), name, &args),
            Val::Function(function) if matches!(name, "call" | "apply" | "bind" | "()" | "yield") => {
                // In JavaScript, what `this` is comes first.
                return self.invoke(&Rc::clone(function), &args.skip(usize::from(!self.syntax.bare_calls)));
            }
            _ => {}
        }
        self.method_by_name(value, place, name, args)
    }

    /// Calls what a class of the program has, or what the library has under its name.
    fn of_class(&mut self, class: &Rc<Class>, place: Option<&str>, name: &str, args: Args) -> Val {
        if let Some(result) = self.method_of_class(class, name, &args) {
            return result;
        }
        match (self.syntax.function)(&format!("{}.{name}", class.name)) {
            Some(_) => self.method_of_name(&class.name, name, args),
            None => self.method_by_name(&Val::unknown(), place, name, args),
        }
    }

    /// Calls a method that is known by its name alone, whatever it belongs to.
    fn method_by_name(&mut self, value: &Val, place: Option<&str>, name: &str, args: Args) -> Val {
        let remote = taint::has(value.taint(), taint::NET);
        if matches!(value, Val::Unknown(_)) && remote && is_setting(name) {
            self.send_headers(args.all().cloned().collect());
            return value.clone();
        }
        self.query_set(place, name, &args);
        self.table_grown(value, place, name, &args);
        let sends = is_sending(name) || remote && !args.list.is_empty() && is_body(name);
        if matches!(value, Val::Unknown(_)) && (self.connected || remote) && sends {
            return self.send_to_peer(name, args);
        }
        // A file is sent with the request, `post(url).attach("name", path)`, or on a connection.
        let sends_file = match name {
            "attach" => Some(1),
            "putbinaryfile" | "puttextfile" | "upload!" | "mput" => Some(0),
            _ => None,
        };
        if let (Val::Unknown(_), true, Some(at)) = (value, self.connected || remote, sends_file) {
            let content = Val::Text(self.read(&args.at(at, &[])));
            self.send_to_peer(name, Args::of(vec![content]));
            return value.clone();
        }
        if let Some(taken) = self.take_out(value, place, name, &args) {
            return taken;
        }
        if self.grow(value, place, name, &args.list) || self.path_grown(value, place, name, &args.list) {
            return Val::unknown();
        }
        let known = (self.syntax.method)(name).filter(|op| match op {
            // What belongs to a service deletes there, not a path.
            Op::DeleteSelf => !matches!(value, Val::Object(_)),
            Op::Open => !matches!(value, Val::Object(object) if is_service(&object.class)),
            // The columns of a table are renamed too.
            Op::Move => is_new_name(value, &args),
            _ => true,
        });
        if let Some(op) = known {
            let mut all = args;
            all.list.insert(0, value.clone());
            self.test_of_text(op, value, place, &all);
            let made = self.perform(op, name, &all);
            // `text.sub!(…)`, `text.concat(…)`
            let in_place = name.ends_with('!') || name == "concat";
            if self.syntax.bare_calls && in_place && matches!((value, &made), (Val::Text(_), Val::Text(_))) {
                self.text_changed(value, &made);
                self.assign(place.map(Rc::from), made.clone());
            }
            return made;
        }
        if let Some(own) = self.own_method(name) {
            let args = self.with_self(value, name, args);
            return self.apply(&own, &args);
        }
        self.strange_method(value, place, name, &args)
    }

    /// A method that nobody knows: of a client it may be a request, and what it is given it may call.
    fn strange_method(&mut self, value: &Val, place: Option<&str>, name: &str, args: &Args) -> Val {
        self.strange = true;
        let class = match value {
            Val::Object(object) => object.class.to_string(),
            _ => String::new(),
        };
        if let Some(result) = self.client_call(&class, name, args) {
            return result;
        }
        if let Some(result) = self.any_method(name, args) {
            return result;
        }
        // `filter()` that leaves nothing out is everything.
        let whole = match value {
            Val::Object(object) if object.args.list.is_empty() && object.args.named.is_empty() => {
                class.strip_suffix(".filter").map(|owner| format!("{owner}.all"))
            }
            _ => None,
        };
        if !is_emulated(value) {
            // What nobody knows is known by the names that lead to it: `db.sequelize`.
            let named = place.filter(|_| matches!(value, Val::Unknown(_))).unwrap_or(&class);
            self.asked_of_service(whole.as_deref().unwrap_or(named), name, args);
        }
        self.carries_off(&class, Some(value), name, args);
        let args = self.exposed_args(args);
        self.put_into(value, &args);
        self.changed_by_method(value, name, &args);
        self.callbacks_with(&args, value.taint());
        match value {
            Val::Unknown(_) if name == "delete" && args.list.is_empty() && args.named.is_empty() => {
                Val::object("unknown.delete", args)
            }
            _ if name == "getRepository" => Val::object(REPOSITORY, args),
            Val::Object(_) if is_service(&class) && class.len() < 120 => {
                Val::object(&format!("{class}.{name}"), args)
            }
            // Whatever is made of a secret holds a part of it.
            Val::Text(_) if let Some(secret) = secret_in(value).filter(|_| !is_question(name)) => secret,
            _ => Val::Unknown(value.taint().union(args.taint())),
        }
    }

    /// Calls a method of something of a library.
    fn method_of_name(&mut self, owner: &Rc<str>, name: &str, args: Args) -> Val {
        let full = format!("{owner}.{name}");
        let known = (self.syntax.canonical)(&full).unwrap_or(full);
        if let Some(result) = self.reflected(owner, name, &args) {
            return result;
        }
        if self.syntax.flat && &**owner == "$ENV" && (self.syntax.method)(name) == Some(Op::Each) {
            let all = self.environment(true, "", &Args::default());
            return self.method(&all, None, name, args);
        }
        match (self.syntax.function)(&known) {
            // A copy shows no more than the environment itself.
            _ if &**owner == "$ENV" && matches!(name, "copy" | "to_h" | "dup") => {
                return Val::Name(Rc::clone(owner));
            }
            Some(_) => return self.library(&known, &args),
            None => {}
        }
        // Whatever else goes through the environment sees all of it.
        if &**owner == "$ENV" && !names_only(name) {
            return self.environment(true, name, &args);
        }
        if let Some(result) = self.of_function(owner, name, &args) {
            return result;
        }
        // What is connected is used by its name before it has one: `const c = connect(…, () => c.pipe(…))`.
        let nameless = self.connected && !owner.contains('.') && (self.syntax.function)(owner).is_none();
        if nameless && is_sending(name) {
            return self.send_to_peer(name, args);
        }
        if nameless && (self.syntax.method)(name) == Some(Op::PipeTo) {
            let mut all = args;
            all.list.insert(0, Val::Unknown(taint::NET));
            return self.perform(Op::PipeTo, name, &all);
        }
        if let Some(op @ (Op::Then | Op::Dispatch)) = (self.syntax.method)(name) {
            let mut all = args;
            all.list.insert(0, Val::Name(Rc::clone(owner)));
            return self.perform(op, name, &all);
        }
        // `File.method(:delete)` is the function itself.
        if self.syntax.bare_calls
            && (self.syntax.function)(name) == Some(Op::ByName)
            && let Some(part) = args.literal(0)
        {
            return Val::name(&format!("{owner}.{part}"));
        }
        match self.own_method(name) {
            Some(own) => self.apply(&own, &args),
            None => self.library(&known, &args),
        }
    }

    /// `Class.forName("Runtime").getMethod("exec").invoke(object, …)`
    fn reflected(&mut self, owner: &str, name: &str, args: &Args) -> Option<Val> {
        match name.to_ascii_lowercase().as_str() {
            _ if !self.syntax.flat => None,
            "getmethod" | "getdeclaredmethod" => {
                let method = args.literal(0)?;
                let full = format!("{owner}.{method}");
                Some(Val::name(&(self.syntax.canonical)(&full).unwrap_or(full)))
            }
            "invoke" if (self.syntax.function)(owner).is_some() => Some(self.library(owner, &args.skip(1))),
            _ => None,
        }
    }

    /// Sends on the connection that was opened last.
    pub fn send_to_peer(&mut self, name: &str, args: Args) -> Val {
        let peer = self.peer.clone().unwrap_or_else(Val::unknown);
        let mut all = args;
        all.list.insert(0, Val::object("connection", Args::of(vec![Val::Unknown(taint::NET), peer])));
        self.perform(Op::Send, name, &all)
    }

    /// Methods of functions: they call it, now or later.
    fn of_function(&mut self, owner: &Rc<str>, name: &str, args: &Args) -> Option<Val> {
        let bare = self.syntax.bare_calls;
        if bare && matches!(name, "call" | "()") {
            return Some(self.library(owner, args));
        }
        (self.syntax.function)(owner)?;
        Some(match name {
            "to_proc" | "unbind" | "curry" | "bindTo" => Val::Name(Rc::clone(owner)),
            "bind" if bare => Val::Name(Rc::clone(owner)),
            // In JavaScript, what `this` is comes first.
            "call" if !self.syntax.symbolic => self.library(owner, &args.skip(1)),
            "apply" => self.library(owner, &Args::of(args.at(1, &[]).items())),
            "bind" => Val::partial(Val::Name(Rc::clone(owner)), args.skip(1)),
            "invokeArgs" => self.library(owner, &Args::of(args.at(0, &[]).items())),
            "invoke" | "__invoke" | "value" => self.library(owner, args),
            _ => return None,
        })
    }
}
