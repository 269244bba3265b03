//! Workflows with agents other than Claude Code: as far as their events allow, and what they do not allow is told.

use std::process::Command;

use serde_json::{Value, json};
use tollgate_store::{Whose, read_state};

use crate::support::{Answer, answer};
use crate::team::Team;

/// An event of another agent in the same project.
pub fn other(team: &Team, agent: &str, event: &str, payload: &Value) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["hook", agent, event]);
    command.arg("--config").arg(team.scratch.config()).arg("--state").arg(team.scratch.state());
    team.scratch.clean(&mut command);
    answer(&mut command, payload.to_string().as_bytes())
}

/// The phase of the workflow `code` in a session.
pub fn phase(team: &Team, agent: &str, session: &str) -> String {
    let whose = Whose::Session { agent: tollgate_agents::adapter(agent).unwrap().agent().name(), session };
    read_state(&team.scratch.state(), whose).unwrap().state.text("code", "phase").to_owned()
}

fn tollgate(team: &Team, args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(args).current_dir(team.scratch.project()).env_clear();
    command.env("HOME", team.scratch.home()).env("PATH", "/usr/bin:/bin");
    let done = command.output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.code(), text)
}

#[test]
fn a_check_says_what_an_agent_cannot_enforce_and_why() {
    for (workflows, agent, code, parts) in [
        ("[plan, code, handoff]", "claude-code", 0, &["3 workflows: fine"][..]),
        (
            "[code]",
            "codex",
            1,
            &[
                "code: `test-run` is never seen: Codex does not tell with which status a command ended\n  - written = false\n  - phase passing_test\n",
                "code: `write` never opens: Codex does not report the exit code of a command. Name a command",
                "  - No failing test was seen yet.",
                "1 of 1 workflows are not enforced in full there",
            ],
        ),
        (
            "[plan]",
            "amp",
            1,
            &["`/plan` is not seen: Amp has no such event; start it with `tollgate workflow start plan`"],
        ),
        (
            "[code-review]",
            "cline",
            1,
            &["`/code-review` cannot be refused: Cline lets a hook refuse nothing at"],
        ),
        (
            "[code]",
            "kiro",
            1,
            &[
                "`stop` is not enforced: Kiro lets a hook refuse nothing at `stop`\n  - Tests do not pass yet.",
            ],
        ),
        ("[plan]", "codex", 0, &["1 workflows: fine"]),
        ("[plan]", "gemini-cli", 1, &["`subagent-stop` comes too late: at `AfterTool`", "Plan not created."]),
        (
            "[subagent-context]",
            "gemini-cli",
            1,
            &["`subagent-start` is not enforced: Gemini CLI has no such event"],
        ),
        ("[code]", "opencode", 1, &["`stop` is not enforced: OpenCode lets a hook refuse nothing at"]),
        ("[notify]", "codex", 1, &["`notification` is not enforced: Codex has no such event"]),
        ("[plan]", "kiro", 1, &["this is from its documentation; no test has run it"]),
        ("[plan]", "gemni-cli", 2, &["unknown agent `gemni-cli`; did you mean `gemini-cli`?"]),
    ] {
        let team = Team::with(workflows);
        let (status, text) = tollgate(&team, &["workflow", "check", "--agent", agent]);
        let says = parts.iter().all(|part| text.contains(part));
        assert!(status == Some(code) && says, "{workflows} {agent}: {status:?} {text}");
    }
}

#[test]
fn every_agent_can_be_checked_against() {
    let team = Team::with(
        "[explore, research, plan, code, code-review, implement, handoff, session-context, compact-recovery, subagent-context, docs-reminder, notify]",
    );
    for adapter in tollgate_agents::ADAPTERS {
        let name = adapter.agent().name();
        let (status, text) = tollgate(&team, &["workflow", "check", "--agent", name]);
        assert!(matches!(status, Some(0 | 1)) && !text.is_empty(), "{name}: {status:?} {text}");
    }
}

