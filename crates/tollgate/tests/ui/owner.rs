//! What asks for the PIN.

use std::fs;

use serde_json::json;

use crate::client::{PIN, Server, bad, busy, call, set_pin};
use crate::support::is_missing;

#[test]
fn without_a_pin_nothing_changes() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let waiting = server.value("/api/waiting");
    assert_eq!(waiting["pin_set"], false);
    let digest = waiting["calls"][0]["digest"].as_str().unwrap();
    let reply = server.post("/api/approvals", &json!({"digest": digest, "pin": ""}));
    assert_eq!((reply.status, reply.code().as_str()), (409, "no_pin_set"));
    assert!(reply.json()["error"]["hint"].as_str().unwrap().contains("tollgate init --pin"));
}

#[test]
fn the_owner_lets_exactly_one_call_pass() {
    if is_missing("script") {
        return;
    }
    let scratch = busy();
    set_pin(&scratch);
    let server = Server::start(&scratch);
    let waiting = server.value("/api/waiting");
    let digest = waiting["calls"][0]["digest"].as_str().unwrap().to_owned();
    assert_eq!(waiting["calls"].as_array().unwrap().len(), 1, "canaries do not wait: {waiting}");
    let wrong = server.post("/api/approvals", &json!({"digest": digest, "pin": "guess"}));
    assert_eq!((wrong.status, wrong.code().as_str()), (403, "wrong_pin"));
    assert_eq!(server.value("/api/waiting")["calls"][0]["approved"], false);
    let other = "0".repeat(64);
    assert_eq!(server.post("/api/approvals", &json!({"digest": other, "pin": PIN})).status, 404);
    let right = server.post("/api/approvals", &json!({"digest": digest, "pin": PIN}));
    assert_eq!(right.status, 200, "{}", right.body);
    assert_eq!(server.value("/api/waiting")["calls"][0]["approved"], true);
    // Another call does not pass by it, the same one does, once.
    scratch.bash(&format!("{} && true", bad(&scratch))).refused();
    let before = scratch.log().len();
    call(&scratch, "s-bad", "b2", "Bash", json!({"command": bad(&scratch)}));
    assert!(
        matches!(scratch.log()[before]["verdict"].as_str(), Some("note" | "allow")),
        "{}",
        scratch.log()[before]
    );
    call(&scratch, "s-bad", "b3", "Bash", json!({"command": bad(&scratch)}));
    assert_eq!(scratch.log().last().unwrap()["verdict"], "deny");
}

#[test]
fn wrong_pins_are_slowed_down_across_servers_and_told() {
    if is_missing("script") {
        return;
    }
    let scratch = busy();
    set_pin(&scratch);
    let first = Server::start(&scratch);
    let digest = first.value("/api/waiting")["calls"][0]["digest"].as_str().unwrap().to_owned();
    let guess =
        |server: &Server, pin: &str| server.post("/api/approvals", &json!({"digest": digest, "pin": pin}));
    for number in 0..3 {
        assert_eq!(guess(&first, &format!("guess-{number}")).code(), "wrong_pin");
    }
    let wait = guess(&first, "guess");
    assert_eq!((wait.status, wait.code().as_str()), (429, "wait"));
    assert!(wait.json()["error"]["retry_after_s"].as_u64() >= Some(1));
    drop(first);
    let second = Server::start(&scratch);
    assert_eq!(
        guess(&second, PIN).code(),
        "wait",
        "a new server does not forget, and the right PIN waits, too"
    );
    let log = scratch.log();
    assert_eq!(log.iter().filter(|record| record["event"] == "wrong-pin").count(), 3);
    assert!(!second.value("/api/about")["notes"].as_array().unwrap().is_empty());
    assert!(!log.iter().any(|record| record.to_string().contains("guess-1")), "PINs are not kept");
}

#[test]
fn the_owner_restores_a_snapshot() {
    if is_missing("script") {
        return;
    }
    let scratch = busy();
    set_pin(&scratch);
    let readme = scratch.project().join("README.md");
    fs::write(&readme, "# gone wrong\n").unwrap();
    let server = Server::start(&scratch);
    let list = server.value("/api/undo");
    let id = list["snapshots"][0]["id"].as_str().unwrap().to_owned();
    let preview = server.get(&format!("/api/undo/{id}"));
    assert_eq!(preview.json()["steps"][0]["change"], "replace", "{}", preview.body);
    assert!(!preview.body.contains("# readme"), "saved contents are not sent");
    let restore = |body: serde_json::Value| server.post(&format!("/api/undo/{id}/restore"), &body);
    assert_eq!(restore(json!({"pin": "guess", "force": true})).code(), "wrong_pin");
    assert_eq!(fs::read_to_string(&readme).unwrap(), "# gone wrong\n");
    let done = restore(json!({"pin": PIN, "force": true}));
    assert_eq!(done.status, 200, "{}", done.body);
    assert_eq!(fs::read_to_string(&readme).unwrap(), "# readme\n");
    assert!(done.json()["undo"].is_string(), "{}", done.body);
    for id in ["none", "..%2f..%2fetc", "%00"] {
        assert_eq!(server.get(&format!("/api/undo/{id}")).status, 404, "{id}");
    }
}
