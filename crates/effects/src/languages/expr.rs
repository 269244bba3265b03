//! Expressions, as all languages have them: literals, names, members, calls, and what stands between values.

use std::rc::Rc;

use tollgate_shell::value::Value;

use super::machine::{Infix, Machine};
use super::pure;
use super::token::{Part, Tok};
use super::value::{Args, Val};

/// The strength of a sign before a value.
pub(super) const UNARY: u8 = 90;

/// The strength from which an expression is one argument.
pub(super) const ARGUMENT: u8 = 2;

impl Machine<'_, '_, '_> {
    /// An expression of operators at least as strong as `least`.
    pub fn expr(&mut self, least: u8) -> Val {
        if !self.enter() {
            self.at = self.end;
            return Val::unknown();
        }
        let value = self.binary(least);
        self.leave();
        value
    }

    fn binary(&mut self, least: u8) -> Val {
        let mut left = self.unary();
        while !self.is_stopped() {
            let Some((strength, infix)) = self.peek().and_then(self.syntax.operator) else { break };
            if strength < least || !self.burn(4) {
                break;
            }
            let place = self.place.take();
            self.at += 1;
            left = self.infix(infix, strength, left, place);
        }
        left
    }

    fn infix(&mut self, infix: Infix, strength: u8, left: Val, place: Option<Rc<str>>) -> Val {
        match infix {
            Infix::Assign | Infix::AddAssign | Infix::OtherAssign => {
                let right = self.expr(strength);
                let value = match infix {
                    Infix::Assign => right,
                    Infix::AddAssign => self.add(&left, &right),
                    _ => left.union(&right),
                };
                self.assign(place, value.clone());
                value
            }
            Infix::Choice => {
                let yes = self.expr(ARGUMENT);
                if !self.eat(":") {
                    return yes;
                }
                let no = self.expr(strength);
                self.place = None;
                yes.union(&no)
            }
            Infix::Beside => {
                self.at -= 1;
                let right = self.expr(strength + 1);
                Val::Text(self.concat(&left.as_text(), &right.as_text()))
            }
            Infix::Pipe => {
                let printed = Val::Text(self.shell(&left.as_text(), None));
                let before = std::mem::replace(&mut self.around.input, printed);
                self.expr(strength + 1);
                std::mem::replace(&mut self.around.input, before)
            }
            Infix::Feed => {
                self.fed = Some(left);
                self.expr(strength + 1)
            }
            Infix::ChoiceAfter => {
                self.expr(strength + 1);
                if !self.eat_word("else") {
                    return left;
                }
                let other = self.expr(strength);
                self.place = None;
                left.union(&other)
            }
            _ => {
                let right = self.expr(strength + 1);
                let right_place = self.place.take();
                self.joined(infix, &left, &right, place.as_deref(), right_place.as_deref())
            }
        }
    }

    fn joined(
        &mut self,
        infix: Infix,
        left: &Val,
        right: &Val,
        place: Option<&str>,
        other: Option<&str>,
    ) -> Val {
        let marks = left.taint().union(right.taint());
        match (infix, left, right) {
            (Infix::Add, ..) => self.add(left, right),
            (Infix::Join, ..) => Val::Text(self.concat(&left.as_text(), &right.as_text())),
            (Infix::Number(sign), Val::Int(a), Val::Int(b)) => number(sign, *a, *b),
            (Infix::Number('*'), Val::Text(a), Val::Text(b)) => Val::Text(self.concat(a, b)),
            (Infix::Number('*'), Val::Text(text), Val::Int(times)) => self.repeat(text, *times),
            (Infix::Slash, Val::Int(a), Val::Int(b)) => number('/', *a, *b),
            (Infix::Slash, Val::Text(_), _) => {
                Val::Text(pure::join_paths(&[left.as_text(), right.as_text()]))
            }
            (Infix::Format, Val::Int(a), Val::Int(b)) => number('%', *a, *b),
            (Infix::Format, Val::Text(format), _) => self.percent(format, right),
            (Infix::Either, ..) => left.union(right),
            (Infix::Push, Val::File(file), _) => {
                self.file_method(&Rc::clone(file), "write", &Args::of(vec![right.clone()]))
            }
            (Infix::Push, Val::Pipe(pipe), _) => {
                self.pipe_method(&Rc::clone(pipe), "write", &Args::of(vec![right.clone()]))
            }
            (Infix::Push, Val::Int(a), Val::Int(b)) => number('<', *a, *b),
            (Infix::Push, ..) => {
                if !self.grow(left, place, "<<", std::slice::from_ref(right)) {
                    let whole = self.add(left, right);
                    self.assign(place.map(Rc::from), whole);
                }
                left.clone()
            }
            (Infix::First, ..) => left.clone(),
            (Infix::Second, ..) => right.clone(),
            (Infix::Equal, ..) => {
                self.narrow(place, right);
                self.narrow(other, left);
                Val::Unknown(marks)
            }
            (Infix::Within, ..) => {
                self.narrow(place, &right.item());
                Val::Unknown(marks)
            }
            _ => Val::Unknown(marks),
        }
    }

    /// A condition says what a variable is.
    pub fn narrow(&mut self, place: Option<&str>, value: &Val) {
        if let (Some(place), Val::Text(text)) = (place, value)
            && text.any.iter().any(|text| !text.prefix().is_empty() || !text.suffix().is_empty())
        {
            self.narrowed.push((Rc::from(place), value.clone()));
        }
    }

    pub fn add(&mut self, left: &Val, right: &Val) -> Val {
        match (left, right) {
            (Val::Int(a), Val::Int(b)) => number('+', *a, *b),
            (Val::List(a), Val::List(b)) => {
                self.burn(a.items.len() + b.items.len());
                let items = a.items.iter().chain(&b.items).cloned().collect();
                if a.open || b.open { Val::many(items) } else { Val::list(items) }
            }
            (Val::Text(_), _) | (_, Val::Text(_)) => {
                Val::Text(self.concat(&left.as_text(), &right.as_text()))
            }
            _ => Val::Unknown(left.taint().union(right.taint())),
        }
    }

    pub fn repeat(&mut self, text: &Value, times: i64) -> Val {
        let known = text.as_literal().map(str::len).zip(usize::try_from(times).ok());
        match known {
            Some((size, times)) if size * times <= 4096 && self.burn(size * times) => {
                Val::text(&text.as_literal().unwrap_or_default().repeat(times))
            }
            _ => Val::Unknown(text.taint),
        }
    }

    /// `format % values`
    fn percent(&mut self, format: &Value, right: &Val) -> Val {
        let values = match right {
            Val::List(list) => list.items.clone(),
            other => vec![other.clone()],
        };
        match format.as_literal() {
            Some(text) => Val::Text(pure::printf(text, &values).with_taint(right.taint())),
            None => Val::Unknown(format.taint.union(right.taint())),
        }
    }

    pub fn unary(&mut self) -> Val {
        self.place = None;
        if !self.burn(4) {
            self.at = self.end;
            return Val::unknown();
        }
        match self.peek() {
            Some(Tok::Op("-")) => {
                self.at += 1;
                match self.expr(UNARY) {
                    Val::Int(number) => Val::Int(number.wrapping_neg()),
                    other => Val::Unknown(other.taint()),
                }
            }
            Some(Tok::Op("!" | "~" | "+" | "&" | "*" | "**" | "..." | "\\" | "++" | "--" | "@" | "#")) => {
                self.at += 1;
                self.expr(UNARY)
            }
            _ => {
                let value = self.primary();
                self.postfix(value)
            }
        }
    }

    fn primary(&mut self) -> Val {
        let Some(tok) = self.peek().cloned() else { return Val::unknown() };
        match &tok {
            Tok::Str(parts) => {
                self.at += 1;
                self.strings(parts)
            }
            Tok::Run(parts) => {
                self.at += 1;
                let text = self.string(parts);
                Val::Text(self.shell(&text, None))
            }
            Tok::Int(number) => {
                self.at += 1;
                Val::Int(*number)
            }
            Tok::Words(words) => {
                self.at += 1;
                Val::list(words.iter().map(|word| Val::Text(self.literal(word))).collect())
            }
            Tok::Pattern(code) => {
                self.at += 1;
                if let Some(code) = code {
                    self.source(code);
                }
                Val::unknown()
            }
            Tok::Other => {
                self.at += 1;
                Val::unknown()
            }
            _ => (self.syntax.primary)(self, &tok),
        }
    }

    /// A string, and those that follow it and belong to it.
    fn strings(&mut self, parts: &Rc<[Part]>) -> Val {
        let mut text = self.string(parts);
        while let Some(Tok::Str(more)) = self.peek().cloned() {
            if self.token().is_some_and(|token| token.fresh && self.syntax.bare_calls) || !self.burn(4) {
                break;
            }
            self.at += 1;
            let more = self.string(&more);
            text = self.concat(&text, &more);
        }
        Val::Text(text)
    }

    /// What a name stands for.
    pub fn lookup(&mut self, name: &str) -> Val {
        let known = self.scope.get(name).cloned();
        let value = known.unwrap_or_else(|| self.named(name));
        self.place = Some(Rc::from(name));
        value
    }

    /// Something of a library, or its value.
    pub fn named(&mut self, name: &str) -> Val {
        let canonical = (self.syntax.canonical)(name);
        let name = canonical.as_deref().unwrap_or(name);
        let starred = self.stars.iter().map(|module| format!("{module}.{name}"));
        let starred = if name.contains('.') {
            None
        } else {
            starred.into_iter().find(|full| (self.syntax.function)(full).is_some())
        };
        let name = starred.as_deref().unwrap_or(name);
        match (self.syntax.function)(name) {
            Some(op) if op.is_value() || (self.syntax.bare_calls && !is_constant(name)) => {
                self.perform(op, name, &Args::default())
            }
            None if name.starts_with("$ENV.") => {
                let variable = name.get("$ENV.".len()..).unwrap_or_default();
                self.environment(false, "[", &Args::of(vec![Val::text(variable)]))
            }
            _ => Val::name(name.get(..200).unwrap_or(name)),
        }
    }

    /// Members, indexes and calls that follow a value.
    pub fn postfix(&mut self, mut value: Val) -> Val {
        loop {
            if !self.burn(4) {
                return value;
            }
            let Some(token) = self.token().cloned() else { return value };
            let place = self.place.take();
            match &token.tok {
                Tok::Op(op) if self.syntax.members.contains(op) => {
                    match self.member(&value, place.as_deref()) {
                        Some(next) => value = next,
                        None => {
                            self.place = place;
                            return value;
                        }
                    }
                }
                Tok::Op("(") if !(self.syntax.bare_calls && token.spaced) => {
                    let args = self.arguments();
                    value = self.apply(&value, &args);
                }
                Tok::Op("[") if !(token.fresh || self.syntax.bare_calls && token.spaced) => {
                    value = self.subscript(&value, place.as_deref());
                }
                Tok::Op("++" | "--") if !token.fresh => {
                    self.at += 1;
                    value = Val::unknown();
                }
                // Templates with a function before them.
                Tok::Str(parts)
                    if !self.syntax.bare_calls
                        && !token.fresh
                        && (!token.spaced || (self.syntax.flat && matches!(value, Val::Name(_)))) =>
                {
                    self.at += 1;
                    let text = self.string(parts);
                    value = self.apply(&value, &Args::of(vec![Val::Text(text)]));
                }
                _ => {
                    self.place = place;
                    return value;
                }
            }
        }
    }

    /// A member of a value, called or not. `None` when no member follows.
    fn member(&mut self, value: &Val, place: Option<&str>) -> Option<Val> {
        match self.ahead(1) {
            Some(Tok::Name(_)) => {}
            Some(Tok::Op("(")) => {
                self.at += 1;
                let args = self.arguments();
                return Some(self.apply(value, &args));
            }
            Some(Tok::Op("[")) => {
                self.at += 1;
                return Some(self.subscript(value, place));
            }
            Some(Tok::Op("#")) => {
                self.at += 1;
                return Some(Val::unknown());
            }
            Some(Tok::Var(_, _)) => {
                self.at += 2;
                return Some(Val::Unknown(value.taint()));
            }
            _ => return None,
        }
        self.at += 1;
        let name = self.name()?;
        let called = self
            .token()
            .is_some_and(|token| token.tok == Tok::Op("(") && !(self.syntax.bare_calls && token.spaced));
        let mut args = if called {
            Some(self.arguments())
        } else if self.syntax.bare_calls {
            self.bare_arguments()
        } else {
            None
        };
        if let Some(block) = (self.syntax.block)(self) {
            args.get_or_insert_default().list.push(block);
        }
        if let Some(args) = args {
            return Some(self.method(value, place, &name, args));
        }
        Some(self.attribute(value, place, &name))
    }

    fn subscript(&mut self, value: &Val, place: Option<&str>) -> Val {
        let close = self.pair();
        self.at += 1;
        let slices = self.syntax.slices
            && self.range(self.at..close, |machine| {
                machine.split(machine.end, ":").len() > 1 || machine.sees(":")
            });
        if slices {
            let parts = self.range(self.at..close, |machine| machine.split(machine.end, ":"));
            let bounds: Vec<Val> = parts
                .into_iter()
                .map(|range| if range.is_empty() { Val::unknown() } else { self.expr_in(range) })
                .collect();
            self.at = close + 1;
            return pure::slice(value, &bounds);
        }
        let key = self.range(self.at..close, |machine| machine.expr(0));
        self.at = close + 1;
        self.index(value, place, &key)
    }

    /// The item at a key.
    pub fn index(&mut self, value: &Val, place: Option<&str>, key: &Val) -> Val {
        match (value, key, key.literal()) {
            (Val::List(list), Val::Int(at), _) => {
                let at = if *at < 0 { at.saturating_add_unsigned(list.items.len() as u64) } else { *at };
                let item = usize::try_from(at).ok().and_then(|at| list.items.get(at)).cloned();
                match item {
                    Some(item) if !list.open => item,
                    _ => value.item(),
                }
            }
            (Val::List(_), ..) => value.item(),
            (Val::Text(_), Val::Int(at), _) => {
                pure::slice(value, &[Val::Int(*at), Val::Int(at.saturating_add(1))])
            }
            (_, _, Some(key)) => self.attribute(value, place, &key),
            (Val::Name(name), _, None) if self.syntax.risky.contains(&&**name) => Val::name("?"),
            (Val::Name(name), _, None) => match (self.syntax.function)(&format!("{name}.?")) {
                Some(op) => self.perform(op, name, &Args::of(vec![key.clone()])),
                None => Val::unknown(),
            },
            _ => Val::Unknown(value.taint().union(key.taint())),
        }
    }

    /// A part of a value by its name.
    pub fn attribute(&mut self, value: &Val, place: Option<&str>, name: &str) -> Val {
        let full =
            place.filter(|place| place.len() + name.len() < 200).map(|place| format!("{place}.{name}"));
        let known = full.as_deref().and_then(|full| self.scope.get(full)).cloned();
        let result = match known {
            Some(known) => known,
            None => self.part(value, name),
        };
        self.place = full.map(Rc::from);
        result
    }

    pub fn part(&mut self, value: &Val, name: &str) -> Val {
        match value {
            Val::Name(owner) => self.named(&format!("{owner}.{name}")),
            Val::Object(object) => {
                let full = format!("{}.{name}", object.class);
                match (self.syntax.function)(&full) {
                    Some(op) if op.is_value() => self.perform(op, &full, &object.args),
                    _ if full.len() > 120 => Val::Unknown(value.taint()),
                    _ => self
                        .value_method(value, name)
                        .unwrap_or_else(|| Val::object(&full, object.args.clone())),
                }
            }
            Val::Table(_) => value
                .entry(name)
                .cloned()
                .unwrap_or_else(|| self.value_method(value, name).unwrap_or(Val::Unknown(value.taint()))),
            Val::Pipe(pipe) if matches!(name, "stdout" | "output" | "text" | "stdoutText") => {
                Val::Text(pipe.printed.clone())
            }
            Val::Pipe(_) | Val::File(_) => value.clone(),
            Val::List(list) if matches!(name, "length" | "size" | "count") && !list.open => {
                Val::Int(i64::try_from(list.items.len()).unwrap_or_default())
            }
            _ => self.value_method(value, name).unwrap_or(Val::Unknown(value.taint())),
        }
    }

    /// Methods that are read like parts, without a call.
    fn value_method(&mut self, value: &Val, name: &str) -> Option<Val> {
        let op = (self.syntax.method)(name).filter(|op| op.is_value() || self.syntax.bare_calls)?;
        Some(self.perform(op, name, &Args::of(vec![value.clone()])))
    }

    /// The arguments in the brackets that open here.
    pub fn arguments(&mut self) -> Args {
        let close = self.pair();
        self.at += 1;
        let fed = self.fed.take();
        let mut args = self.range(self.at..close, Machine::argument_list);
        if let Some(first) = fed {
            args.list.insert(0, first);
        }
        self.at = (close + 1).min(self.end.max(close));
        args
    }

    /// Arguments to the end of the range.
    pub fn argument_list(&mut self) -> Args {
        let mut args = Args::default();
        while self.at < self.end && !self.is_stopped() {
            let before = self.at;
            self.argument(&mut args);
            while matches!(self.peek(), Some(Tok::Newline | Tok::Op("," | ";"))) {
                self.at += 1;
            }
            if self.at == before {
                self.at += 1;
            }
        }
        args
    }

    fn argument(&mut self, args: &mut Args) {
        while matches!(self.peek(), Some(Tok::Newline)) {
            self.at += 1;
        }
        if let (Some(Tok::Name(name)), Some(Tok::Op("=" | ":"))) = (self.peek().cloned(), self.ahead(1)) {
            self.at += 2;
            let value = self.expr(ARGUMENT);
            args.named.push((name, value));
            return;
        }
        let spread = self.eat("...") || self.eat("**") || (!self.syntax.bare_calls && self.eat("*"));
        let value = self.expr(ARGUMENT);
        if self.sees("=>") {
            self.at += 1;
            while matches!(self.peek(), Some(Tok::Newline)) {
                self.at += 1;
            }
            let target = self.expr(ARGUMENT);
            let key =
                value.literal().or_else(|| self.place.as_deref().map(str::to_owned)).unwrap_or_default();
            args.named.push((Rc::from(key), target));
            return;
        }
        // A value for every item of a list: `f(x for x in xs)`.
        if self.sees_word("for")
            || (self.sees_word("async") && matches!(self.ahead(1), Some(Tok::Name(word)) if **word == *"for"))
        {
            self.at = self.end;
        }
        match (&value, spread) {
            (Val::List(list), true) => args.list.extend(list.items.iter().cloned()),
            (Val::Table(table), true) => args.named.extend(table.entries.iter().cloned()),
            _ => args.list.push(value),
        }
    }

    /// The arguments of a call without brackets, when there are any.
    pub fn bare_arguments(&mut self) -> Option<Args> {
        let token = self.token()?;
        if !token.spaced || token.fresh || !self.starts_argument() {
            return None;
        }
        let mut args = Args::default();
        loop {
            self.argument(&mut args);
            if !self.eat(",") || self.is_stopped() {
                return Some(args);
            }
            while matches!(self.peek(), Some(Tok::Newline)) {
                self.at += 1;
            }
        }
    }

    /// Can what stands here only be an argument of the name before it?
    fn starts_argument(&self) -> bool {
        let glued = |at: usize| self.tokens.get(self.at + at).is_some_and(|token| !token.spaced);
        match self.peek() {
            Some(
                Tok::Str(_)
                | Tok::Run(_)
                | Tok::Int(_)
                | Tok::Other
                | Tok::Var(..)
                | Tok::Words(_)
                | Tok::Pattern(_),
            ) => true,
            Some(Tok::Name(name)) => {
                (self.syntax.operator)(&Tok::Name(Rc::clone(name))).is_none() && !is_clause(name)
            }
            Some(Tok::Op("(" | "[" | "\\" | "->")) => true,
            Some(Tok::Op("*" | "&" | "-" | "::" | ":" | "@" | "%" | "<" | "**")) => glued(1),
            _ => false,
        }
    }
}

