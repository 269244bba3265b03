//! Calls of functions: each is written as it should be, with what it takes; patterns and times are known to be some.

use cel::common::ast::{CallExpr, IdedExpr};

use super::functions::{FUNCTIONS, Form, Function, Signature, Takes};
use super::lower::{Lower, NOTHING, Typed};
use super::{Term, time};
use crate::glob;
use crate::nearest::hint;
use crate::problem::shown;

impl Lower<'_> {
    /// `text.contains(part)`, `int(text)`, and `size(list)` either way.
    pub(super) fn function(&mut self, node: &IdedExpr, call: &CallExpr) -> Typed {
        let name = call.func_name.as_str();
        let Some(number) = FUNCTIONS.iter().position(|known| known.name == name) else {
            return self.unknown_function(node, name);
        };
        let Some(signature) = FUNCTIONS.get(number) else { return NOTHING };
        let of: Vec<&IdedExpr> = call.target.iter().map(|target| &**target).chain(&call.args).collect();
        let lawful = match signature.form {
            Form::Method => call.target.is_some(),
            Form::Call => call.target.is_none(),
            Form::Either => true,
        };
        let count = signature.takes.len() - signature.optional..=signature.takes.len();
        if !lawful || !count.contains(&of.len()) {
            let hint = format!("write `{}`", written(signature));
            return self.refuse(node, &format!("`{name}` is not written so"), &hint);
        }
        let typed: Vec<Typed> = of.iter().map(|node| self.expr(node)).collect();
        for ((node, (_, kind)), takes) in of.iter().zip(&typed).zip(signature.takes) {
            if !takes.may_be(kind) {
                let message = if signature.function == Function::Size {
                    format!("{} has no size", kind.told())
                } else {
                    format!("`{name}` takes {}, not {}", takes.told(), kind.told())
                };
                self.refuse(node, &message, "");
            }
        }
        if let (Some(node), Some((pattern, _))) = (of.get(1), typed.get(1)) {
            self.pattern(node, signature.function, pattern);
        }
        if let (Some(node), Some((Term::Text(text), _))) = (of.first(), typed.first()) {
            self.time(node, signature.function, text);
        }
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        (Term::Call(number, typed.into_iter().map(|(term, _)| term).collect()), signature.gives.kind())
    }

    fn unknown_function(&mut self, node: &IdedExpr, name: &str) -> Typed {
        let macros = ["has", "exists", "all", "exists_one", "map", "filter"];
        let names: Vec<&str> = FUNCTIONS.iter().map(|known| known.name).chain(macros).collect();
        self.refuse(node, &format!("unknown function `{}`", shown(name)), &hint(name, &names))
    }

    /// A time that is written out is one.
    fn time(&mut self, node: &IdedExpr, function: Function, text: &str) {
        let (known, hint) = match function {
            Function::Moment => {
                (time::read_moment(text).is_some(), "write `timestamp('2026-01-31T12:00:00Z')`")
            }
            Function::Span => (time::read_span(text).is_some(), "write `duration('1h30m')`"),
            _ => return,
        };
        if !known {
            self.refuse(node, &format!("`{}` is no time", shown(text)), hint);
        }
    }

    /// A pattern is known when the policy is built, so that it is known to be one.
    fn pattern(&mut self, node: &IdedExpr, function: Function, pattern: &Term) {
        let wrong = match (function, pattern) {
            (Function::Matches, Term::Text(text)) => {
                regex_lite::Regex::new(text).err().map(|error| error.to_string())
            }
            (Function::Glob, Term::Text(text)) => glob::expand(text).err().map(str::to_owned),
            (Function::Matches | Function::Glob, _) => Some("a pattern is a text in quotes".to_owned()),
            _ => None,
        };
        if let Some(why) = wrong {
            self.refuse(node, "this pattern never works", &why);
        }
    }
}

/// How a function is written, for a hint.
fn written(signature: &Signature) -> String {
    let more = signature.takes.len() - 1;
    match (signature.form, signature.takes.first()) {
        (Form::Call, _) => format!("{}(value)", signature.name),
        (_, Some(Takes::Texts)) => format!("list.{}(between)", signature.name),
        (_, Some(Takes::Moment | Takes::MomentOrSpan)) => format!("timestamp.{}()", signature.name),
        _ => {
            let names = ["other", "with", "number"];
            let more: Vec<&str> = names.into_iter().take(more).collect();
            format!("text.{}({})", signature.name, more.join(", "))
        }
    }
}
