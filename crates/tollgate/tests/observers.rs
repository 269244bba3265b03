//! The seed's observability middleware, as built-ins: each writes or sends what the seed says, and none of them can
//! change an answer.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch};

const TOKEN: &str = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";

fn with(middleware: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.policy(&format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n{middleware}"));
    scratch
}

/// The lines of a file, once there are enough.
fn lines(path: &Path, count: usize) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if lines.len() >= count || Instant::now() > end {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An allowed call with a secret in it, and a refused one.
fn two_calls(scratch: &Scratch) -> [Answer; 2] {
    let first = scratch.bash(&format!("echo \"a 'b' \\\\ é\" {TOKEN}"));
    assert_eq!(first.decision(), "none", "{}", first.stdout);
    let second = scratch.bash("rm -rf ~/.ssh");
    second.denied();
    [first, second]
}

#[test]
fn operations_are_logged_as_in_the_seed() {
    let scratch = with("      - { id: log-operations, uses: log-operations, type: observability }\n");
    two_calls(&scratch);
    let mut logged = lines(&scratch.home().join(".claude/logs/operations.jsonl"), 2);
    logged.sort_by_key(|line| line["tool_input"]["command"].as_str().unwrap().to_owned());
    assert_eq!(logged.len(), 2, "{logged:?}");
    for (line, blocked) in logged.iter().zip([false, true]) {
        let mut keys: Vec<&String> = line.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["blocked", "session_id", "timestamp", "tool_input", "tool_name"]);
        assert_eq!((&line["tool_name"], &line["blocked"]), (&json!("Bash"), &json!(blocked)), "{line}");
    }
    let command = logged[0]["tool_input"]["command"].as_str().unwrap();
    assert!(command.starts_with("echo \"a 'b' \\\\ é\" ‹secret:github-token"), "{command}");
}

#[test]
fn metrics_are_sent_by_udp() {
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let port = udp.local_addr().unwrap().port();
    let scratch = with(&format!(
        "      - {{ id: emit-metrics, uses: emit-metrics, type: observability, config: {{ statsd_host: 127.0.0.1, statsd_port: {port}, prefix: mine }} }}\n"
    ));
    two_calls(&scratch);
    let mut got: Vec<String> = Vec::new();
    let mut packet = [0; 2048];
    for _ in 0..2 {
        let count = udp.recv(&mut packet).unwrap();
        got.push(String::from_utf8_lossy(&packet[..count]).into_owned());
    }
    got.sort();
    assert_eq!(
        got,
        ["mine.tool.Bash:1|c\nmine.decision.allow:1|c", "mine.tool.Bash:1|c\nmine.decision.block:1|c"]
    );
}

#[test]
fn token_usage_is_that_of_the_last_answer() {
    let scratch = with(
        "      - { id: track-token-usage, uses: track-token-usage, type: observability, config: { log_file: ~/tokens.jsonl } }\n",
    );
    let transcript = scratch.home().join("t.jsonl");
    // Longer than anybody would want to read for its last line.
    let filler = format!("{{\"type\":\"user\",\"text\":\"{}\"}}\n", "x".repeat(1000)).repeat(4000);
    let recorded = include_str!("../../agents/transcripts/claude-code-2.1.325.jsonl");
    std::fs::write(&transcript, filler + recorded).unwrap();
    let mut payload: Value =
        serde_json::from_slice(&scratch.payload("Bash", json!({"command": "ls src"}))).unwrap();
    for (at, path) in [json!(transcript), json!("/nowhere"), json!("/dev/zero")].into_iter().enumerate() {
        payload["transcript_path"] = path;
        scratch.hook("PreToolUse", payload.to_string().as_bytes());
        let logged = lines(&scratch.home().join("tokens.jsonl"), at + 1);
        assert_eq!(logged.len(), at + 1);
        let output = &logged[at]["usage"]["output_tokens"];
        assert_eq!(output.is_number(), at == 0, "{}", logged[at]);
    }
}

#[test]
fn a_trace_holds_the_event_and_what_was_said_before() {
    let scratch = with(
        "      - { id: validate-tool-inputs, uses: validate-tool-inputs, type: safety }\n      - { id: debug-tracer, uses: debug-tracer, type: observability, config: { trace_file: ~/trace.jsonl } }\n",
    );
    two_calls(&scratch);
    let traced = lines(&scratch.home().join("trace.jsonl"), 2);
    assert_eq!(traced.len(), 2, "{traced:?}");
    for line in &traced {
        assert_eq!(line["event"]["hook_event_name"], "PreToolUse");
        let refused = line["event"]["tool_input"]["command"] == "rm -rf ~/.ssh";
        let before = if refused { "tollgate" } else { "validate-tool-inputs" };
        assert_eq!(line["results"][0]["id"], before, "{line}");
        assert!(!line.to_string().contains(TOKEN), "{line}");
    }
}

#[test]
fn an_observer_that_fails_changes_no_answer() {
    let scratch = with(
        "      - { id: log-operations, uses: log-operations, type: observability, config: { log_file: /proc/nowhere/x } }\n      - { id: track-token-usage, uses: track-token-usage, type: observability, config: { log_file: ~/.ssh } }\n      - { id: emit-metrics, uses: emit-metrics, type: observability, config: { statsd_host: no.such.host.invalid } }\n",
    );
    let [first, second] = two_calls(&scratch);
    assert!(first.time < Duration::from_secs(3) && second.time < Duration::from_secs(3));
}
