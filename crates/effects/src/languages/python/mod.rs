//! Python.

mod definitions;
mod lex;
mod library;
mod modules;
mod statements;
mod writers;

use std::ops::Range;
use std::rc::Rc;

use super::expr::{ARGUMENT, UNARY};
use super::machine::Machine;
use super::syntax::{Infix, Syntax, no_block};
use super::token::Tok;
use super::value::{Function, Val};

pub(super) static SYNTAX: Syntax = Syntax {
    lex: lex::lex,
    statement: statements::statement,
    primary,
    operator,
    members: &["."],
    bare_calls: false,
    flat: false,
    block: no_block,
    slices: true,
    generator,
    module,
    function: library::function,
    method: library::method,
    canonical: modules::canonical,
    foreign: |name| name.contains('.') && !modules::is_known(name),
    risky: &["os", "subprocess", "shutil", "builtins", "pty", "posix", "ctypes", "importlib", "globals"],
    keeps_output: false,
    local: true,
    symbolic: false,
    curried: false,
    this: "self",
    constructor: "__init__",
    invoked: "__call__",
    copying: &[],
};

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "if" => (3, Infix::ChoiceAfter),
            "or" => (4, Infix::Either),
            "and" => (5, Infix::Second),
            "in" => (10, Infix::Within),
            "is" | "not" => (10, Infix::Other),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            ":=" => (2, Infix::Assign),
            "==" => (10, Infix::Equal),
            "<" | ">" | "<=" | ">=" | "!=" => (10, Infix::Other),
            "|" => (20, Infix::Number('|')),
            "^" => (21, Infix::Number('^')),
            "&" => (22, Infix::Number('&')),
            "<<" => (23, Infix::Number('<')),
            ">>" => (23, Infix::Number('>')),
            "+" => (30, Infix::Add),
            "-" => (30, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Slash),
            "//" => (40, Infix::Number('/')),
            "%" => (40, Infix::Format),
            "@" => (40, Infix::Other),
            "**" => (95, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Name(name) => match &**name {
            "lambda" => lambda(m),
            "super"
                if matches!(m.ahead(1), Some(Tok::Op("(")))
                    && let Some(above) = m.above() =>
            {
                m.at += 1;
                m.at = m.pair() + 1;
                above
            }
            "not" => {
                m.at += 1;
                m.expr(UNARY).denied()
            }
            "await" | "yield" => {
                m.at += 1;
                m.expr(UNARY)
            }
            // Words that end an expression.
            "for" | "if" | "else" | "in" | "as" | "import" | "is" | "and" | "or" => Val::unknown(),
            _ => {
                m.at += 1;
                m.lookup(name)
            }
        },
        Tok::Op("(") => group(m),
        Tok::Op("[") => {
            let close = m.pair();
            let list = m.range(m.at + 1..close, items);
            m.at = close + 1;
            list
        }
        Tok::Op("{") => {
            let close = m.pair();
            let table = m.range(m.at + 1..close, dictionary);
            m.at = close + 1;
            table
        }
        Tok::Op("...") => {
            m.at += 1;
            Val::unknown()
        }
        _ => Val::unknown(),
    }
}

fn group(m: &mut Machine) -> Val {
    let close = m.pair();
    let value = m.range(m.at + 1..close, |m| {
        if m.at >= m.end {
            return Val::list(Vec::new());
        }
        let comma = m.find(|tok| *tok == Tok::Op(",") || is_for(tok)) < m.end;
        if comma { items(m) } else { m.expr(0) }
    });
    m.at = close + 1;
    value
}

fn is_for(tok: &Tok) -> bool {
    matches!(tok, Tok::Name(name) if &**name == "for")
}

/// Items of a list, or one for every item of another list.
fn items(m: &mut Machine) -> Val {
    let made = m.find(is_for);
    if made < m.end { comprehension(m, made) } else { Val::list(m.argument_list().list) }
}

/// `f(x for x in xs)`
fn generator(m: &mut Machine) -> Option<Val> {
    let made = m.find(is_for);
    (made < m.end && m.at < made).then(|| comprehension(m, made))
}

fn comprehension(m: &mut Machine, made: usize) -> Val {
    let element = m.at..made;
    comprehension_of(m, element, made)
}

fn comprehension_of(m: &mut Machine, element: Range<usize>, made: usize) -> Val {
    m.scoped(|m| items_of(m, element, made))
}

fn items_of(m: &mut Machine, element: Range<usize>, made: usize) -> Val {
    m.at = made + 1;
    let of = m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "in"));
    let target = m.at..of;
    m.at = of + 1;
    let next = m.find(|tok| matches!(tok, Tok::Name(name) if matches!(&**name, "for" | "if")));
    let list = m.range(m.at..next, |m| m.expr(ARGUMENT + 2));
    let list = m.iterated(list);
    let rest = next..m.end;
    let mut results = Vec::new();
    let body = |m: &mut Machine, item: &Val| {
        m.declare_names(target.clone(), false);
        m.range(target.clone(), |m| m.bind_pattern(item));
        m.at = rest.start;
        while m.at < rest.end && m.eat_word("if") {
            let end = m.find(|tok| matches!(tok, Tok::Name(name) if matches!(&**name, "for" | "if")));
            let said = m.condition(end);
            if said.fails {
                return;
            }
            if !said.negated {
                m.believe(&said);
            }
            m.at = end;
        }
        if m.sees_word("for") && m.at < rest.end {
            let value = further(m, element.clone());
            results.extend(value.items());
        } else {
            results.push(m.expr_in(element.clone()));
        }
    };
    m.for_each(&list, element.len(), body);
    let open = !matches!(&list, Val::List(list) if !list.open && list.items.len() <= 64) || !rest.is_empty();
    m.at = m.end;
    if open { Val::many(results) } else { Val::list(results) }
}

