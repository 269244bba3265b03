//! Lisps: Emacs Lisp, Common Lisp, Scheme, Clojure. Every list is a call of its first item.

use std::rc::Rc;

use super::machine::Machine;
use super::ops::{Known, Op};
use super::pure::Pure;
use super::syntax::{Infix, Syntax, no_block};
use super::token::{Parts, Scan, Tok, Token, Tokens, brackets, escape, is_stand_in};
use super::value::{Args, Val};

pub(super) static SYNTAX: Syntax = Syntax {
    lex,
    statement: |m| {
        m.expr(0);
    },
    primary,
    operator: |_| None::<(u8, Infix)>,
    members: &[],
    bare_calls: true,
    flat: true,
    block: no_block,
    slices: false,
    module: |_, _| Val::unknown(),
    function,
    method: |_| None,
    canonical,
    foreign: |_| false,
    risky: &[],
    keeps_output: false,
    local: false,
    symbolic: false,
};

fn lex(text: &str) -> Rc<[Token]> {
    let mut scan = Scan::new(text);
    let mut tokens = Tokens::default();
    while let Some(c) = scan.peek() {
        match c {
            ';' => {
                scan.line();
            }
            _ if c.is_whitespace() || matches!(c, '\'' | ',' | '`' | '#' | '@') => {
                scan.next();
                tokens.spaced = true;
            }
            '"' => {
                scan.next();
                let mut parts = Parts::default();
                while let Some(c) = scan.next() {
                    match c {
                        '"' => break,
                        '\\' => escape(&mut scan, &mut parts),
                        _ => parts.push(c),
                    }
                }
                tokens.push(Tok::Str(parts.finish()));
            }
            '(' | '[' | '{' => {
                scan.next();
                tokens.push(Tok::Op("("));
            }
            ')' | ']' | '}' => {
                scan.next();
                tokens.push(Tok::Op(")"));
            }
            _ => {
                let name = scan.take(|c| !c.is_whitespace() && !"()[]{}\";'`,".contains(c));
                if name.is_empty() {
                    scan.next();
                }
                let unknown = name.chars().all(is_stand_in);
                tokens.push(match name.parse::<i64>() {
                    Ok(number) => Tok::Int(number),
                    Err(_) if unknown => Tok::Other,
                    Err(_) => Tok::Name(Rc::from(name)),
                });
            }
        }
    }
    tokens.finish(brackets)
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Op("(") => {
            let close = m.pair();
            let value = m.range(m.at + 1..close, call);
            m.at = close + 1;
            value
        }
        Tok::Name(name) => {
            m.at += 1;
            match &**name {
                "t" | "T" => Val::Int(1),
                "nil" | "NIL" => Val::name("nil"),
                name if name.starts_with(':') => Val::name(name),
                name => m.scope.get(name).cloned().unwrap_or_else(|| Val::name(name)),
            }
        }
        _ => {
            m.at += 1;
            Val::unknown()
        }
    }
}

/// The list in the range: a call, or only its items.
fn call(m: &mut Machine) -> Val {
    let Some(Tok::Name(name)) = m.peek().cloned() else {
        let items = values(m);
        return Val::list(items);
    };
    m.at += 1;
    match &*name {
        "setq" | "setf" | "defvar" | "defconst" | "def" | "define" | "defparameter" | "let" | "let*" => {
            if let Some(Tok::Name(place)) = m.peek().cloned() {
                m.at += 1;
                let value = m.expr(0);
                m.assign(Some(place), value);
            }
            let items = values(m);
            items.last().cloned().unwrap_or_else(Val::unknown)
        }
        "quote" | "list" | "vector" => Val::list(values(m)),
        _ => {
            let args = Args::of(values(m));
            let known = canonical(&name).unwrap_or_else(|| name.to_string());
            match function(&known) {
                Some(op) => m.perform(op, &known, &args),
                None if args.list.len() == 1 && !matches!(&*name, "progn" | "do" | "begin") => {
                    // `((x "…"))` of a `let`.
                    m.assign(Some(name), args.at(0, &[]));
                    args.at(0, &[])
                }
                None => args.list.last().cloned().unwrap_or_else(Val::unknown),
            }
        }
    }
}

fn values(m: &mut Machine) -> Vec<Val> {
    let mut items = Vec::new();
    while m.at < m.end && !m.is_stopped() {
        let before = m.at;
        // Strings side by side are items of their own here.
        let value = match m.peek().cloned() {
            Some(Tok::Str(parts)) => {
                m.at += 1;
                Val::Text(m.string(&parts))
            }
            _ => m.expr(0),
        };
        items.push(value);
        m.at += usize::from(m.at == before);
    }
    items
}

fn canonical(name: &str) -> Option<String> {
    if function(name).is_some() {
        return None;
    }
    let plain = name.rsplit([':', '/']).next().unwrap_or(name);
    (plain != name && !plain.is_empty()).then(|| plain.to_owned())
}

fn function(name: &str) -> Option<Op> {
    Some(match name {
        "shell-command"
        | "shell-command-to-string"
        | "system"
        | "async-shell-command"
        | "compile"
        | "run-shell-command"
        | "sys-system"
        | "os/shell"
        | "shell" => Op::Shell,
        "run-program" | "sh" | "system*" | "process" | "process-lines" | "run-process" | "shell-out" => {
            Op::System
        }
        "call-process" => Op::LispProcess(4),
        "start-process" | "make-process" => Op::LispProcess(2),
        "delete-file" | "f-delete" => Op::Delete,
        "delete-directory" | "delete-directory-tree" | "delete-directory/files" | "delete-tree" => {
            Op::DeleteTree
        }
        "rename-file" => Op::Move,
        "copy-file" => Op::Copy,
        "copy-directory" => Op::CopyTree,
        "insert-file-contents"
        | "find-file"
        | "slurp"
        | "file->string"
        | "find-file-noselect"
        | "file->lines"
        | "read-file-into-string" => Op::Read,
        "write-region" => Op::WriteThird,
        "spit" => Op::Write,
        "write-file" | "open-output-file" | "call-with-output-file" => Op::Truncate,
        "set-file-modes" => Op::Permission,
        "load" | "load-file" | "load-string" => {
            if name == "load-string" {
                Op::Eval
            } else {
                Op::EvalFile
            }
        }
        "url-retrieve" | "url-retrieve-synchronously" | "url-insert-file-contents" | "http-get" => Op::Fetch,
        "url-copy-file" => Op::Download,
        "open-network-stream" => Op::ConnectThird,
        "getenv" | "System/getenv" | "posix-getenv" => Op::Env,
        "concat" | "string-append" | "str" | "concatenate" | "s-concat" => Op::Pure(Pure::Concat),
        "expand-file-name" => Op::Pure(Pure::Absolute),
        "format" => Op::Pure(Pure::Printf),
        "reverse" | "string-reverse" => Op::Pure(Pure::Reverse),
        "base64-decode-string" => Op::Pure(Pure::Base64),
        "message" | "princ" | "print" | "println" | "display" => Op::Print(true),
        "command-line-args-left" => Op::Known(Known::Arguments),
        "eval" | "read-from-string" | "read" => Op::Eval,
        "mapc" | "mapcar" | "run!" => Op::MapNames,
        _ => return None,
    })
}
