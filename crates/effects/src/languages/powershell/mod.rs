//! PowerShell: pipelines of commands, and expressions between them.

mod commands;
mod dotnet;
mod quotes;
mod web;

use std::rc::Rc;

use tollgate_shell::value::{HoleSource, Taint, Value};

use super::machine::Machine;
use super::ops::Known;
use super::pure::{self, Pure};
use super::token::{Scan, delimited, is_name};
use super::value::{Args, Val};
use quotes::{blanks, delimited_quoted, delimited_string, here_string, interpolated, single};

/// Runs a script, and returns the value of its last pipeline.
pub(super) fn program(m: &mut Machine, text: &str) -> Val {
    let mut last = Val::unknown();
    if !m.enter() || !m.burn(text.len()) {
        return last;
    }
    let mut scan = Scan::new(text);
    while !scan.done() && m.burn(16) {
        let before = scan.at;
        blanks(&mut scan);
        let shows = names_variable(scan.rest());
        last = pipeline(m, &mut scan).unwrap_or(last);
        if shows {
            m.print(&last.as_text());
        }
        if scan.at == before {
            scan.next();
        }
    }
    m.leave();
    last
}

/// A statement that is only a variable of the environment, or all of them, shows it. Only its first letters are
/// looked at, so that many statements cost no more than their length.
fn names_variable(rest: &str) -> bool {
    let begins = |start: &str| rest.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start));
    if ["[Environment]::GetEnvironmentVariables()", "[System.Environment]::GetEnvironmentVariables()"]
        .into_iter()
        .any(begins)
    {
        return true;
    }
    let Some(name) = rest.get(5..).filter(|_| begins("$env:")) else { return false };
    let after = name.chars().take(200).find(|c| !is_name(*c));
    !name.starts_with([';', '\n']) && after.is_none_or(|c| matches!(c, ';' | '\n'))
}

/// Commands with `|` between them, up to the end of the statement.
fn pipeline(m: &mut Machine, scan: &mut Scan) -> Option<Val> {
    let mut piped: Option<Val> = None;
    loop {
        blanks(scan);
        let value = element(m, scan, piped.as_ref())?;
        piped = Some(value);
        blanks(scan);
        if scan.eat(">>") || scan.eat(">") {
            commands::redirect(m, scan, piped.as_ref());
        }
        if scan.sees("||") || !scan.eat("|") {
            return piped;
        }
        scan.take(char::is_whitespace);
    }
}

/// One element of a pipeline: an expression, an assignment or a command.
fn element(m: &mut Machine, scan: &mut Scan, piped: Option<&Val>) -> Option<Val> {
    match scan.peek()? {
        '\n' | ';' | '}' | ')' | ',' => {
            scan.next();
            None
        }
        '&' if scan.sees("&&") => {
            scan.at += 2;
            None
        }
        '|' => {
            scan.take(|c| c == '|');
            None
        }
        '{' => Some(block(m, scan, piped)),
        '$' | '(' | '[' | '\'' | '"' | '@' | '0'..='9' => Some(expression(m, scan)),
        '&' | '.'
            if scan
                .second()
                .is_some_and(|c| c.is_whitespace() || matches!(c, '\'' | '"' | '$' | '(' | '{')) =>
        {
            scan.next();
            blanks(scan);
            if scan.sees("{") {
                return Some(block(m, scan, piped));
            }
            let name = operand(m, scan)?;
            Some(commands::run(m, &name, scan, piped))
        }
        _ => {
            let name = operand(m, scan)?;
            if name.literal().is_some_and(|word| is_structure(&word)) {
                return None;
            }
            Some(commands::run(m, &name, scan, piped))
        }
    }
}

/// Words before a condition or a block, which run as they come.
fn is_structure(word: &str) -> bool {
    let words = [
        "if", "else", "elseif", "foreach", "for", "while", "do", "until", "try", "catch", "finally",
        "switch", "param", "begin", "process", "end", "return", "throw", "in", "exit", "break", "continue",
        "trap", "default",
    ];
    words.contains(&word.to_lowercase().as_str())
}

/// `{ … }`: run where it stands.
fn block(m: &mut Machine, scan: &mut Scan, piped: Option<&Val>) -> Val {
    scan.next();
    let text = delimited_quoted(scan, '{', '}');
    if let Some(value) = piped {
        let item = if matches!(value, Val::List(_)) { value.item() } else { value.clone() };
        m.scope.set("_", item);
    }
    let mut result = Val::unknown();
    m.branch(|m| result = program(m, text));
    result
}

/// An expression, or an assignment to a variable.
fn expression(m: &mut Machine, scan: &mut Scan) -> Val {
    let place = assigned(scan);
    if let Some((place, adds)) = place {
        scan.take(char::is_whitespace);
        let value = pipeline(m, scan).unwrap_or_else(Val::unknown);
        let value = match (adds, m.scope.get(&place).cloned()) {
            (true, Some(before)) => m.add(&before, &value),
            _ => value,
        };
        m.scope.set(&place, value.clone());
        return value;
    }
    let mut value = operand(m, scan).unwrap_or_else(Val::unknown);
    loop {
        blanks(scan);
        let Some(next) = infix(m, scan, &value) else { return value };
        value = next;
    }
}

