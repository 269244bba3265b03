//! Functions that call the functions they are given.

use std::rc::Rc;

use super::machine::Machine;
use super::ops::Op;
use super::value::{Args, Val};

impl Machine<'_, '_, '_> {
    /// Calls what it is given, for one item or for many.
    pub fn higher(&mut self, op: Op, args: &Args) -> Val {
        match op {
            Op::Map => {
                let items: Vec<Val> = args.list.iter().skip(1).map(Val::item).collect();
                let function = args.at(0, &[]);
                match args.get(1) {
                    Some(Val::List(list)) if args.list.len() == 2 && list.items.len() <= 64 => Val::list(
                        list.items
                            .iter()
                            .map(|item| self.apply(&function, &Args::of(vec![item.clone()])))
                            .collect(),
                    ),
                    _ => Val::many(vec![self.apply(&function, &Args::of(items))]),
                }
            }
            Op::Each => {
                let list = args.at(0, &[]);
                let Some(function) = args.list.get(1..).and_then(<[Val]>::last).cloned() else { return list };
                match &list {
                    Val::List(known) if known.items.len() <= 64 => {
                        let results = known.items.iter().map(|item| self.apply_to(&function, item));
                        let results: Vec<Val> = results.collect();
                        if known.open { Val::many(results) } else { Val::list(results) }
                    }
                    other => {
                        let item = other.item();
                        Val::many(vec![self.apply_to(&function, &item)])
                    }
                }
            }
            Op::Filter => self.filter(args, true),
            Op::Reject => self.filter(args, false),
            Op::Seek => self.seek(args),
            Op::Fold => self.fold(args),
            Op::Then => {
                let value = args.at(0, &[]);
                let mut result = value.clone();
                for function in args.list.iter().skip(1) {
                    result = self.apply(function, &Args::of(vec![value.clone()]));
                }
                result
            }
            Op::Apply => self.apply(&args.at(0, &["function", "func"]), &args.skip(1)),
            Op::Thread => {
                self.started += 1;
                let target = args.at(1, &["target"]);
                let list = args.at(3, &["args"]).items();
                self.apply(&target, &Args::of(list))
            }
            _ => Val::partial(args.at(0, &[]), args.skip(1)),
        }
    }

    /// The item for which a function is true, which is called for each; below a path, that is every file.
    fn seek(&mut self, args: &Args) -> Val {
        let found = match args.get(0) {
            Some(path @ Val::Text(_)) => {
                self.files(Op::GlobDeep, &Args::of(vec![path.clone(), Val::text("*")]))
            }
            other => other.cloned().unwrap_or_default(),
        };
        let function = args.list.iter().skip(1).cloned();
        self.higher(Op::Each, &Args::of(std::iter::once(found.clone()).chain(function).collect()));
        found.item()
    }

    /// Calls a function with an item; `&:name` is the item's method of that name.
    pub fn apply_to(&mut self, function: &Val, item: &Val) -> Val {
        match function.literal().filter(|_| self.syntax.bare_calls && !self.syntax.symbolic) {
            Some(name) => self.method(item, None, &name, Args::default()),
            // `File::delete` is what each of them does.
            None if let Val::Name(name) = function
                && self.syntax.flat
                && (self.syntax.function)(name).is_none()
                && let Some((_, part)) = name.rsplit_once('.')
                && (self.syntax.method)(part).is_some() =>
            {
                self.method(item, None, part, Args::default())
            }
            None => self.apply(function, &Args::of(vec![item.clone()])),
        }
    }

    /// `reduce(function, list, first)` and `list.reduce(function, first)`.
    fn fold(&mut self, args: &Args) -> Val {
        let is_function = |value: &&Val| matches!(value, Val::Function(_) | Val::Name(_) | Val::Partial(_));
        let list = args.list.iter().find_map(|value| match value {
            Val::List(list) if !list.open && list.items.len() <= 64 => Some(Rc::clone(list)),
            _ => None,
        });
        let (Some(function), Some(list)) = (args.list.iter().find(is_function).cloned(), list) else {
            self.callbacks(args);
            return Val::Unknown(args.taint());
        };
        let start = args.get(2).cloned();
        let (start, rest) = match (start, list.items.split_first()) {
            (Some(start), _) => (start, list.items.as_slice()),
            (None, Some((first, rest))) => (first.clone(), rest),
            (None, None) => return Val::unknown(),
        };
        rest.iter().fold(start, |all, item| self.apply(&function, &Args::of(vec![all, item.clone()])))
    }

    /// An item of a list, an entry of a table.
    pub fn get(&mut self, args: &Args) -> Val {
        let found = args.get(0).cloned().unwrap_or_else(Val::unknown);
        let Some(key) = args.get(1) else { return found.item() };
        let item = self.index(&found, None, key);
        match args.get(2) {
            Some(default) => item.union(default),
            None => item,
        }
    }

    /// `receiver.send(:name, …)`, or `send(:name, …)`.
    pub fn dispatch(&mut self, called: &str, args: &Args) -> Val {
        let bare = matches!(called, "send" | "public_send" | "__send__")
            && matches!(args.get(0), Some(Val::Text(_)))
            && (self.syntax.function)(&args.literal(0).unwrap_or_default()).is_some();
        if bare || args.list.len() < 2 {
            return match args.literal(0) {
                Some(name) => self.library(&name, &args.skip(1)),
                None => Val::Unknown(args.taint()),
            };
        }
        match args.literal(1) {
            Some(name) => self.method(&args.at(0, &[]), None, &name, args.skip(2)),
            None => Val::Unknown(args.taint()),
        }
    }

    /// Parts of the last argument by the names before it, each perhaps with parts of its own: `path.join`.
    pub fn parts_of(&mut self, args: &Args) -> Val {
        let Some((owner, names)) = args.list.split_last() else { return Val::unknown() };
        let mut part = owner.clone();
        for name in names.iter().filter_map(Val::literal) {
            for name in name.split('.') {
                part = self.attribute(&part, None, name);
            }
        }
        part
    }

    /// An item by the key before its owner, or what text says that is written like a value.
    pub fn item_op(&mut self, op: Op, args: &Args) -> Val {
        match (op, args.list.as_slice()) {
            (Op::ItemOf, [key, owner]) => self.index(&owner.clone(), None, key),
            (Op::Literal, [text, ..]) if let Some(text) = text.literal() => self.expression(&text),
            _ => Val::Unknown(args.taint()),
        }
    }

    /// A function, perhaps by its name.
    pub fn callable(&mut self, value: &Val) -> Val {
        match value.literal() {
            Some(name) => self.named_function(&name),
            None if matches!(value, Val::Text(_)) => Val::name("?"),
            None => value.clone(),
        }
    }

    /// A function by its name, not called.
    pub fn named_function(&mut self, name: &str) -> Val {
        self.scope.get(name).cloned().unwrap_or_else(|| Val::name(name))
    }
}