/// The further `for` of a comprehension, for the same element.
fn further(m: &mut Machine, element: Range<usize>) -> Val {
    if !m.enter() {
        return Val::unknown();
    }
    m.at += 1;
    let of = m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "in"));
    let target = m.at..of;
    m.at = of + 1;
    let next = m.find(|tok| matches!(tok, Tok::Name(name) if matches!(&**name, "for" | "if")));
    let list = m.range(m.at..next, |m| m.expr(ARGUMENT + 2));
    let item = list.item();
    m.declare_names(target.clone(), false);
    m.range(target, |m| m.bind_pattern(&item));
    m.at = next;
    while m.eat_word("if") {
        let end = m.find(|tok| matches!(tok, Tok::Name(name) if matches!(&**name, "for" | "if")));
        m.condition(end);
        m.at = end;
    }
    let value = if m.sees_word("for") { further(m, element) } else { m.expr_in(element) };
    m.leave();
    Val::many(vec![value])
}

fn dictionary(m: &mut Machine) -> Val {
    if m.find(is_for) < m.end {
        let colon = m.find(|tok| *tok == Tok::Op(":"));
        let made = m.find(is_for);
        if colon < made {
            // What the names are made by is done for every item, too.
            m.range(m.at..m.end, |m| {
                let keys = m.at..colon;
                m.at = made;
                comprehension_of(m, keys, made)
            });
            m.at = colon + 1;
        }
        return comprehension(m, made);
    }
    if m.at < m.end && m.find(|tok| *tok == Tok::Op(":")) >= m.end && !m.sees("**") {
        return Val::list(m.argument_list().list);
    }
    let mut entries = Vec::new();
    for range in m.split(m.end, ",") {
        m.range(range, |m| {
            while matches!(m.peek(), Some(Tok::Newline)) {
                m.at += 1;
            }
            if m.eat("**") {
                let value = m.expr(ARGUMENT);
                // A copy of the environment for a child is no secret on its own, but what prints it shows it.
                if let Val::Name(name) = &value
                    && &**name == "$ENV"
                {
                    entries.push((Rc::from("**"), value.clone()));
                    return;
                }
                if let Val::Table(table) = &value {
                    entries.extend(table.entries.iter().cloned());
                }
                return;
            }
            let key = m.expr(ARGUMENT);
            m.asked_object(&key);
            if m.eat(":") {
                let value = m.expr(ARGUMENT);
                entries.push((Rc::from(key.literal().unwrap_or_default()), value));
            }
        });
    }
    Val::table(entries)
}

fn lambda(m: &mut Machine) -> Val {
    m.at += 1;
    let colon = m.find(|tok| *tok == Tok::Op(":"));
    let ranges = m.range(m.at..colon, |m| m.split(m.end, ","));
    let params = ranges.into_iter().filter_map(|range| m.range(range, definitions::parameter)).collect();
    let params = definitions::preset(m, params);
    let start = colon + 1;
    m.at = start.min(m.end);
    let end = m.find(|tok| matches!(tok, Tok::Op("," | ")" | "]" | "}") | Tok::Newline) || is_for(tok));
    m.at = end;
    let tokens = Rc::clone(&m.tokens);
    let function = Function {
        params,
        tokens,
        body: start..end,
        short: true,
        called: false.into(),
        captured: Default::default(),
    };
    m.define(function)
}

/// A module by its name; one that lies beside the program is run, after the packages it is in.
fn module(m: &mut Machine, name: &str) -> Val {
    let known = modules::is_known(name);
    if !name.is_empty() && !known {
        for (at, _) in name.match_indices('.') {
            let package = name.get(..at).unwrap_or_default();
            bring_in(m, &format!("{}/__init__.py", package.replace('.', "/")), package, false);
        }
    }
    let base = name.replace('.', "/");
    let outer = name.rsplit_once('.').map_or("", |(outer, _)| outer);
    let mut found = None;
    if !name.is_empty() && !known {
        found = bring_in(m, &format!("{base}/__init__.py"), name, false);
    }
    // A file beside the program comes before the library's module of that name.
    if !name.is_empty() && found.is_none() {
        found = bring_in(m, &format!("{base}.py"), outer, !known);
    }
    match found {
        Some(module @ Val::Table(_)) if !known => module,
        _ => Val::name(name),
    }
}

/// Runs a file of a module, once, if it is there; what is not there may be remembered all the same.
fn bring_in(m: &mut Machine, file: &str, package: &str, remembered: bool) -> Option<Val> {
    let path = match m.searched(&[file.to_owned()]) {
        Some(path) => path,
        None if remembered => m.beside(file),
        None => return None,
    };
    let outer = std::mem::replace(&mut m.package, package.to_owned());
    let module = m.bring(&path);
    m.package = outer;
    Some(module)
}

/// The whole name of a module that is named from within a package: one dot is that package, each further one is the one
/// around it.
fn absolute(m: &Machine, path: &str) -> String {
    let name = path.trim_start_matches('.');
    let dots = path.len() - name.len();
    let mut parts: Vec<&str> = m.package.split('.').filter(|part| !part.is_empty() && dots > 0).collect();
    parts.truncate(parts.len().saturating_sub(dots.saturating_sub(1)));
    parts.extend(Some(name).filter(|name| !name.is_empty()));
    parts.join(".")
}

/// A name that is taken from a package may be a module in it.
fn submodule(m: &mut Machine, package: &str, name: &str) -> Option<Val> {
    let path = if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
    let base = path.replace('.', "/");
    let is_module = !modules::is_known(&path)
        && m.searched(&[format!("{base}.py"), format!("{base}/__init__.py")]).is_some();
    is_module.then(|| module(m, &path))
}
