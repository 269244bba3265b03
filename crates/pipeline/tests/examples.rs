//! Every example of every rule, through the whole of analysis and judgement.

#![allow(clippy::panic, reason = "tests")]

mod support;

use support::{case, world_for};
use tollgate_model::{Rule, Verdict};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

#[test]
fn every_example_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    for card in tollgate_rules::all().map(Rule::card) {
        assert!(
            card.examples.iter().any(|e| e.hit) && card.examples.iter().any(|e| !e.hit),
            "{} needs both kinds",
            card.id
        );
        for example in card.examples {
            let world = world_for(example.tool);
            let judgement = judge(&case(example.tool, example.text), &world, &Policy::builtin());
            let found = judgement.decision.findings.iter().find(|finding| finding.rule == card.id);
            // A rule that only notes is caught by a note, every other by a refusal.
            let least = card.otherwise.verdict().min(Verdict::Ask);
            let right = found.is_some_and(|finding| finding.verdict >= least) == example.hit;
            if !right {
                let kind = if example.hit { "must be caught" } else { "must be free" };
                wrong.push(format!(
                    "{}: {} {:?} {kind}; effects {:#?}",
                    card.id, example.tool, example.text, judgement.effects
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
