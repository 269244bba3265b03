//! `test`, `[` and `[[ ]]`: an answer where it is certain, and what the answer says about a variable.

use std::rc::Rc;

use tollgate_model::Span;

use super::super::compound::Tri;
use super::super::expand::Mode;
use super::super::operators::nonempty;
use super::super::pattern::Pattern;
use super::super::state::{Contents, ExitCode, Flow, State};
use super::super::{Call, Field, Host, Shell};
use crate::ast::{Dialect, Param, ParamOp, Part, Word};
use crate::value::{Text, Value};

impl Shell {
    pub(super) fn builtin_test(&mut self, call: &Call, words: &[Word], host: &mut dyn Host) -> Flow {
        let mut args = call.argv.get(1..).unwrap_or_default();
        if call.name() == Some("[") {
            match args.split_last() {
                Some((last, rest)) if last.value.as_literal() == Some("]") => args = rest,
                _ => return self.either(),
            }
        }
        for pair in args.windows(2) {
            if let [operator, operand] = pair
                && operator.value.as_literal() == Some("-v")
            {
                self.run_hidden(&operand.value, call.span, host);
            }
        }
        let answer = if args.iter().any(|field| field.splits) { Tri::Maybe } else { test(args) };
        let flow = self.answered(answer);
        let values: Vec<Value> = args.iter().take(4).map(|field| field.value.clone()).collect();
        let flow = self.missing(flow, &values);
        // Words and fields stand side by side only when nothing was split.
        if words.len() != call.argv.len() {
            return flow;
        }
        let words: Vec<&Word> = words.iter().skip(1).take(args.len()).collect();
        self.refined(flow, &words, host)
    }

    /// `[[ … ]]`
    pub(in super::super) fn run_condition(
        &mut self,
        words: &[Word],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let mut reader = Reader { words, at: 0, span, depth: 0 };
        let answer = reader.or(self, host).unwrap_or(Tri::Maybe);
        // Where there is no `[[` it is a program that cannot be found.
        let answer = if self.dialect == Dialect::Posix { Tri::Maybe } else { answer };
        // Whatever was not understood may still hold substitutions that run.
        for word in words.get(reader.at..).unwrap_or_default() {
            self.expand_value(word, Mode::Plain, host);
        }
        if self.take_ended() {
            return Flow::default();
        }
        let flow = self.answered(answer);
        let simple =
            |word: &Word| matches!(word.parts.as_slice(), [Part::Text { .. }]) || variable(word).is_some();
        let flow = if words.len() < 4 && words.iter().all(simple) {
            let values: Vec<Value> =
                words.iter().map(|word| self.expand_value(word, Mode::Plain, host)).collect();
            self.missing(flow, &values)
        } else {
            flow
        };
        let words: Vec<&Word> = words.iter().collect();
        self.refined(flow, &words, host)
    }

    /// Where `-f path` does not hold there is no such file, or nothing in it.
    fn missing(&self, mut flow: Flow, words: &[Value]) -> Flow {
        let (no, operator, path) = match words {
            [operator, path] => (false, operator, path),
            [no, operator, path] if no.as_literal() == Some("!") => (true, operator, path),
            _ => return flow,
        };
        if !matches!(operator.as_literal(), Some("-f" | "-e" | "-s" | "-a")) {
            return flow;
        }
        let path = self.resolve(path);
        let state = if no { &mut flow.ok } else { &mut flow.fail };
        // Two paths that are not known are never taken for one.
        let known = path.single().filter(|path| path.as_literal().is_some());
        if let (Some(state), Some(path)) = (state, known) {
            state.is_missing(path.clone());
        }
        flow
    }

    fn answered(&self, answer: Tri) -> Flow {
        let mut flow = Flow::of(answer.status(), self.state.clone());
        if let Some(fail) = &mut flow.fail {
            fail.code = ExitCode::Known(1);
        }
        flow
    }

    /// What a test of a single variable says about it on either side.
    fn refined(&self, flow: Flow, words: &[&Word], host: &dyn Host) -> Flow {
        let (ok, fail) = match flow {
            Flow { ok: Some(ok), fail: Some(fail) } => (ok, fail),
            certain => return certain,
        };
        let (name, filled, empty) = match words {
            [operator, operand] if is_text(operator, "-n") => (variable(operand), true, false),
            [operator, operand] if is_text(operator, "-z") => (variable(operand), false, true),
            [operand] => (variable(operand), true, false),
            [left, operator, right] if is_text(operator, "=") || is_text(operator, "==") => {
                return Flow { ok: Some(self.equal(ok, left, right, host)), fail: Some(fail) };
            }
            _ => (None, false, false),
        };
        let Some(name) = name else { return Flow { ok: Some(ok), fail: Some(fail) } };
        let ok = if filled { self.filled(ok, name, host) } else { ok };
        let fail = if empty { self.filled(fail, name, host) } else { fail };
        Flow { ok: Some(ok), fail: Some(fail) }
    }

