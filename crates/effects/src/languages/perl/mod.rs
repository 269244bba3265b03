//! Perl.

mod lex;
mod library;

use std::rc::Rc;

use super::expr::{ARGUMENT, UNARY};
use super::machine::{Infix, Machine, Syntax, no_block};
use super::ops::{Known, Op};
use super::token::Tok;
use super::value::{Args, Function, Param, Val};

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
    module: |_, _| Val::unknown(),
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &[],
    local: false,
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
            "!=" | "=~" | "!~" | "<=>" | "<" | ">" | "<=" | ">=" => (10, Infix::Other),
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
            m.scope.set(&name, function);
        }
        "if" | "unless" if matches!(m.ahead(1), Some(Tok::Op("("))) => conditional(m),
        "while" | "until" if matches!(m.ahead(1), Some(Tok::Op("("))) => repeat(m),
        "for" | "foreach" => each(m),
        "else" | "BEGIN" | "END" | "continue" | "INIT" if matches!(m.ahead(1), Some(Tok::Op("{"))) => {
            m.at += 1;
            m.branch(block);
        }
        "package" | "no" => m.at = m.find(|tok| *tok == Tok::Op(";")),
        "use" => {
            m.at += 1;
            m.at = m.find(|tok| *tok == Tok::Op(";"));
        }
        _ => modified(m),
    }
}

fn block(m: &mut Machine) {
    if !m.sees("{") {
        return;
    }
    let close = m.pair();
    if m.enter() {
        m.range(m.at + 1..close, Machine::statements);
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
        let list = m.range(m.at..end, list);
        m.for_each(&list, modifier - start, |m, item| {
            m.scope.set("$_", item.clone());
            m.range(start..modifier, sequence);
        });
    } else {
        let said = m.condition(end);
        m.at = start;
        m.branch(|m| {
            if said.negated == (&*word == "unless") {
                m.believe(&said.narrowed);
            }
            m.range(start..modifier, sequence);
        });
        if matches!(&*word, "while" | "until") {
            m.splits(effort);
        }
    }
    m.at = end;
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
                m.believe(&said.narrowed);
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
    let said = condition(m);
    m.looped(effort, |m| {
        m.believe(&said.narrowed);
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
        m.range(head, Machine::statements);
        return m.looped(effort, block);
    }
    let items = m.range(head, list);
    let (body, end) = (m.at, m.pair());
    m.for_each(&items, end.saturating_sub(body), |m, item| {
        m.scope.set(&variable, item.clone());
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
    })
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Name(name) => word(m, name),
        Tok::Var(sign, name) => {
            m.at += 1;
            variable(m, *sign, name)
        }
        Tok::Op("(") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            let named = args.named.into_iter().flat_map(|(key, value)| [Val::text(&key), value]);
            let all: Vec<Val> = args.list.into_iter().chain(named).collect();
            match all.as_slice() {
                [only] => only.clone(),
                _ => flattened(all),
            }
        }
        Tok::Op("[") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            flattened(args.list)
        }
        Tok::Op("{") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            Val::table(args.named)
        }
        // `@{…}`, `%{…}`, `@$x`
        Tok::Op("$" | "%" | "&") => {
            m.at += 1;
            if m.sees("{") {
                let close = m.pair();
                let value = m.range(m.at + 1..close, |m| m.expr(0));
                m.at = close + 1;
                return value;
            }
            m.expr(UNARY)
        }
        _ => Val::unknown(),
    }
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
        ('@', "ARGV", _) => m.known(Known::Arguments),
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

/// The key in `{…}`: a bare word is a text.
fn key(m: &mut Machine) -> Val {
    match m.peek().cloned() {
        Some(Tok::Name(name)) if m.at + 1 == m.end => Val::text(&name),
        _ => m.expr(0),
    }
}

