//! The same deed in other words: no rewrite of a command that keeps what it does makes its verdict milder, and
//! other quoting of ordinary work is not refused.
//!
//! To end in time, each text meets every third rewrite of a kind, and each case of the corpus every ninth; which ones
//! goes by the text alone, so that a new case changes nothing for the others. `TOLLGATE_ALL_REWRITES=1` tries all of
//! them.

#![allow(clippy::panic, clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

mod rewrites;
mod support;

use std::process::{Command, Stdio};

use rewrites::{Kind, REWRITES, Rewrite, Source};
use support::{call, event, input, world};
use tollgate_model::{Decision, Rule, Verdict};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

#[test]
fn quoting_changes_no_refusal() {
    no_milder(Kind::Quoting);
}

#[test]
fn other_words_change_no_refusal() {
    no_milder(Kind::Words);
}

#[test]
fn wrapping_changes_no_refusal() {
    no_milder(Kind::Wrapping);
}

#[test]
fn code_changes_no_refusal() {
    no_milder(Kind::Code);
}

#[test]
fn quoting_refuses_no_ordinary_work() {
    let mut wrong = Vec::new();
    for text in examples(false) {
        let Some(source) = Source::new(&text) else { continue };
        if verdict(&text).refuses() {
            continue;
        }
        for rewrite in REWRITES.iter().filter(|rewrite| rewrite.kind == Kind::Quoting) {
            let Some(rewritten) = (rewrite.apply)(&source) else { continue };
            if verdict(&rewritten).refuses() {
                wrong.push(format!("{}: {text:?} -> {rewritten:?}", rewrite.name));
            }
        }
    }
    report(&wrong);
}

/// Each rewrite does in real bash what the harmless command does that it was made from.
#[test]
fn rewrites_keep_what_a_command_does() {
    let mut wrong = Vec::new();
    for rewrite in REWRITES {
        let mut used = 0;
        if !rewrite.needs.is_empty() && !is_there(rewrite.needs) {
            continue;
        }
        for text in HARMLESS {
            let source = Source::new(text).unwrap_or_else(|| panic!("cannot be read: {text}"));
            let Some(rewritten) = (rewrite.apply)(&source) else { continue };
            used += 1;
            let (before, after) = (bash(text), bash(&rewritten));
            if before != after {
                wrong.push(format!("{}: {text:?} prints {before:?}, {rewritten:?} {after:?}", rewrite.name));
            }
        }
        if used == 0 {
            wrong.push(format!("{}: fits no harmless command", rewrite.name));
        }
    }
    report(&wrong);
}

const HARMLESS: &[&str] = &[
    "printf %s one two",
    "ls -d /etc",
    "stat -c %i /etc/passwd /usr/bin",
    "ls -d ~",
    "stat -c %i ~/.",
    "readlink -f ~/.",
    "cat /etc/hostname | tr a-z A-Z",
    "cd /tmp && pwd",
    "echo 'it'\"'\"'s' \"$((1 + 1))\" {a,b}",
    "for i in 1 2; do printf '%s\\n' \"$i\"; done",
    "cat <<X\nhello $((2 + 2))\nX",
    "if test -d /etc; then basename /etc/passwd; fi",
    "basename /etc/passwd",
    "basename /usr/bin",
];

fn no_milder(kind: Kind) {
    let mut wrong = Vec::new();
    let rewrites: Vec<&Rewrite> = REWRITES.iter().filter(|rewrite| rewrite.kind == kind).collect();
    for (text, stride) in attacks() {
        let Some(source) = Source::new(&text) else { continue };
        let before = verdict(&text);
        if !before.refuses() {
            continue;
        }
        let first = text.bytes().map(usize::from).sum::<usize>() % stride;
        for rewrite in rewrites.iter().skip(first).step_by(stride) {
            let Some(rewritten) = (rewrite.apply)(&source) else { continue };
            wrong.extend(milder(rewrite, &text, before, &rewritten));
        }
    }
    report(&wrong);
}

fn milder(rewrite: &Rewrite, text: &str, before: Verdict, rewritten: &str) -> Option<String> {
    let after = verdict(rewritten);
    if after >= before {
        return None;
    }
    Some(format!("{}: {} became {}: {text:?} -> {rewritten:?}", rewrite.name, before.name(), after.name()))
}

fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn verdict(text: &str) -> Verdict {
    judged(text).verdict
}

fn judged(text: &str) -> Decision {
    judge(&event(call("Shell", text), input("Shell", text)), &world(), &Policy::builtin()).decision
}

/// Texts that are refused, and how far apart the rewrites are that each meets.
fn attacks() -> Vec<(String, usize)> {
    let all = std::env::var_os("TOLLGATE_ALL_REWRITES").is_some();
    let stride = |usual: usize| if all { 1 } else { usual };
    let mut attacks: Vec<(String, usize)> =
        examples(true).into_iter().map(|text| (text, stride(3))).collect();
    let corpus = support::corpus().into_iter().map(|(_, case)| case);
    let refused = corpus.filter(|case| case.text("want") != Some("allow") && case.text("tool").is_none());
    attacks.extend(refused.filter_map(|case| Some((case.text("command")?.to_owned(), stride(9)))));
    attacks
}

fn examples(hit: bool) -> Vec<String> {
    let cards = tollgate_rules::all().map(Rule::card);
    let examples = cards.flat_map(|card| card.examples);
    examples.filter(|e| e.hit == hit && e.tool == "Shell").map(|e| e.text.to_owned()).collect()
}

/// What harmless text prints.
fn bash(text: &str) -> String {
    let mut command = Command::new("bash");
    command.args(["-c", text]).stdin(Stdio::null()).stderr(Stdio::null());
    String::from_utf8_lossy(&command.output().unwrap().stdout).trim_end().to_owned()
}

fn is_there(program: &str) -> bool {
    let text = format!("command -v {program}");
    Command::new("bash").args(["-c", &text]).stdout(Stdio::null()).status().unwrap().success()
}
