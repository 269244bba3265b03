//! What stands in for something else: methods that a class has for names and keys it does not know, proxies, and functions
//! that a test puts in the place of real ones.

use std::rc::Rc;

use super::machine::Machine;
use super::ops::Op;
use super::value::{Args, Object, Val};

/// The classes of what `Proxy` and `spyOn` return.
pub(super) const PROXY: &str = "Proxy";
const SPY: &str = "spy";

/// The most functions that a program puts others in the place of.
const STUBS: usize = 256;

impl Machine<'_, '_, '_> {
    /// A method or a function that nobody defines, in a program that has one for all such names.
    ///
    /// What it returns may be a name that nobody defines either: it is asked once.
    pub fn any_method(&mut self, name: &str, args: &Args) -> Option<Val> {
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let found = self.method_for_all(name, args);
        self.asked = false;
        found
    }

    fn method_for_all(&mut self, name: &str, args: &Args) -> Option<Val> {
        let short = name.rsplit('.').next().unwrap_or(name);
        let text = Val::text(short);
        for own in ["__call", "__callStatic"] {
            if let Some(function) = self.own_method(own) {
                let given = vec![text, Val::list(args.list.clone())];
                return Some(self.apply(&function, &Args::of(given)));
            }
        }
        if let Some(function) = self.own_method("method_missing") {
            let given = std::iter::once(text).chain(args.list.iter().cloned()).collect();
            return Some(self.apply(&function, &Args::of(given)));
        }
        if let Some(function) = self.own_method("AUTOLOAD") {
            self.scope.set("$AUTOLOAD", Val::text(&format!("main::{short}")));
            return Some(self.apply(&function, args));
        }
        let function = self.own_method("__getattr__")?;
        let found = self.apply(&function, &Args::of(vec![text]));
        Some(self.apply(&found, args))
    }

    /// An item that only the program's own class knows how to find.
    pub fn own_item(&mut self, value: &Val, key: &Val) -> Option<Val> {
        if !matches!(value, Val::Unknown(_) | Val::Object(_)) {
            return None;
        }
        let own = ["__getitem__", "__missing__"];
        let given = Args::of(vec![key.clone()]);
        if let Some(item) = own.iter().find_map(|name| self.method_of_own(value, name, &given)) {
            return Some(item);
        }
        let function = self.own_method("__getitem__").or_else(|| self.own_method("__missing__"))?;
        Some(self.apply(&function, &Args::of(vec![key.clone()])))
    }

    /// A part of a proxy: what its handler says, or what it stands for.
    pub fn proxy_part(&mut self, proxy: &Object, name: &str) -> Val {
        let target = proxy.args.at(0, &[]);
        match proxy.args.get(1).and_then(|handler| handler.entry("get")).cloned() {
            Some(get) => self.apply(&get, &Args::of(vec![target, Val::text(name)])),
            None => self.attribute(&target, None, name),
        }
    }

    /// A method of a proxy.
    pub fn proxy_method(&mut self, proxy: &Object, name: &str, args: Args) -> Val {
        let has = |trap: &str| proxy.args.get(1).is_some_and(|handler| handler.entry(trap).is_some());
        if !has("get") {
            return self.method(&proxy.args.at(0, &[]), None, name, args);
        }
        let method = self.proxy_part(proxy, name);
        self.apply(&method, &args)
    }

    /// A proxy is called.
    pub fn proxy_call(&mut self, proxy: &Object, args: &Args) -> Val {
        let target = proxy.args.at(0, &[]);
        let traps = ["apply", "construct"];
        let handler = proxy.args.get(1).cloned().unwrap_or_else(Val::unknown);
        match traps.iter().find_map(|trap| handler.entry(trap)).cloned() {
            Some(trap) => {
                let given = vec![target, Val::unknown(), Val::list(args.list.clone())];
                self.apply(&trap, &Args::of(given))
            }
            None => self.apply(&target, args),
        }
    }

    /// A test replaces a function, or looks at who calls it.
    pub fn test_op(&mut self, op: Op, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Proxy => Val::object(PROXY, args.clone()),
            Op::Stub => {
                // Without a function of its own, or for so many calls, the real one is called.
                if matches!(args.list.as_slice(), [_, _, Val::Function(_)]) {
                    self.stub(args);
                }
                Val::unknown()
            }
            Op::StubAll => {
                self.stub(args);
                Val::unknown()
            }
            Op::Spy => Val::object(SPY, args.clone()),
            Op::StubSpied => {
                if let Some(Val::Object(spy)) = args.get(0) {
                    self.stub(&spy.args);
                }
                args.at(0, &[])
            }
            Op::Unstub => {
                self.stubs.clear();
                Val::unknown()
            }
            _ => return None,
        })
    }

    /// Is the function one that a test has put another in the place of?
    pub fn is_stubbed(&self, name: &str) -> bool {
        let module = name.rsplit_once('.').map_or("", |(module, _)| module);
        self.stubs.iter().any(|stub| **stub == *name || stub.strip_suffix(".*") == Some(module))
    }

    /// `(module, "name", …)` is replaced from here on; `("module")` with all that is in it. What may never come to this
    /// place replaces nothing.
    fn stub(&mut self, args: &Args) {
        let name = match (args.get(0), args.literal(1)) {
            (Some(Val::Name(module)), Some(name)) => format!("{module}.{name}"),
            (Some(Val::Text(_)), _) => {
                let module = args.literal(0).unwrap_or_default();
                format!("{}.*", module.trim_start_matches("node:"))
            }
            _ => return,
        };
        let name = (self.syntax.canonical)(&name).unwrap_or(name);
        if self.unsure == 0 && self.stubs.len() < STUBS {
            self.stubs.push(Rc::from(name));
        }
    }

    /// The functions that `mock.patch("module.name")` replaces while its block runs.
    pub fn patched(&self, value: &Val) -> Option<Rc<str>> {
        let Val::Object(patch) = value else { return None };
        let plain = patch.args.named.iter().all(|(name, _)| matches!(&**name, "return_value" | "autospec"));
        let name = match (&*patch.class, patch.args.get(0), patch.args.literal(1)) {
            ("unittest.mock.patch" | "mock.patch", Some(Val::Text(name)), _) => name.as_literal()?.to_owned(),
            ("unittest.mock.patch.object" | "mock.patch.object", Some(Val::Name(module)), Some(name)) => {
                format!("{module}.{name}")
            }
            _ => return None,
        };
        plain.then(|| Rc::from(name))
    }
}
