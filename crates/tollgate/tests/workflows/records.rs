//! What the log says of workflows: every event of a session in which one is under way names it, with its phase.

use serde_json::{Value, json};

use crate::team::{Team, passes};

/// What the last record says of workflows.
fn last(team: &Team) -> Value {
    team.scratch.log().pop().unwrap()["workflow"].take()
}

#[test]
fn every_event_names_the_workflows_that_are_under_way() {
    let mut team = Team::with("[plan, code, handoff]");
    passes(&team.tool("Bash", json!({"command": "ls"})));
    assert_eq!(last(&team), Value::Null, "none was started");
    passes(&team.prompt("/plan"));
    let plan = json!([{"name": "plan", "phase": ""}]);
    assert_eq!(last(&team), plan, "the event that starts it");
    for (tool, input) in [("Bash", json!({"command": "ls"})), ("Read", json!({"file_path": "README.md"}))] {
        passes(&team.tool(tool, input));
        assert_eq!(last(&team), plan, "{tool}: one that no gate asks about");
    }
    passes(&team.ran("ls", 0, "x"));
    assert_eq!(last(&team), plan);
    let first = std::mem::replace(&mut team.session, "another".to_owned());
    passes(&team.tool("Bash", json!({"command": "ls"})));
    assert_eq!(last(&team), Value::Null, "another session has its own");
    team.session = first;
    team.write(&team.plan(), "---\nconsulted_by: consulting-expert\n---\n");
    passes(&team.done("consulting-expert"));
    passes(&team.tool("Bash", json!({"command": "ls"})));
    assert_eq!(last(&team), Value::Null, "it has ended");
}

#[test]
fn the_phase_is_the_one_that_the_event_leaves_behind() {
    let team = Team::with("[code]");
    team.write(&team.plan(), "# plan\n");
    team.write("tests/test_a.py", "def test_a(): assert 0\n");
    let named = |phase: &str| json!([{"name": "code", "phase": phase}]);
    passes(&team.prompt("/code"));
    assert_eq!(last(&team), named("failing_test"));
    team.ran("pytest -q", 1, "FAILED tests/test_a.py::test_a - x\n1 failed in 0.01s");
    assert_eq!(last(&team), named("passing_test"));
    passes(&team.tool("Bash", json!({"command": "ls"})));
    assert_eq!(last(&team), named("passing_test"));
}
