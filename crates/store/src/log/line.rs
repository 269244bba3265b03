//! The form of a line, and the chain through it.
//!
//! `{"v":1,"seq":N,"ts":"…","id":"…","host":"…","user":"…",<fields>,"prev":"P","hash":"H"}`: P is the hash of the record before, or zeros;
//! H = BLAKE3(P ‖ the line up to `,"hash"`), cut to 128 bits, enough against a second text for a given hash. They
//! stand at fixed places from both ends, so that no field can pass for them.

use std::fmt::{self, Write};

use tollgate_model::json;

const DIGITS: usize = 32;

/// A hash of the chain, as hex digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash([u8; DIGITS]);

impl Hash {
    /// What stands before the first record.
    pub const GENESIS: Self = Self([b'0'; DIGITS]);

    /// The hash of some pieces, one after the other.
    pub(crate) fn of(pieces: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for piece in pieces {
            hasher.update(piece);
        }
        let mut digits = [0; DIGITS];
        for (digit, from) in digits.iter_mut().zip(hasher.finalize().to_hex().bytes()) {
            *digit = from;
        }
        Self(digits)
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Reads exactly 32 lower case hex digits.
    #[must_use]
    pub fn from_hex(text: &[u8]) -> Option<Self> {
        let digits: [u8; DIGITS] = text.try_into().ok()?;
        digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')).then_some(Self(digits))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The last field of a record before which the head was missing.
pub(crate) const LOST_HEAD: &str = r#","head_lost":true"#;

/// Does a line say that the head was missing before it?
pub(crate) fn tells_lost_head(line: &[u8]) -> bool {
    // In a text within the record the quotes would be escaped.
    let mark = [LOST_HEAD.as_bytes(), br#","prev":""#].concat();
    line.windows(mark.len()).any(|window| window == mark)
}

/// A line that is ready to be written.
pub(crate) struct Line {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
    text: String,
}

impl Line {
    /// The line of a record whose fields are already clean JSON members, each with a comma before it. So is its origin.
    pub(crate) fn compose(seq: u64, ts: &str, id: &str, [origin, fields]: [&str; 2], prev: Hash) -> Self {
        let mut text = String::with_capacity(origin.len() + fields.len() + 256);
        let _ = write!(text, r#"{{"v":1,"seq":{seq},"ts":"{ts}","id":"#);
        json::write(&id.into(), &mut text);
        text.push_str(origin);
        text.push_str(fields);
        for piece in [r#","prev":""#, prev.as_str(), "\""] {
            text.push_str(piece);
        }
        let hash = Hash::of(&[&prev.0, text.as_bytes()]);
        for piece in [r#","hash":""#, hash.as_str(), "\"}\n"] {
            text.push_str(piece);
        }
        Self { seq, hash, text }
    }

    /// All bytes, with the line end.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    pub(crate) fn len(&self) -> u64 {
        self.text.len() as u64
    }

    /// The text without the line end.
    pub(crate) fn into_text(mut self) -> String {
        self.text.pop();
        self.text
    }
}

/// What a line says about its place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The record's number.
    pub seq: u64,
    /// The hash of the record before, as this one names it.
    pub prev: Hash,
    /// Its own hash, as it stands at its end.
    pub hash: Hash,
    /// The hash is that of the line.
    pub sound: bool,
}

impl Link {
    /// Reads a line without its end; `None` when it does not have the form of a record.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        let (body, hash) = hash_member(line.strip_suffix(b"}")?, b",\"hash\":\"")?;
        let (_, prev) = hash_member(body, b",\"prev\":\"")?;
        let seq = seq_at_start(body)?;
        Some(Self { seq, prev, hash, sound: Hash::of(&[&prev.0, body]) == hash })
    }

    /// The number of a line that has the form of a record, true or not.
    #[must_use]
    pub fn seq_of(line: &[u8]) -> Option<u64> {
        hash_member(line.strip_suffix(b"}")?, b",\"hash\":\"")?;
        seq_at_start(line)
    }
}

/// Takes a member with a hash off the end.
fn hash_member<'a>(text: &'a [u8], name: &[u8]) -> Option<(&'a [u8], Hash)> {
    let text = text.strip_suffix(b"\"")?;
    let (rest, digits) = text.split_at_checked(text.len().checked_sub(DIGITS)?)?;
    Some((rest.strip_suffix(name)?, Hash::from_hex(digits)?))
}

/// The number of the record that begins here. Versions to come may change everything but the frame.
pub(crate) fn seq_at_start(body: &[u8]) -> Option<u64> {
    let rest = body.strip_prefix(b"{\"v\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..)?.strip_prefix(b",\"seq\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = rest.split_at_checked(digits)?;
    rest.starts_with(b",").then_some(())?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_shows() {
        let line = Line::compose(7, "t", "i", ["", r#","a":"b,\"hash\":\"x""#], Hash::GENESIS);
        let text = Line::compose(7, "t", "i", ["", r#","a":"b,\"hash\":\"x""#], Hash::GENESIS).into_text();
        let whole = Link { seq: 7, prev: Hash::GENESIS, hash: line.hash, sound: true };
        assert_eq!(Link::of(text.as_bytes()), Some(whole));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(!Link::of(&bytes).is_some_and(|link| link.sound), "byte {at}");
            assert!(!Link::of(&bytes[..at]).is_some_and(|link| link.sound), "cut at {at}");
        }
    }
}
