//! JavaScript's statements.

use std::rc::Rc;

use super::super::expr::ARGUMENT;
use super::super::flow::Said;
use super::super::machine::Machine;
use super::super::token::Tok;
use super::super::value::Val;
use super::{function, property};

#[expect(clippy::too_many_lines, reason = "one arm for each kind of statement")]
pub(in crate::languages) fn statement(m: &mut Machine) {
    let word = match m.peek() {
        Some(Tok::Name(word)) => Rc::clone(word),
        Some(Tok::Op("{")) => return block(m),
        Some(Tok::Op(";" | "}" | ")" | "]" | "," | ":" | "@")) => {
            m.at += 1;
            return;
        }
        _ => return expression(m),
    };
    let next = m.ahead(1).cloned();
    match &*word {
        // A name like any other where it is used like one.
        _ if matches!(next, Some(Tok::Op("=" | "." | "," | ":" | "=>"))) => expression(m),
        "var" | "let" | "const" => declare(m),
        "function" => define(m),
        "async" if matches!(next, Some(Tok::Name(ref name)) if &**name == "function") => {
            m.at += 1;
            define(m);
        }
        "class" => drop(class(m)),
        "if" => conditional(m),
        "for" => each(m),
        "while" => repeat(m),
        "do" => {
            m.at += 1;
            let start = m.effort();
            m.looped(start, Machine::statement);
        }
        "try" | "finally" | "else" => {
            m.at += 1;
            m.branch(Machine::statement);
        }
        "catch" | "switch" => {
            m.at += 1;
            condition(m);
            m.branch(Machine::statement);
        }
        // All names of a module are known without it.
        "with" if matches!(next, Some(Tok::Op("("))) => {
            m.at += 1;
            let close = m.pair();
            let module = m.expr_in(m.at + 1..close);
            m.at = close + 1;
            if let Val::Name(name) = module
                && m.stars.len() < 16
            {
                m.stars.push(name);
            }
        }
        "case" => {
            m.at += 1;
            m.expr(3);
            m.eat(":");
        }
        "return" | "throw" => {
            m.at += 1;
            if m.token().is_some_and(|token| !token.fresh && token.tok != Tok::Op(";")) {
                let value = m.expr(0);
                if &*word == "throw" {
                    m.thrown(&value);
                }
                m.give_back(value);
            }
        }
        "import" if !matches!(next, Some(Tok::Op("("))) => import(m),
        "export" => export(m),
        "default" | "declare" | "abstract" => m.at += 1,
        "interface" | "type" | "enum" | "namespace" if matches!(next, Some(Tok::Name(_))) => {
            m.at = m.find(|tok| matches!(tok, Tok::Op("{" | ";" | "=")));
            m.at = if m.sees("{") { m.pair() + 1 } else { m.at };
        }
        "break" | "continue" => m.at += 1,
        _ => expression(m),
    }
}

fn expression(m: &mut Machine) {
    m.expr(0);
    while m.eat(",") {
        m.expr(0);
    }
    m.eat(";");
}

fn block(m: &mut Machine) {
    let close = m.pair();
    if m.enter() {
        m.scoped(|m| m.range(m.at + 1..close, Machine::statements));
        m.leave();
    }
    m.at = close + 1;
}

fn declare(m: &mut Machine) {
    let of_function = m.sees_word("var");
    m.at += 1;
    loop {
        let pattern = match m.peek() {
            Some(Tok::Op("{" | "[")) => m.at..m.pair() + 1,
            Some(Tok::Name(_)) => m.at..m.at + 1,
            _ => return,
        };
        m.at = pattern.end;
        if m.eat("!") || m.sees(":") {
            m.at = m.find(|tok| matches!(tok, Tok::Op("=" | "," | ";")));
        }
        let value = if m.eat("=") { m.expr(ARGUMENT) } else { Val::name("undefined") };
        m.declare_names(pattern.clone(), of_function);
        m.range(pattern, |m| m.bind_pattern(&value));
        if !m.eat(",") {
            m.eat(";");
            return;
        }
    }
}

