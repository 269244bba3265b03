//! Loops of Perl, whose variables are the items themselves.

use std::ops::Range;
use std::rc::Rc;

use super::super::machine::Machine;
use super::super::token::{Tok, Token};
use super::super::value::Val;
use super::list;

/// The items that a loop goes through, and the list that they stand in where it is a variable.
pub(super) fn items_of(m: &mut Machine, range: Range<usize>) -> (Val, Option<Rc<str>>) {
    let tokens = m.tokens.get(range.clone()).unwrap_or_default();
    let single = matches!(
        tokens.iter().take(4).map(|token| &token.tok).collect::<Vec<_>>().as_slice(),
        [Tok::Var('@', _)]
            | [Tok::Op("@"), Tok::Var('$', _)]
            | [Tok::Op("("), Tok::Var('@', _), Tok::Op(")")]
    );
    let items = m.range(range, list);
    let place = m.place.take().filter(|_| single);
    (items, place)
}

/// Runs a loop, whose variable is its own and is the item itself: what is set there stands in the list.
pub(super) fn over(
    m: &mut Machine,
    items: &Val,
    place: Option<&str>,
    variable: &str,
    body: Range<usize>,
    action: impl Fn(&mut Machine),
) {
    let changes = place.is_some() && sets(m.tokens.get(body.clone()).unwrap_or_default(), variable);
    let mut ends = Vec::new();
    m.scoped(|m| {
        m.scope.declare(variable, false);
        m.for_each(items, body.len(), |m, item| {
            m.scope.set(variable, item.clone());
            action(m);
            ends.extend(m.scope.get(variable).cloned().filter(|_| changes));
        });
    });
    if let Some(place) = place.filter(|_| changes) {
        m.aliased_items(place, items, ends);
    }
}

/// Does code give a variable another value?
fn sets(code: &[Token], variable: &str) -> bool {
    let is_it = |tok: &Tok| matches!(tok, Tok::Var(sign, name) if *variable == format!("{sign}{name}"));
    let assigns = |tok: &Tok| matches!(tok, Tok::Op(op) if op.ends_with('=') && !matches!(*op, "==" | "<=" | ">=" | "!="));
    let changed = code.iter().any(|token| matches!(token.tok, Tok::Change(_)));
    changed
        || code.windows(2).any(|pair| match pair {
            [first, second] => is_it(&first.tok) && assigns(&second.tok),
            _ => false,
        })
}
