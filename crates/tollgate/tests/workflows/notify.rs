//! Notifications reach a person, and nobody waits for them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::team::{Team, passes};

/// Long enough for a process to be started on a busy machine.
const LONG: Duration = Duration::from_secs(20);

fn appears(path: &Path) -> String {
    let start = Instant::now();
    while start.elapsed() < LONG {
        if let Ok(text) = std::fs::read_to_string(path)
            && !text.is_empty()
        {
            return text;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{} did not appear", path.display());
}

/// The whole request that comes in, unless nobody asks.
fn request(listener: &TcpListener, wait: Duration) -> Option<String> {
    listener.set_nonblocking(true).unwrap();
    let start = Instant::now();
    while start.elapsed() < wait {
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let (mut all, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = stream.read(&mut piece) {
            all.extend_from_slice(&piece[..count]);
            let text = String::from_utf8_lossy(&all).into_owned();
            let length = text
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if let (Some((_, body)), Some(length)) = (text.split_once("\r\n\r\n"), length)
                && body.len() >= length
            {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                return Some(text);
            }
        }
    }
    None
}

#[test]
fn a_command_gets_the_summary_and_holds_nothing_up() {
    let team = Team::with(
        r#"[{ notify: { run: "sleep 0.1; printf %s \"$TOLLGATE_TEXT\" > env.txt; cat > in.txt; sleep 30" } }]"#,
    );
    passes(&team.tool("Bash", json!({"command": "ls"})));
    passes(&team.tool("Bash", json!({"command": "ls -l"})));
    passes(&team.spawn("helper"));
    passes(&team.file("src/a.rs", "x"));
    let answer = team.stop();
    passes(&answer);
    assert!(answer.time < Duration::from_secs(10), "the answer waited: {:?}", answer.time);
    let expected =
        "stopped. Agents launched: 1. Commands run: 2. Calls refused: none. Files changed: src/a.rs.";
    for file in ["env.txt", "in.txt"] {
        let text = appears(&team.scratch.project().join(file));
        assert!(text.contains(expected), "{file}: {text}");
    }
}

#[test]
fn ntfy_is_told_of_stops_refusals_and_waiting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let team = Team::with(&format!("[{{ notify: {{ ntfy: \"http://127.0.0.1:{port}/my-topic\" }} }}]"));
    let events: [(&str, &dyn Fn() -> crate::support::Answer); 4] = [
        ("stopped. Agents launched: none.", &|| team.stop()),
        ("helper stopped.", &|| team.done("helper")),
        ("Claude needs you", &|| {
            team.send(
                "Notification",
                json!({"message": "Claude needs you", "notification_type": "idle_prompt"}),
            )
        }),
        ("refused a call of Bash", &|| team.tool("Bash", json!({"command": "cat ~/.ssh/id_rsa"}))),
    ];
    for (expected, event) in events {
        // Nobody listens yet: the answer does not wait for that.
        let answer = event();
        assert!(answer.time < Duration::from_secs(10), "{expected}: {:?}", answer.time);
        let request = request(&listener, LONG).unwrap_or_else(|| panic!("{expected}: nothing came"));
        assert!(
            request.starts_with("POST /my-topic HTTP/1.1\r\n") && request.contains(expected),
            "{request}"
        );
        assert!(!request.contains("PRIVATE-KEY"), "{request}");
    }
}

#[test]
fn nothing_is_sent_that_a_persons_own_policy_does_not_name() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let team = Team::with("[]");
    let policy = format!(
        "version: 1\nworkflows: [{{ notify: {{ ntfy: \"http://127.0.0.1:{port}/t\", run: \"touch ran\" }} }}]\n"
    );
    team.write("tollgate.yaml", &policy);
    passes(&team.stop());
    assert_eq!(request(&listener, Duration::from_secs(2)), None);
    assert!(!team.scratch.project().join("ran").exists());
    // The same words in a policy of one's own do send: the silence above is not an accident.
    team.scratch.policy(&policy);
    passes(&team.stop());
    assert!(request(&listener, LONG).is_some());
}

#[test]
fn an_address_that_is_none_is_told() {
    let team = Team::with("[{ notify: { ntfy: my-topic } }]");
    let answer = team.session_starts("startup");
    assert!(answer.says("`my-topic` is no address; write `https://ntfy.sh/your-topic`"), "{}", answer.stdout);
}
