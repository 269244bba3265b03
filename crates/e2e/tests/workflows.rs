//! Workflows in front of the real Claude Code.

use std::fs;

use anyhow::Result;
use serde_json::{Value, json};
use tollgate_e2e::drivers::{Codex, Copilot, Gemini, OPENCODE, Qwen};
use tollgate_e2e::run::Session;
use tollgate_e2e::{
    Answers, Claude, Conversation, Driver, Facts, Outcome, Run, Script, Turn, tollgate_binary,
};

/// The recording hook.
const CAPTURE: &str = env!("CARGO_BIN_EXE_capture-hook");

const ID: &str = "5f0c2f3a-6f6e-4a53-9c1e-3f1f8a7c0001";

/// A project with a milestone, the commands and agents of the seed, and workflows that are on.
fn team(workflows: &str) -> Result<Run> {
    let run = Run::new(&Claude)?;
    let scratch = run.scratch();
    scratch.write_home(".config/tollgate/tollgate.yaml", &format!("version: 1\nworkflows: {workflows}\n"))?;
    scratch.write_project(
        "project/status.json",
        r#"{"current_milestone":"M1","milestone_description":"login"}"#,
    )?;
    for name in ["plan", "code"] {
        scratch.write_project(&format!(".claude/commands/{name}.md"), "Do it: $ARGUMENTS\n")?;
    }
    for name in ["strategic-planner", "consulting-expert"] {
        let text = format!("---\nname: {name}\ndescription: works as {name}\n---\nYou are {name}.\n");
        scratch.write_project(&format!(".claude/agents/{name}.md"), &text)?;
    }
    run.installed_by(&tollgate_binary()?)?;
    Ok(run)
}

fn go(run: &Run, prompt: &str, script: Script) -> Result<Outcome> {
    let arguments = vec!["--session-id".to_owned(), ID.to_owned()];
    run.go(Session { prompt: prompt.to_owned(), arguments, ..Session::from(script) })
}

fn agent(name: &str, mark: &str) -> Turn {
    let input =
        json!({"description": "work", "prompt": mark, "subagent_type": name, "run_in_background": false});
    Turn::call("Agent", input)
}

fn write(run: &Run, path: &str, text: &str) -> Turn {
    Turn::call("Write", json!({"file_path": run.scratch().project().join(path), "content": text}))
}

