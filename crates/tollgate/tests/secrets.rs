//! Secrets planted everywhere, and then looked for in everything that is kept or shown.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::Scratch;

/// Kinds of secrets, with `#` for a letter or digit of their random part, `^` for a
/// capital, `%` for a hex digit, `0` for a digit.
/// In pieces, so that no scanner of repositories takes this file for a leak.
const KINDS: [(&str, &str); 30] = [
    ("ghp", "_####################################"),
    ("gho", "_####################################"),
    ("ghs", "_####################################"),
    ("github_pat", "_######################_###########################################################"),
    ("glpat", "-####################"),
    ("AKIA", "^^^^^^^^^^^^^^^^"),
    (
        "sk-ant-",
        "api03-############################################################################################AA",
    ),
    ("sk-proj-", "################################################"),
    ("xoxb", "-000000000000-0000000000000-########################"),
    ("xoxp", "-000000000000-000000000000-000000000000-%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%"),
    ("AIza", "Sy#################################"),
    ("ya29", ".####################################################"),
    ("npm", "_####################################"),
    ("pypi-", "AgEIcHlwaS5vcmc##################################################################"),
    ("sk_live", "_########################"),
    ("rk_live", "_########################"),
    ("whsec", "_################################"),
    ("SG.", "######################.###########################################"),
    ("key-", "%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%"),
    ("dop_v1", "_%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%"),
    ("hvs", ".########################"),
    ("shpat", "_%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%"),
    (
        "eyJhbGciOiJIUzI1NiJ9",
        ".eyJzdWIiOiIx########################.###########################################",
    ),
    ("lin_api", "_########################################"),
    ("hf", "_##################################"),
    ("AGE-SECRET-KEY-", "1QQPQYSQGZQQXQQPQYSQGZQQXQQPQYSQGZQQXQQPQYSQGZQQXQQPQYSQGZQ"),
    ("postgres://user:", "####################@db.example.com/x"),
    ("https://user:", "####################@example.com/x"),
    ("password=", "Zx9!####################"),
    ("Authorization: Bearer ", "########################################"),
];

/// The parts of a token that may stay: everything before the random part, and a host.
fn secret_part(token: &str, prefix: &str) -> String {
    let rest = token.strip_prefix(prefix).unwrap();
    rest.split('@').next().unwrap().trim_start_matches(['_', '-', '.']).to_owned()
}

fn token(kind: usize, number: usize, seed: &mut u64) -> (String, String) {
    let (prefix, shape) = KINDS[kind];
    let mut draw = |letters: &[u8]| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(number as u64 * 2 + 1);
        letters[((*seed >> 33) % letters.len() as u64) as usize] as char
    };
    let body: String = shape
        .chars()
        .map(|c| match c {
            '#' => draw(b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"),
            '^' => draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
            '%' => draw(b"0123456789abcdef"),
            '0' => draw(b"0123456789"),
            other => other,
        })
        .collect();
    let token = format!("{prefix}{body}");
    let part = secret_part(&token, prefix);
    (token, part)
}

fn event(scratch: &Scratch, name: &str, more: Value) {
    let mut payload = json!({
        "session_id": "s-1", "transcript_path": "/x/t.jsonl", "cwd": scratch.project(), "hook_event_name": name,
        "permission_mode": "default",
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.hook(name, payload.to_string().as_bytes());
}

/// Puts a token into every place that an event has for a text.
fn plant(scratch: &Scratch, at: usize, token: &str) {
    let id = format!("t{at}");
    let bash =
        |command: String| json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
    match at % 8 {
        0 => event(scratch, "PreToolUse", bash(format!("curl -H '{token}' https://example.com"))),
        1 => event(scratch, "PreToolUse", bash(format!("export TOKEN=\"{token}\"; make"))),
        2 => {
            let input = json!({"file_path": scratch.project().join("a.env"), "content": format!("A=1\nKEY={token}\n")});
            event(
                scratch,
                "PreToolUse",
                json!({"tool_name": "Write", "tool_input": input, "tool_use_id": id}),
            );
        }
        3 => event(scratch, "UserPromptSubmit", json!({"prompt": format!("use {token} please")})),
        4 => {
            let mut call = bash("ls".into());
            call["error"] = format!("failed with {token}").into();
            event(scratch, "PostToolUseFailure", call);
        }
        5 => event(
            scratch,
            "Notification",
            json!({"message": format!("got {token}"), "notification_type": "x"}),
        ),
        6 => {
            let input = json!({"query": {"deep": [{"text": format!("say {token}")}]}});
            event(
                scratch,
                "PreToolUse",
                json!({"tool_name": "mcp__x__y", "tool_input": input, "tool_use_id": id}),
            );
        }
        _ => event(scratch, "PreToolUse", bash(format!("rm -rf ~/.ssh && echo {token}"))),
    }
}

fn grep(folder: &Path, needles: &[(String, usize)], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            grep(&entry.path(), needles, found);
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        look(&entry.path().display().to_string(), &bytes, needles, found);
    }
}

fn look(place: &str, bytes: &[u8], needles: &[(String, usize)], found: &mut Vec<String>) {
    let text = String::from_utf8_lossy(bytes);
    for (needle, kind) in needles.iter().filter(|(needle, _)| text.contains(needle.as_str())) {
        found.push(format!("{} ({}…) in {place}", KINDS[*kind].0, &needle[..4]));
    }
}

/// How many lines a file has, once it has as many as it should.
fn lines(path: &Path, count: usize) -> usize {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let lines = std::fs::read_to_string(path).unwrap_or_default().lines().count();
        if lines >= count || Instant::now() > end {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn f30_no_planted_secret_is_kept_or_shown() {
    let scratch = Scratch::new();
    scratch.policy(
        "version: 1\nsinks:\n  - { uses: jsonl, path: ~/out/all.jsonl }\n  - { uses: analytics }\n  - { uses: command, run: [sh, -c, 'cat >> \"$HOME/out/piped\"'] }\n",
    );
    std::fs::create_dir_all(scratch.home().join("out")).unwrap();
    let mut seed = 7;
    let mut needles = Vec::new();
    for at in 0..200 {
        let kind = at % KINDS.len();
        let (token, part) = token(kind, at, &mut seed);
        plant(&scratch, at + at / KINDS.len(), &token);
        needles.push((part, kind));
    }
    let mut found = Vec::new();
    let commands: [&[&str]; 10] = [
        &["stats", "--by", "session", "--json"],
        &["audit", "--json"],
        &["log", "--json"],
        &["log"],
        &["log", "--format", "csv"],
        &["stats"],
        &["report", "--format", "html", "--save", "x"],
        &["report", "--json"],
        &["replay", "--json", "--examples", "200"],
        &["audit"],
    ];
    for args in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        scratch.clean(&mut command);
        let output = command.args(args).output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{args:?}");
        look(&args.join(" "), &output.stdout, &needles, &mut found);
        look(&args.join(" "), &output.stderr, &needles, &mut found);
    }
    assert_eq!(scratch.log().len(), 200);
    for file in ["out/all.jsonl", "out/piped", "project/.agentic/analytics/events.jsonl"] {
        assert_eq!(lines(&scratch.home().join(file), 200), 200, "{file}");
    }
    for folder in [scratch.state(), scratch.home().join("out"), scratch.project().join(".agentic")] {
        grep(&folder, &needles, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}
