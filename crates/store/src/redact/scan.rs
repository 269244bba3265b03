//! One pass over a text. At each place, three bytes decide whether any secret can begin there; the rest is looked at
//! only where they do, and never further than a fixed distance, so the time is linear.

use super::flags::{self, Commands};
use super::names::STEMS;
use super::tokens::{SHORTEST, TOKENS, is_word};
use super::{assign, encoded, shapes, stores, views};

/// A secret in a text, or a piece of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Empty for a further piece of a secret that was found in pieces.
    pub(crate) kind: &'static str,
}

/// All secrets of a text, in order and apart: those that stand in it as they are, in pieces, and in another alphabet.
pub(crate) fn scan(text: &str) -> Vec<Found> {
    let text = text.as_bytes();
    if is_short_word(text) {
        return Vec::new();
    }
    let mut found = literal(text);
    let known = found.len();
    for view in views::of(text) {
        for secret in literal(&view.text) {
            let mut kind = secret.kind;
            for (start, end) in view.origins(secret.start, secret.end) {
                found.push(Found { start, end, kind: std::mem::take(&mut kind) });
            }
        }
    }
    for run in encoded::of(text) {
        let first = literal(&run.text).into_iter().next();
        found.extend(first.map(|secret| Found { start: run.start, end: run.end, kind: secret.kind }));
    }
    if found.len() > known { apart(found) } else { found }
}

/// One word that is shorter than any token: half of what a record holds. It has no sign behind which a value could stand.
fn is_short_word(text: &[u8]) -> bool {
    const { assert!(SHORTEST <= encoded::LEAST, "a run in another alphabet may be a word") };
    text.len() < SHORTEST && text.iter().all(|byte| is_word(*byte) || *byte == b'-')
}

/// In order, and those that overlap as one.
fn apart(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|secret| secret.start);
    let mut apart: Vec<Found> = Vec::with_capacity(found.len());
    for secret in found {
        match apart.last_mut().filter(|last| secret.start < last.end) {
            Some(last) => {
                last.end = last.end.max(secret.end);
                last.kind = if last.kind.is_empty() { secret.kind } else { last.kind };
            }
            None => apart.push(secret),
        }
    }
    apart
}

/// The secrets that stand in a text as they are.
fn literal(text: &[u8]) -> Vec<Found> {
    let mut scanner = Scanner::of(text);
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
    add_kept(&mut found, scanner.kept);
    found
}

/// Adds what commands were given to keep. What was found in it by other signs is a part of it, or the same.
fn add_kept(found: &mut Vec<Found>, kept: Vec<Found>) {
    for secret in kept {
        let same = |other: &Found| other.start <= secret.start && secret.end <= other.end;
        if !found.iter().any(same) {
            found.retain(|other| other.end <= secret.start || secret.end <= other.start);
            found.push(secret);
        }
    }
    found.sort_unstable_by_key(|secret| secret.start);
}

/// The pass, and what it remembers.
pub(crate) struct Scanner<'t> {
    pub(crate) text: &'t [u8],
    /// The end of the last name that was judged.
    pub(crate) named: usize,
    /// Where the next end of a key block is, once looked for.
    pem: Option<Option<usize>>,
    commands: Commands,
    /// What commands were given to keep.
    kept: Vec<Found>,
}

impl<'t> Scanner<'t> {
    fn of(text: &'t [u8]) -> Self {
        Self { text, named: 0, pem: None, commands: Commands::default(), kept: Vec::new() }
    }

    fn look(&mut self, at: usize) -> Option<Found> {
        let first = *self.text.get(at)?;
        if let Some(found) = token(self.text, at, first) {
            return Some(found);
        }
        stores::kept(self.text, at, &mut self.kept);
        let shape = match first {
            b'-' => shapes::pem(self, at).or_else(|| flags::long_user(self, at)),
            b' ' | b'\t' | b'\n' | b'"' | b'\'' => flags::short_flag(self, at + 1),
            b':' => shapes::url(self.text, at).or_else(|| shapes::telegram(self.text, at)),
            b'e' => shapes::jwt(self.text, at),
            b'l' => shapes::login(self.text, at),
            b'.' => shapes::terraform(self.text, at),
            b'P' => shapes::putty(self.text, at),
            b'M' | b'N' | b'O' => shapes::discord(self.text, at),
            _ => None,
        };
        let found = shape.or_else(|| assign::named(self, at))?;
        Some(Found { kind: vendor(self.text, found).unwrap_or(found.kind), ..found })
    }

