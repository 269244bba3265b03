//! Every system call of a hook fails once, in every way: the host still hears a lawful answer, no verdict becomes
//! milder, and what is allowed is in the log or said not to be.
//!
//! `strace` makes one call fail. `cargo xtask test` tries one error at each call of each case, and another at the next
//! call; `EVERY_ERROR=1` tries all of them. Calls before `main` are the C library's: with `FROM_START=1` they fail, too,
//! and the test shows which of them end a process without an answer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, is_missing};

const ERRORS: [&str; 5] = ["EIO", "ENOSPC", "EINTR", "EAGAIN", "ENOMEM"];

/// What a hook may be asked, and the mildest answer that is lawful.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    command: &'static str,
    policy: &'static str,
    mildest: Mildest,
    /// The first event of a state directory, which makes everything in it.
    first: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Mildest {
    Allow,
    Ask,
}

/// A guard that is a program of the user's, and one that is built in.
const GUARDED: &str = concat!(
    "version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n",
    "      - {id: block-dangerous-commands, type: safety, config: {dangerous_patterns: [hello]}}\n",
    "      - {id: mine, type: safety, run: [/bin/true]}\n"
);

const CASES: [Case; 8] = [
    Case { name: "allowed", command: "ls src", policy: "", mildest: Mildest::Allow, first: false },
    Case { name: "saved", command: "rm README.md", policy: "", mildest: Mildest::Allow, first: false },
    Case { name: "asked", command: "rm -rf $SOMEWHERE", policy: "", mildest: Mildest::Ask, first: false },
    Case { name: "refused", command: "rm -rf ~", policy: "", mildest: Mildest::Ask, first: false },
    Case { name: "first", command: "rm -rf ~", policy: "", mildest: Mildest::Ask, first: true },
    Case { name: "first allowed", command: "ls src", policy: "", mildest: Mildest::Allow, first: true },
    Case { name: "guarded", command: "ls src", policy: GUARDED, mildest: Mildest::Allow, first: false },
    Case {
        name: "guard refuses",
        command: "echo hello",
        policy: GUARDED,
        mildest: Mildest::Ask,
        first: false,
    },
];

/// One call of a hook: its name, and how many calls of that name it is.
#[derive(Clone)]
struct Call {
    name: String,
    nth: usize,
}

#[test]
fn f04_an_error_at_every_system_call_is_answered() {
    if is_missing("strace") {
        return;
    }
    let mut all = Vec::new();
    for case in CASES {
        let Some(calls) = calls_of(case) else {
            eprintln!("left out: nothing can be traced here (ptrace is not permitted)");
            return;
        };
        assert!(calls.len() > 20, "{}: only {} calls were seen", case.name, calls.len());
        let tries = tries(&calls);
        let wrong = try_all(case, &tries);
        eprintln!("{}: {} calls, {} errors, {} wrong", case.name, calls.len(), tries.len(), wrong.len());
        all.extend(wrong.into_iter().map(|wrong| format!("{}: {wrong}", case.name)));
    }
    assert!(all.is_empty(), "{} wrong\n{}", all.len(), all.join("\n"));
}

/// All errors at all calls, or, in a short run, one at each call.
fn tries(calls: &[Call]) -> Vec<(Call, &'static str)> {
    let all = std::env::var_os("EVERY_ERROR").is_some();
    let mut tries = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        for (number, error) in ERRORS.iter().enumerate() {
            if all || at % ERRORS.len() == number {
                tries.push((call.clone(), *error));
            }
        }
    }
    tries
}

