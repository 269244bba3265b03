//! Words of Perl that have a grammar of their own.

use std::ops::Range;
use std::rc::Rc;

use super::super::args::going_by;
use super::super::expr::{ARGUMENT, UNARY};
use super::super::machine::Machine;
use super::super::ops::{Known, Op};
use super::super::pure::{self, Pure};
use super::super::token::Tok;
use super::super::value::{Args, Val};
use super::{block, closure, flattened, is_word, library, list};

pub(super) fn word(m: &mut Machine, name: &Rc<str>) -> Val {
    m.at += 1;
    match &**name {
        "my" | "our" | "local" | "state" => declared(m, name),
        "sub" => closure(m),
        "do" | "eval" if m.sees("{") => {
            m.returns.push(None);
            block(m);
            m.returns.pop().flatten().unwrap_or_else(Val::unknown)
        }
        "not" => m.expr(UNARY).denied(),
        "return" | "defined" | "scalar" | "ref" | "wantarray" => m.expr(UNARY),
        "shift" | "pop" => shift(m),
        "open" => open(m),
        "print" | "say" | "printf" => print(m, name),
        "map" | "grep" | "sort" => mapped(m, name),
        "push" | "unshift" => push(m),
        "splice" => {
            let all = push(m);
            // Which of them are left is not known.
            if let (Val::List(list), Some(place)) = (&all, m.place.take()) {
                m.changed_place(&place, &all, Val::many(list.items.clone()));
            }
            Val::many(all.items())
        }
        "qw" => Val::unknown(),
        "require" if let Some(Tok::Name(module)) = m.peek().cloned() => {
            m.at += 1;
            m.module(&module)
        }
        // Tests of files, and other words before a value.
        _ if m.sees("=>") => Val::text(name),
        "if" | "unless" | "while" | "until" | "and" | "or" | "x" | "eq" | "ne" | "for" | "foreach"
        | "else" => Val::unknown(),
        "ARGV" if !m.sees("->") => m.input_files(),
        "STDIN" | "DATA" if !m.sees("->") => {
            m.scope.get(name).cloned().unwrap_or_else(|| m.around.input.clone())
        }
        _ => call(m, name),
    }
}

fn declared(m: &mut Machine, word: &str) -> Val {
    if !m.sees("(") {
        let start = m.at;
        let value = m.expr(UNARY);
        if let Some(place) = m.place.clone() {
            if word != "our" {
                m.declare_names(start..start + 1, false);
            }
            if word != "our" || m.scope.get(&place).is_none() {
                m.scope.set(&place, empty(&place));
            }
            m.place = Some(place);
        }
        return value;
    }
    if word != "our" {
        m.declare_names(m.at + 1..m.pair(), false);
    }
    list_set(m)
}

/// `(…) = list`: each variable is given the item at its place.
pub(super) fn list_set(m: &mut Machine) -> Val {
    let close = m.pair();
    let target = m.at + 1..close;
    m.at = close + 1;
    if m.eat("=") {
        let value = match m.expr(ARGUMENT) {
            one @ Val::Text(_) => Val::list(vec![one]),
            other => other,
        };
        m.range(target, |m| m.bind_pattern(&value));
        return value;
    }
    Val::unknown()
}

/// What a variable holds that was declared, and given nothing.
fn empty(place: &str) -> Val {
    match place.chars().next() {
        Some('@') => Val::list(Vec::new()),
        Some('%') => Val::table(Vec::new()),
        _ => Val::unknown(),
    }
}

/// The first argument of the function, or of the program.
fn shift(m: &mut Machine) -> Val {
    let place = match m.peek().cloned() {
        Some(Tok::Var('@', name)) => {
            m.at += 1;
            format!("@{name}")
        }
        Some(Tok::Op("(")) => {
            m.arguments();
            "@_".to_owned()
        }
        _ => "@_".to_owned(),
    };
    let list = match (&*place, m.active.is_empty()) {
        ("@ARGV", _) | ("@_", true) => m.known(Known::Arguments),
        _ => m.scope.get(&place).cloned().unwrap_or_else(Val::unknown),
    };
    m.place = None;
    match &list {
        Val::List(items) if !items.open => {
            m.scope.set(&place, Val::list(items.items.iter().skip(1).cloned().collect()));
            items.items.first().cloned().unwrap_or_else(Val::unknown)
        }
        other => other.item(),
    }
}

