//! Ruby's tokens: its many ways to write a string, here-documents, and words up to their `end`.

use std::rc::Rc;

use tollgate_model::work;

use super::super::token::{
    Bracket, Parts, Role, Scan, Tok, Token, Tokens, brackets, closing, delimited, embedded, escape, is_name,
    is_stand_in, plain, starts_name,
};

const OPS: &[&str] = &[
    "**=", "<=>", "===", "...", "<<=", ">>=", "&&=", "||=", "&.", "::", "==", "!=", "=~", "!~", "<=", ">=",
    "&&", "||", "<<", ">>", "=>", "->", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "**", "..", "(", ")",
    "[", "]", "{", "}", ",", ";", ".", "=", "+", "-", "*", "/", "%", "<", ">", "!", "?", ":", "&", "|", "^",
    "~", "\\",
];

pub(super) fn lex(text: &str) -> Rc<[Token]> {
    work::charge(text.len());
    let mut lexer = Lexer {
        scan: Scan::new(text),
        tokens: Tokens { fresh: true, ..Tokens::default() },
        pending: Vec::new(),
        depth: 0,
    };
    while !lexer.scan.done() {
        lexer.step();
    }
    lexer.tokens.push(Tok::Newline);
    lexer.tokens.finish(role)
}

struct Lexer<'s> {
    scan: Scan<'s>,
    tokens: Tokens,
    /// Here-documents whose text begins with the next line: the token, the mark, and whether they have code.
    pending: Vec<(usize, String, bool)>,
    /// Open round and square brackets.
    depth: usize,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let Some(c) = self.scan.peek() else { return };
        match c {
            '\n' => self.newline(),
            '\\' if self.scan.sees("\\\n") => self.scan.at += 2,
            '#' => {
                self.scan.line();
            }
            _ if c.is_whitespace() => {
                self.scan.next();
                self.tokens.spaced = true;
            }
            '"' | '\'' | '`' => {
                self.scan.next();
                let parts = self.quoted(c, c != '\'');
                self.tokens.push(if c == '`' { Tok::Run(parts) } else { Tok::Str(parts) });
            }
            '%' if self.begins_value() && self.percent() => {}
            '<' if self.scan.sees("<<") && self.heredoc() => {}
            '/' if self.begins_value() => {
                self.scan.next();
                let pattern = delimited(&mut self.scan, '/');
                let plain = self.scan.name().is_empty();
                self.tokens.push(Tok::Pattern(plain.then(|| Rc::from(pattern)), None));
            }
            ':' if self.symbol() => {}
            '@' | '$' => self.variable(c),
            '0'..='9' => {
                let number = self.scan.number();
                self.tokens.push(number);
            }
            _ if starts_name(c) => self.word(),
            _ => self.op(),
        }
    }

    fn op(&mut self) {
        match self.scan.op(OPS) {
            Some(op) => {
                match op {
                    "(" | "[" => self.depth += 1,
                    ")" | "]" => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.tokens.push(Tok::Op(op));
            }
            None => {
                self.scan.next();
            }
        }
    }

    fn newline(&mut self) {
        self.scan.next();
        for (at, mark, code) in std::mem::take(&mut self.pending) {
            let parts = self.heredoc_text(&mark, code);
            if let Some(token) = self.tokens.list.get_mut(at) {
                token.tok = if matches!(token.tok, Tok::Run(_)) { Tok::Run(parts) } else { Tok::Str(parts) };
            }
        }
        if self.scan.sees("=begin") {
            self.scan.until("\n=end");
            self.scan.line();
        }
        if self.scan.sees("__END__") {
            self.scan.at = self.scan.text.len();
        }
        let rest = self.scan.rest().trim_start_matches([' ', '\t']);
        let goes_on = (rest.starts_with('.') && !rest.starts_with("..")) || rest.starts_with("&.");
        let open = matches!(self.tokens.last(), Some(Tok::Op(op)) if !matches!(*op, ")" | "]" | "}" | ";" | "?" | "!"));
        if !goes_on && !open && self.depth == 0 {
            self.tokens.push(Tok::Newline);
        }
        (self.tokens.spaced, self.tokens.fresh) = (true, true);
    }

    fn begins_value(&self) -> bool {
        match self.tokens.last() {
            None | Some(Tok::Newline) => true,
            Some(Tok::Op(op)) => !matches!(*op, ")" | "]" | "}"),
            Some(Tok::Name(name)) => {
                let word = matches!(
                    &**name,
                    "if" | "unless"
                        | "while"
                        | "until"
                        | "and"
                        | "or"
                        | "not"
                        | "return"
                        | "when"
                        | "puts"
                        | "print"
                        | "p"
                        | "in"
                        | "then"
                        | "do"
                        | "elsif"
                        | "system"
                        | "exec"
                        | "eval"
                        | "spawn"
                );
                let glued = self.scan.second().is_some_and(|c| !c.is_whitespace());
                word || (self.tokens.spaced && glued)
            }
            _ => false,
        }
    }

    /// `%q(…)`, `%w[…]`, `%x{…}`, `%(…)`, `%r!…!`
    fn percent(&mut self) -> bool {
        let mut ahead = self.scan.clone();
        ahead.next();
        let kind = ahead.peek().filter(char::is_ascii_alphabetic);
        if kind.is_some() {
            ahead.next();
        }
        let Some(open) = ahead.peek().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '=')
        else {
            return false;
        };
        if !matches!(kind, None | Some('q' | 'Q' | 'w' | 'W' | 'i' | 'I' | 'x' | 'r' | 's')) {
            return false;
        }
        ahead.next();
        self.scan.at = ahead.at;
        match kind {
            Some('w' | 'W' | 'i' | 'I') => {
                let words = delimited(&mut self.scan, open);
                self.tokens.push(Tok::Words(words.split_whitespace().map(Rc::from).collect()));
            }
            Some('r') => {
                let pattern = delimited(&mut self.scan, open);
                let plain = self.scan.name().is_empty();
                self.tokens.push(Tok::Pattern(plain.then(|| Rc::from(pattern)), None));
            }
            _ => {
                let parts = self.quoted(open, !matches!(kind, Some('q' | 's')));
                self.tokens.push(if kind == Some('x') { Tok::Run(parts) } else { Tok::Str(parts) });
            }
        }
        true
    }

    /// The text up to what closes `open`, which was read.
    fn quoted(&mut self, open: char, code: bool) -> Rc<[super::super::token::Part]> {
        let close = closing(open);
        let mut parts = Parts::default();
        let mut depth = 0_usize;
        while let Some(c) = self.scan.next() {
            match c {
                '\\' if code => escape(&mut self.scan, &mut parts),
                '\\' => match self.scan.next() {
                    Some(next) if next == close || next == '\\' => parts.push(next),
                    Some(next) => {
                        parts.push('\\');
                        parts.push(next);
                    }
                    None => {}
                },
                '#' if code && self.scan.eat("{") => {
                    let expression = embedded(&mut self.scan);
                    parts.code(expression);
                }
                _ if c == close && depth == 0 => break,
                _ => {
                    if c == close {
                        depth -= 1;
                    } else if c == open {
                        depth += 1;
                    }
                    parts.push(c);
                }
            }
        }
        parts.finish()
    }

    fn heredoc(&mut self) -> bool {
        let mut ahead = self.scan.clone();
        ahead.at += 2;
        let squiggly = ahead.eat("~") || ahead.eat("-");
        let quote = ahead.peek().filter(|c| matches!(c, '"' | '\'' | '`'));
        if quote.is_some() {
            ahead.next();
        }
        let mark = ahead.name().to_owned();
        let shouts = mark.chars().next().is_some_and(char::is_uppercase);
        if mark.is_empty()
            || (quote.is_none() && !shouts)
            || (!squiggly && !self.begins_value() && quote.is_none())
        {
            return false;
        }
        if let Some(quote) = quote {
            ahead.eat(quote.encode_utf8(&mut [0; 4]));
        }
        self.scan.at = ahead.at;
        self.pending.push((self.tokens.list.len(), mark, quote != Some('\'')));
        self.tokens.push(if quote == Some('`') { Tok::Run(Rc::from([])) } else { Tok::Str(Rc::from([])) });
        true
    }

    fn heredoc_text(&mut self, mark: &str, code: bool) -> Rc<[super::super::token::Part]> {
        let mut parts = Parts::default();
        while !self.scan.done() {
            let line = self.scan.line();
            self.scan.next();
            if line.trim() == mark {
                break;
            }
            if !code {
                parts.push_str(line);
                parts.push('\n');
                continue;
            }
            let mut inner = Scan::new(line);
            while let Some(c) = inner.next() {
                match c {
                    '\\' => escape(&mut inner, &mut parts),
                    '#' if inner.eat("{") => parts.code(embedded(&mut inner)),
                    _ => parts.push(c),
                }
            }
            parts.push('\n');
        }
        parts.finish()
    }

    fn symbol(&mut self) -> bool {
        let Some(next) = self.scan.second() else { return false };
        let after_value =
            matches!(self.tokens.last(), Some(Tok::Str(_) | Tok::Name(_))) && !self.tokens.spaced;
        if after_value || self.scan.sees("::") {
            return false;
        }
        if next == '"' {
            self.scan.at += 2;
            let parts = self.quoted('"', true);
            self.tokens.push(Tok::Str(parts));
            return true;
        }
        if !starts_name(next) && !matches!(next, '@' | '$') {
            return false;
        }
        self.scan.next();
        let start = self.scan.at;
        self.scan.take(|c| matches!(c, '@' | '$'));
        self.scan.name();
        let name = self.scan.text.get(start..self.scan.at).unwrap_or_default();
        self.tokens.push(Tok::Str(plain(name)));
        true
    }

    fn variable(&mut self, sign: char) {
        self.scan.take(|c| c == sign);
        let mut name = self.scan.name();
        if name.is_empty() {
            let start = self.scan.at;
            self.scan.next();
            name = self.scan.text.get(start..self.scan.at).unwrap_or_default();
        }
        self.tokens.push(Tok::Var(sign, Rc::from(name)));
    }

    fn word(&mut self) {
        let start = self.scan.at;
        self.scan.take(is_name);
        let next = self.scan.second();
        if self.scan.peek().is_some_and(|c| matches!(c, '?' | '!'))
            && next != Some('=')
            && !(self.scan.peek() == Some('?') && next == Some(':'))
        {
            self.scan.next();
        }
        let name = self.scan.text.get(start..self.scan.at).unwrap_or_default();
        let unknown = name.chars().all(is_stand_in);
        self.tokens.push(if unknown { Tok::Other } else { Tok::Name(Rc::from(name)) });
    }
}

