//! What changes, by rule, with examples.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_model::Verdict;

use super::judge::Said;
use crate::out;
use crate::report::shown;
use crate::table::{Table, counted, cut, number, room};

/// Changes of one rule.
#[derive(Default)]
struct Change {
    stricter: u64,
    looser: u64,
    examples: Vec<(Verdict, Verdict, String)>,
}

/// Everything that was judged.
pub struct Tally {
    calls: u64,
    verdicts: BTreeMap<(Verdict, Verdict), u64>,
    rules: BTreeMap<String, Change>,
    examples: usize,
    /// Calls of which only the files of then could tell what a rule sees.
    pub unknown: u64,
    /// How long it took.
    pub took: Duration,
}

impl Tally {
    /// Nothing yet; keeps that many examples per rule.
    pub fn new(examples: usize) -> Self {
        Self {
            calls: 0,
            verdicts: BTreeMap::new(),
            rules: BTreeMap::new(),
            examples,
            unknown: 0,
            took: Duration::ZERO,
        }
    }

    /// Counts a call. What it is about is asked only where it becomes an example.
    pub fn add(&mut self, before: &Said, now: &Said, about: impl Fn() -> String) {
        self.calls += 1;
        *self.verdicts.entry((before.verdict, now.verdict)).or_default() += 1;
        if before.verdict == now.verdict {
            return;
        }
        let stricter = now.verdict > before.verdict;
        let behind = if stricter { now } else { before };
        let change = self.rules.entry(behind.decider().unwrap_or("(none)").to_owned()).or_default();
        *if stricter { &mut change.stricter } else { &mut change.looser } += 1;
        if change.examples.len() < self.examples {
            let text = about();
            if !change.examples.iter().any(|(_, _, other)| *other == text) {
                change.examples.push((before.verdict, now.verdict, text));
            }
        }
    }

    /// Adds another core's.
    pub fn join(&mut self, other: Self) {
        self.calls += other.calls;
        self.unknown += other.unknown;
        for (key, count) in other.verdicts {
            *self.verdicts.entry(key).or_default() += count;
        }
        for (rule, mut change) in other.rules {
            let own = self.rules.entry(rule).or_default();
            own.stricter += change.stricter;
            own.looser += change.looser;
            own.examples.append(&mut change.examples);
            own.examples.truncate(self.examples);
        }
    }

    /// How many calls would be answered differently.
    pub fn changed(&self) -> u64 {
        self.verdicts.iter().filter(|((before, now), _)| before != now).map(|(_, count)| count).sum()
    }

    /// For a person.
    pub fn print(&self) {
        if self.calls == 0 {
            out::line("There are no calls to judge again in this time.");
            return;
        }
        let rate = self.calls as f64 / self.took.as_secs_f64().max(1e-6);
        out::line(&format!(
            "{} judged again, {} would be answered differently ({} calls/s)",
            counted(self.calls, "call"),
            number(self.changed()),
            number(rate as u64)
        ));
        if self.unknown > 0 {
            out::line(&format!(
                "Not known for {}: it depends on files, git or the session as they were then",
                counted(self.unknown, "call")
            ));
        }
        let mut table = Table::new(&["from → to", "calls"]);
        for ((before, now), count) in self.verdicts.iter().filter(|((before, now), _)| before != now) {
            table.row([format!("{} → {}", before.name(), now.name()), number(*count)]);
        }
        if table.rows.is_empty() {
            return;
        }
        table.lines(room()).iter().for_each(|line| out::line(line));
        out::line("");
        let mut rules = Table::new(&["rule", "stricter", "looser"]);
        for (rule, change) in &self.rules {
            rules.row([rule.clone(), number(change.stricter), number(change.looser)]);
        }
        rules.lines(room()).iter().for_each(|line| out::line(line));
        for (rule, change) in &self.rules {
            out::line(&format!("\n{rule}"));
            for (before, now, text) in &change.examples {
                let line = format!("  {} → {}  {}", before.name(), now.name(), shown(text));
                out::line(&cut(&line, room()));
            }
        }
    }

    /// For programs.
    pub fn value(&self) -> Value {
        let verdicts: Vec<Value> = self
            .verdicts
            .iter()
            .map(|((before, now), count)| json!({"from": before.name(), "to": now.name(), "calls": count}))
            .collect();
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|(rule, change)| {
                let examples: Vec<Value> = change
                    .examples
                    .iter()
                    .map(|(before, now, text)| json!({"from": before.name(), "to": now.name(), "text": text}))
                    .collect();
                json!({"rule": rule, "stricter": change.stricter, "looser": change.looser, "examples": examples})
            })
            .collect();
        json!({
            "calls": self.calls, "changed": self.changed(), "unknown": self.unknown, "us": self.took.as_micros() as u64,
            "verdicts": verdicts, "rules": rules,
        })
    }
}
