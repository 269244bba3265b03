//! Each sink against a receiver of the test's own.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tollgate_sinks::{
    Account, Address, Courier, MOST, PATIENCE, Route, Signal, Sink, Trouble, accounts, is_running,
};
use tollgate_store::Log;

fn records() -> Vec<Value> {
    vec![
        json!({"v":1,"seq":1,"ts":"2026-01-31T12:00:00.000000Z","id":"t1","host":"box","user":"ann","cwd":"/p","agent":"claude-code","session":"s","event":"PreToolUse","phase":"pre-tool","tool":"Bash","verdict":"deny","findings":[{"rule":"rm","verdict":"deny","what":"deletes a home"}],"us":{"judge":1500},"hash":"aa"}),
        json!({"v":1,"seq":2,"ts":"2026-01-31T12:00:01.000000Z","id":"t2","agent":"claude-code","session":"s","event":"PreToolUse","phase":"pre-tool","tool":"Read","verdict":"allow","us":{"judge":500},"hash":"bb"}),
        json!({"v":1,"seq":3,"ts":"2026-01-31T12:00:03.000000Z","id":"t2","agent":"claude-code","session":"s","event":"PostToolUse","phase":"post-tool","tool":"Read","verdict":"allow","took_ms":40,"result_bytes":12,"hash":"cc"}),
    ]
}

fn deliver(sink: &Sink) -> Result<(), Trouble> {
    sink.deliver(&records(), &mut Value::Null)
}

fn at(url: &str) -> Address {
    Address { url: url.to_owned(), ..Address::default() }
}

/// Reads one request and answers it; path and body, unless the other side went away.
fn one_request(mut stream: impl Read + Write, answer: &str) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let (head, body) = loop {
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        bytes.extend(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() >= length.parse().unwrap() {
            break (head, body.to_owned());
        }
    };
    stream.write_all(answer.as_bytes()).unwrap();
    Some((head.split(' ').nth(1).unwrap().to_owned(), serde_json::from_str(&body).unwrap()))
}

/// A server that answers so many requests, and hands their paths and bodies back.
fn server(requests: usize, answer: &'static str) -> (String, std::thread::JoinHandle<Vec<(String, Value)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let received = std::thread::spawn(move || {
        (0..requests).map(|_| one_request(listener.accept().unwrap().0, answer).unwrap()).collect()
    });
    (address, received)
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

fn spans_of(body: &Value) -> &Vec<Value> {
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap()
}

