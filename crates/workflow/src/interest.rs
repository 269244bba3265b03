//! What a set of workflows has to be asked about, so that everything else costs nothing.

use serde::{Deserialize, Serialize};
use tollgate_model::{Effect, EffectKind, Event, Kind, ToolCall};

use crate::case::{command, is_one, moments};
use crate::flow::{Cond, Flow, Gate, On};

/// The questions that a set of workflows has to be asked, without the workflows themselves: small enough to be read at
/// every event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    gates: Vec<Watched>,
    /// Slash commands that start one.
    commands: Vec<String>,
    /// One binds where is written.
    bound: bool,
    /// One wants to see runs of tests.
    runs: bool,
    /// One wants to know what programs have run, or what was written.
    done: bool,
}

/// Gates that are asked about the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Watched {
    on: Vec<On>,
    tools: Vec<String>,
    /// Only when these agents are started; none means any.
    agents: Vec<String>,
}

impl Watch {
    /// What a set of workflows has to be asked.
    #[must_use]
    pub fn of(flows: &[Flow]) -> Self {
        let all = || flows.iter().flat_map(|flow| &flow.gates);
        let mut gates: Vec<Watched> = Vec::new();
        for gate in all() {
            let only_spawn = gate.on.iter().all(|on| *on == On::Spawn);
            let agents = if only_spawn { gate.agents.clone() } else { Vec::new() };
            let one = Watched { on: gate.on.clone(), tools: gate.tools.clone(), agents };
            if !gates.contains(&one) {
                gates.push(one);
            }
        }
        let runs = |gate: &Gate| {
            gate.on.contains(&On::TestRun) || gate.when.iter().chain(&gate.need).any(asks_for_runs)
        };
        let done = |gate: &Gate| {
            gate.on.contains(&On::Wrote) || gate.on.contains(&On::After) && !gate.programs.is_empty()
        };
        Self {
            gates,
            commands: flows.iter().flat_map(|flow| flow.start.commands.iter().cloned()).collect(),
            bound: all().any(|gate| !gate.outside.is_empty()),
            runs: all().any(runs),
            done: all().any(done),
        }
    }

    /// Is there no workflow?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty() && self.commands.is_empty()
    }

    /// May a workflow have a say in this event? `effects` are those of a call that waits.
    #[must_use]
    pub fn wants(&self, event: &Event, effects: &[Effect]) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut asked = moments(event);
        let changes = |effect: &Effect| {
            writes(&effect.kind) || self.bound && matches!(effect.kind, EffectKind::Alter { .. })
        };
        if matches!(event.kind, Kind::PreTool(_)) && effects.iter().any(changes) {
            asked.push(On::Write);
        }
        if matches!(event.kind, Kind::PostTool { .. }) {
            asked.push(On::Wrote);
        }
        if self.may_be_run(event) {
            asked.push(On::TestRun);
        }
        asked.contains(&On::Command) && is_one(command(event), &self.commands)
            || self.gates.iter().any(|gate| gate.concerns(&asked, event))
    }

    /// Must the effects of a call that has run be known?
    #[must_use]
    pub fn wants_effects(&self, event: &Event) -> bool {
        let done = matches!(event.kind, Kind::PostTool { .. });
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

    /// Is a refused call of interest?
    #[must_use]
    pub fn wants_refused(&self) -> bool {
        self.gates.iter().any(|gate| gate.on.contains(&On::Refused))
    }
}

impl Watched {
    fn concerns(&self, asked: &[On], event: &Event) -> bool {
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
        let other = || !self.agents.is_empty() && agent.is_some_and(|agent| !is_one(agent, &self.agents));
        self.on.iter().any(|on| asked.contains(on)) && (self.tools.is_empty() || is_tool()) && !other()
    }
}

fn writes(kind: &EffectKind) -> bool {
    matches!(kind, EffectKind::Write { .. } | EffectKind::Delete { .. } | EffectKind::Permission { .. })
}

fn asks_for_runs(cond: &Cond) -> bool {
    match cond {
        Cond::All(all) | Cond::Any(all) => all.iter().any(asks_for_runs),
        Cond::Not(inner) => asks_for_runs(inner),
        Cond::Observed(_) => true,
        _ => false,
    }
}
