//! Records how every case of the repository is judged, and compares two records. `cargo xtask verdicts` runs it.
//!
//! A record has one JSON line per case: `tool`, `call`, `verdict`, `rules` (with their verdicts, sorted) and `words` (the
//! findings' texts). Cases are found again by tool and call, so that they may move between files.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a tool for developers"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use tollgate_model::Rule;
use tollgate_model::json::{Value, object, parse, write};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

/// Judging follows deeply nested code; a thread's own stack would be too small.
const STACK: usize = 64 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["record", out, files @ ..] => record(out, files),
        ["compare", old, new] => compare(old, new),
        _ => println!("usage: verdicts record OUT [FILE…] | verdicts compare OLD NEW"),
    }
}

/// A call to judge: the tool as in the cases, and its text.
type Call = (String, String);

/// Judges every case and writes the record.
fn record(out: &str, files: &[&str]) {
    let calls: Vec<Call> = all_calls(files).into_iter().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<&[Call]> = calls.chunks(calls.len().div_ceil(threads).max(1)).collect();
    let lines: Vec<String> = std::thread::scope(|scope| {
        let judge_part = |part: &'_ [Call]| part.iter().map(line).collect::<String>();
        let start = |part| {
            let builder = std::thread::Builder::new().stack_size(STACK);
            builder.spawn_scoped(scope, move || judge_part(part)).expect("a thread starts")
        };
        let running: Vec<_> = parts.into_iter().map(start).collect();
        running.into_iter().map(|thread| thread.join().expect("judging does not panic")).collect()
    });
    fs::write(out, lines.concat()).unwrap_or_else(|error| panic!("{out}: {error}"));
    println!("{} cases recorded in {out}", calls.len());
}

/// The cases, the rules' examples, and the commands of further files.
fn all_calls(files: &[&str]) -> BTreeSet<Call> {
    let read = |case: &Value| {
        let tool = case.text("tool").unwrap_or("Shell").to_owned();
        Some((tool, case.text("command").or_else(|| case.text("call"))?.to_owned()))
    };
    let cases = support::cases::read_all().into_iter().chain(support::cases::read_known_open());
    let mut calls: BTreeSet<Call> = cases.map(|case| (case.tool, case.call)).collect();
    for card in tollgate_rules::all().map(Rule::card) {
        calls.extend(card.examples.iter().map(|example| (example.tool.to_owned(), example.text.to_owned())));
    }
    for file in files {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        calls.extend(text.lines().filter_map(|line| read(&parse(line.as_bytes()).ok()?)));
    }
    calls
}

/// How one call is judged, as a line of the record.
fn line((tool, text): &Call) -> String {
    let judgement = judge(&support::case(tool, text), &support::world_for(tool), &Policy::builtin());
    let mut findings: Vec<(String, String)> = judgement
        .decision
        .findings
        .iter()
        .map(|finding| (format!("{} {}", finding.verdict.name(), finding.rule), finding.hit.what.clone()))
        .collect();
    findings.sort();
    let texts = |list: Vec<String>| Value::List(list.into_iter().map(Value::from).collect());
    let (rules, words): (Vec<String>, Vec<String>) = findings.into_iter().unzip();
    let record = object([
        ("tool", Value::from(tool.as_str())),
        ("call", Value::from(text.as_str())),
        ("verdict", Value::from(judgement.decision.verdict.name())),
        ("rules", texts(rules)),
        ("words", texts(words)),
    ]);
    format!("{}\n", to_text(&record))
}

/// Prints every case whose verdict or rules differ, and how many differ in words only.
fn compare(old: &str, new: &str) {
    let (old, new) = (read_record(old), read_record(new));
    let (mut verdicts, mut rules, mut words) = (0, 0, 0);
    let mut shown = String::new();
    for (call, after) in &new {
        let Some(before) = old.get(call) else { continue };
        let changed = |field: &str| before.get(field) != after.get(field);
        let mut show = |kind: &str, field: &str| {
            let (before, after) = (before.get(field), after.get(field));
            let text = |value: Option<&Value>| value.map(to_text).unwrap_or_default();
            writeln!(shown, "{kind}: {} -> {}\n  {} {:?}", text(before), text(after), call.0, call.1)
                .unwrap();
        };
        if changed("verdict") {
            verdicts += 1;
            show("verdict", "verdict");
            show("   with", "rules");
        } else if changed("rules") {
            rules += 1;
            show("rules", "rules");
        } else if changed("words") {
            words += 1;
            show("words", "words");
        }
    }
    print!("{shown}");
    let missing = old.keys().filter(|call| !new.contains_key(*call)).count();
    let added = new.keys().filter(|call| !old.contains_key(*call)).count();
    println!("{} cases: {verdicts} verdicts, {rules} rules, {words} words differ", new.len());
    println!("{added} cases are new, {missing} are gone");
    if verdicts + rules > 0 {
        std::process::exit(1);
    }
}

fn read_record(file: &str) -> BTreeMap<Call, Value> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let parsed = text.lines().map(|line| parse(line.as_bytes()).unwrap_or_else(|_| panic!("{file}: {line}")));
    let field = |value: &Value, name| value.text(name).unwrap_or_default().to_owned();
    parsed.map(|value| ((field(&value, "tool"), field(&value, "call")), value)).collect()
}

fn to_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}
