//! Builtins that set variables: `declare`, `export`, `local`, `readonly`, `unset`, `let`, `getopts`.

use std::collections::BTreeMap;
use std::rc::Rc;

use tollgate_model::Span;

use super::super::join::join_variables;
use super::super::state::{Array, Attributes, Contents, Elements, Flow, Shadowed, Variable};
use super::super::vars::{Assigned, Assignment, Place, is_name};
use super::super::{Field, Host, Shell, Status};
use super::{Declare, options};
use crate::ast::Dialect;
use crate::value::{HoleSource, Piece, Taint, Text, Value};

impl Shell {
    pub(super) fn builtin_declare(
        &mut self,
        kind: Declare,
        args: &[Field],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let (on, off, names) = flags(args);
        if kind == Declare::Local && self.frames.is_empty() && self.dialect == Dialect::Bash {
            self.declared.clear();
            return self.failed();
        }
        let mut arrays = std::mem::take(&mut self.declared);
        if on.contains('p') || names.is_empty() {
            self.emit(1, &Value::unknown(HoleSource::Output));
            return self.either();
        }
        if on.contains('f') || on.contains('F') {
            let exported = kind == Declare::Export || on.contains('x');
            self.mark_functions(names, exported, kind == Declare::Readonly || on.contains('r'));
            if !exported && !off.contains('f') {
                self.print_functions(names, on.contains('F'));
            }
            return self.either();
        }
        // Inside a function `declare` makes a local variable, unless it has `-g`.
        let local =
            kind == Declare::Local || kind == Declare::Plain && !on.contains('g') && !self.frames.is_empty();
        let how = How { kind, local, on: &on, off: &off, span };
        let global = on.contains('g') && !self.frames.is_empty();
        for field in names {
            for text in field.value.any.iter().filter(|text| text.prefix().is_empty()) {
                self.spread(&Value::from(assigned(text)).with_taint(field.value.taint));
            }
            let groups = Declared::groups(&field.value);
            let (entry, several) = (self.state.clone(), groups.len() > 1);
            let mut all = None;
            for declared in groups {
                self.state = entry.clone();
                match global && self.is_hidden(&declared.name, &self.state.local.shadowed) {
                    true => self.declare_behind(declared, &how, &mut arrays, host),
                    false => self.declare_one(declared, &how, &mut arrays, host),
                }
                all = self.join(all, Some(self.state.clone()), &*host);
            }
            if let Some(state) = all.filter(|_| several) {
                self.state = state;
            }
        }
        self.either()
    }

    /// `declare -g` where a function has a local variable of the name: that one stays as it is.
    fn declare_behind(
        &mut self,
        declared: Declared,
        how: &How<'_>,
        arrays: &mut Vec<Assignment>,
        host: &mut dyn Host,
    ) {
        let name: Rc<str> = Rc::from(declared.name.as_str());
        let local = self.state.local.vars.get(&name).cloned();
        match self.behind_locals(&name) {
            Some(variable) => self.state.vars_mut().insert(Rc::clone(&name), variable),
            None => self.state.vars_mut().remove(&name),
        };
        self.declare_one(declared, how, arrays, host);
        let set = Shadowed { previous: self.state.local.vars.get(&name).cloned(), partly: false };
        self.state.local_mut().globals.insert(Rc::clone(&name), set);
        match local {
            Some(local) => self.state.vars_mut().insert(name, local),
            None => self.state.vars_mut().remove(&name),
        };
    }

