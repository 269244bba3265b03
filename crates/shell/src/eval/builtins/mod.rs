//! Builtins that change the shell, print known text or decide what runs next.

mod answer;
mod condition;
mod control;
mod declare;
mod dirs;
mod mapfile;
mod options;
mod print;
mod read;

use super::state::{ExitCode, Flow, State};
use super::{Call, Field, Host, Kind, Shell, Status};
use crate::ast::{Assign, AssignValue, Part, Word};
use crate::value::{Text, Value};

/// A builtin that the evaluator interprets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Alias,
    Break,
    /// `builtin` itself.
    OfShell,
    Cd,
    Command,
    Continue,
    Variables(Declare),
    Echo,
    /// zsh's way to behave like another shell.
    Emulate,
    Enable,
    Eval,
    Exec,
    Exit,
    False,
    Getopts,
    Hash,
    Let,
    Mapfile,
    Popd,
    /// zsh's `noglob`, `nocorrect` and `-`.
    Precommand,
    Print,
    Printf,
    Pushd,
    Read,
    Return,
    Set,
    Shift,
    Shopt,
    Source,
    Test,
    Trap,
    True,
    Unalias,
    Unset,
}

/// Does a builtin set a variable whose name is not known: `export $(cat vars)`, `printf -v "$name"`?
fn sets_unknown(builtin: Builtin, call: &Call) -> bool {
    let named = |field: &Field| {
        field.value.any.iter().all(|text| text.as_literal().is_some() || text.prefix().contains('='))
    };
    match builtin {
        Builtin::Variables(_) | Builtin::Read | Builtin::Mapfile | Builtin::Getopts => {
            !call.args().all(named)
        }
        Builtin::Printf => {
            let mut args = call.args();
            match args.next() {
                Some(first) if first.value.as_literal() == Some("-v") => !args.next().is_some_and(named),
                first => first.is_some_and(|first| first.splits && !named(first)),
            }
        }
        _ => false,
    }
}

/// Is it, or what it is asked for, in bash and not in dash, so that a plain `sh` may not know it?
fn beyond_posix(builtin: Builtin, call: &Call) -> bool {
    let first = || call.args().next().and_then(|field| field.value.as_literal()).unwrap_or_default();
    match builtin {
        Builtin::Variables(Declare::Plain)
        | Builtin::Pushd
        | Builtin::Popd
        | Builtin::Mapfile
        | Builtin::Let => true,
        Builtin::Printf => first().starts_with("-v"),
        Builtin::Read => first().starts_with('-') && first().contains('a'),
        _ => false,
    }
}

/// The builtins whose arguments are assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declare {
    Plain,
    Export,
    Local,
    Readonly,
}

/// The builtin of this name.
pub(super) fn find(name: &str) -> Option<Builtin> {
    Some(match name {
        "alias" => Builtin::Alias,
        "break" => Builtin::Break,
        "builtin" => Builtin::OfShell,
        "cd" | "chdir" => Builtin::Cd,
        "command" => Builtin::Command,
        "continue" => Builtin::Continue,
        "declare" | "typeset" | "integer" | "float" => Builtin::Variables(Declare::Plain),
        "echo" => Builtin::Echo,
        "enable" => Builtin::Enable,
        "eval" => Builtin::Eval,
        "exec" => Builtin::Exec,
        "exit" => Builtin::Exit,
        "export" => Builtin::Variables(Declare::Export),
        "false" => Builtin::False,
        "getopts" => Builtin::Getopts,
        "hash" => Builtin::Hash,
        "let" => Builtin::Let,
        "local" => Builtin::Variables(Declare::Local),
        "mapfile" | "readarray" => Builtin::Mapfile,
        "noglob" | "nocorrect" | "-" => Builtin::Precommand,
        "popd" => Builtin::Popd,
        "print" => Builtin::Print,
        "printf" => Builtin::Printf,
        "pushd" => Builtin::Pushd,
        "read" => Builtin::Read,
        "readonly" => Builtin::Variables(Declare::Readonly),
        "return" => Builtin::Return,
        "set" => Builtin::Set,
        "shift" => Builtin::Shift,
        "shopt" | "setopt" | "unsetopt" => Builtin::Shopt,
        "emulate" => Builtin::Emulate,
        "source" | "." => Builtin::Source,
        "test" | "[" => Builtin::Test,
        "trap" => Builtin::Trap,
        "true" | ":" => Builtin::True,
        "unalias" => Builtin::Unalias,
        "unset" => Builtin::Unset,
        _ => return None,
    })
}

