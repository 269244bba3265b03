//! The state of a shell at one point of the script. Cheap to copy: everything large is shared until written.

pub(super) use super::modes::Options;
use super::{Field, Status};
use crate::ast::Command;
use crate::map::{SharedMap, SharedSet};
use crate::value::{HoleSource, Text, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use tollgate_model::{Span, work};

/// Shell and world at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// What a subshell gets a copy of.
    pub local: Rc<Local>,
    /// What all processes share.
    pub world: Rc<World>,
    /// `$?`
    pub code: ExitCode,
    /// `$_`
    pub last: Rc<Value>,
    /// A program has run that may have made directories.
    pub touched: bool,
}

/// What belongs to one shell process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Local {
    pub vars: Vars,
    /// What `local` put aside in the present function.
    pub shadowed: ShadowedVars,
    /// What `declare -g` set behind the local variables of functions, for when they have returned.
    pub globals: ShadowedVars,
    pub functions: SharedMap<Rc<str>, Functions>,
    pub aliases: SharedMap<Rc<str>, Value>,
    pub hashed: SharedMap<Rc<str>, Value>,
    pub disabled: SharedSet<Rc<str>>,
    pub traps: Rc<Vec<Trap>>,
    pub args: Rc<Args>,
    pub cwd: Value,
    pub oldpwd: Option<Value>,
    pub dirs: Rc<Vec<Value>>,
    pub fds: Descriptors,
    pub options: Options,
}

/// What outlives a subshell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct World {
    /// What the script wrote, by resolved path.
    pub files: Files,
    /// Files that a test has found missing on the way here.
    pub absent: SharedSet<Text>,
    /// Pipes, substitutions and here-documents: written at the end, read from the start.
    pub buffers: Buffers,
    pub folders: super::folders::Folders,
    /// Names, not known in full, of what was removed: any folder that fits may be gone.
    pub taken: SharedSet<Text>,
    /// Links that the script made, by resolved path.
    pub names: super::folders::Names,
}

pub(super) type Vars = SharedMap<Rc<str>, Rc<Variable>>;
pub(super) type ShadowedVars = SharedMap<Rc<str>, Shadowed>;
pub(super) type Descriptors = SharedMap<u32, Descriptor>;
pub(super) type Files = SharedMap<Text, super::Written>;
pub(super) type Buffers = SharedMap<u32, Rc<Value>>;

/// A shell variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub contents: Contents,
    pub attributes: Attributes,
    /// There is a way to get here on which it is not set.
    pub maybe_unset: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub exported: bool,
    pub readonly: bool,
    pub integer: bool,
    pub lower: bool,
    pub upper: bool,
    pub nameref: bool,
    /// Some of it holds only on some ways here.
    pub partly: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Unset,
    Scalar(Value),
    Array(Array),
}

/// An array that has one of several contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub any: Vec<Elements>,
    pub associative: bool,
}

/// Beyond that many, the order of elements whose number is not known is let go: loops would make it ever longer.
pub(super) const ORDERED: usize = 32;

/// Known elements, and perhaps any number of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Elements {
    pub known: BTreeMap<Key, Value>,
    pub others: Option<Value>,
    /// The others in their order, where that is known: each with whether it may split.
    pub tail: Vec<(Value, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Index(i64),
    Name(Rc<str>),
}

/// What `local` put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shadowed {
    pub previous: Option<Rc<Variable>>,
    /// Only on some ways here.
    pub partly: bool,
}

/// The functions a name may stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Functions {
    pub any: Vec<Function>,
    /// There were more than are kept.
    pub more: bool,
    pub maybe_unset: bool,
    pub exported: bool,
    /// It cannot be defined anew.
    pub readonly: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub body: Rc<Command>,
    /// The body as it was written; `None` where parts of it are not known.
    pub text: Option<Rc<str>>,
    pub origin: Option<Span>,
    pub patched: bool,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.body, &other.body) || (self.origin == other.origin && self.body == other.body)
    }
}

impl Eq for Function {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trap {
    pub text: Value,
    /// Runs between commands too, not only at the end.
    pub between: bool,
    pub span: Span,
}

/// `$0`, the file that the text is read from (empty where it is none), and the lists that `$@` may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Args {
    pub name: Value,
    pub file: Value,
    pub any: Vec<List>,
}

/// Known values, and perhaps any number of others after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub items: Vec<Value>,
    pub others: Option<Value>,
    /// The others in their order, where that is known: each with whether it may split.
    pub tail: Vec<(Value, bool)>,
}

/// An open descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Descriptor {
    Outer,
    Closed,
    Pipe(u32),
    Here(u32),
    File {
        path: Value,
        /// What reading it yields.
        buffer: Option<u32>,
        write: bool,
        /// What is written goes over what is there.
        over: bool,
    },
}

