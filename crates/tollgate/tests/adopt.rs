//! Hooks of other people's in the gate's pipeline and back, the owner's PIN, and trust without a terminal.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod install_support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use install_support::{Home, Ran, TOLLGATE, finish};
use serde_json::{Value, json};

/// With odd spacing and a hook that must stay.
const SETTINGS: &str = r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [ { "matcher": "Bash|mcp__.*",   "hooks": [
        { "type": "command", "command": "echo first >> $HOME/order; cat > $HOME/seen.json", "timeout": 7 },
        { "type": "command", "command": "HOOKS/deny.sh" } ] },
      { "hooks": [ { "type": "command", "command": "echo third >> $HOME/order" } ] } ],
    "UserPromptSubmit": [ { "hooks": [ { "type": "command", "command": "echo remember the milk" } ] } ],
    "Stop": [ { "hooks": [ { "type": "prompt", "prompt": "is it done?" } ] } ]
  }
}
"#;
const DENY: &str = "#!/bin/sh\necho second >> $HOME/order\ncase $(cat) in *forbidden*) echo 'not\nthat' >&2; exit 2;; *approved*) echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}';; *broken*) exit 9;; esac\n";

fn home() -> (Home, String) {
    let home = Home::new();
    home.program("deny.sh", "");
    home.write("bin/deny.sh", DENY);
    let settings = SETTINGS.replace("HOOKS", &home.path("bin").display().to_string());
    home.write(".claude/settings.json", &settings);
    (home, settings)
}

fn done(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    for text in says {
        assert!(ran.out.contains(text), "must say {text}: {}", ran.out);
    }
}

