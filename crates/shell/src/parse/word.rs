//! Words: unquoted text with quotes, escapes, expansions and glob groups in it.

use super::Parser;
use super::quote::{PLAIN, Rules};
use crate::ast::{Part, ProblemKind, Word};
use crate::lexer::ByteSet;

/// Bytes that are not plain text in a word.
static SPECIAL: ByteSet = ByteSet::of(b" \t\n|&;()<>\\'\"$`\r");

/// The parts of a word as they are read. Neighbouring texts of the same kind are one part.
#[derive(Default)]
pub(super) struct Parts(pub(super) Vec<Part>);

impl Parts {
    /// Adds text, if there is any.
    pub(super) fn text(&mut self, added: &str, quoted: bool) {
        if added.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(Part::Text { text, quoted: same }) if *same == quoted => text.push_str(added),
            _ => self.0.push(Part::Text { text: added.to_owned(), quoted }),
        }
    }

    /// Adds text in quotes, even when it is empty: then it still makes a word.
    pub(super) fn quoted(&mut self, added: &str) {
        match self.0.last_mut() {
            Some(Part::Text { text, quoted: true }) => text.push_str(added),
            _ => self.0.push(Part::Text { text: added.to_owned(), quoted: true }),
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        self.0.push(part);
    }

    /// Grows whenever anything is added.
    pub(super) fn size(&self) -> (usize, usize) {
        let last = match self.0.last() {
            Some(Part::Text { text, .. }) => text.len(),
            _ => 0,
        };
        (self.0.len(), last)
    }

    /// Whether the text so far ends, unquoted, in a character that makes `(` an extended glob.
    fn ends_in_glob_prefix(&self) -> bool {
        matches!(self.0.last(), Some(Part::Text { text, quoted: false }) if text.ends_with(['?', '*', '+', '@', '!']))
    }
}

impl Parser<'_> {
    /// Whether a word starts here. Blanks have been skipped.
    pub(super) fn at_word(&self) -> bool {
        match self.at.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')') => false,
            Some(b'<' | b'>') => self.at.after(self.at.pos) == Some(b'('),
            Some(_) => true,
        }
    }

    /// Reads a word; an empty one when none stands here.
    pub(super) fn word(&mut self) -> Word {
        let start = self.at.pos;
        let mut parts = Parts::default();
        if self.is_zsh() && self.at.ahead(b"=(").is_some() {
            self.process(&mut parts);
        }
        self.word_parts(start, false, &mut parts);
        self.finish(parts, start)
    }

    /// Reads the right side of `=~`, where `(` groups and `|` is text.
    pub(super) fn regex_word(&mut self) -> Word {
        let start = self.at.pos;
        let mut parts = Parts::default();
        self.word_parts(start, true, &mut parts);
        self.finish(parts, start)
    }

    /// Makes the word that started at `start` of its parts.
    pub(super) fn finish(&mut self, parts: Parts, start: usize) -> Word {
        let span = self.span(start, self.at.pos);
        self.count(parts.0.len().max(1));
        Word { parts: parts.0, span }
    }

    /// Reads what belongs to the word that began at `start`.
    pub(super) fn word_parts(&mut self, start: usize, regex: bool, parts: &mut Parts) {
        let mut groups = 0_usize;
        loop {
            let from = self.at.pos;
            let plain = self.at.run(&SPECIAL);
            self.note_deceptive(plain, from);
            parts.text(plain, false);
            self.bound(parts);
            let Some(byte) = self.at.peek() else { break };
            match byte {
                b'\\' => self.escape(parts),
                b'\'' => self.single_quoted(parts),
                b'"' => self.double_quoted(parts),
                b'$' => self.dollar(PLAIN, parts),
                b'`' => self.backtick(PLAIN, parts),
                b'\r' => self.strange(parts),
                b'<' | b'>' if self.at.after(self.at.pos) == Some(b'(') => self.process(parts),
                b'(' if groups > 0 || regex || self.opens_glob_group(start, parts) => {
                    groups += 1;
                    parts.text(self.at.bump(), false);
                }
                b')' if groups > 0 => {
                    groups -= 1;
                    parts.text(self.at.bump(), false);
                }
                b'|' if regex => parts.text(self.at.bump(), false),
                _ if groups > 0 => parts.text(self.at.bump(), false),
                _ => break,
            }
        }
        if groups > 0 {
            self.unclosed(start);
        }
    }

    /// Stops when one word has more parts than the whole tree may have nodes.
    pub(super) fn bound(&mut self, parts: &Parts) {
        if parts.0.len() > self.ledger.limits.nodes {
            self.stop();
        }
    }

    /// `@(…)` and its like; in zsh any `(` inside a word.
    fn opens_glob_group(&self, start: usize, parts: &Parts) -> bool {
        let empty = self.at.after(self.at.pos) == Some(b')');
        !empty && (parts.ends_in_glob_prefix() || (self.is_zsh() && self.at.pos > start))
    }

    /// A backslash outside of quotes.
    pub(super) fn escape(&mut self, parts: &mut Parts) {
        self.at.pos += 1;
        match self.at.peek() {
            Some(b'\n') => self.at.pos += 1,
            Some(_) => parts.quoted(self.at.bump()),
            None => parts.quoted("\\"),
        }
    }

    fn strange(&mut self, parts: &mut Parts) {
        let start = self.at.pos;
        parts.text(self.at.bump(), false);
        // At the end of a line it is only that of a text from Windows, and part of the last word.
        if !matches!(self.at.peek(), Some(b'\n') | None) {
            self.problem(ProblemKind::StrangeByte, start, start + 1);
        }
    }

    /// `<( … )`, `>( … )`, zsh `=( … )`.
    pub(super) fn process(&mut self, parts: &mut Parts) {
        let start = self.at.pos;
        let output = self.at.peek() == Some(b'>');
        self.at.pos = self.at.joined(start + 1) + 1;
        let script = self.parenthesised(start);
        let span = self.span(start, self.at.pos);
        parts.push(Part::Process { script, output, span });
    }

    /// A word of a given kind of enclosed text, and what ended it; nothing did when reading has stopped.
    pub(super) fn enclosed_word(&mut self, rules: &Rules) -> (Word, Option<u8>) {
        let start = self.at.pos;
        let mut parts = Parts::default();
        let end = self.enclosed(rules, &mut parts);
        let word = self.finish(parts, start);
        (word, end.filter(|_| !self.ledger.stopped))
    }
}
