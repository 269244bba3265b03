//! The middleware pipelines of a policy: what runs at which event, of which type, in which order.

use serde::{Deserialize, Serialize};
use tollgate_model::Phase;

/// What runs at one event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pipeline {
    /// Its name.
    pub id: String,
    /// The event, by the name of its phase.
    pub event: String,
    /// All stages at once, instead of in order.
    pub parallel: bool,
    /// Refuse unless a stage allows.
    pub deny_by_default: bool,
    /// What runs, in order.
    pub stages: Vec<Stage>,
    /// What is different for some agents.
    pub overrides: Vec<Override>,
    /// The directory that its paths are relative to.
    pub folder: String,
    /// The file it stands in, for people.
    pub source: String,
}

/// One middleware.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stage {
    /// Its name, unique in its pipeline.
    pub id: String,
    /// What it may do.
    pub kind: StageKind,
    /// What is run.
    pub program: Program,
    /// Is it in use?
    pub enabled: bool,
    /// Its configuration, as JSON.
    pub config: String,
    /// How long it may take, in milliseconds.
    pub timeout: u32,
    /// What follows when it fails.
    pub on_error: OnError,
    /// What is different for some agents.
    pub overrides: Vec<Override>,
    /// Only for these tools (names or patterns with `*` and `|`); empty for all.
    pub tools: Vec<String>,
    /// Only for these agents; empty for all.
    pub agents: Vec<String>,
    /// Only when the call has one of these effects; empty for all.
    pub effects: Vec<String>,
    /// Only at these events, by the agent's own names; empty for all that the pipeline is for.
    pub events: Vec<String>,
    /// It was written as a hook of the agent's own: it reads the agent's payload, and answers in the agent's words.
    pub native: bool,
}

/// What a middleware may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StageKind {
    /// Refuses.
    Safety,
    /// Refuses what is not well formed.
    Validation,
    /// Refuses what is not permitted.
    Authorization,
    /// Rewrites the input.
    Transform,
    /// Looks on, after the answer.
    Observability,
}

impl StageKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Safety, Self::Validation, Self::Authorization, Self::Transform, Self::Observability];

    /// Other names that hook files use for a kind.
    pub const ALIASES: [(&'static str, Self); 1] = [("transformation", Self::Transform)];

    /// Its name in a policy file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Validation => "validation",
            Self::Authorization => "authorization",
            Self::Transform => "transform",
            Self::Observability => "observability",
        }
    }
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Program {
    /// One of ours.
    BuiltIn(String),
    /// A program with its arguments: one JSON object in, one out.
    Run(Vec<String>),
    /// A file with a function to call, by its ending: Python, JavaScript, TypeScript.
    File(String),
}

/// What follows when a middleware fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OnError {
    /// As the policy's `on_fault` says.
    #[default]
    OnFault,
    /// Nothing.
    Allow,
    /// A person is asked.
    Ask,
    /// The call is refused.
    Deny,
    /// It is tried once more, then as `OnFault`.
    Retry,
}

/// What is different for an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Override {
    /// The agent's name.
    pub agent: String,
    /// In use or not.
    pub enabled: Option<bool>,
    /// How long it may take, in milliseconds.
    pub timeout: Option<u32>,
    /// Another configuration, as JSON.
    pub config: Option<String>,
}

/// The middlewares that are part of Tollgate.
pub const BUILT_IN: [&str; 7] = [
    "block-dangerous-commands",
    "protect-sensitive-files",
    "validate-tool-inputs",
    "log-operations",
    "emit-metrics",
    "track-token-usage",
    "debug-tracer",
];

/// The built-ins that are there to refuse. They read nothing but the event and write nothing.
pub(crate) const GUARDS: [&str; 3] =
    ["block-dangerous-commands", "protect-sensitive-files", "validate-tool-inputs"];

/// How long a middleware may take unless it says otherwise.
pub const TIMEOUT: u32 = 5_000;

impl Stage {
    /// A guard with everything at its default.
    #[must_use]
    pub fn new(id: &str, program: Program) -> Self {
        Self {
            id: id.to_owned(),
            kind: StageKind::Safety,
            program,
            enabled: true,
            config: "{}".to_owned(),
            timeout: TIMEOUT,
            on_error: OnError::OnFault,
            overrides: Vec::new(),
            tools: Vec::new(),
            agents: Vec::new(),
            effects: Vec::new(),
            events: Vec::new(),
            native: false,
        }
    }
}

impl Pipeline {
    /// Names one of its stages, and no stage of another hook with the same ids.
    #[must_use]
    pub fn stage_key(&self, stage: &str) -> String {
        [&self.source, &self.id, &self.event, stage].join("\n")
    }

