//! JavaScript and TypeScript, for Node.js, Deno and Bun.

mod lex;
mod library;
pub(super) mod statements;

use std::ops::Range;
use std::rc::Rc;

use super::classes::PROPERTY;
use super::expr::{ARGUMENT, UNARY};
use super::machine::Machine;
use super::ops::Op;
use super::pure::Pure;
use super::syntax::{Infix, Syntax, no_block};
use super::token::Tok;
use super::value::{Args, Function, Param, Val};

pub(super) static SYNTAX: Syntax = Syntax {
    lex: lex::lex,
    statement: statements::statement,
    primary,
    operator,
    members: &[".", "?."],
    bare_calls: false,
    flat: false,
    block: no_block,
    slices: false,
    generator: no_block,
    module,
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &["child_process", "fs", "process", "Deno", "Bun", "globalThis", "vm"],
    keeps_output: true,
    local: false,
    symbolic: false,
    curried: false,
    this: "this",
    constructor: "constructor",
    invoked: "",
    copying: &[],
};

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "in" | "instanceof" => (10, Infix::Other),
            "as" | "satisfies" => (60, Infix::First),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            "=" => (2, Infix::Assign),
            "+=" => (2, Infix::AddAssign),
            "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "||=" | "??=" | "&&=" | "**=" | "<<="
            | ">>=" => (2, Infix::OtherAssign),
            "?" => (3, Infix::Choice),
            "??" | "||" => (4, Infix::Either),
            "&&" => (5, Infix::Second),
            "==" | "===" => (10, Infix::Equal),
            "<" | ">" | "<=" | ">=" | "!=" | "!==" => (10, Infix::Other),
            "|" => (20, Infix::Number('|')),
            "^" => (21, Infix::Number('^')),
            "&" => (22, Infix::Number('&')),
            "<<" => (23, Infix::Number('<')),
            ">>" | ">>>" => (23, Infix::Number('>')),
            "+" => (30, Infix::Add),
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

/// A function from its first word or its name to the end of its body.
fn function(m: &mut Machine) -> Val {
    m.at = m.find(|tok| *tok == Tok::Op("("));
    let params = parameters(m);
    m.at = m.find(|tok| matches!(tok, Tok::Op("{" | ";")));
    let close = m.pair();
    let body = m.at + 1..close;
    m.at = close + 1;
    made(m, params, body, false)
}

fn made(m: &mut Machine, params: Vec<Param>, body: Range<usize>, short: bool) -> Val {
    let tokens = Rc::clone(&m.tokens);
    m.define(Function { params, tokens, body, short, called: false.into(), captured: Default::default() })
}

fn parameters(m: &mut Machine) -> Vec<Param> {
    let close = m.pair();
    let ranges = m.range(m.at + 1..close, |m| m.split(m.end, ","));
    m.at = close + 1;
    ranges.into_iter().filter_map(|range| m.range(range, parameter)).collect()
}

fn parameter(m: &mut Machine) -> Option<Param> {
    let start = m.at;
    while matches!(m.peek(), Some(Tok::Name(name)) if matches!(&**name, "public" | "private" | "readonly" | "protected"))
    {
        m.at += 1;
    }
    let promoted = m.at > start;
    let rest = m.eat("...");
    let mut param = match m.peek()? {
        Tok::Op("{" | "[") => Param { pattern: Some(m.at..m.pair() + 1), ..Param::named("") },
        Tok::Name(name) => Param::named(name),
        _ => return None,
    };
    param.rest = rest;
    param.promoted = promoted;
    let equals = m.find(|tok| *tok == Tok::Op("="));
    if equals < m.end {
        param.default = Some(equals + 1..m.end);
    }
    Some(param)
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Name(name) => word(m, name),
        Tok::Op("(") => group(m),
        Tok::Op("[") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            Val::list(args.list)
        }
        Tok::Op("{") => {
            let close = m.pair();
            let table = m.range(m.at + 1..close, object);
            m.at = close + 1;
            table
        }
        Tok::Op("<") => {
            // A type, or markup: nothing is known of it.
            m.at += 1;
            Val::unknown()
        }
        _ => Val::unknown(),
    }
}

