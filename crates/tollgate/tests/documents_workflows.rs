//! The workflows as the documents describe them, and in a repository that has none of their files: whole sessions
//! through `tollgate hook`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]
#![allow(dead_code, reason = "the shared team has more than these tests use")]

mod support;
#[path = "workflows/team.rs"]
mod team;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use support::{Answer, answer, in_terminal};
use team::{PLACE, Team, blocked, blocked_if, passes};

/// A repository without `project/status.json` and without agents of its own.
fn plain(workflows: &str) -> Team {
    let team = Team::with(workflows);
    std::fs::remove_dir_all(team.scratch.project().join("project")).unwrap();
    team.git(&["init", "-q"]);
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "start"]);
    team
}

/// A file as the agent's tool leaves it: asked about first, then written.
fn writes(team: &Team, path: &str, text: &str) -> Answer {
    let answer = team.file(path, text);
    passes(&answer);
    team.write(path, text);
    answer
}

/// A command as the agent's shell runs it: asked about first, then told how it ended.
fn runs(team: &Team, command: &str, code: i32, output: &str) -> Answer {
    passes(&team.tool("Bash", json!({ "command": command })));
    team.ran(command, code, output)
}

fn state(team: &Team, key: &str) -> String {
    let shown = in_terminal(&team.scratch, &format!("state get {key}"), "");
    shown.stdout.trim().to_owned()
}

/// Every refusal says how to leave the workflow.
#[track_caller]
fn refused(answer: &Answer, workflow: &str, parts: &[&str]) {
    blocked(answer, parts[0]);
    parts.iter().for_each(|part| assert!(answer.says(part), "{part}: {}", answer.stdout));
    assert!(answer.says(&format!("tollgate workflow stop {workflow}")), "{}", answer.stdout);
}

const NO_MODULE: &str = "==== ERRORS ====\n____ ERROR collecting test_calc.py ____\nE   ModuleNotFoundError: No module named 'calc'\n==== short test summary info ====\nERROR test_calc.py\n!!!! Interrupted: 1 error during collection !!!!\n1 error in 0.06s";

#[test]
fn a_plan_and_its_code_in_a_plain_repository() {
    let team = plain("[plan, code]");
    let started = team.prompt("/plan add a calculator");
    passes(&started);
    for part in ["Planning Phase", "plans/*.md", "files may only be written under plans/"] {
        assert!(started.says(part), "{part}: {}", started.stdout);
    }
    assert!(!started.says("strategic-planner"), "{}", started.stdout);
    passes(&team.tool("Read", json!({"file_path": team.scratch.project().join("README.md")})));
    let allowed = "Plan mode: only files under `plans/` may be written.";
    refused(&team.file("calc.py", "x = 1\n"), "plan", &[allowed, "this call writes `calc.py`"]);
    writes(&team, "plans/calculator.md", "# Plan\n\nAdd `add`.\n");
    refused(&team.file("src/calc.py", "x = 1\n"), "plan", &[allowed]);

    passes(&team.prompt("/code"));
    let early = team.file("calc.py", "def add(a, b): return a + b\n");
    refused(&early, "code", &["No failing test was seen yet.", "`**/tests/**, ", "**/test_*.py"]);
    refused(&team.file("src/calc.py", "x = 1\n"), "code", &["No failing test was seen yet."]);
    writes(&team, "test_calc.py", "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n");
    let red = runs(&team, "python3 -m pytest -q", 2, NO_MODULE);
    assert!(red.says("a failing test was seen"), "{}", red.stdout);
    passes(&team.spawn("general-purpose"));
    writes(&team, "calc.py", "def add(a, b):\n    return a + b\n");
    refused(&team.stop(), "code", &["Tests do not pass yet."]);
    let green = runs(&team, "python3 -m pytest -q", 0, "1 passed in 0.01s");
    assert!(green.says("the tests pass"), "{}", green.stdout);
    passes(&team.tool("Bash", json!({"command": "git add -A && git commit -m 'Add a calculator'"})));
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "Add a calculator"]);
    passes(&team.ran("git add -A && git commit -m 'Add a calculator'", 0, "[main 1234567] Add"));
    passes(&team.stop());
    assert_eq!(state(&team, "code.is_active"), "false", "it is done");
    // The next feature needs a failing test of its own.
    passes(&team.prompt("/code"));
    refused(&team.file("calc.py", "x = 2\n"), "code", &["No failing test was seen yet."]);
}

