//! Each sink against a receiver of the test's own.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::time::{Duration, Instant};

use serde_json::Value;
use tollgate_sinks::{Delivered, MOST, PATIENCE, Sink, deliver};

fn lines() -> Vec<String> {
    [
        r#"{"v":1,"seq":1,"ts":"2026-01-31T12:00:00.000000Z","id":"t1","agent":"claude-code","session":"s","event":"PreToolUse","phase":"pre-tool","tool":"Bash","verdict":"deny","findings":[{"rule":"rm","verdict":"deny","what":"deletes a home"}],"us":{"judge":1500}}"#,
        r#"{"v":1,"seq":2,"ts":"2026-01-31T12:00:01.000000Z","id":"t2","agent":"claude-code","session":"s","event":"PreToolUse","phase":"pre-tool","tool":"Read","verdict":"allow","us":{"judge":500}}"#,
        r#"{"v":1,"seq":3,"ts":"2026-01-31T12:00:03.000000Z","id":"t2","agent":"claude-code","session":"s","event":"PostToolUse","phase":"post-tool","tool":"Read","verdict":"allow","took_ms":40}"#,
    ]
    .map(str::to_owned)
    .into()
}

fn all_sent() -> Delivered {
    Delivered { sent: 3, dropped: 0, why: None }
}

/// A server that answers so many requests, and hands their paths and bodies back.
fn server(requests: usize, answer: &'static str) -> (String, std::thread::JoinHandle<Vec<(String, Value)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let received = std::thread::spawn(move || {
        let mut received = Vec::new();
        for _ in 0..requests {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = Vec::new();
            let mut piece = [0; 4096];
            let (head, body) = loop {
                let count = stream.read(&mut piece).unwrap();
                bytes.extend(&piece[..count]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
                if body.len() >= length.parse().unwrap() {
                    break (head.to_owned(), body.to_owned());
                }
            };
            stream.write_all(answer.as_bytes()).unwrap();
            let path = head.split(' ').nth(1).unwrap().to_owned();
            received.push((path, serde_json::from_str(&body).unwrap()));
        }
        received
    });
    (address, received)
}