fn bash(command: &str) -> Turn {
    Turn::call("Bash", json!({"command": command, "description": "run"}))
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn a_premature_planner_is_refused_and_the_expert_comes_after_the_plan() -> Result<()> {
    let run = team("[plan]")?;
    let plan = format!("project/M1:login/plans/plan_{ID}_1.md");
    let consulted = "---\nconsulted_by: consulting-expert\n---\n# Plan\n";
    let edit = json!({"file_path": run.scratch().project().join(&plan), "old_string": "# Plan\n", "new_string": consulted});
    let turns = [
        Turn::say("EXPERT-EARLY"),
        Turn::call("Read", json!({"file_path": run.scratch().project().join(&plan)})),
        Turn::call("Edit", edit),
        Turn::say("EXPERT-DONE"),
    ];
    let expert = Conversation::new("expert", |facts| facts.first.contains("EXPERT-MARK"), turns);
    let calls = [
        agent("strategic-planner", "PLANNER-MARK"),
        agent("consulting-expert", "EXPERT-MARK"),
        write(&run, "src/early.rs", "fn early() {}\n"),
        bash("mkdir -p src && touch src/touched.rs"),
        write(&run, &plan, "# Plan\n"),
        agent("consulting-expert", "EXPERT-MARK"),
        write(&run, "src/late.rs", "fn late() {}\n"),
        Turn::say("FINAL-MARK"),
    ];
    let outcome = go(&run, "/plan the login", Script::new(calls).beside(expert))?;
    for told in [
        "Planning Phase",
        "Research report not found. Call research-specialist first.",
        "Plan file not found. Call strategic-planner first.",
        "Plan mode: only files under",
        "Plan not consulted. Add frontmatter.",
    ] {
        assert!(outcome.model_contains(told), "the model is told `{told}`; {outcome}");
    }
    let project = run.scratch().project();
    assert!(!project.join("src/early.rs").exists(), "{outcome}");
    assert!(!project.join("src/touched.rs").exists(), "{outcome}");
    assert_eq!(fs::read_to_string(project.join(&plan))?, consulted, "{outcome}");
    assert!(project.join("src/late.rs").exists(), "the plan is over; {outcome}");
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn a_stop_is_blocked_until_the_tests_pass() -> Result<()> {
    let run = team("[code]")?;
    run.scratch().write_project(&format!("project/M1:login/plans/plan_{ID}_1.md"), "# Plan\n")?;
    let test = "import unittest\nimport os\nclass T(unittest.TestCase):\n    def test_made(self):\n        self.assertTrue(os.path.exists('src/made.py'))\n";
    let calls = [
        write(&run, "tests/test_made.py", test),
        bash("python3 -m unittest tests/test_made.py"),
        Turn::say("TOO-EARLY"),
        write(&run, "src/made.py", "x = 1\n"),
        bash("python3 -m unittest tests/test_made.py"),
        Turn::say("FINAL-MARK"),
    ];
    let outcome = go(&run, "/code it", Script::new(calls))?;
    assert!(outcome.model_contains("a failing test was seen"), "red was seen; {outcome}");
    assert!(outcome.model_contains("Tests do not pass yet."), "the stop was blocked; {outcome}");
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "and then let go; {outcome}");
    Ok(())
}

/// What the client said of each of its stops at an event: whether it follows from a refusal.
fn flags(run: &Run, event: &str) -> Result<Vec<Option<bool>>> {
    let of = |payload: &Value| payload.get("hook_event_name").and_then(Value::as_str) == Some(event);
    let payloads = run.captured()?.into_iter().map(|call| call.payload).filter(of);
    Ok(payloads.map(|payload| payload.get("stop_hook_active").and_then(Value::as_bool)).collect())
}

/// A workflow that never lets anybody stop, but gives in after two refusals in a row.
const STUBBORN: &str = "version: 1\nname: stubborn\nabout: a\nstart: { always: true }\ngates:\n  - on: [stop, subagent-stop]\n    limit: 2\n    need: { exists: done.txt }\n    message: Not done.\n";

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn a_stop_that_follows_from_a_refusal_says_so_and_the_refusals_end() -> Result<()> {
    let run = team("[stubborn.yaml]")?;
    run.scratch().write_home(".config/tollgate/stubborn.yaml", STUBBORN)?;
    // A second hook beside the gate's says what the client has sent.
    run.answers(&Answers::default())?;
    run.register(&["Stop", "SubagentStop"].map(|event| run.capture_hook(event, CAPTURE)))?;
    let helper = ["ONE", "TWO", "THREE"].map(|mark| Turn::say(&format!("HELPER-{mark}")));
    let helper = Conversation::new("helper", |facts| facts.first.contains("HELPER-MARK"), helper);
    let calls = [
        agent("strategic-planner", "HELPER-MARK"),
        Turn::say("MAIN-ONE"),
        Turn::say("MAIN-TWO"),
        Turn::say("FINAL-MARK"),
    ];
    let outcome = go(&run, "work", Script::new(calls).beside(helper))?;
    assert!(outcome.model_contains("Not done."), "the refusal is seen; {outcome}");
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "and has an end; {outcome}");
    let expected = [Some(false), Some(true), Some(true)];
    assert_eq!(flags(&run, "Stop")?, expected, "{outcome}");
    assert_eq!(flags(&run, "SubagentStop")?, expected, "{outcome}");
    Ok(())
}

