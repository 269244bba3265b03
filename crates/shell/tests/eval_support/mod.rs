//! A host that writes down what it is told.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Call, Code, Field, Host, Kind, Note, Open, Outcome, Scope, Shell, Status};
use tollgate_shell::value::{Taint, Value};

/// Marks what `fetch` prints.
pub const FETCHED: Taint = Taint(1);

#[derive(Default)]
pub struct Recorder {
    /// Programs and unresolved words that run.
    pub calls: Vec<Call>,
    /// Everything else, builtins and functions included.
    pub others: Vec<Call>,
    pub opens: Vec<Open>,
    pub notes: Vec<Note>,
    /// Directories that are there and that are not.
    pub dirs: Vec<(&'static str, bool)>,
    /// For each call, where it runs.
    pub cwds: Vec<String>,
    /// Those that run only if something unknown is empty.
    pub supposed: Vec<String>,
}

impl Host for Recorder {
    fn command(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        if !matches!(call.kind, Kind::External | Kind::Unresolved) {
            self.others.push(call.clone());
            if call.kind == Kind::Source {
                return self.source(call, shell);
            }
            return Outcome::silent(Status::Either);
        }
        self.calls.push(call.clone());
        self.cwds.push(shell.cwd().to_string());
        self.supposed.extend(shell.is_supposed().then(|| show(call)));
        match call.name() {
            Some("bash" | "sh" | "zsh") => self.interpreter(call, shell),
            Some("fetch") => Outcome { stdout: Value::output(FETCHED), status: Status::Either },
            Some("cat") => {
                let first = call.argv.get(1).and_then(|field| shell.file(&field.value));
                let stdout = first.map_or_else(|| Value::output(Taint::NONE), |file| file.value);
                Outcome { stdout, status: Status::Either }
            }
            Some("tee") => {
                let input = call.stdin.value.clone().unwrap_or_else(|| Value::output(Taint::NONE));
                for path in call.args() {
                    shell.write_file(&path.value, &input, false);
                }
                Outcome { stdout: input, status: Status::Either }
            }
            _ => Outcome::unknown(Taint::NONE),
        }
    }

    fn open(&mut self, open: &Open, _shell: &mut Shell) -> Option<Value> {
        self.opens.push(open.clone());
        None
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    fn is_dir(&self, path: &str) -> Option<bool> {
        self.dirs.iter().find(|(name, _)| *name == path).map(|(_, there)| *there)
    }

    fn environment(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/home/u".to_owned())
    }

    fn home_of(&self, user: &str) -> Option<String> {
        (user == "ann").then(|| "/home/ann".to_owned())
    }
}

impl Recorder {
    fn interpreter(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        let dialect = match call.name() {
            Some("sh") => Dialect::Posix,
            Some("zsh") => Dialect::Zsh,
            _ => Dialect::Bash,
        };
        let words: Vec<&Field> = call.args().collect();
        let (text, name, args) = match words.as_slice() {
            [option, text, rest @ ..] if option.value.as_literal() == Some("-c") => {
                (Some(text.value.clone()), rest.first().map(|field| field.value.clone()), rest.get(1..))
            }
            [file, rest @ ..] => {
                (shell.file(&file.value).map(|file| file.value), Some(file.value.clone()), Some(rest))
            }
            [] => (call.stdin.value.clone(), None, None),
        };
        let Some(text) = text else { return Outcome::unknown(Taint::NONE) };
        let args = args.unwrap_or_default().iter().map(|field| (*field).clone()).collect();
        let code = Code { text, scope: Scope::Child, dialect, name, args: Some(args), span: call.span };
        shell.run_text(&code, self)
    }

    fn source(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        let file = call.argv.get(1).and_then(|field| shell.file(&field.value));
        let Some(file) = file else { return Outcome::silent(Status::Either) };
        let code = Code {
            text: file.value,
            scope: Scope::Sourced,
            dialect: shell.dialect(),
            name: None,
            args: None,
            span: call.span,
        };
        shell.run_text(&code, self)
    }
}

/// Runs a script in `/w` and gives back what was told.
pub fn run(source: &str, dialect: Dialect) -> Recorder {
    let mut recorder = Recorder::default();
    Shell::new(dialect, Some("/w")).run(source, &mut recorder);
    recorder
}

/// A call as text: fields with a space between, in quotes when empty or with white space, and with `…` after
/// one that may split.
pub fn show(call: &Call) -> String {
    let field = |field: &Field| {
        let text = field.value.to_string();
        let bare = !text.is_empty() && !text.contains(char::is_whitespace);
        let text = if bare { text } else { format!("'{text}'") };
        if field.splits { format!("{text}…") } else { text }
    };
    call.argv.iter().map(field).collect::<Vec<_>>().join(" ")
}

/// The programs that run, without repetitions.
pub fn programs(source: &str, dialect: Dialect) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for call in &run(source, dialect).calls {
        let text = show(call);
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// For each script exactly these programs run, in this order.
#[track_caller]
pub fn check(cases: &[(&str, &[&str])]) {
    check_as(Dialect::Bash, cases);
}

/// The same for another shell.
#[track_caller]
pub fn check_as(dialect: Dialect, cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(source, expected)| {
            let found = programs(source, dialect);
            (found != *expected).then(|| format!("{source}\n   runs {found:?}\n    not {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
