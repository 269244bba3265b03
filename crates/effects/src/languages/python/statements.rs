//! Python's statements.

use std::ops::Range;
use std::rc::Rc;

use super::super::machine::Machine;
use super::super::scope::OUTER;
use super::super::token::Tok;
use super::super::value::{Args, Val};
use super::definitions::{class, decorated, define};

pub(super) fn statement(m: &mut Machine) {
    let word = match m.peek() {
        Some(Tok::Name(word)) => Rc::clone(word),
        Some(Tok::Newline | Tok::Indent | Tok::Dedent | Tok::Op(";" | ":")) => {
            m.at += 1;
            return;
        }
        Some(Tok::Op("@")) => return decorated(m),
        _ => return simple(m),
    };
    match &*word {
        "import" => import(m),
        "from" => import_from(m),
        "def" => drop(define(m)),
        "async" => m.at += 1,
        "class" => class(m),
        "if" => conditional(m),
        "while" => repeat(m),
        "for" => each(m),
        "try" | "else" | "finally" => {
            m.at += 1;
            maybe_block(m);
        }
        "except" => {
            m.at += 1;
            let colon = m.find(|tok| *tok == Tok::Op(":"));
            m.expr_in(m.at..colon);
            m.at = colon;
            maybe_block(m);
        }
        "with" => with(m),
        "match" if opens_block(m) => matching(m),
        "return" | "yield" => give_back(m),
        "raise" | "assert" => fail(m, &word),
        "global" | "nonlocal" => outside(m),
        "del" => {
            m.at += 1;
            let end = line_end(m);
            m.range(m.at..end, Machine::drop_items);
            m.at = end;
        }
        "pass" | "break" | "continue" => m.at += 1,
        // Statements of Python 2.
        "print" | "exec" if is_statement_of_two(m) => {
            m.at += 1;
            let end = line_end(m);
            let args = m.range(m.at..end, Machine::argument_list);
            m.at = end;
            m.library(&word, &args);
        }
        _ => simple(m),
    }
}

/// `global name`: what the function sets is not its own.
fn outside(m: &mut Machine) {
    m.at += 1;
    let end = line_end(m);
    while m.at < end {
        if let Some(name) = m.name() {
            m.scope.set(&format!("{OUTER}{name}"), Val::name("True"));
        } else {
            m.at += 1;
        }
    }
}

/// What a program fails with, or would. What is asserted is not said, only what it is to say.
fn fail(m: &mut Machine, word: &str) {
    m.at += 1;
    let end = line_end(m);
    let args = m.range(m.at..end, Machine::argument_list);
    m.at = end;
    args.list.iter().skip(usize::from(word == "assert")).for_each(|value| m.thrown(value));
}

fn is_statement_of_two(m: &Machine) -> bool {
    matches!(m.ahead(1), Some(Tok::Str(_) | Tok::Name(_) | Tok::Int(_)))
}

fn opens_block(m: &mut Machine) -> bool {
    let end = line_end(m);
    end > m.at && matches!(m.tokens.get(end - 1).map(|token| &token.tok), Some(Tok::Op(":")))
}

/// Where the statement ends.
pub(super) fn line_end(m: &mut Machine) -> usize {
    m.find(|tok| matches!(tok, Tok::Newline | Tok::Op(";") | Tok::Dedent))
}

/// An expression or an assignment.
fn simple(m: &mut Machine) {
    let end = line_end(m);
    let start = m.at;
    let mut marks = m.range(start..end, |m| m.split(m.end, "="));
    // What stands behind a `lambda` sets its defaults, and no variable.
    let lambda = m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "lambda"));
    let whole = marks.iter().position(|range| range.contains(&lambda));
    if let Some(range) = whole.and_then(|at| marks.get_mut(at)) {
        range.end = end;
    }
    marks.truncate(whole.map_or(marks.len(), |at| at + 1));
    let changed = m.range(start..end, |m| m.find(|tok| matches!(tok, Tok::Op(op) if op.len() > 1 && op.ends_with('=') && !matches!(*op, "==" | "<=" | ">=" | "!=" | ":="))));
    if changed < end {
        change(m, start..changed, changed + 1..end);
    } else if let [targets @ .., value] = marks.as_slice() {
        let value = m.range(value.clone(), tuple);
        for target in targets {
            let annotation = m.range(target.clone(), |m| m.find(|tok| *tok == Tok::Op(":")));
            m.range(target.start..annotation, |m| m.bind_pattern(&value));
        }
    }
    m.at = end;
}

