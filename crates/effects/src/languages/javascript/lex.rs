//! Tokens of JavaScript and TypeScript: templates, and patterns told apart from division.

use std::rc::Rc;

use tollgate_model::work;

use super::super::token::{
    Part, Parts, Scan, Tok, Token, Tokens, brackets, embedded, escape, is_name, is_stand_in, starts_name,
};

const OPS: &[&str] = &[
    ">>>=", "**=", "&&=", "||=", "??=", "===", "!==", ">>>", "<<=", ">>=", "...", "=>", "==", "!=", "<=",
    ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "<<",
    ">>", "(", ")", "[", "]", "{", "}", ";", ",", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~",
    "?", ":", "=", ".", "@", "#",
];

pub(super) fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
    let mut scan = Scan::new(text);
    let mut tokens = Tokens { fresh: true, ..Tokens::default() };
    if scan.sees("#!") {
        scan.line();
    }
    while !scan.done() {
        step(&mut scan, &mut tokens);
    }
    tokens.finish(brackets)
}

fn step(scan: &mut Scan, tokens: &mut Tokens) {
    let Some(c) = scan.peek() else { return };
    match c {
        _ if ends_line(c) => {
            scan.next();
            (tokens.spaced, tokens.fresh) = (true, true);
        }
        _ if c.is_whitespace() => {
            scan.next();
            tokens.spaced = true;
        }
        '/' if scan.sees("//") => {
            while scan.peek().is_some_and(|c| !ends_line(c)) {
                scan.next();
            }
        }
        '/' if scan.sees("/*") => {
            scan.at += 2;
            scan.until("*/");
            tokens.spaced = true;
        }
        '/' if begins_value(tokens.last()) => pattern(scan, tokens),
        '"' | '\'' => string(scan, tokens),
        '`' => template(scan, tokens),
        '0'..='9' => {
            let number = scan.number();
            tokens.push(number);
        }
        // A part that only its class sees has a name of its own.
        '#' if scan.second().is_some_and(starts_name) => {
            scan.next();
            let name = format!("#{}", word(scan));
            tokens.push(Tok::Name(Rc::from(name)));
        }
        _ if starts_name(c) || c == '$' || scan.sees("\\u") => {
            let name = word(scan);
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

/// What ends a line, and a comment with it.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// A name; letters in it may be written by their number.
fn word(scan: &mut Scan) -> String {
    let mut name = String::new();
    loop {
        name.push_str(scan.take(|c| is_name(c) || c == '$'));
        if !scan.sees("\\u") {
            return name;
        }
        scan.next();
        let mut letter = Parts::default();
        escape(scan, &mut letter);
        if let Some(Part::Text(text)) = letter.finish().first() {
            name.push_str(text);
        }
    }
}

/// Does a value begin after this token, so that a slash opens a pattern?
fn begins_value(last: Option<&Tok>) -> bool {
    match last {
        None => true,
        Some(Tok::Op(op)) => !matches!(*op, ")" | "]" | "}"),
        Some(Tok::Name(name)) => matches!(
            &**name,
            "return"
                | "typeof"
                | "case"
                | "in"
                | "of"
                | "delete"
                | "void"
                | "throw"
                | "new"
                | "else"
                | "do"
                | "await"
                | "yield"
        ),
        _ => false,
    }
}

fn pattern(scan: &mut Scan, tokens: &mut Tokens) {
    let start = scan.at;
    scan.next();
    let mut class = false;
    while let Some(c) = scan.next() {
        match c {
            '\\' => {
                scan.next();
            }
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                let pattern = scan.text.get(start + 1..scan.at - 1).map(Rc::from);
                let plain = scan.name().is_empty();
                return tokens.push(Tok::Pattern(pattern.filter(|_| plain), None));
            }
            '\n' => break,
            _ => {}
        }
    }
    // It was a division.
    scan.at = start + 1;
    tokens.push(Tok::Op("/"));
}

fn string(scan: &mut Scan, tokens: &mut Tokens) {
    let quote = scan.next();
    let mut parts = Parts::default();
    while let Some(c) = scan.next() {
        match c {
            '\\' => escape(scan, &mut parts),
            '\n' => break,
            _ if Some(c) == quote => break,
            _ => parts.push(c),
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}

fn template(scan: &mut Scan, tokens: &mut Tokens) {
    scan.next();
    let mut parts = Parts::default();
    while let Some(c) = scan.next() {
        match c {
            '`' => break,
            '\\' => escape(scan, &mut parts),
            '$' if scan.eat("{") => {
                let code = embedded(scan);
                parts.code(code);
            }
            _ => parts.push(c),
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}
