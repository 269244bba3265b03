//! What `test` answers, where that is certain.

use super::super::Field;
use super::super::compound::Tri;
use crate::ast::Dialect;
use crate::value::{Text, Value};

/// The letters of tests of one word.
pub(super) const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";

/// Tests of two words.
const BINARY: &[&str] =
    &["=", "==", "!=", "<", ">", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];

/// The answer of `test` to arguments whose number is known.
pub(super) fn test(args: &[Field], dialect: Dialect) -> Tri {
    match args {
        [] => Tri::No,
        [only] => filled(&only.value),
        [not, only] if is(not, "!") => filled(&only.value).not(),
        [operator, operand] => {
            operator.value.as_literal().map_or(Tri::Maybe, |name| unary(name, &operand.value))
        }
        [left, operator, right] => three(left, operator, right, dialect),
        [not, left, operator, right] if is(not, "!") => three(left, operator, right, dialect).not(),
        _ => {
            let mut reader = Reader { rest: args, dialect, depth: 0 };
            reader.or().filter(|_| reader.rest.is_empty()).unwrap_or(Tri::Maybe)
        }
    }
}

fn is(field: &Field, text: &str) -> bool {
    field.value.as_literal() == Some(text)
}

fn three(left: &Field, operator: &Field, right: &Field, dialect: Dialect) -> Tri {
    match operator.value.as_literal() {
        Some("-a") => filled(&left.value).and(filled(&right.value)),
        Some("-o") => filled(&left.value).or(filled(&right.value)),
        Some(name) if BINARY.contains(&name) => compare(name, &left.value, &right.value, dialect),
        Some(name) if is(left, "!") => unary(name, &right.value).not(),
        _ => Tri::Maybe,
    }
}

/// Five and more words, as POSIX lets a shell read them: `!` belongs to the next test, `-a` binds more closely than `-o`.
/// Nothing is answered where a word may be an operator or not.
struct Reader<'a> {
    rest: &'a [Field],
    dialect: Dialect,
    depth: u32,
}

impl Reader<'_> {
    fn or(&mut self) -> Option<Tri> {
        let mut answer = self.and()?;
        while self.eat("-o") {
            answer = answer.or(self.and()?);
        }
        Some(answer)
    }

    fn and(&mut self) -> Option<Tri> {
        let mut answer = self.one()?;
        while self.eat("-a") {
            answer = answer.and(self.one()?);
        }
        Some(answer)
    }

    fn one(&mut self) -> Option<Tri> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let compares = |field: &Field| field.value.as_literal().map(|name| BINARY.contains(&name));
        if let [first, second, ..] = self.rest
            && (is(first, "!") || is(first, "("))
            && compares(second) == Some(true)
        {
            return None;
        }
        if self.eat("!") {
            return Some(self.one()?.not());
        }
        if self.eat("(") {
            let answer = self.or()?;
            return self.eat(")").then_some(answer);
        }
        match self.rest {
            // Whatever the first word, the second makes it a comparison if it is such an operator.
            [left, operator, right, rest @ ..] if compares(operator)? => {
                self.rest = rest;
                Some(compare(operator.value.as_literal()?, &left.value, &right.value, self.dialect))
            }
            [operator, operand, rest @ ..] if is_unary(operator)? => {
                self.rest = rest;
                Some(unary(operator.value.as_literal()?, &operand.value))
            }
            [only, rest @ ..] => {
                self.rest = rest;
                Some(filled(&only.value))
            }
            [] => None,
        }
    }

    fn eat(&mut self, wanted: &str) -> bool {
        match self.rest {
            [first, rest @ ..] if is(first, wanted) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }
}

/// `None` where the word is not known: it may be one.
fn is_unary(field: &Field) -> Option<bool> {
    let mut letters = field.value.as_literal()?.strip_prefix('-').unwrap_or_default().chars();
    Some(letters.next().is_some_and(|letter| UNARY.contains(letter)) && letters.next().is_none())
}

/// dash knows no `==`, and says so.
fn compare(operator: &str, left: &Value, right: &Value, dialect: Dialect) -> Tri {
    if operator == "==" && dialect == Dialect::Posix {
        return Tri::Maybe;
    }
    binary(operator, left, right)
}

pub(super) fn filled(value: &Value) -> Tri {
    Tri::all(value.any.iter().map(|text| match text {
        text if text.is_empty() => Tri::No,
        text if text.maybe_empty() => Tri::Maybe,
        _ => Tri::Yes,
    }))
}

pub(super) fn unary(operator: &str, operand: &Value) -> Tri {
    match operator {
        "-n" => filled(operand),
        "-z" => filled(operand).not(),
        _ => Tri::Maybe,
    }
}

pub(super) fn binary(operator: &str, left: &Value, right: &Value) -> Tri {
    let pairs = || left.any.iter().flat_map(|left| right.any.iter().map(move |right| (left, right)));
    match operator {
        "=" | "==" => Tri::all(pairs().map(|(left, right)| same(left, right))),
        "!=" => Tri::all(pairs().map(|(left, right)| same(left, right))).not(),
        "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
            Tri::all(pairs().map(|(left, right)| Tri::from(compared(operator, left, right))))
        }
        _ => Tri::Maybe,
    }
}

fn same(left: &Text, right: &Text) -> Tri {
    match (left.as_literal(), right.as_literal()) {
        (Some(left), Some(right)) => Tri::from(Some(left == right)),
        (Some(""), None) if !right.maybe_empty() => Tri::No,
        (None, Some("")) if !left.maybe_empty() => Tri::No,
        _ => Tri::Maybe,
    }
}

fn compared(operator: &str, left: &Text, right: &Text) -> Option<bool> {
    let number = |text: &Text| text.as_literal()?.trim().parse::<i64>().ok();
    let (left, right) = (number(left)?, number(right)?);
    Some(match operator {
        "-eq" => left == right,
        "-ne" => left != right,
        "-lt" => left < right,
        "-le" => left <= right,
        "-gt" => left > right,
        _ => left >= right,
    })
}
