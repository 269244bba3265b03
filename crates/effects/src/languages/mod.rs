//! Code in other languages: what a program of one would do. One folder or file per language; the machine
//! that runs their tokens abstractly is shared.

mod acts;
mod args;
mod awk;
mod beside;
mod bind;
mod calls;
mod cells;
mod change;
mod classes;
mod clients;
mod data;
pub(crate) mod edits;
mod expr;
mod files;
mod flat;
mod flow;
mod frames;
mod gits;
mod handles;
mod held;
mod higher;
mod implicit;
mod invoke;
mod javascript;
mod known;
mod libc;
mod lisp;
mod listings;
mod lists;
mod losses;
mod machine;
mod members;
mod mutable;
mod narrow;
mod network;
mod opened;
mod ops;
mod options;
mod outgoing;
mod output;
mod perform;
mod perl;
mod php;
mod powershell;
mod pure;
mod python;
mod ruby;
mod sayings;
mod scope;
pub(crate) mod sed;
mod senders;
mod services;
mod spelled;
mod standins;
mod syntax;
mod tcl;
mod text;
mod token;
mod value;
mod variables;

use tollgate_model::{Span, work};
use tollgate_shell::eval::{Host, Input, Outcome, Status, Stream};
use tollgate_shell::value::{HoleSource, Piece, Taint, Text, Value};

use crate::analyst::{call_taint, taint};
use crate::commands::Run;
use crate::word::Word;
use machine::{Around, Machine, Origin};
use ops::Op;
use syntax::Syntax;
use value::{Args, Val, is_blank};

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    /// R, Elixir: comments begin with `#`.
    Hashed,
    Julia,
    Gnuplot,
    /// Java, Groovy, Scala, Kotlin, C#, Swift, Go, Rust: comments begin with `//`.
    Slashed,
    /// Octave: comments begin with `%`.
    Marked,
    Erlang,
    /// OCaml, F#.
    Ml,
    Nix,
    /// Haskell: comments begin with `--`.
    Dashed,
    Lisp,
    Tcl,
    Awk,
    PowerShell,
}

impl Language {
    /// The language of this name in the catalogue. Several are read alike.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "python" => Self::Python,
            "javascript" => Self::JavaScript,
            "ruby" | "crystal" => Self::Ruby,
            "perl" => Self::Perl,
            "php" => Self::Php,
            "lua" => Self::Lua,
            "elixir" | "nim" => Self::Hashed,
            "c" | "c#" | "d" | "dart" | "f#" | "go" | "java" | "kotlin" | "pascal" | "rust" | "scala"
            | "v" | "vala" | "zig" => Self::Slashed,
            "nix" => Self::Nix,
            "clojure" | "lisp" => Self::Lisp,
            _ => return None,
        })
    }
}

/// A program to be run.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its text.
    pub code: Value,
    /// Where it stands.
    pub span: Span,
    /// The file it is in.
    pub file: Option<Word>,
    /// It came in by standard input, so nothing else does.
    pub from_input: bool,
    /// Its arguments.
    pub args: Vec<Word>,
}

/// What is left for all programs of one call.
#[derive(Debug)]
pub(crate) struct Budget {
    fuel: usize,
    /// Only what runs while a program is loaded counts: nobody knows when its handlers are called.
    brief: bool,
    depth: u32,
    programs: u32,
}

/// Steps for all programs of a call. A mebibyte of code, with what it calls, fits in.
const FUEL: usize = 12_000_000;

/// Expressions, blocks and calls in one another, over all programs.
const DEPTH: u32 = 160;

/// Units of work for going one level deeper: an expression, a block or a call.
const LEVEL: usize = 8;

/// Units of work for a program, besides its code.
const PROGRAM: usize = 300;

/// Programs in one another.
const PROGRAMS: u32 = 8;

impl Default for Budget {
    fn default() -> Self {
        Self { fuel: FUEL, brief: false, depth: 0, programs: 0 }
    }
}

impl Budget {
    /// For code that is only looked through, because it may be loaded one day.
    pub(crate) fn brief() -> Self {
        Self { fuel: FUEL / 20, brief: true, ..Self::default() }
    }