fn element(m: &mut Machine, whole: &str, key: &Val) -> Val {
    let list = match whole {
        "@ARGV" => m.known(Known::Arguments),
        _ => m.scope.get(whole).cloned().unwrap_or_else(Val::unknown),
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

fn word(m: &mut Machine, name: &Rc<str>) -> Val {
    m.at += 1;
    match &**name {
        "my" | "our" | "local" | "state" => declared(m),
        "sub" => closure(m),
        "do" | "eval" if m.sees("{") => {
            block(m);
            Val::unknown()
        }
        "not" | "return" | "defined" | "scalar" | "ref" | "wantarray" => m.expr(UNARY),
        "shift" | "pop" => shift(m),
        "open" => open(m),
        "print" | "say" | "printf" => print(m, name),
        "map" | "grep" | "sort" => mapped(m, name),
        "push" | "unshift" => push(m),
        "qw" => Val::unknown(),
        // Tests of files, and other words before a value.
        _ if m.sees("=>") => Val::text(name),
        "if" | "unless" | "while" | "until" | "and" | "or" | "x" | "eq" | "ne" | "for" | "foreach"
        | "else" => Val::unknown(),
        "STDIN" | "ARGV" | "DATA" if !m.sees("->") => m.around.input.clone(),
        _ => call(m, name),
    }
}

fn declared(m: &mut Machine) -> Val {
    if !m.sees("(") {
        let value = m.expr(UNARY);
        if let Some(place) = m.place.clone() {
            m.scope.set(&place, Val::unknown());
            m.place = Some(place);
        }
        return value;
    }
    let close = m.pair();
    let target = m.at + 1..close;
    m.at = close + 1;
    if m.eat("=") {
        let value = m.expr(ARGUMENT);
        m.range(target, |m| m.bind_pattern(&value));
        return value;
    }
    Val::unknown()
}

/// The first argument of the function, or of the program.
fn shift(m: &mut Machine) -> Val {
    let place = match m.peek().cloned() {
        Some(Tok::Var('@', name)) => {
            m.at += 1;
            format!("@{name}")
        }
        Some(Tok::Op("(")) => {
            m.arguments();
            "@_".to_owned()
        }
        _ => "@_".to_owned(),
    };
    let list = match (&*place, m.active.is_empty()) {
        ("@ARGV", _) | ("@_", true) => m.known(Known::Arguments),
        _ => m.scope.get(&place).cloned().unwrap_or_else(Val::unknown),
    };
    m.place = None;
    match &list {
        Val::List(items) if !items.open => {
            m.scope.set(&place, Val::list(items.items.iter().skip(1).cloned().collect()));
            items.items.first().cloned().unwrap_or_else(Val::unknown)
        }
        other => other.item(),
    }
}

/// `open` gives its first argument a value.
fn open(m: &mut Machine) -> Val {
    let bracketed = m.sees("(");
    let range = if bracketed {
        m.at + 1..m.pair()
    } else {
        m.at..m.find(|tok| *tok == Tok::Op(";") || is_word(tok, &["or", "and", "if", "unless"]))
    };
    let end = range.end;
    let (place, args) = m.range(range, |m| {
        let bare = match m.peek() {
            Some(Tok::Name(name)) if !matches!(&**name, "my" | "our" | "local") => Some(Rc::clone(name)),
            _ => None,
        };
        let first = m.expr(ARGUMENT);
        let place = bare.or(m.place.take());
        m.eat(",");
        let mut args = m.argument_list();
        args.list.insert(0, first);
        (place, args)
    });
    m.at = end + usize::from(bracketed);
    let handle = m.perform(Op::OpenHandle, "open", &args);
    let input = matches!(place.as_deref(), Some("STDIN"));
    if input && args.literal(1).is_some_and(|mode| mode.contains('&')) {
        m.perform(Op::Duplicate, "open", &Args::of(vec![handle.clone(), Val::Int(0)]));
    }
    m.assign(place, handle);
    m.place = None;
    Val::unknown()
}

/// `print`, to a file where one is named first.
fn print(m: &mut Machine, name: &str) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    let end = if bracketed {
        m.pair()
    } else {
        m.find(|tok| {
            *tok == Tok::Op(";")
                || *tok == Tok::Op("}")
                || is_word(tok, &["or", "and", "if", "unless", "for", "foreach", "while"])
        })
    };
    let start = m.at + usize::from(bracketed);
    let target = m.range(start..end, handle);
    let args = m.range(start..end, |m| {
        m.at += target.as_ref().map_or(0, |(_, skip)| *skip);
        m.argument_list()
    });
    m.at = end + usize::from(bracketed);
    let args = Args::of(flattened(args.list).items());
    let args = if name == "printf" {
        Args::of(vec![super::pure::apply(super::pure::Pure::Printf, &args)])
    } else {
        args
    };
    match target {
        Some((Val::Name(name), _)) if &*name == "STDERR" => Val::unknown(),
        Some((Val::File(file), _)) => m.file_method(&file, "print", &args),
        Some((Val::Pipe(pipe), _)) => m.pipe_method(&pipe, "print", &args),
        Some((value @ Val::Object(_), _)) => m.method(&value, None, "print", args),
        _ => {
            let whole = if name == "say" {
                args.list.into_iter().chain([Val::text("\n")]).collect()
            } else {
                args.list
            };
            m.perform(Op::Print(false), name, &Args::of(whole))
        }
    }
}

/// The file that `print` names, and how many tokens that takes.
fn handle(m: &mut Machine) -> Option<(Val, usize)> {
    match (m.peek().cloned(), m.ahead(1).cloned()) {
        (Some(Tok::Op("{")), _) => {
            let close = m.pair();
            let value = m.range(m.at + 1..close, |m| m.expr(0));
            Some((value, close + 1 - m.at))
        }
        (Some(Tok::Var('$', name)), Some(Tok::Str(_) | Tok::Var(..) | Tok::Int(_))) => {
            Some((m.scope.get(&format!("${name}")).cloned()?, 1))
        }
        (Some(Tok::Name(name)), next)
            if name.chars().all(|c| c.is_uppercase() || c == '_')
                && !matches!(next, Some(Tok::Op("(" | "," | "."))) =>
        {
            Some((m.scope.get(&name).cloned().unwrap_or(Val::Name(name)), 1))
        }
        _ => None,
    }
}

/// `map {…} @list` and its like.
fn mapped(m: &mut Machine, name: &str) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    let end = if bracketed { m.pair() } else { m.find(|tok| *tok == Tok::Op(";") || *tok == Tok::Op("}")) };
    let start = m.at + usize::from(bracketed);
    let result = m.range(start..end, |m| {
        let body = if m.sees("{") {
            let close = m.pair();
            let body = m.at + 1..close;
            m.at = close + 1;
            m.eat(",");
            body
        } else {
            let comma = m.find(|tok| *tok == Tok::Op(","));
            let body = m.at..comma;
            m.at = comma + 1;
            body
        };
        let items = list(m);
        let mut results = Vec::new();
        m.for_each(&items, body.len(), |m, item| {
            m.scope.set("$_", item.clone());
            let said = m.range(body.clone(), |m| m.condition(m.end));
            m.believe(&said.narrowed);
            results.push(if name == "map" {
                m.expr_in(body.clone())
            } else {
                m.scope.get("$_").cloned().unwrap_or_default()
            });
        });
        let open = name == "grep" || matches!(&items, Val::List(list) if list.open);
        if open { Val::many(results) } else { Val::list(results) }
    });
    m.at = end + usize::from(bracketed);
    result
}

