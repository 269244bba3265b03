//! Calls without a result are closed when their turn ends, once.

use tollgate_model::Record;
use tollgate_model::json::{Value, object};
use tollgate_store::{Appended, NO_RESULT};

use crate::support::*;

/// `phase id`, `phase id@subagent`, with `!` before a refused call; a stop closes what it ends.
fn play(scene: &Scene, steps: &[&str]) -> Vec<String> {
    steps.iter().for_each(|step| drop(step_of(scene, step)));
    closed(scene)
}

fn step_of(scene: &Scene, step: &str) -> Appended {
    let (refused, step) = step.strip_prefix('!').map_or((false, step), |step| (true, step));
    let (phase, rest) = step.split_once(' ').unwrap_or((step, ""));
    let (id, subagent) = rest.split_once('@').unwrap_or((rest, ""));
    let appended = scene.log.append(&record_of(phase, id, subagent, refused), now()).unwrap();
    scene.log.close_turn(&appended, now()).unwrap();
    appended
}

fn record_of(phase: &str, id: &str, subagent: &str, refused: bool) -> Record {
    let mut fields: Vec<(&str, Value)> = vec![
        ("agent", "claude-code".into()),
        ("session", "a \"quoted\" session".into()),
        ("event", "X".into()),
        ("phase", phase.into()),
    ];
    if !subagent.is_empty() {
        fields.push(("subagent", object([("id", subagent.into())])));
    }
    if !id.is_empty() {
        fields.push(("tool", "Bash".into()));
    }
    fields.push(("verdict", if refused { "deny" } else { "allow" }.into()));
    with_fields(id, fields.into_iter())
}

/// The ids in closing records, each with the number of its call.
fn closed(scene: &Scene) -> Vec<String> {
    let records = scene.log.records().filter_map(|entry| entry.value());
    let closing = records.filter(|record| record.text("phase") == Some(NO_RESULT));
    let number = |record: &Value| match record.get("call_seq") {
        Some(Value::Number(text)) => text.clone(),
        other => panic!("{other:?}"),
    };
    closing.map(|record| format!("{}:{}", record.text("id").unwrap(), number(&record))).collect()
}

#[test]
fn a_call_without_a_result_is_closed_when_its_turn_ends() {
    let table: [(&[&str], &[&str]); 12] = [
        (&["pre-tool a", "stop"], &["a:1"]),
        (&["pre-tool a", "post-tool a", "stop"], &[]),
        (&["pre-tool a", "post-tool-fail a", "stop"], &[]),
        (&["pre-tool a", "permission-denied a", "stop"], &[]),
        (&["!pre-tool a", "stop"], &[]),
        (&["pre-tool a", "permission a", "stop"], &["a:1"]),
        (&["permission a", "stop"], &["a:1"]),
        (&["pre-tool a", "prompt", "pre-tool b", "post-tool b", "stop-error"], &["a:1"]),
        (&["pre-tool a", "stop", "stop", "session-end", "pre-tool b", "stop"], &["a:1", "b:6"]),
        (&["pre-tool a@x", "pre-tool b", "stop"], &["b:2"]),
        (&["pre-tool a@x", "pre-tool b", "subagent-stop @x", "stop"], &["a:1", "b:2"]),
        (&["pre-tool a@x", "pre-tool b", "session-end"], &["a:1", "b:2"]),
    ];
    for (steps, expected) in table {
        let scene = Scene::new();
        assert_eq!(play(&scene, steps), expected, "{steps:?}");
        assert!(scene.verify().is_sound(), "{steps:?}");
    }
}

#[test]
fn a_turn_is_found_across_parts_and_behind_the_work_of_others() {
    let scene = Scene::with_parts(100_000);
    play(&scene, &["pre-tool a", "pre-tool b"]);
    for number in 0..100 {
        let text = format!("echo {number} {}", "x".repeat(1000));
        scene.log.append(&call("other", "another session", "pre-tool", &text), now()).unwrap();
    }
    assert!(scene.log.parts().len() > 1);
    assert_eq!(play(&scene, &["post-tool b", "stop"]), ["a:1"]);
}

#[test]
fn two_that_tell_of_the_same_stop_close_a_call_once() {
    let scene = Scene::new();
    play(&scene, &["pre-tool a"]);
    let ends: Vec<Appended> =
        (0..8).map(|_| scene.log.append(&record_of("stop", "", "", false), now()).unwrap()).collect();
    std::thread::scope(|scope| {
        for end in ends.iter().take(1).cycle().take(8) {
            scope.spawn(|| scene.log.close_turn(end, now()).unwrap());
        }
    });
    assert_eq!(closed(&scene), ["a:1"]);
}
