//! PHP.

mod lex;
mod library;

use std::rc::Rc;

use super::expr::{ARGUMENT, UNARY};
use super::javascript;
use super::machine::Machine;
use super::ops::Known;
use super::scope::OUTER;
use super::syntax::{Infix, Syntax, no_block};
use super::token::Tok;
use super::value::{Args, Function, Param, Val};

pub(super) static SYNTAX: Syntax = Syntax {
    lex: lex::lex,
    statement,
    primary,
    operator,
    members: &["->", "?->", "::"],
    bare_calls: false,
    flat: false,
    block: no_block,
    slices: false,
    generator: no_block,
    module: |_, _| Val::unknown(),
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &[],
    keeps_output: false,
    local: true,
    symbolic: true,
    curried: false,
    this: "$this",
    constructor: "__construct",
    invoked: "__invoke",
    copying: &['$'],
};

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "and" => (1, Infix::Second),
            "or" | "xor" => (1, Infix::First),
            "instanceof" => (10, Infix::Other),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            "=" => (2, Infix::Assign),
            ".=" => (2, Infix::AddAssign),
            "+=" | "-=" | "*=" | "/=" | "??=" | "%=" | "|=" | "&=" | "^=" | "**=" | "<<=" | ">>=" => {
                (2, Infix::OtherAssign)
            }
            "?" => (3, Infix::Choice),
            "??" | "||" => (4, Infix::Either),
            "&&" => (5, Infix::Second),
            "==" | "===" => (10, Infix::Equal),
            "!=" | "!==" | "<=>" | "<" | ">" | "<=" | ">=" => (10, Infix::Other),
            "|" => (20, Infix::Number('|')),
            "^" => (21, Infix::Number('^')),
            "&" => (22, Infix::Number('&')),
            "<<" => (23, Infix::Number('<')),
            ">>" => (23, Infix::Number('>')),
            "." => (30, Infix::Join),
            "+" => (31, Infix::Number('+')),
            "-" => (31, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Number('/')),
            "%" => (40, Infix::Number('%')),
            "**" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

fn statement(m: &mut Machine) {
    let word = match m.peek() {
        Some(Tok::Name(word)) => Rc::clone(word),
        _ => return javascript::statements::statement(m),
    };
    match &*word {
        "echo" | "print" => {
            m.at += 1;
            let end = m.find(|tok| *tok == Tok::Op(";"));
            let args = m.range(m.at..end, Machine::argument_list);
            m.at = end;
            m.library("echo", &Args::of(args.list));
        }
        "foreach" => each(m),
        "unset" if matches!(m.ahead(1), Some(Tok::Op("("))) => unset(m),
        "function" => match m.ahead(1).cloned() {
            Some(Tok::Name(name)) => {
                let function = closure(m);
                m.scope.set(&format!(".{name}"), function.clone());
                m.scope.set(&name, function);
            }
            _ => javascript::statements::statement(m),
        },
        "class" | "trait" | "interface" | "enum" => class(m),
        "elseif" => {
            m.at += 1;
            if m.sees("(") {
                let close = m.pair();
                m.range(m.at + 1..close, |m| m.expr(0));
                m.at = close + 1;
            }
            m.branch(Machine::statement);
        }
        "static" if matches!(m.ahead(1), Some(Tok::Name(_))) => m.at += 1,
        // What a function sets under such names is not its own.
        "global" => outside(m),
        "use" | "namespace" | "static" | "declare" | "const" => m.at = m.find(|tok| *tok == Tok::Op(";")),
        "public" | "private" | "protected" | "final" | "abstract" | "endif" | "endforeach" | "endwhile"
        | "endfor" => m.at += 1,
        "var" | "let" | "import" | "type" => {
            m.expr(0);
            m.eat(";");
        }
        _ => javascript::statements::statement(m),
    }
}

/// `unset($a, $b[0])`: what stood for another variable does so no more.
fn unset(m: &mut Machine) {
    m.at += 1;
    let close = m.pair();
    let names = m.tokens.get(m.at + 1..close).unwrap_or_default().to_vec();
    m.range(m.at + 1..close, Machine::drop_items);
    m.at = close + 1;
    for token in names {
        if let Tok::Var(_, name) = token.tok {
            m.scope.unalias(&format!("${name}"));
        }
    }
}

/// `global $a, $b;`
fn outside(m: &mut Machine) {
    let end = m.find(|tok| *tok == Tok::Op(";"));
    while m.at < end {
        if let Some(Tok::Var(_, name)) = m.peek().cloned() {
            m.scope.set(&format!("{OUTER}${name}"), Val::name("true"));
        }
        m.at += 1;
    }
}

fn class(m: &mut Machine) {
    m.at += 1;
    let name = m.name();
    let open = m.find(|tok| *tok == Tok::Op("{"));
    let extends = m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "extends"));
    let bases = if extends < open { vec![m.expr_in(extends + 1..extends + 2)] } else { Vec::new() };
    m.at = open;
    let close = m.pair();
    let title = name.clone().unwrap_or_default();
    let class = m.class_of(&title, bases, Vec::new(), |m| m.range(open + 1..close, Machine::statements));
    m.at = close + 1;
    if let Some(name) = name {
        m.scope.set(&name, class);
    }
}