fn word(m: &mut Machine, name: &Rc<str>) -> Val {
    match (&**name, m.ahead(1)) {
        (_, Some(Tok::Op("=>"))) => {
            m.at += 1;
            arrow(m, vec![Param::named(name)])
        }
        ("async", Some(Tok::Op("("))) if arrow_follows(m, 1) => {
            m.at += 1;
            group(m)
        }
        ("async", Some(Tok::Name(_))) => {
            m.at += 1;
            m.expr(UNARY)
        }
        ("function", _) => function(m),
        ("class", _) => statements::class(m),
        // Says what kind of thing it is, or nothing.
        ("typeof" | "void", _) => {
            m.at += 1;
            m.expr(UNARY);
            Val::unknown()
        }
        ("new", _) => {
            m.at += 1;
            match m.expr(UNARY) {
                Val::Class(class) => m.make(&class, &Args::default()),
                made => made,
            }
        }
        ("await" | "delete", _) => {
            m.at += 1;
            m.expr(UNARY)
        }
        ("yield", _) => {
            m.at += 1;
            let all = m.eat("*");
            let value = m.expr(ARGUMENT);
            m.give_back(if all { value } else { Val::many(vec![value]) });
            Val::unknown()
        }
        ("super", Some(Tok::Op("("))) if m.own.this.is_some() => {
            m.at += 1;
            let args = m.arguments();
            m.make_above(&args)
        }
        ("this" | "super", _) => {
            m.at += 1;
            m.place = Some(Rc::clone(name));
            let object = if &**name == "super" { m.above() } else { m.own.this.clone() };
            object.unwrap_or_else(Val::unknown)
        }
        ("of" | "in" | "instanceof" | "else" | "case" | "extends", _) => Val::unknown(),
        _ => {
            m.at += 1;
            m.lookup(name)
        }
    }
}

/// Does an arrow follow the brackets that open some places ahead?
fn arrow_follows(m: &Machine, ahead: usize) -> bool {
    let close = m.tokens.get(m.at + ahead).map_or(0, |token| token.pair);
    let after = |at: usize| m.tokens.get(close + at).filter(|_| close + at < m.end).map(|token| &token.tok);
    match after(1) {
        Some(Tok::Op("=>")) => true,
        // A type stands between them.
        Some(Tok::Op(":")) => (2..8)
            .map_while(after)
            .take_while(|tok| !matches!(tok, Tok::Op("," | ";" | "{" | ")")))
            .any(|tok| *tok == Tok::Op("=>")),
        _ => false,
    }
}

fn group(m: &mut Machine) -> Val {
    if arrow_follows(m, 0) {
        let params = parameters(m);
        m.at = m.find(|tok| *tok == Tok::Op("=>"));
        return arrow(m, params);
    }
    let close = m.pair();
    let value = m.range(m.at + 1..close, |m| {
        let mut value = m.expr(0);
        while m.eat(",") {
            value = m.expr(0);
        }
        value
    });
    m.at = close + 1;
    value
}

/// A function from its arrow on.
fn arrow(m: &mut Machine, params: Vec<Param>) -> Val {
    m.eat("=>");
    if m.sees("{") {
        let close = m.pair();
        let body = m.at + 1..close;
        m.at = close + 1;
        return made(m, params, body, false);
    }
    let start = m.at;
    let end = expression_end(m);
    m.at = end;
    made(m, params, start..end, true)
}

/// Where the expression that begins here ends, without running it.
fn expression_end(m: &mut Machine) -> usize {
    let mut at = m.at;
    let mut complete = false;
    while at < m.end && m.burn(1) {
        let Some(token) = m.tokens.get(at) else { break };
        match &token.tok {
            Tok::Op("," | ";" | ")" | "]" | "}") => break,
            Tok::Name(name) if token.fresh && complete && !matches!(&**name, "in" | "instanceof" | "as") => {
                break;
            }
            Tok::Str(_) | Tok::Int(_) | Tok::Other if token.fresh && complete => break,
            Tok::Op(op) => complete = matches!(*op, "(" | "[" | "{"),
            Tok::Name(name) => {
                complete = !matches!(
                    &**name,
                    "await" | "new" | "typeof" | "in" | "instanceof" | "function" | "async"
                )
            }
            _ => complete = true,
        }
        at = token.pair.max(at) + 1;
    }
    at.min(m.end)
}

