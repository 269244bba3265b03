//! PowerShell's quotes, brackets and blanks.

use tollgate_shell::value::Value;

use super::super::machine::Machine;
use super::super::token::{Scan, is_name};
use super::super::value::Val;
use super::variable;

/// Blanks and comments within a line.
pub(super) fn blanks(scan: &mut Scan) {
    loop {
        scan.take(|c| c.is_whitespace() && c != '\n');
        if scan.sees("`\n") {
            scan.at += 2;
        } else if scan.sees("`\r\n") {
            scan.at += 3;
        } else if scan.sees("<#") {
            scan.until("#>");
        } else if scan.sees("#") {
            scan.line();
        } else {
            return;
        }
    }
}

/// Text up to the closing bracket; quotes in it may hold brackets. The opening one was read.
pub(super) fn delimited_quoted<'s>(scan: &mut Scan<'s>, open: char, close: char) -> &'s str {
    let (start, mut depth) = (scan.at, 0_usize);
    while let Some(c) = scan.next() {
        match c {
            '`' => {
                scan.next();
            }
            '\'' => {
                scan.take(|c| c != '\'');
                scan.next();
            }
            '"' => {
                delimited_string(scan);
            }
            '#' if !scan.text.get(..scan.at - 1).is_some_and(|before| before.ends_with('<')) => {
                scan.line();
            }
            _ if c == open => depth += 1,
            _ if c == close && depth == 0 => return scan.text.get(start..scan.at - 1).unwrap_or_default(),
            _ if c == close => depth -= 1,
            _ => {}
        }
    }
    scan.text.get(start..).unwrap_or_default()
}

pub(super) fn delimited_string<'s>(scan: &mut Scan<'s>) -> &'s str {
    let start = scan.at;
    while let Some(c) = scan.next() {
        match c {
            '`' => {
                scan.next();
            }
            '"' => return scan.text.get(start..scan.at - 1).unwrap_or_default(),
            _ => {}
        }
    }
    scan.text.get(start..).unwrap_or_default()
}

pub(super) fn single(m: &mut Machine, scan: &mut Scan) -> Value {
    let mut text = String::new();
    loop {
        text.push_str(scan.take(|c| c != '\''));
        scan.next();
        if !scan.eat("'") {
            return m.literal(&text);
        }
        text.push('\'');
    }
}

pub(super) fn here_string(m: &mut Machine, scan: &mut Scan) -> Val {
    let end = if scan.sees("@'") { "\n'@" } else { "\n\"@" };
    scan.at += 2;
    let text = scan.until(end).trim_start_matches(['\r', '\n']);
    if end == "\n'@" { Val::Text(m.literal(text)) } else { Val::Text(interpolated(m, text)) }
}

/// Text with variables and expressions in it.
pub(super) fn interpolated(m: &mut Machine, text: &str) -> Value {
    let mut whole = Value::empty();
    let mut plain = String::new();
    let mut scan = Scan::new(text);
    while let Some(c) = scan.peek() {
        match c {
            '`' => {
                scan.next();
                match scan.next() {
                    Some('n') => plain.push('\n'),
                    Some('t') => plain.push('\t'),
                    Some('0') | None => {}
                    Some(other) => plain.push(other),
                }
            }
            '$' if scan.second().is_some_and(|c| is_name(c) || matches!(c, '(' | '{')) => {
                let known = m.literal(&std::mem::take(&mut plain));
                whole = m.concat(&whole, &known);
                let value = variable(m, &mut scan);
                let value = m.exposed(&value).as_text();
                whole = m.concat(&whole, &value);
            }
            _ => {
                scan.next();
                plain.push(c);
            }
        }
    }
    let known = m.literal(&plain);
    m.concat(&whole, &known)
}
