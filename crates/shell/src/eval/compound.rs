//! `if`, `case`, functions and the other compound commands.

use std::collections::BTreeMap;
use std::rc::Rc;

use tollgate_model::Span;

use super::expand::Mode;
use super::pattern::Pattern;
use super::state::{
    Array, Contents, Descriptor, Elements, ExitCode, Flow, Function, Functions, Key, State, Variable,
};
use super::text::span_length;
use super::{Host, Shell, Status};
use crate::ast::{Arith, CaseArm, CaseEnd, Command, CommandKind, Dialect, Script, Word};
use crate::value::{HoleSource, Value};

/// Functions that the shell calls by itself.
pub(super) const HOOKS: [&str; 7] =
    ["chpwd", "periodic", "precmd", "preexec", "zshaddhistory", "zshexit", "TRAPEXIT"];

/// Below this bash takes the descriptors of a coprocess.
const COPROC: u32 = 64;

impl Shell {
    pub(super) fn run_kind(&mut self, kind: &CommandKind, span: Span, host: &mut dyn Host) -> Flow {
        match kind {
            CommandKind::Simple(simple) => self.run_simple(simple, &[], span, host),
            CommandKind::Group(script) => self.run_items(script, host),
            CommandKind::Subshell(script) => {
                self.in_subshell(host, |shell, host| shell.run_items(script, host))
            }
            CommandKind::If { arms, otherwise } => self.run_if(arms, otherwise.as_ref(), host),
            CommandKind::For { names, words, body, select } => {
                self.run_for(names, words.as_deref(), body, *select, span, host)
            }
            CommandKind::CFor { header, body } => self.run_c_for(header, body, span, host),
            CommandKind::While { condition, body, until } => {
                self.run_while(condition, body, *until, span, host)
            }
            CommandKind::Case { subject, arms } => self.run_case(subject, arms, host),
            CommandKind::Function { name, body, loose: false } => self.define(name, body, host),
            CommandKind::Function { name, body, loose: true } => self.define_or_run(name, body, host),
            CommandKind::Test(words) => self.run_condition(words, span, host),
            CommandKind::Arith(arith) => self.run_arith(arith, span, host),
            CommandKind::Coproc { name, body } => self.run_coproc(name.as_deref(), body, host),
            CommandKind::Broken(words) => self.run_broken(words, span, host),
        }
    }

    fn run_if(&mut self, arms: &[(Script, Script)], otherwise: Option<&Script>, host: &mut dyn Host) -> Flow {
        let context = self.context.conditional;
        let mut all = Flow::default();
        let mut rest = Some(self.state.clone());
        for (condition, body) in arms {
            let Some(state) = rest else { break };
            self.state = state;
            let flow = self.run_items(condition, host);
            rest = flow.fail;
            let Some(state) = flow.ok else { continue };
            let before = self.context.conditional;
            self.context.conditional |= rest.is_some();
            self.state = state;
            let flow = self.run_items(body, host);
            all = self.join_flows(all, flow, &*host);
            self.context.conditional = before || rest.is_some();
        }
        if let Some(state) = rest {
            let last = match otherwise {
                Some(body) => {
                    self.state = state;
                    self.run_items(body, host)
                }
                None => Flow { ok: Some(State { code: ExitCode::Known(0), ..state }), fail: None },
            };
            all = self.join_flows(all, last, &*host);
        }
        self.context.conditional = context;
        all
    }

    fn run_case(&mut self, subject: &Word, arms: &[CaseArm], host: &mut dyn Host) -> Flow {
        let subject = self.expand_value(subject, Mode::Plain, host);
        let context = self.context.conditional;
        let mut all = Flow::default();
        // States that still look for a match, and those that fall through into the next body.
        let mut looking = Some(self.state.clone());
        let mut falling: Option<State> = None;
        for arm in arms {
            let mut matched = Tri::No;
            if let Some(state) = looking.clone() {
                self.state = state;
                matched = self.arm_matches(&subject, arm, host);
                looking = Some(self.state.clone());
            }
            let entry = (matched != Tri::No).then(|| looking.clone()).flatten();
            if matched == Tri::Yes {
                looking = None;
            }
            let Some(state) = self.join(entry, falling.take(), &*host) else { continue };
            self.context.conditional = context || looking.is_some() || !all.is_dead();
            self.state = state;
            let flow = self.run_items(&arm.body, host);
            match arm.end {
                CaseEnd::Break => all = self.join_flows(all, flow, &*host),
                CaseEnd::FallThrough => falling = self.merged(flow, &*host),
                CaseEnd::Continue => {
                    let after = self.merged(flow, &*host);
                    looking = self.join(looking, after, &*host);
                }
            }
        }
        self.context.conditional = context;
        let ends =
            self.join(looking, falling, &*host).map(|state| State { code: ExitCode::Known(0), ..state });
        self.join_flows(all, Flow { ok: ends, fail: None }, &*host)
    }

    fn arm_matches(&mut self, subject: &Value, arm: &CaseArm, host: &mut dyn Host) -> Tri {
        let mut answers = Vec::new();
        for pattern in &arm.patterns {
            let patterns = self.patterns(pattern, host);
            let answer = Tri::all(patterns.iter().flat_map(|pattern| {
                subject.any.iter().map(|text| match text.as_literal() {
                    _ if pattern.is_star() => Tri::Yes,
                    Some(text) => self.certain(pattern, Tri::from(pattern.matches(text))),
                    None => Tri::Maybe,
                })
            }));
            answers.push(answer);
            if answer == Tri::Yes {
                return Tri::Yes;
            }
        }
        if answers.iter().all(|answer| *answer == Tri::No) { Tri::No } else { Tri::Maybe }
    }

