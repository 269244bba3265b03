//! What the functions of libraries do, as a hook reads it: static tables that a build script makes from
//! `catalogue/libraries/LANGUAGE.toml`.

/// What is known of the libraries of a language.
#[derive(Debug)]
pub struct Library {
    /// Functions, and what they made: by their full names.
    pub functions: &'static phf::Map<&'static str, Meaning>,
    /// Methods, whatever they are called on: that is their first argument.
    pub methods: &'static phf::Map<&'static str, Meaning>,
    /// What is done with an open file.
    pub file: &'static phf::Map<&'static str, FileDeed>,
    /// What is done with a program that was started.
    pub process: &'static phf::Map<&'static str, ProcessDeed>,
    /// Functions of C's library, which some libraries reach for.
    pub native: &'static phf::Map<&'static str, Meaning>,
    /// How the names of those libraries begin.
    pub native_prefixes: &'static [&'static str],
    /// Modules that do not lie beside the program.
    pub modules: &'static phf::Set<&'static str>,
    /// What may stand before a name, and says nothing.
    pub prefixes: &'static [&'static str],
    /// What may stand in a name, and says nothing.
    pub fillers: &'static [&'static str],
    /// How names may begin, and how the same things are called.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Modules that others have brought in for themselves, and that can be reached through them.
    pub through: &'static [&'static str],
    /// How names begin whose last part is a program's name.
    pub programs: &'static [&'static str],
    /// Modules from which nothing may be picked by a name that is not known.
    pub risky: &'static [&'static str],
    /// A program's output is its caller's, unless it says otherwise.
    pub keeps_output: bool,
}

/// What a function does.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    /// What.
    pub role: Role,
    /// The place of the argument that it does it to.
    pub at: u8,
    /// The place of another argument: a target, a content, a mode.
    pub with: Option<u8>,
    /// It does it in the stronger way: a whole tree, at any depth, with all arguments that are left.
    pub flag: bool,
    /// A word that says more.
    pub text: &'static str,
}

/// What a function does to its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Gives a text to a shell; with `output`, returns what it prints.
    RunsShell,
    /// Runs a list of words, or a text where the option `shell` says so.
    Runs,
    /// One argument: a text for a shell. More: the words of a command.
    RunsWords,
    /// Runs a program: its path, and its words in a list or as the arguments that are left.
    RunsProgram,
    /// Runs the program that the function is named after.
    RunsNamed,
    /// Runs a program with a list of arguments.
    Spawns,
    /// Runs a file of this language in a process of its own.
    ForksScript,
    /// Runs a text as code of this language.
    Evaluates,
    /// Makes a function of names and a text of code.
    MakesFunction,
    /// Runs a file as code of this language.
    EvaluatesFile,
    /// Makes objects of data, which may run code; not where the option `unless` names a loader that makes none.
    Unpacks,
    /// Brings in a module by its name.
    Imports,
    /// Brings in the module that is in a file.
    BringsIn,
    /// Modules are looked for in a folder, too.
    Searches,
    /// Modules whose files were written since are brought in again.
    Reloads,
    /// Puts the file of variables that an argument names, or the usual one, into the environment; yields one of them, or not.
    LoadsVariables,
    /// What a notebook does with a line or a cell that is no code.
    Magic,
    /// Opens a file for what its mode says.
    Opens,
    /// Opens a file for something of the library's own.
    OpensFor,
    /// Opens a file to write it anew.
    Creates,
    /// Puts a folder into an archive: its name without the ending, and its kind.
    Archives,
    /// A new file for temporary use, open for writing; with its path behind it, or not.
    Temporary,
    /// Deletes: a file, a tree, or what an option says.
    Deletes,
    /// Moves.
    Moves,
    /// Copies.
    Copies,
    /// Makes a link to something.
    Links,
    /// Reads a file, or this one where there is no argument.
    Reads,
    /// The names in a folder.
    ReadsFolder,
    /// A tree of folders: folder, folders, files.
    Walks,
    /// Files that fit a pattern.
    Finds,
    /// Files below a folder that fit a pattern, at any depth or not.
    Lists,
    /// Writes a file anew.
    Writes,
    /// Adds to a file.
    Appends,
    /// Empties a file.
    Truncates,
    /// Makes an empty file, or changes its times.
    Touches,
    /// Makes a folder.
    MakesFolder,
    /// Gives a path a mode or an owner.
    ChangesMode,
    /// Unpacks an archive into a folder.
    Extracts,
    /// Goes to a folder.
    ChangesFolder,
    /// Writes a value to an open file.
    Dumps,
    /// Writes to an open file.
    Puts,
    /// Fetches an address.
    Fetches,
    /// Asks an address, with a method.
    Requests,
    /// Sends to an address.
    Posts,
    /// Fetches an address into a file.
    Downloads,
    /// Connects to a host: a pair, or host and port.
    Connects,
    /// Sends on a connection.
    Sends,
    /// Resolves a name.
    Resolves,
    /// One variable of the environment.
    ReadsVariable,
    /// The whole environment.
    ReadsEnvironment,
    /// Sets variables of the environment.
    SetsVariables,
    /// Something of the machine that is known.
    Known(Known),
    /// A text of the library.
    Constant,
    /// Something of the library by another name.
    StandsFor,
    /// Prints its arguments, with or without an end of line.
    Prints,
    /// Prints its arguments where errors go.
    Tells,
    /// Signals a process.
    Kills,
    /// Ends the process that it is called on.
    KillsItself,
    /// Splits the process.
    Forks,
    /// Switches the machine off.
    PowersOff,
    /// Waits or ends.
    Waits,
    /// The processes, or their numbers.
    ListsProcesses,
    /// Asks a process what it is: one of many is meant.
    AsksProcess,
    /// Reaches for what is not meant to be reached.
    Hides,
    /// Makes a connection a standard stream.
    Duplicates,
    /// Calls functions that it is given: how.
    Calls(How),
    /// The function of this name, with these arguments filled in.
    Curries,
    /// Makes a value out of values, and does nothing else.
    Makes(Make),
    /// Leads what one thing reads into another.
    Pipes,
    /// Puts something else in the place of a function, as tests do.
    Stubs,
    /// Something that stands for its first argument.
    Proxies,
    /// A file, or a text where the option `eval` says so, as code of this language.
    WorksOff,
}

