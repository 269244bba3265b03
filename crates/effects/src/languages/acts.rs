//! What programs do: run commands and code, touch files, talk to the network.

use std::cell::Cell;
use std::rc::Rc;

use tollgate_model::{Certainty, CodeSource, EffectKind, NetDirection, WriteMode};
use tollgate_shell::eval::{Input, Outcome, Stream};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::machine::{Machine, Origin};
use super::ops::Op;
use super::pure;
use super::value::{Args, Command, Handle, Pipe, Val, is_blank};
use crate::analyst::taint;
use crate::commands::{Run, interpreters};
use crate::word::{Word, show};

/// The longest path.
const PATH: usize = 4096;

impl Machine<'_, '_, '_> {
    /// Gives text to a shell, with something on its standard input; returns what it prints.
    pub fn shell(&mut self, text: &Value, input: Option<&Value>) -> Value {
        self.leaks(text.taint);
        if !self.act() {
            return Value::output(text.taint);
        }
        if text.any.iter().all(is_blank) {
            self.dynamic(text.taint);
            return Value::output(text.taint);
        }
        let remote = self.remote.then(|| Value::output(taint::NET));
        let input = input.or(remote.as_ref());
        if self.connected && text.literals().any(|text| text.contains("<&")) {
            self.dynamic(taint::NET);
        }
        if let Some(words) = input.and_then(|_| simple_words(text)) {
            let words: Vec<Word> =
                words.iter().map(|word| self.word(&Text::literal(word), text.taint)).collect();
            return self.command(&words, input);
        }
        let text = match input.and_then(Value::as_literal) {
            Some(input) => {
                let quoted = format!("\n}} <<< '{}'", input.replace('\'', "'\\''"));
                Value::text("{ ").concat(text).concat(&Value::text(&quoted))
            }
            None => text.clone(),
        };
        let span = self.around.span;
        self.captured(|run| interpreters::code(run, &text, span))
    }

    /// Runs a program with words; returns what it prints.
    pub fn command(&mut self, words: &[Word], input: Option<&Value>) -> Value {
        let marks =
            words.iter().fold(tollgate_shell::value::Taint::NONE, |marks, word| marks.union(word.taint));
        self.leaks(marks);
        if words.is_empty() || !self.act() {
            return Value::output(marks);
        }
        let unknown = words.first().is_some_and(|word| word.literal().is_none());
        if words.first().is_some_and(|word| word.text.bytes() > PATH) {
            return Value::output(marks);
        }
        let is_foreign =
            |piece: &Piece| matches!(piece, Piece::Hole(hole) if hole.source == HoleSource::Output);
        let foreign = words.first().is_some_and(|word| word.text.pieces.iter().all(is_foreign));
        if unknown && (self.around.origin == Origin::File || foreign) && !taint::has(marks, taint::NET) {
            let kind = EffectKind::Exec {
                program: words.first().map(Word::shown).unwrap_or_default(),
                argv: words.iter().map(Word::shown).collect(),
                source: CodeSource::Variable,
            };
            self.push(kind, Certainty::Possible);
            return Value::output(marks);
        }
        let remote = self.remote.then(|| Value::output(taint::NET));
        let input = input.or(remote.as_ref());
        self.captured(|run| {
            let Some(input) = input else { return run.inner(words) };
            let mut call = run.call.clone();
            call.stdin = Input { stream: Stream::Pipe, value: Some(input.clone()) };
            let mut inner = Run {
                analyst: run.analyst,
                shell: run.shell,
                call: &call,
                path: run.path,
                program: run.program,
                args: run.args,
            };
            inner.inner(words)
        })
    }

    fn captured(&mut self, action: impl FnOnce(&mut Run) -> Outcome) -> Value {
        let Run { analyst, shell, call, path, program, args } = &mut *self.run;
        let (outcome, printed) = shell.captured(|shell| {
            let mut run = Run { analyst, shell, call, path, program, args };
            action(&mut run)
        });
        if printed.is_empty() { outcome.stdout } else { printed.concat(&outcome.stdout) }
    }

    pub fn run_shell(&mut self, returns: bool, args: &Args) -> Val {
        let text = args.at(0, &["cmd", "command", "args"]);
        if let Val::List(_) = &text {
            return self.run_program(args);
        }
        let input = args.option("input").map(Val::as_text);
        let printed = self.shell(&text.as_text(), input.as_ref());
        self.callbacks(args);
        if returns {
            return Val::Text(printed);
        }
        self.print(&printed);
        Val::Pipe(Rc::new(Pipe { command: Command::Text(text.as_text()), printed }))
    }

    pub fn run_program(&mut self, args: &Args) -> Val {
        let command = args.at(0, &["args", "cmd", "command"]);
        let shell =
            args.option("shell").is_some_and(|value| value.is_true() || matches!(value, Val::Unknown(_)));
        let input = args.option("input").map(Val::as_text).or_else(|| self.socket(args.option("stdin")));
        let Val::List(list) = &command else {
            let printed = self.shell(&command.as_text(), input.as_ref());
            return self.started(Command::Text(command.as_text()), printed);
        };
        if shell {
            let text = list.items.first().map(Val::as_text).unwrap_or_else(Value::empty);
            let printed = self.shell(&text, input.as_ref());
            return self.started(Command::Text(text), printed);
        }
        let mut words = self.words_of(&list.items);
        if let (Some(program), Some(first)) = (args.option("executable"), words.first_mut())
            && let Some(text) = program.as_text().single()
        {
            first.text = text.clone();
        }
        self.run_words(words, input.as_ref())
    }

    /// What comes in from a connection that is a program's standard input.
    fn socket(&self, stdin: Option<&Val>) -> Option<Value> {
        let is_connection =
            |class: &str| class.starts_with("socket.socket") || class.starts_with("connection");
        match stdin {
            Some(Val::Object(object)) if is_connection(&object.class) => Some(Value::output(taint::NET)),
            _ => None,
        }
    }

    fn started(&mut self, command: Command, printed: Value) -> Val {
        self.print(&Value::output(printed.taint));
        Val::Pipe(Rc::new(Pipe { command, printed }))
    }

    fn run_words(&mut self, words: Vec<Word>, input: Option<&Value>) -> Val {
        let printed = self.command(&words, input);
        self.started(Command::Words(words), printed)
    }

    /// Words of a command, each with its first possible text.
    fn words_of(&self, items: &[Val]) -> Vec<Word> {
        let text = |value: &Val| value.as_text();
        items
            .iter()
            .map(text)
            .map(|value| self.word(&value.any.first().cloned().unwrap_or_default(), value.taint))
            .collect()
    }

    pub fn run_spawn(&mut self, args: &Args) -> Val {
        self.callbacks(args);
        let program = args.at(0, &["command", "cmd"]);
        let list = match (&program, args.get(1), args.option("args")) {
            (Val::List(words), ..) => words.items.clone(),
            (_, Some(Val::List(words)), _) | (_, _, Some(Val::List(words))) => {
                std::iter::once(program.clone()).chain(words.items.iter().cloned()).collect()
            }
            _ => vec![program.clone()],
        };
        let input = args.option("input").map(Val::as_text);
        let shell =
            args.option("shell").is_some_and(|value| value.is_true() || matches!(value, Val::Text(_)));
        if shell {
            let blank = Value::text(" ");
            let text = list.iter().map(Val::as_text).reduce(|left, right| left.concat(&blank).concat(&right));
            let text = text.unwrap_or_else(Value::empty);
            let printed = self.shell(&text, input.as_ref());
            return self.started(Command::Text(text), printed);
        }
        let words = self.words_of(&list);
        self.run_words(words, input.as_ref())
    }

    pub fn run_system(&mut self, name: &str, args: &Args) -> Val {
        let list: Vec<Val> = args
            .list
            .iter()
            .filter(|value| !matches!(value, Val::Table(_) | Val::Function(_)))
            .cloned()
            .collect();
        let list = match list.as_slice() {
            [Val::List(only)] => only.items.clone(),
            _ => list,
        };
        let input = args.option("stdin_data").or(args.option("input")).map(Val::as_text);
        let printed = match list.as_slice() {
            [] => return Val::unknown(),
            [text] => self.shell(&text.as_text(), input.as_ref()),
            words => {
                let words = self.words_of(words);
                self.command(&words, input.as_ref())
            }
        };
        self.callbacks(args);
        if matches!(name.rsplit(['.', ':']).next(), Some("system" | "spawn" | "exec" | "passthru")) {
            self.print(&printed);
        }
        let command = match list.as_slice() {
            [text] => Command::Text(text.as_text()),
            words => Command::Words(self.words_of(words)),
        };
        Val::Pipe(Rc::new(Pipe { command, printed }))
    }

    /// A program's path, and its words with the name first.
    pub fn run_listed(&mut self, path: &Val, list: &Val) -> Val {
        let mut words = vec![path.clone()];
        match list {
            Val::List(list) => words
                .extend(list.items.iter().skip(1).filter(|value| !matches!(value, Val::Table(_))).cloned()),
            other => words.push(other.clone()),
        }
        let words = self.words_of(&words);
        self.run_words(words, None)
    }

    /// Text as code of this language.
    pub fn run_eval(&mut self, args: &Args) -> Val {
        let code =
            args.list.iter().rev().find(|value| matches!(value, Val::Text(_))).or(args.get(0)).cloned();
        let Some(code) = code else { return Val::unknown() };
        let marks = code.taint();
        if taint::has(marks, taint::NET) {
            self.dynamic(marks);
        }
        match &code {
            Val::Text(text) if text.any.iter().any(|text| !is_blank(text)) => {
                let mut result: Option<Val> = None;
                for text in text.any.iter().take(16) {
                    let code = self.with_stand_ins(text, marks);
                    let value = self.source(&code);
                    result = Some(result.map_or(value.clone(), |all| all.union(&value)));
                }
                result.unwrap_or_else(Val::unknown)
            }
            Val::Function(function) => self.invoke(&Rc::clone(function), &Args::default()),
            // Code that was compiled here is looked at here.
            Val::Object(object) if object.class.ends_with("compile") => {
                let inner = Args::of(object.args.list.iter().take(1).cloned().collect());
                self.run_eval(&inner)
            }
            _ if taint::has(marks, taint::NET) => Val::Unknown(marks),
            _ => {
                self.dynamic(marks);
                Val::Unknown(marks)
            }
        }
    }

    /// The text, with a stand-in for every hole.
    pub fn with_stand_ins(&mut self, text: &Text, marks: tollgate_shell::value::Taint) -> String {
        let mut code = String::new();
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) | Piece::Glob(known) => code.push_str(known),
                Piece::Hole(hole) => code.push(stand_in(&mut self.around.holes, hole, marks)),
            }
        }
        code
    }

    /// A file as code of this language.
    pub fn run_file(&mut self, path: &Val) -> Val {
        for text in path.as_text().any.iter().take(4) {
            let word = self.word(text, path.taint());
            let content = self.run.analyst.script(&word, self.run.shell);
            if let Some(content) = content {
                if taint::has(content.taint, taint::NET) {
                    self.run.analyst.dynamic_code(content.taint, word.span);
                }
                if let Some(code) = content.single() {
                    let code = self.with_stand_ins(code, content.taint);
                    self.source(&code);
                }
            }
        }
        Val::unknown()
    }

    /// Files of the modules that a program brings along.
    pub fn module_file(&mut self, path: &str) {
        let folder = self.around.file.as_ref().map(|file| pure::parent(&self.run.shell.resolve(file)));
        let path = match folder {
            Some(folder) => pure::join_paths(&[folder, Value::text(path)]),
            None => Value::text(path),
        };
        if self.active.len() < 4 {
            self.run_file(&Val::Text(path));
        }
    }

    /// Each word that a value may be as a path, lists taken apart.
    fn paths(&mut self, value: &Val) -> Vec<Word> {
        let texts: Vec<Value> = match value {
            Val::List(list) => list.items.iter().map(Val::as_text).collect(),
            Val::File(handle) => vec![handle.path.clone()],
            other => vec![other.as_text()],
        };
        let mut words = Vec::new();
        for value in texts {
            // No system opens a longer path.
            for text in value.any.iter().filter(|text| text.bytes() <= PATH).take(64) {
                if !self.act() {
                    return words;
                }
                words.push(self.word(text, value.taint));
            }
        }
        words
    }

    pub fn files(&mut self, op: Op, args: &Args) -> Val {
        let first = args.at(0, &["path", "file", "filename", "src", "name", "pathname"]);
        match op {
            Op::Delete | Op::DeleteTree | Op::DeleteMaybe => {
                let deep = args
                    .option("recursive")
                    .is_some_and(|value| value.is_true() || matches!(value, Val::Unknown(_)));
                let deep = op == Op::DeleteTree || (op == Op::DeleteMaybe && deep);
                let all = args
                    .list
                    .iter()
                    .filter(|value| !matches!(value, Val::Table(_) | Val::Function(_) | Val::Int(_)));
                for value in if args.list.is_empty() { vec![first] } else { all.cloned().collect() } {
                    for word in self.paths(&value) {
                        self.run.analyst.delete(&word, deep, self.run.shell);
                    }
                }
                self.callbacks(args);
                Val::name("None")
            }
            Op::LinkTo => {
                self.transfer(Op::Link, &args.at(1, &["target"]), &first);
                Val::unknown()
            }
            Op::Move | Op::Copy | Op::CopyTree | Op::Link => {
                let target = args.at(1, &["dst", "dest", "target", "destination"]);
                self.transfer(op, &first, &target);
                self.callbacks(args);
                target
            }
            Op::Read | Op::Lines => {
                let content = self.read(&first);
                for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
                    self.apply(function, &Args::of(vec![Val::unknown(), Val::Text(content.clone())]));
                }
                if op == Op::Lines {
                    pure::apply(pure::Pure::Lines, &Args::of(vec![Val::Text(content)]))
                } else {
                    Val::Text(content)
                }
            }
            Op::Write | Op::Append => {
                let content = args.at(1, &["data", "content", "contents"]).as_text();
                let mode = if op == Op::Append || is_append(args) {
                    WriteMode::Append
                } else {
                    WriteMode::Overwrite
                };
                self.write(&first, mode, Some(&content));
                self.callbacks(args);
                Val::name("None")
            }
            Op::Truncate => {
                self.write(&first, WriteMode::Overwrite, None);
                Val::unknown()
            }
            Op::Permission => {
                let to = args.at(1, &["mode"]);
                self.permission(&first, &shown_mode(&to), false);
                Val::unknown()
            }
            Op::PermissionOf(deep) => {
                let to = args.get(0).map(shown_mode).unwrap_or_default();
                for value in
                    args.list.iter().skip(1).filter(|value| !matches!(value, Val::Table(_) | Val::Int(_)))
                {
                    self.permission(value, &to, deep);
                }
                Val::unknown()
            }
            Op::ChangeDir => {
                self.run.shell.set_cwd(&first.as_text());
                self.callbacks(args);
                Val::unknown()
            }
            Op::Open => self.open(&first, &args.at(1, &["mode", "flags"]), args),
            Op::Create => {
                let append =
                    args.option("flags").and_then(Val::literal).is_some_and(|flags| flags.starts_with('a'));
                self.open(&first, &Val::text(if append { "a" } else { "w" }), args)
            }
            Op::OpenHandle => self.open_handle(args),
            _ => self.listing(op, &first, args),
        }
    }

    fn transfer(&mut self, op: Op, from: &Val, to: &Val) {
        let targets = self.paths(to);
        for source in self.paths(from) {
            let content = if op == Op::Move {
                let content = self.run.analyst.script(&source, self.run.shell);
                let single = self.run.analyst.places(&source, self.run.shell).iter().all(|(place, _)| {
                    !place.pattern
                        && self.run.analyst.world.kind(&place.path) == tollgate_model::FileKind::File
                });
                self.run.analyst.delete(&source, !single, self.run.shell);
                content
            } else {
                Some(self.run.analyst.read(&source, op == Op::CopyTree, self.run.shell))
            };
            for target in &targets {
                self.run.analyst.write(target, WriteMode::Overwrite, content.as_ref(), self.run.shell);
            }
        }
    }

    /// What reading a file yields.
    pub fn read(&mut self, path: &Val) -> Value {
        if let Some(address) = path.literal().filter(|text| text.contains("://")) {
            return self.network(Op::Fetch, &Args::of(vec![Val::text(&address)])).as_text();
        }
        let mut content: Option<Value> = None;
        for word in self.paths(path) {
            let shown = word.shown();
            if matches!(shown.as_str(), "/dev/stdin" | "php://stdin" | "-") || word.is("0") {
                return self.around.input.as_text();
            }
            if !self.files.contains(&shown) && self.files.len() < 64 {
                self.files.push(shown);
            }
            let mut next = self.run.analyst.read(&word, false, self.run.shell);
            // What may be run as code is looked at.
            let suffixes = [
                ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".pm", ".php", ".lua", ".sh", ".bash",
                ".R", ".jl", ".ps1",
            ];
            if !next.is_known() && suffixes.iter().any(|suffix| word.text.suffix().ends_with(suffix)) {
                next = self
                    .run
                    .analyst
                    .script(&word, self.run.shell)
                    .map_or(next, |text| text.with_taint(taint::FILE));
            }
            content = Some(content.map_or(next.clone(), |all| all.union(&next)));
        }
        content.unwrap_or_else(|| Value::output(path.taint().union(taint::FILE)))
    }

    pub fn write(&mut self, path: &Val, mode: WriteMode, content: Option<&Value>) {
        self.leaks(content.map(|content| content.taint).unwrap_or_default());
        for word in self.paths(path) {
            self.run.analyst.write(&word, mode, content, self.run.shell);
        }
    }

    fn permission(&mut self, path: &Val, to: &str, deep: bool) {
        for word in self.paths(path) {
            self.run.analyst.permission(&word, to, deep, self.run.shell);
        }
    }

    /// Opens a file for what its mode says.
    pub fn open(&mut self, path: &Val, mode: &Val, args: &Args) -> Val {
        let mode = match mode {
            Val::Text(text) => text.as_literal().unwrap_or("r").to_owned(),
            Val::Name(name) if name.contains("WR") || name.contains("CREAT") || name.contains("TRUNC") => {
                "w".to_owned()
            }
            Val::Name(name) if name.contains("APPEND") => "a".to_owned(),
            _ => "r".to_owned(),
        };
        let command = path.literal().filter(|text| text.starts_with('|'));
        if let Some(command) = command.as_deref().and_then(|text| text.get(1..)) {
            return Val::Text(self.shell(&Value::text(command), None));
        }
        let handle = self.opened(path, &mode);
        for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
            self.apply(function, &Args::of(vec![handle.clone()]));
        }
        handle
    }

    fn opened(&mut self, path: &Val, mode: &str) -> Val {
        let (reads, writes) = Self::mode(mode);
        let content = if reads { self.read(path) } else { Value::empty() };
        if let Some(mode) = writes {
            self.write(path, mode, None);
        }
        let appends = Cell::new(writes != Some(WriteMode::Overwrite));
        let path = match path {
            Val::File(handle) => handle.path.clone(),
            other => other.as_text(),
        };
        Val::File(Rc::new(Handle { path, content, writes: writes.is_some(), appends }))
    }

    /// Perl's `open`: the mode stands before the path, or in one text with it, and may be a pipe.
    fn open_handle(&mut self, args: &Args) -> Val {
        let mode = args.text(1);
        let prefix = mode.any.first().map(|text| text.prefix().trim_start().to_owned()).unwrap_or_default();
        let suffix = mode.any.first().map(|text| text.suffix().trim_end().to_owned()).unwrap_or_default();
        let rest = |skip: usize| {
            mode.map(|text| {
                let lead = text.prefix().len() - text.prefix().trim_start().len();
                let mut kept = self.word(text, mode.taint).from(lead + skip);
                let trimmed = kept.text.prefix().trim_start().to_owned();
                kept = kept.from(kept.text.prefix().len() - trimmed.len());
                kept.text
            })
        };
        if prefix.starts_with("|-") || prefix.starts_with("-|") {
            return self.run_system("open", &args.skip(2));
        }
        if prefix.starts_with('|') {
            let command = rest(1);
            let printed = self.shell(&command, None);
            return Val::Pipe(Rc::new(Pipe { command: Command::Text(command), printed }));
        }
        if suffix.ends_with('|') {
            let command = mode.map(|text| {
                let mut text = text.clone();
                if let Some(Piece::Text(last)) = text.pieces.last_mut() {
                    *last = Rc::from(last.trim_end().trim_end_matches('|'));
                }
                text
            });
            return Val::Text(self.shell(&command, None));
        }
        // Another name for a stream that is open already.
        if prefix.trim_start_matches(['<', '>', '+']).starts_with('&') {
            return Val::unknown();
        }
        let (kind, skip) = match prefix.as_bytes() {
            [b'+', b'<', ..] => ("r+", 2),
            [b'+', b'>', ..] => ("w", 2),
            [b'>', b'>', ..] => ("a", 2),
            [b'>', ..] => ("w", 1),
            [b'<', ..] => ("r", 1),
            _ => ("r", 0),
        };
        match args.get(2) {
            Some(path) => self.opened(path, kind),
            None if args.list.len() > 1 => self.opened(&Val::Text(rest(skip)), kind),
            None => Val::unknown(),
        }
    }

    /// Names of files: from a directory, or by a pattern.
    fn listing(&mut self, op: Op, first: &Val, args: &Args) -> Val {
        let name = || Value::something(HoleSource::Input);
        let folder = if args.list.is_empty() { Value::text(".") } else { first.as_text() };
        let below = |deep: bool, pattern: &Value| {
            let pattern = pattern.map(glob);
            let folder = if deep { pure::join_paths(&[folder.clone(), name()]) } else { folder.clone() };
            let mut found = pure::join_paths(&[folder, pattern.clone()]);
            if deep {
                found = found.union(&pure::join_paths(&[first.as_text(), pattern]));
            }
            Val::many(vec![Val::Text(found)])
        };
        match op {
            Op::ReadDir => {
                let names = Val::many(vec![Val::Text(name())]);
                for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
                    self.apply(function, &Args::of(vec![Val::unknown(), names.clone()]));
                }
                names
            }
            Op::Walk => {
                let inner = Val::Text(folder.union(&pure::join_paths(&[folder.clone(), name()])));
                let names = Val::many(vec![Val::Text(name())]);
                Val::many(vec![Val::list(vec![inner, names.clone(), names])])
            }
            Op::Glob => {
                let all = args.list.iter().filter(|value| !matches!(value, Val::Int(_) | Val::Name(_)));
                Val::many(all.map(|value| Val::Text(value.as_text().map(glob))).collect())
            }
            Op::GlobBelow => {
                let pattern = args.text(1);
                let deep = pattern.any.iter().any(|text| text.prefix().contains("**"));
                let pattern = pattern.map(|text| match text.as_literal() {
                    Some(known) => Text::literal(known.rsplit("**/").next().unwrap_or(known)),
                    None => text.clone(),
                });
                below(deep, &pattern)
            }
            _ => below(true, &args.text(1)),
        }
    }

    /// Something is done with an open file.
    pub fn file_method(&mut self, handle: &Rc<Handle>, name: &str, args: &Args) -> Val {
        let file = Val::File(Rc::clone(handle));
        match name {
            "write" | "puts" | "print" | "writelines" | "append" | "printf" | "<<" | "end" | "syswrite"
            | "say" | "writeSync" => {
                let content = match args.get(0) {
                    Some(Val::List(lines)) => {
                        lines.items.iter().fold(Value::empty(), |all, line| all.concat(&line.as_text()))
                    }
                    _ if args.list.is_empty() => return file,
                    _ => args.list.iter().fold(Value::empty(), |all, value| all.concat(&value.as_text())),
                };
                let content =
                    if matches!(name, "puts" | "say") { content.concat(&Value::text("\n")) } else { content };
                let mode =
                    if handle.appends.replace(true) { WriteMode::Append } else { WriteMode::Overwrite };
                if handle.writes {
                    self.write(&Val::Text(handle.path.clone()), mode, Some(&content));
                }
                file
            }
            "truncate" => {
                self.write(&Val::Text(handle.path.clone()), WriteMode::Overwrite, None);
                file
            }
            "each_line" | "each" | "forEach" | "then" | "lines" | "on" | "pipe" => {
                for function in args.list.iter() {
                    match function {
                        Val::Pipe(pipe) => {
                            self.pipe_method(
                                &Rc::clone(pipe),
                                "write",
                                &Args::of(vec![Val::Text(handle.content.clone())]),
                            );
                        }
                        Val::File(target) => {
                            self.file_method(
                                &Rc::clone(target),
                                "write",
                                &Args::of(vec![Val::Text(handle.content.clone())]),
                            );
                        }
                        other => {
                            self.apply(other, &Args::of(vec![Val::Text(handle.content.clone())]));
                        }
                    }
                }
                file
            }
            "readlines" | "splitlines" => Val::many(vec![Val::Text(handle.content.clone())]),
            "close" | "flush" | "seek" | "fileno" | "tell" | "__enter__" | "closed" => file,
            _ => {
                self.callbacks(args);
                Val::Text(handle.content.clone())
            }
        }
    }

    /// Something is done with a program that was started.
    pub fn pipe_method(&mut self, pipe: &Rc<Pipe>, name: &str, args: &Args) -> Val {
        let writes = matches!(
            name,
            "write" | "communicate" | "puts" | "print" | "end" | "printf" | "<<" | "say" | "writelines"
        );
        let input =
            args.get(0).or(args.option("input")).filter(|value| writes && !matches!(value, Val::Function(_)));
        let Some(input) = input.map(Val::as_text) else {
            self.callbacks(args);
            let printed = Val::Text(pipe.printed.clone());
            return match name {
                "communicate" => Val::list(vec![printed, Val::unknown()]),
                "wait" | "poll" | "close" | "kill" => Val::unknown(),
                "on" | "once" | "then" | "unref" | "spawn" | "outputSync" | "quiet" | "nothrow" => {
                    Val::Pipe(Rc::clone(pipe))
                }
                _ => self.method(&printed, None, name, args.clone()),
            };
        };
        let printed = match &pipe.command {
            Command::Text(text) => self.shell(text, Some(&input)),
            Command::Words(words) => self.command(words, Some(&input)),
        };
        if name == "communicate" {
            Val::list(vec![Val::Text(printed), Val::unknown()])
        } else {
            Val::Pipe(Rc::clone(pipe))
        }
    }

    pub fn network(&mut self, op: Op, args: &Args) -> Val {
        let (address, rest) = match op {
            Op::Request => (args.at(1, &["url", "uri"]), args.skip(2)),
            Op::Send => (Val::text(""), args.skip(1)),
            Op::Dial => {
                let names = ["PeerAddr", "PeerHost", "Host"];
                let host = names.iter().find_map(|name| args.option(name)).or(args.get(0));
                (host.cloned().unwrap_or_else(Val::unknown), Args::default())
            }
            Op::Connect if matches!(args.get(0), Some(Val::Int(_))) => (
                args.get(1)
                    .filter(|host| matches!(host, Val::Text(_)))
                    .cloned()
                    .unwrap_or_else(|| Val::text("localhost")),
                args.skip(2),
            ),
            _ => (args.at(0, &["url", "uri", "address", "host", "hostname"]), args.skip(1)),
        };
        self.connected |= matches!(op, Op::Connect | Op::Dial);
        let method = match op {
            Op::Request => args.literal(0).unwrap_or_default(),
            _ => args.option("method").and_then(Val::literal).unwrap_or_default(),
        };
        let mut rest = self.exposed_args(&rest);
        for (_, value) in &mut rest.named {
            *value = self.exposed(value);
        }
        let sent: Vec<&Val> = rest.all().filter(|value| !matches!(value, Val::Function(_))).collect();
        let marks = sent.iter().fold(address.taint(), |marks, value| marks.union(value.taint()));
        self.leaks(marks);
        let carries = self.carried(marks);
        let body =
            ["data", "json", "files", "body", "content"].iter().any(|name| args.option(name).is_some());
        let sends = matches!(op, Op::Post | Op::Send)
            || body
            || matches!(method.to_uppercase().as_str(), "POST" | "PUT" | "PATCH");
        let direction = if sends || !carries.is_empty() { NetDirection::Out } else { NetDirection::In };
        self.connect(&address, direction, &carries);
        let content = Value::output(taint::NET);
        if op == Op::Download {
            let target = args.at(1, &["filename", "out", "dest"]);
            if args.has(1, &["filename", "out", "dest"]) {
                self.write(&target, WriteMode::Overwrite, Some(&content));
            }
        }
        if let Some(Val::File(file)) = args.list.iter().find(|value| matches!(value, Val::File(_))).cloned() {
            self.file_method(&file, "write", &Args::of(vec![Val::Text(content.clone())]));
        }
        for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
            self.apply(function, &Args::of(vec![Val::Unknown(taint::NET)]));
        }
        match op {
            Op::Connect | Op::Dial => Val::object("connection", Args::of(vec![Val::Unknown(taint::NET)])),
            Op::Resolve => Val::unknown(),
            _ => Val::Unknown(taint::NET),
        }
    }

    fn connect(&mut self, address: &Val, direction: NetDirection, carries: &[String]) {
        let texts = match address {
            Val::List(pair) => pair.items.first().map(Val::as_text).unwrap_or_else(Value::empty),
            Val::Object(object) => object.args.get(0).map(Val::as_text).unwrap_or_else(Value::empty),
            Val::Table(_) => {
                let host = ["hostname", "host", "url"].iter().find_map(|name| address.entry(name));
                host.map(Val::as_text).unwrap_or_else(Value::empty)
            }
            other => other.as_text(),
        };
        for text in texts.any.iter().take(16) {
            if let Some(path) = text.prefix().strip_prefix("file://") {
                let path = Val::text(path);
                self.read(&path);
                continue;
            }
            let certainty =
                if text.as_literal().is_some() { Certainty::Certain } else { Certainty::Possible };
            let shown = show(text);
            let kind =
                EffectKind::Net { host: crate::url::host(&shown), direction, carries: carries.to_vec() };
            self.push(kind, certainty);
        }
    }

    /// What data with these marks holds, in words.
    fn carried(&self, marks: tollgate_shell::value::Taint) -> Vec<String> {
        let mut carried = Vec::new();
        if taint::has(marks, taint::FILE) || taint::has(marks, taint::SECRET) {
            carried.extend(self.files.iter().cloned());
        }
        if carried.is_empty() && taint::has(marks, taint::SECRET) {
            carried.push("the environment".to_owned());
        }
        carried
    }
}

