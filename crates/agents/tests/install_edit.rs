//! The edit of a settings file, as text.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use proptest::prelude::*;
use tollgate_agents::install::claude::{Registration, is_ours};
use tollgate_agents::install::{Doc, Edited, Entry, Status, insert, strip};

const OTHER: &str =
    r#"{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "other-gate check" }] }"#;

/// Settings files of people, each with a name.
const FILES: &[(&str, &str)] = &[
    ("empty", ""),
    ("blank", "\n\n"),
    ("only a comment", "// settings\n"),
    ("empty object", "{}"),
    ("empty object and newline", "{}\n"),
    ("spaced empty object", "{ }\n"),
    ("empty object over lines", "{\n}\n"),
    ("minimal", "{\n  \"model\": \"opus\"\n}\n"),
    ("one line", "{\"model\":\"opus\"}"),
    ("one line, spaced", "{ \"model\": \"opus\" }\n"),
    ("no final newline", "{\n  \"model\": \"opus\"\n}"),
    ("comments", "// top\n{\n  // before\n  \"model\": \"opus\" // why\n  /* end */\n}\n// after\n"),
    ("trailing commas", "{\n  \"permissions\": { \"allow\": [\"Bash\",], },\n}\n"),
    ("crlf", "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n"),
    ("tabs", "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t]\n\t}\n}\n"),
    ("four spaces", "{\n    \"model\": \"opus\",\n    \"hooks\": {\n    }\n}\n"),
    ("byte order mark", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
    ("empty hooks", "{ \"hooks\": {} }"),
    ("empty hooks with a comment", "{\n  \"hooks\": { // none yet\n  }\n}\n"),
    (
        "other hooks",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      @\n    ],\n    \"Stop\": [@]\n  },\n  \"model\": \"opus\"\n}\n",
    ),
    (
        "other hooks, bracket style",
        "{\n  \"hooks\": { \"PreToolUse\": [{\n    \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }]\n  }] } }\n",
    ),
    (
        "other hooks with comments",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      @ // keep\n      // and this\n    ] // x\n    /* y */\n  }\n}\n",
    ),
    (
        "other hooks with trailing commas",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      @, // keep\n    ],\n  },\n}\n",
    ),
    ("hooks of unknown events", "{\"hooks\":{\"NoSuchEvent\":[@],\"Stop\":[]}}"),
    ("comma on a line of its own", "{\n  \"a\": 1\n  , \"hooks\": {}\n  , \"b\": 2\n}\n"),
    (
        "text that looks like hooks",
        "{\n  \"note\": \"\\\"hooks\\\": { // }\",\n  \"x\": \"/* \\u007b */\"\n}\n",
    ),
];

fn registration() -> Registration {
    Registration {
        command: "/opt/bin/tollgate".into(),
        config: "/home/u/.config/tollgate".into(),
        state: "/home/u/.local/state/tollgate".into(),
    }
}

fn entries() -> Vec<Entry> {
    registration().entries()
}

fn without_inserted(edited: &Edited) -> String {
    let mut text = edited.text.clone();
    for range in edited.inserted.iter().rev() {
        text.replace_range(range.clone(), "");
    }
    text
}

fn status(text: &str, entries: &[Entry]) -> Status {
    Status::of(&Doc::parse(text).unwrap().value(), entries, is_ours)
}

/// What must hold for every file that can be edited. Gives back the edited text.
fn check(name: &str, before: &str, entries: &[Entry]) -> Edited {
    let edited = insert(before, entries).unwrap_or_else(|error| panic!("{name}: {error}\n{before}"));
    assert_eq!(without_inserted(&edited), before, "{name}: a byte of the old file moved");
    let after = status(&edited.text, entries);
    assert!(after.is_current(), "{name}: {after:?}\n{}", edited.text);
    assert_eq!(after.others, status(before, entries).others, "{name}: other people's hooks");
    let stripped = strip(&edited.text, &is_ours, Some(&edited.created)).unwrap();
    assert_eq!(status(&stripped, entries).ours, 0, "{name}");
    let again = insert(&stripped, entries).unwrap();
    assert_eq!(without_inserted(&again), stripped, "{name}");
    edited
}

