//! Perl.

mod lex;
mod library;
mod loops;
mod modules;
mod words;

use std::ops::Range;
use std::rc::Rc;

use super::expr::UNARY;
use super::machine::Machine;
use super::ops::Known;
use super::syntax::{Infix, Syntax, no_block};
use super::token::Tok;

use super::value::{Args, Function, Param, Val};
use loops::{items_of, over};

pub(super) static SYNTAX: Syntax = Syntax {
    lex: lex::lex,
    statement,
    primary,
    operator,
    members: &["->"],
    bare_calls: true,
    flat: false,
    block: no_block,
    slices: false,
    generator: no_block,
    module: modules::module,
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &[],
    keeps_output: false,
    local: false,
    symbolic: true,
    curried: false,
    this: "$self",
    constructor: "",
    invoked: "",
    copying: &['@', '%'],
};

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "and" => (1, Infix::Second),
            "or" | "xor" => (1, Infix::First),
            "x" => (40, Infix::Number('*')),
            "eq" => (10, Infix::Equal),
            "ne" | "lt" | "gt" | "le" | "ge" | "cmp" | "isa" => (10, Infix::Other),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            "=" => (2, Infix::Assign),
            ".=" => (2, Infix::AddAssign),
            "+=" | "-=" | "*=" | "/=" | "||=" | "&&=" | "//=" | "%=" | "x=" | "|=" | "&=" | "^=" | "**="
            | "<<=" | ">>=" => (2, Infix::OtherAssign),
            "?" => (3, Infix::Choice),
            ".." | "..." => (4, Infix::Other),
            "||" | "//" => (5, Infix::Either),
            "&&" => (6, Infix::Second),
            "==" => (10, Infix::Other),
            "=~" => (10, Infix::Match),
            "!=" | "!~" | "<=>" | "<" | ">" | "<=" | ">=" => (10, Infix::Other),
            "|" => (20, Infix::Number('|')),
            "^" => (21, Infix::Number('^')),
            "&" => (22, Infix::Number('&')),
            "<<" => (23, Infix::Number('<')),
            ">>" => (23, Infix::Number('>')),
            "." => (30, Infix::Join),
            "+" => (30, Infix::Number('+')),
            "-" => (30, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Number('/')),
            "%" => (40, Infix::Number('%')),
            "**" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

fn is_word(tok: &Tok, words: &[&str]) -> bool {
    matches!(tok, Tok::Name(name) if words.contains(&&**name))
}

fn statement(m: &mut Machine) {
    let word = match m.peek() {
        Some(Tok::Op("{")) => return block(m),
        Some(Tok::Op(";" | ")" | "]" | "}" | "," | ":")) => {
            m.at += 1;
            return;
        }
        Some(Tok::Name(word)) => Rc::clone(word),
        _ => return modified(m),
    };
    match &*word {
        "sub" if matches!(m.ahead(1), Some(Tok::Name(_))) => {
            let name = match m.ahead(1) {
                Some(Tok::Name(name)) => Rc::clone(name),
                _ => return,
            };
            let function = closure(m);
            m.scope.set(&format!(".{name}"), function.clone());
            if !m.package.is_empty() {
                m.scope.set(&format!("{}.{name}", m.package), function.clone());
            }
            m.scope.set(&name, function);
        }
        "if" | "unless" if matches!(m.ahead(1), Some(Tok::Op("("))) => conditional(m),
        "while" | "until" if matches!(m.ahead(1), Some(Tok::Op("("))) => repeat(m),
        "for" | "foreach" => each(m),
        "else" | "BEGIN" | "END" | "continue" | "INIT" if matches!(m.ahead(1), Some(Tok::Op("{"))) => {
            m.at += 1;
            m.branch(block);
        }
        "package" => {
            m.at += 1;
            m.package = m.name().map(|name| name.to_string()).unwrap_or_default();
        }
        "no" => m.at = m.find(|tok| *tok == Tok::Op(";")),
        "use" => modules::bring_in(m),
        _ => modified(m),
    }
}

