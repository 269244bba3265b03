//! Ruby.

mod functions;
mod lex;
mod library;

use std::rc::Rc;

use super::expr::UNARY;
use super::machine::Machine;
use super::ops::Op;
use super::syntax::{Infix, Syntax, no_block};
use super::token::Tok;
use super::value::{Args, Val};
use functions::{arrow, block, define};

/// The block that a method was given, under a name that no program has.
pub(super) const BLOCK: &str = "&block";

pub(super) static SYNTAX: Syntax = Syntax {
    lex: lex::lex,
    statement,
    primary,
    operator,
    members: &[".", "&.", "::"],
    bare_calls: true,
    flat: false,
    block,
    slices: false,
    generator: no_block,
    module,
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &["Kernel", "File", "FileUtils", "Object", "IO"],
    keeps_output: false,
    local: true,
    symbolic: false,
    curried: false,
    this: "self",
    constructor: "initialize",
    invoked: "call",
    copying: &[],
};

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "and" => (1, Infix::Second),
            "or" => (1, Infix::Either),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            "=" => (2, Infix::Assign),
            "+=" | "<<=" => (2, Infix::AddAssign),
            "-=" | "*=" | "/=" | "%=" | "||=" | "&&=" | "|=" | "&=" | "^=" | "**=" => (2, Infix::OtherAssign),
            "?" => (3, Infix::Choice),
            ".." | "..." => (4, Infix::Other),
            "||" => (5, Infix::Either),
            "&&" => (6, Infix::Second),
            "==" | "===" => (10, Infix::Equal),
            "=~" => (10, Infix::Match),
            "!=" | "!~" | "<=>" | "<" | ">" | "<=" | ">=" => (10, Infix::Other),
            "|" => (20, Infix::Number('|')),
            "^" => (21, Infix::Number('^')),
            "&" => (22, Infix::Number('&')),
            "<<" => (23, Infix::Push),
            ">>" => (23, Infix::Number('>')),
            "+" => (30, Infix::Add),
            "-" => (30, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Slash),
            "%" => (40, Infix::Format),
            "**" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

fn is_word(tok: &Tok, words: &[&str]) -> bool {
    matches!(tok, Tok::Name(name) if words.contains(&&**name))
}

fn ends_line(tok: &Tok) -> bool {
    matches!(tok, Tok::Newline | Tok::Op(";"))
}

fn statement(m: &mut Machine) {
    match m.peek() {
        Some(Tok::Newline | Tok::Op(";" | ")" | "]" | "}" | ",")) => m.at += 1,
        Some(Tok::Name(word)) => {
            let word = Rc::clone(word);
            named_statement(m, &word);
        }
        _ => modified(m),
    }
}

fn named_statement(m: &mut Machine, word: &str) {
    match word {
        "def" => define(m),
        "alias" | "alias_method" => rename(m),
        "class" | "module" => {
            let end = m.pair();
            m.at += 1;
            let name = m.name().unwrap_or_default();
            let bases = if m.eat("<") { m.name() } else { None };
            let bases = bases.and_then(|base| m.scope.get(&base).cloned()).into_iter().collect();
            m.at = m.find(ends_line).min(end);
            let start = m.at;
            let class = m.class_of(&name, bases, Vec::new(), |m| m.range(start..end, Machine::statements));
            m.at = end + 1;
            if !name.is_empty() {
                m.scope.set(&name, class);
            }
        }
        "if" | "unless" | "while" | "until" | "case" | "begin" | "for" if m.pair() > m.at => {
            compound(m, word);
            if m.token().is_some_and(|token| !token.fresh)
                && m.syntax.members.iter().any(|member| m.sees(member))
            {
                m.postfix(Val::unknown());
            }
        }
        "return" | "next" | "break" => {
            let end = m.find(ends_line);
            let condition = m.find(|tok| ends_line(tok) || is_word(tok, &["if", "unless"]));
            if condition > m.at + 1 {
                let value = m.range(m.at + 1..condition, |m| m.expr(0));
                m.give_back(value);
            }
            m.at = end;
        }
        "else" | "elsif" | "when" | "rescue" | "ensure" | "then" | "do" | "end" | "in" | "redo" | "retry" => {
            m.at += 1
        }
        _ => modified(m),
    }
}

/// An expression, and what may follow it: `… if condition`.
fn modified(m: &mut Machine) {
    let start = m.at;
    let words = ["if", "unless", "while", "until", "rescue"];
    let modifier = m.find(|tok| ends_line(tok) || is_word(tok, &words));
    let applies = m.tokens.get(modifier).is_some_and(|token| is_word(&token.tok, &words))
        && modifier < m.end
        && token_is_plain(m, modifier);
    if !applies {
        let value = values(m);
        if m.at >= m.end || m.peek().is_some_and(ends_line) {
            m.give_back_last(value);
        }
        return;
    }
    let end = m.find(ends_line);
    let word = match m.tokens.get(modifier).map(|token| token.tok.clone()) {
        Some(Tok::Name(word)) => word,
        _ => return,
    };
    let effort = m.effort();
    m.at = modifier + 1;
    let said = m.condition(end);
    let negated = said.negated != (&*word == "unless");
    m.at = start;
    m.branch(|m| {
        if !negated {
            m.believe(&said);
        }
        m.range(start..modifier, values);
    });
    if matches!(&*word, "if" | "unless") && negated && m.leaves(&(start..modifier)) {
        m.believe(&said);
    }
    if matches!(&*word, "while" | "until") {
        m.splits(effort);
    }
    if &*word == "while" && m.always(modifier + 1..end) {
        m.exhausts(effort);
    }
    m.at = end;
}

