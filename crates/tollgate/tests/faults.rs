//! Rows of the fault table that belong to the hook. No row ends in a silent allow.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, finish, start_with};

const PROMPT: Duration = Duration::from_secs(6);

#[test]
fn f08_a_payload_cut_at_every_byte_is_refused() {
    let scratch = Scratch::new();
    let payload = scratch.payload("Bash", json!({"command": "ls"}));
    for cut in 0..payload.len() {
        scratch.hook("PreToolUse", &payload[..cut]).refused();
    }
    scratch.hook("PreToolUse", &payload).silent();
}

#[test]
fn f09_silence_on_standard_input() {
    let scratch = Scratch::new();
    scratch.hook("PreToolUse", b"").refused();
    scratch.hook("PreToolUse", b"  \n").refused();
    let mut closed = Command::new("/bin/sh");
    closed.arg("-c").arg("exec \"$0\" \"$@\" <&-").arg(env!("CARGO_BIN_EXE_tollgate"));
    closed
        .args(["hook", "claude-code", "PreToolUse", "--config"])
        .arg(scratch.config())
        .arg("--state")
        .arg(scratch.state());
    scratch.clean(&mut closed);
    answer(&mut closed, b"").refused();

    let held_open = |payload: &[u8]| -> Answer {
        let start = Instant::now();
        let mut child = start_with(&mut scratch.command(Some("PreToolUse")));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload).unwrap();
        let answer = finish(child, start);
        drop(stdin);
        answer
    };
    let whole = held_open(&scratch.payload("Bash", json!({"command": "ls"})));
    whole.silent();
    assert!(whole.time < Duration::from_secs(2), "a whole value is enough: {:?}", whole.time);
    let never = held_open(b"{\"session_id\":");
    never.refused();
    assert!(never.time < PROMPT, "{:?}", never.time);
}

#[test]
fn f10_a_huge_payload_is_refused_within_64_mib() {
    let scratch = Scratch::new();
    let payload = scratch.payload("Bash", json!({"command": "x".repeat(100 << 20)}));
    // What people run is the release; of another build the code alone is larger than that.
    let (program, own) = match std::env::var_os("TOLLGATE_BIN") {
        Some(release) => (release, 0),
        None => {
            let debug = env!("CARGO_BIN_EXE_tollgate");
            (debug.into(), std::fs::metadata(debug).unwrap().len() >> 10)
        }
    };
    let mut limited = Command::new("/bin/sh");
    limited.arg("-c").arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", (64 << 10) + own)).arg(program);
    limited
        .args(["hook", "claude-code", "PreToolUse", "--config"])
        .arg(scratch.config())
        .arg("--state")
        .arg(scratch.state());
    scratch.clean(&mut limited);
    let answer = answer(&mut limited, &payload);
    answer.refused();
    assert!(answer.time < PROMPT, "{:?}", answer.time);
    assert!(answer.says("larger than"), "{} {}", answer.stdout, answer.stderr);
}

#[test]
fn f11_strange_bytes() {
    let scratch = Scratch::new();
    let with = |before: &[u8], command: &[u8]| {
        let mut bytes = before.to_vec();
        let whole = scratch.payload("Bash", json!({"command": "@@"}));
        let at = whole.windows(2).position(|pair| pair == b"@@").unwrap();
        bytes.extend_from_slice(&whole[..at]);
        bytes.extend_from_slice(command);
        bytes.extend_from_slice(&whole[at + 2..]);
        bytes
    };
    scratch.hook("PreToolUse", &with(b"\xef\xbb\xbf", b"ls")).refused();
    scratch.hook("PreToolUse", &with(b"\xff", b"ls")).refused();
    scratch.hook("PreToolUse", &with(b"", b"rm -rf ~ \xff\xfe")).refused();
    scratch.hook("PreToolUse", &with(b"", b"echo \\ud800; rm -rf ~")).refused();
    scratch.hook("PreToolUse", &with(b"", b"ls\\u0000; rm -rf ~")).refused();
    scratch.hook("PreToolUse", &with(b"", "echo grüße".as_bytes())).silent();
}

#[test]
fn f12_deep_nesting_does_not_overflow() {
    let scratch = Scratch::new();
    scratch.hook("PreToolUse", "[".repeat(1_000_000).as_bytes()).refused();
    scratch.hook("PreToolUse", "{\"a\":".repeat(200_000).as_bytes()).refused();
}

#[test]
fn f13_duplicate_missing_and_wrong_fields() {
    let scratch = Scratch::new();
    let twice = br#"{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf ~"},"tool_use_id":"t"}"#;
    scratch.hook("PreToolUse", twice).refused();
    scratch.tool("Bash", json!({"command": 5})).refused();
    scratch.tool("Bash", json!([1])).refused();
    scratch.tool("Bash", json!({})).silent();
    assert_eq!(scratch.log().last().unwrap()["verdict"], "allow");
}

