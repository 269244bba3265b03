//! Open files, and programs that were started.

use std::cell::Cell;
use std::rc::Rc;

use tollgate_model::WriteMode;
use tollgate_shell::value::{Piece, Value};

use super::machine::Machine;
use super::ops::Op;
use super::output::is_peer;
use super::value::{Args, Command, Handle, Pipe, Val};

impl Handle {
    /// Its path, where that is asked for.
    pub fn part(&self, name: &str) -> Option<Val> {
        matches!(name, "name" | "path" | "to_path" | "filename").then(|| Val::Text(self.path.clone()))
    }
}

impl Machine<'_, '_, '_> {
    /// Opens a file for what its mode says.
    pub fn open(&mut self, path: &Val, mode: &Val, args: &Args) -> Val {
        let mode = match mode {
            Val::Text(text) => text.as_literal().unwrap_or("r").to_owned(),
            Val::Name(name) if name.contains("APPEND") => "a".to_owned(),
            Val::Name(name) if name.contains("WR") || name.contains("CREAT") || name.contains("TRUNC") => {
                "w".to_owned()
            }
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
            if mode == WriteMode::Overwrite {
                self.reopen(path);
            }
        }
        let appends = Cell::new(writes != Some(WriteMode::Overwrite));
        let path = match path {
            Val::File(handle) => handle.path.clone(),
            other => other.as_text(),
        };
        Val::File(Rc::new(Handle { path, content, writes: writes.is_some(), appends }))
    }

    /// Something of the library's opens a file by itself, as its mode says; what is in memory is no file.
    pub fn opens_for(&mut self, name: &str, args: &Args, usual: &str) -> Val {
        let path = args.at(0, &["filename", "file", "name", "fname"]);
        let mode = match args.at(1, &["mode", "filemode"]) {
            Val::Text(text) if usual != "w" => text.as_literal().unwrap_or(usual).to_owned(),
            _ => usual.to_owned(),
        };
        if matches!(path, Val::Text(_)) {
            self.opened(&path, &mode);
        }
        Val::object(name, args.clone())
    }

    /// Puts a folder into an archive, whose ending says what kind it is.
    pub fn archives(&mut self, args: &Args) -> Val {
        let end = match args.at(1, &["format"]).literal().as_deref() {
            Some("zip") => ".zip",
            Some("tar") => ".tar",
            Some("gztar") => ".tar.gz",
            Some("bztar") => ".tar.bz2",
            Some("xztar") => ".tar.xz",
            _ => "",
        };
        let path = args.at(0, &["base_name"]).as_text().concat(&Value::text(end));
        self.opened(&Val::Text(path.clone()), "w");
        Val::Text(path)
    }

    /// What stands behind the end of a program is a file that it may read.
    pub fn hold_data(&mut self, text: &str) {
        let ends = ["\n__END__\n", "\n__DATA__\n"];
        let data = ends.iter().find_map(|end| text.split_once(end)).map(|(_, data)| data);
        if let Some(data) = data.filter(|_| self.syntax.bare_calls) {
            let path = self.around.file.clone().unwrap_or_else(Value::empty);
            let content = self.literal(data);
            let handle = Handle { path, content, writes: false, appends: Cell::new(false) };
            self.scope.set("DATA", Val::File(Rc::new(handle)));
        }
    }

    /// A new file for temporary use, open for writing. Its name is its own, so that what is written is found there.
    pub fn temporary(&mut self, pair: bool, args: &Args) -> Val {
        let end = args.option("suffix").or(args.option("SUFFIX")).and_then(Val::literal);
        let listed = || args.get(0)?.items_or_self().get(1).and_then(Val::literal);
        let starred = || args.literal(1)?.split_once('*').map(|(_, end)| end.to_owned());
        let end = end.or_else(listed).or_else(starred).filter(|end| !end.contains('/')).unwrap_or_default();
        let number = self.run.analyst.next_temporary();
        let path = Value::text(&format!("{}/tmpX{number}{end}", self.temp()));
        let (content, appends) = (Value::empty(), Cell::new(false));
        let handle = Val::File(Rc::new(Handle { path: path.clone(), content, writes: true, appends }));
        for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
            self.apply(function, &Args::of(vec![handle.clone()]));
        }
        if pair { Val::list(vec![handle, Val::Text(path)]) } else { handle }
    }

    /// Perl's `open`: the mode stands before the path, or in one text with it, and may be a pipe.
    pub fn open_handle(&mut self, args: &Args) -> Val {
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

    /// Something is done with an open file.
    pub fn file_method(&mut self, handle: &Rc<Handle>, name: &str, args: &Args) -> Val {
        let file = Val::File(Rc::clone(handle));
        match name {
            "write" | "puts" | "print" | "writelines" | "append" | "printf" | "<<" | "end" | "syswrite"
            | "say" | "writeSync" | "Write" | "WriteString" | "write_all" | "writeText" => {
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
            "delete" | "unlink" => {
                self.perform(Op::Delete, name, &Args::of(vec![Val::Text(handle.path.clone())]))
            }
            "truncate" => {
                self.write(&Val::Text(handle.path.clone()), WriteMode::Overwrite, None);
                file
            }
            "each_line" | "each" | "forEach" | "then" | "lines" | "on" | "pipe" => {
                args.list.iter().for_each(|taker| self.hand_over(handle, taker));
                file
            }
            "readlines" | "splitlines" => Val::many(vec![Val::Text(handle.content.clone())]),
            "Name" | "path" | "to_path" | "filename" => Val::Text(handle.path.clone()),
            "close" | "flush" | "seek" | "fileno" | "tell" | "__enter__" | "closed" => file,
            _ => {
                self.callbacks(args);
                Val::Text(handle.content.clone())
            }
        }
    }

    /// What a file holds goes to a program, a file or a function.
    fn hand_over(&mut self, handle: &Handle, taker: &Val) {
        let content = Args::of(vec![Val::Text(handle.content.clone())]);
        match taker {
            Val::Pipe(pipe) => drop(self.pipe_method(&Rc::clone(pipe), "write", &content)),
            Val::File(target) => drop(self.file_method(&Rc::clone(target), "write", &content)),
            peer if is_peer(peer) => drop(self.send_to_peer("send", content)),
            other => drop(self.apply(other, &content)),
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
                "wait" | "poll" | "close" | "kill" => {
                    self.calms += 1;
                    Val::unknown()
                }
                "on" | "once" | "then" | "unref" | "spawn" | "outputSync" | "quiet" | "nothrow" => {
                    Val::Pipe(Rc::clone(pipe))
                }
                _ => self.method(&printed, None, name, args.clone()),
            };
        };
        self.calms += 1;
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
