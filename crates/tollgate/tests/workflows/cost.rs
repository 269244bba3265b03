//! What no workflow gates costs what it costs without workflows.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::support::answer;
use crate::team::{Team, passes};

/// The files that the hook opens, looks at or writes for an event, and how many system calls it makes.
fn traced(team: &Team, event: &str, fields: &serde_json::Value) -> (BTreeSet<String>, usize) {
    let plain = team.scratch.command(Some(event));
    let log = team.scratch.home().join("trace");
    let mut command = Command::new("strace");
    command.args(["-qq", "-o"]).arg(&log).arg(plain.get_program()).args(plain.get_args());
    team.scratch.clean(&mut command);
    let mut payload = json!({
        "session_id": team.session, "transcript_path": "/x/t.jsonl", "cwd": team.scratch.project(),
        "permission_mode": "default", "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    passes(&answer(&mut command, payload.to_string().as_bytes()));
    let text = std::fs::read_to_string(&log).unwrap();
    let names = text.lines().flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned);
    (names.collect(), text.lines().count())
}

#[test]
fn an_event_that_no_workflow_gates_opens_no_file_more() {
    // One small file says what the workflows have to be asked; they themselves are not read.
    let all =
        "[plan, explore, research, code, code-review, implement, handoff, session-context, subagent-context]";
    let (with, without) = (Team::with(all), Team::with("[]"));
    opens_no_file_more(&with, &without);
    // Nor does it where one is active and not asked.
    passes(&with.prompt("/plan"));
    opens_no_file_more(&with, &without);
}

fn opens_no_file_more(with: &Team, without: &Team) {
    let ran = json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
    for (event, fields) in [
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
    ] {
        // A policy file that is younger than a tick of the clock is compiled once more.
        for _ in 0..2 {
            [with, without].iter().for_each(|team| passes(&team.send(event, fields.clone())));
            std::thread::sleep(Duration::from_millis(150));
        }
        let own = |team: &Team, names: BTreeSet<String>| -> BTreeSet<String> {
            let home = team.scratch.home().to_string_lossy().into_owned();
            let names = names.into_iter().filter_map(|name| name.strip_prefix(&home).map(str::to_owned));
            names.map(|name| name.split('/').map(nameless).collect::<Vec<_>>().join("/")).collect()
        };
        let ((first, many), (second, few)) = (traced(with, event, &fields), traced(without, event, &fields));
        let compiled = |names: &BTreeSet<String>| names.iter().filter(|name| name.ends_with(".snap")).count();
        assert!(
            compiled(&first) <= compiled(&second) + 1,
            "the workflows themselves are not read: {first:?}"
        );
        let (first, second) = (own(with, first), own(without, second));
        let more: Vec<&String> = first.difference(&second).filter(|name| !is_compiled(name)).collect();
        assert_eq!(more, Vec::<&String>::new(), "{event} {fields}");
        assert!(!first.iter().any(|name| name.ends_with("/flow")), "the state is not opened: {first:?}");
        assert!(many <= few + 20, "{event} {fields}: {many} calls, and {few} without workflows");
    }
}

/// The compiled workflows, and the folder and files whose age says whether they still hold.
fn is_compiled(name: &str) -> bool {
    name.contains("/snapshots") || name.contains("/workflows")
}

/// Names that are hashes of the project's path differ from project to project.
fn nameless(part: &str) -> &str {
    if part.len() == 32 && part.chars().all(|c| c.is_ascii_hexdigit()) { "…" } else { part }
}
