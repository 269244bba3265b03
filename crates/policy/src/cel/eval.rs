//! Evaluation: total, pure, and bounded by steps.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use super::functions::call;
use super::{Fold, Object, Op, Root, Scope, Term, Val, time};

/// Why a condition has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It asks for something that is not there. Absence is an answer: what is asked of it does not hold.
    Absent(String),
    /// It could not be worked out. That is no answer.
    Failed(String),
}

impl Stop {
    /// What happened, for people.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::Absent(why) | Self::Failed(why) => why,
        }
    }

    /// The graver of two.
    fn with(self, other: Self) -> Self {
        if matches!(self, Self::Failed(_)) { self } else { other }
    }
}

pub(super) type Answer<'a> = Result<Val<'a>, Stop>;

pub(super) fn holds<'a>(
    term: &Term,
    scope: &dyn Scope<'a>,
    current: Option<usize>,
    steps: &Cell<u32>,
) -> Result<bool, Stop> {
    let mut run = Run { scope, current, steps, bound: Vec::new() };
    run.truth(term)
}

struct Run<'s, 'a> {
    scope: &'s dyn Scope<'a>,
    current: Option<usize>,
    steps: &'s Cell<u32>,
    bound: Vec<Answer<'a>>,
}

impl<'a> Run<'_, 'a> {
    fn eval(&mut self, term: &Term) -> Answer<'a> {
        self.pay(1)?;
        match term {
            Term::Null => Ok(Val::Null),
            Term::Bool(truth) => Ok(Val::Bool(*truth)),
            Term::Int(number) => Ok(Val::Int(*number)),
            Term::UInt(number) => Ok(Val::UInt(*number)),
            Term::Bytes(bytes) => Ok(Val::Bytes(bytes.clone())),
            Term::Double(bits) => Ok(Val::Double(f64::from_bits(*bits))),
            Term::Text(text) => Ok(Val::Text(Cow::Owned(text.clone()))),
            Term::List(terms) => {
                terms.iter().map(|term| self.eval(term)).collect::<Result<_, _>>().map(Val::List)
            }
            Term::Map(entries) => self.entries(entries),
            Term::Root(root) => self.root(*root),
            Term::Variable(slot) => self
                .bound
                .get(usize::from(*slot))
                .cloned()
                .unwrap_or_else(|| Err(failed("a variable is not bound".to_owned()))),
            Term::Member(of, name) => {
                let of = self.eval(of)?;
                self.member(&of, name)
            }
            Term::Has(of, name) => self.has(of, name),
            Term::Index(of, at) => {
                let (of, at) = (self.eval(of)?, self.eval(at)?);
                self.index(&of, &at)
            }
            Term::Not(inner) => self.truth(inner).map(|truth| Val::Bool(!truth)),
            Term::Negate(inner) => negate(&self.eval(inner)?),
            Term::NotFalse(inner) => Ok(Val::Bool(self.eval(inner) != Ok(Val::Bool(false)))),
            Term::Two(op, left, right) => self.two(*op, left, right),
            Term::If(condition, yes, no) => {
                let chosen = if self.truth(condition)? { yes } else { no };
                self.eval(chosen)
            }
            Term::Call(function, terms) => {
                let values = terms.iter().map(|term| self.eval(term)).collect::<Result<Vec<_>, _>>()?;
                self.pay(values.iter().map(Val::weight).sum())?;
                call(*function, &values)
            }
            Term::Fold(fold) => self.fold(fold),
        }
    }

    fn entries(&mut self, terms: &[(Term, Term)]) -> Answer<'a> {
        let mut entries: Vec<(Val, Val)> = Vec::with_capacity(terms.len());
        for (key, value) in terms {
            let (key, value) = (self.eval(key)?, self.eval(value)?);
            if !matches!(key, Val::Bool(_) | Val::Int(_) | Val::UInt(_) | Val::Text(_)) {
                return Err(failed(format!("{} is no key", key.kind())));
            }
            if entries.iter().any(|(other, _)| equal(other, &key)) {
                return Err(failed("a map has a key twice".to_owned()));
            }
            entries.push((key, value));
        }
        Ok(Val::Entries(entries))
    }

    fn pay(&self, steps: u32) -> Result<(), Stop> {
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or(0));
        left.map(drop).ok_or_else(|| Stop::Failed("it takes too many steps".to_owned()))
    }

    fn truth(&mut self, term: &Term) -> Result<bool, Stop> {
        match self.eval(term)? {
            Val::Bool(truth) => Ok(truth),
            other => Err(failed(format!("{} is not true or false", other.kind()))),
        }
    }

    fn root(&self, root: Root) -> Answer<'a> {
        Ok(match root {
            Root::Event => Val::Object(Object::Event),
            Root::Call => Val::Object(Object::Call),
            Root::Facts => Val::Object(Object::Facts),
            Root::State => Val::Object(Object::State),
            Root::Effects => {
                Val::List((0..self.scope.effects()).map(|at| Val::Object(Object::Effect(at))).collect())
            }
            Root::Effect => match self.current {
                Some(at) => Val::Object(Object::Effect(at)),
                None => return Err(Stop::Absent("the call has no effect".to_owned())),
            },
        })
    }

    fn member(&self, of: &Val<'a>, name: &str) -> Answer<'a> {
        let found = match of {
            Val::Object(Object::State) => {
                Some(self.scope.member(Object::State, name)).filter(|val| *val != Val::Null)
            }
            Val::Object(object) => Some(self.scope.member(*object, name)),
            Val::Map(members) => {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| Val::json(value))
            }
            Val::Entries(_) => return self.index(of, &Val::Text(Cow::Owned(name.to_owned()))),
            Val::Null => None,
            other => return Err(failed(format!("{} has no fields, so no `{name}`", other.kind()))),
        };
        found.ok_or_else(|| Stop::Absent(format!("there is no `{name}`")))
    }

    /// A field with a type is there when it says something; one of JSON when it is named.
    fn has(&mut self, of: &Term, name: &str) -> Answer<'a> {
        let of = self.eval(of)?;
        let typed = matches!(of, Val::Object(object) if object != Object::State);
        match self.member(&of, name) {
            Ok(value) => Ok(Val::Bool(!typed || !value.is_empty())),
            Err(Stop::Absent(_)) => Ok(Val::Bool(false)),
            Err(stop) => Err(stop),
        }
    }

    fn index(&self, of: &Val<'a>, at: &Val<'a>) -> Answer<'a> {
        match (of, at) {
            (Val::List(items), Val::Int(at)) => usize::try_from(*at)
                .ok()
                .and_then(|at| items.get(at).cloned())
                .ok_or_else(|| Stop::Absent(format!("there is no element {at}"))),
            (Val::List(_), Val::UInt(_) | Val::Double(_)) => match as_int(at) {
                Some(at) => self.index(of, &Val::Int(at)),
                None => Err(failed("an index is a whole number".to_owned())),
            },
            (Val::Entries(entries), _) => {
                let found = entries.iter().find(|(key, _)| equal(key, at)).map(|(_, value)| value.clone());
                found.ok_or_else(|| Stop::Absent("a map has no such key".to_owned()))
            }
            (Val::Map(_) | Val::Object(_) | Val::Null, Val::Text(key)) => self.member(of, key),
            _ => Err(failed(format!("{} cannot be found in {}", at.kind(), of.kind()))),
        }
    }

    fn two(&mut self, op: Op, left: &Term, right: &Term) -> Answer<'a> {
        match op {
            Op::Or => self.either(left, right, true),
            Op::And => self.either(left, right, false),
            _ => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                self.pay(left.weight().saturating_add(right.weight()))?;
                apply(op, left, right)
            }
        }
    }

    /// One side that settles it outweighs another that has no value.
    fn either(&mut self, left: &Term, right: &Term, settles: bool) -> Answer<'a> {
        let first = self.truth(left);
        if first == Ok(settles) {
            return Ok(Val::Bool(settles));
        }
        match (first, self.truth(right)) {
            (_, Ok(second)) if second == settles => Ok(Val::Bool(settles)),
            (Ok(_), Ok(_)) => Ok(Val::Bool(!settles)),
            (Err(first), Err(second)) => Err(first.with(second)),
            (Err(stop), _) | (_, Err(stop)) => Err(stop),
        }
    }

    fn fold(&mut self, fold: &Fold) -> Answer<'a> {
        let items = match self.eval(&fold.range)? {
            Val::List(items) => items,
            Val::Map(members) => members.iter().map(|(key, _)| Val::text(key)).collect(),
            Val::Entries(entries) => entries.into_iter().map(|(key, _)| key).collect(),
            other => return Err(failed(format!("{} is no list", other.kind()))),
        };
        let slot = self.bound.len();
        let start = self.eval(&fold.start);
        self.bound.push(start);
        let result = self.walk(items, fold, slot);
        self.bound.truncate(slot);
        result
    }

    /// An element without a value does not end the loop: a later one may settle the whole.
    fn walk(&mut self, items: Vec<Val<'a>>, fold: &Fold, slot: usize) -> Answer<'a> {
        for item in items {
            self.bound.push(Ok(item));
            let goes_on = self.truth(&fold.goes_on);
            let next = if goes_on == Ok(true) { Some(self.eval(&fold.step)) } else { None };
            self.bound.truncate(slot + 1);
            match (goes_on, next, self.bound.last_mut()) {
                (Err(stop), ..) => return Err(stop),
                (_, Some(next), Some(total)) => *total = next,
                _ => break,
            }
        }
        self.eval(&fold.result)
    }
}

