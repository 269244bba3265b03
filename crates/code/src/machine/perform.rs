//! Does what the functions of libraries do, by what the catalogue says of them.

use std::rc::Rc;

use tollgate_catalogue::libraries::{How, Known as Thing, Make, Meaning, Role};
use tollgate_model::WriteMode;
use tollgate_shell::value::{HoleSource, Text, Value};

use super::calls::ENVIRONMENT;
use super::files::CONNECTION;
use super::value::{Args, Command, Partial, Val};
use super::{Machine, texts};
use crate::facts::{Act, Data, Run, Why};
use crate::holes::Source;

/// How libraries call a path.
const PATH: &[&str] = &["path", "file", "filename", "src", "name", "pathname", "dir", "files", "fname"];

/// How they call where something goes.
const TARGET: &[&str] = &["dst", "dest", "target", "destination", "extract_dir", "filename", "out"];

/// How they call an address.
const ADDRESS: &[&str] = &["url", "uri", "address", "host"];

impl Machine<'_> {
    /// Does what a function does.
    pub(super) fn perform(&mut self, meaning: Meaning, name: &str, args: &Args) -> Val {
        if !self.burn(16) || !self.enter() {
            return Val::Unknown(args.taint());
        }
        let value = match meaning.role {
            Role::Makes(make) if takes_part(make) => self.pure(make, name, args),
            Role::Makes(make) => {
                let args = self.all_exposed(args);
                self.pure(make, name, &args)
            }
            Role::Calls(how) => self.calls(how, args),
            Role::Known(thing) => self.known(thing, name),
            Role::Constant => Val::text(meaning.text),
            Role::StandsFor => Val::name(meaning.text),
            Role::Curries => {
                let target = Val::name(meaning.text);
                Val::Partial(Rc::new(Partial { target, args: args.clone(), this: None }))
            }
            _ => {
                let args = self.all_exposed(args);
                self.runs(meaning, name, &args)
            }
        };
        self.leave();
        value
    }

    /// Programs and code.
    fn runs(&mut self, meaning: Meaning, name: &str, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        match meaning.role {
            Role::RunsShell => self.runs_shell(meaning, args),
            Role::Runs => self.runs_program(name, args),
            Role::RunsWords | Role::Spawns => self.runs_words(args),
            Role::RunsProgram => self.runs_path(meaning, args),
            Role::RunsNamed => {
                let plain = name.strip_suffix(".bake").unwrap_or(name);
                let mut words = vec![Value::text(plain.rsplit('.').next().unwrap_or_default())];
                words.extend(args.list.iter().map(Val::as_text));
                self.command(words, args)
            }
            Role::Evaluates => self.evaluates(args),
            Role::EvaluatesFile => {
                let path = args.val(at, PATH).as_text();
                self.runs_file(&path)
            }
            Role::Stubs => Val::made(name, args.clone()),
            Role::Magic => self.magic(meaning.text, args),
            Role::Unpacks => self.unpacks(meaning, args),
            Role::Imports => self.import_by(args),
            Role::BringsIn => {
                let path = self.host.resolve(&args.text(at));
                self.module_at(&path, "").unwrap_or_else(|| Val::made(name, args.clone()))
            }
            Role::Reloads => self.reload(&args.val(0, &[])),
            Role::Searches => {
                // A place in the list is given before the folder: `sys.path.insert(0, …)`.
                let first = matches!(args.get(0), Some(Val::Int(_)));
                for folder in args
                    .list
                    .iter()
                    .filter(|folder| matches!(folder, Val::Text(_) | Val::List(_)))
                    .cloned()
                    .collect::<Vec<_>>()
                {
                    let paths = self.paths(&folder);
                    let room = 16usize.saturating_sub(self.folders.len());
                    let paths = paths.into_iter().take(room);
                    match first {
                        true => drop(self.folders.splice(..0, paths)),
                        false => self.folders.extend(paths),
                    }
                }
                Val::Nothing
            }
            Role::Kills => {
                let signal = meaning.with.and_then(|at| args.get(usize::from(at))).map(Val::as_text);
                let target = args.get(at).map(Val::as_text).filter(Value::is_known);
                if signal.as_ref().and_then(Value::as_literal) != Some("0") {
                    self.note(Act::Signal { signal, target, all: self.all_processes });
                }
                Val::unknown()
            }
            Role::KillsItself => {
                self.note(Act::Signal { signal: None, target: None, all: self.all_processes });
                Val::unknown()
            }
            _ => self.touches(meaning, name, args),
        }
    }

    /// Makes objects of data; a loader that makes none is no danger.
    fn unpacks(&mut self, meaning: Meaning, args: &Args) -> Val {
        let plain =
            |name: &str| ["SafeLoader", "BaseLoader", "FullLoader"].iter().any(|end| name.ends_with(end));
        let loader = args.option(meaning.text).or(args.get(1)).filter(|_| !meaning.text.is_empty());
        if !matches!(loader, Some(Val::Name(name)) if plain(name)) {
            self.note(Act::Unpack { data: args.text(0) });
        }
        Val::Unknown(args.taint())
    }

    /// Files.
    fn touches(&mut self, meaning: Meaning, name: &str, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        let path = args.val(at, PATH);
        let other = |names: &[&str]| {
            let at = meaning.with.map_or(usize::MAX, usize::from);
            args.at(at, names).cloned()
        };
        match meaning.role {
            Role::Opens => {
                let mode = other(&["mode", "flags"]);
                self.open(&path, mode.as_ref())
            }
            Role::OpensFor => {
                let mode = args.at(1, &["mode", "filemode"]).and_then(Val::literal);
                let mode = mode.filter(|_| meaning.text != "w").unwrap_or_else(|| meaning.text.to_owned());
                if matches!(path, Val::Text(_)) {
                    self.opened(&path, &mode);
                }
                Val::made(name, args.clone())
            }
            Role::Creates => self.opened(&path, "w"),
            Role::Archives => self.archives(args),
            Role::Temporary => self.temporary(meaning.flag, args),
            Role::Deletes => self.deletes(meaning, args),
            Role::Moves | Role::Copies | Role::Links => {
                let to = args.val(meaning.with.map_or(1, usize::from), TARGET);
                self.transfers(meaning, &path, &to);
                to
            }
            Role::Reads => self.reads(meaning, args, path),
            Role::Writes | Role::Appends => {
                let content = other(&["data", "content", "contents", "text"]).unwrap_or_default();
                let content = content.as_text().with_taint(self.store.taint(&content));
                let mode =
                    if meaning.role == Role::Appends { WriteMode::Append } else { WriteMode::Overwrite };
                self.effort.grown += 1;
                for path in self.paths(&path) {
                    self.note(Act::Write { path, mode, content: Some(content.clone()) });
                }
                Val::Nothing
            }
            Role::Truncates => {
                let nothing = args.get(at + 1).is_none_or(|length| matches!(length, Val::Int(0)));
                for path in self.paths(&path) {
                    let content = nothing.then(Value::empty);
                    self.note(Act::Write { path, mode: WriteMode::Overwrite, content });
                }
                Val::Nothing
            }
            Role::Puts | Role::Dumps => self.puts(meaning, args),
            _ => self.names_files(meaning, name, args, &path),
        }
    }

    /// Reads a file; one that is changed in place holds what is printed meanwhile.
    fn reads(&mut self, meaning: Meaning, args: &Args, path: Val) -> Val {
        let path = if args.list.is_empty() && args.named.is_empty() && !meaning.text.is_empty() {
            let text = Value::text(meaning.text);
            Val::Text(texts::expand_user(&text, &self.host.home()))
        } else {
            path
        };
        if args.option("inplace").is_some_and(|value| value.truth() != Some(false)) {
            for path in self.paths(&path) {
                self.note(Act::Open { path: path.clone(), mode: WriteMode::Edit });
                self.replaced.push((path, self.printed.clone()));
            }
        }
        Val::Text(self.read(&path))
    }

    /// Names of files, folders, and what is said of files.
    fn names_files(&mut self, meaning: Meaning, name: &str, args: &Args, path: &Val) -> Val {
        match meaning.role {
            Role::Touches => {
                for path in self.paths(path) {
                    self.note(Act::Touch { path });
                }
                Val::Nothing
            }
            Role::MakesFolder => {
                for path in self.paths(path) {
                    self.note(Act::MakeFolder { path });
                }
                Val::Nothing
            }
            Role::ChangesMode => {
                let to = match args.at(meaning.with.map_or(1, usize::from), &["mode"]) {
                    Some(Val::Int(mode)) => format!("{mode:o}"),
                    Some(other) => other.literal().unwrap_or_else(|| "?".to_owned()),
                    None => "?".to_owned(),
                };
                for path in self.paths(path) {
                    self.note(Act::Mode { path, to: to.clone(), tree: meaning.flag });
                }
                Val::Nothing
            }
            Role::Extracts => {
                let to = args.at(meaning.with.map_or(1, usize::from), TARGET).map(Val::as_text);
                self.note(Act::Extract { to });
                Val::unknown()
            }
            Role::ChangesFolder => {
                self.note(Act::ChangeFolder { path: path.as_text() });
                Val::Nothing
            }
            Role::ReadsFolder | Role::Walks | Role::Finds | Role::Lists => self.listing(meaning, args),
            _ => self.talks(meaning, name, args),
        }
    }

    /// The network, the environment and the process itself.
    fn talks(&mut self, meaning: Meaning, name: &str, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        match meaning.role {
            Role::Fetches | Role::Requests | Role::Posts | Role::Downloads => {
                self.requests(meaning, name, args)
            }
            Role::Connects => {
                let address = args.val(at, ADDRESS);
                let address = match (&address, args.get(at + 1)) {
                    (Val::Text(host), Some(port @ Val::Int(_))) => {
                        Val::Text(host.concat(&Value::text(":")).concat(&port.as_text()))
                    }
                    _ => address,
                };
                self.connected = true;
                self.peer = match self.data(&address) {
                    Data::Text(text) => Some(text),
                    Data::List(items, _) => items.into_iter().find_map(|item| match item {
                        Data::Text(text) => Some(text),
                        _ => None,
                    }),
                    _ => None,
                };
                let incoming = self.note(Act::Connect { address: self.data(&address) });
                Val::made(CONNECTION, Args::of(vec![Val::Text(incoming), address]))
            }
            Role::Sends => self.send(&args.skip(1)),
            Role::Resolves => {
                self.note(Act::Resolve { name: args.val(at, &["host", "name"]).as_text() });
                Val::unknown()
            }
            Role::ReadsVariable => {
                let present = name.ends_with(".?") || args.list.len() > 1;
                self.variable(present, args)
            }
            Role::ReadsEnvironment => {
                let value = self.whole_environment();
                if !name.ends_with(".items") {
                    return value;
                }
                // The names in pairs of names and values are no secret.
                let pair = self.store.list(vec![Val::unknown(), value]);
                self.store.many(vec![pair])
            }
            Role::SetsVariables => self.sets_variables(args),
            Role::Prints | Role::Tells => self.prints(meaning, args),
            _ => self.process_itself(meaning, args),
        }
    }

    fn process_itself(&mut self, meaning: Meaning, args: &Args) -> Val {
        match meaning.role {
            Role::Forks => {
                self.effort.forks += 1;
                Val::unknown()
            }
            Role::PowersOff => {
                self.note(Act::PowerOff);
                Val::unknown()
            }
            Role::Waits => {
                self.effort.calms += 1;
                if args.get(0).is_some_and(|said| matches!(said, Val::Text(_))) {
                    self.print(&args.text(0), true);
                }
                Val::unknown()
            }
            Role::ListsProcesses => {
                self.all_processes = args.list.is_empty() && args.named.is_empty();
                let process = Val::made("psutil.Process", Args::default());
                self.store.many(vec![process])
            }
            Role::AsksProcess => {
                self.all_processes = false;
                Val::unknown()
            }
            Role::Hides => {
                self.opaque(Why::Detour);
                Val::unknown()
            }
            Role::Duplicates => {
                let other = matches!(args.get(1), Some(Val::Int(1 | 2)));
                self.remote |= self.connected && !other;
                Val::unknown()
            }
            Role::LoadsVariables => self.loads_variables(meaning, args),
            _ => {
                self.callbacks(args);
                Val::Unknown(args.taint())
            }
        }
    }

    fn runs_shell(&mut self, meaning: Meaning, args: &Args) -> Val {
        let text = args.val(usize::from(meaning.at), &["cmd", "command", "args"]);
        if let Val::List(_) = text {
            return self.runs_program("", args);
        }
        let run = self.run_of(args);
        let printed = self.shell(&text.as_text(), run);
        self.callbacks(args);
        if meaning.flag {
            return Val::Text(printed);
        }
        self.print_of_child(&printed);
        Val::Process(Rc::new(super::value::Process { command: Command::Text(text.as_text()), printed }))
    }

    fn runs_program(&mut self, name: &str, args: &Args) -> Val {
        self.effort.started += u32::from(name.ends_with("Popen"));
        let mut args = args.clone();
        let keeps = name.ends_with("check_output") && args.option("stdout").is_none();
        if keeps {
            args.named.push((Rc::from("stdout"), Val::unknown()));
        }
        let command = args.val(0, &["args", "cmd", "command"]);
        let shell = args.option("shell").is_some_and(|value| value.truth() != Some(false));
        let run = self.run_of(&args);
        let value = match self.store.items(&command) {
            None => {
                let printed = self.shell(&command.as_text(), run);
                self.begun(Command::Text(command.as_text()), printed, &args)
            }
            Some(items) if shell => {
                let text = items.items.first().map_or_else(Value::empty, Val::as_text);
                let printed = self.shell(&text, run);
                self.begun(Command::Text(text), printed, &args)
            }
            Some(items) => {
                let mut words: Vec<Value> = items.items.iter().map(Val::as_text).collect();
                let mut run = run;
                if let (Some(program), Some(first)) = (args.option("executable"), words.first_mut()) {
                    run.called = Some(std::mem::replace(first, program.as_text()));
                }
                let printed = self.note(Act::Command { words: words.clone(), run });
                self.begun(Command::Words(words), printed, &args)
            }
        };
        // What it returns as a text is what it printed.
        match value {
            Val::Process(process) if keeps => Val::Text(process.printed.clone()),
            other => other,
        }
    }

    /// One argument: a text for a shell. More: words.
    fn runs_words(&mut self, args: &Args) -> Val {
        let mut words: Vec<Value> = Vec::new();
        for value in &args.list {
            match self.store.items(value) {
                Some(items) => words.extend(items.items.iter().map(Val::as_text)),
                None => words.push(value.as_text()),
            }
        }
        self.command(words, args)
    }

    fn command(&mut self, words: Vec<Value>, args: &Args) -> Val {
        if words.is_empty() {
            return Val::unknown();
        }
        let run = self.run_of(args);
        self.command_as(words, run, args)
    }

    fn command_as(&mut self, words: Vec<Value>, run: Run, args: &Args) -> Val {
        let printed = self.note(Act::Command { words: words.clone(), run });
        self.begun(Command::Words(words), printed, args)
    }

    /// A program's path, and its words with its name first.
    fn runs_path(&mut self, meaning: Meaning, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        let mut words = vec![args.val(at, &["path", "file", "command"]).as_text()];
        let folder = self.run_of(args);
        let given: Vec<Val> = match meaning.with {
            Some(list) => {
                let list = args.val(usize::from(list), &["args", "argv"]);
                self.store
                    .items(&list)
                    .map_or_else(|| vec![Val::Nothing, list.clone()], |items| items.items.clone())
            }
            None => args.list.iter().skip(at + 1).cloned().collect(),
        };
        words.extend(given.iter().skip(1).filter(|word| !matches!(word, Val::Table(_))).map(Val::as_text));
        let run = Run { called: given.first().map(Val::as_text), ..folder };
        self.command_as(words, run, &Args::default())
    }

    /// A text as code of this language, with the names that are known here.
    fn evaluates(&mut self, args: &Args) -> Val {
        let code =
            args.list.iter().rev().find(|value| matches!(value, Val::Text(_))).or(args.get(0)).cloned();
        let Some(code) = code else { return Val::unknown() };
        self.looks_at(&code);
        match &code {
            Val::Function(function) => self.invoke(None, &Rc::clone(function), &Args::default()),
            // Code that was compiled here is looked at here.
            Val::Made(made) if made.name.ends_with("compile") => {
                let inner = Args::of(made.args.list.iter().take(1).cloned().collect());
                self.evaluates(&inner)
            }
            Val::Text(_) | Val::File(_) => {
                let text = code.as_text();
                let blank = |text: &Text| {
                    !text.pieces.is_empty()
                        && text
                            .pieces
                            .iter()
                            .all(|piece| matches!(piece, tollgate_shell::value::Piece::Hole(_)))
                };
                let unknown = text.any.iter().all(blank);
                // Where it comes from decides, whatever it says.
                if unknown || !text.taint.is_empty() {
                    self.note(Act::Dynamic { taint: text.taint, known: !unknown });
                }
                if unknown {
                    return Val::Unknown(text.taint);
                }
                let mut value: Option<Val> = None;
                for one in text.any.iter().take(16) {
                    let next = self.text(Source::new(one, text.taint), None, self.frame);
                    value = Some(match value {
                        Some(before) => self.store.either_val(&before, &next),
                        None => next,
                    });
                }
                value.unwrap_or_default()
            }
            other => {
                let taint = self.store.taint(other);
                self.dynamic(taint);
                Val::Unknown(taint)
            }
        }
    }

    fn runs_file(&mut self, path: &Value) -> Val {
        let path = self.host.resolve(path);
        match self.host.module(&path) {
            Some(text) => {
                for one in text.any.iter().take(4) {
                    self.text(Source::new(one, text.taint), Some(path.clone()), self.frame);
                }
                self.names_of(self.frame)
            }
            None => {
                self.note(Act::RunFile { path });
                Val::unknown()
            }
        }
    }

    fn archives(&mut self, args: &Args) -> Val {
        let end = match args.at(1, &["format"]).and_then(Val::literal).as_deref() {
            Some("zip") => ".zip",
            Some("tar") => ".tar",
            Some("gztar") => ".tar.gz",
            Some("bztar") => ".tar.bz2",
            Some("xztar") => ".tar.xz",
            _ => "",
        };
        let path = args.val(0, &["base_name"]).as_text().concat(&Value::text(end));
        self.note(Act::Open { path: path.clone(), mode: WriteMode::Overwrite });
        Val::Text(path)
    }

    fn deletes(&mut self, meaning: Meaning, args: &Args) -> Val {
        let asked = !meaning.text.is_empty()
            && args.option(meaning.text).is_some_and(|value| value.truth() != Some(false));
        let tree = meaning.flag || asked;
        let at = usize::from(meaning.at);
        let given = args.at(at, PATH).cloned();
        // Where it is not known whose method it is, what follows may be what is deleted.
        let unknown = matches!(given, Some(Val::Name(_) | Val::Unknown(_)));
        let others = args.list.iter().skip(at + 1).filter(|value| unknown && matches!(value, Val::Text(_)));
        let all: Vec<Val> = given.iter().chain(others).cloned().collect();
        for path in all.iter().flat_map(|value| self.paths(value)).collect::<Vec<_>>() {
            self.note(Act::Delete { path, tree });
        }
        self.callbacks(&args.skip(at + 1));
        Val::Nothing
    }

    fn transfers(&mut self, meaning: Meaning, from: &Val, to: &Val) {
        for from in self.paths(from) {
            for to in self.paths(to) {
                let from = from.clone();
                self.note(match meaning.role {
                    Role::Moves => Act::Move { from, to },
                    Role::Copies => Act::Copy { from, to, tree: meaning.flag },
                    _ => Act::Link { target: from, name: to },
                });
            }
        }
    }

    /// `os.write(handle, data)`, `json.dump(data, file)`
    fn puts(&mut self, meaning: Meaning, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        let other = meaning.with.map_or(1, usize::from);
        let (file, content) = match meaning.role {
            Role::Dumps => (args.get(other), args.get(at)),
            _ => (args.get(at), args.get(other)),
        };
        let content = content.cloned().unwrap_or_default();
        let content = self.all_of(&content);
        let text = match &content {
            Val::Text(text) => text.clone(),
            other => Value::something(HoleSource::Input).with_taint(self.store.taint(other)),
        };
        match file {
            Some(Val::File(handle)) => self.write_to(&Rc::clone(handle), text),
            Some(Val::Made(made)) if &*made.name == CONNECTION => drop(self.send(&Args::of(vec![content]))),
            Some(Val::Int(1 | 2)) => self.print(&text, false),
            _ => {}
        }
        Val::Nothing
    }

    /// Names of files: from a folder, or by a pattern.
    fn listing(&mut self, meaning: Meaning, args: &Args) -> Val {
        let is_proc = |value: &Val| value.literal().is_some_and(|path| path.trim_end_matches('/') == "/proc");
        self.all_processes |= args.list.iter().any(is_proc);
        let at = usize::from(meaning.at);
        let folder = args.at(at, &["path", "top", "dir"]).map_or_else(|| Value::text("."), Val::as_text);
        if super::summary::depends(&folder) {
            self.looks_at(&Val::Text(folder.clone()));
        }
        let any = || Value::text("*").map(texts::glob);
        let inner = || Value::something(HoleSource::Input);
        match meaning.role {
            Role::ReadsFolder => self.store.many(vec![Val::Text(any())]),
            Role::Walks => {
                let below = texts::join_paths(&[folder.clone(), inner()]);
                let inner = Val::Text(folder.union(&below));
                let folders = self.store.many(vec![Val::Text(any())]);
                let files = self.store.many(vec![Val::Text(any())]);
                let step = self.store.list(vec![inner, folders, files]);
                self.store.many(vec![step])
            }
            Role::Finds => {
                let root = args.option("root_dir").map(Val::as_text);
                let numbers =
                    |path: &str| path.strip_prefix("/proc/").is_some_and(|rest| rest.starts_with(['[', '*']));
                self.all_processes |= folder.literals().any(numbers);
                let found = folder.map(texts::glob);
                let found = root.map_or(found.clone(), |root| texts::join_paths(&[root, found]));
                self.store.many(vec![Val::Text(found)])
            }
            _ => {
                let pattern = meaning.with.and_then(|at| args.get(usize::from(at))).map(Val::as_text);
                let pattern = pattern.unwrap_or_else(|| Value::text("*"));
                let deep = meaning.flag || pattern.any.iter().any(|text| text.prefix().contains("**"));
                let last = pattern.map(|text| match text.as_literal() {
                    Some(known) => texts::glob(&Text::literal(known.rsplit("**/").next().unwrap_or(known))),
                    None => texts::glob(text),
                });
                let mut found = texts::join_paths(&[folder.clone(), last.clone()]);
                if deep {
                    found = texts::join_paths(&[folder, inner(), last]).union(&found);
                }
                self.store.many(vec![Val::Text(found)])
            }
        }
    }

    fn requests(&mut self, meaning: Meaning, name: &str, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        let method: Option<Rc<str>> = match meaning.role {
            Role::Requests => meaning.with.and_then(|at| args.literal(usize::from(at))).map(Rc::from),
            _ => {
                let own = args.option("method").and_then(Val::literal);
                let last = name.rsplit('.').next().unwrap_or_default();
                let is_method =
                    matches!(last, "get" | "head" | "options" | "post" | "put" | "patch" | "delete");
                own.or_else(|| is_method.then(|| last.to_uppercase())).map(Rc::from)
            }
        };
        let address = self.based(args.val(at, ADDRESS), args);
        let address = match &address {
            // A request that was made before.
            Val::Made(made) => made.args.val(0, ADDRESS).as_text(),
            other => other.as_text().with_taint(self.store.taint(other)),
        };
        let sends = meaning.role == Role::Posts;
        let mut rest = args.clone();
        if rest.list.len() > at {
            rest.list.remove(at);
        }
        let file = args
            .at(meaning.with.map_or(usize::MAX, usize::from), TARGET)
            .filter(|_| meaning.role == Role::Downloads)
            .cloned();
        let rest = self.all_shown(&rest);
        let data = self.arguments(&rest);
        self.peer = Some(address.clone());
        let content = self.note(Act::Request { method, sends, address, data });
        if let Some(file) = file {
            let path = file.as_text();
            self.note(Act::Write { path, mode: WriteMode::Overwrite, content: Some(content.clone()) });
        }
        self.callbacks(&rest);
        Val::Unknown(content.taint)
    }

    /// The address, behind the one that the client was made with.
    fn based(&mut self, address: Val, args: &Args) -> Val {
        let Some(Val::Made(client)) = args.option(crate::facts::CLIENT) else { return address };
        let Val::Text(text) = &address else { return address };
        let names = ["base_url", "baseURL", "prefixUrl", "base_uri", "url_base"];
        let whole = text.any.iter().all(|text| text.prefix().contains("://"));
        match names.iter().find_map(|name| client.args.option(name)).filter(|_| !whole) {
            Some(Val::Text(base)) => Val::Text(self.concat(&base.clone(), text)),
            _ => address,
        }
    }

    /// A line or a cell of a notebook: what is a shell's and other languages' is the host's, the rest is run here.
    fn magic(&mut self, kind: &'static str, args: &Args) -> Val {
        let line = args.at(1, &["line"]).map(Val::as_text);
        let cell = args.at(2, &["cell"]).map(Val::as_text);
        let words = std::iter::once(args.text(0)).chain(line).chain(cell).collect();
        let code = self.note(Act::Magic { kind, words });
        for one in code.any.iter().take(4).filter(|text| !text.is_empty()) {
            self.text(Source::new(one, code.taint), None, self.frame);
        }
        Val::some_text(args.taint())
    }

    /// Sends on the connection.
    pub(super) fn send(&mut self, args: &Args) -> Val {
        let args = self.all_shown(args);
        let data = self.arguments(&args);
        let peer = self.peer.clone();
        self.note(Act::Send { peer, data });
        Val::unknown()
    }

    /// The arguments of what goes out: the whole environment is read where it is in one of them.
    pub(super) fn all_shown(&mut self, args: &Args) -> Args {
        let list = args.list.iter().map(|value| self.all_of(value)).collect();
        let named = args.named.iter().map(|(name, value)| (Rc::clone(name), self.all_of(value))).collect();
        Args { list, named, open: args.open }
    }

    pub(super) fn all_of(&mut self, value: &Val) -> Val {
        if !self.holds_environment(value, &mut 64) {
            return value.clone();
        }
        let taint = self.store.taint(value);
        let environment = self.whole_environment();
        Val::Unknown(taint.union(environment.taint()))
    }

    fn holds_environment(&self, value: &Val, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match value {
            Val::Name(name) => &**name == ENVIRONMENT,
            Val::Made(made) => made.args.all().any(|arg| self.holds_environment(arg, left)),
            Val::List(_) => {
                let items = self.store.items(value).unwrap_or_default();
                items.items.iter().any(|item| self.holds_environment(item, left))
            }
            Val::Table(_) => {
                let entries = self.store.entries(value).unwrap_or_default();
                entries.entries.iter().any(|(_, entry)| self.holds_environment(entry, left))
            }
            _ => false,
        }
    }

    /// A variable that has to be there.
    pub(super) fn perform_variable(&mut self, args: &Args) -> Val {
        self.variable(true, args)
    }

    fn variable(&mut self, present: bool, args: &Args) -> Val {
        let Some(key) = args.get(0).cloned() else { return self.whole_environment() };
        self.looks_at(&key);
        let default = args.get(1).cloned();
        let Some(name) = key.literal().filter(|name| !name.contains(char::is_control)) else {
            return self.whole_environment();
        };
        let value = self.note(Act::ReadEnvironment { name: Some(Rc::from(name)), present });
        match default {
            Some(default) if !value.is_known() => self.store.either_val(&Val::Text(value), &default),
            _ => Val::Text(value),
        }
    }

    /// A file of variables, whose place may be named, or stand before the name of the one that is asked for.
    fn loads_variables(&mut self, meaning: Meaning, args: &Args) -> Val {
        let at = usize::from(meaning.at);
        let file = if meaning.flag { at.checked_sub(1) } else { Some(at) };
        let named = ["path", "dotenv_path", "env_file"].iter().find_map(|name| args.option(name));
        let given = named.or_else(|| args.get(file?)).filter(|given| matches!(given, Val::Text(_)));
        let path = given.map_or_else(|| Value::text(".env"), Val::as_text);
        self.note(Act::LoadEnvironment { path });
        if meaning.flag { self.variable(true, &Args::of(vec![args.val(at, &[])])) } else { Val::unknown() }
    }

    pub(super) fn whole_environment(&mut self) -> Val {
        let value = self.note(Act::ReadEnvironment { name: None, present: false });
        Val::Unknown(value.taint.union(self.marks.environment))
    }

    pub(super) fn set_variable(&mut self, name: &Val, value: &Val) {
        self.note(Act::SetEnvironment { name: name.as_text(), value: value.as_text() });
    }

    fn sets_variables(&mut self, args: &Args) -> Val {
        match args.get(0).and_then(|first| self.store.entries(first)) {
            Some(entries) => {
                for (name, value) in &entries.entries {
                    self.set_variable(&Val::text(name), value);
                }
            }
            None if args.list.len() > 1 => self.set_variable(&args.val(0, &[]), &args.val(1, &[])),
            None => {
                for (name, value) in args.named.clone() {
                    self.set_variable(&Val::text(&name), &value);
                }
            }
        }
        Val::Nothing
    }

    fn prints(&mut self, meaning: Meaning, args: &Args) -> Val {
        let mut whole = Value::empty();
        let between = args.option("sep").map_or_else(|| Value::text(" "), Val::as_text);
        for (at, value) in args.list.iter().enumerate() {
            if at > 0 {
                whole = self.concat(&whole, &between);
            }
            let value = self.all_of(value);
            let shown = self.shown(&value);
            whole = self.concat(&whole, &shown);
        }
        if meaning.flag {
            let end = args.option("end").map_or_else(|| Value::text("\n"), Val::as_text);
            whole = self.concat(&whole, &end);
        }
        match args.option("file") {
            Some(Val::File(handle)) => self.write_to(&Rc::clone(handle), whole),
            other => {
                let aside = matches!(other, Some(Val::Name(name)) if name.ends_with("stderr"));
                let names = args.list.iter().filter_map(|value| match value {
                    Val::Name(name) => Some(Rc::clone(name)),
                    Val::Made(made) => Some(Rc::clone(&made.name)),
                    _ => None,
                });
                let names = names.collect();
                self.print_with(&whole, aside || meaning.role == Role::Tells, names);
            }
        }
        Val::Nothing
    }

    /// The program's words, as it has left them by now.
    pub(super) fn arguments_now(&mut self) -> Val {
        self.known(Thing::Program, "")
    }

    /// What is known of the machine.
    fn known(&mut self, thing: Thing, name: &str) -> Val {
        let file = self.unit.file.clone().or_else(|| self.program.file.clone());
        match thing {
            Thing::Arguments | Thing::Program | Thing::Interpreted => {
                if let Some(words) = &self.words {
                    return words.clone();
                }
                let own = Val::Text(file.clone().unwrap_or_else(|| Value::text("-c")));
                let before = match thing {
                    Thing::Arguments => 0,
                    Thing::Interpreted if file.is_some() => 2,
                    _ => 1,
                };
                let args = self.program.args.iter().map(|arg| Val::Text(arg.clone()));
                let all = std::iter::repeat_n(own, before).chain(args).collect();
                let words = self.store.list(all);
                self.words = Some(words.clone());
                words
            }
            Thing::Environment => Val::name(ENVIRONMENT),
            Thing::Home => Val::text(&self.host.home()),
            Thing::Folder => Val::Text(self.host.folder()),
            Thing::Temp => Val::text(&self.host.temp()),
            Thing::TempFile => {
                let path = format!("{}/tmpX{}", self.host.temp(), self.host.fresh());
                Val::text(&path)
            }
            Thing::Executable => Val::text(&self.host.interpreter()),
            Thing::File => Val::Text(file.unwrap_or_else(|| Value::something(HoleSource::Input))),
            Thing::FileFolder => match file {
                Some(path) => Val::Text(texts::parent(&path)),
                None => Val::Text(self.host.folder()),
            },
            Thing::Input => {
                self.effort.calms += 1;
                match name.rsplit('.').next() {
                    Some("stdin" | "buffer") => Val::File(Rc::new(self.standard_input())),
                    _ => Val::Text(self.program.input.clone()),
                }
            }
            Thing::Slash => Val::text("/"),
            Thing::Newline => Val::text("\n"),
            Thing::Parent => Val::text(tollgate_model::EffectKind::PARENT),
        }
    }

    /// Calls functions that it is given.
    fn calls(&mut self, how: How, args: &Args) -> Val {
        let target = args.val(0, &["function", "func", "target"]);
        match how {
            How::Apply => self.apply(&target, &args.skip(1)),
            How::Thread => {
                self.effort.started += 1;
                let target = args.option("target").or(args.get(1)).cloned().unwrap_or_default();
                let given = args.option("args").or(args.get(3)).or(args.get(2)).cloned();
                let given = given.and_then(|given| self.store.items(&given)).unwrap_or_default();
                self.apply(&target, &Args::of(given.items.clone()));
                Val::unknown()
            }
            How::Bind => Val::Partial(Rc::new(Partial { target, args: args.skip(1), this: None })),
            How::Map | How::Filter | How::Each | How::Seek => self.maps(how, &target, args),
            How::Fold => self.folds(&target, args),
            How::Then => self.apply(&args.val(1, &[]), &Args::of(vec![target])),
            How::Later => self.apply(&target, &args.skip(2)),
        }
    }

    fn maps(&mut self, how: How, target: &Val, args: &Args) -> Val {
        let list = args.val(1, &[]);
        let mut made = Vec::new();
        let known = self.iterated(&list);
        let open = self.store.items(&known).is_none_or(|items| items.open || items.items.len() > 64)
            || args.list.len() > 2;
        let others: Vec<Val> = args.list.iter().skip(2).map(|list| self.store.item(list)).collect();
        self.for_each(&known, 1, |machine, item| {
            let mut given = vec![item.clone()];
            given.extend(others.iter().cloned());
            let result = machine.apply(target, &Args::of(given));
            match how {
                How::Filter if result.truth() == Some(false) => {}
                How::Filter => made.push(item.clone()),
                _ => made.push(result),
            }
        });
        self.store.list_of(made, open)
    }

    fn folds(&mut self, target: &Val, args: &Args) -> Val {
        let list = args.val(1, &[]);
        let items = self.store.items(&list).filter(|items| !items.open && items.items.len() <= 64);
        let Some(items) = items else {
            self.callbacks(args);
            return Val::Unknown(args.taint());
        };
        let mut rest = items.items.iter().cloned();
        let start = args.get(2).cloned().or_else(|| rest.next());
        let Some(start) = start else { return Val::unknown() };
        rest.fold(start, |all, item| self.apply(target, &Args::of(vec![all, item])))
    }
}

/// Does it take what it is given for a part of it at most? To go through the environment is to go through its names.
fn takes_part(make: Make) -> bool {
    matches!(
        make,
        Make::ToList
            | Make::Count
            | Make::Get
            | Make::Part
            | Make::Keys
            | Make::Nothing
            | Make::Names
            | Make::SetItem
            | Make::Merge
            | Make::Table
    )
}
