//! Every preset is in order, and mistakes in a workflow file are told with their place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use tollgate_workflow::{ACTS, CONDITIONS, On, PRESETS, mermaid, preset, read, terminal};

#[test]
fn every_preset_is_in_order() {
    for preset in PRESETS {
        let (flow, problems) = read(preset.name, preset.text, "", &BTreeMap::new());
        assert_eq!(problems, [], "{}", preset.name);
        assert_eq!(flow.name, preset.name);
        assert!(!flow.about.is_empty() && !flow.gates.is_empty(), "{}", preset.name);
    }
}

fn problems(text: &str) -> Vec<String> {
    read("f.yaml", text, "x", &BTreeMap::new()).1.iter().map(ToString::to_string).collect()
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (text, expected) in [
        ("naem: x\n", "unknown key `naem` of a workflow; did you mean `name`? (f.yaml:1:1)"),
        (
            "gates:\n  - on: spwan\n    message: m\n",
            "unknown event `spwan`; did you mean `spawn`? (f.yaml:2:9)",
        ),
        (
            "artifacts: {plan: a/*.md}\ngates:\n  - on: stop\n    need: {exists: plna}\n    message: m\n",
            "unknown artifact `plna`; did you mean `plan`? (f.yaml:4:20)",
        ),
        (
            "phases: [red, green]\ngates:\n  - on: stop\n    phase: gren\n    message: m\n",
            "unknown phase `gren`; did you mean `green`? (f.yaml:4:12)",
        ),
        (
            "gates:\n  - on: stop\n    need: {exist: a.md}\n    message: m\n",
            "unknown condition `exist`; did you mean `exists`? (f.yaml:3:12)",
        ),
        (
            "gates:\n  - on: stop\n    message: go to {sesion}\n",
            "unknown name `{sesion}` in a template; did you mean `session`? (f.yaml:3:20)",
        ),
        ("gates:\n  - on: stop\n", "a gate that does nothing; give it a `message` or a `then` (f.yaml:2:5)"),
        (
            "gates:\n  - on: stop\n    if: {expr: \"event.x = 1\"}\n    message: m\n",
            "expression, character 9: unexpected `=` (f.yaml:3:16)",
        ),
        ("artifacts: {a: ../x}\ngates:\n  - {on: stop, message: m}\n", "path `../x` never works"),
        ("expires: soon\n", "`soon` is no time; write `90s`, `15m`, `8h` or `7d` (f.yaml:1:10)"),
        ("- a\n", "a workflow must be a map, not a list (f.yaml:1:1)"),
    ] {
        let all = problems(text);
        assert!(all.iter().any(|problem| problem.starts_with(expected)), "{text}\n{all:?}");
    }
}

#[test]
fn options_are_filled_in_and_unknown_ones_are_told() {
    let text = preset("session-context").unwrap().text;
    let options =
        |name: &str| BTreeMap::from([(name.to_owned(), vec!["RULES.md".to_owned(), "b.md".to_owned()])]);
    let (flow, problems) = read("p", text, "", &options("files"));
    assert_eq!(problems, []);
    assert!(format!("{flow:?}").contains("[\"RULES.md\", \"b.md\"]"), "{flow:?}");
    let (_, problems) = read("p", text, "", &options("flies"));
    assert!(problems[0].to_string().contains("no option `flies`; did you mean `files`?"), "{problems:?}");
}

/// The guide, beside this crate.
fn guide() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/workflows.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_guide_names_the_whole_language() {
    let guide = guide();
    let moments = On::ALL.iter().map(|(name, _)| *name);
    for name in moments.chain(ACTS).chain(CONDITIONS) {
        let named = ["`", "**", "(`", "`{", " "]
            .iter()
            .any(|before| ["`", ":"].iter().any(|after| guide.contains(&format!("{before}{name}{after}"))));
        assert!(named, "`{name}` is not in the guide");
    }
}

#[test]
fn the_guides_example_works() {
    let guide = guide();
    let example =
        guide.split("```yaml\n").find(|block| block.starts_with("version: 1\nname: release")).unwrap();
    let example = example.split("```").next().unwrap();
    let (flow, problems) = read("guide", example, "", &BTreeMap::new());
    assert_eq!(problems, []);
    assert_eq!((flow.name.as_str(), flow.gates.len(), flow.phases.len()), ("release", 3, 2));
}

/// What a reader of Mermaid needs: every node that an arrow names is there, every label is closed.
#[test]
fn every_preset_is_a_picture() {
    for preset in PRESETS {
        let (flow, _) = read(preset.name, preset.text, "", &BTreeMap::new());
        let picture = mermaid(&flow);
        let mut lines = picture.lines();
        assert_eq!(lines.next(), Some("flowchart TD"), "{}", preset.name);
        let nodes: Vec<&str> =
            lines.clone().filter_map(|line| line.trim().split(['(', '[', '{', ' ']).next()).collect();
        for line in lines {
            assert_eq!(line.matches('"').count() % 2, 0, "{line}");
            let target = line.rsplit(['|', '>']).next().unwrap().trim();
            let target = target.split(['{', '[', '(']).next().unwrap();
            let arrow = line.contains("-->") || line.contains("-.->");
            assert!(
                !arrow || nodes.contains(&target) || target.starts_with("refuse"),
                "{}: {line}",
                preset.name
            );
        }
        assert!(terminal(&flow).starts_with(&format!("{}: ", flow.name)));
    }
}