fn apply<'a>(op: Op, left: Val<'a>, right: Val<'a>) -> Answer<'a> {
    let ordered = |wanted: fn(Ordering) -> bool| {
        let order = order(&left, &right);
        order
            .map(|order| Val::Bool(wanted(order)))
            .ok_or_else(|| failed(format!("{} and {} cannot be put in order", left.kind(), right.kind())))
    };
    match op {
        Op::Equal => Ok(Val::Bool(equal(&left, &right))),
        Op::Unequal => Ok(Val::Bool(!equal(&left, &right))),
        Op::Less => ordered(Ordering::is_lt),
        Op::LessEqual => ordered(Ordering::is_le),
        Op::Greater => ordered(Ordering::is_gt),
        Op::GreaterEqual => ordered(Ordering::is_ge),
        Op::In => holds_in(&left, &right),
        Op::Plus => plus(left, right),
        _ => arithmetic(op, &left, &right),
    }
}

fn equal(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::Int(_) | Val::UInt(_) | Val::Double(_), Val::Int(_) | Val::UInt(_) | Val::Double(_)) => {
            order(left, right) == Some(Ordering::Equal)
        }
        (Val::List(left), Val::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Val::Entries(_) | Val::Map(_), Val::Entries(_) | Val::Map(_)) => {
            let (left, right) = (pairs(left), pairs(right));
            let holds = |(key, value): &(Val, Val)| {
                right.iter().any(|(other, with)| equal(key, other) && equal(value, with))
            };
            left.len() == right.len() && left.iter().all(holds)
        }
        _ => left == right,
    }
}