fn each(m: &mut Machine) {
    m.at += 1;
    let close = m.pair();
    let head = m.at + 1..close;
    m.at = close + 1;
    let of = m.range(head.clone(), |m| m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "as")));
    let whole = m.expr_in(head.start..of);
    let place = m.place.take();
    let list = if matches!(whole, Val::Table(_)) { Val::list(whole.items()) } else { whole.clone() };
    let arrow = m.range(of + 1..head.end, |m| m.find(|tok| *tok == Tok::Op("=>")));
    let target = if arrow < head.end { arrow + 1..head.end } else { of + 1..head.end };
    let body = m.at;
    let size = if m.sees("{") { m.pair() - m.at } else { 16 };
    let (mut end, mut ends) = (body, Vec::new());
    m.for_each(&list, size, |m, item| {
        let aliased = m.range(target.clone(), |m| {
            let aliased = m.eat("&");
            let variable = m.peek().cloned();
            m.bind_pattern(item);
            variable.filter(|_| aliased)
        });
        m.at = body;
        m.statement();
        end = m.at;
        if let Some(Tok::Var(_, name)) = aliased {
            ends.extend(m.scope.get(&format!("${name}")).cloned());
        }
    });
    m.at = end;
    // The variable is the item itself.
    match place.filter(|_| !ends.is_empty()) {
        Some(place) if matches!(whole, Val::Table(_)) => {
            ends.iter().for_each(|end| m.put_anywhere(&whole, end));
            m.place = Some(place);
        }
        Some(place) => m.aliased_items(&place, &list, ends),
        None => {}
    }
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Var(_, name) => {
            m.at += 1;
            match &**name {
                "argv" => m.known(Known::Program),
                "_ENV" | "_SERVER" => Val::name("$ENV"),
                "GLOBALS" if m.sees("[") => outer_variable(m),
                "_GET" | "_POST" | "_REQUEST" => Val::unknown(),
                _ => variable(m, name),
            }
        }
        Tok::Name(name) => word(m, name),
        Tok::Op("(") => group(m),
        Tok::Op("[") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            array(args)
        }
        Tok::Op("$") => {
            m.at += 1;
            named_variable(m)
        }
        _ => Val::unknown(),
    }
}

/// `${"name"}` and `$$name`: the variable that a text names.
fn named_variable(m: &mut Machine) -> Val {
    let name = if m.sees("{") {
        let close = m.pair();
        let name = m.expr_in(m.at + 1..close);
        m.at = close + 1;
        name
    } else if let Some(Tok::Var(_, name)) = m.peek().cloned() {
        m.at += 1;
        m.scope.get(&format!("${name}")).cloned().unwrap_or_else(Val::unknown)
    } else {
        m.expr(UNARY)
    };
    m.place = None;
    name.literal().map_or_else(Val::unknown, |name| variable(m, &name))
}

/// `$GLOBALS["name"]` is the variable of that name outside of all functions.
fn outer_variable(m: &mut Machine) -> Val {
    let close = m.pair();
    let name = m.expr_in(m.at + 1..close);
    m.at = close + 1;
    m.place = None;
    name.literal().map_or_else(Val::unknown, |name| {
        m.scope.set(&format!("{OUTER}${name}"), Val::name("true"));
        variable(m, &name)
    })
}

fn variable(m: &mut Machine, name: &str) -> Val {
    let full = format!("${name}");
    let value = m.scope.get(&full).cloned().unwrap_or_else(Val::unknown);
    m.place = Some(Rc::from(full));
    // `$name(…)` calls what the text names.
    match (m.peek(), value.literal()) {
        (Some(Tok::Op("(")), Some(function)) => Val::name(&function),
        (Some(Tok::Op("(")), None) if matches!(value, Val::Text(_)) => Val::name("?"),
        _ => value,
    }
}

fn word(m: &mut Machine, name: &Rc<str>) -> Val {
    match &**name {
        "function" | "fn" => closure(m),
        "array" if matches!(m.ahead(1), Some(Tok::Op("("))) => {
            m.at += 1;
            let args = m.arguments();
            array(args)
        }
        "new" => {
            m.at += 1;
            match m.expr(UNARY) {
                Val::Class(class) => m.make(&class, &Args::default()),
                made => made,
            }
        }
        "clone" | "static" | "throw" => {
            m.at += 1;
            m.expr(UNARY)
        }
        "yield" => {
            m.at += 1;
            let all = m.eat_word("from");
            let value = m.expr(ARGUMENT);
            m.give_back(if all { value } else { Val::many(vec![value]) });
            Val::unknown()
        }
        "return" => {
            m.at += 1;
            let value = m.expr(0);
            m.give_back(value.clone());
            value
        }
        "proc_open" if matches!(m.ahead(1), Some(Tok::Op("("))) => process(m),
        "print" | "echo" => {
            m.at += 1;
            let value = m.expr(ARGUMENT);
            m.library("echo", &Args::of(vec![value]))
        }
        "include" | "include_once" | "require" | "require_once" => {
            m.at += 1;
            let path = m.expr(ARGUMENT);
            let named = path.literal().filter(|name| !name.starts_with(['.', '/']));
            let path = named.and_then(|name| m.searched(&[name])).map_or(path, Val::Text);
            m.library("include", &Args::of(vec![path]))
        }
        "exit" | "die" => {
            m.at += 1;
            if m.sees("(") {
                m.arguments();
            }
            Val::unknown()
        }
        "and" | "or" | "xor" | "as" | "instanceof" | "else" => Val::unknown(),
        _ => {
            m.at += 1;
            m.lookup(name)
        }
    }
}