/// `target += value`
fn change(m: &mut Machine, target: Range<usize>, value: Range<usize>) {
    let old = m.expr_in(target);
    let place = m.place.take();
    let adds =
        matches!(m.tokens.get(value.start.wrapping_sub(1)).map(|token| &token.tok), Some(Tok::Op("+=")));
    let op = m.range(value.clone(), |m| m.operator_before());
    let new = m.range(value, tuple);
    let value = match m.operated_in_place(&op, &old, &new) {
        Some(made) => made,
        None if adds => m.extended(&old, &new),
        None => old.union(&new),
    };
    m.assign(place, value);
}

/// One value, or several with commas between them, to the end of the range.
fn tuple(m: &mut Machine) -> Val {
    let start = m.at;
    let first = m.expr(0);
    if !m.sees(",") {
        return first;
    }
    m.at = start;
    Val::list(m.argument_list().list)
}

fn import(m: &mut Machine) {
    m.at += 1;
    let end = line_end(m);
    for range in m.range(m.at..end, |m| m.split(m.end, ",")) {
        m.range(range, |m| {
            let path = dotted(m);
            let module = m.module(&path);
            let top = path.split('.').next().unwrap_or_default().to_owned();
            if m.eat_word("as") {
                if let Some(name) = m.name() {
                    m.scope.set(&name, module);
                }
            } else if top == path {
                m.scope.set(&top, module);
            } else {
                m.scope.set(&path, module);
                m.scope.set(&top, Val::name(&top));
            }
        });
    }
    m.at = end;
}

fn dotted(m: &mut Machine) -> String {
    let mut path = String::new();
    while let Some(tok) = m.peek() {
        match tok {
            Tok::Op(dots @ ("." | "...")) => path.push_str(dots),
            Tok::Name(name) if (path.is_empty() || path.ends_with('.')) && &**name != "import" => {
                path.push_str(name)
            }
            _ => break,
        }
        m.at += 1;
    }
    path
}

fn import_from(m: &mut Machine) {
    m.at += 1;
    let path = dotted(m);
    m.eat_word("import");
    let end = line_end(m);
    let path = super::absolute(m, &path);
    let module = m.module(&path);
    if m.sees("*") && m.stars.len() < 16 {
        m.stars.push(Rc::from(path.as_str()));
        if let Val::Table(names) = &module {
            let public = names.entries.iter().filter(|(name, _)| !name.starts_with('_'));
            public.for_each(|(name, value)| m.scope.set(name, value.clone()));
        }
    }
    let inner = if m.sees("(") { m.at + 1..m.pair().min(end) } else { m.at..end };
    for range in m.range(inner, |m| m.split(m.end, ",")) {
        m.range(range, |m| {
            while matches!(m.peek(), Some(Tok::Newline)) {
                m.at += 1;
            }
            let Some(name) = m.name() else { return };
            let value = match super::submodule(m, &path, &name) {
                Some(module) => module,
                None => m.attribute(&module, None, &name),
            };
            let bound = if m.eat_word("as") { m.name().unwrap_or(name) } else { name };
            m.scope.set(&bound, value);
        });
    }
    m.at = end;
}