    /// The state in which a variable is not empty.
    fn filled(&self, mut state: State, name: &str, host: &dyn Host) -> State {
        let variable = self.lookup(name, host);
        let Contents::Scalar(value) = &variable.contents else { return state };
        let mut new = super::super::state::Variable::clone(&variable);
        new.contents = Contents::Scalar(nonempty(value));
        new.maybe_unset = false;
        state.vars_mut().insert(Rc::from(name), Rc::new(new));
        state
    }

    /// The state in which a variable has this known value.
    fn equal(&self, mut state: State, left: &Word, right: &Word, host: &dyn Host) -> State {
        let (Some(name), [Part::Text { text, quoted }]) = (variable(left), right.parts.as_slice()) else {
            return state;
        };
        let variable = self.lookup(name, host);
        let pattern = !quoted && super::super::globs::is_special(text);
        if !matches!(variable.contents, Contents::Scalar(_)) || pattern {
            return state;
        }
        let mut new = super::super::state::Variable::clone(&variable);
        new.contents = Contents::Scalar(Value::text(text));
        new.maybe_unset = false;
        state.vars_mut().insert(Rc::from(name), Rc::new(new));
        state
    }
}

/// `$x` or `"$x"` and nothing else.
fn variable(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Param { expansion, .. }] => match &**expansion {
            Param { name, subscript: None, indirect: false, op: ParamOp::None }
                if super::super::vars::is_name(name) && name != "_" =>
            {
                Some(name)
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_text(word: &Word, wanted: &str) -> bool {
    matches!(word.parts.as_slice(), [Part::Text { text, .. }] if text == wanted)
}

/// The answer of `test` to arguments whose number is known.
fn test(args: &[Field]) -> Tri {
    let literal = |field: &Field| field.value.as_literal().map(str::to_owned);
    match args {
        [] => Tri::No,
        [only] => filled(&only.value),
        [not, rest @ ..] if literal(not).as_deref() == Some("!") && args.len() != 3 => test(rest).not(),
        [operator, operand] => {
            literal(operator).map_or(Tri::Maybe, |operator| unary(&operator, &operand.value))
        }
        [left, operator, right] => match literal(operator).as_deref() {
            Some("-a") => filled(&left.value).and(filled(&right.value)),
            Some("-o") => filled(&left.value).or(filled(&right.value)),
            Some(operator) => match binary(operator, &left.value, &right.value) {
                Tri::Maybe if literal(left).as_deref() == Some("!") => Tri::Maybe,
                answer => answer,
            },
            None => Tri::Maybe,
        },
        _ => compound(args),
    }
}

/// `a -a b`, `a -o b` with simple operands.
fn compound(args: &[Field]) -> Tri {
    let at = |wanted: &str| args.iter().position(|field| field.value.as_literal() == Some(wanted));
    for (connective, join) in [("-o", Tri::or as fn(Tri, Tri) -> Tri), ("-a", Tri::and)] {
        if let Some((left, right)) =
            at(connective).and_then(|at| Some((args.get(..at)?, args.get(at + 1..)?)))
            && (1..=4).contains(&left.len())
            && !right.is_empty()
        {
            return join(test(left), test(right));
        }
    }
    Tri::Maybe
}

fn filled(value: &Value) -> Tri {
    Tri::all(value.any.iter().map(|text| match text {
        text if text.is_empty() => Tri::No,
        text if text.maybe_empty() => Tri::Maybe,
        _ => Tri::Yes,
    }))
}

fn unary(operator: &str, operand: &Value) -> Tri {
    match operator {
        "-n" => filled(operand),
        "-z" => filled(operand).not(),
        _ => Tri::Maybe,
    }
}

fn binary(operator: &str, left: &Value, right: &Value) -> Tri {
    let pairs = || left.any.iter().flat_map(|left| right.any.iter().map(move |right| (left, right)));
    match operator {
        "=" | "==" => Tri::all(pairs().map(|(left, right)| same(left, right))),
        "!=" => Tri::all(pairs().map(|(left, right)| same(left, right))).not(),
        "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
            Tri::all(pairs().map(|(left, right)| Tri::from(compared(operator, left, right))))
        }
        _ => Tri::Maybe,
    }
}

fn same(left: &Text, right: &Text) -> Tri {
    match (left.as_literal(), right.as_literal()) {
        (Some(left), Some(right)) => Tri::from(Some(left == right)),
        (Some(""), None) if !right.maybe_empty() => Tri::No,
        (None, Some("")) if !left.maybe_empty() => Tri::No,
        _ => Tri::Maybe,
    }
}

fn compared(operator: &str, left: &Text, right: &Text) -> Option<bool> {
    let number = |text: &Text| text.as_literal()?.trim().parse::<i64>().ok();
    let (left, right) = (number(left)?, number(right)?);
    Some(match operator {
        "-eq" => left == right,
        "-ne" => left != right,
        "-lt" => left < right,
        "-le" => left <= right,
        "-gt" => left > right,
        _ => left >= right,
    })
}

/// Reads the words of `[[ ]]`: `||`, `&&`, `!`, parentheses, unary and binary tests.
struct Reader<'a> {
    words: &'a [Word],
    at: usize,
    span: Span,
    depth: u32,
}