/// What a function makes out of values: the word in the files, and what it means in `crates/code/src/machine/pure.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the word in the files")]
pub enum Make {
    Same,
    Copy,
    CopyWhole,
    Itself,
    Trim,
    Dedent,
    Lower,
    Upper,
    Reverse,
    Chars,
    Code,
    JoinSpaced,
    JoinWith,
    JoinBy,
    Replace,
    Split,
    Lines,
    Braces,
    Base64,
    Hex,
    Codec,
    Percent,
    Unpacked,
    Concat,
    List,
    Int,
    ToList,
    JoinPaths,
    ExpandUser,
    Resolve,
    Parent,
    Parents,
    Address,
    Base,
    Suffix,
    Ends,
    Stem,
    Relative,
    ShellWords,
    ShellQuote,
    Merge,
    Keys,
    Values,
    Table,
    Entries,
    Last,
    First,
    Range,
    Repeat,
    Slice,
    Zip,
    Pick,
    Fragments,
    Json,
    WithName,
    WithSuffix,
    Partition,
    WithoutStart,
    Buffer,
    Part,
    PartsOf,
    ItemOf,
    CallOf,
    Names,
    Literal,
    Count,
    Nothing,
    Encoded,
    Memory,
    Record,
    Get,
    StartsWith,
    EndsWith,
    Fits,
    RequestOption,
    Endless,
    Append,
    Extend,
    Insert,
    Pop,
    Clear,
    Update,
    SetDefault,
    Remove,
    Turn,
    Mix,
    MixIn,
    SetItem,
    RemoveItem,
    SetPart,
    Forming,
    OptionParser,
}

/// How a function calls functions that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the word in the files")]
pub enum How {
    Apply,
    Thread,
    Bind,
    Map,
    Filter,
    Each,
    Fold,
    Then,
    Later,
    Seek,
}

/// Something of the machine that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the word in the files")]
pub enum Known {
    Program,
    Arguments,
    Interpreted,
    Environment,
    Home,
    Folder,
    Temp,
    TempFile,
    Executable,
    File,
    FileFolder,
    Input,
    Slash,
    Newline,
    Parent,
}

/// What a method does with an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the word in the files")]
pub enum FileDeed {
    Write,
    WriteLines,
    Read,
    Lines,
    Path,
    Same,
    Empty,
    Delete,
    HandOver,
}

/// What a method does with a program that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the word in the files")]
pub enum ProcessDeed {
    Communicate,
    Write,
    Wait,
    Output,
    Status,
    Same,
}
