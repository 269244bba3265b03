//! Variables: looking up, assigning, and what the shell itself sets.

use std::collections::BTreeMap;
use std::rc::Rc;

use tollgate_model::Span;

use super::compound::HOOKS;
use super::join::join_variables;
use super::state::{Array, Attributes, Contents, Elements, Key, ORDERED, Variable};
use super::{Host, Scope, Shell};
use crate::ast::Dialect;
use crate::value::{HoleSource, Text, Value};

/// Which element an assignment goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Whole,
    Element(Key),
    /// An element of an array whose subscript is not known.
    Somewhere,
}

/// What is assigned to a variable.
#[derive(Debug)]
pub(super) struct Assignment {
    pub name: Rc<str>,
    pub place: Place,
    pub append: bool,
    pub value: Assigned,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Assigned {
    Scalar(Value),
    Array {
        elements: Elements,
        /// Some were given with their subscript.
        placed: bool,
    },
}

/// Variables whose value the shell runs or expands as code at some later time.
const PROMPTS: [&str; 5] = ["PS0", "PS1", "PS2", "PS4", "RPROMPT"];

impl Shell {
    /// The variable as it is now, from the script or from outside.
    pub(super) fn lookup(&self, name: &str, host: &dyn Host) -> Rc<Variable> {
        let set = self.state.local.vars.get(name);
        set.cloned().unwrap_or_else(|| Rc::new(self.imported(name, host)))
    }

    /// A variable that the script does not set.
    pub(super) fn imported(&self, name: &str, host: &dyn Host) -> Variable {
        let shell = match name {
            "IFS" => Some(Value::text(" \t\n")),
            "OPTIND" => Some(Value::text("1")),
            "PS4" => Some(Value::text("+ ")),
            "PWD" => Some(self.state.local.cwd.clone()),
            "OLDPWD" => self.state.local.oldpwd.clone(),
            _ => None,
        };
        if let Some(value) = shell {
            return Variable::new(value, matches!(name, "PWD" | "OLDPWD"));
        }
        if let Some(text) = host.environment(name) {
            return Variable::new(Value::text(&text), true);
        }
        if is_numeric(name) {
            // Which process is meant by its number matters; the others are numbers like any.
            let source =
                if name == "PPID" { HoleSource::Variable(Rc::from(name)) } else { HoleSource::Input };
            return Variable::new(Value::something(source), false);
        }
        let value = Value::unknown(HoleSource::Variable(Rc::from(name)));
        Variable { maybe_unset: true, ..Variable::new(value, false) }
    }

    /// The name that a nameref leads to; `None` when that is not known.
    pub(super) fn referred(&self, name: &str) -> Option<Rc<str>> {
        let mut name: Rc<str> = Rc::from(name);
        for _ in 0..8 {
            let Some(variable) = self.state.local.vars.get(&name) else { return Some(name) };
            if !variable.attributes.nameref {
                return Some(name);
            }
            name = Rc::from(variable.scalar()?.as_literal()?);
        }
        None
    }

    /// Makes an assignment, with what the variable's attributes ask for.
    pub(super) fn assign(&mut self, assignment: Assignment, host: &mut dyn Host) {
        let Assignment { name, place, append, value, span } = assignment;
        let Some(name) = self.referred(&name) else { return self.assign_weakly(&name, &value, host) };
        // `declare -n r='a[0]'` and the like lead to an element.
        let (name, place) = match name.split_once('[') {
            Some((array, rest)) if place == Place::Whole => {
                (Rc::from(array), self.place_of(array, rest.trim_end_matches(']'), span, host))
            }
            _ => (name, place),
        };
        if is_numeric(&name) && !self.state.local.vars.contains_key(&name) {
            // What is assigned to a number that the shell keeps is not what is read from it.
            return;
        }
        let old = self.lookup(&name, host);
        let added = append && old.attributes.integer;
        let value = match value {
            Assigned::Scalar(value) if added => Assigned::Scalar(self.sum(&old, &place, &value, span, host)),
            Assigned::Scalar(value) => Assigned::Scalar(self.conform(value, old.attributes, span, host)),
            array @ Assigned::Array { .. } => array,
        };
        self.assigned_code(&name, &value, span, host);
        if let Assigned::Array { elements, .. } = &value {
            for (key, value) in &elements.known {
                if let Key::Name(key) = key {
                    self.assign_table(&name, key, value, span, host);
                }
            }
        }
        if let (Place::Element(Key::Name(key)), Assigned::Scalar(value)) = (&place, &value) {
            self.assign_table(&name, key, value, span, host);
        }
        let known = self.state.local.vars.contains_key(&name) || old.attributes.exported;
        let mut new = Variable { contents: Contents::Unset, attributes: old.attributes, maybe_unset: false };
        new.attributes.exported |= self.state.local.options.all_export;
        new.contents = updated(&old, known, place, append && !added, value);
        if old.attributes.readonly {
            new = join_variables(&old, &new);
            self.may_abort();
        }
        self.charge_contents(&new.contents);
        self.state.vars_mut().insert(name, Rc::new(new));
    }