fn block(m: &mut Machine) {
    if !m.sees("{") {
        return;
    }
    let close = m.pair();
    if m.enter() {
        m.scoped(|m| m.range(m.at + 1..close, Machine::statements));
        m.leave();
    }
    m.at = close + 1;
}

/// An expression, and what may follow it: `… if condition;`.
fn modified(m: &mut Machine) {
    let start = m.at;
    let words = ["if", "unless", "while", "until", "for", "foreach"];
    let ends = |tok: &Tok| *tok == Tok::Op(";") || *tok == Tok::Op("}");
    let modifier = m.find(|tok| ends(tok) || is_word(tok, &words));
    let end = m.find(ends);
    let Some(Tok::Name(word)) =
        m.tokens.get(modifier).filter(|_| modifier < m.end).map(|token| token.tok.clone())
    else {
        sequence(m);
        return;
    };
    let effort = m.effort();
    m.at = modifier + 1;
    if matches!(&*word, "for" | "foreach") {
        let (items, place) = items_of(m, m.at..end);
        over(m, &items, place.as_deref(), "$_", start..modifier, |m| m.range(start..modifier, sequence));
    } else {
        let said = m.condition(end);
        if let Some(line) = read_line(m, modifier + 1..end) {
            m.scope.set("$_", line);
        }
        m.at = start;
        m.branch(|m| {
            if said.negated == (&*word == "unless") {
                m.believe(&said);
            }
            m.range(start..modifier, sequence);
        });
        if matches!(&*word, "if" | "unless")
            && said.negated != (&*word == "unless")
            && m.leaves(&(start..modifier))
        {
            m.believe(&said);
        }
        if matches!(&*word, "while" | "until") {
            m.splits(effort);
        }
        if &*word == "while" && m.always(modifier + 1..end) {
            m.exhausts(effort);
        }
    }
    m.at = end;
}

/// `while <FILE>` reads into `$_`.
fn read_line(m: &mut Machine, range: Range<usize>) -> Option<Val> {
    let first = m.tokens.get(range.start).map(|token| &token.tok);
    let reads = matches!(first, Some(Tok::Op("<"))) || first.is_some_and(|tok| is_word(tok, &["readline"]));
    // What is connected to a handle may be anything.
    let connected = m.tokens.iter().any(|token| is_word(&token.tok, &["fdopen", "dup2"]));
    reads.then(|| if connected { Val::unknown() } else { m.expr_in(range) })
}

/// Expressions with commas between them.
fn sequence(m: &mut Machine) {
    loop {
        m.eat_word("return");
        let value = m.expr(0);
        m.give_back_last(value);
        if !(m.eat(",") || m.eat("=>")) || m.is_stopped() {
            return;
        }
    }
}

/// All values to the end of the range.
fn list(m: &mut Machine) -> Val {
    let args = m.argument_list();
    match args.list.as_slice() {
        [only @ Val::List(_)] => only.clone(),
        _ => flattened(args.list),
    }
}

/// Lists in lists are one list.
fn flattened(items: Vec<Val>) -> Val {
    let open = items
        .iter()
        .any(|item| matches!(item, Val::List(list) if list.open) || matches!(item, Val::Unknown(_)));
    let flat = items.iter().flat_map(|item| match item {
        Val::List(list) => list.items.clone(),
        other => vec![other.clone()],
    });
    let flat: Vec<Val> = flat.collect();
    if open { Val::many(flat) } else { Val::list(flat) }
}

fn condition(m: &mut Machine) -> super::flow::Said {
    let close = m.pair();
    let said = m.range(m.at + 1..close, |m| m.condition(m.end));
    m.at = close + 1;
    said
}

fn conditional(m: &mut Machine) {
    let mut branches = Vec::new();
    let mut complete = false;
    loop {
        let unless = m.sees_word("unless");
        m.at += 1;
        let said = if m.sees("(") { condition(m) } else { super::flow::Said::default() };
        branches.push(m.attempt(|m| {
            if said.negated == unless {
                m.believe(&said);
            }
            block(m);
        }));
        if m.sees_word("elsif") {
            continue;
        }
        if m.eat_word("else") {
            branches.push(m.attempt(block));
            complete = true;
        }
        break;
    }
    m.scope.join(branches, !complete);
}

