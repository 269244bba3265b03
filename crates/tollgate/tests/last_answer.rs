//! Whatever happens to a hook's process, its streams or the file systems under it: the host hears a refusal, and the
//! failure is in the log.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, finish, start_with};

/// The hook, started by a shell that runs `before` first.
fn through_shell(scratch: &Scratch, shell: &[&str], before: &str) -> Command {
    let (program, args) = shell.split_first().unwrap();
    let mut command = Command::new(program);
    command.args(args).arg(format!("{before} exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["hook", "claude-code", "PreToolUse", "--config"]).arg(scratch.config());
    command.arg("--state").arg(scratch.state());
    scratch.clean(&mut command);
    command
}

const SH: [&str; 2] = ["/bin/sh", "-c"];

/// Waits until the record of a failure is written: another process does that.
fn failure(scratch: &Scratch) -> Value {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(record) = scratch.log().into_iter().rev().find(|record| record["fault"].is_string()) {
            return record;
        }
        assert!(Instant::now() < end, "the failure is not in the log");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn f50_an_answer_that_cannot_be_written_is_a_refusal() {
    let scratch = Scratch::new();
    let refused = scratch.payload("Bash", json!({"command": "rm -rf ~"}));
    let asked = scratch.payload("Bash", json!({"command": "rm -rf $SOMEWHERE"}));
    let allowed = scratch.payload("Bash", json!({"command": "ls"}));
    let into = |stdout: Stdio, payload: &[u8]| {
        let mut hook = scratch.command(Some("PreToolUse"));
        let mut child = hook.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload).unwrap();
        finish(child, Instant::now())
    };
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap());
    let broken = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    for payload in [&refused, &asked] {
        for answer in [into(full(), payload), into(broken(), payload)] {
            assert_eq!(answer.code, Some(2), "{}", answer.stderr);
            assert!(answer.says("Tollgate"), "a refusal has a reason: {}", answer.stderr);
        }
        let closed = answer(&mut through_shell(&scratch, &SH, "exec >&-;"), payload);
        assert_eq!(closed.code, Some(2), "{}", closed.stderr);
        assert!(closed.says("Tollgate"), "a refusal has a reason: {}", closed.stderr);
    }
    assert!(into(full(), &asked).says("could not write its answer"));
    // Silence is what allows, and silence can always be said.
    assert_eq!(into(full(), &allowed).code, Some(0));
    assert_eq!(answer(&mut through_shell(&scratch, &SH, "exec >&-;"), &allowed).code, Some(0));
}

/// A pipe that is full and never read blocks the write; the deadline ends that.
#[test]
fn f50_an_answer_that_nobody_reads_ends_with_the_deadline() {
    let scratch = Scratch::new();
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[b' '; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::empty()).unwrap();
    let start = Instant::now();
    let mut hook = scratch.command(Some("PreToolUse"));
    let mut child = hook.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let payload = scratch.payload("Bash", json!({"command": "rm -rf ~"}));
    child.stdin.take().unwrap().write_all(&payload).unwrap();
    let answer = finish(child, start);
    drop(reader);
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
    assert!(answer.time < Duration::from_secs(8), "{:?}", answer.time);
}

/// Every signal that can be caught is answered or leaves the hook alone; none ends it without words.
#[test]
fn f31_no_signal_ends_a_hook_without_words() {
    let harmless = [17, 18, 19, 20, 21, 22, 23, 25, 28, 32, 33, 13];
    let scratch = Scratch::new();
    let payload = scratch.payload("Bash", json!({"command": "rm -rf ~"}));
    let children: Vec<_> = (1..=64)
        .filter(|signal| *signal != 9 && *signal != 19)
        .map(|signal| (signal, start_with(&mut scratch.command(Some("PreToolUse")))))
        .collect();
    std::thread::sleep(Duration::from_millis(800));
    for (signal, mut child) in children {
        let stdin = child.stdin.take();
        let number = rustix::process::Pid::from_child(&child).as_raw_nonzero();
        let sent =
            Command::new("/bin/kill").args([format!("-{signal}"), number.to_string()]).status().unwrap();
        assert!(sent.success(), "{signal}");
        let mut stdin = stdin.unwrap();
        // The hook may have answered already.
        let _ = stdin.write_all(&payload);
        let answer = finish(child, Instant::now());
        drop(stdin);
        assert!(answer.code.is_some(), "signal {signal} ended the hook");
        answer.refused();
        if harmless.contains(&signal) {
            assert_eq!(answer.decision(), "deny", "signal {signal} is no reason to give up");
        }
    }
}

#[test]
fn f31_a_failure_is_recorded_with_its_call() {
    let scratch = Scratch::new();
    let mut child = start_with(&mut scratch.command(Some("PreToolUse")));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(br#"{"session_id":"s","cwd":"/","hook_event_name":"#).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    Command::new("/bin/kill").args(["-QUIT", &child.id().to_string()]).status().unwrap();
    finish(child, Instant::now()).refused();
    let record = failure(&scratch);
    assert_eq!((&record["fault"], &record["agent"]), (&json!("panic"), &json!("claude-code")), "{record}");
    assert!(record["message"].as_str().unwrap().contains("signal"), "{record}");

    let doctor =
        answer(Command::new(env!("CARGO_BIN_EXE_tollgate")).arg("doctor").env("HOME", scratch.home()), b"");
    assert!(doctor.says("failed over 1 call"), "{}", doctor.stdout);
}

/// A mask or a disposition is inherited through `exec`: neither may take the deadline away.
#[test]
fn f51_an_inherited_signal_mask_does_not_remove_the_deadline() {
    if support::is_missing("python3") {
        return;
    }
    let scratch = Scratch::new();
    for before in [
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    ] {
        let script = format!("import os, signal, sys; {before}; os.execv(sys.argv[1], sys.argv[1:])");
        let mut hook = Command::new("python3");
        hook.args(["-c", &script, env!("CARGO_BIN_EXE_tollgate"), "hook", "claude-code", "PreToolUse"]);
        hook.arg("--config").arg(scratch.config()).arg("--state").arg(scratch.state());
        scratch.clean(&mut hook);
        let mut child = start_with(&mut hook);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"{\"session_id\":").unwrap();
        std::thread::sleep(Duration::from_millis(300));
        // The alarm itself, before its time: it must arrive, and it must not count as the deadline.
        Command::new("/bin/kill").args(["-ALRM", &child.id().to_string()]).status().unwrap();
        let field = |name: &str| {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            u64::from_str_radix(line.trim(), 16).unwrap()
        };
        // A signal is blocked while its own handler runs.
        let ordinary = (1 << 31) - 1;
        let end = Instant::now() + Duration::from_secs(5);
        while field("SigBlk:") & ordinary != 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        let alarm = 1 << (14 - 1);
        assert_eq!(field("SigBlk:") & ordinary, 0, "{before}");
        assert_eq!((field("SigIgn:") & alarm, field("SigCgt:") & alarm), (0, alarm), "{before}");
        drop(stdin);
        finish(child, Instant::now()).refused();
    }
}

/// A mount that nobody serves: whoever touches it waits in the kernel, where no signal handler runs.
fn stuck_mount(scratch: &Scratch, place: &Path) -> Option<Command> {
    let fuse = File::options().read(true).write(true).open("/dev/fuse");
    if fuse.is_err() || support::is_missing("unshare") || support::is_missing("mount") {
        return None;
    }
    let before = format!(
        "exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 stuck '{}' || exit 77;",
        place.display()
    );
    Some(through_shell(scratch, &["/usr/bin/unshare", "-m", "/bin/sh", "-c"], &before))
}

#[test]
fn f46_a_file_system_that_never_answers_ends_in_a_refusal() {
    let scratch = Scratch::new();
    let place = scratch.project().join("far");
    std::fs::create_dir_all(&place).unwrap();
    let ask = |command: &str, cwd: &Path| -> Option<Answer> {
        let mut payload: Value =
            serde_json::from_slice(&scratch.payload("Bash", json!({"command": command}))).unwrap();
        payload["cwd"] = cwd.display().to_string().into();
        let answer = answer(&mut stuck_mount(&scratch, &place)?, payload.to_string().as_bytes());
        (answer.code != Some(77)).then_some(answer)
    };
    let Some(fine) = ask("ls", &scratch.project()) else {
        return;
    };
    fine.silent();
    let denied = ask("rm -rf ~", &scratch.project()).unwrap();
    denied.denied();
    assert!(denied.time < Duration::from_secs(3), "{:?}", denied.time);
    let stuck = ask("rm -rf far/x; rm -rf ~", &scratch.project()).unwrap();
    stuck.refused();
    assert!(stuck.time < Duration::from_secs(8), "{:?}", stuck.time);
    let record = failure(&scratch);
    assert_eq!((&record["fault"], &record["tool"]), (&json!("deadline"), &json!("Bash")), "{record}");
    assert!(record["message"].as_str().unwrap().contains("file system"), "{record}");
}

#[test]
fn f46_a_working_directory_that_never_answers_ends_in_a_refusal() {
    let scratch = Scratch::new();
    let place = scratch.project().join("far");
    std::fs::create_dir_all(&place).unwrap();
    let Some(mut hook) = stuck_mount(&scratch, &place) else { return };
    let mut payload: Value =
        serde_json::from_slice(&scratch.payload("Bash", json!({"command": "rm x"}))).unwrap();
    payload["cwd"] = place.join("sub").display().to_string().into();
    let answer = answer(&mut hook, payload.to_string().as_bytes());
    if answer.code != Some(77) {
        answer.refused();
        assert!(answer.time < Duration::from_secs(8), "{:?}", answer.time);
    }
}

/// `audit: durable` is what `required` is, and waits for the disk before the answer.
#[test]
fn f55_a_durable_audit_waits_for_the_disk() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\naudit: durable\n");
    // The first answer tells of the policy.
    assert_eq!(scratch.bash("ls").decision(), "none");
    assert_eq!(scratch.log().len(), 1);
    if !support::is_missing("strace") {
        let syncs = |scratch: &Scratch| {
            let trace = scratch.home().join("trace");
            let mut traced = Command::new("strace");
            traced.args(["-f", "-e", "trace=fdatasync,fsync", "-o"]).arg(&trace);
            traced.args([env!("CARGO_BIN_EXE_tollgate"), "hook", "claude-code", "PreToolUse", "--config"]);
            traced.arg(scratch.config()).arg("--state").arg(scratch.state());
            scratch.clean(&mut traced);
            answer(&mut traced, &scratch.payload("Bash", json!({"command": "ls"}))).silent();
            std::fs::read_to_string(&trace).unwrap().matches("fdatasync(").count()
        };
        assert_eq!(syncs(&scratch), 1);
        let usual = Scratch::new();
        usual.bash("ls").silent();
        assert_eq!(syncs(&usual), 0);
    }
    let blocked = scratch.home().join("file");
    std::fs::write(&blocked, "").unwrap();
    let mut hook = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    hook.args(["hook", "claude-code", "PreToolUse", "--config"]).arg(scratch.config());
    hook.arg("--state").arg(blocked.join("state"));
    scratch.clean(&mut hook);
    let unrecorded = answer(&mut hook, &scratch.payload("Bash", json!({"command": "ls"})));
    assert_eq!(unrecorded.decision(), "ask", "{}", unrecorded.stdout);
}
