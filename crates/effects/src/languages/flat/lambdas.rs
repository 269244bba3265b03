//! Functions without a name in the languages that are read flat.

use std::ops::Range;
use std::rc::Rc;

use super::super::machine::Machine;
use super::super::token::Tok;
use super::super::value::{Function, Param, Val};

/// A function that is handed to a call: `x -> …`, `(x, y) => …`, `fn x -> … end`, `func(x T) { … }`, `function(x) …`,
/// `\(x) …`. Anywhere else an arrow may be a clause, whose code runs where it stands.
pub(super) fn argument(m: &mut Machine) -> Option<Val> {
    let before = m.at.checked_sub(1).and_then(|at| m.tokens.get(at));
    if !before.is_some_and(|token| matches!(token.tok, Tok::Op("(" | "," | "|>" | ">>="))) {
        return None;
    }
    let (params, start) = match (m.peek()?, m.ahead(1)) {
        (Tok::Name(word), _) if matches!(&**word, "fn" | "fun" | "func" | "function") => keyword(m)?,
        (Tok::Op("\\"), Some(Tok::Op("("))) => {
            m.at += 1;
            let close = m.pair();
            (names(m, m.at + 1..close, true), close + 1)
        }
        (Tok::Op("\\"), Some(Tok::Name(_))) => {
            let near = m.at + 1..(m.at + HEADER).min(m.end);
            let arrow = m.range(near.clone(), |m| m.find(is_arrow));
            if arrow >= near.end {
                return None;
            }
            (names(m, near.start..arrow, true), arrow + 1)
        }
        // Scala's `_.delete()`.
        (Tok::Name(name), Some(Tok::Op("."))) if &**name == "_" => (vec![Param::named("_")], m.at),
        (Tok::Name(name), Some(Tok::Op("->" | "=>"))) => (vec![Param::named(name)], m.at + 2),
        (Tok::Op("("), _) => {
            let close = m.pair();
            if !m.tokens.get(close + 1).is_some_and(|token| is_arrow(&token.tok)) {
                return None;
            }
            (names(m, m.at + 1..close, false), close + 2)
        }
        _ => return None,
    };
    m.at = start.min(m.end);
    let body = if m.sees("{") {
        let close = m.pair();
        let body = m.at + 1..close;
        m.at = close + 1;
        body
    } else {
        let end = m.find(|tok| *tok == Tok::Op(","));
        let body = m.at..end;
        m.at = end;
        body
    };
    Some(defined(m, params, body))
}

/// `name { x -> … }`: a block after a method that calls it, as Groovy, Kotlin and Scala have it.
pub(super) fn trailing(m: &mut Machine) -> Option<Val> {
    let before = m.at.checked_sub(1).and_then(|at| m.tokens.get(at)).map(|token| token.tok.clone());
    let Some(Tok::Name(called)) = before else { return None };
    if !m.sees("{") || !CALLING.contains(&&*called) {
        return None;
    }
    let close = m.pair();
    m.at += 1;
    let arrow = m.range(m.at..close, |m| m.find(is_arrow));
    m.eat_word("case");
    let named = arrow < close && m.range(m.at..arrow, |m| m.split(m.end, ",").len()) < 4;
    let (params, start) =
        if named { (names(m, m.at..arrow, false), arrow + 1) } else { (vec![Param::named("it")], m.at) };
    m.at = close + 1;
    Some(defined(m, params, start..close))
}

/// The most tokens that stand before the body of a function.
pub(super) const HEADER: usize = 24;

/// Methods that call the block after them.
const CALLING: &[&str] = &[
    "each",
    "forEach",
    "foreach",
    "map",
    "flatMap",
    "collect",
    "filter",
    "findAll",
    "onEach",
    "also",
    "let",
    "eachFile",
    "eachFileRecurse",
    "eachDir",
    "eachDirRecurse",
    "eachFileMatch",
    "traverse",
    "eachLine",
    "times",
    "with",
];

/// `fn x -> `, `func(x T) R {` and `function(x)`: the parameters, and where the body begins.
fn keyword(m: &mut Machine) -> Option<(Vec<Param>, usize)> {
    m.at += 1;
    if m.sees("(") {
        let close = m.pair();
        let params = names(m, m.at + 1..close, true);
        m.at = close + 1;
        // What stands before a brace is the type it returns; an arrow may stand there too.
        let near = m.at..(m.at + HEADER).min(m.end);
        let brace = m.range(near, |m| m.find(|tok| matches!(tok, Tok::Op("{" | ","))));
        let typed = brace < m.end && m.tokens.get(brace).is_some_and(|token| token.tok == Tok::Op("{"));
        let start = if m.sees("->") {
            close + 2
        } else if typed {
            brace
        } else {
            close + 1
        };
        return Some((params, start));
    }
    let near = m.at..(m.at + HEADER).min(m.end);
    let arrow = m.range(near.clone(), |m| m.find(is_arrow));
    (arrow < near.end).then(|| (names(m, m.at..arrow, true), arrow + 1))
}

/// The names between commas; where a type stands with a name, it is the first word or the last. What stands in brackets
/// is taken apart.
pub(super) fn names(m: &mut Machine, range: Range<usize>, first: bool) -> Vec<Param> {
    let ranges = m.range(range, |m| m.split(m.end, ","));
    ranges.into_iter().filter_map(|range| param(m, range, first)).collect()
}

fn param(m: &Machine, range: Range<usize>, first: bool) -> Option<Param> {
    let tokens = m.tokens.get(range.clone())?;
    if matches!(tokens.first()?.tok, Tok::Op("(" | "[" | "{")) {
        return Some(Param { pattern: Some(range), ..Param::named("") });
    }
    let mut words = tokens.iter().filter_map(|token| match &token.tok {
        Tok::Name(name) => Some(Rc::clone(name)),
        _ => None,
    });
    let name = if first { words.next() } else { words.next_back() };
    let rest = tokens.iter().any(|token| token.tok == Tok::Op("..."));
    name.map(|name| Param { rest, ..Param::named(&name) })
}

fn is_arrow(tok: &Tok) -> bool {
    matches!(tok, Tok::Op("->" | "=>"))
}

pub(super) fn defined(m: &mut Machine, params: Vec<Param>, body: Range<usize>) -> Val {
    let tokens = Rc::clone(&m.tokens);
    m.define(Function {
        params,
        tokens,
        body,
        short: false,
        called: false.into(),
        captured: Default::default(),
    })
}