impl Descriptor {
    /// The buffer that it reads from.
    pub fn buffer(&self) -> Option<u32> {
        match self {
            Self::Pipe(id) | Self::Here(id) | Self::File { buffer: Some(id), .. } => Some(*id),
            _ => None,
        }
    }
}

/// `$?`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitCode {
    Known(u8),
    Nonzero,
    Any,
}

/// A way out of the present construct, and the state it is taken in.
#[derive(Debug)]
pub(super) struct Jump {
    pub kind: JumpKind,
    pub state: State,
    /// How many ways were joined into this one.
    pub ways: usize,
}

impl Jump {
    pub fn new(kind: JumpKind, state: State) -> Self {
        Self { kind, state, ways: 1 }
    }

    /// Does the other lead to the same place, with the same traps to run and `$?` zero or not alike?
    pub fn leads_to_the_same_place(&self, other: &Self) -> bool {
        let ok = |jump: &Self| match jump.state.code {
            ExitCode::Known(code) => Some(code == 0),
            ExitCode::Nonzero => Some(false),
            ExitCode::Any => None,
        };
        let traps = |jump: &Self| Rc::clone(&jump.state.local.traps);
        self.kind == other.kind && ok(self) == ok(other) && traps(self) == traps(other)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JumpKind {
    Break(u32),
    Continue(u32),
    Return,
    /// An expansion error: the command at the top is given up and the next one runs.
    Abort,
    Exit,
}

/// The states after a command, by how it ended. Neither means that nothing follows.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub ok: Option<State>,
    pub fail: Option<State>,
}

impl State {
    pub fn new(cwd: Option<&str>) -> Self {
        let cwd = cwd.map_or_else(|| Value::something(HoleSource::Variable("PWD".into())), Value::text);
        Self {
            local: Rc::new(Local::new(cwd)),
            world: Rc::default(),
            code: ExitCode::Known(0),
            last: Rc::new(Value::empty()),
            touched: false,
        }
    }

    pub fn local_mut(&mut self) -> &mut Local {
        charge_copy(&self.local, 16);
        Rc::make_mut(&mut self.local)
    }

    pub fn world_mut(&mut self) -> &mut World {
        charge_copy(&self.world, 6);
        Rc::make_mut(&mut self.world)
    }

    /// Notes that a test found a file missing.
    pub fn is_missing(&mut self, path: Text) {
        self.world_mut().absent.insert(path, ());
    }

    /// Files that are written are no longer missing.
    pub fn is_there(&mut self, paths: &Value) {
        for path in paths.any.iter().filter(|path| self.world.absent.contains_key(*path)).collect::<Vec<_>>()
        {
            self.world_mut().absent.remove(path);
        }
    }

    pub fn files_mut(&mut self) -> &mut Files {
        &mut self.world_mut().files
    }

    pub fn folders_mut(&mut self) -> &mut super::folders::Folders {
        &mut self.world_mut().folders
    }

    pub fn buffers_mut(&mut self) -> &mut Buffers {
        &mut self.world_mut().buffers
    }

    pub fn vars_mut(&mut self) -> &mut Vars {
        &mut self.local_mut().vars
    }
}

/// Pays for the copy that is made before something shared is written.
fn charge_copy<T>(shared: &Rc<T>, entries: usize) {
    if Rc::strong_count(shared) > 1 {
        work::charge(entries);
    }
}

impl Local {
    fn new(cwd: Value) -> Self {
        Self {
            vars: Vars::default(),
            shadowed: ShadowedVars::default(),
            globals: ShadowedVars::default(),
            functions: SharedMap::default(),
            aliases: SharedMap::default(),
            hashed: SharedMap::default(),
            disabled: SharedMap::default(),
            traps: Rc::default(),
            args: Rc::new(Args {
                name: Value::text("bash"),
                file: Value::empty(),
                any: vec![List::default()],
            }),
            cwd,
            oldpwd: None,
            dirs: Rc::default(),
            fds: Descriptors::default(),
            options: Options::default(),
        }
    }
}

impl Variable {
    pub fn new(value: Value, exported: bool) -> Self {
        let attributes = Attributes { exported, ..Attributes::default() };
        Self { contents: Contents::Scalar(value), attributes, maybe_unset: false }
    }

    /// `$x`: of an array, its element 0.
    pub fn scalar(&self) -> Option<Value> {
        match &self.contents {
            Contents::Unset => None,
            Contents::Scalar(value) => Some(value.clone()),
            Contents::Array(array) => array.element(&array.first_key()),
        }
    }
}

impl Array {
    pub fn first_key(&self) -> Key {
        if self.associative { Key::Name("0".into()) } else { Key::Index(0) }
    }

    /// The element of this key; `None` when no content has it.
    pub fn element(&self, key: &Key) -> Option<Value> {
        let found = self.any.iter().map(|elements| elements.get(key));
        found.flatten().reduce(|left, right| left.union(&right))
    }

