//! Refused calls: what a person may let pass once.

use std::collections::HashSet;
use std::path::Path;

use tollgate_model::json::Value;
use tollgate_store::{Entry, Log, micros_of};

use crate::out;
use crate::report::escaped;
use tollgate_model::is_canary;

/// How many characters of a call are shown to whoever approves it: all that the log keeps, in nearly every case.
pub const SHOWN_LENGTH: usize = 16 << 10;
/// How many characters of a call a list shows.
pub const LISTED_LENGTH: usize = 300;

/// A call that the log says was refused.
pub struct Refused {
    /// The number of its record.
    pub seq: u64,
    /// Its code, as the refusal names it.
    pub code: String,
    /// Empty in a record of an older version.
    pub digest: String,
    /// When.
    pub time: String,
    /// The agent.
    pub who: String,
    /// The agent's session.
    pub session: String,
    /// Where.
    pub folder: String,
    /// Tool and input, with invisible characters written out; not cut.
    pub text: String,
    /// What the rules say.
    pub findings: Vec<String>,
    /// What it would do: `delete /home/ann/project`.
    pub effects: Vec<String>,
}

impl Refused {
    /// Shows it whole to whoever decides about it.
    pub fn show(&self) {
        out::line(&format!("Call {} of {}, {}, in {}:\n", self.code, self.who, self.time, self.folder));
        out::line(&format!("  {}\n", cut(&self.text, SHOWN_LENGTH)));
        self.findings.iter().for_each(|finding| out::line(&format!("  {finding}")));
        if !self.effects.is_empty() {
            out::line(&format!("\n  Effects: {}", self.effects.join(", ")));
        }
    }

    /// Is it named by this code?
    pub fn has_code(&self, code: &str) -> bool {
        self.digest.starts_with(code) || (self.digest.is_empty() && self.code == code)
    }

    /// The shortest code that no other of these calls has.
    pub fn distinct_code(&self, calls: &[Self]) -> String {
        let others = || calls.iter().filter(|call| call.digest != self.digest);
        let lengths = (self.code.len()..=self.digest.len()).filter_map(|length| self.digest.get(..length));
        let distinct = lengths.into_iter().find(|code| !others().any(|call| call.digest.starts_with(code)));
        distinct.unwrap_or(&self.code).to_owned()
    }

    /// Reads a record; `None` when it refuses nothing that can be approved.
    pub fn of(record: &Value) -> Option<Self> {
        let text = |key: &str| escaped(record.text(key).unwrap_or_default());
        let refuses = |finding: &&Value| matches!(finding.text("verdict"), Some("ask" | "deny" | "halt"));
        let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let findings: Vec<&Value> = findings.iter().filter(refuses).collect();
        let code = text("code");
        (!code.is_empty() && !findings.is_empty()).then(|| Self {
            seq: number(record),
            session: text("session"),
            code,
            digest: text("digest"),
            time: text("ts"),
            who: text("agent"),
            folder: text("cwd"),
            text: format!("{} {}", text("tool"), input(record)),
            findings: findings
                .into_iter()
                .map(|finding| {
                    let part = |key| cut(&escaped(finding.text(key).unwrap_or_default()), LISTED_LENGTH);
                    format!("{} [{}]", part("what"), part("rule"))
                })
                .collect(),
            effects: effects(record),
        })
    }
}

/// The refused calls, the last first, each once.
pub fn all(state: &Path) -> Vec<Refused> {
    let mut calls: Vec<Refused> = Vec::new();
    for entry in Log::at(state).records() {
        let Some(call) = entry.value().as_ref().and_then(Refused::of) else { continue };
        calls.retain(|earlier| (&earlier.code, &earlier.digest) != (&call.code, &call.digest));
        calls.push(call);
    }
    calls.reverse();
    calls
}

/// The calls that were refused since then and have not passed meanwhile, the last first, each once. Reads the end of the
/// log only.
pub fn since(state: &Path, since: i64, most: usize) -> Vec<Refused> {
    let log = Log::at(state);
    let (mut calls, mut known) = (Vec::new(), HashSet::new());
    for part in log.parts().iter().rev() {
        let entries: Vec<Entry> = log.records_of(part).collect();
        for entry in entries.iter().rev().filter(|entry| entry.line.contains(r#""code":""#)) {
            let Some(record) = entry.value() else { continue };
            let at = record.text("ts").and_then(micros_of).unwrap_or_default();
            if at < since || calls.len() >= most {
                return calls;
            }
            let digest = record.text("digest").unwrap_or_default();
            // The last record of a call tells whether it still waits.
            if digest.is_empty() || !known.insert(digest.to_owned()) {
                continue;
            }
            let verdict = record.text("expressed").or_else(|| record.text("verdict")).unwrap_or_default();
            let is_canary = is_canary(record.text("session"));
            if matches!(verdict, "deny" | "halt" | "ask") && !is_canary {
                calls.extend(Refused::of(&record));
            }
        }
        let first = entries.first().and_then(Entry::value);
        if first.is_some_and(|record| record.text("ts").and_then(micros_of).is_some_and(|at| at < since)) {
            return calls;
        }
    }
    calls
}

/// What the call would do, without the programs that it starts, which its text names.
fn effects(record: &Value) -> Vec<String> {
    let all = record.get("effects").and_then(Value::as_list).unwrap_or_default();
    let part = |one: &Value, key: &str| escaped(one.text(key).unwrap_or_default());
    let mut told: Vec<String> = all
        .iter()
        .filter(|one| one.text("kind") != Some("exec"))
        .map(|one| cut(format!("{} {}", part(one, "kind"), part(one, "of")).trim_end(), LISTED_LENGTH))
        .collect();
    told.dedup();
    told
}

fn number(record: &Value) -> u64 {
    match record.get("seq") {
        Some(Value::Number(text)) => text.parse().unwrap_or_default(),
        _ => 0,
    }
}

/// The command, path or address of a call, or its whole input.
fn input(record: &Value) -> String {
    let Some(input) = record.get("input") else { return String::new() };
    let keys = ["command", "file_path", "path", "url", "notebook_path"];
    let text = keys.iter().find_map(|key| input.text(key)).map_or_else(
        || {
            let mut text = String::new();
            tollgate_model::json::write(input, &mut text);
            text
        },
        str::to_owned,
    );
    escaped(&text)
}

/// A text that is cut says so: what is hidden behind the cut is approved as well.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let (start, rest) = text.split_at(end);
            format!("{start}… [cut: {} more characters]", rest.chars().count())
        }
    }
}