    /// Declares one variable, and assigns to it when a value is given.
    fn declare_one(
        &mut self,
        declared: Declared,
        how: &How<'_>,
        arrays: &mut Vec<Assignment>,
        host: &mut dyn Host,
    ) {
        let array = arrays.iter().position(|array| *array.name == *declared.name);
        let value = match array {
            Some(index) => Some(arrays.swap_remove(index).value),
            None => declared.value.map(Assigned::Scalar),
        };
        let fixed = self.state.local.vars.get(declared.name.as_str()).cloned();
        let fixed = fixed.filter(|old| how.local && old.attributes.readonly);
        self.set_attributes(&declared.name, how, host);
        let unlike = fixed.or_else(|| self.array_of_other_kind(&declared.name, how));
        if let Some(value) = value {
            let place = match &declared.subscript {
                Some(subscript) => self.place_of(&declared.name, subscript, how.span, host),
                None => Place::Whole,
            };
            let name: Rc<str> = Rc::from(declared.name.as_str());
            self.assign_declared(
                Assignment { name, place, append: declared.append, value, span: how.span },
                host,
            );
        }
        if let Some(old) = unlike {
            // An array keeps its kind and contents: the command fails.
            let new = join_variables(&old, &self.lookup(&declared.name, &*host));
            self.state.vars_mut().insert(Rc::from(declared.name.as_str()), Rc::new(new));
        }
        if how.kind == Declare::Readonly || how.on.contains('r') {
            self.make_readonly(&declared.name);
        }
    }

    /// The variable as it is, when it is an array that cannot become what is asked for.
    fn array_of_other_kind(&self, name: &str, how: &How<'_>) -> Option<Rc<Variable>> {
        let variable = self.state.local.vars.get(name)?;
        let Contents::Array(array) = &variable.contents else { return None };
        let other = if array.associative { 'a' } else { 'A' };
        how.on.contains(other).then(|| Rc::clone(variable))
    }

    /// Assigns without minding `readonly`, which may have been given in the same command.
    fn assign_declared(&mut self, assignment: Assignment, host: &mut dyn Host) {
        let name = Rc::clone(&assignment.name);
        let nameref = self.state.local.vars.get(&name).is_some_and(|variable| variable.attributes.nameref);
        if nameref && let Assigned::Scalar(value) = &assignment.value {
            let mut variable = Variable::new(value.clone(), false);
            variable.attributes.nameref = true;
            self.state.vars_mut().insert(name, Rc::new(variable));
            return;
        }
        self.assign(assignment, host);
    }

    fn set_attributes(&mut self, name: &str, how: &How<'_>, host: &mut dyn Host) {
        let How { kind, local, on, off, .. } = *how;
        let name: Rc<str> = Rc::from(name);
        if local && !self.state.local.shadowed.contains_key(&name) {
            let previous = self.state.local.vars.get(&name).cloned();
            let shadow = Shadowed { previous, partly: false };
            self.state.local_mut().shadowed.insert(Rc::clone(&name), shadow);
            let mut fresh =
                Variable { contents: Contents::Unset, attributes: Attributes::default(), maybe_unset: true };
            if self.dialect == Dialect::Posix {
                // dash lets a local variable start with the value outside.
                fresh = join_variables(&fresh, &self.lookup(&name, &*host));
            }
            self.state.vars_mut().insert(Rc::clone(&name), Rc::new(fresh));
        }
        let mut variable = Variable::clone(&self.lookup(&name, &*host));
        let attributes = &mut variable.attributes;
        attributes.exported |= kind == Declare::Export && !on.contains('n') || on.contains('x');
        attributes.exported &= !(off.contains('x') || kind == Declare::Export && on.contains('n'));
        attributes.integer = (attributes.integer || on.contains('i')) && !off.contains('i');
        attributes.lower = (attributes.lower || on.contains('l')) && !off.contains('l');
        attributes.upper = (attributes.upper || on.contains('u')) && !off.contains('u');
        attributes.nameref =
            (attributes.nameref || on.contains('n') && kind != Declare::Export) && !off.contains('n');
        if (on.contains('A') || on.contains('a')) && !matches!(variable.contents, Contents::Array(_)) {
            variable.contents = Contents::Array(self.made_array(&name, &variable, on.contains('A')));
            variable.maybe_unset = false;
        }
        self.state.vars_mut().insert(name, Rc::new(variable));
    }

