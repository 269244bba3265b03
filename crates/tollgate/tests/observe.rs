//! What the gate remembers, as its commands tell it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use support::Scratch;

fn tollgate(scratch: &Scratch, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.args(args).output().unwrap()
}

fn shown(scratch: &Scratch, args: &[&str]) -> String {
    let output = tollgate(scratch, args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_ne!(output.status.code(), Some(2), "{args:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn objects(scratch: &Scratch, args: &[&str]) -> Vec<Value> {
    shown(scratch, args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// One event of a session.
fn event(scratch: &Scratch, name: &str, more: Value) {
    let mut payload = json!({
        "session_id": "s-1", "transcript_path": "/x/t.jsonl", "cwd": scratch.project(), "prompt_id": "p-1",
        "permission_mode": "default", "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.hook(name, payload.to_string().as_bytes());
}

fn call(scratch: &Scratch, id: &str, command: &str) {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
    event(scratch, "PreToolUse", call);
}

fn result(scratch: &Scratch, id: &str, command: &str) {
    let result = json!({
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id, "duration_ms": 40,
        "tool_response": {"stdout": "12345", "stderr": ""},
    });
    event(scratch, "PostToolUse", result);
}

/// A prompt, a call that runs, one that is refused, one that is cut off.
fn story() -> Scratch {
    let scratch = Scratch::new();
    event(&scratch, "UserPromptSubmit", json!({"prompt": "go"}));
    call(&scratch, "t1", "cargo test");
    result(&scratch, "t1", "cargo test");
    call(&scratch, "t2", "rm -rf ~/.ssh");
    call(&scratch, "t3", "ls src");
    event(&scratch, "Stop", json!({"stop_hook_active": false}));
    scratch
}

#[test]
fn a_record_says_what_it_belongs_to() {
    let scratch = story();
    let log = scratch.log();
    let pre = log.iter().find(|record| record["id"] == "t1" && record["phase"] == "pre-tool").unwrap();
    for (key, value) in [("prompt_id", "p-1"), ("mode", "default"), ("transcript", "/x/t.jsonl")] {
        assert_eq!(pre[key], value, "{key}");
    }
    assert_eq!(pre["gate"], env!("CARGO_PKG_VERSION"));
    assert!(pre["policy"].as_str().is_some_and(|digest| digest.len() >= 8), "{pre}");
    let post = log.iter().find(|record| record["phase"] == "post-tool").unwrap();
    assert_eq!((&post["result_bytes"], &post["took_ms"]), (&json!(5), &json!(40)));
}

#[test]
fn a_call_that_was_cut_off_is_closed_when_its_turn_ends() {
    let scratch = story();
    event(&scratch, "Stop", json!({"stop_hook_active": false}));
    let log = scratch.log();
    let closing: Vec<&Value> = log.iter().filter(|record| record["phase"] == "no-result").collect();
    let pre = log.iter().find(|record| record["id"] == "t3" && record["phase"] == "pre-tool").unwrap();
    assert_eq!(closing.len(), 1, "t1 ran, t2 was refused, and a second stop closes nothing: {closing:?}");
    for (key, value) in [
        ("id", &json!("t3")),
        ("call_seq", &pre["seq"]),
        ("tool", &json!("Bash")),
        ("session", &pre["session"]),
    ] {
        assert_eq!(&closing[0][key], value, "{key}");
    }
    let shown = shown(&scratch, &["log", "--event", "no-result"]);
    assert!(shown.contains("Bash") && shown.contains("no result"), "{shown}");
    assert_eq!(objects(&scratch, &["stats", "--json"])[0]["calls"]["no_result"], 1);
    assert_eq!(tollgate(&scratch, &["audit"]).status.code(), Some(0));
}

#[test]
fn the_hook_never_touches_the_index() {
    let scratch = story();
    assert!(!scratch.state().join("index.db").exists());
    shown(&scratch, &["stats"]);
    assert!(scratch.state().join("index.db").exists());
}

#[test]
fn the_log_is_filtered_by_everything_it_says() {
    let scratch = story();
    let ids = |args: &[&str]| -> Vec<String> {
        let args: Vec<&str> = ["log", "--json"].iter().chain(args).copied().collect();
        objects(&scratch, &args).iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
    };
    let table: [(&[&str], &[&str]); 12] = [
        (&["--event", "pre-tool"], &["t1", "t2", "t3"]),
        (&["--event", "PostToolUse"], &["t1"]),
        (&["--verdict", "deny"], &["t2"]),
        (&["--tool", "Bash", "--text", "cargo"], &["t1", "t1"]),
        (&["--path", ".ssh"], &["t2"]),
        (&["--path", "cargo"], &[]),
        (&["--session", "s-", "--event", "PostToolUse"], &["t1"]),
        (&["--session", "1"], &[]),
        (&["--agent", "codex"], &[]),
        (&["--since", "1h", "--verdict", "deny"], &["t2"]),
        (&["--until", "1h"], &[]),
        (&["-n", "1", "--event", "pre-tool"], &["t3"]),
    ];
    for (args, expected) in table {
        assert_eq!(ids(args), expected, "{args:?}");
    }
    let rule = scratch.log().iter().find(|r| r["id"] == "t2").unwrap()["findings"][0]["rule"].clone();
    assert_eq!(ids(&["--rule", rule.as_str().unwrap()]), ["t2"]);
    assert_eq!(tollgate(&scratch, &["log", "--text", "nowhere to be found"]).status.code(), Some(0));
    assert_eq!(tollgate(&scratch, &["log", "--since", "soon"]).status.code(), Some(2));
}

#[test]
fn figures_add_up() {
    let scratch = story();
    let all = &objects(&scratch, &["stats", "--json"])[0];
    assert_eq!((&all["prompts"], &all["sessions"]), (&json!(1), &json!(1)));
    let calls = &all["calls"];
    let found = ["calls", "refused", "no_result", "result_bytes", "ran_us"].map(|key| calls[key].clone());
    assert_eq!(found, [3, 1, 1, 5, 40_000].map(|number| json!(number)));
    let by = |what: &str| objects(&scratch, &["stats", "--json", "--by", what]);
    let tool = &by("tool")[0];
    assert_eq!(
        (&tool["kind"], &tool["tools"], &tool["ran"]["n"]),
        (&json!("shell"), &json!(["Bash"]), &json!(1))
    );
    assert_eq!(by("session")[0]["session"], "s-1");
    let rules = by("rule");
    assert!(rules[0]["fires"].as_u64() > Some(0) && rules.iter().any(|rule| rule["fires"] == 0));
    // Rules and middlewares are named in full, however wide that is.
    for what in ["session", "hour", "day", "agent", "subagent", "tool"] {
        let text = shown(&scratch, &["stats", "--by", what]);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{what}: {text}");
    }
    assert!(shown(&scratch, &["stats"]).lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_report_is_written_kept_and_compared() {
    let scratch = story();
    for format in ["text", "markdown", "html", "json"] {
        let page = shown(&scratch, &["report", "--format", format, "--save", "first"]);
        assert!(page.contains("Bash") && page.contains("refused"), "{format}: {page}");
    }
    call(&scratch, "t4", "ls");
    let compared = &objects(&scratch, &["report", "--json", "--against", "first"])[0];
    let calls =
        compared["figures"].as_array().unwrap().iter().find(|figure| figure["name"] == "calls").unwrap();
    assert_eq!((&calls["value"], &calls["before"]), (&json!(4.0), &json!(3.0)));
    let session = shown(&scratch, &["report", "--session", "s-1"]);
    assert!(session.contains("Session s-1"), "{session}");
    let stopped = session.split("Refused, asked, approved, saved").nth(1).unwrap_or_default();
    assert!(stopped.contains("rm -rf ~/.ssh") && stopped.contains("deny"), "{session}");
    assert_eq!(tollgate(&scratch, &["report", "--save", "../x"]).status.code(), Some(2));
    assert_eq!(tollgate(&scratch, &["report", "--session", "nobody"]).status.code(), Some(2));
}

#[test]
fn what_cannot_be_answered_is_told_in_words() {
    let fresh = Scratch::new();
    for (args, code, told) in [
        (&["log"][..], 0, "No events recorded yet"),
        (&["stats"], 0, "No events recorded yet"),
        (&["report", "--format", "html"], 0, "No events recorded yet"),
        (&["suggest"], 0, "No events recorded yet"),
        (&["replay"], 0, "There are no calls to judge again"),
        (&["stats", "--by", "tokens"], 0, "No transcript"),
        (&["audit"], 0, "nothing to compare"),
    ] {
        check(&fresh, args, code, told);
        assert!(!fresh.state().join("transcripts.json").exists(), "{args:?} leaves nothing behind");
    }
    let scratch = story();
    for (args, code, told) in [
        (&["log", "--verdict", "denied"][..], 2, "'deny'"),
        (&["stats", "--agent", "claude"], 2, "'claude-code'"),
        (&["log", "--rule", "git-force-psh"], 0, "did you mean `--rule git-force-push`?"),
        (&["log", "--text", "nowhere"], 0, "No record matches"),
        (&["stats", "--since", "1h", "--until", "2h"], 2, "before it begins"),
        (&["log", "--since", "soon"], 2, "`soon` is no time; write `24h`"),
        (&["report", "--session", "x"], 2, "`tollgate stats --by session` lists them"),
        (&["report", "--against", "x"], 2, "`tollgate report --save x`"),
        (&["report", "--save", "../x"], 2, "use letters, digits"),
        (&["replay", "--policy", "/nowhere"], 2, "cannot read `/nowhere`"),
        (&["stats", "--by", "tokens", "--prices", "/nowhere"], 2, "cannot read `/nowhere`"),
        (&["audit", "--anchor", "rubbish"], 2, "`SEQ:HASH`"),
        (&["prune"], 2, "--older-than 90d"),
    ] {
        check(&scratch, args, code, told);
    }
}

fn check(scratch: &Scratch, args: &[&str], code: i32, told: &str) {
    let output = tollgate(scratch, args);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(code) && text.contains(told), "{args:?}: {text}");
}

/// Calls that were made so many minutes ago, as records of the log.
fn made_ago(scratch: &Scratch, minutes: &[u64]) {
    let record = |ago: &u64| {
        let fields = [("agent", "codex"), ("session", "s"), ("event", "PreToolUse"), ("phase", "pre-tool")];
        let more = [("tool", "shell"), ("verdict", "allow")];
        let fields =
            fields.into_iter().chain(more).map(|(key, text)| (key.to_owned(), text.into())).collect();
        let at = SystemTime::now() - Duration::from_secs(ago * 60);
        (tollgate_model::Record { call: format!("c{ago}"), fields }, at)
    };
    tollgate_store::Log::at(&scratch.state()).append_all(minutes.iter().map(record)).unwrap();
}

#[test]
fn no_call_is_in_two_periods_that_are_compared() {
    // In the hour in which the two periods meet; figures are kept by the hour.
    for ago in [61, 77, 91, 116] {
        let scratch = Scratch::new();
        made_ago(&scratch, &[ago]);
        let since = format!("{}m", ago - 1);
        let report =
            objects(&scratch, &["report", "--since", &since, "--against", "previous", "--json"]).remove(0);
        let calls = &report["figures"][0];
        let sum = calls["value"].as_f64().unwrap() + calls["before"].as_f64().unwrap();
        assert_eq!(sum, 1.0, "{since}: {calls}");
        assert!(report["against"].as_str().unwrap().contains(" – "), "{report}");
    }
}

/// A line of Claude's transcript that calls `Bash`.
fn transcript(id: &str, time: &str) -> String {
    let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "echo TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345"}});
    let message = json!({"id": format!("m-{id}"), "role": "assistant", "model": "m", "content": [call]});
    json!({"type": "assistant", "sessionId": "s-1", "timestamp": time, "message": message}).to_string() + "\n"
}

fn write_transcript(scratch: &Scratch, lines: &[String]) {
    let folder = scratch.home().join(".claude/projects/-p");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("s-1.jsonl"), lines.concat()).unwrap();
}

#[test]
fn an_audit_names_exactly_the_calls_that_went_around() {
    let scratch = story();
    let audit = || {
        let output = tollgate(&scratch, &["audit", "--json"]);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), value)
    };
    let (code, nothing) = audit();
    assert_eq!(code, Some(0), "{nothing}");
    assert!(nothing["life"]["line"].as_str().unwrap().starts_with("nothing to compare"), "{nothing}");

    let lines = [transcript("t0", "2020-01-01T00:00:00.000Z"), transcript("t1", "2999-01-01T00:00:00.000Z")];
    write_transcript(&scratch, &lines);
    let (code, passed) = audit();
    let group = &passed["life"]["groups"][0];
    assert_eq!(
        (code, &group["passed"], &group["before_installation"]),
        (Some(0), &json!(1), &json!(1)),
        "{passed}"
    );

    let unrun = json!({"type": "user", "sessionId": "s-1", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t8", "is_error": true, "content": "<tool_use_error>No such tool"}]}});
    let late = ["t8", "t9"].map(|id| transcript(id, "2999-01-01T00:00:01.000Z"));
    let unrun = unrun.to_string() + "\n";
    write_transcript(
        &scratch,
        &[lines[0].clone(), lines[1].clone(), late[0].clone(), late[1].clone(), unrun],
    );
    let (code, around) = audit();
    let group = &around["life"]["groups"][0];
    assert_eq!(
        (code, &group["went_around"], &group["not_hookable"]),
        (Some(1), &json!(1), &json!(1)),
        "{around}"
    );
    assert_eq!(group["calls"][0]["id"], "t9");
    assert!(group["cause"].as_str().unwrap().contains("stopped firing"), "{group}");
    let text = shown(&scratch, &["audit"]);
    assert!(text.contains("1 went around") && !text.contains("ghp_0123"), "{text}");

    write_transcript(&scratch, &lines[..1]);
    let (code, shrunk) = audit();
    assert_eq!((code, shrunk["shrunk"].as_array().unwrap().len()), (Some(1), 1), "{shrunk}");
}

#[test]
fn f39_an_audit_finds_what_was_done_to_the_log() {
    let scratch = story();
    let path = scratch.state().join("events.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    let head: Value = serde_json::from_slice(&std::fs::read(scratch.state().join("head")).unwrap()).unwrap();
    let anchor = format!("{}:{}", head["seq"], head["hash"].as_str().unwrap());
    let code = |args: &[&str]| tollgate(&scratch, args).status.code();
    assert_eq!(code(&["audit", "--anchor", &anchor]), Some(0));
    assert_eq!(code(&["audit", "--anchor", "1:00000000000000000000000000000000"]), Some(1));
    assert_eq!(code(&["audit", "--anchor", "rubbish"]), Some(2));
    std::fs::write(&path, whole.replacen("cargo test", "cargo bark", 1)).unwrap();
    let edited = tollgate(&scratch, &["audit"]);
    let text = String::from_utf8(edited.stdout).unwrap();
    assert!(
        edited.status.code() == Some(1) && text.contains("events.jsonl:2: the line was edited"),
        "{text}"
    );
}

#[test]
fn a_replay_shows_what_another_policy_would_change() {
    let scratch = story();
    let replay = |args: &[&str]| {
        let args: Vec<&str> = ["replay", "--json"].iter().chain(args).copied().collect();
        let output = tollgate(&scratch, &args);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), value)
    };
    let (code, same) = replay(&[]);
    assert_eq!((code, &same["calls"], &same["changed"]), (Some(0), &json!(3), &json!(0)), "{same}");

    let policy = scratch.home().join("other.yaml");
    std::fs::write(&policy, "version: 1\nmode: observe\n").unwrap();
    let (code, looser) = replay(&["--policy", policy.to_str().unwrap()]);
    assert_eq!((code, &looser["changed"]), (Some(1), &json!(1)), "{looser}");
    assert_eq!(looser["rules"][0]["looser"], json!(1), "{looser}");
    assert!(looser["rules"][0]["examples"][0]["text"].as_str().unwrap().contains("rm -rf"), "{looser}");
    let left = std::fs::read_dir(scratch.state()).unwrap().flatten();
    assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("replay-")));

    std::fs::write(&policy, "version: 1\nmod: observe\n").unwrap();
    let broken = tollgate(&scratch, &["replay", "--policy", policy.to_str().unwrap()]);
    assert_eq!(broken.status.code(), Some(2));

    let nothing = replay(&["--since", "2999-01-01"]).1;
    assert_eq!(nothing["calls"], json!(0));
    write_transcript(&scratch, &[transcript("t9", "2026-01-01T00:00:00.000Z")]);
    assert_eq!(replay(&["--transcripts"]).1["calls"], json!(1));
}