/// The keys and values of a map, whoever wrote it.
fn pairs<'a>(map: &Val<'a>) -> Vec<(Val<'a>, Val<'a>)> {
    match map {
        Val::Entries(entries) => entries.clone(),
        Val::Map(members) => members.iter().map(|(key, value)| (Val::text(key), Val::json(value))).collect(),
        _ => Vec::new(),
    }
}

fn order(left: &Val, right: &Val) -> Option<Ordering> {
    match (left, right) {
        (Val::Double(left), Val::Double(right)) => left.partial_cmp(right),
        (Val::Double(left), _) => left.partial_cmp(&double(whole(right)?)),
        (_, Val::Double(right)) => double(whole(left)?).partial_cmp(right),
        (Val::Text(left), Val::Text(right)) => Some(left.cmp(right)),
        (Val::Bool(left), Val::Bool(right)) => Some(left.cmp(right)),
        (Val::Bytes(left), Val::Bytes(right)) => Some(left.cmp(right)),
        (Val::Moment(left), Val::Moment(right)) | (Val::Span(left), Val::Span(right)) => {
            Some(left.cmp(right))
        }
        _ => Some(whole(left)?.cmp(&whole(right)?)),
    }
}

/// A whole number, of either kind.
fn whole(value: &Val) -> Option<i128> {
    match value {
        Val::Int(number) => Some(i128::from(*number)),
        Val::UInt(number) => Some(i128::from(*number)),
        _ => None,
    }
}