    /// Some content lacks this key.
    pub fn may_lack(&self, key: &Key) -> bool {
        self.any.iter().any(|elements| !elements.known.contains_key(key))
    }
}

impl Elements {
    pub fn get(&self, key: &Key) -> Option<Value> {
        self.known.get(key).cloned().or_else(|| self.others.clone())
    }

    /// Every value that is in it.
    pub fn values(&self) -> Option<Value> {
        Value::any_of(self.known.values().chain(&self.others))
    }

    pub fn next_index(&self) -> i64 {
        match self.known.keys().next_back() {
            Some(Key::Index(index)) => index.saturating_add(1),
            _ => 0,
        }
    }
}

impl List {
    pub fn of(fields: Vec<Field>) -> Self {
        let certain = fields.iter().take_while(|field| !field.splits).count();
        let others = Value::any_of(fields.iter().skip(certain).map(|field| &field.value));
        let mut items = fields;
        let tail = items.split_off(certain).into_iter().map(|field| (field.value, field.splits)).collect();
        Self { items: items.into_iter().map(|field| field.value).collect(), others, tail }
    }

    /// Just these.
    pub fn known(items: Vec<Value>) -> Self {
        Self { items, others: None, tail: Vec::new() }
    }

    /// These, and any number of others if there are any.
    pub fn open(items: Vec<Value>, others: Option<Value>) -> Self {
        Self { items, others, tail: Vec::new() }
    }

    /// These, and others in that order.
    pub fn ordered(items: Vec<Value>, others: Option<Value>, tail: Vec<(Value, bool)>) -> Self {
        Self { items, others, tail }
    }

    /// What follows the known values: each with whether it may split.
    pub fn rest(&self) -> Vec<(Value, bool)> {
        match self.tail.as_slice() {
            [] => self.others.iter().map(|value| (value.clone(), true)).collect(),
            tail => tail.to_vec(),
        }
    }

    /// All of them with `separator` between.
    pub fn joined(&self, separator: &str) -> Value {
        let items = Value::joined(&self.items, separator);
        if self.tail.is_empty() {
            let Some(others) = &self.others else { return items };
            // Any number of known texts is no text that is known.
            let many = if others.any.iter().all(Text::is_hole) {
                others.clone()
            } else {
                Value::unknown(HoleSource::Budget).with_taint(others.taint)
            };
            return if self.items.is_empty() {
                many
            } else {
                items.union(&Value::joined([&items, &many], separator))
            };
        }
        /// Words that may come to nothing and are told apart.
        const OPEN: usize = 4;
        if self.tail.iter().filter(|(_, splits)| *splits).count() > OPEN {
            let taint = self.values().map(|value| value.taint).unwrap_or_default();
            return Value::unknown(HoleSource::Budget).with_taint(taint);
        }
        let mut whole = (!self.items.is_empty()).then_some(items);
        // All so far may have come to nothing.
        let mut none = self.items.is_empty();
        for (value, splits) in &self.tail {
            let vanishes = *splits && value.maybe_empty();
            let longer = whole.as_ref().map(|whole| Value::joined([whole, value], separator));
            let alone = none.then_some(value);
            let unchanged = whole.as_ref().filter(|_| vanishes);
            whole = Value::any_of(unchanged.into_iter().chain(&longer).chain(alone));
            none &= vanishes;
        }
        whole.unwrap_or_else(Value::empty)
    }

    /// Every value that is in it.
    pub fn values(&self) -> Option<Value> {
        Value::any_of(self.items.iter().chain(&self.others))
    }
}

impl Flow {
    /// Ended either way, in the same state.
    pub fn both(state: State) -> Self {
        Self::of(Status::Either, state)
    }

    pub fn of(status: Status, state: State) -> Self {
        let ok = |state| State { code: ExitCode::Known(0), ..state };
        let fail = |state| State { code: ExitCode::Nonzero, ..state };
        match status {
            Status::Success => Self { ok: Some(ok(state)), fail: None },
            Status::Failure => Self { ok: None, fail: Some(fail(state)) },
            Status::Either => Self { ok: Some(ok(state.clone())), fail: Some(fail(state)) },
        }
    }

    /// Ended as `$?` of this state says.
    pub fn by_code(state: State) -> Self {
        match state.code {
            ExitCode::Known(0) => Self { ok: Some(state), fail: None },
            ExitCode::Known(_) | ExitCode::Nonzero => Self { ok: None, fail: Some(state) },
            ExitCode::Any => Self::both(state),
        }
    }

    pub fn status(&self) -> Status {
        match (&self.ok, &self.fail) {
            (Some(_), None) => Status::Success,
            (None, Some(_)) => Status::Failure,
            _ => Status::Either,
        }
    }

    pub fn is_dead(&self) -> bool {
        self.ok.is_none() && self.fail.is_none()
    }

    pub fn map(self, mut change: impl FnMut(State) -> State) -> Self {
        Self { ok: self.ok.map(&mut change), fail: self.fail.map(&mut change) }
    }
}