#[test]
fn tokens_are_counted_once_and_priced() {
    let scratch = story();
    let recorded = include_str!("../../agents/transcripts/claude-code-2.1.325.jsonl");
    write_transcript(&scratch, &[recorded.to_owned()]);
    let rows = objects(&scratch, &["stats", "--by", "tokens", "--json"]);
    let found = ["answers", "input", "output"].map(|key| rows[0][key].clone());
    assert_eq!(found, [5, 500, 100].map(|number| json!(number)), "{rows:?}");
    assert!((rows[0]["dollars"].as_f64().unwrap() - 0.004).abs() < 1e-9, "{rows:?}");
    let prices = scratch.home().join("prices.json");
    std::fs::write(&prices, r#"{"claude": {"input": 10000, "output": 0}}"#).unwrap();
    let own = objects(&scratch, &["stats", "--by", "tokens", "--json", "--prices", prices.to_str().unwrap()]);
    assert_eq!(own[0]["dollars"], json!(5.0));
    let report = objects(&scratch, &["report", "--json"]).remove(0);
    assert_eq!(
        (&report["tokens"][0]["output"], &report["tokens"][0]["price_checked"]),
        (&json!(100), &json!(true))
    );
    let cost = report["figures"].as_array().unwrap().iter().find(|figure| figure["name"] == "cost").unwrap();
    assert!((cost["value"].as_f64().unwrap() - 0.004).abs() < 1e-9, "{cost}");
    let nobody = objects(&scratch, &["report", "--json", "--agent", "codex"]).remove(0);
    assert_eq!(nobody["tokens"], json!([]));
    let mut narrow = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut narrow);
    let narrow = narrow.args(["stats", "--by", "tokens"]).env("COLUMNS", "80").output().unwrap();
    let narrow = String::from_utf8(narrow.stdout).unwrap();
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.contains("total  "), "{narrow}");
}

