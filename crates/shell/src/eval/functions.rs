//! Calls of functions and aliases defined in the script.

use std::rc::Rc;

use tollgate_model::Span;

use super::join::join_variables;
use super::state::{
    Contents, Descriptors, Flow, Function, JumpKind, Local, ShadowedVars, State, Variable, Vars,
};
use super::{Call, Context, Field, Frame, Host, Kind, Limit, Note, Scope, Shell};
use crate::ast::{CommandKind, Dialect, Part, Redirect, Simple, Word};
use crate::value::{Piece, Text, Value};

/// What aliases make of a command.
pub(super) enum Expansion {
    /// The first word names one.
    Named(Rc<str>),
    /// All of it is another text.
    Whole(Value),
}

impl Shell {
    /// Tells the host of the call and runs the body.
    pub(super) fn run_function(
        &mut self,
        name: &Rc<str>,
        function: &Function,
        mut call: Call,
        host: &mut dyn Host,
    ) -> Flow {
        call.kind = Kind::Function;
        let span = call.span;
        host.command(&call, self);
        if self.take_ended() {
            return Flow::default();
        }
        let last = call.argv.last().map_or_else(Value::empty, |field| field.value.clone());
        let last = Rc::new(last);
        let fields: Vec<Field> = call.argv.split_off(1.min(call.argv.len()));
        let before = (Rc::clone(&self.state.local.args), self.state.local.shadowed.clone());
        self.set_args(fields);
        self.state.local_mut().shadowed = ShadowedVars::default();
        if !self.may_recurse(name, span, host) {
            // It goes on forever, or until the shell gives up.
            self.may_abort();
            return Flow::both(self.leave(self.state.clone(), &before));
        }
        let context = self.context;
        self.context = Context {
            origin: function.origin,
            patched: function.patched,
            loops: 0,
            returnable: true,
            ..context
        };
        let mark = self.jumps.len();
        let frame = Frame {
            name: Rc::clone(name),
            background: context.background,
            piped: context.piped,
            entry: self.state.clone(),
            outer: before.1.clone(),
        };
        self.frames.push(frame);
        let body = Rc::clone(&function.body);
        let flow = self.nested(span, host, |shell, host| match &body.kind {
            // The braces around it are no level of their own.
            CommandKind::Group(script) if body.redirects.is_empty() => shell.run_items(script, host),
            _ => shell.run_command(&body, host),
        });
        self.frames.pop();
        let flow = flow.unwrap_or_else(|| Flow::both(self.state.clone()));
        let returned = self.absorb(mark, |kind| *kind == JumpKind::Return, host);
        let flow = self.join_flows(flow, returned, &*host);
        self.context = context;
        flow.map(|state| State { last: Rc::clone(&last), ..self.leave(state, &before) })
    }

    /// The state after a function: what it set behind local variables shows once none of them hides it.
    fn leave(&self, state: State, before: &Saved) -> State {
        let mut state = leave(state, before);
        let globals = state.local.globals.clone();
        for (name, set) in globals.iter().filter(|(name, _)| !self.is_hidden(name, &before.1)) {
            let shown = state.local.vars.get(name).filter(|_| set.partly);
            let variable = match (&set.previous, shown) {
                (Some(new), Some(old)) => Some(Rc::new(join_variables(new, old))),
                (new, _) => new.clone(),
            };
            if let Some(variable) = variable {
                state.vars_mut().insert(Rc::clone(name), variable);
            }
            state.local_mut().globals.remove(name);
        }
        state
    }

    /// Is a variable of this name local in a function that has not returned?
    pub(super) fn is_hidden(&self, name: &str, shadowed: &ShadowedVars) -> bool {
        shadowed.contains_key(name) || self.frames.iter().any(|frame| frame.outer.contains_key(name))
    }

