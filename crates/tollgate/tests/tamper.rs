//! What is done to the log and to transcripts behind the gate's back, and what `tollgate audit` says about it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use support::Scratch;
use tollgate_model::Record;
use tollgate_store::{Limits, Log};

fn tollgate(scratch: &Scratch, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A log of small parts: 20 records each, however long the names of this machine and user are.
fn log(scratch: &Scratch) -> Log {
    static PART: OnceLock<u64> = OnceLock::new();
    let part = *PART.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::at(folder.path());
        let long = log.append(&record("s", 100), SystemTime::now()).unwrap().line.len() as u64 + 3;
        20 * long + long / 2
    });
    Log::at(&scratch.state()).limits(Limits { part, ..Limits::default() })
}

fn append(scratch: &Scratch, session: &str, numbers: std::ops::Range<u64>) {
    for number in numbers {
        log(scratch).append(&record(session, number), SystemTime::now()).unwrap();
    }
}

fn record(session: &str, number: u64) -> Record {
    let input = tollgate_model::json::object([("command", format!("echo {number}").into())]);
    let fields = [
        ("agent", "claude-code".into()),
        ("session", session.into()),
        ("event", "PreToolUse".into()),
        ("phase", "pre-tool".into()),
        ("tool", "Bash".into()),
        ("input", input),
        ("verdict", "allow".into()),
    ];
    let fields = fields.map(|(key, value)| (key.to_owned(), value)).into();
    Record { call: format!("{session}-{number}"), fields }
}

