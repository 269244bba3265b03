//! What is known of a value in a program before it runs.

use std::cell::{Cell as Flag, RefCell};
use std::rc::Rc;

use tollgate_shell::value::{HoleSource, Taint, Value};

use super::scope::{FrameId, Unit};
use super::store::Cell;
use crate::tree::FunctionId;

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// A string, bytes or a path: all the texts it may be.
    Text(Value),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// `None`
    Nothing,
    /// A list, a tuple, a set: its items are in the store, because others may know them too.
    List(Cell),
    /// A dictionary.
    Table(Cell),
    /// An object of a class of the program.
    Object(Cell),
    /// Something of the language or a library, by its full name; `?` for one that is only known when it runs.
    Name(Rc<str>),
    /// What such a thing returned.
    Made(Rc<Made>),
    /// A function of the program.
    Function(Rc<Closure>),
    /// A function with some of its arguments.
    Partial(Rc<Partial>),
    /// A class of the program.
    Class(Rc<Class>),
    /// The names of a module of the program.
    Module(FrameId),
    /// An open file.
    File(Rc<Handle>),
    /// A program that was started.
    Process(Rc<Process>),
    /// One of these, which are not alike.
    Any(Rc<[Val]>),
    /// Nothing is known but where it came from.
    Unknown(Taint),
}

/// What something of a library returned.
#[derive(Debug)]
pub(super) struct Made {
    /// What was called.
    pub name: Rc<str>,
    /// With what.
    pub args: Args,
    /// What was put into it since.
    pub held: Rc<RefCell<Vec<Val>>>,
}

/// A function of the program, where it was made.
#[derive(Debug)]
pub(super) struct Closure {
    pub unit: Rc<Unit>,
    pub id: FunctionId,
    /// The names that are known where it stands.
    pub frame: FrameId,
    /// The values of its parameters' defaults.
    pub defaults: Vec<Option<Val>>,
    /// The class that it is a method of.
    pub class: RefCell<Option<Rc<Class>>>,
    /// It is given the object whose method it is, or its class.
    pub binds: Flag<Binds>,
    pub called: Flag<bool>,
    /// What sets it, where it is read like a part.
    pub setter: RefCell<Option<Rc<Closure>>>,
    /// How often it was run, and what is known of it since.
    pub runs: Flag<u32>,
    pub summary: RefCell<super::summary::Known>,
}

/// What a method is given first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binds {
    /// The object.
    Object,
    /// The class.
    Class,
    /// Nothing.
    Free,
    /// The object; and it is read like a part.
    Property,
}

/// A function with some of its arguments.
#[derive(Debug)]
pub(super) struct Partial {
    pub target: Val,
    pub args: Args,
    /// The object whose method it is.
    pub this: Option<Val>,
}

/// A class of the program.
#[derive(Debug)]
pub(super) struct Class {
    pub name: Rc<str>,
    /// Its methods, and what all its objects share.
    pub frame: FrameId,
    /// What it is made from: classes of the program and of libraries.
    pub bases: Vec<Val>,
    /// Parts that making an object fills, where no constructor does.
    pub fields: Vec<Rc<str>>,
    /// The class that makes it, where that is one of the program's.
    pub maker: Option<Rc<Class>>,
}

/// An open file.
#[derive(Debug)]
pub(super) struct Handle {
    pub path: Value,
    /// What reading it yields.
    pub content: Value,
    pub writes: bool,
    /// What is written next is added to what is there.
    pub appends: Flag<bool>,
    /// It is in memory: what is in it is in the store.
    pub memory: Option<Cell>,
}

/// A program that was started.
#[derive(Debug)]
pub(super) struct Process {
    pub command: Command,
    /// What it printed.
    pub printed: Value,
}

/// What was started.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// A text for a shell.
    Text(Value),
    /// A program with its words.
    Words(Vec<Value>),
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub list: Vec<Val>,
    pub named: Vec<(Rc<str>, Val)>,
    /// There may be more of them than are known.
    pub open: bool,
}

/// The most ways that are kept of a value.
const WAYS: usize = 8;

impl Val {
    pub fn text(text: &str) -> Self {
        Self::Text(Value::text(text))
    }

    pub fn name(name: &str) -> Self {
        Self::Name(Rc::from(name))
    }

    pub fn unknown() -> Self {
        Self::Unknown(Taint::NONE)
    }

    /// A text of which nothing is known but that it is one.
    pub fn some_text(taint: Taint) -> Self {
        Self::Text(Value::something(HoleSource::Input).with_taint(taint))
    }

    pub fn made(name: &str, args: Args) -> Self {
        Self::Made(Rc::new(Made { name: Rc::from(name), args, held: Rc::default() }))
    }

    pub fn is_callable(&self) -> bool {
        matches!(self, Self::Function(_) | Self::Partial(_) | Self::Class(_))
    }

    /// As a text; what is no text is unknown.
    pub fn as_text(&self) -> Value {
        match self {
            Self::Text(value) => value.clone(),
            Self::Int(number) => Value::text(&number.to_string()),
            Self::Process(process) => process.printed.clone(),
            Self::File(file) if file.writes => file.path.clone(),
            Self::File(file) => file.content.clone(),
            Self::Made(made) => Value::something(HoleSource::Input).with_taint(made.taint()),
            Self::Unknown(taint) => Value::something(HoleSource::Input).with_taint(*taint),
            Self::Any(ways) => {
                let texts: Vec<Value> = ways.iter().map(Val::as_text).collect();
                Value::any_of(&texts).unwrap_or_else(Value::empty)
            }
            _ => Value::something(HoleSource::Input),
        }
    }

