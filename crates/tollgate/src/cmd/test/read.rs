//! A file of policy tests: YAML → tests, and everything that is wrong with it.

use tollgate_model::json::Value as Json;
use tollgate_model::{Phase, Verdict};
use tollgate_policy::yaml::{self, Node, Value};
use tollgate_policy::{At, Problem, Severity, hint, shown, to_json};

/// The keys of the file.
pub const FILE_KEYS: [&str; 2] = ["version", "tests"];
/// The keys of a test beside those of its only step.
pub const TEST_KEYS: [&str; 5] = ["name", "files", "git", "changed", "steps"];
/// The keys of a step.
pub const STEP_KEYS: [&str; 9] =
    ["run", "tool", "input", "prompt", "event", "payload", "expect", "rule", "says"];
/// What a step may expect.
pub const EXPECT: [&str; 7] = ["allow", "note", "save", "ask", "deny", "halt", "refuse"];

/// One test: a project, and events in it.
#[derive(Clone, Debug, Default)]
pub struct Test {
    /// Its name, or what it is about.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// Files of the project.
    pub files: Vec<(String, String)>,
    /// The project is a repository, with these files committed.
    pub git: bool,
    /// Files that are changed after that.
    pub changed: Vec<(String, String)>,
    /// What happens.
    pub steps: Vec<Step>,
}

/// One event, and what is expected of the gate.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its line.
    pub line: u32,
    /// Claude Code's name of the event.
    pub event: String,
    /// The event, without what every event has.
    pub payload: Vec<(String, Json)>,
    /// What becomes of it.
    pub expect: Expect,
    /// A rule that must find something.
    pub rule: String,
    /// A text that the answer must hold.
    pub says: String,
}

/// What a step expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing is said about it.
    Anything,
    /// It goes on.
    Allow,
    /// It does not simply go on.
    Refuse,
    /// Exactly this.
    Exactly(Verdict),
}

impl Expect {
    /// Is that what happened?
    pub fn fits(self, verdict: Verdict) -> bool {
        match self {
            Self::Anything => true,
            Self::Allow => !verdict.refuses(),
            Self::Refuse => verdict.refuses(),
            Self::Exactly(wanted) => verdict == wanted,
        }
    }

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anything => "anything",
            Self::Allow => "allow",
            Self::Refuse => "refuse",
            Self::Exactly(verdict) => verdict.name(),
        }
    }
}

/// Reads a file.
pub fn read(path: &str, text: &str) -> (Vec<Test>, Vec<Problem>) {
    let mut reader = Reader { path, problems: Vec::new() };
    let document = yaml::read(text);
    document.problems.iter().for_each(|(at, message)| reader.error(*at, message, ""));
    let tests = match &document.root {
        Some(root) => reader.file(root),
        None => {
            reader.error(At::default(), "an empty file", "start with `version: 1` and `tests:`");
            Vec::new()
        }
    };
    (tests, reader.problems)
}

struct Reader<'a> {
    path: &'a str,
    problems: Vec<Problem>,
}

type Entries<'n> = Vec<(&'n str, At, &'n Node)>;

