//! Every filter of `tollgate log`, alone and with others, against a plain reading of the records.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use support::Scratch;
use tollgate_model::Record;
use tollgate_model::json::{self, object};
use tollgate_store::{Limits, Log};

/// Texts that a log writes as they are, and others.
const TEXTS: [&str; 6] = ["cargo test", "say \"hi\"", "a\\b", "naïve é", "line\nbreak", "sep\u{2028}arated"];
const NAMES: [&str; 4] = ["Bash", "Read", "mcp__x__\"y\"", "é"];
const START: u64 = 1_790_000_000;

struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Records of all kinds, a minute apart.
fn fill(scratch: &Scratch) {
    let mut draw = Draw(5);
    let log = Log::at(&scratch.state()).limits(Limits { part: 8 << 10, ..Limits::default() });
    for minute in 0..120 {
        let finding = object([("rule", draw.of(&["r-one", "r-two"]).into()), ("verdict", "ask".into())]);
        let effect = object([
            ("kind", draw.of(&["read", "exec"]).into()),
            ("of", draw.of(&["/w/src", "/etc"]).into()),
        ]);
        let subagent =
            object([("id", draw.of(&["a1", "a2"]).into()), ("type", draw.of(&["Explore", "é"]).into())]);
        let fields = [
            ("agent", draw.of(&["claude-code", "codex"]).into()),
            ("session", draw.of(&["s-1", "s-10", "t\"x"]).into()),
            ("event", "PreToolUse".into()),
            ("phase", draw.of(&["pre-tool", "post-tool"]).into()),
            ("subagent", subagent),
            ("tool", draw.of(&NAMES).into()),
            ("input", object([("command", draw.of(&TEXTS).into())])),
            ("effects", json::Value::List(vec![effect])),
            ("verdict", draw.of(&["allow", "ask", "deny"]).into()),
            ("findings", json::Value::List(vec![finding])),
        ];
        let fields = fields.map(|(key, value)| (key.to_owned(), value)).into();
        let at = UNIX_EPOCH + Duration::from_secs(START + minute * 60);
        log.append(&Record { call: format!("c{minute}"), fields }, at).unwrap();
    }
    log.compress().unwrap();
}

fn holds(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.contains(wanted),
        Value::Array(all) => all.iter().any(|one| holds(one, wanted)),
        Value::Object(all) => all.values().any(|one| holds(one, wanted)),
        Value::Number(number) => number.to_string() == wanted,
        _ => false,
    }
}

/// Does a record fit one filter?
fn fits(record: &Value, flag: &str, wanted: &str) -> bool {
    match flag {
        "--session" => record["session"].as_str().unwrap().starts_with(wanted),
        "--agent" => record["agent"] == wanted,
        "--tool" => record["tool"] == wanted,
        "--verdict" => record["verdict"] == wanted,
        "--event" => record["event"] == wanted || record["phase"] == wanted,
        "--subagent" => record["subagent"]["id"] == wanted || record["subagent"]["type"] == wanted,
        "--rule" => record["findings"][0]["rule"] == wanted,
        "--path" => {
            let effect = &record["effects"][0];
            effect["kind"] == "read" && effect["of"].as_str().unwrap().contains(wanted)
        }
        "--text" => holds(record, wanted),
        "--since" => record["ts"].as_str().unwrap() >= wanted,
        _ => record["ts"].as_str().unwrap() < wanted,
    }
}

fn shown(scratch: &Scratch, args: &[String]) -> Vec<u64> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    let output = command.args(["log", "--json"]).args(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap()).collect()
}

#[test]
fn filters_show_what_fits_all_of_them_and_nothing_else() {
    let scratch = Scratch::new();
    fill(&scratch);
    let log = Log::at(&scratch.state());
    let records: Vec<Value> = log.records().map(|entry| serde_json::from_str(&entry.line).unwrap()).collect();
    assert_eq!((records.len(), log.parts().len() > 3), (120, true));
    let time = |minute: u64| {
        tollgate_store::rfc3339(SystemTime::UNIX_EPOCH + Duration::from_secs(START + minute * 60))
    };
    let (early, late) = (time(20), time(90));
    let flags: [(&str, &[&str]); 11] = [
        ("--session", &["s-1", "s-10", "t\"", "nobody"]),
        ("--agent", &["claude-code", "codex"]),
        ("--tool", &NAMES),
        ("--verdict", &["allow", "ask", "deny"]),
        ("--event", &["PreToolUse", "pre-tool", "post-tool"]),
        ("--subagent", &["a1", "Explore", "é"]),
        ("--rule", &["r-one", "r-two", "r"]),
        ("--path", &["/w", "/etc", "src"]),
        ("--text", &["cargo", "\"hi\"", "\\", "naïve", "\n", "\u{2028}", "7"]),
        ("--since", &[&early]),
        ("--until", &[&late]),
    ];
    let mut draw = Draw(11);
    for round in 0..120 {
        let mut chosen: Vec<(&str, &str)> = Vec::new();
        for (at, (flag, values)) in flags.iter().enumerate() {
            // Each alone at first, then any number of them.
            let take = if round < 11 { at == round } else { draw.below(4) == 0 };
            if take {
                chosen.push((flag, draw.of(values)));
            }
        }
        let expected: Vec<u64> = records
            .iter()
            .filter(|record| chosen.iter().all(|(flag, wanted)| fits(record, flag, wanted)))
            .map(|record| record["seq"].as_u64().unwrap())
            .collect();
        let mut args: Vec<String> = chosen.iter().map(|(flag, value)| format!("{flag}={value}")).collect();
        assert_eq!(shown(&scratch, &args), expected, "{args:?}");
        args.extend(["-n".to_owned(), "5".to_owned()]);
        assert_eq!(shown(&scratch, &args), expected[expected.len().saturating_sub(5)..], "{args:?}");
    }
}
