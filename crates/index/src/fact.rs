//! What a record says that figures are made of.

use tollgate_model::is_canary;
use tollgate_model::json::{self, Value};
use tollgate_store::{members, micros_of, plain};

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
    /// The agent's own name of the tool; empty when the event is about no call.
    pub tool: String,
    /// What kind of tool it is, whatever the agent calls it: `shell`, `read`, `edit`, …
    pub kind: String,
    /// The working directory.
    pub cwd: String,
    /// The session's project; empty where that is the working directory.
    pub project: String,
    /// The agent's transcript.
    pub transcript: String,
    /// What the agent was made to do, by name.
    pub verdict: String,
    /// The rules that found something, and what each said.
    pub findings: Vec<(String, String)>,
    /// The rules that an exception set aside which a person made for a while. One in a policy file is policy.
    pub excepted: Vec<String>,
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
        match members(line) {
            Some(members) => Self::from(members.into_iter().map(|(name, value)| (name, Part::Raw(value)))),
            None => {
                let Value::Map(members) = json::parse(line).ok()? else { return None };
                Self::from(members.iter().map(|(name, value)| (name.as_str(), Part::Read(value))))
            }
        }
    }

    fn from<'a>(members: impl Iterator<Item = (&'a str, Part<'a>)>) -> Option<Self> {
        let mut fact = Self::default();
        let mut decided = String::new();
        for (name, part) in members {
            match name {
                "seq" => fact.seq = part.number()?,
                "ts" => fact.at = micros_of(&part.text()).unwrap_or_default(),
                "id" => fact.call = part.text(),
                "agent" => fact.agent = part.text(),
                "session" => fact.session = part.text(),
                "phase" => fact.phase = part.text(),
                "subagent" => {
                    let value = part.value();
                    fact.actor = value.text("id").unwrap_or_default().to_owned();
                    fact.actor_type = value.text("type").unwrap_or_default().to_owned();
                }
                "tool" => fact.tool = part.text(),
                "class" => fact.kind = part.text(),
                "cwd" => fact.cwd = part.text(),
                "project" => fact.project = part.text(),
                "transcript" => fact.transcript = part.text(),
                "verdict" => decided = part.text(),
                "expressed" => fact.verdict = part.text(),
                "findings" => fact.findings = findings(&part.value()),
                "excepted" => fact.excepted = excepted(&part.value()),
                "code" => fact.code = part.text(),
                "fault" => fact.fault = part.text(),
                "us" => fact.gate = micros(&part.value()),
                "result_bytes" => fact.bytes = part.number().unwrap_or_default(),
                "took_ms" => fact.took = part.number().map(|ms| ms.saturating_mul(1000)),
                "input" => fact.tests = part.member("command").is_some_and(|command| runs_tests(&command)),
                _ => {}
            }
        }
        if fact.verdict.is_empty() {
            fact.verdict = decided;
        }
        (fact.seq > 0).then_some(fact)
    }

    /// The folder of the project.
    #[must_use]
    pub fn project(&self) -> &str {
        if self.project.is_empty() { &self.cwd } else { &self.project }
    }

    /// One of our own trial calls, which are nobody's work.
    #[must_use]
    pub fn is_canary(&self) -> bool {
        is_canary(Some(&self.session))
    }
}

/// A member's value, read or as it is written.
#[derive(Clone, Copy)]
enum Part<'a> {
    Raw(&'a [u8]),
    Read(&'a Value),
}

impl Part<'_> {
    /// Its text; empty when it is none.
    fn text(self) -> String {
        if let Self::Raw(raw) = self
            && let Some(text) = plain(raw)
        {
            return text.to_owned();
        }
        self.value().as_str().unwrap_or_default().to_owned()
    }

    fn number(self) -> Option<u64> {
        match self {
            Self::Raw(raw) => std::str::from_utf8(raw).ok()?.parse().ok(),
            Self::Read(Value::Number(text)) => text.parse().ok(),
            Self::Read(_) => None,
        }
    }

    /// The text of a member of it.
    fn member(self, name: &str) -> Option<String> {
        let found = match self {
            Self::Raw(raw) => {
                members(raw).map(|members| members.into_iter().find(|(other, _)| *other == name))
            }
            Self::Read(_) => None,
        };
        match found {
            Some(found) => Some(Part::Raw(found?.1).text()),
            None => self.value().text(name).map(str::to_owned),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Raw(raw) => json::parse(raw).unwrap_or(Value::Null),
            Self::Read(value) => value.clone(),
        }
    }
}

fn findings(value: &Value) -> Vec<(String, String)> {
    let text = |finding: &Value, key| finding.text(key).unwrap_or_default().to_owned();
    let each = value.as_list().unwrap_or_default().iter();
    each.map(|finding| (text(finding, "rule"), text(finding, "verdict"))).collect()
}

fn excepted(value: &Value) -> Vec<String> {
    let each = value.as_list().unwrap_or_default().iter();
    let made = each.filter(|one| one.text("id").is_some_and(|id| !id.is_empty()));
    made.filter_map(|one| one.text("rule")).map(str::to_owned).collect()
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
    fn both_ways_of_reading_a_line_say_the_same() {
        for line in [
            r#"{"v":1,"seq":7,"ts":"2026-01-31T12:00:00.000000Z","id":"t\"1","agent":"codex","session":"é\u00e9","phase":"pre-tool","subagent":{"id":"a","type":"Explore"},"tool":"Bash","input":{"x":{"command":"no"},"command":"cargo test\n"},"verdict":"deny","expressed":"ask","findings":[{"rule":"r","verdict":"deny","what":"}],"}],"excepted":[{"id":"0a","rule":"r"},{"id":"","rule":"s"}],"us":{"read":1,"judge":20},"took_ms":3,"result_bytes":12,"code":"c","fault":"f"}"#,
            r#"{"v":1,"seq":8,"ts":"x","verdict":"allow","input":"text","took_ms":"3"}"#,
            r#"{"v":1,"seq":9,"input":{"command":["cargo","test"]},"subagent":null}"#,
            r#"{"v":1,"seq":"9"}"#,
            r#"{"v":1}"#,
        ] {
            assert!(members(line.as_bytes()).is_some(), "{line}");
            let whole = match json::parse(line.as_bytes()).unwrap() {
                Value::Map(all) => {
                    Fact::from(all.iter().map(|(name, value)| (name.as_str(), Part::Read(value))))
                }
                _ => None,
            };
            assert_eq!(Fact::of(line.as_bytes()), whole, "{line}");
        }
    }

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