    /// What a plain value becomes in an array: its first element.
    fn made_array(&self, name: &str, variable: &Variable, associative: bool) -> Array {
        let mut array = Array { any: vec![Elements::default()], associative };
        let set = self.state.local.vars.contains_key(name);
        if let Some(value) = variable.scalar().filter(|_| set || !variable.maybe_unset) {
            let known = BTreeMap::from([(array.first_key(), value)]);
            let filled = Elements { known, ..Elements::default() };
            array.any = if variable.maybe_unset { vec![filled, Elements::default()] } else { vec![filled] };
        }
        array
    }

    /// Assigning to a read-only variable fails, which later assignments have to reckon with.
    fn make_readonly(&mut self, name: &str) {
        if let Some(variable) = self.state.vars_mut().get_mut(name) {
            Rc::make_mut(variable).attributes.readonly = true;
        }
    }

    fn mark_functions(&mut self, names: &[Field], exported: bool, readonly: bool) {
        let functions = &mut self.state.local_mut().functions;
        for name in names.iter().flat_map(|field| field.value.literals()) {
            if let Some(functions) = functions.get_mut(name) {
                functions.exported |= exported;
                functions.readonly |= readonly;
            }
        }
    }

    /// `declare -f name` prints the function so that it can be read again, `-F` only its name.
    fn print_functions(&mut self, names: &[Field], named: bool) {
        for field in names {
            let printed = match field.value.as_literal() {
                Some(name) if named => Value::text(&format!("{name}\n")),
                Some(name) => self.function_text(name),
                None => Value::unknown(HoleSource::Output),
            };
            self.emit(1, &printed);
        }
    }

    fn function_text(&self, name: &str) -> Value {
        let known = self.state.local.functions.get(name);
        // The profile of whoever runs this may define others.
        let Some(functions) = known.filter(|functions| !functions.maybe_unset) else {
            return Value::unknown(HoleSource::Output);
        };
        let texts: Option<Vec<Value>> = functions
            .any
            .iter()
            .map(|function| Some(Value::text(&format!("{name} () {}\n", function.text.as_deref()?))))
            .collect();
        let any = texts.unwrap_or_default().into_iter().reduce(|one, other| one.union(&other));
        any.unwrap_or_else(|| Value::unknown(HoleSource::Output))
    }

    pub(super) fn builtin_unset(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let given = options(args);
        for field in given.rest {
            if !field.value.is_known() && !given.letters.contains('v') {
                // Any of them may be gone.
                let functions = &mut self.state.local_mut().functions;
                functions.update_all(&mut |functions| functions.maybe_unset = true);
            }
            let sure = field.value.any.len() == 1 && !field.splits;
            for name in field.value.literals() {
                let before = self.state.clone();
                self.run_hidden(&Value::text(name), span, host);
                let variable = self.state.local.vars.contains_key(name)
                    || !self.state.local.functions.contains_key(name);
                if given.letters.contains('f') || !given.letters.contains('v') && !variable {
                    self.state.local_mut().functions.remove(name);
                } else if given.letters.contains('n') {
                    self.state.vars_mut().remove(name);
                } else {
                    self.unset(name, span, host);
                }
                if !sure && let Some(state) = self.join(Some(before), Some(self.state.clone()), &*host) {
                    self.state = state;
                }
            }
        }
        self.either()
    }

    pub(super) fn builtin_let(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let mut status = Status::Either;
        for field in args {
            let value = self.arithmetic(&field.value, span, host);
            status = value.as_literal().map_or(Status::Either, |number| Status::of(number != "0"));
        }
        Flow::of(status, self.state.clone())
    }

