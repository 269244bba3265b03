//! The explanation as one JSON object.

use serde_json::{Value, json};
use tollgate_middleware::StageResult;
use tollgate_model::{Certainty, Effect, Span};
use tollgate_pipeline::Opinion;

use super::{Explanation, OwnRule};
use crate::out;

/// Prints everything.
pub fn print(told: &Explanation, all: bool) {
    let rules =
        told.opinions.iter().filter(|opinion| all || opinion.finding.is_some() || opinion.unheard.is_some());
    let own = told.own.iter().filter(|own| all || own.finding.is_some());
    let object = json!({
        "tool": told.tool(),
        "text": told.source(),
        "cwd": told.event.cwd,
        "project": told.project,
        "verdict": told.decision.verdict.name(),
        "reason": Some(told.decision.reason()).filter(|reason| !reason.is_empty()),
        "effects": told.effects.iter().map(|effect| self::effect(effect, told.source())).collect::<Vec<_>>(),
        "rules": rules.map(rule).collect::<Vec<_>>(),
        "middleware": told.middleware.iter().map(middleware).collect::<Vec<_>>(),
        "custom": own.map(own_rule).collect::<Vec<_>>(),
        "excepted": told.excepted.iter().map(|used| json!({"rule": used.rule, "id": used.exemption.id})).collect::<Vec<_>>(),
        "would": told.decision.would.iter().map(|(rule, verdict)| json!({"rule": rule, "verdict": verdict.name()})).collect::<Vec<_>>(),
        "policy": told.digest,
        "notices": told.notices,
        "times_us": {
            "read": told.times.read, "policy": told.times.policy,
            "effects": told.times.effects, "rules": told.times.rules,
        },
    });
    out::line(&object.to_string());
}

fn effect(effect: &Effect, source: &str) -> Value {
    let certainty = match effect.certainty {
        Certainty::Certain => "certain",
        Certainty::Possible => "possible",
        Certainty::Budget => "budget",
    };
    json!({
        "kind": effect.kind.name(), "what": effect.told(), "certainty": certainty,
        "span": span(effect.span), "text": effect.span.of(source),
    })
}

fn rule(opinion: &Opinion) -> Value {
    let hit = opinion.finding.as_ref().map(|found| &found.hit).or(opinion.unheard.as_ref());
    json!({
        "id": opinion.card.id,
        "pack": opinion.card.pack.name(),
        "level": opinion.level.name(),
        "fired": opinion.finding.is_some(),
        "verdict": opinion.finding.as_ref().map(|found| found.verdict.name()),
        "what": hit.map(|hit| hit.what.as_str()),
        "instead": hit.map(|hit| hit.instead.as_str()),
        "span": hit.map(|hit| span(hit.span)),
    })
}

fn middleware(result: &StageResult) -> Value {
    let mut metrics = String::new();
    tollgate_model::json::write(&result.metrics, &mut metrics);
    json!({
        "id": result.id,
        "type": result.kind.name(),
        "decision": result.said.name(),
        "reason": result.reason,
        "fault": result.fault,
        "metrics": serde_json::from_str::<Value>(&metrics).unwrap_or_default(),
        "us": result.took.as_micros(),
    })
}

fn own_rule(own: &OwnRule) -> Value {
    json!({
        "id": own.id,
        "place": own.place,
        "fired": own.finding.is_some(),
        "verdict": own.finding.as_ref().map(|found| found.verdict.name()),
        "what": own.finding.as_ref().map(|found| found.hit.what.as_str()),
        "no_value": own.why,
    })
}

fn span(span: Span) -> [u32; 2] {
    [span.start, span.end]
}
