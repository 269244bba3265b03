//! Arithmetic: `(( … ))`, `$(( … ))`, the head of `for ((…))`, and telling them from subshells.

use std::collections::HashMap;

use super::Parser;
use super::quote::{ANSI_SPECIAL, ARITH, ARITH_HEADER, BACKTICK_SPECIAL};
use crate::ast::Arith;
use crate::lexer::{ByteSet, Cursor};

/// What is known about `((`: whether `))` closes it, by the place of its first parenthesis.
///
/// One look ahead settles every `((` inside the text it passes, so the looks are linear together. Where
/// the parser reads quotes in another way than the look did, it looks again, and `passed` bounds that.
#[derive(Default)]
pub(super) struct Lookahead {
    arith: HashMap<usize, bool>,
    passed: usize,
}

/// How many times the length of the text may be looked over before it is read.
const LOOKS: usize = 4;

/// How many brackets may be open in a look ahead; no expression that is meant has as many.
const MOST_OPEN: usize = 1_000;

impl Parser<'_> {
    /// Whether the `((` at `open` is arithmetic: its inner parenthesis closes right before the outer one.
    pub(super) fn is_arith(&mut self, open: usize) -> bool {
        if let Some(&known) = self.lookahead.arith.get(&open) {
            return known;
        }
        let passed = Look::run(self.at, open, &mut self.lookahead.arith);
        self.looked(passed);
        self.lookahead.arith.get(&open).copied().unwrap_or_default()
    }

    /// Counts bytes that were looked over, and stops when they have become too many for a linear time.
    pub(super) fn looked(&mut self, bytes: usize) {
        self.lookahead.passed += bytes;
        if self.lookahead.passed > LOOKS * self.at.text.len() {
            self.stop();
        }
    }

    /// Reads an expression and its `))`, from after the opening.
    pub(super) fn arith(&mut self, start: usize) -> Arith {
        let (word, _) = self.enclosed_word(&ARITH);
        self.close_arith(start);
        Arith { word }
    }

    fn close_arith(&mut self, start: usize) {
        if self.at.eat(b"))") {
            return;
        }
        if self.at.eat(b")") {
            self.unexpected_here();
        } else {
            self.unclosed(start);
        }
    }

    /// Reads `init; test; step))`.
    pub(super) fn arith_header(&mut self, start: usize) -> [Arith; 3] {
        let mut header = std::array::from_fn(|_| Arith { word: self.no_word() });
        let mut end = Some(b';');
        for (index, expression) in header.iter_mut().enumerate() {
            if index > 0 && end == Some(b';') {
                self.at.pos += 1;
            } else if index > 0 {
                self.unexpected_here();
                break;
            }
            let (word, next) = self.enclosed_word(&ARITH_HEADER);
            *expression = Arith { word };
            end = next;
        }
        if end == Some(b';') {
            self.unexpected_here();
            self.enclosed_word(&ARITH);
        }
        self.close_arith(start);
        header
    }
}

/// What is open at some place of a look ahead.
enum Open {
    Parenthesis {
        at: usize,
        /// It follows the one before it at once.
        twin: bool,
    },
    Brace,
    Double,
}

/// A pass over balanced parentheses that builds no tree.
struct Look<'s, 'm> {
    at: Cursor<'s>,
    open: Vec<Open>,
    arith: &'m mut HashMap<usize, bool>,
}

impl<'s, 'm> Look<'s, 'm> {
    /// Looks from the parenthesis at `open` to the one that closes it. Gives the number of bytes passed.
    fn run(at: Cursor<'s>, open: usize, arith: &'m mut HashMap<usize, bool>) -> usize {
        let mut look = Self { at: Cursor { pos: open, ..at }, open: Vec::new(), arith };
        look.parenthesis();
        while !look.open.is_empty() && look.open.len() < MOST_OPEN && look.step() {}
        look.abandon();
        look.at.pos - open
    }

    /// Goes over one token. False at the end of the text.
    fn step(&mut self) -> bool {
        self.at.run(&LOOK_SPECIAL);
        let Some(byte) = self.at.peek() else { return false };
        let double = matches!(self.open.last(), Some(Open::Double));
        let brace = matches!(self.open.last(), Some(Open::Brace));
        match byte {
            b'$' => self.dollar(double),
            b'\'' if !double => self.single(),
            b'"' if double => self.close(),
            b'"' => self.push(Open::Double),
            b'`' => self.backtick(),
            b'(' if !double && !brace => self.parenthesis(),
            b')' if !double && !brace => self.close_parenthesis(),
            b'}' if brace => self.close(),
            b'\\' => {
                self.at.pos += 1;
                self.at.bump();
            }
            _ => self.at.pos += 1,
        }
        true
    }

    fn push(&mut self, open: Open) {
        self.open.push(open);
        self.at.pos += 1;
    }

    fn close(&mut self) {
        self.open.pop();
        self.at.pos += 1;
    }

    /// Opens the parenthesis here, and the ones that follow it at once.
    fn parenthesis(&mut self) {
        let mut twin = false;
        while self.at.peek() == Some(b'(') && self.open.len() < MOST_OPEN {
            self.push(Open::Parenthesis { at: self.at.pos, twin });
            twin = true;
            self.at.join();
        }
    }

    fn close_parenthesis(&mut self) {
        let closed = self.open.pop();
        self.at.pos += 1;
        if let (Some(Open::Parenthesis { twin: true, .. }), Some(Open::Parenthesis { at, .. })) =
            (closed, self.open.last())
        {
            let doubled = self.at.byte(self.at.joined(self.at.pos)) == Some(b')');
            self.arith.insert(*at, doubled);
        }
    }

    fn dollar(&mut self, double: bool) {
        self.at.pos += 1;
        self.at.join();
        match self.at.peek() {
            Some(b'(') => self.parenthesis(),
            Some(b'{') => self.push(Open::Brace),
            Some(b'\'') if !double => {
                self.at.pos += 1;
                self.past_closing(&ANSI_SPECIAL);
            }
            _ => {}
        }
    }

    fn single(&mut self) {
        self.at.pos += 1;
        self.at.run_to(b'\'');
        self.at.bump();
    }

    fn backtick(&mut self) {
        self.at.pos += 1;
        self.past_closing(&BACKTICK_SPECIAL);
    }

    /// Goes past the next byte of `ends` that is not escaped; `ends` holds the backslash too.
    fn past_closing(&mut self, ends: &ByteSet) {
        loop {
            self.at.run(ends);
            let escaped = self.at.peek() == Some(b'\\');
            self.at.bump();
            if !escaped {
                return;
            }
            self.at.bump();
        }
    }

    /// What is still open at the end of the look is not closed by `))`.
    fn abandon(&mut self) {
        let mut outer = None;
        for open in self.open.drain(..) {
            if let (Some(outer), Open::Parenthesis { twin: true, .. }) = (outer, &open) {
                self.arith.insert(outer, false);
            }
            outer = match open {
                Open::Parenthesis { at, .. } => Some(at),
                _ => None,
            };
        }
    }
}

static LOOK_SPECIAL: ByteSet = ByteSet::of(b"$'\"`()}\\");