/// Nobody has to type `/code`: the plan is done when it is written and the turn ends.
#[test]
fn a_plan_in_a_plain_repository_ends_with_the_turn_that_wrote_it() {
    let team = plain("[plan, code]");
    team.write("plans/older.md", "# Plan\n");
    passes(&team.prompt("/plan"));
    passes(&team.stop());
    refused(&team.file("src/a.py", "x"), "plan", &["Plan mode:"]);
    writes(&team, "plans/new.md", "# Plan\n");
    refused(&team.file("src/a.py", "x"), "plan", &["Plan mode:"]);
    let over = team.stop();
    passes(&over);
    assert!(over.says("Plan mode is over."), "{}", over.stdout);
    passes(&team.file("src/a.py", "x"));
}

#[test]
fn each_mode_has_its_place_in_a_plain_repository_and_ends() {
    for (workflow, own, over) in [
        ("explore", "exploration/codebase-status_today.md", "Explore mode is over."),
        ("research", "research/login.md", "Research mode is over."),
        ("plan", "plans/login.md", "Plan mode is over."),
    ] {
        let team = plain(&format!("[{workflow}]"));
        passes(&team.prompt(&format!("/{workflow}")));
        let folder = format!("{}/", own.split('/').next().unwrap());
        refused(&team.file("src/a.py", "x"), workflow, &["mode: only files under", &folder]);
        refused(&team.tool("Bash", json!({"command": "touch b.py"})), workflow, &["mode: only files under"]);
        writes(&team, own, "# It is so.\n");
        assert!(team.stop().says(over), "{workflow}");
        passes(&team.file("src/a.py", "x"));
    }
}

#[test]
fn other_places_for_plans_are_an_option() {
    let team = plain("[{ plan: { plans: docs/plans } }, { code: { plans: docs/plans } }]");
    passes(&team.prompt("/plan"));
    refused(&team.file("plans/a.md", "x"), "plan", &["only files under `docs/plans/` may be written."]);
    refused(&team.prompt("/code"), "code", &["Plan file not found.", "`docs/plans/*.md`"]);
    writes(&team, "docs/plans/a.md", "# Plan\n");
    passes(&team.prompt("/code"));
}

/// The agents of a workflow make it as strict as the documents have it.
#[test]
fn named_agents_make_it_stricter() {
    for folder in [".claude/agents", ".opencode/agent", ".cursor/agents"] {
        let team = plain("[plan, code]");
        for name in ["consulting-expert", "test-engineer"] {
            team.write(&format!("{folder}/{name}.md"), &format!("---\nname: {name}\n---\n"));
        }
        let started = team.prompt("/plan");
        assert!(started.says("consulting-expert is consulted on it."), "{}", started.stdout);
        writes(&team, "plans/a.md", "# Plan\n");
        passes(&team.stop());
        refused(&team.file("src/a.py", "x"), "plan", &["Plan mode:"]);
        refused(&team.done("consulting-expert"), "plan", &["Plan not consulted. Add frontmatter."]);
        team.write("plans/a.md", "---\nconsulted_by: [somebody, consulting-expert]\n---\n# Plan\n");
        passes(&team.done("consulting-expert"));
        passes(&team.file("src/a.py", "x"));
        passes(&team.prompt("/code"));
        refused(&team.spawn("general-purpose"), "code", &["Only test-engineer works"]);
        // What has begun strictly stays so.
        std::fs::remove_dir_all(team.scratch.project().join(folder)).unwrap();
        refused(&team.spawn("general-purpose"), "code", &["Only test-engineer works"]);
    }
}

#[test]
fn a_damaged_milestone_file_opens_nothing() {
    for text in ["{", "{}", r#"{"current_milestone": null}"#, r#"{"current_milestone": []}"#] {
        let team = Team::with("[plan]");
        team.write("project/status.json", text);
        passes(&team.prompt("/plan"));
        refused(
            &team.file("plans/a.md", "x"),
            "plan",
            &["Plan mode: only files under `project/{milestone}/plans/"],
        );
    }
}

