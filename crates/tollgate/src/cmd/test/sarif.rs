//! Failed tests as SARIF, which code hosts show beside the line of the test.

use serde_json::{Value, json};

use super::Outcome;

/// The report.
pub fn object(outcomes: &[Outcome]) -> Value {
    let failed: Vec<Value> =
        outcomes.iter().filter_map(|outcome| Some(result(outcome, outcome.failure.as_ref()?))).collect();
    let driver = json!({
        "name": "tollgate", "version": env!("CARGO_PKG_VERSION"),
        "rules": [{"id": "policy-test", "shortDescription": {"text": "A policy test must get the answer it expects"}}],
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": failed}],
    })
}

fn result(outcome: &Outcome, failure: &str) -> Value {
    let (file, line) = outcome.place.rsplit_once(':').unwrap_or((&outcome.place, "1"));
    let line: u64 = line.parse().unwrap_or(1);
    json!({
        "ruleId": "policy-test", "level": "error", "message": {"text": format!("{}: {failure}", outcome.name)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(file)}, "region": {"startLine": line.max(1)},
        }}],
    })
}

/// A path as a relative or a `file:` reference.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_stands_at_its_line() {
        let outcome = |failure: Option<&str>| Outcome {
            name: "no push".into(),
            place: "my tests.yaml:7".into(),
            took: std::time::Duration::ZERO,
            failure: failure.map(str::to_owned),
            seen: Vec::new(),
        };
        let report = object(&[outcome(None), outcome(Some("expected deny"))]);
        let results = report["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(
            (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
            (&json!("my%20tests.yaml"), &json!(7))
        );
        assert_eq!(results[0]["message"]["text"], "no push: expected deny");
    }
}
