//! One pass over a text. At each place, two bytes decide whether any secret can begin there; the rest is looked at
//! only where they do, and never further than a fixed distance, so the time is linear.

use super::flags::{self, Commands};
use super::names::STEMS;
use super::tokens::TOKENS;
use super::{assign, shapes};

/// A secret in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: &'static str,
}

/// All secrets of a text, in order and apart.
pub(crate) fn scan(text: &str) -> Vec<Found> {
    let mut scanner = Scanner::of(text.as_bytes());
    let mut found: Vec<Found> = Vec::new();
    let (mut at, mut done) = (0, 0);
    while let Some(start) = next_start(scanner.text, at) {
        at = start + 1;
        let Some(secret) = scanner.look(start) else { continue };
        if secret.start >= done && secret.end > secret.start {
            (at, done) = (secret.end.max(at), secret.end);
            found.push(secret);
        }
    }
    found
}

/// The pass, and what it remembers.
pub(crate) struct Scanner<'t> {
    pub(crate) text: &'t [u8],
    /// The end of the last name that was judged.
    pub(crate) named: usize,
    /// Where the next end of a key block is, once looked for.
    pem: Option<Option<usize>>,
    commands: Commands,
}

impl<'t> Scanner<'t> {
    fn of(text: &'t [u8]) -> Self {
        Self { text, named: 0, pem: None, commands: Commands::default() }
    }

    fn look(&mut self, at: usize) -> Option<Found> {
        let first = *self.text.get(at)?;
        if let Some(found) = token(self.text, at, first) {
            return Some(found);
        }
        let shape = match first {
            b'-' if self.text.get(at + 1) == Some(&b'-') => {
                shapes::pem(self, at).or_else(|| flags::long_user(self, at))
            }
            b'-' => flags::short_flag(self, at),
            b':' => shapes::url(self.text, at).or_else(|| shapes::telegram(self.text, at)),
            b'e' => shapes::jwt(self.text, at),
            b'P' => shapes::putty(self.text, at),
            b'M' | b'N' | b'O' => shapes::discord(self.text, at),
            _ => None,
        };
        let found = shape.or_else(|| assign::named(self, at))?;
        Some(Found { kind: vendor(self.text, found).unwrap_or(found.kind), ..found })
    }

    /// Where the key block ends that is open at `from`. Looked for once per end, not once per block.
    pub(crate) fn pem_end(&mut self, from: usize) -> Option<usize> {
        if !self.pem.is_some_and(|known| known.is_none_or(|end| end >= from)) {
            self.pem = Some(shapes::pem_end(self.text, from));
        }
        self.pem?
    }

    /// The program of the command that `at` stands in, if it has password flags.
    pub(crate) fn program(&mut self, at: usize) -> Option<&'static str> {
        self.commands.program(self.text, at)
    }
}

fn token(text: &[u8], at: usize, first: u8) -> Option<Found> {
    let range = BY_FIRST.get(usize::from(first)).copied()?;
    let places = ORDER.get(usize::from(range.0)..usize::from(range.1))?;
    places.iter().filter_map(|&place| TOKENS.get(usize::from(place))).find_map(|token| {
        let end = token.end(text, at)?;
        Some(Found { start: at, end, kind: token.kind })
    })
}

/// The vendor's name for a secret that was found by other signs.
fn vendor(text: &[u8], found: Found) -> Option<&'static str> {
    let by_form = token(text, found.start, *text.get(found.start)?)
        .or_else(|| shapes::jwt(text, found.start))
        .or_else(|| shapes::discord(text, found.start))?;
    (by_form.end == found.end).then_some(by_form.kind)
}

fn next_start(text: &[u8], from: usize) -> Option<usize> {
    let starts = |pair: &[u8]| match pair {
        [first, second] => is_start(*first, *second),
        _ => false,
    };
    text.get(from..)?.windows(2).position(starts).map(|offset| from + offset)
}

#[inline]
fn is_start(first: u8, second: u8) -> bool {
    let pair = usize::from(first) << 8 | usize::from(second);
    STARTS.get(pair >> 6).is_some_and(|word| word >> (pair & 63) & 1 == 1)
}

/// Beside tokens and names: key blocks, flags, addresses, web tokens, bots.
const OTHER_STARTS: [&str; 5] = ["--", "://", ":AA", "eyJ", "Private-Lines"];

/// A bit for each pair of bytes that something begins with.
static STARTS: [u64; 1024] = starts();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn starts() -> [u64; 1024] {
    let mut bits = [0; 1024];
    let mut place = 0;
    while place < TOKENS.len() {
        bits = with(bits, TOKENS[place].prefix.as_bytes());
        place += 1;
    }
    place = 0;
    while place < OTHER_STARTS.len() {
        bits = with(bits, OTHER_STARTS[place].as_bytes());
        place += 1;
    }
    place = 0;
    while place < STEMS.len() {
        bits = with_any_case(bits, STEMS[place].as_bytes());
        place += 1;
    }
    place = 0;
    while place < flags::LETTERS.len() {
        bits = with(bits, &[b'-', flags::LETTERS[place]]);
        place += 1;
    }
    place = 0;
    // The first two Base64 characters of any number: a Discord bot.
    while place < 12 {
        bits = with(bits, &[b"MNO"[place / 4], b"DTjz"[place % 4]]);
        place += 1;
    }
    bits
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn with(mut bits: [u64; 1024], needle: &[u8]) -> [u64; 1024] {
    let pair = (needle[0] as usize) << 8 | needle[1] as usize;
    bits[pair >> 6] |= 1 << (pair & 63);
    bits
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn with_any_case(bits: [u64; 1024], needle: &[u8]) -> [u64; 1024] {
    let (a, b) = (needle[0], needle[1]);
    let (big_a, big_b) = (a.to_ascii_uppercase(), b.to_ascii_uppercase());
    with(with(with(with(bits, &[a, b]), &[a, big_b]), &[big_a, b]), &[big_a, big_b])
}

/// The tokens' places, grouped by first byte, and where each group lies.
static ORDER: [u8; TOKENS.len()] = grouped().0;
static BY_FIRST: [(u8, u8); 256] = grouped().1;

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn grouped() -> ([u8; TOKENS.len()], [(u8, u8); 256]) {
    assert!(TOKENS.len() < 256, "places are bytes");
    let mut order = [0; TOKENS.len()];
    let mut ranges = [(0, 0); 256];
    let (mut first, mut filled) = (0, 0);
    while first < 256 {
        let begin = filled;
        let mut place = 0;
        while place < TOKENS.len() {
            if TOKENS[place].prefix.as_bytes()[0] as usize == first {
                order[filled] = place as u8;
                filled += 1;
            }
            place += 1;
        }
        ranges[first] = (begin as u8, filled as u8);
        first += 1;
    }
    (order, ranges)
}
