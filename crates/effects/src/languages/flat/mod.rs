//! Languages that are read flat: Lua, R, Julia, and the long tail. Every statement counts, whatever block it
//! stands in; a variable is everything it was ever set to. One catalogue serves them all: the names of
//! what runs, deletes, writes and sends hardly clash.

mod beam;
mod builders;
mod compiled;
mod curried;
mod fills;
mod functional;
mod functions;
mod lambdas;
mod lex;
mod library;
mod managed;
mod types;

use std::rc::Rc;

use super::expr::{ARGUMENT, UNARY};
use super::libc;
use super::machine::Machine;
use super::syntax::{Infix, Syntax, no_block};
use super::token::Tok;
use super::value::Val;
pub(super) use builders::{COMMAND, OPENING, labelled};
use curried::beside;
pub(super) use curried::{curried_call, starts_argument};
pub(super) use functions::main;
use lex::{FORM, Form, lex};
pub(super) use types::{of_type, turbofish};

pub(super) static LUA: Syntax =
    Syntax { lex: |text| lex(text, &Form { comments: &["--"], long: true, ..FORM }), ..FLAT };
pub(super) static HASHED: Syntax = Syntax { lex: |text| lex(text, &Form { code: &["#{"], ..FORM }), ..FLAT };
pub(super) static JULIA: Syntax =
    Syntax { lex: |text| lex(text, &Form { code: &["$("], dollar: true, ..FORM }), ..FLAT };
pub(super) static GNUPLOT: Syntax = Syntax { function: library::gnuplot, ..FLAT };
pub(super) static SLASHED: Syntax = Syntax {
    lex: |text| lex(text, &Form { comments: &["//"], code: &["${", "\\("], dollar: true, ..FORM }),
    statement: |m| {
        if m.sees_word("return") {
            functions::give_back(m);
        } else if !functions::define(m) && !fills::array(m) && !fills::stream(m) {
            statement(m);
        }
    },
    primary: |m, tok| fills::fill(m).unwrap_or_else(|| primary(m, tok)),
    operator: |tok| match tok {
        Tok::Op("<<") => Some((25, Infix::Number('<'))),
        _ => operator(tok),
    },
    block: lambdas::trailing,
    function: |name| library::function(name).or_else(|| libc::function(name)),
    ..FLAT
};
pub(super) static MARKED: Syntax =
    Syntax { lex: |text| lex(text, &Form { comments: &["%", "#"], ..FORM }), ..FLAT };
pub(super) static ERLANG: Syntax = Syntax {
    lex: |text| lex(text, &Form { comments: &["%"], comment: None, ..FORM }),
    members: &[":"],
    ..FLAT
};
pub(super) static DASHED: Syntax = Syntax {
    lex: |text| lex(text, &Form { comments: &["--"], primed: true, comment: Some(("{-", "-}")), ..FORM }),
    operator: curried_operator,
    members: &["."],
    curried: true,
    ..FLAT
};
pub(super) static ML: Syntax = Syntax {
    lex: |text| {
        let form = Form { comments: &["//"], primed: true, comment: Some(("(*", "*)")), ..FORM };
        lex(text, &form)
    },
    operator: curried_operator,
    members: &["."],
    curried: true,
    ..FLAT
};
pub(super) static NIX: Syntax = Syntax {
    lex: |text| lex(text, &Form { code: &["${"], paths: true, ..FORM }),
    operator: curried_operator,
    members: &["."],
    curried: true,
    ..FLAT
};

const FLAT: Syntax = Syntax {
    lex: |text| lex(text, &FORM),
    statement,
    primary,
    operator,
    members: &[".", ":", "?.", "->", "::", "@"],
    bare_calls: false,
    flat: true,
    block: no_block,
    slices: false,
    generator: no_block,
    module: |_, name| Val::name(name),
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &["os"],
    keeps_output: false,
    local: false,
    symbolic: false,
    curried: false,
    this: "self",
    constructor: "",
    invoked: "",
    copying: &[],
};

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "or" | "orelse" => (4, Infix::Either),
            "and" | "andalso" => (5, Infix::Second),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            "=" | "<-" | "<<-" | ":=" => (2, Infix::Assign),
            "+=" | ".=" => (2, Infix::AddAssign),
            "-=" | "*=" | "/=" => (2, Infix::OtherAssign),
            "?" => (3, Infix::Choice),
            "||" => (4, Infix::Either),
            "&&" => (5, Infix::Second),
            "==" | "===" | "!=" | "~=" | "!==" | "<" | ">" | "<=" | ">=" => (10, Infix::Other),
            "|>" | ">>=" => (12, Infix::Feed),
            ".." | "<>" | "++" | "&" => (30, Infix::Join),
            "+" => (30, Infix::Add),
            "-" => (30, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Slash),
            "%" => (40, Infix::Format),
            "|" => (45, Infix::Number('|')),
            "^" | "**" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

