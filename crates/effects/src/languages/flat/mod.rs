//! Languages that are read flat: Lua, R, Julia, and the long tail. Every statement counts, whatever block it
//! stands in; a variable is everything it was ever set to. One catalogue serves them all: the names of
//! what runs, deletes, writes and sends hardly clash.

mod lambdas;
mod library;

use std::rc::Rc;

use super::expr::{ARGUMENT, UNARY};
use super::libc;
use super::machine::Machine;
use super::syntax::{Infix, Syntax, no_block};
use super::token::{
    Parts, Scan, Tok, Token, Tokens, brackets, delimited, embedded, escape, is_name, is_stand_in, plain,
    starts_name,
};
use super::value::Val;

pub(super) static LUA: Syntax = Syntax { lex: |text| lex(text, &["--"], None), ..FLAT };
pub(super) static HASHED: Syntax = Syntax { lex: |text| lex(text, &["#"], Some("#{")), ..FLAT };
pub(super) static SLASHED: Syntax = Syntax {
    lex: |text| lex(text, &["//"], Some("${")),
    block: lambdas::trailing,
    function: |name| library::function(name).or_else(|| libc::function(name)),
    ..FLAT
};
pub(super) static MARKED: Syntax = Syntax { lex: |text| lex(text, &["%", "#"], None), ..FLAT };
pub(super) static DASHED: Syntax = Syntax { lex: |text| lex(text, &["--"], None), ..FLAT };

const FLAT: Syntax = Syntax {
    lex: |text| lex(text, &["#"], None),
    statement,
    primary,
    operator,
    members: &[".", ":", "?.", "->", "::", "@"],
    bare_calls: false,
    flat: true,
    block: no_block,
    slices: false,
    module: |_, name| Val::name(name),
    function: library::function,
    method: library::method,
    canonical: library::canonical,
    foreign: |_| false,
    risky: &["os"],
    keeps_output: false,
    local: false,
    symbolic: false,
};

const OPS: &[&str] = &[
    "<<-", "...", "===", "!==", "<-", "->", "=>", "|>", "::", "==", "!=", "~=", "<=", ">=", "&&", "||", "++",
    "--", "+=", "-=", "*=", "/=", ".=", "..", "<>", ":=", "?.", "**", "(", ")", "[", "]", "{", "}", ";", ",",
    ".", "=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "&", "|", "^", "~", "@", "$", "#", "\\",
];

fn lex(text: &str, comments: &[&str], code: Option<&str>) -> Rc<[Token]> {
    let mut scan = Scan::new(text);
    let mut tokens = Tokens { fresh: true, ..Tokens::default() };
    if scan.sees("#!") {
        scan.line();
    }
    while !scan.done() {
        step(&mut scan, &mut tokens, comments, code);
    }
    tokens.finish(brackets)
}