#[test]
fn f14_many_hooks_at_once_are_all_answered_and_recorded() {
    let scratch = Scratch::new();
    let children: Vec<_> = (0..100)
        .map(|number| {
            let mut child = start_with(&mut scratch.command(Some("PreToolUse")));
            let command = if number % 2 == 0 { "ls" } else { "rm -rf ~" };
            let payload = scratch.payload("Bash", json!({"command": command}));
            child.stdin.take().unwrap().write_all(&payload).unwrap();
            (number, child)
        })
        .collect();
    for (number, child) in children {
        let answer = finish(child, Instant::now());
        if number % 2 == 0 {
            answer.silent()
        } else {
            answer.denied()
        };
    }
    assert_eq!(scratch.log().len(), 100);
}

#[test]
fn f03_an_unwritable_state_directory_is_told_and_changes_no_verdict() {
    let scratch = Scratch::new();
    let blocked = scratch.home().join("file");
    std::fs::write(&blocked, "").unwrap();
    let hook = |command: &str| {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        hook.args(["hook", "claude-code", "PreToolUse", "--config"])
            .arg(scratch.config())
            .arg("--state")
            .arg(blocked.join("state"));
        scratch.clean(&mut hook);
        answer(&mut hook, &scratch.payload("Bash", json!({"command": command})))
    };
    hook("rm -rf ~").denied();
    let allowed = hook("ls");
    assert_eq!(allowed.decision(), "none");
    assert!(allowed.says("could not be recorded"), "{}", allowed.stdout);
}

#[test]
fn f17_home_unset_relative_or_gone() {
    let scratch = Scratch::new();
    for home in [None, Some("relative"), Some("/does/not/exist")] {
        let mut hook = scratch.command(Some("PreToolUse"));
        match home {
            Some(home) => hook.env("HOME", home),
            None => hook.env_remove("HOME"),
        };
        for command in ["rm -rf ~", "rm -rf $HOME", "rm -rf /"] {
            answer(&mut hook, &scratch.payload("Bash", json!({"command": command}))).refused();
        }
    }
}

#[test]
fn f18_a_working_directory_that_is_gone() {
    let scratch = Scratch::new();
    for cwd in ["/gone/for/good", ""] {
        let mut payload: Value =
            serde_json::from_slice(&scratch.payload("Bash", json!({"command": "rm -rf build"}))).unwrap();
        payload["cwd"] = cwd.into();
        scratch.hook("PreToolUse", payload.to_string().as_bytes()).refused();
    }
}

#[test]
fn f19_parse_bombs_end_in_a_question() {
    let scratch = Scratch::new();
    let bombs = [
        "$(".repeat(100_000),
        "echo {1..9999999}".to_owned(),
        format!("echo {}", "{a,b}".repeat(40)),
        "cat <<E\n$(".repeat(100_000),
        format!("{}; rm -rf ~", ":;".repeat(5_000)),
        format!("echo {}", "x".repeat(1 << 20)),
    ];
    for bomb in bombs {
        let answer = scratch.bash(&bomb);
        assert_ne!(answer.decision(), "none", "{}", bomb.chars().take(40).collect::<String>());
        assert!(answer.time < PROMPT, "{:?}", answer.time);
    }
}

