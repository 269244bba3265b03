//! Shell patterns: `*`, `?`, `[…]` and the extended forms `@(a|b)`, `?( )`, `*( )`, `+( )`, `!( )`.

use tollgate_model::work;

use crate::value::{Piece, Text};

const FUEL: u32 = 200_000;
const DEPTH: u32 = 200;

/// A pattern ready to be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    tokens: Vec<Token>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    Any,
    Star,
    /// A run of text that is not known.
    Hole,
    Class {
        negated: bool,
        items: Vec<ClassItem>,
    },
    Group {
        kind: char,
        arms: Vec<Vec<Token>>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ClassItem {
    Range(char, char),
    Named(String),
}

/// A character of a pattern before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sym {
    Literal(char),
    Active(char),
    Hole,
}

impl Pattern {
    /// Reads a text: `Glob` pieces are active, `Text` pieces stand for themselves.
    #[must_use]
    pub fn new(text: &Text) -> Self {
        let mut syms = Vec::new();
        for piece in &text.pieces {
            match piece {
                Piece::Text(text) => syms.extend(text.chars().map(Sym::Literal)),
                Piece::Glob(text) => syms.extend(text.chars().map(Sym::Active)),
                Piece::Hole(_) => syms.push(Sym::Hole),
            }
        }
        Self { tokens: Reader { syms: &syms, at: 0 }.tokens(0) }
    }

    /// Whether the whole of `subject` matches; `None` when the pattern is not known well enough.
    #[must_use]
    pub fn matches(&self, subject: &str) -> Option<bool> {
        let chars: Vec<char> = subject.chars().collect();
        self.matches_chars(&chars, &mut Fuel::default())
    }

    /// The text it stands for, when it has no active character.
    #[must_use]
    pub fn as_literal(&self) -> Option<String> {
        self.tokens.iter().map(|token| if let Token::Char(c) = token { Some(*c) } else { None }).collect()
    }

    /// Matches everything.
    pub(super) fn is_star(&self) -> bool {
        !self.tokens.is_empty() && self.tokens.iter().all(|token| *token == Token::Star)
    }

    /// `*/`: all that stands before a name.
    pub(super) fn is_folder(&self) -> bool {
        self.tokens == [Token::Star, Token::Char('/')]
    }

    /// `/*`: a name with the sign before it.
    pub(super) fn is_name(&self) -> bool {
        self.tokens == [Token::Char('/'), Token::Star]
    }

    /// Certainly matches exactly one character, and no `/` rules apply.
    pub(super) fn is_one_char(&self) -> bool {
        matches!(self.tokens.as_slice(), [Token::Char(_) | Token::Any | Token::Class { .. }])
    }

    pub(super) fn matches_chars(&self, subject: &[char], fuel: &mut Fuel) -> Option<bool> {
        run(&self.tokens, subject, fuel)
    }

    /// Where the match that starts at the front of `subject` ends.
    pub(super) fn prefix(&self, subject: &[char], longest: bool, fuel: &mut Fuel) -> Option<Option<usize>> {
        let ends = 0..=subject.len();
        let try_end =
            |end: usize, fuel: &mut Fuel| run(&self.tokens, subject.get(..end).unwrap_or_default(), fuel);
        first_hit(if longest { Box::new(ends.rev()) } else { Box::new(ends) }, try_end, fuel)
    }

    /// Where the match that ends at the back of `subject` starts.
    pub(super) fn suffix(&self, subject: &[char], longest: bool, fuel: &mut Fuel) -> Option<Option<usize>> {
        let starts = 0..=subject.len();
        let try_start =
            |start: usize, fuel: &mut Fuel| run(&self.tokens, subject.get(start..).unwrap_or_default(), fuel);
        first_hit(if longest { Box::new(starts) } else { Box::new(starts.rev()) }, try_start, fuel)
    }
}

/// Bounds the work of matching.
#[derive(Debug)]
pub(super) struct Fuel {
    left: u32,
    depth: u32,
}

impl Default for Fuel {
    fn default() -> Self {
        Self { left: FUEL, depth: DEPTH }
    }
}

impl Fuel {
    fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        work::charge(1).then_some(())
    }

    fn deeper(&mut self, inside: impl FnOnce(&mut Self) -> Option<bool>) -> Option<bool> {
        self.depth = self.depth.checked_sub(1)?;
        let result = inside(self);
        self.depth += 1;
        result
    }
}

fn first_hit(
    positions: Box<dyn Iterator<Item = usize>>,
    mut attempt: impl FnMut(usize, &mut Fuel) -> Option<bool>,
    fuel: &mut Fuel,
) -> Option<Option<usize>> {
    for position in positions {
        if attempt(position, fuel)? {
            return Some(Some(position));
        }
    }
    Some(None)
}

