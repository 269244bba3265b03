//! The abstract machine that all languages share: it runs a program's tokens once, keeps what is known of
//! its values, and writes down what it would do. Total, deterministic, bounded by fuel.
//!
//! Every branch counts. Functions run where they are called, with the arguments that are known there; those
//! that nobody calls run at the end with unknown ones, and what they do is only possible.

use std::ops::Range;
use std::rc::Rc;

use tollgate_model::{Certainty, EffectKind, work};
use tollgate_shell::value::{HoleSource, Taint, Text, Value};

use super::beside::Brought;
use super::classes::Own;
use super::flat;
pub(super) use super::known::{Around, Origin};
use super::scope::Scope;
use super::syntax::Syntax;
use super::token::{Part, Tok, Token, is_stand_in};
use super::value::{Args, Function, Val};
use crate::commands::Run;
use crate::word::Word;

/// The machine.
pub(super) struct Machine<'m, 'r, 'w> {
    pub run: &'m mut Run<'r, 'w>,
    pub syntax: &'static Syntax,
    pub around: Around,
    pub tokens: Rc<[Token]>,
    pub at: usize,
    pub end: usize,
    pub scope: Scope,
    /// Functions in the order of their making.
    pub functions: Vec<Rc<Function>>,
    /// The variable or part of one that the last value was read from.
    pub place: Option<Rc<str>>,
    /// What the next call is given first.
    pub fed: Option<Val>,
    /// What a condition says of variables.
    pub narrowed: Vec<(Rc<str>, Val)>,
    /// What the functions being run returned so far.
    pub returns: Vec<Option<Val>>,
    /// What the program printed.
    pub printed: Value,
    /// Files it read, for what it may send.
    pub files: Vec<String>,
    /// It may not come to this place.
    pub unsure: u32,
    /// Modules all of whose names are known without them.
    pub stars: Vec<Rc<str>>,
    /// Functions being run.
    pub active: Vec<Rc<Function>>,
    /// How many processes it split, and how often it waited.
    pub forks: u32,
    pub calms: u32,
    /// How many programs it started without waiting for them, and how often it took more memory or disk.
    pub started: u32,
    pub grown: u32,
    /// The loop that follows has no end of its own.
    pub endless: bool,
    /// A method for names that nobody defines is being asked.
    pub asked: bool,
    /// It opened a connection; and its standard input is one.
    pub connected: bool,
    /// Whom the last connection leads to.
    pub peer: Option<Val>,
    pub remote: bool,
    /// It called something that is not known, which may print as well.
    pub strange: bool,
    /// It opened a database that is in memory or in a temporary folder.
    pub passing: bool,
    /// It opened another one.
    pub reached: bool,
    /// It went through the numbers of all processes; and the repositories that a library of Git has opened.
    pub all_processes: bool,
    pub repositories: Vec<Val>,
    /// Files whose names are not known that it wrote from the network.
    pub fetched: Vec<Text>,
    /// Functions that a test has put others in the place of.
    pub stubs: Vec<Rc<str>>,
    /// Links whose names are not known, and where they lead.
    pub linked: Vec<(Text, Text)>,
    /// Files that what is printed goes into, instead of what was in them, and what had been printed before.
    pub replaced: Vec<(Val, Value)>,
    /// Modules that were brought in, by their files; and the package of the one that is being run.
    pub imported: Vec<(Brought, Val)>,
    pub package: String,
    /// Folders that modules are looked for in.
    pub folders: Vec<Value>,
    /// Objects of the program.
    pub own: Own,
    acts: u32,
    stopped: bool,
}

/// The most things one program is seen to do.
const ACTS: u32 = 2000;

/// The most functions kept.
const FUNCTIONS: usize = 4096;

impl<'m, 'r, 'w> Machine<'m, 'r, 'w> {
    pub fn new(run: &'m mut Run<'r, 'w>, syntax: &'static Syntax, around: Around) -> Self {
        Self {
            run,
            syntax,
            around,
            tokens: Rc::from([]),
            at: 0,
            end: 0,
            scope: Scope::default(),
            functions: Vec::new(),
            place: None,
            fed: None,
            narrowed: Vec::new(),
            returns: Vec::new(),
            printed: Value::empty(),
            files: Vec::new(),
            unsure: 0,
            stars: Vec::new(),
            active: Vec::new(),
            forks: 0,
            calms: 0,
            started: 0,
            grown: 0,
            asked: false,
            endless: false,
            connected: false,
            peer: None,
            remote: false,
            passing: false,
            reached: false,
            repositories: Vec::new(),
            all_processes: false,
            fetched: Vec::new(),
            strange: false,
            stubs: Vec::new(),
            linked: Vec::new(),
            replaced: Vec::new(),
            imported: Vec::new(),
            package: String::new(),
            folders: Vec::new(),
            own: Own::default(),
            acts: 0,
            stopped: false,
        }
    }

    /// Runs a whole program.
    pub fn program(&mut self, text: &str) {
        self.hold_data(text);
        self.source(text);
        if self.syntax.flat {
            flat::main(self);
        }
        self.all_ended();
        self.emptied(0);
        self.uncalled();
    }