impl Shell {
    /// Tells the host of a builtin and interprets it.
    pub(super) fn run_builtin(
        &mut self,
        builtin: Builtin,
        mut call: Call,
        words: &[Word],
        host: &mut dyn Host,
    ) -> Flow {
        let foreign = matches!(builtin, Builtin::Print | Builtin::Precommand | Builtin::Emulate);
        if foreign && self.dialect != crate::ast::Dialect::Zsh {
            return self.run_external(call, host);
        }
        if sets_unknown(builtin, &call) {
            self.doubt_variables();
        }
        call.kind = if builtin == Builtin::Source { Kind::Source } else { Kind::Builtin };
        let outcome = host.command(&call, self);
        if self.take_ended() {
            return Flow::default();
        }
        if builtin == Builtin::Source {
            self.emit(1, &outcome.stdout);
            self.remember_last(call.argv);
            return Flow::of(outcome.status, self.state.clone());
        }
        if matches!(builtin, Builtin::Set | Builtin::Variables(_)) {
            self.emit(1, &outcome.stdout);
        }
        if matches!(builtin, Builtin::Break | Builtin::Continue | Builtin::Exit | Builtin::Return) {
            self.remember_last(call.argv.clone());
        }
        let absent = self.dialect == crate::ast::Dialect::Posix && beyond_posix(builtin, &call);
        let before = absent.then(|| State { code: ExitCode::Known(127), ..self.state.clone() });
        let flow = self.interpret(builtin, &call, words, host);
        let flow = match before {
            Some(before) => self.join_flows(flow, Flow { ok: None, fail: Some(before) }, &*host),
            None => flow,
        };
        if self.take_ended() {
            return Flow::default();
        }
        let Some(last) = call.argv.pop() else { return flow };
        let mut last = last.value;
        if matches!(builtin, Builtin::Variables(_) | Builtin::Alias) {
            // Arrays and aliases are remembered by their name.
            let name = |text: &Text| Text::literal(text.prefix().split('=').next().unwrap_or_default());
            last = last.union(&last.map(name));
        }
        let last = std::rc::Rc::new(last);
        flow.map(|state| State { last: std::rc::Rc::clone(&last), ..state })
    }

    fn interpret(&mut self, builtin: Builtin, call: &Call, words: &[Word], host: &mut dyn Host) -> Flow {
        let args = call.argv.get(1..).unwrap_or_default();
        match builtin {
            Builtin::Alias => self.builtin_alias(args, call.span, host),
            Builtin::Break | Builtin::Continue => self.builtin_break(args, builtin == Builtin::Continue),
            Builtin::OfShell | Builtin::Command | Builtin::Exec | Builtin::Precommand => {
                self.builtin_prefix(builtin, call, host)
            }
            Builtin::Cd => self.builtin_cd(args, host),
            Builtin::Variables(kind) => self.builtin_declare(kind, args, call.span, host),
            Builtin::Echo => self.builtin_echo(args),
            Builtin::Emulate => self.builtin_emulate(args, call.span, host),
            Builtin::Enable => self.builtin_enable(args),
            Builtin::Eval => self.builtin_eval(args, call.span, host),
            Builtin::Exit | Builtin::Return => self.builtin_exit(args, builtin == Builtin::Return),
            Builtin::False => self.failed(),
            Builtin::Getopts => self.builtin_getopts(args, call.span, host),
            Builtin::Hash => self.builtin_hash(args),
            Builtin::Let => self.builtin_let(args, call.span, host),
            Builtin::Mapfile => self.builtin_mapfile(args, call.span, host),
            Builtin::Popd => self.builtin_popd(args, host),
            Builtin::Print => self.builtin_print(args),
            Builtin::Printf => self.builtin_printf(args, call.span, host),
            Builtin::Pushd => self.builtin_pushd(args, host),
            Builtin::Read => self.builtin_read(args, call.span, host),
            Builtin::Set => self.builtin_set(args),
            Builtin::Shift => self.builtin_shift(args, call.span, host),
            Builtin::Shopt => self.builtin_shopt(call),
            Builtin::Source => self.either(),
            Builtin::Test => self.builtin_test(call, words, host),
            Builtin::Trap => self.builtin_trap(args, call.span, host),
            Builtin::True => Flow::of(Status::Success, self.state.clone()),
            Builtin::Unalias => self.builtin_unalias(args),
            Builtin::Unset => self.builtin_unset(args, call.span, host),
        }
    }

    /// It ended either way, in the present state.
    fn either(&self) -> Flow {
        Flow::both(self.state.clone())
    }

    fn failed(&self) -> Flow {
        Flow { ok: None, fail: Some(State { code: ExitCode::Known(1), ..self.state.clone() }) }
    }
}

/// Options at the start of arguments, and what follows them.
struct Options<'a> {
    letters: String,
    rest: &'a [Field],
}

/// Splits off options that are known: words that start with `-`, up to `--`.
fn options(args: &[Field]) -> Options<'_> {
    let mut letters = String::new();
    let mut rest = args;
    while let [first, others @ ..] = rest {
        match first.value.as_literal() {
            Some("--") => {
                rest = others;
                break;
            }
            Some(word) if word.len() > 1 && word.starts_with('-') => {
                letters.push_str(word.trim_start_matches('-'))
            }
            _ => break,
        }
        rest = others;
    }
    Options { letters, rest }
}

/// A word that is written as an assignment, for `declare` and its like.
pub(super) fn declared(word: &Word) -> Option<Assign> {
    let Some(Part::Text { text, quoted: false }) = word.parts.first() else { return None };
    let (left, right) = text.split_once('=')?;
    let (left, append) = left.strip_suffix('+').map_or((left, false), |left| (left, true));
    let (name, subscript) = super::param::split_name(left);
    if !super::vars::is_name(&name) {
        return None;
    }
    let subscript =
        subscript.map(|text| Word { parts: vec![Part::Text { text, quoted: false }], span: word.span });
    let rest = word.parts.get(1..).unwrap_or_default();
    let value = match rest {
        [Part::Array(items)] if right.is_empty() => AssignValue::Array(items.clone()),
        _ => {
            let first = (!right.is_empty()).then(|| Part::Text { text: right.to_owned(), quoted: false });
            AssignValue::Scalar(Word {
                parts: first.into_iter().chain(rest.iter().cloned()).collect(),
                span: word.span,
            })
        }
    };
    Some(Assign { name, subscript, append, value, span: word.span })
}

/// The arguments with a space between.
fn joined(args: &[Field]) -> Value {
    Value::joined(args.iter().map(|field| &field.value), " ")
}