#[test]
fn tests_that_cannot_be_loaded_yet_are_red() {
    for (file, command, code, output) in [
        ("test_calc.py", "pytest", 2, NO_MODULE),
        (
            "tests/test_calc.py",
            "python3 -m unittest",
            1,
            "ERROR: test_calc (unittest.loader._FailedTest.test_calc)\nImportError: Failed to import test module: test_calc\nRan 1 test in 0.000s\n\nFAILED (errors=1)",
        ),
        (
            "calc.test.js",
            "npx jest",
            1,
            "FAIL ./calc.test.js\n  ● Test suite failed to run\n    Cannot find module './calc'\nTest Suites: 1 failed, 1 total\nTests:       0 total",
        ),
        (
            "calc.test.ts",
            "npx vitest run",
            1,
            " FAIL  calc.test.ts [ calc.test.ts ]\nError: Failed to resolve import \"./calc\"\n Test Files  1 failed (1)\n      Tests  no tests",
        ),
        ("calc_test.go", "go test ./...", 1, "./calc_test.go:6:7: undefined: Add\nFAIL\tm [build failed]"),
        (
            "tests/calc.rs",
            "cargo test",
            101,
            "error[E0432]: unresolved import\nerror: could not compile `m` (test \"calc\") due to 1 previous error",
        ),
    ] {
        let team = plain("[code]");
        team.write("plans/a.md", "# Plan\n");
        passes(&team.prompt("/code"));
        let unseen = team.ran(command, code, output);
        assert!(!unseen.says("a failing test was seen"), "the file is not there: {}", unseen.stdout);
        writes(&team, file, "not yet\n");
        let red = runs(&team, command, code, output);
        assert!(red.says("a failing test was seen"), "{command}: {}", red.stdout);
    }
}

#[test]
fn a_review_in_a_plain_repository() {
    let team = plain("[code-review]");
    team.write("calc.py", "x = 1\n");
    refused(
        &team.prompt("/code-review"),
        "code-review",
        &["Code not committed. Complete coding first.", "`calc.py`"],
    );
    refused(&team.spawn("code-reviewer"), "code-review", &["Code not committed."]);
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "calc"]);
    team.write("notes.txt", "no code\n");
    passes(&team.prompt("/code-review"));
    passes(&team.stop());
    writes(&team, "reviews/calc.md", &format!("# Summary\n{}\n# Findings\nnone\n", "x".repeat(200)));
    assert!(team.stop().says("Code review complete."));
    assert_eq!(state(&team, "code-review.is_active"), "false");
}

/// Code that has gone through red, green, refactor and troubleshooting, and is not committed.
fn to_commit(team: Team) -> Team {
    team.git(&["init", "-q"]);
    team.write("src/a.rs", "fn a() {}\n");
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "a"]);
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

fn calls(team: &Team, tool: &str, agent: &str) -> Answer {
    team.tool(tool, json!({"description": "d", "prompt": "p", "subagent_type": agent}))
}

#[test]
fn the_reviewer_is_called_in_the_commit_phase() {
    for tool in ["Task", "Agent"] {
        // Step 2: without a review.
        let team = to_commit(Team::with("[code, code-review]"));
        passes(&calls(&team, tool, "code-reviewer"));
        passes(&calls(&team, tool, "reviews:code-reviewer"));
        refused(&calls(&team, tool, "helper"), "code", &["No agent is called in the phase commit"]);
        // Step 1, and then step 2 with the review.
        passes(&team.prompt("/code-review"));
        passes(&calls(&team, tool, "code-reviewer"));
        refused(&team.done("code-reviewer"), "code-review", &["Review file not found."]);
    }
}

/// A review that began with clean code may call its agent whatever the phase of the coding.
#[test]
fn an_active_review_calls_its_agent_in_every_phase() {
    let team = Team::with("[code, code-review]");
    team.git(&["init", "-q"]);
    team.write(&team.plan(), "# plan\n");
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "a"]);
    passes(&team.prompt("/code"));
    refused(&team.spawn("code-reviewer"), "code", &["code-reviewer is not called in the phase failing_test"]);
    passes(&team.prompt("/code-review"));
    passes(&team.spawn("code-reviewer"));
    refused(&team.spawn("helper"), "code", &["Only test-engineer works"]);
}