/// `proc_open` gives its third argument the program's streams.
fn process(m: &mut Machine) -> Val {
    m.at += 1;
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    let place = ranges.get(2).and_then(|range| m.tokens.get(range.start)).map(|token| token.tok.clone());
    let args = m.arguments();
    let pipe = m.library("proc_open", &args);
    if let Some(Tok::Var(_, name)) = place {
        m.scope.set(&format!("${name}"), Val::many(vec![pipe.clone()]));
    }
    pipe
}

fn array(args: Args) -> Val {
    if args.named.is_empty() { Val::list(args.list) } else { Val::table(args.named) }
}

fn group(m: &mut Machine) -> Val {
    let close = m.pair();
    // `(string) $x`
    let cast = close == m.at + 2
        && matches!(m.ahead(1), Some(Tok::Name(name)) if matches!(&**name, "string" | "int" | "array" | "bool" | "float" | "object"));
    if cast {
        m.at = close + 1;
        return m.expr(UNARY);
    }
    let value = m.range(m.at + 1..close, |m| m.expr(0));
    m.at = close + 1;
    // `("sys" . "tem")("…")`
    match (m.peek(), value.literal()) {
        (Some(Tok::Op("(")), Some(function)) => Val::name(&function),
        _ => value,
    }
}

fn closure(m: &mut Machine) -> Val {
    let short = m.sees_word("fn");
    m.at = m.find(|tok| *tok == Tok::Op("("));
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    m.at = close + 1;
    let params = ranges.into_iter().filter_map(|range| m.range(range, parameter)).collect();
    let (kept, outer) = used(m);
    let body = if short {
        m.at = m.find(|tok| *tok == Tok::Op("=>")) + 1;
        let end = m.find(|tok| matches!(tok, Tok::Op("," | ";" | ")" | "]" | "}")));
        let body = m.at..end;
        m.at = end;
        body
    } else {
        m.at = m.find(|tok| matches!(tok, Tok::Op("{" | ";")));
        let close = m.pair();
        let body = m.at + 1..close;
        m.at = close + 1;
        body
    };
    let tokens = Rc::clone(&m.tokens);
    let function = m.define(Function {
        params,
        tokens,
        body,
        short,
        called: false.into(),
        captured: Default::default(),
    });
    if let Val::Function(function) = &function {
        let mut captured = function.captured.borrow_mut();
        kept.iter().for_each(|(name, value)| captured.keep(name, value));
        captured.outer = outer;
    }
    function
}

/// Variables with their values, and names of variables.
type Used = (Vec<(Rc<str>, Val)>, Vec<Rc<str>>);

/// `use ($a, &$b)`: what a function keeps of the variables around it, and which of those it shares.
fn used(m: &mut Machine) -> Used {
    let (mut kept, mut outer) = (Vec::new(), Vec::new());
    if m.sees_word("use") {
        m.at += 1;
        let close = m.pair();
        let mut shared = false;
        while m.at < close {
            match m.peek().cloned() {
                Some(Tok::Op("&")) => shared = true,
                Some(Tok::Var(_, name)) => {
                    let name = format!("${name}");
                    match m.scope.get(&name).cloned() {
                        _ if std::mem::take(&mut shared) => outer.push(Rc::from(name)),
                        Some(value) => kept.push((Rc::from(m.scope.whole(&name)), value)),
                        None => {}
                    }
                }
                _ => {}
            }
            m.at += 1;
        }
    }
    (kept, outer)
}

fn parameter(m: &mut Machine) -> Option<Param> {
    let promoted = matches!(m.peek(), Some(Tok::Name(name)) if matches!(&**name, "public" | "private" | "protected" | "readonly"));
    m.at = m.find(|tok| matches!(tok, Tok::Var(..)));
    let rest = matches!(m.tokens.get(m.at.wrapping_sub(1)).map(|token| &token.tok), Some(Tok::Op("...")));
    let shared = matches!(m.tokens.get(m.at.wrapping_sub(1)).map(|token| &token.tok), Some(Tok::Op("&")));
    let name = m.name()?;
    let default = if m.eat("=") { Some(m.at..m.end) } else { None };
    Some(Param { rest, default, promoted, shared, ..Param::named(&format!("${name}")) })
}
