//! One row of the feed: a call with its result, or another event.

use serde::Serialize;
use tollgate_index::{Ended, subject};
use tollgate_model::Verdict;
use tollgate_model::json::Value;
use tollgate_store::NO_RESULT;

/// Characters of a subject or an error that a row carries.
const LONGEST: usize = 500;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// No result yet.
    Open,
    /// It ran.
    Ran,
    /// It ran and failed.
    Failed,
    /// Its turn ended without a result.
    None,
    /// The gate refused it.
    Refused,
    /// This row is no call.
    Event,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Actor {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A call with its result, or another event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "crates/ui/openapi.yaml describes each")]
pub struct Row {
    pub seq: u64,
    pub at: String,
    pub agent: String,
    pub session: String,
    pub session_id: String,
    pub actor: Option<Actor>,
    pub project: String,
    pub cwd: String,
    pub phase: String,
    pub event: String,
    pub tool: String,
    pub class: String,
    pub subject: String,
    pub verdict: String,
    pub rules: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fault: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    pub outcome: Outcome,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_bytes: Option<u64>,
}

/// How the API names a session: agents choose their ids on their own.
#[must_use]
pub fn session_id(agent: &str, session: &str) -> String {
    format!("{agent}:{session}")
}

impl Row {
    /// The row of a record; `None` for a result, which belongs to the row of its call.
    #[must_use]
    pub fn of(record: &Value) -> Option<Self> {
        let text = |key: &str| record.text(key).unwrap_or_default().to_owned();
        let phase = text("phase");
        if is_result(&phase) || phase == "post-batch" {
            return None;
        }
        let verdict = record.text("expressed").unwrap_or_else(|| record.text("verdict").unwrap_or("allow"));
        let is_known = Verdict::ALL.iter().any(|known| known.name() == verdict);
        let verdict = if is_known { verdict } else { "allow" };
        let (agent, session, cwd) = (text("agent"), text("session"), text("cwd"));
        let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let rules = findings.iter().filter_map(|finding| finding.text("rule")).map(str::to_owned).collect();
        let outcome = match (phase.as_str(), verdict) {
            ("pre-tool", "deny" | "halt") => Outcome::Refused,
            ("pre-tool", _) => Outcome::Open,
            _ => Outcome::Event,
        };
        Some(Self {
            seq: number(record, "seq")?,
            at: text("ts"),
            session_id: session_id(&agent, &session),
            agent,
            session,
            actor: actor(record),
            project: record.text("project").unwrap_or(&cwd).to_owned(),
            cwd,
            phase,
            event: text("event"),
            tool: text("tool"),
            class: text("class"),
            subject: cut(&subject(record)),
            verdict: verdict.to_owned(),
            rules,
            reason: cut(strictest(findings)),
            fault: text("fault"),
            code: text("code"),
            outcome,
            error: String::new(),
            took_ms: None,
            gate_us: gate(record),
            result_bytes: None,
        })
    }

    /// Is it a call?
    #[must_use]
    pub fn is_call(&self) -> bool {
        self.outcome != Outcome::Event
    }

    /// Adds the result of the call. Says whether the row changed.
    pub(crate) fn end(&mut self, result: &Ending) -> bool {
        if !matches!(self.outcome, Outcome::Open | Outcome::None) {
            return false;
        }
        self.outcome = result.outcome;
        self.error.clone_from(&result.error);
        self.took_ms = result.took_ms.or_else(|| between(&self.at, &result.at));
        self.result_bytes = result.bytes;
        true
    }

    /// Adds what the index knows of the result.
    pub fn end_by_index(&mut self, ended: &Ended) {
        use tollgate_index::Outcome as Known;
        if self.outcome != Outcome::Open {
            return;
        }
        self.outcome = match ended.outcome {
            Known::Open => return,
            Known::Ran => Outcome::Ran,
            Known::Failed => Outcome::Failed,
            Known::None => Outcome::None,
            Known::Refused => Outcome::Refused,
        };
        self.took_ms = ended.took.map(|took| took / 1000);
        self.result_bytes = Some(ended.bytes).filter(|bytes| *bytes > 0);
    }

    /// Tool and subject, on one line.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.tool, self.subject).trim().to_owned()
    }
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) seq: u64,
    pub(crate) at: String,
    pub(crate) outcome: Outcome,
    pub(crate) error: String,
    pub(crate) took_ms: Option<u64>,
    pub(crate) bytes: Option<u64>,
}

impl Ending {
    /// The call's id and its result; `None` when the record is none.
    pub(crate) fn of(record: &Value) -> Option<(String, Self)> {
        let outcome = match record.text("phase")? {
            "post-tool" => Outcome::Ran,
            "post-tool-fail" => Outcome::Failed,
            "permission-denied" | NO_RESULT => Outcome::None,
            _ => return None,
        };
        let ending = Self {
            seq: number(record, "seq")?,
            at: record.text("ts").unwrap_or_default().to_owned(),
            outcome,
            error: cut(record.text("error").unwrap_or_default()),
            took_ms: number(record, "took_ms"),
            bytes: number(record, "result_bytes"),
        };
        Some((record.text("id")?.to_owned(), ending))
    }
}

/// Is this the phase of a record that ends a call?
pub(crate) fn is_result(phase: &str) -> bool {
    matches!(phase, "post-tool" | "post-tool-fail" | "permission-denied" | NO_RESULT)
}

pub(crate) fn number(record: &Value, key: &str) -> Option<u64> {
    match record.get(key)? {
        Value::Number(text) => text.parse().ok(),
        _ => None,
    }
}

/// A text that is not too long for a row.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn actor(record: &Value) -> Option<Actor> {
    let subagent = record.get("subagent")?;
    let part = |key| subagent.text(key).unwrap_or_default().to_owned();
    Some(Actor { id: part("id"), kind: part("type") })
}

/// What the strictest finding saw.
fn strictest(findings: &[Value]) -> &str {
    let rank = |finding: &&Value| {
        Verdict::ALL.iter().position(|verdict| finding.text("verdict") == Some(verdict.name()))
    };
    findings.iter().max_by_key(rank).and_then(|finding| finding.text("what")).unwrap_or_default()
}

fn gate(record: &Value) -> Option<u64> {
    let steps = record.get("us")?.as_map()?;
    let step = |value: &Value| if let Value::Number(text) = value { text.parse::<u64>().ok() } else { None };
    Some(steps.iter().filter_map(|(_, value)| step(value)).fold(0, u64::saturating_add))
}

fn between(from: &str, to: &str) -> Option<u64> {
    let micros = tollgate_store::micros_of(to)? - tollgate_store::micros_of(from)?;
    u64::try_from(micros / 1000).ok()
}
