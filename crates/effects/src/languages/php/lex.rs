//! PHP's tokens: code between its tags, variables, strings with variables in them.

use std::rc::Rc;

use tollgate_model::work;

use super::super::token::{
    Part, Parts, Scan, Tok, Token, Tokens, brackets, embedded, escape, is_name, is_stand_in, plain,
    starts_name,
};

const OPS: &[&str] = &[
    "<=>", "**=", "...", "===", "!==", "??=", "<<=", ">>=", "?->", "->", "=>", "::", "==", "!=", "<=", ">=",
    "&&", "||", "??", "++", "--", "+=", "-=", "*=", "/=", ".=", "%=", "&=", "|=", "^=", "**", "<<", ">>",
    "(", ")", "[", "]", "{", "}", ";", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "&",
    "|", "^", "~", "@", "\\", "$", "#",
];

pub(super) fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
    let mut scan = Scan::new(text);
    let mut tokens = Tokens { fresh: true, ..Tokens::default() };
    if text.contains("<?php") || text.contains("<?=") {
        markup(&mut scan);
    }
    while !scan.done() {
        step(&mut scan, &mut tokens);
    }
    tokens.finish(brackets)
}

/// A comment ends with its line, or with the code.
fn comment(scan: &mut Scan) {
    while !scan.sees("?>") && scan.peek().is_some_and(|c| !matches!(c, '\n' | '\r')) {
        scan.next();
    }
}

/// Skips what is no code, up to the next opening tag.
fn markup(scan: &mut Scan) {
    scan.until("<?");
    let _ = scan.eat("php") || scan.eat("=");
}

fn step(scan: &mut Scan, tokens: &mut Tokens) {
    let Some(c) = scan.peek() else { return };
    match c {
        _ if c.is_whitespace() => {
            scan.next();
            tokens.spaced = true;
            tokens.fresh |= c == '\n';
        }
        '?' if scan.sees("?>") => {
            tokens.push(Tok::Op(";"));
            markup(scan);
        }
        '#' if !scan.sees("#[") => comment(scan),
        '/' if scan.sees("//") => comment(scan),
        '/' if scan.sees("/*") => {
            scan.until("*/");
        }
        '\'' => {
            scan.next();
            single(scan, tokens);
        }
        '"' | '`' => {
            scan.next();
            let parts = double(scan, Some(c));
            tokens.push(if c == '`' { Tok::Run(parts) } else { Tok::Str(parts) });
        }
        '<' if scan.sees("<<<") => heredoc(scan, tokens),
        '$' if scan.second().is_some_and(starts_name) => {
            scan.next();
            let name = scan.name();
            tokens.push(Tok::Var('$', Rc::from(name)));
        }
        '0'..='9' => {
            let number = scan.number();
            tokens.push(number);
        }
        _ if starts_name(c) => word(scan, tokens),
        _ => match scan.op(OPS) {
            Some("\\") | None => {
                scan.at += usize::from(scan.peek() == Some(c)) * c.len_utf8();
            }
            Some(op) => tokens.push(Tok::Op(op)),
        },
    }
}

fn word(scan: &mut Scan, tokens: &mut Tokens) {
    let name = scan.take(|c| is_name(c) || c == '\\');
    let unknown = name.chars().all(is_stand_in);
    // Names of functions are the same in any case.
    let plain: String = name.rsplit('\\').next().unwrap_or_default().to_owned();
    tokens.push(if unknown { Tok::Other } else { Tok::Name(Rc::from(plain)) });
}

fn single(scan: &mut Scan, tokens: &mut Tokens) {
    let mut parts = Parts::default();
    while let Some(c) = scan.next() {
        match (c, scan.peek()) {
            ('\'', _) => break,
            ('\\', Some(next @ ('\'' | '\\'))) => {
                scan.next();
                parts.push(next);
            }
            _ => parts.push(c),
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}

/// Text with variables, up to a quote or to its end.
fn double(scan: &mut Scan, quote: Option<char>) -> Rc<[Part]> {
    let mut parts = Parts::default();
    while let Some(c) = scan.next() {
        match c {
            _ if Some(c) == quote => break,
            '\\' if scan.peek() == Some('$') => {
                scan.next();
                parts.push('$');
            }
            '\\' => escape(scan, &mut parts),
            '{' if scan.sees("$") => parts.code(embedded(scan)),
            '$' if scan.eat("{") => {
                let name = embedded(scan);
                parts.code(&format!("${name}"));
            }
            '$' if scan.peek().is_some_and(starts_name) => variable(scan, &mut parts),
            _ => parts.push(c),
        }
    }
    parts.finish()
}

fn variable(scan: &mut Scan, parts: &mut Parts) {
    let start = scan.at - 1;
    scan.name();
    let name = scan.text.get(start..scan.at).unwrap_or_default();
    if scan.eat("[") {
        let key = scan.until("]").trim_matches(['\'', '"']);
        let index = if key.starts_with('$') || key.parse::<i64>().is_ok() {
            format!("{name}[{key}]")
        } else {
            format!("{name}['{key}']")
        };
        return parts.code(&index);
    }
    if scan.sees("->") && scan.rest().chars().nth(2).is_some_and(starts_name) {
        scan.at += 2;
        scan.name();
    }
    parts.code(scan.text.get(start..scan.at).unwrap_or_default());
}

fn heredoc(scan: &mut Scan, tokens: &mut Tokens) {
    scan.at += 3;
    scan.take(|c| c == ' ');
    let quote = scan.peek().filter(|c| matches!(c, '"' | '\''));
    if quote.is_some() {
        scan.next();
    }
    let mark = scan.name().to_owned();
    scan.line();
    scan.next();
    let mut body = String::new();
    while !scan.done() && !mark.is_empty() {
        let rest = scan.rest().trim_start_matches([' ', '\t']);
        if rest.strip_prefix(mark.as_str()).is_some_and(|after| !after.starts_with(is_name)) {
            scan.at = scan.text.len() - rest.len() + mark.len();
            break;
        }
        body.push_str(scan.line());
        body.push('\n');
        scan.next();
    }
    let body = body.trim_end_matches('\n');
    let parts = if quote == Some('\'') { plain(body) } else { double(&mut Scan::new(body), None) };
    tokens.push(Tok::Str(parts));
}
