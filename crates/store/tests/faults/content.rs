//! What may stand in a line: no breaks, no secrets, no more than it can hold; and the ids of calls.

use tollgate_model::json::{Value, object};

use crate::support::*;

/// Every line is JSON for two readers, and one line for every reader.
fn lines(scene: &Scene) -> Vec<serde_json::Value> {
    let text = String::from_utf8(scene.current()).unwrap();
    assert!(
        text.chars()
            .all(|c| c == '\n' || (!c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}')))
    );
    for entry in scene.log.records() {
        assert!(entry.value().is_some(), "{}", entry.line);
    }
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn appended(value: Value) -> serde_json::Value {
    let scene = Scene::new();
    scene.log.append(&with_fields("i", [("input", value)].into_iter()), now()).unwrap();
    scene.assert_sound(1);
    lines(&scene).remove(0)
}

#[test]
fn f29_a_record_is_one_line_whatever_is_in_it() {
    let hostile = "a\nb\r\n\0\u{1b}[31m\u{2028}\u{2029}\u{85}\u{7f}\"}\\\n{\"v\":1,\"seq\":9}\u{202e}é😀";
    let scene = Scene::new();
    for id in [hostile, "", "toolu_1"] {
        let fields = [
            ("agent", hostile.into()),
            ("session", hostile.into()),
            ("tool", hostile.into()),
            ("input", object([(hostile, hostile.into()), ("n", Value::Number("1\n{".into()))])),
            ("odd", Value::List(["-", "", " 1\n", "01", "1e"].map(|odd| Value::Number(odd.into())).to_vec())),
            (hostile, Value::List(vec![hostile.into(), Value::Null])),
            ("seq", "99".into()),
            ("hash", "x".into()),
        ];
        scene.log.append(&with_fields(id, fields.into_iter()), now()).unwrap();
    }
    scene.assert_sound(3);
    let lines = lines(&scene);
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["id"], hostile);
    assert_eq!(lines[0]["agent"], hostile);
    assert_eq!(lines[0]["seq"], 1);
    assert_eq!(lines[0]["_seq"], "99", "a field cannot take the place of ours");
    assert_eq!(lines[0]["input"][hostile], hostile);
    assert_eq!(lines[0]["input"]["n"], "1\n{", "what is no number is a text");
}

#[test]
fn f29_long_texts_are_cut_with_length_and_hash() {
    let text = "é".repeat(600_000);
    let line = appended(object([("content", text.as_str().into())]));
    let kept = line["input"]["content"].as_str().unwrap();
    assert!(kept.len() < 17_000 && kept.starts_with("ééé"), "{}", kept.len());
    let mark = kept.trim_start_matches('é');
    assert!(mark.starts_with("…[cut: 1200000 bytes, blake3 ") && mark.ends_with(']'), "{mark}");
    let whole = "x".repeat(16 << 10);
    assert_eq!(appended(object([("content", whole.as_str().into())]))["input"]["content"], whole);
}

#[test]
fn f29_a_record_has_a_limit() {
    let text = || Value::String("y".repeat(15_000));
    let many = Value::List((0..100).map(|_| text()).collect());
    let wide = Value::List((0..300_000).map(|n: u64| n.into()).collect());
    let keys = Value::Map((0..300_000).map(|n| (format!("k{n}"), n.into())).collect());
    let deep = (0..120).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    let number = Value::Number("1".repeat(1 << 20));
    let controls = Value::List((0..16).map(|_| "\u{1}".repeat(16_000).as_str().into()).collect());
    for (name, value) in [
        ("many", many),
        ("wide", wide),
        ("keys", keys),
        ("deep", deep),
        ("number", number),
        ("controls", controls),
    ] {
        let scene = Scene::new();
        let input = object([("small", "kept".into()), ("big", value)]);
        let fields = [("tool", "Write".into()), ("input", input), ("verdict", "deny".into())];
        let line = scene.log.append(&with_fields("i", fields.into_iter()), now()).unwrap().line;
        assert!(line.len() <= 256 << 10, "{name}: {}", line.len());
        let line = lines(&scene).remove(0);
        assert_eq!((&line["tool"], &line["verdict"]), (&"Write".into(), &"deny".into()), "{name}");
        assert_eq!(line["input"]["small"], "kept", "{name}");
    }
}

#[test]
fn f29_even_a_thousand_large_fields_fit() {
    let scene = Scene::new();
    let names: Vec<String> = (0..1000).map(|n| format!("field{n}")).collect();
    let fields = names.iter().map(|name| (name.as_str(), Value::String("z".repeat(9000))));
    let line = scene.log.append(&with_fields("i", fields), now()).unwrap().line;
    assert!(line.len() <= 256 << 10, "{}", line.len());
    scene.assert_sound(1);
}

/// Secrets of many kinds in every place of a record. None of their bytes may be found anywhere in the state.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn f30_no_planted_secret_is_on_disk() {
    let pem = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----",
        "b3BlbnNzaC1rZXktdjEA".repeat(8)
    );
    let planted = [
        ("ghp_Q7rS9tU1vW3xY5aB3dE5fG7hI9jK1lM3nO5p", "Q7rS9tU1vW3x"),
        ("AKIAQ7RS9TU1VW3XY5AB", "Q7RS9TU1VW3X"),
        ("sk-ant-api03-Q8rS9tU1vW3xY5aB3dE5fG7hI9jK1l", "Q8rS9tU1vW3x"),
        ("--password Q9rS9tU1vW3x", "Q9rS9tU1vW3x"),
        ("DB_PASSWORD=Qhunter2hunter", "Qhunter2hunter"),
        ("https://me:Qp4ssw0rd@h.io/", "Qp4ssw0rd"),
        ("Authorization: Basic UXVzZXI6cGFzcw==", "UXVzZXI6cGFzcw"),
        ("curl -u me:Qs3cr3t h", "Qs3cr3t"),
        (&pem, "b3BlbnNzaC1rZXktdjEA"),
        ("xoxb-123456789012-Q6rS9tU1vW3x", "Q6rS9tU1vW3x"),
    ];
    let scene = Scene::new();
    for (text, _) in planted {
        let padding = "word ".repeat(3270);
        let fields = [
            ("agent", text.into()),
            ("session", text.into()),
            ("cwd", format!("/home/{text}").into()),
            ("tool", text.into()),
            ("input", object([(text, text.into()), ("command", format!("run {text} now").into())])),
            ("list", Value::List(vec![text.into(), format!("\"{text}\"").into()])),
            ("nested", format!("{{\\\"a\\\":\\\"{text}\\\"}}").into()),
            ("cut", format!("{padding}{text} {padding}").into()),
            ("cut_inside", format!("{}{text} {padding}", "x".repeat((16 << 10) - 9)).into()),
            ("window_end", format!("{}{text}{padding}", "y ".repeat((10 << 10) - 10)).into()),
            ("findings", Value::List(vec![object([("what", format!("sends `{text}` away").into())])])),
            ("message", format!("panicked at: {text}").into()),
        ];
        for call in [text, ""] {
            scene.log.append(&with_fields(call, fields.clone().into_iter()), now()).unwrap();
        }
    }
    let members = object([
        ("password", "Qmember1".into()),
        ("apiKey", "Qmember2".into()),
        ("env", Value::List(vec![object([("name", "API_TOKEN".into()), ("value", "Qmember3".into())])])),
        ("argv", Value::List(["x", "--token", "Qmember4"].into_iter().map(Value::from).collect())),
        ("curl", Value::List(["curl", "-u", "me:Qmember5"].into_iter().map(Value::from).collect())),
        ("headers", object([("Authorization", "Bearer Qmember6".into())])),
        ("secrets", object([("client_secret", Value::List(vec!["Qmember7".into()]))])),
        ("passcode", Value::Number("987612345".into())),
    ]);
    scene
        .log
        .append(&with_fields("", [("tool", "mcp".into()), ("input", members)].into_iter()), now())
        .unwrap();
    lines(&scene);
    let traces = planted.iter().map(|(_, trace)| *trace).chain(["Qmember", "987612345"]);
    for trace in traces {
        for (path, bytes) in files(&scene.state) {
            let found = bytes.windows(trace.len()).position(|window| window == trace.as_bytes());
            let around =
                found.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(60)..at + 20]).into_owned());
            assert_eq!(around, None, "{trace} in {path:?}");
        }
    }
}

