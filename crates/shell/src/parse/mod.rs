//! Shell text to a syntax tree: a recursive descent over the bytes, in one pass.
//!
//! Invariants: every loop consumes text or leaves; every recursion goes through `nested`, so that its
//! depth is bounded; a problem is recorded in the ledger and reading goes on.

mod ansi;
mod arith;
mod compound;
mod cond;
mod deceptive;
mod dollar;
mod heredoc;
mod list;
mod param;
mod quote;
mod redirect;
mod simple;
mod word;
mod zsh;

pub use deceptive::first_lookalike;

use tollgate_model::{Span, work};

use crate::ast::{Dialect, Problem, ProblemKind, Script};
use crate::budget::Limits;
use crate::lexer::{Cursor, Keyword};
use arith::Lookahead;
use heredoc::Heredocs;

/// Reads a script within the limits for its size. Never fails: see `Script::problems`.
#[must_use]
pub fn parse(source: &str, dialect: Dialect) -> Script {
    Limits::for_text(source.len()).parse(source, dialect)
}

impl Limits {
    /// Reads a script within these limits. What lies beyond them is left out, with a `Budget` problem.
    #[must_use]
    pub fn parse(&self, source: &str, dialect: Dialect) -> Script {
        let text = source.get(..source.floor_char_boundary(self.text)).unwrap_or_default();
        work::charge(text.len() / 2);
        let mut parser = Parser::new(text, dialect, *self);
        parser.note_nul();
        let mut script = parser.script(Closers::NONE);
        parser.fill_heredocs(&mut script);
        parser.note_direction();
        let Ledger { mut problems, stopped, .. } = parser.ledger;
        if text.len() < source.len() && !stopped {
            problems.push(Problem { span: Span::new(text.len(), source.len()), kind: ProblemKind::Budget });
        }
        script.span = Span::new(0, source.len());
        script.problems = problems;
        script
    }
}

/// What ends a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Closers(u16);

impl Closers {
    const NONE: Self = Self(0);
    const PAREN: Self = Self(1);
    const BRACE: Self = Self(1 << 1);
    const THEN: Self = Self(1 << 2);
    const ELSE: Self = Self(1 << 3);
    const FI: Self = Self(1 << 4);
    const DO: Self = Self(1 << 5);
    const DONE: Self = Self(1 << 6);
    const ESAC: Self = Self(1 << 7);
    /// `;;` and its like.
    const ARM: Self = Self(1 << 8);
    /// zsh: `{` right after a condition, and `end`.
    const OPEN: Self = Self(1 << 9);
    const END: Self = Self(1 << 10);

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn of(keyword: Keyword) -> Self {
        match keyword {
            Keyword::CloseBrace => Self::BRACE,
            Keyword::Then => Self::THEN,
            Keyword::Elif | Keyword::Else => Self::ELSE,
            Keyword::Fi => Self::FI,
            Keyword::Do => Self::DO,
            Keyword::Done => Self::DONE,
            Keyword::Esac => Self::ESAC,
            Keyword::End => Self::END,
            _ => Self::NONE,
        }
    }
}

/// What a parse has used and found so far; handed on to the parsers of inner texts.
#[derive(Default)]
struct Ledger {
    limits: Limits,
    nodes: usize,
    problems: Vec<Problem>,
    /// Where bodies of heredocs lie that nothing expands.
    data: Vec<(usize, usize)>,
    stopped: bool,
}

