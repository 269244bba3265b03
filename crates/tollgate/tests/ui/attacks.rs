//! What an agent on the same machine, or a page in the same browser, may try.

use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{PIN, Server, bad, busy, call, event, set_pin};
use crate::support::{Scratch, is_missing};

/// Every address, with a method that it answers.
const ADDRESSES: [(&str, &str); 18] = [
    ("GET", "/api/about"),
    ("GET", "/api/now"),
    ("GET", "/api/stream"),
    ("GET", "/api/events"),
    ("GET", "/api/events/1"),
    ("GET", "/api/sessions"),
    ("GET", "/api/sessions/claude-code:s-work"),
    ("GET", "/api/sessions/claude-code:s-work/export"),
    ("GET", "/api/rules"),
    ("GET", "/api/rules/outside-delete"),
    ("GET", "/api/policy"),
    ("GET", "/api/undo"),
    ("GET", "/api/cost"),
    ("GET", "/api/waiting"),
    ("GET", "/api/doctor"),
    ("GET", "/api/nothing"),
    ("POST", "/api/approvals"),
    ("POST", "/api/undo/x/restore"),
];

#[test]
fn without_the_token_nothing_is_told() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let host = server.host();
    let origin = format!("http://{host}");
    let almost = format!("Bearer {}0", server.token.get(..63).unwrap());
    let guesses = ["", "Bearer", "Bearer ", "Basic x", almost.as_str(), &server.token, "Bearer null"];
    for (method, path) in ADDRESSES {
        for guess in guesses {
            let headers = [
                ("Host", host.as_str()),
                ("Origin", &origin),
                ("Authorization", guess),
                ("Content-Type", "application/json"),
            ];
            let reply = server.request(method, path, &headers, "{}");
            assert_eq!((reply.status, reply.code().as_str()), (401, "no_token"), "{path} {guess}");
            assert!(!reply.body.contains("s-work") && !reply.body.contains(&server.token));
        }
        let in_query = format!("{path}?token={}", server.token);
        assert_eq!(
            server.request(method, &in_query, &[("Host", &host), ("Origin", &origin)], "").status,
            401
        );
    }
    let health = server.request("GET", "/api/health", &[("Host", &host)], "");
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"ok":true}"#));
}

#[test]
fn a_foreign_name_or_page_is_refused() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let token = server.bearer();
    for host in ["evil.test", "127.0.0.1", "localhost:1", "127.0.0.1.evil.test", "[::1]", ""] {
        for path in ["/api/now", "/api/health", "/", "/open/x"] {
            let reply = server.request("GET", path, &[("Host", host), ("Authorization", &token)], "");
            assert!(matches!(reply.status, 400 | 403), "{host} {path}: {}", reply.status);
            assert!(!reply.body.contains("s-work"));
        }
    }
    let host = server.host();
    for (name, value) in [
        ("Origin", "http://evil.test"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        let headers = [("Host", host.as_str()), ("Authorization", token.as_str()), (name, value)];
        let reply = server.request("GET", "/api/now", &headers, "");
        assert_eq!((reply.status, reply.code().as_str()), (403, "wrong_origin"), "{name}: {value}");
    }
    // A request that changes something and does not say where it is from.
    let headers =
        [("Host", host.as_str()), ("Authorization", token.as_str()), ("Content-Type", "application/json")];
    assert_eq!(server.request("POST", "/api/approvals", &headers, "{}").code(), "wrong_origin");
    // A form of another page sends no JSON.
    let origin = format!("http://{host}");
    let form = [
        ("Host", host.as_str()),
        ("Authorization", token.as_str()),
        ("Origin", origin.as_str()),
        ("Content-Type", "text/plain"),
    ];
    assert_eq!(server.request("POST", "/api/approvals", &form, "{}").code(), "bad_request");
    let wrong = server.request("PUT", "/api/approvals", &form, "{}");
    assert_eq!((wrong.status, wrong.code().as_str()), (405, "not_allowed"));
    // No address answers a page of somebody else.
    for reply in [server.get("/api/now"), server.get("/"), server.get("/api/nothing")] {
        assert!(reply.header("access-control-allow-origin").is_none());
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    }
}

