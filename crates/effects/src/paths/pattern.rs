//! One component of a path, which may hold globs and unknown parts, and whether it could be a given name.

use tollgate_model::work;

use crate::word::EVERYWHERE;

/// One component of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Component {
    tokens: Vec<Token>,
    text: String,
    dynamic: bool,
    /// Something in it is not known at all.
    open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// One of these characters, which may stand there more than once.
    Of([char; 4]),
    /// Any characters.
    Many,
}

impl Token {
    /// Does it say which character stands there, or nearly?
    fn is_known(&self) -> bool {
        matches!(self, Self::Char(_) | Self::Of(_))
    }
}

impl Component {
    pub(super) fn literal(text: &str) -> Self {
        Self { tokens: Vec::new(), text: text.to_owned(), dynamic: false, open: false }
    }

    pub(super) fn push_literal(&mut self, text: &str) {
        if self.dynamic {
            self.tokens.extend(text.chars().map(Token::Char));
        }
        self.text.push_str(text);
    }

    pub(super) fn push_glob(&mut self, glob: &str) {
        if !work::charge(1 + glob.len() / 2) {
            return self.push_hole();
        }
        self.make_dynamic();
        let tokens = tokens(glob);
        self.text.extend(tokens.iter().map(|token| match token {
            Token::Char(c) => *c,
            Token::One | Token::Of(_) => '?',
            Token::Many => '*',
        }));
        self.tokens.extend(tokens);
    }

    pub(super) fn push_hole(&mut self) {
        self.make_dynamic();
        self.open = true;
        self.tokens.push(Token::Many);
        self.text.push('*');
    }

    pub(super) fn is_literal(&self) -> bool {
        !self.dynamic
    }

    pub(super) fn as_literal(&self) -> Option<&str> {
        (!self.dynamic).then_some(self.text.as_str())
    }

    pub(super) fn show(&self, out: &mut String) {
        out.push_str(&self.text);
    }

    /// Does it hold a character that is known?
    pub(super) fn says_something(&self) -> bool {
        self.tokens.iter().any(Token::is_known)
    }

    /// Is it a pattern that the shell would expand to this name? What stands for folders at any depth passes links by.
    pub(super) fn expands_to(&self, name: &str) -> bool {
        if self.text == EVERYWHERE {
            return false;
        }
        let hidden = name.starts_with('.') && self.tokens.first() != Some(&Token::Char('.'));
        let wanted: Vec<Token> = name.chars().map(Token::Char).collect();
        self.dynamic && !self.open && !hidden && overlap(&self.tokens, &wanted)
    }

    /// Could this component be a name that matches `wanted`, a simple pattern of `*` and plain characters?
    ///
    /// A component with nothing literal in it could be anything, and is taken for nothing in particular: the
    /// folder it lies in decides.
    pub(super) fn could_be(&self, wanted: &str) -> bool {
        if !self.dynamic {
            return matches(wanted, &self.text);
        }
        let has_literal = self.says_something();
        let hidden = wanted.starts_with('.') && !matches!(self.tokens.first(), Some(Token::Char('.')));
        has_literal && !hidden && overlaps(&self.tokens, wanted)
    }

    /// Is this component likely meant to be a name like `wanted`? For a pattern that takes as many literal
    /// characters as half of the name, or four: `.e*` means `.env`, `*.c` does not mean `x.secret.c`. An ending
    /// that many other files have says nothing: `*.json` does not mean `credentials.json`.
    pub(super) fn likely(&self, wanted: &str) -> bool {
        if !self.dynamic {
            return matches(wanted, &self.text);
        }
        let mut literals = self.tokens.iter().filter(|token| token.is_known()).count();
        if let Some(ending) = common_ending(wanted) {
            literals = literals.saturating_sub(self.ending_like(ending));
        } else if let Some(ending) = wanted.strip_prefix('*').filter(|ending| ending.starts_with('.')) {
            // What stands before the ending says nothing of it.
            literals = self.ending_like(ending);
        }
        let needed = wanted.chars().filter(|character| *character != '*').count().div_ceil(2).min(4);
        literals >= needed && self.could_be(&wanted.replace('*', "x"))
    }

