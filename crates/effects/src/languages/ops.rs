//! What the functions of libraries do, in one vocabulary for all languages.

use tollgate_shell::value::Taint;

use super::pure::Pure;
use crate::analyst::taint;

/// What a function does. Paths, texts and the like are its first argument, where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    /// Gives text to a shell.
    Shell,
    /// The same, and returns what was printed.
    ShellOut,
    /// Runs a list of words, or a text where the option `shell` says so.
    Program,
    /// Runs a program with a list of arguments.
    Spawn,
    /// One argument: text for a shell. More: words.
    System,
    /// A path and a list of words, after some other arguments.
    ExecList(usize),
    /// A path and words, after some other arguments.
    ExecWords(usize),
    /// The program that its own name ends with, with its arguments: `sh.rm`.
    Named,
    /// A program, and what its streams are: `proc_open`.
    Process,
    /// Calls the function of a module: module, name and list of arguments.
    ApplyMember,
    /// A port of Erlang: a pair of how it is started and what, with arguments.
    Port,
    /// A property of the machine by its name: `user.home`.
    Property,
    /// Commands, each of which reads what the one before it prints.
    Pipeline,
    /// A file as code of this language in a process of its own, and its arguments.
    ForkFile,
    /// A file, or text where the option `eval` says so, as code of this language.
    Worker,
    /// Something of the language by another name.
    Yields(&'static str),
    /// Reads its first argument, or this file.
    ReadOr(&'static str),
    /// Unpacks an archive into the folder that its options name, or that is the argument at this place.
    Extract(usize),
    /// Opens a file: path and mode. A pipe where the language says so.
    Open,
    /// Opens a file to write it anew.
    Create,
    /// Opens a file for something of the library's own: path and mode, which is this one where nothing else is said.
    OpenFor(&'static str),
    /// Puts a folder into an archive: its name without the ending, and its kind.
    Archive,
    /// Opens a file: handle, mode and path, all of it perhaps in one text.
    OpenHandle,
    /// Opens a file: handle, path and mode.
    OpenSecond,
    /// Deletes files.
    Delete,
    /// Deletes trees.
    DeleteTree,
    /// Deletes; an `r` in the second argument means trees.
    DeleteFlagged,
    /// Reads every file that it is given.
    ReadAll,
    /// Deletes what the option `recursive` says.
    DeleteMaybe,
    /// Deletes the path that it is called on, when it is given nothing; of a list or a text it takes something away.
    DeleteSelf,
    /// Moves.
    Move,
    /// Copies.
    Copy,
    /// Copies trees.
    CopyTree,
    /// Makes a link to the first argument.
    Link,
    /// Makes the first argument a link.
    LinkTo,
    /// Replaces text, or moves a path.
    Replace,
    /// Reads a file.
    Read,
    /// Reads a file and runs nothing, returns its lines.
    Lines,
    /// The names in a directory.
    ReadDir,
    /// A directory tree: folder, folders, files.
    Walk,
    /// Files that fit a pattern.
    Glob,
    /// The same, and `~` is the home directory.
    GlobHome,
    /// Files below the first argument that fit a pattern.
    GlobBelow,
    /// The same at any depth.
    GlobDeep,
    /// Writes its second argument.
    Write,
    /// Adds its second argument.
    Append,
    /// Empties.
    Truncate,
    /// Gives a path a mode or an owner.
    Permission,
    /// The mode or the owner comes first, then paths; with everything below them or not.
    PermissionOf(bool),
    /// Fetches an address.
    Fetch,
    /// The method comes first, then the address.
    Request,
    /// Sends to an address.
    Post,
    /// Fetches an address into a file.
    Download,
    /// Connects to a host: a pair, or host and port.
    Connect,
    /// Connects to the host that its options name.
    Dial,
    /// Sends on a connection.
    Send,
    /// Resolves a name.
    Resolve,
    /// One variable of the environment.
    Env,
    /// All of them.
    EnvAll,
    /// Something of the machine that is known.
    Known(Known),
    /// A text of the library.
    Constant(&'static str),
    /// The same, as a function without arguments.
    Now(Known),
    /// Goes to a directory.
    ChangeDir,
    /// Sets variables of the environment.
    SetEnv,
    /// Makes a directory.
    MakeDir,
    /// Makes an empty file, or only changes its times.
    Touch,
    /// Calls its first argument for everything below the others.
    Find,
    /// Runs text as code of this language.
    Eval,
    /// Makes a function of names and a text.
    MakeFunction,
    /// Runs a file as code of this language.
    EvalFile,
    /// Makes objects of data, which may run code.
    Unpack,
    /// The same, unless the class that this option names makes no objects.
    UnpackBy(&'static str),
    /// A module by its name.
    Import,
    /// A module by its name, from beside the file that asks for it.
    ImportBeside,
    /// The module that is in a file: the argument that names it.
    ModuleAt(usize),
    /// Modules are looked for in these folders, too.
    SearchIn,
    /// Modules whose files were written since are brought in again.
    ModulesAgain,
    /// A new file for temporary use that is open for writing; with its path behind it, or not.
    TempHandle(bool),
    /// Puts the file of variables that an argument names into the environment; else the usual one.
    LoadEnv(usize),
    /// The same, and yields the variable that an argument names.
    LoadedEnv(usize),
    /// What a notebook does with a line or a cell that is no code of its language.
    Magic(Magic),
    /// All names that are known, or those of its argument.
    Names,
    /// A part of its first argument by a name.
    Part,
    /// Signals a process: target and signal.
    Kill,
    /// Signal and targets.
    KillFirst,
    /// Splits the process.
    Fork,
    /// Switches the machine off.
    Power,
    /// Prints its arguments, with or without an end of line.
    Print(bool),
    /// Prints its arguments where errors go: they are seen, and not handed on.
    Tell,
    /// Writes its first argument to the file that is its second.
    Dump,
    /// What comes in from outside.
    Input,
    /// What the files hold that are the program's arguments; from outside where there are none.
    InputFiles,
    /// Calls its first argument with every item of the others.
    Map,
    /// Calls its last argument with every item of the first.
    Each,
    /// Keeps the items for which its last argument is true.
    Filter,
    /// Keeps the items for which its last argument is not true.
    Reject,
    /// Does a text fit a pattern?
    Fits,
    /// Finds the item for which its last argument is true; below a path, that is every file.
    Seek,
    /// A class of objects with these parts.
    Record,
    /// Calls its second argument with the first.
    Then,
    /// Calls its first argument with the others.
    Apply,
    /// Calls what the option `target` names with the option `args`.
    Thread,
    /// Its first argument with the others filled in.
    Bind,
    /// The function of this name, with these arguments filled in: `attrgetter("name")`.
    Curry(&'static str),
    /// Parts of its last argument by the names before it.
    PartOf,
    /// The item of its last argument at the key before it.
    ItemOf,
    /// What text says that is written like a value of this language.
    Literal,
    /// Calls the method that its first argument names of its last one, with those between.
    CallOf,
    /// Calls a function for every item of a list, with what it returned before.
    Fold,
    /// Returns a list's item, a table's entry.
    Get,
    /// The text begins with.
    StartsWith,
    /// The text ends with.
    EndsWith,
    /// Makes a value out of values.
    Pure(Pure),
    /// Gives its first argument to the file or the program that is its second.
    PipeTo,
    /// Leads its first argument through all the others.
    Streams,
    /// Something in memory that is written to like a file, with what is in it at first.
    Buffer,
    /// Runs a function, or text as code, after a while.
    Later,
    /// The names in a table; of the environment they are no secret.
    Keys,
    /// Makes a connection a standard stream: connection and number.
    Duplicate,
    /// Writes its second argument to the file that is its first.
    Put,
    /// A program among other arguments, its own arguments after some of them.
    LispProcess(usize),
    /// Writes text to the file that is its third argument.
    WriteThird,
    /// Connects to the host that is its third argument.
    ConnectThird,
    /// Connects to the host that is its second argument.
    ConnectSecond,
    /// Something that stands for its first argument, as the table that is its second says.
    Proxy,
    /// Puts a function in the place of another: module, name, function.
    Stub,
    /// Puts something else in the place of a function, or of all in a module.
    StubAll,
    /// Looks at who calls a function, which may be replaced then.
    Spy,
    /// What is looked at is replaced.
    StubSpied,
    /// What was replaced is there again.
    Unstub,
    /// Sends the file that is its first argument to the address that is its second.
    UploadTo,
    /// The beginning of a command that is put together before it runs.
    Builder,
    /// How a file is to be opened, said before it is.
    Opening,
    /// Opens a file: path, and the name of a mode.
    OpenMode,
    /// A folder of the user by its name: `SpecialFolder.UserProfile`.
    Special,
    /// Calls a function for every file below a folder: folder, pattern, depth, function.
    FoldFiles,
    /// Calls the methods of a visitor for every file below a folder.
    Visit,
    /// Calls the function that its first argument names for every item of the second.
    MapNames,
    /// Writes its first argument where the second one says, or prints it.
    WriteTo,
    /// A program and its arguments in one text.
    StartText,
    /// Calls its first argument, which may be a name, with the others.
    ApplyNamed,
    /// The same, with a list of arguments.
    ApplyList,
    /// Calls one of its arguments, which may be a name, with the items of the other.
    MapNamed,
    /// Calls a method of its first argument by the name that is its second.
    Dispatch,
    /// A function by its name.
    ByName,
    /// Calls its argument without end.
    Loop,
    /// A temporary file or folder, for what is called with it.
    TempBlock,
    /// Waits or ends.
    Calm,
    /// Reaches for what is not meant to be reached.
    Hidden,
    /// Writes its arguments down in another form: JSON, a query, Base64.
    Encode,
    /// Sets an option of a request: the request, the option's name, its value.
    RequestOption,
    /// The same, for a table of options: the request, the table.
    RequestOptions,
    /// Prints the whole environment, and more.
    EnvDump,
    /// Sends the file whose path is its third argument.
    SendThird,
    /// Says how much there is, or of what kind, and nothing of what it is.
    Count,
    /// The numbers of all processes, or the processes; some of them where it is told what to ask each.
    Processes,
    /// Asks a process what it is: it is one of many that is meant.
    Picks,
    /// Ends the process that it is called on.
    KillSelf,
    /// Calls nothing else and returns nothing that matters.
    Nothing,
}

/// The mark of the whole environment, which is read where it goes out: most programs only hand it on to others.
pub(super) const ENVIRONMENT: Taint = Taint(taint::SECRET.0 | 1 << 40);

/// What a notebook is given that is no code of its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// A whole cell, as somebody types it.
    Cell,
    /// The name of a magic and its line.
    Line,
    /// The name of a magic, its line and its cell.
    Block,
    /// Name and line in one.
    Text,
}

/// Things of the machine that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Arguments,
    /// The arguments, with the program's name before them.
    Program,
    /// With the interpreter's name before that.
    Interpreted,
    Environment,
    Home,
    Folder,
    Temp,
    /// A new file or folder for temporary use.
    TempFile,
    Executable,
    File,
    FileFolder,
    Input,
    Slash,
    Newline,
    /// The number of the process that started this one.
    Parent,
}

impl Op {
    /// A request, by the method of HTTP that a function is named for.
    pub fn request(verb: &str) -> Option<Self> {
        Some(match verb {
            "get" | "head" | "options" => Self::Fetch,
            "post" | "put" | "patch" | "delete" => Self::Post,
            _ => return None,
        })
    }

    /// Is it a value, not a function?
    pub fn is_value(self) -> bool {
        matches!(
            self,
            Op::Known(_)
                | Op::Constant(_)
                | Op::InputFiles
                | Op::Pure(Pure::Parent | Pure::Parents | Pure::Base | Pure::Stem | Pure::Itself)
        )
    }

    /// Does it talk to the network?
    pub fn is_network(self) -> bool {
        matches!(
            self,
            Op::Fetch
                | Op::Request
                | Op::Post
                | Op::Download
                | Op::Connect
                | Op::Dial
                | Op::Send
                | Op::Resolve
        )
    }

    /// Does it start a program?
    pub fn starts(self) -> bool {
        matches!(
            self,
            Op::Shell | Op::ShellOut | Op::Program | Op::Spawn | Op::System | Op::Process | Op::Pipeline
        )
    }

    /// As a method of an object: does it need the object?
    pub fn wants_receiver(self) -> bool {
        matches!(
            self,
            Op::Send | Op::Fits | Op::Then | Op::PipeTo | Op::KillSelf | Op::StubSpied | Op::RequestOption
        )
    }
}