#[test]
fn the_server_is_on_loopback_alone_and_the_token_is_nowhere_to_be_read() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let listening = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X} 00000000:0000 0A", server.port);
    let lines: Vec<&str> = listening.lines().filter(|line| line.contains(&port)).collect();
    assert!(lines.iter().all(|line| line.contains("0100007F:")), "{lines:?}");
    assert_eq!(lines.len(), 1);
    let line = std::fs::read(format!("/proc/{}/cmdline", server.pid())).unwrap();
    assert!(!String::from_utf8_lossy(&line).contains(&server.token));
    let text = |path: &str| std::fs::read(format!("/proc/{}/{path}", server.pid()));
    assert!(!String::from_utf8_lossy(&text("environ").unwrap_or_default()).contains(&server.token));
    let status = std::fs::metadata(format!("/proc/{}/mem", server.pid())).unwrap();
    // Root owns the memory of a process that may not be looked at.
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&status), 0);
    server.value("/api/now");
    for file in files(scratch.home().as_path()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let found = String::from_utf8_lossy(&bytes).contains(&server.token);
        assert!(!found, "{}", file.display());
    }
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.push(entry.path());
        }
    }
    all
}

#[test]
fn an_agent_starts_no_server() {
    let scratch = Scratch::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["ui", "--no-open", "--print-url"]);
    scratch.clean(&mut command);
    command.env("CLAUDECODE", "1");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is for people"));
}

#[test]
fn no_path_leads_out_of_the_page() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let host = server.host();
    for path in [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/assets/%00",
        "/.local/state/tollgate/events.jsonl",
    ] {
        let reply = server.request("GET", path, &[("Host", &host)], "");
        assert!(!reply.body.contains("root:") && !reply.body.contains("s-work"), "{path}: {}", reply.body);
    }
    for start in ["GET http://evil.test/api/now HTTP/1.1", "CONNECT evil.test:80 HTTP/1.1", "GET * HTTP/1.1"]
    {
        let request = format!("{start}\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert!(!server.raw(request.as_bytes()).body.contains("s-work"));
    }
}

#[test]
fn large_slow_and_broken_requests_harm_nobody() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let (host, token) = (server.host(), server.bearer());
    let large = server.post("/api/approvals", &json!({"digest": "a".repeat(100_000), "pin": "x"}));
    assert_eq!((large.status, large.code().as_str()), (413, "too_large"));
    let endless = format!(
        "POST /api/approvals HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nAuthorization: {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n{}",
        "x".repeat(70_000)
    );
    assert_eq!(server.raw(endless.as_bytes()).status, 413);
    let header = format!("GET /api/now HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "x".repeat(500_000));
    assert!(matches!(server.raw(header.as_bytes()).status, 0 | 400 | 431));
    for broken in ["{", "[]", "null", "{\"pin\":1}", r#"{"digest":"a","pin":"b","more":1}"#, "\u{0}"] {
        let origin = format!("http://{host}");
        let headers = [
            ("Host", host.as_str()),
            ("Authorization", token.as_str()),
            ("Origin", origin.as_str()),
            ("Content-Type", "application/json"),
        ];
        assert_eq!(server.request("POST", "/api/approvals", &headers, broken).status, 400, "{broken}");
    }
    for query in [
        "limit=0",
        "limit=501",
        "limit=-1",
        "limit=x",
        "before=x",
        "kind=x",
        "filter=%22",
        "filter=outcome:x",
    ] {
        assert_eq!(server.get(&format!("/api/events?{query}")).status, 400, "{query}");
    }
    assert_eq!(server.get(&format!("/api/events?filter={}", "x".repeat(5_000))).status, 400);
    // Clients that never finish a head are let go, and do not keep others out meanwhile.
    let mut slow: Vec<_> = (0..60).map(|_| server.connect()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap());
    let begun = Instant::now();
    server.value("/api/now");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let mut rest = Vec::new();
    let _ = slow[0].read_to_end(&mut rest);
    assert!(begun.elapsed() < Duration::from_secs(40), "a slow client is let go");
}

