//! What the evaluator says to its host, and what it asks of it.

use std::rc::Rc;

use tollgate_model::Span;

use super::Shell;
use crate::ast::{Dialect, Problem};
use crate::value::{Taint, Value};

/// The world around the shell: told of everything that runs, asked for everything the text does not say.
pub trait Host {
    /// A command runs, or may run. Called for every simple command after expansion: builtins too (before
    /// they change the shell), and assignments alone (no words). The prefix assignments and redirections
    /// are in force in `shell` while this runs. What it returns is used unless `call.kind` says that the
    /// evaluator knows better.
    fn command(&mut self, call: &Call, shell: &mut Shell) -> Outcome;

    /// A redirection opens a file. Returns what reading it yields, when known.
    fn open(&mut self, open: &Open, shell: &mut Shell) -> Option<Value>;

    /// Something that is no command but should be known.
    fn note(&mut self, note: Note);

    /// Whether there is such a directory; `None` when that cannot be told.
    fn is_dir(&self, path: &str) -> Option<bool>;

    /// Where a directory really lies, links followed; the path is as it is spelled, with `..` in it.
    fn real_dir(&self, _path: &str) -> Option<String> {
        None
    }

    /// The value of a variable that the script does not set; `None` when unknown.
    fn environment(&self, name: &str) -> Option<String>;

    /// Whether a variable that the script does not set has certainly no value: then a default takes its place.
    fn is_unset(&self, _name: &str) -> bool {
        false
    }

    /// What is in a file that is about to be run as code; `None` when that cannot be told.
    fn content(&mut self, _path: &str, _shell: &Shell) -> Option<String> {
        None
    }

    /// The home directory of a user, for `~user`.
    fn home_of(&self, user: &str) -> Option<String>;

    /// What went before failed, and `!` makes a success of that: the script goes on in `shell`.
    fn failed(&mut self, _shell: &mut Shell) {}
}

/// A command after expansion.
#[derive(Clone, Debug)]
pub struct Call {
    /// Command word and arguments. The command word has exactly one possible text.
    pub argv: Vec<Field>,
    /// Assignments before the command word; with no command word, those made in the shell itself.
    pub assigns: Vec<(Rc<str>, Value)>,
    /// What the command word names.
    pub kind: Kind,
    /// Where standard input comes from.
    pub stdin: Input,
    /// Where standard output goes.
    pub stdout: Stream,
    /// Files opened by this command's own redirections, in order.
    pub redirects: Vec<Open>,
    /// The command, in the source text of the script that was first run.
    pub span: Span,
    /// Runs in the background (`&`, `coproc`), itself or something around it.
    pub background: bool,
    /// Its output goes down a pipe.
    pub piped_to: bool,
    /// May not run: it stands behind a test, a loop, `&&`, a trap, or a way out that may be taken.
    pub conditional: bool,
}

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it may be.
    pub value: Value,
    /// Where it stands.
    pub span: Span,
    /// May be any number of words, none and options included: an unquoted unknown that is split, or a list
    /// of unknown length of which each word is one of the values.
    pub splits: bool,
}

/// What a command word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Assignments and redirections without a word.
    Assignment,
    /// A builtin that the evaluator interprets; the host's outcome is not used.
    Builtin,
    /// `source` and `.`: the host may hand the file's text to `Shell::run_text`.
    Source,
    /// A function of this script, whose body is run next; the host's outcome is not used.
    Function,
    /// A program, or a builtin without meaning for the evaluator.
    External,
    /// The word is not known.
    Unresolved,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What it printed.
    pub stdout: Value,
    /// How it ended.
    pub status: Status,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Certainly zero.
    Success,
    /// Certainly not zero.
    Failure,
    /// Cannot be told.
    #[default]
    Either,
}

/// Where standard input comes from and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where from.
    pub stream: Stream,
    /// What reading it yields; `None` when nothing is known.
    pub value: Option<Value>,
}