#[test]
fn an_otlp_receiver_gets_spans_logs_and_metrics() {
    let (url, received) = server(3, OK);
    let to = Address { headers: vec![("x-key".into(), "k".into())], ..at(&url) };
    for signal in Signal::ALL {
        assert_eq!(deliver(&Sink::Otlp { signal, to: to.clone() }), Ok(()));
    }
    let received = received.join().unwrap();
    let paths: Vec<&str> = received.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/v1/traces", "/v1/logs", "/v1/metrics"]);
    let spans = spans_of(&received[0].1);
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["session", "execute_tool Bash", "execute_tool Read"]);
    for span in &spans[1..] {
        assert_eq!((&span["traceId"], &span["parentSpanId"]), (&spans[0]["traceId"], &spans[0]["spanId"]));
        assert_ne!(span["spanId"], spans[0]["spanId"]);
    }
    let resource = received[0].1["resourceSpans"][0]["resource"]["attributes"].to_string();
    for (key, value) in [("host.name", "box"), ("user.name", "ann"), ("service.name", "tollgate")] {
        let wanted = json!({"key": key, "value": {"stringValue": value}}).to_string();
        assert!(resource.contains(&wanted), "{resource}");
    }
    assert!(resource.contains("service.instance.id"), "{resource}");
    assert!(
        spans[1].to_string().contains(r#"{"key":"tollgate.project","value":{"stringValue":"/p"}}"#),
        "{}",
        spans[1]
    );
    let lengths = ["traceId", "spanId"].map(|key| spans[1][key].as_str().unwrap().len());
    assert_eq!(lengths, [32, 16]);
    let nanos = |key: &str| spans[2][key].as_str().unwrap().parse::<u64>().unwrap();
    assert_eq!(nanos("endTimeUnixNano") - nanos("startTimeUnixNano"), 2_000_500_000);
    assert_eq!(received[1].1["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().len(), 3);
    let metrics = received[2].1["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    assert_eq!(metrics[0]["sum"]["dataPoints"].as_array().unwrap().len(), 2);
    assert_eq!(metrics[1]["histogram"]["dataPoints"][0]["count"], "2");
}

#[test]
fn a_span_waits_for_its_result_and_a_turn_that_ends_closes_the_rest() {
    let (url, received) = server(3, OK);
    let sink = Sink::Otlp { signal: Signal::Traces, to: at(&url) };
    let mut memory = Value::Null;
    let all = records();
    let stop = json!({"ts":"2026-01-31T12:00:09.000000Z","agent":"claude-code","session":"s","phase":"stop"});
    let third = json!({"ts":"2026-01-31T12:00:08.000000Z","id":"t3","agent":"claude-code","session":"s","phase":"pre-tool","tool":"Grep","verdict":"allow"});
    for part in [&all[..2], &all[2..], &[third, stop]] {
        assert_eq!(sink.deliver(part, &mut memory), Ok(()));
    }
    let received = received.join().unwrap();
    let told: Vec<Vec<String>> = received
        .iter()
        .map(|(_, body)| {
            let outcome = |span: &Value| {
                span["attributes"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|one| one["key"] == "tollgate.outcome")
                    .map_or(String::new(), |one| one["value"]["stringValue"].as_str().unwrap().to_owned())
            };
            spans_of(body)
                .iter()
                .map(|span| format!("{} {}", span["name"].as_str().unwrap(), outcome(span)))
                .collect()
        })
        .collect();
    assert_eq!(
        told,
        [
            vec!["session ", "execute_tool Bash refused"],
            vec!["execute_tool Read ran"],
            vec!["execute_tool Grep no result"]
        ]
    );
    assert_eq!(memory["open"], json!({}));
}

#[test]
fn tls_is_spoken_with_those_who_can_prove_themselves() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/hook", listener.local_addr().unwrap().port());
    let config = Arc::new(config);
    let receiver = std::thread::spawn(move || {
        let mut got = Vec::new();
        for _ in 0..2 {
            let (tcp, _) = listener.accept().unwrap();
            let stream =
                rustls::StreamOwned::new(rustls::ServerConnection::new(config.clone()).unwrap(), tcp);
            got.push(one_request(stream, OK).is_some());
        }
        got
    });
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, cert.pem()).unwrap();
    let stranger = deliver(&Sink::Webhook { to: at(&url) }).unwrap_err();
    assert!(stranger.again, "{stranger:?}");
    assert_eq!(deliver(&Sink::Webhook { to: Address { ca: Some(ca), ..at(&url) } }), Ok(()));
    assert_eq!(receiver.join().unwrap(), [false, true], "nothing is sent to a stranger");
}

#[test]
fn a_udp_socket_gets_counters_and_timers() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    assert_eq!(deliver(&Sink::Statsd { address, prefix: "tollgate".into() }), Ok(()));
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
    assert!(!text.contains("Canary"), "{text}");
}

