//! `test`, `[` and `[[ ]]`: an answer where it is certain, and what the answer says about a variable.

use std::rc::Rc;

use tollgate_model::Span;

use super::super::compound::Tri;
use super::super::expand::Mode;
use super::super::operators::nonempty;
use super::super::pattern::Pattern;
use super::super::state::{Contents, ExitCode, Flow, State};
use super::super::{Call, Host, Shell};
use super::answer::{UNARY, binary, filled, test, unary};
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
        let answer =
            if args.iter().any(|field| field.splits) { Tri::Maybe } else { test(args, self.dialect) };
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
        let answer = reader.or(self, host).filter(|_| reader.at >= words.len()).unwrap_or(Tri::Maybe);
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
        let home = || self.lookup("HOME", host).scalar();
        let value = match text.strip_prefix('~').filter(|_| !quoted) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let Some(home) = home() else { return state };
                home.concat(&Value::text(rest))
            }
            Some(_) => return state,
            None => Value::text(text),
        };
        let mut new = super::super::state::Variable::clone(&variable);
        new.contents = Contents::Scalar(value);
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
        if let Some(operator) = operator_text(first).filter(|text| is_unary(text))
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
                let home = matches!(right.parts.first(), Some(Part::Text { text, quoted: false }) if text.starts_with('~'));
                let patterns = if home {
                    shell.expand_value(right, Mode::Assignment, host).any.iter().map(Pattern::new).collect()
                } else {
                    shell.patterns(right, host)
                };
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

fn is_unary(text: &str) -> bool {
    let mut letters = text.strip_prefix('-').unwrap_or_default().chars();
    letters.next().is_some_and(|letter| UNARY.contains(letter)) && letters.next().is_none()
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