struct Parser<'s> {
    at: Cursor<'s>,
    dialect: Dialect,
    /// Set when the text is not verbatim in the source: then every span is this one.
    fixed: Option<Span>,
    depth: usize,
    /// What the enclosing constructs, up to the innermost substitution, are waiting for.
    waits: Closers,
    /// What closes the innermost substitution.
    substitution: Closers,
    heredocs: Heredocs,
    lookahead: Lookahead,
    ledger: Ledger,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, dialect: Dialect, limits: Limits) -> Self {
        Self {
            at: Cursor::new(text),
            dialect,
            fixed: None,
            depth: 0,
            waits: Closers::NONE,
            substitution: Closers::NONE,
            heredocs: Heredocs::default(),
            lookahead: Lookahead::default(),
            ledger: Ledger { limits, ..Ledger::default() },
        }
    }

    /// Reads `text`, which is not verbatim in the source, with a parser of its own.
    fn elsewhere<T>(&mut self, text: &str, span: Span, read: impl FnOnce(&mut Parser) -> T) -> T {
        let ledger = std::mem::take(&mut self.ledger);
        let mut inner = Parser::new(text, self.dialect, ledger.limits);
        inner.ledger = ledger;
        inner.fixed = Some(span);
        inner.depth = self.depth;
        inner.halt_if_stopped();
        let result = read(&mut inner);
        self.ledger = inner.ledger;
        self.halt_if_stopped();
        result
    }

    /// Reads the part of the text from `start` to `end` and stands where it stood before.
    fn within<T>(&mut self, start: usize, end: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.at;
        self.at = Cursor { text: outer.slice(0, end), pos: start };
        self.halt_if_stopped();
        let result = read(self);
        self.at = outer;
        self.halt_if_stopped();
        result
    }

    /// Goes one level deeper, unless the limit is reached: then reading stops.
    fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= self.ledger.limits.depth {
            self.stop();
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Counts nodes and stops when there are too many.
    fn count(&mut self, nodes: usize) {
        self.ledger.nodes += nodes;
        if self.ledger.nodes > self.ledger.limits.nodes {
            self.stop();
        }
    }

    /// Stops reading for good: the rest of the text is not looked at.
    fn stop(&mut self) {
        if !self.ledger.stopped {
            let span = self.span(self.at.pos, self.at.text.len());
            self.ledger.problems.push(Problem { span, kind: ProblemKind::Budget });
            self.ledger.stopped = true;
        }
        self.halt_if_stopped();
    }

    fn halt_if_stopped(&mut self) {
        if self.ledger.stopped {
            self.at.pos = self.at.text.len();
        }
    }

    /// Goes on at `pos`, unless reading has stopped.
    fn resume(&mut self, pos: usize) {
        self.at.pos = pos;
        self.halt_if_stopped();
    }

    /// Records a problem from `start` to `end`. After a stop nothing more is worth saying.
    fn problem(&mut self, kind: ProblemKind, start: usize, end: usize) {
        if self.ledger.stopped {
            return;
        }
        let span = self.span(start, end);
        self.ledger.problems.push(Problem { span, kind });
        self.count(1);
    }

    /// Records that what started at `start` never closes.
    fn unclosed(&mut self, start: usize) {
        self.problem(ProblemKind::Unclosed, start, self.at.pos);
    }

    /// Records that something else was expected here.
    fn unexpected_here(&mut self) {
        let mut end = self.at;
        end.bump();
        self.problem(ProblemKind::Unexpected, self.at.pos, end.pos);
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.fixed.unwrap_or_else(|| Span::new(start, end))
    }

    fn is_zsh(&self) -> bool {
        self.dialect == Dialect::Zsh
    }

    /// The reserved word here.
    fn keyword(&self) -> Option<Keyword> {
        self.at.keyword(self.dialect).map(|(keyword, _)| keyword)
    }

    /// Consumes `keyword` when it stands here.
    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        match self.at.keyword(self.dialect) {
            Some((found, end)) if found == keyword => {
                self.at.pos = end;
                true
            }
            _ => false,
        }
    }

    /// Skips spaces and a comment, but no newline.
    fn blanks(&mut self) {
        self.at.spaces();
        if self.at.peek() == Some(b'#') {
            let start = self.at.pos;
            let comment = self.at.run_to(b'\n');
            self.note_comment(comment, start);
        }
    }

    /// Skips blanks and newlines; the bodies of heredocs begin after a newline.
    fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.at.peek() != Some(b'\n') {
                return;
            }
            self.at.pos += 1;
            self.read_heredocs();
        }
    }

    fn note_nul(&mut self) {
        if let Some(at) = self.at.text.find('\0') {
            self.problem(ProblemKind::StrangeByte, at, at + 1);
        }
    }
}