#[test]
fn any_status_file_counts() {
    for name in
        ["codebase-status_1.md", "codebase-status_2026-11-18.md", "codebase-status_a.txt", "codebase-status_"]
    {
        let team = Team::with("[explore, research]");
        passes(&team.prompt("/explore"));
        blocked(&team.done("codebase-explorer"), "codebase-status file not created. Continue exploration.");
        team.write(&format!("exploration/{name}"), "x");
        passes(&team.done("codebase-explorer"));
        passes(&team.prompt("/research"));
        passes(&team.spawn("research-specialist"));
    }
    let team = Team::with("[research]");
    passes(&team.prompt("/research"));
    for name in ["exploration/status.md", "exploration/codebase-status.md", "codebase-status_1.md"] {
        team.write(name, "x");
        blocked(
            &team.spawn("research-specialist"),
            "codebase-status file not found. Run explore phase first.",
        );
    }
}

#[test]
fn a_status_file_of_the_milestone_counts_too() {
    let team = Team::with("[explore, research]");
    passes(&team.prompt("/explore"));
    let status = format!("{PLACE}/exploration/codebase-status_1.md");
    blocked(&team.done("codebase-explorer"), "codebase-status file not created. Continue exploration.");
    passes(&team.file(&status, "x"));
    team.write(&status, "x");
    passes(&team.done("codebase-explorer"));
    passes(&team.prompt("/research"));
    passes(&team.spawn("research-specialist"));
}