    /// One before every call, with a stage that cannot run.
    pub(crate) fn failing(id: &str, program: Program, source: &str) -> Self {
        Self {
            id: id.to_owned(),
            event: Phase::PreTool.name().to_owned(),
            parallel: false,
            deny_by_default: false,
            stages: vec![Stage::new(id, program)],
            overrides: Vec::new(),
            folder: String::new(),
            source: source.to_owned(),
        }
    }

    /// What is left of it without trust: the built-in guards. None when there are none. Its default decision counts
    /// only when nothing is left out, since what is left out might have allowed.
    pub(crate) fn without_programs(&self) -> Option<Self> {
        let is_guard = |stage: &Stage| {
            let built_in =
                matches!(&stage.program, Program::BuiltIn(name) if GUARDS.contains(&name.as_str()));
            built_in && stage.kind != StageKind::Observability
        };
        let decides = |stage: &&Stage| stage.kind != StageKind::Observability;
        let whole = self.stages.iter().filter(decides).all(is_guard);
        let stages: Vec<Stage> = self.stages.iter().filter(|stage| is_guard(stage)).cloned().collect();
        let deny_by_default = self.deny_by_default && whole;
        (!stages.is_empty()).then(|| Self { stages, deny_by_default, ..self.clone() })
    }

    /// Is it for this event of this agent?
    #[must_use]
    pub fn is_for(&self, phase: Phase, agent: &str) -> bool {
        let of_agent = self.overrides.iter().find(|other| other.agent == agent);
        self.event == phase.name() && of_agent.and_then(|other| other.enabled) != Some(false)
    }

    /// Its stages as they are for an agent: overrides applied, those not in use left out.
    #[must_use]
    pub fn stages_for(&self, agent: &str) -> Vec<Stage> {
        let whole = self.overrides.iter().find(|other| other.agent == agent);
        let stages = self.stages.iter().map(|stage| {
            let own = stage.overrides.iter().find(|other| other.agent == agent);
            let mut stage = stage.clone();
            for other in [whole, own].into_iter().flatten() {
                stage.apply(other);
            }
            stage
        });
        let for_agent =
            |stage: &Stage| stage.agents.is_empty() || stage.agents.iter().any(|name| name == agent);
        stages.filter(|stage| stage.enabled && for_agent(stage)).collect()
    }
}

impl Stage {
    fn apply(&mut self, other: &Override) {
        // What a pipeline switches off stays off for each of its stages.
        self.enabled &= other.enabled.unwrap_or(true);
        self.timeout = other.timeout.unwrap_or(self.timeout);
        if let Some(config) = &other.config {
            self.config.clone_from(config);
        }
    }

    /// Is it for a call of this tool, under the name it has or one it had?
    #[must_use]
    pub fn is_for_tool(&self, tool: &str) -> bool {
        let renamed = RENAMED.iter().filter(|(old, new)| tool == *old || tool == *new);
        let names = renamed.flat_map(|(old, new)| [*old, *new]).chain([tool]);
        self.tools.is_empty()
            || names.into_iter().any(|name| self.tools.iter().any(|pattern| matches_tool(pattern, name)))
    }
}

/// Tools that Claude Code has renamed, the old name first. Its matchers meet a call by either name, and people write
/// either; so do policies.
const RENAMED: [(&str, &str); 8] = [
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
];

/// A tool's name against `Bash`, `Edit|Write`, `mcp__*`, `*Edit*`, `*`.
fn matches_tool(pattern: &str, tool: &str) -> bool {
    pattern.split('|').any(|one| matches_glob(one.trim(), tool))
}

fn matches_glob(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::{Program, Stage, matches_tool};

    #[test]
    fn tools_are_matched_by_name_and_pattern() {
        for (pattern, tool, expected) in [
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("Edit|Write", "Write", true),
            ("Edit | Write", "Write", true),
            ("mcp__*", "mcp__a__b", true),
            ("mcp__*__write", "mcp__fs__write", true),
            ("mcp__*__write", "mcp__write", false),
            ("*", "Bash", true),
            ("*Edit*", "NotebookEdit", true),
            ("*Edit*", "Read", false),
            ("mcp__*fs*__write", "mcp__my_fs_x__write", true),
            ("mcp__*fs*__write", "mcp__fs__read", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_tool(pattern, tool), expected, "{pattern} {tool}");
        }
    }

    #[test]
    fn a_renamed_tool_is_matched_by_both_names() {
        for (tools, tool, expected) in [
            ("Task", "Agent", true),
            ("Agent", "Task", true),
            ("Bash|Task", "Agent", true),
            ("KillBash", "TaskStop", true),
            ("KillBash", "KillShell", false),
            ("Task", "TaskStop", false),
            ("Bash", "Agent", false),
        ] {
            let stage = Stage { tools: vec![tools.into()], ..Stage::new("x", Program::Run(Vec::new())) };
            assert_eq!(stage.is_for_tool(tool), expected, "{tools} {tool}");
        }
    }
}