    /// The text, when it is known in full.
    pub fn literal(&self) -> Option<String> {
        match self {
            Self::Text(value) => value.as_literal().map(str::to_owned),
            Self::Int(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Where it came from, as far as it says so itself.
    pub fn taint(&self) -> Taint {
        match self {
            Self::Text(value) => value.taint,
            Self::Made(made) => made.taint(),
            Self::File(file) => file.content.taint,
            Self::Process(process) => process.printed.taint,
            Self::Unknown(taint) => *taint,
            Self::Any(ways) => ways.iter().fold(Taint::NONE, |all, way| all.union(way.taint())),
            _ => Taint::NONE,
        }
    }

    /// Whether it counts as true, where that is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            Self::Nothing => Some(false),
            Self::Int(number) => Some(*number != 0),
            Self::Text(value) => value.as_literal().map(|text| !text.is_empty()),
            Self::Function(_) | Self::Class(_) | Self::Name(_) | Self::Module(_) => Some(true),
            _ => None,
        }
    }

    /// The same thing, and not only one like it.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Nothing, Self::Nothing) => true,
            (Self::List(one), Self::List(other))
            | (Self::Table(one), Self::Table(other))
            | (Self::Object(one), Self::Object(other)) => one == other,
            (Self::Name(one), Self::Name(other)) => one == other,
            (Self::Made(one), Self::Made(other)) => Rc::ptr_eq(one, other),
            (Self::Function(one), Self::Function(other)) => Rc::ptr_eq(one, other),
            (Self::Partial(one), Self::Partial(other)) => Rc::ptr_eq(one, other),
            (Self::Class(one), Self::Class(other)) => Rc::ptr_eq(one, other),
            (Self::Module(one), Self::Module(other)) => one == other,
            (Self::File(one), Self::File(other)) => Rc::ptr_eq(one, other),
            (Self::Process(one), Self::Process(other)) => Rc::ptr_eq(one, other),
            (Self::Any(one), Self::Any(other)) => Rc::ptr_eq(one, other),
            (Self::Unknown(one), Self::Unknown(other)) => one == other,
            _ => false,
        }
    }

    /// One of two values that are not alike; where nothing can be done with either, it is unknown.
    pub fn either(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => return Self::Text(one.union(other)),
            (Self::Int(_) | Self::Text(_), Self::Int(_) | Self::Text(_)) => {
                return Self::Text(self.as_text().union(&other.as_text()));
            }
            // Nothing, and something: the something counts.
            (Self::Nothing | Self::Bool(false), other) | (other, Self::Nothing | Self::Bool(false)) => {
                return other.clone();
            }
            (Self::Text(text), Self::Unknown(taint)) | (Self::Unknown(taint), Self::Text(text)) => {
                return Self::Text(text.union(&Value::something(HoleSource::Input).with_taint(*taint)));
            }
            _ => {}
        }
        let mut ways: Vec<Self> = Vec::new();
        for way in self.ways().iter().chain(other.ways()) {
            if !ways.iter().any(|known| known.is_same(way)) {
                ways.push(way.clone());
            }
        }
        if ways.len() > WAYS
            || !ways.iter().any(|way| !matches!(way, Self::Unknown(_) | Self::Bool(_) | Self::Int(_)))
        {
            return Self::Unknown(self.taint().union(other.taint()));
        }
        Self::Any(Rc::from(ways))
    }

    /// All it may be.
    pub fn ways(&self) -> &[Self] {
        match self {
            Self::Any(ways) => ways,
            other => std::slice::from_ref(other),
        }
    }
}

impl Made {
    fn taint(&self) -> Taint {
        let held = self.held.borrow();
        held.iter().fold(self.args.taint(), |all, value| all.union(value.taint()))
    }
}

impl Default for Val {
    fn default() -> Self {
        Self::unknown()
    }
}

impl Args {
    pub fn of(list: Vec<Val>) -> Self {
        Self { list, ..Self::default() }
    }

    pub fn get(&self, at: usize) -> Option<&Val> {
        self.list.get(at)
    }

    /// An argument by its name.
    pub fn option(&self, name: &str) -> Option<&Val> {
        self.named.iter().rev().find(|(given, _)| **given == *name).map(|(_, value)| value)
    }

    /// The argument at a place, or by one of its names.
    pub fn at(&self, at: usize, names: &[&str]) -> Option<&Val> {
        self.get(at).or_else(|| names.iter().find_map(|name| self.option(name)))
    }

    /// The same, unknown where there is none.
    pub fn val(&self, at: usize, names: &[&str]) -> Val {
        self.at(at, names).cloned().unwrap_or_default()
    }

    /// The arguments after the first ones.
    pub fn skip(&self, count: usize) -> Self {
        Self {
            list: self.list.iter().skip(count).cloned().collect(),
            named: self.named.clone(),
            open: self.open,
        }
    }

    /// One more before the others.
    pub fn after(&self, first: Val) -> Self {
        let list = std::iter::once(first).chain(self.list.iter().cloned()).collect();
        Self { list, named: self.named.clone(), open: self.open }
    }

    /// All values, in order.
    pub fn all(&self) -> impl Iterator<Item = &Val> {
        self.list.iter().chain(self.named.iter().map(|(_, value)| value))
    }

    pub fn taint(&self) -> Taint {
        self.all().fold(Taint::NONE, |all, value| all.union(value.taint()))
    }

    /// The text at a place.
    pub fn text(&self, at: usize) -> Value {
        self.get(at).map_or_else(|| Value::unknown(HoleSource::Input), Val::as_text)
    }

    pub fn literal(&self, at: usize) -> Option<String> {
        self.get(at).and_then(Val::literal)
    }
}
