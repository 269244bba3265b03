//! What is known of a value in a program before it runs.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use tollgate_shell::value::{HoleSource, Taint, Text, Value};

use super::classes::{self, Captured, Class};
use super::held::Held;
use super::losses;
use super::text::secret_in;
use super::token::Token;
use crate::word::Word;

/// Values nest at most this deep; what is deeper is unknown.
const DEPTH: u32 = 12;

/// Lists keep at most this many items.
const ITEMS: usize = 4096;

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// A string, bytes or a path: all the texts it may be.
    Text(Value),
    /// A whole number.
    Int(i64),
    /// A list, a tuple, an array.
    List(Rc<List>),
    /// A dictionary, an object, a hash.
    Table(Rc<Table>),
    /// Something of the language or a library, by its full name: `os.path.join`.
    Name(Rc<str>),
    /// What such a thing returned.
    Object(Rc<Object>),
    /// A function of the program.
    Function(Rc<Function>),
    /// A function with some of its arguments.
    Partial(Rc<Partial>),
    /// An open file.
    File(Rc<Handle>),
    /// A started program that reads what is written to it.
    Pipe(Rc<Pipe>),
    /// A class of the program, which makes objects.
    Class(Rc<Class>),
    /// One of these, which are not alike.
    Any(Rc<[Val]>),
    /// Nothing is known but where it came from.
    Unknown(Taint),
}

/// Items in order.
#[derive(Debug)]
pub(super) struct List {
    pub items: Vec<Val>,
    /// There may be any number of items like these.
    pub open: bool,
    taint: Taint,
    depth: u32,
}

/// Items with names.
#[derive(Debug)]
pub(super) struct Table {
    pub entries: Vec<(Rc<str>, Val)>,
    taint: Taint,
    depth: u32,
}

/// What a library returned.
#[derive(Debug)]
pub(super) struct Object {
    pub class: Rc<str>,
    pub args: Args,
    /// It comes from a library that others made: what it says is not made up here.
    pub foreign: bool,
    /// What was put into it since.
    pub held: Held,
    /// The program's own class that it is of; the object itself is a number then.
    pub own: Option<Rc<Class>>,
    taint: Taint,
    depth: u32,
}

/// A function of the program.
#[derive(Debug)]
pub(super) struct Function {
    pub params: Vec<Param>,
    pub tokens: Rc<[Token]>,
    pub body: Range<usize>,
    /// The body is one expression.
    pub short: bool,
    pub called: Cell<bool>,
    /// What the function that it was made in was given, for when that is over.
    pub captured: RefCell<Captured>,
}

impl Function {
    /// The default of a parameter, as calls have left it.
    pub fn preset(&self, param: &Param) -> Option<Val> {
        let captured = self.captured.borrow();
        let changed = captured.presets.iter().rev().find(|(name, _)| *name == param.name);
        changed.map(|(_, value)| value.clone()).or_else(|| param.preset.clone())
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub name: Rc<str>,
    /// Takes all arguments that are left.
    pub rest: bool,
    /// Where its default value stands.
    pub default: Option<Range<usize>>,
    /// Where the pattern stands that takes it apart.
    pub pattern: Option<Range<usize>>,
    /// Its default value, where the language works it out when the function is made.
    pub preset: Option<Val>,
    /// It becomes a part of the object that is made.
    pub promoted: bool,
    /// It is the variable that is given itself, not a copy.
    pub shared: bool,
    /// It is the object whose method runs.
    pub receives: bool,
}

/// A function with some of its arguments.
#[derive(Debug)]
pub(super) struct Partial {
    pub target: Val,
    pub args: Args,
    /// The object whose method it is.
    pub this: Option<Val>,
    depth: u32,
}

/// An open file.
#[derive(Debug)]
pub(super) struct Handle {
    pub path: Value,
    /// What reading it yields.
    pub content: Value,
    pub writes: bool,
    pub appends: Cell<bool>,
}

/// A started program.
#[derive(Debug)]
pub(super) struct Pipe {
    pub command: Command,
    /// What it printed.
    pub printed: Value,
}

/// What was started.
#[derive(Debug)]
pub(super) enum Command {
    /// Text for a shell.
    Text(Value),
    /// A program with its words.
    Words(Vec<Word>),
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub list: Vec<Val>,
    pub named: Vec<(Rc<str>, Val)>,
}

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

    pub fn list(items: Vec<Val>) -> Self {
        Self::list_of(items, false)
    }

    /// A list of any number of items like these.
    pub fn many(items: Vec<Val>) -> Self {
        Self::list_of(items, true)
    }

    fn list_of(mut items: Vec<Val>, open: bool) -> Self {
        items.truncate(ITEMS);
        let (taint, depth) = measure(items.iter());
        if depth > DEPTH {
            Self::Unknown(taint)
        } else {
            Self::List(Rc::new(List { items, open, taint, depth }))
        }
    }

