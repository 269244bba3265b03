//! A cursor over shell text that knows line continuations, byte sets and reserved words.

use crate::ast::Dialect;

/// A set of bytes, tested with one load.
pub(crate) struct ByteSet([bool; 256]);

impl ByteSet {
    /// The set of these bytes.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time; a byte always fits the table")]
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        let mut table = [false; 256];
        let mut rest = bytes;
        while let [first, tail @ ..] = rest {
            table[*first as usize] = true;
            rest = tail;
        }
        Self(table)
    }

    /// Whether `byte` is in the set.
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or_default()
    }
}

/// Bytes that end an unquoted word.
pub(crate) static WORD_END: ByteSet = ByteSet::of(b" \t\n|&;()<>");

/// A reserved word. Only the grammar knows where it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Bang,
    Case,
    CloseBrace,
    CloseTest,
    Coproc,
    Do,
    Done,
    Elif,
    Else,
    End,
    Esac,
    Fi,
    For,
    Foreach,
    Function,
    If,
    In,
    OpenBrace,
    OpenTest,
    Repeat,
    Select,
    Then,
    Time,
    Until,
    While,
}

impl Keyword {
    fn of(word: &[u8], dialect: Dialect) -> Option<Self> {
        let zsh = dialect == Dialect::Zsh;
        let posix = dialect == Dialect::Posix;
        Some(match word {
            b"!" => Self::Bang,
            b"case" => Self::Case,
            b"}" => Self::CloseBrace,
            b"]]" if !posix => Self::CloseTest,
            b"coproc" => Self::Coproc,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"end" if zsh => Self::End,
            b"esac" => Self::Esac,
            b"fi" => Self::Fi,
            b"for" => Self::For,
            b"foreach" if zsh => Self::Foreach,
            b"function" => Self::Function,
            b"if" => Self::If,
            b"in" => Self::In,
            b"{" => Self::OpenBrace,
            b"[[" if !posix => Self::OpenTest,
            b"repeat" if zsh => Self::Repeat,
            b"select" => Self::Select,
            b"then" => Self::Then,
            b"time" => Self::Time,
            b"until" => Self::Until,
            b"while" => Self::While,
            _ => return None,
        })
    }

    /// Whether a compound command starts with it.
    pub(crate) fn opens(self) -> bool {
        matches!(
            self,
            Self::Case
                | Self::For
                | Self::Foreach
                | Self::If
                | Self::OpenBrace
                | Self::OpenTest
                | Self::Repeat
                | Self::Select
                | Self::Until
                | Self::While
        )
    }
}

/// The longest reserved word.
const KEYWORD_LENGTH: usize = 8;

/// A place in a text. Invariant: `pos` is on a character boundary and not beyond the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'s> {
    pub(crate) text: &'s str,
    pub(crate) pos: usize,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Self { text, pos: 0 }
    }

    /// The byte at `at`.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The byte here.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.byte(self.pos)
    }

    /// The byte after the one at `at`, seen through line continuations.
    pub(crate) fn after(&self, at: usize) -> Option<u8> {
        self.byte(self.joined(at + 1))
    }

    /// The first place from `at` on that is no line continuation.
    pub(crate) fn joined(&self, mut at: usize) -> usize {
        while self.byte(at) == Some(b'\\') && self.byte(at + 1) == Some(b'\n') {
            at += 2;
        }
        at
    }

    /// Skips line continuations.
    pub(crate) fn join(&mut self) {
        self.pos = self.joined(self.pos);
    }

    /// Where `token` ends when it stands here, seen through line continuations.
    pub(crate) fn ahead(&self, token: &[u8]) -> Option<usize> {
        let mut at = self.joined(self.pos);
        for (index, expected) in token.iter().enumerate() {
            if index > 0 {
                at = self.joined(at);
            }
            if self.byte(at) != Some(*expected) {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Consumes `token` when it stands here.
    pub(crate) fn eat(&mut self, token: &[u8]) -> bool {
        match self.ahead(token) {
            Some(end) => {
                self.pos = end;
                true
            }
            None => false,
        }
    }

    /// The text from `start` to `end`.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'s str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Consumes and gives the text up to a byte of `stops`, which holds only ASCII.
    pub(crate) fn run(&mut self, stops: &ByteSet) -> &'s str {
        let start = self.pos;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        self.pos += rest.iter().position(|&byte| stops.has(byte)).unwrap_or(rest.len());
        self.slice(start, self.pos)
    }

    /// Consumes and gives the text up to the next `stop`, which is ASCII, or to the end.
    pub(crate) fn run_to(&mut self, stop: u8) -> &'s str {
        let start = self.pos;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        self.pos += rest.iter().position(|&byte| byte == stop).unwrap_or(rest.len());
        self.slice(start, self.pos)
    }

    /// Consumes and gives one character.
    pub(crate) fn bump(&mut self) -> &'s str {
        let start = self.pos;
        let width = self.text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        self.pos += width;
        self.slice(start, self.pos)
    }

    /// Skips spaces, tabs and line continuations.
    pub(crate) fn spaces(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.byte(self.pos + 1) == Some(b'\n') => self.pos += 2,
                _ => return,
            }
        }
    }

    /// Where a variable name that starts at `at` ends; `at` itself when there is none.
    pub(crate) fn name_end(&self, at: usize) -> usize {
        let mut end = at;
        let mut next = self.joined(at);
        while let Some(byte) = self.byte(next) {
            let fits = byte == b'_' || byte.is_ascii_alphabetic() || (end > at && byte.is_ascii_digit());
            if !fits {
                break;
            }
            end = next + 1;
            next = self.joined(end);
        }
        end
    }

    /// The reserved word here and where it ends. The word must be whole and without quotes.
    pub(crate) fn keyword(&self, dialect: Dialect) -> Option<(Keyword, usize)> {
        let mut buffer = [0; KEYWORD_LENGTH];
        let mut length = 0;
        let mut at = self.joined(self.pos);
        let mut end = at;
        while let Some(byte) = self.byte(at).filter(|&byte| !WORD_END.has(byte)) {
            *buffer.get_mut(length)? = byte;
            length += 1;
            end = at + 1;
            at = self.joined(end);
        }
        Some((Keyword::of(buffer.get(..length)?, dialect)?, end))
    }
}

/// `text` without its line continuations.
pub(crate) fn without_joins(text: &str) -> String {
    if text.contains("\\\n") { text.replace("\\\n", "") } else { text.to_owned() }
}
