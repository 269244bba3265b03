//! Arguments of calls, with brackets and without.

use std::rc::Rc;

use tollgate_shell::multicall;

use super::expr::ARGUMENT;
use super::machine::Machine;
use super::pure::{self, Pure};
use super::token::Tok;
use super::value::{Args, Val};

impl Machine<'_, '_, '_> {
    /// The arguments in the brackets that open here.
    pub fn arguments(&mut self) -> Args {
        let close = self.pair();
        self.at += 1;
        let fed = self.fed.take();
        let mut args = self.range(self.at..close, Machine::argument_list);
        if let Some(first) = fed {
            args.list.insert(0, first);
        }
        self.at = (close + 1).min(self.end.max(close));
        args
    }

    /// Arguments to the end of the range.
    pub fn argument_list(&mut self) -> Args {
        let mut args = Args::default();
        let outer = std::mem::take(&mut self.own.places);
        while self.at < self.end && !self.is_stopped() {
            let before = self.at;
            self.argument(&mut args);
            let place = self.place.clone();
            self.own.places.resize_with(args.list.len().saturating_sub(1), || None);
            self.own.places.push(place);
            while matches!(self.peek(), Some(Tok::Newline | Tok::Op("," | ";"))) {
                self.at += 1;
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.own.given = std::mem::replace(&mut self.own.places, outer);
        args
    }

    fn argument(&mut self, args: &mut Args) {
        while matches!(self.peek(), Some(Tok::Newline)) {
            self.at += 1;
        }
        if let Some(list) = (self.syntax.generator)(self).filter(|_| args.list.is_empty()) {
            args.list.push(list);
            return;
        }
        // In Erlang `module:function` is a name.
        let colon = self.ahead(1) == Some(&Tok::Op(":")) && self.syntax.members.first() != Some(&":");
        if let (Some(Tok::Name(name)), true) =
            (self.peek().cloned(), colon || self.ahead(1) == Some(&Tok::Op("=")))
        {
            self.at += 2;
            let value = self.expr(ARGUMENT);
            args.named.push((name, value));
            return;
        }
        // R writes names with dots.
        if let (Some(Tok::Name(first)), Some(Tok::Op(".")), Some(Tok::Name(last)), Some(Tok::Op("="))) =
            (self.peek().cloned(), self.ahead(1), self.ahead(2).cloned(), self.ahead(3))
            && self.syntax.flat
        {
            self.at += 4;
            let value = self.expr(ARGUMENT);
            args.named.push((Rc::from(format!("{first}.{last}")), value));
            return;
        }
        let spread = self.eat("...") || self.eat("**") || (!self.syntax.bare_calls && self.eat("*"));
        let value = self.expr(ARGUMENT);
        if self.sees("=>") {
            self.at += 1;
            while matches!(self.peek(), Some(Tok::Newline)) {
                self.at += 1;
            }
            let target = self.expr(ARGUMENT);
            let key =
                value.literal().or_else(|| self.place.as_deref().map(str::to_owned)).unwrap_or_default();
            args.named.push((Rc::from(key), target));
            return;
        }
        // The same in languages whose loops are not followed.
        if self.sees_word("for") {
            self.at = self.end;
        }
        match (&value, spread) {
            (Val::List(list), true) => args.list.extend(list.items.iter().cloned()),
            (Val::Table(table), true) => args.named.extend(table.entries.iter().cloned()),
            // A text is the list of its characters.
            (Val::Text(_), true) => match pure::apply(Pure::ToList, &Args::of(vec![value])) {
                Val::List(list) => args.list.extend(list.items.iter().cloned()),
                other => args.list.push(other),
            },
            _ => args.list.push(value),
        }
    }

    /// The arguments of a call without brackets, when there are any.
    pub fn bare_arguments(&mut self) -> Option<Args> {
        let token = self.token()?;
        let glued = matches!(token.tok, Tok::Var(..) | Tok::Str(_) | Tok::Run(_) | Tok::Words(_));
        if !(token.spaced || glued) || token.fresh || !self.starts_argument() {
            return None;
        }
        let mut args = Args::default();
        loop {
            self.argument(&mut args);
            if !self.eat(",") || self.is_stopped() {
                return Some(args);
            }
            while matches!(self.peek(), Some(Tok::Newline)) {
                self.at += 1;
            }
        }
    }

    /// Can what stands here only be an argument of the name before it?
    fn starts_argument(&self) -> bool {
        let glued = |at: usize| self.tokens.get(self.at + at).is_some_and(|token| !token.spaced);
        match self.peek() {
            Some(
                Tok::Str(_)
                | Tok::Run(_)
                | Tok::Int(_)
                | Tok::Other
                | Tok::Var(..)
                | Tok::Words(_)
                | Tok::Pattern(..),
            ) => true,
            Some(Tok::Name(name)) => {
                (self.syntax.operator)(&Tok::Name(Rc::clone(name))).is_none() && !is_clause(name)
            }
            Some(Tok::Op("(" | "[" | "\\" | "->")) => true,
            Some(Tok::Op("*" | "&" | "-" | "::" | ":" | "@" | "%" | "<" | "**")) => glued(1),
            _ => false,
        }
    }
}

/// Words that begin another clause and are no arguments.
fn is_clause(name: &str) -> bool {
    matches!(
        name,
        "if" | "unless"
            | "while"
            | "until"
            | "do"
            | "and"
            | "or"
            | "not"
            | "then"
            | "rescue"
            | "end"
            | "foreach"
            | "for"
            | "in"
            | "x"
            | "eq"
            | "ne"
            | "lt"
            | "gt"
            | "le"
            | "ge"
            | "cmp"
            | "else"
            | "elsif"
            | "when"
            | "ensure"
            | "xor"
            | "isa"
    )
}

/// A program that is called by another name, which may make it another tool.
pub(super) fn going_by(program: &Val, name: Option<&Val>) -> Val {
    let tool = || {
        let (path, name) = (program.literal()?, name?.literal()?);
        multicall::tool(&path, &name).map(Val::text)
    };
    tool().unwrap_or_else(|| program.clone())
}
