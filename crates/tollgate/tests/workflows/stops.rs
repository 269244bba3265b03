//! Refusals to stop have an end: counted in a row, with the agents' own word for it, in payloads as they send them.

use serde_json::{Value, json};

use crate::agents::other;
use crate::support::Answer;
use crate::team::{Team, blocked, passes};

const STOPPER: &str = "version: 1\nname: stopper\nabout: a\nstart: { always: true }\ngates:\n  - on: [stop, subagent-stop]\n    limit: 2\n    need: { exists: done.txt }\n    message: Not done.\n";

fn stopper() -> Team {
    let team = Team::with("[stopper.yaml]");
    std::fs::write(team.scratch.config().join("stopper.yaml"), STOPPER).unwrap();
    team
}

/// A payload that a real client sent, or one from its documentation, in this project.
fn recorded(team: &Team, file: &str) -> Value {
    let path = format!("{}/../agents/{file}", env!("CARGO_MANIFEST_DIR"));
    let mut payload: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    payload["cwd"] = json!(team.scratch.project());
    payload
}

fn is_refused(answer: &Answer) -> bool {
    answer.says("Not done.") && !answer.says("allowed, because") && !answer.says("allows this after")
}

/// Each agent that says of a stop whether it follows from a refusal, with its word for it.
const FLAGS: [(&str, &str, &str, &str); 11] = [
    ("claude-code", "Stop", "payloads/claude-code/2.1.325-Stop.json", "stop_hook_active"),
    ("claude-code", "SubagentStop", "payloads/claude-code/2.1.325-SubagentStop.json", "stop_hook_active"),
    ("codex", "Stop", "payloads/codex/0.166.0-Stop.json", "stop_hook_active"),
    ("codex", "SubagentStop", "payloads/codex/0.166.0-SubagentStop.json", "stop_hook_active"),
    ("gemini-cli", "AfterAgent", "payloads/gemini-cli/0.61.0-AfterAgent.json", "stop_hook_active"),
    ("qwen-code", "Stop", "payloads/qwen-code/0.24.4-Stop.json", "stop_hook_active"),
    ("qwen-code", "SubagentStop", "payloads/qwen-code/0.24.4-SubagentStop.json", "stop_hook_active"),
    ("copilot-cli", "agentStop", "payloads/copilot-cli/1.0.102-agentStop.json", "stop_hook_active"),
    ("copilot-cli", "subagentStop", "payloads/copilot-cli/1.0.102-subagentStop.json", "stop_hook_active"),
    ("cursor", "stop", "documented/cursor/stop.json", "loop_count"),
    ("cursor", "subagentStop", "documented/cursor/subagentStop.json", "loop_count"),
];

/// Stops one after the other, each with the agent's word whether it follows from a refusal: which are refused?
fn refusals(agent: &str, event: &str, file: &str, flag: &str, stops: &[bool]) -> Vec<bool> {
    let team = stopper();
    let stop = |again: &bool| {
        let mut payload = recorded(&team, file);
        payload[flag] = if flag == "loop_count" { json!(u8::from(*again)) } else { json!(again) };
        is_refused(&other(&team, agent, event, &payload))
    };
    stops.iter().map(stop).collect()
}

#[test]
fn a_refused_stop_counts_and_a_new_one_begins_anew() {
    for (agent, event, file, flag) in FLAGS {
        for (stops, refused) in [
            (&[false, true, true][..], &[true, true, false][..]),
            (&[false, true, false, true, true], &[true, true, true, true, false]),
            (&[true, true, true, true], &[true, true, false, true]),
        ] {
            assert_eq!(refusals(agent, event, file, flag, stops), refused, "{agent} {event} {stops:?}");
        }
    }
}

#[test]
fn an_agent_that_never_says_so_is_let_go_too() {
    let (agent, event, file, flag) = FLAGS[0];
    let refused = refusals(agent, event, file, flag, &[false; 12]);
    assert_eq!(refused.iter().position(|refused| !refused), Some(10), "{refused:?}");
    let team = stopper();
    let mut payload = recorded(&team, FLAGS[0].2);
    payload.as_object_mut().unwrap().remove("stop_hook_active");
    let stop = || is_refused(&other(&team, agent, event, &payload));
    assert_eq!([stop(), stop(), stop()], [true, true, false], "without a word of its own every stop counts");
}

#[test]
fn a_refusal_that_cannot_be_counted_is_not_repeated() {
    let team = stopper();
    let stop = |again: bool| {
        let mut payload = recorded(&team, FLAGS[0].2);
        payload["stop_hook_active"] = json!(again);
        other(&team, "claude-code", "Stop", &payload)
    };
    assert!(is_refused(&stop(false)));
    let sessions = std::fs::read_dir(team.scratch.state().join("sessions")).unwrap();
    let session =
        sessions.map(|entry| entry.unwrap().path()).find(|path| path.join("flow").exists()).unwrap();
    std::fs::remove_file(session.join("flow.lock")).unwrap();
    std::fs::create_dir(session.join("flow.lock")).unwrap();
    assert!(is_refused(&stop(false)), "the first is refused: no loop begins with it");
    let last = stop(true);
    assert!(!is_refused(&last) && last.says("allowed, because it cannot be counted"), "{}", last.stdout);
    passes(&last);
}

#[test]
fn a_handoff_is_not_repeated_without_end() {
    let team = Team::with("[{ handoff: { limit: 2 } }]");
    team.write(".claude/agents/x.md", "");
    let text = "Use the x subagent to go on.";
    blocked(&team.done_saying("a", text), "Use the x subagent next.");
    blocked(&team.done_again("a", text), "Use the x subagent next.");
    let last = team.done_again("a", text);
    passes(&last);
    assert!(last.says("allows this after 2 refusals in a row"), "{}", last.stdout);
    passes(&team.done_saying("a", "Something else."));
    blocked(&team.done_saying("a", text), "Use the x subagent next.");
    blocked(&team.done_saying("b", text), "Use the x subagent next.");
    blocked(&team.done_again("b", text), "Use the x subagent next.");
}

#[test]
fn documentation_is_reminded_of_once() {
    let team = Team::with("[docs-reminder]");
    passes(&team.stop());
    passes(&team.file("src/a.rs", "x"));
    passes(&team.file("src/b.rs", "x"));
    blocked(&team.stop(), "its documentation did not: src/a.rs, src/b.rs");
    for _ in 0..3 {
        passes(&team.stop());
        passes(&team.file("src/c.rs", "x"));
    }
    let team = Team::with("[docs-reminder]");
    passes(&team.file("src/a.rs", "x"));
    passes(&team.file("docs/a.md", "x"));
    passes(&team.stop());
}
