//! What no workflow gates costs what it costs without workflows.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Answer, answer, is_missing};
use crate::team::{Team, passes};

const ALL: &str =
    "[plan, explore, research, code, code-review, implement, handoff, session-context, subagent-context]";

/// The hook at an event, run by another program.
fn run_by(command: &[&str], team: &Team, event: &str, fields: &Value) -> Answer {
    // What another program slows down may be too late on a busy machine, and is asked again.
    let tries = (0..10).map(|_| run_once_by(command, team, event, fields));
    let answer = tries.into_iter().find(|answer| !answer.says("took too long")).expect("always too late");
    passes(&answer);
    answer
}

fn run_once_by(words: &[&str], team: &Team, event: &str, fields: &Value) -> Answer {
    let (program, args) = words.split_first().unwrap();
    let mut command = Command::new(program);
    let plain = team.scratch.command(Some(event));
    command.args(args).arg(plain.get_program()).args(plain.get_args());
    team.scratch.clean(&mut command);
    answer(&mut command, team.payload(event, fields).to_string().as_bytes())
}

/// The files that the hook opens, looks at or writes for an event, and how many system calls it makes.
fn traced(team: &Team, event: &str, fields: &Value) -> (BTreeSet<String>, usize) {
    let log = team.scratch.home().join("trace");
    run_by(&["strace", "-qq", "-o", &log.to_string_lossy()], team, event, fields);
    let text = std::fs::read_to_string(&log).unwrap();
    let names = text.lines().flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned);
    (names.collect(), text.lines().count())
}

/// The instructions that the hook takes for an event.
fn instructions(team: &Team, event: &str, fields: &Value) -> f64 {
    let command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
    let told = run_by(&command, team, event, fields).stderr;
    let count = told.lines().find_map(|line| line.split_once("refs:")).unwrap_or_else(|| panic!("{told}")).1;
    count.trim().replace(',', "").parse().unwrap()
}

/// Events that none of the workflows gates.
fn ungated() -> Vec<(&'static str, Value)> {
    let ran = json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
    vec![
        ("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls src"}, "tool_use_id": "t"})),
        (
            "PreToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": "README.md"}, "tool_use_id": "t"}),
        ),
        ("PreToolUse", json!({"tool_name": "Grep", "tool_input": {"pattern": "x"}, "tool_use_id": "t"})),
        (
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "date > /tmp/x"}, "tool_use_id": "t"}),
        ),
        (
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "ls src"}, "tool_use_id": "t", "tool_response": ran}),
        ),
        (
            "PostToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": "README.md"}, "tool_use_id": "t", "tool_response": ran}),
        ),
        ("UserPromptSubmit", json!({"prompt": "look at the readme"})),
    ]
}

/// Sends an event until the policy is compiled and stays so: one younger than a tick of the clock is made once more.
fn settle(teams: [&Team; 2], event: &str, fields: &Value) {
    for _ in 0..2 {
        teams.iter().for_each(|team| passes(&team.send(event, fields.clone())));
        std::thread::sleep(Duration::from_millis(150));
    }
}

#[test]
fn an_event_that_no_workflow_gates_takes_no_instructions_more() {
    if is_missing("valgrind") {
        return;
    }
    let (with, without) = (Team::with(ALL), Team::with("[]"));
    // Counting is slow, so not all of them: two before a call, one after one, and a prompt.
    takes_no_more(&with, &without, ungated().into_iter().step_by(2).collect(), 1.02);
    // Nor where one is active and not asked, but for the record, which names it.
    passes(&with.prompt("/plan"));
    let of_shell = ungated().into_iter().filter(|(_, fields)| fields["tool_input"]["command"] == "ls src");
    takes_no_more(&with, &without, of_shell.collect(), 1.04);
}

fn takes_no_more(with: &Team, without: &Team, events: Vec<(&str, Value)>, most: f64) {
    for (event, fields) in events {
        settle([with, without], event, &fields);
        // What the moment adds (a tick of the clock, a full part of the log) is not the workflows' cost.
        let (mut many, mut few) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            many = many.min(instructions(with, event, &fields));
            few = few.min(instructions(without, event, &fields));
            if many <= few * most {
                break;
            }
        }
        assert!(many <= few * most, "{event} {fields}: {many} instructions, and {few} without workflows");
    }
}

#[test]
fn an_event_that_no_workflow_gates_opens_no_file_more() {
    if is_missing("strace") {
        return;
    }
    let (with, without) = (Team::with(ALL), Team::with("[]"));
    opens_no_file_more(&with, &without);
    // Nor does it where one is active and not asked.
    passes(&with.prompt("/plan"));
    opens_no_file_more(&with, &without);
}

fn opens_no_file_more(with: &Team, without: &Team) {
    for (event, fields) in ungated() {
        settle([with, without], event, &fields);
        let own = |team: &Team, names: BTreeSet<String>| -> BTreeSet<String> {
            let home = team.scratch.home().to_string_lossy().into_owned();
            let names = names.into_iter().filter_map(|name| name.strip_prefix(&home).map(str::to_owned));
            names.map(|name| name.split('/').map(nameless).collect::<Vec<_>>().join("/")).collect()
        };
        let ((first, many), (second, few)) = (traced(with, event, &fields), traced(without, event, &fields));
        let compiled = |names: &BTreeSet<String>| names.iter().filter(|name| name.ends_with(".snap")).count();
        assert_eq!(compiled(&first), compiled(&second), "the workflows themselves are not read: {first:?}");
        let (first, second) = (own(with, first), own(without, second));
        let more: Vec<&String> = first.difference(&second).filter(|name| !is_compiled(name)).collect();
        assert_eq!(more, Vec::<&String>::new(), "{event} {fields}");
        assert!(!first.iter().any(|name| name.ends_with("/flow")), "the state is not opened: {first:?}");
        assert!(many <= few + 1, "{event} {fields}: {many} calls, and {few} without workflows");
    }
}

/// The compiled policy, and the folder whose age says whether a workflow came into it.
fn is_compiled(name: &str) -> bool {
    name.contains("/snapshots") || name.contains("/workflows")
}

/// Names that are hashes of the project's path differ from project to project.
fn nameless(part: &str) -> &str {
    if part.len() == 32 && part.chars().all(|c| c.is_ascii_hexdigit()) { "…" } else { part }
}
