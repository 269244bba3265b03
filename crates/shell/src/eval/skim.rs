//! Scripts that do too much to be followed: every command is looked at where it stands, whatever leads there. A
//! variable is whatever the script gives it anywhere, and a function gets what all calls together give it.
//!
//! Invariant: a script is gone over more than once, so that what stands further down is known further up.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tollgate_model::Span;

use super::expand::Mode;
use super::join::join_variables;
use super::simple::{emptied, shown};
use super::state::{Contents, Flow, List, State, Variable, Vars};
use super::{Call, Field, Host, Kind, Note, Shell};
use crate::ast::{Assign, Command, CommandKind, Item, Pipeline, Script, Word};
use crate::value::{HoleSource, Text, Value};

/// Values of one variable that are told apart.
const VALUES: usize = 3;
/// Texts that are run as code and told apart.
pub(super) const TEXTS: usize = 4;

/// What is known of the scripts that are gone over.
#[derive(Debug, Default)]
pub(super) struct Skim {
    /// By their texts.
    known: BTreeMap<Rc<str>, Known>,
    /// Of the one that is being gone over.
    now: Known,
    /// Those that were, in this round.
    seen: BTreeSet<Rc<str>>,
}

/// What is known of one script.
#[derive(Debug, Default)]
struct Known {
    /// Its functions, with what they are called with.
    functions: BTreeMap<Rc<str>, Option<List>>,
    vars: Vars,
}

impl Shell {
    /// From now on scripts are gone over instead of being followed.
    pub fn begin_skim(&mut self) {
        self.skim.get_or_insert_default().seen.clear();
    }

    /// Are they?
    #[must_use]
    pub fn is_skimming(&self) -> bool {
        self.skim.is_some()
    }

    /// From now on they are followed.
    pub fn end_skim(&mut self) {
        self.skim = None;
    }

    /// Goes over a script, unless that was done in this round. `None` when scripts are followed.
    pub(super) fn skimmed(
        &mut self,
        source: &Rc<str>,
        script: &Script,
        process: bool,
        host: &mut dyn Host,
    ) -> Option<Flow> {
        let skim = self.skim.as_mut()?;
        if !skim.seen.insert(Rc::clone(source)) {
            return Some(Flow::both(self.state.clone()));
        }
        let known = skim.known.remove(source).unwrap_or_default();
        let earlier = known.vars.clone();
        let outer = process.then(|| std::mem::replace(&mut skim.now, known));
        let before = State { local: Rc::clone(&self.state.local), ..self.state.clone() };
        self.state
            .local_mut()
            .vars
            .extend(earlier.iter().map(|(name, variable)| (Rc::clone(name), Rc::clone(variable))));
        self.gather(&before);
        self.context.conditional = true;
        self.note_problems(script, host);
        self.skim_list(script, host);
        let vars = self.state.local.vars.clone();
        if let (Some(skim), Some(outer)) = (&mut self.skim, outer) {
            let now = std::mem::replace(&mut skim.now, outer);
            skim.known.insert(Rc::clone(source), Known { vars, ..now });
        }
        Some(Flow::both(self.state.clone()))
    }

    /// Is it a function of the script that is gone over? Then its body is, with what it is given here.
    pub(super) fn skims_call(&mut self, call: &Call) -> bool {
        let Some(skim) = &mut self.skim else { return false };
        let Some(given) = call.name().and_then(|name| skim.now.functions.get_mut(name)) else {
            return false;
        };
        let list = List::of(call.argv.iter().skip(1).cloned().collect());
        *given = Some(match given.take() {
            Some(before) => either(&before, &list),
            None => list,
        });
        self.emit(1, &Value::unknown(HoleSource::Output));
        true
    }

    /// What is left when the name comes to nothing, where that names a command.
    pub(super) fn skim_unresolved(&mut self, call: Call, host: &mut dyn Host) -> Flow {
        if let Some(first) = call.argv.first() {
            host.note(Note::Unresolved { word: first.value.clone(), span: first.span });
        }
        let is_name =
            |field: &Field| field.value.as_literal().is_some_and(|name| !name.contains(char::is_whitespace));
        self.emit(1, &Value::unknown(HoleSource::Output));
        match emptied(&call.argv).filter(|argv| argv.first().is_some_and(is_name)) {
            Some(argv) => self.run_call(Call { argv, conditional: true, ..call }, &[], host),
            None => Flow::both(self.state.clone()),
        }
    }