/// It opens nothing.
fn token_is_plain(m: &Machine, at: usize) -> bool {
    m.tokens.get(at).is_some_and(|token| token.pair == at)
}

/// One expression, or several with commas between: `a, b = 1, 2`.
fn values(m: &mut Machine) -> Val {
    let start = m.at;
    let equals = m.find(|tok| ends_line(tok) || *tok == Tok::Op("=") || is_word(tok, &["do"]));
    let comma = m.find(|tok| ends_line(tok) || *tok == Tok::Op(",") || *tok == Tok::Op("="));
    let several =
        matches!(m.tokens.get(equals).map(|token| &token.tok), Some(Tok::Op("="))) && comma < equals;
    if several
        && matches!(m.peek(), Some(Tok::Name(_) | Tok::Var(..)))
        && !matches!(m.ahead(1), Some(Tok::Str(_) | Tok::Op("(")))
    {
        m.at = equals + 1;
        let end = m.find(ends_line);
        let list = m.range(m.at..end, |m| Val::list(m.argument_list().list));
        m.range(start..equals, |m| m.bind_pattern(&list));
        m.at = end;
        return list;
    }
    m.expr(0)
}

/// `if`, `while`, `case`, `begin` and `for`, up to their `end`.
fn compound(m: &mut Machine, word: &str) {
    let end = m.pair();
    let effort = m.effort();
    m.at += 1;
    match word {
        "for" => {
            let of = m.find(|tok| is_word(tok, &["in"]));
            let target = m.at..of;
            m.at = of + 1;
            let head = m.find(|tok| ends_line(tok) || is_word(tok, &["do"]));
            let list = m.expr_in(m.at..head);
            m.for_each(&list, end.saturating_sub(head), |m, item| {
                m.range(target.clone(), |m| m.bind_pattern(item));
                m.range(head + 1..end, Machine::statements);
            });
        }
        "while" | "until" => {
            let head = m.find(|tok| ends_line(tok) || is_word(tok, &["do"]));
            let endless = word == "while" && m.always(m.at..head);
            let said = m.condition(head);
            m.at = head;
            m.endless = endless;
            m.looped(effort, |m| {
                m.believe(&said);
                m.range(head + 1..end, Machine::statements);
                m.at = end;
            });
        }
        _ => arms(m, word, end),
    }
    m.at = (end + 1).min(m.end);
}

/// The arms of `if`, `case` and `begin`.
fn arms(m: &mut Machine, word: &str, end: usize) {
    let mut branches = Vec::new();
    let mut complete = word == "begin";
    let mut tests = word != "begin";
    while m.at < end && !m.is_stopped() {
        let mut said = super::flow::Said::default();
        if tests {
            let head = m.find(|tok| ends_line(tok) || is_word(tok, &["then"])).min(end);
            said = m.condition(head);
            m.at = head + 1;
        }
        let next =
            m.find(|tok| is_word(tok, &["else", "elsif", "when", "in", "rescue", "ensure", "end"])).min(end);
        let body = m.at.min(next)..next;
        let negated = said.negated != (word == "unless");
        branches.push(m.attempt(|m| {
            if !negated {
                m.believe(&said);
            }
            m.range(body, Machine::statements);
        }));
        let after = m.tokens.get(next).map(|token| token.tok.clone());
        complete |= after.as_ref().is_some_and(|tok| is_word(tok, &["else"]));
        tests = after.is_some_and(|tok| is_word(&tok, &["elsif", "when", "in", "rescue"]));
        m.at = next + 1;
    }
    m.scope.join(branches, !complete);
}