    /// How many literal characters its ending has, if that could be this one: `.y*ml` could be `.yaml`.
    fn ending_like(&self, ending: &str) -> usize {
        let dot = self.tokens.iter().rposition(|token| *token == Token::Char('.'));
        let Some(tail) = dot.and_then(|at| self.tokens.get(at..)) else {
            // Without a dot, its end is the end of the ending: `*json` finds `a.json`.
            let known = self.tokens.iter().rev().map_while(|token| match token {
                Token::Char(c) => Some(*c),
                _ => None,
            });
            let end: Vec<char> = known.collect();
            let fits = ending.chars().rev().take(end.len()).eq(end.iter().copied());
            return if fits { end.len() } else { 0 };
        };
        let literals = tail.iter().filter(|token| token.is_known()).count();
        if overlaps(tail, ending) { literals } else { 0 }
    }

    /// Does it end so, whatever stands before?
    pub(super) fn ends_with(&self, end: &str) -> bool {
        let known = self.tokens.iter().rev().map(|token| match token {
            Token::Char(c) => Some(*c),
            _ => None,
        });
        if self.dynamic {
            known.take(end.len()).eq(end.chars().rev().map(Some))
        } else {
            self.text.ends_with(end)
        }
    }

    /// Nothing in it is known.
    pub(super) fn could_be_anything(&self) -> bool {
        self.dynamic && !self.tokens.iter().any(Token::is_known)
    }

    /// `.*`, `.[!.]*` and the like: everything hidden.
    pub(super) fn starts_with_dot_glob(&self) -> bool {
        let [Token::Char('.'), rest @ ..] = self.tokens.as_slice() else { return false };
        !rest.is_empty() && !rest.iter().any(Token::is_known)
    }

    fn make_dynamic(&mut self) {
        if !self.dynamic {
            self.dynamic = true;
            self.tokens = self.text.chars().map(Token::Char).collect();
        }
    }
}

/// `.json` of `credentials.json`. Where the ending is all that a pattern has, it is what it means.
fn common_ending(wanted: &str) -> Option<&str> {
    let at = wanted.rfind('.')?;
    let (stem, ending) = wanted.split_at_checked(at)?;
    (stem.contains(|letter: char| letter.is_ascii_alphabetic()) && !ending.contains('*')).then_some(ending)
}

/// Does `name` match a simple pattern of `*` and plain characters? Linear: greedy with one point to go back to.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    // Nearly all differ in their first letter or their last.
    let differ = |wanted: Option<u8>, given: Option<u8>| wanted != Some(b'*') && wanted != given;
    if differ(pattern.bytes().next(), name.bytes().next())
        || differ(pattern.bytes().next_back(), name.bytes().next_back())
    {
        return false;
    }
    if !pattern.bytes().any(|byte| byte == b'*') {
        return pattern == name;
    }
    let mut pieces = pattern.split('*');
    let Some(rest) = name.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut rest = rest;
    let mut last = None;
    for piece in pieces {
        if let Some(middle) = last.replace(piece) {
            match rest.find(middle) {
                Some(at) => rest = rest.get(at + middle.len()..).unwrap_or_default(),
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

/// What stands between brackets. A few characters say nearly as much as one.
fn class(inside: &str) -> Token {
    let few: Vec<char> = inside.chars().collect();
    let open = inside.starts_with(['!', '^']) || inside.contains(['-', ':', '[', '\\']);
    match few.as_slice() {
        _ if open => Token::One,
        [one] => Token::Char(*one),
        [a, b] => Token::Of([*a, *b, *b, *b]),
        [a, b, c] => Token::Of([*a, *b, *c, *c]),
        [a, b, c, d] => Token::Of([*a, *b, *c, *d]),
        _ => Token::One,
    }
}

fn tokens(glob: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut characters = glob.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // `!(a|b)` and its kin stand for any text.
            '!' | '@' | '+' | '*' | '?' if characters.peek() == Some(&'(') => {
                let mut depth = 0;
                for inside in characters.by_ref() {
                    depth += i32::from(inside == '(') - i32::from(inside == ')');
                    if depth == 0 {
                        break;
                    }
                }
                out.push(Token::Many);
            }
            '*' => out.push(Token::Many),
            '?' => out.push(Token::One),
            '[' => {
                let mut inside = String::new();
                for one in characters.by_ref() {
                    if one == ']' && !matches!(inside.as_str(), "" | "!" | "^") {
                        break;
                    }
                    inside.push(one);
                }
                out.push(class(&inside));
            }
            '(' | ')' | '|' => out.push(Token::Many),
            other => out.push(Token::Char(other)),
        }
    }
    out
}

/// Is there a text that both patterns match?
fn overlaps(left: &[Token], right: &str) -> bool {
    fits_so_far(left.iter(), right.chars())
        && fits_so_far(left.iter().rev(), right.chars().rev())
        && overlap(left, &tokens(right))
}

/// Could both be the same up to the first `*` or bracket of either? Nearly all pairs differ there, in a known character.
fn fits_so_far<'t>(left: impl Iterator<Item = &'t Token>, right: impl Iterator<Item = char>) -> bool {
    let plain = |c: &char| !matches!(c, '*' | '?' | '[' | ']' | '(' | ')' | '|' | '!' | '@' | '+');
    left.zip(right.take_while(plain))
        .map_while(|(token, c)| match token {
            Token::Char(known) => Some(*known == c),
            Token::Of(some) => Some(some.contains(&c)),
            Token::One => Some(true),
            Token::Many => None,
        })
        .all(|fits| fits)
}