/// The operators of languages where a function stands before its argument.
fn curried_operator(tok: &Tok) -> Option<(u8, Infix)> {
    match tok {
        Tok::Op("$" | "@@" | "=<<") => Some((3, Infix::Call)),
        Tok::Op("^") => Some((30, Infix::Join)),
        Tok::Op("!" | "&" | "?" | ":=") => None,
        Tok::Name(name) if matches!(&**name, "or" | "and") => None,
        _ => operator(tok),
    }
}

/// Words between statements that do nothing on their own.
const STRUCTURE: &[&str] = &[
    "local",
    "var",
    "let",
    "val",
    "const",
    "if",
    "then",
    "else",
    "elseif",
    "elsif",
    "end",
    "while",
    "do",
    "for",
    "in",
    "return",
    "begin",
    "try",
    "catch",
    "finally",
    "repeat",
    "until",
    "switch",
    "case",
    "foreach",
    "unless",
    "when",
    "new",
    "not",
    "static",
    "public",
    "private",
    "await",
    "async",
    "println!",
    "of",
    "endif",
    "endfunction",
    "endwhile",
    "import",
    "using",
    "require",
    "alias",
    "throw",
    "def",
    "defp",
    "fun",
    "fn",
    "rec",
    "open",
    "where",
    "mut",
    "defer",
    "go",
    "match",
    "with",
];

fn is_structure(word: &str) -> bool {
    STRUCTURE.contains(&word)
}

fn statement(m: &mut Machine) {
    let lists = matches!((m.peek(), m.ahead(1)), (Some(Tok::Name(_)), Some(Tok::Op(","))));
    let repeats = m.sees_word("for") || m.sees_word("foreach");
    if lists && assigns_several(m) || repeats && binds_item(m) {
        return;
    }
    if takes_apart(m) || types::binding(m) {
        return;
    }
    match m.peek() {
        Some(Tok::Op("{")) => m.at += 1,
        Some(Tok::Op(";" | "}" | ")" | "]" | "," | ":" | "=>" | "->" | "=" | "." | "|" | "<" | ">")) => {
            m.at += 1
        }
        Some(Tok::Name(word)) if is_structure(word) && !matches!(m.ahead(1), Some(Tok::Op("." | "("))) => {
            m.at += 1
        }
        // `let (a, b) = …`
        Some(Tok::Name(word)) if matches!(&**word, "let" | "val" | "var" | "const") => m.at += 1,
        Some(Tok::Name(_)) if types::is_pointer(m) => m.at += 2,
        Some(Tok::Name(word)) if &**word == "function" => skip_header(m),
        // Gnuplot's `!command`.
        Some(Tok::Op("!")) => m.at += 1,
        _ => {
            let value = m.expr(0);
            // What a function ends with is what it returns.
            if m.at >= m.end && !m.active.is_empty() {
                m.give_back_last(value);
            }
        }
    }
}

/// `for x in list`, `for (T x : list)`, `for _, x := range list`, `for (k, v) in list`: the last name stands for any
/// item, and names in brackets for its parts. The body runs where it stands.
fn binds_item(m: &mut Machine) -> bool {
    let start = m.at;
    m.at += 1;
    let pattern = m.sees("(").then(|| m.at..m.pair() + 1);
    if let Some(pattern) = pattern.filter(|range| is_in(m, range.end)) {
        m.at = pattern.end + 1;
        let list = m.expr(ARGUMENT);
        let item = m.exposed(&list).item();
        m.range(pattern, |m| m.bind_pattern(&item));
        return true;
    }
    m.eat("(");
    let mut last = None;
    for _ in 0..2 * SEVERAL {
        if m.sees_word("in") {
            break;
        }
        match m.name() {
            Some(name) => last = Some(name),
            // A type stands before the name.
            None if matches!(m.peek(), Some(Tok::Op("," | "." | "<" | ">" | "?"))) => m.at += 1,
            None => break,
        }
    }
    let over = m.eat_word("in") || m.eat(":") || (m.eat(":=") && m.eat_word("range"));
    let Some(name) = last.filter(|_| over) else {
        m.at = start;
        return false;
    };
    let list = m.expr(ARGUMENT);
    let item = m.exposed(&list).item();
    m.assign(Some(name), item);
    true
}