/// `alias new old`, `alias_method :new, :old`.
fn rename(m: &mut Machine) {
    let end = m.find(ends_line);
    let names: Vec<Rc<str>> = m.range(m.at + 1..end, |m| {
        let mut names = Vec::new();
        while m.at < m.end {
            if let Some(Tok::Str(_)) = m.peek() {
                names.extend(m.expr(UNARY).literal().map(Rc::from));
                continue;
            }
            names.extend(m.name());
            m.at += 1;
        }
        names
    });
    m.at = end;
    if let [new, old, ..] = names.as_slice() {
        let value = m.scope.get(old).cloned().unwrap_or_else(|| Val::name(old));
        m.scope.set(&format!(".{new}"), value.clone());
        m.scope.set(new, value);
    }
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Name(name) => word(m, name),
        Tok::Var(sign, name) => {
            m.at += 1;
            match (*sign, &**name) {
                ('$', "stdin" | "<") => m.around.input.clone(),
                ('$', "stdout") => Val::name("STDOUT"),
                ('$', "0" | "PROGRAM_NAME") => m.known(super::ops::Known::File),
                ('$', "*") => m.known(super::ops::Known::Arguments),
                ('$', "_") => m.around.input.clone(),
                ('@', _) if let Some(this) = m.own.this.clone() => {
                    let value = m.attribute(&this, None, name);
                    // What the constructor has not set may be set elsewhere.
                    if value.is_nothing_known() && m.scope.get(&format!("@{name}")).is_some() {
                        let place = m.place.take();
                        let value = m.lookup(&format!("@{name}"));
                        m.place = place;
                        return value;
                    }
                    value
                }
                _ => m.lookup(&format!("{sign}{name}")),
            }
        }
        Tok::Op("(") => group(m),
        Tok::Op("[") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            Val::list(args.list)
        }
        Tok::Op("{") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            Val::table(args.named)
        }
        Tok::Op("->") => arrow(m),
        Tok::Op("::") => {
            m.at += 1;
            m.expr(UNARY)
        }
        _ => Val::unknown(),
    }
}

/// Expressions in brackets: the last one counts.
fn group(m: &mut Machine) -> Val {
    let close = m.pair();
    let mut value = Val::unknown();
    m.range(m.at + 1..close, |m| {
        while m.at < m.end && !m.is_stopped() {
            let before = m.at;
            value = m.expr(0);
            while m.peek().is_some_and(|tok| ends_line(tok) || *tok == Tok::Op(",")) {
                m.at += 1;
            }
            m.at += usize::from(m.at == before);
        }
    });
    m.at = close + 1;
    value
}

fn word(m: &mut Machine, name: &Rc<str>) -> Val {
    match &**name {
        "not" | "defined?" | "await" => {
            m.at += 1;
            return m.expr(UNARY);
        }
        "if" | "unless" | "while" | "until" | "case" | "begin" | "for" | "def" | "class" | "module"
            if m.pair() > m.at =>
        {
            let depth = m.returns.len();
            m.returns.push(None);
            let statement: &str = name;
            if matches!(statement, "def" | "class" | "module") {
                named_statement(m, statement)
            } else {
                compound(m, statement)
            }
            let value = m.returns.pop().flatten();
            m.returns.truncate(depth);
            return value.unwrap_or_else(Val::unknown);
        }
        "end" | "then" | "do" | "else" | "elsif" | "when" | "rescue" | "ensure" | "in" | "if" | "unless"
        | "while" | "until" => return Val::unknown(),
        "yield" => {
            m.at += 1;
            let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("(") && !token.spaced);
            let args = if bracketed { m.arguments() } else { m.bare_arguments().unwrap_or_default() };
            return match m.scope.get(BLOCK).cloned() {
                Some(block) => m.apply(&block, &args),
                None => Val::unknown(),
            };
        }
        _ => {}
    }
    m.at += 1;
    if &**name == "_1" {
        return m.lookup("it");
    }
    // Another name of a function is called like it.
    let given = matches!(m.peek(), Some(Tok::Str(_) | Tok::Op("(") | Tok::Words(_)));
    let called = |value: &Val| matches!(value, Val::Function(_)) || given && matches!(value, Val::Name(_));
    if m.scope.get(name).is_some_and(|value| !called(value)) {
        return m.lookup(name);
    }
    call(m, name)
}

/// A name: a call of a function, or what it stands for.
fn call(m: &mut Machine, name: &Rc<str>) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("(") && !token.spaced);
    let constant = name.chars().next().is_some_and(char::is_uppercase);
    let mut args = match bracketed {
        true => Some(m.arguments()),
        false if constant && !m.token().is_some_and(|token| matches!(token.tok, Tok::Str(_))) => None,
        false => m.bare_arguments(),
    };
    if (!constant || bracketed)
        && let Some(block) = block(m)
    {
        args.get_or_insert_default().list.push(block);
    }
    match (m.scope.get(name).cloned(), args) {
        (Some(_), None) if m.syntax.members.iter().any(|member| m.sees(member)) => m.lookup(name),
        (Some(function), args) => m.apply(&function, &args.unwrap_or_default()),
        (None, Some(args)) => m.library(name, &args),
        (None, None) => m.lookup(name),
    }
}

/// A file that is brought in by its name.
fn module(m: &mut Machine, name: &str) -> Val {
    if matches!(name, "dotenv/load" | "dotenv/autoload") {
        return m.perform(Op::LoadEnv(0), name, &Args::default());
    }
    let file = if name.ends_with(".rb") { name.to_owned() } else { format!("{name}.rb") };
    let path = match name.starts_with(['.', '/']) {
        true => Some(m.beside(&file)),
        false => m.searched(&[file]),
    };
    path.map_or_else(Val::unknown, |path| m.bring(&path))
}
