//! Tcl and Expect: commands of words, much like a shell.

mod texts;

use tollgate_model::{EffectKind, Protection};
use tollgate_shell::value::{HoleSource, Text, Value};

use super::machine::Machine;
use super::ops::{ENVIRONMENT, Op};
use super::token::{Scan, delimited};
use super::value::{Args, Val};

/// Runs a script.
pub(super) fn program(m: &mut Machine, text: &str) -> Val {
    let mut result = Val::unknown();
    if !m.enter() {
        return result;
    }
    let mut scan = Scan::new(text);
    while !scan.done() && m.burn(16) {
        let words = command(m, &mut scan);
        if !words.is_empty() {
            result = run(m, &words);
        }
    }
    m.leave();
    result
}

/// The words of the next command.
fn command(m: &mut Machine, scan: &mut Scan) -> Vec<Val> {
    let mut words = Vec::new();
    loop {
        scan.take(separates);
        match scan.peek() {
            None => return words,
            Some('\n' | ';') => {
                scan.next();
                return words;
            }
            Some('#') if words.is_empty() => {
                scan.line();
            }
            Some('\\') if scan.sees("\\\n") => scan.at += 2,
            // `{*}` makes words of a list.
            Some(_) if scan.eat("{*}") => {
                let list = word(m, scan);
                match list.literal() {
                    Some(text) => words.extend(text.split_whitespace().map(Val::text)),
                    None => words.push(list),
                }
            }
            Some(_) => {
                let word = word(m, scan);
                words.push(word);
            }
        }
        if !m.burn(4) {
            return words;
        }
    }
}

