//! What Tollgate tells an agent to type passes Tollgate.

#![allow(clippy::panic, reason = "tests")]

mod support;

use support::{call, event, input, world_for};
use tollgate_model::{Card, Decision, Rule};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

#[test]
fn every_rule_has_something_to_type_or_says_why_not() {
    let silent = |card: &&Card| card.instead.is_empty() == card.person.is_empty();
    let wrong: Vec<&str> = cards().filter(silent).map(|card| card.id).collect();
    assert!(wrong.is_empty(), "`instead` or `person`, and not both: {wrong:?}");
}

#[test]
fn what_a_card_says_to_type_passes() {
    let said = cards().flat_map(|card| card.instead.iter().map(move |text| (card, (*text).to_owned())));
    passes(said.collect());
}

#[test]
fn what_a_card_mentions_to_type_passes() {
    let said = cards().flat_map(|card| typed(&card.advice()).into_iter().map(move |text| (card, text)));
    passes(said.collect());
}

/// The reasons of every example, as an agent reads them.
#[test]
fn what_a_reason_says_to_type_passes() {
    let mut said = Vec::new();
    for card in cards() {
        for example in card.examples.iter().filter(|example| example.hit) {
            let found = judged(example.tool, example.text).findings;
            let instead =
                found.into_iter().filter(|found| found.rule == card.id).map(|found| found.hit.instead);
            said.extend(instead.flat_map(|text| typed(&text)).map(|text| (card, text)));
        }
    }
    assert!(said.len() > 20, "reasons name commands");
    passes(said);
}

fn cards() -> impl Iterator<Item = &'static Card> {
    tollgate_rules::all().map(Rule::card)
}

fn passes(said: Vec<(&Card, String)>) {
    let mut wrong = Vec::new();
    for (card, text) in said {
        let decision = judged("Shell", &text);
        if decision.verdict.refuses() {
            wrong.push(format!("{}: `{text}`: {}", card.id, decision.reason()));
        }
    }
    assert!(wrong.is_empty(), "{} refused:\n{}", wrong.len(), wrong.join("\n"));
}

/// What stands in backticks.
fn typed(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn judged(tool: &str, text: &str) -> Decision {
    judge(&event(call(tool, text), input(tool, text)), &world_for(tool), &Policy::builtin()).decision
}
