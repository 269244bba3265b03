//! One small syntax tree for all languages.
//!
//! A tree is three arrays: nodes, the children of nodes that have any number of them, and the parts of nodes that have too
//! many for a few words (functions, classes, loops, …). Whatever refers to something is a number of four bytes, so that a
//! tree of a mebibyte of code is built without an allocation per node, and goes away with three.
//!
//! The tree says what the text says, and nothing of what it means: there is no node for `open` or `require`. It is total:
//! what a parser could not read is an `Unknown` node with its span, and so is what was too deep to be read.

use std::collections::HashMap;
use std::rc::Rc;

/// Where something stands: bytes of the text that the frontend was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

/// A node, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// A name that stands in the text, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

/// The children of a node, by where they stand among all children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    start: u32,
    length: u32,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub range: Range,
}

/// What a node is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    // Statements.
    /// Statements one after the other.
    Block(List),
    /// A function with its name, or without one as a value.
    Function(FunctionId),
    /// A class.
    Class(ClassId),
    /// A value is given to a name, a part, an item, or a pattern of such. As an expression it is the value.
    Assign {
        /// What gets it.
        target: NodeId,
        /// The value.
        value: NodeId,
    },
    /// `target += value`
    Augment {
        /// What is changed.
        target: NodeId,
        /// How.
        op: Binary,
        /// By what.
        value: NodeId,
    },
    /// `del a, b[c]`
    Remove(List),
    /// Leaves the function with a value.
    Return(Option<NodeId>),
    /// Yields one value, or all of another generator.
    Yield {
        /// What.
        value: Option<NodeId>,
        /// It is something whose items are yielded.
        all: bool,
    },
    /// Fails with values.
    Raise(List),
    /// `assert test, message`
    Assert {
        /// What has to hold.
        test: NodeId,
        /// What is said where it does not.
        message: Option<NodeId>,
    },
    /// Leaves the loop.
    Break,
    /// Goes on with the loop's next round.
    Continue,
    /// `if`, or `a if b else c`: a statement or an expression.
    If {
        /// The condition.
        test: NodeId,
        /// Where it holds.
        then: NodeId,
        /// Where it does not.
        otherwise: Option<NodeId>,
    },
    /// A loop.
    Loop(LoopId),
    /// `try`
    Try(TryId),
    /// Blocks with something that is entered and left.
    With(WithId),
    /// `match`, `switch`
    Match(MatchId),
    /// Modules are brought in.
    Import(ImportId),

    // Expressions.
    /// A name.
    Name(Name),
    /// What the shell puts here is only known when it runs: the number of the hole.
    Hole(u32),
    /// A string, as its number among the strings.
    Text(TextId),
    /// A whole number.
    Int(i64),
    /// Another number.
    Number,
    /// True or false.
    Bool(bool),
    /// `None`, `null`, `undefined`
    Nothing,
    /// Strings and expressions one after the other, in one string.
    Template(List),
    /// A pattern of texts.
    Pattern(TextId),
    /// A list, a tuple, a set, an array: items, some of them `Spread`. On the left of `=`, a pattern.
    List(List),
    /// A dictionary, an object: `Pair`s and `Spread`s. On the left of `=`, a pattern.
    Table(List),
    /// A key with its value; in a pattern, with what takes it.
    Pair {
        /// The key.
        key: NodeId,
        /// The value.
        value: NodeId,
    },
    /// Everything in another list or table.
    Spread(NodeId),
    /// An argument by its name.
    Named {
        /// The name.
        name: Name,
        /// The value.
        value: NodeId,
    },
    /// In a pattern: what takes a value, and the value where there is none.
    Default {
        /// What takes it.
        target: NodeId,
        /// The default.
        value: NodeId,
    },
    /// A part of a value by its name.
    Attribute {
        /// Of what.
        of: NodeId,
        /// Which.
        name: Name,
    },
    /// An item of a value.
    Index {
        /// Of what.
        of: NodeId,
        /// Which.
        key: NodeId,
    },
    /// `of[from:to:step]`, the bounds in this order; one that is not given is `Nothing`.
    Slice {
        /// Of what.
        of: NodeId,
        /// From, to, step.
        bounds: List,
    },
    /// A call.
    Call {
        /// Of what.
        callee: NodeId,
        /// With what: values, `Named`s, `Spread`s.
        args: List,
        /// `new callee(…)`
        makes: bool,
    },
    /// Two values make a third.
    Binary {
        /// How.
        op: Binary,
        /// The left one.
        left: NodeId,
        /// The right one.
        right: NodeId,
    },
    /// A comparison.
    Compare {
        /// How.
        op: Comparison,
        /// The left one.
        left: NodeId,
        /// The right one.
        right: NodeId,
    },
    /// All of these hold, or the first that does not is the value.
    And(List),
    /// One of these holds, and is the value.
    Or(List),
    /// It does not hold.
    Not(NodeId),
    /// `-a`
    Minus(NodeId),
    /// A sign before a value that makes another of it.
    Sign(NodeId),
    /// Waits for a value.
    Await(NodeId),
    /// A list or table that is made of the items of others.
    Comprehension(ComprehensionId),
    /// The object whose method runs.
    This,
    /// The class above that of the object whose method runs.
    Super,
    /// What could not be read, with the parts of it that could.
    Unknown(List),
    /// What is nested too deeply to be read.
    Deep,
}

