//! What is known of programs, as the hook reads it: static tables that a build script makes from `catalogue/`.

#[cfg(feature = "compile")]
pub mod compile;

pub mod libraries;

pub use phf;

/// One program, or several names of one program.
#[derive(Debug)]
pub struct Program {
    /// Its names.
    pub names: &'static [&'static str],
    /// What kind of program it is.
    pub tags: &'static [Tag],
    /// All its options, where its manual was read as a whole: `r,R,recursive` is a flag, `t,target=` takes a value,
    /// `i,interactive?` may have one attached.
    pub options: Option<&'static str>,
    /// Options whose value is a command line.
    pub runs_shell: &'static str,
    /// Options whose value is `name=command`.
    pub sets_command: &'static str,
    /// Options whose value is a file or folder of code.
    pub loads_code: &'static str,
    /// What its operands are.
    pub operands: Operands,
    /// It has another program make its connections, which nobody writes for a project.
    pub is_transport: bool,
    /// It runs the command that its words name.
    pub is_wrapper: bool,
    /// Its name may end in a version: `python3.12`.
    pub is_versioned: bool,
    /// Its long options are written with one dash.
    pub one_dash: bool,
    /// Its verbs, if it is told by verbs what to do.
    pub verbs: Option<&'static Verbs>,
    /// What becomes of the files, hosts and code that its words name.
    pub uses: &'static [Use],
    /// Where its words say that code comes from, if it manages packages, plugins or templates.
    pub packages: Option<&'static Packages>,
}

/// A kind of program, which is treated alike somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Reads `@file` as the words in that file.
    ResponseFiles,
    /// Writes the file that `-o` names, whatever else it does.
    OutputOption,
    /// Connects to the addresses among its words.
    FetchesAddresses,
    /// Hands files on as they are.
    PassesWhole,
    /// A shell.
    Shell,
    /// Looks at a file's name, rights or size, or opens it for a person.
    LooksAtFiles,
    /// Takes a key file to prove who one is.
    IdentityFile,
    /// Runs what `KUBECONFIG` names to prove who one is.
    ReadsKubeconfig,
    /// Prints all that is in a database.
    DumpsDatabase,
    /// Shows another file system at its last operand.
    Mounts,
    /// Prints what it is given, as it is or in other letters.
    PrintsInput,
    /// Passes lines on, and is not yet the end of them.
    PassesLines,
    /// Shows, sends or looks up the words it is given.
    ShowsWords,
    /// Prints the names it is given, each with something about it.
    ListsOperands,
    /// Keeps all it is given until that ends.
    KeepsInput,
    /// Hands on all it is given, in this form or another.
    StreamsInput,
    /// Installs and removes programs.
    PackageManager,
    /// Starts tasks of a project by their names, or only says something.
    StartsTasks,
    /// Only looks and says what it saw.
    OnlyLooks,
}

/// One way to call a program, and the role of some of its words. All that fit count.
#[derive(Debug)]
pub struct Use {
    /// The operands that come first: each is one of several words. A word that ends with `*` fits by its start.
    pub call: &'static [&'static [&'static str]],
    /// The words that come first, options included: `-m http.server`.
    pub begins: &'static [&'static str],
    /// One of these words must be there.
    pub with: &'static [&'static str],
    /// None of these words may be there.
    pub without: &'static [&'static str],
    /// Its options, as far as operands and values have to be told apart.
    pub options: &'static str,
    /// The options that take no value, where all others take one.
    pub flags: &'static [&'static str],
    /// Words behind which nothing is meant.
    pub until: &'static [&'static str],
    /// Which of its words have the role.
    pub slot: Slot,
    /// What they are.
    pub role: Role,
}

impl Use {
    /// Any call, no words.
    pub const ANY: Self = Self {
        call: &[],
        begins: &[],
        with: &[],
        without: &[],
        options: "",
        flags: &[],
        until: &[],
        slot: Slot::None,
        role: Role::Edits,
    };
}

