//! The same deed in other words: no rewrite of a command that keeps what it does makes its verdict milder, and
//! other quoting of ordinary work is not refused.
//!
//! To end in time, each rule's example meets every third rewrite of a kind, and each case every nineteenth; which ones
//! goes by the text alone, so that a new case changes nothing for the others. `TOLLGATE_ALL_REWRITES=1` tries all of
//! them. `cases/known-open-rewrites.jsonl` lists the rewrites that still make a case milder: its `id`, the `rewrite`, and
//! `why`.

#![allow(clippy::panic, clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

mod rewrites;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use rewrites::{Kind, REWRITES, Rewrite, Source};
use support::cases::{Case, KNOWN_OPEN_REWRITES, read_all, read_lines};
use support::{call, event, input, world};
use tollgate_model::json::parse;
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
    let open = known_open();
    for Attack { id, text, stride } in attacks() {
        let first = text.bytes().map(usize::from).sum::<usize>() % stride;
        let is_open = |rewrite: &Rewrite| open.contains(&(id.clone(), rewrite.name.to_owned()));
        let mut chosen =
            rewrites.iter().skip(first).step_by(stride).filter(|rewrite| !is_open(rewrite)).peekable();
        // Most of the time goes into judging, so a text that meets no rewrite is not judged at all.
        if chosen.peek().is_none() {
            continue;
        }
        let Some(source) = Source::new(&text) else { continue };
        let before = verdict(&text);
        if !before.refuses() {
            continue;
        }
        for rewrite in chosen {
            let Some(rewritten) = (rewrite.apply)(&source) else { continue };
            wrong.extend(milder(rewrite, &text, before, &rewritten).map(|milder| format!("{id}: {milder}")));
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

/// A text that is refused.
struct Attack {
    /// Of the case, or of the rule whose example it is.
    id: String,
    text: String,
    /// How far apart the rewrites are that it meets.
    stride: usize,
}

fn attacks() -> Vec<Attack> {
    let all = std::env::var_os("TOLLGATE_ALL_REWRITES").is_some();
    let stride = |usual: usize| if all { 1 } else { usual };
    let example = |(id, text)| Attack { id, text, stride: stride(3) };
    let case = |case: Case| Attack { id: case.id, text: case.call, stride: stride(19) };
    let refused = read_all().into_iter().filter(|case| case.want.stops() && case.tool == "Shell");
    examples_with_rules(true).into_iter().map(example).chain(refused.map(case)).collect()
}

/// The cases and rewrites of `known-open-rewrites.jsonl`.
fn known_open() -> BTreeSet<(String, String)> {
    let read = |(place, line): (String, String)| {
        let value = parse(line.as_bytes()).unwrap_or_else(|error| panic!("{place}: {error:?}"));
        let field =
            |name| value.text(name).unwrap_or_else(|| panic!("{place}: `{name}` is missing")).to_owned();
        assert!(!field("why").is_empty(), "{place}: say in `why` what is not seen");
        (field("id"), field("rewrite"))
    };
    read_lines(KNOWN_OPEN_REWRITES).into_iter().map(read).collect()
}

#[test]
fn known_open_rewrites_are_still_milder() {
    let cases: BTreeMap<String, Case> = read_all().into_iter().map(|case| (case.id.clone(), case)).collect();
    let mut wrong = Vec::new();
    for (id, name) in known_open() {
        let case = cases.get(&id).unwrap_or_else(|| panic!("there is no case `{id}`"));
        let rewrite = REWRITES.iter().find(|rewrite| rewrite.name == name);
        let rewrite = rewrite.unwrap_or_else(|| panic!("there is no rewrite `{name}`"));
        let rewritten = Source::new(&case.call).and_then(|source| (rewrite.apply)(&source));
        let still = rewritten.and_then(|text| milder(rewrite, &case.call, verdict(&case.call), &text));
        if still.is_none() {
            wrong.push(format!("`{name}` no longer makes `{id}` milder: take the line out"));
        }
    }
    report(&wrong);
}

fn examples(hit: bool) -> Vec<String> {
    examples_with_rules(hit).into_iter().map(|(_, text)| text).collect()
}

/// The examples of all rules for the shell.
fn examples_with_rules(hit: bool) -> Vec<(String, String)> {
    let cards = tollgate_rules::all().map(Rule::card);
    let examples = cards.flat_map(|card| card.examples.iter().map(|example| (card.id, example)));
    let wanted = examples.filter(|(_, example)| example.hit == hit && example.tool == "Shell");
    wanted.map(|(id, example)| (id.to_owned(), example.text.to_owned())).collect()
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