fn event(home: &Home, name: &str, more: Value) -> Ran {
    let mut payload = json!({
        "session_id": "5122a393", "transcript_path": "", "cwd": home.path("p"), "permission_mode": "default",
        "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let dirs = [home.path(".config/tollgate"), home.path(".local/state/tollgate")];
    let [config, state] = dirs.map(|dir| dir.display().to_string());
    let args = ["hook", "claude-code", name, "--config", &config, "--state", &state];
    finish(&mut home.command(Path::new(TOLLGATE), &args), payload.to_string().as_bytes())
}

fn bash(home: &Home, command: &str) -> Ran {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"});
    event(home, "PreToolUse", call)
}

fn order(home: &Home) -> String {
    let text = fs::read_to_string(home.path("order")).unwrap_or_default();
    let _ = fs::remove_file(home.path("order"));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn hooks_run_in_order_in_the_pipeline_and_come_back_byte_for_byte() {
    let (home, settings) = home();
    let ran = home.run(&["init", "--adopt", "--yes"]);
    done(&ran, 0, &["1. PreToolUse", "within 7 s", "2. PreToolUse", "4. UserPromptSubmit", "it stays"]);
    let now = home.settings();
    assert!(!now.contains("deny.sh") && now.contains("is it done?"), "{now}");

    order(&home);
    done(&bash(&home, "echo fine"), 0, &[]);
    assert_eq!(order(&home), "first second third");
    let seen: Value = serde_json::from_str(&home.read("seen.json")).unwrap();
    assert_eq!(seen["tool_input"]["command"], "echo fine");
    assert!(seen.get("native").is_none(), "a hook of the agent's own reads the agent's own payload: {seen}");
    done(&bash(&home, "echo forbidden"), 2, &["\"permissionDecision\":\"deny\"", "that"]);
    assert_eq!(order(&home), "first second", "the first that refuses ends it");
    done(&bash(&home, "echo approved"), 0, &["\"permissionDecision\":\"allow\""]);
    done(&bash(&home, "rm -rf ~ # approved"), 2, &["\"permissionDecision\":\"deny\""]);
    let failed = bash(&home, "echo broken");
    assert!(
        !failed.out.contains("permissionDecision"),
        "as with the agent, a failure stops nothing: {}",
        failed.out
    );
    order(&home);
    let read =
        json!({"tool_name": "Read", "tool_input": {"file_path": home.path("p/x")}, "tool_use_id": "t2"});
    event(&home, "PreToolUse", read);
    assert_eq!(order(&home), "third", "matchers hold");
    done(&event(&home, "UserPromptSubmit", json!({"prompt": "hi"})), 0, &["remember the milk"]);

    done(&home.run(&["init", "--yes"]), 0, &["as it should be"]);
    assert_eq!(home.settings(), now, "registering again does not bring them back beside the pipeline");
    done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    assert_eq!(home.settings(), settings);
    assert_eq!(adopted(&home), Vec::<PathBuf>::new());
}

fn adopted(home: &Home) -> Vec<PathBuf> {
    let folder = home.path(".config/tollgate/hooks/adopted");
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[test]
fn settings_that_changed_since_get_their_hooks_back_too() {
    let (home, settings) = home();
    done(&home.run(&["init", "--yes"]), 0, &[]);
    assert!(home.settings().contains("deny.sh"), "without --adopt they stay");
    done(&home.run(&["init", "--adopt", "--yes"]), 0, &["1. PreToolUse"]);
    assert!(!home.settings().contains("deny.sh") && adopted(&home).len() == 1);
    home.edit(".claude/settings.json", "\"opus\"", "\"sonnet\"");
    done(&home.run(&["uninstall", "--yes"]), 0, &["the 4 hooks that it ran come back"]);
    let hooks = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (was, is) = (hooks(&settings), hooks(&home.settings()));
    let commands = |value: &Value| {
        let groups = value["hooks"]["PreToolUse"].as_array().unwrap().clone();
        let all = groups.iter().flat_map(|group| group["hooks"].as_array().unwrap().clone());
        all.map(|handler| handler["command"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(commands(&was), commands(&is));
    assert_eq!((&is["model"], &was["hooks"]["Stop"]), (&json!("sonnet"), &is["hooks"]["Stop"]));
    assert!(!home.settings().contains("hook claude-code") && adopted(&home).is_empty());
}

#[test]
fn a_dry_run_takes_nothing_over() {
    let (home, settings) = home();
    done(&home.run(&["init", "--adopt", "--dry-run"]), 0, &["1. PreToolUse", "nothing was changed"]);
    assert_eq!(home.settings(), settings);
}

/// A command as a person types it, with what they type after it.
fn typed(home: &Home, args: &str, input: &str) -> Ran {
    let line = format!("{TOLLGATE} {args}");
    finish(&mut home.command(Path::new("script"), &["-qec", &line, "/dev/null"]), input.as_bytes())
}

/// The same, each line typed once it is asked for.
fn answered(home: &Home, args: &str, answers: &[(&str, &str)]) -> Ran {
    let line = format!("{TOLLGATE} {args}");
    let screen = home.path("screen");
    let mut command = home.command(Path::new("script"), &["-qec", &line, "/dev/null"]);
    command.stdin(Stdio::piped()).stdout(fs::File::create(&screen).unwrap());
    let mut child = command.spawn().unwrap();
    let shown = || String::from_utf8_lossy(&fs::read(&screen).unwrap()).into_owned();
    for (question, answer) in answers {
        let start = Instant::now();
        while !shown().contains(question) {
            assert!(start.elapsed() < Duration::from_secs(30), "never asked {question}: {}", shown());
            std::thread::sleep(Duration::from_millis(20));
        }
        child.stdin.as_mut().unwrap().write_all(answer.as_bytes()).unwrap();
    }
    let exit = child.wait().unwrap().code().unwrap_or(-1);
    Ran { exit, out: shown() }
}

#[test]
fn owner_commands_ask_for_the_pin() {
    let home = Home::with("{}");
    done(&home.run(&["init", "--pin", "--yes"]), 2, &["a PIN needs a terminal"]);
    assert_eq!(home.settings(), "{}", "nothing is changed without");
    done(&typed(&home, "init --pin --yes", "123\n123\n"), 2, &["at least 4"]);
    done(&typed(&home, "init --pin --yes", "1234\n1235\n"), 2, &["not the same"]);
    let set = answered(&home, "init --pin --yes", &[("New PIN", "zebra-42\n"), ("Again", "zebra-42\n")]);
    done(&set, 0, &["The PIN is set"]);
    assert!(!set.out.contains("zebra-42"), "it is not shown: {}", set.out);
    let kept = home.read(".local/state/tollgate/owner.pin");
    assert!(kept.starts_with("$argon2id$") && !kept.contains("zebra"), "{kept}");

    home.write("p/tollgate.yaml", "version: 1\n");
    let before = home.settings();
    for args in
        ["uninstall --yes", "init --yes", "trust", "approve abcdef", "state clear plan", "prune --compress"]
    {
        let words: Vec<&str> = args.split(' ').collect();
        done(&home.run(&words), 2, &["the owner's PIN, and there is no terminal"]);
    }
    done(&typed(&home, "uninstall --yes", "wrong\nwrong\nwrong\ny\ny\n"), 2, &["not the owner's PIN"]);
    // From now on each try waits, in whatever terminal, and even the right one: two seconds at first, an hour at most.
    let tries = ".local/state/tollgate/owner.tries";
    assert!(home.read(tries).starts_with("3 "), "{}", home.read(tries));
    for (count, wait) in
        [(9, "9 wrong PINs were given; the next try is possible in 12"), (40, "possible in 36")]
    {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        home.write(tries, &format!("{count} {now}\n"));
        done(&typed(&home, "init --yes", "zebra-42\ny\n"), 2, &[wait]);
    }
    done(&home.run(&["doctor"]), 0, &["40 wrong PINs were given"]);
    home.write(tries, "3 1000\n");
    assert_eq!(home.settings(), before);
    let log = home.read(".local/state/tollgate/events.jsonl");
    assert!(log.matches("wrong-pin").count() == 3 && !log.contains("zebra"), "each is remembered");
    done(&typed(&home, "trust", "zebra-42\ny\n"), 0, &["Wrong PINs before this one: 3", "Trusted."]);
    done(&typed(&home, "trust", "wrong\nzebra-42\ny\n"), 0, &[]);
    done(&typed(&home, "init --pin --yes", "zebra-42\n\n\n"), 0, &["No PIN is asked for"]);
    done(&home.run(&["uninstall", "--yes"]), 0, &[]);
}

#[test]
fn a_trust_entry_in_the_users_file_is_trust() {
    let home = Home::with("{}");
    done(&home.run(&["init", "--yes"]), 0, &[]);
    home.write("p/tollgate.yaml", "version: 1\n");
    home.write(
        "p/.tollgate/hooks/pre/hook.meta.yaml",
        "id: pre\nevent: PreToolUse\nmiddleware:\n  - {id: team, type: safety, path: team.py}\n",
    );
    let check = "def process(event, config, _):\n    return {'decision': 'block' if 'hello' in str(event['tool_input']) else 'allow', 'reason': 'team'}\n";
    home.write("p/.tollgate/hooks/pre/team.py", check);
    let refused = "middleware `team` refuses this call";
    assert!(!bash(&home, "echo hello").out.contains(refused));
    let printed = home.run(&["trust", "--print"]);
    done(&printed, 0, &["trust:\n  - { path: ", "# runs team: ", "team.py"]);
    let policy = home.read(".config/tollgate/tollgate.yaml");
    home.write(".config/tollgate/tollgate.yaml", &format!("{policy}\n{}", printed.out));
    done(&home.run(&["check"]), 0, &[]);
    done(&bash(&home, "echo hello"), 2, &[refused]);

    home.write("p/.tollgate/hooks/pre/team.py", "def process(*_):\n    return {'decision': 'allow'}\n");
    done(&bash(&home, "echo hello"), 2, &[refused]);
    fs::remove_file(home.path("p/.tollgate/hooks/pre/hook.meta.yaml")).unwrap();
    done(&bash(&home, "echo hello"), 2, &[refused]);
    done(&event(&home, "SessionStart", json!({"source": "startup"})), 0, &["changed since it was trusted"]);
    let copies = copies(&home.path(".local/state/tollgate/trust"));
    fs::write(copies.first().unwrap(), "x = 1\n").unwrap();
    fs::write(home.path(".config/tollgate/tollgate.yaml"), format!("{policy}\n# again\n{}", printed.out))
        .unwrap();
    done(&bash(&home, "echo fine"), 0, &["\"permissionDecision\":\"ask\"", "is damaged"]);

    home.write(".config/tollgate/tollgate.yaml", &policy);
    let again = bash(&home, "echo hello");
    assert!(!again.out.contains(refused), "without the entry nothing runs: {}", again.out);
    home.write("p/tollgate.yaml", &format!("version: 1\n{}", printed.out));
    done(&home.run(&["check"]), 0, &["`trust` in a project's file", "may only tighten"]);
    assert!(!bash(&home, "echo hello").out.contains(refused), "no project trusts itself");
}

fn copies(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(copies(&entry.path()));
        } else if entry.file_name() == "team.py" {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn a_wrong_trust_entry_is_told_with_its_place() {
    let home = Home::empty();
    for (entry, says) in [
        ("trust: yes", "`trust` must be a list"),
        ("trust: [x]", "must be a map"),
        ("trust:\n  - { path: x, hash: y }", "must be absolute"),
        ("trust:\n  - { path: /x, hash: y }", "64 hex digits"),
        ("trust:\n  - { path: /x, hsah: y }", "did you mean `hash`?"),
    ] {
        home.write("p/t.yaml", &format!("version: 1\n{entry}\n"));
        done(&home.run(&["check", "t.yaml"]), 1, &[says]);
    }
    let none =
        Command::new(TOLLGATE).args(["trust", "--print"]).current_dir(home.path("bin")).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
}
