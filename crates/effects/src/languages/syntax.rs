//! What a language looks like to the machine that runs it.

use std::rc::Rc;

use super::machine::Machine;
use super::ops::Op;
use super::token::{Tok, Token};
use super::value::Val;

/// What a language looks like.
pub(super) struct Syntax {
    /// Text to tokens.
    pub lex: fn(&str) -> Rc<[Token]>,
    /// Runs one statement. Always moves on.
    pub statement: fn(&mut Machine),
    /// A value at the place of one: literals are read before this is asked.
    pub primary: fn(&mut Machine, &Tok) -> Val,
    /// Strength and meaning of what stands between two values.
    pub operator: fn(&Tok) -> Option<(u8, Infix)>,
    /// What stands between a value and the name of a part of it.
    pub members: &'static [&'static str],
    /// Names may be called without brackets.
    pub bare_calls: bool,
    /// Statements are read without their blocks, so a variable is everything it was set to.
    pub flat: bool,
    /// A block of code that follows a call and belongs to it.
    pub block: fn(&mut Machine) -> Option<Val>,
    /// Brackets after a value may hold a range.
    pub slices: bool,
    /// The values of an argument that is made for every item of a list: `f(x for x in xs)`.
    pub generator: fn(&mut Machine) -> Option<Val>,
    /// A module by its name.
    pub module: fn(&mut Machine, &str) -> Val,
    /// What the library's functions do.
    pub function: fn(&str) -> Option<Op>,
    /// What methods do, whatever they are called on; that is their first argument.
    pub method: fn(&str) -> Option<Op>,
    /// The plain form of a library name.
    pub canonical: fn(&str) -> Option<String>,
    /// Is it of a library that does not come with the language?
    pub foreign: fn(&str) -> bool,
    /// The modules from which nothing may be picked by a name that is not known.
    pub risky: &'static [&'static str],
    /// What a child prints comes back to the program, and is not the program's own output.
    pub keeps_output: bool,
    /// An assignment in a function stays in it.
    pub local: bool,
    /// A text that is called is the function of that name.
    pub symbolic: bool,
    /// Arguments follow a function without brackets or commas.
    pub curried: bool,
    /// What a method calls the object that it is of.
    pub this: &'static str,
    /// What the method is called that makes an object; nothing where there are no classes.
    pub constructor: &'static str,
    /// What the method is called that runs when an object is called like a function.
    pub invoked: &'static str,
    /// What the names of variables begin with to which a list is given as a copy, not as the list itself.
    pub copying: &'static [char],
}

/// What stands between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    /// Sum, or one text after the other.
    Add,
    /// One text after the other.
    Join,
    /// Numbers: `-`, `*`, `^`, …
    Number(char),
    /// A path below a path, or a division.
    Slash,
    /// A format with its arguments, or a remainder.
    Format,
    /// Either of the two.
    Either,
    /// The first one.
    First,
    /// The second one.
    Second,
    /// Adds to a file, a list or a text.
    Push,
    /// The first argument of the call that follows.
    Feed,
    /// What stands right is the argument of what stands left.
    Call,
    /// Nothing stands between: one text after the other.
    Beside,
    /// A command whose output the next thing reads.
    Pipe,
    /// Sets what stands left.
    Assign,
    /// Adds to what stands left.
    AddAssign,
    /// Changes what stands left in some other way.
    OtherAssign,
    /// `a ? b : c`
    Choice,
    /// `b if a else c`
    ChoiceAfter,
    /// Compares for being the same.
    Equal,
    /// Is one of.
    Within,
    /// Fits a pattern, or is changed by what follows.
    Match,
    /// Anything else.
    Other,
}

/// For languages where no block belongs to a call, or no argument is made for every item of a list.
pub(super) fn no_block(_: &mut Machine) -> Option<Val> {
    None
}
