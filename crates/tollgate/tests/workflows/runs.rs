//! Runs of tests as they pass the gate: what counts as seen, and what is said when one does not.

use serde_json::{Value, json};
use tollgate_store::{Whose, read_state};

use crate::agents::{other, phase};
use crate::team::{Team, blocked_if, passes};

const RED: &str = "FAILED tests/test_a.py::test_a - assert 0\n1 failed, 1 passed in 0.01s";
const GREEN: &str = "2 passed in 0.01s";

/// A project in which a failing test is waited for.
fn coding() -> Team {
    let team = Team::with("[code]");
    team.write(&team.plan(), "# plan\n");
    team.write("tests/test_a.py", "def test_a(): assert 0\n");
    team.write(
        "package.json",
        r#"{"scripts":{"test":"jest","fake":"echo 1 failed in 1s; false","test:fake":"false"}}"#,
    );
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

/// A package whose script is this, in the project and in a folder of it.
fn with_script(script: &str) -> Team {
    let team = coding();
    let package = json!({"scripts": {"test": script, "test:unit": "jest", "jest": script}}).to_string();
    team.write("package.json", &package);
    team.write("web/package.json", &package);
    team
}

const JEST: &str = "  ● sum › test_a\nTests:       1 failed, 1 passed, 2 total";

#[test]
fn a_script_counts_when_its_status_is_its_runners() {
    for (script, command, counts) in [
        ("jest", "npm test", true),
        ("jest --ci", "npm test -- --verbose", true),
        ("jest", "cd web && npm test", true),
        ("jest", "npm --prefix web test", true),
        ("jest", "yarn jest", true),
        ("NODE_ENV=test jest", "npm run test", true),
        ("cross-env CI=1 jest", "npm test", true),
        ("eslint . && jest", "pnpm test", true),
        ("npm run test:unit", "npm test", true),
        ("true", "npm test", false),
        ("jest || true", "npm test", false),
        ("jest || exit 1", "npm test", false),
        ("jest; exit 1", "npm test", false),
        ("jest; false", "npm test", false),
        ("jest | tail -5", "npm test", false),
        ("! jest", "npm test", false),
        ("jest & false", "npm test", false),
        ("echo 'Tests: 1 failed, 1 passed' && jest", "npm test", false),
        ("false", "yarn jest", false),
        ("false", "pnpm jest", false),
        ("jest || false", "cd web && npm test", false),
        ("npm run lint", "npm test", false),
        ("npm test", "npm test", false),
    ] {
        let team = with_script(script);
        let answer = team.ran(command, 1, JEST);
        let seen = phase(&team, "claude-code", &team.session) == "passing_test";
        assert_eq!(seen, counts, "{script}: {command}: {}", answer.stdout);
    }
}

/// A project in which a test was seen to fail.
fn red() -> Team {
    let team = with_script("jest --passWithNoTests");
    team.ran("pytest -q", 1, RED);
    assert_eq!(phase(&team, "claude-code", &team.session), "passing_test");
    team
}

#[test]
fn green_needs_tests_that_ran_and_the_red_one_among_them() {
    for (command, output, counts) in [
        ("pytest -q", GREEN, true),
        ("pytest", GREEN, true),
        ("pytest tests", GREEN, true),
        ("pytest --tb short tests/test_a.py", GREEN, true),
        ("uv run pytest -x -q .", GREEN, true),
        ("pytest -k nothing", "2 deselected in 0.01s", false),
        ("pytest -k test_b", "2 passed, 9 deselected in 0.01s", false),
        ("pytest tests/test_b.py", GREEN, false),
        ("pytest --deselect tests/test_a.py::test_a", GREEN, false),
        ("pytest --ignore=tests/test_a.py", GREEN, false),
        ("pytest -q", "2 skipped in 0.01s", false),
        ("pytest -q", "no tests ran in 0.01s", false),
        ("pytest -q", "", false),
        ("pytest -q", "collected 0 items", false),
        ("npm test", "No tests found, exiting with code 0", false),
        ("npm test", "5 passed in 1s\nNo tests found, exiting with code 0", false),
        ("echo 5 passed in 1s && pytest -q", GREEN, false),
        ("printf 'Tests: 5 passed' ; npx jest --passWithNoTests", "Tests: 5 passed", false),
        ("bash -c 'echo 5 passed in 1s; pytest'", GREEN, false),
        ("./pytest", GREEN, false),
        ("/tmp/bin/pytest", GREEN, false),
        ("tools/pytest -q", GREEN, false),
        ("tox", GREEN, false),
        (".venv/bin/pytest -q", GREEN, true),
        ("echo running the tests; pytest -q", GREEN, true),
    ] {
        let team = red();
        let answer = team.ran(command, 0, output);
        let seen = phase(&team, "claude-code", &team.session) == "refactor";
        assert_eq!(seen, counts, "{command} {output}: {}", answer.stdout);
    }
}

#[test]
fn what_was_red_stays_so_until_it_is_run_again() {
    let team = red();
    team.write("tests/test_b.py", "def test_b(): assert 0\n");
    team.ran("pytest tests/test_b.py", 1, "FAILED tests/test_b.py::test_b - x\n1 failed in 0.01s");
    for (command, output, after) in [
        ("pytest tests/test_b.py", "2 passed in 0.01s", "passing_test"),
        ("pytest tests/test_a.py", "2 passed in 0.01s", "passing_test"),
        ("pytest tests/test_a.py tests/test_b.py", "2 passed in 0.01s", "refactor"),
    ] {
        team.ran(command, 0, output);
        assert_eq!(phase(&team, "claude-code", &team.session), after, "{command}");
    }
}

#[test]
fn a_run_with_the_same_words_is_the_same_run() {
    let team = coding();
    let words = "pytest -k test_a -q";
    team.ran(words, 1, "FAILED tests/test_a.py::test_a - x\n1 failed, 9 deselected in 0.01s");
    team.ran("pytest -k test_z -q", 0, "1 passed, 9 deselected in 0.01s");
    assert_eq!(phase(&team, "claude-code", &team.session), "passing_test");
    team.ran(words, 0, "1 passed, 9 deselected in 0.01s");
    assert_eq!(phase(&team, "claude-code", &team.session), "refactor");
}

/// Tests that the gate runs itself: what its runner is known to print is asked for, not only the status.
#[test]
fn the_gates_own_run_needs_tests_that_ran() {
    let bin = "#!/bin/sh\nprintf '%s\\n' \"$SAYS\"\nexit ";
    for (says, status, expect, holds) in [
        ("2 passed in 0.01s", 0, "pass", true),
        ("no tests ran in 0.01s", 0, "pass", false),
        ("", 0, "pass", false),
        ("1 failed, 1 passed in 0.01s", 0, "pass", false),
        ("2 passed in 0.01s", 1, "pass", false),
        ("1 failed, 1 passed in 0.01s", 1, "fail", true),
        ("Segmentation fault", 1, "fail", false),
        ("", 127, "fail", false),
        ("2 passed in 0.01s", 0, "fail", false),
    ] {
        let team = Team::with("[own.yaml]");
        team.write("venv/bin/pytest", &format!("{}{status}\n", bin.replace("$SAYS", says)));
        let runner = team.scratch.project().join("venv/bin/pytest");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&runner, mode).unwrap();
        let flow = format!(
            "version: 1\nname: own\nabout: a\nstart: {{ always: true }}\ngates:\n  - on: stop\n    need: {{ tests: {{ run: {}, expect: {expect}, timeout: 20s }} }}\n    message: Not so.\n",
            runner.display()
        );
        std::fs::write(team.scratch.config().join("own.yaml"), flow).unwrap();
        let answer = team.stop();
        blocked_if(!holds, &answer, "Not so.", &format!("{says} {status} {expect}"));
    }
}