    /// Assigns through a reference that is not known: any variable it may lead to may have the value.
    fn assign_weakly(&mut self, name: &Rc<str>, value: &Assigned, host: &mut dyn Host) {
        self.doubt_variables();
        let value = match value {
            Assigned::Scalar(value) => Some(value.clone()),
            Assigned::Array { elements, .. } => elements.values(),
        };
        let value = value.unwrap_or_else(Value::empty);
        let targets = self.lookup(name, host).scalar();
        for target in targets.iter().flat_map(Value::literals).chain([&**name]) {
            let new = join_variables(&self.lookup(target, host), &Variable::new(value.clone(), false));
            self.state.vars_mut().insert(Rc::from(target), Rc::new(new));
        }
    }

    /// A variable whose name is not known has this value: it may be any.
    pub(super) fn spread(&mut self, value: &Value) {
        if !value.is_known() || value.is_empty() {
            return;
        }
        self.state.vars_mut().update_all(&mut |variable| {
            if let Contents::Scalar(old) = &variable.contents
                && !variable.attributes.readonly
            {
                let contents = Contents::Scalar(old.union(value));
                Rc::make_mut(variable).contents = contents;
            }
        });
    }

    /// Gives a whole variable a plain value.
    pub(super) fn assign_scalar(&mut self, name: &str, value: Value, span: Span, host: &mut dyn Host) {
        let (name, place) = match name.split_once('[') {
            Some((array, rest)) if rest.ends_with(']') => {
                (array, self.place_of(array, rest.trim_end_matches(']'), span, host))
            }
            _ => (name, Place::Whole),
        };
        let assignment =
            Assignment { name: Rc::from(name), place, append: false, value: Assigned::Scalar(value), span };
        self.assign(assignment, host);
    }

    /// Which element a subscript text names.
    pub(super) fn place_of(&mut self, name: &str, subscript: &str, span: Span, host: &mut dyn Host) -> Place {
        self.place_of_value(name, &Value::text(subscript), span, host)
    }

    pub(super) fn place_of_value(
        &mut self,
        name: &str,
        subscript: &Value,
        span: Span,
        host: &mut dyn Host,
    ) -> Place {
        let associative = self.is_associative(name);
        let key = if associative {
            subscript.as_literal().map(|text| Key::Name(Rc::from(text)))
        } else {
            let number = if self.is_range(subscript) { None } else { self.number_of(subscript, span, host) };
            // zsh counts from one.
            let first = i64::from(self.dialect == Dialect::Zsh);
            number.map(|number| Key::Index(if number > 0 { number - first } else { number }))
        };
        key.and_then(|key| self.counted_back(name, key)).map_or(Place::Somewhere, Place::Element)
    }

    /// `a[2,4]` in zsh.
    pub(super) fn is_range(&self, subscript: &Value) -> bool {
        self.dialect == Dialect::Zsh && subscript.literals().any(|text| text.contains(','))
    }

    /// The subscripts of this variable are names.
    pub(super) fn is_associative(&self, name: &str) -> bool {
        if self.associating.as_deref() == Some(name) {
            return true;
        }
        let variable = self.referred(name).and_then(|name| self.state.local.vars.get(&name).cloned());
        let table = matches!(name, "BASH_ALIASES" | "BASH_CMDS")
            || self.dialect == Dialect::Zsh
                && matches!(name, "aliases" | "galiases" | "saliases" | "commands" | "functions");
        variable.map_or(table, |variable| {
            matches!(&variable.contents, Contents::Array(array) if array.associative) || table
        })
    }

    /// A negative index counts from the end; `None` when that is not known.
    fn counted_back(&self, name: &str, key: Key) -> Option<Key> {
        let Key::Index(index @ ..0) = key else { return Some(key) };
        let variable = self.referred(name).and_then(|name| self.state.local.vars.get(&name).cloned());
        let Some(Variable { contents: Contents::Array(array), .. }) = variable.as_deref() else {
            return Some(key);
        };
        let first = array.any.first()?;
        let same =
            |elements: &Elements| elements.others.is_none() && elements.next_index() == first.next_index();
        array.any.iter().all(same).then(|| Key::Index(first.next_index().saturating_add(index)))
    }