/// Words of a call, behind those of [`Use::call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// `""`: no word has the role, the call itself has.
    None,
    /// `operands`, `operands 2..`: all operands from this one on, counted from zero.
    Operands(usize),
    /// `operand 1`: one operand, counted from zero.
    Operand(usize),
    /// `operands or .`: all operands; the current folder if there are none.
    OperandsOrHere,
    /// `last operand`, where there is one before it.
    LastOperand,
    /// `.`: the current folder.
    Here,
    /// `~/.cache/x`: these places, whatever the call says.
    Paths(&'static [&'static str]),
    /// `-o --output`: the values of these options.
    Options(&'static [&'static str]),
    /// `--*_out`: the values of the options that end so.
    OptionsEnding(&'static str),
    /// `last word`, unless it is an option.
    LastWord,
    /// `first and last word`, unless they are options.
    FirstAndLastWord,
    /// `word after output`.
    WordAfter(&'static str),
    /// `conversions`: what an office program makes of each operand.
    Conversions,
    /// `command`: the first operand and all that follows it.
    Command,
    /// `command from 2`: what follows `--`, or this number of words, counted from zero.
    CommandFrom(usize),
    /// `command after --`.
    CommandAfterDashes,
}

/// What the words of a slot are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Files and folders that are read, and shown or sent.
    Reads,
    /// Files and folders that are deleted with all that is in them.
    Deletes,
    /// Files that are made or changed in place.
    Edits,
    /// Files that are written over, whatever they held.
    Writes,
    /// Files that may be written over besides what the program is for.
    MayWrite,
    /// The folders with what the program has made, which it deletes.
    Cleans(&'static [&'static str]),
    /// Files of environment variables.
    LoadsEnvironment {
        /// It loads `.env` without being told to.
        by_default: bool,
    },
    /// Products of a compiler; other names are files that are made or changed.
    Compiles,
    /// Folders of a build; other names are folders that are made or changed.
    BuildsIn,
    /// Folders that are emptied.
    Empties,
    /// Folders that are served to others.
    Serves {
        /// The option for the address to listen at.
        address: &'static str,
        /// Without that option it listens for this machine only.
        locally: bool,
    },
    /// Where a folder is fetched from; the next operand is the folder.
    FetchesTree {
        /// A source without a host is `owner/name` on a forge.
        forge: bool,
    },
    /// A command that runs on another machine.
    RunsRemotely,
    /// Files that are sent away.
    Uploads,
    /// Sources and a target, of which either may be a store.
    Copies,
    /// Hosts whose names are looked up.
    LooksUp,
    /// Processes that are looked into or held up.
    Traces,
    /// Addresses at which others are given control.
    Listens,
    /// The call makes this machine reachable from outside.
    OpensTunnel,
    /// The call prints shell code that sets up the shell.
    PrintsSetup,
    /// Code in this language: the option `e` holds it, `f` names a file of it; without either the first operand is code.
    RunsCode(&'static str),
    /// A source file in this language, which is compiled and run.
    RunsSource(&'static str),
    /// SQL for a database.
    Sql {
        /// Options that hold it.
        texts: &'static [&'static str],
        /// Options that name a file of it.
        files: &'static [&'static str],
        /// The operand holds it.
        operand: bool,
        /// Without any of these it is read from standard input.
        stdin: bool,
    },
}

/// The words by which a manager of packages, plugins or templates is told where code comes from.
#[derive(Debug)]
pub struct Packages {
    /// Verbs with which it brings in code that is run; none means that every run does.
    pub brings: &'static str,
    /// Those behind which it runs something: what follows the first operand belongs to that. `tool/run` is of two words.
    pub runs: &'static str,
    /// Options that name a place to get code from.
    pub sources: &'static str,
    /// Options whose value is something else. One that is a switch with another verb may take the next word from it.
    pub values: &'static str,
    /// Those of them whose value is an address.
    pub addresses: &'static str,
    /// Words that stand before the verb, and how many follow them.
    pub leads: &'static [(&'static str, usize)],
    /// Every operand is a verb.
    pub tasks: bool,
    /// Options with two values.
    pub pairs: &'static str,
    /// Options behind which nothing is the manager's own.
    pub ends: &'static str,
    /// An address among its operands is a package.
    pub takes_addresses: bool,
}

/// What the words are that are no options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Nothing is said of them.
    Unsaid,
    /// A command, behind this number of other words.
    Runs(usize),
    /// Files of code, behind these verbs.
    LoadsCode(&'static [&'static str]),
}

/// The verbs of a tool.
#[derive(Debug)]
pub struct Verbs {
    /// Options that take the next word, without dashes.
    pub values: &'static str,
    /// `-chdir=x` is a long option, as in programs written with Go's `flag`.
    pub one_dash: bool,
    /// Only what it takes away is known, not the rest.
    pub only_losses: bool,
    /// What its verbs do; the first that fits counts.
    ///
    /// A pattern holds the verbs in their order (`volume rm|remove`, `delete-*`, `*` for any word, `**` for any
    /// number of them, `@own` for a service of development, `@essential` for a package that no system can
    /// miss, `@many` for a count above one, `@bucket` for a whole store, `@local` for what is no address, `@near` for
    /// servers of development), options that must be there (`--force`, `-f,--force`, `--acl=public*`, `--server=^@near` for
    /// any other value), options that must not (`!--dry-run`), variables likewise (`$KEY=^test*`), and `<` for an input
    /// that is not the terminal.
    pub deeds: &'static [(&'static str, Deed)],
}

/// What a verb does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Nothing that anyone would miss.
    Safe,
    /// Changes infrastructure; the operation is one of the words the rules know.
    Infra(&'static str),
    /// Publishes to a registry.
    Publish(&'static str),
    /// Changes a database; the operation is one of the words the rules know.
    Database(&'static str),
    /// Opens or disables the firewall.
    WeakensFirewall,
    /// Changes where packages come from.
    ChangesPackageIndex,
    /// Weakens a protection of the machine: how.
    WeakensMachine(&'static str),
    /// Switches the machine off.
    Power,
}
