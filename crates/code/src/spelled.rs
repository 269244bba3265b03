//! What texts are like that fit a pattern, as far as it spells them out.

use tollgate_shell::value::{Hole, HoleSource, Piece, Text};

/// A part of a pattern: what it stands for where that is plain text, in one way or in several.
enum Unit {
    Plain(Vec<String>),
    Open,
}

/// What texts are like that fit a pattern: how they begin, and how they end.
#[must_use]
pub fn shapes(pattern: &str) -> Option<Vec<Text>> {
    let (body, starts) = pattern.strip_prefix('^').map_or((pattern, false), |body| (body, true));
    let ends = ["$", "\\z", "\\Z"].iter().find_map(|end| body.strip_suffix(end));
    let (body, ends) = ends.filter(|body| !body.ends_with('\\')).map_or((body, false), |body| (body, true));
    let units = units(body)?;
    let plain = |unit: &&Unit| matches!(unit, Unit::Plain(_));
    let lead: Vec<&Unit> = units.iter().take_while(plain).filter(|_| starts).collect();
    let tail: Vec<&Unit> = units.iter().rev().take_while(plain).filter(|_| ends).collect();
    let (begins, finishes) = (spelled(lead.into_iter()), spelled(tail.into_iter().rev()));
    let whole = starts && ends && units.iter().all(|unit| plain(&unit));
    if begins.len() * finishes.len() > 32 {
        return None;
    }
    if whole {
        return Some(begins.iter().map(|text| Text::literal(text)).collect());
    }
    let each = begins.iter().flat_map(|begin| finishes.iter().map(move |finish| (begin, finish)));
    let shapes = each.map(|(begin, finish)| {
        let mut text = Text::literal(begin);
        text.push(Piece::Hole(Hole::new(HoleSource::Input)));
        text.push_str(finish);
        text
    });
    Some(shapes.collect())
}

/// Every text that the parts may be, one after the other.
fn spelled<'u>(units: impl Iterator<Item = &'u Unit>) -> Vec<String> {
    let mut all = vec![String::new()];
    for unit in units {
        if let Unit::Plain(ways) = unit
            && all.len() * ways.len() <= 32
        {
            all = all.iter().flat_map(|start| ways.iter().map(move |way| format!("{start}{way}"))).collect();
        }
    }
    all
}

/// The parts of a pattern; none where it has alternatives that stand in no brackets.
fn units(pattern: &str) -> Option<Vec<Unit>> {
    let mut units = Vec::new();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        let unit = match c {
            '|' => return None,
            '\\' => match rest.next()? {
                escaped if escaped.is_alphanumeric() => Unit::Open,
                escaped => Unit::Plain(vec![escaped.to_string()]),
            },
            '(' => {
                let inner: String = rest.by_ref().take_while(|c| *c != ')').collect();
                group(&inner)
            }
            '[' => {
                rest.by_ref().find(|c| *c == ']');
                Unit::Open
            }
            '.' | '^' | '$' => Unit::Open,
            plain => Unit::Plain(vec![plain.to_string()]),
        };
        let repeated = rest.next_if(|c| matches!(c, '*' | '+' | '?' | '{'));
        if repeated == Some('{') {
            rest.by_ref().find(|c| *c == '}');
        }
        units.push(if repeated.is_some() { Unit::Open } else { unit });
    }
    Some(units)
}

/// `(a|b)`, where both are plain.
fn group(inner: &str) -> Unit {
    let inner = inner.strip_prefix("?:").unwrap_or(inner);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '|' | '_' | '-');
    if inner.is_empty() || !inner.chars().all(plain) {
        return Unit::Open;
    }
    Unit::Plain(inner.split('|').map(str::to_owned).collect())
}