/// What makes a third value of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `//`
    DivideWhole,
    /// `%`
    Modulo,
    /// `|`
    Or,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `<<`
    Left,
    /// `>>`
    Right,
    /// Anything else.
    Other,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`, `is`
    Equal,
    /// `!=`, `is not`
    Unequal,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// Bigger, smaller and their like.
    Other,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(u32);
    )*};
}

ids! {
    /// A string by its number.
    TextId,
    /// A function by its number.
    FunctionId,
    /// A class by its number.
    ClassId,
    /// A loop by its number.
    LoopId,
    /// A `try` by its number.
    TryId,
    /// A `with` by its number.
    WithId,
    /// A `match` by its number.
    MatchId,
    /// An import by its number.
    ImportId,
    /// A comprehension by its number.
    ComprehensionId,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, where it has one.
    pub name: Option<Name>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// A block, or the expression whose value it returns.
    pub body: NodeId,
    /// The body is an expression.
    pub short: bool,
    /// What stands before it: `@decorator`.
    pub decorators: List,
    /// Names that are its own: what it sets, without what it says is not its own.
    pub locals: Vec<Name>,
    /// It yields values.
    pub yields: bool,
    /// How it knows the object whose method it is.
    pub receiver: Receiver,
}

/// How a function knows the object whose method it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// In a class its first parameter is the object.
    First,
    /// `this` is the object, without being a parameter.
    This,
    /// It is the one of the function around it.
    Outer,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// A name, or a pattern.
    pub target: NodeId,
    /// Its default.
    pub default: Option<NodeId>,
    /// Takes what is left.
    pub rest: Rest,
    /// It becomes a part of the object that is made.
    pub promoted: bool,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// One argument.
    One,
    /// All arguments that are left.
    Items,
    /// All arguments with names that are left.
    Named,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name, where it has one.
    pub name: Option<Name>,
    /// What it is made from, and options: arguments as in a call.
    pub bases: List,
    /// What stands before it.
    pub decorators: List,
    /// Its parts: functions and assignments.
    pub body: NodeId,
    /// Parts that are named without a value, in their order: making an object may fill them.
    pub fields: Vec<Name>,
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// What each round is about.
    pub head: Head,
    /// What is done in a round.
    pub body: NodeId,
    /// What is done between two rounds.
    pub step: Option<NodeId>,
    /// What is done when it was not left.
    pub otherwise: Option<NodeId>,
    /// Something in it leaves it, or waits.
    pub leaves: bool,
}

/// What each round of a loop is about.
#[derive(Clone, Copy, Debug)]
pub enum Head {
    /// For as long as this holds; always, where there is no condition.
    While(Option<NodeId>),
    /// For each item of something.
    Each {
        /// What takes the item.
        target: NodeId,
        /// What has the items.
        of: NodeId,
    },
    /// For each key of something.
    Keys {
        /// What takes the key.
        target: NodeId,
        /// What has the keys.
        of: NodeId,
    },
}

/// A `try`.
#[derive(Clone, Debug)]
pub struct Try {
    /// What may fail.
    pub body: NodeId,
    /// What is done where it fails.
    pub handlers: Vec<Handler>,
    /// What is done where it does not fail.
    pub otherwise: Option<NodeId>,
    /// What is done in any case.
    pub finally: Option<NodeId>,
}

/// What is done where something fails.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The kinds of failures.
    pub kind: Option<NodeId>,
    /// What takes the failure.
    pub target: Option<NodeId>,
    /// What is done.
    pub body: NodeId,
}

/// A `with`.
#[derive(Clone, Debug)]
pub struct With {
    /// What is entered, and what takes what that yields.
    pub items: Vec<(NodeId, Option<NodeId>)>,
    /// What is done inside.
    pub body: NodeId,
}

/// A `match`.
#[derive(Clone, Debug)]
pub struct Match {
    /// What is looked at.
    pub subject: NodeId,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A case of a `match`.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// A pattern: names in it take what they stand for. `None` stands for anything.
    pub pattern: Option<NodeId>,
    /// What has to hold, too.
    pub guard: Option<NodeId>,
    /// What is done.
    pub body: NodeId,
}

/// Modules are brought in.
#[derive(Clone, Debug)]
pub struct Import {
    /// The module, as it is written: `a.b`, `./a.js`.
    pub module: Rc<str>,
    /// How many folders or packages above the own one it is looked for from; none for one that is looked for everywhere.
    pub level: u32,
    /// What takes the module itself.
    pub whole: Option<Name>,
    /// What that gets is the first part of the module: `import a.b` sets `a`.
    pub top: bool,
    /// Names of it, and what takes each.
    pub names: Vec<(Name, Name)>,
    /// All its names are known here from now on.
    pub star: bool,
}

/// A list or table that is made of the items of others.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// What each item becomes: a value, or a `Pair`.
    pub element: NodeId,
    /// Where the items come from.
    pub clauses: Vec<Clause>,
    /// Names that are its own.
    pub locals: Vec<Name>,
}

/// `for target in of if test`
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// What takes an item.
    pub target: NodeId,
    /// What has the items.
    pub of: NodeId,
    /// What has to hold.
    pub tests: List,
}

/// What a language calls what all languages have.
#[derive(Debug)]
pub struct Dialect {
    /// The method that makes an object.
    pub constructor: &'static str,
    /// The method that runs when an object is called.
    pub invoked: &'static str,
    /// The methods that run when an object is entered and left.
    pub entered: [&'static str; 2],
    /// The method that is asked for a part that nobody has.
    pub missing: &'static str,
    /// The method that is asked for an item.
    pub item: &'static str,
    /// The method that yields an object's items.
    pub iterated: &'static str,
    /// The method that writes an object as a text.
    pub shown: &'static str,
    /// The method of a class that runs when another is made from it.
    pub made: &'static str,
    /// The method that runs when the parts of an object were filled without a constructor.
    pub filled: &'static str,
    /// Methods that stand for operators: of the left value, of the right one where that has none, and of one that is changed.
    pub operators: &'static [(Binary, [&'static str; 3])],
    /// Methods that compare.
    pub comparisons: &'static [(Comparison, &'static [&'static str])],
    /// Other methods that run without being called.
    pub implicit: Implicit,
    /// How nothing, true and false are written.
    pub nothing: [&'static str; 3],
    /// The decorator whose function gets the class first.
    pub class_bound: &'static str,
    /// Lists and texts are cut by `[a:b]`, and their items counted from the end by numbers below nothing.
    pub slices: bool,
    /// `/` puts paths together.
    pub joins_paths: bool,
    /// `%` fills a text in.
    pub fills: bool,
    /// `"1" + 1` is a text.
    pub adds_texts: bool,
    /// The name of the module that runs as a program.
    pub main: &'static str,
    /// Decorators, by their full names, that keep a function from getting the object first.
    pub unbound: &'static [&'static str],
    /// Decorators that make a method a part.
    pub properties: &'static [&'static str],
}

/// Methods that run without being called by their names.
#[derive(Debug)]
pub struct Implicit {
    /// Makes the object that the constructor fills.
    pub allocates: &'static str,
    /// Sets an item.
    pub sets_item: &'static str,
    /// Removes an item.
    pub removes_item: &'static str,
    /// Is asked for an item that a table does not have.
    pub missing_item: &'static str,
    /// Is asked for an item of a class.
    pub class_item: &'static str,
    /// Is asked for every part.
    pub reads_part: &'static str,
    /// Sets every part.
    pub sets_part: &'static str,
    /// A part of a class that is an object: what is read of it, and what sets it.
    pub describes: [&'static str; 2],
    /// Ends an object.
    pub ends: &'static str,
    /// Says whether an object counts as true.
    pub truth: [&'static str; 2],
    /// The parts of an object as a table.
    pub parts: &'static str,
    /// Parts of functions that lead to what they belong to, and to the names that they know.
    pub owners: [&'static str; 2],
    /// Is asked where an object is a key.
    pub key: &'static str,
    /// Functions of libraries that are given an object may call these.
    pub asked: &'static [&'static str],
    /// The option of a class that names what makes it.
    pub maker: &'static str,
    /// What a property is asked for to give it a function that sets it.
    pub setter: &'static str,
}

/// The syntax tree of one text.
#[derive(Debug)]
pub struct Tree {
    /// How the language calls things.
    pub dialect: &'static Dialect,
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    names: Vec<Rc<str>>,
    texts: Vec<Rc<str>>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    loops: Vec<Loop>,
    tries: Vec<Try>,
    withs: Vec<With>,
    matches: Vec<Match>,
    imports: Vec<Import>,
    comprehensions: Vec<Comprehension>,
    root: NodeId,
    locals: Vec<Name>,
    faults: Vec<Range>,
}

/// A node that stands for whatever a number leads to that is out of range; no number of a `Builder` is.
const NOTHING: Node = Node { kind: Kind::Nothing, range: Range { start: 0, end: 0 } };

impl Tree {
    /// The block of the whole text.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Names that the text sets outside of functions.
    #[must_use]
    pub fn locals(&self) -> &[Name] {
        &self.locals
    }

    /// What could not be read, in order.
    #[must_use]
    pub fn faults(&self) -> &[Range] {
        &self.faults
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there nothing in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node {
        at(&self.nodes, id.0).copied().unwrap_or(NOTHING)
    }

    /// What a node is.
    #[must_use]
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// All nodes, the children before their parents.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    /// Children.
    #[must_use]
    pub fn list(&self, list: List) -> &[NodeId] {
        let start = list.start as usize;
        self.children.get(start..start + list.length as usize).unwrap_or_default()
    }

    /// All names, by their numbers.
    #[must_use]
    pub fn names(&self) -> &[Rc<str>] {
        &self.names
    }

    /// A name.
    #[must_use]
    pub fn name(&self, name: Name) -> &str {
        at(&self.names, name.0).map_or("", |name| name)
    }

    /// A string.
    #[must_use]
    pub fn text(&self, text: TextId) -> &str {
        at(&self.texts, text.0).map_or("", |text| text)
    }

    /// All functions.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// A function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> Option<&Function> {
        at(&self.functions, id.0)
    }

    /// A class.
    #[must_use]
    pub fn class(&self, id: ClassId) -> Option<&Class> {
        at(&self.classes, id.0)
    }

    /// A loop.
    #[must_use]
    pub fn loop_of(&self, id: LoopId) -> Option<&Loop> {
        at(&self.loops, id.0)
    }

    /// A `try`.
    #[must_use]
    pub fn try_of(&self, id: TryId) -> Option<&Try> {
        at(&self.tries, id.0)
    }

    /// A `with`.
    #[must_use]
    pub fn with_of(&self, id: WithId) -> Option<&With> {
        at(&self.withs, id.0)
    }

    /// A `match`.
    #[must_use]
    pub fn match_of(&self, id: MatchId) -> Option<&Match> {
        at(&self.matches, id.0)
    }

    /// An import.
    #[must_use]
    pub fn import(&self, id: ImportId) -> Option<&Import> {
        at(&self.imports, id.0)
    }

    /// A comprehension.
    #[must_use]
    pub fn comprehension(&self, id: ComprehensionId) -> Option<&Comprehension> {
        at(&self.comprehensions, id.0)
    }
}

impl Name {
    /// Its place among the names of its tree.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

fn at<T>(all: &[T], index: u32) -> Option<&T> {
    all.get(index as usize)
}

/// Builds a tree, the children before their parents.
#[derive(Debug)]
pub struct Builder {
    tree: Tree,
    known: HashMap<Rc<str>, Name>,
}

impl Builder {
    /// An empty tree.
    #[must_use]
    pub fn new(dialect: &'static Dialect) -> Self {
        let tree = Tree {
            dialect,
            nodes: Vec::new(),
            children: Vec::new(),
            names: Vec::new(),
            texts: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            loops: Vec::new(),
            tries: Vec::new(),
            withs: Vec::new(),
            matches: Vec::new(),
            imports: Vec::new(),
            comprehensions: Vec::new(),
            root: NodeId(0),
            locals: Vec::new(),
            faults: Vec::new(),
        };
        Self { tree, known: HashMap::new() }
    }

    /// What has been built so far.
    #[must_use]
    pub fn so_far(&self) -> &Tree {
        &self.tree
    }

    /// Adds a node.
    pub fn add(&mut self, kind: Kind, range: Range) -> NodeId {
        let id = NodeId(index_of(&self.tree.nodes));
        self.tree.nodes.push(Node { kind, range });
        id
    }

    /// A name's number.
    pub fn name(&mut self, name: &str) -> Name {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let shared: Rc<str> = Rc::from(name);
        let id = Name(index_of(&self.tree.names));
        self.tree.names.push(Rc::clone(&shared));
        self.known.insert(shared, id);
        id
    }

    /// Adds children.
    pub fn list(&mut self, children: &[NodeId]) -> List {
        let start = index_of(&self.tree.children);
        self.tree.children.extend_from_slice(children);
        List { start, length: u32::try_from(children.len()).unwrap_or_default() }
    }

    /// Adds a string.
    pub fn text(&mut self, text: &str, range: Range) -> NodeId {
        let id = self.text_id(text);
        self.add(Kind::Text(id), range)
    }

    /// Adds a string that is no node of its own.
    pub fn text_id(&mut self, text: &str) -> TextId {
        let id = TextId(index_of(&self.tree.texts));
        self.tree.texts.push(Rc::from(text));
        id
    }

    /// Adds a block.
    pub fn block(&mut self, statements: &[NodeId], range: Range) -> NodeId {
        let list = self.list(statements);
        self.add(Kind::Block(list), range)
    }

    /// Adds a function.
    pub fn function(&mut self, function: Function, range: Range) -> NodeId {
        let id = FunctionId(index_of(&self.tree.functions));
        self.tree.functions.push(function);
        self.add(Kind::Function(id), range)
    }

    /// Adds a class.
    pub fn class(&mut self, class: Class, range: Range) -> NodeId {
        let id = ClassId(index_of(&self.tree.classes));
        self.tree.classes.push(class);
        self.add(Kind::Class(id), range)
    }

    /// Adds a loop.
    pub fn add_loop(&mut self, whole: Loop, range: Range) -> NodeId {
        let id = LoopId(index_of(&self.tree.loops));
        self.tree.loops.push(whole);
        self.add(Kind::Loop(id), range)
    }

    /// Adds a `try`.
    pub fn add_try(&mut self, whole: Try, range: Range) -> NodeId {
        let id = TryId(index_of(&self.tree.tries));
        self.tree.tries.push(whole);
        self.add(Kind::Try(id), range)
    }

    /// Adds a `with`.
    pub fn add_with(&mut self, whole: With, range: Range) -> NodeId {
        let id = WithId(index_of(&self.tree.withs));
        self.tree.withs.push(whole);
        self.add(Kind::With(id), range)
    }

    /// Adds a `match`.
    pub fn add_match(&mut self, whole: Match, range: Range) -> NodeId {
        let id = MatchId(index_of(&self.tree.matches));
        self.tree.matches.push(whole);
        self.add(Kind::Match(id), range)
    }

    /// Adds an import.
    pub fn import(&mut self, import: Import, range: Range) -> NodeId {
        let id = ImportId(index_of(&self.tree.imports));
        self.tree.imports.push(import);
        self.add(Kind::Import(id), range)
    }

    /// Adds a comprehension.
    pub fn comprehension(&mut self, comprehension: Comprehension, range: Range) -> NodeId {
        let id = ComprehensionId(index_of(&self.tree.comprehensions));
        self.tree.comprehensions.push(comprehension);
        self.add(Kind::Comprehension(id), range)
    }

    /// Adds what could not be read, with the parts of it that could.
    pub fn unknown(&mut self, parts: &[NodeId], range: Range) -> NodeId {
        self.tree.faults.push(range);
        let list = self.list(parts);
        self.add(Kind::Unknown(list), range)
    }

    /// Adds what is nested too deeply to be read.
    pub fn deep(&mut self, range: Range) -> NodeId {
        self.tree.faults.push(range);
        self.add(Kind::Deep, range)
    }

    /// Says that something could not be read that is part of no node.
    pub fn fault(&mut self, range: Range) {
        self.tree.faults.push(range);
    }

    /// The tree of an empty text.
    #[must_use]
    pub fn finish_empty(mut self) -> Tree {
        let root = self.block(&[], Range::default());
        self.finish(root, Vec::new())
    }

    /// The tree, whose whole text is this block.
    #[must_use]
    pub fn finish(mut self, root: NodeId, locals: Vec<Name>) -> Tree {
        self.tree.root = root;
        self.tree.locals = locals;
        self.tree.faults.sort_by_key(|fault| (fault.start, fault.end));
        self.tree.faults.dedup();
        self.tree
    }
}

/// The number of what is added next. A text is at most a mebibyte, and a tree a few numbers for each of its bytes.
fn index_of<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        assert!(size_of::<Node>() <= 32, "{}", size_of::<Node>());
    }

    #[test]
    fn a_number_of_another_tree_leads_to_nothing() {
        let builder = Builder::new(&crate::frontends::PLAIN);
        let tree = builder.finish(NodeId(7), Vec::new());
        assert!(matches!(tree.kind(tree.root()), Kind::Nothing));
        assert_eq!(tree.name(Name(3)), "");
    }

    #[test]
    fn names_are_kept_once() {
        let mut builder = Builder::new(&crate::frontends::PLAIN);
        let (one, other, again) = (builder.name("a"), builder.name("b"), builder.name("a"));
        assert!(one == again && one != other);
    }
}
