//! Every answer of the real server has the shape that `crates/ui/openapi.yaml` says. The check itself is a well-kept
//! validator's, in Python.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{PIN, Server, busy, set_pin};
use crate::support::is_missing;

const CHECK: &str = r#"
import json, sys, yaml
from jsonschema import Draft202012Validator
api = yaml.safe_load(open(sys.argv[1]))
bad = 0
for case in json.load(sys.stdin):
    answers = api["paths"][case["path"]][case["method"]]["responses"]
    answer = answers.get(str(case["status"]), answers.get("default"))
    if answer is None:
        sys.exit("no answer %s in %s" % (case["status"], case["path"]))
    if "$ref" in answer:
        answer = api["components"]["responses"][answer["$ref"].split("/")[-1]]
    schema = {**answer["content"]["application/json"]["schema"], "components": api["components"]}
    for error in Draft202012Validator(schema).iter_errors(case["body"]):
        bad += 1
        print(case["path"], error.json_path, error.message[:300])
sys.exit(bad > 0)
"#;

/// Python, with the modules that `cargo xtask test` has installed.
fn python() -> Command {
    let modules = concat!(env!("CARGO_TARGET_TMPDIR"), "/../test-tools/python-modules");
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", modules);
    python
}

#[test]
fn answers_have_the_shape_that_is_written() {
    let modules = python().args(["-c", "import yaml, jsonschema"]).stderr(Stdio::null()).status();
    if is_missing("script") || !modules.is_ok_and(|status| status.success()) {
        eprintln!("left out: python3 with yaml and jsonschema is not installed");
        return;
    }
    let scratch = busy();
    let server = Server::start(&scratch);
    let mut cases = answers(&server);
    drop(server);
    set_pin(&scratch);
    let server = Server::start(&scratch);
    cases.extend(answers(&server));
    let digest = server.value("/api/waiting")["calls"][0]["digest"].clone();
    let id = server.value("/api/undo")["snapshots"][0]["id"].as_str().unwrap().to_owned();
    for pin in ["wrong", PIN] {
        let reply = server.post("/api/approvals", &json!({"digest": digest, "pin": pin}));
        cases.push(
            json!({"path": "/api/approvals", "method": "post", "status": reply.status, "body": reply.json()}),
        );
        let reply = server.post(&format!("/api/undo/{id}/restore"), &json!({"pin": pin, "force": true}));
        cases.push(json!({"path": "/api/undo/{id}/restore", "method": "post", "status": reply.status, "body": reply.json()}));
    }
    cases.extend(answers(&server));
    assert!(cases.len() > 60);
    let description = concat!(env!("CARGO_MANIFEST_DIR"), "/../ui/openapi.yaml");
    let mut check = python();
    let mut check =
        check.args(["-c", CHECK, description]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    check.stdin.take().unwrap().write_all(Value::from(cases).to_string().as_bytes()).unwrap();
    let output = check.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// An answer of every address that only reads, and refusals.
fn answers(server: &Server) -> Vec<Value> {
    let rows = server.value("/api/events?kind=all&limit=500")["rows"].clone();
    let mut asked: Vec<(&str, String)> = [
        "/api/health",
        "/api/about",
        "/api/now",
        "/api/events",
        "/api/sessions",
        "/api/rules",
        "/api/policy",
        "/api/undo",
        "/api/cost",
        "/api/waiting",
        "/api/doctor",
    ]
    .map(|path| (path, path.to_owned()))
    .into();
    asked.extend(
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| ("/api/events/{seq}", format!("/api/events/{}", row["seq"]))),
    );
    asked.push(("/api/events", "/api/events?kind=all&limit=500".into()));
    asked.push(("/api/events", "/api/events?filter=x:y".into()));
    asked.push(("/api/events/{seq}", "/api/events/99999".into()));
    asked.push(("/api/sessions/{id}", "/api/sessions/claude-code:s-work".into()));
    asked.push(("/api/sessions/{id}", "/api/sessions/x".into()));
    asked.push(("/api/rules/{id}", "/api/rules/outside-delete".into()));
    asked.push(("/api/rules/{id}", "/api/rules/x".into()));
    asked.push(("/api/rules/{id}/replay", "/api/rules/outside-delete/replay?level=off".into()));
    for snapshot in server.value("/api/undo")["snapshots"].as_array().unwrap() {
        asked.push(("/api/undo/{id}", format!("/api/undo/{}", snapshot["id"].as_str().unwrap())));
    }
    asked
        .into_iter()
        .map(|(path, address)| {
            let reply = server.get(&address);
            json!({"path": path, "method": "get", "status": reply.status, "body": reply.json()})
        })
        .collect()
}