    /// What a variable is behind the local ones of its name.
    pub(super) fn behind_locals(&self, name: &str) -> Option<Rc<Variable>> {
        let set = self.state.local.globals.get(name).filter(|set| !set.partly);
        let outer = || self.frames.iter().find_map(|frame| frame.outer.get(name));
        set.or_else(outer).or_else(|| self.state.local.shadowed.get(name))?.previous.clone()
    }

    /// Whether a call goes anywhere new. A function that is already running is noted; a call in a state
    /// that was seen before would only repeat what is known.
    fn may_recurse(&mut self, name: &Rc<str>, span: Span, host: &mut dyn Host) -> bool {
        let Some(outer) = self.frames.iter().find(|frame| frame.name == *name) else { return true };
        let (background, piped) =
            (self.context.background > outer.background, self.context.piped > outer.piped);
        let noted = (Rc::clone(name), background, piped);
        if !self.recursions.contains(&noted) {
            host.note(Note::Recursion { name: Rc::clone(name), background, piped, span });
            self.recursions.push(noted);
        }
        if self.frames.iter().any(|frame| frame.name == *name && repeats(&frame.entry, &self.state)) {
            return false;
        }
        let mut same = self.frames.iter().filter(|frame| frame.name == *name);
        if same.clone().count() >= WALK
            && same.next_back().is_some_and(|frame| deepens(&frame.entry, &self.state))
        {
            return false;
        }
        match self.budget.recursions.checked_sub(1) {
            Some(left) => {
                self.budget.recursions = left;
                true
            }
            None => {
                self.exhausted(Limit::Recursion, span, host);
                false
            }
        }
    }

    /// What the aliases in force make of a command.
    pub(super) fn expansion(&mut self, simple: &Simple, host: &mut dyn Host) -> Option<Expansion> {
        let named = self.alias_of(simple).map(Expansion::Named);
        named.or_else(|| self.zsh_alias(simple, host).map(Expansion::Whole))
    }

    /// The alias that the first word names, when it is written plainly.
    fn alias_of(&self, simple: &Simple) -> Option<Rc<str>> {
        if self.state.local.aliases.is_empty() {
            return None;
        }
        match simple.words.first()?.parts.as_slice() {
            [Part::Text { text, quoted: false }] => {
                let (name, _) = self.state.local.aliases.get_key_value(text.as_str())?;
                (!self.expanding.contains(name)).then(|| Rc::clone(name))
            }
            _ => None,
        }
    }

    /// What zsh makes of a command with an alias that holds anywhere in it, or with a file whose ending has one.
    fn zsh_alias(&mut self, simple: &Simple, host: &mut dyn Host) -> Option<Value> {
        let aliases = self.state.local.aliases.clone();
        if self.dialect != Dialect::Zsh || aliases.is_empty() || !self.expanding.is_empty() {
            return None;
        }
        let global = |word: &Word| match word.parts.as_slice() {
            [Part::Text { text, quoted: false }] => aliases.get(format!("{GLOBAL}{text}").as_str()),
            _ => None,
        };
        let suffix = simple.words.first().and_then(|word| match word.parts.last() {
            Some(Part::Text { text, quoted: false }) => {
                aliases.get(format!("{SUFFIX}{}", text.rsplit_once('.')?.1).as_str())
            }
            _ => None,
        });
        if suffix.is_none() && !simple.words.iter().any(|word| global(word).is_some()) {
            return None;
        }
        let mut whole = suffix.cloned().unwrap_or_else(Value::empty);
        for word in &simple.words {
            whole = whole.concat(&Value::text(" "));
            if let Some(text) = global(word) {
                whole = whole.concat(text);
                continue;
            }
            let fields = self.expand_words(std::slice::from_ref(word), host).into_iter().next();
            for field in fields.unwrap_or_default() {
                let word = self.stand_in(field);
                whole = whole.concat(&Value::text(&word.to_string()));
            }
        }
        Some(whole)
    }

