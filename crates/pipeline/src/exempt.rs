//! Exceptions that a person made: a finding that one of them covers is remembered, and refuses nothing.

use tollgate_model::{
    Card, Case, Certainty, Decision, Effect, EffectKind, Exemption, Finding, Pack, Rule, Span, Verdict,
};
use tollgate_policy::{Custom, Policy, path_matches};

use crate::{custom, finding, place};

/// An exception that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The rule whose finding it covered.
    pub rule: String,
    /// The exception.
    pub exemption: Exemption,
}

/// Applies exceptions to a decision. Each rule is asked again about what an exception leaves, so that a call that
/// does something else besides is still refused for that. Self-protection has no exceptions.
pub fn exempt(decision: &mut Decision, case: &Case, policy: &Policy, exemptions: &[Exemption]) -> Vec<Used> {
    let mut used = Vec::new();
    for found in decision.findings.iter_mut().filter(|found| found.verdict.refuses()) {
        let Some(judge) = Judge::of(&found.rule, policy) else { continue };
        for one in exemptions.iter().filter(|one| names(one, &found.rule)) {
            let rest = judge.rest(case, one);
            let covers = rest.as_ref().is_none_or(|rest| rest.verdict < found.verdict);
            if covers {
                let verdict = rest.map_or(Verdict::Note, |rest| rest.verdict.max(Verdict::Note));
                found.verdict = verdict;
                used.push(Used { rule: found.rule.clone(), exemption: one.clone() });
            }
            if !found.verdict.refuses() {
                break;
            }
        }
    }
    decision.findings.sort_by_key(|found| std::cmp::Reverse(found.verdict));
    decision.verdict = decision.findings.iter().map(|found| found.verdict).max().unwrap_or_default();
    used
}

/// Is an exception for this rule? One that names no rule must name a command or a path: damaged, it excepts nothing.
fn names(one: &Exemption, rule: &str) -> bool {
    let narrowed = !one.command.is_empty() || !one.path.is_empty();
    one.rule == rule || one.rule.is_empty() && narrowed
}

/// May a rule have exceptions?
#[must_use]
pub fn may_except(card: &Card) -> bool {
    card.pack != Pack::SelfProtection
}

/// Who judges a finding again.
enum Judge<'p> {
    BuiltIn(&'static dyn Rule, &'p Policy),
    Own(Vec<Custom>),
}

impl<'p> Judge<'p> {
    /// None for what is no rule, or one without exceptions.
    fn of(id: &str, policy: &'p Policy) -> Option<Self> {
        match tollgate_rules::all().find(|rule| rule.card().id == id) {
            Some(rule) => may_except(rule.card()).then_some(Self::BuiltIn(rule, policy)),
            None => {
                let own = policy.custom.iter().filter(|rule| rule.id == id).cloned().collect::<Vec<_>>();
                (!own.is_empty()).then_some(Self::Own(own))
            }
        }
    }

    /// What is still found in what the exception does not cover.
    fn rest(&self, case: &Case, one: &Exemption) -> Option<Finding> {
        let effects = match (one.command.is_empty(), one.path.is_empty()) {
            (true, true) => return None,
            (false, _) => without_command(case.effects, &one.command),
            (true, false) => without_path(case.effects, &one.path),
        };
        if effects.len() == case.effects.len() {
            return Some(Finding { verdict: Verdict::Halt, ..blank() });
        }
        let case = Case { event: case.event, effects: &effects, world: case.world };
        match self {
            Self::BuiltIn(rule, policy) => finding(*rule, &case, policy),
            Self::Own(rules) => custom::findings(&case, rules).into_iter().max_by_key(|found| found.verdict),
        }
    }
}