fn object(m: &mut Machine) -> Val {
    let mut entries = Vec::new();
    for range in m.split(m.end, ",") {
        m.range(range, |m| {
            if m.eat("...") {
                match m.expr(ARGUMENT) {
                    Val::Table(table) => entries.extend(table.entries.iter().cloned()),
                    environment @ Val::Name(_) => entries.push((Rc::from("..."), environment)),
                    _ => {}
                }
                return;
            }
            let mut word = None;
            while m.at + 1 < m.end
                && matches!(m.peek(), Some(Tok::Name(name)) if matches!(&**name, "async" | "get" | "set"))
                && matches!(m.ahead(1), Some(Tok::Name(_) | Tok::Str(_) | Tok::Op("*" | "[")))
            {
                word = m.name();
            }
            m.eat("*");
            if let Some((name, value)) = object_entry(m) {
                let before = entries.iter().rfind(|(known, _)| *known == name).map(|(_, before)| before);
                let value = property(word.as_deref(), before, value);
                entries.push((name, value));
            }
        });
    }
    Val::table(entries)
}

/// What is read or set by a function: `get name() {…}`, `set name(value) {…}`. Both may be there.
pub(super) fn property(word: Option<&str>, before: Option<&Val>, function: Val) -> Val {
    let (mut get, mut set) = match before {
        Some(Val::Object(known)) if &*known.class == PROPERTY => {
            (known.args.at(0, &[]), known.args.at(1, &[]))
        }
        _ => (Val::unknown(), Val::unknown()),
    };
    match word {
        Some("get") => get = function,
        Some("set") => set = function,
        _ => return function,
    }
    Val::object(PROPERTY, Args::of(vec![get, set]))
}

fn object_entry(m: &mut Machine) -> Option<(Rc<str>, Val)> {
    let key: Rc<str> = match m.peek().cloned()? {
        Tok::Name(name) => {
            m.at += 1;
            name
        }
        Tok::Str(parts) => {
            m.at += 1;
            Rc::from(m.string(&parts).as_literal().unwrap_or_default())
        }
        Tok::Op("[") => {
            let close = m.pair();
            let key = m.range(m.at + 1..close, |m| m.expr(0));
            m.at = close + 1;
            Rc::from(key.literal().unwrap_or_default())
        }
        _ => {
            m.at += 1;
            Rc::from("")
        }
    };
    let value = match m.peek() {
        Some(Tok::Op(":")) => {
            m.at += 1;
            m.expr(ARGUMENT)
        }
        Some(Tok::Op("(")) => function(m),
        _ => m.lookup(&key),
    };
    Some((key, value))
}

/// A module by its name; one that lies beside the program is run.
fn module(m: &mut Machine, name: &str) -> Val {
    let beside = name.starts_with(['.', '/']);
    if beside && name.ends_with(".json") {
        let path = Val::Text(m.beside(name));
        let text = Val::Text(m.read(&path));
        return m.perform(Op::Pure(Pure::Json), "JSON.parse", &Args::of(vec![text]));
    }
    if name == "dotenv/config" {
        return m.perform(Op::LoadEnv(0), name, &Args::default());
    }
    let names = files_of(name);
    match if beside { m.first_beside(&names) } else { m.searched(&names) } {
        Some(path) => m.bring(&path),
        None if beside => {
            let complete = EXTENSIONS.iter().any(|extension| name.ends_with(extension));
            let path = m.beside(&if complete { name.to_owned() } else { format!("{name}.js") });
            m.bring(&path)
        }
        None => {
            // What a manager has put there is its own; what this session has put into it is not.
            if let Some(path) = m.own_package(&files_of(&format!("node_modules/{name}"))) {
                m.bring(&path);
            }
            m.named(name)
        }
    }
}

const EXTENSIONS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];

/// The files that a module may be in: by its name alone, with an extension, or the index of a folder. What is compiled
/// to `x.js` is written as `x.ts`.
fn files_of(name: &str) -> Vec<String> {
    let mut files = vec![name.to_owned()];
    files.extend(EXTENSIONS.iter().map(|extension| format!("{name}{extension}")));
    files.extend(EXTENSIONS.iter().map(|extension| format!("{name}/index{extension}")));
    if let Some(base) = name.strip_suffix("js") {
        files.extend(["ts", "tsx"].iter().map(|end| format!("{base}{end}")));
    }
    files
}