#[test]
fn a_recovery_file_of_somebody_else_is_mentioned() {
    let team = Team::with("[compact-recovery]");
    team.write(".claude/compact-recovery.json", r#"{"current_task": "follow these instructions"}"#);
    let start = team.session_starts("startup");
    assert!(start.says("`.claude/compact-recovery.json` was ignored"), "{}", start.stdout);
    assert!(!start.says("follow these instructions"), "{}", start.stdout);
    assert!(team.scratch.project().join(".claude/compact-recovery.json").exists());
}

/// A workflow file whose author forgot `start:` would never gate anything.
#[test]
fn a_workflow_that_never_starts_is_told() {
    let gates = "gates:\n  - on: write\n    inside: [\"src/**\"]\n    message: Not so.\n";
    for (start, more, starts) in [
        ("", "", false),
        ("start: { say: hello }\n", "", false),
        ("start: { always: true }\n", "", true),
        ("start: { commands: [own] }\n", "", true),
        ("", "    active: any\n", true),
    ] {
        let team = Team::with("[own.yaml]");
        let file = team.scratch.config().join("own.yaml");
        fs::write(&file, format!("version: 1\nname: own\nabout: a\n{start}{gates}{more}")).unwrap();
        for args in [&["workflow", "check"][..], &["workflow", "check", file.to_str().unwrap()], &["check"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
            command.args(args);
            team.scratch.clean(&mut command);
            let told = answer(&mut command, b"");
            assert_eq!(
                told.code,
                Some(i32::from(!starts)),
                "{start} {args:?}: {} {}",
                told.stdout,
                told.stderr
            );
            assert_eq!(
                told.says("workflow `own` never starts"),
                !starts,
                "{start} {args:?}: {}",
                told.stdout
            );
        }
        let start = team.session_starts("startup");
        assert_eq!(start.says("workflow `own` never starts"), !starts, "{}", start.stdout);
    }
}

/// Shared memory is a place for projects like any other.
#[test]
fn workflows_hold_in_a_project_in_shared_memory() {
    let Ok(folder) = tempfile::Builder::new().prefix("tollgate-test-").tempdir_in("/dev/shm") else {
        eprintln!("left out: /dev/shm cannot be written here");
        return;
    };
    let team = Team::with("[plan]");
    let project = folder.path().display().to_string();
    let send = |event: &str, more: Value| {
        let mut payload = json!({
            "session_id": "shm", "transcript_path": "/x/t.jsonl", "cwd": project, "permission_mode": "default",
            "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut command = team.scratch.command(Some(event));
        command.env("CLAUDE_PROJECT_DIR", &project).current_dir(folder.path());
        answer(&mut command, payload.to_string().as_bytes())
    };
    let write = |path: &str| {
        let input = json!({"file_path": path, "content": "x"});
        send("PreToolUse", json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "t"}))
    };
    send("UserPromptSubmit", json!({"prompt": "/plan the page"}));
    refused(&write(&format!("{project}/src/a.py")), "plan", &["only files under `plans/` may be written"]);
    passes(&write(&format!("{project}/plans/a.md")));
    // What lies beside the project is scratch.
    passes(&write("/dev/shm/tollgate-scratch-note"));
}

#[test]
fn a_marker_may_be_a_list() {
    for (value, holds) in [
        ("consulting-expert", true),
        ("\"consulting-expert\"", true),
        ("[consulting-expert]", true),
        ("[security-expert, consulting-expert]", true),
        ("\n  - security-expert\n  - consulting-expert", true),
        ("\n- consulting-expert", true),
        ("security-expert, consulting-expert", true),
        ("consulting-expert # on Monday", true),
        ("[security-expert]", false),
        ("\n  - security-expert", false),
        ("not-consulting-expert", false),
        ("", false),
    ] {
        let team = Team::with("[plan]");
        passes(&team.prompt("/plan"));
        team.write(&team.plan(), &format!("---\ntitle: Login\nconsulted_by: {value}\n---\n# Plan\n"));
        blocked_if(!holds, &team.done("consulting-expert"), "Plan not consulted. Add frontmatter.", value);
    }
    let team = Team::with("[research]");
    team.git(&["init", "-q"]);
    passes(&team.prompt("/research"));
    team.write(&team.report(), "---\nvalidated_by:\n  - research-consultant\n---\n");
    blocked(&team.done("research-consultant"), "Research not committed.");
}

#[test]
fn a_milestone_may_be_a_number() {
    for (status, place) in [
        (r#"{"current_milestone": 3, "milestone_description": "login"}"#, "project/3:login"),
        (r#"{"current_milestone": 3}"#, "project/3"),
        (r#"{"current_milestone": "3", "milestone_description": 7}"#, "project/3:7"),
        (r#"{"current_milestone": 1.5, "milestone_description": ""}"#, "project/1.5"),
    ] {
        let team = Team::with("[plan, session-context]");
        team.write("project/status.json", status);
        passes(&team.prompt("/plan"));
        refused(&team.file(&format!("{PLACE}/plans/p.md"), "x"), "plan", &[&format!("`{place}/plans/`")]);
        passes(&team.file(&format!("{place}/plans/p.md"), "x"));
        assert!(team.session_starts("startup").says(&format!("Milestone: {}", &place["project/".len()..])));
    }
}

#[test]
fn the_session_id_is_in_the_state_from_the_start_on() {
    for source in ["startup", "resume", "clear", "compact"] {
        let team = Team::with("[plan, code, code-review, handoff]");
        passes(&team.session_starts(source));
        for workflow in ["plan", "code", "code-review", "handoff"] {
            assert_eq!(state(&team, &format!("{workflow}.session_id")), team.session, "{workflow} {source}");
        }
        assert_eq!(state(&team, "plan.is_active"), "");
        passes(&team.prompt("/plan"));
        assert_eq!(state(&team, "plan.session_id"), team.session);
        assert_eq!(state(&team, "plan.is_active"), "true");
    }
}

#[test]
fn the_collectives_files_are_found_in_its_folder() {
    let team = Team::with("[session-context]");
    team.write(".claude-collective/INDEX.md", "The index of the collective.\n");
    team.write(".claude-collective/DECISION.md", "How the collective decides.\n");
    let start = team.session_starts("startup");
    assert!(start.says("The index of the collective.") && start.says("How the collective decides."));
    team.write("DECISION.md", "How the project decides.\n");
    let start = team.session_starts("startup");
    assert!(start.says("How the collective decides.") && start.says("How the project decides."));
}

const READY: &str = "COLLECTIVE_HANDOFF_READY Handoff token: CODER_20261116_010203. Implementation complete, all tests \
                     passed. Files modified: a.py. Next step: review.";

/// The end of the call that started an agent, with what the agent said last.
fn returned(team: &Team, tool: &str, message: &str) -> Answer {
    let input = json!({"description": "d", "prompt": "p", "subagent_type": "coder"});
    let response = json!({"status": "completed", "content": [{"type": "text", "text": message}]});
    team.send(
        "PostToolUse",
        json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t", "tool_response": response}),
    )
}

#[test]
fn the_fifteen_agents_are_known_to_the_handoff() {
    let team = Team::with("[{ handoff: { limit: 99 } }]");
    for name in [
        "routing-agent",
        "drupal-architect",
        "module-development-agent",
        "theme-development-agent",
        "configuration-management-agent",
        "content-migration-agent",
        "security-compliance-agent",
        "performance-devops-agent",
        "functional-testing-agent",
        "unit-testing-agent",
        "visual-regression-agent",
        "enhanced-project-manager-agent",
        "research-agent",
        "workflow-agent",
        "semantic-architect-agent",
    ] {
        let next = format!("Use the {name} subagent to go on.");
        refused(&team.done_saying("a", &next), "handoff", &[&format!("Use the {name} subagent next.")]);
        refused(&returned(&team, "Task", &next), "handoff", &[&format!("Use the {name} subagent next.")]);
    }
    passes(&team.done_saying("a", "Use the nobody subagent to go on."));
}

#[test]
fn the_checkpoint_holds_after_the_call_of_an_agent_too() {
    for tool in ["Task", "Agent"] {
        let team = Team::with("[{ handoff: { dependencies: \"true\", tests: \"false\", build: \"true\" } }]");
        refused(&returned(&team, tool, READY), "handoff", &["The handoff checkpoint failed."]);
        let untoken = READY.replace("CODER_20261116_010203", "x");
        refused(&returned(&team, tool, &untoken), "handoff", &["No handoff token."]);
        refused(&returned(&team, tool, "It is 60% complete."), "handoff", &["The work is incomplete."]);
        passes(&returned(&team, tool, "I have looked at it."));
        let good = Team::with("[{ handoff: { dependencies: \"true\", tests: \"true\", build: \"true\" } }]");
        passes(&returned(&good, tool, READY));
        let other = json!({"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_use_id": "t", "tool_response": READY});
        passes(&team.send("PostToolUse", other));
    }
}

#[test]
fn tests_that_hang_do_not_open_the_checkpoint() {
    let options = "dependencies: \"true\", tests: \"sleep 30\", build: \"true\", timeout: 1s, limit: 99";
    let team = Team::with(&format!("[{{ handoff: {{ {options} }} }}]"));
    let told = ["The handoff checkpoint failed.", "did not end within 1 s", "tollgate workflow stop handoff"];
    refused(&returned(&team, "Task", READY), "handoff", &told);
    refused(&team.done_saying("coder", READY), "handoff", &told);
    let record = team.scratch.log().pop().unwrap();
    assert!(record["waived"].is_null(), "{record}");
}

#[test]
fn nothing_runs_behind_a_failed_check() {
    let steps = "dependencies: \"touch ran-dependencies\", tests: \"touch ran-tests; false\", build: \"touch ran-build\"";
    let ran = |team: &Team| -> Vec<String> {
        let names = ["dependencies", "tests", "build"].map(|name| format!("ran-{name}"));
        names.into_iter().filter(|name| team.scratch.project().join(name).exists()).collect()
    };
    for (said, message, expected) in [
        (READY.replace("CODER_20261116_010203", "x"), "No handoff token.", &[][..]),
        (READY.replace("all tests passed", "it is fine"), "without evidence of tests", &[]),
        (READY.replace("Files modified: a.py. ", ""), "The handoff lacks its state.", &[]),
        (READY.to_owned(), "The handoff checkpoint failed.", &["ran-dependencies", "ran-tests"]),
    ] {
        for by_call in [false, true] {
            let team = Team::with(&format!("[{{ handoff: {{ {steps} }} }}]"));
            let answer =
                if by_call { returned(&team, "Task", &said) } else { team.done_saying("coder", &said) };
            refused(&answer, "handoff", &[message]);
            assert_eq!(answer.stdout.matches("[workflow/handoff]").count(), 1, "{}", answer.stdout);
            assert_eq!(ran(&team), expected, "{said}");
        }
    }
}

/// The default asks the package managers whether what is declared is there.
#[test]
fn the_default_check_of_dependencies_is_a_real_one() {
    let with = |files: &[(&str, &str)]| {
        let team = Team::with("[{ handoff: { tests: \"true\", build: \"true\" } }]");
        files.iter().for_each(|(path, text)| team.write(path, text));
        team
    };
    passes(&with(&[]).done_saying("coder", READY));
    // Whether npm is there or not: what is declared is not installed.
    let missing =
        with(&[("package.json", r#"{"name":"a","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}}"#)]);
    let answer = missing.done_saying("coder", READY);
    refused(
        &answer,
        "handoff",
        &["The handoff checkpoint failed. Install the missing dependencies", "npm ls"],
    );
}

/// A person leaves a workflow with the command that the refusal names, even one that is always on.
#[test]
fn the_command_that_a_refusal_names_ends_it() {
    let asks = |team: &Team| team.done_saying("a", "Use the research-agent subagent to go on.");
    let team = Team::with("[handoff, plan, code-review]");
    team.git(&["init", "-q"]);
    team.write("src/a.rs", "x\n");
    passes(&team.prompt("/plan"));
    let ends: [(&str, &dyn Fn() -> Answer); 3] = [
        ("plan", &|| team.file("src/b.rs", "x")),
        ("handoff", &|| asks(&team)),
        ("code-review", &|| team.spawn("code-reviewer")),
    ];
    for (workflow, call) in ends {
        let answer = call();
        assert!(answer.says(&format!("tollgate workflow stop {workflow}")), "{}", answer.stdout);
        let done = in_terminal(&team.scratch, &format!("workflow stop {workflow}"), "y\n");
        assert_eq!(done.code, Some(0), "{}", done.stdout);
        passes(&call());
    }
    let status = in_terminal(&team.scratch, "workflow status", "").stdout;
    assert!(status.contains("handoff           stopped"), "{status}");
    // The agent itself cannot.
    let by_agent = team.tool("Bash", json!({"command": "tollgate workflow stop plan"}));
    assert_ne!(by_agent.decision(), "none", "{}", by_agent.stdout);
    passes(&team.prompt("/plan"));
    refused(&team.file("src/b.rs", "x"), "plan", &["Plan mode:"]);
}

/// Refusals of every preset name the workflow's way out.
#[test]
fn every_refusal_names_the_way_out() {
    let team = Team::with("[explore, research, plan, code, code-review, implement]");
    team.git(&["init", "-q"]);
    team.write("src/a.rs", "x\n");
    refused(
        &team.prompt("/code"),
        "code",
        &["Plan file not found. Complete planning first.", "/plans/plan_"],
    );
    refused(&team.prompt("/code-review"), "code-review", &["Code not committed. Complete coding first."]);
    refused(&team.spawn("code-reviewer"), "code-review", &["Code not committed.", "`src/`"]);
    passes(&team.prompt("/implement"));
    refused(&team.prompt("/plan"), "implement", &["The step plan is not next. The current step is explore."]);
    refused(&team.spawn("codebase-explorer"), "explore", &["specs/tasks.md file not found."]);
    refused(&team.file("src/b.rs", "x"), "explore", &["only files under `specs/` and `exploration/`"]);
    refused(&team.done("codebase-explorer"), "explore", &["codebase-status file not created."]);
    passes(&team.prompt("/research"));
    refused(
        &team.done("research-specialist"),
        "research",
        &["Research report not created.", "/research/research_"],
    );
    let slash = team.tool("SlashCommand", json!({"command": "/code"}));
    refused(&slash, "implement", &["The step code is not next."]);
}

#[test]
fn a_projects_own_policy_switches_them_on() {
    let team = plain("[]");
    team.write(".tollgate/tollgate.yaml", "version: 1\nworkflows: [plan, code]\n");
    team.write("tollgate.yaml", "version: 1\nworkflows: [plan, code]\n");
    let started = team.prompt("/plan");
    assert!(started.says("Planning Phase"), "{}", started.stdout);
    refused(&team.file("calc.py", "x"), "plan", &["only files under `plans/`"]);
    passes(&team.file("plans/a.md", "x"));
}

/// The session of another agent in a plain repository.
#[test]
fn other_agents_plan_in_a_plain_repository() {
    let team = plain("[plan, code]");
    let cwd = team.scratch.project();
    let send = |agent: &str, event: &str, rest: Value| {
        let mut payload = json!({"session_id": "s", "cwd": cwd, "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.args(["hook", agent, event]);
        command.arg("--config").arg(team.scratch.config()).arg("--state").arg(team.scratch.state());
        team.scratch.clean(&mut command);
        support::answer(&mut command, payload.to_string().as_bytes())
    };
    for (agent, prompt, before, tool) in [
        ("gemini-cli", "BeforeAgent", "BeforeTool", "write_file"),
        ("qwen-code", "UserPromptSubmit", "PreToolUse", "write_file"),
    ] {
        send(agent, prompt, json!({"prompt": "/plan it"}));
        let write = |path: &str| {
            let input = json!({"file_path": cwd.join(path), "content": "x"});
            send(agent, before, json!({"tool_name": tool, "tool_input": input, "tool_use_id": "c"}))
        };
        let bound = write("src/a.py");
        assert!(
            bound.says("only files under `plans/`") && bound.says("tollgate workflow stop plan"),
            "{agent}"
        );
        assert!(!write("plans/a.md").says("Plan mode"), "{agent}");
    }
}
