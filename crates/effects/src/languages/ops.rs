//! What the functions of libraries do, in one vocabulary for all languages.

use std::rc::Rc;

use tollgate_model::{Certainty, CodeSource, EffectKind, WriteMode};
use tollgate_shell::value::{HoleSource, Taint, Value};

use super::machine::{Machine, Origin};
use super::pure::{self, Pure};
use super::value::{Args, Val};
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
    /// Opens a file: path and mode. A pipe where the language says so.
    Open,
    /// Opens a file to write it anew.
    Create,
    /// Opens a file: handle, mode and path, all of it perhaps in one text.
    OpenHandle,
    /// Deletes files.
    Delete,
    /// Deletes trees.
    DeleteTree,
    /// Deletes what the option `recursive` says.
    DeleteMaybe,
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
    /// The same, as a function without arguments.
    Now(Known),
    /// Goes to a directory.
    ChangeDir,
    /// Runs text as code of this language.
    Eval,
    /// Runs a file as code of this language.
    EvalFile,
    /// Makes objects of data, which may run code.
    Unpack,
    /// A module by its name.
    Import,
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
    /// Writes its first argument to the file that is its second.
    Dump,
    /// What comes in from outside.
    Input,
    /// Calls its first argument with every item of the others.
    Map,
    /// Calls its last argument with every item of the first.
    Each,
    /// Keeps the items for which its last argument is true.
    Filter,
    /// Calls its second argument with the first.
    Then,
    /// Calls its first argument with the others.
    Apply,
    /// Calls what the option `target` names with the option `args`.
    Thread,
    /// Its first argument with the others filled in.
    Bind,
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
    /// Calls nothing else and returns nothing that matters.
    Nothing,
}

/// The mark of the whole environment, which is read where it goes out: most programs only hand it on to others.
pub(super) const ENVIRONMENT: Taint = Taint(taint::SECRET.0 | 1 << 40);

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
}

impl Op {
    /// Is it a value, not a function?
    pub fn is_value(self) -> bool {
        matches!(self, Op::Known(_) | Op::Pure(Pure::Parent | Pure::Base | Pure::Stem))
    }

    /// As a method of an object: does it need the object?
    pub fn wants_receiver(self) -> bool {
        matches!(self, Op::Send | Op::Then | Op::PipeTo)
    }
}