    fn skim_list(&mut self, script: &Script, host: &mut dyn Host) {
        for item in &script.items {
            if !self.step(1, item.span, host) {
                return;
            }
            self.skim_item(item, host);
        }
    }

    fn skim_item(&mut self, item: &Item, host: &mut dyn Host) {
        if let Some(assigns) = assignments(item) {
            return self.skim_assigns(assigns, item.span, host);
        }
        let pipelines = || std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
        if !pipelines().any(|pipeline| compound(pipeline).is_some()) {
            return self.weakly(host, |shell, host| shell.run_item(item, host));
        }
        for pipeline in pipelines() {
            match compound(pipeline) {
                Some(command) => self.skim_command(command, host),
                None => self.weakly(host, |shell, host| shell.run_pipeline(pipeline, host)),
            }
        }
    }

    /// Assignments are many, and so are variables: only the one that changes is looked at.
    fn skim_assigns(&mut self, assigns: &[Assign], span: Span, host: &mut dyn Host) {
        let (context, mark) = (self.context, self.jumps.len());
        self.renew_words();
        for assign in assigns {
            let assignment = self.assignment(assign, host);
            let mut call = self.call(Vec::new(), Vec::new(), span);
            call.kind = Kind::Assignment;
            call.assigns = vec![(Rc::clone(&assignment.name), shown(&assignment.value))];
            let before = self.state.local.vars.get(&assignment.name).cloned();
            self.assign(assignment, host);
            if let Some(before) = before
                && let Some(now) = self.state.vars_mut().get_mut(assign.name.as_str())
            {
                *now = Rc::new(either_variable(&assign.name, &before, now));
            }
            host.command(&call, self);
        }
        self.context = context;
        self.jumps.truncate(mark);
        self.ended = false;
    }

    fn skim_command(&mut self, command: &Command, host: &mut dyn Host) {
        let Some((_, replaced)) = self.redirect_for(&command.redirects, host) else { return };
        let cwd = self.state.local.cwd.clone();
        self.nested(command.span, host, |shell, host| shell.skim_kind(&command.kind, command.span, host));
        replaced.put_back(&mut self.state);
        // Where an arm or a function goes, only it is.
        if !matches!(command.kind, CommandKind::Group(_)) && self.state.local.cwd != cwd {
            self.state.local_mut().cwd = cwd;
        }
    }

    fn skim_kind(&mut self, kind: &CommandKind, span: Span, host: &mut dyn Host) {
        match kind {
            CommandKind::Group(script) => self.skim_list(script, host),
            CommandKind::Subshell(script) => {
                let local = Rc::clone(&self.state.local);
                self.skim_list(script, host);
                self.state.local = local;
            }
            CommandKind::If { arms, otherwise } => {
                let arms = arms.iter().flat_map(|(condition, body)| [condition, body]);
                arms.chain(otherwise).for_each(|script| self.skim_list(script, host));
            }
            CommandKind::For { names, words, body, .. } => {
                self.weakly(host, |shell, host| shell.bind_all(names, words.as_deref(), span, host));
                self.skim_list(body, host);
            }
            CommandKind::While { condition, body, .. } => {
                self.skim_list(condition, host);
                self.skim_list(body, host);
            }
            CommandKind::CFor { header, body } => {
                self.weakly(host, |shell, host| {
                    for part in header {
                        shell.number_of_arith(part, span, host);
                    }
                    Flow::both(shell.state.clone())
                });
                self.skim_list(body, host);
            }
            CommandKind::Case { subject, arms } => {
                let patterns = arms.iter().flat_map(|arm| &arm.patterns);
                for word in std::iter::once(subject).chain(patterns) {
                    drop(self.expand_value(word, Mode::Plain, host));
                }
                arms.iter().for_each(|arm| self.skim_list(&arm.body, host));
            }
            CommandKind::Function { name, body, .. } => self.skim_function(name, body, host),
            simple => self.weakly(host, |shell, host| shell.run_kind(simple, span, host)),
        }
    }

