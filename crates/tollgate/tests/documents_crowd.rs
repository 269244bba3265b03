//! Three hundred hooks at once with a middleware in Python: every answer is right and every one is recorded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::collections::HashSet;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use support::{Answer, Scratch, finish, start_with};
use tollgate_store::Log;

const DANGEROUS: &str = include_str!("documents/pipeline/middleware/safety/block-dangerous-commands.py");

fn with_guard(entry: &str, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.config()).unwrap();
    for (name, text) in files {
        fs::write(scratch.config().join(name), text).unwrap();
    }
    scratch.policy(&format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n{entry}"));
    scratch
}

/// All at once: the payloads lie in files, so that no hook waits for this process.
fn crowd(scratch: &Scratch, size: usize) -> Vec<(String, Answer)> {
    let start = Instant::now();
    let hooks: Vec<_> = (0..size)
        .map(|number| {
            let id = format!("toolu_{number}");
            let command = if number % 2 == 0 { "echo 'sudo rm x'" } else { "echo fine" };
            let mut payload: Value =
                serde_json::from_slice(&scratch.payload("Bash", json!({"command": command}))).unwrap();
            payload["tool_use_id"] = id.as_str().into();
            let file = scratch.home().join(format!("payload-{number}"));
            fs::write(&file, payload.to_string()).unwrap();
            let mut hook = scratch.command(Some("PreToolUse"));
            hook.stdin(fs::File::open(file).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
            (id, hook.spawn().unwrap())
        })
        .collect();
    hooks.into_iter().map(|(id, hook)| (id, finish(hook, start))).collect()
}

#[test]
fn three_hundred_at_once_through_python_are_right_and_recorded() {
    let scratch = with_guard(
        "      - {id: block-dangerous-commands, type: safety, path: block-dangerous-commands.py}\n",
        &[("block-dangerous-commands.py", DANGEROUS)],
    );
    scratch.bash("true");
    let answers = crowd(&scratch, 300);
    let mut wrong = Vec::new();
    for (number, (id, answer)) in answers.iter().enumerate() {
        let expected = if number % 2 == 0 { "deny" } else { "none" };
        if answer.decision() != expected {
            wrong.push(format!("{id} after {:?}: {} {}", answer.time, answer.stdout, answer.stderr));
        }
    }
    assert!(wrong.is_empty(), "{} of 300 wrong, such as {}", wrong.len(), wrong[0]);
    let log = Log::at(&scratch.state());
    assert!(log.verify().is_sound());
    let kept: HashSet<String> =
        log.records().filter_map(|entry| Some(entry.value()?.text("id")?.to_owned())).collect();
    let lost: Vec<&String> = answers.iter().map(|(id, _)| id).filter(|id| !kept.contains(*id)).collect();
    assert!(lost.is_empty(), "{} of 300 not recorded, such as {}", lost.len(), lost[0]);
}

#[test]
fn slow_guards_do_not_wait_for_each_other() {
    // Each waits for something else than a processor.
    let slow = "import time\ndef process(*_):\n    time.sleep(4)\n    return {'decision': 'allow'}\n";
    let scratch =
        with_guard("      - {id: slow, type: safety, path: slow.py, timeout: 30}\n", &[("slow.py", slow)]);
    scratch.bash("true");
    let start = Instant::now();
    for (id, answer) in crowd(&scratch, 16) {
        assert_eq!(answer.decision(), "none", "{id}: {}", answer.stdout);
    }
    // One after the other on four places they would take 16 s.
    assert!(start.elapsed() < Duration::from_secs(14), "{:?}", start.elapsed());
}

#[test]
fn nothing_done_to_the_queue_keeps_a_guard_from_running() {
    let guard = "def process(hook_input, *_):\n    return {'decision': 'block' if 'forbidden' in str(hook_input) else 'allow', 'reason': 'the word'}\n";
    let entry = "      - {id: guard, type: safety, path: guard.py}\n";
    let judged = |scratch: &Scratch, what: &str| {
        let start = Instant::now();
        assert!(scratch.bash("echo forbidden").denied().says("the word"), "{what}");
        assert_eq!(scratch.bash("echo fine").decision(), "none", "{what}");
        assert!(start.elapsed() < Duration::from_secs(30), "{what}: {:?}", start.elapsed());
        assert!(scratch.log().len() >= 2, "{what}");
    };
    let queue = |scratch: &Scratch| scratch.state().join("queue/guards");
    let fresh = || {
        let scratch = with_guard(entry, &[("guard.py", guard)]);
        fs::create_dir_all(queue(&scratch)).unwrap();
        scratch
    };

    let scratch = fresh();
    judged(&scratch, "as it is");

    let scratch = fresh();
    let locks: Vec<fs::File> = std::iter::once("counter".to_owned())
        .chain((0..8).map(|number| number.to_string()))
        .map(|name| fs::File::create(queue(&scratch).join(name)).unwrap())
        .inspect(|file| flock(file, FlockOperation::NonBlockingLockExclusive).unwrap())
        .collect();
    judged(&scratch, "locked for ever");
    drop(locks);

    let scratch = fresh();
    fs::write(queue(&scratch).join("counter"), [0xff; 16]).unwrap();
    judged(&scratch, "with numbers that run over");

    let scratch = fresh();
    for name in ["counter", "0", "1"] {
        let status = std::process::Command::new("mkfifo").arg(queue(&scratch).join(name)).status().unwrap();
        assert!(status.success());
    }
    judged(&scratch, "made of FIFOs");

    let scratch = fresh();
    fs::create_dir(queue(&scratch).join("counter")).unwrap();
    judged(&scratch, "made of folders");

    let scratch = with_guard(entry, &[("guard.py", guard)]);
    fs::create_dir_all(scratch.state()).unwrap();
    std::os::unix::fs::symlink("/proc", scratch.state().join("queue")).unwrap();
    judged(&scratch, "where nothing can be written");
}

#[test]
fn an_answer_by_the_deadline_is_recorded() {
    let guard = "def process(*_):\n    return {'decision': 'allow'}\n";
    let scratch = with_guard("      - {id: guard, type: safety, path: guard.py}\n", &[("guard.py", guard)]);
    scratch.bash("true");
    let mut payload: Value =
        serde_json::from_slice(&scratch.payload("Bash", json!({"command": "echo fine"}))).unwrap();
    payload["tool_use_id"] = "toolu_late".into();
    let start = Instant::now();
    let mut hook = start_with(&mut scratch.command(Some("PreToolUse")));
    let id = hook.id().to_string();
    let signal = |name: &str| {
        assert!(std::process::Command::new("/bin/kill").args([name, &id]).status().unwrap().success());
    };
    std::thread::sleep(Duration::from_millis(400));
    // Whatever holds it up: it goes on when its deadline is over.
    signal("-STOP");
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    std::thread::sleep(Duration::from_secs(5));
    signal("-CONT");
    let answer = finish(hook, start);
    answer.refused();
    assert!(answer.says("took too long"), "{} {}", answer.stdout, answer.stderr);
    let record = scratch.log().pop().unwrap();
    assert_eq!((&record["id"], &record["fault"]), (&json!("toolu_late"), &json!("deadline")), "{record}");
    assert_eq!(record["verdict"], answer.decision(), "{record}");
}

/// The rules refuse the call; then the hook is ended while a guard is still running.
#[test]
fn f45_a_refusal_that_was_found_is_the_last_word() {
    let guard = "import time\ndef process(*_):\n    time.sleep(20)\n    return {'decision': 'allow'}\n";
    let scratch = with_guard("      - {id: guard, type: safety, path: guard.py}\n", &[("guard.py", guard)]);
    let start = Instant::now();
    let mut hook = start_with(&mut scratch.command(Some("PreToolUse")));
    let payload = scratch.payload("Bash", json!({"command": "rm -rf ~"}));
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), &payload).unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    let id = hook.id().to_string();
    assert!(std::process::Command::new("/bin/kill").args(["-TERM", &id]).status().unwrap().success());
    let answer = finish(hook, start);
    assert!(answer.time < Duration::from_secs(4), "ended before the guard: {:?}", answer.time);
    answer.denied();
    assert!(!answer.says("took too long"), "{} {}", answer.stdout, answer.stderr);
}
