//! What a record says that figures are made of.

use tollgate_model::json::{self, Value};
use tollgate_store::micros_of;

/// What became of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It may still be running.
    #[default]
    Open,
    /// It ran.
    Ran,
    /// It ran and failed.
    Failed,
    /// Its turn ended and there was no result: declined by a person, or cut off.
    None,
    /// The gate refused it.
    Refused,
}

impl Outcome {
    /// Its number in the index.
    #[must_use]
    pub fn number(self) -> i64 {
        self as i64
    }

    /// Its name in listings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::None => "no result",
            Self::Refused => "refused",
        }
    }
}

/// One record, as far as it counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// The record's number.
    pub seq: u64,
    /// Microseconds since 1970.
    pub at: i64,
    /// The call's id.
    pub call: String,
    /// The agent's name.
    pub agent: String,
    /// The agent's session id.
    pub session: String,
    /// The subagent's id; empty for the main agent.
    pub actor: String,
    /// The subagent's type.
    pub actor_type: String,
    /// The event's place in an agent's life, by name.
    pub phase: String,
    /// The tool's name; empty when the event is about no call.
    pub tool: String,
    /// The working directory.
    pub cwd: String,
    /// The agent's transcript.
    pub transcript: String,
    /// What the agent was made to do, by name.
    pub verdict: String,
    /// The rules that found something, and what each said.
    pub findings: Vec<(String, String)>,
    /// The call's code, when it was refused or let pass by a person.
    pub code: String,
    /// The fault, when the gate could not decide.
    pub fault: String,
    /// How long the gate took, in microseconds.
    pub gate: u64,
    /// How large the result is.
    pub bytes: u64,
    /// How long the tool ran, in microseconds, where the agent says so.
    pub took: Option<u64>,
    /// The call runs tests.
    pub tests: bool,
}

impl Fact {
    /// Reads a line of the log; `None` when it is no record.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        let Value::Map(members) = json::parse(line).ok()? else { return None };
        let mut fact = Self::default();
        let mut decided = String::new();
        for (name, value) in members {
            match (name.as_str(), value) {
                ("seq", Value::Number(text)) => fact.seq = text.parse().ok()?,
                ("ts", Value::String(text)) => fact.at = micros_of(&text).unwrap_or_default(),
                ("id", Value::String(text)) => fact.call = text,
                ("agent", Value::String(text)) => fact.agent = text,
                ("session", Value::String(text)) => fact.session = text,
                ("phase", Value::String(text)) => fact.phase = text,
                ("subagent", value) => {
                    fact.actor = value.text("id").unwrap_or_default().to_owned();
                    fact.actor_type = value.text("type").unwrap_or_default().to_owned();
                }
                ("tool", Value::String(text)) => fact.tool = text,
                ("cwd", Value::String(text)) => fact.cwd = text,
                ("transcript", Value::String(text)) => fact.transcript = text,
                ("verdict", Value::String(text)) => decided = text,
                ("expressed", Value::String(text)) => fact.verdict = text,
                ("findings", value) => fact.findings = findings(&value),
                ("code", Value::String(text)) => fact.code = text,
                ("fault", Value::String(text)) => fact.fault = text,
                ("us", value) => fact.gate = micros(&value),
                ("result_bytes", Value::Number(text)) => fact.bytes = text.parse().unwrap_or_default(),
                ("took_ms", Value::Number(text)) => {
                    fact.took = text.parse().ok().map(|ms: u64| ms.saturating_mul(1000));
                }
                ("input", value) => fact.tests = value.text("command").is_some_and(runs_tests),
                _ => {}
            }
        }
        if fact.verdict.is_empty() {
            fact.verdict = decided;
        }
        (fact.seq > 0).then_some(fact)
    }

    /// One of our own trial calls, which are nobody's work.
    #[must_use]
    pub fn is_canary(&self) -> bool {
        self.session.starts_with("tollgate-canary-")
    }
}

fn findings(value: &Value) -> Vec<(String, String)> {
    let text = |finding: &Value, key| finding.text(key).unwrap_or_default().to_owned();
    let each = value.as_list().unwrap_or_default().iter();
    each.map(|finding| (text(finding, "rule"), text(finding, "verdict"))).collect()
}

fn micros(value: &Value) -> u64 {
    let each = value.as_map().unwrap_or_default().iter();
    each.filter_map(|(_, step)| match step {
        Value::Number(text) => text.parse::<u64>().ok(),
        _ => None,
    })
    .fold(0, u64::saturating_add)
}

/// Programs that run tests, with the word that makes them do so; an empty word: they do nothing else.
const RUNNERS: &[(&str, &str)] = &[
    ("pytest", ""),
    ("jest", ""),
    ("vitest", ""),
    ("mocha", ""),
    ("phpunit", ""),
    ("rspec", ""),
    ("ctest", ""),
    ("tox", ""),
    ("nox", ""),
    ("cargo", "test"),
    ("cargo", "nextest"),
    ("go", "test"),
    ("npm", "test"),
    ("pnpm", "test"),
    ("yarn", "test"),
    ("bun", "test"),
    ("deno", "test"),
    ("mvn", "test"),
    ("gradle", "test"),
    ("gradlew", "test"),
    ("dotnet", "test"),
    ("swift", "test"),
    ("mix", "test"),
    ("rake", "test"),
    ("bazel", "test"),
    ("make", "test"),
    ("make", "check"),
    ("just", "test"),
];

/// Does a command line run tests? For figures only: a word at the start of a simple command, and the word after it.
fn runs_tests(command: &str) -> bool {
    command.split(['\n', ';', '|', '&']).any(|simple| {
        let mut words = simple.split_whitespace().filter(|word| !is_prefix(word));
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        let word = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
        let module = rest.iter().skip_while(|word| **word != "-m").nth(1).copied().unwrap_or_default();
        RUNNERS.iter().any(|(name, verb)| *name == program && (verb.is_empty() || *verb == word))
            || (program.starts_with("python") && matches!(module, "pytest" | "unittest"))
    })
}

/// What may stand before a program without changing which one runs.
fn is_prefix(word: &str) -> bool {
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    assignment || matches!(word, "npx" | "bunx" | "uv" | "run" | "poetry" | "exec" | "time" | "env" | "(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_runs_are_told_from_other_work() {
        for command in [
            "cargo test -p x",
            "cd a && CI=1 npx vitest run",
            "uv run pytest -q",
            "python3 -m pytest",
            "go test ./...",
            "npm --silent test",
            "make check",
            "./gradlew test",
        ] {
            assert!(runs_tests(command), "{command}");
        }
        for command in
            ["cargo build", "cat pytest.ini", "echo test", "git commit -m 'test'", "make", "ls tests"]
        {
            assert!(!runs_tests(command), "{command}");
        }
    }
}