    /// Removes a variable.
    pub(super) fn unset(&mut self, name: &str, span: Span, host: &mut dyn Host) {
        if let Some((array, rest)) = name.split_once('[') {
            return self.unset_element(array, rest.trim_end_matches(']'), span, host);
        }
        let Some(name) = self.referred(name) else { return };
        let old = self.lookup(&name, host);
        let mut new =
            Variable { contents: Contents::Unset, attributes: Attributes::default(), maybe_unset: true };
        if !self.frames.is_empty() && !self.state.local.shadowed.contains_key(&name) {
            // Taking away a caller's local variable shows the one outside again.
            new.contents = Contents::Scalar(Value::unknown(HoleSource::Variable(Rc::clone(&name))));
        }
        if old.attributes.readonly {
            new = join_variables(&old, &new);
        }
        self.state.vars_mut().insert(name, Rc::new(new));
    }

    fn unset_element(&mut self, name: &str, subscript: &str, span: Span, host: &mut dyn Host) {
        let place = self.place_of(name, subscript, span, host);
        let Some(name) = self.referred(name) else { return };
        let Some(variable) = self.state.local.vars.get(&name) else { return };
        let mut new = Variable::clone(variable);
        let Contents::Array(array) = &mut new.contents else { return };
        for elements in &mut array.any {
            match &place {
                Place::Element(key) => drop(elements.known.remove(key)),
                _ => *elements = Elements { others: elements.values(), ..Elements::default() },
            }
        }
        self.state.vars_mut().insert(name, Rc::new(new));
    }

    /// `n+=2` of an integer.
    fn sum(
        &mut self,
        old: &Variable,
        place: &Place,
        value: &Value,
        span: Span,
        host: &mut dyn Host,
    ) -> Value {
        let before = match (&old.contents, place) {
            (Contents::Array(array), Place::Element(key)) => array.element(key),
            (Contents::Array(_), Place::Somewhere) => Some(Value::unknown(HoleSource::Input)),
            _ => old.scalar(),
        };
        let before = before.unwrap_or_else(|| Value::text("0"));
        let sum = Value::joined([&before, &Value::text("+("), value, &Value::text(")")], "");
        self.arithmetic(&sum, span, host)
    }

    fn conform(&mut self, value: Value, attributes: Attributes, span: Span, host: &mut dyn Host) -> Value {
        if attributes.integer {
            return self.arithmetic(&value, span, host);
        }
        let convert = |change: fn(&str) -> String| {
            let each = |text: &Text| {
                text.as_literal().map_or_else(|| text.clone(), |text| Text::literal(&change(text)))
            };
            value.map(each)
        };
        let cased = match attributes {
            Attributes { lower: true, upper: true, .. } => {
                convert(str::to_lowercase).union(&convert(str::to_uppercase))
            }
            Attributes { lower: true, .. } => convert(str::to_lowercase),
            Attributes { upper: true, .. } => convert(str::to_uppercase),
            _ => return value,
        };
        if attributes.partly { cased.union(&value) } else { cased }
    }

    /// Some variables are code: prompts are expanded, `PROMPT_COMMAND` is run.
    fn assigned_code(&mut self, name: &str, value: &Assigned, span: Span, host: &mut dyn Host) {
        // In zsh functions may be hooked up by name, as in `chpwd_functions=(f)`.
        let hook = name.strip_suffix("_functions").is_some_and(|name| HOOKS.contains(&name));
        let hooks = hook && self.dialect == Dialect::Zsh;
        let prompt = PROMPTS.contains(&name);
        if !hooks && !prompt && name != "PROMPT_COMMAND" {
            return;
        }
        let values: Vec<Value> = match value {
            Assigned::Scalar(value) => vec![value.clone()],
            Assigned::Array { elements, .. } => {
                elements.known.values().chain(&elements.others).cloned().collect()
            }
        };
        for value in &values {
            if prompt { self.run_hidden(value, span, host) } else { self.run_aside(value, span, host) }
        }
    }

    /// Arrays that are the shell's own tables of aliases, hashed programs and functions.
    fn assign_table(&mut self, table: &str, key: &Rc<str>, value: &Value, span: Span, host: &mut dyn Host) {
        match table {
            "BASH_ALIASES" | "aliases" | "galiases" | "saliases" => {
                self.state.local_mut().aliases.insert(Rc::clone(key), value.clone());
            }
            "BASH_CMDS" | "commands" => {
                self.state.local_mut().hashed.insert(Rc::clone(key), value.clone());
            }
            "functions" if self.dialect == Dialect::Zsh => {
                let text = Value::text(&format!("{key}() {{\n")).concat(value).concat(&Value::text("\n}"));
                let code = self.code(text, Scope::Same, span);
                let flow = self.run_code(&code, host);
                self.settle(flow, host);
            }
            _ => {}
        }
    }

