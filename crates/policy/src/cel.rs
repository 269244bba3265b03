//! Conditions in CEL, the Common Expression Language: text → a small form of our own that a snapshot can hold, and
//! its evaluation, which is pure and bounded.
//!
//! The `cel` crate parses, when a policy is built. What an event meets is only `Condition::holds`.

mod calls;
mod eval;
mod functions;
mod lower;
mod time;
mod types;
mod value;

use std::cell::Cell;

use serde::{Deserialize, Serialize};

pub use eval::Stop;
pub use types::{Field, ROOTS, Type, fields};
pub use value::{Object, Val};

/// A checked condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    term: Term,
    /// It names `effect`: it is asked about each effect of a call.
    each: bool,
}

/// What is wrong with a condition: the bytes that are, what, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// First byte, and the one after the last.
    pub bytes: (usize, usize),
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// What a condition may look at.
pub trait Scope<'a> {
    /// How many effects the call has.
    fn effects(&self) -> usize;
    /// A field of an object.
    fn member(&self, of: Object, field: &str) -> Val<'a>;
}

impl Condition {
    /// Reads and checks a condition.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn compile(text: &str) -> Result<Self, Vec<Wrong>> {
        lower::compile(text)
    }

    /// Is it about single effects, so that it is to be asked about each?
    #[must_use]
    pub fn is_about_each_effect(&self) -> bool {
        self.each
    }

    /// Does it hold? `current` is what `effect` stands for; `steps` is what is left of the budget.
    ///
    /// # Errors
    /// When it has no value: something is absent, or it could not be worked out.
    pub fn holds<'a>(
        &self,
        scope: &dyn Scope<'a>,
        current: Option<usize>,
        steps: &Cell<u32>,
    ) -> Result<bool, Stop> {
        eval::holds(&self.term, scope, current, steps)
    }
}

/// The lowered form. Variables are numbered by the order in which they are bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Term {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    /// The bits, so that conditions can be compared.
    Double(u64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Term>),
    Map(Vec<(Term, Term)>),
    Root(Root),
    Variable(u16),
    Member(Box<Term>, String),
    Has(Box<Term>, String),
    Index(Box<Term>, Box<Term>),
    Not(Box<Term>),
    Negate(Box<Term>),
    /// True unless its operand is false: what a loop goes on by.
    NotFalse(Box<Term>),
    Two(Op, Box<Term>, Box<Term>),
    If(Box<Term>, Box<Term>, Box<Term>),
    /// By its place among the functions.
    Call(u8, Vec<Term>),
    /// What the macros over lists and maps come to.
    Fold(Box<Fold>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Fold {
    range: Term,
    start: Term,
    goes_on: Term,
    step: Term,
    result: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Root {
    Event,
    Call,
    Effect,
    Effects,
    Facts,
    State,
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
    Minus,
    Times,
    Divide,
    Modulo,
}

#[cfg(test)]
mod tests;
