use tollgate_policy::hint;

use super::{FUNCTIONS, Function, Op, ROOTS, Term};

const LONGEST: usize = 4096;
const DEEPEST: usize = 40;

type Read<T> = Result<T, (String, usize)>;

pub(super) fn parse(text: &str) -> Read<Term> {
    if text.len() > LONGEST {
        return Err((format!("longer than {LONGEST} bytes"), 0));
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.len(), names: Vec::new(), depth: 0 };
    let term = parser.ternary()?;
    match parser.tokens.get(parser.at) {
        Some((place, token)) => Err((format!("unexpected `{}`", token.shown()), *place)),
        None => Ok(term),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(String),
    Sign(&'static str),
}

impl Token {
    fn shown(&self) -> &str {
        match self {
            Self::Name(text) | Self::Text(text) | Self::Number(text) => text,
            Self::Sign(sign) => sign,
        }
    }
}

const SIGNS: [&str; 21] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ",", ".", "?", ":", "+", "=", "&",
    "|",
];

fn tokens(text: &str) -> Read<Vec<(usize, Token)>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let (token, length) = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '\'' | '"' => quoted(rest, first).ok_or_else(|| ("a text that has no end".to_owned(), at))?,
            _ if first.is_ascii_digit() => run(rest, Token::Number, |c| c.is_ascii_digit() || c == '.'),
            _ if first.is_alphabetic() || first == '_' => {
                run(rest, Token::Name, |c| c.is_alphanumeric() || c == '_')
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => return Err((format!("unexpected `{first}`"), at)),
            },
        };
        tokens.push((at, token));
        at += length;
    }
    Ok(tokens)
}

fn run(rest: &str, make: fn(String) -> Token, belongs: impl Fn(char) -> bool) -> (Token, usize) {
    let text: String = rest.chars().take_while(|letter| belongs(*letter)).collect();
    let length = text.len();
    (make(text), length)
}

fn quoted(rest: &str, quote: char) -> Option<(Token, usize)> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => text.push(match letters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            _ if letter == quote => return Some((Token::Text(text), at + 1)),
            _ => text.push(letter),
        }
    }
    None
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
    /// Variables of the `exists` and `all` around.
    names: Vec<String>,
    depth: usize,
}

impl Parser {
    fn ternary(&mut self) -> Read<Term> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.ternary()?;
        self.must(":")?;
        let no = self.ternary()?;
        Ok(Term::If(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn binary(&mut self, level: usize) -> Read<Term> {
        const LEVELS: [&[(&str, Op)]; 4] = [
            &[("||", Op::Or)],
            &[("&&", Op::And)],
            &[
                ("==", Op::Equal),
                ("!=", Op::Unequal),
                ("<=", Op::LessEqual),
                (">=", Op::GreaterEqual),
                ("<", Op::Less),
                (">", Op::Greater),
                ("in", Op::In),
            ],
            &[("+", Op::Plus)],
        ];
        let Some(ops) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.takes(sign)) {
            let right = self.binary(level + 1)?;
            left = Term::Two(*op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Term> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(("nested too deep".to_owned(), self.place()));
        }
        let term = if self.takes("!") { Term::Not(Box::new(self.unary()?)) } else { self.postfix()? };
        self.depth -= 1;
        Ok(term)
    }

    fn postfix(&mut self) -> Read<Term> {
        let mut term = self.primary()?;
        loop {
            if self.takes("[") {
                let index = self.ternary()?;
                self.must("]")?;
                term = Term::Index(Box::new(term), Box::new(index));
            } else if self.takes(".") {
                let place = self.place();
                let name = self.name()?;
                term = if self.takes("(") {
                    self.method(term, &name, place)?
                } else {
                    Term::Member(Box::new(term), name)
                };
            } else {
                return Ok(term);
            }
        }
    }

    fn method(&mut self, receiver: Term, name: &str, place: usize) -> Read<Term> {
        if name != "exists" && name != "all" {
            let function = function(name, place)?;
            return self.call(function, vec![receiver], place);
        }
        let variable = self.name()?;
        self.must(",")?;
        self.names.push(variable.clone());
        let holds = self.ternary()?;
        self.names.pop();
        self.must(")")?;
        Ok(Term::Over {
            any: name == "exists",
            list: Box::new(receiver),
            name: variable,
            holds: Box::new(holds),
        })
    }

    fn call(&mut self, function: (Function, usize), mut terms: Vec<Term>, place: usize) -> Read<Term> {
        if !self.takes(")") {
            terms.push(self.ternary()?);
            while self.takes(",") {
                terms.push(self.ternary()?);
            }
            self.must(")")?;
        }
        if terms.len() != function.1 {
            let wanted = function.1;
            return Err((
                format!("takes {wanted} values, with the one before the dot, not {}", terms.len()),
                place,
            ));
        }
        Ok(Term::Call(function.0, terms))
    }

    fn primary(&mut self) -> Read<Term> {
        let place = self.place();
        let Some((_, token)) = self.tokens.get(self.at).cloned() else {
            return Err(("ends too early".to_owned(), self.end));
        };
        self.at += 1;
        match token {
            Token::Text(text) => Ok(Term::Text(text)),
            Token::Number(text) => Ok(Term::Number(text)),
            Token::Sign("(") => {
                let term = self.ternary()?;
                self.must(")")?;
                Ok(term)
            }
            Token::Sign("[") => self.list(),
            Token::Sign(sign) => Err((format!("unexpected `{sign}`"), place)),
            Token::Name(name) => self.named(name, place),
        }
    }

    fn named(&mut self, name: String, place: usize) -> Read<Term> {
        match name.as_str() {
            "true" => Ok(Term::Bool(true)),
            "false" => Ok(Term::Bool(false)),
            "null" => Ok(Term::Null),
            _ if self.takes("(") => {
                let function = function(&name, place)?;
                self.call(function, Vec::new(), place)
            }
            _ if ROOTS.contains(&name.as_str()) || self.names.contains(&name) => Ok(Term::Name(name)),
            _ => Err((format!("unknown name `{name}`; {}", hint(&name, &ROOTS)), place)),
        }
    }

    fn list(&mut self) -> Read<Term> {
        let mut terms = Vec::new();
        while !self.takes("]") {
            terms.push(self.ternary()?);
            if !self.takes(",") {
                self.must("]")?;
                break;
            }
        }
        Ok(Term::List(terms))
    }

    fn name(&mut self) -> Read<String> {
        let place = self.place();
        match self.tokens.get(self.at) {
            Some((_, Token::Name(name))) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(("a name is wanted here".to_owned(), place)),
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = match self.tokens.get(self.at) {
            Some((_, Token::Sign(there))) => *there == sign,
            Some((_, Token::Name(there))) => sign == "in" && there == "in",
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn must(&mut self, sign: &str) -> Read<()> {
        if self.takes(sign) {
            return Ok(());
        }
        match self.tokens.get(self.at) {
            Some((place, token)) => Err((format!("unexpected `{}`, not `{sign}`", token.shown()), *place)),
            None => Err((format!("ends too early: `{sign}` is missing"), self.end)),
        }
    }

    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(place, _)| *place)
    }
}

fn function(name: &str, place: usize) -> Read<(Function, usize)> {
    let names: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).chain(["exists", "all"]).collect();
    let found = FUNCTIONS.iter().find(|(known, ..)| *known == name);
    found
        .map(|(_, function, count)| (*function, *count))
        .ok_or_else(|| (format!("unknown function `{name}`; {}", hint(name, &names)), place))
}
