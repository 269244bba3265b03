//! What is read of a record, to search in and to count. A record that cannot be read is stored all the same.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;
use tollgate_store::micros_of;

use crate::app::clean;

/// Characters of a name that are kept.
const NAME: usize = 200;
/// Characters of a call that whoever approves it is shown.
const CALL: usize = 16 << 10;

/// What a record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its time by the machine's clock, in microseconds since 1970.
    pub micros: Option<u64>,
    /// The agent.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// What kind of event it was.
    pub phase: String,
    /// The tool.
    pub tool: String,
    /// What the agent was made to do.
    pub verdict: String,
    /// The rules that found something.
    pub rules: Vec<String>,
    /// A call that was refused and may be approved.
    pub refused: Option<RefusedCall>,
}

/// A call that may be approved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedCall {
    /// Names the call and its effects, 64 hex digits.
    pub digest: String,
    /// The start of it that the agent was told.
    pub code: String,
    /// The folder.
    pub folder: String,
    /// Tool and input.
    pub call: String,
    /// What the rules say.
    pub findings: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Record<'a> {
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(borrow)]
    agent: Cow<'a, str>,
    #[serde(borrow)]
    session: Cow<'a, str>,
    #[serde(borrow)]
    phase: Cow<'a, str>,
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    verdict: Cow<'a, str>,
    #[serde(borrow)]
    expressed: Cow<'a, str>,
    #[serde(borrow)]
    code: Cow<'a, str>,
    #[serde(borrow)]
    digest: Cow<'a, str>,
    #[serde(borrow)]
    cwd: Cow<'a, str>,
    #[serde(borrow)]
    findings: Vec<Found<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Found<'a> {
    #[serde(borrow)]
    rule: Cow<'a, str>,
    #[serde(borrow)]
    verdict: Cow<'a, str>,
    #[serde(borrow)]
    what: Cow<'a, str>,
}

impl Facts {
    /// Reads a line of the log.
    #[must_use]
    pub fn of(line: &str) -> Self {
        let record: Record<'_> = serde_json::from_str(line).unwrap_or_default();
        let name = |text: &str| clean(text, NAME);
        let verdict = if record.expressed.is_empty() { &record.verdict } else { &record.expressed };
        Self {
            micros: micros_of(&record.ts).and_then(|micros| u64::try_from(micros).ok()),
            agent: name(&record.agent),
            session: name(&record.session),
            phase: name(&record.phase),
            tool: name(&record.tool),
            verdict: name(verdict),
            rules: record.findings.iter().take(32).map(|found| name(&found.rule)).collect(),
            refused: record.refused(),
        }
    }

    /// Writes a row in the text form of `COPY`.
    pub fn write_row(&self, out: &mut String, day: &str, chain: i64, seq: u64, at: &str) {
        let _ = write!(out, "{day}\t{chain}\t{seq}\t{at}");
        for text in [&self.agent, &self.session, &self.phase, &self.tool, &self.verdict] {
            out.push('\t');
            escape(text, out);
        }
        out.push_str("\t{");
        for (index, rule) in self.rules.iter().enumerate() {
            out.push_str(if index == 0 { "\"" } else { ",\"" });
            // Escaped for the array, and that for `COPY`.
            escape(&rule.replace('\\', "\\\\").replace('"', "\\\""), out);
            out.push('"');
        }
        out.push_str("}\n");
    }
}

impl Record<'_> {
    fn refused(&self) -> Option<RefusedCall> {
        let refuses = |found: &&Found<'_>| matches!(&*found.verdict, "ask" | "deny" | "halt");
        let findings: Vec<String> = self
            .findings
            .iter()
            .filter(refuses)
            .take(16)
            .map(|found| clean(&format!("{}: {}", found.rule, found.what), 300))
            .collect();
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let named = self.digest.len() == 64 && self.digest.bytes().all(hex) && !self.code.is_empty();
        (named && !findings.is_empty()).then(|| RefusedCall {
            digest: self.digest.to_string(),
            code: clean(&self.code, 64),
            folder: clean(&self.cwd, 1000),
            call: clean(&format!("{} {}", self.tool, self.input.map_or("", RawValue::get)), CALL),
            findings,
        })
    }
}

/// Names hold no control characters; a backslash is the one that `COPY` reads.
fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        if character == '\\' {
            out.push('\\');
        }
        out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_column() {
        let line = r#"{"agent":"a\tb\n\\.","session":"\u0000","verdict":"deny","findings":[{"rule":"x\"},{\\","verdict":"note"}]}"#;
        let mut row = String::new();
        Facts::of(line).write_row(&mut row, "2026-01-01", 1, 2, "now");
        assert_eq!(row, "2026-01-01\t1\t2\tnow\ta b \\\\.\t \t\t\tdeny\t{\"x\\\\\"},{\\\\\\\\\"}\n");
    }

    #[test]
    fn what_cannot_be_read_has_no_facts() {
        for line in ["", "{", "[1]", r#"{"agent":1}"#, r#"{"agent":"a","agent":"b"}"#] {
            assert_eq!(Facts::of(line), Facts::default(), "{line}");
        }
    }

    #[test]
    fn only_a_refusal_with_its_whole_digest_can_be_approved() {
        let line = |digest: &str, verdict: &str| {
            format!(
                r#"{{"tool":"Bash","input":{{"command":"x"}},"code":"abc","digest":"{digest}","cwd":"/w","findings":[{{"rule":"r","verdict":"{verdict}","what":"w"}}]}}"#
            )
        };
        let digest = "a".repeat(64);
        let call = Facts::of(&line(&digest, "deny")).refused.unwrap();
        assert_eq!(
            (call.call.as_str(), call.findings),
            ("Bash {\"command\":\"x\"}", vec!["r: w".to_owned()])
        );
        assert_eq!(Facts::of(&line(&digest, "note")).refused, None);
        assert_eq!(Facts::of(&line("abc", "deny")).refused, None);
    }
}