/// `None` when the answer depends on a hole, or the fuel is used up.
fn run(mut tokens: &[Token], mut subject: &[char], fuel: &mut Fuel) -> Option<bool> {
    loop {
        fuel.spend()?;
        let Some((token, rest)) = tokens.split_first() else { return Some(subject.is_empty()) };
        match token {
            Token::Hole => return None,
            Token::Star => return fuel.deeper(|fuel| run_star(rest, subject, fuel)),
            Token::Group { kind, arms } => {
                return fuel.deeper(|fuel| run_group(*kind, arms, rest, subject, fuel));
            }
            one => match subject.split_first() {
                Some((c, others)) if matches_one(one, *c) => (tokens, subject) = (rest, others),
                _ => return Some(false),
            },
        }
    }
}

fn run_star(rest: &[Token], subject: &[char], fuel: &mut Fuel) -> Option<bool> {
    if rest.is_empty() {
        return Some(true);
    }
    for start in 0..=subject.len() {
        let others = subject.get(start..).unwrap_or_default();
        // Most starting points fail on the first literal character; skip them without a call.
        if let Some(Token::Char(first)) = rest.first()
            && others.first() != Some(first)
        {
            fuel.spend()?;
            continue;
        }
        if run(rest, others, fuel)? {
            return Some(true);
        }
    }
    Some(false)
}

fn run_group(
    kind: char,
    arms: &[Vec<Token>],
    rest: &[Token],
    subject: &[char],
    fuel: &mut Fuel,
) -> Option<bool> {
    if matches!(kind, '?' | '*') && run(rest, subject, fuel)? {
        return Some(true);
    }
    for end in 0..=subject.len() {
        let (head, tail) = subject.split_at_checked(end)?;
        let mut hit = false;
        for arm in arms {
            hit = hit || run(arm, head, fuel)?;
        }
        let hit = if kind == '!' { !hit } else { hit };
        if !hit {
            continue;
        }
        let again = matches!(kind, '*' | '+')
            && end > 0
            && fuel.deeper(|fuel| run_group('*', arms, rest, tail, fuel))?;
        if again || run(rest, tail, fuel)? {
            return Some(true);
        }
    }
    Some(false)
}

fn matches_one(token: &Token, c: char) -> bool {
    match token {
        Token::Char(wanted) => *wanted == c,
        Token::Any => true,
        Token::Class { negated, items } => items.iter().any(|item| item.holds(c)) != *negated,
        Token::Star | Token::Hole | Token::Group { .. } => false,
    }
}

impl ClassItem {
    fn holds(&self, c: char) -> bool {
        match self {
            Self::Range(low, high) => (*low..=*high).contains(&c),
            Self::Named(name) => match name.as_str() {
                "alpha" => c.is_alphabetic(),
                "digit" => c.is_ascii_digit(),
                "alnum" => c.is_alphanumeric(),
                "upper" => c.is_uppercase(),
                "lower" => c.is_lowercase(),
                "space" => c.is_whitespace(),
                "blank" => matches!(c, ' ' | '\t'),
                "punct" => c.is_ascii_punctuation(),
                "cntrl" => c.is_control(),
                "xdigit" => c.is_ascii_hexdigit(),
                "print" => !c.is_control(),
                "graph" => !c.is_control() && !c.is_whitespace(),
                "word" => c.is_alphanumeric() || c == '_',
                _ => false,
            },
        }
    }
}

/// Nesting of groups that is still read as such.
const GROUPS: u32 = 16;

struct Reader<'a> {
    syms: &'a [Sym],
    at: usize,
}

