//! Sinks, from the policy file to the receiver: after the answer, never in its way.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::Scratch;

fn tollgate(scratch: &Scratch, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a file holds once enough lines are in it.
fn lines(path: &Path, count: usize) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if lines.len() >= count || Instant::now() > end {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn accounts(scratch: &Scratch, wanted: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let text = text(&tollgate(scratch, &["stats", "--json"]));
        let sinks = serde_json::from_str::<Value>(&text).unwrap()["sinks"].clone();
        if wanted(&sinks) || Instant::now() > end {
            return sinks;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn allowed(scratch: &Scratch) {
    // A policy that is new is told once, so that the answer need not be silent.
    assert_eq!(scratch.bash("ls src").decision(), "none");
}

#[test]
fn records_go_where_the_policy_says() {
    let scratch = Scratch::new();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let journal = scratch.home().join("journal");
    let heads = UnixDatagram::bind(&journal).unwrap();
    heads.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    scratch.policy(&format!(
        "version: 1\nsinks:\n  - {{ uses: jsonl, path: ~/all.jsonl }}\n  - {{ uses: analytics }}\n  - {{ uses: statsd, address: \"{}\" }}\n  - {{ uses: command, run: [sh, -c, 'cat >> \"$HOME/piped\"'] }}\n  - {{ uses: syslog, path: {} }}\n",
        udp.local_addr().unwrap(),
        journal.display()
    ));
    allowed(&scratch);
    scratch.bash("rm -rf ~/.ssh").denied();
    let all = lines(&scratch.home().join("all.jsonl"), 2);
    assert_eq!(all, scratch.log());
    assert_eq!(lines(&scratch.home().join("piped"), 2), scratch.log());
    let seed = lines(&scratch.project().join(".agentic/analytics/events.jsonl"), 2);
    let decisions: Vec<&str> = seed.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["allow", "block"]);
    let mut packet = [0; 2048];
    let count = udp.recv(&mut packet).unwrap();
    assert!(String::from_utf8_lossy(&packet[..count]).contains("tollgate.claude-code.calls.Bash."));

    let sinks = accounts(&scratch, |sinks| sinks.as_array().unwrap().iter().all(|sink| sink["sent"] == 2));
    assert!(
        sinks.as_array().unwrap().iter().all(|sink| sink["sent"] == 2 && sink["dropped"] == 0),
        "{sinks}"
    );
    assert!(text(&tollgate(&scratch, &["doctor"])).contains("anchored: `syslog"));
    let count = heads.recv(&mut packet).unwrap();
    let noted = scratch.home().join("noted");
    std::fs::write(&noted, &packet[..count]).unwrap();
    let audit = tollgate(&scratch, &["audit", "--anchor", noted.to_str().unwrap()]);
    assert!(text(&audit).contains("and all hold"), "{}", text(&audit));
    assert_eq!(audit.status.code(), Some(0));
}

#[test]
fn a_sink_that_hangs_or_is_gone_delays_no_answer() {
    let scratch = Scratch::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    scratch.policy(&format!(
        "version: 1\nsinks:\n  - {{ uses: webhook, url: \"{url}\" }}\n  - {{ uses: otlp, url: \"http://127.0.0.1:1\" }}\n  - {{ uses: command, run: [sleep, \"60\"] }}\n  - {{ uses: jsonl, path: ~/good.jsonl }}\n"
    ));
    allowed(&scratch);
    for _ in 0..5 {
        let answer = scratch.bash("ls src");
        assert!(answer.time < Duration::from_secs(3), "{:?}", answer.time);
        answer.silent();
    }
    assert_eq!(lines(&scratch.home().join("good.jsonl"), 6).len(), 6);
    let failing = |sinks: &Value, name: &str| {
        sinks
            .as_array()
            .unwrap()
            .iter()
            .any(|sink| sink["sink"].as_str().unwrap().starts_with(name) && sink["failing"].is_string())
    };
    let sinks = accounts(&scratch, |sinks| failing(sinks, "webhook") && failing(sinks, "command"));
    assert!(failing(&sinks, "webhook") && failing(&sinks, "command") && failing(&sinks, "otlp"), "{sinks}");
    let lost = sinks.as_array().unwrap().iter().find(|sink| sink["sink"] == "command sleep").unwrap();
    assert!(lost["dropped"].as_u64() > Some(0), "{lost}");
    let doctor = text(&tollgate(&scratch, &["doctor"]));
    assert!(doctor.contains("command sleep: 0 sent,") && doctor.contains("took too long"), "{doctor}");
}

#[test]
fn a_path_of_the_environment_takes_only_a_harmless_name() {
    for (asked, expected) in [
        ("out/analytics.jsonl", "out/analytics.jsonl"),
        ("~/.bashrc", ".agentic/analytics/events.jsonl"),
        ("../../x.jsonl", ".agentic/analytics/events.jsonl"),
    ] {
        let scratch = Scratch::new();
        scratch.policy("version: 1\nsinks: [{ uses: analytics }]\n");
        let mut command = scratch.command(Some("PreToolUse"));
        command.env("ANALYTICS_PATH", asked);
        support::answer(&mut command, &scratch.payload("Bash", json!({"command": "ls"})));
        assert_eq!(lines(&scratch.project().join(expected), 1).len(), 1, "{asked}");
        assert!(!scratch.home().join(".bashrc").exists());
    }
}

#[test]
fn a_program_is_looked_for_beside_the_policy_and_not_in_the_project() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    scratch.policy("version: 1\nsinks: [{ uses: command, run: [./importer] }]\n");
    for (folder, name) in [(scratch.config(), "own"), (scratch.project(), "planted")] {
        let program = folder.join("importer");
        std::fs::write(&program, format!("#!/bin/sh\ncat >> \"$HOME/{name}\"\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    allowed(&scratch);
    assert_eq!(lines(&scratch.home().join("own"), 1).len(), 1);
    assert!(!scratch.home().join("planted").exists());
}

#[test]
fn an_agent_runs_none_of_what_a_hook_starts() {
    let scratch = Scratch::new();
    let state = scratch.state();
    for command in [
        format!("tollgate deliver --config /tmp/mine --state {}", state.display()),
        format!("HOME=/tmp/empty tollgate alive {}", state.display()),
    ] {
        scratch.bash(&command).denied();
    }
    assert_eq!(scratch.bash("tollgate audit").decision(), "none", "looking is free");
}

#[test]
fn what_is_personal_is_kept_nowhere_when_asked() {
    let mail = ["jane.doe", "corp.io"].join("@");
    let scratch = Scratch::new();
    scratch.policy("version: 1\nredact: personal\nsinks: [{ uses: jsonl, path: ~/all.jsonl }]\n");
    scratch.bash(&format!("git log --author={mail} # call 415-867-5309, card 4111 1111 1111 1111"));
    let kept = lines(&scratch.home().join("all.jsonl"), 1)[0].to_string();
    assert_eq!(kept, scratch.log()[0].to_string());
    for private in [mail.as_str(), "867-5309", "4111 1111"] {
        assert!(!kept.contains(private), "{private} in {kept}");
    }
    for kind in ["‹personal:email:", "‹personal:phone:", "‹personal:card:"] {
        assert!(kept.contains(kind), "{kind} in {kept}");
    }
    let plain = Scratch::new();
    plain.bash(&format!("git log --author={mail}"));
    assert!(plain.log()[0].to_string().contains(&mail), "only when asked");
}

#[test]
fn a_session_hears_at_its_start_which_calls_went_around() {
    let scratch = Scratch::new();
    let start = |source: &str| {
        let payload = json!({
            "session_id": "s-2", "transcript_path": "/x/t.jsonl", "cwd": scratch.project(), "source": source,
            "hook_event_name": "SessionStart",
        });
        scratch.hook("SessionStart", payload.to_string().as_bytes())
    };
    assert!(!start("startup").says("went around"), "there is nothing to compare");
    scratch.bash("ls src");
    let folder = scratch.home().join(".claude/projects/-x");
    std::fs::create_dir_all(&folder).unwrap();
    let now = scratch.log().last().unwrap()["ts"].clone();
    let call = |id: &str| {
        json!({
            "type": "assistant", "sessionId": "5122a393-eb39-4719-8deb-297f5cd1e162", "timestamp": now, "uuid": id,
            "message": {"id": id, "role": "assistant", "model": "m", "content": [
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls src"}}
            ]},
        })
    };
    let transcript = folder.join("5122a393-eb39-4719-8deb-297f5cd1e162.jsonl");
    std::fs::write(&transcript, format!("{}\n", call("toolu_01"))).unwrap();
    // The first start may be told what was found before; whoever looks is given time.
    let told = |wanted: &str| {
        let end = Instant::now() + Duration::from_secs(60);
        while Instant::now() < end {
            if start("startup").says(wanted) {
                return true;
            }
        }
        false
    };
    assert!(told("1 passed the gate, 0 went around"));
    std::fs::write(&transcript, format!("{}\n{}\n", call("toolu_01"), call("toolu_99"))).unwrap();
    assert!(told("1 passed the gate, 1 went around"));
    assert!(!start("compact").says("went around"), "a session that goes on has heard it");
}
