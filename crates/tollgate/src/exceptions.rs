//! The exceptions that a person made, applied to a decision that refuses. A call that is allowed looks at none.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tollgate_model::json::{Value, object};
use tollgate_model::{Case, Decision, Exemption, Record};
use tollgate_pipeline::Used;
use tollgate_policy::Policy;

/// Lets pass what a person has allowed, and says so. That exceptions cannot be read is told, and allows nothing.
pub fn apply(decision: &mut Decision, case: &Case, policy: &Policy, state: &Path) -> Vec<Used> {
    if !decision.verdict.refuses() || case.event.pending().is_none() {
        return Vec::new();
    }
    let kept = tollgate_store::list_exemptions(state);
    if let Err(fault) = &kept {
        decision.notices.push(format!("tollgate: the exceptions could not be read: {fault}"));
    }
    let now = now();
    let (project, session) = (case.world.workspace(), case.event.session.as_str());
    let counts = |one: &Exemption| one.is_alive(now) && one.is_for(project, session);
    let all: Vec<Exemption> =
        policy.allow.iter().cloned().chain(kept.unwrap_or_default()).filter(counts).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let used = tollgate_pipeline::exempt(decision, case, policy, &all);
    decision.notices.extend(used.iter().map(|used| format!("tollgate: {}", told(used))));
    used
}

/// What a use reads like.
pub fn told(used: &Used) -> String {
    let name = match used.exemption.id.as_str() {
        "" => "an exception of the policy file".to_owned(),
        id => format!("exception {id}"),
    };
    format!("`{}` does not hold here, by {name}", used.rule)
}

/// What is kept of uses.
pub fn record(used: &[Used]) -> Option<(String, Value)> {
    let value = |used: &Used| {
        object([("id", used.exemption.id.as_str().into()), ("rule", used.rule.as_str().into())])
    };
    (!used.is_empty()).then(|| ("excepted".to_owned(), Value::List(used.iter().map(value).collect())))
}

/// What is kept of an exception that is made or taken back.
pub fn record_of(what: &str, one: &Exemption) -> Record {
    Record {
        call: String::new(),
        fields: vec![
            ("agent".to_owned(), "tollgate".into()),
            ("event".to_owned(), what.into()),
            ("verdict".to_owned(), "note".into()),
            ("exception".to_owned(), one.value()),
        ],
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
