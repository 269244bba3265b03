//! Types that are written down: which name a value gets, and what it becomes by them.

use std::rc::Rc;

use super::super::machine::Machine;
use super::super::ops::Op;
use super::super::pure;
use super::super::token::{Tok, Token};
use super::super::value::{Args, Val};
use super::lambdas::HEADER;
use super::{is_structure, operator};
use tollgate_shell::value::Value;

/// `char *name = …`
pub(super) fn is_pointer(m: &Machine) -> bool {
    matches!(
        (m.ahead(1), m.ahead(2), m.ahead(3)),
        (Some(Tok::Op("*" | "**")), Some(Tok::Name(_)), Some(Tok::Op("=")))
    )
}

/// `let name: Type = value`, `const NAME: Type = value`, Go's `var name Type = value`: the name is the one before its
/// type.
pub(super) fn binding(m: &mut Machine) -> bool {
    let start = m.at;
    let mut words = 0;
    while matches!(m.peek(), Some(Tok::Name(word)) if matches!(&**word, "let" | "var" | "val" | "const" | "static" | "mut" | "final" | "pub"))
    {
        m.at += 1;
        words += 1;
    }
    // In C the name stands behind its type.
    let last = matches!(m.tokens.get(start).map(|token| &token.tok), Some(Tok::Name(word)) if matches!(&**word, "const" | "static"));
    let name = m.name().filter(|_| words > 0);
    let typed = m.eat(":") || matches!(m.peek(), Some(Tok::Name(_) | Tok::Op("*" | "[")));
    let (Some(name), true) = (name, typed) else {
        m.at = start;
        return false;
    };
    let near = m.at..(m.at + HEADER).min(m.end);
    let is_end = |tok: &Tok| {
        matches!(tok, Tok::Op("=" | ":=" | ";" | "{" | "in" | "(") | Tok::Newline)
            || matches!(tok, Tok::Name(word) if &**word == "in")
    };
    let sign = m.range(near.clone(), |m| m.find(is_end));
    if sign >= near.end || !matches!(m.tokens.get(sign).map(|token| &token.tok), Some(Tok::Op("="))) {
        m.at = start;
        return false;
    }
    let name = match m.tokens.get(sign.saturating_sub(2)..sign) {
        Some([Token { tok: Tok::Op("*" | "**"), .. }, Token { tok: Tok::Name(behind), .. }]) if last => {
            Rc::clone(behind)
        }
        _ => name,
    };
    let kind = named(m, near.start, sign);
    m.at = sign + 1;
    let value = m.expr(0);
    let value = of_type(kind.as_deref(), value);
    m.assign(Some(name), value);
    true
}

/// Does `Type{name: value, …}` stand here?
pub(super) fn is_literal(m: &Machine) -> bool {
    let named = matches!(
        (m.ahead(1), m.ahead(2), m.ahead(3)),
        (Some(Tok::Op("{")), Some(Tok::Name(_)), Some(Tok::Op(":")))
    );
    let Some(Tok::Name(name)) = m.peek().filter(|_| named) else { return false };
    let close_by = m.tokens.get(m.at + 1).is_some_and(|token| !token.spaced);
    name.starts_with(char::is_uppercase) || close_by
}

/// `::<Type>` behind a name: the type, where one stands there.
pub(in crate::languages) fn turbofish(m: &mut Machine) -> Option<Rc<str>> {
    if !matches!((m.peek(), m.ahead(1)), (Some(Tok::Op("::")), Some(Tok::Op("<")))) {
        return None;
    }
    let near = m.at + 2..(m.at + 2 + HEADER).min(m.end);
    let close = m.range(near.clone(), |m| m.find(|tok| matches!(tok, Tok::Op("(" | ";"))));
    if close >= near.end {
        return None;
    }
    let kind = named(m, near.start, close);
    m.at = close;
    kind
}

/// A value as one of a type: what is collected into a path is joined, into a text put together.
pub(in crate::languages) fn of_type(kind: Option<&str>, value: Val) -> Val {
    let texts = |list: &[Val]| list.iter().map(Val::as_text).collect::<Vec<Value>>();
    match (kind, &value) {
        (Some("PathBuf" | "Path"), Val::List(list)) if !list.open => {
            Val::Text(pure::join_paths(&texts(&list.items)))
        }
        (Some("String"), Val::List(list)) if !list.open => {
            let all = texts(&list.items).into_iter().reduce(|left, right| left.concat(&right));
            Val::Text(all.unwrap_or_else(Value::empty))
        }
        _ => value,
    }
}