impl Reader<'_> {
    fn file(&mut self, root: &Node) -> Vec<Test> {
        let mut tests = Vec::new();
        for (key, at, value) in self.entries("a file of tests", root) {
            match key {
                "version" => self.version(value),
                "tests" => {
                    for item in self.list(key, value) {
                        tests.extend(self.test(item));
                    }
                }
                unknown => self.unknown("a file of tests", unknown, at, &FILE_KEYS),
            }
        }
        tests
    }

    fn version(&mut self, node: &Node) {
        if self.text("version", node) != Some("1".to_owned()) {
            self.error(node.at, "unknown version", "this Tollgate reads version 1");
        }
    }

    fn test(&mut self, node: &Node) -> Option<Test> {
        let mut test = Test { line: node.at.line, ..Test::default() };
        let entries = self.entries("a test", node);
        let (own, step): (Entries, Entries) =
            entries.into_iter().partition(|(key, ..)| TEST_KEYS.contains(key));
        let mut has_steps = false;
        for (key, at, value) in own {
            match key {
                "name" => test.name = self.text(key, value).unwrap_or_default(),
                "files" => test.files = self.files(value),
                "changed" => test.changed = self.files(value),
                "git" => test.git = self.flag(key, value),
                _ => {
                    has_steps = true;
                    if !step.is_empty() {
                        self.error(at, "a test with `steps` and a step of its own", "put it among the steps");
                    }
                    for item in self.list(key, value) {
                        let entries = self.entries("a step", item);
                        test.steps.extend(self.step(item.at, &entries));
                    }
                }
            }
        }
        if !has_steps {
            test.steps.extend(self.step(node.at, &step));
        }
        if test.name.is_empty() {
            test.name = test.steps.first().map(Step::title).unwrap_or_default();
        }
        Some(test)
    }

    fn step(&mut self, at: At, entries: &Entries) -> Option<Step> {
        let (mut event, mut payload) = (None, Vec::new());
        let (mut expect, mut rule, mut says) = (Expect::Anything, String::new(), String::new());
        let mut about: Vec<&str> = Vec::new();
        for (key, at, value) in entries {
            match *key {
                "run" => {
                    let command = self.text(key, value)?;
                    about.push("run");
                    payload.push(("tool_name".to_owned(), "Bash".into()));
                    payload.push((
                        "tool_input".to_owned(),
                        tollgate_model::json::object([("command", command.as_str().into())]),
                    ));
                }
                "tool" => {
                    about.push("tool");
                    payload.push(("tool_name".to_owned(), self.text(key, value)?.as_str().into()));
                }
                "input" => payload.push(("tool_input".to_owned(), to_json(value))),
                "prompt" => {
                    about.push("prompt");
                    payload.push((key.to_string(), self.text(key, value)?.as_str().into()));
                }
                "event" => event = self.event(value),
                "payload" => payload.extend(to_json(value).as_map().unwrap_or_default().iter().cloned()),
                "expect" => expect = self.expect(value),
                "rule" => rule = self.text(key, value)?,
                "says" => says = self.text(key, value)?,
                unknown => self.unknown("a step", unknown, *at, &STEP_KEYS),
            }
        }
        let usual = match about.as_slice() {
            ["run" | "tool"] => "PreToolUse",
            ["prompt"] => "UserPromptSubmit",
            [] if event.is_some() => "",
            _ => {
                self.error(
                    at,
                    "a step is one of `run`, `tool` with `input`, `prompt` and `event`",
                    "write `run: a command`",
                );
                return None;
            }
        };
        let event = event.unwrap_or_else(|| usual.to_owned());
        Some(Step { line: at.line, event, payload, expect, rule, says })
    }

    fn event(&mut self, node: &Node) -> Option<String> {
        let name = self.text("event", node)?;
        if Phase::named(&name).is_none() {
            let names: Vec<&str> = EVENTS.to_vec();
            self.error(node.at, &format!("unknown event `{}`", shown(&name)), &hint(&name, &names));
        }
        Some(name)
    }

    fn expect(&mut self, node: &Node) -> Expect {
        let name = self.text("expect", node).unwrap_or_default();
        match name.as_str() {
            "allow" => Expect::Allow,
            "refuse" => Expect::Refuse,
            _ => match Verdict::ALL.into_iter().find(|verdict| verdict.name() == name) {
                Some(verdict) => Expect::Exactly(verdict),
                None => {
                    self.error(
                        node.at,
                        &format!("unknown value `{}` for `expect`", shown(&name)),
                        &hint(&name, &EXPECT),
                    );
                    Expect::Anything
                }
            },
        }
    }

    /// Files by their path below the project.
    fn files(&mut self, node: &Node) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for (path, at, value) in self.entries("`files`", node) {
            let plain =
                !path.starts_with('/') && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            if !plain {
                self.error(
                    at,
                    &format!("`{}` does not lie in the project", shown(path)),
                    "write a path below it",
                );
                continue;
            }
            let text = if value.is_null() { Some(String::new()) } else { self.text(path, value) };
            files.extend(text.map(|text| (path.to_owned(), text)));
        }
        files
    }

    fn flag(&mut self, key: &str, node: &Node) -> bool {
        match self.text(key, node).as_deref() {
            Some("true") => true,
            Some("false") | None => false,
            Some(_) => {
                self.error(node.at, &format!("`{key}` is true or false"), "");
                false
            }
        }
    }

    fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Scalar { text, .. } if !node.is_null() => Some(text.clone()),
            _ => {
                self.error(node.at, &format!("`{key}` must be text, not {}", node.kind()), "");
                None
            }
        }
    }

    fn list<'n>(&mut self, key: &str, node: &'n Node) -> &'n [std::rc::Rc<Node>] {
        match &node.value {
            Value::List(items) => items,
            _ => {
                self.error(
                    node.at,
                    &format!("`{key}` must be a list, not {}", node.kind()),
                    "write `- run: a command` below it",
                );
                &[]
            }
        }
    }

    fn entries<'n>(&mut self, what: &str, node: &'n Node) -> Entries<'n> {
        let Value::Map(entries) = &node.value else {
            self.error(node.at, &format!("{what} must be a map, not {}", node.kind()), "");
            return Vec::new();
        };
        let named = entries.iter().filter_map(|(key, value)| match &key.value {
            Value::Scalar { text, .. } => Some((text.as_str(), key.at, &**value)),
            _ => None,
        });
        named.collect()
    }

    fn unknown(&mut self, of: &str, key: &str, at: At, known: &[&str]) {
        self.error(at, &format!("unknown key `{}` of {of}", shown(key)), &hint(key, known));
    }

    fn error(&mut self, at: At, message: &str, hint: &str) {
        self.problems.push(Problem {
            path: self.path.to_owned(),
            severity: Severity::Error,
            message: message.to_owned(),
            hint: hint.to_owned(),
            at,
        });
    }
}

impl Step {
    /// What it is about.
    pub fn title(&self) -> String {
        let find = |name: &str| self.payload.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let command = find("tool_input").and_then(|input| input.text("command"));
        let prompt = find("prompt").and_then(Json::as_str);
        let tool = find("tool_name").and_then(Json::as_str);
        shown(command.or(prompt).or(tool).unwrap_or(&self.event))
    }
}

/// Claude Code's names of the events that tests play.
pub const EVENTS: [&str; 12] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Notification",
];
