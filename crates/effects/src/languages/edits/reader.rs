//! Reads sed scripts.

use super::pattern::Pattern;
use super::{Address, Change, Command, Edit};

/// A script that is being read.
pub(super) struct Reader<'s> {
    pub rest: &'s str,
    pub extended: bool,
}

impl Reader<'_> {
    pub(super) fn commands(&mut self, deep: usize) -> Option<Vec<Command>> {
        let mut found = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';']);
            if self.rest.is_empty() {
                return (deep == 0).then_some(found);
            }
            if self.next_if('}') {
                return (deep > 0).then_some(found);
            }
            if found.len() > 256 || deep > 8 {
                return None;
            }
            found.push(self.command(deep)?);
        }
    }

    fn command(&mut self, deep: usize) -> Option<Command> {
        let from = self.address()?;
        let to = if from.is_some() && self.next_if(',') { Some(self.address()??) } else { None };
        self.blanks();
        let not = self.next_if('!');
        self.blanks();
        let letter = self.next()?;
        let edit = match letter {
            'd' => Edit::Delete,
            'p' => Edit::Print,
            'q' => Edit::Quit(true),
            'Q' => Edit::Quit(false),
            '{' => Edit::Block(self.commands(deep + 1)?),
            '#' | 'w' => {
                self.line();
                Edit::Nothing
            }
            'e' => {
                let line = self.line();
                if line.trim().is_empty() { Edit::Run } else { Edit::Nothing }
            }
            'a' => Edit::Append(self.text()),
            'i' => Edit::Insert(self.text()),
            'c' => Edit::Change(self.text()),
            's' | 'y' => self.slashed(letter)?,
            'h' | 'H' | 'g' | 'G' | 'x' | 'n' | 'N' | 'D' | 'P' | 'l' | '=' | 'z' | 'F' => Edit::Other,
            'r' | 'R' | 'W' => {
                self.line();
                Edit::Other
            }
            'b' | 't' | 'T' | ':' => {
                let end = self.rest.find([';', '\n', '}']).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..)?;
                Edit::Other
            }
            _ => return None,
        };
        self.blanks();
        let closed = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#']);
        let text = matches!(letter, 'a' | 'i' | 'c' | '{' | '#' | 'w' | 'e' | 'r' | 'R' | 'W');
        (closed || text).then_some(Command { from, to, not, since: None, edit })
    }

    #[expect(clippy::option_option, reason = "no address is an answer, no answer is none")]
    fn address(&mut self) -> Option<Option<Address>> {
        let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let number = self.rest.get(..digits)?.parse().ok()?;
            self.rest = self.rest.get(digits..)?;
            return (!self.rest.starts_with('~') && number > 0).then_some(Some(Address::Line(number)));
        }
        if self.next_if('$') {
            return Some(Some(Address::Last));
        }
        if self.next_if('+') {
            let Address::Line(number) = self.address()?? else { return None };
            return Some(Some(Address::Further(number)));
        }
        let mark = match self.rest.chars().next() {
            Some('/') => '/',
            Some('\\') => {
                self.next();
                self.rest.chars().next()?
            }
            _ => return Some(None),
        };
        self.next();
        let (text, rest) = upto(self.rest, mark)?;
        self.rest = rest;
        let fold = self.next_if('I');
        // An empty pattern is the one before it.
        (!text.is_empty()).then_some(())?;
        Some(Some(Address::Fits(Pattern::read(&text, self.extended, fold)?)))
    }

    /// `/old/new/flags`, with any mark for the slash.
    fn slashed(&mut self, letter: char) -> Option<Edit> {
        let mark = self.next().filter(|mark| !matches!(mark, '\\' | '\n'))?;
        let (old, rest) = upto(self.rest, mark)?;
        let (new, rest) = upto(rest, mark)?;
        self.rest = rest;
        if letter == 'y' {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            return (old.len() == new.len()).then_some(Edit::Letters(old, new));
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let flags = rest.get(..end)?;
        self.rest = rest.get(end..)?;
        let number: String = flags.chars().filter(char::is_ascii_digit).collect();
        let known =
            flags.chars().all(|c| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'I' | 'i' | 'e' | 'w'));
        if !known || old.is_empty() {
            return None;
        }
        if flags.contains('w') {
            self.line();
        }
        let fold = flags.contains(['I', 'i']);
        Some(Edit::Substitute(Change {
            pattern: Pattern::read(&old, self.extended, fold)?,
            new,
            all: flags.contains('g'),
            first: if number.is_empty() { 1 } else { number.parse().ok()? },
            prints: flags.contains('p'),
            runs: flags.contains('e'),
        }))
    }

    /// The text of `a`, `i` and `c`: the rest of the line, and those that a backslash joins to it.
    fn text(&mut self) -> String {
        self.blanks();
        if self.next_if('\\') {
            self.blanks();
            self.next_if('\n');
        }
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => text.extend(self.next().map(|c| if c == 't' { '\t' } else { c })),
                '\n' => break,
                other => text.push(other),
            }
        }
        text.push('\n');
        text
    }

    fn line(&mut self) -> &str {
        let (line, rest) = self
            .rest
            .split_at_checked(self.rest.find('\n').unwrap_or(self.rest.len()))
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn next_if(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// The text before the mark; an escaped mark is a part of it.
fn upto(text: &str, mark: char) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut characters = text.char_indices();
    let mut class = false;
    while let Some((at, c)) = characters.next() {
        if c == mark && !class {
            return Some((found, text.get(at + c.len_utf8()..)?));
        }
        if c == '\\' {
            let (_, next) = characters.next()?;
            if next != mark {
                found.push('\\');
            }
            found.push(next);
        } else {
            class = match c {
                '[' => true,
                ']' => false,
                _ => class,
            } && text.get(at..).is_some_and(|rest| rest.contains(']'));
            found.push(c);
        }
    }
    None
}