/// The variable that is set here, with `$x =` passed.
fn assigned(scan: &mut Scan) -> Option<(String, bool)> {
    let mut ahead = scan.clone();
    if ahead.sees("[") {
        ahead.until("]");
        blanks(&mut ahead);
    }
    if !ahead.eat("$") {
        return None;
    }
    let name = ahead.take(|c| is_name(c) || c == ':').to_lowercase();
    blanks(&mut ahead);
    let adds = ahead.eat("+=");
    if !adds && (ahead.sees("==") || !ahead.eat("=")) {
        return None;
    }
    scan.at = ahead.at;
    Some((name, adds))
}

/// What stands between two values.
fn infix(m: &mut Machine, scan: &mut Scan, left: &Val) -> Option<Val> {
    if scan.eat("+") {
        blanks(scan);
        let right = operand(m, scan)?;
        return Some(m.add(left, &right));
    }
    if scan.eat(",") {
        scan.take(char::is_whitespace);
        let right = operand(m, scan)?;
        let mut items = if let Val::List(list) = left { list.items.clone() } else { vec![left.clone()] };
        items.push(right);
        return Some(Val::list(items));
    }
    if !scan.sees("-") || !scan.second().is_some_and(char::is_alphabetic) {
        return None;
    }
    scan.next();
    let name = scan.name().to_lowercase();
    blanks(scan);
    let right = operand(m, scan).unwrap_or_else(Val::unknown);
    let args = Args::of(vec![left.clone(), right]);
    Some(match name.as_str() {
        "f" => {
            let list: Vec<Val> =
                std::iter::once(left.clone()).chain(args.at(1, &[]).items_or_self()).collect();
            pure::apply(Pure::Braces, &Args::of(list))
        }
        "join" => pure::apply(Pure::JoinBy, &args),
        "split" => pure::apply(Pure::Split, &args),
        "replace" | "creplace" | "ireplace" => {
            if scan.eat(",") {
                scan.take(char::is_whitespace);
                let with = operand(m, scan).unwrap_or_else(Val::unknown);
                return Some(pure::apply(
                    Pure::Replace,
                    &Args::of(vec![left.clone(), args.at(1, &[]), with]),
                ));
            }
            pure::apply(Pure::Replace, &Args::of(vec![left.clone(), args.at(1, &[]), Val::text("")]))
        }
        _ => Val::Unknown(left.taint()),
    })
}

/// A value with its members and indexes; a bare word is a text.
fn operand(m: &mut Machine, scan: &mut Scan) -> Option<Val> {
    if !m.enter() {
        scan.at = scan.text.len();
        return None;
    }
    let value = start(m, scan);
    let value = value.map(|value| postfix(m, scan, value));
    m.leave();
    value
}

fn start(m: &mut Machine, scan: &mut Scan) -> Option<Val> {
    Some(match scan.peek()? {
        '\'' => {
            scan.next();
            Val::Text(single(m, scan))
        }
        '"' => {
            scan.next();
            let text = delimited_string(scan);
            Val::Text(interpolated(m, text))
        }
        '@' if scan.sees("@'") || scan.sees("@\"") => here_string(m, scan),
        '@' if scan.sees("@(") => {
            scan.at += 2;
            let text = delimited_quoted(scan, '(', ')');
            list(m, text)
        }
        '@' if scan.sees("@{") => {
            scan.at += 2;
            let text = delimited_quoted(scan, '{', '}');
            table(m, text)
        }
        '$' => variable(m, scan),
        '(' => {
            scan.next();
            let text = delimited_quoted(scan, '(', ')');
            program(m, text)
        }
        '{' => block(m, scan, None),
        '[' => type_name(m, scan)?,
        '\n' | ';' | '|' | '}' | ')' => return None,
        _ => bare(m, scan),
    })
}

/// `Name = value` on every line.
fn table(m: &mut Machine, text: &str) -> Val {
    let mut scan = Scan::new(text);
    let mut entries = Vec::new();
    while !scan.done() && m.burn(16) {
        let before = scan.at;
        scan.take(|c| c.is_whitespace() || c == ';');
        let quoted = matches!(scan.peek(), Some('\'' | '"'));
        let key = if quoted {
            operand(m, &mut scan).and_then(|key| key.literal()).unwrap_or_default()
        } else {
            scan.take(|c| is_name(c) || c == '-').to_owned()
        };
        blanks(&mut scan);
        if scan.eat("=") {
            scan.take(char::is_whitespace);
            let value = pipeline(m, &mut scan).unwrap_or_else(Val::unknown);
            entries.push((Rc::from(key.to_lowercase()), value));
        }
        if scan.at == before {
            scan.next();
        }
    }
    Val::table(entries)
}

fn list(m: &mut Machine, text: &str) -> Val {
    match program(m, text) {
        list @ Val::List(_) => list,
        other => Val::list(vec![other]),
    }
}

