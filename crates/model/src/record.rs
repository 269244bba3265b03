use crate::json::{Value, object};
use crate::{Actor, Decision, Effect, EffectKind, Event, Fault, Kind, Mark, Verdict};

/// What is kept of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Names the call: the agent's id, or a hash where it gives none.
    pub call: String,
    /// Everything about the event and the decision, in the order of the log line. Not yet redacted.
    pub fields: Vec<(String, Value)>,
}

/// How long the steps took, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Until the payload was read and understood.
    pub read: u64,
    /// Loading the policy.
    pub policy: u64,
    /// Analysis and judgement.
    pub judge: u64,
}

impl Record {
    /// The record of a decision.
    #[must_use]
    pub fn of(
        event: &Event,
        effects: &[Effect],
        decision: &Decision,
        expressed: Verdict,
        times: Times,
    ) -> Self {
        let mut record = Self::start(event, effects);
        let effects: Vec<Value> = effects.iter().filter_map(effect_value).collect();
        if !effects.is_empty() {
            record.push("effects", Value::List(effects));
        }
        record.push("verdict", decision.verdict.name());
        if expressed != decision.verdict {
            record.push("expressed", expressed.name());
        }
        if !decision.findings.is_empty() {
            record.push("findings", Value::List(decision.findings.iter().map(finding_value).collect()));
        }
        if !decision.would.is_empty() {
            record.push("would", Value::List(decision.would.iter().map(would_value).collect()));
        }
        if !decision.code.is_empty() {
            record.push("code", decision.code.as_str());
        }
        record.push_known("digest", &decision.digest);
        record.push("us", times_value(times));
        record
    }

    /// The same record, with the gate that made it and the policy that it judged by.
    #[must_use]
    pub fn made_by(mut self, version: &str, policy: &str) -> Self {
        self.push("gate", version);
        self.push_known("policy", policy);
        self
    }

    /// The record of an event that could not be decided.
    #[must_use]
    pub fn of_fault(event: Option<&Event>, agent: &str, fault: &Fault, expressed: Verdict) -> Self {
        let mut record = match event {
            Some(event) => Self::start(event, &[]),
            None => Self { call: String::new(), fields: vec![("agent".into(), agent.into())] },
        };
        record.push("verdict", expressed.name());
        record.push("fault", fault.kind.name());
        record.push("message", fault.message.as_str());
        record
    }

    fn start(event: &Event, effects: &[Effect]) -> Self {
        let mut record = Self { call: String::new(), fields: Vec::with_capacity(16) };
        record.push("agent", event.agent.name());
        record.push("session", event.session.as_str());
        if crate::is_canary(Some(&event.session)) {
            record.push("canary", true);
        }
        record.push("event", event.name.as_str());
        record.push("phase", event.phase().name());
        if let Actor::Subagent { id, kind } = &event.actor {
            record.push("subagent", object([("id", id.as_str().into()), ("type", kind.as_str().into())]));
        }
        record.push("cwd", event.cwd.as_str());
        record.push_known("mode", &event.permission_mode);
        record.push_known("agent_version", &event.trace.version);
        record.push_known("prompt_id", &event.trace.prompt);
        record.push_known("transcript", event.transcript.as_deref().unwrap_or_default());
        if let Some(tool) = event.tool() {
            record.call.clone_from(&tool.id);
            record.push("tool", tool.name.as_str());
            record.push("class", tool.call.class());
            record.push("input", tool.input.clone());
        }
        record.push_kind(&event.kind, effects);
        if let Some(took) = event.trace.took_ms {
            record.push("took_ms", took);
        }
        record
    }

