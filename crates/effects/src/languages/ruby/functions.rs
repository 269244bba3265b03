//! Functions and blocks of Ruby.

use std::ops::Range;
use std::rc::Rc;

use super::super::machine::Machine;
use super::super::token::{Tok, Token};
use super::super::value::{Function, Param, Val};
use super::ends_line;

pub(super) fn define(m: &mut Machine) {
    let short = m.pair() == m.at;
    let close = m.pair();
    m.at += 1;
    let mut name = m.name().or_else(|| operator(m));
    if m.eat(".") {
        name = m.name();
    }
    let params = if m.sees("(") {
        parameters(m)
    } else {
        let end = m.find(|tok| ends_line(tok) || *tok == Tok::Op("="));
        let ranges = m.range(m.at..end, |m| m.split(m.end, ","));
        m.at = end;
        ranges.into_iter().filter_map(|range| m.range(range, parameter)).collect()
    };
    let body = if short && m.eat("=") { m.at..m.find(ends_line) } else { m.at..close };
    m.at = if short { body.end } else { close + 1 };
    let tokens = Rc::clone(&m.tokens);
    let value = m.define(Function {
        params,
        tokens,
        body,
        short,
        called: false.into(),
        captured: Default::default(),
    });
    if let Some(name) = name {
        m.scope.set(&format!(".{name}"), value.clone());
        m.scope.set(&name, value);
    }
}

/// A method that an operator calls: `def <<(item)`, `def []=(key, value)`.
fn operator(m: &mut Machine) -> Option<Rc<str>> {
    let Some(Tok::Op(first)) = m.peek().cloned() else { return None };
    if first == "[" && matches!(m.ahead(1), Some(Tok::Op("]"))) {
        m.at += 2;
        let sets = m.token().is_some_and(|token| !token.spaced) && m.eat("=");
        return Some(Rc::from(if sets { "[]=" } else { "[]" }));
    }
    let known =
        ["+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "<=>", "<<", ">>", "&", "|", "^"];
    known.contains(&first).then(|| {
        m.at += 1;
        Rc::from(first)
    })
}

fn parameters(m: &mut Machine) -> Vec<Param> {
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    m.at = close + 1;
    ranges.into_iter().filter_map(|range| m.range(range, parameter)).collect()
}

fn parameter(m: &mut Machine) -> Option<Param> {
    let rest = m.eat("*");
    let _ = m.eat("**") || m.eat("&");
    if m.sees("(") {
        return Some(Param { pattern: Some(m.at..m.pair() + 1), ..Param::named("") });
    }
    let mut param = Param::named(&m.name()?);
    param.rest = rest;
    if (m.eat("=") || m.eat(":")) && m.at < m.end {
        param.default = Some(m.at..m.end);
    }
    Some(param)
}

/// `{ |x| … }` or `do |x| … end` after a call.
pub(super) fn block(m: &mut Machine) -> Option<Val> {
    let opens = m.sees("{") || m.sees_word("do");
    let close = m.pair();
    if !opens || close <= m.at {
        return None;
    }
    let mut start = m.at + 1;
    let mut params = Vec::new();
    m.at = start;
    while matches!(m.peek(), Some(Tok::Newline)) {
        m.at += 1;
    }
    if m.eat("|") {
        let end = m.find(|tok| *tok == Tok::Op("|"));
        let ranges = m.range(m.at..end, |m| m.split(m.end, ","));
        params = ranges.into_iter().filter_map(|range| m.range(range, parameter)).collect();
        start = end + 1;
    } else {
        // `it` and `_1` are what the block is given.
        params.push(Param::named("it"));
    }
    m.at = close + 1;
    let tokens = Rc::clone(&m.tokens);
    let body = start.min(close)..close;
    Some(closure(m, params, tokens, body))
}

/// A function that shares the variables around it.
fn closure(m: &mut Machine, params: Vec<Param>, tokens: Rc<[Token]>, body: Range<usize>) -> Val {
    let outer = shared(m, &params, body.clone());
    let captured = Default::default();
    let function = m.define(Function { params, tokens, body, short: false, called: false.into(), captured });
    if let Val::Function(function) = &function {
        function.captured.borrow_mut().outer = outer;
    }
    function
}

/// The most variables around it that a block shares.
const SHARED: usize = 64;

/// The variables around a block that it names: they are the same ones within it.
fn shared(m: &Machine, params: &[Param], body: Range<usize>) -> Vec<Rc<str>> {
    let mut names: Vec<Rc<str>> = Vec::new();
    for token in m.tokens.get(body).unwrap_or_default() {
        if let Tok::Name(name) = &token.tok
            && names.len() < SHARED
            && !names.contains(name)
            && !params.iter().any(|param| param.name == *name)
            && m.scope.get(name).is_some_and(|value| !matches!(value, Val::Function(_)))
        {
            names.push(Rc::clone(name));
        }
    }
    names
}

/// `->(x) { … }`
pub(super) fn arrow(m: &mut Machine) -> Val {
    m.at += 1;
    let params = if m.sees("(") { parameters(m) } else { Vec::new() };
    let Some(Val::Function(block)) = block(m) else { return Val::unknown() };
    let (tokens, body) = (Rc::clone(&block.tokens), block.body.clone());
    m.functions.pop();
    closure(m, params, tokens, body)
}