/// A number without a part, as an index.
#[expect(clippy::cast_possible_truncation, reason = "it has no part, and is in range")]
fn as_int(value: &Val) -> Option<i64> {
    match value {
        Val::Double(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(*number as i64),
        _ => i64::try_from(whole(value)?).ok(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "what comparing unlike numbers means")]
fn double(number: i128) -> f64 {
    number as f64
}

fn holds_in<'a>(part: &Val, whole: &Val) -> Answer<'a> {
    match (whole, part) {
        (Val::List(items), _) => Ok(Val::Bool(items.iter().any(|item| equal(item, part)))),
        (Val::Entries(entries), _) => Ok(Val::Bool(entries.iter().any(|(key, _)| equal(key, part)))),
        (Val::Map(members), Val::Text(key)) => Ok(Val::Bool(members.iter().any(|(name, _)| name == key))),
        _ => Err(failed(format!("{} cannot be in {}", part.kind(), whole.kind()))),
    }
}

fn plus<'a>(left: Val<'a>, right: Val<'a>) -> Answer<'a> {
    match (left, right) {
        (Val::Text(left), Val::Text(right)) => Ok(Val::Text(left + right)),
        (Val::List(mut left), Val::List(right)) => {
            left.extend(right);
            Ok(Val::List(left))
        }
        (Val::Bytes(left), Val::Bytes(right)) => Ok(Val::Bytes([left, right].concat())),
        (left, right) => arithmetic(Op::Plus, &left, &right),
    }
}

fn arithmetic<'a>(op: Op, left: &Val, right: &Val) -> Answer<'a> {
    match (left, right) {
        (Val::Int(_), Val::Int(_)) => {
            let result = reckoned(op, left, right).and_then(|number| i64::try_from(number).ok());
            result.map(Val::Int).ok_or_else(|| failed(OUT_OF_RANGE.to_owned()))
        }
        (Val::UInt(_), Val::UInt(_)) => {
            let result = reckoned(op, left, right).and_then(|number| u64::try_from(number).ok());
            result.map(Val::UInt).ok_or_else(|| failed(OUT_OF_RANGE.to_owned()))
        }
        (Val::Moment(_) | Val::Span(_), Val::Moment(_) | Val::Span(_)) => {
            of_time(op, left, right).ok_or_else(|| failed("a time is out of range".to_owned()))
        }
        (Val::Double(left), Val::Double(right)) => match op {
            Op::Plus => Ok(Val::Double(left + right)),
            Op::Minus => Ok(Val::Double(left - right)),
            Op::Times => Ok(Val::Double(left * right)),
            Op::Divide => Ok(Val::Double(left / right)),
            _ => Err(failed("only whole numbers have a remainder".to_owned())),
        },
        _ => Err(failed(format!("{} and {} cannot be reckoned with", left.kind(), right.kind()))),
    }
}

const OUT_OF_RANGE: &str = "a number is out of range, or divided by zero";

/// Of two whole numbers, in a range that holds both kinds.
fn reckoned(op: Op, left: &Val, right: &Val) -> Option<i128> {
    let (left, right) = (whole(left)?, whole(right)?);
    match op {
        Op::Plus => left.checked_add(right),
        Op::Minus => left.checked_sub(right),
        Op::Times => left.checked_mul(right),
        Op::Divide => left.checked_div(right),
        _ => left.checked_rem(right),
    }
}

fn negate<'a>(value: &Val) -> Answer<'a> {
    match value {
        Val::Int(number) => {
            number.checked_neg().map(Val::Int).ok_or_else(|| failed("a number is too big".to_owned()))
        }
        Val::Double(number) => Ok(Val::Double(-number)),
        other => Err(failed(format!("{} has no negative", other.kind()))),
    }
}

/// Moments and spans, added and taken away. None where that gives no time.
fn of_time<'a>(op: Op, left: &Val, right: &Val) -> Option<Val<'a>> {
    match (left, op, right) {
        (Val::Moment(moment), Op::Plus, Val::Span(span))
        | (Val::Span(span), Op::Plus, Val::Moment(moment)) => {
            time::in_calendar(moment + span).map(Val::Moment)
        }
        (Val::Moment(moment), Op::Minus, Val::Span(span)) => {
            time::in_calendar(moment - span).map(Val::Moment)
        }
        (Val::Moment(left), Op::Minus, Val::Moment(right)) => time::in_bounds(left - right).map(Val::Span),
        (Val::Span(left), Op::Plus, Val::Span(right)) => time::in_bounds(left + right).map(Val::Span),
        (Val::Span(left), Op::Minus, Val::Span(right)) => time::in_bounds(left - right).map(Val::Span),
        _ => None,
    }
}

pub(super) fn failed(why: String) -> Stop {
    Stop::Failed(why)
}
