//! Every branch that the seeds draw and that the sequences in `main.rs` do not go through.

use serde_json::json;

use crate::team::{PLACE, Team, blocked, blocked_if, passes};

fn committed(team: Team) -> Team {
    team.git(&["init", "-q"]);
    team.write("src/a.rs", "fn a() {}\n");
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "a"]);
    team
}

/// Code that has gone through red, green, refactor and troubleshooting, and is not committed.
fn to_commit(team: Team) -> Team {
    let team = committed(team);
    team.write(&team.plan(), "# plan\n");
    team.write("tests/test_a.py", "def test_a(): assert 0\n");
    passes(&team.prompt("/code"));
    team.ran("pytest -q", 1, "FAILED tests/test_a.py::test_a - assert 0\n1 failed in 0.01s");
    for _ in 0..3 {
        team.ran("pytest -q", 0, "1 passed in 0.01s");
    }
    team.write("src/a.rs", "fn a() { 1; }\n");
    team
}

#[test]
fn a_review_may_begin_in_the_commit_phase_of_coding() {
    let team = to_commit(Team::with("[code, code-review]"));
    let started = team.prompt("/code-review");
    passes(&started);
    assert!(started.says("Code Review Phase"), "{}", started.stdout);
}

/// Step 2 of the review: in the commit phase the reviewer is let through without a review, in other phases it is not.
#[test]
fn a_reviewer_is_let_through_in_the_commit_phase_without_a_review() {
    let mut team = to_commit(Team::with("[code, code-review]"));
    passes(&team.spawn("code-reviewer"));
    blocked(&team.spawn("helper"), "No agent is called in the phase commit");
    "another".clone_into(&mut team.session);
    blocked(&team.spawn("code-reviewer"), "Code not committed.");
    team.write(&team.plan(), "# plan\n");
    passes(&team.prompt("/code"));
    blocked(&team.spawn("code-reviewer"), "Code not committed.");
    blocked(&team.prompt("/code-review"), "Code not committed. Complete coding first.");
}

#[test]
fn the_session_start_flow() {
    let team = Team::with("[session-context]");
    team.write(".claude-collective/INDEX.md", "The index of the collective.\n");
    team.write("DECISION.md", "How decisions are made.\n");
    for source in ["startup", "resume", "compact", "clear"] {
        let start = team.session_starts(source);
        for part in ["The index of the collective.", "How decisions are made.", &team.session, "M1:login"] {
            assert!(start.says(part), "{source} {part}: {}", start.stdout);
        }
    }
    std::fs::remove_file(team.scratch.project().join("project/status.json")).unwrap();
    assert!(!team.session_starts("startup").says("Milestone"), "what is not known is not said");
}

#[test]
fn the_life_of_a_request() {
    let team = Team::with("[handoff]");
    team.write(".claude/agents/reviewer.md", "---\nname: reviewer\n---\n");
    team.tool("Bash", json!({"command": "cat ~/.ssh/id_rsa"})).denied();
    passes(&team.tool("Bash", json!({"command": "ls"})));
    passes(&team.ran("ls", 0, "src"));
    passes(&team.spawn("helper"));
    blocked(
        &team.done_saying("helper", "Use the reviewer subagent to look at it."),
        "Use the reviewer subagent next.",
    );
    passes(&team.done_saying("other", "I have looked at it."));
}

const READY: &str = "COLLECTIVE_HANDOFF_READY Handoff token: CODER_20261116_010203. Implementation complete, all tests \
                     passed. Files modified: a.py. Next step: review.";

#[test]
fn the_checkpoint_of_an_agent() {
    let steps = |dependencies: &str, tests: &str, build: &str| {
        Team::with(&format!(
            "[{{ handoff: {{ dependencies: \"{dependencies}\", tests: \"{tests}\", build: \"{build}\" }} }}]"
        ))
    };
    passes(&steps("false", "false", "false").done_saying("a", "No signal, so nothing is run."));
    passes(&steps("true", "true", "true").done_saying("a", READY));
    for (team, part) in [
        (steps("echo no modules; false", "true", "true"), "no modules"),
        (steps("true", "echo FAILED t.py::test_x; echo 1 failed in 1s; false", "true"), "t.py::test_x"),
        (steps("true", "true", "echo cannot build; false"), "cannot build"),
        (steps("true", "exit 3", "true"), "code 3"),
    ] {
        let answer = team.done_saying("a", READY);
        blocked(&answer, "The handoff checkpoint failed.");
        assert!(answer.says(part), "{part}: {}", answer.stdout);
    }
}