    /// What is left of an answer when options or another dialect may read the pattern differently.
    pub(super) fn certain(&self, pattern: &Pattern, answer: Tri) -> Tri {
        let foreign = self.dialect == Dialect::Zsh && pattern.as_literal().is_none();
        if foreign || self.state.local.options.nocase && answer == Tri::No { Tri::Maybe } else { answer }
    }

    fn define(&mut self, name: &Word, body: &Command, host: &mut dyn Host) -> Flow {
        self.step(1 + span_length(body.span) / 16, body.span, host);
        let name_span = name.span;
        let names = self.expand_value(name, Mode::Plain, host);
        let text = self.source.get(body.span.start as usize..body.span.end as usize);
        let function = Function {
            body: Rc::new(body.clone()),
            text: text.filter(|_| !self.context.patched).map(Rc::from),
            origin: self.context.origin,
            patched: self.context.patched,
        };
        let sure = names.any.len() == 1;
        // zsh gives several names to one body.
        let all: Vec<Rc<str>> = names.literals().flat_map(str::split_whitespace).map(Rc::from).collect();
        let functions = &mut self.state.local_mut().functions;
        for name in &all {
            let readonly = functions.get(name).is_some_and(|old| old.readonly);
            let old = functions.get(name).filter(|_| !sure || readonly);
            let more = old.is_some_and(|old| old.more);
            let any = old.map(|old| old.any.clone()).unwrap_or_default();
            let any = any.into_iter().chain([function.clone()]).collect();
            let exported = functions.get(name).is_some_and(|old| old.exported);
            functions
                .insert(Rc::clone(name), Functions { any, more, maybe_unset: !sure, exported, readonly });
        }
        let zsh = self.dialect == Dialect::Zsh;
        let implicit = |name: &&Rc<str>| HOOKS.contains(&&***name) || zsh && name.starts_with("TRAP");
        for name in all.iter().filter(implicit) {
            self.run_aside(&Value::text(name), name_span, host);
        }
        Flow::of(Status::Success, self.state.clone())
    }

    fn run_arith(&mut self, arith: &Arith, span: Span, host: &mut dyn Host) -> Flow {
        let text = self.expand_value(&arith.word, Mode::Plain, host);
        let value = self.arithmetic(&text, span, host);
        let status = value.literals().map(|number| Status::of(number != "0")).reduce(Status::or);
        let status = if value.is_known() { status.unwrap_or_default() } else { Status::Either };
        Flow::of(status, self.state.clone())
    }

    /// `function name {` in a script for `sh`: bash makes a function of it. dash knows no such command, and goes on
    /// with the lines of the body.
    fn define_or_run(&mut self, name: &Word, body: &Command, host: &mut dyn Host) -> Flow {
        let before = (self.state.clone(), self.context.conditional);
        self.context.conditional = true;
        let ran = self.run_command(body, host);
        self.context.conditional = before.1;
        self.state = before.0;
        let defined = self.define(name, body, host);
        self.join_flows(defined, ran, &*host)
    }

    /// What it prints can be read from `${NAME[0]}`; what is written to `${NAME[1]}` is not followed.
    fn run_coproc(&mut self, name: Option<&str>, body: &Command, host: &mut dyn Host) -> Flow {
        let before = self.state.clone();
        self.context.background += 1;
        let id = self.new_buffer(Value::unknown(HoleSource::Input));
        let printed = self.new_buffer(Value::empty());
        let flow = self.in_subshell(host, |shell, host| {
            shell.set_descriptor(0, Descriptor::Pipe(id));
            shell.set_descriptor(1, Descriptor::Pipe(printed));
            shell.run_command(body, host)
        });
        self.context.background -= 1;
        let after = self.merged(flow, &*host);
        let mut state = self.join(Some(before), after, &*host).unwrap_or_else(|| self.state.clone());
        let fds = &mut state.local_mut().fds;
        let free = (0..COPROC).rev().find(|fd| !fds.contains_key(fd)).unwrap_or_default();
        fds.insert(free, Descriptor::Here(printed));
        let known = BTreeMap::from([(Key::Index(0), Value::text(&free.to_string()))]);
        let others = Some(Value::something(HoleSource::Input));
        let ends = Array { any: vec![Elements { known, others, tail: Vec::new() }], associative: false };
        let mut variable = Variable::new(Value::empty(), false);
        variable.contents = Contents::Array(ends);
        state.vars_mut().insert(Rc::from(name.unwrap_or("COPROC")), Rc::new(variable));
        Flow::of(Status::Success, state)
    }

    /// Words of text that could not be read: told to the host as a command that may be anything.
    fn run_broken(&mut self, words: &[Word], span: Span, host: &mut dyn Host) -> Flow {
        self.context.conditional = true;
        for argv in self.expand_words(words, host) {
            if argv.is_empty() {
                continue;
            }
            self.dispatch_words(argv, span, host);
        }
        Flow::both(self.state.clone())
    }
}

/// An answer that may not be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tri {
    Yes,
    No,
    Maybe,
}

impl Tri {
    /// The same for all, or else not known.
    pub fn all(answers: impl IntoIterator<Item = Self>) -> Self {
        answers
            .into_iter()
            .reduce(|left, right| if left == right { left } else { Self::Maybe })
            .unwrap_or(Self::Maybe)
    }

    pub fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
        }
    }

    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Maybe,
        }
    }

    pub fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    pub fn status(self) -> Status {
        match self {
            Self::Yes => Status::Success,
            Self::No => Status::Failure,
            Self::Maybe => Status::Either,
        }
    }
}

impl From<Option<bool>> for Tri {
    fn from(answer: Option<bool>) -> Self {
        match answer {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Maybe,
        }
    }
}
