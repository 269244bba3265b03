//! Runs of tests as they pass the gate: what counts as seen, and what is said when one does not.

use serde_json::{Value, json};
use tollgate_store::{Whose, read_state};

use crate::agents::{other, phase};
use crate::team::{Team, passes};

const RED: &str = "FAILED tests/test_a.py::test_a - assert 0\n1 failed, 1 passed in 0.01s";
const GREEN: &str = "2 passed in 0.01s";

/// A project in which a failing test is waited for.
fn coding() -> Team {
    let team = Team::with("[code]");
    team.write(&team.plan(), "# plan\n");
    team.write("tests/test_a.py", "def test_a(): assert 0\n");
    team.write("package.json", r#"{"scripts":{"test":"jest","fake":"echo 1 failed in 1s; false"}}"#);
    team.write("Makefile", "test:\n\tpytest -q\n");
    passes(&team.prompt("/code"));
    team
}

#[test]
fn only_the_runners_own_status_counts() {
    let jest = "  ● sum › test_a\nTests:       1 failed, 1 passed, 2 total";
    for (command, code, output, counts) in [
        ("pytest -q", 1, RED, true),
        ("cd . && pytest -q", 1, RED, true),
        ("CI=1 timeout 60 pytest -q 2>&1", 1, RED, true),
        ("set -o pipefail; pytest -q | tee log", 1, RED, true),
        ("set -euo pipefail; pytest -q 2>&1 | tail -20", 1, RED, true),
        ("bash -lc 'pytest -q'", 1, RED, true),
        ("uv run pytest -q", 1, RED, true),
        ("npm test", 1, jest, true),
        ("pytest -q | tee log", 1, RED, false),
        ("pytest -q | tee log", 0, RED, false),
        ("cd x && cargo test 2>&1 | tail", 1, RED, false),
        ("make test", 2, RED, false),
        ("sh -c 'pytest || exit 1'", 1, RED, false),
        ("sh -c 'pytest >/dev/null; printf \"1 failed in 1s\"; false'", 1, RED, false),
        ("set -o pipefail; pytest | sed s/passed/failed/", 1, RED, false),
        ("pytest -q || false", 1, RED, false),
        ("pytest -q; false", 1, RED, false),
        ("pytest -q &", 1, RED, false),
        ("PATH=.:$PATH pytest", 1, RED, false),
        ("env PATH=. pytest", 1, RED, false),
        ("npm run fake", 1, RED, false),
        ("pytest -q", 1, GREEN, false),
        ("pytest -q", 0, RED, false),
    ] {
        let team = coding();
        let answer = team.ran(command, code, output);
        let seen = phase(&team, "claude-code", &team.session) == "passing_test";
        assert_eq!(seen, counts, "{command} {code}: {}", answer.stdout);
    }
}

#[test]
fn it_is_told_why_a_run_does_not_count() {
    let team = coding();
    for (command, code, output, why) in [
        ("pytest -q | tee log", 0, RED, "its status is not the call's"),
        ("make test", 2, RED, "its status is not the call's"),
        ("pytest -q", 1, "Segmentation fault", "does not say how many tests"),
        ("pytest -q", 0, RED, "does not agree with the status"),
    ] {
        let answer = team.ran(command, code, output);
        assert!(answer.says("does not count") && answer.says(why), "{command}: {}", answer.stdout);
    }
    for command in ["ls", "cargo build", "echo pytest"] {
        assert!(!team.ran(command, 0, "x").says("does not count"), "{command}");
    }
    let quiet = Team::with("[code]");
    assert!(!quiet.ran("pytest -q | tee log", 0, RED).says("does not count"), "nobody waits for it");
}

#[test]
fn green_has_the_tests_in_it_that_were_red() {
    let team = coding();
    team.ran("pytest -q", 1, RED);
    for (output, phase_after) in [
        ("1 passed in 0.01s", "passing_test"),
        ("no tests ran in 0.00s", "passing_test"),
        (GREEN, "refactor"),
    ] {
        team.ran("pytest -q", 0, output);
        assert_eq!(phase(&team, "claude-code", &team.session), phase_after, "{output}");
    }
}

#[test]
fn other_agents_tell_how_a_command_ended() {
    let command = "pytest -q";
    let like = |team: &Team, event: &str, rest: Value| {
        let mut all = json!({"session_id": "s", "cwd": team.scratch.project(), "hook_event_name": event});
        all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        all
    };
    let qwen = |output: &str, code: i32| {
        format!(
            "Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\nSignal: (none)\nProcess Group PGID: (none)"
        )
    };
    let gemini = |rest: &str| {
        format!("<untrusted_context>\nOutput: {rest}\nProcess Group PGID: 7\n</untrusted_context>")
    };
    let start = |team: &Team, agent: &str| match agent {
        "gemini-cli" => {
            other(team, agent, "BeforeAgent", &like(team, "BeforeAgent", json!({"prompt": "/code"})))
        }
        "copilot-cli" => other(
            team,
            agent,
            "userPromptSubmitted",
            &json!({"sessionId": "s", "cwd": team.scratch.project(), "prompt": "/code"}),
        ),
        "opencode" => other(
            team,
            agent,
            "chat.message",
            &json!({"input": {"sessionID": "s"}, "output": {"parts": [{"type": "text", "text": "/code"}]}, "directory": team.scratch.project()}),
        ),
        _ => other(
            team,
            agent,
            "UserPromptSubmit",
            &like(team, "UserPromptSubmit", json!({"prompt": "/code"})),
        ),
    };
    let shell = json!({"command": command});
    let after = |team: &Team, agent: &str, code: i32, output: &str| -> (&'static str, Value) {
        let cwd = team.scratch.project();
        match agent {
            "qwen-code" if code == 0 => (
                "PostToolUse",
                like(
                    team,
                    "PostToolUse",
                    json!({"tool_name": "run_shell_command", "tool_input": shell, "tool_response": {"llmContent": qwen(output, code)}}),
                ),
            ),
            "qwen-code" => (
                "PostToolUseFailure",
                like(
                    team,
                    "PostToolUseFailure",
                    json!({"tool_name": "run_shell_command", "tool_input": shell, "error": qwen(output, code)}),
                ),
            ),
            "gemini-cli" => {
                let told = if code == 0 { output.to_owned() } else { format!("{output}\nExit Code: {code}") };
                let rest = json!({"tool_name": "run_shell_command", "tool_input": shell, "tool_response": {"llmContent": gemini(&told)}});
                ("AfterTool", like(team, "AfterTool", rest))
            }
            "copilot-cli" => (
                "postToolUse",
                json!({"sessionId": "s", "cwd": cwd, "toolName": "bash", "toolArgs": shell,
                    "toolResult": {"resultType": "success", "textResultForLlm": format!("{output}\n<shellId: 0 completed with exit code {code}>")}}),
            ),
            "opencode" => (
                "tool.execute.after",
                json!({"tool_name": "bash", "input": {"tool": "bash", "sessionID": "s", "callID": "c", "args": shell},
                    "output": {"title": "x", "metadata": {"output": output, "exit": code}, "output": output}, "directory": cwd}),
            ),
            _ => (
                "PostToolUse",
                like(
                    team,
                    "PostToolUse",
                    json!({"tool_name": "Bash", "tool_input": shell, "tool_response": output}),
                ),
            ),
        }
    };
    for (agent, red, green) in [
        ("qwen-code", "passing_test", "refactor"),
        ("gemini-cli", "passing_test", "refactor"),
        ("copilot-cli", "passing_test", "refactor"),
        ("opencode", "passing_test", "refactor"),
        ("codex", "failing_test", "failing_test"),
    ] {
        let team = coding();
        team.write(&format!("{}/plans/plan_s_1.md", crate::team::PLACE), "# plan\n");
        start(&team, agent);
        for (code, output, expected) in [(1, RED, red), (0, GREEN, green)] {
            let (event, payload) = after(&team, agent, code, output);
            let answer = other(&team, agent, event, &payload);
            let state =
                read_state(&team.scratch.state(), Whose::Session { agent, session: "s" }).unwrap().state;
            let seen = state.text("code", "phase").to_owned();
            assert_eq!(seen, expected, "{agent} {code}: {} {}", answer.stdout, answer.stderr);
        }
    }
}
