//! A person's hand on workflows and their state, and what the commands show.

use serde_json::{Value, json};

use crate::support::{Answer, in_terminal};
use crate::team::{Team, blocked, passes};

/// A command that a person types and confirms.
fn yes(team: &Team, args: &str) -> Answer {
    let done = in_terminal(&team.scratch, args, "y\n");
    assert_eq!(done.code, Some(0), "{args}: {}", done.stdout);
    done
}

/// What a command prints, with its status.
fn shows(team: &Team, args: &str) -> (Option<i32>, String) {
    let shown = in_terminal(&team.scratch, args, "");
    (shown.code, shown.stdout.replace("\r\n", "\n"))
}

/// A workflow file of one's own, beside the policy.
fn own(list: &str, file: &str, text: &str) -> Team {
    let team = Team::with(list);
    std::fs::write(team.scratch.config().join(file), text).unwrap();
    team
}

#[test]
fn a_person_starts_stops_and_resets_a_workflow() {
    let team = Team::with("[plan, code]");
    passes(&team.prompt("hello"));
    passes(&team.file("src/a.rs", "x"));
    assert!(yes(&team, "workflow start plan").says("Done: start plan."));
    blocked(&team.spawn("strategic-planner"), "Research report not found.");
    blocked(&team.file("src/a.rs", "x"), "Plan mode: only files under");
    assert_eq!(shows(&team, "state get plan.session_id"), (Some(0), format!("{}\n", team.session)));
    yes(&team, "workflow stop plan");
    passes(&team.spawn("strategic-planner"));
    passes(&team.file("src/a.rs", "x"));
    assert_eq!(shows(&team, "state get plan.is_active"), (Some(0), "false\n".to_owned()));
    yes(&team, "workflow reset plan");
    assert_eq!(shows(&team, "state get plan.is_active"), (Some(1), String::new()), "nothing is left of it");
}

#[test]
fn what_ends_when_one_is_started_by_a_command_ends_when_it_is_by_hand() {
    let team = Team::with("[plan, code]");
    passes(&team.prompt("/plan"));
    yes(&team, "workflow start code");
    let (_, status) = shows(&team, "workflow status");
    assert_eq!(status, "plan              not active\ncode              active, phase failing_test\n");
    blocked(&team.file("src/a.rs", "x"), "No failing test was seen yet.");
}

#[test]
fn only_the_named_session_is_changed() {
    let mut team = Team::with("[plan]");
    passes(&team.prompt("hello"));
    let first = std::mem::replace(&mut team.session, "another".to_owned());
    passes(&team.prompt("hello"));
    yes(&team, &format!("workflow start plan --session {first}"));
    passes(&team.file("src/a.rs", "x"));
    team.session = first;
    blocked(&team.file("src/a.rs", "x"), "Plan mode: only files under");
    // One that has had no event yet is bound from its first on.
    yes(&team, "workflow start plan --session new");
    "new".clone_into(&mut team.session);
    blocked(&team.file("src/a.rs", "x"), "Plan mode: only files under");
    let (code, told) = shows(&Team::with("[plan]"), "workflow start plan");
    assert!(code != Some(0) && !told.contains("Done"), "no session is known: {told}");
}

#[test]
fn without_a_yes_nothing_is_changed() {
    let team = Team::with("[plan]");
    passes(&team.prompt("/plan"));
    for args in
        ["workflow stop plan", "workflow reset plan", "state set plan.is_active false", "state clear plan"]
    {
        for typed in ["n\n", "\n", ""] {
            let no = in_terminal(&team.scratch, args, typed);
            assert!(no.code != Some(0) && no.says("nothing was changed"), "{args} {typed:?}: {}", no.stdout);
        }
        blocked(&team.file("src/a.rs", "x"), "Plan mode: only files under");
    }
}

#[test]
fn a_person_reads_and_changes_the_state() {
    let team = Team::with("[plan, implement]");
    passes(&team.prompt("/implement"));
    for (args, code, shown) in [
        ("state get implement.phase", 0, "explore\n"),
        ("state get implement.nothing", 1, ""),
        ("state get nothing.at-all", 1, ""),
    ] {
        assert_eq!(shows(&team, args), (Some(code), shown.to_owned()), "{args}");
    }
    blocked(&team.prompt("/plan"), "The step plan is not next.");
    yes(&team, "state set implement.phase research");
    assert_eq!(shows(&team, "state get implement.phase"), (Some(0), "research\n".to_owned()));
    passes(&team.prompt("/plan"));
    yes(&team, "state set notes.count 3");
    yes(&team, "state set notes.words 'two words'");
    let (code, list) = shows(&team, "state list");
    assert_eq!(code, Some(0));
    for line in
        ["implement.phase: plan\n", "plan.is_active: true\n", "notes.count: 3\n", "notes.words: two words\n"]
    {
        assert!(list.contains(line), "{line}{list}");
    }
    let (_, lines) = shows(&team, "state list --json");
    let all: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(all.contains(&json!({"key": "notes.count", "value": 3})), "{lines}");
    assert!(all.contains(&json!({"key": "plan.is_active", "value": true})), "{lines}");
    yes(&team, "state clear plan");
    passes(&team.file("src/a.rs", "x"));
    let (_, list) = shows(&team, "state list");
    assert!(!list.contains("plan.is_active") && list.contains("notes.count: 3"), "{list}");
    let (code, told) = shows(&team, "state get plan");
    assert!(code == Some(2) && told.contains("`plan` names no value; write `plan.is_active`"), "{told}");
}

