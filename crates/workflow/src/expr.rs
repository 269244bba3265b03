//! Expressions in the manner of CEL over the event, its effects, the state and facts: literals, lists, members,
//! comparisons, `&&`, `||`, `!`, `in`, `+`, `?:`, the usual text functions, and `exists`/`all` over lists.
//!
//! Total: what has no value is `null`, and every comparison with it but `!=` is false.

mod eval;
mod parse;

use serde::{Deserialize, Serialize};
use tollgate_model::json::Value;

/// A checked expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr(Term);

/// What the names at the beginning of a path stand for.
pub trait Scope {
    /// The value of a name; null when there is none.
    fn value(&self, name: &str) -> Value;
}

/// The names that an expression may begin with.
pub const ROOTS: [&str; 5] = ["event", "call", "effects", "state", "facts"];

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// When it is none: what is wrong, and the byte where.
    pub fn parse(text: &str) -> Result<Self, (String, usize)> {
        parse::parse(text).map(Self)
    }

    /// Does it hold?
    #[must_use]
    pub fn holds(&self, scope: &dyn Scope) -> bool {
        eval::truth(&eval::eval(&self.0, scope, &[]))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Term {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Term>),
    /// A root, or the variable of an `exists`.
    Name(String),
    Member(Box<Term>, String),
    Index(Box<Term>, Box<Term>),
    Not(Box<Term>),
    Two(Op, Box<Term>, Box<Term>),
    If(Box<Term>, Box<Term>, Box<Term>),
    Call(Function, Vec<Term>),
    /// Over a list, with a variable: `exists` (any) or `all`.
    Over {
        any: bool,
        list: Box<Term>,
        name: String,
        holds: Box<Term>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Op {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Plus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Function {
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    Size,
    Lower,
    Has,
}

const FUNCTIONS: [(&str, Function, usize); 7] = [
    ("contains", Function::Contains, 2),
    ("startsWith", Function::StartsWith, 2),
    ("endsWith", Function::EndsWith, 2),
    ("matches", Function::Matches, 2),
    ("size", Function::Size, 1),
    ("lowerAscii", Function::Lower, 1),
    ("has", Function::Has, 1),
];

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_model::json::parse;

    struct World;

    impl Scope for World {
        fn value(&self, name: &str) -> Value {
            let text = match name {
                "event" => r#"{"phase":"pre-tool","count":3}"#,
                "effects" => r#"[{"kind":"write","path":"/w/src/a.rs"},{"kind":"read","path":"/w/b"}]"#,
                "state" => r#"{"code":{"phase":"commit","is_active":true}}"#,
                _ => "null",
            };
            parse(text.as_bytes()).unwrap()
        }
    }

    #[test]
    fn expressions() {
        for (text, expected) in [
            ("true", true),
            ("!false && (false || true)", true),
            ("event.phase == 'pre-tool'", true),
            ("event.phase != \"stop\"", true),
            ("event.count >= 3 && event.count < 3.5", true),
            ("event.count == 3 ? false : true", false),
            ("event.nothing == 1", false),
            ("event.nothing == null", true),
            ("has(state.code.phase) && !has(state.plan.phase)", true),
            ("state['code'].phase in ['commit', 'refactor']", true),
            ("'phase' in state.code", true),
            ("effects.exists(e, e.kind == 'write' && e.path.endsWith('.rs'))", true),
            ("effects.all(e, e.path.startsWith('/w/src'))", false),
            ("effects.exists(e, e.path.matches('**/src/*.rs'))", true),
            ("size(effects) == 2 && effects.size() > 1", true),
            ("effects[1].kind == 'read' && effects[5] == null", true),
            ("('A' + 'b').lowerAscii() == 'ab'", true),
            ("1 + 2 == 3", true),
            ("'a' < 'b' && !('b' < 'a') && !('a' < 1)", true),
        ] {
            let expr = Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!(expr.holds(&World), expected, "{text}");
        }
    }

    #[test]
    fn wrong_expressions() {
        for (text, at, part) in [
            ("", 0, "ends too early"),
            ("event.phase =", 12, "unexpected"),
            ("evnt.phase == 1", 0, "did you mean `event`"),
            ("event.phase.contians('x')", 12, "did you mean `contains`"),
            ("'open", 0, "no end"),
            ("(true", 5, "ends too early"),
            ("true true", 5, "unexpected"),
            ("size()", 0, "takes 1"),
            ("effects.exists(1, true)", 15, "a name"),
        ] {
            let (message, place) = Expr::parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
            assert_eq!(place, at, "{text}: {message}");
        }
        assert!(Expr::parse(&"(".repeat(100_000)).is_err());
        assert!(Expr::parse(&"!".repeat(100_000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[a-z.()!&|='\" ,\\[\\]<>?:+0-9é]{0,40}|.{0,20}") {
            if let Ok(expr) = Expr::parse(&text) {
                let _ = expr.holds(&World);
            }
        }
    }
}
