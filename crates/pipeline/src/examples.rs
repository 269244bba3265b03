//! The examples of custom rules, judged in a world that stands still.

use tollgate_model::json;
use tollgate_model::{
    Actor, Agent, Attended, Case, Event, Kind, SearchScope, StillFile, StillWorld, ToolCall, ToolUse, Trace,
};
use tollgate_policy::{Custom, Policy, Sample};

use crate::custom;

/// An example of a custom rule that is not judged as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The rule.
    pub rule: String,
    /// The policy file.
    pub file: String,
    /// Line and column of the example.
    pub place: (u32, u32),
    /// The command, call or prompt.
    pub example: String,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rule, file, place: (line, column), example, what } = self;
        write!(out, "error: example `{example}` of rule `{rule}` {what} ({file}:{line}:{column})")
    }
}

/// Judges the examples of every custom rule of a policy. Pure: the project is `/home/me/project`, with a few files.
#[must_use]
pub fn check_examples(policy: &Policy) -> Vec<Failure> {
    policy
        .custom
        .iter()
        .flat_map(|rule| rule.examples.iter().filter_map(|sample| check(rule, sample)))
        .collect()
}

fn check(rule: &Custom, sample: &Sample) -> Option<Failure> {
    let world = world();
    let failure = |what: String| Failure {
        rule: rule.id.clone(),
        file: rule.file.clone(),
        place: sample.place,
        example: sample.shown(),
        what,
    };
    let event = match event(sample) {
        Ok(event) => event,
        Err(why) => return Some(failure(why)),
    };
    let effects = tollgate_effects::analyse(&event, &world);
    let found = custom::findings(
        &Case { event: &event, effects: &effects, world: &world },
        std::slice::from_ref(rule),
    );
    match (sample.hit, found.is_empty()) {
        (true, true) => {
            let told: Vec<String> =
                effects.iter().map(|effect| format!("`{}`: {}", effect.kind.name(), effect.told())).collect();
            let told = if told.is_empty() { "nothing".to_owned() } else { told.join(", ") };
            Some(failure(format!("must be seen by the rule and is not; its effects are {told}")))
        }
        (false, false) => Some(failure("must pass, and the rule sees it".to_owned())),
        _ => None,
    }
}

/// The event of an example, in the words of Claude Code's tools.
fn event(sample: &Sample) -> Result<Event, String> {
    if sample.tool.is_empty() {
        return Ok(happened(Kind::Prompt { text: sample.input.clone() }));
    }
    let input =
        json::parse(sample.input.as_bytes()).map_err(|error| format!("the input is no JSON: {error}"))?;
    let text = |key: &str| input.text(key).unwrap_or_default().to_owned();
    let call = match sample.tool.as_str() {
        "Bash" => ToolCall::shell(text("command")),
        "Read" => ToolCall::Read { paths: vec![text("file_path")] },
        "Write" => ToolCall::Write { path: text("file_path"), content: text("content") },
        "Edit" => ToolCall::Edit {
            path: text("file_path"),
            edits: vec![tollgate_model::Replacement { old: text("old_string"), new: text("new_string") }],
        },
        "Grep" | "Glob" => ToolCall::Search {
            pattern: text("pattern"),
            path: text("path"),
            glob: input.text("glob").map(str::to_owned),
            scope: if sample.tool == "Grep" { SearchScope::Contents } else { SearchScope::Names },
        },
        "WebFetch" => ToolCall::Fetch { url: text("url") },
        "WebSearch" => ToolCall::WebSearch { query: text("query") },
        "Task" | "Agent" => ToolCall::Spawn { agent: text("subagent_type"), prompt: text("prompt") },
        other => match other.strip_prefix("mcp__").and_then(|name| name.split_once("__")) {
            Some((server, tool)) => ToolCall::Mcp { server: server.to_owned(), tool: tool.to_owned() },
            None => ToolCall::Other,
        },
    };
    Ok(happened(Kind::PreTool(ToolUse { id: String::new(), name: sample.tool.clone(), call, input })))
}

fn happened(kind: Kind) -> Event {
    Event {
        agent: Agent::ClaudeCode,
        name: "example".into(),
        session: "example".into(),
        actor: Actor::Main,
        cwd: PROJECT.into(),
        project: Some(PROJECT.into()),
        transcript: None,
        permission_mode: "default".into(),
        attended: Attended::Yes,
        trace: Trace::default(),
        kind,
    }
}

const PROJECT: &str = "/home/me/project";

fn world() -> StillWorld {
    let files = [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[remote \"origin\"]\n\turl = git@example.test:me/project.git\n"),
        (".git/objects/x", ""),
        (".git/refs/heads/main", "1"),
        ("README.md", "# project\n"),
        (".env", "A=1\n"),
        ("src/main.rs", "fn main() {}\n"),
    ];
    let file =
        |(name, text): (&str, &str)| (format!("{PROJECT}/{name}"), StillFile::File(text.as_bytes().to_vec()));
    StillWorld {
        home: "/home/me".into(),
        workspace: PROJECT.into(),
        temp: vec!["/tmp".into()],
        own: vec!["/home/me/.config/tollgate".into(), "/home/me/.local/state/tollgate".into()],
        files: files.into_iter().map(file).collect(),
        ..StillWorld::default()
    }
}
