//! What programs do: run commands and code, touch files, talk to the network.

use std::rc::Rc;

use tollgate_model::{Certainty, CodeSource, EffectKind, Span};
use tollgate_shell::eval::{Input, Stream};
use tollgate_shell::value::{Hole, Piece, Taint, Text, Value};

use super::args::going_by;
use super::files::PATH;
use super::machine::{Machine, Origin};
use super::network::is_bare_shell;
use super::ops::Known;
use super::text::is_calling_pickle;
use super::value::{Args, Command, Pipe, Val, is_blank};
use crate::analyst::taint;
use crate::commands::{Run, interpreters};
use crate::word::Word;

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
        // A shell without a command of its own takes them from the connection.
        let bare = || simple_words(text).is_some_and(|words| is_bare_shell(&plain_words(&words)));
        let remote = (self.remote || self.connected && bare()).then(|| Value::output(taint::NET));
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
        self.run.captured(|run| interpreters::code(run, &text, span))
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
        if words.iter().take(2).any(|word| self.fetched.contains(&word.text)) {
            self.dynamic(taint::NET);
            return Value::output(taint::NET);
        }
        if words.first().is_some_and(|word| word.text.bytes() > PATH) {
            return Value::output(marks);
        }
        let is_foreign = |piece: &Piece| matches!(piece, Piece::Hole(hole) if hole.source.is_output());
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
        let wired = self.remote || self.connected && is_bare_shell(words);
        let remote = wired.then(|| Value::output(taint::NET));
        let input = input.or(remote.as_ref());
        self.run.captured(|run| {
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

    pub fn run_shell(&mut self, returns: bool, args: &Args) -> Val {
        let text = args.at(0, &["cmd", "command", "args"]);
        if let Val::List(_) = &text {
            return self.run_program("", args);
        }
        let input = args.option("input").map(Val::as_text);
        let printed = self.shell(&text.as_text(), input.as_ref());
        self.callbacks(args);
        if returns {
            if inherits(args) {
                self.print(&printed);
            }
            return Val::Text(printed);
        }
        self.print(&printed);
        Val::Pipe(Rc::new(Pipe { command: Command::Text(text.as_text()), printed }))
    }

    pub fn run_program(&mut self, name: &str, args: &Args) -> Val {
        if name.ends_with("check_output") && args.option("stdout").is_none() {
            let mut kept = args.clone();
            kept.named.push(("stdout".into(), Val::unknown()));
            return self.run_program(name, &kept);
        }
        let command = args.at(0, &["args", "cmd", "command"]);
        let shell =
            args.option("shell").is_some_and(|value| value.is_true() || matches!(value, Val::Unknown(_)));
        let input = args.option("input").map(Val::as_text).or_else(|| self.stdin_of(args.option("stdin")));
        let Val::List(list) = &command else {
            let printed = self.shell(&command.as_text(), input.as_ref());
            return self.begun(Command::Text(command.as_text()), printed, args);
        };
        if shell {
            let text = list.items.first().map(Val::as_text).unwrap_or_else(Value::empty);
            let printed = self.shell(&text, input.as_ref());
            return self.begun(Command::Text(text), printed, args);
        }
        let mut words = self.words_of(&list.items);
        if let Some(program) = args.option("executable") {
            let called = list.items.first().cloned();
            words.splice(..1, self.words_of(&[going_by(program, called.as_ref())]));
        }
        self.run_words(words, input.as_ref(), args)
    }

    /// What a program reads: what another one printed, what a file holds, or what comes in from a connection.
    fn stdin_of(&self, stdin: Option<&Val>) -> Option<Value> {
        match stdin {
            Some(Val::Text(text)) => Some(text.clone()),
            Some(Val::Pipe(pipe)) => Some(pipe.printed.clone()),
            Some(Val::File(file)) => Some(file.content.clone()),
            other => self.socket(other),
        }
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

    /// A child's output is that of the program, unless the program keeps it.
    fn begun(&mut self, command: Command, printed: Value, args: &Args) -> Val {
        let keeps =
            args.option("capture_output").or(args.option("stdout")).is_some() || self.syntax.keeps_output;
        if !keeps || inherits(args) {
            self.print(&printed);
        }
        Val::Pipe(Rc::new(Pipe { command, printed }))
    }

    fn run_words(&mut self, words: Vec<Word>, input: Option<&Value>, args: &Args) -> Val {
        let printed = self.command(&words, input);
        self.begun(Command::Words(words), printed, args)
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
        let given = args.at(0, &["command", "cmd"]);
        // One table may hold it all.
        let named = ["cmd", "command", "file"].iter().find_map(|name| given.entry(name)).cloned();
        let program = going_by(&named.unwrap_or(given), args.option("argv0"));
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
            return self.begun(Command::Text(text), printed, args);
        }
        let words = self.words_of(&list);
        self.run_words(words, input.as_ref(), args)
    }

    pub fn run_system(&mut self, name: &str, args: &Args) -> Val {
        // The second argument of `IO.popen` is a mode.
        let mode = |at: usize| at == 1 && name == "IO.popen";
        let list: Vec<Val> = args
            .list
            .iter()
            .enumerate()
            .filter(|(at, value)| !matches!(value, Val::Table(_) | Val::Function(_)) && !mode(*at))
            .map(|(_, value)| value.clone())
            .collect();
        // `run("rm", ["-rf", "x"])` and `run(["rm", "-rf", "x"])` are the same.
        let list: Vec<Val> = list
            .into_iter()
            .flat_map(|value| match value {
                Val::List(items) => items.items.clone(),
                other => vec![other],
            })
            .collect();
        let remote = || args.named.iter().find_map(|(_, value)| self.socket(Some(value)));
        let input = args.option("stdin_data").or(args.option("input")).map(Val::as_text).or_else(remote);
        let printed = match list.as_slice() {
            [] => return Val::unknown(),
            [text] => self.shell(&text.as_text(), input.as_ref()),
            words => {
                let words = self.words_of(words);
                self.command(&words, input.as_ref())
            }
        };
        if matches!(name.rsplit(['.', ':']).next(), Some("system" | "spawn" | "exec" | "passthru")) {
            self.print(&printed);
        }
        let command = match list.as_slice() {
            [text] => Command::Text(text.as_text()),
            words => Command::Words(self.words_of(words)),
        };
        let output = Val::Text(printed.clone());
        let pipe = Val::Pipe(Rc::new(Pipe { command, printed }));
        // A block is given the program's input, and its output where it takes more.
        for block in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
            self.apply(block, &Args::of(vec![pipe.clone(), output.clone()]));
        }
        pipe
    }

    /// Commands, each a text or a list of words, the output of one the input of the next.
    pub fn run_pipeline(&mut self, args: &Args) -> Val {
        let mut printed: Option<Value> = None;
        for command in args.list.iter().filter(|value| !matches!(value, Val::Table(_) | Val::Function(_))) {
            let next = match command {
                Val::List(list) => {
                    let words = self.words_of(&list.items);
                    self.command(&words, printed.as_ref())
                }
                text => self.shell(&text.as_text(), printed.as_ref()),
            };
            printed = Some(next);
        }
        self.callbacks(args);
        Val::Text(printed.unwrap_or_else(Value::empty))
    }

    /// `Port.open({:spawn, text}, …)` and `Port.open({:spawn_executable, path}, args: […])`.
    pub fn open_port(&mut self, args: &Args) -> Val {
        let how = args.at(0, &[]).items();
        let options = args.get(1).cloned().unwrap_or_else(Val::unknown);
        match how.as_slice() {
            [Val::Name(kind), path] if kind.ends_with("executable") => {
                let list = args.option("args").or(options.entry("args")).map(Val::items).unwrap_or_default();
                let words: Vec<Val> = std::iter::once(path.clone()).chain(list).collect();
                self.run_spawn(&Args::of(vec![Val::list(words)]))
            }
            [_, text] => self.run_shell(false, &Args::of(vec![text.clone()])),
            _ => Val::unknown(),
        }
    }

    /// `fork(file, args)`: the interpreter is started again.
    pub fn run_forked(&mut self, args: &Args) -> Val {
        let mut words = vec![self.known(Known::Executable), args.at(0, &[])];
        words.extend(
            args.get(1).filter(|list| matches!(list, Val::List(_))).map(Val::items).unwrap_or_default(),
        );
        let words = self.words_of(&words);
        self.run_words(words, None, args)
    }

    /// The program that the function is named after.
    pub fn run_named(&mut self, name: &str, args: &Args) -> Val {
        let program = name.strip_suffix(".bake").unwrap_or(name).rsplit('.').next().unwrap_or_default();
        let words: Vec<Val> = std::iter::once(Val::text(program)).chain(args.list.iter().cloned()).collect();
        let words = self.words_of(&words);
        let input = args.option("_in").map(Val::as_text);
        self.run_words(words, input.as_ref(), args)
    }

    /// A program that was named before is run with these arguments.
    pub fn run_with(&mut self, pipe: &Pipe, args: &Args) -> Val {
        let mut words = match &pipe.command {
            Command::Words(words) => words.clone(),
            Command::Text(text) => {
                let words = simple_words(text).unwrap_or_default();
                words.iter().map(|word| self.word(&Text::literal(word), text.taint)).collect()
            }
        };
        words.extend(self.words_of(&args.list));
        self.run_words(words, None, args)
    }

    /// A program whose streams are given: what comes in from a connection is what it reads.
    pub fn open_process(&mut self, args: &Args) -> Val {
        let streams = args.at(1, &[]).items();
        let remote = streams.iter().find_map(|stream| self.socket(Some(stream)));
        match args.get(0) {
            Some(Val::List(list)) => {
                let words = self.words_of(&list.items);
                let printed = self.command(&words, remote.as_ref());
                Val::Pipe(Rc::new(Pipe { command: Command::Words(words), printed }))
            }
            _ => {
                let text = args.text(0);
                let printed = self.shell(&text, remote.as_ref());
                Val::Pipe(Rc::new(Pipe { command: Command::Text(text), printed }))
            }
        }
    }

    /// A program's path, and its words with the name first.
    pub fn run_listed(&mut self, path: &Val, list: &Val) -> Val {
        let called = if let Val::List(list) = list { list.items.first() } else { None };
        let mut words = vec![going_by(path, called)];
        match list {
            Val::List(list) => words
                .extend(list.items.iter().skip(1).filter(|value| !matches!(value, Val::Table(_))).cloned()),
            other => words.push(other.clone()),
        }
        let words = self.words_of(&words);
        self.run_words(words, None, &Args::default())
    }

    /// Text as code of this language.
    /// `Function("a", "b", "code")`: what its code does counts whether or not the call is seen.
    /// Makes values of data that may name what is to be called.
    pub fn unpack(&mut self, args: &Args) -> Val {
        let marks = args.taint();
        let calls = args.literal(0).is_some_and(|text| is_calling_pickle(&text));
        let marks = if calls { marks.union(taint::DECODED) } else { marks };
        if taint::has(marks, taint::NET) || taint::has(marks, taint::DECODED) {
            self.dynamic(marks);
        }
        Val::Unknown(marks)
    }

    /// The same where the class that is given decides: only those that say so make no objects.
    pub fn unpack_by(&mut self, option: &str, args: &Args) -> Val {
        let given = args.option(option).or(args.get(1));
        let plain =
            |name: &str| ["SafeLoader", "BaseLoader", "FullLoader"].iter().any(|end| name.ends_with(end));
        match given {
            Some(Val::Name(name)) if plain(name) => Val::Unknown(args.taint()),
            _ => self.unpack(args),
        }
    }

    pub fn make_function(&mut self, args: &Args) -> Val {
        // The body comes last, whatever is known of it.
        let body = args.list.last().filter(|body| !matches!(body, Val::Text(_)));
        if let Some(body) = body.cloned() {
            return self.run_eval(&Args::of(vec![body]));
        }
        let result = self.run_eval(args);
        let texts: Option<Vec<String>> = args.list.iter().map(Val::literal).collect();
        let Some((body, names)) = texts.as_deref().and_then(<[String]>::split_last) else { return result };
        self.expression(&format!("(function ({}) {{ {body}\n}})", names.join(",")))
    }

    pub fn run_eval(&mut self, args: &Args) -> Val {
        let code =
            args.list.iter().rev().find(|value| matches!(value, Val::Text(_))).or(args.get(0)).cloned();
        let code = code.map(|code| match &code {
            Val::File(_) => Val::Text(code.as_text()),
            _ => code,
        });
        let Some(code) = code else { return Val::unknown() };
        let marks = code.taint();
        if taint::has(marks, taint::NET) {
            self.dynamic(marks);
        }
        match &code {
            Val::Text(text) if text.any.iter().any(|text| !is_blank(text)) => {
                let mut result: Option<Val> = None;
                self.bind_names(args);
                for text in text.any.iter().take(16) {
                    let code = self.with_stand_ins(text, marks);
                    let value =
                        if is_expression(&code) { self.expression(&code) } else { self.source(&code) };
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

    /// The names that code is given: `runInNewContext(code, {name: value})`.
    fn bind_names(&mut self, args: &Args) {
        for value in args.all() {
            let Val::Table(table) = value else { continue };
            for (name, value) in table.entries.iter().take(64) {
                self.scope.set(name, value.clone());
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
}

/// `{stdio: "inherit"}` and `{stdio: [0, 1, 2]}`: the child writes where the program does.
fn inherits(args: &Args) -> bool {
    let outer = |value: &Val| value.literal().as_deref() == Some("inherit") || matches!(value, Val::Int(1));
    args.option("stdio").or(args.option("stdout")).is_some_and(|value| match value {
        Val::List(list) => list.items.get(1).is_some_and(outer),
        value => outer(value),
    })
}

/// The character that stands for a hole in code.
pub(super) fn stand_in(holes: &mut Vec<(Hole, Taint)>, hole: &Hole, marks: Taint) -> char {
    let known = holes.iter().take(64).position(|(known, taint)| known == hole && *taint == marks);
    let index = known.unwrap_or(holes.len());
    let number = u32::try_from(index).ok().filter(|number| *number < 0x1000);
    match number.and_then(|number| char::from_u32(0xE000 + number)) {
        Some(character) => {
            if index == holes.len() {
                holes.push((hole.clone(), marks));
            }
            character
        }
        None => '\u{E000}',
    }
}

/// Code that is nothing but a name, or a part of one: its value is what counts.
fn is_expression(code: &str) -> bool {
    code.len() < 200 && code.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
}

/// Words that a shell would only split, none of them special.
fn simple_words(text: &Value) -> Option<Vec<String>> {
    let text = text.as_literal()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || " ./-_=:,+@%".contains(c);
    text.chars().all(plain).then(|| text.split_whitespace().map(str::to_owned).collect())
}

fn plain_words(words: &[String]) -> Vec<Word> {
    words.iter().map(|word| Word::literal_at(word, Span::default())).collect()
}
