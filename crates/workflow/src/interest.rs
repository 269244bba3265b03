//! What a set of workflows has to be asked about, so that everything else costs nothing.

use serde::{Deserialize, Serialize};
use tollgate_model::{Effect, EffectKind, Event, Kind, ToolCall};

use crate::case::{States, command, is_one, is_scratch, moments};
use crate::flow::{Active, Cond, Flow, Gate, On, Scope};
use crate::{classes, runners};

/// The questions that a set of workflows has to be asked, without the workflows themselves: small enough to be read at
/// every event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    gates: Vec<Watched>,
    /// Slash commands that start one.
    commands: Vec<String>,
    /// The workflows, with the seconds after which their state is forgotten.
    flows: Vec<(String, u64)>,
    /// One keeps its state for all sessions of the project.
    shared: bool,
    /// One binds where is written.
    bound: bool,
    /// One wants to see runs of tests.
    runs: bool,
    /// One wants to know what programs have run, or what was written.
    done: bool,
}

/// Who listens to a moment, for calls of which classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) flow: &'a str,
    pub(crate) idle: bool,
    pub(crate) on: On,
    pub(crate) classes: u16,
}

/// Gates of a workflow that are asked about the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Watched {
    flow: String,
    /// They are asked although the workflow was not started.
    idle: bool,
    on: Vec<On>,
    tools: Vec<String>,
    /// Only when these agents are started; none means any.
    agents: Vec<String>,
    /// Only when one of these programs runs; none means any.
    programs: Vec<String>,
}

/// Who may have a say in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interest<'a> {
    /// Nobody.
    Nobody,
    /// These workflows, if one of them is active.
    Active(Vec<&'a str>),
    /// A workflow that needs not be active.
    Anyway,
}

impl Interest<'_> {
    /// Does somebody have a say, with what is remembered?
    #[must_use]
    pub fn holds(&self, states: &States) -> bool {
        let active =
            |name: &&str| states.session.is(name, "is_active") || states.project.is(name, "is_active");
        match self {
            Self::Nobody => false,
            Self::Active(names) => names.iter().any(active),
            Self::Anyway => true,
        }
    }
}

impl Watch {
    /// What a set of workflows has to be asked.
    #[must_use]
    pub fn of(flows: &[Flow]) -> Self {
        let all = || flows.iter().flat_map(|flow| &flow.gates);
        let mut gates: Vec<Watched> = Vec::new();
        for (flow, gate) in flows.iter().flat_map(|flow| flow.gates.iter().map(move |gate| (flow, gate))) {
            for one in Watched::of(flow, gate) {
                match gates.iter_mut().find(|other| other.is_like(&one)) {
                    Some(other) => other.on.extend(one.on),
                    None => gates.push(one),
                }
            }
        }
        for gate in &mut gates {
            gate.on.sort_unstable_by_key(|on| on.name());
            gate.on.dedup();
        }
        let done = |gate: &Gate| {
            gate.on.contains(&On::Wrote) || gate.on.contains(&On::After) && !gate.programs.is_empty()
        };
        Self {
            gates,
            commands: flows.iter().flat_map(|flow| flow.start.commands.iter().cloned()).collect(),
            flows: flows.iter().map(|flow| (flow.name.clone(), flow.expires)).collect(),
            shared: flows.iter().any(|flow| flow.scope == Scope::Project),
            bound: all().any(|gate| !gate.outside.is_empty()),
            runs: all().any(watches_runs),
            done: all().any(done),
        }
    }

    /// Is there no workflow?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty() && self.commands.is_empty()
    }

    /// Does one keep its state for all sessions of the project?
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Does one bind where is written?
    pub(crate) fn is_bound(&self) -> bool {
        self.bound
    }

    /// Who listens to what, for the index. A command that starts a workflow is listened to always, and so is the start
    /// of a session, whose id each workflow keeps.
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        let start = Row { flow: "", idle: true, on: On::Command, classes: classes::of_tools(&[]) };
        let starts = (!self.commands.is_empty()).then_some(start);
        let session = Row { on: On::SessionStart, ..start };
        starts.into_iter().chain([session]).chain(self.gates.iter().flat_map(Watched::rows)).collect()
    }

    /// Seconds after which the state of a workflow is forgotten.
    #[must_use]
    pub fn life(&self, flow: &str) -> u64 {
        self.flows.iter().find(|(name, _)| name == flow).map_or(30 * 86_400, |(_, life)| *life)
    }

    /// Who may have a say in this event? `effects` are those of a call that waits or has run.
    #[must_use]
    pub fn interest(&self, event: &Event, effects: &[Effect]) -> Interest<'_> {
        if self.is_empty() {
            return Interest::Nobody;
        }
        let asked = self.asked(event, effects);
        let starts = asked.contains(&On::Command) && is_one(command(event), &self.commands);
        if starts || asked.contains(&On::SessionStart) {
            return Interest::Anyway;
        }
        let concerned: Vec<&Watched> =
            self.gates.iter().filter(|gate| gate.concerns(&asked, event, effects)).collect();
        match concerned.as_slice() {
            [] => Interest::Nobody,
            some if some.iter().any(|gate| gate.idle) => Interest::Anyway,
            some => Interest::Active(some.iter().map(|gate| gate.flow.as_str()).collect()),
        }
    }

    fn asked(&self, event: &Event, effects: &[Effect]) -> Vec<On> {
        let mut asked = moments(event);
        if matches!(event.kind, Kind::PreTool(_)) && changes(effects, self.bound) {
            asked.push(On::Write);
        }
        if matches!(event.kind, Kind::PostTool { .. }) && effects.iter().any(|effect| writes(&effect.kind)) {
            asked.push(On::Wrote);
        }
        if self.may_be_run(event) && effects.iter().any(is_like_a_run) {
            asked.push(On::TestRun);
        }
        asked
    }

    /// Must the effects of a call that has run be known?
    #[must_use]
    pub fn wants_effects(&self, event: &Event) -> bool {
        let done = match &event.kind {
            Kind::PostTool { tool, .. } => !only_looks(&tool.call),
            _ => false,
        };
        done && self.done || self.may_be_run(event)
    }

    /// May this be a run of tests that somebody waits for?
    #[must_use]
    pub fn may_be_run(&self, event: &Event) -> bool {
        let tool = match &event.kind {
            Kind::PostTool { tool, .. } | Kind::PostToolFail { tool, .. } => tool,
            _ => return false,
        };
        self.runs && matches!(tool.call, ToolCall::Shell { .. })
    }
}

