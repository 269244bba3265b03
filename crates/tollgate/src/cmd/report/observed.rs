//! What a policy that only observes would have refused.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tollgate_index::Scope;
use tollgate_store::{Log, micros_of};

use crate::table::{Table, number};

/// Calls that only ran because the policy observes.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// How many.
    pub calls: u64,
    /// How many of them each rule was against.
    pub rules: BTreeMap<String, u64>,
}

impl Observed {
    /// From the log. Only records that say so are read whole.
    pub fn read(state: &Path, scope: &Scope, session: Option<&str>) -> Self {
        let mut observed = Self::default();
        for entry in Log::at(state).records().filter(|entry| entry.line.contains("\"would\":[")) {
            let Some(record) = entry.value() else { continue };
            let at = record.text("ts").and_then(micros_of).unwrap_or_default();
            let in_time = scope.from.is_none_or(|from| from <= at) && scope.to.is_none_or(|to| at < to);
            let agent = scope.agent.as_ref().is_none_or(|agent| record.text("agent") == Some(agent));
            let session =
                session.is_none_or(|id| record.text("session").is_some_and(|own| own.starts_with(id)));
            let would =
                record.get("would").and_then(tollgate_model::json::Value::as_list).unwrap_or_default();
            if !(in_time && agent && session) || would.is_empty() {
                continue;
            }
            observed.calls += 1;
            for rule in would.iter().filter_map(|one| one.text("rule")) {
                *observed.rules.entry(rule.to_owned()).or_default() += 1;
            }
        }
        observed
    }

    /// The rules, those with the most calls first.
    pub fn table(&self) -> Table {
        let mut table = Table::new(&["rule", "calls"]);
        let mut rules: Vec<(&String, &u64)> = self.rules.iter().collect();
        rules.sort_by_key(|(_, calls)| std::cmp::Reverse(**calls));
        rules.into_iter().for_each(|(rule, calls)| table.row([rule.clone(), number(*calls)]));
        table
    }

    /// For programs.
    pub fn value(&self) -> Value {
        json!({"calls": self.calls, "rules": self.rules})
    }
}