    fn burn(&mut self, amount: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(amount + 1);
        work::charge(1 + amount / 8) && self.fuel > 0
    }

    fn enter(&mut self) -> bool {
        let room = work::charge(LEVEL) && self.depth < DEPTH;
        self.depth += u32::from(room);
        room
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

impl Language {
    /// The language that an interpreter runs, by the interpreter's name.
    pub(crate) fn of(interpreter: &str) -> Option<Self> {
        let name = interpreter.rsplit('/').next().unwrap_or_default();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        Some(match name {
            "python" | "py" | "pypy" | "ipython" | "pythonw" | "micropython" => Self::Python,
            "node" | "javascript" | "js" | "typescript" | "ts" | "nodejs" | "deno" | "bun" | "ts-node"
            | "tsx" | "qjs" | "d8" | "jsc" => Self::JavaScript,
            "ruby" | "rb" | "jruby" | "irb" | "truffleruby" => Self::Ruby,
            "perl" => Self::Perl,
            "php" | "php-cgi" => Self::Php,
            "lua" | "luajit" | "luau" | "texlua" => Self::Lua,
            "Rscript" | "R" | "r" | "littler" | "elixir" | "iex" => Self::Hashed,
            "julia" => Self::Julia,
            "gnuplot" => Self::Gnuplot,
            "groovy" | "scala" | "kotlin" | "kotlinc" | "jshell" | "dotnet-script" | "csi" | "swift"
            | "dart" | "rust-script" | "scala-cli" => Self::Slashed,
            "octave" | "octave-cli" | "matlab" => Self::Marked,
            "erl" | "escript" => Self::Erlang,
            "ocaml" => Self::Ml,
            "nix" | "nix-instantiate" => Self::Nix,
            "emacs" | "sbcl" | "clisp" | "guile" | "racket" | "clojure" | "clj" | "bb" | "ecl" => Self::Lisp,
            "tclsh" | "wish" | "expect" => Self::Tcl,
            "pwsh" | "powershell" | "powershell.exe" | "pwsh.exe" => Self::PowerShell,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            "ghc" | "ghci" | "runghc" | "runhaskell" => Self::Dashed,
            _ => return None,
        })
    }

    /// Where programs look for modules before they say so themselves.
    fn search(self, machine: &mut Machine) {
        let variable = match self {
            Self::Python => "PYTHONPATH",
            Self::JavaScript => "NODE_PATH",
            Self::Ruby => "RUBYLIB",
            Self::Perl => "PERL5LIB",
            _ => return,
        };
        if self == Self::Python {
            let own = machine.beside("");
            machine.scope.set("sys.path", Val::list(vec![Val::Text(own)]));
        }
        // Folders are put on these lists like on any other.
        for list in ["$:", "$LOAD_PATH"].iter().filter(|_| self == Self::Ruby) {
            machine.scope.set(list, Val::list(Vec::new()));
        }
        machine.search_in_variable(variable);
    }

    fn syntax(self) -> &'static Syntax {
        match self {
            Self::Python => &python::SYNTAX,
            Self::JavaScript => &javascript::SYNTAX,
            Self::Ruby => &ruby::SYNTAX,
            Self::Perl => &perl::SYNTAX,
            Self::Php => &php::SYNTAX,
            Self::Lua => &flat::LUA,
            Self::Hashed => &flat::HASHED,
            Self::Julia => &flat::JULIA,
            Self::Gnuplot => &flat::GNUPLOT,
            Self::Erlang => &flat::ERLANG,
            Self::Ml => &flat::ML,
            Self::Nix => &flat::NIX,
            Self::Slashed => &flat::SLASHED,
            Self::Marked => &flat::MARKED,
            Self::Dashed => &flat::DASHED,
            Self::Lisp | Self::Tcl | Self::PowerShell => &lisp::SYNTAX,
            Self::Awk => &awk::SYNTAX,
        }
    }
}

/// Runs a program abstractly, and writes down what it would do.
pub(crate) fn run(run: &mut Run, language: Language, program: &Program) -> Outcome {
    run_with(run, language, program, None)
}

/// The same, for a program that reads this as its input.
pub(crate) fn run_with(
    run: &mut Run,
    language: Language,
    program: &Program,
    input: Option<&Value>,
) -> Outcome {
    if taint::has(program.code.taint, taint::NET) {
        run.analyst.dynamic_code(program.code.taint, program.span);
    }
    let read = match program.code.has_file() {
        true => program.code.filled(|path| run.analyst.content(path, run.shell)),
        false => program.code.clone(),
    };
    if run.analyst.languages.programs >= PROGRAMS {
        run.analyst.opaque("programs are nested too deeply to be analysed", program.span);
        return run.derived();
    }
    if !work::charge(PROGRAM + run.call.argv.len() * 2) {
        return run.derived();
    }
    run.analyst.languages.programs += 1;
    let mut call = run.call.clone();
    if program.from_input {
        call.stdin = Input { stream: Stream::Outer, value: None };
    }
    let Run { analyst, shell, path, program: name, args, .. } = run;
    let printed = shell.isolated(|shell| {
        let mut inner = Run { analyst, shell, call: &call, path, program: name, args };
        let ways = read.any.iter().take(16).map(|text| one(&mut inner, language, program, text, input));
        ways.collect::<Vec<Value>>().into_iter().reduce(|all, next| all.union(&next))
    });
    run.analyst.languages.programs -= 1;
    Outcome { stdout: printed.unwrap_or_else(Value::empty), status: Status::Either }
}

/// Runs one text that the program may be, and returns what it prints.
fn one(run: &mut Run, language: Language, program: &Program, text: &Text, input: Option<&Value>) -> Value {
    let marks = program.code.taint;
    if is_blank(text) {
        if !taint::has(marks, taint::NET) {
            run.analyst.dynamic_code(marks, program.span);
        }
        return Value::output(call_taint(run.call));
    }
    let input = match input.or(run.call.stdin.value.as_ref()) {
        Some(value) => Val::Text(value.clone()),
        None => Val::Text(Value::unknown(HoleSource::Input)),
    };
    let mut around = Around {
        span: program.span,
        origin: if program.file.is_some() { Origin::File } else { Origin::Inline },
        argv: program.args.iter().map(|word| Val::Text(word.value())).collect(),
        file: program.file.as_ref().map(Word::value),
        input,
        holes: Vec::new(),
        own: program.file.as_ref().is_some_and(|file| run.analyst.own_text(file, run.shell).is_some()),
    };
    let code = with_stand_ins(text, marks, &mut around);
    let mut machine = Machine::new(run, language.syntax(), around);
    language.search(&mut machine);
    match language {
        Language::Tcl => drop(tcl::program(&mut machine, &code)),
        Language::PowerShell => drop(powershell::program(&mut machine, &code)),
        Language::Awk => awk::program(&mut machine, &code),
        // What it comes to is printed.
        Language::Nix => {
            let value = machine.expression(&code);
            machine.perform(Op::Print(true), "print", &Args::of(vec![value]));
        }
        _ => machine.program(&code),
    }
    let (printed, strange) = (machine.printed.clone(), machine.strange);
    if language == Language::Nix {
        crate::commands::secrets::told(run.analyst, &printed, program.span);
    }
    crate::commands::secrets::printed_by_code(run.analyst, run.call, &printed);
    if strange { Value::output(call_taint(run.call).union(printed.taint)).union(&printed) } else { printed }
}

/// The text as code, with a stand-in for every hole.
fn with_stand_ins(text: &Text, marks: Taint, around: &mut Around) -> String {
    let mut code = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Text(known) | Piece::Glob(known) => code.push_str(known),
            Piece::Hole(hole) => code.push(acts::stand_in(&mut around.holes, hole, marks)),
        }
    }
    code
}

/// The text of `pwsh -EncodedCommand`.
pub(crate) fn powershell_command(word: &Word) -> Value {
    let decoded = word.literal().and_then(crate::encodings::from_base64).and_then(text::text_of);
    match decoded {
        Some(text) => Value::text(&text),
        None => Value::output(word.taint.union(taint::DECODED)),
    }
}