/// The last name of a type.
fn named(m: &Machine, start: usize, end: usize) -> Option<Rc<str>> {
    let tokens = m.tokens.get(start..end)?;
    tokens.iter().rev().find_map(|token| match &token.tok {
        Tok::Name(name) => Some(Rc::clone(name)),
        _ => None,
    })
}

impl Machine<'_, '_, '_> {
    /// A path that grows in its place: `path.push("folder")`; and a text.
    pub fn path_grown(&mut self, value: &Val, place: Option<&str>, name: &str, added: &[Val]) -> bool {
        let (Val::Text(text), Some(place), true) = (value, place, self.syntax.flat) else { return false };
        let grown = match (name, added) {
            ("push", [more @ Val::Text(_)]) if more.literal().is_none_or(|more| more.chars().count() > 1) => {
                pure::join_paths(&[text.clone(), more.as_text()])
            }
            ("push" | "push_str", [more]) => text.concat(&more.as_text()),
            ("pop", []) if text.any.iter().any(|text| text.prefix().contains('/')) => pure::parent(text),
            _ => return false,
        };
        self.scope.set(place, Val::Text(grown));
        true
    }

    /// The arguments, with the thing itself before them where the method names it.
    pub fn with_self(&self, value: &Val, name: &str, mut args: Args) -> Args {
        if self.syntax.flat && self.scope.get(&format!(".{name}.self")).is_some() {
            args.list.insert(0, value.clone());
        }
        args
    }

    /// A visitor is shown every file below a folder: `Files.walkFileTree(folder, visitor)`.
    pub fn visit(&mut self, folder: &Val) -> Val {
        let below = self.files(Op::GlobDeep, &Args::of(vec![folder.clone(), Val::text("*")]));
        for name in ["preVisitDirectory", "visitFile", "visitFileFailed", "postVisitDirectory"] {
            if let Some(own) = self.own_method(name) {
                self.apply(&own, &Args::of(vec![below.item()]));
            }
        }
        Val::unknown()
    }
}

/// `new Name<…>(…) { methods }`: a class without a name, whose methods are taken down.
pub(super) fn anonymous(m: &mut Machine) -> Option<Val> {
    let near = m.at + 2..(m.at + HEADER).min(m.end);
    let open = m.range(near.clone(), |m| m.find(|tok| matches!(tok, Tok::Op("(" | ";" | "{" | ","))));
    let before = m.at;
    let Some(Tok::Name(name)) = m.ahead(1).cloned().filter(|_| open < near.end) else { return None };
    m.at = open;
    let close = m.pair();
    let braced = matches!(
        m.tokens.get(close + 1).filter(|_| close + 1 < m.end).map(|token| &token.tok),
        Some(Tok::Op("{"))
    );
    if !m.sees("(") || !braced {
        m.at = before;
        return None;
    }
    m.at = close + 1;
    let end = m.pair();
    m.range(m.at + 1..end, Machine::statements);
    m.at = end + 1;
    Some(Val::object(&name, Args::default()))
}

/// `(Type<Of>) value`: nothing but a type in the brackets, and a value right behind them.
pub(super) fn is_cast(m: &Machine) -> bool {
    let close = m.pair();
    let inside = m.tokens.get(m.at + 1..close).unwrap_or_default();
    let of_type =
        |tok: &Tok| matches!(tok, Tok::Name(_) | Tok::Op("." | "<" | ">" | "[" | "]" | "," | "?" | "*"));
    let behind = m.tokens.get(close + 1).filter(|_| close + 1 < m.end).map(|token| &token.tok);
    let value = match behind {
        Some(Tok::Name(word)) => !is_structure(word) && operator(&Tok::Name(Rc::clone(word))).is_none(),
        Some(Tok::Str(_)) => true,
        _ => false,
    };
    value && inside.len() > 2 && inside.iter().all(|token| of_type(&token.tok))
}