/// Words that open a block up to their `end`.
fn role(tokens: &[Token], at: usize) -> Role {
    let Some(Tok::Name(name)) = tokens.get(at).map(|token| &token.tok) else { return brackets(tokens, at) };
    let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map(|token| &token.tok);
    let label = matches!(tokens.get(at + 1), Some(token) if token.tok == Tok::Op(":") && !token.spaced);
    if matches!(before, Some(Tok::Op("." | "&." | "::"))) || label {
        return Role::None;
    }
    match &**name {
        "end" => Role::Closes(Bracket::Words),
        "def" if !is_short_def(tokens, at) => Role::Opens(Bracket::Words),
        "class" | "module" | "begin" | "case" => Role::Opens(Bracket::Words),
        "if" | "unless" | "while" | "until" | "for" if begins_statement(before) => {
            Role::Opens(Bracket::Words)
        }
        "do" if !belongs_to_loop(tokens, at) => Role::Opens(Bracket::Words),
        _ => Role::None,
    }
}

/// `def name(…) = expression`
fn is_short_def(tokens: &[Token], at: usize) -> bool {
    let mut next = at + 2;
    if matches!(tokens.get(next).map(|token| &token.tok), Some(Tok::Op("("))) {
        let close = tokens.iter().skip(next).take(64).position(|token| token.tok == Tok::Op(")"));
        next += close.unwrap_or_default() + 1;
    }
    matches!(tokens.get(next).map(|token| &token.tok), Some(Tok::Op("=")))
}

pub(super) fn begins_statement(before: Option<&Tok>) -> bool {
    match before {
        None | Some(Tok::Newline) => true,
        Some(Tok::Op(op)) => !matches!(*op, ")" | "]" | "}"),
        Some(Tok::Name(name)) => {
            matches!(&**name, "then" | "do" | "else" | "begin" | "and" | "or" | "not" | "return" | "ensure")
        }
        _ => false,
    }
}

/// The `do` of `while … do`.
fn belongs_to_loop(tokens: &[Token], at: usize) -> bool {
    let line = (1..64).map_while(|back| at.checked_sub(back)).take_while(|back| {
        !matches!(tokens.get(*back).map(|token| &token.tok), Some(Tok::Newline | Tok::Op(";")))
    });
    line.into_iter().any(|back| {
        let word = matches!(tokens.get(back).map(|token| &token.tok), Some(Tok::Name(name)) if matches!(&**name, "while" | "until" | "for"));
        word && begins_statement(back.checked_sub(1).and_then(|at| tokens.get(at)).map(|token| &token.tok))
    })
}
