//! Languages where arguments follow a function without brackets or commas: Haskell, OCaml, Nix.

use std::rc::Rc;

use super::super::machine::Machine;
use super::super::token::Tok;
use super::super::value::{Args, Val};
use super::{SEVERAL, curried_operator, is_structure, primary};

/// The values that stand side by side.
pub(super) fn beside(m: &mut Machine) -> Vec<Val> {
    let mut items = Vec::new();
    while m.at < m.end && m.burn(4) {
        let before = m.at;
        items.push(argument(m));
        m.at += usize::from(m.at == before);
    }
    items
}

/// Calls a function with what follows it: strings, names, numbers, and what stands in brackets.
pub(in crate::languages) fn curried_call(m: &mut Machine, function: &Val) -> Val {
    let mut args = Args::default();
    while args.list.len() < SEVERAL && m.burn(4) && starts_argument(m) {
        // `~label:` is not needed to see what it is given.
        if m.eat("~") && m.name().is_some() {
            m.eat(":");
            continue;
        }
        let value = argument(m);
        args.list.push(value);
    }
    args.list.extend(m.fed.take());
    // `f ()` calls it with nothing.
    args.list.retain(|value| !matches!(value, Val::Name(name) if &**name == "()"));
    m.apply(function, &args)
}

/// Can what stands here be an argument of the name before it?
pub(in crate::languages) fn starts_argument(m: &Machine) -> bool {
    let fresh = m.token().is_some_and(|token| token.fresh);
    match m.peek() {
        Some(Tok::Str(_) | Tok::Int(_) | Tok::Other | Tok::Op("(" | "[")) => true,
        Some(Tok::Name(name)) => {
            !fresh && !is_structure(name) && curried_operator(&Tok::Name(Rc::clone(name))).is_none()
        }
        Some(Tok::Op("~")) => matches!(m.ahead(1), Some(Tok::Name(_))),
        _ => false,
    }
}

fn argument(m: &mut Machine) -> Val {
    let Some(tok) = m.peek().cloned() else { return Val::unknown() };
    match &tok {
        Tok::Str(parts) => {
            m.at += 1;
            Val::Text(m.string(parts))
        }
        Tok::Int(number) => {
            m.at += 1;
            Val::Int(*number)
        }
        Tok::Other => {
            m.at += 1;
            Val::unknown()
        }
        Tok::Op("(") if matches!(m.ahead(1), Some(Tok::Op(")"))) => {
            m.at += 2;
            Val::name("()")
        }
        Tok::Name(name) => {
            m.at += 1;
            let mut value = m.lookup(name);
            while m.sees(".")
                && let Some(Tok::Name(part)) = m.ahead(1).cloned()
            {
                m.at += 2;
                let place = m.place.take();
                value = m.attribute(&value, place.as_deref(), &part);
            }
            value
        }
        _ => primary(m, &tok),
    }
}
