use std::cmp::Ordering;

use tollgate_model::json::Value;
use tollgate_policy::glob;

use super::{Function, Op, Scope, Term};

type Bound = (String, Value);

pub(super) fn truth(value: &Value) -> bool {
    value.as_bool().unwrap_or_default()
}

pub(super) fn eval(term: &Term, scope: &dyn Scope, bound: &[Bound]) -> Value {
    let of = |term: &Term| eval(term, scope, bound);
    match term {
        Term::Null => Value::Null,
        Term::Bool(truth) => Value::Bool(*truth),
        Term::Number(number) => Value::Number(number.clone()),
        Term::Text(text) => Value::String(text.clone()),
        Term::List(terms) => Value::List(terms.iter().map(of).collect()),
        Term::Name(name) => match bound.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => value.clone(),
            None => scope.value(name),
        },
        Term::Member(inner, name) => of(inner).get(name).cloned().unwrap_or_default(),
        Term::Index(inner, index) => at(&of(inner), &of(index)),
        Term::Not(inner) => Value::Bool(!truth(&of(inner))),
        Term::Two(op, left, right) => two(*op, left, right, &of),
        Term::If(condition, yes, no) => of(if truth(&of(condition)) { yes } else { no }),
        Term::Call(function, terms) => call(*function, &terms.iter().map(of).collect::<Vec<_>>()),
        Term::Over { any, list, name, holds } => {
            let list = of(list);
            let items = list.as_list().unwrap_or_default();
            let mut inner = bound.to_vec();
            let mut test = |item: &Value| {
                inner.push((name.clone(), item.clone()));
                let held = truth(&eval(holds, scope, &inner));
                inner.pop();
                held
            };
            Value::Bool(if *any { items.iter().any(&mut test) } else { items.iter().all(&mut test) })
        }
    }
}

fn two(op: Op, left: &Term, right: &Term, of: &dyn Fn(&Term) -> Value) -> Value {
    let ordered = |wanted: fn(Ordering) -> bool| order(&of(left), &of(right)).is_some_and(wanted);
    match op {
        Op::Or => Value::Bool(truth(&of(left)) || truth(&of(right))),
        Op::And => Value::Bool(truth(&of(left)) && truth(&of(right))),
        Op::Equal => Value::Bool(equal(&of(left), &of(right))),
        Op::Unequal => Value::Bool(!equal(&of(left), &of(right))),
        Op::Less => Value::Bool(ordered(Ordering::is_lt)),
        Op::LessEqual => Value::Bool(ordered(Ordering::is_le)),
        Op::Greater => Value::Bool(ordered(Ordering::is_gt)),
        Op::GreaterEqual => Value::Bool(ordered(Ordering::is_ge)),
        Op::In => Value::Bool(holds(&of(right), &of(left))),
        Op::Plus => plus(of(left), of(right)),
    }
}

fn at(value: &Value, index: &Value) -> Value {
    let found = match (value, index) {
        (Value::Map(_), Value::String(key)) => value.get(key),
        (Value::List(items), Value::Number(number)) => {
            number.parse::<usize>().ok().and_then(|number| items.get(number))
        }
        _ => None,
    };
    found.cloned().unwrap_or_default()
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => order(a, b) == Some(Ordering::Equal),
        _ => a == b,
    }
}

fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.parse::<f64>().ok()?.partial_cmp(&b.parse::<f64>().ok()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::List(items), _) => items.iter().any(|item| equal(item, part)),
        (Value::Map(_), Value::String(key)) => whole.get(key).is_some(),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        _ => false,
    }
}

fn plus(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Value::String(a + &b),
        (Value::List(a), Value::List(b)) => Value::List(a.into_iter().chain(b).collect()),
        (Value::Number(a), Value::Number(b)) => match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(a), Ok(b)) => Value::Number(a.saturating_add(b).to_string()),
            _ => Value::Null,
        },
        _ => Value::Null,
    }
}

fn call(function: Function, values: &[Value]) -> Value {
    let texts = || match values {
        [Value::String(a), Value::String(b)] => Some((a.as_str(), b.as_str())),
        _ => None,
    };
    let test = |wanted: fn(&str, &str) -> bool| Value::Bool(texts().is_some_and(|(a, b)| wanted(a, b)));
    match (function, values) {
        (Function::Contains, [whole, part]) => Value::Bool(holds(whole, part)),
        (Function::StartsWith, _) => test(|a, b| a.starts_with(b)),
        (Function::EndsWith, _) => test(|a, b| a.ends_with(b)),
        (Function::Matches, _) => test(|path, pattern| {
            glob::expand(pattern).is_ok_and(|all| all.iter().any(|one| glob::matches(one, path)))
        }),
        (Function::Size, [Value::String(text)]) => (text.chars().count() as u64).into(),
        (Function::Size, [Value::List(items)]) => (items.len() as u64).into(),
        (Function::Size, [Value::Map(members)]) => (members.len() as u64).into(),
        (Function::Lower, [Value::String(text)]) => Value::String(text.to_lowercase()),
        (Function::Has, [value]) => Value::Bool(*value != Value::Null),
        _ => Value::Null,
    }
}
