//! The calls of the past.

use std::borrow::Cow;
use std::path::Path;

use tollgate_agents::transcript::Told;
use tollgate_agents::{Adapter, Payload, adapter, claude_code::ClaudeCode};
use tollgate_model::json::{self, Value, object};
use tollgate_model::{Event, Verdict};
use tollgate_store::{Log, members, micros_of, plain};

use super::judge::{Found, Said};
use super::recorded::Recorded;
use crate::transcripts;

/// Calls that travel together.
pub const BATCH: usize = 512;

/// Where the calls come from.
pub enum Source {
    /// The gate's log, from a record on.
    Log(Log, u64),
    /// The agents' transcripts.
    Transcripts(Vec<transcripts::Transcript>),
}

/// A call as it was written down: a line of the log, or what a transcript told.
pub enum Written {
    /// A line of the log.
    Line(String),
    /// From a transcript.
    Call(&'static str, tollgate_agents::transcript::Call),
}

/// What is known of a call at a glance: enough to tell whether its like was judged before.
pub struct Glance {
    /// Calls with the same key are judged alike.
    pub key: blake3::Hash,
    /// What the gate recorded then; of a transcript's call nothing but that it ran.
    pub recorded: Option<Recorded>,
}

impl Source {
    /// The log of a state directory.
    pub fn log(state: &Path) -> Self {
        Self::Log(Log::at(state), 0)
    }

    /// The last records of the log of a state directory. Says whether there are more.
    pub fn recent(state: &Path, most: u64) -> (Self, bool) {
        let log = Log::at(state);
        let from = log.head().map_or(0, |head| head.seq.saturating_sub(most));
        (Self::Log(log, from), from > 0)
    }

    /// All transcripts below a home directory.
    pub fn transcripts(home: &Path) -> Self {
        Self::Transcripts(transcripts::find(home))
    }

    /// Hands out everything in batches until `each` says no. The second number is how much there is in all.
    pub fn read(self, mut each: impl FnMut(Vec<Written>, u64, u64) -> bool) {
        match self {
            Self::Log(log, from) => {
                let last = log.head().map_or(0, |head| head.seq);
                let mut records = log
                    .records_from(from)
                    .filter(|entry| entry.line.contains(r#""phase":"pre-tool""#))
                    .peekable();
                while let Some(first) = records.peek().map(|entry| entry.seq) {
                    let batch = records.by_ref().take(BATCH).map(|entry| Written::Line(entry.line)).collect();
                    if !each(batch, first, last) {
                        return;
                    }
                }
            }
            Self::Transcripts(found) => {
                let all = found.len() as u64;
                for (at, transcript) in found.iter().enumerate() {
                    let mut batch = Vec::new();
                    // One that cannot be read has no calls; `audit` tells of it.
                    let _ = transcripts::read(transcript, |told| {
                        if let Told::Call(call) = told {
                            batch.push(Written::Call(transcript.agent.name(), call));
                        }
                    });
                    if !each(batch, at as u64, all) {
                        return;
                    }
                }
            }
        }
    }
}

impl Written {
    /// Looks at it without understanding it; `None` when it is no call, or one before `since`.
    pub fn glance(&self, since: Option<i64>) -> Option<Glance> {
        let late = |time: &str| since.is_none_or(|since| micros_of(time).is_some_and(|at| at >= since));
        match self {
            Self::Line(line) => {
                let parts = Parts::of(line)?;
                let ours = tollgate_model::is_canary(Some(&parts.text("session")));
                (!ours && late(&parts.text("ts"))).then(|| parts.glance())?
            }
            Self::Call(agent, call) => {
                late(&call.time).then_some(())?;
                let mut input = String::new();
                json::write(&call.input, &mut input);
                let parts: [&str; 4] = [agent, &call.cwd, &call.tool, &input];
                let key = key(&parts.map(str::as_bytes));
                Some(Glance { key, recorded: None })
            }
        }
    }

    /// The event as the gate would get it; `None` when it cannot be understood.
    pub fn event(&self) -> Option<Event> {
        match self {
            Self::Line(line) => {
                let record = json::parse(line.as_bytes()).ok()?;
                let text = |key: &str| record.text(key).unwrap_or_default();
                let input = record.get("input")?;
                let event =
                    event(text("agent"), text("session"), text("cwd"), text("tool"), input, text("id"))?;
                Some(Event { project: record.text("project").map(str::to_owned), ..event })
            }
            Self::Call(agent, call) => {
                event(agent, &call.session, &call.cwd, &call.tool, &call.input, &call.id)
            }
        }
    }
}

/// The members of a line of the log, as they are written.
struct Parts<'l>(Vec<(&'l str, &'l [u8])>);

impl<'l> Parts<'l> {
    fn of(line: &'l str) -> Option<Self> {
        members(line.as_bytes()).map(Self)
    }

    fn raw(&self, name: &str) -> Option<&'l [u8]> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    fn text(&self, name: &str) -> Cow<'l, str> {
        let Some(raw) = self.raw(name) else { return Cow::Borrowed("") };
        let read =
            || json::parse(raw).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
        plain(raw).map_or_else(|| Cow::Owned(read()), Cow::Borrowed)
    }

    fn glance(&self) -> Option<Glance> {
        let input = self.raw("input")?;
        let [agent, cwd, project, tool] =
            ["agent", "cwd", "project", "tool"].map(|name| self.raw(name).unwrap_or_default());
        let findings = self.raw("findings").and_then(|raw| json::parse(raw).ok());
        let findings = findings.as_ref().and_then(Value::as_list).unwrap_or_default();
        let found = findings.iter().filter_map(|finding| {
            let (rule, said) =
                (finding.text("rule")?.to_owned(), finding.text("verdict").unwrap_or_default());
            Some(Found { rule, verdict: verdict(said), is_sure: true })
        });
        let said =
            Said { verdict: verdict(&self.text("verdict")), found: found.collect(), ..Said::default() };
        let folder = if project.is_empty() { self.text("cwd") } else { self.text("project") };
        let recorded =
            Recorded { said, policy: self.text("policy").into_owned(), project: folder.into_owned() };
        Some(Glance { key: key(&[agent, cwd, project, tool, input]), recorded: Some(recorded) })
    }
}

fn key(parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}

/// The event, as the agent's own adapter understands it; where that wants another form, as Claude Code's does.
fn event(agent: &str, session: &str, cwd: &str, tool: &str, input: &Value, id: &str) -> Option<Event> {
    let payload = object([
        ("session_id", session.into()),
        ("cwd", cwd.into()),
        ("hook_event_name", "PreToolUse".into()),
        ("tool_name", tool.into()),
        ("tool_input", input.clone()),
        ("tool_use_id", id.into()),
    ]);
    let mut bytes = String::new();
    json::write(&payload, &mut bytes);
    let payload = Payload { bytes: bytes.as_bytes(), hint: None, env: &|_| None };
    let own = adapter(agent).and_then(|adapter| adapter.read(&payload).ok());
    own.filter(|event| event.pending().is_some()).or_else(|| ClaudeCode.read(&payload).ok())
}

fn verdict(name: &str) -> Verdict {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name).unwrap_or(Verdict::Allow)
}
