//! Every example of every program in the catalogue, through the whole of analysis and judgement.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use support::{case, world_for};
use tollgate_model::Verdict;
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

/// A call in a file of the catalogue, and `pass` or the rule that must stop it.
struct Example {
    file: PathBuf,
    call: String,
    want: String,
}

#[test]
fn every_example_of_the_catalogue_is_judged_as_it_says() {
    let examples = examples();
    assert!(examples.len() >= 10, "the examples of the catalogue are not found");
    let wrong: Vec<String> = examples.iter().filter_map(judge_example).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn examples() -> Vec<Example> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue/commands");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.flat_map(|file| examples_in(&file)).collect()
}

fn examples_in(file: &Path) -> Vec<Example> {
    let table: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
    let list = table.get("example").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let text = |example: &toml::Value, key: &str| example.get(key).unwrap().as_str().unwrap().to_owned();
    let read = |example: &toml::Value| Example {
        file: file.to_owned(),
        call: text(example, "call"),
        want: text(example, "want"),
    };
    list.iter().map(read).collect()
}

/// What is wrong with how an example is judged, if anything.
fn judge_example(example: &Example) -> Option<String> {
    let judgement = judge(&case("Shell", &example.call), &world_for("Shell"), &Policy::builtin());
    let decision = &judgement.decision;
    let found: Vec<&str> = decision
        .findings
        .iter()
        .filter(|finding| finding.verdict >= Verdict::Ask)
        .map(|finding| finding.rule.as_ref())
        .collect();
    let right = match example.want.as_str() {
        "pass" => found.is_empty(),
        rule => found.contains(&rule),
    };
    (!right).then(|| {
        let Example { file, call, want } = example;
        format!(
            "{}: `{call}` wants {want}, but is stopped by {found:?}; effects {:#?}",
            file.display(),
            judgement.effects
        )
    })
}
