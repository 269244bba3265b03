//! Perl's tokens: variables with their signs, its many quotes, here-documents.

use std::rc::Rc;

use tollgate_model::work;

use super::super::change::Change;
use super::super::token::{
    Part, Parts, Scan, Tok, Token, Tokens, brackets, closing, delimited, escape, is_name, is_stand_in, plain,
    starts_name,
};

const OPS: &[&str] = &[
    "<=>", "**=", "||=", "&&=", "//=", "...", "<<=", ">>=", "->", "++", "--", "**", "=~", "!~", "==", "!=",
    "<=", ">=", "&&", "||", "//", "..", "::", "+=", "-=", "*=", "/=", ".=", "%=", "x=", "&=", "|=", "^=",
    "=>", "<<", ">>", "(", ")", "[", "]", "{", "}", ";", ",", "=", "<", ">", "+", "-", "*", "/", "%", ".",
    "?", ":", "!", "~", "\\", "&", "|", "^", "@", "$",
];

pub(super) fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
    let mut lexer = Lexer {
        scan: Scan::new(text),
        tokens: Tokens { fresh: true, ..Tokens::default() },
        pending: Vec::new(),
    };
    if lexer.scan.sees("=") {
        lexer.pod();
    }
    while !lexer.scan.done() {
        lexer.step();
    }
    lexer.tokens.finish(brackets)
}