    pub fn table(mut entries: Vec<(Rc<str>, Val)>) -> Self {
        entries.truncate(ITEMS);
        let (taint, depth) = measure(entries.iter().map(|(_, value)| value));
        if depth > DEPTH {
            Self::Unknown(taint)
        } else {
            Self::Table(Rc::new(Table { entries, taint, depth }))
        }
    }

    pub fn object(class: &str, args: Args) -> Self {
        Self::object_of(class, args, false)
    }

    /// What a library returned, which others made or not.
    pub fn object_of(class: &str, mut args: Args, foreign: bool) -> Self {
        args.list.truncate(16);
        args.named.truncate(16);
        let (taint, depth) = args.measure();
        if depth > DEPTH {
            return Self::Unknown(taint);
        }
        let held = Held::default();
        Self::Object(Rc::new(Object { class: Rc::from(class), args, foreign, held, own: None, taint, depth }))
    }

    /// An object of a class of the program: its number is what its parts are kept under.
    pub fn own_object(number: &Rc<str>, class: &Rc<Class>, taint: Taint) -> Self {
        let (args, held) = (Args::default(), Held::default());
        let own = Some(Rc::clone(class));
        Self::Object(Rc::new(Object {
            class: Rc::clone(number),
            args,
            foreign: false,
            held,
            own,
            taint,
            depth: 1,
        }))
    }

    pub fn partial(target: Val, args: Args) -> Self {
        Self::bound(target, args, None)
    }

    /// A function with some of its arguments, and the object whose method it is.
    pub fn bound(target: Val, args: Args, this: Option<Val>) -> Self {
        let (taint, depth) = args.measure();
        let depth = depth.max(target.depth() + 1);
        if depth > DEPTH {
            return Self::Unknown(taint);
        }
        Self::Partial(Rc::new(Partial { target, args, this, depth }))
    }

    fn depth(&self) -> u32 {
        match self {
            Self::List(list) => list.depth,
            Self::Table(table) => table.depth,
            Self::Object(object) => object.depth,
            Self::Partial(partial) => partial.depth,
            Self::Any(ways) => ways.iter().map(Val::depth).max().unwrap_or_default(),
            _ => 0,
        }
    }

    pub fn taint(&self) -> Taint {
        match self {
            Self::Text(value) => value.taint,
            Self::List(list) => list.taint,
            Self::Table(table) => table.taint,
            Self::Object(object) => object.taint.union(object.held.marks()),
            Self::File(handle) => handle.content.taint,
            Self::Pipe(pipe) => pipe.printed.taint,
            Self::Unknown(taint) => *taint,
            Self::Any(ways) => ways.iter().fold(Taint::NONE, |all, way| all.union(way.taint())),
            _ => Taint::NONE,
        }
    }