#[test]
fn tokens_of_every_agent_are_found_where_it_keeps_them() {
    let scratch = story();
    for (file, recorded) in [
        (".claude/projects/-p/a.jsonl", include_str!("../../agents/transcripts/claude-code-2.1.325.jsonl")),
        (
            ".codex/sessions/2026/11/16/rollout-x.jsonl",
            include_str!("../../agents/transcripts/codex-0.166.0.jsonl"),
        ),
        (
            ".gemini/tmp/p/chats/session-x.jsonl",
            include_str!("../../agents/transcripts/gemini-cli-0.61.0.jsonl"),
        ),
        (".qwen/projects/p/chats/x.jsonl", include_str!("../../agents/transcripts/qwen-code-0.24.4.jsonl")),
    ] {
        let path = scratch.home().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, recorded).unwrap();
    }
    let mut found: Vec<(String, u64, u64)> = objects(&scratch, &["stats", "--by", "tokens", "--json"])
        .iter()
        .map(|row| {
            let number = |key: &str| row[key].as_u64().unwrap();
            (row["agent"].as_str().unwrap().to_owned(), number("input"), number("output"))
        })
        .collect();
    found.sort();
    let expected =
        [("claude-code", 500, 100), ("codex", 200, 40), ("gemini-cli", 200, 40), ("qwen-code", 200, 40)];
    assert_eq!(found, expected.map(|(agent, input, output)| (agent.to_owned(), input, output)));
}