#[test]
fn every_file_keeps_its_bytes() {
    for (name, before) in FILES {
        check(name, &before.replace('@', OTHER), &entries());
    }
}

#[test]
fn stripping_undoes_inserting_where_something_else_is_left() {
    let collapses = ["empty object over lines", "spaced empty object", "blank", "empty", "only a comment"];
    for (name, before) in FILES.iter().filter(|(name, _)| !collapses.contains(name)) {
        let before = before.replace('@', OTHER);
        let edited = check(name, &before, &entries());
        let stripped = strip(&edited.text, &is_ours, Some(&edited.created)).unwrap();
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&stripped), squeezed(&before), "{name}");
        if !["tabs", "four spaces"].contains(name) {
            assert_eq!(stripped, before, "{name}");
        }
    }
}

#[test]
fn style_is_kept() {
    let line = |name: &str, event: &str| {
        let before = FILES.iter().find(|(other, _)| *other == name).unwrap().1.replace('@', OTHER);
        let text = insert(&before, &entries()).unwrap().text;
        text.split_inclusive('\n').find(|line| line.contains(&format!("\"{event}\""))).unwrap().to_owned()
    };
    assert!(line("tabs", "SessionEnd").starts_with("\t\t\"SessionEnd\": [{ \"hooks\": ["));
    assert!(line("four spaces", "SessionEnd").starts_with("        \"SessionEnd\": [{"));
    assert!(line("crlf", "SessionEnd").ends_with("\r\n"));
    assert!(line("minimal", "SessionEnd").starts_with("    \"SessionEnd\": [{"));
    let tight = insert("{\"model\":\"opus\"}", &entries()).unwrap().text;
    assert!(
        tight.starts_with("{\"model\":\"opus\",\"hooks\":{\"PreToolUse\":[{\"matcher\":\"*\",\"hooks\":[{"),
        "{tight}"
    );
    assert!(!tight.contains('\n'));
}

