//! Which records are wanted.

use tollgate_model::json::Value;
use tollgate_store::{Entry, micros_of};

use crate::cmd::figures;
use crate::when;

/// The filters of `tollgate log`. All given ones must fit.
#[derive(clap::Args, Debug, Default)]
pub struct Wanted {
    /// Only events since: `24h`, `7d`, `today`, a date or time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only events until
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only this session: its id or the start of it
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only this agent
    #[arg(long, value_parser = figures::agents(), hide_possible_values = true)]
    pub agent: Option<String>,
    /// Only this subagent: its type or id
    #[arg(long, value_name = "NAME")]
    pub subagent: Option<String>,
    /// Only this tool
    #[arg(long)]
    pub tool: Option<String>,
    /// Only calls that this rule matched
    #[arg(long)]
    pub rule: Option<String>,
    /// Only this verdict
    #[arg(long, value_parser = ["allow", "note", "save", "ask", "deny", "halt"])]
    pub verdict: Option<String>,
    /// Only this event or phase
    #[arg(long)]
    pub event: Option<String>,
    /// Only calls that touch this path, or a part of it
    #[arg(long)]
    pub path: Option<String>,
    /// Only records that contain this text
    #[arg(long)]
    pub text: Option<String>,
}

impl Wanted {
    /// The filter that they say.
    pub fn filter(&self) -> anyhow::Result<Filter> {
        let (since, until) = when::period(self.since.as_deref(), self.until.as_deref())?;
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
            &self.text,
        ];
        // A line without these bytes need not be understood.
        let any = words.iter().any(|word| word.is_some());
        let needles = words.into_iter().flatten().filter(plain).cloned().collect();
        Ok(Filter { since, until, any, needles, args: self.clone_words() })
    }

    fn clone_words(&self) -> Self {
        Self {
            since: None,
            until: None,
            session: self.session.clone(),
            agent: self.agent.clone(),
            subagent: self.subagent.clone(),
            tool: self.tool.clone(),
            rule: self.rule.clone(),
            verdict: self.verdict.clone(),
            event: self.event.clone(),
            path: self.path.clone(),
            text: self.text.clone(),
        }
    }
}

/// A filter that is ready for use.
pub struct Filter {
    since: Option<i64>,
    until: Option<i64>,
    /// Something besides the time is wanted.
    any: bool,
    needles: Vec<String>,
    args: Wanted,
}

impl Filter {
    /// Is the record wanted?
    pub fn matches(&self, entry: &Entry) -> bool {
        if !self.needles.iter().all(|needle| entry.line.contains(needle.as_str())) {
            return false;
        }
        let at = self.time_of(entry);
        if self.since.is_some_and(|since| at < since) || self.until.is_some_and(|until| at >= until) {
            return false;
        }
        !self.any || entry.value().is_some_and(|record| self.fits(&record))
    }

    /// When the record was made; it stands at the beginning of its line.
    pub fn time_of(&self, entry: &Entry) -> i64 {
        let time = entry.line.split_once(r#""ts":""#).and_then(|(_, rest)| rest.split('"').next());
        time.and_then(micros_of).unwrap_or_default()
    }

    /// Whether records that are older than this cannot be wanted. The clock may have been moved a little.
    pub fn ends_before(&self, newest: i64) -> bool {
        self.since.is_some_and(|since| newest < since.saturating_sub(when::DAY))
    }

    fn fits(&self, record: &Value) -> bool {
        let args = &self.args;
        let is = |wanted: &Option<String>, keys: &[&str]| {
            wanted.as_ref().is_none_or(|wanted| keys.iter().any(|key| record.text(key) == Some(wanted)))
        };
        let session =
            |wanted: &String| record.text("session").is_some_and(|id| id.starts_with(wanted.as_str()));
        is(&args.agent, &["agent"])
            && is(&args.tool, &["tool"])
            && is(&args.verdict, &["verdict", "expressed"])
            && is(&args.event, &["event", "phase"])
            && args.session.as_ref().is_none_or(session)
            && args.subagent.as_ref().is_none_or(|wanted| subagent(record, wanted))
            && args.rule.as_ref().is_none_or(|wanted| rule(record, wanted))
            && args.path.as_ref().is_none_or(|wanted| path(record, wanted))
            && args.text.as_ref().is_none_or(|wanted| holds(record, wanted))
    }
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

fn holds(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.contains(wanted),
        Value::List(elements) => elements.iter().any(|element| holds(element, wanted)),
        Value::Map(members) => members.iter().any(|(_, member)| holds(member, wanted)),
        Value::Number(text) => text == wanted,
        _ => false,
    }
}