#[test]
fn a_log_is_pruned_by_people_only() {
    let scratch = story();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    let refused = command.args(["prune", "--older-than", "0d"]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(scratch.bash("tollgate prune --older-than 0d").stdout.contains("deny"));
}

/// A Python that can read Parquet: this machine's, or one in the build folder, which is made on first use. None where it
/// cannot be had.
fn python_with_pyarrow() -> Option<std::path::PathBuf> {
    let can = |python: &std::path::Path| {
        let tried = Command::new(python).args(["-c", "import pyarrow.parquet"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let own = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pyarrow");
    for python in ["python3".into(), own.join("bin/python")] {
        if can(&python) {
            return Some(python);
        }
    }
    let _ = Command::new("python3").args(["-m", "venv", "--clear"]).arg(&own).output();
    let mut pip = Command::new(own.join("bin/python"));
    let _ = pip.args(["-m", "pip", "install", "--quiet", "pyarrow"]).output();
    Some(own.join("bin/python")).filter(|python| can(python))
}

#[test]
fn an_export_is_read_by_the_tools_it_is_for() {
    let scratch = story();
    let output = tollgate(&scratch, &["log", "--format", "parquet"]);
    assert!(
        output.status.success() && output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1")
    );
    let file = scratch.home().join("records.parquet");
    std::fs::write(&file, output.stdout).unwrap();
    let read = "import json, sys, pyarrow.parquet as p\nt = p.read_table(sys.argv[1])\nassert str(t.schema.field('ts').type).startswith('timestamp[us')\nprint(json.dumps([{k: str(v) if k == 'ts' else v for k, v in r.items()} for r in t.to_pylist()]))";
    let Some(python) = python_with_pyarrow() else {
        eprintln!("left out: reading the export, because pyarrow cannot be installed");
        return;
    };
    let rows = Command::new(python).args(["-c", read]).arg(&file).output().unwrap();
    let complaint = String::from_utf8_lossy(&rows.stderr).into_owned();
    let rows: Vec<Value> = serde_json::from_slice(&rows.stdout).expect(&complaint);
    let log = scratch.log();
    assert_eq!(rows.len(), log.len());
    for (row, record) in rows.iter().zip(&log) {
        for key in ["seq", "agent", "session", "tool", "verdict", "took_ms", "result_bytes", "prompt_id"] {
            assert_eq!(row[key], record[key], "{key}");
        }
    }
    assert_eq!(rows[1]["text"], "cargo test");
    assert_eq!(
        rows[1]["ts"].as_str().unwrap().replace(' ', "T").get(..26),
        log[1]["ts"].as_str().unwrap().get(..26)
    );
}

#[test]
fn a_record_says_in_which_phase_of_which_workflow_it_was() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\nworkflows: [code]\n");
    call(&scratch, "t0", "ls src");
    let plans = scratch.project().join("project/m1/plans");
    std::fs::create_dir_all(&plans).unwrap();
    std::fs::write(plans.join("plan_s-1_a.md"), "# plan\n").unwrap();
    std::fs::write(scratch.project().join("project/status.json"), r#"{"current_milestone": "m1"}"#).unwrap();
    event(&scratch, "UserPromptSubmit", json!({"prompt": "/code"}));
    call(&scratch, "t1", "echo x > src/a.rs");
    let of =
        |id: &str| scratch.log().into_iter().find(|record| record["id"] == id).unwrap()["workflow"].clone();
    assert_eq!(of("t0"), Value::Null, "none was under way");
    assert_eq!(of("t1"), json!([{"name": "code", "phase": "failing_test"}]));
    assert!(shown(&scratch, &["log", "--format", "csv"]).contains(",code:failing_test,"));
}