fn word(m: &mut Machine, scan: &mut Scan) -> Val {
    if scan.sees("{") {
        scan.next();
        let text = delimited(scan, '{');
        return Val::Text(m.literal(text));
    }
    let quoted = scan.sees("\"");
    scan.at += usize::from(quoted);
    let mut whole = Value::empty();
    let mut plain = String::new();
    while let Some(c) = scan.peek() {
        match c {
            '"' if quoted => {
                scan.next();
                break;
            }
            _ if !quoted && (separates(c) || matches!(c, '\n' | ';')) => break,
            '\\' => {
                scan.next();
                plain.extend(scan.next().map(|c| match c {
                    'n' | 'r' => '\n',
                    't' => '\t',
                    other => other,
                }));
            }
            '[' => {
                scan.next();
                let inner = delimited(scan, '[');
                whole = flush(m, whole, &mut plain);
                let value = program(m, inner).as_text();
                whole = m.concat(&whole, &value);
            }
            '$' => {
                scan.next();
                let name = if scan.eat("{") {
                    scan.until("}")
                } else {
                    scan.take(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                };
                let key = if scan.sees("(") {
                    scan.next();
                    Some(scan.until(")"))
                } else {
                    None
                };
                whole = flush(m, whole, &mut plain);
                let value = variable(m, name, key);
                whole = m.concat(&whole, &value);
            }
            _ => {
                scan.next();
                plain.push(c);
            }
        }
    }
    Val::Text(flush(m, whole, &mut plain))
}

/// Does it stand between the words of a command?
fn separates(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')
}

fn flush(m: &mut Machine, whole: Value, plain: &mut String) -> Value {
    let text = std::mem::take(plain);
    let literal = m.literal(&text);
    m.concat(&whole, &literal)
}

fn variable(m: &mut Machine, name: &str, key: Option<&str>) -> Value {
    match (name.trim_start_matches("::"), key) {
        ("env", Some(key)) => m.environment(false, "[", &Args::of(vec![Val::text(key)])).as_text(),
        ("argv", _) => m.around.argv.first().map_or_else(|| Value::unknown(HoleSource::Input), Val::as_text),
        (name, _) => m.scope.get(name).map_or_else(|| Value::unknown(HoleSource::Input), Val::as_text),
    }
}

fn run(m: &mut Machine, words: &[Val]) -> Val {
    let name = words.first().and_then(Val::literal).unwrap_or_default();
    let rest: Vec<Val> = words.iter().skip(1).cloned().collect();
    let literal = |at: usize| rest.get(at).and_then(Val::literal).unwrap_or_default();
    match name.as_str() {
        "exec" | "spawn" => {
            let list: Vec<Val> = rest.into_iter().skip_while(is_option).collect();
            let pipe = m.run_spawn(&Args::of(vec![Val::list(list)]));
            if name == "spawn" {
                m.scope.set("spawn_id", pipe.clone());
            }
            pipe
        }
        "send" | "exp_send" => send(m, &rest),
        "system" => {
            let text = spaced(m, &rest);
            m.run_shell(false, &Args::of(vec![text]))
        }
        "open" => {
            let path = rest.first().cloned().unwrap_or_else(Val::unknown);
            let mode = rest.get(1).cloned().unwrap_or_else(|| Val::text("r"));
            m.open(&path, &mode, &Args::default())
        }
        "file" => file(m, &rest),
        "set" if rest.len() > 1 => {
            let value = rest.get(1).cloned().unwrap_or_else(Val::unknown);
            m.scope.set(&literal(0), value.clone());
            value
        }
        "set" => m.scope.get(&literal(0)).cloned().unwrap_or_else(Val::unknown),
        "eval" | "uplevel" | "catch" | "after" | "time" | "if" | "while" | "for" | "foreach" | "proc"
        | "namespace" | "try" | "else" | "elseif" | "expect" | "switch" => bodies(m, &name, &rest),
        "source" => sourced(m, &rest),
        "cd" => {
            let folder = rest.first().map(Val::as_text).unwrap_or_else(Value::empty);
            m.run.shell.set_cwd(&folder);
            Val::unknown()
        }
        "glob" => {
            let patterns = rest.into_iter().filter(|word| !is_option(word)).collect();
            m.files(Op::Glob, &Args::of(patterns))
        }
        "puts" => puts(m, &rest),
        "read" | "gets" => rest.first().cloned().unwrap_or_else(Val::unknown),
        "http::geturl" | "::http::geturl" => m.network(Op::Fetch, &Args::of(rest)),
        "parray" if is_environment(&literal(0)) => m.perform(Op::EnvDump, &name, &Args::default()),
        "array" if literal(0) == "get" && is_environment(&literal(1)) => Val::Unknown(ENVIRONMENT),
        "socket" => m.network(Op::Connect, &Args::of(rest)),
        "append" => append(m, &literal(0), &rest),
        "list" | "concat" => spaced(m, &rest),
        "format" => texts::format(&rest),
        "string" => texts::string(&rest),
        "join" => texts::join(&rest),
        "" if !rest.is_empty() => {
            m.opaque("a command in its code is known only at run time");
            Val::unknown()
        }
        _ => Val::unknown(),
    }
}

/// `source [-encoding name] file`
fn sourced(m: &mut Machine, rest: &[Val]) -> Val {
    let file = rest.last().cloned().unwrap_or_else(Val::unknown);
    let texts = m.file_texts(&file);
    texts.iter().map(|text| program(m, text)).last().unwrap_or_else(Val::unknown)
}

/// `puts [-nonewline] [channel] text`
fn puts(m: &mut Machine, rest: &[Val]) -> Val {
    let text = rest.last().map(Val::as_text).unwrap_or_else(Value::empty);
    let channel = rest.first().filter(|first| rest.len() > 1 && !is_option(first));
    match channel {
        None => {
            m.print(&text.concat(&Value::text("\n")));
            Val::unknown()
        }
        Some(channel) if channel.literal().as_deref() == Some("stderr") => {
            m.perform(Op::Tell, "puts", &Args::of(vec![Val::Text(text)]))
        }
        Some(channel) => m.perform(Op::Put, "puts", &Args::of(vec![channel.clone(), Val::Text(text)])),
    }
}

fn is_environment(name: &str) -> bool {
    name.trim_start_matches(':') == "env"
}

/// Types text into the program that was spawned.
fn send(m: &mut Machine, rest: &[Val]) -> Val {
    let typed = rest.iter().rev().find(|word| !is_option(word)).map(Val::as_text);
    let typed = typed.unwrap_or_else(Value::empty).map(|text| match text.as_literal() {
        Some(line) => Text::literal(&line.replace('\r', "\n")),
        None => text.clone(),
    });
    match m.scope.get("spawn_id").cloned() {
        Some(Val::Pipe(pipe)) => m.pipe_method(&pipe, "write", &Args::of(vec![Val::Text(typed)])),
        _ => Val::unknown(),
    }
}

/// Words with blanks between them.
fn spaced(m: &mut Machine, words: &[Val]) -> Val {
    let blank = Value::text(" ");
    let text = words.iter().map(Val::as_text).reduce(|all, next| {
        let all = m.concat(&all, &blank);
        m.concat(&all, &next)
    });
    Val::Text(text.unwrap_or_else(Value::empty))
}

fn append(m: &mut Machine, name: &str, rest: &[Val]) -> Val {
    let before = m.scope.get(name).cloned().unwrap_or_else(|| Val::text(""));
    let value = rest.iter().skip(1).fold(before, |all, next| m.add(&all, next));
    m.scope.set(name, value.clone());
    value
}

fn is_option(word: &Val) -> bool {
    word.literal().is_some_and(|word| word.starts_with('-'))
}

/// Words that are scripts themselves.
fn bodies(m: &mut Machine, name: &str, rest: &[Val]) -> Val {
    if name == "foreach"
        && let [place, items, ..] = rest
    {
        let value = items.literal().map_or_else(
            || Val::Unknown(items.taint()),
            |items| {
                let words =
                    items.split_whitespace().map(tollgate_shell::value::Text::literal).collect::<Vec<_>>();
                Val::Text(Value::of(words, tollgate_shell::value::Taint::NONE))
            },
        );
        for name in place.literal().unwrap_or_default().split_whitespace() {
            m.scope.set(name, value.clone());
        }
    }
    let whole = spaced(m, rest);
    if let Some(text) = whole.literal().filter(|_| name == "eval") {
        return program(m, &text);
    }
    for text in rest.iter().filter_map(Val::literal) {
        program(m, &text);
    }
    if name == "eval" && rest.iter().any(|word| word.literal().is_none()) {
        let marks =
            rest.iter().fold(tollgate_shell::value::Taint::NONE, |marks, word| marks.union(word.taint()));
        m.dynamic(marks);
    }
    Val::unknown()
}

fn file(m: &mut Machine, rest: &[Val]) -> Val {
    let verb = rest.first().and_then(Val::literal).unwrap_or_default();
    let paths: Vec<Val> = rest
        .iter()
        .skip(1)
        .filter(|word| !word.literal().is_some_and(|word| word.starts_with('-')))
        .cloned()
        .collect();
    match verb.as_str() {
        "delete" => m.files(Op::DeleteTree, &Args::of(paths)),
        "rename" => m.files(Op::Move, &Args::of(paths)),
        "copy" => m.files(Op::CopyTree, &Args::of(paths)),
        "join" => super::pure::apply(super::pure::Pure::JoinPaths, &Args::of(paths)),
        "attributes" => {
            m.push(
                EffectKind::Weaken { protection: Protection::Other, how: "permissions of a file".into() },
                tollgate_model::Certainty::Possible,
            );
            Val::unknown()
        }
        _ => Val::unknown(),
    }
}