#[test]
fn no_answer_holds_a_secret_or_breaks_on_hostile_text() {
    let scratch = busy();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let hostile = "</script><img src=x onerror=alert(1)>\u{1b}]0;x\u{7}\u{202e}\"'\\\u{0}\u{2028}";
    let session = "s-<b>\u{202e}";
    event(&scratch, session, "UserPromptSubmit", json!({"prompt": hostile}));
    call(
        &scratch,
        session,
        hostile,
        "Bash",
        json!({"command": format!("echo {secret} '{hostile}'"), "description": hostile}),
    );
    call(&scratch, session, "x2", hostile, json!({"file_path": hostile, hostile: hostile}));
    call(&scratch, session, "x3", "Bash", json!({"command": format!("echo {}", "long ".repeat(100_000))}));
    let saved = json!({"file_path": scratch.project().join(".env"), "content": format!("TOKEN={secret}")});
    std::fs::write(scratch.project().join(".env"), format!("TOKEN={secret}")).unwrap();
    call(&scratch, session, "x4", "Write", saved);
    let server = Server::start(&scratch);
    let rows = server.value("/api/events?kind=all&limit=500")["rows"].clone();
    let mut paths: Vec<String> =
        ["now", "events?kind=all", "sessions", "undo", "waiting", "rules", "doctor", "policy"]
            .iter()
            .map(|name| format!("/api/{name}"))
            .collect();
    for row in rows.as_array().unwrap() {
        paths.push(format!("/api/events/{}", row["seq"]));
        let id: String =
            row["session_id"].as_str().unwrap().bytes().map(|byte| format!("%{byte:02x}")).collect();
        paths.push(format!("/api/sessions/{id}"));
        paths.push(format!("/api/sessions/{id}/export"));
    }
    for snapshot in server.value("/api/undo")["snapshots"].as_array().unwrap() {
        paths.push(format!("/api/undo/{}", snapshot["id"].as_str().unwrap()));
    }
    paths.dedup();
    assert!(paths.len() > 20);
    for path in paths {
        let reply = server.get(&path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert!(!reply.body.contains(&secret), "{path}");
        assert!(!reply.body.contains("PRIVATE-KEY-MATERIAL"), "{path}");
        if path.ends_with("/export") {
            assert!(!reply.body.contains("<img") && !reply.body.contains('\u{202e}'), "{path}");
        } else {
            assert!(reply.json().is_object(), "{path}");
        }
    }
}

#[test]
fn the_first_link_opens_once() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let host = server.host();
    for guess in ["/open/", "/open/x", &format!("/open/{}", server.token)] {
        let reply = server.request("GET", guess, &[("Host", &host)], "");
        assert!(reply.header("location").is_none(), "{guess}: {}", reply.head);
    }
}

#[test]
fn an_agent_with_the_token_still_approves_nothing() {
    if is_missing("script") {
        return;
    }
    let scratch = busy();
    set_pin(&scratch);
    let server = Server::start(&scratch);
    let digest = server.value("/api/waiting")["calls"][0]["digest"].as_str().unwrap().to_owned();
    let hash = std::fs::read_to_string(scratch.state().join("owner.pin")).unwrap();
    for pin in ["", " ", "null", "zebra-4", "zebra-421", &PIN.to_uppercase(), hash.trim()].into_iter().take(3)
    {
        let reply = server.post("/api/approvals", &json!({"digest": digest, "pin": pin}));
        assert!(matches!(reply.status, 403 | 429), "{pin}: {}", reply.body);
    }
    assert!(scratch.log().iter().any(|record| record["event"] == "wrong-pin"));
    let before = scratch.log().len();
    call(&scratch, "s-bad", "b9", "Bash", json!({"command": bad(&scratch)}));
    assert_eq!(scratch.log()[before]["verdict"], "deny");
}