fn variable(m: &mut Machine, scan: &mut Scan) -> Val {
    scan.next();
    if scan.eat("(") {
        let text = delimited_quoted(scan, '(', ')');
        return program(m, text);
    }
    let name = if scan.eat("{") {
        scan.until("}")
    } else {
        scan.take(|c| is_name(c) || matches!(c, ':' | '?' | '^'))
    };
    // `"$drive:"` ends before the colon.
    let name = if name.ends_with(':') && !name.ends_with("::") { name.trim_end_matches(':') } else { name };
    let lower = name.to_lowercase();
    if let Some(variable) =
        name.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("env:")).and(name.get(4..))
    {
        return m.environment(false, "getenv", &Args::of(vec![Val::text(variable)]));
    }
    match lower.as_str() {
        "home" | "env:userprofile" => m.known(Known::Home),
        "pwd" => m.known(Known::Folder),
        "args" => m.known(Known::Arguments),
        "psscriptroot" => m.known(Known::FileFolder),
        "true" => Val::Int(1),
        "false" | "null" => Val::name("null"),
        "input" => m.around.input.clone(),
        _ => m.scope.get(&lower).cloned().unwrap_or_else(Val::unknown),
    }
}

/// `[Type]::Member(…)`, or a cast.
fn type_name(m: &mut Machine, scan: &mut Scan) -> Option<Val> {
    scan.next();
    let name = delimited(scan, '[').trim().to_lowercase();
    let name = name.strip_prefix("system.").unwrap_or(&name).to_owned();
    if !scan.sees("::") {
        blanks(scan);
        let value = operand(m, scan)?;
        return Some(if name.starts_with("char") {
            pure::apply(Pure::Chars, &Args::of(vec![value]))
        } else {
            value
        });
    }
    Some(Val::name(&name))
}

/// Members, calls and indexes that follow a value.
fn postfix(m: &mut Machine, scan: &mut Scan, mut value: Val) -> Val {
    while m.burn(4) {
        if scan.sees("::")
            || (scan.sees(".")
                && scan.second().is_some_and(|c| {
                    starts_member(c)
                        && !matches!(value, Val::Text(ref text) if text.is_known() && !quoted_before(scan))
                }))
        {
            scan.take(|c| matches!(c, '.' | ':'));
            let name = scan.name().to_lowercase();
            if scan.eat("(") {
                let text = delimited_quoted(scan, '(', ')');
                let args = arguments(m, text);
                value = dotnet::method(m, &value, &name, args);
            } else {
                value = dotnet::property(&value, &name);
            }
        } else if scan.sees("[") && !matches!(value, Val::Name(_)) {
            scan.next();
            let text = delimited_quoted(scan, '[', ']');
            let key = program(m, text);
            value = m.index(&value, None, &key);
        } else {
            break;
        }
    }
    value
}

fn starts_member(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// A dot after a closing quote or bracket is a member; after a bare word it is a part of the word.
fn quoted_before(scan: &Scan) -> bool {
    scan.text
        .get(..scan.at)
        .is_some_and(|before| before.ends_with(['\'', '"', ')', ']']) || before.ends_with(is_name))
}

fn arguments(m: &mut Machine, text: &str) -> Args {
    let mut args = Args::default();
    let mut scan = Scan::new(text);
    while !scan.done() && m.burn(4) {
        scan.take(|c| c.is_whitespace() || c == ',');
        if scan.done() {
            break;
        }
        let before = scan.at;
        let mut value = operand(m, &mut scan).unwrap_or_else(Val::unknown);
        blanks(&mut scan);
        while !scan.sees(",") {
            let Some(next) = infix(m, &mut scan, &value) else { break };
            value = next;
            blanks(&mut scan);
        }
        args.list.push(value);
        if scan.at == before {
            scan.next();
        }
    }
    args
}

/// A word without quotes.
fn bare(m: &mut Machine, scan: &mut Scan) -> Val {
    let mut whole = Value::empty();
    let mut plain = String::new();
    while let Some(c) = scan.peek() {
        match c {
            _ if c.is_whitespace() || matches!(c, ';' | '|' | ')' | '}' | ',' | '{' | '(') => break,
            '`' => {
                scan.next();
                plain.extend(scan.next());
            }
            '\'' | '"' if !plain.is_empty() || !whole.is_empty() => {
                scan.next();
                let text = if c == '"' {
                    let inner = delimited_string(scan);
                    interpolated(m, inner)
                } else {
                    single(m, scan)
                };
                let known = m.literal(&std::mem::take(&mut plain));
                whole = m.concat(&whole, &known);
                whole = m.concat(&whole, &text);
            }
            '$' => {
                let known = m.literal(&std::mem::take(&mut plain));
                whole = m.concat(&whole, &known);
                let value = variable(m, scan).as_text();
                whole = m.concat(&whole, &value);
            }
            _ => {
                scan.next();
                plain.push(c);
            }
        }
    }
    let known = m.literal(&plain);
    let text = m.concat(&whole, &known);
    match text.as_literal().and_then(|text| text.parse::<i64>().ok()) {
        Some(number) => Val::Int(number),
        None if text.is_empty() => Val::Text(Value::unknown(HoleSource::Input).with_taint(Taint::NONE)),
        None => Val::Text(text),
    }
}
