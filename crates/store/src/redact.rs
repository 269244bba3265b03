//! Takes secrets out of texts, and puts typed stand-ins in: `‹secret:github-token:9f2c›`.
//!
//! A stand-in names the kind of secret and, with the installation's key, four hex digits of its keyed hash: equal
//! secrets can be recognised, but nobody without the key can try out guesses. A stand-in holds no character that
//! a shell would split, so a redacted command still has the same words.

mod assign;
mod encoded;
mod flags;
mod key;
mod names;
mod scan;
mod shapes;
mod stores;
#[cfg(test)]
mod tests;
mod tokens;
mod value;
mod views;

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use scan::{Found, scan};
use tollgate_model::json::Value;

/// Takes secrets out of a text without the installation's key: `‹secret:github-token›`.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    Redactor::default().text(text)
}

/// Takes secrets out of texts. Reads or makes the installation's key when the first secret is met.
#[derive(Debug, Default)]
pub struct Redactor {
    state: Option<PathBuf>,
    personal: bool,
    key: OnceCell<Option<[u8; 32]>>,
    /// What was taken out so far, and its stand-ins.
    seen: RefCell<Vec<(String, String)>>,
}

/// A shorter secret may be a word of any text, and is taken out only where it was found.
const TELLING: usize = 8;
/// A shorter piece of a secret of many words is a word.
const LINE: usize = 16;
/// No more of a value is looked at to learn its secrets.
const MOST_LEARNT: usize = 256 << 10;
/// No more secrets are remembered than this.
const MOST_SEEN: usize = 64;

impl Redactor {
    /// A redactor with the key in this state directory.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        Self { state: Some(state.to_owned()), ..Self::default() }
    }

    /// The same, and it takes out what is personal, too, or not.
    #[must_use]
    pub fn personal(self, personal: bool) -> Self {
        Self { personal, ..self }
    }

    /// The text without its secrets.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found: Vec<(usize, usize, &str, &str)> =
            scan(text).into_iter().map(|Found { start, end, kind }| (start, end, "secret", kind)).collect();
        if self.personal {
            add_personal(text, &mut found);
        }
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end, class, kind) in found {
            out.push_str(text.get(done..start).unwrap_or_default());
            let stand_in = self.stand_in(class, kind, text.get(start..end).unwrap_or_default());
            // A further piece of a secret is only taken out: its stand-in stands where the first piece was.
            out.push_str(if kind.is_empty() { "" } else { &stand_in });
            done = end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The stand-in for a whole value, when its name says that it is a secret.
    #[must_use]
    pub fn member(&self, name: &str, value: &str) -> Option<String> {
        let kind = assign::member(name, value)?;
        Some(self.stand_in("secret", kind, value))
    }

    /// The text without the secrets that were found in others: what is told about a call may hold them where nothing
    /// around them shows that they are secrets.
    pub(crate) fn known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for (secret, stand_in) in
            self.seen.borrow().iter().filter(|(secret, _)| text.contains(secret.as_str()))
        {
            out = Cow::Owned(out.replace(secret.as_str(), stand_in));
        }
        out
    }

    /// Remembers the secrets of a value, so that `repeated` knows them where nothing shows that they are secrets.
    pub fn learn(&self, value: &Value) {
        let mut left = MOST_LEARNT;
        self.learn_some(value, &mut left);
    }

    fn learn_some(&self, value: &Value, left: &mut usize) {
        match value {
            Value::String(text) if text.len() <= *left => {
                *left -= text.len();
                let _ = self.text(text);
            }
            Value::List(elements) => elements.iter().for_each(|element| self.learn_some(element, left)),
            Value::Map(members) => members.iter().for_each(|(name, member)| {
                let _ = self.text(name);
                self.learn_some(member, left);
            }),
            _ => {}
        }
    }

    /// A text that repeats parts of others, perhaps cut: without its own secrets and without those that were met before.
    #[must_use]
    pub fn repeated(&self, text: &str) -> String {
        let mut out = self.known(&self.text(text)).into_owned();
        for (secret, stand_in) in self.seen.borrow().iter() {
            let Some(start) = secret.get(..secret.floor_char_boundary(TELLING)) else { continue };
            let mut from = 0;
            while let Some(at) = out.get(from..).and_then(|rest| rest.find(start)).map(|offset| from + offset)
            {
                let rest = out.get(at..).unwrap_or_default().chars();
                let same = rest.zip(secret.chars()).take_while(|(own, other)| own == other);
                let length: usize = same.map(|(own, _)| own.len_utf8()).sum();
                out.replace_range(at..at + length, stand_in);
                from = at + stand_in.len();
            }
        }
        out
    }

    /// Was any secret found so far?
    pub(crate) fn has_seen(&self) -> bool {
        !self.seen.borrow().is_empty()
    }

    /// Eight hex digits of a text's keyed hash; `None` without a key.
    pub(crate) fn digest(&self, bytes: &[u8]) -> Option<String> {
        let hash = blake3::keyed_hash(self.key().as_ref()?, bytes);
        Some(hash.to_hex().chars().take(8).collect())
    }

    fn stand_in(&self, class: &str, kind: &str, secret: &str) -> String {
        let stand_in = self.made(class, kind, secret);
        let mut seen = self.seen.borrow_mut();
        // What is told about a call may hold one line of a key: a shell takes it for a command.
        let lines = secret.split_whitespace().filter(|line| line.len() >= TELLING && *line != secret);
        let least = if secret.contains(char::is_whitespace) { LINE } else { TELLING };
        for piece in std::iter::once(secret).chain(lines).filter(|piece| piece.len() >= least) {
            if seen.len() < MOST_SEEN && !seen.iter().any(|(other, _)| other == piece) {
                seen.push((piece.to_owned(), stand_in.clone()));
            }
        }
        stand_in
    }

    fn made(&self, class: &str, kind: &str, secret: &str) -> String {
        match self.key() {
            Some(key) => {
                let hash = blake3::keyed_hash(key, secret.as_bytes());
                let tag: String = hash.to_hex().chars().take(4).collect();
                format!("‹{class}:{kind}:{tag}›")
            }
            None => format!("‹{class}:{kind}›"),
        }
    }

    fn key(&self) -> &Option<[u8; 32]> {
        self.key.get_or_init(|| key::load(self.state.as_deref()?))
    }
}

/// Adds what is personal and lies in no secret, so that none reaches into another.
fn add_personal<'k>(text: &str, found: &mut Vec<(usize, usize, &'k str, &'k str)>) {
    for one in tollgate_model::personal(text) {
        let (start, end) = (one.span.start as usize, one.span.end as usize);
        if found.iter().all(|(from, to, ..)| end <= *from || *to <= start) {
            found.push((start, end, "personal", one.kind));
        }
    }
    found.sort_unstable();
}
