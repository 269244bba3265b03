//! Awk. Read flat: patterns and blocks do not matter, what stands in them does.

use std::rc::Rc;

use super::expr::UNARY;
use super::machine::Machine;
use super::ops::{Known, Op};
use super::pure::Pure;
use super::syntax::{Infix, Syntax, no_block};
use super::token::{Parts, Scan, Tok, Token, Tokens, brackets, escape, is_stand_in, starts_name};
use super::value::{Args, Val};
use tollgate_model::{WriteMode, work};

pub(super) static SYNTAX: Syntax = Syntax {
    lex,
    statement,
    primary,
    operator,
    members: &[],
    bare_calls: false,
    flat: true,
    block: no_block,
    slices: false,
    generator: no_block,
    module: |_, _| Val::unknown(),
    function,
    method: |_| None,
    canonical: |_| None,
    foreign: |_| false,
    risky: &[],
    keeps_output: false,
    local: false,
    symbolic: true,
    curried: false,
    this: "self",
    constructor: "",
    invoked: "",
    copying: &[],
};

/// Runs a program. Files that it adds to its arguments are read like the others.
pub(super) fn program(m: &mut Machine, code: &str) {
    m.program(code);
    let places = (1..ARGUMENTS).map(|at| at.to_string()).chain(["?".to_owned()]);
    for at in places {
        let given = m.scope.get(&format!("ARGV.{at}")).cloned();
        if let Some(path @ Val::Text(_)) = given.filter(|path| path.literal().is_some()) {
            m.read(&path);
        }
    }
}

/// How many of a program's arguments are looked for.
const ARGUMENTS: usize = 9;

const OPS: &[&str] = &[
    "**=", "&&", "||", "|&", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "!=", "<=", ">=", ">>",
    "**", "!~", "(", ")", "[", "]", "{", "}", ";", ",", "=", "<", ">", "+", "-", "*", "/", "%", "^", "!",
    "~", "?", ":", "|", "$",
];

fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
    let mut scan = Scan::new(text);
    let mut tokens = Tokens { fresh: true, ..Tokens::default() };
    while let Some(c) = scan.peek() {
        match c {
            '\n' => {
                scan.next();
                tokens.push(Tok::Newline);
                (tokens.spaced, tokens.fresh) = (true, true);
            }
            '\\' | '#' => {
                let skipped = if c == '#' { scan.line().len() } else { 2 };
                scan.at = if c == '#' { scan.at } else { (scan.at + skipped).min(scan.text.len()) };
            }
            _ if c.is_whitespace() => {
                scan.next();
                tokens.spaced = true;
            }
            '"' => string(&mut scan, &mut tokens),
            '/' if begins_value(tokens.last()) => pattern(&mut scan, &mut tokens),
            '0'..='9' => {
                let number = scan.number();
                tokens.push(number);
            }
            _ if starts_name(c) => {
                let name = scan.name();
                let unknown = name.chars().all(is_stand_in);
                tokens.push(if unknown { Tok::Other } else { Tok::Name(Rc::from(name)) });
            }
            _ => match scan.op(OPS) {
                Some(op) => tokens.push(Tok::Op(op)),
                None => {
                    scan.next();
                }
            },
        }
    }
    tokens.finish(brackets)
}

