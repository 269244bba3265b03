//! How often in a row a gate may refuse: a loop between an agent and its gate has an end.

use tollgate_model::{Change, Level};

use super::start::leave;
use super::{Evaluator, done};
use crate::asking::Asking;
use crate::flow::{Gate, Refusal};

/// Rows of refusals before a gate gives in to an agent that begins each stop as if none had been refused.
const ROWS: u64 = 5;

impl Evaluator<'_, '_> {
    /// Refuses, unless that was done too often in a row.
    pub(super) fn bounded(&mut self, gate: &Gate, key: &str, message: String, unsure: bool, asking: &Asking) {
        let flow = asking.flow;
        let row = self.row(key, asking);
        let limit = u64::from(gate.limit);
        if limit > 0 && (row.length >= limit || row.all >= limit.saturating_mul(ROWS)) {
            self.waive(format!(
                "workflow `{}` allows this after {} refusals in a row: {message}",
                flow.name,
                row.length.max(limit)
            ));
            return self.settle(gate, key, asking);
        }
        if limit > 0 {
            self.count(row, key, asking);
        }
        if gate.once {
            let key = done(flow, gate);
            let change = Change::Set { space: flow.name.clone(), key, value: true.into() };
            self.out.counts.push((flow.scope, change));
        }
        let level = match gate.level {
            Refusal::Level(level) if unsure => Refusal::Level(level.min(Level::Ask)),
            level => level,
        };
        if gate.level == Refusal::Level(Level::Note) {
            self.said.push((2, message.clone()));
        }
        let instead = if gate.level == Refusal::Level(Level::Note) { String::new() } else { leave(flow) };
        self.refuse(flow, level, message, instead);
    }

    /// How often a gate has refused. A stop that follows from no refusal, as the agent says, begins a row anew.
    fn row(&self, key: &str, asking: &Asking) -> Row {
        let state = self.case.states.of(asking.flow.scope);
        let all = state.count(&asking.flow.name, key);
        let from = match self.case.again() {
            Some(false) => all,
            _ => state.count(&asking.flow.name, &row_start(key)),
        };
        Row { all, from, length: all.saturating_sub(from) }
    }

    fn count(&mut self, row: Row, key: &str, asking: &Asking) {
        let (scope, space) = (asking.flow.scope, &asking.flow.name);
        let one = Change::Add { space: space.clone(), key: key.to_owned(), by: 1 };
        self.out.counts.push((scope, one));
        if row.from > 0 && row.length == 0 {
            let start = Change::Set { space: space.clone(), key: row_start(key), value: row.from.into() };
            self.out.counts.push((scope, start));
        }
    }

    pub(super) fn settle(&mut self, gate: &Gate, key: &str, asking: &Asking) {
        let flow = asking.flow;
        if gate.limit > 0 && self.case.states.of(flow.scope).count(&flow.name, key) > 0 {
            let both = [key.to_owned(), row_start(key)];
            let removed = both.map(|key| (flow.scope, Change::Remove { space: flow.name.clone(), key }));
            self.out.counts.extend(removed);
        }
    }
}

/// Refusals of one gate: all since it last held, and those of the present row.
#[derive(Clone, Copy)]
struct Row {
    all: u64,
    from: u64,
    length: u64,
}

fn row_start(key: &str) -> String {
    format!("{key}.from")
}
