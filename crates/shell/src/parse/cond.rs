//! `[[ … ]]`: its words in a row, checked against the grammar of conditions.

use super::Parser;
use crate::ast::{CommandKind, Part, Word};
use crate::lexer::without_joins;

/// What the next token of a condition may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A word, `!` or `(`.
    Term,
    /// `&&`, `||`, `)` or the end.
    Join,
}

impl Parser<'_> {
    /// Reads a condition from after `[[`.
    pub(super) fn test_command(&mut self, start: usize) -> CommandKind {
        let mut words = Vec::new();
        let mut open = 0_usize;
        let mut state = State::Term;
        loop {
            self.newlines();
            if self.eat_word(b"]]") {
                if open > 0 || state == State::Term {
                    self.unexpected_here();
                }
                break;
            }
            let before = self.at.pos;
            state = self.test_token(state, &mut open, &mut words);
            if self.at.pos == before {
                self.unclosed(start);
                break;
            }
        }
        CommandKind::Test(words)
    }

    /// Reads one term or operator. Consumes nothing where a condition cannot go on.
    fn test_token(&mut self, state: State, open: &mut usize, words: &mut Vec<Word>) -> State {
        let operator: Option<&[u8]> =
            [b"&&".as_slice(), b"||", b"(", b")"].into_iter().find(|token| self.at.ahead(token).is_some());
        if let Some(token) = operator {
            return self.test_operator(token, state, open, words);
        }
        if state == State::Term && self.eat_operator_word(b"!", words) {
            return State::Term;
        }
        if !self.at_test_word() {
            return state;
        }
        if state == State::Join {
            self.unexpected_here();
        }
        self.test_term(words);
        State::Join
    }

    fn test_operator(
        &mut self,
        token: &[u8],
        state: State,
        open: &mut usize,
        words: &mut Vec<Word>,
    ) -> State {
        let (fits, next) = match token {
            b"(" => (state == State::Term, State::Term),
            b")" => (state == State::Join && *open > 0, State::Join),
            _ => (state == State::Join, State::Term),
        };
        if !fits {
            self.unexpected_here();
        }
        match token {
            b"(" => *open += 1,
            b")" => *open = open.saturating_sub(1),
            _ => {}
        }
        self.literal_word(token, words);
        next
    }

    fn eat_operator_word(&mut self, token: &[u8], words: &mut Vec<Word>) -> bool {
        let whole = self.at.ahead(token).is_some_and(|end| self.ends_word(end));
        if whole {
            self.literal_word(token, words);
        }
        whole
    }

    /// Consumes `token` and keeps it as an unquoted word.
    fn literal_word(&mut self, token: &[u8], words: &mut Vec<Word>) {
        let start = self.at.pos;
        self.at.eat(token);
        let text = without_joins(self.at.slice(start, self.at.pos));
        let span = self.span(start, self.at.pos);
        self.count(1);
        words.push(Word { parts: vec![Part::Text { text, quoted: false }], span });
    }

    fn at_test_word(&self) -> bool {
        self.at_word() || matches!(self.at.peek(), Some(b'<' | b'>'))
    }

    /// A word, a unary operator with its operand, or two words around a binary operator.
    fn test_term(&mut self, words: &mut Vec<Word>) {
        let first = self.test_operand();
        let unary = is_unary(&first);
        words.push(first);
        self.newlines();
        if unary {
            self.required_operand(words, false);
            return;
        }
        let Some(regex) = self.binary_operator(words) else { return };
        self.newlines();
        self.required_operand(words, regex);
    }

    /// A word; `<` and `>` where no word can be are read as text.
    fn test_operand(&mut self) -> Word {
        if self.at_word() {
            return self.word();
        }
        self.unexpected_here();
        let mut words = Vec::new();
        let token = if self.at.peek() == Some(b'<') { b"<" } else { b">" };
        self.literal_word(token, &mut words);
        words.pop().unwrap_or_default()
    }

    fn required_operand(&mut self, words: &mut Vec<Word>, regex: bool) {
        let closed = self.at.ahead(b"]]").is_some_and(|end| self.ends_word(end));
        let opens = regex && matches!(self.at.peek(), Some(b'(' | b'|'));
        let grouped = self.is_zsh() && self.at.peek() == Some(b'(');
        if closed || !(self.at_word() || opens || grouped) {
            self.unexpected_here();
            return;
        }
        words.push(if regex || grouped { self.regex_word() } else { self.word() });
    }

    /// Reads a binary operator and tells whether a regular expression follows.
    fn binary_operator(&mut self, words: &mut Vec<Word>) -> Option<bool> {
        for token in [b"<", b">"] {
            if self.at.peek() == token.first().copied() && !self.at_word() {
                self.literal_word(token, words);
                return Some(false);
            }
        }
        for token in BINARY {
            if self.eat_operator_word(token.as_bytes(), words) {
                return Some(*token == "=~");
            }
        }
        None
    }
}

const BINARY: &[&str] =
    &["==", "=", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-pcre-match"];

fn is_unary(word: &Word) -> bool {
    match word.parts.as_slice() {
        [Part::Text { text, quoted: false }] => match text.as_bytes() {
            [b'-', letter] => b"abcdefghknoprstuvwxzGLNORS".contains(letter),
            _ => false,
        },
        _ => false,
    }
}
