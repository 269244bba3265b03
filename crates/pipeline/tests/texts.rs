//! What an agent and a person read when a call is refused or asked about: each rule's refusals, from its examples, in one
//! file, to be read from top to bottom (`snapshots/refusals.snap`). The same for effects, as `explain` shows them.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write;

use support::{case, world_for};
use tollgate_model::{Rule, Verdict};
use tollgate_pipeline::{Judgement, judge};
use tollgate_policy::Policy;

/// The most texts of one rule: what differs only in names is the same text.
const MOST: usize = 8;

#[test]
fn refusals_read_as_reviewed() {
    let mut text = String::new();
    for card in tollgate_rules::all().map(Rule::card) {
        let mut known = BTreeSet::new();
        for example in card.examples.iter().filter(|example| example.hit) {
            let found = judged(example.tool, example.text).decision.findings;
            let own = found.into_iter().filter(|finding| finding.rule == card.id);
            for finding in own.filter(|finding| finding.verdict >= Verdict::Note) {
                let sentence = finding.sentence();
                if known.len() < MOST && known.insert(without_names(&sentence)) {
                    writeln!(text, "{sentence}").unwrap();
                }
            }
        }
        assert!(!known.is_empty(), "{} has no refusal", card.id);
        text.push('\n');
    }
    snapshot("refusals", &text);
}

#[test]
fn effects_read_as_reviewed() {
    let examples = || tollgate_rules::all().flat_map(|rule| rule.card().examples);
    let told: BTreeSet<String> = examples()
        .flat_map(|example| judged(example.tool, example.text).effects)
        .map(|effect| format!("{}: {}", effect.kind.name(), without_names(&effect.told())))
        .collect();
    snapshot("effects", &told.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_refusal_is_one_line_of_sentences() {
    for card in tollgate_rules::all().map(Rule::card) {
        for example in card.examples.iter().filter(|example| example.hit) {
            for finding in judged(example.tool, example.text).decision.findings {
                let sentence = finding.sentence();
                let rest = sentence.split_once("]. ").map_or("", |(_, rest)| rest);
                let is_fine = sentence.starts_with("Tollgate: ")
                    && sentence.contains(&format!(" [{}]", finding.rule))
                    && !rest.starts_with(char::is_lowercase)
                    && (rest.is_empty() || rest.ends_with('.'))
                    && !sentence.contains('\n');
                assert!(is_fine, "{sentence}");
            }
        }
    }
}

fn judged(tool: &str, text: &str) -> Judgement {
    judge(&case(tool, text), &world_for(tool), &Policy::builtin())
}

/// The text with `…` for what stands in backticks.
fn without_names(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { "`…`" } else { part }).collect()
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