/// `open` gives its first argument a value.
fn open(m: &mut Machine) -> Val {
    let bracketed = m.sees("(");
    let range = if bracketed {
        m.at + 1..m.pair()
    } else {
        m.at..m.find(|tok| *tok == Tok::Op(";") || is_word(tok, &["or", "and", "if", "unless"]))
    };
    let end = range.end;
    let (place, args) = m.range(range, |m| {
        let bare = match m.peek() {
            Some(Tok::Name(name)) if !matches!(&**name, "my" | "our" | "local") => Some(Rc::clone(name)),
            _ => None,
        };
        let first = m.expr(ARGUMENT);
        let place = bare.or(m.place.take());
        m.eat(",");
        let mut args = m.argument_list();
        args.list.insert(0, first);
        dereference(m, &mut args);
        (place, args)
    });
    m.at = end + usize::from(bracketed);
    let handle = m.perform(Op::OpenHandle, "open", &args);
    let input = matches!(place.as_deref(), Some("STDIN"));
    if input && args.literal(1).is_some_and(|mode| mode.contains('&')) {
        m.perform(Op::Duplicate, "open", &Args::of(vec![handle.clone(), Val::Int(0)]));
    }
    m.assign(place, handle);
    m.place = None;
    Val::unknown()
}

/// `print`, to a file where one is named first.
fn print(m: &mut Machine, name: &str) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    let end = if bracketed {
        m.pair()
    } else {
        m.find(|tok| {
            *tok == Tok::Op(";")
                || *tok == Tok::Op("}")
                || is_word(tok, &["or", "and", "if", "unless", "for", "foreach", "while"])
        })
    };
    let start = m.at + usize::from(bracketed);
    let target = m.range(start..end, handle);
    let args = m.range(start..end, |m| {
        m.at += target.as_ref().map_or(0, |(_, skip)| *skip);
        m.argument_list()
    });
    m.at = end + usize::from(bracketed);
    let mut args = Args::of(flattened(args.list).items());
    if args.list.is_empty() && name != "printf" {
        args.list.extend(m.scope.get("$_").cloned());
    }
    let args = if name == "printf" { Args::of(vec![pure::apply(Pure::Printf, &args)]) } else { args };
    match target {
        Some((Val::Name(name), _)) if &*name == "STDERR" => m.perform(Op::Tell, &name, &args),
        Some((Val::File(file), _)) => m.file_method(&file, "print", &args),
        Some((Val::Pipe(pipe), _)) => m.pipe_method(&pipe, "print", &args),
        Some((value @ Val::Object(_), _)) => m.method(&value, None, "print", args),
        _ => {
            let whole = if name == "say" {
                args.list.into_iter().chain([Val::text("\n")]).collect()
            } else {
                args.list
            };
            m.perform(Op::Print(false), name, &Args::of(whole))
        }
    }
}

/// The file that `print` names, and how many tokens that takes.
fn handle(m: &mut Machine) -> Option<(Val, usize)> {
    match (m.peek().cloned(), m.ahead(1).cloned()) {
        (Some(Tok::Op("{")), _) => {
            let close = m.pair();
            let value = m.range(m.at + 1..close, |m| m.expr(0));
            Some((value, close + 1 - m.at))
        }
        (Some(Tok::Var('$', name)), Some(Tok::Str(_) | Tok::Var(..) | Tok::Int(_))) => {
            Some((m.scope.get(&format!("${name}")).cloned()?, 1))
        }
        (Some(Tok::Name(name)), next)
            if name.chars().all(|c| c.is_uppercase() || c == '_')
                && !matches!(next, Some(Tok::Op("(" | "," | "."))) =>
        {
            Some((m.scope.get(&name).cloned().unwrap_or(Val::Name(name)), 1))
        }
        _ => None,
    }
}

/// `map {…} @list` and its like.
fn mapped(m: &mut Machine, name: &str) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    let end = if bracketed { m.pair() } else { m.find(|tok| *tok == Tok::Op(";") || *tok == Tok::Op("}")) };
    let start = m.at + usize::from(bracketed);
    let result = m.range(start..end, |m| {
        let body = if m.sees("{") {
            let close = m.pair();
            let body = m.at + 1..close;
            m.at = close + 1;
            m.eat(",");
            body
        } else {
            let comma = m.find(|tok| *tok == Tok::Op(","));
            let body = m.at..comma;
            m.at = comma + 1;
            body
        };
        let items = list(m);
        let mut results = Vec::new();
        m.for_each(&items, body.len(), |m, item| {
            m.scope.set("$_", item.clone());
            let said = m.range(body.clone(), |m| m.condition(m.end));
            if said.fails && name == "grep" {
                return;
            }
            if !said.negated {
                m.believe(&said);
            }
            results.push(if name == "map" {
                m.expr_in(body.clone())
            } else {
                m.scope.get("$_").cloned().unwrap_or_default()
            });
        });
        let open = name == "grep" || matches!(&items, Val::List(list) if list.open);
        if open { Val::many(results) } else { Val::list(results) }
    });
    m.at = end + usize::from(bracketed);
    result
}