/// The other end of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Whatever the shell was started with.
    Outer,
    /// A pipe, also that of a substitution.
    Pipe,
    /// A here-document or here-string.
    Here,
    /// A file.
    File(Value),
    /// Closed, or a descriptor nobody opened.
    Closed,
}

/// A file being opened by a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its name as written, not resolved.
    pub path: Field,
    /// What for.
    pub mode: OpenMode,
    /// The descriptor it becomes.
    pub fd: u32,
    /// The redirection.
    pub span: Span,
    /// In the background.
    pub background: bool,
    /// May not happen.
    pub conditional: bool,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// Something that is no command but should be known.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Text that could not be read.
    Problem(Problem),
    /// A function calls itself, perhaps through others.
    Recursion {
        /// The function.
        name: Rc<str>,
        /// The inner call is in the background.
        background: bool,
        /// The inner call is part of a pipeline.
        piped: bool,
        /// The inner call.
        span: Span,
    },
    /// A loop without end starts jobs and waits for none of them.
    Swarm {
        /// The loop.
        span: Span,
    },
    /// A loop without end takes more room on the disk or in memory with each pass.
    Flood {
        /// The loop.
        span: Span,
    },
    /// A budget ran out here; what follows from this place is not known.
    Budget {
        /// Which.
        limit: Limit,
        /// Where.
        span: Span,
    },
    /// What the shell itself prints where a value is missing: `${x:?text}`.
    Complaint {
        /// The text.
        text: Value,
        /// Where.
        span: Span,
    },
    /// A command word that is not known.
    Unresolved {
        /// What is known of it.
        word: Value,
        /// Where.
        span: Span,
    },
    /// Text run as code (`eval`, `-c`, `source`, `${x@P}`, …) is not known in full.
    DynamicCode {
        /// What is known of it.
        text: Value,
        /// Where.
        span: Span,
    },
}

/// What can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Evaluation steps.
    Steps,
    /// Words made by expansion.
    Words,
    /// Nested commands, substitutions, calls and texts.
    Depth,
    /// Calls of functions from within themselves.
    Recursion,
}

/// Text to be run as code.
#[derive(Clone, Debug)]
pub struct Code {
    /// The text. Each possible value is run; holes stay unknown words.
    pub text: Value,
    /// In which shell.
    pub scope: Scope,
    /// Read as which dialect.
    pub dialect: Dialect,
    /// `$0`; `None` keeps the present one.
    pub name: Option<Value>,
    /// `$1` and on; `None` keeps the present ones.
    pub args: Option<Vec<Field>>,
    /// Where its commands are said to stand.
    pub span: Span,
}

/// In which shell text is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A new process: exported variables, the present directory and descriptors, and nothing else.
    Child,
    /// The same, for the text of the file that is its name.
    Script,
    /// This shell, as `eval` does.
    Same,
    /// This shell, as `source` does: `return` ends the text.
    Sourced,
}

impl Call {
    /// The command word, when it is known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.argv.first().and_then(|field| field.value.as_literal())
    }

    /// The arguments.
    pub fn args(&self) -> impl Iterator<Item = &Field> {
        self.argv.iter().skip(1)
    }
}

impl Field {
    /// A word with this value.
    #[must_use]
    pub fn new(value: Value, span: Span) -> Self {
        Self { value, span, splits: false }
    }
}

impl Outcome {
    /// Prints nothing.
    #[must_use]
    pub fn silent(status: Status) -> Self {
        Self { stdout: Value::empty(), status }
    }

    /// Prints something unknown that carries these marks, and ends either way.
    #[must_use]
    pub fn unknown(taint: Taint) -> Self {
        Self { stdout: Value::output(taint), status: Status::Either }
    }

    /// Either of the two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { stdout: self.stdout.union(&other.stdout), status: self.status.or(other.status) }
    }
}

impl Status {
    /// Zero for true.
    #[must_use]
    pub fn of(success: bool) -> Self {
        if success { Self::Success } else { Self::Failure }
    }

    /// What `!` makes of it.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Success => Self::Failure,
            Self::Failure => Self::Success,
            Self::Either => Self::Either,
        }
    }

    /// Either of the two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Either }
    }
}