/// A mode that a person starts, and that lets nobody write.
const FROZEN: &str = "version: 1\nname: frozen\nabout: a\nstart: { commands: [frozen] }\ngates:\n  - on: write\n    outside: [notes/**]\n    message: Nothing is written now.\n";

/// A subagent is bound by the mode of the session that started it, also where it works in a session of its own.
fn a_subagent_is_bound(driver: &'static dyn Driver) -> Result<()> {
    let run = Run::new(driver)?;
    run.scratch().write_home(".config/tollgate/tollgate.yaml", "version: 1\nworkflows: [frozen.yaml]\n")?;
    run.scratch().write_home(".config/tollgate/frozen.yaml", FROZEN)?;
    run.installed_by(&tollgate_binary()?)?;
    let turns = [driver.shell("touch by-subagent.txt"), driver.subagent_ends()];
    let of_helper = |facts: &Facts| facts.any.contains("HELPER-MARK") && !facts.any.contains("PROMPT-MARK");
    let helper = Conversation::new("helper", of_helper, turns).repeat_last();
    let turns = driver.spawn("HELPER-MARK go").into_iter().chain([Turn::say("FINAL-MARK")]);
    let outcome = run.go(Session {
        prompt: "/frozen PROMPT-MARK please".to_owned(),
        arguments: driver.subagent_arguments(),
        ..Session::from(Script::new(turns).beside(helper))
    })?;
    let told = outcome.conversation("helper").any(|request| request.contains("Nothing is written now."));
    let log = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl"))?;
    assert!(told, "the subagent is told; {outcome} {log}");
    assert!(!run.scratch().project().join("by-subagent.txt").exists(), "{outcome}");
    Ok(())
}

macro_rules! subagents_are_bound {
    ($($name:ident: $driver:expr;)*) => {$(
        #[test]
        #[ignore = "needs npm and the real client; run by cargo xtask e2e"]
        fn $name() -> Result<()> {
            a_subagent_is_bound($driver)
        }
    )*};
}

subagents_are_bound! {
    codex_binds_the_subagents_of_a_mode: &Codex;
    copilot_binds_the_subagents_of_a_mode: &Copilot;
    gemini_binds_the_subagents_of_a_mode: &Gemini;
    opencode_binds_the_subagents_of_a_mode: &OPENCODE;
    qwen_binds_the_subagents_of_a_mode: &Qwen;
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn what_an_agent_did_is_told_again_after_the_compaction() -> Result<()> {
    let run = team("[compact-recovery, subagent-context]")?;
    let helper =
        Conversation::new("helper", |facts| facts.first.contains("HELPER-MARK"), [Turn::say("HELPER-DONE")]);
    let calls = [
        write(&run, "src/kept.rs", "x\n"),
        agent("strategic-planner", "HELPER-MARK"),
        Turn::say("FIRST-DONE"),
    ];
    let first = go(&run, "BUILD-THE-LOGIN", Script::new(calls).beside(helper))?;
    let of_helper: Vec<_> = first.conversation("helper").collect();
    assert!(!of_helper.is_empty() && first.model_contains("agent-memory/strategic-planner.md"), "{first}");
    let resume = |prompt: &str, script: Script| {
        let arguments = vec!["--resume".to_owned(), ID.to_owned()];
        run.go(Session { prompt: prompt.to_owned(), arguments, ..Session::from(script) })
    };
    resume("/compact", Script::new([Turn::say("<summary>SUMMARY-MARK</summary>")]))?;
    let text = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl"))?;
    let records: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let phases: Vec<&str> = records.iter().filter_map(|record| record.get("phase")?.as_str()).collect();
    assert!(phases.contains(&"pre-compact"), "{phases:?}");
    let after = resume("GO-ON", Script::new([Turn::say("FINAL-MARK")]))?;
    assert!(after.model_contains("current_task: BUILD-THE-LOGIN"), "{after}");
    assert!(after.model_contains("src/kept.rs"), "{after}");
    Ok(())
}