fn step(scan: &mut Scan, tokens: &mut Tokens, comments: &[&str], code: Option<&str>) {
    let Some(c) = scan.peek() else { return };
    match c {
        _ if c.is_whitespace() => {
            scan.next();
            tokens.spaced = true;
            tokens.fresh |= c == '\n';
        }
        '-' if scan.sees("--[[") => {
            scan.until("]]");
        }
        '/' if scan.sees("/*") => {
            scan.until("*/");
        }
        _ if comments.iter().any(|mark| scan.sees(mark)) && !scan.sees("#{") => {
            scan.line();
        }
        '[' if scan.sees("[[") && comments == ["--"] => {
            scan.at += 2;
            let text = scan.until("]]");
            tokens.push(Tok::Str(plain(text)));
        }
        '"' | '\'' | '`' => string(scan, tokens, code),
        // Elixir's sigils: `~c"…"`, `~s(…)`.
        '~' if code == Some("#{") && sigil(scan) => {
            scan.at += 2;
            let Some(open) = scan.next() else { return };
            let text = delimited(scan, open);
            tokens.push(Tok::Str(plain(text)));
        }
        // Scala runs a text with `"…" !` too.
        '!' if code == Some("${") && !scan.sees("!=") && matches!(tokens.last(), Some(Tok::Str(_))) => {
            scan.take(|c| c == '!');
            run_before(tokens);
        }
        // Scala runs a text with `"…".!`.
        '.' if scan.sees(".!") => {
            scan.next();
            scan.take(|c| c == '!');
            run_before(tokens);
        }
        '0'..='9' => {
            let number = scan.number();
            tokens.push(number);
        }
        _ if starts_name(c) => {
            let name = scan.take(|c| is_name(c) || c == '!');
            let name = name.trim_end_matches('!');
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

/// What stands before is run: `.execute()`.
fn run_before(tokens: &mut Tokens) {
    tokens.push(Tok::Op("."));
    tokens.push(Tok::Name(Rc::from("execute")));
    tokens.push(Tok::Op("("));
    tokens.push(Tok::Op(")"));
}

/// Does `~`, a letter and something that opens a text stand here?
fn sigil(scan: &Scan) -> bool {
    let mut ahead = scan.rest().chars().skip(1);
    ahead.next().is_some_and(|c| c.is_ascii_alphabetic())
        && ahead.next().is_some_and(|c| "\"'([{|/<".contains(c))
}

fn string(scan: &mut Scan, tokens: &mut Tokens, code: Option<&str>) {
    let Some(quote) = scan.next() else { return };
    let long = [quote, quote].iter().collect::<String>();
    let end = if scan.eat(&long) { format!("{long}{quote}") } else { quote.to_string() };
    let mut parts = Parts::default();
    while !scan.done() && !scan.eat(&end) {
        match code {
            Some(mark) if quote != '\'' && scan.eat(mark) => {
                let expression = embedded(scan);
                parts.code(expression);
                continue;
            }
            _ => {}
        }
        match scan.next() {
            Some('\\') => escape(scan, &mut parts),
            Some(c) => parts.push(c),
            None => break,
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}

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
            "|>" => (12, Infix::Feed),
            ".." | "<>" | "++" | "&" => (30, Infix::Join),
            "+" => (30, Infix::Add),
            "-" => (30, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Slash),
            "%" => (40, Infix::Format),
            "^" | "**" | "|" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

/// Words between statements that do nothing on their own.
fn is_structure(word: &str) -> bool {
    matches!(
        word,
        "local"
            | "var"
            | "let"
            | "val"
            | "const"
            | "if"
            | "then"
            | "else"
            | "elseif"
            | "elsif"
            | "end"
            | "while"
            | "do"
            | "for"
            | "in"
            | "return"
            | "begin"
            | "try"
            | "catch"
            | "finally"
            | "repeat"
            | "until"
            | "switch"
            | "case"
            | "foreach"
            | "unless"
            | "when"
            | "new"
            | "not"
            | "static"
            | "public"
            | "private"
            | "await"
            | "async"
            | "println!"
            | "of"
            | "endif"
            | "endfunction"
            | "endwhile"
            | "import"
            | "using"
            | "require"
            | "alias"
            | "throw"
            | "def"
            | "defp"
            | "fun"
            | "fn"
    )
}

fn statement(m: &mut Machine) {
    let lists = matches!((m.peek(), m.ahead(1)), (Some(Tok::Name(_)), Some(Tok::Op(","))));
    if lists && assigns_several(m) || m.sees_word("for") && binds_item(m) {
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
        Some(Tok::Name(word)) if &**word == "function" => skip_header(m),
        // Gnuplot's `!command`.
        Some(Tok::Op("!")) => m.at += 1,
        _ => {
            m.expr(0);
        }
    }
}

/// `for x in list`, `for (T x : list)`, `for _, x := range list`: the last name stands for any item. The body runs
/// where it stands.
fn binds_item(m: &mut Machine) -> bool {
    let start = m.at;
    m.at += 1;
    m.eat("(");
    let mut last = None;
    for _ in 0..SEVERAL {
        if m.sees_word("in") {
            break;
        }
        match m.name() {
            Some(name) => last = Some(name),
            None => break,
        }
        m.eat(",");
    }
    let over = m.eat_word("in") || m.eat(":") || (m.eat(":=") && m.eat_word("range"));
    let Some(name) = last.filter(|_| over) else {
        m.at = start;
        return false;
    };
    let item = m.expr(ARGUMENT).item();
    m.assign(Some(name), item);
    true
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
    match tok {
        Tok::Name(name) if &**name == "function" => {
            skip_header(m);
            Val::unknown()
        }
        Tok::Name(name) if is_structure(name) && !matches!(m.ahead(1), Some(Tok::Op("." | "("))) => {
            m.at += 1;
            m.expr(UNARY)
        }
        Tok::Name(name) => {
            m.at += 1;
            m.lookup(name)
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
        Tok::Op("[" | "{") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            if args.list.is_empty() { Val::table(args.named) } else { Val::list(args.list) }
        }
        // `:os` in Elixir, `%x` in Octave.
        Tok::Op(":" | "%" | "$" | "@") => {
            m.at += 1;
            m.expr(ARGUMENT + UNARY)
        }
        _ => Val::unknown(),
    }
}
