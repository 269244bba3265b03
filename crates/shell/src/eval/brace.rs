//! Brace expansion: purely textual, before everything else, on unquoted text only.

use crate::ast::Part;

/// A part of a word after brace expansion.
#[derive(Clone, Debug)]
pub(super) enum Piece<'a> {
    /// Unquoted literal text.
    Raw(String),
    /// A part that braces do not touch.
    Part(&'a Part),
    /// Any of the numbers of a long range.
    Number,
    /// More words than the budget allows.
    TooMany,
}

#[derive(Clone, Copy, Debug)]
enum Sym<'a> {
    Char(char),
    Part(&'a Part),
}

/// Nesting of braces that is still expanded.
const DEPTH: u32 = 32;

/// Characters that all the words together may have.
const MAX_SIZE: usize = 4 << 20;

/// The words that a word with braces stands for, at most `limit` (and then one hole for the rest of each).
/// `None` when there is nothing to expand.
pub(super) fn expand(parts: &[Part], limit: usize) -> Option<Vec<Vec<Piece<'_>>>> {
    if !parts.iter().any(|part| matches!(part, Part::Text { text, quoted: false } if text.contains('{'))) {
        return None;
    }
    let mut syms = Vec::new();
    for part in parts {
        match part {
            Part::Text { text, quoted: false } => syms.extend(text.chars().map(Sym::Char)),
            part => syms.push(Sym::Part(part)),
        }
    }
    let limit = limit.min(MAX_SIZE / syms.len().max(1)).max(1);
    let braces = Braces { ends: ends(&syms), syms, limit };
    Some(braces.words(0, braces.syms.len(), 0))
}

/// Does a word stand for the numbers of a range that is too long to be written out?
pub(super) fn has_long_range(parts: &[Part], limit: usize) -> bool {
    let words = expand(parts, limit).unwrap_or_default();
    words.iter().flatten().any(|piece| matches!(piece, Piece::Number))
}

type Words<'a> = Vec<Vec<Piece<'a>>>;

/// A word, with the closing brace of each opening one.
struct Braces<'a> {
    syms: Vec<Sym<'a>>,
    ends: Vec<Option<usize>>,
    limit: usize,
}

enum Group<'a> {
    Words(Words<'a>),
    /// Not a brace expression; its inside may hold one.
    Literal(Words<'a>),
}

impl<'a> Braces<'a> {
    fn words(&self, start: usize, end: usize, depth: u32) -> Words<'a> {
        let mut all: Words<'a> = vec![Vec::new()];
        let mut at = start;
        while at < end
            && let Some(sym) = self.syms.get(at)
        {
            let close = self.ends.get(at).copied().flatten().filter(|_| depth < DEPTH);
            if let (Some(close), true) = (close, given_up(&all)) {
                all.iter_mut().for_each(|word| push(word, Piece::TooMany));
                at = close + 1;
                continue;
            }
            let Some(close) = close else {
                at += 1;
                all.iter_mut().for_each(|word| add(word, *sym));
                continue;
            };
            let group = match self.group(at + 1, close, depth) {
                Group::Words(words) => words,
                Group::Literal(words) => braced(words),
            };
            all = product(all, &group, self.limit);
            at = close + 1;
        }
        all
    }

    fn group(&self, start: usize, end: usize, depth: u32) -> Group<'a> {
        let commas = self.commas(start, end);
        if commas.is_empty() {
            let inside = self.syms.get(start..end).unwrap_or_default();
            let text: Option<String> =
                inside.iter().map(|sym| if let Sym::Char(c) = sym { Some(*c) } else { None }).collect();
            return match text.and_then(|text| sequence(&text, self.limit)) {
                Some(found) => Group::Words(found),
                None => Group::Literal(self.words(start, end, depth + 1)),
            };
        }
        let mut all = Vec::new();
        let mut from = start;
        for to in commas.into_iter().chain([end]) {
            all.extend(self.words(from, to, depth + 1));
            from = to + 1;
            if all.len() > self.limit {
                return Group::Words(vec![vec![Piece::TooMany]]);
            }
        }
        Group::Words(all)
    }

    /// The commas that stand directly between two positions, not in inner braces.
    fn commas(&self, start: usize, end: usize) -> Vec<usize> {
        let mut commas = Vec::new();
        let mut at = start;
        while at < end {
            if matches!(self.syms.get(at), Some(Sym::Char(','))) {
                commas.push(at);
            }
            at = self.ends.get(at).copied().flatten().unwrap_or(at) + 1;
        }
        commas
    }
}