    /// Runs text as code of the same program.
    pub fn source(&mut self, text: &str) -> Val {
        if !self.burn(text.len()) {
            return Val::unknown();
        }
        let tokens = (self.syntax.lex)(text);
        let end = tokens.len();
        self.inside(tokens, 0..end, |machine| {
            machine.returns.push(None);
            machine.statements();
            machine.returns.pop().flatten().unwrap_or_else(Val::unknown)
        })
    }

    /// The value of text as an expression.
    pub fn expression(&mut self, text: &str) -> Val {
        if !self.burn(text.len()) {
            return Val::unknown();
        }
        let tokens = (self.syntax.lex)(text);
        let end = tokens.len();
        self.inside(tokens, 0..end, |machine| machine.expr(0))
    }

    /// Runs `action` over other tokens, and comes back.
    pub fn inside<R: Default>(
        &mut self,
        tokens: Rc<[Token]>,
        range: Range<usize>,
        action: impl FnOnce(&mut Self) -> R,
    ) -> R {
        if !work::charge(CALL) || !self.enter() {
            return R::default();
        }
        let before = (std::mem::replace(&mut self.tokens, tokens), self.at, self.end);
        (self.at, self.end) = (range.start, range.end.min(self.tokens.len()));
        let result = action(self);
        (self.tokens, self.at, self.end) = before;
        self.leave();
        result
    }

    /// The value of the expression in a range of tokens.
    pub fn expr_in(&mut self, range: Range<usize>) -> Val {
        self.range(range, |machine| machine.expr(0))
    }

    /// Runs `action` over a range of the present tokens, and comes back.
    pub fn range<R>(&mut self, range: Range<usize>, action: impl FnOnce(&mut Self) -> R) -> R {
        let before = (self.at, self.end);
        (self.at, self.end) = (range.start, range.end.min(self.tokens.len()));
        let result = action(self);
        (self.at, self.end) = before;
        result
    }

    /// Runs statements to the end of the range.
    pub fn statements(&mut self) {
        if !self.enter() {
            self.at = self.end;
            return;
        }
        while self.at < self.end && !self.stopped {
            let before = self.at;
            (self.syntax.statement)(self);
            if self.at == before {
                self.at += 1;
            }
        }
        self.leave();
    }

    /// Runs one statement.
    pub fn statement(&mut self) {
        (self.syntax.statement)(self);
    }

    /// Runs what nobody called.
    fn uncalled(&mut self) {
        let mark = self.run.analyst.mark();
        let printed = self.printed.clone();
        let mut next = 0;
        while let Some(function) = self.functions.get(next).cloned() {
            next += 1;
            if !function.called.get() && !self.stopped {
                self.invoke(&function, &Args::default());
            }
        }
        self.printed = printed;
        self.run
            .analyst
            .doubt(mark, |effect| effect.certainty == Certainty::Budget || !is_vague(&effect.kind));
    }

    /// Takes a function down.
    pub fn define(&mut self, function: Function) -> Val {
        function.captured.replace(self.kept());
        let function = Rc::new(function);
        if self.functions.len() < FUNCTIONS {
            self.functions.push(Rc::clone(&function));
        }
        Val::Function(function)
    }

    pub fn peek(&self) -> Option<&Tok> {
        self.ahead(0)
    }

    /// The token some places ahead.
    pub fn ahead(&self, count: usize) -> Option<&Tok> {
        let at = self.at + count;
        if at < self.end { self.tokens.get(at).map(|token| &token.tok) } else { None }
    }

    pub fn token(&self) -> Option<&Token> {
        if self.at < self.end { self.tokens.get(self.at) } else { None }
    }

    pub fn sees(&self, op: &str) -> bool {
        matches!(self.peek(), Some(Tok::Op(seen)) if *seen == op)
    }