#[test]
fn f30_a_secret_is_known_again_where_nothing_shows_that_it_is_one() {
    let scene = Scene::new();
    let fields = [
        ("findings", Value::List(vec![object([("what", "sends commits to host/me:hunter2hunter2".into())])])),
        (
            "input",
            object([("command", "git push https://me:hunter2hunter2@host/x -m \"password=abc\"".into())]),
        ),
        ("effects", Value::List(vec![object([("of", "/w/hunter2hunter2 abc".into())])])),
    ];
    scene.log.append(&with_fields("id hunter2hunter2", fields.into_iter()), now()).unwrap();
    let text = String::from_utf8(scene.current()).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.matches("‹secret:url-password:").count() == 4, "{text}");
    assert!(text.contains("› abc\""), "what is short may be any word: {text}");
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQy";
    let key =
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{line}\n{line}x\n-----END OPENSSH PRIVATE KEY-----");
    let fields = [
        ("input", object([("command", key.as_str().into())])),
        ("effects", Value::List(vec![object([("kind", "exec".into()), ("of", line.into())])])),
    ];
    scene.log.append(&with_fields("key", fields.into_iter()), now()).unwrap();
    assert!(!String::from_utf8(scene.current()).unwrap().contains(line));
    scene.assert_sound(2);
}