/// For each opening brace, where it closes.
fn ends(syms: &[Sym<'_>]) -> Vec<Option<usize>> {
    let mut ends = vec![None; syms.len()];
    let mut open = Vec::new();
    for (index, sym) in syms.iter().enumerate() {
        match sym {
            Sym::Char('{') => open.push(index),
            Sym::Char('}') => {
                if let Some(end) = open.pop().and_then(|start: usize| ends.get_mut(start)) {
                    *end = Some(index);
                }
            }
            _ => {}
        }
    }
    ends
}

/// The words of something in braces that turned out to be literal.
fn braced(inner: Words<'_>) -> Words<'_> {
    let mut whole = inner;
    for word in &mut whole {
        let pieces = std::mem::replace(word, vec![Piece::Raw("{".into())]);
        pieces.into_iter().for_each(|piece| push(word, piece));
        add_text(word, "}");
    }
    whole
}

/// Every combination; when there are too many, one word of what they all start with and a hole.
fn product<'a>(left: Words<'a>, right: &Words<'a>, limit: usize) -> Words<'a> {
    if left.len().saturating_mul(right.len()) <= limit {
        return with_each(&left, right);
    }
    let start = |word: &Vec<Piece<'a>>| match word.first() {
        Some(Piece::Raw(text)) => text.clone(),
        _ => String::new(),
    };
    let common = left.iter().map(start).reduce(|left, right| {
        left.chars().zip(right.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    });
    let mut word = Vec::new();
    add_text(&mut word, &common.unwrap_or_default());
    word.push(Piece::TooMany);
    vec![word]
}

fn with_each<'a>(left: &Words<'a>, right: &[Vec<Piece<'a>>]) -> Words<'a> {
    let join = |head: &Vec<Piece<'a>>, tail: &Vec<Piece<'a>>| {
        let mut word = head.clone();
        tail.iter().for_each(|piece| push(&mut word, piece.clone()));
        word
    };
    left.iter().flat_map(|head| right.iter().map(move |tail| join(head, tail))).collect()
}

fn add<'a>(word: &mut Vec<Piece<'a>>, sym: Sym<'a>) {
    match sym {
        Sym::Char(c) => add_text(word, c.encode_utf8(&mut [0; 4])),
        Sym::Part(part) => word.push(Piece::Part(part)),
    }
}

/// Nothing more is told apart once there were too many words.
fn given_up(words: &Words<'_>) -> bool {
    matches!(words.as_slice(), [word] if word.iter().any(|piece| matches!(piece, Piece::TooMany)))
}

fn push<'a>(word: &mut Vec<Piece<'a>>, piece: Piece<'a>) {
    match piece {
        Piece::TooMany if matches!(word.last(), Some(Piece::TooMany)) => {}
        Piece::Raw(text) => add_text(word, &text),
        other => word.push(other),
    }
}

fn add_text(word: &mut Vec<Piece<'_>>, text: &str) {
    match word.last_mut() {
        Some(Piece::Raw(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => word.push(Piece::Raw(text.to_owned())),
    }
}

/// The longest range that somebody counts through; a longer one is there to use up memory.
const LONGEST: u64 = 1_000_000;

/// `{1..9}`, `{a..z..2}`
fn sequence<'a>(text: &str, limit: usize) -> Option<Words<'a>> {
    let mut ends = text.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step: i64 = step.map_or(Some(1), |step| step.parse().ok())?;
    let numbers = first.parse::<i64>().ok().zip(last.parse::<i64>().ok());
    let (from, to) = match numbers {
        Some(ends) => ends,
        None => (letter(first)?, letter(last)?),
    };
    let width = padded(first, last);
    let render = |value: i64| match numbers {
        Some(_) => pad(value, width),
        None => u8::try_from(value).map(|byte| char::from(byte).to_string()).unwrap_or_default(),
    };
    let word = |value: i64| vec![Piece::Raw(render(value))];
    // One range leaves room for others.
    if let Some(values) = steps(from, to, step, limit / 4) {
        return Some(values.into_iter().map(word).collect());
    }
    // What starts with a minus may be an option.
    let plain = numbers.is_some()
        && from >= 0
        && to >= 0
        && from.abs_diff(to) / step.unsigned_abs().max(1) <= LONGEST;
    Some(if plain { vec![word(from), vec![Piece::Number], word(to)] } else { vec![vec![Piece::TooMany]] })
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    }
}

fn steps(from: i64, to: i64, step: i64, limit: usize) -> Option<Vec<i64>> {
    let stride = step.unsigned_abs().max(1);
    let count = from.abs_diff(to) / stride;
    if count >= u64::try_from(limit).unwrap_or(u64::MAX) {
        return None;
    }
    let at = |index: u64| {
        let offset = i64::try_from(index.saturating_mul(stride)).unwrap_or(i64::MAX);
        if from <= to { from.saturating_add(offset) } else { from.saturating_sub(offset) }
    };
    Some((0..=count).map(at).collect())
}

/// Numbers are padded to one width when either end has a leading zero.
fn padded(first: &str, last: &str) -> usize {
    let digits = |text: &str| text.trim_start_matches(['-', '+']).to_owned();
    let zero = |text: &str| digits(text).len() > 1 && digits(text).starts_with('0');
    if zero(first) || zero(last) { first.len().max(last.len()) } else { 0 }
}

fn pad(value: i64, width: usize) -> String {
    if value < 0 {
        format!("-{:0>1$}", value.unsigned_abs(), width.saturating_sub(1))
    } else {
        format!("{value:0>width$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let parts = [Part::Text { text: text.to_owned(), quoted: false }];
        let words = expand(&parts, 100).unwrap_or_default();
        let words: Vec<String> = words.iter().map(|word| word.iter().map(show).collect()).collect();
        assert_eq!(words, expected, "{text}");
    }

    fn show(piece: &Piece<'_>) -> String {
        match piece {
            Piece::Raw(text) => text.clone(),
            Piece::Part(_) => "$".into(),
            Piece::Number => "#".into(),
            Piece::TooMany => "?".into(),
        }
    }

    #[test]
    fn braces() {
        check("{a,b}", &["a", "b"]);
        check("x{a,b}y", &["xay", "xby"]);
        check("{a,b}{1,2}", &["a1", "a2", "b1", "b2"]);
        check("{a,{b,c}d}", &["a", "bd", "cd"]);
        check("{a}", &["{a}"]);
        check("{}", &["{}"]);
        check("{a,b", &["{a,b"]);
        check("{a{b,c}}", &["{ab}", "{ac}"]);
        check("{a,}", &["a", ""]);
        check("{1..3}", &["1", "2", "3"]);
        check("{3..1}", &["3", "2", "1"]);
        check("{a..e..2}", &["a", "c", "e"]);
        check("{01..03}", &["01", "02", "03"]);
        check("{-1..1}", &["-1", "0", "1"]);
        check("{1..20000}", &["1", "#", "20000"]);
        check("{1..99999999}", &["?"]);
        check("x{001..200}.log", &["x001.log", "x#.log", "x200.log"]);
        check("{-1..99999999}", &["?"]);
        check("{1..x}", &["{1..x}"]);
    }

    #[test]
    fn products_are_bounded() {
        check(&"{a,b,c,d,e}".repeat(3), &["?"]);
        let parts = [Part::Text { text: "{a,b}".repeat(40), quoted: false }];
        assert!(expand(&parts, 1_000).unwrap_or_default().len() <= 1_000);
    }
}