#[test]
fn a_webhook_gets_the_records_and_what_it_says_decides_whether_to_try_again() {
    let (url, received) = server(1, "HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(deliver(&Sink::Webhook { to: at(&format!("{url}/hook")) }), Ok(()));
    let received = received.join().unwrap();
    assert_eq!((received[0].0.as_str(), received[0].1.as_array().unwrap().len()), ("/hook", 3));
    for (answer, again) in [
        ("500 No", true),
        ("429 Slow", true),
        ("400 Never", false),
        ("302 Elsewhere\r\nLocation: http://127.0.0.1:1/", false),
    ] {
        let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
        let (url, received) = server(1, answer.leak());
        let refused = deliver(&Sink::Webhook { to: at(&url) }).unwrap_err();
        assert_eq!(refused.again, again, "{refused:?}");
        received.join().unwrap();
    }
}

#[test]
fn what_does_not_answer_is_given_up_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let sinks = [
        (Sink::Webhook { to: at(&url) }, true),
        (Sink::Otlp { signal: Signal::Logs, to: at(&url) }, true),
        (Sink::Command { words: vec!["sleep".into(), "60".into()] }, false),
        (Sink::Command { words: vec!["sh".into(), "-c".into(), "cat; exit 3".into()] }, false),
        (Sink::Command { words: vec!["/nowhere/at/all".into()] }, true),
        (Sink::Webhook { to: at("http://127.0.0.1:1/") }, true),
        (Sink::Webhook { to: at("no address") }, true),
        (Sink::Syslog { socket: "/nowhere/log".into() }, true),
    ];
    std::thread::scope(|scope| {
        for (sink, again) in &sinks {
            scope.spawn(move || {
                let start = Instant::now();
                let trouble = deliver(sink).unwrap_err();
                assert_eq!(trouble.again, *again, "{sink:?}: {trouble:?}");
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
    assert_eq!(deliver(&Sink::Command { words }), Ok(()));
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 3);
}

#[test]
fn the_systems_log_gets_the_head() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("log");
    let listener = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    assert_eq!(deliver(&Sink::Syslog { socket }), Ok(()));
    let mut packet = [0; 512];
    let count = listener.recv(&mut packet).unwrap();
    let text = String::from_utf8_lossy(&packet[..count]).into_owned();
    assert!(text.starts_with("<85>tollgate[") && text.ends_with("]: head 3:cc"), "{text}");
}

#[test]
fn files_get_whole_lines_and_the_seeds_form() {
    let folder = tempfile::tempdir().unwrap();
    let sink = Sink::Analytics { path: ".agentic/analytics/events.jsonl".into() };
    let mut of_project = records();
    for record in &mut of_project {
        record["project"] = folder.path().to_str().into();
    }
    of_project.push(json!({"phase": "stop", "session": "x", "cwd": "/nowhere/at/all"}));
    for _ in 0..2 {
        let gone = sink.deliver(&of_project, &mut Value::Null).unwrap_err();
        assert!(!gone.again, "a project that is gone holds nobody up: {gone:?}");
    }
    let text = std::fs::read_to_string(folder.path().join(".agentic/analytics/events.jsonl")).unwrap();
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
    let refused = |path: &Path| {
        [Sink::Analytics { path: path.to_owned() }, Sink::Jsonl { path: path.to_owned() }]
            .iter()
            .all(|sink| deliver(sink).is_err())
    };

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

/// A log with so many records.
fn fill(state: &Path, count: usize) {
    let record =
        tollgate_model::Record { call: String::new(), fields: vec![("agent".to_owned(), "x".into())] };
    Log::at(state).append_all((0..count).map(|_| (record.clone(), SystemTime::now()))).unwrap();
}

/// Two hooks at once under a policy that just named a sink: the courier of the second may be the one that gets to work.
#[test]
fn a_new_sink_gets_what_came_before_under_the_same_policy() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    for policy in ["old", "old", "new", "new", "new"] {
        let fields = vec![("agent".to_owned(), "x".into())];
        let record = tollgate_model::Record { call: String::new(), fields }.made_by("1", policy);
        Log::at(&state).append(&record, SystemTime::now()).unwrap();
    }
    let path = folder.path().join("out.jsonl");
    Courier { state: &state, sinks: &[Route::from(Sink::Jsonl { path: path.clone() })], from: 4 }.run();
    let text = std::fs::read_to_string(&path).unwrap();
    let seqs: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].clone()).collect();
    assert_eq!(seqs, [3, 4, 5]);
}

#[test]
fn a_courier_brings_everything_once_and_goes() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fill(&state, 2500);
    let path = folder.path().join("out.jsonl");
    let sinks = [Route::from(Sink::Jsonl { path: path.clone() })];
    let courier = Courier { state: &state, sinks: &sinks, from: 3 };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| courier.run());
        }
        let until = Instant::now() + Duration::from_secs(5);
        while !is_running(&state) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(is_running(&state));
        fill(&state, 10);
    });
    assert!(!is_running(&state));
    let text = std::fs::read_to_string(&path).unwrap();
    let seqs: Vec<u64> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, (3..=2510).collect::<Vec<_>>());
    let account = accounts(&state).remove(&sinks[0].sink.name()).unwrap();
    assert_eq!((account.seq, account.sent, account.dropped), (2510, 2508, 0));
}

