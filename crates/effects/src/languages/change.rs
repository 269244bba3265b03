//! Changes of a text in place, as Perl writes them: `s/a/b/`, `tr/a-z/b-za/`.

use super::text::{each_text, letters};
use super::value::Val;

/// The longest text that words are exchanged in, as it may become.
const LONGEST: usize = 1 << 20;

/// One letter for another, or one word for another.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    pub letters: bool,
    pub from: String,
    pub to: String,
    /// Every word, not only the first.
    pub all: bool,
    /// The text itself stays as it is.
    pub copies: bool,
}

impl Change {
    /// The value after the change. A pattern that is no plain word leaves it as it was.
    pub fn apply(&self, value: &Val) -> Val {
        if self.letters {
            return each_text(value, |text| letters(text, &self.from, &self.to));
        }
        // What takes every line away leaves nothing.
        if matches!(self.from.as_str(), ".*" | ".+" | "^.*" | "^.*$" | ".*$" | "^.+$" | "[\\s\\S]*" | ".*\\n")
            && !self.to.contains(['$', '\\', '&'])
        {
            return Val::text(&self.to);
        }
        let is_plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || ":/_-, ".contains(c));
        if let Some(last) = self.from.strip_prefix(".*").filter(|last| !last.is_empty() && is_plain(last)) {
            return each_text(value, |text| match text.rsplit_once(last) {
                Some((_, rest)) => format!("{}{rest}", self.to),
                None => text.to_owned(),
            });
        }
        let plain = |c: char| c.is_alphanumeric() || " _-/,:;=@%&~'\"<>#!".contains(c);
        if self.from.is_empty() || !self.from.chars().all(plain) || self.to.contains(['$', '\\']) {
            return value.clone();
        }
        let count = if self.all { usize::MAX } else { 1 };
        each_text(value, |text| match text.len() * (self.to.len() + 1) < LONGEST {
            true => text.replacen(&self.from, &self.to, count),
            false => text.to_owned(),
        })
    }
}