    /// Where the key block ends that is open at `from`. Looked for once per end, not once per block.
    pub(crate) fn pem_end(&mut self, from: usize) -> Option<usize> {
        if self.pem.is_none_or(|known| known.is_some_and(|end| end < from)) {
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

/// The next place at which a secret, or the name of one, may begin.
pub(crate) fn next_start(text: &[u8], from: usize) -> Option<usize> {
    let has = |set: &[u64; 1024], place: usize| {
        set.get(place >> 6).is_some_and(|word| word >> (place & 63) & 1 == 1)
    };
    let starts = |&[first, second, third]: &[u8; 3]| {
        has(&PAIRS, usize::from(u16::from_le_bytes([first, second])))
            && has(&STARTS, place(first, second, third))
    };
    text.get(from..)?.array_windows().position(starts).map(|offset| from + offset)
}

/// Beside tokens and names: key blocks, flags, addresses, web tokens, bots, logins.
const OTHER_STARTS: [&str; 9] =
    ["---", "--user", "--proxy-user", "://", ":AA", "eyJ", "Private-Lines", "login", ".atlasv1."];
/// What stands before a short flag.
const BEFORE_FLAG: [u8; 5] = [b' ', b'\t', b'\n', b'"', b'\''];

/// A set of triples of bytes by which something begins, hashed to 16 bits each. One that merely shares its hash
/// with another costs a second look.
static STARTS: [u64; 1024] = starts().triples;
/// The first two bytes of each: most places in a text are ruled out by these, without a hash.
static PAIRS: [u64; 1024] = starts().pairs;

#[derive(Clone, Copy)]
struct Starts {
    triples: [u64; 1024],
    pairs: [u64; 1024],
}

const fn place(first: u8, second: u8, third: u8) -> usize {
    let triple = first as u32 | (second as u32) << 8 | (third as u32) << 16;
    (triple.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn starts() -> Starts {
    let mut set = Starts { triples: [0; 1024], pairs: [0; 1024] };
    let mut at = 0;
    while at < TOKENS.len() {
        set = with_token(set, TOKENS[at].prefix.as_bytes());
        at += 1;
    }
    at = 0;
    while at < OTHER_STARTS.len() {
        set = with(set, OTHER_STARTS[at].as_bytes());
        at += 1;
    }
    at = 0;
    while at < stores::STARTS.len() {
        set = with(set, stores::STARTS[at].as_bytes());
        at += 1;
    }
    at = 0;
    while at < STEMS.len() {
        set = with_any_case(set, STEMS[at].as_bytes());
        at += 1;
    }
    at = 0;
    while at < BEFORE_FLAG.len() * flags::LETTERS.len() {
        let (before, letter) = (BEFORE_FLAG[at % BEFORE_FLAG.len()], flags::LETTERS[at / BEFORE_FLAG.len()]);
        set = with(set, &[before, b'-', letter]);
        at += 1;
    }
    at = 0;
    while at < SIXTY_FOUR.len() {
        set = with(set, &[b':', b'/', SIXTY_FOUR[at]]);
        at += 1;
    }
    // The first two Base64 characters of any number, and any third: a Discord bot.
    at = 0;
    while at < 12 * 64 {
        set = with(set, &[b"MNO"[at % 3], b"DTjz"[at / 3 % 4], SIXTY_FOUR[at / 12]]);
        at += 1;
    }
    set
}

const SIXTY_FOUR: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A prefix of two letters is followed by anything that a token is made of.
#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn with_token(mut set: Starts, prefix: &[u8]) -> Starts {
    if prefix.len() > 2 {
        return with(set, prefix);
    }
    let mut at = 0;
    while at < SIXTY_FOUR.len() {
        set = with(set, &[prefix[0], prefix[1], SIXTY_FOUR[at]]);
        at += 1;
    }
    set
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn with(mut set: Starts, needle: &[u8]) -> Starts {
    let place = place(needle[0], needle[1], needle[2]);
    set.triples[place >> 6] |= 1 << (place & 63);
    let pair = needle[0] as usize | (needle[1] as usize) << 8;
    set.pairs[pair >> 6] |= 1 << (pair & 63);
    set
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn with_any_case(mut set: Starts, needle: &[u8]) -> Starts {
    let mut cases = 0;
    while cases < 8 {
        let first = if cases & 1 == 0 { needle[0] } else { needle[0].to_ascii_uppercase() };
        let second = if cases & 2 == 0 { needle[1] } else { needle[1].to_ascii_uppercase() };
        let third = if cases & 4 == 0 { needle[2] } else { needle[2].to_ascii_uppercase() };
        set = with(set, &[first, second, third]);
        cases += 1;
    }
    set
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_start_is_passed_over() {
        let text: Vec<u8> = (0..=u8::MAX)
            .flat_map(|first| (0..=u8::MAX).flat_map(move |second| [first, second, b'e']))
            .collect();
        let all = text.windows(3).enumerate().filter_map(|(at, window)| match window {
            [first, second, third] => {
                let place = place(*first, *second, *third);
                (STARTS[place >> 6] >> (place & 63) & 1 == 1).then_some((at, *first, *second))
            }
            _ => None,
        });
        // A triple that only shares its hash with another may be passed over; one that begins something may not.
        let begins = |first: u8, second: u8| {
            let pair = [first, second];
            TOKENS
                .iter()
                .map(|token| token.prefix)
                .chain(OTHER_STARTS)
                .chain(stores::STARTS)
                .any(|start| start.as_bytes().starts_with(&pair))
                || STEMS.iter().any(|stem| stem.as_bytes()[..2].eq_ignore_ascii_case(&pair))
        };
        let mut count = 0;
        for (at, first, second) in all {
            if begins(first, second) {
                assert_eq!(next_start(&text, at), Some(at), "{first} {second}");
                count += 1;
            }
        }
        assert!(count > 20, "{count}");
    }

    #[test]
    fn short_words_hold_nothing() {
        let words =
            TOKENS.iter().map(|token| token.prefix).chain(OTHER_STARTS).chain(STEMS).chain(stores::STARTS);
        let words = words.chain([
            "htpasswd",
            "chpasswd",
            "wpa_passphrase",
            "encrypt_string",
            "from-literal",
            "password-stdin",
        ]);
        for word in words {
            for tail in ["", "-", "_", "1", "x", "Ab3-dEf9hIj2kLm", "-pX", "key", "0123456789abcdef"] {
                for text in [format!("{word}{tail}"), format!("{tail}{word}")] {
                    let short: String = text.chars().take(SHORTEST - 1).collect();
                    if is_short_word(short.as_bytes()) {
                        assert_eq!(literal(short.as_bytes()), [], "{short}");
                        assert!(
                            views::of(short.as_bytes()).next().is_none()
                                && encoded::of(short.as_bytes()).is_empty()
                        );
                    }
                }
            }
        }
        assert!(!is_short_word(b"pwd=abcd") && is_short_word(b"tool_use"));
    }
}
