//! Lisps: Emacs Lisp, Common Lisp, Scheme, Clojure. Every list is a call of its first item.

use std::rc::Rc;

use tollgate_model::{WriteMode, work};

use super::machine::Machine;
use super::ops::{Known, Op};
use super::pure::Pure;
use super::syntax::{Infix, Syntax, no_block};
use super::token::{Parts, Scan, Tok, Token, Tokens, brackets, escape, is_stand_in};
use super::value::{Args, Val};
use crate::analyst::taint;

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
    generator: no_block,
    module: |_, _| Val::unknown(),
    function,
    method: |_| None,
    canonical,
    foreign: |_| false,
    risky: &[],
    keeps_output: false,
    local: false,
    symbolic: false,
    curried: false,
    this: "self",
    constructor: "",
    invoked: "",
    copying: &[],
};

fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
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
                "process-environment" => Val::name("$ENV"),
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
        "run!" | "map" | "mapv" | "mapc" | "mapcar" | "pmap" | "for-each" | "seq-do" if m.sees("(") => {
            mapped(m)
        }
        "dolist" | "doseq" | "for-each-in" => {
            if let Some((name, list)) = binding(m) {
                m.assign(Some(name), list.item());
            }
            values(m).last().cloned().unwrap_or_else(Val::unknown)
        }
        "with-open-file" => {
            let close = m.pair();
            let writes =
                m.tokens.get(m.at..close).unwrap_or_default().iter().any(|token| is_output(&token.tok));
            let bound = binding(m);
            if let Some((_, path)) = bound.filter(|_| writes) {
                m.files(Op::Create, &Args::of(vec![path]));
            }
            values(m).last().cloned().unwrap_or_else(Val::unknown)
        }
        _ => {
            let args = Args::of(values(m));
            let known = canonical(&name).unwrap_or_else(|| name.to_string());
            if let Some(value) = buffer(m, &known, &args).or_else(|| of_folder(m, &known, &args)) {
                return value;
            }
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

/// `(name value …)`, or the same in other brackets: what a form binds for its body.
fn binding(m: &mut Machine) -> Option<(Rc<str>, Val)> {
    if !m.sees("(") {
        return None;
    }
    let close = m.pair();
    let bound = m.range(m.at + 1..close, |m| {
        // `[[k v] list]`: the first name stands for all parts, and the others mean the same.
        let names = if m.sees("(") { parts(m) } else { Vec::new() };
        let name = names.first().cloned().or_else(|| m.name())?;
        for other in names.into_iter().skip(1) {
            let value = m.range(m.at..m.end, |m| values(m).into_iter().next());
            m.assign(Some(other), value.map_or_else(Val::unknown, |value| value.item()));
        }
        values(m).into_iter().next().map(|value| (name, value))
    });
    m.at = close + 1;
    bound
}

/// The names in the brackets that open here.
fn parts(m: &mut Machine) -> Vec<Rc<str>> {
    let close = m.pair();
    let inside = m.at + 1..close;
    m.at = close + 1;
    let tokens = m.tokens.get(inside).unwrap_or_default().iter();
    let names = tokens.filter_map(|token| match &token.tok {
        Tok::Name(name) => Some(Rc::clone(name)),
        _ => None,
    });
    names.take(8).collect()
}

/// A function without a name is called for every item of a list: `(fn [x] …)`, `(lambda (x) …)`, `#(… %)`.
fn mapped(m: &mut Machine) -> Val {
    let close = m.pair();
    let function = m.at + 1..close;
    m.at = close + 1;
    let item = values(m).last().map_or_else(Val::unknown, Val::item);
    m.range(function, |m| {
        if m.eat_word("function") || m.eat_word("quote") {
            let name = m.name().unwrap_or_default();
            return m.library(&name, &Args::of(vec![item]));
        }
        let named = m.eat_word("fn") || m.eat_word("lambda") || m.eat_word("fn*");
        if !named {
            m.scope.set("%", item);
            return call(m);
        }
        for name in if m.sees("(") { parts(m) } else { Vec::new() } {
            m.scope.set(&name, item.clone());
        }
        values(m).last().cloned().unwrap_or_else(Val::unknown)
    })
}

fn is_output(tok: &Tok) -> bool {
    matches!(tok, Tok::Name(name) if matches!(&**name, ":output" | ":io"))
}

/// The variables that keep which file Emacs has before it, and that its text was taken away.
const FILE: &str = "(file)";
const EMPTIED: &str = "(emptied)";

/// The variables that keep where the text before it comes from: the network, or a file.
const FETCHED: &str = "(fetched)";
const INSERTED: &str = "(inserted)";

/// What Emacs does to the file that it visits.
fn buffer(m: &mut Machine, name: &str, args: &Args) -> Option<Val> {
    match name {
        "find-file" | "find-file-noselect" | "find-file-literally" => {
            m.scope.set(FILE, args.at(0, &[]));
            return None;
        }
        "url-insert-file-contents" | "url-retrieve-synchronously" => {
            m.scope.set(FETCHED, Val::Int(1));
            return None;
        }
        "insert-file-contents" => {
            m.scope.set(INSERTED, args.at(0, &[]));
            return None;
        }
        "eval-buffer" | "eval-region" | "eval-current-buffer" if m.scope.get(FETCHED).is_some() => {
            m.dynamic(taint::NET);
        }
        "eval-buffer" | "eval-region" | "eval-current-buffer" => {
            let path = m.scope.get(INSERTED).or(m.scope.get(FILE)).cloned()?;
            m.run_file(&path);
        }
        "erase-buffer" | "delete-region" | "kill-region" => m.scope.set(EMPTIED, Val::Int(1)),
        "save-buffer" | "basic-save-buffer" | "save-some-buffers" => {
            let path = m.scope.get(FILE).cloned()?;
            let emptied = m.scope.get(EMPTIED).is_some();
            let mode = if emptied { WriteMode::Overwrite } else { WriteMode::Edit };
            m.write(&path, mode, None);
            if emptied {
                m.cut(&path);
            }
        }
        _ => return None,
    }
    Some(Val::unknown())
}

/// The files of a folder, by the names of the functions that list them; `.exec` is a method.
fn of_folder(m: &mut Machine, name: &str, args: &Args) -> Option<Val> {
    let listed = |op: Op| Some((op, Args::of(vec![args.at(0, &[]), Val::text("*")])));
    let (op, args) = match name {
        "directory-files" | "list-dir" | "directory-list" | "uiop:directory-files" => listed(Op::GlobBelow),
        "directory-files-recursively" | "file-seq" | "find-lisp-find-files" => listed(Op::GlobDeep),
        ".exec" => Some((Op::System, args.skip(1))),
        _ => None,
    }?;
    Some(m.perform(op, name, &args))
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
    acts(name).or_else(|| makes(name))
}

/// Functions that run, delete, write or send.
fn acts(name: &str) -> Option<Op> {
    Some(match name {
        "shell-command"
        | "call-process-shell-command"
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
        "fs/delete"
        | "fs/delete-if-exists"
        | "babashka.fs/delete"
        | "delete-file"
        | "f-delete"
        | ".delete"
        | ".deleteOnExit" => Op::Delete,
        "file-expand-wildcards" | "glob" => Op::GlobHome,
        "funcall" => Op::ApplyNamed,
        "apply" => Op::ApplyList,
        "intern" | "intern-soft" | "symbol-function" | "resolve" | "symbol" => Op::Pure(Pure::Same),
        "file" | "as-file" | "build-path" => Op::Pure(Pure::JoinPaths),
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
        "write-region" | "append-to-file" => Op::WriteThird,
        "spit" => Op::Write,
        "with-temp-file"
        | "write-file"
        | "writer"
        | "output-stream"
        | "open-output-file"
        | "call-with-output-file" => Op::Create,
        "set-file-modes" => Op::Permission,
        "load" | "load-file" => Op::EvalFile,
        "load-string" => Op::Eval,
        "url-retrieve" | "url-retrieve-synchronously" | "url-insert-file-contents" | "http-get" => Op::Fetch,
        "url-copy-file" => Op::Download,
        "open-network-stream" => Op::ConnectThird,
        _ => return None,
    })
}

/// Functions that say what is known, or make values out of values.
fn makes(name: &str) -> Option<Op> {
    Some(match name {
        "fs/home" | "babashka.fs/home" | "user-homedir-pathname" | "getHomeDirectory" => Op::Now(Known::Home),
        "fs/path" | "babashka.fs/path" => Op::Pure(Pure::JoinPaths),
        "mapconcat" | "string-join" => Op::Pure(Pure::Concat),
        "getenv" | "System/getenv" | "posix-getenv" => Op::Env,
        "System/getProperty" => Op::Property,
        "environ" => Op::EnvAll,
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