#[test]
fn the_contracts_of_a_handoff() {
    let team =
        Team::with("[{ handoff: { dependencies: \"true\", tests: \"true\", build: \"true\", limit: 9 } }]");
    for (without, message) in [
        ("Handoff token: CODER_20261116_010203. ", "No handoff token."),
        ("all tests passed. ", "without evidence of tests"),
        ("Files modified: a.py. ", "The handoff lacks its state."),
        ("Next step: review.", "The handoff lacks its state."),
    ] {
        let ready = READY.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(ready.contains(without.trim()), "{without}");
        blocked(&team.done_saying("a", &ready.replace(without.trim(), "")), message);
    }
    for token in ["CODER", "CODER_2026", "CODER_20261116"] {
        blocked(&team.done_saying("a", &READY.replace("CODER_20261116_010203", token)), "No handoff token.");
    }
    passes(&team.done_saying("a", READY));
}

#[test]
fn the_checkpoint_of_an_orchestrator() {
    let team = Team::with("[{ handoff: { limit: 9 } }]");
    for (text, routed) in [
        ("ORCHESTRATION STATUS: phase one COMPLETED", true),
        ("ALL TASKS SUCCESSFULLY COMPLETED", true),
        ("All tasks successfully completed.", true),
        ("PHASE 3 HAS BEEN COMPLETED", true),
        ("ORCHESTRATION STATUS: going on", false),
        ("Most tasks are done.", false),
        ("The phase goes on.", false),
    ] {
        let stopped = team.done_saying("orchestrator", text);
        blocked_if(routed, &stopped, "Use the tdd-validation-agent subagent next.", text);
        let input = json!({"description": "d", "prompt": "p", "subagent_type": "orchestrator"});
        let response = json!({"status": "completed", "content": [{"type": "text", "text": text}]});
        let fields =
            json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": "t", "tool_response": response});
        let after = team.send("PostToolUse", fields);
        blocked_if(routed, &after, "Use the tdd-validation-agent subagent next.", text);
    }
}

#[test]
fn a_handoff_is_found_however_it_is_written() {
    let team = Team::with("[{ handoff: { limit: 99 } }]");
    team.write(".claude/agents/unit-testing-agent.md", "---\nname: unit-testing-agent\n---\n");
    for (text, found) in [
        ("Use the unit-testing-agent subagent to test it.", true),
        ("use the unit‑testing‑agent subagent to test it", true),
        ("Use the unit–testing–agent subagent to test it", true),
        ("Use the unit—testing—agent subagent to test it", true),
        ("Use the unit−testing−agent subagent to test it", true),
        ("Use the “unit-testing-agent” subagent to test it", true),
        ("Use the ‘unit-testing-agent’ subagent to test it", true),
        ("Use the «unit-testing-agent» subagent to test it", true),
        ("Use the **unit-testing-agent** subagent to test it", true),
        ("Use the `unit-testing-agent` subagent to test it", true),
        ("Use the\u{a0}unit-testing-agent\u{a0}subagent to test it", true),
        ("Use the unit-\u{200b}testing-agent subagent to test it", true),
        ("Use the ｕｎｉｔ-testing-agent subagent to test it", true),
        ("Use the UNIT-TESTING-AGENT subagent to test it", true),
        ("Use\nthe unit-testing-agent\nsubagent to test it", true),
        ("The unit-testing-agent subagent was used to test it.", false),
        ("Use the unit-testing-agents subagent to test it", false),
        ("Use the nobody subagent to test it", false),
    ] {
        let answer = team.done_saying("a", text);
        blocked_if(found, &answer, "Use the unit-testing-agent subagent next.", text);
    }
}

