//! Functions and classes of Python.

use std::ops::Range;
use std::rc::Rc;

use super::super::classes::{CALLED, PROPERTY};
use super::super::machine::Machine;
use super::super::token::Tok;
use super::super::value::{Args, Function, Param, Val};
use super::statements::{block, line_end};

/// `@decorator` before a function: what it makes of the function stands in its place.
pub(super) fn decorated(m: &mut Machine) {
    let mut decorators = Vec::new();
    while m.eat("@") {
        let decorator = m.expr(0);
        m.place = None;
        if decorators.len() < DECORATORS {
            decorators.push(decorator);
        }
        m.at = line_end(m);
        while matches!(m.peek(), Some(Tok::Newline)) {
            m.at += 1;
        }
    }
    m.eat_word("async");
    if m.sees_word("class") {
        class(m);
    } else {
        // Such a function is given no object.
        let free = decorators.iter().any(|one| matches!(one, Val::Name(name) if &**name == "staticmethod"));
        let in_class = m.own.in_class && !free;
        let before = std::mem::replace(&mut m.own.in_class, in_class);
        let defined = if m.sees_word("def") { define(m) } else { None };
        m.own.in_class = before;
        if defined.is_none() {
            return;
        }
    }
    let Some(name) = m.place.take() else { return };
    for decorator in decorators.iter().rev() {
        wrapped(m, &name, decorator);
    }
    m.place = Some(name);
}

/// The most decorators of one function.
const DECORATORS: usize = 16;

/// What a decorator makes of the function of that name.
fn wrapped(m: &mut Machine, name: &str, decorator: &Val) {
    let Some(function) = m.scope.get(name).cloned() else { return };
    let made = match decorator {
        Val::Name(decorator) if matches!(&**decorator, "property" | "functools.cached_property") => {
            Val::object(PROPERTY, Args::of(vec![function]))
        }
        // `@name.setter`: what reads the part stays.
        Val::Object(property) if &*property.class == "property.setter" => {
            Val::object(PROPERTY, Args::of(vec![property.args.at(0, &[]), function]))
        }
        Val::Object(property) if &*property.class == "property.deleter" => {
            Val::object(PROPERTY, property.args.clone())
        }
        Val::Function(_) | Val::Partial(_) | Val::Class(_) | Val::Any(_) => made_by(m, decorator, function),
        Val::Object(object) if object.own.is_some() => made_by(m, decorator, function),
        _ => function,
    };
    if matches!(made, Val::Class(_)) {
        return m.scope.set(name, made);
    }
    m.scope.set(&format!(".{name}"), made.clone());
    m.scope.set(name, made);
}

/// What a decorator of the program returns, where something can be done with it.
fn made_by(m: &mut Machine, decorator: &Val, function: Val) -> Val {
    let made = m.apply(decorator, &Args::of(vec![function.clone()]));
    match made {
        Val::Function(_) | Val::Partial(_) | Val::Any(_) | Val::Object(_) | Val::Class(_) => made,
        _ => function,
    }
}

/// A function; the place that it stands in is its name.
pub(super) fn define(m: &mut Machine) -> Option<()> {
    m.at += 1;
    let name = m.name()?;
    let params = if m.sees("(") { parameters(m) } else { Vec::new() };
    let params = preset(m, params);
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

/// Defaults are worked out once, where the function stands.
pub(super) fn preset(m: &mut Machine, mut params: Vec<Param>) -> Vec<Param> {
    for param in &mut params {
        param.preset = param.default.clone().filter(|range| !range.is_empty()).map(|range| m.expr_in(range));
    }
    params
}

fn parameters(m: &mut Machine) -> Vec<Param> {
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    m.at = close + 1;
    let mut params: Vec<Option<Param>> = ranges.into_iter().map(|range| m.range(range, parameter)).collect();
    // The object comes first, whatever it is called.
    if let Some(Some(first)) = params.first_mut().filter(|_| m.own.in_class)
        && !first.rest
    {
        first.receives = true;
    }
    params.into_iter().flatten().collect()
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
    let given = if m.sees("(") { m.arguments() } else { Args::default() };
    let bases = given.list;
    m.at = m.find(|tok| matches!(tok, Tok::Op(":") | Tok::Newline));
    let range = block(m);
    let set = assigned(m, range.clone());
    let fields = annotated(m, range.clone());
    let title = name.clone().unwrap_or_default();
    let outer = std::mem::replace(&mut m.own.in_class, true);
    let maker = given.named.iter().find(|(name, _)| &**name == "metaclass").map(|(_, maker)| maker.clone());
    let class = m.class_of(&title, bases.clone(), fields, |m| {
        m.range(range, Machine::statements);
        if let Some(Val::Class(maker)) = maker
            && let Some(called) = maker.member(m.syntax.invoked)
        {
            m.scope.set(&format!(".{CALLED}"), called.clone());
        }
    });
    m.own.in_class = outer;
    let made = match &class {
        Val::Class(class) => Some(Rc::clone(class)),
        _ => None,
    };
    for (class, part) in name.iter().flat_map(|class| set.iter().map(move |part| (class, part))) {
        if let Some(value) = made.as_ref().and_then(|class| class.member(part)).cloned() {
            m.scope.set(&format!("{class}.{part}"), value);
        }
    }
    if let Some(name) = name {
        m.scope.set(&name, class.clone());
        m.place = Some(name);
    }
    m.class_made(&class, &bases, &given.named);
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
