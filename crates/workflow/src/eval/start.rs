//! How a workflow starts, what it needs for that, and how a person leaves it again.

use super::{Evaluator, beginning, with_why};
use crate::asking::Asking;
use crate::flow::{Flow, Refusal};
use crate::words;

impl<'a> Evaluator<'a, '_> {
    /// Starts a workflow, unless something it needs is missing. Did it?
    pub(super) fn start(&mut self, asking: &Asking) -> bool {
        let flow = asking.flow;
        for (cond, message) in &flow.start.need {
            let answer = asking.ask(cond);
            if answer.holds == Some(false) {
                let message = with_why(&words::message(asking, message), &answer.why);
                let name = &flow.name;
                let leave = format!(
                    "To start it anyway, ask the person to run: tollgate workflow start {name}. To leave it again: \
                     tollgate workflow stop {name}"
                );
                self.refuse(flow, Refusal::default(), message, leave);
                return false;
            }
        }
        if let Some(other) = self.ended_by(flow).next().filter(|_| self.case.event.pending().is_some()) {
            let command = self.case.command();
            let over = format!("The workflow {} is not over, so /{command} cannot start.", other.name);
            self.refuse(flow, Refusal::default(), over, leave(other));
            return false;
        }
        self.begin(flow);
        for line in &flow.start.say {
            if let Some(line) = words::fill(asking, line) {
                self.said.push((1, line));
            }
        }
        true
    }

    /// The workflows under way that end when this one begins.
    fn ended_by(&self, flow: &Flow) -> impl Iterator<Item = &'a Flow> + use<'a> {
        let (flows, states, ends) = (self.flows, self.case.states, flow.start.ends.clone());
        let active = move |other: &&Flow| !other.start.always && other.is_active(states.of(other.scope));
        flows.iter().filter(move |other| ends.contains(&other.name)).filter(active)
    }

    pub(super) fn begin(&mut self, flow: &Flow) {
        for other in self.ended_by(flow) {
            self.set(other, "is_active", false.into());
        }
        for change in beginning(flow, &self.case.event.session, self.case.now) {
            self.change(flow, change);
        }
    }
}

/// How a person ends a workflow that refuses something.
pub(super) fn leave(flow: &Flow) -> String {
    let name = &flow.name;
    format!("To leave the workflow {name}, ask the person to run: tollgate workflow stop {name}")
}