#[test]
fn f35_the_same_call_twice_has_one_id_and_two_records() {
    let scene = Scene::new();
    let id = |id: &str, session: &str, phase: &str, command: &str| {
        scene.log.append(&call(id, session, phase, command), now()).unwrap().id
    };
    assert_eq!(id("toolu_9", "s", "pre-tool", "ls"), "toolu_9");
    assert_eq!(id("toolu_9", "s", "pre-tool", "ls"), "toolu_9");
    scene.assert_sound(2);

    let first = id("", "s", "pre-tool", "ls");
    assert!(first.len() == 17 && first.starts_with('h'), "{first}");
    assert_eq!(id("", "s", "post-tool", "ls"), first, "its result");
    let second = id("", "s", "pre-tool", "ls");
    assert_ne!(second, first, "the same again");
    assert_eq!(id("", "s", "permission", "ls"), second);
    assert_ne!(id("", "t", "pre-tool", "ls"), first, "another session");
    assert_ne!(id("", "s", "pre-tool", "pwd"), first, "another command");
    let (after, again) = (id("", "only-after", "post-tool", "ls"), id("", "only-after", "post-tool", "ls"));
    assert_ne!(after, again);

    let start = with_fields("", [("event", Value::from("SessionStart"))].into_iter());
    let appended = scene.log.append(&start, now()).unwrap();
    assert_eq!(appended.id, format!("e{}", appended.seq), "about no call");
}

#[test]
fn f35_many_calls_without_ids_stay_apart() {
    let scene = Scene::new();
    let ids: std::collections::HashSet<String> = (0..600)
        .map(|n| {
            scene.log.append(&call("", "s", "pre-tool", &format!("echo {}", n % 300)), now()).unwrap().id
        })
        .collect();
    assert_eq!(ids.len(), 600);
}

#[test]
fn what_was_written_is_what_is_told() {
    let scene = Scene::new();
    let appended = scene.append("ls").unwrap();
    assert_eq!(scene.current(), format!("{}\n", appended.line).into_bytes());
    let line = lines(&scene).remove(0);
    assert_eq!(line["hash"], appended.hash);
    assert_eq!(line["ts"], "2026-01-01T00:00:00.000000Z");
    assert_eq!(line["v"], 1);
    assert_eq!(scene.log.head().unwrap().hash(), appended.hash);
    assert_eq!(appended.lagging, None);
}
