//! The calls of a session that were asked about or refused, one by one.

use std::path::Path;

use serde_json::{Value, json};
use tollgate_index::subject;
use tollgate_model::json::Value as Json;
use tollgate_store::Log;

use crate::table::Table;

/// No more of them are told.
const MOST: usize = 50;

/// A call that did not just run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    time: String,
    verdict: String,
    rules: Vec<String>,
    text: String,
}

impl Stopped {
    /// From the log. Only records with findings are read whole.
    pub fn read(state: &Path, session: &str) -> Vec<Self> {
        let mut needle = String::from("\"session\":");
        tollgate_model::json::write(&session.into(), &mut needle);
        let own = |line: &str| line.contains(&needle) && line.contains(r#""findings":["#);
        let records = Log::at(state).records().filter(|entry| own(&entry.line));
        records.filter_map(|entry| Self::of(&entry.value()?, session)).take(MOST).collect()
    }

    fn of(record: &Json, session: &str) -> Option<Self> {
        let text = |key: &str| record.text(key).unwrap_or_default().to_owned();
        let verdict = record.text("expressed").map_or_else(|| text("verdict"), str::to_owned);
        let stopped = text("phase") == "pre-tool" && matches!(verdict.as_str(), "ask" | "deny" | "halt");
        let findings = record.get("findings").and_then(Json::as_list).unwrap_or_default();
        let refusing =
            findings.iter().filter(|one| matches!(one.text("verdict"), Some("ask" | "deny" | "halt")));
        let rules = refusing.filter_map(|one| one.text("rule")).map(str::to_owned).collect();
        let time = text("ts").chars().skip(11).take(8).collect();
        (stopped && text("session") == session).then(|| Self { time, verdict, rules, text: subject(record) })
    }

    /// In a table.
    pub fn table(all: &[Self]) -> Table {
        let mut table = Table::new(&["call", "at", "said", "rule"]);
        for one in all {
            let rule = one.rules.first().cloned().unwrap_or_default();
            table.row([one.text.clone(), one.time.clone(), one.verdict.clone(), rule]);
        }
        table
    }

    /// For programs.
    pub fn value(&self) -> Value {
        json!({"time": self.time, "verdict": self.verdict, "rules": self.rules, "text": self.text})
    }
}