    pub fn sees_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Tok::Name(seen)) if **seen == *word)
    }

    pub fn eat(&mut self, op: &str) -> bool {
        let found = self.sees(op);
        self.at += usize::from(found);
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        self.at += usize::from(found);
        found
    }

    /// The name that stands here, which is passed.
    pub fn name(&mut self) -> Option<Rc<str>> {
        match self.peek() {
            Some(Tok::Name(name) | Tok::Var(_, name)) => {
                let name = Rc::clone(name);
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    /// The token that closes the bracket or block that opens here, within the range.
    pub fn pair(&self) -> usize {
        self.token().map_or(self.end, |token| token.pair).min(self.end)
    }

    /// The place of the first token from here, not in brackets, that `wanted` picks; else the end.
    pub fn find(&mut self, wanted: impl Fn(&Tok) -> bool) -> usize {
        let mut at = self.at;
        while at < self.end {
            let Some(token) = self.tokens.get(at) else { break };
            if wanted(&token.tok) {
                return at;
            }
            at = token.pair.max(at) + 1;
            self.run.analyst.languages.burn(1);
        }
        self.end
    }

    /// The ranges between commas, from here to `end`.
    pub fn split(&mut self, end: usize, mark: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut start = self.at;
        let (mut at, end) = (self.at, end.min(self.end));
        while at < end {
            let Some(token) = self.tokens.get(at) else { break };
            if matches!(token.tok, Tok::Op(op) if op == mark) {
                ranges.push(start..at);
                start = at + 1;
            }
            at = token.pair.max(at) + 1;
            self.run.analyst.languages.burn(1);
        }
        if start < end {
            ranges.push(start..end);
        }
        ranges
    }

    /// The value of a string.
    pub fn string(&mut self, parts: &[Part]) -> Value {
        let mut whole = Value::empty();
        for part in parts {
            let next = match part {
                Part::Text(text) => self.literal(text),
                Part::Code(code) => {
                    let value = self.expression(code);
                    self.asked_object(&value);
                    self.exposed(&value).as_text()
                }
            };
            whole = self.concat(&whole, &next);
        }
        whole
    }

    /// Known text, with holes where stand-ins are.
    pub fn literal(&self, text: &str) -> Value {
        if self.around.holes.is_empty() || !text.contains(is_stand_in) {
            return Value::text(text);
        }
        let mut known = Text::default();
        let mut marks = Taint::NONE;
        for character in text.chars() {
            let index =
                u32::from(character).checked_sub(0xE000).and_then(|index| usize::try_from(index).ok());
            match index.and_then(|index| self.around.holes.get(index)) {
                Some((hole, taint)) => {
                    known.push(tollgate_shell::value::Piece::Hole(hole.clone()));
                    marks = marks.union(*taint);
                }
                None => known.push_str(character.encode_utf8(&mut [0; 4])),
            }
        }
        Value::of([known], marks)
    }

    /// One text after the other, as long as that is not too much work.
    pub fn concat(&mut self, left: &Value, right: &Value) -> Value {
        // Something unknown after the same is still something unknown.
        if let (Some(last), Some(next)) = (left.single(), right.single())
            && next.pieces.len() == 1
            && next.has_holes()
            && last.pieces.last() == next.pieces.first()
        {
            return left.clone().with_taint(right.taint);
        }
        let size = |value: &Value| {
            value.any.iter().map(|text| text.bytes() / 8 + text.pieces.len() * 8).sum::<usize>()
        };
        let work = size(left) * right.any.len() + size(right) * left.any.len();
        if !self.burn(work) {
            return Value::unknown(HoleSource::Budget).with_taint(left.taint.union(right.taint));
        }
        left.concat(right)
    }

    /// Prints.
    pub fn print(&mut self, text: &Value) {
        self.leaks(text.taint);
        if self.unsure > 0 {
            let taint = self.printed.taint.union(text.taint);
            let maybe = self.concat(&self.printed.clone(), text);
            let known = maybe.any.iter().map(Text::bytes).sum::<usize>() < 4096;
            self.printed = if known { maybe.union(&self.printed) } else { Value::output(taint) };
            return;
        }
        self.printed = self.concat(&self.printed.clone(), text);
    }

    /// A word of a command, or a path.
    pub fn word(&self, text: &Text, taint: Taint) -> Word {
        Word { text: text.clone(), span: self.around.span, splits: false, taint }
    }

    pub fn push(&mut self, kind: EffectKind, certainty: Certainty) {
        if self.act() {
            self.run.analyst.push(kind, self.around.span, certainty);
        }
    }

    /// Something is done: is there still room for it?
    pub fn act(&mut self) -> bool {
        self.acts += 1;
        if self.acts > ACTS {
            self.stop();
        }
        !self.stopped
    }

    /// A module by its name.
    pub fn module(&mut self, name: &str) -> Val {
        (self.syntax.module)(self, name)
    }

    /// Spends fuel.
    pub fn burn(&mut self, amount: usize) -> bool {
        let amount = amount + self.scope.take_work();
        if !self.run.analyst.languages.burn(amount) {
            self.stop();
        }
        !self.stopped
    }

    /// Goes one level deeper, when there is room.
    pub fn enter(&mut self) -> bool {
        if self.stopped || !self.run.analyst.languages.enter() {
            self.stop();
            return false;
        }
        true
    }

    pub fn leave(&mut self) {
        self.run.analyst.languages.leave();
    }

    fn stop(&mut self) {
        if !self.stopped {
            self.stopped = true;
            let why = "its code is too complex to be analysed completely".to_owned();
            self.run.analyst.push(EffectKind::Opaque { why }, self.around.span, Certainty::Budget);
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// Units of work for running other tokens, as a call of a function does.
const CALL: usize = 60;

/// Says nothing about what is touched, so that it says nothing at all when nobody may ever do it.
fn is_vague(kind: &EffectKind) -> bool {
    use tollgate_model::{CodeSource, Zone};
    match kind {
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. }
        | EffectKind::Alter { place, .. }
        | EffectKind::Device { place } => place.zone == Zone::Unknown,
        EffectKind::Exec { source, .. } => *source == CodeSource::Variable,
        EffectKind::Net { host, .. } => host.is_empty() || host == "*",
        EffectKind::Opaque { .. } => true,
        _ => false,
    }
}