impl Reader<'_> {
    fn or(&mut self, shell: &mut Shell, host: &mut dyn Host) -> Option<Tri> {
        let mut answer = self.and(shell, host)?;
        while self.eat("||") {
            let other = self.and(shell, host)?;
            answer = answer.or(other);
        }
        Some(answer)
    }

    fn and(&mut self, shell: &mut Shell, host: &mut dyn Host) -> Option<Tri> {
        let mut answer = self.primary(shell, host)?;
        while self.eat("&&") {
            let other = self.primary(shell, host)?;
            answer = answer.and(other);
        }
        Some(answer)
    }

    fn primary(&mut self, shell: &mut Shell, host: &mut dyn Host) -> Option<Tri> {
        self.depth += 1;
        if self.depth > 32 {
            return None;
        }
        let answer = self.primary_inside(shell, host);
        self.depth -= 1;
        answer
    }

    fn primary_inside(&mut self, shell: &mut Shell, host: &mut dyn Host) -> Option<Tri> {
        if self.eat("!") {
            return Some(self.primary(shell, host)?.not());
        }
        if self.eat("(") {
            let answer = self.or(shell, host)?;
            return self.eat(")").then_some(answer);
        }
        let first = self.words.get(self.at)?;
        if let Some(operator) = operator_text(first).filter(|text| text.len() == 2 && text.starts_with('-'))
            && self.words.get(self.at + 1).is_some_and(|word| !is_connective(word))
        {
            self.at += 1;
            let operand = shell.expand_value(self.words.get(self.at)?, Mode::Plain, host);
            self.at += 1;
            if operator == "-v" {
                shell.run_hidden(&operand, self.span, host);
            }
            return Some(unary(&operator, &operand));
        }
        self.at += 1;
        let left = shell.expand_value(first, Mode::Plain, host);
        let Some(operator) =
            self.words.get(self.at).filter(|word| !is_connective(word)).and_then(operator_text)
        else {
            return Some(filled(&left));
        };
        let Some(right) = self.words.get(self.at + 1) else { return Some(Tri::Maybe) };
        self.at += 2;
        Some(self.binary(&operator, &left, right, shell, host))
    }

    fn binary(
        &self,
        operator: &str,
        left: &Value,
        right: &Word,
        shell: &mut Shell,
        host: &mut dyn Host,
    ) -> Tri {
        match operator {
            "=" | "==" | "!=" => {
                let patterns = shell.patterns(right, host);
                let shell = &*shell;
                let answer = Tri::all(patterns.iter().flat_map(|pattern| {
                    left.any.iter().map(|text| shell.certain(pattern, matched(pattern, text)))
                }));
                if operator == "!=" { answer.not() } else { answer }
            }
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let right = shell.expand_value(right, Mode::Plain, host);
                let left = shell.arithmetic(left, self.span, host);
                let right = shell.arithmetic(&right, self.span, host);
                binary(operator, &left, &right)
            }
            _ => {
                shell.expand_value(right, Mode::Plain, host);
                Tri::Maybe
            }
        }
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(
            |word| matches!(word.parts.as_slice(), [Part::Text { text, quoted: false }] if text == wanted),
        );
        self.at += usize::from(found);
        found
    }
}

fn matched(pattern: &Pattern, text: &Text) -> Tri {
    match text.as_literal() {
        _ if pattern.is_star() => Tri::Yes,
        Some(text) => Tri::from(pattern.matches(text)),
        None => Tri::Maybe,
    }
}

fn operator_text(word: &Word) -> Option<String> {
    match word.parts.as_slice() {
        [Part::Text { text, quoted: false }] => Some(text.clone()),
        _ => None,
    }
}

fn is_connective(word: &Word) -> bool {
    ["&&", "||", ")"].iter().any(|wanted| operator_text(word).as_deref() == Some(wanted))
}