fn repeat(m: &mut Machine) {
    m.at += 1;
    let effort = m.effort();
    let close = m.pair();
    let endless = m.always(m.at + 1..close);
    if let Some(line) = read_line(m, m.at + 1..close) {
        m.scope.set("$_", line);
    }
    let said = condition(m);
    m.endless = endless;
    m.looped(effort, |m| {
        m.believe(&said);
        block(m);
    });
}

fn each(m: &mut Machine) {
    m.at += 1;
    let effort = m.effort();
    while m.eat_word("my") || m.eat_word("our") {}
    let variable = match m.peek() {
        Some(Tok::Var(sign, name)) => format!("{sign}{name}"),
        _ => "$_".to_owned(),
    };
    m.at = m.find(|tok| matches!(tok, Tok::Op("(" | "{")));
    let close = m.pair();
    let head = m.at + 1..close;
    m.at = (close + 1).min(m.end);
    let counted = m.range(head.clone(), |m| m.find(|tok| *tok == Tok::Op(";"))) < head.end;
    if counted {
        let parts = m.range(head.clone(), |m| m.split(m.end + 1, ";"));
        m.range(head, Machine::statements);
        m.endless = parts.get(1).is_some_and(|test| m.always(test.clone()));
        return m.looped(effort, block);
    }
    let (items, place) = items_of(m, head);
    let (body, end) = (m.at, m.pair());
    over(m, &items, place.as_deref(), &variable, body..end, |m| {
        m.at = body;
        block(m);
    });
    m.at = (end + 1).min(m.end);
}

/// `sub {…}` or `sub name {…}`
fn closure(m: &mut Machine) -> Val {
    m.at = m.find(|tok| matches!(tok, Tok::Op("{" | ";")));
    let close = m.pair();
    let body = m.at + 1..close.max(m.at + 1);
    m.at = (close + 1).min(m.end);
    let tokens = Rc::clone(&m.tokens);
    m.define(Function {
        params: vec![Param::named("$_[0]")],
        tokens,
        body,
        short: false,
        called: false.into(),
        captured: Default::default(),
    })
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Name(name) => words::word(m, name),
        Tok::Var(sign, name) => {
            m.at += 1;
            variable(m, *sign, name)
        }
        Tok::Op("(") => {
            let close = m.pair();
            // `($a, $b) = (…)`
            let sets = m.tokens.get(close + 1).filter(|_| close + 1 < m.end).map(|token| &token.tok);
            if matches!(sets, Some(Tok::Op("="))) {
                return words::list_set(m);
            }
            // `($x = …) =~ s/…/…/` changes what was assigned.
            let skip = 1 + usize::from(m.ahead(1).is_some_and(|tok| is_word(tok, &["my", "our", "local"])));
            let assigned = match (m.ahead(skip), m.ahead(skip + 1)) {
                (Some(Tok::Var(sign, name)), Some(Tok::Op("="))) => Some(Rc::from(format!("{sign}{name}"))),
                _ => None,
            };
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            let named = args.named.into_iter().flat_map(|(key, value)| [Val::text(&key), value]);
            let all: Vec<Val> = args.list.into_iter().chain(named).collect();
            m.place = assigned;
            match all.as_slice() {
                [only] => only.clone(),
                _ => flattened(all),
            }
        }
        Tok::Op("[") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            if args.named.is_empty() {
                return flattened(args.list);
            }
            // A list of names and values, some of which are lists of their own.
            let named = args.named.into_iter().flat_map(|(key, value)| [Val::text(&key), value]);
            Val::list(args.list.into_iter().chain(named).collect())
        }
        Tok::Op("{") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            Val::table(args.named)
        }
        // `@{…}`, `%{…}`, `@$x`
        Tok::Op("$" | "%" | "&") => led_to(m),
        _ => Val::unknown(),
    }
}