/// Words that begin another clause and are no arguments.
fn is_clause(name: &str) -> bool {
    matches!(
        name,
        "if" | "unless"
            | "while"
            | "until"
            | "do"
            | "and"
            | "or"
            | "not"
            | "then"
            | "rescue"
            | "end"
            | "foreach"
            | "for"
            | "in"
            | "x"
            | "eq"
            | "ne"
            | "lt"
            | "gt"
            | "le"
            | "ge"
            | "cmp"
            | "else"
            | "elsif"
            | "when"
            | "ensure"
            | "xor"
            | "isa"
    )
}

/// A class or a module, which is not called by its name alone.
fn is_constant(name: &str) -> bool {
    !name.contains('.') && name.chars().next().is_some_and(char::is_uppercase)
}

fn number(sign: char, a: i64, b: i64) -> Val {
    let result = match sign {
        '+' => a.checked_add(b),
        '-' => a.checked_sub(b),
        '*' => a.checked_mul(b),
        '/' => a.checked_div(b),
        '%' => a.checked_rem(b),
        '^' => Some(a ^ b),
        '|' => Some(a | b),
        '&' => Some(a & b),
        '<' => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)),
        '>' => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
        _ => None,
    };
    result.map_or_else(Val::unknown, Val::Int)
}