struct Lexer<'s> {
    scan: Scan<'s>,
    tokens: Tokens,
    /// Here-documents whose text begins with the next line: the token, the mark, and whether they have variables.
    pending: Vec<(usize, String, bool)>,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let Some(c) = self.scan.peek() else { return };
        match c {
            '\n' => self.newline(),
            _ if c.is_whitespace() => {
                self.scan.next();
                self.tokens.spaced = true;
            }
            '#' => {
                self.scan.line();
            }
            '"' | '\'' | '`' => {
                self.scan.next();
                let parts = self.quoted(c, c != '\'');
                self.tokens.push(if c == '`' { Tok::Run(parts) } else { Tok::Str(parts) });
            }
            '$' | '@' | '%' | '&' if self.variable(c) => {}
            '<' if (self.begins_value() || self.after_function()) && self.angle() => {}
            '/' if self.begins_value() => {
                self.scan.next();
                self.pattern('/');
            }
            '0'..='9' => {
                let number = self.scan.number();
                self.tokens.push(number);
            }
            _ if starts_name(c) => self.word(),
            _ => match self.scan.op(OPS) {
                Some(op) => self.tokens.push(Tok::Op(op)),
                None => {
                    self.scan.next();
                }
            },
        }
    }

    fn newline(&mut self) {
        self.scan.next();
        for (at, mark, code) in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while !self.scan.done() {
                let line = self.scan.line();
                self.scan.next();
                if line.trim() == mark {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let parts = if code { interpolated(&body) } else { plain(&body) };
            if let Some(token) = self.tokens.list.get_mut(at) {
                token.tok = Tok::Str(parts);
            }
        }
        if self.scan.sees("=") && self.scan.second().is_some_and(|c| c.is_ascii_alphabetic()) {
            self.pod();
        }
        if self.scan.sees("__END__") || self.scan.sees("__DATA__") {
            self.scan.at = self.scan.text.len();
        }
        (self.tokens.spaced, self.tokens.fresh) = (true, true);
    }

    /// Documentation between the code.
    fn pod(&mut self) {
        self.scan.until("\n=cut");
        self.scan.line();
    }

    fn begins_value(&self) -> bool {
        match self.tokens.last() {
            None => true,
            Some(Tok::Op(op)) => !matches!(*op, ")" | "]" | "}"),
            Some(Tok::Name(name)) => matches!(
                &**name,
                "if" | "unless"
                    | "while"
                    | "until"
                    | "and"
                    | "or"
                    | "not"
                    | "return"
                    | "split"
                    | "grep"
                    | "map"
                    | "print"
                    | "push"
                    | "join"
                    | "x"
                    | "eq"
                    | "ne"
                    | "when"
                    | "print_"
                    | "say"
                    | "chomp"
            ),
            _ => false,
        }
    }

    /// `unlink <*.c>`, `grep {…} <*.c>`: a name or a block, a blank, and no blank after the bracket.
    fn after_function(&self) -> bool {
        let glued = self.scan.second().is_some_and(|c| !c.is_whitespace() && c != '=' && c != '<');
        matches!(self.tokens.last(), Some(Tok::Name(_) | Tok::Op("}"))) && self.tokens.spaced && glued
    }

    /// `$x`, `@x`, `%x`, `$#x`, `${x}`, `$_`, `$1`; `@{…}` stays a sign and a bracket.
    fn variable(&mut self, sign: char) -> bool {
        let mut ahead = self.scan.clone();
        ahead.next();
        if sign == '%' || sign == '&' {
            let value =
                (self.begins_value() || matches!(self.tokens.last(), Some(Tok::Name(_)))) && !ahead.sees("&");
            if !value || !ahead.peek().is_some_and(|c| starts_name(c) || matches!(c, '$' | '{' | '+')) {
                return false;
            }
        }
        if sign == '$'
            && ahead.sees("#")
            && ahead.second().is_some_and(|c| starts_name(c) || matches!(c, '{' | '$'))
        {
            ahead.next();
        }
        let braced = ahead.sees("{") && names_variable(ahead.rest());
        if braced {
            ahead.next();
            let name = ahead.until("}").trim().to_owned();
            self.scan.at = ahead.at;
            self.tokens.push(Tok::Var(sign, Rc::from(name)));
            return true;
        }
        let mut name = ahead.take(|c| is_name(c) || c == ':').trim_end_matches(':').to_owned();
        if name.is_empty() {
            match ahead.peek() {
                Some(c)
                    if sign == '$'
                        && "!@/\\,;.&0123456789$<>()[]".contains(c)
                        && !ahead.second().is_some_and(starts_name) =>
                {
                    ahead.next();
                    name.push(c);
                }
                Some('_') => name.push('_'),
                _ => return false,
            }
        }
        if sign == '&' && self.scan.second().is_some_and(|c| c == '$') {
            return false;
        }
        self.scan.at = ahead.at.max(self.scan.at + 1);
        self.tokens.push(if sign == '&' {
            Tok::Name(Rc::from(name))
        } else {
            Tok::Var(sign, Rc::from(name))
        });
        true
    }

    /// `<$fh>`, `<STDIN>`, `<*.c>`, and here-documents.
    fn angle(&mut self) -> bool {
        if self.scan.sees("<<>>") {
            self.scan.at += 1;
            let found = self.angle();
            self.scan.at += usize::from(found);
            return found;
        }
        if self.scan.sees("<<") {
            return self.heredoc();
        }
        let rest = self.scan.rest();
        let close = rest.char_indices().take(200).find(|(_, c)| *c == '>');
        let Some(inner) = close.and_then(|(at, _)| rest.get(1..at)) else { return false };
        if inner.contains(['\n', ';', '=', '(']) {
            return false;
        }
        self.scan.at += inner.len() + 2;
        let name = inner.trim_start_matches('$');
        let handle = name.chars().all(is_name);
        self.tokens.push(Tok::Name(Rc::from(if handle { "readline" } else { "glob" })));
        self.tokens.push(Tok::Op("("));
        self.tokens.push(match (handle, name.len() < inner.len()) {
            (true, true) => Tok::Var('$', Rc::from(name)),
            (true, false) => Tok::Name(Rc::from(if name.is_empty() { "ARGV" } else { name })),
            (false, _) => Tok::Str(interpolated(inner)),
        });
        self.tokens.push(Tok::Op(")"));
        true
    }

    fn heredoc(&mut self) -> bool {
        let mut ahead = self.scan.clone();
        ahead.at += 2;
        ahead.eat("~");
        let quote = ahead.peek().filter(|c| matches!(c, '"' | '\''));
        if quote.is_some() {
            ahead.next();
        }
        let mark = ahead.name().to_owned();
        if mark.is_empty() || mark.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        if let Some(quote) = quote {
            ahead.eat(quote.encode_utf8(&mut [0; 4]));
        }
        self.scan.at = ahead.at;
        self.pending.push((self.tokens.list.len(), mark, quote != Some('\'')));
        self.tokens.push(Tok::Str(Rc::from([])));
        true
    }

    /// The text up to what closes `open`, which was read.
    fn quoted(&mut self, open: char, code: bool) -> Rc<[Part]> {
        let raw = delimited(&mut self.scan, open);
        if code {
            return interpolated(raw);
        }
        let close = closing(open);
        let mut parts = Parts::default();
        let mut scan = Scan::new(raw);
        while let Some(c) = scan.next() {
            match (c, scan.peek()) {
                ('\\', Some(next)) if next == '\\' || next == close => {
                    scan.next();
                    parts.push(next);
                }
                _ => parts.push(c),
            }
        }
        parts.finish()
    }

    fn word(&mut self) {
        let start = self.scan.at;
        self.scan.take(|c| is_name(c) || c == ':');
        let mut name = self.scan.text.get(start..self.scan.at).unwrap_or_default();
        // `a ? b : c`, labels, and `Class::`.
        let trimmed = name.trim_end_matches(':');
        self.scan.at -= name.len() - trimmed.len();
        name = trimmed;
        let arrow = self.scan.rest().trim_start().starts_with("=>");
        let member = matches!(self.tokens.last(), Some(Tok::Op("->" | "{")))
            && self.scan.rest().trim_start().starts_with('}');
        if !arrow
            && !member
            && matches!(name, "q" | "qq" | "qw" | "qx" | "m" | "qr" | "s" | "tr" | "y")
            && self.quote_like(name)
        {
            return;
        }
        if arrow {
            return self.tokens.push(Tok::Str(plain(name)));
        }
        let unknown = name.chars().all(is_stand_in);
        self.tokens.push(if unknown { Tok::Other } else { Tok::Name(Rc::from(name.replace("::", "."))) });
    }

    /// `q(…)`, `qq{…}`, `qw/…/`, `m!…!`, `s{…}{…}e`
    fn quote_like(&mut self, kind: &str) -> bool {
        let mut ahead = self.scan.clone();
        ahead.take(char::is_whitespace);
        let spaced = ahead.at > self.scan.at;
        let Some(open) = ahead.next() else { return false };
        if open.is_alphanumeric()
            || matches!(open, ',' | ';' | ')')
            || (spaced && matches!(open, '=' | '#'))
            || (open == '=' && !kind.starts_with('q'))
        {
            return false;
        }
        self.scan.at = ahead.at;
        match kind {
            "q" | "qq" | "qx" => {
                let parts = self.quoted(open, kind != "q");
                self.tokens.push(if kind == "qx" { Tok::Run(parts) } else { Tok::Str(parts) });
            }
            "qw" => {
                let words = delimited(&mut self.scan, open);
                self.tokens.push(Tok::Words(words.split_whitespace().map(Rc::from).collect()));
            }
            "m" | "qr" => self.pattern(open),
            _ => self.substitution(open, kind),
        }
        true
    }

    /// A pattern up to what closes `open`, which was read, with the code in it.
    fn pattern(&mut self, open: char) {
        let pattern = delimited(&mut self.scan, open);
        let plain = self.scan.name().is_empty();
        self.tokens.push(Tok::Pattern(plain.then(|| Rc::from(pattern)), embedded(pattern)));
    }

    fn substitution(&mut self, open: char, kind: &str) {
        let pattern = delimited(&mut self.scan, open);
        let code = embedded(pattern);
        let mut second = open;
        if closing(open) != open {
            self.scan.take(char::is_whitespace);
            second = self.scan.next().unwrap_or(open);
        }
        let replacement = delimited(&mut self.scan, second);
        let flags = self.scan.name();
        let times = if kind == "s" { flags.matches('e').count() } else { 0 };
        if times == 0 && code.is_none() {
            let change = Change {
                letters: kind != "s",
                from: pattern.to_owned(),
                to: replacement.to_owned(),
                all: flags.contains('g'),
                copies: flags.contains('r'),
            };
            return self.tokens.push(Tok::Change(Rc::new(change)));
        }
        let code = match times {
            0 => code,
            1 => Some(Rc::from(replacement)),
            // What the code yields is code again.
            _ => Some(Rc::from(format!("eval({replacement})"))),
        };
        self.tokens.push(Tok::Pattern(None, code));
    }
}

