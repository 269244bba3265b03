//! The language through the hook: every condition both ways, every level, what templates know, and what presets say.

use std::time::Duration;

use serde_json::json;

use crate::team::{PLACE, Team, blocked, blocked_if, passes};

/// A team with one workflow of its own.
fn own(rest: &str) -> Team {
    let team = Team::with("[own.yaml]");
    let text = format!("version: 1\nname: own\nabout: a\n{rest}");
    std::fs::write(team.scratch.config().join("own.yaml"), text).unwrap();
    team.write("a.md", "---\nk: v\n---\nAlpha Beta\n");
    team.write("x_2ebc1fa1-9668.md", "x");
    team.write("p_M1:login.md", "x");
    team
}

#[test]
fn every_condition_holds_or_not() {
    for (need, holds) in [
        ("{ exists: 'a.*' }", true),
        ("{ exists: 'b.*' }", false),
        ("{ exists: 'x_{session}.md' }", true),
        ("{ exists: 'p_{milestone}.md' }", true),
        ("{ exists: 'x_{date:%Y}.md' }", false),
        ("{ frontmatter: { file: a.md, has: { k: v } } }", true),
        ("{ frontmatter: { file: a.md, has: { k: w } } }", false),
        ("{ contains: { file: a.md, all: [ALPHA, beta] } }", true),
        ("{ contains: { file: a.md, all: [alpha, gamma] } }", false),
        ("{ contains: { file: a.md, any: [gamma, beta] } }", true),
        ("{ contains: { file: a.md, any: [gamma, delta] } }", false),
        ("{ min_chars: { file: a.md, n: 10 } }", true),
        ("{ min_chars: { file: a.md, n: 500 } }", false),
        ("{ command: { run: 'exit 3', exit: 3, timeout: 20s } }", true),
        ("{ command: { run: 'exit 3', exit: 0, timeout: 20s } }", false),
        ("{ command: { run: 'test {session} = 2ebc1fa1-9668', exit: 0, timeout: 20s } }", true),
        ("{ tests: { run: 'echo 1 passed in 1s', expect: pass, timeout: 20s } }", true),
        ("{ tests: { run: 'echo 1 failed in 1s', expect: pass, timeout: 20s } }", false),
        ("{ tests: { run: 'no-such-program', expect: fail, timeout: 20s } }", false),
        ("{ state: { own.seen: true } }", false),
        ("{ state: { own.seen: false } }", true),
        ("{ output: { contains: [END] } }", true),
        ("{ output: { contains: [start] } }", false),
        ("{ output: { matches: ['{word:e##}'] } }", false),
        ("{ expr: \"event.agent == 'claude-code' && facts.milestone == 'M1:login'\" }", true),
        ("{ expr: \"event.session == 'another'\" }", false),
        ("{ all: [{ exists: a.md }, { exists: b.md }] }", false),
        ("{ any: [{ exists: a.md }, { exists: b.md }] }", true),
        ("{ not: { exists: b.md } }", true),
        ("{ not: { exists: a.md } }", false),
    ] {
        let team = own(&format!(
            "start: {{ always: true }}\ngates:\n  - on: stop\n    need: {need}\n    message: Not so.\n"
        ));
        let answer = team.stop();
        blocked_if(!holds, &answer, "Not so.", need);
    }
}

#[test]
fn a_gate_may_warn_ask_refuse_or_end_the_turn() {
    for (level, decision, ends) in
        [("warn", "none", false), ("ask", "ask", false), ("block", "deny", false), ("fail", "deny", true)]
    {
        let team = own(&format!(
            "start: {{ always: true }}\ngates:\n  - on: tool\n    tools: [shell]\n    level: {level}\n    message: No shells here.\n"
        ));
        let answer = team.tool("Bash", json!({"command": "ls"}));
        assert!(answer.says("No shells here."), "{level}: {}", answer.stdout);
        assert_eq!(answer.decision(), decision, "{level}: {}", answer.stdout);
        assert_eq!(answer.stdout.contains("\"continue\":false"), ends, "{level}: {}", answer.stdout);
        passes(&team.tool("Read", json!({"file_path": "README.md"})));
    }
}

