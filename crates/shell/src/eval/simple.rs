//! Simple commands: expansion in the right order, then whatever the command word names.

use std::rc::Rc;

use tollgate_model::{Span, work};

use super::budget::COMMAND;
use super::builtins::{self, Builtin};
use super::expand::{Fields, Mode};
use super::state::{Flow, Variable};
use super::vars::{Assigned, Assignment, Place};
use super::{Call, Context, Field, Host, Input, Kind, Note, Open, Shell, Status};
use crate::ast::{Assign, AssignValue, Dialect, ParamOp, Part, Redirect, Simple, Word};
use crate::value::{HoleSource, Text, Value};

/// The builtins that POSIX calls special.
const SPECIAL: [&str; 14] = [
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift",
    "trap", "unset",
];

impl Shell {
    pub(super) fn run_simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        if let Some(alias) = self.expansion(simple, host) {
            return self.run_alias(&alias, simple, redirects, span, host);
        }
        self.run_unaliased(simple, redirects, span, host)
    }

    /// Runs a command whose first word is taken as it is.
    pub(super) fn run_unaliased(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        self.substituted = None;
        if self.state.local.options.fragile && simple.words.iter().any(|word| self.may_lack(word)) {
            self.may_end(self.state.clone());
        }
        let lists = match simple.words.first().map(declares) {
            Some(true) => self.expand_declaration(&simple.words, host),
            _ => self.expand_words(&simple.words, host),
        };
        if self.take_ended() {
            return Flow::default();
        }
        let several = lists.len() > 1;
        let (entry, conditional) = (several.then(|| self.state.clone()), self.context.conditional);
        let mut all = Flow::default();
        for argv in lists {
            if let Some(entry) = &entry {
                self.state = entry.clone();
                self.context.conditional = true;
            }
            let flow = self.run_fields(argv, simple, redirects, span, host);
            all = if several { self.join_flows(all, flow, &*host) } else { flow };
        }
        self.context.conditional = conditional;
        all
    }

    /// Does a word use a variable that the script has not set?
    fn may_lack(&self, word: &Word) -> bool {
        let lacks = |part: &Part| match part {
            Part::Param { expansion, .. } => {
                expansion.op == ParamOp::None
                    && super::vars::is_name(&expansion.name)
                    && !self.state.local.vars.contains_key(expansion.name.as_str())
            }
            _ => false,
        };
        !self.state.local.traps.is_empty() && word.parts.iter().any(lacks)
    }

    /// True once after something ended the shell in the midst of an expansion or a call.
    pub(super) fn take_ended(&mut self) -> bool {
        std::mem::replace(&mut self.ended, false)
    }

    fn run_fields(
        &mut self,
        argv: Vec<Field>,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let fragile = redirects.iter().any(|redirect| super::redirect::opens_file(&redirect.kind));
        let entry = fragile.then(|| self.state.clone());
        let Some((opens, replaced)) = self.redirect_for(redirects, host) else { return Flow::default() };
        let exec = argv.len() == 1 && argv.first().and_then(|field| field.value.as_literal()) == Some("exec");
        let flow = if argv.is_empty() {
            self.run_assignments(&simple.assigns, opens, span, host)
        } else {
            self.run_words(argv, simple, opens, span, host)
        };
        if redirects.is_empty() {
            return flow;
        }
        // `exec` without a command keeps its redirections.
        let flow = if exec { flow } else { self.with_descriptors(flow, &replaced) };
        match entry {
            Some(entry) => self.or_unopened(flow, entry, &*host),
            None => flow,
        }
    }

    fn run_assignments(
        &mut self,
        assigns: &[Assign],
        opens: Vec<Open>,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let mut made = Vec::with_capacity(assigns.len());
        let mut status = Status::Success;
        for assign in assigns {
            let assignment = self.assignment(assign, host);
            if self.take_ended() {
                return Flow::default();
            }
            if self.state.local.vars.get(&*assign.name).is_some_and(|old| old.attributes.readonly) {
                status = Status::Either;
            }
            made.push((Rc::from(assign.name.as_str()), shown(&assignment.value)));
            self.assign(assignment, host);
        }
        if !made.is_empty() {
            let mut call = self.call(Vec::new(), opens, span);
            call.kind = Kind::Assignment;
            call.assigns = made;
            host.command(&call, self);
        }
        let status = self.substituted.take().unwrap_or(status);
        if !self.state.last.is_empty() {
            self.state.last = Rc::new(Value::empty());
        }
        Flow::of(status, self.state.clone())
    }

    /// Evaluates the right side of an assignment.
    pub(super) fn assignment(&mut self, assign: &Assign, host: &mut dyn Host) -> Assignment {
        let place = match &assign.subscript {
            None => Place::Whole,
            Some(subscript) => {
                let key = self.expand_value(subscript, Mode::Plain, host);
                self.place_of_value(&assign.name, &key, assign.span, host)
            }
        };
        let value = match &assign.value {
            AssignValue::Scalar(word) => Assigned::Scalar(self.expand_value(word, Mode::Assignment, host)),
            AssignValue::Array(items) => {
                let placed = items.iter().any(|(subscript, _)| subscript.is_some());
                Assigned::Array { elements: self.array_elements(items, &assign.name, host), placed }
            }
        };
        Assignment {
            name: Rc::from(assign.name.as_str()),
            place,
            append: assign.append,
            value,
            span: assign.span,
        }
    }

    /// Runs a command with words, its assignments in force only while it runs.
    fn run_words(
        &mut self,
        argv: Vec<Field>,
        simple: &Simple,
        opens: Vec<Open>,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let mut call = self.call(argv, opens, span);
        let mut saved: Vec<(Rc<str>, Option<Rc<Variable>>)> = Vec::new();
        for assign in &simple.assigns {
            let assignment = self.assignment(assign, host);
            let name: Rc<str> = Rc::from(assign.name.as_str());
            saved.push((Rc::clone(&name), self.state.local.vars.get(&name).cloned()));
            call.assigns.push((Rc::clone(&name), shown(&assignment.value)));
            self.assign(assignment, host);
            if let Some(variable) = self.state.vars_mut().get_mut(&name) {
                Rc::make_mut(variable).attributes.exported = true;
            }
        }
        if self.take_ended() {
            return Flow::default();
        }
        // In POSIX shells the assignments before a special builtin stay.
        let keeps = call.name().is_some_and(|name| self.is_special(name));
        let flow = self.run_call(call, &simple.words, host);
        if saved.is_empty() {
            return flow;
        }
        let kept = keeps.then(|| Flow { ok: flow.ok.clone(), fail: flow.fail.clone() });
        let flow = flow.map(|mut state| {
            for (name, old) in saved.iter().rev() {
                match old {
                    Some(old) => state.vars_mut().insert(Rc::clone(name), Rc::clone(old)),
                    None => state.vars_mut().remove(name),
                };
            }
            state
        });
        match kept {
            Some(kept) => self.join_flows(flow, kept, &*host),
            None => flow,
        }
    }

    /// Runs words that were expanded before, such as those of broken text.
    pub(super) fn dispatch_words(&mut self, argv: Vec<Field>, span: Span, host: &mut dyn Host) {
        let call = self.call(argv, Vec::new(), span);
        let flow = self.run_call(call, &[], host);
        self.settle(flow, host);
    }

    /// A call with what is in force now.
    pub(super) fn call(&self, argv: Vec<Field>, redirects: Vec<Open>, span: Span) -> Call {
        Call {
            argv,
            assigns: Vec::new(),
            kind: Kind::External,
            stdin: Input { stream: self.stream(0), value: self.input_value(0) },
            stdout: self.stream(1),
            redirects,
            span: self.at(span),
            background: self.context.background > 0,
            piped_to: self.context.piped_to && self.stream(1) == super::Stream::Pipe,
            conditional: self.context.conditional,
        }
    }

    /// Runs each command that the command word may name.
    pub(super) fn run_call(&mut self, mut call: Call, words: &[Word], host: &mut dyn Host) -> Flow {
        let Some(first) = call.argv.first_mut() else { return Flow::both(self.state.clone()) };
        if first.value.any.len() == 1 {
            return self.dispatch(call, words, host);
        }
        let texts = std::mem::take(&mut first.value.any);
        let (entry, conditional) = (self.state.clone(), self.context.conditional);
        self.context.conditional = true;
        let mut all = Flow::default();
        for text in texts {
            self.state = entry.clone();
            let mut call = Call { conditional: true, ..call.clone() };
            if let Some(first) = call.argv.first_mut() {
                first.value.any = vec![text];
            }
            let flow = self.dispatch(call, words, host);
            all = self.join_flows(all, flow, &*host);
        }
        self.context.conditional = conditional;
        all
    }

    /// Is it a builtin that a POSIX shell treats apart, and is this one?
    fn is_special(&self, name: &str) -> bool {
        (self.dialect == Dialect::Posix || self.state.local.options.posix) && SPECIAL.contains(&name)
    }

    fn dispatch(&mut self, call: Call, words: &[Word], host: &mut dyn Host) -> Flow {
        work::charge(call.argv.len() * 2);
        if !self.step(COMMAND, call.span, host) && work::is_spent() {
            return Flow::both(self.state.clone());
        }
        let splits = call.argv.first().is_some_and(|field| field.splits);
        let Some(name) = call.name().filter(|_| !splits) else { return self.run_unresolved(call, host) };
        if self.skims_call(&call) {
            return Flow::both(self.state.clone());
        }
        let Some(functions) = self.state.local.functions.get(name).cloned() else {
            return self.run_program(call, words, host);
        };
        let name: Rc<str> = Rc::from(name);
        if functions.more {
            host.note(Note::DynamicCode { text: Value::unknown(HoleSource::Budget), span: call.span });
        }
        let (entry, conditional) = (self.state.clone(), self.context.conditional);
        // A POSIX shell finds its special builtins before functions.
        let otherwise = functions.maybe_unset || self.is_special(&name);
        self.context.conditional |= otherwise || functions.any.len() > 1;
        let mut all = Flow::default();
        for function in &functions.any {
            self.state = entry.clone();
            let flow = self.run_function(&name, function, call.clone(), host);
            all = self.join_flows(all, flow, &*host);
        }
        if otherwise {
            self.state = entry;
            let flow = self.run_program(call, words, host);
            all = self.join_flows(all, flow, &*host);
        }
        self.context.conditional = conditional;
        all
    }

    /// Runs a builtin or a program, no function.
    pub(super) fn run_program(&mut self, call: Call, words: &[Word], host: &mut dyn Host) -> Flow {
        let Some(name) = call.name() else { return self.run_unresolved(call, host) };
        match builtins::find(name) {
            Some(builtin) if !self.state.local.disabled.contains_key(name) => {
                self.run_builtin(builtin, call, words, host)
            }
            _ => self.run_external(call, host),
        }
    }

    /// Runs a program.
    pub(super) fn run_external(&mut self, mut call: Call, host: &mut dyn Host) -> Flow {
        let hashed = call.name().and_then(|name| self.state.local.hashed.get(name)).cloned();
        if let (Some(path), Some(first)) = (hashed, call.argv.first_mut()) {
            first.value = path;
        }
        let copied = copies_input(&call).then(|| call.stdin.value.clone()).flatten();
        self.may_make_folders(&call);
        let outcome = host.command(&call, self);
        self.state.touched = true;
        if call.name() == Some("kill") && !self.state.local.traps.is_empty() {
            self.may_end(self.state.clone());
            self.run_traps_aside(host);
        }
        self.use_input(&call);
        if self.take_ended() {
            return Flow::default();
        }
        self.run_not_found(&call, host);
        self.emit(1, copied.as_ref().unwrap_or(&outcome.stdout));
        // What it says on standard error is not known.
        self.emit(2, &Value::unknown(HoleSource::Output));
        self.remember_last(call.argv);
        Flow::of(outcome.status, self.state.clone())
    }

    /// Runs the function that takes commands which are not found; this may be one.
    fn run_not_found(&mut self, call: &Call, host: &mut dyn Host) {
        let name = if self.dialect == Dialect::Zsh {
            "command_not_found_handler"
        } else {
            "command_not_found_handle"
        };
        let Some(handler) = self.state.local.functions.get(name).cloned() else { return };
        if self.frames.iter().any(|frame| &*frame.name == name) {
            return;
        }
        let word = Field::new(Value::text(name), call.span);
        let argv = std::iter::once(word).chain(call.argv.iter().cloned()).collect();
        let (entry, context) = (self.state.clone(), self.context);
        self.context.conditional = true;
        for function in &handler.any {
            let call = Call { argv: Vec::clone(&argv), conditional: true, ..call.clone() };
            let flow = self
                .in_subshell(host, |shell, host| shell.run_function(&Rc::from(name), function, call, host));
            self.settle(flow, host);
        }
        self.context = context;
        self.state =
            self.join(Some(entry), Some(self.state.clone()), &*host).unwrap_or_else(|| self.state.clone());
    }

    /// Runs a command whose name is not known: whatever it may be, and what is left when the unknown parts
    /// of its name come to nothing.
    fn run_unresolved(&mut self, call: Call, host: &mut dyn Host) -> Flow {
        if self.skim.is_some() {
            return self.skim_unresolved(call, host);
        }
        let Some(argv) = emptied(&call.argv) else { return self.run_unknown(call, host) };
        let (entry, context) = (self.state.clone(), self.context);
        let rest = Call { argv, conditional: true, ..call.clone() };
        let flow = self.run_unknown(call, host);
        self.state = entry;
        self.context = Context { conditional: true, supposed: true, ..context };
        let other = self.run_call(rest, &[], host);
        self.context = Context { supposed: context.supposed, ..self.context };
        self.join_flows(flow, other, &*host)
    }

    fn run_unknown(&mut self, mut call: Call, host: &mut dyn Host) -> Flow {
        if let Some(first) = call.argv.first() {
            host.note(Note::Unresolved { word: first.value.clone(), span: first.span });
        }
        if call.args().any(|field| field.value.any.iter().any(|text| text.prefix().contains('='))) {
            // It may be `export`.
            self.doubt_variables();
        }
        call.kind = Kind::Unresolved;
        let outcome = host.command(&call, self);
        self.state.touched = true;
        if self.take_ended() {
            return Flow::default();
        }
        self.run_not_found(&call, host);
        self.emit(1, &outcome.stdout);
        self.emit(2, &Value::unknown(HoleSource::Output));
        self.remember_last(call.argv);
        Flow::of(outcome.status, self.state.clone())
    }

    /// `$_`
    pub(super) fn remember_last(&mut self, mut argv: Vec<Field>) {
        if let Some(field) = argv.pop() {
            self.state.last = Rc::new(field.value);
        }
    }

    /// Words of `declare` and its like: `name=value` is not split.
    fn expand_declaration(&mut self, words: &[Word], host: &mut dyn Host) -> Vec<Vec<Field>> {
        let mut lists = vec![Vec::with_capacity(words.len())];
        let associative = words.iter().any(makes_associative);
        for word in words {
            let fields = match builtins::declared(word) {
                Some(assign) => {
                    self.associating = associative.then(|| Rc::from(assign.name.as_str()));
                    let assignment = self.assignment(&assign, host);
                    self.associating = None;
                    let sign = if assign.append { "+=" } else { "=" };
                    let subscript =
                        assign.subscript.as_ref().map(|word| self.expand_value(word, Mode::Plain, host));
                    let left = match subscript.as_ref().map(Value::as_literal) {
                        Some(subscript) => format!("{}[{}]{sign}", assign.name, subscript.unwrap_or("?")),
                        None => format!("{}{sign}", assign.name),
                    };
                    let value = Value::text(&left).concat(&shown(&assignment.value));
                    if let Assigned::Array { .. } = assignment.value {
                        self.declared.push(assignment);
                    }
                    Fields::One(Field::new(value, self.at(word.span)))
                }
                None => self.expand_word(word, host),
            };
            self.extend_lists(&mut lists, fields, word.span, host);
        }
        lists
    }
}