    fn charge_contents(&mut self, contents: &Contents) {
        match contents {
            Contents::Unset => {}
            Contents::Scalar(value) => self.budget.charge(value),
            Contents::Array(array) => {
                array.any.iter().for_each(|elements| self.budget.charge_elements(elements))
            }
        }
    }
}

/// The contents after an assignment.
fn updated(old: &Variable, known: bool, place: Place, append: bool, value: Assigned) -> Contents {
    match (place, value) {
        (Place::Whole, Assigned::Scalar(value)) => match &old.contents {
            Contents::Array(array) => {
                Contents::Array(with_element(array, &Place::Element(array.first_key()), append, &value))
            }
            Contents::Scalar(before) if append && known => Contents::Scalar(if old.maybe_unset {
                before.concat(&value).union(&value)
            } else {
                before.concat(&value)
            }),
            Contents::Scalar(before) if append => Contents::Scalar(before.concat(&value)),
            _ => Contents::Scalar(value),
        },
        (Place::Whole, Assigned::Array { elements, placed }) => {
            let associative = matches!(&old.contents, Contents::Array(array) if array.associative);
            if append {
                return Contents::Array(appended(as_array(old, known), &elements, placed));
            }
            Contents::Array(Array { any: vec![elements], associative })
        }
        (place, Assigned::Scalar(value)) => {
            Contents::Array(with_element(&as_array(old, known), &place, append, &value))
        }
        (_, Assigned::Array { .. }) => old.contents.clone(),
    }
}

/// A variable that the script did not set is taken to be no array.
fn as_array(variable: &Variable, known: bool) -> Array {
    match &variable.contents {
        Contents::Array(array) => array.clone(),
        Contents::Unset => Array { any: vec![Elements::default()], associative: false },
        Contents::Scalar(_) if variable.maybe_unset && !known => {
            Array { any: vec![Elements::default()], associative: false }
        }
        Contents::Scalar(value) => {
            let first = BTreeMap::from([(Key::Index(0), value.clone())]);
            let mut any = vec![Elements { known: first, ..Elements::default() }];
            any.extend(variable.maybe_unset.then(Elements::default));
            Array { any, associative: false }
        }
    }
}

fn with_element(array: &Array, place: &Place, append: bool, value: &Value) -> Array {
    let mut array = array.clone();
    for elements in &mut array.any {
        let Place::Element(key) = place else {
            let others = elements.values().map_or_else(|| value.clone(), |others| others.union(value));
            *elements = Elements { others: Some(others), ..Elements::default() };
            continue;
        };
        let before = elements.known.get(key).filter(|_| append);
        let value = before.map_or_else(|| value.clone(), |before| before.concat(value));
        elements.known.insert(key.clone(), value);
    }
    array
}

fn appended(mut array: Array, new: &Elements, placed: bool) -> Array {
    for elements in &mut array.any {
        let length = elements.tail.len() + new.known.len() + new.tail.len();
        let ordered = !placed && new.others.is_some() != new.tail.is_empty() && length <= ORDERED;
        if !elements.tail.is_empty() && ordered {
            let known = new.known.values().map(|value| (value.clone(), false));
            elements.tail.extend(known.chain(new.tail.iter().cloned()));
            elements.others = Value::any_of(elements.tail.iter().map(|(value, _)| value));
            continue;
        }
        elements.tail = if elements.others.is_none() { new.tail.clone() } else { Vec::new() };
        let mut next = elements.next_index();
        for (key, value) in &new.known {
            let key = if matches!(key, Key::Index(_)) && !placed { Key::Index(next) } else { key.clone() };
            next = next.saturating_add(1);
            elements.known.insert(key, value.clone());
        }
        elements.others = match (elements.others.take(), &new.others) {
            (Some(left), Some(right)) => Some(left.union(right)),
            (left, right) => left.or_else(|| right.clone()),
        };
    }
    array
}

/// Variables of the shell that are always numbers.
pub(super) fn is_numeric(name: &str) -> bool {
    const NUMBERS: [&str; 12] = [
        "BASHPID",
        "COLUMNS",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "EUID",
        "HISTCMD",
        "LINENO",
        "PPID",
        "RANDOM",
        "SECONDS",
        "SRANDOM",
        "UID",
    ];
    NUMBERS.contains(&name)
}

/// A name that can be assigned to.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