/// What went wrong. Three at a time: a hook under `strace` waits most of its time.
fn try_all(case: Case, tries: &[(Call, &'static str)]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut scratch = None;
                while let Some((call, error)) = tries.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if case.first {
                        scratch = None;
                    }
                    let scratch = scratch.get_or_insert_with(|| prepare(case));
                    if let Err(why) = try_one(scratch, case, call, error) {
                        let Call { name, nth } = call;
                        wrong.lock().unwrap().push(format!("{error} at {name} {nth}: {why}"));
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}

fn prepare(case: Case) -> Scratch {
    let scratch = Scratch::new();
    if !case.policy.is_empty() {
        scratch.policy(case.policy);
    }
    if !case.first {
        // The first answers tell of the policy and make the folders.
        for _ in 0..2 {
            scratch.bash("ls");
        }
    }
    scratch
}

fn try_one(scratch: &Scratch, case: Case, call: &Call, error: &str) -> Result<(), String> {
    let id = format!("toolu_{}_{}_{error}", call.name, call.nth);
    let Call { name, nth } = call;
    let inject = format!("inject={name}:error={error}:when={nth}");
    let mut command = traced(scratch, &["-e", &format!("trace={name}"), "-e", &inject]);
    let answer = answer(&mut command, &payload(scratch, case, &id));
    check(scratch, case, &answer, &id)
        .map_err(|why| format!("{why}: code {:?} {} {}", answer.code, answer.stdout, answer.stderr))
}

fn check(scratch: &Scratch, case: Case, answer: &Answer, id: &str) -> Result<(), String> {
    let decision = lawful(answer)?;
    let allows = matches!(decision.as_str(), "none" | "allow");
    if allows && case.mildest > Mildest::Allow {
        return Err("a verdict became milder".to_owned());
    }
    if answer.time > Duration::from_secs(8) {
        return Err(format!("took {:?}", answer.time));
    }
    if allows && case.name == "saved" && !is_saved(scratch, answer, id) {
        return Err("allowed, and neither saved nor told that it is not".to_owned());
    }
    // Where the process failed, another one writes the record, a moment later.
    let end = Instant::now() + Duration::from_secs(3);
    let told = answer.says("could not be recorded");
    // A payload that could not be read tells no id: the failure itself is the last record.
    let unread = answer.says("input could not be read");
    let failed = || scratch.log().last().is_some_and(|record| record["fault"] == "input");
    while !(told || is_recorded(scratch, id) || unread && failed()) {
        if Instant::now() > end {
            return Err("neither recorded nor told".to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The record of an allowed call names its snapshot, or says why there is none.
fn is_saved(scratch: &Scratch, answer: &Answer, id: &str) -> bool {
    let log = scratch.log();
    let record = log.iter().find(|record| record["id"] == id);
    let said = |record: &Value| record["undo"]["id"].is_string() || record["unsaved"].is_string();
    record.map_or(answer.says("could not be recorded"), said)
}

/// What the host reads, or why it reads nothing lawful.
fn lawful(answer: &Answer) -> Result<String, String> {
    match answer.code {
        // Where standard error is what failed, the reason is on standard output.
        Some(2) if answer.stderr.is_empty() && answer.stdout.is_empty() => {
            Err("exit 2 without a reason".to_owned())
        }
        Some(2) => Ok("deny".to_owned()),
        // A failure that does not block: lawful where the call is allowed and only the measurements were not heard.
        Some(1) if answer.stdout.is_empty() => Ok("none".to_owned()),
        Some(0) if answer.stdout.is_empty() => Ok("none".to_owned()),
        Some(0) => {
            let value: Value = serde_json::from_str(&answer.stdout).map_err(|error| error.to_string())?;
            let output = &value["hookSpecificOutput"];
            let Some(decision) = output["permissionDecision"].as_str() else { return Ok("none".to_owned()) };
            let reason = output["permissionDecisionReason"].as_str().unwrap_or_default();
            let whole = output["hookEventName"] == "PreToolUse" && !reason.is_empty();
            whole.then(|| decision.to_owned()).ok_or_else(|| "half an answer".to_owned())
        }
        _ => Err("not an exit code that a host takes for an answer".to_owned()),
    }
}

fn is_recorded(scratch: &Scratch, id: &str) -> bool {
    let log = std::fs::read(scratch.state().join("events.jsonl")).unwrap_or_default();
    log.windows(id.len()).any(|window| window == id.as_bytes())
}

fn payload(scratch: &Scratch, case: Case, id: &str) -> Vec<u8> {
    let bytes = scratch.payload("Bash", json!({"command": case.command}));
    let mut payload: Value = serde_json::from_slice(&bytes).unwrap();
    payload["tool_use_id"] = id.into();
    payload.to_string().into_bytes()
}

/// The hook under `strace`: the release where there is one, because people run that.
fn traced(scratch: &Scratch, options: &[&str]) -> Command {
    let hook = scratch.command(Some("PreToolUse"));
    let program = std::env::var_os("TOLLGATE_BIN").unwrap_or_else(|| hook.get_program().to_owned());
    let mut command = Command::new("strace");
    command.args(["-qq", "-o"]).arg(scratch.home().join("trace")).args(options);
    command.arg("--").arg(program).args(hook.get_args());
    scratch.clean(&mut command);
    command
}

/// The calls that a hook makes from `main` on. `None` where nothing can be traced.
fn calls_of(case: Case) -> Option<Vec<Call>> {
    let scratch = prepare(case);
    let payload = payload(&scratch, case, "toolu_baseline");
    answer(&mut traced(&scratch, &[]), &payload);
    let trace = std::fs::read_to_string(scratch.home().join("trace")).unwrap_or_default();
    let names: Vec<&str> = trace.lines().filter_map(|line| Some(line.split_once('(')?.0)).collect();
    let whole = names.first() == Some(&"execve") && names.last() == Some(&"exit_group");
    whole.then(|| number(&names))
}

fn number(names: &[&str]) -> Vec<Call> {
    let mut seen = BTreeMap::new();
    // The first call of `main` looks at the standard streams.
    let main = names.iter().position(|name| *name == "poll").unwrap_or(0);
    let mut calls = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let nth = seen.entry(*name).or_insert(0);
        *nth += 1;
        let counts = at >= main || std::env::var_os("FROM_START").is_some();
        // Each mount is asked about in the same way: the first of them stand for all.
        let again = *name == "statmount" && *nth > 2;
        // A call that is newer than this `strace` is shown as `syscall_0x1c9`, and cannot be made to fail by it.
        let nameless = name.starts_with("syscall_0x");
        if counts
            && !again
            && !nameless
            && !matches!(*name, "execve" | "exit_group")
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            calls.push(Call { name: (*name).to_owned(), nth: *nth });
        }
    }
    calls
}