#[test]
fn a_name_that_is_nearly_right_is_warned_about() {
    let team = Team::with("[subagent-context]");
    for (name, nearest) in [
        ("drupal-architekt", Some("drupal-architect")),
        ("unit-test-agent", Some("unit-testing-agent")),
        ("drupal-architect", None),
        ("general-purpose", None),
    ] {
        let answer = team.spawn(name);
        passes(&answer);
        let warned = nearest.is_some_and(|nearest| answer.says(&format!("Did you mean `{nearest}`?")));
        assert_eq!(warned, nearest.is_some(), "{name}: {}", answer.stdout);
        assert_eq!(answer.says("unknown agent name"), nearest.is_some(), "{name}");
    }
    let far = team.spawn("zzz");
    passes(&far);
    assert!(far.says("unknown agent name `zzz`") && !far.says("{nearest}"), "{}", far.stdout);
}

#[test]
fn a_subagent_is_told_what_was_recovered() {
    let team = Team::with("[compact-recovery, subagent-context]");
    team.write("composer.json", r#"{"require":{"drupal/core-recommended":"^11.1","php":">=8.3"}}"#);
    passes(&team.prompt("migrate the content"));
    passes(&team.send("PreCompact", json!({"trigger": "auto"})));
    let begun =
        team.send("SubagentStart", json!({"agent_id": "a1", "agent_type": "content-migration-agent"}));
    for part in [
        "migrate the content",
        ".claude/agent-memory/content-migration-agent.md",
        "Drupal: ^11.1",
        "PHP: >=8.3",
    ] {
        assert!(begun.says(part), "{part}: {}", begun.stdout);
    }
}

#[test]
fn context_is_ordered_and_fits() {
    let team = Team::with("[compact-recovery, { session-context: { files: [LONG.md, SHORT.md] } }]");
    team.write("LONG.md", &"many words ".repeat(3000));
    team.write("SHORT.md", "the last file");
    passes(&team.prompt("the task"));
    passes(&team.send("PreCompact", json!({"trigger": "auto"})));
    let start = team.session_starts("compact");
    let value: serde_json::Value = serde_json::from_str(&start.stdout).unwrap();
    let context = value["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.chars().count() < 10_000, "{}", context.len());
    let place = |part: &str| context.find(part).unwrap_or_else(|| panic!("{part} is missing"));
    assert!(place("the task") < place("Session: ") && place("Session: ") < place("many words"));
    assert!(context.contains("(cut)"), "what is left out is told");
}

#[test]
fn the_implementation_goes_through_all_steps() {
    let team = Team::with("[implement, explore, research, plan, code, code-review]");
    team.git(&["init", "-q"]);
    passes(&team.prompt("/implement"));
    blocked(&team.prompt("/plan"), "The step plan is not next.");
    team.write("specs/tasks.md", "- x\n");
    team.write(&format!("exploration/codebase-status_{}_1.md", team.session), "x");
    passes(&team.spawn("codebase-explorer"));
    passes(&team.done("codebase-explorer"));
    passes(&team.prompt("/research"));
    team.write(&team.report(), "---\nvalidated_by: research-consultant\n---\n");
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "r"]);
    passes(&team.done("research-consultant"));
    passes(&team.prompt("/plan"));
    team.write(&team.plan(), "---\nconsulted_by: consulting-expert\n---\n");
    passes(&team.done("consulting-expert"));
    passes(&team.prompt("/code"));
    blocked(&team.file("src/a.rs", "x"), "No failing test was seen yet.");
    blocked(&team.prompt("/research"), "The step research is not next.");
    passes(&team.prompt("/code-review"));
    let review = format!("{PLACE}/reviews/review_{}_1.md", team.session);
    team.write(&review, &format!("# Summary\n{}\n# Findings\n", "x".repeat(200)));
    passes(&team.done("code-reviewer"));
    passes(&team.stop());
    passes(&team.prompt("/plan"));
}