    /// Goes over the body of a function, with what its calls are known to give it.
    fn skim_function(&mut self, name: &Word, body: &Command, host: &mut dyn Host) {
        let name = self.expand_value(name, Mode::Plain, host);
        let functions = self.skim.as_mut().map(|skim| &mut skim.now.functions);
        let given = match (name.as_literal(), functions) {
            (Some(name), Some(functions)) => functions.entry(Rc::from(name)).or_default().clone(),
            _ => None,
        };
        let input = || Value::unknown(HoleSource::Input);
        let given = given.unwrap_or_else(|| List::open(vec![input(); 4], Some(input())));
        let (args, returnable) = (Rc::clone(&self.state.local.args), self.context.returnable);
        Rc::make_mut(&mut self.state.local_mut().args).any = vec![given];
        self.context.returnable = true;
        self.skim_command(body, host);
        self.context.returnable = returnable;
        self.state.local_mut().args = args;
    }

    /// The variables of a loop are any of its words.
    fn bind_all(
        &mut self,
        names: &[String],
        words: Option<&[Word]>,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let lists = match words {
            Some(words) => self.expand_words(words, host),
            None => self.arguments(span),
        };
        let value = Value::any_of(lists.iter().flatten().map(|field| &field.value));
        let field = Field::new(value.unwrap_or_else(Value::empty), self.at(span));
        let fields: Vec<Field> = names.iter().map(|_| field.clone()).collect();
        self.bind(names, &fields, span, host);
        Flow::both(self.state.clone())
    }

    /// Runs something that may not be run at all, and may not end what it stands in.
    fn weakly(&mut self, host: &mut dyn Host, inside: impl FnOnce(&mut Self, &mut dyn Host) -> Flow) {
        let (before, context, mark) = (self.state.clone(), self.context, self.jumps.len());
        self.renew_words();
        let flow = inside(self, host);
        self.context = context;
        self.jumps.truncate(mark);
        self.ended = false;
        self.state = self.merged(flow, &*host).unwrap_or_else(|| before.clone());
        self.gather(&before);
    }

    /// What a variable was before, it may still be.
    fn gather(&mut self, before: &State) {
        let both = before.local.vars.joined(&self.state.local.vars, &mut |name, earlier, later| {
            let (Some(earlier), Some(later)) = (earlier, later) else { return earlier.or(later).cloned() };
            Some(match Rc::ptr_eq(earlier, later) {
                true => Rc::clone(later),
                false => Rc::new(either_variable(name, earlier, later)),
            })
        });
        *self.state.vars_mut() = both;
    }
}

/// What an item assigns, where it does nothing else.
fn assignments(item: &Item) -> Option<&[Assign]> {
    let ([stage], []) = (item.first.stages.as_slice(), item.rest.as_slice()) else { return None };
    match &stage.command.kind {
        CommandKind::Simple(simple) if simple.words.is_empty() && stage.command.redirects.is_empty() => {
            Some(&simple.assigns)
        }
        _ => None,
    }
}

/// The only command of a pipeline, where it holds others.
fn compound(pipeline: &Pipeline) -> Option<&Command> {
    let [stage] = pipeline.stages.as_slice() else { return None };
    let plain = matches!(
        stage.command.kind,
        CommandKind::Simple(_)
            | CommandKind::Test(_)
            | CommandKind::Arith(_)
            | CommandKind::Coproc { .. }
            | CommandKind::Broken(_)
    );
    (!plain).then_some(&stage.command)
}

/// What stands at each place of either list.
fn either(left: &List, right: &List) -> List {
    let places = left.items.len().max(right.items.len());
    let at = |place: usize| {
        let values = [left, right].into_iter().filter_map(|list| list.items.get(place));
        few(Value::any_of(values).unwrap_or_else(Value::empty), HoleSource::Input)
    };
    let others = Value::any_of([left, right].into_iter().filter_map(|list| list.others.as_ref()));
    List::open((0..places).map(at).collect(), others.map(|value| few(value, HoleSource::Input)))
}

/// Either variable. That there is nothing in it yet says nothing.
fn either_variable(name: &str, left: &Variable, right: &Variable) -> Variable {
    let both = join_variables(left, right);
    let Contents::Scalar(value) = both.contents else { return both };
    let some: Vec<Text> = value.any.iter().filter(|text| !text.is_empty()).cloned().collect();
    let value = if some.is_empty() { value } else { Value::of(some, value.taint) };
    let value = few(value, HoleSource::Variable(name.into()));
    Variable { contents: Contents::Scalar(value), maybe_unset: false, ..both }
}

/// Values that are too many to be told apart are unknown.
fn few(value: Value, source: HoleSource) -> Value {
    if value.any.len() <= VALUES { value } else { Value::unknown(source).with_taint(value.taint) }
}