    /// As text; what is no text is unknown.
    pub fn as_text(&self) -> Value {
        match self {
            Self::Text(value) => value.clone(),
            Self::Pipe(pipe) => pipe.printed.clone(),
            // What is known of it is read where a text is wanted.
            Self::File(file) if !file.writes && file.content.is_known() && !file.content.is_empty() => {
                file.content.clone()
            }
            Self::Int(number) => Value::text(&number.to_string()),
            Self::Object(object) if object.foreign => {
                Value::something(HoleSource::Output).with_taint(self.taint())
            }
            other => Value::something(HoleSource::Input).with_taint(other.taint()),
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

    /// The items of a list or the values of a table; anything else is one unknown item.
    pub fn items(&self) -> Vec<Val> {
        match self {
            Self::List(list) => list.items.clone(),
            Self::Table(table) => table.entries.iter().map(|(_, value)| value.clone()).collect(),
            other => vec![Self::Unknown(other.taint())],
        }
    }

    /// The items of a list; anything else is one item.
    pub fn items_or_self(&self) -> Vec<Val> {
        match self {
            Self::List(list) => list.items.clone(),
            other => vec![other.clone()],
        }
    }

    /// Any item of a list, in one value.
    pub fn item(&self) -> Val {
        match self {
            Self::List(list) => {
                let mut items = list.items.iter();
                let first = items.next().cloned().unwrap_or(Self::Unknown(list.taint));
                items.fold(first, |all, item| all.union(item))
            }
            Self::Object(object) if losses::is_rows(&object.class, &object.args) => {
                Self::object(losses::ROW, Args::default())
            }
            Self::Text(text) if is_listing(text) => self.clone(),
            Self::File(file) if is_listing(&file.content) => Self::Text(file.content.clone()),
            Self::Any(ways) => {
                let items = ways.iter().map(Val::item).reduce(|all, item| all.union(&item));
                items.unwrap_or_else(Self::unknown)
            }
            other => secret_in(other).unwrap_or(Self::Unknown(other.taint())),
        }
    }

    pub fn entry(&self, key: &str) -> Option<&Val> {
        match self {
            Self::Table(table) => {
                table.entries.iter().rev().find(|(name, _)| **name == *key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub fn is_nothing_known(&self) -> bool {
        matches!(self, Self::Unknown(taint) if taint.is_empty())
    }

    pub fn is_true(&self) -> bool {
        match self {
            Self::Name(name) => matches!(&**name, "True" | "true" | "TRUE" | "$true"),
            Self::Int(number) => *number != 0,
            Self::Text(value) => value.as_literal().is_some_and(|text| !text.is_empty() && text != "0"),
            _ => false,
        }
    }

    /// Either of the two.
    pub fn union(&self, other: &Val) -> Val {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) => Self::Text(left.union(right)),
            (Self::Int(left), Self::Int(right)) if left == right => self.clone(),
            (Self::Int(_) | Self::Text(_), Self::Int(_) | Self::Text(_)) => {
                Self::Text(self.as_text().union(&other.as_text()))
            }
            (Self::Name(left), Self::Name(right)) if left == right => self.clone(),
            (Self::Function(left), Self::Function(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::List(left), Self::List(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::Table(left), Self::Table(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::Object(left), Self::Object(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::List(left), Self::List(right)) => {
                // Lists that one of two branches added to begin alike, and would be twice as long behind each.
                let pairs = left.items.iter().zip(&right.items);
                let alike = pairs.take_while(|(left, right)| super::lists::is_alike(left, right)).count();
                Self::many(left.items.iter().chain(right.items.iter().skip(alike)).cloned().collect())
            }
            // Nothing, and something: the something counts.
            (Self::Name(name), other) | (other, Self::Name(name)) if is_nothing(name) => other.clone(),
            (Self::List(list), other) | (other, Self::List(list)) if list.items.is_empty() => other.clone(),
            (Self::Table(table), other) | (other, Self::Table(table)) if table.entries.is_empty() => {
                other.clone()
            }
            (Self::Text(text), other) | (other, Self::Text(text)) if text.is_known() => {
                let hole = Value::something(HoleSource::Input).with_taint(other.taint());
                Self::Text(text.union(&hole))
            }
            _ => classes::either(self, other),
        }
    }
}

impl Default for Val {
    fn default() -> Self {
        Self::unknown()
    }
}

fn is_nothing(name: &str) -> bool {
    matches!(name, "None" | "null" | "undefined" | "nil" | "NULL" | "False" | "false" | "undef")
}

fn measure<'v>(values: impl Iterator<Item = &'v Val>) -> (Taint, u32) {
    let (taint, depth) = values.fold((Taint::NONE, 0), |(taint, depth), value| {
        (taint.union(value.taint()), depth.max(value.depth()))
    });
    (taint, depth + 1)
}

impl Args {
    pub fn of(list: Vec<Val>) -> Self {
        Self { list, named: Vec::new() }
    }

    fn measure(&self) -> (Taint, u32) {
        measure(self.list.iter().chain(self.named.iter().map(|(_, value)| value)))
    }

    pub fn taint(&self) -> Taint {
        self.measure().0
    }

    pub fn get(&self, at: usize) -> Option<&Val> {
        self.list.get(at)
    }

    /// A named argument, or an entry of a table among the arguments.
    pub fn option(&self, name: &str) -> Option<&Val> {
        let named = self.named.iter().rev().find(|(given, _)| **given == *name).map(|(_, value)| value);
        named.or_else(|| self.list.iter().find_map(|value| value.entry(name)))
    }

    /// The argument at a place, or by one of its names.
    pub fn at(&self, at: usize, names: &[&str]) -> Val {
        let named = || names.iter().find_map(|name| self.option(name));
        self.get(at).or_else(named).cloned().unwrap_or_else(Val::unknown)
    }

    pub fn has(&self, at: usize, names: &[&str]) -> bool {
        self.get(at).is_some() || names.iter().any(|name| self.option(name).is_some())
    }

    pub fn text(&self, at: usize) -> Value {
        self.get(at).map_or_else(|| Value::unknown(HoleSource::Input), Val::as_text)
    }

    pub fn literal(&self, at: usize) -> Option<String> {
        self.get(at).and_then(Val::literal)
    }

    /// The arguments after the first ones.
    pub fn skip(&self, count: usize) -> Self {
        Self { list: self.list.iter().skip(count).cloned().collect(), named: self.named.clone() }
    }

    /// All values, in order.
    pub fn all(&self) -> impl Iterator<Item = &Val> {
        self.list.iter().chain(self.named.iter().map(|(_, value)| value))
    }
}

impl Param {
    pub fn named(name: &str) -> Self {
        Self {
            name: Rc::from(name),
            rest: false,
            default: None,
            pattern: None,
            preset: None,
            promoted: false,
            shared: false,
            receives: false,
        }
    }
}

/// Nothing of the text is known.
pub(super) fn is_blank(text: &Text) -> bool {
    !text.pieces.is_empty()
        && text.pieces.iter().all(|piece| matches!(piece, tollgate_shell::value::Piece::Hole(_)))
}

/// Names of files below a folder that is known, one of which each line is.
pub(super) fn is_listing(text: &Value) -> bool {
    let below = |text: &Text| text.has_globs() || text.prefix().starts_with(['/', '.']) && text.has_holes();
    !text.any.is_empty() && text.any.iter().all(below)
}
