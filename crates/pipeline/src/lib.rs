//! Judges a case: every rule at the level the policy gives it, strictest verdict wins.

use tollgate_model::{
    Approve, Case, Certainty, Decision, Effect, EffectKind, Event, Finding, Level, Mode, Pack, Place, Rule,
    Verdict, World,
};
use tollgate_policy::Policy;

/// What a judgement came to: the effects of the call, and the decision.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// What the call would do.
    pub effects: Vec<Effect>,
    /// What becomes of it.
    pub decision: Decision,
}

/// Analyses and judges an event. Pure: the same event, world and policy give the same judgement.
#[must_use]
pub fn judge(event: &Event, world: &dyn World, policy: &Policy) -> Judgement {
    let effects = tollgate_effects::analyse(event, world);
    let mut decision = Decision::default();
    if !effects.is_empty() {
        let case = Case { event, effects: &effects, world };
        tollgate_rules::all()
            .filter_map(|rule| finding(rule, &case, policy))
            .for_each(|found| decision.add(found));
    }
    decision.approve = policy.approve == Approve::ReadOnly
        && decision.verdict == Verdict::Allow
        && tollgate_effects::only_reads(event, &effects);
    Judgement { effects, decision }
}

/// A rule's opinion at the level the policy gives it.
#[must_use]
pub fn finding(rule: &dyn Rule, case: &Case, policy: &Policy) -> Option<Finding> {
    let card = rule.card();
    let level = policy.level(card);
    if level == Level::Off {
        return None;
    }
    let remaining = not_excepted(case.effects, card.id, policy);
    let case =
        Case { event: case.event, effects: remaining.as_deref().unwrap_or(case.effects), world: case.world };
    let hit = rule.check(&case)?;
    let level = if hit.certainty == Certainty::Certain { level } else { level.min(card.unsure) };
    let level = if policy.mode == Mode::Observe && card.pack != Pack::SelfProtection {
        level.min(Level::Note)
    } else {
        level
    };
    Some(Finding { rule: card.id.to_owned(), verdict: level.verdict(), hit })
}

/// The effects without those at places that the policy excepts from a rule; `None` when it excepts nothing.
fn not_excepted(effects: &[Effect], rule: &str, policy: &Policy) -> Option<Vec<Effect>> {
    let excepted =
        |effect: &Effect| place(&effect.kind).is_some_and(|place| policy.excepted(rule, &place.path));
    effects.iter().any(excepted).then(|| effects.iter().filter(|effect| !excepted(effect)).cloned().collect())
}

fn place(kind: &EffectKind) -> Option<&Place> {
    match kind {
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. }
        | EffectKind::Device { place } => Some(place),
        _ => None,
    }
}
