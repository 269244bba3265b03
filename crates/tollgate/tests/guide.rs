//! What the guide to policies shows is what the program takes; schemas are current and agree with the parsers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{Answer, Scratch, answer};
use tollgate_policy::cel::{ROOTS, Type, fields};
use tollgate_policy::{TEMPLATE, to_json, yaml};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tollgate(scratch: &Scratch, args: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(command.args(args));
    answer(&mut command, b"")
}

/// The YAML of a page, block by block.
fn blocks(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let parts = text.split("```yaml\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

fn value(text: &str) -> Value {
    let node = yaml::read(text).root.unwrap();
    let mut out = String::new();
    tollgate_model::json::write(&to_json(&node), &mut out);
    serde_json::from_str(&out).unwrap()
}

fn schema(kind: &str) -> Value {
    serde_json::from_str(&tollgate(&Scratch::new(), &["schema", kind]).stdout).unwrap()
}

/// What is against a schema, as far as ours use the language.
fn against(schema: &Value, root: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return against(root.pointer(name.trim_start_matches('#')).unwrap(), root, value, at);
    }
    let mut wrong = Vec::new();
    if let Some(any) = schema["anyOf"].as_array()
        && any.iter().all(|one| !against(one, root, value, at).is_empty())
    {
        wrong.push(format!("{at}: {value} fits nothing"));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        wrong.push(format!("{at}: {value} is no word of {words:?}"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        wrong.push(format!("{at}: {value} is not {}", schema["const"]));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(value, kind)) {
        wrong.push(format!("{at}: {value} is not {kinds:?}"));
    }
    for (key, member) in value.as_object().into_iter().flatten() {
        match (schema["properties"].get(key), &schema["additionalProperties"]) {
            (Some(of), _) => wrong.extend(against(of, root, member, &format!("{at}.{key}"))),
            (None, Value::Bool(false)) => wrong.push(format!("{at}: `{key}` is unknown")),
            (None, of) => wrong.extend(against(of, root, member, &format!("{at}.{key}"))),
        }
    }
    if let Some(members) = value.as_object() {
        let missing = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        wrong
            .extend(missing.filter(|key| !members.contains_key(*key)).map(|key| format!("{at}: no `{key}`")));
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        wrong.extend(against(&schema["items"], root, item, &format!("{at}[{number}]")));
    }
    wrong
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    }
}

#[track_caller]
fn fits(kind: &Value, text: &str, what: &str) {
    let wrong = against(kind, kind, &value(text), "");
    assert!(wrong.is_empty(), "{what}: {wrong:#?}");
}

#[test]
fn every_policy_of_the_guide_is_good_and_its_examples_hold() {
    let policy = schema("policy");
    let mut tried = 0;
    for text in blocks("docs/guide/policy.md").iter().filter(|text| !text.contains("\ntests:")) {
        let scratch = Scratch::new();
        scratch.policy(text);
        let check = tollgate(&scratch, &["check"]);
        assert_eq!(check.code, Some(0), "{text}\n{}", check.stdout);
        fits(&policy, text, text);
        tried += 1;
    }
    assert!(tried >= 3, "{tried}");
}

#[test]
fn the_tests_of_the_guide_pass_under_its_policy() {
    let blocks = blocks("docs/guide/policy.md");
    let tests = blocks.iter().find(|text| text.contains("\ntests:")).unwrap();
    let policy = blocks.iter().find(|text| text.contains("no-prod-psql")).unwrap();
    fits(&schema("tests"), tests, tests);
    let scratch = Scratch::new();
    scratch.policy(policy);
    std::fs::write(scratch.project().join("tollgate.tests.yaml"), tests).unwrap();
    let ran = tollgate(&scratch, &["test"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn what_others_wrote_fits_the_schemas() {
    fits(&schema("policy"), TEMPLATE, "the template");
    // With everything that the template only shows.
    let shown =
        TEMPLATE.lines().map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line));
    let all = shown.collect::<Vec<_>>().join("\n");
    fits(&schema("policy"), &all, &all);
    let trust = "version: 1\ntrust:\n  - { path: /work/app, hash: 3f1c }\n";
    fits(&schema("policy"), trust, trust);
    let workflow = schema("workflow");
    for preset in tollgate_workflow::PRESETS {
        fits(&workflow, preset.text, preset.name);
    }
    let hook = schema("hook");
    let documented = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/pipeline/hook.meta.yaml"),
    );
    fits(&hook, &documented.unwrap(), "the hook of the documents");
    for text in blocks("docs/guide/middleware.md").iter().filter(|text| text.contains("version: 1")) {
        fits(&schema("policy"), text, text);
    }
}

/// A line of the template that would set something: a key, or what stands below one.
fn is_setting(line: &str) -> bool {
    line.starts_with("  ")
        || line.split(':').next().is_some_and(|key| tollgate_policy::keys::KEYS.contains(&key))
}

/// The schema, and a text that must not fit.
#[test]
fn schemas_refuse_what_the_parsers_refuse() {
    for (kind, text) in [
        ("policy", "version: 2\n"),
        ("policy", "mode: observe\n"),
        ("policy", "version: 1\nmoed: observe\n"),
        ("policy", "version: 1\nrules: { git-forcepush: deny }\n"),
        ("policy", "version: 1\nrules: { git-force-push: block }\n"),
        ("policy", "version: 1\ncustom: [{ id: x, level: deny, when: 'true' }]\n"),
        ("policy", "version: 1\nallow: [{ rul: x }]\n"),
        ("policy", "version: 1\nhooks: { pre-tool-use: { middleware: [{ id: x, type: safe }] } }\n"),
        ("policy", "version: 1\nredact: secret\n"),
        ("policy", "version: 1\nsinks: [{ uses: jsonl }]\n"),
        ("policy", "version: 1\nsinks: [{ uses: statsd, url: x }]\n"),
        ("policy", "version: 1\nsinks: jsonl\n"),
        ("policy", "version: 1\ntrust: [{ path: /x }]\n"),
        ("hook", "id: x\n"),
        ("hook", "event: PreToolUse\nmidleware: []\n"),
        ("workflow", "name: x\ngates: [{ on: spwan }]\n"),
        ("workflow", "name: x\ngates: [{ on: spawn, need: { exist: a } }]\n"),
        ("tests", "version: 1\ntests: [{ run: ls, expect: alow }]\n"),
        ("tests", "tests: []\n"),
    ] {
        let schema = schema(kind);
        assert!(!against(&schema, &schema, &value(text), "").is_empty(), "{kind}: {text}");
    }
}

#[test]
fn every_key_has_a_schema() {
    let schema = schema("policy");
    for key in tollgate_policy::keys::KEYS {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
}

#[test]
fn the_schemas_in_the_repository_are_current() {
    for kind in ["policy", "hook", "workflow", "tests"] {
        let path = root().join(format!("docs/schema/{kind}.json"));
        let now = tollgate(&Scratch::new(), &["schema", kind]).stdout;
        if std::env::var_os("TOLLGATE_WRITE_DOCS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &now).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(kept, now, "stale: `tollgate schema {kind} > docs/schema/{kind}.json`");
    }
}

const FIELDS: &str = "<!-- fields: written by a test from the language itself -->\n";
const END: &str = "<!-- end of fields -->\n";

#[test]
fn the_guide_names_all_that_a_condition_sees() {
    let path = root().join("docs/guide/policy.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut table = String::from("| name | is |\n|---|---|\n");
    for (root, what) in ROOTS {
        table.push_str(&format!("| `{root}` | {what} |\n"));
        for (name, kind, what) in fields(root) {
            let words = match kind {
                Type::Word(words) => format!(
                    ": {}",
                    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
                ),
                Type::List(_) => " (a list)".to_owned(),
                Type::Bool => " (true or false)".to_owned(),
                _ => String::new(),
            };
            table.push_str(&format!("| `{root}.{name}` | {what}{words} |\n"));
        }
    }
    let (before, rest) = page.split_once(FIELDS).unwrap();
    let after = rest.split_once(END).map_or(rest, |(_, after)| after);
    let fresh = format!("{before}{FIELDS}\n{table}\n{END}{after}");
    if std::env::var_os("TOLLGATE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    } else {
        assert_eq!(page, fresh, "stale: run this test with TOLLGATE_WRITE_DOCS=1");
    }
}

/// Every page of the documentation, by its path below `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![root().join("docs")];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|end| end.to_str()) {
                Some("md") => pages.push(path),
                None if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    pages
}

/// The targets of the links of a page, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        if code || line.starts_with("    ") {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for part in prose.split("](").skip(1) {
            found.extend(part.split(')').next().map(|target| target.split(' ').next().unwrap().to_owned()));
        }
    }
    found
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |line: &str| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let top =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root().join(name));
    for page in pages().into_iter().chain(top) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text).iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let is_there = target.exists();
            let has_anchor = anchor.is_empty()
                || std::fs::read_to_string(&target)
                    .is_ok_and(|text| anchors(&text).iter().any(|known| known == anchor));
            if !is_there || !has_anchor {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Pages that no chapter of the book leads to.
#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let chapters = links(&summary);
    let listed = |page: &Path| {
        let name = page.strip_prefix(&docs).unwrap().to_string_lossy().into_owned();
        name == "SUMMARY.md" || chapters.contains(&name)
    };
    let missing: Vec<PathBuf> = pages().into_iter().filter(|page| !listed(page)).collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:#?}");
}
