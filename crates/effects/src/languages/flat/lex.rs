//! Text to tokens, for the languages that are read flat.

use std::rc::Rc;

use tollgate_model::work;

use super::super::token::{
    Parts, Scan, Tok, Token, Tokens, brackets, delimited, embedded, escape, is_name, is_stand_in, plain,
    starts_name,
};

/// How a language writes what the others write differently.
pub(super) struct Form {
    /// What begins a comment that ends with its line.
    pub comments: &'static [&'static str],
    /// What opens code in a text: `${`, `\(`. Its last character is the bracket that closes.
    pub code: &'static [&'static str],
    /// `$name` in a text is a variable that was named before.
    pub dollar: bool,
    /// Lua's `[[…]]` is a text.
    pub long: bool,
    /// A quote may end a name (`x'`), and one character between two of them is a text.
    pub primed: bool,
    /// A path is written without quotes.
    pub paths: bool,
    /// What opens and closes a comment of several lines.
    pub comment: Option<(&'static str, &'static str)>,
}

pub(super) const FORM: Form = Form {
    comments: &["#"],
    code: &[],
    dollar: false,
    long: false,
    primed: false,
    paths: false,
    comment: Some(("/*", "*/")),
};

const OPS: &[&str] = &[
    "<<-", "<<=", "...", "===", "!==", ">>=", "=<<", "<-", "->", "=>", "|>", "::", "==", "!=", "~=", "<=",
    ">=", "<<", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", ".=", "..", "<>", ":=", "?.", "**", "@@",
    "(", ")", "[", "]", "{", "}", ";", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "&",
    "|", "^", "~", "@", "$", "#", "\\",
];

pub(super) fn lex(text: &str, form: &Form) -> Rc<[Token]> {
    work::charge(text.len());
    let mut scan = Scan::new(text);
    let mut tokens = Tokens { fresh: true, ..Tokens::default() };
    if scan.sees("#!") {
        scan.line();
    }
    while !scan.done() {
        let before = scan.at;
        step(&mut scan, &mut tokens, form);
        if scan.at == before {
            scan.next();
        }
    }
    tokens.finish(brackets)
}

fn step(scan: &mut Scan, tokens: &mut Tokens, form: &Form) {
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
        _ if form.comment.is_some_and(|(open, _)| scan.sees(open)) => {
            scan.until(form.comment.map_or("", |(_, close)| close));
        }
        _ if form.paths && is_path(scan.rest()) => {
            let path = scan.take(|c| is_name(c) || "/.~-+".contains(c));
            tokens.push(Tok::Str(plain(path)));
        }
        _ if form.comments.iter().any(|mark| scan.sees(mark)) && !scan.sees("#{") => {
            scan.line();
        }
        '[' if scan.sees("[[") && form.long => {
            scan.at += 2;
            let text = scan.until("]]");
            tokens.push(Tok::Str(plain(text)));
        }
        '\'' if form.paths && scan.sees("''") => {
            scan.at += 2;
            let text = scan.until("''");
            tokens.push(Tok::Str(plain(text)));
        }
        '\'' if form.primed => primed(scan, tokens),
        '\'' if is_lifetime(scan) => {
            scan.next();
            scan.name();
        }
        '"' | '\'' | '`' => string(scan, tokens, form),
        '0'..='9' => {
            let number = scan.number();
            tokens.push(number);
        }
        _ if starts_name(c) => {
            let name = scan.take(|c| is_name(c) || c == '!' || (form.primed && c == '\''));
            let name = name.trim_end_matches('!');
            let unknown = name.chars().all(is_stand_in);
            tokens.push(if unknown { Tok::Other } else { Tok::Name(Rc::from(name)) });
        }
        _ => sign(scan, tokens, form),
    }
}

