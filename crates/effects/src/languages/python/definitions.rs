//! Functions and classes of Python.

use std::ops::Range;
use std::rc::Rc;

use super::super::classes::PROPERTY;
use super::super::machine::Machine;
use super::super::token::Tok;
use super::super::value::{Args, Function, Param, Val};
use super::statements::{block, line_end};

/// `@decorator` before a function: what it makes of the function stands in its place.
pub(super) fn decorated(m: &mut Machine) {
    m.at += 1;
    let decorator = m.expr(0);
    m.at = line_end(m);
    while matches!(m.peek(), Some(Tok::Newline)) {
        m.at += 1;
    }
    m.eat_word("async");
    if m.sees("@") {
        decorated(m);
    } else if m.sees_word("def") {
        define(m);
    } else {
        return;
    }
    let Some(name) = m.place.take() else { return };
    let Some(function) = m.scope.get(&name).cloned() else { return };
    let made = match &decorator {
        Val::Name(decorator) if matches!(&**decorator, "property" | "functools.cached_property") => {
            Val::object(PROPERTY, Args::of(vec![function]))
        }
        Val::Function(_) | Val::Partial(_) | Val::Class(_) => {
            let made = m.apply(&decorator, &Args::of(vec![function.clone()]));
            match made {
                Val::Function(_) | Val::Partial(_) | Val::Any(_) | Val::Object(_) => made,
                _ => function,
            }
        }
        _ => function,
    };
    m.scope.set(&format!(".{name}"), made.clone());
    m.scope.set(&name, made);
    m.place = Some(name);
}

/// A function; the place that it stands in is its name.
pub(super) fn define(m: &mut Machine) -> Option<()> {
    m.at += 1;
    let name = m.name()?;
    let mut params = if m.sees("(") { parameters(m) } else { Vec::new() };
    for param in &mut params {
        // Defaults are worked out once, where the function stands.
        param.preset = param.default.clone().filter(|range| !range.is_empty()).map(|range| m.expr_in(range));
    }
    m.at = m.find(|tok| matches!(tok, Tok::Op(":") | Tok::Newline));
    let body = block(m);
    let tokens = Rc::clone(&m.tokens);
    let captured = Default::default();
    let function = Function { params, tokens, body, short: false, called: false.into(), captured };
    let value = m.define(function);
    m.scope.set(&format!(".{name}"), value.clone());
    m.scope.set(&name, value);
    m.place = Some(name);
    Some(())
}

fn parameters(m: &mut Machine) -> Vec<Param> {
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    m.at = close + 1;
    ranges.into_iter().filter_map(|range| m.range(range, parameter)).collect()
}

pub(super) fn parameter(m: &mut Machine) -> Option<Param> {
    while matches!(m.peek(), Some(Tok::Newline)) {
        m.at += 1;
    }
    let rest = m.eat("*");
    let keywords = !rest && m.eat("**");
    let mut param = Param::named(&m.name()?);
    param.rest = rest;
    if keywords {
        param.default = Some(m.at..m.at);
    }
    let equals = m.find(|tok| *tok == Tok::Op("="));
    if equals < m.end {
        param.default = Some(equals + 1..m.end);
    }
    // The object itself is never among the arguments.
    if matches!(&*param.name, "self" | "cls") { None } else { Some(param) }
}

pub(super) fn class(m: &mut Machine) {
    m.at += 1;
    let name = m.name();
    let bases = if m.sees("(") { m.arguments().list } else { Vec::new() };
    m.at = m.find(|tok| matches!(tok, Tok::Op(":") | Tok::Newline));
    let range = block(m);
    let set = assigned(m, range.clone());
    let fields = annotated(m, range.clone());
    let title = name.clone().unwrap_or_default();
    let class = m.class_of(&title, bases, fields, |m| m.range(range, Machine::statements));
    for (class, part) in name.iter().flat_map(|class| set.iter().map(move |part| (class, part))) {
        if let Some(value) = m.scope.get(part).cloned() {
            m.scope.set(&format!("{class}.{part}"), value);
        }
    }
    if let Some(name) = name {
        m.scope.set(&name, class);
    }
}

/// The parts that a class names with their types: `path: str`.
fn annotated(m: &mut Machine, range: Range<usize>) -> Vec<Rc<str>> {
    let mut fields = Vec::new();
    m.range(range, |m| {
        while m.at < m.end && fields.len() < 64 {
            if let (Some(Tok::Name(name)), Some(Tok::Op(":"))) = (m.peek().cloned(), m.ahead(1))
                && !matches!(&*name, "else" | "try" | "finally")
            {
                fields.push(name);
            }
            let end = line_end(m);
            m.at = end + 1;
            while matches!(m.peek(), Some(Tok::Indent)) {
                m.at = m.pair() + 1;
            }
        }
    });
    fields
}

/// The names that are set in a range, at any depth.
fn assigned(m: &Machine, range: std::ops::Range<usize>) -> Vec<Rc<str>> {
    let tokens = m.tokens.get(range).unwrap_or_default();
    let sets = tokens.windows(2).filter_map(|pair| match pair {
        [first, second] if second.tok == Tok::Op("=") => match &first.tok {
            Tok::Name(name) => Some(Rc::clone(name)),
            _ => None,
        },
        _ => None,
    });
    sets.take(64).collect()
}