#[test]
fn what_follows_from_a_gate() {
    let team = own("phases: [one, two]\nstart: { commands: [own], say: 'Begun in {project}.' }\ngates:\n  \
         - on: prompt\n    phase: one\n    then: { set: { word: '{task}' }, phase: two, say: 'Heard {task}.' }\n  \
         - on: stop\n    phase: two\n    need: { exists: '{own.word}.md' }\n    message: 'No {own.word}.'\n    then: { end: true }\n");
    passes(&team.stop());
    let begun = team.prompt("/own");
    assert!(begun.says("Begun in "), "{}", begun.stdout);
    let heard = team.prompt("result");
    assert!(heard.says("Heard result."), "{}", heard.stdout);
    blocked(&team.stop(), "No result.");
    team.write("result.md", "x");
    passes(&team.stop());
    std::fs::remove_file(team.scratch.project().join("result.md")).unwrap();
    passes(&team.stop());
}

#[test]
fn a_state_is_forgotten_in_time() {
    let gates = "start: { commands: [own] }\ngates:\n  - on: stop\n    message: Not yet.\n";
    let team = own(&format!("expires: 1s\n{gates}"));
    passes(&team.prompt("/own"));
    blocked(&team.stop(), "Not yet.");
    std::thread::sleep(Duration::from_millis(2500));
    passes(&team.stop());
}

#[test]
fn every_mode_says_that_it_has_begun() {
    for (workflow, notice) in [
        ("explore", "Exploration Phase"),
        ("research", "Research Phase"),
        ("plan", "Planning Phase"),
        ("code", "Coding Phase"),
        ("code-review", "Code Review Phase"),
        ("implement", "Implementation"),
    ] {
        let team = Team::with(&format!("[{workflow}]"));
        team.git(&["init", "-q"]);
        team.write(&team.plan(), "# plan\n");
        let begun = team.prompt(&format!("/{workflow} it"));
        passes(&begun);
        assert!(begun.says(notice), "{workflow}: {}", begun.stdout);
        assert!(!team.prompt("go on").says(notice), "{workflow}: told once");
    }
}

#[test]
fn a_refusal_says_what_was_looked_for_and_where() {
    let root = Team::with("[]").scratch.project().file_name().unwrap().to_string_lossy().into_owned();
    for (workflow, act, message, looked) in [
        ("explore", "spawn codebase-explorer", "specs/tasks.md file not found.", "`specs/tasks.md` in "),
        (
            "explore",
            "done codebase-explorer",
            "codebase-status file not created.",
            "`exploration/codebase-status_*` in ",
        ),
        (
            "research",
            "spawn research-specialist",
            "codebase-status file not found.",
            "`exploration/codebase-status_*` in ",
        ),
        (
            "research",
            "done research-specialist",
            "Research report not created.",
            "/research/research_2ebc1fa1-9668_*.md` in ",
        ),
        (
            "research",
            "spawn research-consultant",
            "Research report not found.",
            "/research/research_2ebc1fa1-9668_*.md` in ",
        ),
        (
            "plan",
            "spawn strategic-planner",
            "Research report not found.",
            "/research/research_2ebc1fa1-9668_*.md` in ",
        ),
        ("plan", "done strategic-planner", "Plan not created.", "/plans/plan_2ebc1fa1-9668_*.md` in "),
        ("plan", "spawn consulting-expert", "Plan file not found.", "/plans/plan_2ebc1fa1-9668_*.md` in "),
        (
            "code-review",
            "done code-reviewer",
            "Review file not found.",
            "/reviews/review_2ebc1fa1-9668_*.md` in ",
        ),
    ] {
        let team = Team::with(&format!("[{workflow}]"));
        team.git(&["init", "-q"]);
        passes(&team.prompt(&format!("/{workflow}")));
        let (kind, agent) = act.split_once(' ').unwrap();
        let answer = if kind == "spawn" { team.spawn(agent) } else { team.done(agent) };
        blocked(&answer, message);
        assert!(answer.says(looked) && answer.says(&root), "{workflow} {act}: {}", answer.stdout);
    }
    let team = Team::with("[plan]");
    passes(&team.prompt("/plan"));
    team.write(&team.plan(), "# plan\n");
    let bare = team.done("consulting-expert");
    blocked(&bare, "Plan not consulted.");
    assert!(
        bare.says("plan_2ebc1fa1-9668_1116.md` has no `consulted_by: consulting-expert`"),
        "{}",
        bare.stdout
    );
}