fn blank() -> Finding {
    let hit = tollgate_model::Hit {
        what: String::new(),
        instead: String::new(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    Finding { rule: String::new(), verdict: Verdict::Allow, savable: false, hit }
}

/// The effects at other places. A place that is a pattern stands for any, and is never covered.
fn without_path(effects: &[Effect], pattern: &str) -> Vec<Effect> {
    let pattern = pattern.trim_start_matches('/');
    let covered = |effect: &Effect| {
        place(&effect.kind).is_some_and(|place| {
            !place.pattern
                && !place.path.contains('*')
                && path_matches(pattern, place.path.trim_start_matches('/'))
        })
    };
    effects.iter().filter(|effect| !covered(effect)).cloned().collect()
}

/// The effects of other commands. A command is covered with all that it does, unless something else runs within
/// it: then nobody knows whose an effect is.
fn without_command(effects: &[Effect], shape: &[String]) -> Vec<Effect> {
    let covered: Vec<Span> = effects
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Exec { argv, .. } if fits(argv, shape) => {
                alone(effects, effect.span, argv).then_some(effect.span)
            }
            _ => None,
        })
        .collect();
    let is_covered = |effect: &Effect| covered.iter().any(|span| within(effect.span, *span));
    effects.iter().filter(|effect| !is_covered(effect)).cloned().collect()
}

/// Is all that runs within a span part of this one command?
fn alone(effects: &[Effect], span: Span, argv: &[String]) -> bool {
    effects.iter().all(|effect| match &effect.kind {
        EffectKind::Exec { argv: other, .. } if within(effect.span, span) => argv.ends_with(other),
        EffectKind::Exec { .. } => !overlap(effect.span, span) || within(span, effect.span),
        EffectKind::Opaque { .. } => !within(effect.span, span),
        _ => true,
    })
}

fn within(inner: Span, outer: Span) -> bool {
    inner.start < inner.end && outer.start <= inner.start && inner.end <= outer.end
}

fn overlap(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// Do a command's words fit a shape? The program is given by its name or by the path that was written.
fn fits(argv: &[String], shape: &[String]) -> bool {
    let (shape, open) = match shape.split_last() {
        Some((last, before)) if last == "**" => (before, true),
        _ => (shape, false),
    };
    let long_enough = if open { argv.len() >= shape.len() } else { argv.len() == shape.len() };
    long_enough
        && argv.iter().zip(shape).enumerate().all(|(at, (word, part))| {
            let name = word.rsplit('/').next().unwrap_or(word);
            word_fits(word, part) || (at == 0 && !part.contains('/') && name == part)
        })
}

/// `*` stands for any part of a word, slashes included.
fn word_fits(word: &str, part: &str) -> bool {
    let mut pieces = part.split('*');
    let Some(mut rest) = word.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for (argv, shape, expected) in [
            ("git push -f", "git push -f", true),
            ("/usr/bin/git push -f", "git push -f", true),
            ("git push -f origin x", "git push -f", false),
            ("git push -f origin x", "git push -f **", true),
            ("git push -f", "git push -f **", true),
            ("git push", "git push -f **", false),
            ("git push -f origin feature/a/b", "git push -f origin feature/*", true),
            ("git push -f origin main", "git push -f origin feature/*", false),
            ("rm -rf build-x-out", "rm -rf build-*-out", true),
            ("rm -rf build-out", "rm -rf build-*-out", false),
            ("gitx push -f", "git push -f", false),
        ] {
            let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(fits(&words(argv), &words(shape)), expected, "{argv} / {shape}");
        }
    }

    #[test]
    fn an_exception_that_names_nothing_is_for_no_rule() {
        let one = |rule: &str, path: &str| Exemption {
            rule: rule.into(),
            path: path.into(),
            ..Exemption::default()
        };
        for (exemption, expected) in [
            (one("", ""), false),
            (one("root-delete", ""), true),
            (one("other", "x"), false),
            (one("", "build/**"), true),
        ] {
            assert_eq!(names(&exemption, "root-delete"), expected, "{exemption:?}");
        }
    }
}
