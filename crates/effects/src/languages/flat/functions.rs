//! Functions that a program defines, in the languages with braces.

use std::rc::Rc;

use super::super::machine::Machine;
use super::super::ops::Known;
use super::super::token::Tok;
use super::super::value::{Args, Param, Val};
use super::lambdas::{HEADER, defined, names};
use super::library;

/// Words that may stand before a name and brackets, and define nothing.
const NO_TYPES: &[&str] = &[
    "return",
    "new",
    "else",
    "in",
    "await",
    "throw",
    "case",
    "yield",
    "when",
    "do",
    "go",
    "defer",
    "class",
    "struct",
    "enum",
    "object",
    "record",
    "interface",
    "trait",
    "impl",
    "module",
    "extension",
    "protocol",
    "and",
    "or",
    "not",
    "try",
    "is",
    "as",
    "if",
    "elif",
    "elseif",
    "unless",
    "while",
    "until",
    "for",
    "foreach",
    "range",
    "switch",
    "match",
    "guard",
    "catch",
    "with",
    "let",
];

/// Words that brackets and a block follow.
const BLOCKS: &[&str] =
    &["if", "for", "while", "switch", "catch", "synchronized", "using", "lock", "foreach", "match", "guard"];

/// Words before the name of a function, after which a parameter's name comes before its type.
const NAMED_FIRST: &[&str] = &["func", "fn", "fun", "def"];

/// `func name(x T) R {…}`, `fn name(x: T) -> R {…}`, `R name(T x) {…}`: taken down, to be run where it is called.
pub(super) fn define(m: &mut Machine) -> bool {
    let (Some(Tok::Name(name)), Some(Tok::Op("("))) = (m.peek().cloned(), m.ahead(1)) else { return false };
    let fresh = m.token().is_some_and(|token| token.fresh);
    let before = m.at.checked_sub(1).and_then(|at| m.tokens.get(at)).map(|token| token.tok.clone());
    let first = match &before {
        Some(Tok::Name(word)) if !NO_TYPES.contains(&&**word) => NAMED_FIRST.contains(&&**word),
        Some(Tok::Op(">" | "]" | "*")) => false,
        Some(Tok::Op(")")) if receiver(m).is_some() => true,
        _ => return false,
    };
    let receiver = receiver(m);
    if fresh || BLOCKS.contains(&&*name) {
        return false;
    }
    let start = m.at;
    m.at += 1;
    let close = m.pair();
    let near = close + 1..(close + 1 + HEADER).min(m.end);
    let brace = m.range(near.clone(), |m| m.find(|tok| matches!(tok, Tok::Op("{" | ";" | "=" | "=>" | "}"))));
    let short = brace < near.end && is_op(m, brace, "=>");
    if brace >= near.end || !(short || is_op(m, brace, "{")) {
        m.at = start;
        return constructs(m, before);
    }
    let own = receiver.iter().map(|name| Param::named(name));
    let params: Vec<Param> = own.chain(names(m, m.at + 1..close, first)).collect();
    let is_method = params.first().is_some_and(|param| receiver.is_some() || &*param.name == "self");
    m.at = brace;
    let end = if short { m.find(|tok| *tok == Tok::Op(";")) } else { m.pair() };
    let function = defined(m, params, brace + 1..end);
    m.at = end + 1;
    m.scope.set(&format!(".{name}"), function.clone());
    if is_method {
        m.scope.set(&format!(".{name}.self"), Val::name("self"));
    } else {
        m.scope.set(&name, function);
    }
    true
}

/// Go's `func (c *cleaner) clean()`: the name that the thing itself has in it.
fn receiver(m: &Machine) -> Option<Rc<str>> {
    let close = m.at.checked_sub(1)?;
    let open = (2..8).filter_map(|back| close.checked_sub(back)).find(|at| is_op(m, *at, "("))?;
    let name_at = |at: usize| match m.tokens.get(at).map(|token| &token.tok) {
        Some(Tok::Name(name)) => Some(Rc::clone(name)),
        _ => None,
    };
    let keyword = open.checked_sub(1).and_then(name_at);
    name_at(open + 1).filter(|_| is_op(m, close, ")") && keyword.as_deref() == Some("func"))
}

fn is_op(m: &Machine, at: usize, op: &str) -> bool {
    matches!(m.tokens.get(at).map(|token| &token.tok), Some(Tok::Op(seen)) if *seen == op)
}

/// C++'s `Type name(arguments)`.
fn constructs(m: &mut Machine, kind: Option<Tok>) -> bool {
    let Some(Tok::Name(kind)) =
        kind.filter(|kind| matches!(kind, Tok::Name(name) if library::function(name).is_some()))
    else {
        return false;
    };
    let place = m.name();
    let args = m.arguments();
    let value = m.library(&kind, &args);
    m.assign(place, value);
    true
}

/// `return value`
pub(super) fn give_back(m: &mut Machine) {
    m.at += 1;
    let value = m.expr(0);
    if let Some(returned) = m.returns.last_mut() {
        *returned = Some(returned.take().map_or(value.clone(), |before| before.union(&value)));
    }
}

/// What runs first.
pub(in crate::languages) fn main(m: &mut Machine) {
    for name in ["main", "Main"] {
        if let Some(Val::Function(main)) = m.scope.get(name).cloned()
            && !main.called.get()
        {
            let given = match main.params.len() {
                1 => vec![m.known(Known::Arguments)],
                2.. => vec![Val::unknown(), m.known(Known::Program)],
                0 => Vec::new(),
            };
            m.invoke(&main, &Args::of(given));
        }
    }
}
