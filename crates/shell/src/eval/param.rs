//! Parameter expansion: what a name stands for, then what the operator makes of it.

use std::rc::Rc;

use tollgate_model::Span;

use super::expand::{Expanded, Mode};
use super::state::{Contents, Elements, ExitCode, Key, List, ORDERED, Variable};
use super::vars::{self, Place};
use super::{Host, Shell};
use crate::ast::{Dialect, Param, ParamOp, Word};
use crate::value::{Hole, HoleSource, Piece, Taint, Text, Value};

/// What a parameter stands for before its operator is applied.
pub(super) enum Fetched {
    One {
        /// `None` when it is certainly not set.
        value: Option<Value>,
        maybe_unset: bool,
        /// A number: never split.
        whole: bool,
    },
    Many {
        lists: Vec<List>,
        star: bool,
    },
}

impl Shell {
    pub(super) fn expand_param<'a>(
        &mut self,
        param: &'a Param,
        span: Span,
        host: &mut dyn Host,
    ) -> Expanded<'a> {
        self.step(1, span, host);
        if let ParamOp::Unknown(raw) = &param.op {
            return self.expand_unknown(&param.name, raw, span, host);
        }
        if param.op == ParamOp::Names {
            return self.expand_names(param);
        }
        if param.indirect {
            return self.expand_indirect(param, span, host);
        }
        let fetched = self.fetch(&param.name, param.subscript.as_ref(), span, host);
        self.apply(&param.name, param.subscript.as_ref(), fetched, &param.op, span, host)
    }

    /// A form that is not followed: its value is not known, but what it runs and sets is seen to.
    fn expand_unknown<'a>(&mut self, name: &str, raw: &str, span: Span, host: &mut dyn Host) -> Expanded<'a> {
        self.run_hidden(&Value::text(raw), span, host);
        let hole = Value::unknown(HoleSource::Variable(Rc::from(name)));
        let flags = raw.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        if let Some((_, rest)) = flags.filter(|(flags, _)| flags.contains(['e', '%'])) {
            // `${(e)x}` expands the value once more.
            let names =
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| vars::is_name(name));
            let values: Vec<Value> = names.filter_map(|name| self.lookup(name, &*host).scalar()).collect();
            values.iter().for_each(|value| self.run_hidden(value, span, host));
        }
        if raw.contains('=') && vars::is_name(name) {
            self.assign_scalar(name, hole.clone(), span, host);
        }
        Expanded::One { value: hole, whole: false }
    }

    /// What a name with a subscript stands for.
    pub(super) fn fetch(
        &mut self,
        name: &str,
        subscript: Option<&Word>,
        span: Span,
        host: &mut dyn Host,
    ) -> Fetched {
        if let Some(special) = self.special(name) {
            return special;
        }
        let first = subscript.is_none_or(|word| is_text(word, "0"));
        if name == "BASH_SOURCE" && first && !self.state.local.vars.contains_key(name) {
            let file = self.state.local.args.file.clone();
            return Fetched::One { maybe_unset: file.is_empty(), value: Some(file), whole: false };
        }
        if let Some(frame) = self.frames.last().filter(|_| name == "FUNCNAME" && first) {
            let (name, plain) = (Value::text(&frame.name), self.dialect == Dialect::Posix);
            let value = if plain { name.union(&Value::empty()) } else { name };
            return Fetched::One { value: Some(value), maybe_unset: plain, whole: false };
        }
        let Some(target) = self.referred(name) else {
            return Fetched::One { value: Some(unknown(name)), maybe_unset: true, whole: false };
        };
        if let Some((array, rest)) = target.split_once('[') {
            let place = self.place_of(array, rest.trim_end_matches(']'), span, host);
            return self.element(array, &place, host);
        }
        let Some(subscript) = subscript else {
            // In zsh an array without a subscript is all of it.
            let whole = self.dialect == Dialect::Zsh && self.holds_array(&target);
            return match whole {
                true => Fetched::Many { lists: self.elements(&target, host), star: false },
                false => scalar(&self.lookup(&target, host), name),
            };
        };
        match subscript.parts.as_slice() {
            [crate::ast::Part::Text { text, .. }] if text == "@" || text == "*" => {
                Fetched::Many { lists: self.elements(&target, host), star: text == "*" }
            }
            _ => {
                let value = self.expand_value(subscript, Mode::Plain, host);
                if self.is_range(&value) {
                    let others =
                        self.elements(&target, host).iter().filter_map(List::values).collect::<Vec<_>>();
                    let list = List::open(Vec::new(), Value::any_of(&others));
                    return Fetched::Many { lists: vec![list], star: false };
                }
                let place = self.place_of_value(&target, &value, span, host);
                self.element(&target, &place, host)
            }
        }
    }

    /// Some subscript below the last one is missing.
    pub(super) fn is_sparse(&self, name: &str) -> bool {
        let variable = self.referred(name).and_then(|name| self.state.local.vars.get(&name).cloned());
        let Some(Variable { contents: Contents::Array(array), .. }) = variable.as_deref() else {
            return false;
        };
        array.any.iter().any(|elements| {
            let dense = (0..).zip(elements.known.keys()).all(|(index, key)| *key == Key::Index(index));
            !dense
        })
    }

    fn holds_array(&self, name: &str) -> bool {
        let variable = self.state.local.vars.get(name);
        variable.is_some_and(|variable| matches!(variable.contents, Contents::Array(_)))
    }

    fn special(&self, name: &str) -> Option<Fetched> {
        let one = |value| Some(Fetched::One { value: Some(value), maybe_unset: false, whole: true });
        let args = &self.state.local.args;
        match name {
            "@" | "*" => Some(Fetched::Many { lists: args.any.clone(), star: name == "*" }),
            "#" => {
                let count = |list: &List| match list.others {
                    None => Text::literal(&list.items.len().to_string()),
                    Some(_) => Text::hole(crate::value::Hole::nonempty(HoleSource::Input)),
                };
                one(Value::of(args.any.iter().map(count), crate::value::Taint::NONE))
            }
            "?" => one(match self.state.code {
                ExitCode::Known(code) => Value::text(&code.to_string()),
                _ => Value::something(HoleSource::Input),
            }),
            "$" | "!" => one(Value::something(HoleSource::Input)),
            "-" => one(Value::unknown(HoleSource::Input)),
            "0" => Some(Fetched::One { value: Some(args.name.clone()), maybe_unset: false, whole: false }),
            "_" => Some(Fetched::One {
                value: Some(Value::clone(&self.state.last)),
                maybe_unset: false,
                whole: false,
            }),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(self.argument(digits.parse().ok()?))
            }
            _ => None,
        }
    }

    fn argument(&self, number: usize) -> Fetched {
        let mut maybe_unset = false;
        let mut value: Option<Value> = None;
        for list in &self.state.local.args.any {
            let item = list.items.get(number.saturating_sub(1));
            maybe_unset |= item.is_none();
            if let Some(item) = item.or(list.others.as_ref()) {
                value = Some(value.map_or_else(|| item.clone(), |value| value.union(item)));
            }
        }
        if maybe_unset {
            value = value.map(|value| value.union(&Value::empty()));
        }
        Fetched::One { value, maybe_unset, whole: false }
    }

    fn element(&self, name: &str, place: &Place, host: &dyn Host) -> Fetched {
        let variable = self.lookup(name, host);
        let (value, maybe_unset) = match (&variable.contents, place) {
            (Contents::Unset, _) => (None, true),
            (Contents::Array(array), Place::Element(key)) => (array.element(key), array.may_lack(key)),
            (Contents::Array(array), _) => {
                let any =
                    array.any.iter().filter_map(Elements::values).reduce(|left, right| left.union(&right));
                (any, true)
            }
            (Contents::Scalar(value), Place::Element(Key::Index(0 | -1))) => {
                (Some(value.clone()), variable.maybe_unset)
            }
            (Contents::Scalar(_), _) if variable.maybe_unset => (Some(unknown(name)), true),
            (Contents::Scalar(value), Place::Somewhere) => (Some(value.clone()), true),
            (Contents::Scalar(_), _) => (None, true),
        };
        let value = if maybe_unset { value.map(|value| value.union(&Value::empty())) } else { value };
        Fetched::One { value, maybe_unset: maybe_unset || variable.maybe_unset, whole: false }
    }

    /// The lists that `${a[@]}` may be.
    pub(super) fn elements(&self, name: &str, host: &dyn Host) -> Vec<List> {
        let variable = self.lookup(name, host);
        match &variable.contents {
            Contents::Unset => vec![List::default()],
            Contents::Scalar(_) if variable.maybe_unset && !self.state.local.vars.contains_key(name) => {
                vec![List::open(Vec::new(), Some(unknown(name)))]
            }
            Contents::Scalar(value) => {
                let mut lists = vec![List::known(vec![value.clone()])];
                lists.extend(variable.maybe_unset.then(List::default));
                lists
            }
            Contents::Array(array) => {
                let mut lists: Vec<List> =
                    array.any.iter().map(|elements| in_order(elements, array.associative)).collect();
                lists.extend(variable.maybe_unset.then(List::default));
                lists
            }
        }
    }

    /// `${!prefix*}`, `${!a[@]}`
    fn expand_names<'a>(&self, param: &Param) -> Expanded<'a> {
        let star = matches!(&param.subscript, Some(word) if is_text(word, "*"));
        if param.subscript.is_none() {
            let names = self.state.local.vars.keys().filter(|name| name.starts_with(&param.name));
            let items = names.map(|name| Value::text(name)).collect();
            let mut other = Text::literal(&param.name);
            other.push(Piece::Hole(Hole::new(HoleSource::Input)));
            let others = Some(Value::of([other], Taint::NONE));
            return Expanded::Many { lists: vec![List::open(items, others)], star: false };
        }
        let variable = self.referred(&param.name).and_then(|name| self.state.local.vars.get(&name).cloned());
        let mut lists = match variable.as_deref() {
            Some(Variable { contents: Contents::Array(array), .. }) => {
                array.any.iter().map(|elements| keys(elements, array.associative)).collect()
            }
            Some(Variable { contents: Contents::Scalar(_), .. }) => {
                vec![List::known(vec![Value::text("0")])]
            }
            Some(_) => vec![List::default()],
            None => vec![List::open(Vec::new(), Some(Value::unknown(HoleSource::Input)))],
        };
        if variable.is_some_and(|variable| variable.maybe_unset) && !lists.contains(&List::default()) {
            lists.push(List::default());
        }
        Expanded::Many { lists, star }
    }

    /// `${!x}`: the variable whose name is in `x`.
    fn expand_indirect<'a>(&mut self, param: &'a Param, span: Span, host: &mut dyn Host) -> Expanded<'a> {
        let nameref = self
            .state
            .local
            .vars
            .get(param.name.as_str())
            .is_some_and(|variable| variable.attributes.nameref);
        if nameref {
            let name = self.referred(&param.name).map(|name| Value::text(&name));
            return Expanded::One { value: name.unwrap_or_else(|| unknown(&param.name)), whole: false };
        }
        let holder = match self.fetch(&param.name, param.subscript.as_ref(), span, host) {
            Fetched::One { value, .. } => value,
            Fetched::Many { lists, .. } => Some(self.joined_lists(&lists, false, host)),
        };
        let mut result: Option<Expanded<'a>> = None;
        for target in holder.iter().flat_map(Value::literals) {
            let (name, subscript) = split_name(target);
            let fetched = match &subscript {
                Some(text) if text == "@" || text == "*" => {
                    Fetched::Many { lists: self.elements(&name, host), star: text == "*" }
                }
                Some(text) => {
                    let place = self.place_of(&name, text, span, host);
                    self.element(&name, &place, host)
                }
                None => self.fetch(&name, None, span, host),
            };
            let next = self.apply(&name, None, fetched, &param.op, span, host);
            result = Some(match result {
                None => next,
                Some(before) => either(before, next),
            });
        }
        let unknown = holder.as_ref().is_some_and(|value| !value.is_known());
        let named = |target: &str| vars::is_name(target.split('[').next().unwrap_or_default());
        if unknown || !holder.iter().flat_map(Value::literals).all(named) || holder.is_none() {
            self.may_abort();
        }
        match result {
            Some(found) if !unknown => found,
            _ => {
                // Of a name that is known in part that part tells what it is about.
                let start = holder.iter().flat_map(|value| &value.any).find(|text| text.has_holes());
                let name = match start.map(Text::prefix) {
                    Some(start) if !start.is_empty() => format!("{start}*"),
                    _ => format!("!{}", param.name),
                };
                Expanded::One { value: Value::unknown(HoleSource::Variable(name.into())), whole: false }
            }
        }
    }

    /// The elements of `(…)`, with their subscripts.
    pub(super) fn array_elements(
        &mut self,
        items: &[(Option<Word>, Word)],
        name: &str,
        host: &mut dyn Host,
    ) -> Elements {
        let associative = self.is_associative(name);
        let mut elements = Elements::default();
        let mut pairs: Vec<Value> = Vec::new();
        for (subscript, word) in items {
            match subscript {
                Some(subscript) => {
                    let key = self.expand_value(subscript, Mode::Plain, host);
                    let value = self.expand_value(word, Mode::Assignment, host);
                    let place = self.place_of_value(name, &key, word.span, host);
                    add_element(&mut elements, place, value);
                }
                None => {
                    let lists = match self.expand_word(word, host) {
                        super::expand::Fields::One(field) => vec![vec![field]],
                        super::expand::Fields::Any(lists) => lists,
                    };
                    let words = lists.iter().map(Vec::len).sum::<usize>().saturating_sub(1);
                    let lists = if self.spend_words(words, word.span, host) {
                        lists
                    } else {
                        vec![vec![self.too_many(word.span)]]
                    };
                    if associative {
                        pairs.extend(lists.into_iter().flatten().map(|field| field.value));
                    } else {
                        add_fields(&mut elements, lists);
                    }
                }
            }
        }
        for pair in pairs.chunks(2) {
            let [key, rest @ ..] = pair else { continue };
            let value = rest.first().cloned().unwrap_or_else(Value::empty);
            let place =
                key.as_literal().map_or(Place::Somewhere, |key| Place::Element(Key::Name(key.into())));
            add_element(&mut elements, place, value);
        }
        elements
    }
}