/// Does `in` stand there?
fn is_in(m: &Machine, at: usize) -> bool {
    let tok = m.tokens.get(at).filter(|_| at < m.end).map(|token| &token.tok);
    matches!(tok, Some(Tok::Name(word)) if &**word == "in") || matches!(tok, Some(Tok::Op("<-" | "=")))
}

/// `{ok, x} = f()`, `(a, b) = f()`, `Ok(x) = f()`: each name stands for its part where the parts are known, else for the
/// whole.
fn takes_apart(m: &mut Machine) -> bool {
    let opens = matches!(m.peek(), Some(Tok::Op("{" | "(" | "[")));
    let (start, close) = (m.at, m.pair());
    let sets = |tok: Option<&Tok>| matches!(tok, Some(Tok::Op("=" | ":=" | "<-")));
    if !opens || !sets(m.tokens.get(close + 1).filter(|_| close + 1 < m.end).map(|token| &token.tok)) {
        return false;
    }
    m.at = close + 2;
    let value = several(m).unwrap_or_else(|| m.expr(ARGUMENT));
    let value = m.exposed(&value);
    let tokens = Rc::clone(&m.tokens);
    let inside = tokens.get(start + 1..close).unwrap_or_default().iter();
    let names = inside.filter_map(|token| match &token.tok {
        Tok::Name(name)
            if !matches!(&**name, "ok" | "error" | "_" | "mut" | "ref" | "Ok" | "Some" | "Err") =>
        {
            Some(name)
        }
        _ => None,
    });
    for (at, name) in names.take(SEVERAL).enumerate() {
        let part = match &value {
            Val::List(list) if !list.open => list.items.get(at).cloned(),
            _ => None,
        };
        m.assign(Some(Rc::clone(name)), part.unwrap_or_else(|| value.clone()));
    }
    true
}

/// `(a, b)`: what is set to several names at once.
fn several(m: &mut Machine) -> Option<Val> {
    let close = m.pair();
    let whole = m.sees("(") && !matches!(m.tokens.get(close + 1).map(|token| &token.tok), Some(Tok::Op(".")));
    let inside = m.at + 1..close;
    let parted = whole && m.range(inside.clone(), |m| m.find(|tok| *tok == Tok::Op(","))) < inside.end;
    if !parted {
        return None;
    }
    m.at = close + 1;
    let args = m.range(inside, Machine::argument_list);
    Some(Val::list(args.list))
}

/// The most names that are set at once.
const SEVERAL: usize = 8;

/// `a, b := f()`: the first name stands for the value, the others for what else there is.
fn assigns_several(m: &mut Machine) -> bool {
    let start = m.at;
    let mut names = Vec::new();
    while let Some(Tok::Name(name)) = m.peek().cloned() {
        names.push(name);
        m.at += 1;
        if names.len() == SEVERAL || !m.eat(",") {
            break;
        }
    }
    if !(m.eat(":=") || m.eat("=")) {
        m.at = start;
        return false;
    }
    let mut values = vec![m.expr(ARGUMENT)];
    while values.len() < names.len() && m.eat(",") {
        values.push(m.expr(ARGUMENT));
    }
    let values = match values.as_slice() {
        [Val::List(list)] if !list.open => list.items.clone(),
        _ => values,
    };
    for (name, value) in names.into_iter().zip(values) {
        m.assign(Some(name), value);
    }
    true
}

