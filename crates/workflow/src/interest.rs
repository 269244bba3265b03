//! What a set of workflows has to be asked about, so that everything else costs nothing.

use tollgate_model::{Effect, EffectKind, Event, Kind, ToolCall};

use crate::case::{command, is_one, moments};
use crate::flow::{Cond, Flow, Gate, On};

/// Questions to a set of workflows that need no state.
pub struct Interest<'a>(pub &'a [Flow]);

impl Interest<'_> {
    /// May a workflow have a say in this event? `effects` are those of a call that waits.
    #[must_use]
    pub fn wants(&self, event: &Event, effects: &[Effect]) -> bool {
        let mut asked = moments(event);
        let bound = || self.gates().any(|gate| !gate.outside.is_empty());
        let changes = |effect: &Effect| {
            writes(&effect.kind) || matches!(effect.kind, EffectKind::Alter { .. }) && bound()
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
        let started =
            |flow: &Flow| asked.contains(&On::Command) && is_one(command(event), &flow.start.commands);
        self.0.iter().any(|flow| started(flow) || flow.gates.iter().any(|gate| concerns(gate, &asked, event)))
    }

    /// Must the effects of a call that has run be known?
    #[must_use]
    pub fn wants_effects(&self, event: &Event) -> bool {
        let after = |gate: &Gate| {
            gate.on.contains(&On::Wrote) || gate.on.contains(&On::After) && !gate.programs.is_empty()
        };
        let done = matches!(event.kind, Kind::PostTool { .. });
        done && self.gates().any(after) || self.may_be_run(event)
    }

    /// May this be a run of tests that somebody waits for?
    #[must_use]
    pub fn may_be_run(&self, event: &Event) -> bool {
        let tool = match &event.kind {
            Kind::PostTool { tool, .. } | Kind::PostToolFail { tool, .. } => tool,
            _ => return false,
        };
        let asks = |gate: &Gate| {
            gate.on.contains(&On::TestRun) || gate.when.iter().chain(&gate.need).any(asks_for_runs)
        };
        matches!(tool.call, ToolCall::Shell { .. }) && self.gates().any(asks)
    }

    /// Is a refused call of interest?
    #[must_use]
    pub fn wants_refused(&self) -> bool {
        self.gates().any(|gate| gate.on.contains(&On::Refused))
    }

    fn gates(&self) -> impl Iterator<Item = &Gate> {
        self.0.iter().flat_map(|flow| &flow.gates)
    }
}

fn concerns(gate: &Gate, asked: &[On], event: &Event) -> bool {
    let agent = match event.tool().map(|tool| &tool.call) {
        Some(ToolCall::Spawn { agent, .. }) => Some(agent),
        _ => None,
    };
    let only_spawn = gate.on.iter().all(|on| *on == On::Spawn);
    let tools = || {
        let tool = event.tool();
        tool.is_none_or(|tool| gate.tools.iter().any(|name| *name == tool.name || name == tool.call.class()))
    };
    gate.on.iter().any(|on| asked.contains(on))
        && (gate.tools.is_empty() || tools())
        && !(only_spawn && !gate.agents.is_empty() && agent.is_some_and(|agent| !is_one(agent, &gate.agents)))
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