fn add_element(elements: &mut Elements, place: Place, value: Value) {
    match place {
        Place::Element(key) => drop(elements.known.insert(key, value)),
        _ => {
            let others = elements.others.take().map_or(value.clone(), |others| others.union(&value));
            elements.others = Some(others);
            elements.tail.clear();
        }
    }
}

/// Adds the fields of one word. When their number is not certain all of them are among the others, in their order.
fn add_fields(elements: &mut Elements, lists: Vec<Vec<super::Field>>) {
    let sole = lists.len() == 1;
    for field in lists.into_iter().flatten() {
        if sole && !field.splits && elements.others.is_none() {
            let place = Place::Element(Key::Index(elements.next_index()));
            add_element(elements, place, field.value);
            continue;
        }
        let ordered =
            sole && (elements.others.is_none() || !elements.tail.is_empty()) && elements.tail.len() < ORDERED;
        let mut tail = std::mem::take(&mut elements.tail);
        add_element(elements, Place::Somewhere, field.value.clone());
        if ordered {
            tail.push((field.value, field.splits));
            elements.tail = tail;
        }
    }
}

fn scalar(variable: &Variable, name: &str) -> Fetched {
    let value = variable.scalar();
    let shown = match (&value, variable.maybe_unset, &variable.contents) {
        // A variable that some way here leaves unset may be empty.
        (Some(Value { any, .. }), true, Contents::Scalar(known)) if !any.iter().any(Text::maybe_empty) => {
            Some(known.union(&Value::empty()))
        }
        _ => value,
    };
    Fetched::One { value: shown, maybe_unset: variable.maybe_unset, whole: vars::is_numeric(name) }
}