#[test]
fn canaries_go_only_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fill(&state, 2);
    let canary = vec![("agent".to_owned(), "x".into()), ("canary".to_owned(), true.into())];
    let record = tollgate_model::Record { call: String::new(), fields: canary };
    Log::at(&state).append(&record, SystemTime::now()).unwrap();
    let paths = ["work.jsonl", "all.jsonl"].map(|name| folder.path().join(name));
    let route = |at: usize| Route { sink: Sink::Jsonl { path: paths[at].clone() }, canaries: at == 1 };
    let sinks = [route(0), route(1)];
    Courier { state: &state, sinks: &sinks, from: 1 }.run();
    let lines = paths.map(|path| std::fs::read_to_string(path).unwrap().lines().count());
    assert_eq!(lines, [2, 3]);
    let reached: Vec<u64> = accounts(&state).into_values().map(|account| account.seq).collect();
    assert_eq!(reached, [3, 3]);
}

#[test]
fn what_waits_too_long_is_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fill(&state, MOST as usize + 107);
    let socket = folder.path().join("log");
    let sinks = [Route::from(Sink::Syslog { socket: socket.clone() })];
    let courier = Courier { state: &state, sinks: &sinks, from: 1 };
    let account = || -> Account { accounts(&state).remove(&sinks[0].sink.name()).unwrap() };
    courier.run();
    let failing = account();
    assert_eq!((failing.seq, failing.sent, failing.dropped), (107, 0, 107));
    assert!(failing.failures > 0 && !failing.why.is_empty(), "{failing:?}");
    let listener = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while account().seq < MOST + 107 && Instant::now() < until {
        courier.run();
    }
    let mended = account();
    assert_eq!((mended.seq, mended.sent, mended.dropped, mended.why.as_str()), (MOST + 107, MOST, 107, ""));
    drop(listener);
}

#[test]
fn a_log_that_was_begun_anew_is_delivered_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let path = folder.path().join("out.jsonl");
    let sinks = [Route::from(Sink::Jsonl { path: path.clone() })];
    let lines = || std::fs::read_to_string(&path).unwrap_or_default().lines().count();
    fill(&state, 300);
    Courier { state: &state, sinks: &sinks, from: 1 }.run();
    assert_eq!(lines(), 300);
    for name in ["events.jsonl", "head"] {
        std::fs::remove_file(state.join(name)).unwrap();
    }
    fill(&state, 20);
    Courier { state: &state, sinks: &sinks, from: 1 }.run();
    assert_eq!(lines(), 320);
    fill(&state, 5);
    Courier { state: &state, sinks: &sinks, from: 25 }.run();
    assert_eq!(lines(), 325, "the same log goes on where it was");
}

#[test]
fn what_was_pruned_before_it_was_sent_is_counted_as_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let path = folder.path().join("out.jsonl");
    let sinks = [Route::from(Sink::Jsonl { path: path.clone() })];
    let log = Log::at(&state).limits(tollgate_store::Limits { part: 1 << 10, ..Default::default() });
    let record =
        tollgate_model::Record { call: String::new(), fields: vec![("agent".to_owned(), "x".into())] };
    log.append_all((0..50).map(|_| (record.clone(), SystemTime::now()))).unwrap();
    log.prune(tollgate_store::Keep { bytes: Some(0), since: None }, SystemTime::now()).unwrap().unwrap();
    let first = log.records().next().unwrap().seq;
    Courier { state: &state, sinks: &sinks, from: 1 }.run();
    let account = accounts(&state).remove(&sinks[0].sink.name()).unwrap();
    assert_eq!((account.dropped, account.sent), (first - 1, 51 - (first - 1)), "{account:?}");
    assert!(first > 10);
}

#[test]
fn f16_a_clock_that_was_put_back_keeps_no_sink_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let path = folder.path().join("out.jsonl");
    let sinks = [Route::from(Sink::Jsonl { path: path.clone() })];
    fill(&state, 3);
    let waiting = json!({ sinks[0].sink.name(): {"retry_at": 4_000_000_000_u64, "failures": 1, "why": "x"} });
    std::fs::write(state.join("sinks.json"), waiting.to_string()).unwrap();
    Courier { state: &state, sinks: &sinks, from: 1 }.run();
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default().lines().count(), 3);
}
