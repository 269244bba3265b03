//! Which records are wanted.

use tollgate_model::json::Value;
use tollgate_model::{CANARY_SESSION, is_canary};
use tollgate_store::{Entry, micros_of};

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// What is asked of a record. All given parts must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// From then on, in microseconds since 1970.
    pub since: Option<i64>,
    /// Until then.
    pub until: Option<i64>,
    /// The session's id, or its beginning.
    pub session: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The type or id of the subagent.
    pub subagent: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// A rule that found something.
    pub rule: Option<String>,
    /// The verdict, as decided or as expressed.
    pub verdict: Option<String>,
    /// The event, by the agent's name or ours.
    pub event: Option<String>,
    /// A part of a path that the call touches.
    pub path: Option<String>,
    /// A part of the project's folder, or of the working directory.
    pub project: Option<String>,
    /// Texts anywhere in the record.
    pub texts: Vec<String>,
    /// Canary calls, which are nobody's work, are wanted too.
    pub canaries: bool,
    /// Texts fit whatever their case.
    pub fold: bool,
    /// A line without these need not be understood. Made by `ready`.
    pub needles: Vec<String>,
    /// Something besides the time is wanted. Made by `ready`.
    pub any: bool,
}

impl Query {
    /// The same, prepared for many records.
    #[must_use]
    pub fn ready(mut self) -> Self {
        // Letters that the log writes as they are.
        let as_it_is = |c: char| !c.is_control() && !matches!(c, '"' | '\\' | '\u{2028}' | '\u{2029}');
        let plain = |text: &&String| text.chars().all(as_it_is);
        let words = [
            &self.session,
            &self.agent,
            &self.subagent,
            &self.tool,
            &self.rule,
            &self.verdict,
            &self.event,
            &self.path,
            &self.project,
        ];
        let texts = self.texts.iter().filter(|_| !self.fold);
        self.needles = words.into_iter().flatten().chain(texts).filter(plain).cloned().collect();
        self.any = words.iter().any(|word| word.is_some()) || !self.texts.is_empty();
        if self.fold {
            self.texts.iter_mut().for_each(|text| *text = text.to_lowercase());
        }
        self
    }

    /// Is the record wanted?
    #[must_use]
    pub fn matches(&self, entry: &Entry) -> bool {
        if !self.needles.iter().all(|needle| entry.line.contains(needle.as_str())) {
            return false;
        }
        if !self.canaries && is_canary_entry(entry) {
            return false;
        }
        if self.since.is_some() || self.until.is_some() {
            let at = self.time_of(entry);
            if self.since.is_some_and(|since| at < since) || self.until.is_some_and(|until| at >= until) {
                return false;
            }
        }
        !self.any || entry.value().is_some_and(|record| self.fits(&record))
    }

    /// When the record was made; it stands at the beginning of its line.
    #[must_use]
    pub fn time_of(&self, entry: &Entry) -> i64 {
        let time = entry.line.split_once(r#""ts":""#).and_then(|(_, rest)| rest.split('"').next());
        time.and_then(micros_of).unwrap_or_default()
    }

    /// Whether records that are older than this cannot be wanted. The clock may have been moved a little.
    #[must_use]
    pub fn ends_before(&self, newest: i64) -> bool {
        self.since.is_some_and(|since| newest < since.saturating_sub(DAY))
    }

    fn fits(&self, record: &Value) -> bool {
        let is = |wanted: &Option<String>, keys: &[&str]| {
            wanted.as_ref().is_none_or(|wanted| keys.iter().any(|key| record.text(key) == Some(wanted)))
        };
        let session =
            |wanted: &String| record.text("session").is_some_and(|id| id.starts_with(wanted.as_str()));
        let project = |wanted: &String| {
            ["project", "cwd"].iter().any(|key| record.text(key).is_some_and(|path| path.contains(wanted)))
        };
        is(&self.agent, &["agent"])
            && is(&self.tool, &["tool"])
            && is(&self.verdict, &["verdict", "expressed"])
            && is(&self.event, &["event", "phase"])
            && self.session.as_ref().is_none_or(session)
            && self.project.as_ref().is_none_or(project)
            && self.subagent.as_ref().is_none_or(|wanted| subagent(record, wanted))
            && self.rule.as_ref().is_none_or(|wanted| rule(record, wanted))
            && self.path.as_ref().is_none_or(|wanted| path(record, wanted))
            && self.texts.iter().all(|wanted| holds(record, wanted, self.fold))
    }
}

/// The text alone says it of nearly every record; what a call's input holds may look the same.
fn is_canary_entry(entry: &Entry) -> bool {
    entry.line.contains(CANARY_SESSION)
        && entry.value().is_some_and(|record| is_canary(record.text("session")))
}

fn subagent(record: &Value, wanted: &str) -> bool {
    let Some(subagent) = record.get("subagent") else { return false };
    ["id", "type"].iter().any(|key| subagent.text(key) == Some(wanted))
}

fn rule(record: &Value, wanted: &str) -> bool {
    let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
    findings.iter().any(|finding| finding.text("rule") == Some(wanted))
}

/// Paths are what effects are about, and what inputs call a path.
fn path(record: &Value, wanted: &str) -> bool {
    const TOUCHING: [&str; 6] = ["read", "write", "delete", "permission", "leaves", "device"];
    let effects = record.get("effects").and_then(Value::as_list).unwrap_or_default();
    let touched = effects
        .iter()
        .filter(|effect| effect.text("kind").is_some_and(|kind| TOUCHING.contains(&kind)))
        .filter_map(|effect| effect.text("of"));
    let named = record.get("input").and_then(Value::as_map).unwrap_or_default();
    let named = named.iter().filter(|(key, _)| key.contains("path")).filter_map(|(_, value)| value.as_str());
    touched.chain(named).any(|path| path.contains(wanted))
}

fn holds(value: &Value, wanted: &str, fold: bool) -> bool {
    match value {
        Value::String(text) if fold => text.to_lowercase().contains(wanted),
        Value::String(text) => text.contains(wanted),
        Value::List(elements) => elements.iter().any(|element| holds(element, wanted, fold)),
        Value::Map(members) => members.iter().any(|(_, member)| holds(member, wanted, fold)),
        Value::Number(text) => text == wanted,
        _ => false,
    }
}