/// `function name(params)`: what follows runs as if it stood here.
fn skip_header(m: &mut Machine) {
    m.at += 1;
    while matches!(m.peek(), Some(Tok::Name(_) | Tok::Op("." | ":"))) {
        m.at += 1;
    }
    if m.sees("(") {
        m.at = m.pair() + 1;
    }
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    if let Some(function) = lambdas::argument(m) {
        return function;
    }
    if let Some(list) = typed_list(m) {
        return list;
    }
    match tok {
        Tok::Name(name) if &**name == "function" => {
            skip_header(m);
            Val::unknown()
        }
        Tok::Name(name) if &**name == "new" && builders::initialised(m) => builders::object(m),
        Tok::Name(name)
            if &**name == "new"
                && let Some(made) = types::anonymous(m) =>
        {
            made
        }
        Tok::Name(name) if is_structure(name) && !matches!(m.ahead(1), Some(Tok::Op("." | "("))) => {
            m.at += 1;
            m.expr(UNARY)
        }
        Tok::Name(_) if types::is_literal(m) => {
            m.at += 1;
            listed(m)
        }
        Tok::Name(name) => {
            m.at += 1;
            m.lookup(name)
        }
        Tok::Op("(") if types::is_cast(m) => {
            m.at = m.pair() + 1;
            m.expr(UNARY)
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
        Tok::Op("[" | "{") => listed(m),
        // `:os` in Elixir, `%x` in Octave.
        Tok::Op(":" | "%" | "$" | "@") => {
            m.at += 1;
            m.expr(ARGUMENT + UNARY)
        }
        _ => Val::unknown(),
    }
}

/// What stands in brackets: a list, or a table where its items have names. `[f(X) || X <- list]` and
/// `[f(x) for x in list]` make an item of every item of another list.
fn listed(m: &mut Machine) -> Val {
    let close = m.pair();
    let inside = m.at + 1..close;
    m.at = close + 1;
    let is_from = |tok: &Tok| *tok == Tok::Op("||") || matches!(tok, Tok::Name(word) if &**word == "for");
    let from = m.range(inside.clone(), |m| m.find(is_from));
    if from < inside.end && from > inside.start {
        m.range(from + 1..inside.end, bind_generators);
        let item = m.expr_in(inside.start..from);
        return Val::many(vec![item]);
    }
    // Nix puts nothing between items.
    let parted =
        m.range(inside.clone(), |m| m.find(|tok| matches!(tok, Tok::Op("," | ";" | "=")))) < inside.end;
    if m.syntax.curried && !parted {
        return Val::list(m.range(inside, beside));
    }
    let args = m.range(inside, Machine::argument_list);
    if args.list.is_empty() { Val::table(args.named) } else { Val::list(args.list) }
}

/// `X <- list, {K, V} <- other`: each name stands for any item.
fn bind_generators(m: &mut Machine) {
    for range in m.split(m.end, ",") {
        let is_from = |tok: &Tok| {
            matches!(tok, Tok::Op("<-" | "=")) || matches!(tok, Tok::Name(word) if &**word == "in")
        };
        let sign = m.range(range.clone(), |m| m.find(is_from));
        let source = (sign + 1).min(range.end)..range.end;
        let list = m.expr_in(source);
        let item = m.exposed(&list).item();
        if sign < range.end {
            m.range(range.start..sign, |m| m.bind_pattern(&item));
        }
    }
}

/// `new T[] {…}`, `[]T{…}`, `[]T(…)`: a list, or a value made another type.
fn typed_list(m: &mut Machine) -> Option<Val> {
    let empty =
        |at: usize| matches!((m.ahead(at), m.ahead(at + 1)), (Some(Tok::Op("[")), Some(Tok::Op("]"))));
    let skip = match (m.peek()?, m.ahead(1)) {
        (Tok::Name(new), Some(Tok::Name(_))) if &**new == "new" && empty(2) => 4,
        (Tok::Name(new), _) if &**new == "new" && empty(1) => 3,
        (Tok::Name(_), _) if empty(1) => 3,
        (Tok::Op("["), _) if empty(0) && matches!(m.ahead(2), Some(Tok::Name(_))) => 3,
        _ => return None,
    };
    let made = matches!(m.ahead(skip), Some(Tok::Op("{" | "(")));
    if !made {
        return None;
    }
    m.at += skip;
    Some(if m.sees("{") { listed(m) } else { m.expr(UNARY) })
}