/// `function name(…) {…}`, from its first word.
fn define(m: &mut Machine) {
    let name = match m.ahead(1) {
        Some(Tok::Name(name)) => Some(Rc::clone(name)),
        Some(Tok::Op("*")) => match m.ahead(2) {
            Some(Tok::Name(name)) => Some(Rc::clone(name)),
            _ => None,
        },
        _ => None,
    };
    let value = function(m);
    if let Some(name) = name {
        m.scope.declare(&name, false);
        m.scope.set(&name, value);
    }
}

pub(super) fn class(m: &mut Machine) -> Val {
    m.at += 1;
    let name = m.name().filter(|name| &**name != "extends" || !m.sees("{"));
    let open = m.find(|tok| *tok == Tok::Op("{"));
    let extends = m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "extends"));
    let bases = if extends < open { vec![m.expr_in(extends + 1..open)] } else { Vec::new() };
    m.at = open;
    let close = m.pair();
    let title = name.clone().unwrap_or_default();
    let class = m.class_of(&title, bases, Vec::new(), |m| m.range(open + 1..close, members));
    m.at = close + 1;
    if let Some(name) = name {
        m.scope.declare(&name, false);
        m.scope.set(&name, class.clone());
    }
    class
}

/// Methods and fields of a class.
fn members(m: &mut Machine) {
    let mut word: Option<Rc<str>> = None;
    while m.at < m.end && !m.is_stopped() {
        let before = m.at;
        let Some(name) = m.name() else {
            m.at += 1;
            continue;
        };
        let kind = word.replace(Rc::clone(&name));
        match m.peek() {
            Some(Tok::Op("(")) => {
                m.at = before;
                let method = function(m);
                let place = format!(".{name}");
                let method = property(kind.as_deref(), m.scope.get(&place), method);
                m.scope.set(&place, method);
                word = None;
            }
            Some(Tok::Op("{")) => block(m),
            Some(Tok::Op("=")) => {
                m.at += 1;
                let value = m.expr(ARGUMENT);
                m.scope.set(&format!("this.{name}"), value);
            }
            _ => {}
        }
    }
}

/// `(condition)` of a statement.
fn condition(m: &mut Machine) -> Said {
    if !m.sees("(") {
        return Said::default();
    }
    let close = m.pair();
    let said = m.range(m.at + 1..close, |m| m.condition(m.end));
    m.at = close + 1;
    said
}

fn conditional(m: &mut Machine) {
    m.at += 1;
    let said = condition(m);
    let start = m.at;
    let then = m.attempt(|m| {
        if !said.negated {
            m.believe(&said);
        }
        m.statement();
    });
    let body = if matches!(m.tokens.get(start).map(|token| &token.tok), Some(Tok::Op("{"))) {
        start + 1..m.at
    } else {
        start..m.at
    };
    let leaves = m.leaves(&body);
    let mut branches = vec![then];
    let otherwise = m.eat_word("else");
    if otherwise {
        branches.push(m.attempt(Machine::statement));
    }
    m.scope.join(branches, !otherwise);
    if said.negated && leaves {
        m.believe(&said);
    }
}

fn repeat(m: &mut Machine) {
    m.at += 1;
    let start = m.effort();
    let close = m.pair();
    let endless = m.always(m.at + 1..close);
    let said = condition(m);
    m.endless = endless;
    m.looped(start, |m| {
        m.believe(&said);
        m.statement();
    });
}