impl Watched {
    fn of(flow: &Flow, gate: &Gate) -> Vec<Self> {
        let only_spawn = gate.on.iter().all(|on| *on == On::Spawn);
        let own = Self {
            flow: flow.name.clone(),
            idle: flow.start.always || gate.active != Active::Yes,
            on: gate.on.clone(),
            tools: gate.tools.clone(),
            agents: if only_spawn { gate.agents.clone() } else { Vec::new() },
            programs: gate.programs.clone(),
        };
        // Runs are seen for whoever asks for them later, too.
        let seen = watches_runs(gate).then(|| Self {
            on: vec![On::TestRun],
            tools: Vec::new(),
            agents: Vec::new(),
            programs: Vec::new(),
            ..own.clone()
        });
        std::iter::once(own).chain(seen).collect()
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.on.iter().map(|on| {
            // What a call does that waits is known; of one that has run, only what it may have done.
            let acts = *on == On::Wrote || *on == On::After && !self.programs.is_empty();
            let classes = match on {
                On::TestRun => classes::of_tools(&["shell".to_owned()]),
                _ if acts => classes::of_tools(&self.tools) & classes::acting(),
                _ => classes::of_tools(&self.tools),
            };
            Row { flow: &self.flow, idle: self.idle, on: *on, classes }
        })
    }

    fn is_like(&self, other: &Self) -> bool {
        let parts = |one: &Self| {
            (one.flow.clone(), one.idle, one.tools.clone(), one.agents.clone(), one.programs.clone())
        };
        parts(self) == parts(other)
    }

    fn concerns(&self, asked: &[On], event: &Event, effects: &[Effect]) -> bool {
        let agent = match event.tool().map(|tool| &tool.call) {
            Some(ToolCall::Spawn { agent, .. }) => Some(agent),
            _ => None,
        };
        let is_tool = || {
            let tool = event.tool();
            let named =
                |name: &String| tool.is_none_or(|tool| *name == tool.name || name == tool.call.class());
            self.tools.iter().any(named)
        };
        let runs = |effect: &Effect| matches!(&effect.kind, EffectKind::Exec { program, .. } if self.programs.contains(program));
        let other = || !self.agents.is_empty() && agent.is_some_and(|agent| !is_one(agent, &self.agents));
        self.on.iter().any(|on| asked.contains(on))
            && (self.tools.is_empty() || is_tool())
            && (self.programs.is_empty() || effects.iter().any(runs))
            && !other()
    }
}

/// Is it a run of tests, or does it go by the name of one?
#[must_use]
pub fn is_like_a_run(effect: &Effect) -> bool {
    matches!(&effect.kind, EffectKind::Exec { argv, .. } if runners::is_runner(argv))
}

/// Does a call write or delete something or, where places are bound, change it of its own accord?
pub(crate) fn changes(effects: &[Effect], bound: bool) -> bool {
    effects.iter().any(|effect| writes(&effect.kind) || bound && alters(&effect.kind))
}

/// Neither writes nor runs anything.
fn only_looks(call: &ToolCall) -> bool {
    matches!(
        call,
        ToolCall::Read { .. } | ToolCall::Search { .. } | ToolCall::Fetch { .. } | ToolCall::WebSearch { .. }
    )
}

fn writes(kind: &EffectKind) -> bool {
    match kind {
        EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. } => !is_scratch(place),
        _ => false,
    }
}

fn alters(kind: &EffectKind) -> bool {
    matches!(kind, EffectKind::Alter { place, .. } if !is_scratch(place))
}

fn watches_runs(gate: &Gate) -> bool {
    gate.on.contains(&On::TestRun) || gate.when.iter().chain(&gate.need).any(asks_for_runs)
}

fn asks_for_runs(cond: &Cond) -> bool {
    match cond {
        Cond::All(all) | Cond::Any(all) => all.iter().any(asks_for_runs),
        Cond::Not(inner) => asks_for_runs(inner),
        Cond::Observed(_) => true,
        _ => false,
    }
}
