//! Lists of commands: scripts, and-or lists and pipelines, and how reading goes on after a mistake.

use super::{Closers, Parser};
use crate::ast::{AndOr, Command, CommandKind, Item, Pipeline, ProblemKind, Script, Simple, Stage};
use crate::lexer::{Keyword, WORD_END};

/// Operators, longer ones first.
const OPERATORS: [&[u8]; 14] =
    [b";;&", b";;", b";&", b";|", b"&&", b"||", b"|&", b"&", b"|", b";", b"(", b")", b"<", b">"];

impl Parser<'_> {
    /// Reads commands until one of `closers`, or something an enclosing construct waits for.
    pub(super) fn script(&mut self, closers: Closers) -> Script {
        let start = self.at.pos;
        let outer = self.waits;
        self.waits = outer.with(closers);
        let items = self.nested(Self::items);
        self.waits = outer;
        Script { items, problems: Vec::new(), span: self.span(start, self.at.pos) }
    }

    /// The script of a compound command, which may not be empty.
    pub(super) fn body(&mut self, closers: Closers) -> Script {
        let script = self.script(closers);
        if script.items.is_empty() && !self.is_zsh() {
            self.unexpected_here();
        }
        script
    }

    /// Reads a script that stands for itself: what is around it does not end it.
    pub(super) fn substituted(&mut self, closers: Closers) -> Script {
        let waits = std::mem::replace(&mut self.waits, Closers::NONE);
        let substitution = std::mem::replace(&mut self.substitution, closers);
        let heredocs = std::mem::take(&mut self.heredocs);
        let mut script = self.script(closers);
        self.fill_heredocs(&mut script);
        self.heredocs = heredocs;
        self.substitution = substitution;
        self.waits = waits;
        script
    }

    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            self.newlines();
            if self.at.peek().is_none() || self.at_closer() {
                return items;
            }
            let start = self.at.pos;
            let item = self.item();
            let separated = item.as_ref().is_some_and(|item| item.background);
            items.extend(item);
            if self.at.pos == start {
                self.skip_unexpected();
            } else if !separated && self.separate() {
                return items;
            }
        }
    }

    /// Goes over what ends an item. True when a zsh `{` ends the whole list.
    fn separate(&mut self) -> bool {
        self.blanks();
        match self.at.peek() {
            None | Some(b'\n') => false,
            Some(b';') if !self.at_arm_end() => {
                self.at.pos += 1;
                false
            }
            _ if self.at_closer() => false,
            _ if self.waits.has(Closers::OPEN) && self.keyword() == Some(Keyword::OpenBrace) => true,
            // An operator is reported where it is stepped over.
            next => {
                if self.at_word() || next == Some(b'(') {
                    self.unexpected_here();
                }
                false
            }
        }
    }

    /// Whether something stands here that this list or one around it waits for.
    fn at_closer(&self) -> bool {
        let closer = match self.at.peek() {
            Some(b')') => Closers::PAREN,
            Some(b';') if self.at_arm_end() => Closers::ARM,
            // The brace of `${ …; }` need not be a word of its own.
            Some(b'}') if self.substitution == self.waits => Closers::BRACE,
            _ => self.keyword().map_or(Closers::NONE, Closers::of),
        };
        self.waits.has(closer)
    }

    fn at_arm_end(&self) -> bool {
        self.at.peek() == Some(b';')
            && match self.at.after(self.at.pos) {
                Some(b';' | b'&') => true,
                Some(b'|') => self.is_zsh(),
                _ => false,
            }
    }

    /// Steps over a token that nothing can be made of.
    fn skip_unexpected(&mut self) {
        let start = self.at.pos;
        let operator = OPERATORS.iter().find_map(|operator| self.at.ahead(operator));
        let keyword = self.at.keyword(self.dialect).map(|(_, end)| end);
        match operator.or(keyword) {
            Some(end) => self.at.pos = end,
            None => drop(self.at.bump()),
        }
        self.problem(ProblemKind::Unexpected, start, self.at.pos);
        self.blanks();
        if !self.at_arm_end() {
            self.at.eat(b";");
        }
    }

    /// One and-or list.
    pub(super) fn item(&mut self) -> Option<Item> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        let mut span = first.span;
        loop {
            self.blanks();
            let Some(connective) = self.eat_connective() else { break };
            self.newlines();
            let Some(pipeline) = self.pipeline() else {
                self.unexpected_here();
                break;
            };
            span = span.to(pipeline.span);
            rest.push((connective, pipeline));
        }
        let background = self.eat_background();
        Some(Item { first, rest, background, span })
    }

    fn eat_connective(&mut self) -> Option<AndOr> {
        if self.at.eat(b"&&") {
            Some(AndOr::And)
        } else if self.at.eat(b"||") {
            Some(AndOr::Or)
        } else {
            None
        }
    }

    fn eat_background(&mut self) -> bool {
        let disowned = self.is_zsh() && (self.at.eat(b"&!") || self.at.eat(b"&|"));
        disowned || self.at.eat(b"&")
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let start = self.at.pos;
        let (negated, prefixed) = self.pipeline_prefix();
        let Some(command) = self.command() else {
            return prefixed.then(|| self.bare_prefix(start, negated));
        };
        let mut span = self.span(start, start).to(command.span);
        let mut stages = vec![Stage { command, stderr_too: false }];
        loop {
            self.blanks();
            if self.at.ahead(b"||").is_some() || !self.at.eat(b"|") {
                break;
            }
            let stderr_too = self.at.eat(b"&");
            self.newlines();
            let Some(command) = self.command() else {
                self.unexpected_here();
                break;
            };
            if let Some(last) = stages.last_mut() {
                last.stderr_too = stderr_too;
            }
            span = span.to(command.span);
            stages.push(Stage { command, stderr_too: false });
        }
        Some(Pipeline { negated, stages, span })
    }

    /// `!` and `time [-p] [--]`, in any number. Tells whether there were an odd number of `!`, and any at all.
    fn pipeline_prefix(&mut self) -> (bool, bool) {
        let mut negated = false;
        let mut prefixed = false;
        loop {
            if self.eat_keyword(Keyword::Bang) {
                negated = !negated;
            } else if self.eat_keyword(Keyword::Time) {
                self.blanks();
                self.eat_word(b"-p");
                self.blanks();
                self.eat_word(b"--");
            } else {
                return (negated, prefixed);
            }
            prefixed = true;
            self.blanks();
        }
    }

    /// `!` or `time` with nothing after it, which is a command that does nothing.
    fn bare_prefix(&mut self, start: usize, negated: bool) -> Pipeline {
        if !matches!(self.at.peek(), None | Some(b'\n' | b';' | b')')) {
            self.unexpected_here();
        }
        let span = self.span(start, self.at.pos);
        let kind = CommandKind::Simple(Simple::default());
        let command = Command { kind, redirects: Vec::new(), span };
        Pipeline { negated, stages: vec![Stage { command, stderr_too: false }], span }
    }

    /// Consumes the unquoted word `word` when it stands here, whole.
    pub(super) fn eat_word(&mut self, word: &[u8]) -> bool {
        let end = self.at.ahead(word).filter(|&end| self.ends_word(end));
        if let Some(end) = end {
            self.at.pos = end;
        }
        end.is_some()
    }

    /// Whether a word that reaches `at` ends there.
    pub(super) fn ends_word(&self, at: usize) -> bool {
        self.at.byte(self.at.joined(at)).is_none_or(|byte| WORD_END.has(byte))
    }
}
