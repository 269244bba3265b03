//! Open files, and programs that were started.

use std::cell::Cell as Flag;
use std::rc::Rc;

use tollgate_catalogue::libraries::{FileDeed, ProcessDeed};
use tollgate_model::WriteMode;
use tollgate_shell::value::{HoleSource, Piece, Text, Value};

use super::store::Slot;
use super::value::{Args, Command, Handle, Process, Val};
use super::{Machine, texts};
use crate::facts::{Act, Run};

/// What a function returns that opens a connection.
pub(super) const CONNECTION: &str = "connection";

impl Machine<'_> {
    /// Opens a file for what its mode says.
    pub(super) fn open(&mut self, path: &Val, mode: Option<&Val>) -> Val {
        let mode = match mode {
            Some(Val::Text(text)) => text.as_literal().unwrap_or("r").to_owned(),
            Some(Val::Name(name)) if name.contains("APPEND") => "a".to_owned(),
            Some(Val::Name(name)) if ["WR", "CREAT", "TRUNC"].iter().any(|flag| name.contains(flag)) => {
                "w".to_owned()
            }
            _ => "r".to_owned(),
        };
        self.opened(path, &mode)
    }

    pub(super) fn opened(&mut self, path: &Val, mode: &str) -> Val {
        let plus = mode.contains('+');
        let (reads, writes) = match mode.trim_start_matches(['t', 'b']).chars().next() {
            Some('w' | 'x' | 'c') => (plus, Some(WriteMode::Overwrite)),
            Some('a') => (plus, Some(WriteMode::Append)),
            _ => (true, plus.then_some(WriteMode::Edit)),
        };
        let content = if reads { self.read(path) } else { Value::empty() };
        let path = match path {
            Val::File(handle) => handle.path.clone(),
            other => other.as_text(),
        };
        if let Some(mode) = writes {
            self.effort.grown += 1;
            self.note(Act::Open { path: path.clone(), mode });
        }
        let appends = Flag::new(writes != Some(WriteMode::Overwrite));
        Val::File(Rc::new(Handle { path, content, writes: writes.is_some(), appends, memory: None }))
    }

    /// What the program reads, as an open file.
    pub(super) fn standard_input(&self) -> Handle {
        Handle {
            path: Value::text("/dev/stdin"),
            content: self.program.input.clone(),
            writes: false,
            appends: Flag::new(false),
            memory: None,
        }
    }

    /// Something in memory that is written to like a file.
    pub(super) fn in_memory(&mut self, content: Option<&Val>) -> Val {
        let content = content.map_or_else(Value::empty, Val::as_text);
        let cell = self.store.add(Slot::Val(Val::Text(content)));
        let handle = Handle {
            path: Value::empty(),
            content: Value::unknown(HoleSource::Input),
            writes: false,
            appends: Flag::new(true),
            memory: Some(cell),
        };
        Val::File(Rc::new(handle))
    }

    /// A new file for temporary use, open for writing; its name is its own, so that what is written is found there.
    pub(super) fn temporary(&mut self, pair: bool, args: &Args) -> Val {
        let end =
            args.option("suffix").and_then(Val::literal).filter(|end| !end.contains('/')).unwrap_or_default();
        let path = Value::text(&format!("{}/tmpX{}{end}", self.host.temp(), self.host.fresh()));
        let handle = Handle {
            path: path.clone(),
            content: Value::empty(),
            writes: true,
            appends: Flag::new(false),
            memory: None,
        };
        let handle = Val::File(Rc::new(handle));
        if pair { self.store.list(vec![handle, Val::Text(path)]) } else { handle }
    }

    /// What reading a file yields.
    pub(super) fn read(&mut self, path: &Val) -> Value {
        if let Val::File(handle) = path {
            return self.content(&Rc::clone(handle));
        }
        let paths = self.paths(path);
        let mut content: Option<Value> = None;
        for path in paths {
            let next = match path.as_literal() {
                Some("/dev/stdin" | "-" | "0") => self.program.input.clone(),
                _ => self.note(Act::Read { path, tree: false }),
            };
            content = Some(content.map_or(next.clone(), |all| all.union(&next)));
        }
        content.unwrap_or_else(Value::empty)
    }

    /// The paths that a value names, lists taken apart.
    pub(super) fn paths(&mut self, value: &Val) -> Vec<Value> {
        match self.store.items(value) {
            Some(items) => items.items.iter().take(64).map(Val::as_text).collect(),
            None => match value {
                Val::File(handle) => vec![handle.path.clone()],
                other => {
                    let taint = self.store.taint(other);
                    vec![other.as_text().with_taint(taint)]
                }
            },
        }
    }

    pub(super) fn content(&self, handle: &Handle) -> Value {
        match handle.memory {
            Some(cell) => self.store.val(cell).map_or_else(Value::empty, Val::as_text),
            None => handle.content.clone(),
        }
    }

    /// Writes a file, or to what is in memory.
    pub(super) fn write_to(&mut self, handle: &Handle, content: Value) {
        if let Some(cell) = handle.memory {
            let before = self.store.val(cell).map_or_else(Value::empty, Val::as_text);
            let content = self.concat(&before, &content);
            self.store.set_val(cell, Val::Text(content));
            return;
        }
        let mode = if handle.appends.replace(true) { WriteMode::Append } else { WriteMode::Overwrite };
        if handle.writes {
            self.effort.grown += 1;
            self.note(Act::Write { path: handle.path.clone(), mode, content: Some(content) });
        }
    }

    /// What is in a file is changed where it is, as in memory.
    pub(super) fn writes_over(&mut self, handle: &Rc<Handle>, value: &Val) {
        if handle.writes {
            let content = value.as_text().with_taint(self.store.taint(value));
            self.note(Act::Write {
                path: handle.path.clone(),
                mode: WriteMode::Overwrite,
                content: Some(content),
            });
        }
    }

    /// What is printed goes into files, which are empty where nothing is.
    pub(super) fn emptied(&mut self, from: usize) {
        let ended = self.replaced.split_off(from.min(self.replaced.len()));
        for (path, before) in ended {
            if self.printed == before && !self.strange {
                let content = Some(Value::empty());
                self.note(Act::Write { path, mode: WriteMode::Overwrite, content });
            }
        }
    }

    /// Something is done with an open file.
    pub(super) fn file_method(&mut self, handle: &Rc<Handle>, name: &str, args: &Args) -> Val {
        let itself = Val::File(Rc::clone(handle));
        let args = self.all_exposed(args);
        match self.library.file.get(name) {
            Some(FileDeed::Write) => {
                let content = self.all_texts(&args.list);
                self.write_to(handle, content);
                itself
            }
            Some(FileDeed::WriteLines) => {
                let lines = args.get(0).and_then(|lines| self.store.items(lines));
                let content = match lines {
                    Some(lines) => self.all_texts(&lines.items),
                    None => self.all_texts(&args.list),
                };
                self.write_to(handle, content);
                itself
            }
            Some(FileDeed::Read) => Val::Text(self.content(handle)),
            Some(FileDeed::Lines) => {
                let content = Val::Text(self.content(handle));
                self.looks_at(&content);
                texts::lines(&mut self.store, &content)
            }
            Some(FileDeed::Path) => Val::Text(handle.path.clone()),
            Some(FileDeed::Same) => itself,
            Some(FileDeed::Empty) => {
                self.note(Act::Write {
                    path: handle.path.clone(),
                    mode: WriteMode::Overwrite,
                    content: None,
                });
                itself
            }
            Some(FileDeed::Delete) => {
                self.note(Act::Delete { path: handle.path.clone(), tree: false });
                Val::Nothing
            }
            Some(FileDeed::HandOver) => {
                let content = Val::Text(self.content(handle));
                for taker in args.list.clone() {
                    self.apply(&taker, &Args::of(vec![content.clone()]));
                }
                itself
            }
            None => {
                self.callbacks(&args);
                Val::Text(self.content(handle))
            }
        }
    }

    pub(super) fn part_of_file(&mut self, handle: &Rc<Handle>, name: &str) -> Val {
        match self.library.file.get(name) {
            Some(FileDeed::Path) => Val::Text(handle.path.clone()),
            _ => Val::File(Rc::clone(handle)),
        }
    }

    /// Texts one after the other.
    pub(super) fn all_texts(&mut self, values: &[Val]) -> Value {
        let mut whole = Value::empty();
        for value in values {
            let next = value.as_text().with_taint(self.store.taint(value));
            whole = self.concat(&whole, &next);
        }
        whole
    }

    /// Gives a text to a shell; returns what it prints.
    pub(super) fn shell(&mut self, text: &Value, run: Run) -> Value {
        let blank = |text: &Text| {
            !text.pieces.is_empty() && text.pieces.iter().all(|piece| matches!(piece, Piece::Hole(_)))
        };
        let symbols = super::summary::depends(text);
        if text.any.iter().all(blank) && !symbols {
            self.dynamic(text.taint);
            return Value::output(text.taint);
        }
        self.note(Act::Shell { text: text.clone(), run })
    }

    /// How a child is run: what it reads, where, and with which variables.
    pub(super) fn run_of(&mut self, args: &Args) -> Run {
        let folder = ["cwd", "chdir"].iter().find_map(|name| args.option(name));
        let folder = folder.filter(|folder| matches!(folder, Val::Text(_))).map(Val::as_text);
        let input = args.option("input").or(args.option("_in")).map(Val::as_text);
        let stdin = args.option("stdin").and_then(|stdin| match stdin {
            Val::Text(text) => Some(text.clone()),
            Val::Process(process) => Some(process.printed.clone()),
            Val::File(file) => Some(file.content.clone()),
            _ => None,
        });
        let given = args.option("env").cloned();
        let entries = given.and_then(|given| self.store.entries(&given)).unwrap_or_default();
        let variables =
            entries.entries.iter().map(|(name, value)| (Rc::clone(name), value.as_text())).collect();
        let connection = |value: &Val| matches!(value, Val::Made(made) if made.name.starts_with(CONNECTION) || made.name.starts_with("socket."));
        let remote = self.remote || args.option("stdin").is_some_and(connection);
        Run { input: input.or(stdin), folder, remote, variables, called: None }
    }

    /// A child's output is that of the program, unless the program keeps it.
    pub(super) fn begun(&mut self, command: Command, printed: Value, args: &Args) -> Val {
        let keeps =
            args.option("capture_output").or(args.option("stdout")).is_some() || self.library.keeps_output;
        if !keeps {
            self.print_of_child(&printed);
        }
        Val::Process(Rc::new(Process { command, printed }))
    }

    /// What a child prints is no text of the program's own.
    pub(super) fn print_of_child(&mut self, printed: &Value) {
        if self.recordings.is_empty() {
            self.printed = self.concat(&self.printed.clone(), printed);
        } else {
            self.note(Act::Print { text: printed.clone(), aside: false, names: Vec::new() });
        }
    }

    /// A program that was named before is run with these arguments.
    pub(super) fn run_again(&mut self, process: &Process, args: &Args) -> Val {
        let mut words = match &process.command {
            Command::Words(words) => words.clone(),
            Command::Text(text) => match text.as_literal() {
                Some(text) => texts::shell_words(text).iter().map(|word| Value::text(word)).collect(),
                None => vec![text.clone()],
            },
        };
        words.extend(args.list.iter().map(Val::as_text));
        let run = self.run_of(args);
        let printed = self.note(Act::Command { words: words.clone(), run });
        self.begun(Command::Words(words), printed, args)
    }

    /// Something is done with a program that was started.
    pub(super) fn process_method(&mut self, process: &Rc<Process>, name: &str, args: &Args) -> Val {
        let printed = Val::Text(process.printed.clone());
        let input = args.get(0).or(args.option("input")).filter(|value| !matches!(value, Val::Function(_)));
        let input = input.filter(|value| !matches!(value, Val::Nothing)).map(Val::as_text);
        match (self.library.process.get(name), input) {
            (Some(deed @ (ProcessDeed::Communicate | ProcessDeed::Write)), Some(input)) => {
                self.effort.calms += 1;
                let run = Run { input: Some(input), ..Run::default() };
                let printed = match &process.command {
                    Command::Text(text) => self.shell(&text.clone(), run),
                    Command::Words(words) => self.note(Act::Command { words: words.clone(), run }),
                };
                if *deed == ProcessDeed::Communicate {
                    self.store.list(vec![Val::Text(printed), Val::unknown()])
                } else {
                    Val::Process(Rc::clone(process))
                }
            }
            (Some(ProcessDeed::Communicate), None) => {
                self.effort.calms += 1;
                self.store.list(vec![printed, Val::unknown()])
            }
            (Some(ProcessDeed::Wait), _) => {
                self.effort.calms += 1;
                Val::unknown()
            }
            (Some(ProcessDeed::Same | ProcessDeed::Write), _) => Val::Process(Rc::clone(process)),
            (Some(ProcessDeed::Status), _) => Val::unknown(),
            (Some(ProcessDeed::Output), _) => printed,
            (None, _) => self.method(&printed, name, args),
        }
    }

    pub(super) fn part_of_process(&mut self, process: &Rc<Process>, name: &str) -> Val {
        match self.library.process.get(name) {
            Some(ProcessDeed::Output) => Val::Text(process.printed.clone()),
            Some(ProcessDeed::Status) => Val::unknown(),
            _ => Val::Process(Rc::clone(process)),
        }
    }
}
