//! Results as JUnit XML, for whatever reads test reports.

use super::Outcome;

/// The report.
pub fn xml(outcomes: &[Outcome]) -> String {
    let failures = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    let time: f64 = outcomes.iter().map(|outcome| outcome.took.as_secs_f64()).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    out.push_str(&format!(
        "  <testsuite name=\"tollgate\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" time=\"{time:.3}\">\n",
        outcomes.len()
    ));
    for outcome in outcomes {
        let (name, place) = (escape(&outcome.name), escape(&outcome.place));
        let time = outcome.took.as_secs_f64();
        out.push_str(&format!("    <testcase name=\"{name}\" classname=\"{place}\" time=\"{time:.3}\""));
        match &outcome.failure {
            None => out.push_str("/>\n"),
            Some(why) => {
                let why = escape(why);
                out.push_str(&format!("><failure message=\"{why}\">{why}</failure></testcase>\n"));
            }
        }
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// XML has no way to write most control characters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            _ if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_report_stays_in_its_place() {
        let outcome = Outcome {
            name: "a <b> & \"c\"\u{1b}".into(),
            place: "t.yaml:1".into(),
            took: std::time::Duration::from_millis(1500),
            failure: Some("1 < 2\nno".into()),
            seen: Vec::new(),
        };
        assert_eq!(
            xml(&[outcome]),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  \
             <testsuite name=\"tollgate\" tests=\"1\" failures=\"1\" errors=\"0\" time=\"1.500\">\n    \
             <testcase name=\"a &lt;b&gt; &amp; &quot;c&quot;\u{fffd}\" classname=\"t.yaml:1\" time=\"1.500\">\
             <failure message=\"1 &lt; 2&#10;no\">1 &lt; 2&#10;no</failure></testcase>\n  \
             </testsuite>\n</testsuites>\n"
        );
    }
}