/// The code in a pattern: `(?{ … })` and `(??{ … })`.
fn embedded(pattern: &str) -> Option<Rc<str>> {
    let (_, rest) = pattern.split_once("(?{").or_else(|| pattern.split_once("(??{"))?;
    Some(Rc::from(rest.rsplit_once("})").map_or(rest, |(code, _)| code)))
}

/// `{name}` after the sign of a variable.
fn names_variable(text: &str) -> bool {
    let mut letters = text.chars().skip(1).take(80).skip_while(|c| *c == ' ');
    let name: String = letters.by_ref().take_while(|c| is_name(*c)).collect();
    name.starts_with(starts_name) && text.chars().nth(1 + name.chars().count()) == Some('}')
}

/// Text with variables in it.
fn interpolated(text: &str) -> Rc<[Part]> {
    let mut parts = Parts::default();
    let mut scan = Scan::new(text);
    while let Some(c) = scan.peek() {
        let next = scan.second();
        let variable = next.is_some_and(|c| starts_name(c) || c == '{' || c == '$')
            || (c == '$' && next.is_some_and(|c| c.is_ascii_digit()));
        match c {
            '\\' => {
                scan.next();
                escape(&mut scan, &mut parts);
            }
            '$' | '@' if variable => {
                let code = variable_in(&mut scan);
                parts.code(code);
            }
            _ => {
                scan.next();
                parts.push(c);
            }
        }
    }
    parts.finish()
}

/// A variable in a string, with its subscripts.
fn variable_in<'s>(scan: &mut Scan<'s>) -> &'s str {
    let start = scan.at;
    scan.take(|c| matches!(c, '$' | '@'));
    if scan.eat("{") {
        delimited(scan, '{');
    } else {
        scan.take(|c| is_name(c) || c == ':');
        if scan.text.get(start..scan.at).is_some_and(|name| name.ends_with(':')) {
            let name = scan.text.get(start..scan.at).unwrap_or_default();
            scan.at -= name.len() - name.trim_end_matches(':').len();
        }
    }
    loop {
        let mut ahead = scan.clone();
        ahead.eat("->");
        match ahead.next() {
            Some('[') if !ahead.sees("^") && !ahead.sees("-") => {
                delimited(&mut ahead, '[');
            }
            Some('{') => {
                delimited(&mut ahead, '{');
            }
            _ => break,
        }
        scan.at = ahead.at;
    }
    scan.text.get(start..scan.at).unwrap_or_default()
}