impl Reader<'_> {
    /// Reads up to the end, or inside a group up to `|` or `)`.
    fn tokens(&mut self, depth: u32) -> Vec<Token> {
        let mut tokens = Vec::new();
        while let Some(sym) = self.peek(0) {
            if depth > 0 && matches!(sym, Sym::Active('|' | ')')) {
                break;
            }
            self.at += 1;
            tokens.push(self.token(sym, depth));
        }
        tokens
    }

    fn token(&mut self, sym: Sym, depth: u32) -> Token {
        let Sym::Active(c) = sym else {
            return if let Sym::Literal(c) = sym { Token::Char(c) } else { Token::Hole };
        };
        if matches!(c, '?' | '*' | '+' | '@' | '!')
            && self.peek(0) == Some(Sym::Active('('))
            && depth < GROUPS
            && let Some(group) = self.group(c, depth)
        {
            return group;
        }
        match c {
            '*' => Token::Star,
            '?' => Token::Any,
            '[' => self.class().unwrap_or(Token::Char('[')),
            '\\' => self.escaped(),
            c => Token::Char(c),
        }
    }

    fn escaped(&mut self) -> Token {
        match self.peek(0) {
            Some(Sym::Active(c) | Sym::Literal(c)) => {
                self.at += 1;
                Token::Char(c)
            }
            _ => Token::Char('\\'),
        }
    }

    fn group(&mut self, kind: char, depth: u32) -> Option<Token> {
        let start = self.at;
        self.at += 1;
        let mut arms = Vec::new();
        loop {
            arms.push(self.tokens(depth + 1));
            let next = self.peek(0);
            self.at += 1;
            match next {
                Some(Sym::Active('|')) => {}
                Some(_) => return Some(Token::Group { kind, arms }),
                None => {
                    self.at = start;
                    return None;
                }
            }
        }
    }

    fn class(&mut self) -> Option<Token> {
        let start = self.at;
        let class = self.class_items();
        if class.is_none() {
            self.at = start;
        }
        class
    }

    fn class_items(&mut self) -> Option<Token> {
        let negated = matches!(self.peek(0), Some(Sym::Active('!' | '^')));
        self.at += usize::from(negated);
        let first = self.at;
        let mut items = Vec::new();
        loop {
            let sym = self.peek(0)?;
            self.at += 1;
            let low = match sym {
                Sym::Hole => return None,
                Sym::Active(']') if self.at > first + 1 => return Some(Token::Class { negated, items }),
                Sym::Active('[') if matches!(self.peek(0), Some(Sym::Active(':'))) => match self.named() {
                    Some(name) => {
                        items.push(ClassItem::Named(name));
                        continue;
                    }
                    None => '[',
                },
                Sym::Active('\\') => self.class_char()?,
                Sym::Active(c) | Sym::Literal(c) => c,
            };
            items.push(ClassItem::Range(low, self.range_end().unwrap_or(low)));
        }
    }

    fn class_char(&mut self) -> Option<char> {
        let (Sym::Active(c) | Sym::Literal(c)) = self.peek(0)? else { return None };
        self.at += 1;
        Some(c)
    }

    fn range_end(&mut self) -> Option<char> {
        let (Some(Sym::Active('-')), Some(Sym::Active(high) | Sym::Literal(high))) =
            (self.peek(0), self.peek(1))
        else {
            return None;
        };
        if self.peek(1) == Some(Sym::Active(']')) {
            return None;
        }
        self.at += 2;
        Some(high)
    }

    fn named(&mut self) -> Option<String> {
        let mut name = String::new();
        let mut ahead = 1;
        while let Some(Sym::Active(c)) = self.peek(ahead) {
            if c == ':' && self.peek(ahead + 1) == Some(Sym::Active(']')) {
                self.at += ahead + 2;
                return Some(name);
            }
            name.push(c);
            ahead += 1;
        }
        None
    }

    fn peek(&self, ahead: usize) -> Option<Sym> {
        self.syms.get(self.at + ahead).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let compiled = Pattern::new(&Text { pieces: Piece::Glob(pattern.into()).into() });
        for subject in yes {
            assert_eq!(compiled.matches(subject), Some(true), "{pattern} should match {subject}");
        }
        for subject in no {
            assert_eq!(compiled.matches(subject), Some(false), "{pattern} should not match {subject}");
        }
    }

    #[test]
    fn patterns() {
        check("*", &["", "a", "a/b"], &[]);
        check("a*c", &["ac", "abc", "abcbc"], &["ab", "xac"]);
        check("?", &["a", "é"], &["", "ab"]);
        check("[a-c]x", &["ax", "cx"], &["dx", "x"]);
        check("[!a-c]", &["d"], &["a"]);
        check("[^a]", &["b"], &["a"]);
        check("[]]", &["]"], &["a"]);
        check("[a-]", &["-", "a"], &["b"]);
        check("[[:digit:]x]", &["7", "x"], &["a"]);
        check("[", &["["], &["a"]);
        check("[ab", &["[ab"], &["a"]);
        check(r"\*", &["*"], &["a"]);
        check("@(rm|ls)", &["rm", "ls"], &["rmls", ""]);
        check("*(ab)", &["", "abab"], &["aba"]);
        check("+(a|b)c", &["abc", "ac"], &["c"]);
        check("!(rm)", &["ls", "rmx", ""], &["rm"]);
        check("?(a)b", &["b", "ab"], &["aab"]);
    }

    #[test]
    fn work_is_bounded() {
        let pattern =
            Pattern::new(&Text { pieces: Piece::Glob(format!("{}b", "*a".repeat(40)).into()).into() });
        assert_eq!(pattern.matches(&"a".repeat(5_000)), None);
    }
}