fn sign(scan: &mut Scan, tokens: &mut Tokens, form: &Form) {
    let braced = form.code.contains(&"${");
    match scan.peek() {
        // Elixir's sigils: `~c"…"`, `~s(…)`.
        Some('~') if form.code.contains(&"#{") && sigil(scan) => {
            scan.at += 2;
            let Some(open) = scan.next() else { return };
            let text = delimited(scan, open);
            tokens.push(Tok::Str(plain(text)));
        }
        // Scala runs a text with `"…" !` too.
        Some('!') if braced && !scan.sees("!=") && matches!(tokens.last(), Some(Tok::Str(_))) => {
            scan.take(|c| c == '!');
            run_before(tokens);
        }
        // Scala runs a text with `"…".!`.
        Some('.') if scan.sees(".!") => {
            scan.next();
            scan.take(|c| c == '!');
            run_before(tokens);
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

/// `/etc/hosts`, `./x`, `../x`, `~/x`.
fn is_path(rest: &str) -> bool {
    let inside = ["/", "./", "../", "~/"].iter().find_map(|start| rest.strip_prefix(start));
    inside.and_then(|rest| rest.chars().next()).is_some_and(|c| is_name(c) || c == '.')
}

/// Rust's `<'a>` and `&'a str`.
fn is_lifetime(scan: &Scan) -> bool {
    let before = scan.text.get(..scan.at).and_then(|text| text.chars().next_back());
    let named = scan.rest().trim_start_matches('\'');
    matches!(before, Some('<' | '&')) || named.starts_with("static ") || named.starts_with("static>")
}

/// `'c'`, or the quote before the name of a type.
fn primed(scan: &mut Scan, tokens: &mut Tokens) {
    scan.next();
    let mut ahead = scan.rest().chars();
    let first = ahead.next();
    if first == Some('\\') {
        let text = scan.until("'");
        return tokens.push(Tok::Str(plain(text)));
    }
    if ahead.next() == Some('\'') {
        let text: String = first.into_iter().collect();
        scan.at += text.len() + 1;
        tokens.push(Tok::Str(plain(&text)));
    }
}

fn string(scan: &mut Scan, tokens: &mut Tokens, form: &Form) {
    let Some(quote) = scan.next() else { return };
    let long = [quote, quote].iter().collect::<String>();
    let end = if scan.eat(&long) { format!("{long}{quote}") } else { quote.to_string() };
    let mut parts = Parts::default();
    while !scan.done() && !scan.eat(&end) {
        let open = form.code.iter().find(|mark| quote != '\'' && scan.sees(mark));
        if let Some(mark) = open {
            scan.at += mark.len();
            let expression = if mark.ends_with('{') { embedded(scan) } else { delimited(scan, '(') };
            parts.code(expression);
            continue;
        }
        if scan.sees("{") && tokens.last() == Some(&Tok::Op("$")) {
            scan.next();
            let expression = embedded(scan);
            parts.code(expression);
            continue;
        }
        match scan.next() {
            Some('{') if is_format(tokens) && is_named(scan, tokens) => {
                let name = scan.name();
                parts.code(name);
                scan.until("}");
            }
            Some('$') if form.dollar && is_named(scan, tokens) => {
                let name = scan.name();
                parts.code(name);
            }
            Some('\\') => escape(scan, &mut parts),
            Some(c) => parts.push(c),
            None => break,
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}

/// Does a name stand here that the program has named before? Other languages mean the text itself.
fn is_named(scan: &Scan, tokens: &Tokens) -> bool {
    let rest = scan.rest();
    let name = rest.split_at_checked(rest.find(|c| !is_name(c)).unwrap_or(rest.len())).map_or("", |(n, _)| n);
    let known = |token: &Token| matches!(&token.tok, Tok::Name(known) if **known == *name);
    !name.is_empty() && tokens.list.iter().rev().take(NAMED).any(known)
}

/// Is it the text of a macro that formats, as Rust has them: `println!("{name}")`?
fn is_format(tokens: &Tokens) -> bool {
    let [.., before, last] = tokens.list.as_slice() else { return false };
    let macros = ["println", "print", "eprintln", "eprint", "format", "write", "writeln"];
    last.tok == Tok::Op("(") && matches!(&before.tok, Tok::Name(name) if macros.contains(&&**name))
}

/// How many tokens back a variable is looked for.
const NAMED: usize = 4096;
