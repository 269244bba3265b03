//! What goes in and out: the contract between this crate and whoever judges what a program does.
//!
//! In goes a `Program`: a text with holes, its language, its arguments, its file and its input. While it is run abstractly,
//! the machine tells its `Host` one `Fact` after the other, in the order in which the program would do things, and the host
//! answers each at once: what is in a file that is read, what a command prints. So the host keeps the state of the machine
//! that the program runs on (files written, the present folder, the environment), and nothing of the program; the machine
//! keeps the state of the program, and knows neither files nor zones. Lookups that are no facts are functions of the host.
//!
//! Facts are never left out because they would be inconvenient. A fact of every way through the program is told; one that
//! depends on something that nobody may ever do (a function that nobody calls) is `Possible`.

use std::rc::Rc;

use tollgate_model::{Certainty, WriteMode};
use tollgate_shell::value::{Taint, Value};

use crate::holes::Source;
use crate::tree::Range;

/// A language with a frontend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Python.
    Python,
}

/// Where a program's text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line or standard input.
    Inline,
    /// A file.
    File,
}

/// A program to be run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its language.
    pub language: Language,
    /// One of the texts that it may be.
    pub source: Source,
    /// Where its text comes from.
    pub origin: Origin,
    /// Its file, absolute, where it has one.
    pub file: Option<Value>,
    /// Its arguments, without its own name.
    pub args: Vec<Value>,
    /// What it reads from standard input.
    pub input: Value,
    /// It only counts what happens while it is loaded: nobody knows when its functions are called.
    pub only_loaded: bool,
    /// Folders in which modules are looked for, besides the program's own.
    pub folders: Vec<Value>,
}

/// What comes of a program, besides its facts.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it prints.
    pub printed: Value,
    /// It called something that is not known, which may print as well.
    pub strange: bool,
}

/// One thing a program does.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What.
    pub act: Act,
    /// Where it stands, in the text of the program or of the module that does it.
    pub range: Range,
    /// How certain it is: `Budget` where the machine stopped.
    pub certainty: Certainty,
    /// It stands in a branch or a loop that may not be run.
    pub branch: bool,
}

/// What a program does. Paths and the like may be several, and may have holes.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Reads a file, or everything below a folder. Answer: what is in it.
    Read {
        /// The file.
        path: Value,
        /// With everything below it.
        tree: bool,
    },
    /// Opens a file to write it. What is written follows.
    Open {
        /// The file.
        path: Value,
        /// How.
        mode: WriteMode,
    },
    /// Writes a file.
    Write {
        /// The file.
        path: Value,
        /// How.
        mode: WriteMode,
        /// What is in it from now on, or what is added, where that is known.
        content: Option<Value>,
    },
    /// Deletes.
    Delete {
        /// What.
        path: Value,
        /// With everything below it.
        tree: bool,
    },
    /// Moves.
    Move {
        /// What.
        from: Value,
        /// Where to.
        to: Value,
    },
    /// Copies.
    Copy {
        /// What.
        from: Value,
        /// Where to.
        to: Value,
        /// With everything below it.
        tree: bool,
    },
    /// Makes a link.
    Link {
        /// What the link leads to.
        target: Value,
        /// The link.
        name: Value,
    },
    /// Makes a folder.
    MakeFolder {
        /// Which.
        path: Value,
    },
    /// Makes an empty file, or changes its times.
    Touch {
        /// Which.
        path: Value,
    },
    /// Gives a path a mode or an owner.
    Mode {
        /// What.
        path: Value,
        /// The mode in octal, or `?`.
        to: String,
        /// With everything below it.
        tree: bool,
    },
    /// Unpacks an archive.
    Extract {
        /// The folder it goes to; the present one where none is named.
        to: Option<Value>,
    },
    /// Goes to a folder: from now on, relative paths begin there.
    ChangeFolder {
        /// Which.
        path: Value,
    },
    /// Gives a text to a shell. Answer: what it prints.
    Shell {
        /// The text.
        text: Value,
        /// How it is run.
        run: Run,
    },
    /// Runs a program with words. Answer: what it prints.
    Command {
        /// The words, the program first.
        words: Vec<Value>,
        /// How it is run.
        run: Run,
    },
    /// Runs code that is not known: where it came from is all that can be said.
    Dynamic {
        /// Where it came from.
        taint: Taint,
        /// Its text is known as well, and followed.
        known: bool,
    },
    /// Runs a file as code of its own language. Answer: nothing.
    RunFile {
        /// The file.
        path: Value,
    },
    /// Sends a request. Answer: what comes back.
    Request {
        /// The method, where it is known: `GET`.
        method: Option<Rc<str>>,
        /// The function is one that sends.
        sends: bool,
        /// The address.
        address: Value,
        /// Whatever else the function is given.
        data: Arguments,
    },
    /// Connects to a host. Answer: what comes in.
    Connect {
        /// The host, or host and port.
        address: Data,
    },
    /// Sends on a connection.
    Send {
        /// Whom the connection leads to, where that is known.
        peer: Option<Value>,
        /// What is sent.
        data: Arguments,
    },
    /// Resolves a name.
    Resolve {
        /// The name.
        name: Value,
    },
    /// Ends or signals a process.
    Signal {
        /// The signal.
        signal: Option<Value>,
        /// The process, where it is known.
        target: Option<Value>,
        /// A process that is not known was picked from all that run.
        all: bool,
    },
    /// Splits itself, starts programs or takes memory or disk without end and without waiting.
    Exhaust {
        /// Which of these.
        how: Exhaust,
    },
    /// Switches the machine off.
    PowerOff,
    /// Reads a variable of the environment, or all. Answer: its value.
    ReadEnvironment {
        /// The variable.
        name: Option<Rc<str>>,
        /// The program fails, or has a default, where there is no such variable.
        present: bool,
    },
    /// Puts the variables in a file into the environment.
    LoadEnvironment {
        /// The file.
        path: Value,
    },
    /// Sets a variable of the environment for what it starts.
    SetEnvironment {
        /// The variable.
        name: Value,
        /// Its value.
        value: Value,
    },
    /// What a notebook does with a line or a cell that is no code. Answer: code of the program's own language in it.
    Magic {
        /// How it is given: `cell`, `line`, `block`, `text`.
        kind: &'static str,
        /// What is given.
        words: Vec<Value>,
    },
    /// Prints.
    Print {
        /// What.
        text: Value,
        /// Where errors go.
        aside: bool,
        /// What of libraries is among it: settings.
        names: Vec<Rc<str>>,
    },
    /// Makes objects of data, which may run code.
    Unpack {
        /// The data.
        data: Value,
    },
    /// Calls something of a library that this crate knows nothing of. What is a service, a database or a cloud is for the
    /// host to tell. Answer: not used.
    Call {
        /// Its full name: what it belongs to, or was made by, and its own: `boto3.client.delete_bucket`.
        name: Rc<str>,
        /// What it was called on was given this when it was made.
        of: Option<Arguments>,
        /// With what.
        args: Arguments,
    },
    /// Sets a part of something that a library made.
    Set {
        /// Its full name.
        name: Rc<str>,
        /// What it belongs to was given this when it was made.
        of: Arguments,
        /// The value.
        value: Arguments,
    },
    /// Something that cannot be followed.
    Opaque {
        /// Why.
        why: Why,
    },
}

