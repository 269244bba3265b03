//! Functions of C that put a text into what their first argument names.

use std::ops::Range;
use std::rc::Rc;

use tollgate_shell::value::{HoleSource, Value};

use super::super::machine::Machine;
use super::super::ops::Op;
use super::super::pure::Pure;
use super::super::token::Tok;
use super::super::value::{Args, Val};

/// How such a function makes the text.
#[derive(Clone, Copy)]
enum Fill {
    /// From a format that stands behind so many other arguments.
    Format(usize),
    /// It is the second argument.
    Copy,
    /// The second argument is added to what is there.
    Add,
}

fn of(name: &str) -> Option<Fill> {
    Some(match name {
        "sprintf" | "asprintf" | "wsprintf" => Fill::Format(1),
        "snprintf" | "sprintf_s" => Fill::Format(2),
        "strcpy" | "strncpy" | "strlcpy" | "stpcpy" | "strcpy_s" | "memcpy" | "memmove" => Fill::Copy,
        "strcat" | "strncat" | "strlcat" | "strcat_s" => Fill::Add,
        _ => return None,
    })
}

/// Runs such a function, where one is called here.
pub(super) fn fill(m: &mut Machine) -> Option<Val> {
    let fill = match (m.peek(), m.ahead(1)) {
        (Some(Tok::Name(name)), Some(Tok::Op("("))) => of(name)?,
        _ => return None,
    };
    m.at += 1;
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    let tokens = Rc::clone(&m.tokens);
    let first = ranges.first()?.clone();
    let at = tokens.get(first.clone())?.iter().position(|token| matches!(token.tok, Tok::Name(_)));
    let at = at.map(|at| first.start + at);
    let target = at.and_then(|at| tokens.get(at)).and_then(|token| match &token.tok {
        Tok::Name(name) => Some(Rc::clone(name)),
        _ => None,
    });
    let kept = at.zip(target.clone()).map(|(at, target)| kept(m, &target, at + 1..first.end));
    let args: Vec<Val> = ranges.into_iter().skip(1).map(|range| m.expr_in(range)).collect();
    m.at = close + 1;
    let target = target?;
    let text = match fill {
        Fill::Format(skip) => {
            let given = args.into_iter().skip(skip - 1).collect();
            m.perform(Op::Pure(Pure::Printf), "sprintf", &Args::of(given))
        }
        Fill::Copy => args.first().cloned().unwrap_or_default(),
        Fill::Add => {
            let before = m.scope.get(&target).cloned().unwrap_or_else(|| Val::text(""));
            let added = args.first().cloned().unwrap_or_default();
            Val::Text(m.concat(&before.as_text(), &added.as_text()))
        }
    };
    // What is copied or added to stands for itself, not for all that the variable ever was.
    let whole = match kept.flatten() {
        Some(kept) => Val::Text(m.concat(&kept, &text.as_text())),
        None => text.clone(),
    };
    m.scope.set(&target, whole);
    Some(text)
}

/// What stays in a variable before the place in it that is written to: `b + 7`, `&b[n]`. Nothing where it is its start.
fn kept(m: &mut Machine, target: &str, offset: Range<usize>) -> Option<Value> {
    let tokens = Rc::clone(&m.tokens);
    let places = tokens.get(offset.clone()).unwrap_or_default();
    let inside = match places.first().map(|token| &token.tok) {
        Some(Tok::Op("+")) => offset.start + 1..offset.end,
        Some(Tok::Op("[")) => offset.start + 1..places.first().map_or(offset.end, |token| token.pair),
        Some(Tok::Op("-" | "." | "->")) => return Some(Value::something(HoleSource::Input)),
        _ => return None,
    };
    let before = m.scope.get(target).map_or_else(Value::empty, Val::as_text);
    let counts = |name: &str| matches!(name, "strlen" | "wcslen" | "strnlen" | "lstrlen");
    let counted = places.iter().any(|token| matches!(&token.tok, Tok::Name(name) if counts(name)));
    if counted && inside.len() <= 4 {
        return Some(before);
    }
    match (m.expr_in(inside), before.as_literal()) {
        (Val::Int(0), _) => None,
        (Val::Int(at), Some(text)) => {
            let part = usize::try_from(at).ok().and_then(|at| text.get(..at)).map(Value::text);
            Some(part.unwrap_or_else(|| Value::something(HoleSource::Input)))
        }
        // How many letters such a function wrote is what it returns: the next are put behind them.
        (Val::Text(_), _) => Some(before.union(&Value::empty())),
        _ => Some(Value::something(HoleSource::Input)),
    }
}

/// `char name[SIZE] = value`: the variable is the whole of it.
pub(super) fn array(m: &mut Machine) -> bool {
    let (Some(Tok::Name(_)), Some(Tok::Op("["))) = (m.peek(), m.ahead(1)) else { return false };
    let close = m.tokens.get(m.at + 1).map_or(m.end, |token| token.pair);
    let typed = m.at.checked_sub(1).and_then(|at| m.tokens.get(at)).is_some_and(|token| match &token.tok {
        Tok::Name(kind) => matches!(&**kind, "char" | "wchar_t" | "const" | "string"),
        Tok::Op(op) => *op == "*",
        _ => false,
    });
    let sets = matches!(m.tokens.get(close + 1).map(|token| &token.tok), Some(Tok::Op("=")));
    if !typed || !sets || close + 1 >= m.end {
        return false;
    }
    let Some(name) = m.name() else { return false };
    m.at = close + 2;
    let value = m.expr(0);
    m.scope.set(&name, value);
    true
}

/// C++ puts texts into streams: `stream << a << b`, `std::cout << a`.
pub(super) fn stream(m: &mut Machine) -> bool {
    let start = m.at;
    let mut name = m.name();
    while name.is_some() && m.eat("::") {
        name = m.name();
    }
    let Some(name) = name.filter(|_| m.sees("<<")) else {
        m.at = start;
        return false;
    };
    let mut parts = Vec::new();
    while m.eat("<<") && !m.is_stopped() {
        parts.push(m.expr(PUT));
    }
    if matches!(&*name, "cout" | "cerr" | "clog") {
        m.perform(Op::Print(false), &name, &Args::of(parts));
        return true;
    }
    let before = match m.scope.get(&name) {
        Some(Val::Text(text)) => text.clone(),
        Some(Val::File(file)) => {
            let file = Rc::clone(file);
            m.file_method(&file, "write", &Args::of(parts));
            return true;
        }
        _ => Value::empty(),
    };
    let whole = parts.iter().fold(before, |all, part| m.concat(&all, &part.as_text()));
    m.scope.set(&name, Val::Text(whole));
    true
}

/// What is put into a stream binds stronger than the sign that puts it there.
const PUT: u8 = 26;