    /// Whether aliases are expanded is up to the kind of shell, so both ways are followed.
    pub(super) fn run_alias(
        &mut self,
        alias: &Expansion,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let (entry, conditional) = (self.state.clone(), self.context.conditional);
        self.context.conditional = true;
        let plain = self.run_unaliased(simple, redirects, span, host);
        self.state = entry;
        let expanded = match alias {
            Expansion::Named(name) => {
                self.expanding.push(Rc::clone(name));
                self.run_alias_text(name, simple, redirects, span, host)
            }
            Expansion::Whole(text) => {
                self.expanding.push(Rc::from(""));
                self.run_whole(text, redirects, span, host)
            }
        };
        self.expanding.pop();
        self.context.conditional = conditional;
        self.join_flows(plain, expanded, &*host)
    }

    /// Runs the text that zsh reads in place of a command.
    fn run_whole(&mut self, text: &Value, redirects: &[Redirect], span: Span, host: &mut dyn Host) -> Flow {
        let context = self.context;
        let Some((_, replaced)) = self.redirect_for(redirects, host) else { return Flow::default() };
        let flow = self.run_made(text, span, host);
        self.context = context;
        self.with_descriptors(flow, &replaced)
    }

    fn run_alias_text(
        &mut self,
        name: &Rc<str>,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        let Some(text) = self.state.local.aliases.get(name).cloned() else { return Flow::default() };
        let (text, rest) = self.chained(text, simple.words.get(1..).unwrap_or_default());
        let lists = self.expand_words(rest, host);
        let Some((_, replaced)) = self.redirect_for(redirects, host) else { return Flow::default() };
        if self.take_ended() {
            return Flow::default();
        }
        let entry = self.state.clone();
        let mut all = Flow::default();
        for fields in lists {
            self.state = entry.clone();
            let mut whole = text.clone();
            for field in fields {
                let word = format!(" {}", self.stand_in(field));
                whole = whole.concat(&Value::text(&word));
            }
            let context = self.context;
            let flow = self.run_made(&whole, span, host);
            self.context = context;
            all = self.join_flows(all, flow, &*host);
        }
        self.with_descriptors(all, &replaced)
    }

    /// The text of an alias with those of the aliases behind it: after one that ends in a blank the next word is looked
    /// up too. Behind an operator the next word is a command, and is looked up when the text is read.
    fn chained<'w>(&self, mut text: Value, mut rest: &'w [Word]) -> (Value, &'w [Word]) {
        let aliases = &self.state.local.aliases;
        while let Some((word, others)) = rest.split_first()
            && let [Part::Text { text: name, quoted: false }] = word.parts.as_slice()
            && let Some(more) = aliases.get(name.as_str())
        {
            let (blank, open) = (ends(&text, &[' ', '\t']), ends(&text, OPERATORS));
            if !blank && !open {
                break;
            }
            text = if open { text.concat(&Value::text(&format!(" {name}"))) } else { text.concat(more) };
            rest = others;
        }
        (text, rest)
    }

    /// Runs text that holds stand-ins for whole words.
    fn run_made(&mut self, text: &Value, span: Span, host: &mut dyn Host) -> Flow {
        let origin = self.at(span);
        let mut all = Flow::default();
        let entry = self.state.clone();
        for text in text.any.iter() {
            let Some(source) = text.as_literal() else {
                let code = self.code(text.clone().into(), Scope::Same, span);
                let flow = self.run_code(&code, host);
                all = self.join_flows(all, flow, &*host);
                continue;
            };
            self.state = entry.clone();
            self.step(1 + source.len() / 8, span, host);
            let script = crate::parse(source, self.dialect);
            self.context = Context { origin: Some(origin), patched: true, ..self.context };
            let flow = self.nested(span, host, |shell, host| shell.run_items(&script, host));
            all = self.join_flows(all, flow.unwrap_or_else(|| Flow::both(entry.clone())), &*host);
        }
        all
    }
}

/// How the aliases of zsh that hold anywhere, and those for endings of files, are kept among the others.
pub(super) const GLOBAL: &str = "-g ";
pub(super) const SUFFIX: &str = "-s ";