/// The same, of two lists of tokens.
fn overlap(left: &[Token], right: &[Token]) -> bool {
    if !work::charge((left.len() + 1) * (right.len() + 1) / 4) {
        return true;
    }
    let mut row: Vec<bool> = vec![false; right.len() + 1];
    let mut previous: Vec<bool> = Vec::new();
    for i in 0..=left.len() {
        std::mem::swap(&mut row, &mut previous);
        row = vec![false; right.len() + 1];
        for j in 0..=right.len() {
            let reached = reach(left, right, (i, j), &previous, &row);
            if let Some(cell) = row.get_mut(j) {
                *cell = reached;
            }
        }
    }
    row.last().copied().unwrap_or(false)
}

fn reach(left: &[Token], right: &[Token], (i, j): (usize, usize), above: &[bool], row: &[bool]) -> bool {
    let before = |at: usize, tokens: &[Token]| at.checked_sub(1).and_then(|at| tokens.get(at)).copied();
    let cell = |cells: &[bool], at: Option<usize>| at.and_then(|at| cells.get(at)).copied().unwrap_or(false);
    let (a, b) = (before(i, left), before(j, right));
    let up = i > 0 && cell(above, Some(j));
    let back = j > 0 && cell(row, j.checked_sub(1));
    let diagonal = i > 0 && cell(above, j.checked_sub(1));
    match (a, b) {
        (None, None) => true,
        (Some(Token::Many), None) => up,
        (None, Some(Token::Many)) => back,
        (Some(Token::Many), Some(Token::Many)) => up || back || diagonal,
        (Some(Token::Many), Some(_)) => up || back || diagonal,
        (Some(_), Some(Token::Many)) => up || back || diagonal,
        (Some(Token::Char(x)), Some(Token::Char(y))) => x == y && diagonal,
        (Some(Token::Char(x)), Some(Token::Of(some))) | (Some(Token::Of(some)), Some(Token::Char(x))) => {
            some.contains(&x) && diagonal
        }
        (Some(_), Some(_)) => diagonal,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> Component {
        let mut component = Component::default();
        component.push_glob(text);
        component
    }

    #[test]
    fn simple_patterns() {
        for (pattern, name, expected) in [
            ("*.pem", "a.pem", true),
            ("*.pem", "a.pem.txt", false),
            ("id_*", "id_rsa", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXc", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn globs_that_could_be_a_name() {
        for (component, wanted, expected) in [
            (".e??", ".env", true),
            (".e*", ".env.*", true),
            ("*", ".env", false),
            ("*.pe[m]", "*.pem", true),
            ("*.rs", "*.pem", false),
            (".ss?", ".ssh", true),
            ("id_*", "id_rsa", true),
            ("??", ".ssh", false),
            ("src*", "*.pem", true),
        ] {
            assert_eq!(glob(component).could_be(wanted), expected, "{component} {wanted}");
        }
    }

    #[test]
    fn globs_that_mean_a_name() {
        for (component, wanted, expected) in [
            (".e*", ".env", true),
            ("id_*", "id_rsa", true),
            ("*.pem", "*.pem", true),
            ("cred*", "credentials.json", true),
            ("c*", "credentials.json", false),
            ("*.c", "*.secret.*", false),
            (".[!.]*", ".env", false),
            ("src*", "*.pem", false),
            ("*.json", "credentials.json", false),
            ("*.yml", "secrets.yml", false),
            ("cred*.json", "credentials.json", true),
            ("*ecrets.y*", "secrets.yml", true),
            ("*.tfstate", "*.tfstate", true),
            (".[a]??", ".aws", true),
            (".[np]*[cs]", ".netrc", true),
            (".[a-z]*", ".netrc", false),
            (".[xy]*[cs]", ".netrc", false),
        ] {
            assert_eq!(glob(component).likely(wanted), expected, "{component} {wanted}");
        }
    }
}