fn string(scan: &mut Scan, tokens: &mut Tokens) {
    scan.next();
    let mut parts = Parts::default();
    while let Some(c) = scan.next() {
        match c {
            '"' => break,
            '\\' => escape(scan, &mut parts),
            _ => parts.push(c),
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}

fn begins_value(last: Option<&Tok>) -> bool {
    match last {
        None | Some(Tok::Newline) => true,
        Some(Tok::Op(op)) => !matches!(*op, ")" | "]" | "$"),
        Some(Tok::Name(name)) => matches!(&**name, "print" | "return" | "in"),
        _ => false,
    }
}

fn pattern(scan: &mut Scan, tokens: &mut Tokens) {
    scan.next();
    let mut class = false;
    while let Some(c) = scan.next() {
        match c {
            '\\' => {
                scan.next();
            }
            '[' => class = true,
            ']' => class = false,
            '/' if !class => break,
            '\n' => break,
            _ => {}
        }
    }
    tokens.push(Tok::Pattern(None, None));
}

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) if &**name == "in" => (10, Infix::Other),
        Tok::Name(name) if is_structure(name) || matches!(&**name, "print" | "printf") => return None,
        // Values side by side are one text.
        Tok::Str(_) | Tok::Name(_) | Tok::Int(_) | Tok::Other | Tok::Op("$") => (25, Infix::Beside),
        Tok::Op(op) => match *op {
            "=" => (2, Infix::Assign),
            "+=" | "-=" | "*=" | "/=" | "%=" | "^=" => (2, Infix::OtherAssign),
            "?" => (3, Infix::Choice),
            "||" => (4, Infix::Either),
            "&&" => (5, Infix::Second),
            "~" | "!~" | "==" | "!=" | "<=" | ">=" | "<" => (10, Infix::Other),
            "|" | "|&" => (12, Infix::Pipe),
            "+" | "-" => (30, Infix::Other),
            "*" | "/" | "%" => (40, Infix::Other),
            "^" | "**" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

fn is_structure(word: &str) -> bool {
    matches!(
        word,
        "BEGIN"
            | "END"
            | "if"
            | "else"
            | "while"
            | "for"
            | "do"
            | "function"
            | "func"
            | "next"
            | "nextfile"
            | "exit"
            | "return"
            | "break"
            | "continue"
            | "delete"
            | "switch"
            | "case"
            | "default"
            | "BEGINFILE"
            | "ENDFILE"
    )
}

fn statement(m: &mut Machine) {
    match m.peek() {
        Some(Tok::Name(word)) if matches!(&**word, "print" | "printf") => print(m),
        Some(Tok::Name(word)) if is_structure(word) => m.at += 1,
        Some(Tok::Newline | Tok::Op("{" | "}" | ";" | "," | ")" | "]" | ":" | ">" | ">>")) => m.at += 1,
        _ => {
            m.expr(0);
        }
    }
}

/// `print …`, `print … > file`, `print … | "command"`
fn print(m: &mut Machine) {
    let formats = m.sees_word("printf");
    m.at += 1;
    let ends = |tok: &Tok| matches!(tok, Tok::Newline | Tok::Op(";" | "}"));
    let end = m.find(ends);
    let target = m.find(|tok| ends(tok) || matches!(tok, Tok::Op(">" | ">>" | "|" | "|&")));
    let start = m.at;
    let args = m.range(start..target, |m| {
        let bracketed = m.sees("(") && m.pair() + 1 == m.end;
        if bracketed { m.arguments() } else { m.argument_list() }
    });
    let text = match (formats, args.list.is_empty()) {
        (true, _) => super::pure::apply(Pure::Printf, &args),
        (false, true) => m.around.input.clone(),
        (false, false) => super::pure::apply(Pure::JoinArgs, &args),
    };
    let kind = m.tokens.get(target).map(|token| token.tok.clone()).filter(|_| target < end);
    m.at = (target + 1).min(end);
    match kind {
        Some(Tok::Op("|" | "|&")) => {
            let command = m.range(m.at..end, |m| m.expr(0)).as_text();
            let input = text.as_text();
            m.shell(&command, Some(&input));
        }
        Some(Tok::Op(_)) => {
            let path = m.range(m.at..end, |m| m.expr(0));
            let content = text.as_text();
            if path.literal().is_none_or(|path| !matches!(path.as_str(), "/dev/stderr" | "/dev/stdout")) {
                m.write(&path, WriteMode::Overwrite, Some(&content));
                // What it reads is empty before it is read.
                if matches!(path, Val::List(_)) {
                    m.cut(&path);
                }
            } else {
                m.print(&content);
            }
        }
        _ => {
            m.perform(Op::Print(!formats), "print", &Args::of(vec![text]));
        }
    }
    m.at = end;
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Op("$") => {
            m.at += 1;
            m.expr(UNARY);
            m.place = None;
            Val::Unknown(m.around.input.taint())
        }
        Tok::Op("(") => {
            let close = m.pair();
            let value = m.range(m.at + 1..close, |m| {
                let value = m.expr(0);
                m.statements();
                value
            });
            m.at = close + 1;
            value
        }
        Tok::Name(name) if &**name == "getline" => {
            m.at += 1;
            getline(m)
        }
        Tok::Name(name) => {
            m.at += 1;
            m.lookup(name)
        }
        _ => Val::unknown(),
    }
}

/// `getline`, `getline var`, `getline var < file`
fn getline(m: &mut Machine) -> Val {
    let place = match m.peek() {
        Some(Tok::Name(name)) => {
            let name = Rc::clone(name);
            m.at += 1;
            Some(name)
        }
        _ => None,
    };
    let content = if m.eat("<") {
        let path = m.expr(26);
        Val::Text(m.read(&path))
    } else {
        m.around.input.clone()
    };
    m.assign(place, content.clone());
    content
}

fn function(name: &str) -> Option<Op> {
    Some(match name {
        "system" => Op::Shell,
        "FILENAME" => Op::Known(Known::Arguments),
        "ARGV" => Op::Known(Known::Program),
        "ENVIRON" => Op::Known(Known::Environment),
        "$ENV.?" => Op::EnvAll,
        "sprintf" => Op::Pure(Pure::Printf),
        "tolower" => Op::Pure(Pure::Lower),
        "toupper" => Op::Pure(Pure::Upper),
        "substr" | "gensub" | "split" | "length" | "index" | "match" | "gsub" | "sub" | "close"
        | "fflush" | "int" | "rand" | "strftime" | "systime" | "printf" | "asort" | "asorti" | "log"
        | "exp" | "sqrt" | "srand" | "toupper_" => Op::Nothing,
        _ => return None,
    })
}