#[test]
fn all_that_an_agent_was_doing_is_saved() {
    let team = Team::with("[code, compact-recovery]");
    team.write(&team.plan(), "# plan\n");
    passes(&team.prompt("/code the login"));
    passes(&team.spawn("test-engineer"));
    passes(&team.tool("TodoWrite", json!({"todos": [{"content": "the form", "status": "pending"}]})));
    passes(&team.file("tests/test_login.py", "x"));
    team.done_saying("scout", "Use the reviewer subagent to look at it.");
    passes(&team.spawn("test-engineer"));
    passes(&team.send("PreCompact", json!({"trigger": "auto"})));
    let back = team.session_starts("compact");
    for part in [
        "active_agent: test-engineer",
        "agent_task: work as test-engineer",
        "last_agent: scout",
        "current_task: /code the login",
        "handoff: reviewer",
        "workflows: code (phase failing_test)",
        "the form",
        "files: tests/test_login.py",
        "time: 20",
    ] {
        assert!(back.says(part), "{part}: {}", back.stdout);
    }
}

#[test]
fn a_subagent_is_told_the_versions_of_its_project() {
    for (file, text, said) in [
        (
            "package.json",
            r#"{"name":"shop","version":"1.2.3","engines":{"node":">=22"}}"#,
            &["Package: shop 1.2.3", "Node: >=22"][..],
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"gate\"\nversion = \"0.3.0\"\nedition = \"2024\"\n",
            &["Crate: gate 0.3.0", "Rust edition: 2024"],
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"shop\"\nversion = \"2.0\"\nrequires-python = \">=3.12\"\n",
            &["Python project: shop 2.0", "Python: >=3.12"],
        ),
        ("go.mod", "module example.com/shop\n\ngo 1.24\n", &["Go module: example.com/shop", "Go: 1.24"]),
        ("composer.json", r#"{"require":{"drupal/core":"^11.1"}}"#, &["Drupal core: ^11.1"]),
    ] {
        let team = Team::with("[subagent-context]");
        team.write(file, text);
        let begun = team.send("SubagentStart", json!({"agent_id": "a1", "agent_type": "helper"}));
        for part in said {
            assert!(begun.says(part), "{file} {part}: {}", begun.stdout);
        }
    }
}

#[test]
fn agents_are_known_by_their_files_and_by_a_list() {
    let team = Team::with("[{ subagent-context: { agents: [listed-agent] } }]");
    let home = team.scratch.home();
    for (path, name) in [
        (".claude/agents/home-agent.md", "home-agent"),
        (".claude/plugins/tools/agents/plug-agent.md", "plug-agent"),
        ("project/.claude/agents/deep/own-agent.md", "own-agent"),
    ] {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("---\nname: {name}\n---\n")).unwrap();
    }
    for (name, known) in [
        ("home-agent", true),
        ("plug-agent", true),
        ("own-agent", true),
        ("listed-agent", true),
        ("routing-agent", false),
        ("other-agent", false),
    ] {
        let answer = team.spawn(name);
        passes(&answer);
        assert_eq!(!answer.says("unknown agent name"), known, "{name}: {}", answer.stdout);
    }
    let shipped = Team::with("[subagent-context]");
    assert!(!shipped.spawn("routing-agent").says("unknown agent name"), "the seed's names are a ready list");
}

#[test]
fn a_finished_call_of_the_agent_tool_is_a_handoff_too() {
    let team = Team::with("[handoff]");
    team.write(".claude/agents/reviewer.md", "---\nname: reviewer\n---\n");
    for (text, found) in
        [("Use the “reviewer” subagent to look.", true), ("Use the nobody subagent to look.", false)]
    {
        let fields = json!({
            "tool_name": "Agent", "tool_use_id": "t",
            "tool_input": {"description": "d", "prompt": "p", "subagent_type": "helper"},
            "tool_response": {"status": "completed", "content": [{"type": "text", "text": text}]},
        });
        let answer = team.send("PostToolUse", fields);
        blocked_if(found, &answer, "Use the reviewer subagent next.", text);
    }
}

#[test]
fn a_plan_of_another_session_or_milestone_does_not_count() {
    let team = Team::with("[plan]");
    passes(&team.prompt("/plan"));
    team.write(&format!("{PLACE}/research/research_another_1116.md"), "x");
    team.write("project/M2:other/research/research_2ebc1fa1-9668_1116.md", "x");
    blocked(&team.spawn("strategic-planner"), "Research report not found.");
    team.write(&team.report(), "x");
    passes(&team.spawn("strategic-planner"));
}