/// The order of an associative array is not known: each element may be any of them.
fn in_order(elements: &Elements, associative: bool) -> List {
    let any = elements.values();
    let items = elements.known.values().map(|value| match &any {
        Some(any) if associative => any.clone(),
        _ => value.clone(),
    });
    let tail = if associative { Vec::new() } else { elements.tail.clone() };
    List::ordered(items.collect(), elements.others.clone(), tail)
}

fn keys(elements: &Elements, associative: bool) -> List {
    let text = |key: &Key| match key {
        Key::Index(index) => Value::text(&index.to_string()),
        Key::Name(name) => Value::text(name),
    };
    let all: Vec<Value> = elements.known.keys().map(text).collect();
    let any = Value::any_of(&all);
    let items = elements.known.keys().map(|key| match &any {
        Some(any) if associative => any.clone(),
        _ => text(key),
    });
    let others = elements.others.as_ref().map(|_| Value::something(HoleSource::Input));
    List::open(items.collect(), others)
}

fn either<'a>(left: Expanded<'a>, right: Expanded<'a>) -> Expanded<'a> {
    match (left, right) {
        (Expanded::One { value: left, whole: a }, Expanded::One { value: right, whole: b }) => {
            Expanded::One { value: left.union(&right), whole: a && b }
        }
        (Expanded::Many { lists: mut left, star }, Expanded::Many { lists: right, .. }) => {
            left.extend(right);
            Expanded::Many { lists: left, star }
        }
        _ => Expanded::One { value: Value::unknown(HoleSource::Input), whole: false },
    }
}

/// `a[1]` as name and subscript.
pub(super) fn split_name(text: &str) -> (String, Option<String>) {
    match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((name, subscript)) => (name.to_owned(), Some(subscript.to_owned())),
        None => (text.to_owned(), None),
    }
}

fn is_text(word: &Word, wanted: &str) -> bool {
    matches!(word.parts.as_slice(), [crate::ast::Part::Text { text, .. }] if text == wanted)
}

fn unknown(name: &str) -> Value {
    Value::unknown(HoleSource::Variable(Rc::from(name)))
}
