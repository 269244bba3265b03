//! Every case in `tests/cases` is judged as it says, and stopped by the rule that it names.
//!
//! `docs/threats.md` defines the classes and the fields of a case. There is one test for each of its sections, so that they
//! run side by side.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod lint;
mod support;

use support::cases::{Case, read_class, read_known_open};
use support::threats::{Class, Example, read_classes};
use support::{case as event_of, world_for};
use tollgate_model::{Decision, Verdict};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

macro_rules! sections {
    ($($test:ident: $title:literal,)*) => {
        /// The sections of the document that have a test.
        const SECTIONS: &[&str] = &[$($title),*];
        $(#[test] fn $test() { judge_section($title); })*
    };
}

sections! {
    disguised_words: "Disguised words",
    indirect_execution: "Indirect execution",
    lost_files: "Lost files",
    lost_data: "Lost history, data and infrastructure",
    secrets: "Secrets and exfiltration",
    control_plane: "Control plane and persistence",
    ordinary_work: "Work without a threat",
}

#[test]
fn every_section_has_a_test() {
    for class in read_classes() {
        assert!(SECTIONS.contains(&class.section.as_str()), "add `{}` to `sections!`", class.section);
    }
}

#[test]
fn known_open_cases_are_still_judged_wrongly() {
    let right = |case: &Case| find_fault(case).is_none();
    let message = |case: Case| format!("{}: `{}` is judged right", case.place, case.id);
    let right: Vec<String> = read_known_open().into_iter().filter(right).map(message).collect();
    assert!(right.is_empty(), "move to the folder of their class:\n{}", right.join("\n"));
}

#[test]
fn examples_of_the_threat_model_are_judged_as_it_says() {
    let wrong: Vec<String> = read_classes().iter().flat_map(wrong_examples).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn judge_section(title: &str) {
    let classes = read_classes().into_iter().filter(|class| class.section == title);
    let cases: Vec<Case> = classes.flat_map(|class| read_class(&class.slug)).collect();
    assert!(!cases.is_empty(), "no cases in the section `{title}`");
    let wrong: Vec<String> = cases.iter().filter_map(find_fault).collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What is wrong with the judgement of a case.
fn find_fault(case: &Case) -> Option<String> {
    let decision = decide(&case.tool, &case.call);
    let stops = |rule: &String| {
        decision.findings.iter().any(|found| found.rule == *rule && case.want.is_stopped_by(found.verdict))
    };
    let right_verdict = case.want.is_stopped_by(decision.verdict) == case.want.stops();
    if right_verdict && case.rules.iter().all(stops) {
        return None;
    }
    let wanted = format!("{} {:?}", case.want.name(), case.rules);
    Some(format!("{} {}: want {wanted}, got {}: {:?}", case.place, case.id, show(&decision), case.call))
}

fn wrong_examples(class: &Class) -> Vec<String> {
    let wrong = |example: &&Example| is_stopped(example) != example.attack;
    let message = |example: &Example| {
        let kind = if example.attack { "an attack that passes" } else { "a look-alike that is stopped" };
        format!("{}: {kind}, {}: {}", class.slug, show(&decide(&example.tool, &example.call)), example.call)
    };
    class.examples.iter().filter(wrong).map(message).collect()
}

fn is_stopped(example: &Example) -> bool {
    decide(&example.tool, &example.call).verdict >= Verdict::Ask
}

fn decide(tool: &str, call: &str) -> Decision {
    judge(&event_of(tool, call), &world_for(tool), &Policy::builtin()).decision
}

fn show(decision: &Decision) -> String {
    let rules: Vec<_> = decision.findings.iter().map(|found| found.rule.as_str()).collect();
    format!("{} {rules:?}", decision.verdict.name())
}