/// The block after a colon; the colon stands here or stood here. Moves behind it.
pub(super) fn block(m: &mut Machine) -> Range<usize> {
    m.eat(":");
    let mut at = m.at;
    while matches!(m.tokens.get(at).map(|token| &token.tok), Some(Tok::Newline)) && at < m.end {
        at += 1;
    }
    if at < m.end && matches!(m.tokens.get(at).map(|token| &token.tok), Some(Tok::Indent)) {
        m.at = at;
        let close = m.pair();
        m.at = (close + 1).min(m.end);
        return at + 1..close;
    }
    let end = m.find(|tok| matches!(tok, Tok::Newline | Tok::Dedent));
    let range = m.at..end;
    m.at = end;
    range
}

/// Runs a block that may not be run.
fn maybe_block(m: &mut Machine) {
    let range = block(m);
    m.branch(|m| m.range(range, Machine::statements));
}

fn conditional(m: &mut Machine) {
    let mut branches = Vec::new();
    let mut complete = false;
    loop {
        m.at += 1;
        let colon = m.find(|tok| *tok == Tok::Op(":"));
        let said = m.condition(colon);
        m.at = colon;
        let range = block(m);
        let leaves = m.leaves(&range);
        let negated = said.negated;
        branches.push(m.attempt(|m| {
            if !negated {
                m.believe(&said);
            }
            m.range(range, Machine::statements);
        }));
        if negated && leaves {
            m.believe(&said);
        }
        skip_newlines_before(m, &["elif", "else"]);
        if m.sees_word("elif") {
            continue;
        }
        if m.eat_word("else") {
            let range = block(m);
            branches.push(m.attempt(|m| m.range(range, Machine::statements)));
            complete = true;
        }
        break;
    }
    m.scope.join(branches, !complete);
}

/// Line ends before one of these words are no end of the statement.
fn skip_newlines_before(m: &mut Machine, words: &[&str]) {
    let mut at = m.at;
    while at < m.end && matches!(m.tokens.get(at).map(|token| &token.tok), Some(Tok::Newline)) {
        at += 1;
    }
    let found =
        matches!(m.tokens.get(at).map(|token| &token.tok), Some(Tok::Name(name)) if words.contains(&&**name));
    if found && at < m.end {
        m.at = at;
    }
}

fn repeat(m: &mut Machine) {
    m.at += 1;
    let start = m.effort();
    let colon = m.find(|tok| *tok == Tok::Op(":"));
    let condition = m.at..colon;
    let said = m.condition(colon);
    m.at = colon;
    let range = block(m);
    let after = m.at;
    m.endless = m.always(condition);
    m.at = range.start;
    m.looped(start, |m| {
        m.believe(&said);
        m.range(range.clone(), Machine::statements);
        m.at = range.end;
    });
    m.at = after;
}

fn each(m: &mut Machine) {
    m.at += 1;
    let of = m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "in"));
    let target = m.at..of;
    m.at = of + 1;
    let colon = m.find(|tok| *tok == Tok::Op(":"));
    let list = m.range(m.at..colon, tuple);
    let list = m.iterated(list);
    m.at = colon;
    let range = block(m);
    m.for_each(&list, range.len(), |m, item| {
        m.range(target.clone(), |m| m.bind_pattern(item));
        m.range(range.clone(), Machine::statements);
    });
}

fn with(m: &mut Machine) {
    m.at += 1;
    let (stubs, replaced) = (m.stubs.len(), m.replaced.len());
    let mut managers = Vec::new();
    let colon = m.find(|tok| *tok == Tok::Op(":"));
    let inner = if m.sees("(") && m.pair() + 1 == colon { m.at + 1..colon - 1 } else { m.at..colon };
    for range in m.range(inner, |m| m.split(m.end, ",")) {
        m.range(range, |m| {
            let value = m.expr(0);
            let patched = m.patched(&value);
            m.stubs.extend(patched);
            managers.push(value.clone());
            let value = entered(m, value);
            if m.eat_word("as") {
                m.bind_pattern(&value);
            }
        });
    }
    m.at = colon;
    let range = block(m);
    m.range(range, Machine::statements);
    m.stubs.truncate(stubs);
    m.emptied(replaced);
    for manager in managers {
        own(m, &manager, "__exit__");
    }
}