/// Some records in several parts, the old ones packed, all counted.
fn kept() -> Scratch {
    let scratch = Scratch::new();
    append(&scratch, "s", 0..106);
    log(&scratch).compress().unwrap();
    assert!(tollgate(&scratch, &["stats"]).status.success());
    let sound = tollgate(&scratch, &["audit"]);
    assert_eq!(sound.status.code(), Some(0), "{}", text(&sound));
    scratch
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn write(path: &Path, lines: &[String]) {
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// The current part, and the oldest one, which is packed.
fn current(state: &Path) -> PathBuf {
    state.join("events.jsonl")
}

fn oldest(state: &Path) -> PathBuf {
    let names = Log::at(state).parts();
    assert!(names[0].ends_with(".gz"), "{names:?}");
    state.join(&names[0])
}

fn repack(path: &Path, change: impl Fn(String) -> String) {
    let mut plain = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut plain).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(change(plain).as_bytes()).unwrap();
    std::fs::write(path, packed.finish().unwrap()).unwrap();
}

/// A line with another text and the hash that fits it.
fn rehashed(line: &str, from: &str, to: &str) -> String {
    let line = line.replace(from, to);
    let (body, _) = line.split_once(",\"hash\"").unwrap();
    let prev = body.rsplit('"').nth(1).unwrap();
    let hash = blake3::hash(format!("{prev}{body}").as_bytes()).to_hex();
    format!("{body},\"hash\":\"{}\"}}", &hash[..32])
}

/// The hash of a PIN lets its reader try PINs in peace.
#[test]
fn f49_the_hash_of_the_pin_is_not_the_agents_to_read() {
    let scratch = Scratch::new();
    scratch.bash("ls").silent();
    let state = scratch.state();
    let reads = [
        format!("cat {}/owner.pin", state.display()),
        format!("cd {} && cat owner.pin", state.display()),
        format!("cat {}/*", state.display()),
        format!("tar cf x.tar {}", state.display()),
        "cp -r ~/.local/state copy".to_owned(),
        "grep -r argon ~/.local".to_owned(),
    ];
    for command in &reads {
        assert_eq!(scratch.bash(command).decision(), "none", "no PIN is set: {command}");
    }
    std::fs::write(state.join("owner.pin"), "$argon2id$v=19$m=19456$x").unwrap();
    for command in &reads {
        let answer = scratch.bash(command);
        answer.denied();
        assert!(answer.says("PIN"), "{command}: {} {}", answer.stdout, answer.stderr);
    }
    scratch.tool("Read", json!({"file_path": state.join("owner.pin")})).denied();
    scratch.bash(&format!("cat {}/events.jsonl", state.display())).silent();
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn f39_whatever_is_done_to_the_log_is_found_and_located() {
    type Attack = fn(&Path);
    let attacks: [(&str, Attack, &str); 14] = [
        ("truncated", |s| write(&current(s), &lines(&current(s))[..2]), "had been written"),
        (
            "truncated, and the head taken away",
            |s| {
                write(&current(s), &lines(&current(s))[..2]);
                std::fs::remove_file(s.join("head")).unwrap();
            },
            "record 106 was taken in by the index",
        ),
        (
            "the log and the head taken away",
            |s| {
                std::fs::remove_file(current(s)).unwrap();
                std::fs::remove_file(s.join("head")).unwrap();
            },
            "record 106 was taken in by the index",
        ),
        (
            "reordered",
            |s| {
                let mut l = lines(&current(s));
                l.swap(0, 1);
                write(&current(s), &l)
            },
            "out of order",
        ),
        (
            "doubled",
            |s| {
                let mut l = lines(&current(s));
                l.insert(1, l[0].clone());
                write(&current(s), &l)
            },
            "events.jsonl:2: record",
        ),
        (
            "edited, with its hash",
            |s| {
                let mut l = lines(&current(s));
                l[1] = rehashed(&l[1], "allow", "deny");
                write(&current(s), &l);
            },
            "events.jsonl:2: the line was edited",
        ),
        (
            "moved to another session, with its hash",
            |s| {
                let mut l = lines(&current(s));
                l[1] = rehashed(&l[1], "\"session\":\"s\"", "\"session\":\"t\"");
                write(&current(s), &l);
            },
            "events.jsonl:2: the line was edited",
        ),
        (
            "a record of another log put in its place",
            |s| {
                let other = Scratch::new();
                append(&other, "other", 0..106);
                let donor: Vec<String> = Log::at(&other.state()).records().map(|entry| entry.line).collect();
                let mut l = lines(&current(s));
                let seq: Value = serde_json::from_str(&l[1]).unwrap();
                l[1] = donor[seq["seq"].as_u64().unwrap() as usize - 1].clone();
                write(&current(s), &l);
            },
            "events.jsonl:2: ",
        ),
        (
            "the head of another time",
            |s| {
                let old =
                    std::fs::read_to_string(s.join("head")).unwrap().replace("\"seq\":106", "\"seq\":150");
                std::fs::write(s.join("head"), old).unwrap();
                write(&current(s), &lines(&current(s))[..2]);
            },
            "record 106 was taken in by the index",
        ),
        (
            "a packed part edited",
            |s| repack(&oldest(s), |text| text.replacen("echo 3", "echo 4", 1)),
            ".jsonl.gz:4: the line was edited",
        ),
        (
            "a packed part shortened",
            |s| repack(&oldest(s), |text| text.lines().take(3).map(|l| format!("{l}\n")).collect()),
            "were removed",
        ),
        (
            "a packed part replaced with rubbish",
            |s| std::fs::write(oldest(s), b"rubbish").unwrap(),
            "were removed",
        ),
        (
            "a packed part cut off",
            |s| {
                let bytes = std::fs::read(oldest(s)).unwrap();
                std::fs::write(oldest(s), &bytes[..bytes.len() / 2]).unwrap();
            },
            "removed",
        ),
        ("a part taken away", |s| std::fs::remove_file(oldest(s)).unwrap(), "records 1 to "),
    ];
    for (name, attack, expected) in attacks {
        let scratch = kept();
        attack(&scratch.state());
        let audit = tollgate(&scratch, &["audit"]);
        let told = text(&audit).replace("\n  ", " ");
        assert_eq!(audit.status.code(), Some(1), "{name}: {told}");
        assert!(told.contains(expected) && told.contains("BROKEN"), "{name}: {told}");
        if expected.contains("taken in by the index") {
            let start = json!({"session_id": "new", "transcript_path": "/x", "cwd": scratch.project(), "hook_event_name": "SessionStart", "source": "startup"});
            let heard = || scratch.hook("SessionStart", start.to_string().as_bytes());
            let end = std::time::Instant::now() + Duration::from_secs(20);
            while !heard().says("the log was cut") {
                assert!(std::time::Instant::now() < end, "{name}: a session is told");
            }
            assert!(text(&tollgate(&scratch, &["doctor"])).contains("does not hold it any more"), "{name}");
        }
        for command in [&["log"][..], &["stats"], &["report"], &["replay"], &["suggest"]] {
            let output = tollgate(&scratch, command);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {command:?}: {}", text(&output));
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// A transcript of Claude Code with these calls.
fn transcript(scratch: &Scratch, calls: std::ops::Range<u64>) -> PathBuf {
    let line = |number: u64| {
        let call = json!({"type": "tool_use", "id": format!("s-{number}"), "name": "Bash", "input": {"command": format!("echo {number}")}});
        let message =
            json!({"id": format!("m{number}"), "role": "assistant", "model": "m", "content": [call]});
        let line = json!({"type": "assistant", "sessionId": "s", "timestamp": "2999-01-01T00:00:00.000Z", "message": message});
        line.to_string() + "\n"
    };
    let path = scratch.home().join(".claude/projects/-p/s.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, calls.map(line).collect::<String>()).unwrap();
    path
}

#[test]
fn f39_an_older_copy_of_everything_is_shown_by_the_transcripts_and_by_an_anchor() {
    let scratch = Scratch::new();
    append(&scratch, "s", 0..50);
    let backup = scratch.home().join("backup");
    copy(&scratch.state(), &backup);
    append(&scratch, "s", 50..60);
    let head: Value = serde_json::from_slice(&std::fs::read(scratch.state().join("head")).unwrap()).unwrap();
    let anchor = format!("{}:{}", head["seq"], head["hash"].as_str().unwrap());
    transcript(&scratch, 0..60);
    assert_eq!(tollgate(&scratch, &["audit", "--anchor", &anchor]).status.code(), Some(0));
    std::fs::remove_dir_all(scratch.state()).unwrap();
    std::fs::rename(&backup, scratch.state()).unwrap();
    let audit = tollgate(&scratch, &["audit"]);
    assert!(audit.status.code() == Some(1) && text(&audit).contains("10 went around"), "{}", text(&audit));
    let anchored = tollgate(&scratch, &["audit", "--anchor", &anchor]);
    assert!(text(&anchored).contains("ANCHOR BROKEN: record 60"), "{}", text(&anchored));
}

#[test]
fn f21_a_transcript_that_shrank_or_became_a_link_is_a_gap() {
    let scratch = Scratch::new();
    append(&scratch, "s", 0..10);
    let path = transcript(&scratch, 0..10);
    let audit = || tollgate(&scratch, &["audit"]);
    assert_eq!(audit().status.code(), Some(0), "{}", text(&audit()));
    let elsewhere = scratch.home().join("elsewhere.jsonl");
    std::fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    let linked = audit();
    assert_eq!(linked.status.code(), Some(1), "{}", text(&linked));
    assert!(text(&linked).contains("a link, which was not followed"), "{}", text(&linked));
    std::fs::remove_file(&path).unwrap();
    std::fs::rename(&elsewhere, &path).unwrap();
    assert_eq!(audit().status.code(), Some(0), "{}", text(&audit()));
    transcript(&scratch, 0..4);
    let shrunk = audit();
    assert!(shrunk.status.code() == Some(1) && text(&shrunk).contains("SHRUNK"), "{}", text(&shrunk));
}

#[test]
fn f29_rubbish_in_the_log_harms_no_command() {
    let scratch = Scratch::new();
    append(&scratch, "s", 0..20);
    let path = current(&scratch.state());
    let all = std::fs::read(&path).unwrap();
    let half = all.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let (before, after) = all.split_at(half);
    let huge = format!("{{\"v\":1,\"seq\":7,\"x\":\"{}\"}}\n", "x".repeat(3 << 20));
    let deep = format!("{{\"v\":1,\"seq\":8,\"x\":{}\n", "[".repeat(200_000));
    let rubbish: [&[u8]; 5] =
        [b"\xff\xfe\x00rubbish\n", huge.as_bytes(), deep.as_bytes(), b"\n\n\n", b"{}\n"];
    for piece in rubbish {
        std::fs::write(&path, [before, piece, after].concat()).unwrap();
        let commands: [&[&str]; 7] = [
            &["log"],
            &["log", "--format", "csv"],
            &["stats"],
            &["report"],
            &["replay"],
            &["suggest"],
            &["audit"],
        ];
        for command in commands {
            let output = tollgate(&scratch, command);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {}", text(&output));
        }
        let calls = &serde_json::from_slice::<Value>(&tollgate(&scratch, &["stats", "--json"]).stdout)
            .unwrap()["calls"]["calls"];
        assert!(calls.as_u64() >= Some(19), "{calls}");
    }
}

#[test]
fn following_goes_on_over_parts_that_are_set_aside_and_packed() {
    let scratch = Scratch::new();
    append(&scratch, "s", 0..5);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.args(["log", "--follow", "--json", "--session", "s", "--tool", "Bash", "--text", "echo"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> u64 {
        let line = lines.next().unwrap().unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["seq"].as_u64().unwrap()
    };
    let mut seen: Vec<u64> = (0..5).map(|_| next()).collect();
    append(&scratch, "s", 5..60);
    append(&scratch, "other", 0..30);
    log(&scratch).compress().unwrap();
    append(&scratch, "s", 60..90);
    assert!(Log::at(&scratch.state()).parts().len() > 3);
    seen.extend((0..85).map(|_| next()));
    std::fs::remove_dir_all(scratch.state()).unwrap();
    append(&scratch, "s", 0..3);
    let anew: Vec<u64> = (0..3).map(|_| next()).collect();
    assert_eq!(anew, [1, 2, 3], "a log that was begun anew is followed, too");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(seen, (1..=60).chain(91..=120).collect::<Vec<_>>());
}

/// A file system of the state directory's own: one that may only be read, or is full.
fn where_nothing_can_be_written(scratch: &Scratch, mount: &str, args: &[&str]) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-ec", &format!("{mount}; shift; exec \"$@\"")]);
    command.arg("sh").arg(scratch.state()).arg(env!("CARGO_BIN_EXE_tollgate")).args(args);
    scratch.clean(&mut command);
    command.output().unwrap()
}

#[test]
fn f04_figures_need_no_place_to_keep_them() {
    let tried = Command::new("unshare").args(["--map-root-user", "--mount", "true"]).status();
    if !tried.is_ok_and(|status| status.success()) {
        return;
    }
    const READ_ONLY: &str = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\"";
    const FULL: &str = "cp -r \"$1\" \"$1.copy\"; mount -t tmpfs -o size=512k,mode=700 tmpfs \"$1\"; cp -r \"$1.copy/.\" \"$1\"; rm -r \"$1.copy\"; dd if=/dev/zero of=\"$1/fill\" bs=4k 2>&1 || true";
    for fresh in [true, false] {
        let scratch = Scratch::new();
        append(&scratch, "s", 0..40);
        if !fresh {
            tollgate(&scratch, &["stats"]);
            append(&scratch, "s", 40..80);
        }
        let calls = if fresh { 40 } else { 80 };
        for mount in [READ_ONLY, FULL] {
            let stats = where_nothing_can_be_written(&scratch, mount, &["stats", "--json"]);
            let shown = text(&stats);
            let line = shown.lines().find(|line| line.starts_with('{')).unwrap_or("{}");
            let counted = &serde_json::from_str::<Value>(line).unwrap()["calls"]["calls"];
            assert_eq!(counted, &json!(calls), "{mount}: {shown}");
            for args in [&["report"][..], &["suggest"], &["audit"], &["log"], &["replay"]] {
                let output = where_nothing_can_be_written(&scratch, mount, args);
                assert!(matches!(output.status.code(), Some(0 | 1)), "{mount}: {args:?}: {}", text(&output));
            }
        }
        assert!(!scratch.state().join("index.db.old").exists(), "a good index is left where it is");
    }
}

#[test]
fn f16_figures_and_chain_hold_when_the_clock_goes_back() {
    let scratch = Scratch::new();
    let fields = |text: &str| {
        let all = [
            ("agent", "codex"),
            ("session", "s"),
            ("phase", "pre-tool"),
            ("tool", "shell"),
            ("verdict", "allow"),
            ("text", text),
        ];
        all.map(|(key, value)| (key.to_owned(), value.into())).into()
    };
    for (at, years) in [0_u64, 10, 0, 9, 50].into_iter().enumerate() {
        let time = SystemTime::now() - Duration::from_secs(years * 31_557_600);
        let record = Record { call: format!("c{at}"), fields: fields("x") };
        log(&scratch).append(&record, time).unwrap();
    }
    assert_eq!(tollgate(&scratch, &["audit"]).status.code(), Some(0));
    let stats: Value = serde_json::from_slice(&tollgate(&scratch, &["stats", "--json"]).stdout).unwrap();
    assert_eq!(stats["calls"]["calls"], 5);
    let recent = text(&tollgate(&scratch, &["log", "--since", "1d"]));
    assert_eq!(recent.lines().count(), 2, "{recent}");
}

/// A command as a person gives it, at a terminal.
fn at_terminal(scratch: &Scratch, args: &str) -> Output {
    let mut command = Command::new("script");
    scratch.clean(&mut command);
    command.args(["-qec", &format!("{} {args}", env!("CARGO_BIN_EXE_tollgate")), "/dev/null"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn what_a_person_prunes_is_gone_from_the_log_and_stays_in_the_figures() {
    let scratch = kept();
    let calls = |scratch: &Scratch| {
        let stats = tollgate(scratch, &["stats", "--json"]);
        serde_json::from_slice::<Value>(&stats.stdout).unwrap()["calls"]["calls"].clone()
    };
    assert_eq!(calls(&scratch), 106);
    append(&scratch, "s", 110..150);
    let pruned = at_terminal(&scratch, "prune --larger-than 4k --compress");
    assert!(pruned.status.success(), "{}", text(&pruned));
    let left = Log::at(&scratch.state()).records().next().unwrap().seq;
    assert!(left > 110, "{left}");
    let audit = tollgate(&scratch, &["audit"]);
    assert_eq!(audit.status.code(), Some(0), "{}", text(&audit));
    assert_eq!(calls(&scratch), 146, "figures outlive the records, also those that nobody had asked for");
    append(&scratch, "s", 200..210);
    assert_eq!(calls(&scratch), 156);
    assert_eq!(tollgate(&scratch, &["audit"]).status.code(), Some(0));
}