impl Machine<'_, '_, '_> {
    /// Does what a function does.
    pub fn perform(&mut self, op: Op, name: &str, args: &Args) -> Val {
        if !self.burn(16) {
            return Val::Unknown(args.taint());
        }
        let exposed;
        let args = if matches!(op, Op::Env | Op::EnvAll | Op::Get | Op::Part | Op::Known(_) | Op::Keys) {
            args
        } else {
            exposed = self.exposed_args(args);
            &exposed
        };
        match op {
            Op::Shell | Op::ShellOut => self.run_shell(op == Op::ShellOut, args),
            Op::Program => self.run_program(args),
            Op::Spawn => self.run_spawn(args),
            Op::System => self.run_system(name, args),
            Op::ExecList(skip) => {
                let list = args.at(skip + 1, &["args", "argv"]);
                self.run_listed(&args.at(skip, &["path", "file", "command"]), &list)
            }
            Op::ExecWords(skip) => {
                self.run_listed(&args.at(skip, &["path", "file"]), &Val::list(args.skip(skip + 1).list))
            }
            Op::Eval => self.run_eval(args),
            Op::EvalFile => self.run_file(&args.at(0, &["path", "file"])),
            Op::Unpack => {
                let marks = args.taint();
                if taint::has(marks, taint::NET) || taint::has(marks, taint::DECODED) {
                    self.dynamic(marks);
                }
                Val::Unknown(marks)
            }
            Op::Import => self.import(args),
            Op::Part => self.part_by_name(args),
            Op::Kill | Op::KillFirst => self.kill(op == Op::KillFirst, args),
            Op::Fork => {
                self.forks += 1;
                self.callbacks(args);
                Val::unknown()
            }
            Op::Power => {
                self.push(
                    EffectKind::Process { signal: "power".into(), target: "the machine".into() },
                    Certainty::Certain,
                );
                Val::unknown()
            }
            Op::Print(newline) => self.print_args(newline, args),
            Op::Dump if args.list.is_empty() => {
                self.leaks(ENVIRONMENT);
                Val::unknown()
            }
            Op::Dump => {
                let value = args.at(0, &[]);
                match args.get(1) {
                    Some(Val::File(file)) => {
                        self.file_method(&Rc::clone(file), "write", &Args::of(vec![value]))
                    }
                    _ => self.print_args(true, &Args::of(vec![value])),
                }
            }
            Op::Input => self.around.input.clone(),
            Op::Env | Op::EnvAll => self.environment(op == Op::EnvAll, name, args),
            Op::Known(known) | Op::Now(known) => self.known(known),
            Op::PipeTo => {
                let value = Val::Text(args.text(0));
                match args.get(1) {
                    Some(Val::File(file)) => {
                        self.file_method(&Rc::clone(file), "write", &Args::of(vec![value]))
                    }
                    Some(Val::Pipe(pipe)) => {
                        self.pipe_method(&Rc::clone(pipe), "write", &Args::of(vec![value]))
                    }
                    other => other.cloned().unwrap_or_else(Val::unknown),
                }
            }
            Op::Later => match args.get(0) {
                Some(Val::Text(_)) => self.run_eval(&Args::of(args.list.iter().take(1).cloned().collect())),
                Some(function) => self.apply(&function.clone(), &Args::default()),
                None => Val::unknown(),
            },
            Op::Put => match args.get(0).cloned() {
                Some(Val::File(file)) => self.file_method(&file, "write", &args.skip(1)),
                Some(Val::Pipe(pipe)) => self.pipe_method(&pipe, "write", &args.skip(1)),
                Some(Val::Object(_)) => self.network(Op::Send, args),
                _ => self.print_args(false, &args.skip(1)),
            },
            Op::LispProcess(skip) => {
                let program = args.at(if skip == 2 { 2 } else { 0 }, &[]);
                let rest = args.list.iter().skip(if skip == 2 { 3 } else { skip }).cloned();
                self.run_spawn(&Args::of(vec![Val::list(std::iter::once(program).chain(rest).collect())]))
            }
            Op::WriteThird => {
                let content = args.text(0);
                self.write(&args.at(2, &[]), WriteMode::Overwrite, Some(&content));
                Val::unknown()
            }
            Op::ConnectThird => self.network(Op::Connect, &args.skip(2)),
            Op::MapNames => {
                let function = match args.get(0) {
                    Some(Val::Name(name)) => Val::Name(Rc::clone(name)),
                    other => other.cloned().unwrap_or_else(Val::unknown),
                };
                self.higher(Op::Map, &Args::of(vec![function, args.at(1, &[])]))
            }
            Op::WriteTo => {
                let target = args.option("file").or(args.option("con")).or(args.get(1)).cloned();
                match target {
                    Some(Val::File(file)) => {
                        self.file_method(&file, "write", &Args::of(vec![args.at(0, &[])]))
                    }
                    Some(path @ Val::Text(_)) if args.option("file").is_some() || name == "writeLines" => {
                        let content = args.text(0);
                        self.write(&path, WriteMode::Overwrite, Some(&content));
                        Val::unknown()
                    }
                    _ => self.print_args(true, args),
                }
            }
            Op::StartText => {
                let text = args
                    .list
                    .iter()
                    .map(Val::as_text)
                    .reduce(|left, right| left.concat(&Value::text(" ")).concat(&right));
                self.run_shell(false, &Args::of(vec![Val::Text(text.unwrap_or_else(Value::empty))]))
            }
            Op::ApplyNamed | Op::ApplyList => {
                let function = self.callable(&args.at(0, &[]));
                let rest = if op == Op::ApplyList { Args::of(args.at(1, &[]).items()) } else { args.skip(1) };
                self.apply(&function, &rest)
            }
            Op::MapNamed => {
                let (list, function) = match (args.get(0), args.get(1)) {
                    (Some(list @ Val::List(_)), Some(function)) | (Some(function), Some(list)) => {
                        (list.clone(), function.clone())
                    }
                    _ => return Val::unknown(),
                };
                let function = self.callable(&function);
                self.higher(Op::Map, &Args::of(vec![function, list]))
            }
            Op::Dispatch => self.dispatch(name, args),
            Op::ByName => match args.literal(args.list.len().saturating_sub(1)) {
                Some(name) => self.named_function(&name),
                None => Val::name("?"),
            },
            Op::Loop => {
                let start = self.effort();
                let args = args.clone();
                self.looped(start, |machine| machine.callbacks(&args));
                Val::unknown()
            }
            Op::TempBlock => {
                let path = self.known(Known::TempFile);
                for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
                    self.apply(function, &Args::of(vec![path.clone()]));
                }
                path
            }
            Op::Keys => pure::apply(Pure::Keys, args),
            Op::Duplicate => {
                self.remote |=
                    self.connected && args.get(1).is_none_or(|number| !matches!(number, Val::Int(1 | 2)));
                Val::unknown()
            }
            Op::Calm => {
                self.calms += 1;
                self.callbacks(args);
                Val::unknown()
            }
            Op::Hidden => {
                self.opaque("its code reaches for parts of the interpreter by a detour");
                Val::unknown()
            }
            Op::Replace if args.list.len() == 2 => self.files(Op::Move, args),
            Op::Replace => self.perform(Op::Pure(Pure::Replace), name, args),
            Op::Map | Op::Each | Op::Filter | Op::Then | Op::Apply | Op::Thread | Op::Bind => {
                self.higher(op, args)
            }
            Op::Get => self.get(args),
            Op::Pure(what) => {
                let work: usize = args
                    .list
                    .iter()
                    .map(|value| match value {
                        Val::Text(text) => text.any.iter().map(|text| text.bytes()).sum(),
                        Val::List(list) => list.items.len() * 8,
                        _ => 1,
                    })
                    .sum();
                self.burn(work / 4);
                self.pure(what, args)
            }
            Op::StartsWith | Op::EndsWith => Val::unknown(),
            Op::Nothing => {
                self.callbacks(args);
                Val::Unknown(args.taint())
            }
            Op::Fetch
            | Op::Request
            | Op::Post
            | Op::Download
            | Op::Connect
            | Op::Dial
            | Op::Send
            | Op::Resolve => self.network(op, args),
            _ => self.files(op, args),
        }
    }

    fn pure(&mut self, what: Pure, args: &Args) -> Val {
        match what {
            Pure::ExpandUser => {
                let home = self.run.analyst.world.home().to_owned();
                Val::Text(pure::expand_user(&args.text(0), &home))
            }
            Pure::Absolute => {
                let home = self.run.analyst.world.home().to_owned();
                let path = pure::expand_user(
                    &pure::join_paths(&args.list.iter().rev().map(Val::as_text).collect::<Vec<_>>()),
                    &home,
                );
                Val::Text(self.run.shell.resolve(&path))
            }
            Pure::Resolve => {
                let path = pure::join_paths(&args.list.iter().map(Val::as_text).collect::<Vec<_>>());
                Val::Text(self.run.shell.resolve(&path))
            }
            other => pure::apply(other, args),
        }
    }

    /// What is known of the machine.
    pub fn known(&mut self, known: Known) -> Val {
        let script = || self.around.file.clone();
        match known {
            Known::Arguments => Val::list(self.around.argv.clone()),
            Known::Program | Known::Interpreted => {
                let before = if known == Known::Program { 1 } else { 2 };
                let mut list = vec![Val::Text(script().unwrap_or_else(|| Value::text("-c"))); before];
                // `node -e` has no script before its arguments.
                if known == Known::Interpreted && self.around.file.is_none() {
                    list.pop();
                }
                list.extend(self.around.argv.iter().cloned());
                Val::list(list)
            }
            Known::Environment => Val::name("$ENV"),
            Known::Home => Val::text(self.run.analyst.world.home()),
            Known::Folder => Val::Text(self.run.shell.cwd().clone()),
            Known::Temp => Val::text(&self.temp()),
            Known::TempFile => {
                let folder = Value::text(&format!("{}/", self.temp()));
                Val::Text(folder.concat(&Value::something(HoleSource::Input)))
            }
            Known::Executable => Val::text(self.run.program),
            Known::File => Val::Text(script().unwrap_or_else(|| Value::something(HoleSource::Input))),
            Known::FileFolder => match script() {
                Some(path) => Val::Text(pure::parent(&self.run.shell.resolve(&path))),
                None => Val::Text(self.run.shell.cwd().clone()),
            },
            Known::Input => self.around.input.clone(),
            Known::Slash => Val::text("/"),
            Known::Newline => Val::text("\n"),
        }
    }

    fn temp(&self) -> String {
        self.run.analyst.world.temp_dirs().first().cloned().unwrap_or_else(|| "/tmp".to_owned())
    }

    /// Variables of the environment: one by its name, with a default, or all of them.
    pub fn environment(&mut self, all: bool, name: &str, args: &Args) -> Val {
        if all || args.list.is_empty() {
            return Val::Unknown(ENVIRONMENT);
        }
        let Some(variable) = args.literal(0) else {
            return Val::Unknown(ENVIRONMENT);
        };
        self.push(EffectKind::EnvRead { names: vec![variable.clone()] }, Certainty::Certain);
        // `os.environ["X"]` fails where there is no X; `getenv` does not.
        let present = name.contains('[') || args.list.len() > 1;
        let value = self.variable(&variable, present);
        match args.get(1) {
            Some(default) if !value.is_known() => Val::Text(value).union(default),
            _ => Val::Text(value),
        }
    }

    /// Data with these marks leaves the program, or is seen.
    pub fn leaks(&mut self, marks: Taint) {
        if marks.0 & ENVIRONMENT.0 == ENVIRONMENT.0 {
            self.push(EffectKind::EnvRead { names: Vec::new() }, Certainty::Certain);
        }
    }

    fn variable(&mut self, name: &str, present: bool) -> Value {
        use tollgate_shell::eval::Host;
        let set = self
            .run
            .call
            .assigns
            .iter()
            .rev()
            .find(|(set, _)| **set == *name)
            .map(|(_, value)| value.clone());
        let exported = || self.run.shell.exported().find(|(set, _)| *set == name).map(|(_, value)| value);
        if let Some(value) = set.or_else(exported) {
            return value;
        }
        match self.run.analyst.environment(name) {
            Some(value) => Value::text(&value),
            None if present => Value::something(HoleSource::Variable(name.into())),
            None => Value::unknown(HoleSource::Variable(name.into())),
        }
    }

    fn print_args(&mut self, newline: bool, args: &Args) -> Val {
        if args.option("file").is_some_and(|file| matches!(file, Val::Name(name) if name.ends_with("stderr")))
        {
            return Val::name("None");
        }
        if let Some(Val::File(handle)) = args.option("file").cloned() {
            self.file_method(&handle, "write", args);
            return Val::name("None");
        }
        let mut line = Value::empty();
        for (at, value) in args.list.iter().enumerate() {
            if at > 0 && newline {
                line = self.concat(&line, &Value::text(" "));
            }
            line = self.concat(&line, &value.as_text());
        }
        if newline {
            line = self.concat(&line, &Value::text("\n"));
        }
        self.print(&line);
        Val::name("None")
    }

    fn kill(&mut self, signal_first: bool, args: &Args) -> Val {
        let show = |value: &Val| value.literal().unwrap_or_else(|| "?".to_owned());
        let (signal, targets) = if signal_first {
            (args.get(0).map(show).unwrap_or_default(), args.skip(1).list)
        } else {
            (args.get(1).map_or_else(|| "TERM".to_owned(), show), args.list.iter().take(1).cloned().collect())
        };
        if signal == "0" {
            return Val::unknown();
        }
        for target in &targets {
            self.push(
                EffectKind::Process { signal: signal.clone(), target: show(target) },
                Certainty::Certain,
            );
        }
        Val::unknown()
    }

    fn higher(&mut self, op: Op, args: &Args) -> Val {
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
                        let results = known
                            .items
                            .iter()
                            .map(|item| self.apply(&function, &Args::of(vec![item.clone()])));
                        let results: Vec<Val> = results.collect();
                        if known.open { Val::many(results) } else { Val::list(results) }
                    }
                    other => {
                        let item = other.item();
                        Val::many(vec![self.apply(&function, &Args::of(vec![item]))])
                    }
                }
            }
            Op::Filter => self.filter(args),
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
                let target = args.at(1, &["target"]);
                let list = args.at(3, &["args"]).items();
                self.apply(&target, &Args::of(list))
            }
            _ => Val::partial(args.at(0, &[]), args.skip(1)),
        }
    }

    fn filter(&mut self, args: &Args) -> Val {
        let (list, function) = match (args.get(0), args.get(1)) {
            (Some(function @ (Val::Function(_) | Val::Name(_))), Some(list)) => {
                (list.clone(), function.clone())
            }
            (Some(list), Some(function)) => (list.clone(), function.clone()),
            _ => return args.at(0, &[]),
        };
        let before = std::mem::take(&mut self.narrowed);
        self.apply(&function, &Args::of(vec![list.item()]));
        let said = std::mem::replace(&mut self.narrowed, before);
        let Val::Function(function) = &function else { return list };
        let param = function.params.first().map(|param| param.name.clone());
        let kept: Vec<Val> = said
            .into_iter()
            .filter(|(place, _)| Some(place) == param.as_ref())
            .map(|(_, value)| value)
            .collect();
        let open = matches!(&list, Val::List(list) if list.open);
        if kept.is_empty() || !open && matches!(list, Val::List(_)) { list } else { Val::many(kept) }
    }

    fn get(&mut self, args: &Args) -> Val {
        let found = args.get(0).cloned().unwrap_or_else(Val::unknown);
        let Some(key) = args.get(1) else { return found.item() };
        let item = self.index(&found, None, key);
        match args.get(2) {
            Some(default) => item.union(default),
            None => item,
        }
    }

    /// A part of a module by its name.
    fn part_by_name(&mut self, args: &Args) -> Val {
        let owner = args.at(0, &[]);
        match (&owner, args.literal(1)) {
            (_, Some(name)) => self.attribute(&owner, None, &name),
            (Val::Name(module), None) if self.syntax.risky.contains(&&**module) => Val::name("?"),
            _ => Val::Unknown(owner.taint()),
        }
    }

    /// `receiver.send(:name, …)`, or `send(:name, …)`.
    fn dispatch(&mut self, called: &str, args: &Args) -> Val {
        let bare = called == "send"
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

    /// A function, perhaps by its name.
    fn callable(&mut self, value: &Val) -> Val {
        match value.literal() {
            Some(name) => self.named_function(&name),
            None if matches!(value, Val::Text(_)) => Val::name("?"),
            None => value.clone(),
        }
    }

    /// A function by its name, not called.
    fn named_function(&mut self, name: &str) -> Val {
        self.scope.get(name).cloned().unwrap_or_else(|| Val::name(name))
    }

    fn import(&mut self, args: &Args) -> Val {
        match args.literal(0) {
            Some(name) => self.module(&name),
            None => Val::unknown(),
        }
    }

    pub fn opaque(&mut self, why: &str) {
        if self.act() {
            self.run.analyst.opaque(why, self.around.span);
        }
    }

    /// Code that is not known is run.
    pub fn dynamic(&mut self, marks: Taint) {
        if !self.act() {
            return;
        }
        let telling = taint::has(marks, taint::NET) || taint::has(marks, taint::DECODED);
        if self.around.origin == Origin::Inline || telling {
            self.run.analyst.dynamic_code(marks, self.around.span);
            return;
        }
        // A program on disk that makes its commands from its own data is the ordinary case.
        let kind = EffectKind::Exec {
            program: "its own code".into(),
            argv: Vec::new(),
            source: CodeSource::Variable,
        };
        self.push(kind, Certainty::Possible);
    }

    /// The mode a file is opened with: reads, writes, adds.
    pub fn mode(text: &str) -> (bool, Option<WriteMode>) {
        let plus = text.contains('+');
        match text.trim_start_matches(['t', 'b']).chars().next() {
            Some('w' | 'x' | 'c') => (plus, Some(WriteMode::Overwrite)),
            Some('a') => (plus, Some(WriteMode::Append)),
            _ => (true, plus.then_some(WriteMode::Edit)),
        }
    }
}
