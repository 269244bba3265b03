//! What conditions say of values where they hold and where they do not, by the structure of the condition.

use std::rc::Rc;

use tollgate_catalogue::libraries::{Make, Role};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::Machine;
use super::store::Cell;
use super::value::Val;
use crate::tree::{Comparison, Kind, List, NodeId};

/// What a condition speaks of: a variable, or a part of its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub cell: Cell,
    pub part: Part,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// The last name of a path.
    Base,
    /// How that ends.
    Suffix,
}

/// What a condition says.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// Of each place, what it is.
    pub is: Vec<(Place, Value)>,
    /// It is known not to hold.
    pub fails: bool,
    /// It is known to hold.
    pub certain: bool,
}

impl Machine<'_> {
    /// Works a condition out, and what it says where it holds or does not.
    pub(super) fn condition(&mut self, test: NodeId, holds: bool) -> Said {
        let value = self.expr(test);
        self.looks_at(&value);
        self.asked_for_truth(&value);
        let truth = value.truth();
        let said = self.said(test, holds);
        Said { fails: truth == Some(!holds), certain: truth == Some(holds), ..said }
    }

    /// What a condition says where it holds or does not. It has been worked out already.
    pub(super) fn said(&mut self, test: NodeId, holds: bool) -> Said {
        if !self.enter() {
            return Said::default();
        }
        let unit = Rc::clone(&self.unit);
        let is = match unit.tree.kind(test) {
            Kind::Not(inner) => self.said(inner, !holds).is,
            Kind::And(parts) if holds => self.all_said(parts, true),
            Kind::Or(parts) if !holds => self.all_said(parts, false),
            Kind::And(parts) => self.one_said(parts, false),
            Kind::Or(parts) => self.one_said(parts, true),
            Kind::Compare { op, left, right } => self.said_by_comparison(op, left, right, holds),
            Kind::Call { callee, args, .. } if holds => self.said_by_call(callee, args),
            Kind::Assign { target, .. } => self.said(target, holds).is,
            _ => Vec::new(),
        };
        self.leave();
        Said { is, ..Said::default() }
    }

    fn all_said(&mut self, parts: List, holds: bool) -> Vec<(Place, Value)> {
        let unit = Rc::clone(&self.unit);
        unit.tree.list(parts).iter().flat_map(|part| self.said(*part, holds).is).collect()
    }

    /// One of several conditions: what all of them say of the same place, each in its own way.
    fn one_said(&mut self, parts: List, holds: bool) -> Vec<(Place, Value)> {
        let unit = Rc::clone(&self.unit);
        let mut ways = unit.tree.list(parts).iter().map(|part| self.said(*part, holds).is);
        let Some(mut either) = ways.next() else { return Vec::new() };
        for way in ways {
            either = joined(either, &way);
        }
        either
    }

    fn said_by_comparison(
        &mut self,
        op: Comparison,
        left: NodeId,
        right: NodeId,
        holds: bool,
    ) -> Vec<(Place, Value)> {
        match (op, holds) {
            (Comparison::Equal, true) | (Comparison::Unequal, false) => {
                let mut said = Vec::new();
                for (place, other) in [(left, right), (right, left)] {
                    if let Some(place) = self.place_of(place)
                        && let Val::Text(text) = self.peek(other)
                        && says_something(&text)
                    {
                        said.push((place, text));
                    }
                }
                said
            }
            (Comparison::In, true) | (Comparison::NotIn, false) => {
                let list = self.peek(right);
                let Some(place) = self.place_of(left) else { return Vec::new() };
                if matches!(list, Val::Text(_)) {
                    return Vec::new();
                }
                match self.store.item(&list) {
                    Val::Text(text) if says_something(&text) => vec![(place, text)],
                    _ => Vec::new(),
                }
            }
            // `"x" in name` says that it is in there; `"x" == name` is above.
            _ => Vec::new(),
        }
    }

    /// What a value is, without working it out again: only names and what stands in the text.
    fn peek(&mut self, id: NodeId) -> Val {
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(id) {
            Kind::Name(name) => unit.symbol(name).map_or_else(Val::unknown, |symbol| self.lookup(symbol)),
            Kind::Text(text) | Kind::Pattern(text) => Val::Text(unit.source.text(unit.tree.text(text))),
            Kind::Hole(hole) => Val::Text(unit.source.hole(hole)),
            Kind::List(list) => {
                let items: Vec<Val> =
                    unit.tree.list(list).iter().take(256).map(|item| self.peek(*item)).collect();
                self.store.list(items)
            }
            Kind::Call { args, .. } | Kind::Template(args) if args == List::default() => Val::unknown(),
            Kind::Call { callee, args, .. } => match (self.callee_role(callee), unit.tree.list(args)) {
                (Some(Role::Makes(Make::JoinPaths | Make::Same | Make::Resolve | Make::ExpandUser)), _) => {
                    self.expr(id)
                }
                _ => Val::unknown(),
            },
            Kind::Binary { .. } | Kind::Attribute { .. } | Kind::Template(_) => {
                if self.is_plain(id) {
                    self.expr(id)
                } else {
                    Val::unknown()
                }
            }
            _ => Val::unknown(),
        }
    }

    /// Nothing is called in it.
    fn is_plain(&self, id: NodeId) -> bool {
        match self.unit.tree.kind(id) {
            Kind::Binary { left, right, .. } => self.is_plain(right) && self.is_plain(left),
            Kind::Attribute { of, .. } => self.is_plain(of),
            Kind::Template(parts) => self.unit.tree.list(parts).iter().all(|part| self.is_plain(*part)),
            Kind::Name(_) | Kind::Text(_) | Kind::Int(_) | Kind::Hole(_) => true,
            _ => false,
        }
    }

    /// What a function does that is called by a name of a library.
    fn callee_role(&mut self, callee: NodeId) -> Option<Role> {
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(callee) {
            Kind::Attribute { of, name } => {
                let owner = match unit.tree.kind(of) {
                    Kind::Name(_) | Kind::Attribute { .. } => self.peek_callee(of),
                    _ => Val::unknown(),
                };
                let name = unit.tree.name(name);
                match owner {
                    Val::Name(owner) => self.meaning(&format!("{owner}.{name}")).map(|meaning| meaning.role),
                    _ => self.library.methods.get(name).map(|meaning| meaning.role),
                }
            }
            _ => match self.peek_callee(callee) {
                Val::Name(name) => self.meaning(&name).map(|meaning| meaning.role),
                _ => None,
            },
        }
    }

    fn peek_callee(&mut self, id: NodeId) -> Val {
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(id) {
            Kind::Name(name) => unit.symbol(name).map_or_else(Val::unknown, |symbol| self.lookup(symbol)),
            Kind::Attribute { of, name } => match self.peek_callee(of) {
                Val::Name(owner) => self.named(&format!("{owner}.{}", unit.tree.name(name))),
                other => other,
            },
            _ => Val::unknown(),
        }
    }

    /// `name.startswith("x")`, `re.match(pattern, name)`, `fnmatch(name, pattern)`.
    fn said_by_call(&mut self, callee: NodeId, args: List) -> Vec<(Place, Value)> {
        if let Some(said) = self.said_of_pattern(callee, args) {
            return said;
        }
        let unit = Rc::clone(&self.unit);
        let args = unit.tree.list(args);
        let (Kind::Attribute { of, .. }, Some(Role::Makes(make))) =
            (unit.tree.kind(callee), self.callee_role(callee))
        else {
            return Vec::new();
        };
        let Some(place) = self.place_of(of) else { return Vec::new() };
        let Some(first) = args.first() else { return Vec::new() };
        let wanted = self.peek(*first);
        let wanted: Vec<String> = match self.store.items(&wanted) {
            Some(items) => items.items.iter().filter_map(Val::literal).collect(),
            None => wanted.literal().into_iter().collect(),
        };
        let shape = |part: &String| {
            let hole = Piece::Hole(Hole::new(HoleSource::Input));
            let mut text = Text::default();
            match make {
                Make::StartsWith => {
                    text.push_str(part);
                    text.push(hole);
                }
                _ => {
                    text.push(hole);
                    text.push_str(part);
                }
            }
            text
        };
        if !matches!(make, Make::StartsWith | Make::EndsWith) || wanted.is_empty() {
            return Vec::new();
        }
        vec![(place, Value::of(wanted.iter().map(shape), tollgate_shell::value::Taint::NONE))]
    }

    /// `fnmatch(name, "*.log")`, `re.search(pattern, name)`, `compiled.match(name)`, `any(… for end in ends)`.
    fn said_of_pattern(&mut self, callee: NodeId, args: List) -> Option<Vec<(Place, Value)>> {
        let unit = Rc::clone(&self.unit);
        let args = unit.tree.list(args);
        if let ([only], Val::Name(name)) = (args, self.peek_callee(callee))
            && let Kind::Comprehension(made) = unit.tree.kind(*only)
        {
            let any = self.meaning(&name).is_some_and(|meaning| meaning.role == Role::Makes(Make::Count));
            return (any && name.starts_with("any")).then(|| self.said_by_any(made));
        }
        let (pattern, place, how) = match (unit.tree.kind(callee), args) {
            (Kind::Attribute { of, name }, [only]) => {
                let Val::Made(made) = self.peek_callee(of) else { return None };
                let full = format!("{}.{}", made.name, unit.tree.name(name));
                let role = self.meaning(&full)?.role;
                (role == Role::Makes(Make::Fits)).then_some(())?;
                (made.args.literal(0)?, *only, full)
            }
            (_, [first, second, ..]) => {
                let Val::Name(full) = self.peek_callee(callee) else { return None };
                let full = self.canonical(&full).into_owned();
                match self.meaning(&full)?.role {
                    Role::Makes(Make::Fits) => (wild(&self.peek(*second).literal()?), *first, full),
                    Role::Makes(Make::Fragments) => (self.peek(*first).literal()?, *second, full),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let pattern = match how.rsplit('.').next() {
            Some("fullmatch") => format!("^{pattern}$"),
            Some("match") => format!("^{pattern}"),
            _ => pattern,
        };
        let place = self.place_of(place)?;
        let shapes = Value::of(crate::spelled::shapes(&pattern)?, tollgate_shell::value::Taint::NONE);
        says_something(&shapes).then(|| vec![(place, shapes)])
    }

    /// One of several conditions that are made of the items of a list.
    fn said_by_any(&mut self, id: crate::tree::ComprehensionId) -> Vec<(Place, Value)> {
        let unit = Rc::clone(&self.unit);
        let Some(whole) = unit.tree.comprehension(id) else { return Vec::new() };
        let [clause] = whole.clauses.as_slice() else { return Vec::new() };
        let list = self.peek(clause.of);
        let Some(items) = self.store.items(&list).filter(|items| !items.open && items.items.len() <= 16)
        else {
            return Vec::new();
        };
        let outer = self.frame;
        let frame = self.scopes.open(Some(self.scopes.around(outer)), false);
        self.declare(frame, &unit, &whole.locals);
        self.frame = frame;
        let mut either: Option<Vec<(Place, Value)>> = None;
        for item in &items.items {
            self.assign(clause.target, item);
            let way = self.said(whole.element, true).is;
            either = Some(match either {
                None => way,
                Some(known) => joined(known, &way),
            });
        }
        self.frame = outer;
        either.unwrap_or_default()
    }

    /// What a case says of what is looked at.
    pub(super) fn said_by_case(&mut self, pattern: NodeId, place: &Place) -> Said {
        let value = match self.unit.tree.kind(pattern) {
            Kind::Text(_) => self.peek(pattern),
            Kind::Or(ways) => {
                let unit = Rc::clone(&self.unit);
                let ways: Vec<Val> = unit.tree.list(ways).iter().map(|way| self.peek(*way)).collect();
                let all = ways.iter().all(|way| matches!(way, Val::Text(_)));
                let either = ways.into_iter().reduce(|all, way| all.either(&way));
                either.filter(|_| all).unwrap_or_default()
            }
            _ => Val::unknown(),
        };
        let is = match value {
            Val::Text(text) if says_something(&text) => vec![(place.clone(), text)],
            _ => Vec::new(),
        };
        Said { is, ..Said::default() }
    }

    /// What an expression speaks of.
    pub(super) fn place_of(&mut self, id: NodeId) -> Option<Place> {
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(id) {
            Kind::Name(name) => {
                let symbol = unit.symbol(name)?;
                let cells = self.scopes.places(self.frame, symbol);
                let cell = cells.into_iter().find(|cell| self.store.val(*cell).is_some())?;
                Some(Place { cell, part: Part::Whole })
            }
            Kind::Assign { target, .. } => self.place_of(target),
            Kind::Attribute { of, name } => {
                let place = self.place_of(of)?;
                let part = match self.library.methods.get(unit.tree.name(name))?.role {
                    Role::Makes(Make::Base) => Part::Base,
                    Role::Makes(Make::Suffix) => Part::Suffix,
                    _ => return None,
                };
                (place.part == Part::Whole).then_some(Place { part, ..place })
            }
            Kind::Index { of, key } => {
                let (Kind::Call { callee, args, .. }, Kind::Int(1)) =
                    (unit.tree.kind(of), unit.tree.kind(key))
                else {
                    return None;
                };
                let ends = self.callee_role(callee)? == Role::Makes(Make::Ends);
                let place = self.place_of(*unit.tree.list(args).first().filter(|_| ends)?)?;
                (place.part == Part::Whole).then_some(Place { part: Part::Suffix, ..place })
            }
            Kind::Call { callee, args, .. } => {
                let part = match self.callee_role(callee)? {
                    Role::Makes(Make::Base) => Part::Base,
                    Role::Makes(Make::Suffix) => Part::Suffix,
                    Role::Makes(Make::Same | Make::Resolve | Make::Lower | Make::Trim) => Part::Whole,
                    _ => return None,
                };
                let of = match (unit.tree.list(args), unit.tree.kind(callee)) {
                    ([first, ..], _) => *first,
                    ([], Kind::Attribute { of, .. }) => of,
                    _ => return None,
                };
                let place = self.place_of(of)?;
                let part = if place.part == Part::Whole { part } else { place.part };
                Some(Place { part, ..place })
            }
            _ => None,
        }
    }

    /// From here on, variables are what a condition said.
    pub(super) fn believe(&mut self, said: Said) {
        for (place, value) in said.is {
            let Some(now) = self.store.val(place.cell).cloned() else { continue };
            let meant = match &now {
                Val::Text(text) => Val::Text(met(text, &value, place.part)),
                Val::Unknown(taint) if place.part == Part::Whole => Val::Text(value.with_taint(*taint)),
                _ => continue,
            };
            self.believed.push((place.cell, meant.clone()));
            self.store.set_val(place.cell, meant);
        }
    }

    /// Does one value stand to another as a comparison says?
    pub(super) fn compared(&mut self, op: Comparison, left: &Val, right: &Val) -> Val {
        self.looks_at(left);
        self.looks_at(right);
        if matches!(left, Val::Object(_)) || matches!(right, Val::Object(_)) {
            self.compared_objects(op, left, right);
        }
        let taint = self.store.taint(left).union(self.store.taint(right));
        let equal = match (left, right) {
            (Val::Text(a), Val::Text(b)) => a.as_literal().zip(b.as_literal()).map(|(a, b)| a == b),
            (Val::Int(a), Val::Int(b)) => Some(a == b),
            (Val::Bool(a), Val::Bool(b)) => Some(a == b),
            _ => None,
        };
        let known = match op {
            Comparison::Equal => equal,
            Comparison::Unequal => equal.map(|equal| !equal),
            Comparison::In | Comparison::NotIn => {
                let among = self.store.items(right).filter(|items| !items.open).and_then(|items| {
                    let texts: Option<Vec<String>> = items.items.iter().map(Val::literal).collect();
                    Some(texts?.contains(&left.literal()?))
                });
                among.map(|among| among == (op == Comparison::In))
            }
            Comparison::Other => None,
        };
        known.map_or(Val::Unknown(taint), Val::Bool)
    }
}

/// What both say of the same place.
fn joined(one: Vec<(Place, Value)>, other: &[(Place, Value)]) -> Vec<(Place, Value)> {
    let either = one.into_iter().filter_map(|(place, value)| {
        let other = other.iter().find(|(known, _)| *known == place)?;
        Some((place, value.union(&other.1)))
    });
    either.collect()
}

/// A pattern of file names as one of texts.
fn wild(pattern: &str) -> String {
    let mut made = String::from("^");
    for letter in pattern.chars() {
        match letter {
            '*' => made.push_str(".*"),
            '?' => made.push('.'),
            letter if letter.is_alphanumeric() || "[]-_".contains(letter) => made.push(letter),
            letter => made.extend(['\\', letter]),
        }
    }
    made.push('$');
    made
}

/// Does it say anything about what it is?
fn says_something(text: &Value) -> bool {
    text.any.iter().all(|text| !text.prefix().is_empty() || !text.suffix().is_empty() || text.is_empty())
}

/// The texts that are meant where a condition says this of one of them.
fn met(known: &Value, said: &Value, part: Part) -> Value {
    let taint = known.taint.union(said.taint);
    let each =
        known.any.iter().flat_map(|text| said.any.iter().filter_map(move |said| met_by(text, said, part)));
    let all: Vec<Text> = each.collect();
    // Where none of them can be meant, the condition was not understood.
    if all.is_empty() { known.clone() } else { Value::of(all, taint) }
}

fn met_by(known: &Text, said: &Text, part: Part) -> Option<Text> {
    if let Some(text) = known.as_literal() {
        let of = match part {
            Part::Whole => text,
            Part::Base => text.rsplit('/').next().unwrap_or(text),
            Part::Suffix => text.get(text.rfind('.')?..)?,
        };
        let fits = match said.as_literal() {
            Some(said) => said == of,
            None => of.starts_with(said.prefix()) && of.ends_with(said.suffix()),
        };
        return fits.then(|| known.clone());
    }
    match part {
        Part::Whole if said.as_literal().is_some() => Some(said.clone()),
        Part::Whole => Some(started(&ended(known, said.suffix()), said.prefix())),
        Part::Base => {
            let (mut folder, last) = split_last(known);
            folder.append(&met_by(&last, said, Part::Whole)?);
            Some(folder)
        }
        Part::Suffix => Some(ended(known, said.suffix())),
    }
}

/// A path up to its last `/`, and the name behind it.
fn split_last(path: &Text) -> (Text, Text) {
    let (mut folder, mut name) = (Text::default(), Text::default());
    let at = path.pieces.iter().rposition(|piece| matches!(piece, Piece::Text(known) if known.contains('/')));
    for (place, piece) in path.pieces.iter().enumerate() {
        match (piece, at) {
            (Piece::Text(known), Some(at)) if at == place => {
                let (before, after) = known.rsplit_once('/').unwrap_or(("", known));
                folder.push_str(before);
                folder.push_str("/");
                name.push_str(after);
            }
            (piece, Some(at)) if place < at => folder.push(piece.clone()),
            (piece, _) => name.push(piece.clone()),
        }
    }
    (folder, name)
}

/// Those that end so as well.
fn ended(known: &Text, end: &str) -> Text {
    let mut all = known.clone();
    match known.pieces.last() {
        Some(Piece::Glob(glob)) if glob.ends_with('*') => all.push_str(end),
        Some(Piece::Hole(_)) if !end.is_empty() => all.push_str(end),
        Some(Piece::Text(last)) if end.ends_with(&**last) => {
            all.pieces.pop();
            all.push_str(end);
        }
        _ => {}
    }
    all
}

/// Those that begin so as well.
fn started(known: &Text, start: &str) -> Text {
    match known.pieces.first() {
        Some(Piece::Glob(_) | Piece::Hole(_)) if !start.is_empty() => {
            let mut all = Text::literal(start);
            all.append(known);
            all
        }
        _ => known.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globbed(prefix: &str, end: &str) -> Value {
        let mut text = Text::literal(prefix);
        text.push(Piece::Glob("*".into()));
        text.push_str(end);
        Value::from(text)
    }

    fn ends(end: &str) -> Value {
        let mut text = Text::hole(Hole::new(HoleSource::Input));
        text.push_str(end);
        Value::from(text)
    }

    #[test]
    fn names_that_are_listed_are_those_that_a_condition_means() {
        assert_eq!(met(&globbed("/a/", ""), &ends(".log"), Part::Whole).to_string(), "/a/*.log");
        assert_eq!(met(&globbed("/a/", ""), &Value::text("b"), Part::Base).to_string(), "/a/b");
        assert_eq!(met(&globbed("/a/", ""), &ends(".pyc"), Part::Suffix).to_string(), "/a/*.pyc");
    }

    #[test]
    fn of_known_texts_only_those_are_left_that_fit() {
        let known = Value::text("/a/x.log").union(&Value::text("/a/y.txt"));
        assert_eq!(met(&known, &ends(".log"), Part::Whole).as_literal(), Some("/a/x.log"));
    }

    #[test]
    fn what_cannot_be_meant_changes_nothing() {
        let known = Value::text("/a/y.txt");
        assert_eq!(met(&known, &Value::text("z"), Part::Whole), known);
    }
}