#[test]
fn f25_the_agents_settings_and_the_gate_are_not_the_agents_to_change() {
    let scratch = Scratch::new();
    for file in [scratch.config().join("tollgate.yaml"), scratch.state().join("events.jsonl")] {
        scratch.tool("Write", json!({"file_path": file, "content": "{}"})).denied();
        scratch.tool("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"})).denied();
        scratch.bash(&format!("echo x > {}", file.display())).denied();
        scratch.bash(&format!("cd / && tee -a {} < /dev/null", file.display())).denied();
    }
    let settings = scratch.home().join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, r#"{"hooks": {"PreToolUse": []}, "model": "opus"}"#).unwrap();
    let edit = |old: &str, new: &str| {
        scratch.tool("Edit", json!({"file_path": settings, "old_string": old, "new_string": new}))
    };
    scratch.tool("Write", json!({"file_path": settings, "content": r#"{"model": "opus"}"#})).denied();
    edit("\"hooks\"", "\"hoks\"").denied();
    edit("[]", "[{}]").denied();
    assert_eq!(edit("opus", "sonnet").decision(), "ask", "another key is for the person to decide");
    scratch.bash("rm ~/.claude/settings.json").denied();
    scratch.bash("python3 gen.py > ~/.claude/settings.json").denied();
    scratch.bash("rm -rf ~/.local/state").denied();

    // The user's policy may be a link into a folder of settings, and a project has one of its own.
    let kept = scratch.project().join("dotfiles/tollgate.yaml");
    let own = scratch.project().join("tollgate.yaml");
    std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
    std::fs::create_dir_all(scratch.config()).unwrap();
    for file in [&kept, &own] {
        std::fs::write(file, "version: 1\n").unwrap();
    }
    std::os::unix::fs::symlink(&kept, scratch.config().join("tollgate.yaml")).unwrap();
    for file in [&kept, &own] {
        scratch.tool("Write", json!({"file_path": file, "content": "version: 1\nmode: observe\n"})).denied();
    }
}

#[test]
fn f28_no_variable_weakens_a_verdict() {
    let scratch = Scratch::new();
    let tries = [
        ("TOLLGATE_MODE", "observe"),
        ("TOLLGATE_DISABLE", "1"),
        ("RUST_LOG", "off"),
        ("RUST_MIN_STACK", "1"),
        ("LD_PRELOAD", "/tmp/x.so"),
        ("LD_LIBRARY_PATH", "/tmp"),
        ("PATH", "/nowhere"),
        ("XDG_CONFIG_HOME", "/tmp/x"),
        ("XDG_STATE_HOME", "/tmp/x"),
        ("ANALYTICS_PATH", "/tmp/x"),
        ("TMPDIR", "/"),
        ("GIT_DIR", "/tmp/x"),
    ];
    let home = scratch.home().display().to_string();
    for (name, value) in tries {
        let mut hook = scratch.command(Some("PreToolUse"));
        hook.env(name, value);
        answer(&mut hook, &scratch.payload("Bash", json!({"command": format!("rm -rf {home}")}))).denied();
        scratch.bash(&format!("{name}={value} rm -rf {home}")).denied();
    }
    assert_eq!(scratch.log().len(), tries.len() * 2, "every event went to the registered state directory");
}

#[test]
fn f30_planted_secrets_never_reach_the_log() {
    let scratch = Scratch::new();
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    scratch.bash(&format!("curl -H 'Authorization: Bearer {token}' https://api.example.test"));
    scratch.tool("Write", json!({"file_path": "src/a.txt", "content": format!("token = {token}")}));
    let log = std::fs::read_to_string(scratch.state().join("events.jsonl")).unwrap();
    assert!(!log.contains(token), "{log}");
}

#[test]
fn f31_a_dying_hook_still_refuses() {
    let scratch = Scratch::new();
    let start = Instant::now();
    let mut child = start_with(&mut scratch.command(Some("PreToolUse")));
    let stdin = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    Command::new("/bin/kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    finish(child, start).refused();
    drop(stdin);

    for kilobytes in [4000, 8000, 12000, 20000] {
        let mut limited = Command::new("/bin/sh");
        limited
            .arg("-c")
            .arg(format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\""))
            .arg(env!("CARGO_BIN_EXE_tollgate"));
        limited
            .args(["hook", "claude-code", "PreToolUse", "--config"])
            .arg(scratch.config())
            .arg("--state")
            .arg(scratch.state());
        scratch.clean(&mut limited);
        let answer = answer(&mut limited, &scratch.payload("Bash", json!({"command": "rm -rf ~"})));
        // Below what the program needs to start, the loader kills it: that is left to the host's own switch.
        assert_ne!(
            answer.code,
            Some(0).filter(|_| answer.stdout.is_empty()),
            "a silent allow at {kilobytes} KiB"
        );
    }
}

#[test]
fn f35_the_same_call_twice_gets_the_same_answer_and_two_records() {
    let scratch = Scratch::new();
    let (first, second) = (scratch.bash("rm -rf ~"), scratch.bash("rm -rf ~"));
    assert_eq!(first.stdout, second.stdout);
    let log = scratch.log();
    assert_eq!(log.len(), 2);
    assert_eq!(log[0]["id"], log[1]["id"]);
}

#[test]
fn f40_nobody_to_ask_means_deny_with_a_code() {
    let scratch = Scratch::new();
    let mut hook = scratch.command(Some("PreToolUse"));
    hook.env("CLAUDE_CODE_SESSION_ATTENDED", "0");
    let payload = scratch.payload("Bash", json!({"command": "rm -rf $SOMEWHERE"}));
    assert_eq!(scratch.hook("PreToolUse", &payload).decision(), "ask");
    answer(&mut hook, &payload).denied();
}

#[test]
fn f44_a_new_repository_does_not_shed_the_policy() {
    let scratch = Scratch::new();
    std::fs::write(
        scratch.project().join("tollgate.yaml"),
        "version: 1\nrules:\n  outside-file-delete: deny\n",
    )
    .unwrap();
    scratch.bash("ls");
    let sub = scratch.project().join("sub");
    std::fs::create_dir_all(sub.join(".git")).unwrap();
    let mut payload: Value =
        serde_json::from_slice(&scratch.payload("Bash", json!({"command": "rm ~/notes.txt"}))).unwrap();
    payload["cwd"] = sub.display().to_string().into();
    let mut hook = scratch.command(Some("PreToolUse"));
    hook.env("CLAUDE_PROJECT_DIR", &sub);
    answer(&mut hook, payload.to_string().as_bytes()).denied();
}