/// `match value:` and its cases, whose patterns take the value apart.
fn matching(m: &mut Machine) {
    m.at += 1;
    let colon = m.find(|tok| *tok == Tok::Op(":"));
    let value = m.range(m.at..colon, tuple);
    m.at = colon;
    let cases = block(m);
    let mut branches = Vec::new();
    m.range(cases, |m| {
        while m.at < m.end && !m.is_stopped() {
            if !m.eat_word("case") {
                m.at += 1;
                continue;
            }
            let colon = m.find(|tok| *tok == Tok::Op(":"));
            let pattern = m.at..m.find(|tok| matches!(tok, Tok::Name(name) if &**name == "if")).min(colon);
            m.at = colon;
            let body = block(m);
            branches.push(m.attempt(|m| {
                m.range(pattern.clone(), |m| bind_case(m, &value));
                m.range(pattern.end + 1..colon, |m| m.expr(0));
                m.range(body, Machine::statements);
            }));
        }
    });
    m.scope.join(branches, true);
}

/// The names in a pattern are what stands there in the value, or may stand anywhere in it.
fn bind_case(m: &mut Machine, value: &Val) {
    let plain = !m.tokens.get(m.at..m.end).unwrap_or_default().iter().any(|token| {
        matches!(token.tok, Tok::Op("{" | "(" | "." | "|" | "="))
            || matches!(token.tok, Tok::Name(ref name) if &**name == "as")
    });
    if plain && !matches!(m.peek(), Some(Tok::Str(_) | Tok::Int(_))) {
        return m.bind_pattern(value);
    }
    let any =
        value.items_or_self().into_iter().reduce(|all, item| all.union(&item)).unwrap_or_else(Val::unknown);
    let any = match value {
        Val::Table(_) => value.items().into_iter().reduce(|all, item| all.union(&item)).unwrap_or(any),
        Val::Object(object) if object.own.is_some() => m.parts_of_own(value),
        _ => any,
    };
    while m.at < m.end {
        let called = matches!(m.ahead(1), Some(Tok::Op("(" | "." | "=")));
        match m.name() {
            Some(name) if !called && !matches!(&*name, "as" | "None" | "True" | "False") => {
                m.scope.set(&name, any.clone());
            }
            Some(_) => {}
            None => m.at += 1,
        }
    }
}

/// What a manager of the program's own does when it is entered, and what it yields.
fn entered(m: &mut Machine, value: Val) -> Val {
    match own(m, &value, "__enter__") {
        Some(yielded @ (Val::File(_) | Val::Pipe(_) | Val::Text(_) | Val::Object(_))) => yielded,
        // `@contextmanager`: what its generator yields.
        _ => match &value {
            Val::List(list) if list.open && list.items.len() == 1 && makes_managers(m) => {
                list.items.first().cloned().unwrap_or(value)
            }
            _ => value,
        },
    }
}

fn makes_managers(m: &Machine) -> bool {
    ["contextmanager", "contextlib"].iter().any(|name| m.scope.get(name).is_some())
}

/// Calls a method that the program defines.
fn own(m: &mut Machine, object: &Val, name: &str) -> Option<Val> {
    if let Some(result) = m.method_of_own(object, name, &Args::default()) {
        return Some(result);
    }
    let method = m.own_method(name)?;
    Some(m.apply(&method, &Args::default()))
}

fn give_back(m: &mut Machine) {
    let yields = m.sees_word("yield");
    m.at += 1;
    let all = m.eat_word("from");
    let end = line_end(m);
    if m.at < end {
        let value = m.range(m.at..end, tuple);
        // A generator gives back, one after the other, whatever it yields.
        m.give_back(if yields && !all { Val::many(vec![value]) } else { value });
    }
    m.at = end;
}