/// A walk over folders is followed this deep: below, it does the same to what lies deeper in the same folder.
const WALK: usize = 3;

/// The same state, but for values that are patterns which go one folder deeper.
fn deepens(before: &State, now: &State) -> bool {
    let rest = |state: &State| Local {
        vars: Vars::default(),
        shadowed: ShadowedVars::default(),
        args: Rc::clone(&now.local.args),
        fds: Descriptors::default(),
        ..Local::clone(&state.local)
    };
    let lists = before.local.args.any.iter().zip(&now.local.args.any);
    let args = before.local.args.any.len() == now.local.args.any.len()
        && lists.into_iter().all(|(before, now)| {
            before.others == now.others
                && before.tail == now.tail
                && before.items.len() == now.items.len()
                && before.items.iter().zip(&now.items).all(|(before, now)| is_deeper(before, now))
        });
    let (left, right) = (&before.local.vars, &now.local.vars);
    let vars = left.len() == right.len()
        && left.iter().zip(right.iter()).all(|((name, left), (other, right))| {
            name == other && (left == right || is_deeper_variable(left, right))
        });
    args && vars && before.input(0) == now.input(0) && rest(before) == rest(now)
}

fn is_deeper_variable(before: &Variable, now: &Variable) -> bool {
    match (&before.contents, &now.contents) {
        (Contents::Scalar(before), Contents::Scalar(now)) => is_deeper(before, now),
        _ => false,
    }
}

/// Does each text that it may be go on where one of the others ends, by patterns of names?
fn is_deeper(before: &Value, now: &Value) -> bool {
    let open = |piece: &Piece| match piece {
        Piece::Text(text) => &**text == "/",
        other => is_glob(other),
    };
    let goes_on = |before: &Text, now: &Text| {
        let more = now.pieces.strip_prefix(before.pieces.as_slice()).unwrap_or_default();
        before == now || before.pieces.iter().any(is_glob) && !more.is_empty() && more.iter().all(open)
    };
    before.taint == now.taint
        && now.any.iter().all(|now| before.any.iter().any(|before| goes_on(before, now)))
}

fn is_glob(piece: &Piece) -> bool {
    matches!(piece, Piece::Glob(_))
}

/// What a list may end in, so that a command follows.
const OPERATORS: &[char] = &['&', '|', ';', '(', '{', '!', '\n'];

fn ends(text: &Value, marks: &[char]) -> bool {
    let blanks: &[char] = if marks == OPERATORS { &[' ', '\t'] } else { &[] };
    text.literals().any(|text| text.trim_end_matches(blanks).ends_with(marks))
}

/// The same variables, directory, arguments and input; where the output goes makes no difference.
fn repeats(before: &State, now: &State) -> bool {
    let fds = |state: &State| {
        let mut local = Local::clone(&state.local);
        local.fds = Descriptors::default();
        local
    };
    before.input(0) == now.input(0) && fds(before) == fds(now)
}

type Saved = (Rc<super::state::Args>, ShadowedVars);

/// The state after a function: local variables gone, arguments back.
fn leave(mut state: State, before: &Saved) -> State {
    let shadowed = state.local.shadowed.clone();
    for (name, shadow) in &shadowed {
        let present = state.local.vars.get(name).cloned();
        let restored = match (&shadow.previous, present) {
            (Some(previous), Some(present)) if shadow.partly => {
                Some(Rc::new(join_variables(previous, &present)))
            }
            (None, Some(present)) if shadow.partly => {
                let mut present = super::state::Variable::clone(&present);
                present.maybe_unset = true;
                Some(Rc::new(present))
            }
            (previous, _) => previous.clone(),
        };
        match restored {
            Some(variable) => state.vars_mut().insert(Rc::clone(name), variable),
            None => state.vars_mut().remove(name),
        };
    }
    let local = state.local_mut();
    local.args = Rc::clone(&before.0);
    local.shadowed = before.1.clone();
    state
}