/// Where the runner lies does not loosen what is asked of the gate's own run: a checkout may be in a temporary folder.
#[test]
fn the_gates_own_run_needs_tests_that_ran_in_a_temporary_folder_too() {
    let folder = tempfile::Builder::new().prefix("tollgate-runner-").tempdir_in("/tmp").unwrap();
    let runner = folder.path().join("venv/bin/pytest");
    std::fs::create_dir_all(runner.parent().unwrap()).unwrap();
    for (says, holds) in [("2 passed in 0.01s", true), ("no tests ran in 0.01s", false)] {
        std::fs::write(&runner, format!("#!/bin/sh\necho {says}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&runner, mode).unwrap();
        let team = Team::with("[own.yaml]");
        let flow = format!(
            "version: 1\nname: own\nabout: a\nstart: {{ always: true }}\ngates:\n  - on: stop\n    need: {{ tests: {{ run: {}, expect: pass, timeout: 20s }} }}\n    message: Not so.\n",
            runner.display()
        );
        std::fs::write(team.scratch.config().join("own.yaml"), flow).unwrap();
        blocked_if(!holds, &team.stop(), "Not so.", says);
    }
}

#[test]
fn it_is_told_why_a_run_does_not_count() {
    let team = coding();
    for (command, code, output, why) in [
        ("pytest -q | tee log", 0, RED, "its status is not the call's"),
        ("make test", 2, RED, "its status is not the call's"),
        ("pytest -q", 1, "Segmentation fault", "does not show that a test ran"),
        ("echo 1 failed in 1s; pytest -q", 1, RED, "prints counts of its own"),
        ("npm run test:fake", 1, RED, "its status is not the call's"),
        ("pytest -q", 0, RED, "contradicts the exit code"),
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
#[expect(clippy::too_many_lines, reason = "a table of cases")]
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
