//! Judges a case: every rule at the level the policy gives it, strictest verdict wins.

mod custom;
mod examples;
mod exempt;

pub use custom::{Own, own_opinions};
pub use examples::{Failure, check_examples};
pub use exempt::{Used, exempt, may_except};

use tollgate_model::{
    Approve, Card, Case, Certainty, Decision, Effect, EffectKind, Event, Finding, Hit, Level, Mode, Place,
    Rule, Verdict, World,
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
    let decision = decide(&Case { event, effects: &effects, world }, policy);
    Judgement { effects, decision }
}

/// Judges a case whose effects are known.
#[must_use]
pub fn decide(case: &Case, policy: &Policy) -> Decision {
    let mut decision = Decision::default();
    if !case.effects.is_empty() {
        tollgate_rules::all()
            .filter_map(|rule| finding(rule, case, policy))
            .for_each(|found| take(&mut decision, found, policy));
    }
    custom::findings(case, &policy.custom).into_iter().for_each(|found| take(&mut decision, found, policy));
    decision.approve = policy.approve == Approve::ReadOnly
        && decision.verdict == Verdict::Allow
        && tollgate_effects::only_reads(case.event, case.effects);
    decision
}

/// What a policy that only observes does not carry out. Self-protection is always carried out.
fn take(decision: &mut Decision, found: Finding, policy: &Policy) {
    let own = || tollgate_rules::all().any(|rule| rule.card().id == found.rule && !may_except(rule.card()));
    if policy.mode == Mode::Observe && found.verdict.refuses() && !own() {
        decision.observe(found);
    } else {
        decision.add(found);
    }
}

/// What one rule makes of a case, for explanations.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// The rule.
    pub card: &'static Card,
    /// The level that the policy gives it.
    pub level: Level,
    /// What it found.
    pub finding: Option<Finding>,
    /// What it would have found, had the policy not switched it off or excepted the place.
    pub unheard: Option<Hit>,
}

/// Every rule's opinion of a case.
#[must_use]
pub fn opinions(case: &Case, policy: &Policy) -> Vec<Opinion> {
    let opinion = |rule: &'static dyn Rule| {
        let finding = finding(rule, case, policy).map(|found| observed(found, rule, policy));
        let unheard = if finding.is_none() { rule.check(case) } else { None };
        Opinion { card: rule.card(), level: policy.level(rule.card()), finding, unheard }
    };
    tollgate_rules::all().map(opinion).collect()
}

/// As it counts where the policy only observes.
fn observed(found: Finding, rule: &dyn Rule, policy: &Policy) -> Finding {
    let observed = policy.mode == Mode::Observe && may_except(rule.card());
    Finding { verdict: if observed { found.verdict.min(Verdict::Note) } else { found.verdict }, ..found }
}

/// A rule's opinion at the level the policy gives it, whether that is carried out or only observed.
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
    let savable = level == Level::Save;
    // Judged by what holds if nothing is saved. Only who has saved it makes it milder.
    let level = if savable { card.otherwise.max(Level::Ask) } else { level };
    let level = if hit.certainty == Certainty::Certain { level } else { level.min(card.unsure) };
    Some(Finding { rule: card.id.to_owned(), verdict: level.verdict(), savable, hit })
}

/// The effects without those at places that the policy excepts from a rule; `None` when it excepts nothing.
fn not_excepted(effects: &[Effect], rule: &str, policy: &Policy) -> Option<Vec<Effect>> {
    if !policy.has_exceptions(rule) {
        return None;
    }
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