/// How a command is run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// What it reads from standard input, where that is not the program's own.
    pub input: Option<Value>,
    /// The folder it runs in, where that is not the program's own.
    pub folder: Option<Value>,
    /// Its standard input is a connection, as where a shell is given away.
    pub remote: bool,
    /// Variables of its environment.
    pub variables: Vec<(Rc<str>, Value)>,
    /// The name that it is called by, where that is not its own: it may make it another program.
    pub called: Option<Value>,
}

/// What a program takes without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaust {
    /// It splits itself.
    Forks,
    /// It starts programs.
    Programs,
    /// It takes memory or disk.
    Space,
}

/// Why something cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is no code of the language: whoever runs it stops there.
    Unread,
    /// It is nested too deeply to be read.
    Deep,
    /// It does too much.
    Fuel,
    /// It reaches for parts of the interpreter by a detour.
    Detour,
    /// A function is picked by a name that is only known when it runs.
    Picked,
}

/// What a function is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// In order.
    pub list: Vec<Data>,
    /// By their names.
    pub named: Vec<(Rc<str>, Data)>,
}

/// The name under which something of a library has what was put into it since it was made.
pub const HELD: &str = "headers";

/// The name under which a request has what it is made by.
pub const CLIENT: &str = "client";

/// A value of the program, as far as others can do something with it.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A text, a path, bytes.
    Text(Value),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// `None`
    Nothing,
    /// Something of a library, by its full name.
    Name(Rc<str>),
    /// Items, and whether there may be any number of such.
    List(Vec<Data>, bool),
    /// Items with names.
    Table(Vec<(Rc<str>, Data)>),
    /// What a library returned: what was called, and with what.
    Made(Rc<str>, Arguments),
    /// A function or class of the program.
    Code,
    /// Nothing is known but where it came from.
    Unknown(Taint),
}

/// The marks that the machine puts on data itself; their bits belong to the host.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// Was decoded from something unreadable.
    pub decoded: Taint,
    /// Is the whole environment.
    pub environment: Taint,
}

/// The machine that a program runs on.
pub trait Host {
    /// Takes a fact down, and says what it yields.
    fn note(&mut self, fact: Fact) -> Value;

    /// Spends work; false when there is none left.
    fn spend(&mut self, units: usize) -> bool;

    /// The marks for data that the machine makes.
    fn marks(&self) -> Marks;

    /// The home directory.
    fn home(&self) -> String;

    /// The present folder.
    fn folder(&self) -> Value;

    /// The folder for temporary files.
    fn temp(&self) -> String;

    /// The number of a new temporary file.
    fn fresh(&mut self) -> u32;

    /// A path, absolute and normal, from the present folder.
    fn resolve(&self, path: &Value) -> Value;

    /// The interpreter's own name.
    fn interpreter(&self) -> String;

    /// The text of a module, where there is such a file: on disk, or written by this call.
    fn module(&mut self, path: &Value) -> Option<Value>;
}