#[test]
fn files_that_cannot_be_edited_are_refused_with_a_place() {
    let cases = [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "2:9", "expected comma"),
        ("{\n  \"hooks\": []\n}", "2:12", "`hooks` must be an object `{ … }`, found a list"),
        ("{\"hooks\": {\"Stop\": {}}}", "1:20", "`hooks.Stop` must be a list `[ … ]`, found an object"),
        ("{\"hooks\": {}, \"hooks\": {}}", "1:15", "`hooks` is there twice"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "1:24", "`Stop` is there twice"),
        ("[]", "1:1", "must be an object"),
        ("{\"a\": 1} {}", "1:10", "more than one JSON value"),
        ("{'a': 1}", "1:2", "single-quoted"),
        ("{\"a\": 0x1}", "1:7", "hexadecimal"),
        ("{\"ä\": nul}", "1:7", "unexpected token"),
        ("{\n  \"a\": [1, 2\n", "2:8", "unterminated array"),
        ("{\"a\": \"x\n\"}", "1:7", "unexpected character"),
        ("{\u{a0}\"a\": 1}", "1:2", "not valid JSON"),
        ("{\"a\": \"\\x\"}", "1:", "not valid JSON"),
        ("{\"a\": 01}", "1:8", "not valid JSON"),
    ];
    for (text, place, what) in cases {
        let error = insert(text, &entries()).map(|_| text).expect_err(text).to_string();
        assert!(error.starts_with(place) && error.contains(what), "{text}: {error}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(insert(&deep, &entries()).is_err());
}

#[test]
fn what_claude_would_not_read_is_found() {
    let cases = [
        ("{\"a\": [1, 2], \"b\": \"//\"}", None),
        ("{\n  // x\n}", Some("2:3: a comment")),
        ("{\"a\": [1, /* x */ ], }", Some("1:9: a trailing comma")),
        ("{\"a\": 1 /* x */}", Some("1:9: a comment")),
        ("\u{feff}{}", None),
    ];
    for (text, expected) in cases {
        let found = Doc::parse(text).unwrap().beyond_json().map(|error| error.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}

#[test]
fn our_handlers_are_known_in_every_form() {
    let cases = [
        (r#"{"type":"command","command":"/usr/bin/tollgate","args":["hook","claude-code","Stop"]}"#, true),
        (r#"{"type":"command","command":"tollgate.exe","args":["hook"]}"#, true),
        (r#"{"type":"command","command":"/usr/bin/tollgate hook claude-code"}"#, true),
        (r#"{"type":"command","command":"\"/opt/my tools/tollgate\" hook claude-code PreToolUse"}"#, true),
        (r#"{"type":"command","command":"'/opt/x/tollgate'  hook"}"#, true),
        (r#"{"type":"command","command":"tollgate log"}"#, false),
        (r#"{"type":"command","command":"/usr/bin/tollgate","args":["log"]}"#, false),
        (r#"{"type":"command","command":"/usr/bin/not-tollgate hook"}"#, false),
        (r#"{"type":"command","command":"echo tollgate hook"}"#, false),
        (r#"{"type":"http","url":"http://tollgate hook"}"#, false),
        (r#""tollgate hook""#, false),
    ];
    for (handler, expected) in cases {
        let value = tollgate_model::json::parse(handler.as_bytes()).unwrap();
        assert_eq!(is_ours(&value), expected, "{handler}");
    }
}

/// Claude Code writes its settings anew when one is changed in its own dialogs; people move lines about.
#[test]
fn entries_are_found_again_after_the_file_was_rewritten() {
    let ours = r#"{ "type": "command", "command": "/x/tollgate", "args": ["hook", "claude-code"] }"#;
    let cases = [
        (
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          $\n        ]\n      }\n    ]\n  },\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1\n}\n",
        ),
        (
            "{\"a\":1,\"hooks\":{\"Stop\":[{\"hooks\":[$,@]}]}}",
            "{\"a\":1,\"hooks\":{\"Stop\":[{\"hooks\":[@]}]}}",
        ),
        (
            "{\"a\":1,\"hooks\":{\"Stop\":[{\"hooks\":[@, $]}]}}",
            "{\"a\":1,\"hooks\":{\"Stop\":[{\"hooks\":[@]}]}}",
        ),
        (
            "{\"hooks\":{\"Stop\":[{\"hooks\":[$]},{\"hooks\":[@]},{\"hooks\":[$]}]}}",
            "{\"hooks\":{\"Stop\":[{\"hooks\":[@]}]}}",
        ),
        (
            "{\"hooks\":{\"Stop\":[\n // mine\n {\"hooks\":[$]}, {\"hooks\":[@]}]}}",
            "{\"hooks\":{\"Stop\":[\n // mine\n  {\"hooks\":[@]}]}}",
        ),
        ("{\"hooks\":{\"Stop\":[ // mine\n {\"hooks\":[$]} ]}}", "{\"hooks\":{\"Stop\":[ // mine\n  ]}}"),
        (
            "{\"hooks\":{\"Stop\":[{\"hooks\":[$]} /* c */ , {\"hooks\":[@]}]}}",
            "{\"hooks\":{\"Stop\":[ /* c */  {\"hooks\":[@]}]}}",
        ),
        ("{\"hooks\":{\"Stop\":[{\"hooks\":[$]}],},}", "{}"),
        (
            "{\"hooks\":{\"Stop\":[{\"hooks\":[$]}],\"PreCompact\":[]},\"a\":1}",
            "{\"hooks\":{\"PreCompact\":[]},\"a\":1}",
        ),
    ];
    for (before, after) in cases {
        let fill = |text: &str| text.replace('$', ours).replace('@', r#"{"type":"command","command":"x"}"#);
        assert_eq!(strip(&fill(before), &is_ours, None).unwrap(), fill(after), "{before}");
    }
}

#[test]
fn containers_that_were_there_before_stay() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n";
    let edited = insert(before, &entries()).unwrap();
    assert!(!edited.created.contains(&"hooks".to_owned()) && !edited.created.contains(&"Stop".to_owned()));
    assert_eq!(strip(&edited.text, &is_ours, Some(&edited.created)).unwrap(), before);
    assert_eq!(strip(&edited.text, &is_ours, None).unwrap(), "{}\n");
}

#[test]
fn a_file_with_nothing_of_ours_is_not_touched_by_strip() {
    for (name, text) in FILES {
        let text = text.replace('@', OTHER);
        assert_eq!(strip(&text, &is_ours, None).unwrap(), text, "{name}");
    }
}

/// Random settings: members, with `hooks` of every shape that can be edited, in every style, with comments.
fn arb_settings() -> impl Strategy<Value = String> {
    let gap = prop_oneof![
        4 => Just(""), 2 => Just(" "), 3 => Just("\n  "), 1 => Just("\r\n\t"),
        1 => Just(" // c, \"hooks\": [\n"), 1 => Just("/* } ] */"),
    ];
    let gaps = proptest::collection::vec(gap, 64);
    let shape = (0_usize..4, proptest::option::of((0_usize..4, 0_usize..3)), any::<bool>(), 0_usize..4);
    (gaps, shape).prop_map(|(gaps, (members, hooks, trailing, place))| {
        let mut gaps = gaps.into_iter().cycle();
        let mut gap = || gaps.next().unwrap();
        let mut parts: Vec<String> = (0..members)
            .map(|i| format!("\"k{i}\"{}:{}[{}1{},{}\"}}\"{}]", gap(), gap(), gap(), gap(), gap(), gap()))
            .collect();
        if let Some((events, groups)) = hooks {
            let names = ["PreToolUse", "Stop", "NoSuch", "SessionEnd"];
            let lists: Vec<String> = names[..events]
                .iter()
                .map(|name| {
                    let group: Vec<String> = (0..groups)
                        .map(|i| {
                            format!(
                                "{}{{\"hooks\":[{}{{\"type\":\"command\",\"command\":\"c{i}\"}}]}}{}",
                                gap(),
                                gap(),
                                gap()
                            )
                        })
                        .collect();
                    format!("{}\"{name}\"{}:{}[{}{}]", gap(), gap(), gap(), group.join(","), gap())
                })
                .collect();
            let comma = if trailing && events > 0 { "," } else { "" };
            parts.insert(
                place.min(parts.len()),
                format!("\"hooks\":{{{}{}{comma}{}}}", gap(), lists.join(","), gap()),
            );
        }
        let comma = if trailing && !parts.is_empty() { "," } else { "" };
        let body: Vec<String> = parts.iter().map(|part| format!("{}{part}{}", gap(), gap())).collect();
        format!("{}{{{}{comma}{}}}{}", gap(), body.join(","), gap(), gap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_files_keep_their_bytes_and_come_back(text in arb_settings()) {
        let events = ["PreToolUse", "Stop", "SessionEnd", "Setup"];
        let entries: Vec<Entry> = entries().into_iter().filter(|entry| events.contains(&entry.event.as_str())).collect();
        let edited = check("random", &text, &entries);
        let stripped = strip(&edited.text, &is_ours, Some(&edited.created)).unwrap();
        prop_assert_eq!(Doc::parse(&stripped).unwrap().value(), Doc::parse(&text).unwrap().value());
        let comments = |text: &str| text.matches("// c,").count() + text.matches("/* } ] */").count();
        prop_assert_eq!(comments(&stripped), comments(&text));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\],:\"a-c/* \\n\u{feff}é0-9-]{0,60}") {
        let _ = insert(&text, &entries());
        let _ = strip(&text, &is_ours, None);
    }
}
