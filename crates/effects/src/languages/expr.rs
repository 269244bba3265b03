//! Expressions, as all languages have them: literals, names, members, calls, and what stands between values.

use std::rc::Rc;

use tollgate_shell::value::{Text, Value};

use super::change::Change;
use super::frames::REFERENCE;
use super::machine::Machine;
use super::pure::{self, Pure};
use super::syntax::Infix;
use super::text;
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
                self.assigning(infix, strength, &left, place)
            }
            Infix::Choice => self.choice(left, strength),
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
            Infix::Feed => self.feed(left, strength),
            Infix::Call => {
                let right = self.expr(strength);
                self.apply(&left, &Args::of(vec![right]))
            }
            Infix::Match if matches!(self.peek(), Some(Tok::Change(_))) => {
                let Some(Tok::Change(change)) = self.peek().cloned() else { return left };
                self.at += 1;
                self.change(&change, &left, place)
            }
            Infix::Match if let Some(Tok::Pattern(Some(pattern), None)) = self.peek().cloned() => {
                self.at += 1;
                self.fits(&pattern, &left, place.as_deref())
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
                let op = self.operator_before();
                let right = self.expr(strength + 1);
                let right_place = self.place.take();
                if let Some(made) = self.operated(&op, &left, &right) {
                    return made;
                }
                self.joined(infix, &left, &right, place.as_deref(), right_place.as_deref())
            }
        }
    }

    /// What stands left is set, or changed.
    fn assigning(&mut self, infix: Infix, strength: u8, left: &Val, place: Option<Rc<str>>) -> Val {
        let aliased = self.sees("&");
        let listed = place.as_deref().is_some_and(|place| self.is_list_of(place));
        let right = self.expr(strength);
        if aliased && infix == Infix::Assign {
            self.stands_for(place.as_deref());
        }
        let right = if listed { as_collection(place.as_deref(), right) } else { right };
        let copies = !aliased && place.as_ref().is_some_and(|place| place.starts_with(self.syntax.copying));
        let value = match infix {
            Infix::Assign if copies => right.copied(),
            Infix::Assign => right,
            Infix::AddAssign => self.extended(left, &right),
            _ => left.union(&right),
        };
        self.part_set(place.as_deref(), &value);
        self.assign(place, value.clone());
        value
    }

    /// A variable becomes another one by another name: `$a = &$b`.
    fn stands_for(&mut self, place: Option<&str>) {
        let target = self.place.take();
        if let (Some(place), Some(target)) = (place, target)
            && self.syntax.copying.contains(&'$')
            && !place.contains('.')
            && !target.contains('.')
        {
            self.scope.alias(place, &target);
        }
    }

    /// Is a list that is written down given to a variable of several values? What a call yields may be anything.
    fn is_list_of(&self, place: &str) -> bool {
        self.syntax.copying.contains(&'@')
            && place.starts_with(self.syntax.copying)
            && self.sees("(")
            && (place.starts_with('%') || matches!(self.ahead(1), Some(Tok::Str(_) | Tok::Var('$', _))))
    }

    /// `a ? b : c`, or Rust's `?` after a value.
    fn choice(&mut self, left: Val, strength: u8) -> Val {
        let ends =
            |tok: Option<&Tok>| matches!(tok, None | Some(Tok::Op("{" | ";" | ")" | "." | "," | "]" | "}")));
        if self.syntax.flat && ends(self.peek()) {
            return self.postfix(left);
        }
        let yes = self.expr(ARGUMENT);
        if !self.eat(":") {
            return yes;
        }
        let no = self.expr(strength);
        self.place = None;
        yes.union(&no)
    }

    /// What stands left is the first argument of the call that stands right, or of the function.
    fn feed(&mut self, left: Val, strength: u8) -> Val {
        self.fed = Some(left);
        let right = self.expr(strength + 1);
        match self.fed.take() {
            Some(fed) => self.apply(&right, &Args::of(vec![fed])),
            None => right,
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
            // Flags: `os.O_WRONLY | os.O_TRUNC`.
            (Infix::Number('|'), Val::Name(a), Val::Name(b)) if a.len() + b.len() < 120 => {
                Val::name(&format!("{a}|{b}"))
            }
            (Infix::Number('|'), Val::Table(_), Val::Table(_)) => {
                pure::apply(Pure::Merge, &Args::of(vec![left.clone(), right.clone()]))
            }
            (Infix::Number('*'), Val::Text(a), Val::Text(b)) => Val::Text(self.concat(a, b)),
            (Infix::Number('*'), Val::Text(text), Val::Int(times)) => self.repeat(text, *times),
            (Infix::Number('*'), Val::List(list), Val::Int(times)) if !list.open => {
                super::text::repeated(&list.items, *times)
            }
            (Infix::Slash, Val::Int(a), Val::Int(b)) => number('/', *a, *b),
            // `&File.rm/1` is the function itself.
            (Infix::Slash, Val::Name(_), Val::Int(_)) if self.syntax.flat => left.clone(),
            (Infix::Slash, Val::Text(_), _) => {
                Val::Text(pure::join_paths(&[left.as_text(), right.as_text()]))
            }
            (Infix::Format, Val::Int(a), Val::Int(b)) => number('%', *a, *b),
            (Infix::Format, Val::Text(format), _) => self.percent(format, right),
            (Infix::Either, ..) => left.union(right),
            (Infix::Push, ..) => self.pushed(left, right, place),
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

    /// A text or a list gets longer by another.
    pub fn extended(&mut self, left: &Val, right: &Val) -> Val {
        self.grown +=
            u32::from([left, right].iter().any(|value| matches!(value, Val::Text(_) | Val::List(_))));
        self.add(left, right)
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
            Some(text) => Val::Text(text::printf(text, &values).with_taint(right.taint())),
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
            Some(Tok::Op("\\")) if self.syntax.symbolic => self.referenced(),
            // `&{…}(…)` calls what the block yields.
            Some(Tok::Op("&")) if self.syntax.symbolic && matches!(self.ahead(1), Some(Tok::Op("{"))) => {
                self.at += 1;
                let close = self.pair();
                let function = self.range(self.at + 1..close, |machine| machine.expr(0));
                self.at = close + 1;
                self.postfix(function)
            }
            // `list.each(&block)` hands the block on.
            Some(Tok::Op("&"))
                if self.syntax.bare_calls
                    && let Some(Tok::Name(name)) = self.ahead(1)
                    && let Some(block @ Val::Function(_)) = self.scope.get(name).cloned() =>
            {
                self.at += 2;
                block
            }
            // `&File.rm(&1)` is a function of what it is given.
            Some(Tok::Op("&")) if self.syntax.flat && matches!(self.ahead(1), Some(Tok::Int(_))) => {
                self.at += 2;
                let given = self.lookup("&1");
                self.postfix(given)
            }
            Some(Tok::Op("!")) if !self.syntax.flat => {
                self.at += 1;
                self.expr(UNARY).denied()
            }
            Some(Tok::Op("!" | "~" | "+" | "&" | "*" | "**" | "..." | "\\" | "++" | "--" | "@" | "#")) => {
                self.at += 1;
                self.expr(UNARY)
            }
            tok => {
                // A list that is written down stands in no variable, whatever its last item does.
                let fresh = matches!(tok, Some(Tok::Op("[" | "{")));
                let value = self.primary();
                self.place = self.place.take().filter(|_| !fresh);
                self.postfix(value)
            }
        }
    }

    /// What stands behind `\`, itself.
    fn referenced(&mut self) -> Val {
        let plain = self.is_plain_variable();
        let is_function = matches!(self.ahead(1), Some(Tok::Name(_)));
        self.at += 1;
        // `\&name` is the function itself.
        if is_function {
            let name = self.name().unwrap_or_default();
            let function = self.named_function(&name);
            return self.postfix(function);
        }
        // `\$name` is the variable itself, whatever it holds.
        if plain {
            let name = self.name().unwrap_or_default();
            let target = self.scope.whole(&format!("${name}")).into_owned();
            return Val::object(REFERENCE, Args::of(vec![Val::text(&target)]));
        }
        let value = self.expr(UNARY);
        self.reference_to_part(value)
    }

    /// Does a variable that holds one value stand behind this sign, and no part of it?
    fn is_plain_variable(&self) -> bool {
        matches!(self.ahead(1), Some(Tok::Var('$', _)))
            && !matches!(self.ahead(2), Some(Tok::Op("[" | "{" | "->")))
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
            Tok::Pattern(pattern, code) => {
                self.at += 1;
                if let Some(code) = code {
                    self.source(code);
                }
                self.pattern(pattern.as_deref())
            }
            Tok::Change(change) => {
                self.at += 1;
                let topic = self.lookup("$_");
                self.change(change, &topic, Some(Rc::from("$_")))
            }
            Tok::Other => {
                self.at += 1;
                Val::unknown()
            }
            _ => (self.syntax.primary)(self, &tok),
        }
    }

    /// Changes the text that stands in a variable.
    fn change(&mut self, change: &Change, value: &Val, place: Option<Rc<str>>) -> Val {
        let text = value.as_text();
        self.burn(text.any.iter().map(Text::bytes).sum::<usize>() * (change.to.len() + 1) / 4);
        let changed = change.apply(value);
        if !change.copies {
            self.assign(place, changed.clone());
        }
        changed
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
        let starred = starred.map(|full| (self.syntax.canonical)(&full).unwrap_or(full));
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
}

/// A list of one is still a list, and a list of names and values is a table, where a variable of such is given it.
fn as_collection(place: Option<&str>, value: Val) -> Val {
    match (place.and_then(|place| place.chars().next()), &value) {
        (Some('@'), Val::Text(_)) => Val::list(vec![value]),
        (Some('%'), Val::List(list)) if !list.open => {
            let mut entries: Vec<(Rc<str>, Val)> = Vec::new();
            let mut items = list.items.iter();
            while let Some(key) = items.next() {
                match key {
                    Val::Table(table) => entries.extend(table.entries.iter().cloned()),
                    key => {
                        let name = Rc::from(key.literal().unwrap_or_else(|| "?".to_owned()));
                        entries.push((name, items.next().cloned().unwrap_or_default()));
                    }
                }
            }
            Val::table(entries)
        }
        _ => value,
    }
}

/// A class or a module, which is not called by its name alone.
fn is_constant(name: &str) -> bool {
    !name.contains('.') && name.chars().next().is_some_and(char::is_uppercase)
}

pub(super) fn number(sign: char, a: i64, b: i64) -> Val {
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
