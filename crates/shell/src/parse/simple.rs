//! Simple commands: assignments, words and redirections; and functions, which begin like one.

use super::quote::BRACKETS;
use super::word::Parts;
use super::{Closers, Parser};
use crate::ast::{Assign, AssignValue, Command, CommandKind, Part, Redirect, Simple, Word};
use crate::lexer::{Keyword, without_joins};

/// Commands whose operands may be `name=(…)`.
const DECLARING: &[&str] =
    &["alias", "declare", "eval", "export", "float", "integer", "let", "local", "readonly", "typeset"];

/// Elements of an array: subscript and value.
type Elements = Vec<(Option<Word>, Word)>;

/// What a command may begin with.
enum Lead {
    Assign(Assign),
    Word(Word),
}

impl Parser<'_> {
    /// Reads a simple command or a function. Consumes nothing when there is none.
    pub(super) fn simple(&mut self) -> Option<Command> {
        let start = self.at.pos;
        let mut end = start;
        let mut simple = Simple::default();
        let mut redirects: Vec<Redirect> = Vec::new();
        loop {
            self.blanks();
            if self.at_redirect() {
                redirects.extend(self.redirect());
            } else if self.at_word() && !self.zsh_closes(&simple) {
                self.simple_word(&mut simple);
            } else if self.at.peek() == Some(b'(') && self.is_zsh() && !simple.words.is_empty() {
                let empty = simple.words.len() == 1 && redirects.is_empty() && self.eat_empty_parentheses();
                if empty {
                    return Some(self.named_function(start, simple));
                }
                simple.words.push(self.regex_word());
            } else {
                break;
            }
            end = self.at.pos;
        }
        if end == start {
            return None;
        }
        let nameable = simple.words.len() == 1 && simple.assigns.is_empty() && redirects.is_empty();
        if nameable && self.eat_empty_parentheses() {
            return Some(self.named_function(start, simple));
        }
        let kind = CommandKind::Simple(simple);
        Some(Command { kind, redirects, span: self.span(start, end) })
    }

    /// `name()` has been read; the body follows.
    fn named_function(&mut self, start: usize, simple: Simple) -> Command {
        let name = simple.words.into_iter().next().unwrap_or_default();
        let kind = self.function(name);
        Command { kind, redirects: Vec::new(), span: self.span(start, self.at.pos) }
    }

    /// In zsh a `}` ends the command wherever it stands.
    fn zsh_closes(&self, simple: &Simple) -> bool {
        self.is_zsh()
            && !simple.words.is_empty()
            && self.waits.has(Closers::BRACE)
            && self.keyword() == Some(Keyword::CloseBrace)
    }

    fn simple_word(&mut self, simple: &mut Simple) {
        if simple.words.is_empty() {
            let start = self.at.pos;
            match self.lead() {
                Lead::Assign(assign) => simple.assigns.push(assign),
                Lead::Word(word) => {
                    self.note_lookalike(&word, start);
                    simple.words.push(word);
                }
            }
            return;
        }
        let declares = simple.words.first().is_some_and(is_declaring);
        let word = if declares { self.declaring_operand() } else { self.word() };
        simple.words.push(word);
    }

    /// An assignment, or the command word.
    fn lead(&mut self) -> Lead {
        let start = self.at.pos;
        let name_end = self.at.name_end(start);
        if name_end == start {
            return Lead::Word(self.word());
        }
        let next = self.at.joined(name_end);
        match self.at.byte(next) {
            Some(b'=') => self.assign(start, name_end, None),
            Some(b'+') if self.at.after(next) == Some(b'=') => self.assign(start, name_end, None),
            Some(b'[') => self.subscripted(start, name_end, next),
            _ => Lead::Word(self.word()),
        }
    }

    /// `name[…]`: an assignment when `=` follows, otherwise a word with a glob in it.
    fn subscripted(&mut self, start: usize, name_end: usize, bracket: usize) -> Lead {
        match self.bracketed(start, bracket) {
            Ok(subscript) => self.assign(start, name_end, Some(subscript)),
            Err(word) => Lead::Word(word),
        }
    }

    /// Reads the `[…]` at `bracket` of a word that began at `start`: the subscript when `=` or `+=` follows,
    /// otherwise the whole word.
    fn bracketed(&mut self, start: usize, bracket: usize) -> Result<Word, Word> {
        self.at.pos = bracket + 1;
        let (subscript, end) = self.enclosed_word(&BRACKETS);
        if end.is_some() {
            self.at.pos += 1;
        } else {
            self.unclosed(bracket);
        }
        if self.at.ahead(b"=").is_some() || self.at.ahead(b"+=").is_some() {
            return Ok(subscript);
        }
        let mut parts = Parts::default();
        parts.text(&without_joins(self.at.slice(start, bracket + 1)), false);
        for part in subscript.parts {
            match part {
                Part::Text { text, .. } => parts.text(&text, false),
                other => parts.push(other),
            }
        }
        parts.text("]", false);
        self.word_parts(start, false, &mut parts);
        Err(self.finish(parts, start))
    }

    /// The rest of an assignment whose name and subscript are read.
    fn assign(&mut self, start: usize, name_end: usize, subscript: Option<Word>) -> Lead {
        if subscript.is_none() {
            self.at.pos = name_end;
        }
        let name = without_joins(self.at.slice(start, name_end));
        let append = self.at.eat(b"+");
        self.at.eat(b"=");
        let open = self.at.pos;
        let value = if self.at.eat(b"(") {
            AssignValue::Array(self.array(open))
        } else {
            AssignValue::Scalar(self.word())
        };
        let span = self.span(start, self.at.pos);
        Lead::Assign(Assign { name, subscript, append, value, span })
    }

    /// An operand of `declare` and its like: `name=(…)` is an array.
    fn declaring_operand(&mut self) -> Word {
        let start = self.at.pos;
        let mut look = self.at;
        look.pos = self.at.name_end(start);
        let named = look.pos > start;
        look.eat(b"+");
        if !named || !look.eat(b"=") || look.ahead(b"(").is_none() {
            return self.word();
        }
        let mut parts = Parts::default();
        parts.text(&without_joins(self.at.slice(start, look.pos)), false);
        self.at = look;
        self.at.eat(b"(");
        let elements = self.array(start);
        parts.push(Part::Array(elements));
        self.finish(parts, start)
    }

    /// The elements of an array, from after its `(`.
    fn array(&mut self, start: usize) -> Elements {
        let mut elements = Vec::new();
        loop {
            self.blanks();
            match self.at.peek() {
                Some(b'\n') => self.at.pos += 1,
                Some(b')') => {
                    self.at.pos += 1;
                    break;
                }
                Some(b'[') => elements.push(self.subscripted_element()),
                _ if self.at_word() => elements.push((None, self.word())),
                Some(_) => {
                    self.unexpected_here();
                    self.at.bump();
                }
                None => {
                    self.unclosed(start);
                    break;
                }
            }
        }
        elements
    }

    /// `[subscript]=value`, or a word that begins with a glob.
    fn subscripted_element(&mut self) -> (Option<Word>, Word) {
        match self.bracketed(self.at.pos, self.at.pos) {
            Ok(subscript) => {
                self.at.eat(b"+");
                self.at.eat(b"=");
                (Some(subscript), self.word())
            }
            Err(word) => (None, word),
        }
    }
}

fn is_declaring(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part::Text { text, .. }] if DECLARING.contains(&text.as_str()))
}
