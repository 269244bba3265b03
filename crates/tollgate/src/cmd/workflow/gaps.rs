//! What an agent's hooks cannot carry, gate by gate: read from the table of what its events honour.

use anyhow::bail;
use tollgate_agents::capability::{Context, Deny, EventCapability};
use tollgate_agents::{ADAPTERS, Adapter, Proof};
use tollgate_model::Phase;
use tollgate_workflow::{Act, Cond, Flow, Gate, On};

/// The agent that workflows are checked against.
#[derive(Clone, Copy)]
pub struct Against(&'static dyn Adapter);

impl Against {
    /// The agent of this name.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        let names: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.agent().name()).collect();
        match tollgate_agents::adapter(name) {
            Some(adapter) => Ok(Self(adapter)),
            None => bail!("unknown agent `{name}`; {}", tollgate_policy::hint(name, &names)),
        }
    }

    /// What must be known before anything else.
    pub fn remark(self) -> Option<String> {
        let profile = self.0.profile();
        (profile.proof == Proof::Unverified)
            .then(|| format!("{}: this is from its documentation; no test has run it", profile.title))
    }

    /// What is not enforced of a workflow: each reason once, with what it keeps from being done below it.
    pub fn gaps(self, flow: &Flow) -> Vec<String> {
        let mut reasons: Vec<(String, Vec<String>)> =
            self.start(flow).map(|why| (why, Vec::new())).into_iter().collect();
        for (gate, on) in flow.gates.iter().flat_map(|gate| gate.on.iter().map(move |on| (gate, *on))) {
            let Some(why) = self.gap(gate, on) else { continue };
            let (reason, subject) = (format!("`{}` {why}", on.name()), subject(gate));
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, subjects)) if subjects.contains(&subject) => {}
                Some((_, subjects)) => subjects.push(subject),
                None => reasons.push((reason, vec![subject])),
            }
        }
        let lines = |(why, subjects): (String, Vec<String>)| {
            let head = format!("{}: {why}", flow.name);
            std::iter::once(head).chain(subjects.into_iter().map(|subject| format!("  - {subject}")))
        };
        reasons.into_iter().flat_map(lines).collect()
    }

    /// Why its slash command does not start a workflow, or starts it whatever it needs.
    fn start(self, flow: &Flow) -> Option<String> {
        let (title, command) = (self.0.profile().title, flow.start.commands.first()?);
        match self.row(On::Command) {
            None => Some(format!(
                "`/{command}` is not seen: {title} has no such event; start it with `tollgate workflow start {}`",
                flow.name
            )),
            Some(row) if row.deny == Deny::Never && !flow.start.need.is_empty() => Some(format!(
                "`/{command}` cannot be refused: {title} lets a hook refuse nothing at `{}`",
                row.name
            )),
            Some(_) => None,
        }
    }

    fn gap(self, gate: &Gate, on: On) -> Option<String> {
        let title = self.0.profile().title;
        let Some(row) = self.row(on) else {
            return Some(format!("is not enforced: {title} has no such event"));
        };
        if on == On::TestRun && !self.0.tells_end() {
            return Some(format!("is never seen: {title} does not tell with which status a command ended"));
        }
        let refuses = !gate.message.is_empty();
        match row.deny {
            Deny::Never if refuses => {
                return Some(format!(
                    "is not enforced: {title} lets a hook refuse nothing at `{}`",
                    row.name
                ));
            }
            Deny::Feedback | Deny::EndsTurn
                if refuses && !matches!(on, On::After | On::Wrote | On::TestRun) =>
            {
                return Some(format!(
                    "comes too late: at `{}` {title} has done it, and the model is only told",
                    row.name
                ));
            }
            _ if gate.need.as_ref().is_some_and(Cond::is_by_runs) && !self.0.tells_end() => {
                return Some(format!(
                    "never opens: {title} does not report the exit code of a command. Name a command that \
                     the gate runs itself (`{{ code: {{ run: … }} }}`, or `tests: {{ run: … }}` in a workflow of your own)"
                ));
            }
            _ => {}
        }
        let says =
            gate.then.iter().any(|act| matches!(act, Act::Say(_) | Act::Read(_) | Act::Recover { .. }));
        (says && row.context == Context::None)
            .then(|| format!("cannot tell the model anything: {title} takes no text at `{}`", row.name))
    }

    /// The event that stands for a moment: the one that lets most be done.
    fn row(self, on: On) -> Option<&'static EventCapability> {
        let phases: &[Phase] = match on {
            On::Spawn | On::Tool | On::Write | On::Refused => &[Phase::PreTool],
            On::Command => &[Phase::Expand, Phase::Prompt],
            On::Prompt => &[Phase::Prompt],
            On::Stop => &[Phase::Stop],
            // Where no event tells that a subagent stops, the end of the call that started it does.
            On::SubagentStop => &[Phase::SubagentStop, Phase::PostTool],
            On::SubagentStart => &[Phase::SubagentStart],
            On::SessionStart => &[Phase::SessionStart],
            On::SessionEnd => &[Phase::SessionEnd],
            On::PreCompact => &[Phase::PreCompact],
            On::After | On::Wrote | On::TestRun => &[Phase::PostTool],
            On::Notification => &[Phase::Notification],
        };
        let rows = self.0.profile().events;
        let of = |phase: &Phase| {
            let found = rows.iter().filter(|row| row.phase == *phase);
            found.max_by_key(|row| (row.deny != Deny::Never, row.context != Context::None))
        };
        phases.iter().find_map(of)
    }
}

fn subject(gate: &Gate) -> String {
    if !gate.message.is_empty() {
        return gate.message.clone();
    }
    match gate.then.first() {
        Some(act) => tollgate_workflow::act(act),
        None => "what follows there".to_owned(),
    }
}
