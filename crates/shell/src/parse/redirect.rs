//! Redirections.

use super::Parser;
use super::compound::literal;
use crate::ast::{Redirect, RedirectFd, RedirectKind, Word};
use crate::lexer::without_joins;

/// Operators, longer ones first; the flag marks those of zsh.
const OPERATORS: &[(&[u8], Operator, bool)] = &[
    (b"&>>|", Operator::AppendBoth, true),
    (b"&>>!", Operator::AppendBoth, true),
    (b"&>>", Operator::AppendBoth, false),
    (b"&>|", Operator::WriteBoth, true),
    (b"&>!", Operator::WriteBoth, true),
    (b"&>", Operator::WriteBoth, false),
    (b"<<<", Operator::HereString, false),
    (b"<<-", Operator::HeredocStripped, false),
    (b"<<", Operator::Heredoc, false),
    (b"<&", Operator::DuplicateInput, false),
    (b"<>", Operator::ReadWrite, false),
    (b">>|", Operator::Append, true),
    (b">>!", Operator::Append, true),
    (b">>&", Operator::AppendBoth, true),
    (b">>", Operator::Append, false),
    (b">&|", Operator::WriteBoth, true),
    (b">&!", Operator::WriteBoth, true),
    (b">&", Operator::DuplicateOutput, false),
    (b">|", Operator::Clobber, false),
    (b">!", Operator::Clobber, true),
    (b"<", Operator::Read, false),
    (b">", Operator::Write, false),
];

#[derive(Clone, Copy)]
enum Operator {
    Append,
    AppendBoth,
    Clobber,
    DuplicateInput,
    DuplicateOutput,
    HereString,
    Heredoc,
    HeredocStripped,
    Read,
    ReadWrite,
    Write,
    WriteBoth,
}

impl Parser<'_> {
    /// Whether a redirection starts here. Blanks have been skipped.
    pub(super) fn at_redirect(&self) -> bool {
        match self.at.peek() {
            Some(b'<' | b'>') => self.at.after(self.at.pos) != Some(b'('),
            Some(b'&') => self.at.after(self.at.pos) == Some(b'>'),
            Some(b'0'..=b'9' | b'{') => self.descriptor().is_some(),
            _ => false,
        }
    }

    /// Reads a redirection; nothing but a problem when its operand is missing.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.at.pos;
        let fd = self.descriptor().map(|(fd, end)| {
            self.at.pos = end;
            fd
        });
        let operator = self.redirect_operator()?;
        self.blanks();
        if !self.at_word() || self.descriptor().is_some() {
            self.unexpected_here();
            return None;
        }
        let from = self.at.pos;
        let operand = self.word();
        let span = self.span(start, self.at.pos);
        let kind = self.redirect_kind(operator, operand, from);
        Some(Redirect { fd, kind, span })
    }

    fn redirect_operator(&mut self) -> Option<Operator> {
        let zsh = self.is_zsh();
        let (token, operator, _) =
            OPERATORS.iter().find(|(token, _, only)| (zsh || !only) && self.at.ahead(token).is_some())?;
        self.at.eat(token);
        Some(*operator)
    }

    fn redirect_kind(&mut self, operator: Operator, word: Word, from: usize) -> RedirectKind {
        match operator {
            Operator::Append => RedirectKind::Append(word),
            Operator::AppendBoth => RedirectKind::AppendBoth(word),
            Operator::Clobber => RedirectKind::Clobber(word),
            Operator::DuplicateInput => RedirectKind::Duplicate { target: word, output: false },
            Operator::DuplicateOutput if names_file(&word) => RedirectKind::WriteBoth(word),
            Operator::DuplicateOutput => RedirectKind::Duplicate { target: word, output: true },
            Operator::HereString => RedirectKind::HereString(word),
            Operator::Heredoc => self.await_heredoc(from, false),
            Operator::HeredocStripped => self.await_heredoc(from, true),
            Operator::Read => RedirectKind::Read(word),
            Operator::ReadWrite => RedirectKind::ReadWrite(word),
            Operator::Write => RedirectKind::Write(word),
            Operator::WriteBoth => RedirectKind::WriteBoth(word),
        }
    }

    /// `2` or `{name}` right before `<` or `>`, and where it ends.
    fn descriptor(&self) -> Option<(RedirectFd, usize)> {
        let start = self.at.pos;
        let end = match self.at.peek()? {
            b'0'..=b'9' => self.run_end(start, |byte| byte.is_ascii_digit()),
            b'{' => {
                let end = self.run_end(start + 1, |byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'[' | b']')
                });
                end + usize::from(self.at.byte(end)? == b'}')
            }
            _ => return None,
        };
        if !matches!(self.at.byte(self.at.joined(end)), Some(b'<' | b'>')) {
            return None;
        }
        let text = without_joins(self.at.slice(start, end));
        let fd = match text.strip_prefix('{') {
            Some(name) => RedirectFd::Name(descriptor_name(name)?),
            None => RedirectFd::Number(text.parse().ok()?),
        };
        Some((fd, end))
    }

    fn run_end(&self, start: usize, fits: impl Fn(u8) -> bool) -> usize {
        let mut end = start;
        while self.at.byte(self.at.joined(end)).is_some_and(&fits) {
            end = self.at.joined(end) + 1;
        }
        end
    }
}

fn descriptor_name(text: &str) -> Option<String> {
    let name = text.strip_suffix('}')?;
    let first = name.bytes().next()?;
    (!first.is_ascii_digit() && first != b'[').then(|| name.to_owned())
}

/// `>& word` writes a file when the word is known and neither a number nor `-`.
fn names_file(word: &Word) -> bool {
    literal(word).is_some_and(|text| {
        let number = text.strip_suffix('-').unwrap_or(&text);
        !number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