/// What stands behind a sign that says what a reference leads to.
fn led_to(m: &mut Machine) -> Val {
    m.at += 1;
    if m.sees("{") {
        let close = m.pair();
        let value = m.range(m.at + 1..close, |m| m.expr(0));
        m.at = close + 1;
        return m.dereferenced(value);
    }
    if let (Some(Tok::Var('$', name)), Some(Tok::Op("{" | "["))) = (m.peek().cloned(), m.ahead(1)) {
        return part_of_reference(m, &name);
    }
    let value = m.expr(UNARY);
    m.dereferenced(value)
}

fn variable(m: &mut Machine, sign: char, name: &str) -> Val {
    let subscript = m.token().filter(|token| !token.spaced).map(|token| token.tok.clone());
    match (sign, name, subscript) {
        ('$' | '@', _, Some(Tok::Op("{"))) if name != "{" => {
            let close = m.pair();
            let key = m.range(m.at + 1..close, key);
            m.at = close + 1;
            if name == "ENV" {
                return m.environment(false, "getenv", &Args::of(vec![key]));
            }
            element(m, &format!("%{name}"), &key)
        }
        ('$', _, Some(Tok::Op("["))) => {
            let close = m.pair();
            let key = m.range(m.at + 1..close, |m| m.expr(0));
            m.at = close + 1;
            element(m, &format!("@{name}"), &key)
        }
        ('%', "ENV", _) => m.environment(true, "", &Args::default()),
        ('@', "ARGV", _) => {
            let given = m.scope.get("@ARGV").cloned().unwrap_or_else(|| m.known(Known::Arguments));
            m.place = Some(Rc::from("@ARGV"));
            given
        }
        ('$', "FindBin::Bin" | "FindBin::RealBin", _) => m.known(Known::FileFolder),
        ('$', "0", _) => m.known(Known::File),
        ('$', "^X", _) => m.known(Known::Executable),
        _ => {
            let full = format!("{sign}{name}");
            let value = m.scope.get(&full).cloned().unwrap_or_else(Val::unknown);
            m.place = Some(Rc::from(full));
            value
        }
    }
}

/// `$$name{key}` and `$$name[0]`: a part of what the variable leads to.
fn part_of_reference(m: &mut Machine, name: &str) -> Val {
    m.at += 1;
    let place = format!("${name}");
    let value = m.scope.get(&place).cloned().unwrap_or_else(Val::unknown);
    if m.sees("{") {
        return keyed(m, &value, Some(&place));
    }
    let close = m.pair();
    let key = m.range(m.at + 1..close, |m| m.expr(0));
    m.at = close + 1;
    m.index(&value, Some(&place), &key)
}

/// The part of a table that the braces here name.
pub(super) fn keyed(m: &mut Machine, value: &Val, place: Option<&str>) -> Val {
    let close = m.pair();
    let key = m.range(m.at + 1..close, key);
    m.at = close + 1;
    m.index(value, place, &key)
}

/// The key in `{…}`: a bare word is a text.
fn key(m: &mut Machine) -> Val {
    match m.peek().cloned() {
        Some(Tok::Name(name)) if m.at + 1 == m.end => Val::text(&name),
        _ => m.expr(0),
    }
}

fn element(m: &mut Machine, whole: &str, key: &Val) -> Val {
    let list = match m.scope.get(whole).cloned() {
        None if whole == "@ARGV" => m.known(Known::Arguments),
        // A list of one is that one.
        Some(one @ (Val::Function(_) | Val::Text(_) | Val::Name(_))) if whole.starts_with('@') => {
            Val::list(vec![one])
        }
        known => known.unwrap_or_else(Val::unknown),
    };
    let paired = match (&list, key.literal()) {
        (Val::List(items), Some(key)) if whole.starts_with('%') => {
            let mut pairs = items.items.chunks_exact(2);
            pairs.find_map(|pair| {
                pair.first()?.literal().filter(|name| *name == key).and(pair.last()).cloned()
            })
        }
        _ => None,
    };
    let value = paired.unwrap_or_else(|| m.index(&list, Some(whole), key));
    m.place = key.literal().map(|key| Rc::from(format!("{whole}.{key}")));
    value
}
