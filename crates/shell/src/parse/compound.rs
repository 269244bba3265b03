//! Commands: the dispatch on their first token, and the compound ones.

use super::{Closers, Parser};
use crate::ast::{CaseArm, CaseEnd, Command, CommandKind, Dialect, Part, Script, Word};
use crate::lexer::{Keyword, without_joins};

impl Parser<'_> {
    /// Reads one command with its redirections. Consumes nothing when there is none.
    pub(super) fn command(&mut self) -> Option<Command> {
        self.count(1);
        self.at.join();
        let start = self.at.pos;
        let kind = match self.at.peek()? {
            b'(' => self.parenthesis(),
            _ => match self.at.keyword(self.dialect) {
                None | Some((Keyword::Time, _)) => return self.simple(),
                Some((keyword, end)) => {
                    let read = self.compound(keyword)?;
                    self.at.pos = end;
                    read(self, start)
                }
            },
        };
        Some(self.redirected(kind, start))
    }

    fn redirected(&mut self, kind: CommandKind, start: usize) -> Command {
        let mut end = self.at.pos;
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if !self.at_redirect() {
                break;
            }
            redirects.extend(self.redirect());
            end = self.at.pos;
        }
        Command { kind, redirects, span: self.span(start, end) }
    }

    /// What reads the command that `keyword` begins, from after it.
    fn compound(&self, keyword: Keyword) -> Option<fn(&mut Self, usize) -> CommandKind> {
        Some(match keyword {
            Keyword::If => Self::if_command,
            Keyword::For => Self::for_command,
            Keyword::Select => Self::select_command,
            Keyword::While => Self::while_command,
            Keyword::Until => Self::until_command,
            Keyword::Case => Self::case_command,
            Keyword::Function => Self::function_command,
            Keyword::OpenBrace => Self::group,
            Keyword::OpenTest => Self::test_command,
            Keyword::Coproc => Self::coproc_command,
            Keyword::Repeat => Self::repeat_command,
            Keyword::Foreach => Self::foreach_command,
            _ => return None,
        })
    }

    /// `(( … ))` or `( … )`; in zsh also `() { … }`. dash has no `((` and runs what is in it.
    fn parenthesis(&mut self) -> CommandKind {
        let start = self.at.pos;
        let doubled = self.dialect != Dialect::Posix && self.at.ahead(b"((").is_some();
        if doubled && self.is_arith(start) {
            self.at.eat(b"((");
            return CommandKind::Arith(self.arith(start));
        }
        self.at.eat(b"(");
        if self.is_zsh() && self.at.eat(b")") {
            return self.anonymous_function(start);
        }
        let script = self.body(Closers::PAREN);
        if !self.at.eat(b")") {
            self.unclosed(start);
        }
        CommandKind::Subshell(script)
    }

    fn group(&mut self, start: usize) -> CommandKind {
        let mut script = self.body(Closers::BRACE);
        self.expect(Keyword::CloseBrace, start);
        if self.is_zsh() {
            self.always_block(&mut script);
        }
        CommandKind::Group(script)
    }

    /// Consumes `keyword`, or records that what started at `start` is not closed.
    pub(super) fn expect(&mut self, keyword: Keyword, start: usize) {
        if !self.eat_keyword(keyword) {
            self.unclosed(start);
        }
    }

    fn if_command(&mut self, start: usize) -> CommandKind {
        let closers = Closers::ELSE.with(Closers::FI);
        let mut arms = Vec::new();
        let mut braced;
        loop {
            let condition = self.condition(closers.with(Closers::THEN));
            let body;
            (body, braced) = self.then_body(closers, start);
            arms.push((condition, body));
            if !self.eat_keyword(Keyword::Elif) {
                break;
            }
        }
        let mut otherwise = None;
        if self.eat_keyword(Keyword::Else) {
            self.newlines();
            otherwise = Some(if braced && self.keyword() == Some(Keyword::OpenBrace) {
                self.braced_body()
            } else {
                self.body(Closers::FI)
            });
        }
        if !braced {
            self.expect(Keyword::Fi, start);
        }
        CommandKind::If { arms, otherwise }
    }

    /// The condition of `if`, `while` and `until`; in zsh a `{` may end it.
    fn condition(&mut self, closers: Closers) -> Script {
        self.body(if self.is_zsh() { closers.with(Closers::OPEN) } else { closers })
    }

    /// The body after `then`, and whether it was a zsh block in braces.
    fn then_body(&mut self, closers: Closers, start: usize) -> (Script, bool) {
        if self.eat_keyword(Keyword::Then) {
            return (self.body(closers), false);
        }
        if self.is_zsh() && self.keyword() == Some(Keyword::OpenBrace) {
            let body = self.braced_body();
            self.blanks();
            return (body, true);
        }
        self.unclosed(start);
        (self.no_script(), false)
    }

    fn while_command(&mut self, start: usize) -> CommandKind {
        self.conditional_loop(start, false)
    }

    fn until_command(&mut self, start: usize) -> CommandKind {
        self.conditional_loop(start, true)
    }

    fn conditional_loop(&mut self, start: usize, until: bool) -> CommandKind {
        let condition = self.condition(Closers::DO.with(Closers::DONE));
        let body = self.loop_body(start);
        CommandKind::While { condition, body, until }
    }

    /// `do … done`, or `{ … }`.
    pub(super) fn loop_body(&mut self, start: usize) -> Script {
        if self.keyword() == Some(Keyword::OpenBrace) {
            return self.braced_body();
        }
        let opened = self.eat_keyword(Keyword::Do);
        if !opened {
            self.unexpected_here();
        }
        let body = if opened { self.body(Closers::DONE) } else { self.no_script() };
        self.expect(Keyword::Done, start);
        body
    }

    pub(super) fn braced_body(&mut self) -> Script {
        let start = self.at.pos;
        self.eat_keyword(Keyword::OpenBrace);
        let body = self.body(Closers::BRACE);
        self.expect(Keyword::CloseBrace, start);
        body
    }

    fn for_command(&mut self, start: usize) -> CommandKind {
        self.blanks();
        if self.at.eat(b"((") {
            let header = self.arith_header(start);
            self.list_end();
            let body = self.short_body(start);
            return CommandKind::CFor { header, body };
        }
        self.word_loop(start, false)
    }

    fn select_command(&mut self, start: usize) -> CommandKind {
        self.word_loop(start, true)
    }

    /// The rest of `for` and `select` from the variable on.
    fn word_loop(&mut self, start: usize, select: bool) -> CommandKind {
        let names = self.loop_names();
        if let Some(words) = self.parenthesised_words() {
            self.list_end();
            let body = self.short_body(start);
            return CommandKind::For { names, words: Some(words), body, select };
        }
        self.newlines();
        let words = self.eat_keyword(Keyword::In).then(|| self.words());
        self.list_end();
        let body = self.short_body(start);
        CommandKind::For { names, words, body, select }
    }

    fn loop_names(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            self.blanks();
            let more = names.is_empty() || (self.is_zsh() && self.keyword().is_none());
            if !more || !self.at_word() {
                break;
            }
            let word = self.word();
            names.push(literal(&word).unwrap_or_default());
        }
        if names.is_empty() {
            self.unexpected_here();
        }
        names
    }

    /// Words up to an operator or the end of the line.
    pub(super) fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            if !self.at_word() {
                return words;
            }
            words.push(self.word());
        }
    }

    /// An optional `;` and newlines between the head of a loop and its body.
    fn list_end(&mut self) {
        self.blanks();
        if self.at.ahead(b";;").is_none() {
            self.at.eat(b";");
        }
        self.newlines();
    }

    fn case_command(&mut self, start: usize) -> CommandKind {
        self.blanks();
        let subject = self.word_expected();
        self.newlines();
        if !self.eat_keyword(Keyword::In) {
            self.unexpected_here();
        }
        let mut arms = Vec::new();
        loop {
            self.newlines();
            if self.eat_keyword(Keyword::Esac) {
                break;
            }
            let Some(arm) = self.case_arm() else {
                self.unclosed(start);
                break;
            };
            arms.push(arm);
            if !self.eat_arm_end(&mut arms) {
                self.expect(Keyword::Esac, start);
                break;
            }
        }
        CommandKind::Case { subject, arms }
    }

    /// One arm. Consumes nothing when no pattern stands here.
    fn case_arm(&mut self) -> Option<CaseArm> {
        let opened = self.at.eat(b"(");
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            if self.at_word() {
                patterns.push(self.word());
            } else if patterns.is_empty() && !opened {
                return None;
            } else {
                self.unexpected_here();
            }
            self.blanks();
            if self.at.ahead(b"||").is_some() || !self.at.eat(b"|") {
                break;
            }
        }
        if !self.at.eat(b")") {
            self.unexpected_here();
        }
        let body = self.script(Closers::ARM.with(Closers::ESAC));
        Some(CaseArm { patterns, body, end: CaseEnd::Break })
    }

    /// Consumes `;;` or its like and notes it in the last arm. The last one of a `case` may lack it.
    fn eat_arm_end(&mut self, arms: &mut [CaseArm]) -> bool {
        let end = if self.at.eat(b";;&") || (self.is_zsh() && self.at.eat(b";|")) {
            CaseEnd::Continue
        } else if self.at.eat(b";&") {
            CaseEnd::FallThrough
        } else if self.at.eat(b";;") {
            CaseEnd::Break
        } else {
            return false;
        };
        if let Some(arm) = arms.last_mut() {
            arm.end = end;
        }
        true
    }

    /// `function name [()] body`, from the name on.
    fn function_command(&mut self, start: usize) -> CommandKind {
        self.blanks();
        let anonymous = self.is_zsh() && self.keyword() == Some(Keyword::OpenBrace);
        if anonymous {
            return self.anonymous_function(start);
        }
        let mut name = self.word_expected();
        self.more_function_names(&mut name);
        self.blanks();
        let plain = !self.eat_empty_parentheses();
        let split = plain && self.dialect == Dialect::Posix && self.body_begins_a_line();
        match self.function(name) {
            CommandKind::Function { name, body, .. } => CommandKind::Function { name, body, loose: split },
            other => other,
        }
    }

    /// Does a line end before the first command of the body?
    fn body_begins_a_line(&self) -> bool {
        let mut look = self.at;
        if look.eat(b"{") {
            look.spaces();
        }
        matches!(look.peek(), Some(b'\n' | b'#'))
    }

    /// Consumes `()`, with blanks or without.
    pub(super) fn eat_empty_parentheses(&mut self) -> bool {
        let mut look = self.at;
        if !look.eat(b"(") {
            return false;
        }
        look.spaces();
        let closed = look.eat(b")");
        if closed {
            self.at = look;
        }
        closed
    }

    /// A function from its body on.
    pub(super) fn function(&mut self, name: Word) -> CommandKind {
        self.newlines();
        let body = Box::new(self.function_body());
        CommandKind::Function { name, body, loose: false }
    }

    /// The body of a function: a compound command; zsh takes any.
    pub(super) fn function_body(&mut self) -> Command {
        let start = self.at.pos;
        let compound = self.at.peek() == Some(b'(') || self.keyword().is_some_and(Keyword::opens);
        if !compound && !self.is_zsh() {
            self.unexpected_here();
        }
        let body = self.nested(Self::command);
        body.unwrap_or_else(|| self.broken(start))
    }

    /// A command of which nothing could be read.
    fn broken(&mut self, start: usize) -> Command {
        let span = self.span(start, self.at.pos);
        Command { kind: CommandKind::Broken(Vec::new()), redirects: Vec::new(), span }
    }

    fn coproc_command(&mut self, start: usize) -> CommandKind {
        self.blanks();
        let name = self.coproc_name();
        let body = self.nested(Self::command);
        if body.is_none() {
            self.unexpected_here();
        }
        let body = Box::new(body.unwrap_or_else(|| self.broken(start)));
        CommandKind::Coproc { name, body }
    }

    /// A name is one only before a compound command.
    fn coproc_name(&mut self) -> Option<String> {
        if self.keyword().is_some() {
            return None;
        }
        let start = self.at.pos;
        let end = self.at.name_end(start);
        let mut look = self.at;
        look.pos = end;
        look.spaces();
        let compound =
            look.peek() == Some(b'(') || look.keyword(self.dialect).is_some_and(|(word, _)| word.opens());
        if end == start || look.pos == end && look.peek() != Some(b'(') || !compound {
            return None;
        }
        self.at = look;
        Some(without_joins(self.at.slice(start, end)))
    }

    /// A word, or a problem and an empty one.
    pub(super) fn word_expected(&mut self) -> Word {
        if !self.at_word() {
            self.unexpected_here();
            return self.no_word();
        }
        self.word()
    }

    /// An empty script here.
    fn no_script(&self) -> Script {
        Script { span: self.span(self.at.pos, self.at.pos), ..Script::default() }
    }

    /// An empty word here.
    pub(super) fn no_word(&self) -> Word {
        Word { parts: Vec::new(), span: self.span(self.at.pos, self.at.pos) }
    }
}

/// The text of a word that has no expansions.
pub(super) fn literal(word: &Word) -> Option<String> {
    let mut whole = String::new();
    for part in &word.parts {
        match part {
            Part::Text { text, .. } => whole.push_str(text),
            _ => return None,
        }
    }
    Some(whole)
}