/// The character that stands for a hole in code.
pub(super) fn stand_in(
    holes: &mut Vec<(Hole, tollgate_shell::value::Taint)>,
    hole: &Hole,
    marks: tollgate_shell::value::Taint,
) -> char {
    let known = holes.iter().take(64).position(|(known, taint)| known == hole && *taint == marks);
    let index = known.unwrap_or(holes.len());
    match u32::try_from(index)
        .ok()
        .filter(|index| *index < 0x1000)
        .and_then(|index| char::from_u32(0xE000 + index))
    {
        Some(character) => {
            if index == holes.len() {
                holes.push((hole.clone(), marks));
            }
            character
        }
        None => '\u{E000}',
    }
}

/// Words that a shell would only split, none of them special.
fn simple_words(text: &Value) -> Option<Vec<String>> {
    let text = text.as_literal()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || " ./-_=:,+@%".contains(c);
    text.chars().all(plain).then(|| text.split_whitespace().map(str::to_owned).collect())
}

/// The text with `*`, `?` and `[…]` as patterns.
fn glob(text: &Text) -> Text {
    let mut out = Text::default();
    for piece in &text.pieces {
        let Piece::Text(known) = piece else {
            out.push(piece.clone());
            continue;
        };
        let mut rest: &str = known;
        while let Some(at) = rest.find(['*', '?', '[']) {
            let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.push_str(before);
            let length = match after.find(']') {
                Some(close) if after.starts_with('[') => close + 1,
                _ => after.len() - after.trim_start_matches(['*', '?']).len(),
            };
            let (pattern, after) = after.split_at_checked(length.max(1)).unwrap_or((after, ""));
            out.push(Piece::Glob(Rc::from(if pattern.starts_with("**") { "*" } else { pattern })));
            rest = after;
        }
        out.push_str(rest);
    }
    out
}

fn is_append(args: &Args) -> bool {
    let flag = args.option("flag").and_then(Val::literal).is_some_and(|flag| flag.starts_with('a'));
    flag || args.list.iter().skip(2).any(|value| matches!(value, Val::Name(name) if name.contains("APPEND")))
        || args.option("append").is_some_and(Val::is_true)
}

fn shown_mode(value: &Val) -> String {
    match value {
        Val::Int(mode) => format!("{mode:o}"),
        other => other.literal().unwrap_or_else(|| "?".to_owned()),
    }
}