#[test]
fn what_is_forgotten_is_shown_by_no_command() {
    let text = "version: 1\nname: brief\nabout: a\nexpires: 1s\nstart: { commands: [brief] }\ngates:\n  - on: stop\n    message: Not yet.\n";
    let team = own("[brief.yaml]", "brief.yaml", text);
    passes(&team.prompt("/brief"));
    assert_eq!(shows(&team, "workflow status"), (Some(0), "brief             active\n".to_owned()));
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(shows(&team, "workflow status"), (Some(1), "brief             not active\n".to_owned()));
    assert_eq!(shows(&team, "state get brief.is_active"), (Some(1), String::new()));
    assert_eq!(shows(&team, "state list"), (Some(0), String::new()));
}

const SMALL: &str = "version: 1
name: small
about: A small one
phases: [one, two]
start: { commands: [small] }
artifacts: { note: notes/*.md }
gates:
  - on: stop
    phase: one
    need: { exists: note }
    message: No note.
    then: { phase: two }
";

#[test]
fn what_there_is_and_how_it_looks() {
    let team = own("[plan, small.yaml]", "small.yaml", SMALL);
    passes(&team.prompt("/small"));
    let (code, list) = shows(&team, "workflow list");
    assert_eq!(code, Some(0));
    let on: Vec<&str> = list.lines().filter(|line| line.starts_with("on")).collect();
    assert_eq!(
        on,
        [
            "on  plan              Require research before planning, and a consulted plan at the end",
            "on  small             A small one"
        ]
    );
    for preset in tollgate_workflow::PRESETS {
        assert!(list.contains(&format!("  {}", preset.name)), "{}: {list}", preset.name);
    }
    let (_, lines) = shows(&team, "workflow list --json");
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["name"], &first["on"], &first["file"]),
        (&json!("plan"), &json!(true), &json!("preset:plan"))
    );
    let status = "plan              not active\nsmall             active, phase one\n";
    assert_eq!(shows(&team, "workflow status"), (Some(0), status.to_owned()));
    let (_, picture) = shows(&team, "workflow graph small");
    for part in ["small: A small one", "one → two", "stop", "No note."] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    let (_, picture) = shows(&team, "workflow graph small --mermaid");
    for part in ["flowchart TD", "one", "two", "No note."] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    let (code, told) = shows(&team, "workflow graph smal");
    assert!(code == Some(2) && told.contains("unknown workflow `smal`"), "{told}");
}

#[test]
fn an_ejected_preset_is_the_projects_or_the_persons_own() {
    let team = Team::with("[plan]");
    // The project is what the session has, even where that is a folder of a larger repository.
    std::fs::create_dir(team.scratch.home().join(".git")).unwrap();
    passes(&team.prompt("hello"));
    let (code, own) = shows(&team, "workflow eject plan");
    assert_eq!(
        (code, own),
        (Some(0), format!("{}\n", team.scratch.config().join("workflows/plan.yaml").display()))
    );
    let (code, again) = shows(&team, "workflow eject plan");
    assert!(code == Some(2) && again.contains("is already there"), "{again}");
    let (code, other) = shows(&team, "workflow eject code");
    let file = team.scratch.project().join(".tollgate/workflows/code.yaml");
    assert_eq!(code, Some(0));
    assert!(other.contains(&file.display().to_string()) && other.contains("Switch it on with"), "{other}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), tollgate_workflow::preset("code").unwrap().text);
}

#[test]
fn a_state_of_the_project_is_everybodys() {
    let text = "version: 1\nname: freeze\nabout: a\nscope: project\nstart: { commands: [freeze] }\ngates:\n  - on: write\n    message: Frozen.\n";
    let mut team = own("[freeze.yaml]", "freeze.yaml", text);
    std::fs::create_dir(team.scratch.home().join(".git")).unwrap();
    passes(&team.prompt("hello"));
    yes(&team, "workflow start freeze");
    blocked(&team.file("src/a.rs", "x"), "Frozen.");
    "another".clone_into(&mut team.session);
    blocked(&team.file("src/a.rs", "x"), "Frozen.");
    assert_eq!(shows(&team, "workflow status"), (Some(0), "freeze            active\n".to_owned()));
    yes(&team, "workflow stop freeze");
    passes(&team.file("src/a.rs", "x"));
}

#[test]
fn one_workflow_starts_another() {
    let text = "version: 1\nname: first\nabout: a\nstart: { commands: [first] }\ngates:\n  - on: prompt\n    if: { state: { first.is_active: true } }\n    then: { start: plan }\n";
    let team = own("[first.yaml, plan]", "first.yaml", text);
    passes(&team.prompt("/first"));
    passes(&team.file("src/a.rs", "x"));
    passes(&team.prompt("go on"));
    blocked(&team.file("src/a.rs", "x"), "Plan mode: only files under");
    let (_, status) = shows(&team, "workflow status");
    assert_eq!(status, "first             active\nplan              active\n");
}

#[test]
fn what_is_remembered_is_a_list_without_repetitions_that_does_not_grow() {
    let text = "version: 1\nname: notes\nabout: a\nstart: { always: true }\ngates:\n  - on: prompt\n    then: { remember: { key: heard, value: '{task}', most: 3 } }\n";
    let team = own("[notes.yaml]", "notes.yaml", text);
    for (said, kept) in [
        ("a", r#"["a"]"#),
        ("b", r#"["a","b"]"#),
        ("a", r#"["b","a"]"#),
        ("c", r#"["b","a","c"]"#),
        ("d", r#"["a","c","d"]"#),
    ] {
        passes(&team.prompt(said));
        assert_eq!(shows(&team, "state get notes.heard"), (Some(0), format!("{kept}\n")), "{said}");
    }
}