#[test]
fn an_otlp_receiver_gets_spans_logs_and_metrics() {
    let (endpoint, received) = server(3, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let sink = Sink::Otlp { endpoint, headers: vec![("x-key".into(), "k".into())] };
    assert_eq!(deliver(&sink, &lines()), all_sent());
    let received = received.join().unwrap();
    let paths: Vec<&str> = received.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/v1/traces", "/v1/logs", "/v1/metrics"]);
    let spans = &received[0].1["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(spans.as_array().unwrap().len(), 2);
    assert_eq!(
        (&spans[0]["traceId"], &spans[0]["parentSpanId"]),
        (&spans[1]["traceId"], &spans[1]["parentSpanId"])
    );
    assert_ne!(spans[0]["spanId"], spans[1]["spanId"]);
    assert_eq!(
        (spans[0]["traceId"].as_str().unwrap().len(), spans[0]["spanId"].as_str().unwrap().len()),
        (32, 16)
    );
    let nanos = |key: &str| spans[1][key].as_str().unwrap().parse::<u64>().unwrap();
    assert_eq!(nanos("endTimeUnixNano") - nanos("startTimeUnixNano"), 2_000_500_000);
    assert_eq!(received[1].1["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().len(), 3);
    let points = &received[2].1["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["sum"]["dataPoints"];
    assert_eq!(points.as_array().unwrap().len(), 2);
}

#[test]
fn a_udp_socket_gets_counters_and_timers() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let delivered = deliver(&Sink::Statsd { address, prefix: "tollgate".into() }, &lines());
    assert_eq!(delivered, all_sent());
    let mut packet = [0; 2048];
    let count = socket.recv(&mut packet).unwrap();
    let text = String::from_utf8_lossy(&packet[..count]).into_owned();
    for line in [
        "tollgate.claude-code.calls.Bash.deny:1|c",
        "tollgate.claude-code.gate:1.5|ms",
        "tollgate.claude-code.ran.Read:40|ms",
        "tollgate.claude-code.rules.rm:1|c",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} in {text}");
    }
}

#[test]
fn a_webhook_gets_the_records_and_a_refusal_counts_as_dropped() {
    let (url, received) = server(1, "HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(deliver(&Sink::Webhook { url: format!("{url}/hook"), headers: vec![] }, &lines()), all_sent());
    let received = received.join().unwrap();
    assert_eq!((received[0].0.as_str(), received[0].1.as_array().unwrap().len()), ("/hook", 3));
    let (url, received) = server(1, "HTTP/1.1 500 No\r\n\r\n");
    let refused = deliver(&Sink::Webhook { url, headers: vec![] }, &lines());
    assert_eq!((refused.sent, refused.dropped), (0, 3));
    assert!(refused.why.unwrap().contains("500"));
    received.join().unwrap();
}

#[test]
fn what_does_not_answer_is_dropped_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let sinks = [
        Sink::Webhook { url: url.clone(), headers: vec![] },
        Sink::Otlp { endpoint: url, headers: vec![] },
        Sink::Command { words: vec!["sleep".into(), "60".into()] },
        Sink::Command { words: vec!["/nowhere/at/all".into()] },
        Sink::Webhook { url: "https://127.0.0.1/".into(), headers: vec![] },
        Sink::Webhook { url: "http://127.0.0.1:1/".into(), headers: vec![] },
    ];
    std::thread::scope(|scope| {
        for sink in &sinks {
            scope.spawn(move || {
                let start = Instant::now();
                let delivered = deliver(sink, &lines());
                assert_eq!((delivered.sent, delivered.dropped), (0, 3), "{sink:?}");
                assert!(start.elapsed() < PATIENCE + Duration::from_secs(2), "{sink:?}");
            });
        }
    });
}

#[test]
fn a_program_gets_a_line_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("got");
    let words = ["sh", "-c", "cat > \"$0\"", file.to_str().unwrap()].map(str::to_owned).into();
    assert_eq!(deliver(&Sink::Command { words }, &lines()), all_sent());
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 3);
}

#[test]
fn files_get_whole_lines_and_the_seeds_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".agentic/analytics/events.jsonl");
    for _ in 0..2 {
        assert_eq!(deliver(&Sink::Analytics { path: path.clone() }, &lines()), all_sent());
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(text.lines().count(), 6);
    for (key, value) in [
        ("timestamp", "2026-01-31T12:00:00.000000Z"),
        ("event_type", "hook_decision"),
        ("handler", "pre-tool-use"),
        ("tool_name", "Bash"),
        ("decision", "block"),
        ("reason", "deletes a home"),
        ("tool_use_id", "t1"),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
}

#[test]
fn f21_no_link_is_followed_on_the_way_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("precious");
    std::fs::write(&target, "years of work").unwrap();
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir_all(project.join(".agentic/analytics")).unwrap();
    let path = project.join(".agentic/analytics/events.jsonl");
    let refused =
        |path: &std::path::Path| deliver(&Sink::Analytics { path: path.to_owned() }, &lines()).dropped == 3;

    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert!(refused(&path));
    std::fs::remove_file(&path).unwrap();
    std::fs::hard_link(&target, &path).unwrap();
    assert!(refused(&path));
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_dir(project.join(".agentic/analytics")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, project.join(".agentic/analytics")).unwrap();
    assert!(refused(&path));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "years of work");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn more_than_a_sink_takes_is_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<String> = (0..MOST + 7).map(|number| format!(r#"{{"seq":{number}}}"#)).collect();
    let delivered = deliver(&Sink::Jsonl { path: folder.path().join("x.jsonl") }, &many);
    assert_eq!((delivered.sent, delivered.dropped), (MOST as u64, 7));
    assert!(delivered.why.is_some());
}
