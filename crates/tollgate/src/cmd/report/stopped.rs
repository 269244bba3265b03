//! The calls that were refused, asked about, approved or saved, one by one.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use serde_json::{Value, json};
use tollgate_index::{Ended, Index, Outcome, Scope, subject};
use tollgate_model::is_canary;
use tollgate_model::json::Value as Json;
use tollgate_store::{Log, micros_of};

use crate::cmd::figures::Which;
use crate::table::Table;

/// No more of them are listed: the last.
const MOST: usize = 50;

/// A call that did not just run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    seq: u64,
    time: String,
    agent: String,
    verdict: String,
    rules: Vec<String>,
    text: String,
    /// The snapshot of what it would have lost.
    undo: String,
    /// What a person answered, as far as is known: `approved` or `declined`.
    answer: Option<&'static str>,
}

/// Which calls are wanted.
pub struct Wanted<'a> {
    pub scope: &'a Scope,
    pub which: &'a Which,
    /// Only this session, by its whole id.
    pub session: Option<&'a str>,
}

impl Wanted<'_> {
    fn takes(&self, record: &Json) -> bool {
        let text = |key: &str| record.text(key).unwrap_or_default();
        let at = micros_of(text("ts")).unwrap_or_default();
        let project = if text("project").is_empty() { text("cwd") } else { text("project") };
        let is = |wanted: &Option<String>, own: &str| wanted.as_ref().is_none_or(|wanted| wanted == own);
        self.scope.from.is_none_or(|from| from <= at)
            && self.scope.to.is_none_or(|to| at < to)
            && is(&self.scope.agent, text("agent"))
            && self.session.is_none_or(|session| session == text("session"))
            && self.which.project.as_ref().is_none_or(|wanted| project.contains(wanted.as_str()))
            && (self.which.canaries || !is_canary(record.text("session")))
    }
}

impl Stopped {
    /// From the log. Only records with findings are read whole.
    pub fn read(state: &Path, index: &Index, wanted: &Wanted) -> anyhow::Result<Vec<Self>> {
        let mut found: VecDeque<Self> = VecDeque::new();
        for entry in Log::at(state).records().filter(|entry| entry.line.contains(r#""findings":["#)) {
            let record = entry.value().filter(|record| wanted.takes(record));
            found.extend(record.and_then(|record| Self::of(entry.seq, &record)));
            if found.len() > MOST {
                found.pop_front();
            }
        }
        let seqs: Vec<u64> = found.iter().map(|one| one.seq).collect();
        let ended = index.outcomes(&seqs)?;
        found.iter_mut().for_each(|one| one.settle(&ended));
        Ok(found.into())
    }

    fn of(seq: u64, record: &Json) -> Option<Self> {
        let text = |key: &str| record.text(key).unwrap_or_default().to_owned();
        let verdict = record.text("expressed").map_or_else(|| text("verdict"), str::to_owned);
        let approved = verdict == "note" && !text("code").is_empty();
        let stopped = approved || matches!(verdict.as_str(), "ask" | "deny" | "halt" | "save");
        let findings = record.get("findings").and_then(Json::as_list).unwrap_or_default();
        let weighs = |one: &&Json| !matches!(one.text("verdict"), Some("allow") | None);
        let rules = findings.iter().filter(weighs).filter_map(|one| one.text("rule")).map(str::to_owned);
        (text("phase") == "pre-tool" && stopped).then(|| Self {
            seq,
            time: text("ts"),
            agent: text("agent"),
            rules: rules.collect(),
            text: subject(record),
            undo: record.get("undo").and_then(|undo| undo.text("id")).unwrap_or_default().to_owned(),
            answer: approved.then_some("approved"),
            verdict,
        })
    }

    /// A question that was answered by running the call was answered with yes.
    fn settle(&mut self, ended: &HashMap<u64, Ended>) {
        if self.verdict == "ask" {
            self.answer = match ended.get(&self.seq).map(|ended| ended.outcome) {
                Some(Outcome::Ran | Outcome::Failed) => Some("approved"),
                Some(Outcome::None) => Some("declined"),
                _ => None,
            };
        }
    }

    /// What was said and what came of it: `ask, approved`.
    fn told(&self) -> String {
        match (self.verdict.as_str(), self.answer) {
            ("note", Some(answer)) => answer.to_owned(),
            ("save", _) if !self.undo.is_empty() => format!("save {}", self.undo),
            (verdict, Some(answer)) => format!("{verdict}, {answer}"),
            (verdict, None) => verdict.to_owned(),
        }
    }

    /// In a table.
    pub fn table(all: &[Self]) -> Table {
        let mut table = Table::new(&["call", "at", "agent", "said", "rule"]);
        for one in all {
            let rule = one.rules.first().cloned().unwrap_or_default();
            let at: String = one.time.chars().skip(5).take(11).collect::<String>().replace('T', " ");
            table.row([one.text.clone(), at, one.agent.clone(), one.told(), rule]);
        }
        table
    }

    /// For programs.
    pub fn value(&self) -> Value {
        json!({
            "seq": self.seq, "ts": self.time, "agent": self.agent, "verdict": self.verdict, "rules": self.rules,
            "text": self.text, "answer": self.answer, "undo": Some(&self.undo).filter(|id| !id.is_empty()),
        })
    }
}