fn each(m: &mut Machine) {
    m.at += 1;
    m.eat_word("await");
    let start = m.effort();
    let close = m.pair();
    let head = m.at + 1..close;
    let of = m.range(head.clone(), |m| {
        m.find(|tok| matches!(tok, Tok::Name(name) if matches!(&**name, "of" | "in")))
    });
    m.at = close + 1;
    if of >= head.end {
        let parts = m.range(head.clone(), |m| m.split(m.end + 1, ";"));
        return m.scoped(|m| {
            m.range(head, Machine::statements);
            m.endless = parts.get(1).is_some_and(|test| m.always(test.clone()));
            m.looped(start, Machine::statement);
        });
    }
    let list = m.expr_in(of + 1..head.end);
    let keyed = matches!(m.tokens.get(of).map(|token| &token.tok), Some(Tok::Name(name)) if &**name == "in");
    let list = if keyed { Val::many(vec![Val::unknown()]) } else { list };
    let body = m.at;
    let size = if m.sees("{") { m.pair() - m.at } else { 16 };
    let mut end = body;
    m.for_each(&list, size, |m, item| {
        m.scoped(|m| {
            m.range(head.start..of, |m| loop_variable(m, item));
            m.at = body;
            m.statement();
        });
        end = m.at;
    });
    m.at = end;
}

/// The variable of a loop, which may be its own.
fn loop_variable(m: &mut Machine, item: &Val) {
    match m.peek() {
        Some(Tok::Name(name)) if matches!(&**name, "const" | "let") => {
            m.at += 1;
            m.declare_names(m.at..m.end, false);
        }
        Some(Tok::Name(name)) if &**name == "var" => m.at += 1,
        _ => {}
    }
    m.bind_pattern(item);
}

fn import(m: &mut Machine) {
    m.at += 1;
    m.eat_word("type");
    let start = m.at;
    let from = m.find(|tok| matches!(tok, Tok::Str(_)) || *tok == Tok::Op(";"));
    m.at = from;
    let Some(Tok::Str(parts)) = m.peek().cloned() else { return };
    m.at += 1;
    let name = m.string(&parts).as_literal().unwrap_or_default().to_owned();
    let module = m.module(&name);
    for range in m.range(start..from.saturating_sub(1).max(start), |m| m.split(m.end, ",")) {
        m.range(range, |m| import_names(m, &module));
    }
}

fn import_names(m: &mut Machine, module: &Val) {
    if m.sees("{") {
        let close = m.pair();
        let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
        for range in ranges {
            m.range(range, |m| {
                let Some(name) = m.name() else { return };
                let value = m.part(module, &name);
                let bound = if m.eat_word("as") { m.name().unwrap_or(name) } else { name };
                m.scope.set(&bound, value);
            });
        }
        return;
    }
    let whole = m.eat("*") && m.eat_word("as");
    if let Some(name) = m.name() {
        let default = module.entry("default").filter(|_| !whole).cloned();
        m.scope.set(&name, default.unwrap_or_else(|| module.clone()));
    }
}

/// `export default …`, `export { a as b } from "…"`; before anything else it changes nothing.
fn export(m: &mut Machine) {
    m.at += 1;
    if m.eat_word("default") {
        let named = |m: &Machine| match (m.peek(), m.ahead(1)) {
            (Some(Tok::Name(word)), Some(Tok::Name(name))) if matches!(&**word, "function" | "class") => {
                Some(Rc::clone(name))
            }
            _ => None,
        };
        m.eat_word("async");
        let value = match named(m) {
            Some(name) => {
                m.statement();
                m.lookup(&name)
            }
            None => m.expr(0),
        };
        m.scope.set("exports.default", value);
    } else if m.sees("{") || m.sees("*") {
        exported_names(m);
    }
}

fn exported_names(m: &mut Machine) {
    let list = m.sees("{").then(|| m.at + 1..m.pair());
    m.at = list.as_ref().map_or(m.at + 1, |list| list.end + 1);
    let module = match (m.eat_word("from"), m.peek().cloned()) {
        (true, Some(Tok::Str(parts))) => {
            m.at += 1;
            let name = m.string(&parts).as_literal().unwrap_or_default().to_owned();
            Some(m.module(&name))
        }
        _ => None,
    };
    for range in list.map(|list| m.range(list, |m| m.split(m.end, ","))).unwrap_or_default() {
        m.range(range, |m| {
            let Some(name) = m.name() else { return };
            let value = match &module {
                Some(module) => m.part(module, &name),
                None => m.lookup(&name),
            };
            let given = if m.eat_word("as") { m.name().unwrap_or(name) } else { name };
            m.scope.set(&format!("exports.{given}"), value);
        });
    }
}