fn push(m: &mut Machine) -> Val {
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    m.at += usize::from(bracketed);
    let list = m.expr(UNARY);
    let place = m.place.take();
    m.eat(",");
    let end = if bracketed {
        m.find(|tok| *tok == Tok::Op(")"))
    } else {
        m.find(|tok| {
            *tok == Tok::Op(";") || *tok == Tok::Op("}") || is_word(tok, &["if", "unless", "for", "foreach"])
        })
    };
    let args = m.range(m.at..end, Machine::argument_list);
    m.at = end + usize::from(bracketed);
    let before = if matches!(list, Val::List(_)) { list } else { Val::list(Vec::new()) };
    let all = flattened(vec![before, flattened(args.list)]);
    m.assign(place, all.clone());
    all
}

fn call(m: &mut Machine, name: &Rc<str>) -> Val {
    // `Class->method` and `Class::method`.
    if m.sees("->") {
        m.place = Some(Rc::clone(name));
        return Val::Name(Rc::clone(name));
    }
    let bracketed = m.token().is_some_and(|token| token.tok == Tok::Op("("));
    let mut args = if bracketed { Some(m.arguments()) } else { m.bare_arguments() };
    // `system { $program } @words`
    if args.is_none() && m.sees("{") && matches!(&**name, "system" | "exec") {
        m.at = m.pair() + 1;
        args = m.bare_arguments();
    }
    if let Some(args) = &mut args
        && ((args.list.iter().any(|value| matches!(value, Val::List(_))) && library::takes_list(name))
            || args.list.len() > 1)
    {
        args.list = flattened(std::mem::take(&mut args.list)).items();
    }
    m.place = None;
    match (m.scope.get(name).cloned(), args) {
        (Some(function @ Val::Function(_)), args) => m.apply(&function, &args.unwrap_or_default()),
        (Some(value), None) => value,
        (_, Some(args)) => m.library(name, &args),
        (None, None) if library::defaults(name) => {
            let topic = m.scope.get("$_").cloned().unwrap_or_else(|| m.around.input.clone());
            m.library(name, &Args::of(vec![topic]))
        }
        (None, None) => m.lookup(name),
    }
}