/// Codex does not tell how a command ended, so the gate runs the configured one itself: at the first production code
/// and at the end.
#[test]
fn where_no_run_can_be_seen_the_configured_command_counts() {
    let run =
        "echo x >> runs; test -e src/made.py || { echo FAILED t.py::test_x; echo 1 failed in 1s; false; }";
    let team = Team::with(&format!("[{{ code: {{ run: \"{run}\" }} }}]"));
    let (status, text) = tollgate(&team, &["workflow", "check", "--agent", "codex"]);
    assert!(status == Some(1) && !text.contains("never opens"), "{text}");
    team.git(&["init", "-q"]);
    team.write(&format!("{}/plans/plan_s_1.md", crate::team::PLACE), "# plan\n");
    let send = |event: &str, rest: Value| {
        let mut all = json!({"session_id": "s", "cwd": team.scratch.project(), "hook_event_name": event, "permission_mode": "default"});
        all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        other(&team, "codex", event, &all)
    };
    let runs =
        || std::fs::read_to_string(team.scratch.project().join("runs")).unwrap_or_default().lines().count();
    let patch = |file: &str| {
        let text = format!("*** Begin Patch\n*** Add File: {file}\n+x = 1\n*** End Patch");
        send(
            "PreToolUse",
            json!({"tool_name": "apply_patch", "tool_input": {"command": text}, "tool_use_id": "c"}),
        )
    };
    let stop = || send("Stop", json!({"stop_hook_active": false, "last_assistant_message": "end"}));
    send("UserPromptSubmit", json!({"prompt": "/code it"}));
    assert_eq!((phase(&team, "codex", "s").as_str(), runs()), ("failing_test", 0));
    assert!(!patch("tests/test_made.py").says("No failing test"), "a test is written without a run");
    assert_eq!(runs(), 0);
    let first = patch("src/made.py");
    assert!(!first.says("No failing test was seen yet."), "the tests fail: {}", first.stdout);
    assert_eq!(
        (phase(&team, "codex", "s").as_str(), runs()),
        ("passing_test", 1),
        "asked for twice, run once"
    );
    let early = stop();
    assert!(early.says("Tests do not pass yet.") && early.says("t.py::test_x"), "{}", early.stdout);
    team.write("src/made.py", "x = 1\n");
    assert!(!stop().says("Tests do not pass yet."));
    assert_eq!(phase(&team, "codex", "s"), "commit");
    assert!(stop().says("Code not committed."));
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "made"]);
    assert!(!stop().says("Code not committed."));
    let green = Team::with("[{ code: { run: \"true\" } }]");
    green.write(&green.plan(), "# plan\n");
    green.prompt("/code");
    let denied = green.file("src/a.py", "x");
    assert!(
        denied.denied().says("No failing test was seen yet."),
        "tests that pass are not red: {}",
        denied.stdout
    );
}

/// A subagent of OpenCode works in a session of its own; the plug-in says which one started it.
#[test]
fn opencodes_subagents_are_bound_by_the_session_that_started_them() {
    let team = Team::with("[plan]");
    let cwd = team.scratch.project();
    // `opencode run` quotes what it is given in one word.
    for prompt in ["/plan", "\"/plan the login\""] {
        let parts = json!([{"type": "text", "text": prompt}]);
        let said = json!({"input": {"sessionID": prompt}, "output": {"message": {}, "parts": parts}, "directory": cwd});
        other(&team, "opencode", "chat.message", &said);
        let call = |about: Value| {
            let input = json!({"tool": "bash", "sessionID": "ses_child", "callID": "c"});
            let mut payload =
                json!({"input": input, "output": {"args": {"command": "touch src/x", "description": "d"}}});
            payload.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
            other(&team, "opencode", "tool.execute.before", &payload)
        };
        let bound = call(json!({"directory": cwd, "parentSession": prompt}));
        assert!(
            bound.says("\"deny\"") && bound.says("Plan mode: only files under"),
            "{prompt}: {}",
            bound.stdout
        );
        let record = team.scratch.log().pop().unwrap();
        assert_eq!((&record["session"], &record["subagent"]["id"]), (&json!(prompt), &json!("ses_child")));
        let free = call(json!({"directory": cwd}));
        assert!(free.says("\"allow\"") && !free.says("planning"), "{prompt}: {}", free.stdout);
    }
}

/// Where no event tells that a subagent stops, the end of the call that started it does.
#[test]
fn the_end_of_a_subagent_is_seen_where_no_event_tells_it() {
    let team = Team::with("[plan]");
    let like = |event: &str, rest: Value| {
        let mut all = json!({"session_id": "s", "cwd": team.scratch.project(), "hook_event_name": event});
        all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        all
    };
    other(&team, "gemini-cli", "BeforeAgent", &like("BeforeAgent", json!({"prompt": "/plan"})));
    let input = json!({"agent_name": "strategic-planner", "prompt": "plan it"});
    let before = like("BeforeTool", json!({"tool_name": "invoke_agent", "tool_input": input}));
    let early = other(&team, "gemini-cli", "BeforeTool", &before);
    assert!(early.says("Research report not found."), "{}", early.stdout);
    let after = like(
        "AfterTool",
        json!({"tool_name": "invoke_agent", "tool_input": input, "tool_response": {"llmContent": "done"}}),
    );
    let done = other(&team, "gemini-cli", "AfterTool", &after);
    assert!(done.says("Plan not created. Continue working."), "{}", done.stdout);
    team.write(&format!("{}/plans/plan_s_1.md", crate::team::PLACE), "# plan\n");
    let done = other(&team, "gemini-cli", "AfterTool", &after);
    assert!(!done.says("Plan not created"), "{}", done.stdout);
}

#[test]
fn codex_starts_a_workflow_by_command_prompt_or_skill() {
    for (prompt, starts) in
        [("/plan it", true), ("/prompts:plan it", true), ("$plan it", true), ("$PLANS", false)]
    {
        let team = Team::with("[plan]");
        let payload = json!({"session_id": "s", "cwd": team.scratch.project(), "hook_event_name": "UserPromptSubmit", "prompt": prompt});
        let answer = other(&team, "codex", "UserPromptSubmit", &payload);
        assert_eq!(answer.says("Planning Phase"), starts, "{prompt}: {}", answer.stdout);
    }
}
