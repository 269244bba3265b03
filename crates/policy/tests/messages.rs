//! What `tollgate check` says about a file: every problem at once, each with its place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::path::Path;

use common::Rules;
use proptest::prelude::*;
use tollgate_policy::{Layer, Severity, TEMPLATE, check, render};

fn messages(text: &str, layer: Layer) -> Vec<String> {
    check(Path::new("t.yaml"), text, layer, &Rules).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn says(text: &str, expected: &[&str]) {
    assert_eq!(messages(text, Layer::User), expected, "{text:?}");
}

#[test]
fn good_files() {
    for text in [
        "",
        "\n",
        "# only a comment\n",
        "---\n",
        "null\n",
        "~",
        "\u{feff}version: 1\n",
        "version: 1",
        "version: 1\r\nmode: observe\r\n",
        "version: 1\nmode: enforce\non_fault: deny\napprove: read-only\naudit: required\n",
        "version: 1\npacks: [-cloud, git, '-secrets']\n",
        "version: 1\npacks:\nrules:\n",
        "version: 1\nrules:\n  git-push: off\n  git-force-push: { level: ask, except: ['a/**', /srv/x] }\n",
        "version: 1\nrules: {git-push: {except: []}}\n",
        "{version: 1, \"mode\": \"observe\"}",
        "version: 1\nrules:\n  git-push: &l ask\n  secret-file-read: *l\n",
        "version: 1\nrules: {gate-tamper: deny}\npacks: [self-protection]\n",
        TEMPLATE,
    ] {
        says(text, &[]);
    }
}

#[test]
fn the_template_holds_when_its_settings_are_switched_on() {
    let keys = [
        "mode:",
        "on_fault:",
        "approve:",
        "audit:",
        "packs:",
        "rules:",
        "  git",
        "  secret",
        "custom:",
        "  - id:",
        "    level:",
        "    when:",
        "    reason:",
        "    examples:",
    ];
    let switch_on = |line: &str| match line.strip_prefix("# ") {
        Some(setting) if keys.iter().any(|key| setting.starts_with(key)) => format!("{setting}\n"),
        _ => format!("{line}\n"),
    };
    let text: String = TEMPLATE.lines().map(switch_on).collect();
    assert_eq!(
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count(),
        keys.len() + 1
    );
    says(&text, &[]);
}

#[test]
fn wrong_keys_and_values() {
    says("mode: enforce\n", &["no `version`; start the file with `version: 1` (t.yaml:1:1)"]);
    says("version: 2\n", &["unknown version `2`; this Tollgate reads version 1 (t.yaml:1:10)"]);
    says("version: '1'\n", &["`version` must be a number, not a text; write `version: 1` (t.yaml:1:10)"]);
    says("version:\n", &["`version` must be 1, not nothing (t.yaml:1:8)"]);
    says("version: 1\nmod: observe\n", &["unknown key `mod`; did you mean `mode`? (t.yaml:2:1)"]);
    says(
        "version: 1\nxyzzy: 1\n",
        &[
            "unknown key `xyzzy`; valid: version, mode, on_fault, approve, audit, redact, undo, contain, packs, rules, custom, allow, workflows, hooks, sinks, include, trust (t.yaml:2:1)",
        ],
    );
    says("version: 1\non-fault: ask\n", &["unknown key `on-fault`; did you mean `on_fault`? (t.yaml:2:1)"]);
    says("version: 1\ngit-push: ask\n", &["unknown key `git-push`; rules go under `rules` (t.yaml:2:1)"]);
    says("version: 1\nmode: no\n", &["unknown value `no` for `mode`; valid: enforce, observe (t.yaml:2:7)"]);
    says(
        "version: 1\nmode: false\n",
        &["unknown value `false` for `mode`; valid: enforce, observe (t.yaml:2:7)"],
    );
    says(
        "version: 1\nmode: Observe\n",
        &["unknown value `Observe` for `mode`; did you mean `observe`? (t.yaml:2:7)"],
    );
    says("version: 1\nmode:\n", &["`mode` has no value; valid: enforce, observe (t.yaml:2:5)"]);
    says(
        "version: 1\nmode: [enforce]\n",
        &["`mode` must be a word, not a list; valid: enforce, observe (t.yaml:2:7)"],
    );
    says(
        "version: 1\non_fault: alow\n",
        &["unknown value `alow` for `on_fault`; did you mean `allow`? (t.yaml:2:11)"],
    );
    says(
        "version: 1\napprove: all\n",
        &["unknown value `all` for `approve`; valid: none, read-only (t.yaml:2:10)"],
    );
    says(
        "version: 1\naudit: require\n",
        &["unknown value `require` for `audit`; did you mean `required`? (t.yaml:2:8)"],
    );
    says("- a\n", &["a policy file is a map of keys, not a list; start with `version: 1` (t.yaml:1:1)"]);
    says("hello\n", &["a policy file is a map of keys, not a value; start with `version: 1` (t.yaml:1:1)"]);
    says("version: 1\n? [a]\n: b\n", &["a key must be a name, not a list (t.yaml:2:3)"]);
    says(
        "version: 1\nmode: enforce\nmode: observe\n",
        &["`mode` is set twice; first on line 2 (t.yaml:3:1)"],
    );
    says("version: 1\nmode: !!str observe\n", &["tags (`!…`) have no meaning here (t.yaml:2:13)"]);
}

/// What stands in a rule, and what is said about it.
#[test]
fn wrong_custom_rules() {
    let whole = "id: x\n    level: deny\n    when: effect.recursive\n    reason: r\n";
    let rule = |text: &str| format!("version: 1\ncustom:\n  - {text}");
    says(&rule(whole), &[]);
    for (from, to, said) in [
        ("reason: r", "reson: r", "unknown key `reson` of a rule; did you mean `reason`? (t.yaml:6:5)"),
        (
            "level: deny",
            "level: block",
            "unknown value `block` for `level`; valid: off, note, save, ask, deny (t.yaml:4:12)",
        ),
        (
            "id: x",
            "id: No Prod",
            "`No Prod` is no id; small letters, digits and `-`: `no-prod-psql` (t.yaml:3:9)",
        ),
        (
            "id: x",
            "id: git-push",
            "`git-push` is a rule of Tollgate; give yours another id, or set that one under `rules` (t.yaml:3:9)",
        ),
        (
            "effect.recursive",
            "effect.recusive",
            "`effect` has no `recusive`; did you mean `recursive`? (t.yaml:5:18)",
        ),
        (
            "effect.recursive",
            "'effect.path == 1'",
            "a text is never compared with a whole number (t.yaml:5:24)",
        ),
        (
            "effect.recursive",
            "|\n      effect.recursive &&\n      evnt.agent == 'x'",
            "unknown name `evnt`; did you mean `event`? (t.yaml:7:7)",
        ),
        ("effect.recursive", "effect.recursive &&", "not valid CEL: it ends too early (t.yaml:5:30)"),
    ] {
        let told = messages(&rule(&whole.replace(from, to)), Layer::User);
        assert!(told.iter().any(|line| line == said), "{to}: {told:#?}");
    }
    let bare = messages(&rule("id: x\n"), Layer::User);
    assert_eq!(bare.len(), 3, "level, when and reason are missing: {bare:#?}");
    let twice = messages(&format!("{}  - {whole}", rule(whole)), Layer::User);
    assert_eq!(twice, ["a second rule `x`; give it another id (t.yaml:7:5)"]);
}

#[test]
fn wrong_exceptions() {
    for (entry, said) in [
        ("{ rule: git-push, until: 2026-12-31, reason: x }", ""),
        ("{ command: git push --force **, project: /w }", ""),
        ("{ reason: x }", "an exception from everything; name a rule, a command or a path (t.yaml:3:5)"),
        (
            "{ rule: gate-tamper }",
            "`gate-tamper` protects the gate itself and has no exceptions; `tollgate approve` lets one call pass (t.yaml:3:5)",
        ),
        ("{ rule: git-pus }", "unknown rule `git-pus`; `tollgate rules` lists them (t.yaml:3:5)"),
        ("{ rule: git-push, until: soon }", "`soon` is no date; write `until: 2026-12-31` (t.yaml:3:30)"),
        ("{ rule: git-push, path: a/b }", "`a/b` is not absolute; write the whole path (t.yaml:3:5)"),
        (
            "{ command: \"* push\" }",
            "`* push` is no shape of a command; begin with the program; `**` only stands at the end (t.yaml:3:5)",
        ),
        ("{ rul: git-push }", "unknown key `rul` of an exception; did you mean `rule`? (t.yaml:3:7)"),
    ] {
        let told = messages(&format!("version: 1\nallow:\n  - {entry}\n"), Layer::User);
        let expected: Vec<&str> = Some(said).filter(|said| !said.is_empty()).into_iter().collect();
        assert_eq!(told, expected, "{entry}");
    }
    let project = messages("version: 1\nallow: [{ rule: git-push }]\n", Layer::Project);
    assert_eq!(
        project,
        [
            "`allow` of rule `git-push` is looser than what is in force; ignored: a project file may only tighten (t.yaml:2:9)"
        ]
    );
}

#[test]
fn wrong_packs() {
    says(
        "version: 1\npacks: -cloud\n",
        &["`packs` must be a list, not a value; write `packs: [-cloud]` (t.yaml:2:8)"],
    );
    says("version: 1\npacks: [-clout]\n", &["unknown pack `clout`; did you mean `cloud`? (t.yaml:2:9)"]);
    says(
        "version: 1\npacks: [git-push]\n",
        &["unknown pack `git-push`; that is a rule; rules go under `rules` (t.yaml:2:9)"],
    );
    says("version: 1\npacks: [git, -git]\n", &["pack `git` is named twice (t.yaml:2:14)"]);
    says("version: 1\npacks: [[git]]\n", &["a pack must be a name, not a list (t.yaml:2:9)"]);
    says(
        "version: 1\npacks: [-self-protection]\n",
        &[
            "`self-protection` cannot be taken out; it keeps the gate itself from being switched off (t.yaml:2:9)",
        ],
    );
}

#[test]
fn wrong_rules() {
    let rule = |text: &str| format!("version: 1\nrules:\n  {text}\n");
    for (text, expected) in [
        ("git-forcepush: deny", "unknown rule `git-forcepush`; did you mean `git-force-push`? (t.yaml:3:3)"),
        ("kubernetes: deny", "unknown rule `kubernetes`; `tollgate rules` lists them (t.yaml:3:3)"),
        ("git: deny", "unknown rule `git`; that is a pack; packs go under `packs` (t.yaml:3:3)"),
        ("git-push: save", "unknown value `save` for `git-push`; valid: off, note, ask, deny (t.yaml:3:13)"),
        ("git-push: no", "unknown value `no` for `git-push`; valid: off, note, ask, deny (t.yaml:3:13)"),
        ("git-push: dney", "unknown value `dney` for `git-push`; did you mean `deny`? (t.yaml:3:13)"),
        ("git-push: ~", "`git-push` has no value; valid: off, note, ask, deny (t.yaml:3:13)"),
        (
            "git-push: [ask]",
            "`git-push` must be a word, not a list; valid: off, note, ask, deny (t.yaml:3:13)",
        ),
        ("git-push: {}", "`git-push` says nothing; give it a `level` or `except` (t.yaml:3:13)"),
        ("git-push: {levl: ask}", "unknown key `levl` of a rule; did you mean `level`? (t.yaml:3:14)"),
        (
            "git-push: {except: a}",
            "`except` must be a list, not a value; write `except: [\"tests/**\"]` (t.yaml:3:22)",
        ),
        ("git-push: {except: [{}]}", "a pattern must be text, not a map (t.yaml:3:23)"),
        (
            "git-push: {except: ['~/x']}",
            "pattern `~/x` never works; `~` is not expanded; write the whole path (t.yaml:3:23)",
        ),
        ("git-push: {except: ['a[']}", "pattern `a[` never works; a `[` without its `]` (t.yaml:3:23)"),
        ("gate-tamper: ask", "`gate-tamper` protects the gate itself and stays at `deny` (t.yaml:3:3)"),
        (
            "gate-tamper: {except: [x]}",
            "`gate-tamper` protects the gate itself and has no exceptions (t.yaml:3:3)",
        ),
    ] {
        says(&rule(text), &[expected]);
    }
    says(
        "version: 1\nrules: [git-push]\n",
        &["`rules` must be a map, not a list; write `rule: level` below it (t.yaml:2:8)"],
    );
}

#[test]
fn f06_broken_yaml_has_a_place() {
    says(
        "version: 1\nrules:\n\tgit-push: ask\n",
        &["not valid YAML: tabs disallowed within this context (block indentation) (t.yaml:3:2)"],
    );
    says("version: 1\npacks: [git\n", &["not valid YAML: unclosed bracket '[' (t.yaml:2:8)"]);
    says(
        "version: 1\na: b: c\n",
        &[
            "unknown key `a`; valid: version, mode, on_fault, approve, audit, redact, undo, contain, packs, rules, custom, allow, workflows, hooks, sinks, include, trust (t.yaml:2:1)",
            "not valid YAML: mapping values are not allowed in this context (t.yaml:2:5)",
        ],
    );
    says(
        "version: 1\nmode: *x\n",
        &["not valid YAML: while parsing node, found unknown anchor (t.yaml:2:7)"],
    );
    says("version: 1\n---\nmode: observe\n", &["a second document; a policy file holds one (t.yaml:2:1)"]);
    says("version: 1\nmode: \u{0}\n", &["not valid YAML: unexpected character: `\\u{0}' (t.yaml:2:7)"]);
    says(&"x".repeat((1 << 20) + 1), &["too big: a policy file has at most 1 MiB (t.yaml:1:1)"]);
}

#[test]
fn all_problems_at_once_in_the_look_of_rustc() {
    let text = "version: 1\nmoed: observe\nrules:\n  git-forcepush: deny\n  git-push: of\n";
    let problems = check(Path::new("tollgate.yaml"), text, Layer::User, &Rules);
    let expected = "\
error: unknown key `moed`
 --> tollgate.yaml:2:1
  |
2 | moed: observe
  | ^^^^ did you mean `mode`?
error: unknown rule `git-forcepush`
 --> tollgate.yaml:4:3
  |
4 |   git-forcepush: deny
  |   ^^^^^^^^^^^^^ did you mean `git-force-push`?
error: unknown value `of` for `git-push`
 --> tollgate.yaml:5:13
  |
5 |   git-push: of
  |             ^^ did you mean `off`?
";
    assert_eq!(render(&problems, text, false), expected);
    assert!(render(&problems, text, true).contains('\u{1b}'));
}

#[test]
fn a_project_file_is_warned_about_what_it_cannot_do() {
    let text = "version: 1\nmode: observe\non_fault: allow\napprove: read-only\npacks: [-git]\nrules:\n  secret-file-read: note\n  git-push: {level: deny, except: [x]}\n";
    let problems = check(Path::new("t.yaml"), text, Layer::Project, &Rules);
    assert!(problems.iter().all(|problem| problem.severity == Severity::Warning));
    assert_eq!(
        messages(text, Layer::Project),
        [
            "`mode: observe` is looser than `enforce`, which is in force; ignored: a project file may only tighten (t.yaml:2:7)",
            "`on_fault: allow` is looser than `ask`, which is in force; ignored: a project file may only tighten (t.yaml:3:11)",
            "`approve: read-only` is looser than `none`, which is in force; ignored: a project file may only tighten (t.yaml:4:10)",
            "`-git` takes out a pack that is in force; ignored: a project file may only tighten (t.yaml:5:9)",
            "`secret-file-read: note` is looser than `ask`, which is in force; ignored: a project file may only tighten (t.yaml:7:3)",
            "`except` of `git-push` is looser than what is in force; ignored: a project file may only tighten (t.yaml:8:3)",
        ]
    );
    assert_eq!(messages(text, Layer::User), [""; 0]);
    assert_eq!(messages(text, Layer::Managed), [""; 0]);
}

#[test]
fn nothing_in_a_file_reaches_the_terminal_raw() {
    let text = "version: 1\n\"a\\e[31m\\u202eb\": 1\nmode: \"\\x07\"\n";
    let shown = messages(text, Layer::User).join("\n");
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
    let path = Path::new("a\u{1b}[2Jb\nc.yaml");
    let problems = check(path, "version: 1\nmode: \u{85}x\u{202e}\n", Layer::User, &Rules);
    let shown = render(&problems, "version: 1\nmode: \u{85}x\u{202e}\n", false);
    assert!(!problems.is_empty());
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{85}']), "{shown:?}");
}

#[test]
fn f06_bombs_are_bounded() {
    let nine =
        |name: char, of: char| format!("  {name}: &{name} [{}]\n", vec![format!("*{of}"); 9].join(","));
    let mut bomb = String::from("version: 1\nrules:\n  a: &a [x,x,x,x,x,x,x,x,x]\n");
    bomb.extend("abcdefgh".chars().zip("bcdefghi".chars()).map(|(of, name)| nine(name, of)));
    let cases = [
        (bomb, "too big: more than 20000 values"),
        (format!("version: 1\nrules: {}", "[".repeat(500_000)), "recursion limit"),
        (
            format!(
                "version: 1\nrules:\n{}",
                (0..500).map(|n| format!("{}a:\n", " ".repeat(n + 1))).collect::<String>()
            ),
            "recursion limit",
        ),
        (
            format!(
                "version: 1\nrules:\n  git-push: {{except: [&p '{}', {}]}}\n",
                "{a,b}".repeat(6),
                "*p,".repeat(15_000)
            ),
            "too many patterns",
        ),
        ("version: 1\nrules: &a [*a]".to_owned(), "stands inside of what it stands for"),
        (format!("version: 1\npacks: [{}]", "git,".repeat(200_000)), "too big: more than 20000 values"),
        (
            format!(
                "version: 1\nrules:\n{}",
                (0..9_000).map(|n| format!("  git-psh{n}: ask\n")).collect::<String>()
            ),
            "more problems than are shown",
        ),
    ];
    for (text, expected) in cases {
        let started = std::time::Instant::now();
        let all = messages(&text, Layer::User);
        assert!(all.iter().any(|message| message.contains(expected)), "{expected}: {:?}", all.first());
        assert!(all.len() <= 101);
        assert!(started.elapsed().as_secs() < 5, "{expected} took {:?}", started.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]
    #[test]
    fn f06_no_text_panics(text in soup()) {
        for layer in [Layer::User, Layer::Project] {
            let problems = check(Path::new("t.yaml"), &text, layer, &Rules);
            let _ = render(&problems, &text, true);
            for problem in &problems {
                prop_assert!(problem.at.line >= 1 && problem.at.column >= 1);
                prop_assert!(problem.at.span.end as usize <= text.len());
            }
        }
    }
}

/// Any text, and text made of what YAML and policy files are made of.
fn soup() -> impl Strategy<Value = String> {
    let words = [
        "version: 1\n",
        "mode",
        "rules",
        "packs",
        "git-push",
        "except",
        "level",
        "off",
        ": ",
        ":",
        "\n",
        "\n  ",
        "\n\t",
        "- ",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a ",
        "*a",
        "!!str ",
        "|\n",
        ">\n ",
        "'",
        "\"",
        "\\",
        "#",
        "%",
        "---\n",
        "...\n",
        "~",
        "null",
        "é",
        "\u{1f600}",
        "\u{feff}",
        "\r\n",
        "\u{85}",
        "\u{2028}",
        "<<",
        "@",
        "`",
        "\0",
        " ",
    ];
    prop_oneof![
        any::<String>(),
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|all| all.concat()),
    ]
}

#[test]
fn workflows_are_names_with_options() {
    says("version: 1\nworkflows: [plan, { code: { sources: [a/**], tests: b } }]\n", &[]);
    says(
        "version: 1\nworkflows: plan\n",
        &["`workflows` must be a list, not a value; write `workflows: [plan, code]` (t.yaml:2:12)"],
    );
    says("version: 1\nworkflows: [plan, plan]\n", &["workflow `plan` is named twice (t.yaml:2:19)"]);
    says(
        "version: 1\nworkflows: [[plan]]\n",
        &["a workflow must be a name, not a list; write `workflows: [plan, code]` (t.yaml:2:13)"],
    );
    says("version: 1\nworkflows: [{ plan: { a: { b: c } } }]\n", &["must be text, not a map (t.yaml:2:26)"]);
}

#[test]
fn sinks_say_what_they_need() {
    says(
        "version: 1\nsinks:\n  - { uses: jsonl, path: ~/x.jsonl }\n  - { uses: analytics }\n  - { uses: statsd, address: \"localhost:8125\" }\n  - { uses: otlp, url: \"https://x:4318\", headers: { A: b }, ca: /x.pem }\n  - { uses: command, run: [a, b] }\n  - { uses: webhook, url: \"http://x/y\" }\n  - { uses: syslog }\n",
        &[],
    );
    let of = |sink: &str| format!("version: 1\nsinks:\n  - {sink}\n");
    for (sink, expected) in [
        (
            "jsonl",
            "a sink must be a map, not a value; write `sinks: [{ uses: jsonl, path: /var/log/tollgate.jsonl }]` (t.yaml:3:5)",
        ),
        (
            "{ path: x }",
            "a sink without `uses`; write `sinks: [{ uses: jsonl, path: /var/log/tollgate.jsonl }]` (t.yaml:3:5)",
        ),
        (
            "{ uses: jsonl }",
            "this sink has no `path`; write `sinks: [{ uses: jsonl, path: /var/log/tollgate.jsonl }]` (t.yaml:3:5)",
        ),
        ("{ uses: jsnl, path: x }", "unknown value `jsnl` for `uses`; did you mean `jsonl`? (t.yaml:3:13)"),
        (
            "{ uses: statsd, adress: \"x:1\" }",
            "unknown key `adress` of this sink; did you mean `address`? (t.yaml:3:21)",
        ),
        ("{ uses: statsd, address: x }", "`x` is no `address` of a sink; write `host:port` (t.yaml:3:30)"),
        (
            "{ uses: webhook, url: \"ftp://x\" }",
            "`ftp://x` is no `url` of a sink; write `https://host/path` (t.yaml:3:27)",
        ),
        (
            "{ uses: jsonl, path: a/../b }",
            "`a/../b` is no `path` of a sink; write it without `..` (t.yaml:3:26)",
        ),
    ] {
        says(&of(sink), &[expected]);
    }
}

/// The middle of a file with one middleware.
fn stage(text: &str) -> String {
    format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {{id: x, {text}}}\n")
}

#[test]
fn middleware_that_would_check_nothing() {
    for (text, message) in [
        ("type: safety, path: a.rb", "`a.rb` is neither Python, JavaScript, TypeScript nor WebAssembly"),
        ("type: safety, path: /etc/passwd", "`/etc/passwd` is neither"),
        ("type: safety, path: a.py, timeout: 601", "a time-out is at most 600 seconds"),
        (
            "type: safety, path: a.py, match: {effects: [delet]}",
            "unknown effect `delet`; did you mean `delete`?",
        ),
        ("type: safety, uses: emit-metrics, config: {statsd_prot: 1}", "did you mean `statsd_port`?"),
        ("type: safety, uses: emit-metrics, config: {statsd_port: x}", "`statsd_port` must be a number"),
        (
            "type: safety, uses: log-operations, config: {log_file: [x]}",
            "`log_file` must be text, not a list",
        ),
        (
            "type: safety, uses: block-dangerous-commands, config: {dangerous_paterns: []}",
            "did you mean `dangerous_patterns`?",
        ),
        (
            "type: safety, uses: block-dangerous-commands, config: {dangerous_patterns: rm}",
            "`dangerous_patterns` must be a list",
        ),
        (
            "type: safety, uses: block-dangerous-commands, config: {dangerous_patterns: [(]}",
            "this pattern never works",
        ),
        (
            "type: safety, uses: block-dangerous-commands, config: {dangerous_patterns: [{a: b}]}",
            "must be text, not a map",
        ),
        ("type: observability, uses: protect-sensitive-files", "refuses nothing"),
    ] {
        let told = messages(&stage(text), Layer::User);
        assert!(matches!(told.as_slice(), [one] if one.contains(message)), "{text}: {told:?}");
    }
    for text in [
        "type: safety, path: a.py, timeout: 600",
        "type: transform, path: b.mts",
        "type: safety, path: dir.d/c.wasm, match: {effects: [delete, net], events: preToolUse}",
        "type: safety, uses: block-dangerous-commands",
        "type: safety, uses: block-dangerous-commands, config: {dangerous_patterns: ['rm -rf', 3]}",
        "type: safety, uses: block-dangerous-commands, config:",
        "type: observability, uses: emit-metrics, config: {statsd_host: h, statsd_port: 8125, prefix: p}",
        // A file of the same name takes what it likes.
        "type: safety, path: block-dangerous-commands.py, config: {anything: [1, {b: c}]}",
    ] {
        says(&stage(text), &[]);
    }
}

#[test]
fn events_are_suggested_as_people_write_them() {
    for (name, near) in
        [("pre-tool-user", "pre-tool-use"), ("PreTolUse", "pre-tool-use"), ("sesion-start", "session-start")]
    {
        let told =
            messages(&format!("version: 1\nhooks: {{{name}: {{middleware: []}}}}\n"), Layer::User).concat();
        assert!(told.contains(&format!("did you mean `{near}`?")), "{told}");
    }
    assert!(messages("version: '1'\n", Layer::User).concat().contains("must be a number, not a text"));
}
