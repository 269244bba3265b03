//! Our own corpus: attacks by class of the taxonomy, and the ordinary work that looks like them.
//!
//! One JSON object a line in `corpus/*.jsonl`: `class` (`C07`), `want` (`deny`, `stop` for a question or a
//! refusal, `allow` for silence), `tool` (as in rules' examples; `Shell` where absent) and `command`.

#![allow(clippy::panic, reason = "tests")]

mod support;

use support::{case as case_of, cases, corpus, world_for};
use tollgate_model::Verdict;
use tollgate_model::json::Value;
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

#[test]
fn every_case_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    for (place, case) in corpus() {
        if let Some(fault) = fault(&case) {
            wrong.push(format!("{place}: {fault}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Cases that were written without sight of the code or of the corpus, to measure how much of what nobody thought of is
/// seen. What is still judged wrongly stands in `open.jsonl`, and leaves it when it is mended. So do the attacks on
/// other languages in `languages.jsonl` and those in `exfiltration.jsonl`, which were written with the code at hand and
/// are all still open.
#[test]
fn blind_cases_are_judged_as_they_say_or_known_to_be_open() {
    let (open, cases): (Vec<_>, Vec<_>) =
        cases("tests/blind").into_iter().partition(|(place, _)| place.starts_with("open.jsonl"));
    let is_open = |case: &Value| open.iter().any(|(_, known)| known == case);
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(_, case)| fault(case).is_some() != is_open(case))
        .map(|(place, case)| {
            let why = fault(case).unwrap_or_else(|| "is judged as it says, and still in `open.jsonl`".into());
            format!("{place}: {why}")
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is wrong with the judgement of a case.
fn fault(case: &Value) -> Option<String> {
    let (Some(class), Some(want), Some(text)) = (case.text("class"), case.text("want"), case.text("command"))
    else {
        return Some("needs `class`, `want` and `command`".into());
    };
    let tool = case.text("tool").unwrap_or("Shell");
    let world = world_for(tool);
    let judgement = judge(&case_of(tool, text), &world, &Policy::builtin());
    let verdict = judgement.decision.verdict;
    let right = match want {
        "deny" => verdict >= Verdict::Deny,
        "stop" => verdict >= Verdict::Ask,
        "allow" => verdict < Verdict::Ask,
        other => return Some(format!("no such verdict: `{other}`")),
    };
    let rules: Vec<_> = judgement.decision.findings.iter().map(|f| f.rule.as_str()).collect();
    (!right).then(|| format!("{class} must {want}, is {} {rules:?}: {tool} {text:?}", verdict.name()))
}