fn push(m: &mut Machine) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    m.at += usize::from(bracketed);
    let list = m.expr(UNARY);
    let place = m.place.take();
    m.eat(",");
    let end = if bracketed {
        m.find(|tok| *tok == Tok::Op(")"))
    } else {
        m.find(|tok| {
            *tok == Tok::Op(";") || *tok == Tok::Op("}") || is_word(tok, &["if", "unless", "for", "foreach"])
        })
    };
    let args = m.range(m.at..end, Machine::argument_list);
    m.at = end + usize::from(bracketed);
    m.grown += 1;
    let unset = place.as_ref().is_none_or(|place| m.scope.get(place).is_none());
    let before = if unset && !matches!(list, Val::List(_)) { Val::list(Vec::new()) } else { list };
    let all = flattened(vec![before.clone(), flattened(args.list)]);
    match &place {
        Some(place) if matches!(before, Val::List(_)) => m.changed_place(place, &before, all.clone()),
        place => m.assign(place.clone(), all.clone()),
    }
    m.place = place;
    all
}

/// Where `system { $program } @words` and `exec $program @words`, with brackets or without, say what runs.
fn program_slot(m: &Machine) -> Option<Range<usize>> {
    let tok = |at: usize| m.tokens.get(at).filter(|_| at < m.end).map(|token| &token.tok);
    let start = m.at + usize::from(tok(m.at) == Some(&Tok::Op("(")));
    match (tok(start)?, tok(start + 1)) {
        (Tok::Op("{"), _) => Some(start..m.tokens.get(start)?.pair.min(m.end) + 1),
        (Tok::Var('$', _), Some(Tok::Str(_) | Tok::Words(_) | Tok::Var('@' | '$', _))) => {
            Some(start..start + 1)
        }
        _ => None,
    }
}

/// The words after such a slot; the first of them is only what the program is called.
fn run_as(m: &mut Machine, slot: Range<usize>) -> Args {
    let bracketed = m.at < slot.start;
    let close = if bracketed { m.pair() } else { m.end };
    let block = slot.len() > 1;
    let inside = if block { slot.start + 1..slot.end - 1 } else { slot.clone() };
    let program = m.expr_in(inside);
    m.at = slot.end;
    let mut args = if bracketed {
        m.range(slot.end..close, Machine::argument_list)
    } else {
        m.bare_arguments().unwrap_or_default()
    };
    if bracketed {
        m.at = close + 1;
    }
    args.list = flattened(std::mem::take(&mut args.list)).items();
    match args.list.first_mut() {
        Some(first) => *first = going_by(&program, Some(first)),
        None => args.list.push(program),
    }
    args
}

/// A function of the library is given what a reference leads to.
fn dereference(m: &mut Machine, args: &mut Args) {
    for value in args.list.iter_mut().chain(args.named.iter_mut().map(|(_, value)| value)) {
        *value = m.dereferenced(std::mem::take(value));
    }
    m.place = None;
}

fn call(m: &mut Machine, name: &Rc<str>) -> Val {
    // `Class->method` and `Class::method`.
    if m.sees("->") {
        m.place = Some(Rc::clone(name));
        return Val::Name(Rc::clone(name));
    }
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    let runs = matches!(&**name, "system" | "exec");
    let mut args = match program_slot(m).filter(|_| runs) {
        Some(slot) => Some(run_as(m, slot)),
        None if bracketed => Some(m.arguments()),
        None => m.bare_arguments(),
    };
    if let Some(args) = &mut args
        && ((args.list.iter().any(|value| matches!(value, Val::List(_))) && library::takes_list(name))
            || args.list.len() > 1)
    {
        args.list = flattened(std::mem::take(&mut args.list)).items();
    }
    // `kill STOP => $pid`: here an arrow is a comma.
    if let Some(args) = args.as_mut().filter(|_| library::takes_list(name)) {
        let pairs =
            std::mem::take(&mut args.named).into_iter().flat_map(|(key, value)| [Val::text(&key), value]);
        args.list.splice(0..0, pairs.collect::<Vec<Val>>());
    }
    m.place = None;
    match (m.scope.get(name).cloned(), args) {
        (Some(function @ (Val::Function(_) | Val::Name(_))), args) => {
            m.apply(&function, &args.unwrap_or_default())
        }
        (Some(value), None) => value,
        (_, Some(mut args)) => {
            dereference(m, &mut args);
            m.library(name, &args)
        }
        (None, None) if library::defaults(name) => {
            let topic = m.scope.get("$_").cloned().unwrap_or_else(|| m.around.input.clone());
            m.library(name, &Args::of(vec![topic]))
        }
        (None, None) => m.lookup(name),
    }
}