/// The words when the unknown parts of the command word come to nothing: the words after it when nothing is
/// left of it, else what is left. `None` when it stays as it is, or when no command is left.
pub(super) fn emptied(argv: &[Field]) -> Option<Vec<Field>> {
    let vanishes = |field: &&Field| field.splits && field.value.maybe_empty();
    let skipped = argv.iter().take_while(vanishes).count();
    let (first, rest) = argv.get(skipped..)?.split_first()?;
    let texts = first.value.any.iter().map(Text::without_empty_holes).filter(|text| !text.is_empty());
    let value = Value::of(texts, first.value.taint);
    if value.is_empty() || skipped == 0 && value == first.value {
        return None;
    }
    let splits = first.splits && (value == first.value || value.any.iter().any(Text::has_holes));
    let first = Field { value, span: first.span, splits };
    Some(std::iter::once(first).chain(rest.iter().cloned()).collect())
}

/// The value as one text, for the host.
pub(super) fn shown(value: &Assigned) -> Value {
    match value {
        Assigned::Scalar(value) => value.clone(),
        Assigned::Array { elements, .. } => {
            Value::joined(elements.known.values().chain(&elements.others), " ")
        }
    }
}

/// The word is, as it stands, a builtin whose arguments are assignments.
fn declares(word: &Word) -> bool {
    match word.parts.as_slice() {
        [Part::Text { text, .. }] => matches!(builtins::find(text), Some(Builtin::Variables(_))),
        _ => false,
    }
}

/// `-A` among the options of `declare`.
fn makes_associative(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part::Text { text, .. }] if text.starts_with('-') && text.contains('A'))
}

/// `cat` and `cat -` print what they read.
fn copies_input(call: &Call) -> bool {
    call.name() == Some("cat") && call.args().all(|field| field.value.as_literal() == Some("-"))
}