    /// The letters come from the option string, the rest from the arguments.
    pub(super) fn builtin_getopts(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let [letters, name, given @ ..] = args else { return self.either() };
        if let (Some(letters), Some(name)) = (letters.value.as_literal(), name.value.as_literal()) {
            let known = letters.chars().filter(|c| *c != ':').chain(['?', ':']);
            let any = Value::of(known.map(|c| Text::literal(&c.to_string())), Taint::NONE);
            self.assign_scalar(name, any, span, host);
        }
        let values = given.iter().map(|field| field.value.clone()).reduce(|left, right| left.union(&right));
        let lists = self.state.local.args.any.iter().filter_map(super::super::state::List::values);
        let values = values.or_else(|| lists.reduce(|left, right| left.union(&right)));
        // An option's argument is a word of its own or the rest of one.
        let argument = values.map(|value| Value::of(value.any.iter().flat_map(endings), value.taint));
        let argument = argument.unwrap_or_else(Value::empty).union(&Value::empty());
        self.assign_scalar("OPTARG", argument, span, host);
        self.assign_scalar("OPTIND", Value::something(HoleSource::Input), span, host);
        self.either()
    }
}

/// What comes behind the sign of an assignment to a name that is not known.
fn assigned(text: &Text) -> Text {
    let mut value: Option<Text> = None;
    for piece in &text.pieces {
        match (&mut value, piece) {
            (Some(value), piece) => value.push(piece.clone()),
            (None, Piece::Text(known)) => value = known.split_once('=').map(|(_, rest)| Text::literal(rest)),
            _ => {}
        }
    }
    value.unwrap_or_default()
}

/// The text itself, and what follows an option letter in it.
fn endings(text: &Text) -> Vec<Text> {
    let mut all = vec![text.clone()];
    if let Some(word) = text.as_literal().filter(|word| word.starts_with('-')) {
        let cuts = word.char_indices().skip(2).take(16);
        all.extend(cuts.filter_map(|(at, _)| word.get(at..)).map(Text::literal));
    }
    all
}

/// What a declaration asks for.
struct How<'a> {
    kind: Declare,
    local: bool,
    /// Letters given with `-`, and with `+`.
    on: &'a str,
    off: &'a str,
    span: Span,
}

/// `name`, `name=value`, `name[sub]+=value`
struct Declared {
    name: String,
    subscript: Option<String>,
    append: bool,
    value: Option<Value>,
}

impl Declared {
    /// The declarations that a word may be: one for each name, with all its values.
    fn groups(word: &Value) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for next in word.any.iter().filter_map(|text| Self::read(text, word.taint)) {
            let same = |group: &&mut Self| {
                (&group.name, &group.subscript, group.append) == (&next.name, &next.subscript, next.append)
            };
            match groups.iter_mut().find(same) {
                Some(group) => {
                    let values = group.value.iter().chain(&next.value);
                    group.value = Value::any_of(values);
                }
                None => groups.push(next),
            }
        }
        groups
    }

    fn read(text: &Text, taint: Taint) -> Option<Self> {
        let first = match text.pieces.first() {
            Some(Piece::Text(first)) => first,
            _ => return None,
        };
        let Some((left, right)) = first.split_once('=') else {
            let (name, subscript) = super::super::param::split_name(text.as_literal()?);
            return is_name(&name).then_some(Self { name, subscript, append: false, value: None });
        };
        let (left, append) = left.strip_suffix('+').map_or((left, false), |left| (left, true));
        let (name, subscript) = super::super::param::split_name(left);
        let mut value = Text::literal(right);
        text.pieces.iter().skip(1).for_each(|piece| value.push(piece.clone()));
        is_name(&name).then(|| Self {
            name,
            subscript,
            append,
            value: Some(Value::from(value).with_taint(taint)),
        })
    }
}

/// Letters given with `-`, letters given with `+`, and the rest.
fn flags(args: &[Field]) -> (String, String, &[Field]) {
    let (mut on, mut off) = (String::new(), String::new());
    let mut rest = args;
    while let [first, others @ ..] = rest {
        match first.value.as_literal() {
            Some("--") => {
                rest = others;
                break;
            }
            Some(word) if word.len() > 1 && word.starts_with('-') => {
                on.push_str(word.trim_start_matches('-'))
            }
            Some(word) if word.len() > 1 && word.starts_with('+') => {
                off.push_str(word.trim_start_matches('+'))
            }
            _ => break,
        }
        rest = others;
    }
    (on, off, rest)
}
