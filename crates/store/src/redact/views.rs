//! Other readings of a text: secrets that stand in it in pieces. `"ghp_…"'…'` is one word of a shell, `"a" + "b"` one text of a
//! program, `$A$B` two values side by side, and `%41` a letter. A view is the text as it would be read, and knows where each part of
//! it stands in the text.

use super::tokens::is_word;

/// A shorter word is no secret, whatever it is made of.
const LEAST_WORD: usize = 12;
/// A shorter value is no part of one.
const LEAST_VALUE: usize = 4;
/// More variables than this are not remembered.
const MOST_VARIABLES: usize = 64;
/// How far a literal may go on behind its end.
const REACH: usize = 128;

/// A text that is made of pieces of another.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) text: Vec<u8>,
    pieces: Vec<Piece>,
}

struct Piece {
    /// Where it stands in the view.
    at: usize,
    /// Where it stands in the text.
    start: usize,
    end: usize,
}

/// The views of a text in which something reads differently.
pub(crate) fn of(text: &[u8]) -> impl Iterator<Item = View> {
    [joined(text), expanded(text), unescaped(text)].into_iter().flatten()
}

impl View {
    /// Adds a part of the text as it stands there.
    fn copy(&mut self, text: &[u8], start: usize, end: usize) {
        if start < end {
            self.pieces.push(Piece { at: self.text.len(), start, end });
            self.text.extend_from_slice(text.get(start..end).unwrap_or_default());
        }
    }

    /// Adds a character that is written in another way in the text.
    fn push(&mut self, byte: u8, start: usize, end: usize) {
        self.pieces.push(Piece { at: self.text.len(), start, end });
        self.text.push(byte);
    }

    /// Where a part of the view stands in the text: in one piece or more, in the view's order.
    pub(crate) fn origins(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let first = self.pieces.partition_point(|piece| piece.at <= from).saturating_sub(1);
        let mut origins: Vec<(usize, usize)> = Vec::new();
        for (index, piece) in
            self.pieces.iter().enumerate().skip(first).take_while(|(_, piece)| piece.at < to)
        {
            let next = self.pieces.get(index + 1).map_or(self.text.len(), |next| next.at);
            let exact = next - piece.at == piece.end - piece.start;
            let (start, end) = if exact {
                (piece.start + from.saturating_sub(piece.at), piece.start + to.min(next) - piece.at)
            } else {
                (piece.start, piece.end)
            };
            match origins.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => origins.push((start, end)),
            }
        }
        origins
    }
}

/// The text without what divides the parts of one word or literal.
fn joined(text: &[u8]) -> Option<View> {
    let mut view = View::default();
    let (mut done, mut at) = (0, 0);
    while let Some(offset) = memchr::memchr3(b'"', b'\'', b'\\', text.get(at..)?) {
        at += offset;
        match junction(text, at) {
            Some(end) if run_before(text, at) + run_behind(text, end) >= LEAST_WORD => {
                view.copy(text, done, at);
                (done, at) = (end, end);
            }
            _ => at += 1,
        }
    }
    if view.text.is_empty() {
        return None;
    }
    view.copy(text, done, text.len());
    Some(view)
}

/// Where the word goes on whose part ends at `at`.
fn junction(text: &[u8], at: usize) -> Option<usize> {
    if !at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(|byte| is_run(*byte)) {
        return None;
    }
    if text.get(at) == Some(&b'\\') {
        // `\n` is the end of a line more often than a letter.
        return text
            .get(at + 1)
            .is_some_and(|byte| is_run(*byte) && !b"nrtux0".contains(byte))
            .then_some(at + 1);
    }
    let is_quote = |at: usize| text.get(at).is_some_and(|byte| b"\"'".contains(byte));
    let next = at + 1;
    if is_quote(next) {
        return text.get(next + 1).is_some_and(|byte| is_run(*byte)).then_some(next + 1);
    }
    if text.get(next).is_some_and(|byte| is_run(*byte)) {
        return Some(next);
    }
    // `"…" + "…"`, or the next line's literal.
    let rest = text.get(next..text.len().min(next + REACH))?;
    let gap = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || b"+.&~\\".contains(byte)).count();
    let divides = rest.get(..gap)?.iter().any(|byte| b"+.&~\n".contains(byte));
    let prefix = usize::from(
        text.get(next + gap).is_some_and(|byte| b"bfru".contains(byte)) && is_quote(next + gap + 1),
    );
    let open = next + gap + prefix;
    (divides && is_quote(open)).then_some(open + 1)
}

