//! The forms that only zsh has.

use tollgate_model::Span;

use super::{Closers, Parser};
use crate::ast::{Command, CommandKind, Item, Part, Pipeline, Script, Simple, Stage, Word};
use crate::lexer::Keyword;

/// The name zsh itself shows for a function without one.
const ANONYMOUS: &str = "(anon)";

impl Parser<'_> {
    /// The body of a `for` loop. zsh also takes a single command.
    pub(super) fn short_body(&mut self, start: usize) -> Script {
        let usual = matches!(self.keyword(), Some(Keyword::Do | Keyword::OpenBrace));
        if usual || !self.is_zsh() { self.loop_body(start) } else { self.single_command() }
    }

    fn single_command(&mut self) -> Script {
        self.nested(|parser| {
            let start = parser.at.pos;
            let items: Vec<_> = parser.item().into_iter().collect();
            if items.is_empty() {
                parser.unexpected_here();
            }
            Script { items, problems: Vec::new(), span: parser.span(start, parser.at.pos) }
        })
    }

    /// `repeat count body`: a loop without a variable over one word, the count.
    pub(super) fn repeat_command(&mut self, start: usize) -> CommandKind {
        self.blanks();
        let count = self.word_expected();
        self.blanks();
        self.at.eat(b";");
        self.newlines();
        let body = self.short_body(start);
        CommandKind::For { names: Vec::new(), words: Some(vec![count]), body, select: false }
    }

    /// `foreach name (words) … end`
    pub(super) fn foreach_command(&mut self, start: usize) -> CommandKind {
        self.blanks();
        let name = self.at.slice(self.at.pos, self.at.name_end(self.at.pos)).to_owned();
        self.at.pos = self.at.name_end(self.at.pos);
        let words = self.parenthesised_words();
        if name.is_empty() || words.is_none() {
            self.unexpected_here();
        }
        self.newlines();
        if self.keyword() == Some(Keyword::OpenBrace) {
            let body = self.short_body(start);
            return CommandKind::For { names: vec![name], words, body, select: false };
        }
        self.at.eat(b";");
        let body = self.body(Closers::END);
        self.expect(Keyword::End, start);
        CommandKind::For { names: vec![name], words, body, select: false }
    }

    /// `(words)` after the variable of a loop.
    pub(super) fn parenthesised_words(&mut self) -> Option<Vec<Word>> {
        self.blanks();
        let start = self.at.pos;
        if !self.is_zsh() || !self.at.eat(b"(") {
            return None;
        }
        let mut words = Vec::new();
        loop {
            self.newlines();
            if !self.at_word() {
                break;
            }
            words.push(self.word());
        }
        if !self.at.eat(b")") {
            self.unclosed(start);
        }
        Some(words)
    }

    /// `() { … } words` runs at once: a function, and a call of it.
    pub(super) fn anonymous_function(&mut self, start: usize) -> CommandKind {
        self.newlines();
        let body = self.function_body();
        let made = self.span(start, self.at.pos);
        self.blanks();
        let args = if self.at_word() { self.words() } else { Vec::new() };
        if args.is_empty() {
            return CommandKind::Group(Script {
                items: vec![alone(body, made)],
                problems: Vec::new(),
                span: made,
            });
        }
        let whole = self.span(start, self.at.pos);
        let parts = vec![Part::Text { text: ANONYMOUS.to_owned(), quoted: true }];
        let name = Word { parts, span: self.span(start, start) };
        let words = std::iter::once(name.clone()).chain(args).collect();
        let define = CommandKind::Function { name, body: Box::new(body), loose: false };
        let call = CommandKind::Simple(Simple { assigns: Vec::new(), words });
        let command = |kind, span| Command { kind, redirects: Vec::new(), span };
        let items = vec![alone(command(define, made), made), alone(command(call, whole), whole)];
        CommandKind::Group(Script { items, problems: Vec::new(), span: whole })
    }

    /// `{ … } always { … }`: both blocks run, one after the other.
    pub(super) fn always_block(&mut self, script: &mut Script) {
        let mut look = self.at;
        look.spaces();
        let Some(end) = look.ahead(b"always").filter(|&end| self.ends_word(end)) else { return };
        look.pos = end;
        look.spaces();
        if look.keyword(self.dialect).is_some_and(|(keyword, _)| keyword == Keyword::OpenBrace) {
            self.at = look;
            script.items.extend(self.braced_body().items);
        }
    }

    /// zsh gives several names one body.
    pub(super) fn more_function_names(&mut self, name: &mut Word) {
        while self.is_zsh() {
            self.blanks();
            if !self.at_word() || self.keyword().is_some() {
                return;
            }
            let next = self.word();
            name.parts.push(Part::Text { text: " ".to_owned(), quoted: true });
            name.parts.extend(next.parts);
            name.span = name.span.to(next.span);
        }
    }
}

/// A statement of one command.
fn alone(command: Command, span: Span) -> Item {
    let stages = vec![Stage { command, stderr_too: false }];
    Item { first: Pipeline { negated: false, stages, span }, rest: Vec::new(), background: false, span }
}