    fn push_kind(&mut self, kind: &Kind, effects: &[Effect]) {
        match kind {
            Kind::SessionStart { source } | Kind::ConfigChange { source, .. } => {
                self.push("source", source.as_str());
            }
            Kind::SessionEnd { reason } | Kind::PermissionDenied { reason, .. } => {
                self.push("why", reason.as_str());
            }
            Kind::Prompt { text } => self.push("prompt", masked(text, effects)),
            Kind::Expand { command, args, .. } => {
                self.push("command", command.as_str());
                self.push("args", masked(args, effects));
            }
            Kind::PostToolFail { error, .. } | Kind::StopError { error } => {
                self.push("error", error.as_str())
            }
            Kind::PostTool { response, .. } => self.push("result_bytes", response.size()),
            Kind::Notification { topic, message } => {
                self.push("topic", topic.as_str());
                self.push("text", message.as_str());
            }
            Kind::PreCompact { trigger } | Kind::PostCompact { trigger } => {
                self.push("trigger", trigger.as_str())
            }
            Kind::PostBatch(calls) => {
                let ids = calls.iter().map(|tool| tool.id.as_str().into()).collect();
                self.push("calls", Value::List(ids));
            }
            _ => {}
        }
    }

    /// A text that is left out when there is none.
    fn push_known(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.push(key, text);
        }
    }

    fn push(&mut self, key: &str, value: impl Into<Value>) {
        self.fields.push((key.to_owned(), value.into()));
    }
}

/// A prompt with the private things in it masked: the log keeps none of them.
fn masked(text: &str, effects: &[Effect]) -> String {
    let mut found: Vec<(usize, usize, &str)> = effects
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Private { shown, .. } if !shown.is_empty() => {
                Some((effect.span.start as usize, effect.span.end as usize, shown.as_str()))
            }
            _ => None,
        })
        .collect();
    found.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end, shown) in found {
        if let Some(before) = text.get(done..start) {
            out.push_str(before);
            out.push_str(shown);
            done = end;
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

fn finding_value(finding: &crate::Finding) -> Value {
    object([
        ("rule", finding.rule.as_str().into()),
        ("verdict", finding.verdict.name().into()),
        ("what", finding.hit.what.as_str().into()),
    ])
}

fn would_value((rule, verdict): &(String, Verdict)) -> Value {
    object([("rule", rule.as_str().into()), ("verdict", verdict.name().into())])
}

fn effect_value(effect: &Effect) -> Option<Value> {
    let subject = match &effect.kind {
        // What a written file holds is told by the writing.
        EffectKind::Leaves { mark: Mark::Text(_) | Mark::Shape(_) | Mark::Edited | Mark::Gone, .. } => {
            return None;
        }
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. }
        | EffectKind::Alter { place, .. }
        | EffectKind::Leaves { place, .. }
        | EffectKind::Recalls { place, .. }
        | EffectKind::Device { place } => place.path.as_str(),
        EffectKind::Exec { program, .. } => program,
        EffectKind::Net { host, .. } => host,
        EffectKind::Private { what, .. } => return Some(told(effect, &what.told())),
        EffectKind::Opaque { why } => why,
        _ => "",
    };
    Some(told(effect, subject))
}

fn told(effect: &Effect, subject: &str) -> Value {
    object([("kind", effect.kind.name().into()), ("of", subject.into())])
}

fn times_value(times: Times) -> Value {
    object([("read", times.read.into()), ("policy", times.policy.into()), ("judge", times.judge.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Certainty, Span};

    #[test]
    fn private_things_do_not_reach_the_log() {
        let private = |start, end, shown: &str| Effect {
            kind: EffectKind::Private { what: crate::PrivateData::Email, shown: shown.into() },
            span: Span::new(start, end),
            certainty: Certainty::Certain,
        };
        for (effects, expected) in [
            (vec![], "ab cd ef"),
            (vec![private(3, 5, "…"), private(0, 2, "a…")], "a… … ef"),
            (vec![private(0, 5, "1"), private(3, 8, "2")], "1 ef"),
            (vec![private(0, 8, "")], "ab cd ef"),
            (vec![private(6, 99, "…")], "ab cd …"),
        ] {
            assert_eq!(masked("ab cd ef", &effects), expected);
        }
    }
}