/// A character of a word, whatever it is quoted in.
fn is_run(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`()<>{}[],;|&$\\".contains(&byte)
}

fn run_before(text: &[u8], at: usize) -> usize {
    text.get(..at).unwrap_or_default().iter().rev().take(LEAST_WORD).take_while(|byte| is_run(**byte)).count()
}

fn run_behind(text: &[u8], at: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take(LEAST_WORD).take_while(|byte| is_run(**byte)).count()
}

/// A variable that is given a literal, and where that stands.
struct Variable<'t> {
    name: &'t [u8],
    start: usize,
    end: usize,
}

/// The text with the values of its variables where they are used.
fn expanded(text: &[u8]) -> Option<View> {
    let variables = variables(text);
    if variables.is_empty() {
        return None;
    }
    let mut view = View::default();
    let limit = 2 * text.len() + 1024;
    let firsts = Firsts::of(&variables);
    let (mut done, mut at) = (0, 0);
    while let Some(place) = firsts.next(text, at).filter(|_| view.text.len() < limit) {
        at = place;
        match used(text, at, &variables) {
            Some((variable, end)) => {
                view.copy(text, done, at);
                view.copy(text, variable.start, variable.end);
                (done, at) = (end, end);
            }
            None => at += 1,
        }
    }
    if view.text.is_empty() {
        return None;
    }
    view.copy(text, done, text.len());
    Some(view)
}

/// The bytes with which the use of a variable may begin.
struct Firsts([bool; 256]);

impl Firsts {
    fn of(variables: &[Variable]) -> Self {
        let names = variables.iter().filter_map(|variable| variable.name.first());
        let mut firsts = [false; 256];
        for byte in names.chain(b"${") {
            if let Some(first) = firsts.get_mut(usize::from(*byte)) {
                *first = true;
            }
        }
        Self(firsts)
    }

    fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let is_first = |byte: &u8| self.0.get(usize::from(*byte)).is_some_and(|first| *first);
        text.get(from..)?.iter().position(is_first).map(|offset| from + offset)
    }
}

/// `NAME=value`, `name = "value"`: what is assigned is a literal.
fn variables(text: &[u8]) -> Vec<Variable<'_>> {
    let mut variables = Vec::new();
    for sign in memchr::memchr_iter(b'=', text) {
        let head = text.get(..sign).unwrap_or_default();
        let spaces = head.iter().rev().take(2).take_while(|byte| b" :".contains(byte)).count();
        let head = head.get(..sign - spaces).unwrap_or_default();
        let length = head.iter().rev().take(64).take_while(|byte| is_word(**byte)).count();
        let name = head.get(head.len() - length..).unwrap_or_default();
        if name.first().is_none_or(u8::is_ascii_digit) || variables.len() >= MOST_VARIABLES {
            continue;
        }
        let spaces = usize::from(spaces > 0 && text.get(sign + 1) == Some(&b' '));
        if let Some((start, end)) = literal(text, sign + 1 + spaces) {
            variables.push(Variable { name, start, end });
        }
    }
    variables
}

/// The literal that begins at `at`, quoted or bare.
fn literal(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let quote = text.get(at).copied().filter(|byte| b"\"'".contains(byte));
    let start = at + usize::from(quote.is_some());
    let part = |byte: &&u8| is_run(**byte) || (quote.is_some() && **byte == b' ');
    let length = text.get(start..)?.iter().take_while(part).count();
    let closed = quote.is_none() || text.get(start + length).copied() == quote;
    (closed && length >= LEAST_VALUE).then_some((start, start + length))
}

/// The variable that is used at `at` beside something else, and where its use ends: `$A`, `${A}`, `{a}`, or `a` in `a + b`.
fn used<'v, 't>(text: &[u8], at: usize, variables: &'v [Variable<'t>]) -> Option<(&'v Variable<'t>, usize)> {
    let sigils = match text.get(at..)? {
        [b'$', b'{', ..] => 2,
        [b'$' | b'{', ..] => 1,
        [first, ..]
            if is_word(*first)
                && !at
                    .checked_sub(1)
                    .is_some_and(|before| text.get(before).copied().is_some_and(is_word)) =>
        {
            0
        }
        _ => return None,
    };
    let braced = text.get(at + sigils - usize::from(sigils > 0)) == Some(&b'{');
    let start = at + sigils;
    let length = text.get(start..)?.iter().take(64).take_while(|byte| is_word(**byte)).count();
    let name = text.get(start..start + length)?;
    let end = start + length;
    let known = || variables.iter().rev().find(|variable| variable.name == name);
    if braced {
        return (text.get(end) == Some(&b'}')).then(known)?.map(|variable| (variable, end + 1));
    }
    if sigils == 1 {
        return known().map(|variable| (variable, end));
    }
    let variable = known()?;
    let sum = |at: usize| {
        let gap = text
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take(8)
            .take_while(|byte| b" +.".contains(byte))
            .count();
        text.get(at..at + gap).unwrap_or_default().iter().any(|byte| b"+.".contains(byte)).then_some(at + gap)
    };
    let follows =
        text.get(..at)?.iter().rev().find(|byte| **byte != b' ').is_some_and(|byte| b"+.".contains(byte));
    match sum(end) {
        Some(next) if text.get(next).is_some_and(|byte| is_word(*byte)) => Some((variable, next)),
        _ => follows.then_some((variable, end)),
    }
}

/// The text with `%41` and the like as the characters that they stand for.
fn unescaped(text: &[u8]) -> Option<View> {
    let mut view = View::default();
    let mut done = 0;
    for at in memchr::memchr_iter(b'%', text) {
        let digit = |offset: usize| text.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        let Some(byte) = digit(1).zip(digit(2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
        else {
            continue;
        };
        if at >= done && (byte.is_ascii_graphic() || b" \r\n".contains(&byte)) {
            view.copy(text, done, at);
            view.push(byte, at, at + 3);
            done = at + 3;
        }
    }
    if view.text.is_empty() {
        return None;
    }
    view.copy(text, done, text.len());
    Some(view)
}
