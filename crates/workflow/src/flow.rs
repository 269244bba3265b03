//! A workflow as it is evaluated: checked, with its options filled in.

use serde::{Deserialize, Serialize};
use tollgate_model::{Level, State};

use crate::expr::Expr;

/// A checked workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Its name, and the namespace of its state.
    pub name: String,
    /// What it is for, in one line.
    pub about: String,
    /// Whose state it keeps.
    pub scope: Scope,
    /// Seconds without a change after which its state is forgotten.
    pub expires: u64,
    /// How it starts.
    pub start: Start,
    /// Named paths, each with the templates it may have: the first whose names are all known is used.
    pub artifacts: Vec<(String, Vec<String>)>,
    /// Its phases in order; the first is where it starts.
    pub phases: Vec<String>,
    /// What it watches.
    pub gates: Vec<Gate>,
    /// A person's own file names it: its commands may run.
    pub trusted: bool,
    /// Where it was read from.
    pub file: String,
}

/// The key of a workflow's state that says that a person has stopped it.
pub const STOPPED: &str = "stopped";

impl Flow {
    /// Is it active?
    #[must_use]
    pub fn is_active(&self, state: &State) -> bool {
        !self.is_stopped(state) && (self.start.always || state.is(&self.name, "is_active"))
    }

    /// Why it does nothing by itself; none when something starts it, or a gate of it does not wait for its start. `all`
    /// are the workflows that may start it.
    #[must_use]
    pub fn never_starts(&self, all: &[Self]) -> Option<String> {
        let starts = |act: &Act| matches!(act, Act::Start(name) if *name == self.name);
        let is_started =
            all.iter().chain([self]).flat_map(|flow| &flow.gates).any(|gate| gate.then.iter().any(starts));
        let waits = self.gates.iter().all(|gate| gate.active == Active::Yes);
        let never = !self.start.always && self.start.commands.is_empty() && !is_started && waits;
        never.then(|| {
            let name = &self.name;
            format!(
                "workflow `{name}` never starts, so none of its gates is asked: add `start: {{ always: true }}` or \
                 `start: {{ commands: [/{name}] }}`; until then only a person starts it: tollgate workflow start {name}"
            )
        })
    }

    /// Has a person stopped it? Then none of its gates is asked until it starts again, not even those of a workflow
    /// that is always on or those that are asked while it is not active.
    #[must_use]
    pub fn is_stopped(&self, state: &State) -> bool {
        state.is(&self.name, STOPPED)
    }

    /// The templates of a named path, or the template itself.
    #[must_use]
    pub fn templates<'t>(&'t self, template: &'t str) -> Vec<&'t str> {
        match self.artifacts.iter().find(|(name, _)| name == template) {
            Some((_, paths)) => paths.iter().map(String::as_str).collect(),
            None => vec![template],
        }
    }
}

/// Whose state a workflow keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Each session its own.
    #[default]
    Session,
    /// All sessions of a project the same.
    Project,
}

/// How a workflow starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// It is always active.
    pub always: bool,
    /// Slash commands that start it.
    pub commands: Vec<String>,
    /// What must hold first, with the message if it does not.
    pub need: Vec<(Cond, String)>,
    /// Workflows that end when it starts.
    pub ends: Vec<String>,
    /// What the model is told, line by line.
    pub say: Vec<String>,
}

/// One thing that a workflow watches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// When it is asked.
    pub on: Vec<On>,
    /// Only for these agents; none means any.
    pub agents: Vec<String>,
    /// Only for agents that are not these.
    pub other_than: Vec<String>,
    /// Only for these slash commands.
    pub commands: Vec<String>,
    /// Only for these classes or names of tools.
    pub tools: Vec<String>,
    /// Only for calls that run one of these programs.
    pub programs: Vec<String>,
    /// Only for these sources of a session's start, or topics of a notification.
    pub sources: Vec<String>,
    /// Only for writes to one of these places.
    pub inside: Vec<String>,
    /// Only for writes to none of these places.
    pub outside: Vec<String>,
    /// Not for writes to one of these places.
    pub except: Vec<String>,
    /// Not for writes of a text that holds one of these.
    pub unless_content: Vec<String>,
    /// Only in these phases.
    pub phases: Vec<String>,
    /// Whether the workflow must be active.
    pub active: Active,
    /// Whose doing it is.
    pub actor: Who,
    /// Only when this holds.
    pub when: Option<Cond>,
    /// What must hold.
    pub need: Option<Cond>,
    /// What is said when it does not.
    pub message: String,
    /// How bad that is.
    pub level: Refusal,
    /// How often in a row it may refuse; zero means always.
    pub limit: u32,
    /// Acts once, until the workflow starts again.
    pub once: bool,
    /// What happens when it holds.
    pub then: Vec<Act>,
}

/// How bad it is when a gate does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// As a rule of this level.
    Level(Level),
    /// Ends the agent's turn.
    Fail,
}

impl Default for Refusal {
    fn default() -> Self {
        Self::Level(Level::Deny)
    }
}

/// Whether a gate's workflow must be active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Active {
    /// It must.
    #[default]
    Yes,
    /// It must not.
    No,
    /// Either.
    Any,
}

/// Whose doing something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// The main agent's.
    Main,
    /// A subagent's.
    Subagent,
    /// Either.
    #[default]
    Anybody,
}

/// When a gate is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum On {
    /// Before an agent is started.
    Spawn,
    /// Before a slash command or skill.
    Command,
    /// Before a tool call.
    Tool,
    /// Before something is written or deleted, by any tool.
    Write,
    /// Before a prompt is taken.
    Prompt,
    /// When the main agent wants to stop.
    Stop,
    /// When a subagent wants to stop.
    SubagentStop,
    /// When a subagent has started.
    SubagentStart,
    /// When a session starts or goes on.
    SessionStart,
    /// When a session ends.
    SessionEnd,
    /// Before the conversation is compacted.
    PreCompact,
    /// After a tool call.
    After,
    /// After something was written, by any tool.
    Wrote,
    /// After a run of the tests that counts.
    TestRun,
    /// When the agent tells the person something.
    Notification,
    /// When a call was refused.
    Refused,
}

impl On {
    /// Every one, with its name in a workflow file.
    pub const ALL: [(&'static str, Self); 16] = [
        ("spawn", Self::Spawn),
        ("command", Self::Command),
        ("tool", Self::Tool),
        ("write", Self::Write),
        ("prompt", Self::Prompt),
        ("stop", Self::Stop),
        ("subagent-stop", Self::SubagentStop),
        ("subagent-start", Self::SubagentStart),
        ("session-start", Self::SessionStart),
        ("session-end", Self::SessionEnd),
        ("pre-compact", Self::PreCompact),
        ("after", Self::After),
        ("wrote", Self::Wrote),
        ("test-run", Self::TestRun),
        ("notification", Self::Notification),
        ("refused", Self::Refused),
    ];

    /// Its name in a workflow file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, on)| *on == self).map_or("", |(name, _)| name)
    }
}

impl Cond {
    /// Can it hold only by what is seen of test runs?
    #[must_use]
    pub fn is_by_runs(&self) -> bool {
        match self {
            Self::Observed(_) => true,
            Self::All(all) => all.iter().any(Self::is_by_runs),
            Self::Any(any) => any.iter().all(|one| one.is_by_runs() || one.names_no_command()),
            _ => false,
        }
    }

    fn names_no_command(&self) -> bool {
        matches!(self, Self::Tests { run, .. } | Self::Command { run, .. } if run.is_empty())
    }
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cond {
    /// All of them.
    All(Vec<Cond>),
    /// One of them.
    Any(Vec<Cond>),
    /// The opposite.
    Not(Box<Cond>),
    /// A file matches the template.
    Exists(String),
    /// The newest file that matches has these pairs in its frontmatter.
    Frontmatter {
        /// Artifact or template.
        file: String,
        /// The pairs.
        has: Vec<(String, String)>,
    },
    /// The newest file that matches holds these texts, in whatever case.
    Contains {
        /// Artifact or template.
        file: String,
        /// All of these.
        all: Vec<String>,
        /// One of these.
        any: Vec<String>,
    },
    /// The newest file that matches has at least so many characters.
    MinChars {
        /// Artifact or template.
        file: String,
        /// How many.
        n: usize,
    },
    /// Nothing there is modified, staged or untracked.
    Committed(String),
    /// No file in these places is modified, staged or untracked.
    CommittedFiles {
        /// Where the project has this folder with something in it, only that counts.
        folder: String,
        /// In one of these places.
        inside: Vec<String>,
        /// In none of these.
        except: Vec<String>,
    },
    /// A command for the tests ends as expected.
    Tests {
        /// The command.
        run: String,
        /// They are to pass.
        pass: bool,
        /// Seconds.
        timeout: u32,
    },
    /// A command ends with this code.
    Command {
        /// The command.
        run: String,
        /// The code.
        exit: i32,
        /// Seconds.
        timeout: u32,
    },
    /// Values of the state: namespace, key, value.
    State(Vec<(String, String, String)>),
    /// The workflow is in this phase.
    Phase(String),
    /// The stopping agent's last message.
    Output {
        /// One of these texts is in it.
        contains: Vec<String>,
        /// One of these patterns is in it; its `{names}` are then known to templates.
        matches: Vec<String>,
    },
    /// The last run of the tests that was seen.
    Observed(Seen),
    /// An agent of that name is known.
    Registered {
        /// The name.
        name: String,
        /// Known besides those that have a file.
        also: Vec<String>,
    },
    /// An expression.
    Expr(Expr),
}

/// What a run of the tests was seen to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Seen {
    /// Failing tests.
    Red,
    /// All passed, with those that failed before among them.
    Green,
}

/// What happens when a gate holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Goes to a phase.
    Phase(String),
    /// Ends the workflow.
    End,
    /// Starts a workflow.
    Start(String),
    /// Sets a value of the workflow's state.
    Set(String, String),
    /// Counts.
    Count(String),
    /// Adds to a list.
    Remember {
        /// The list's key.
        key: String,
        /// What is added.
        value: String,
        /// How many are kept.
        most: usize,
    },
    /// Takes values away.
    Forget(Vec<String>),
    /// Tells the model.
    Say(String),
    /// Tells the model what is in files.
    Read(Vec<String>),
    /// Tells the person.
    Tell(String),
    /// Saves texts under a key, and as JSON in a file for people.
    Save {
        /// The key.
        to: String,
        /// The file, when one is wanted.
        file: String,
        /// Name and template of each.
        fields: Vec<(String, String)>,
    },
    /// Tells the model what was saved, and forgets it once that is out.
    Recover {
        /// The key.
        from: String,
        /// The file for people.
        file: String,
    },
    /// Tells a person elsewhere, when the answer is out.
    Notify {
        /// How.
        channel: Channel,
        /// The text.
        text: String,
    },
}

/// How a person elsewhere is told something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Channel {
    /// A command, with the text on its standard input and in `TOLLGATE_TEXT`.
    Run(String),
    /// A topic of an ntfy server.
    Ntfy(String),
    /// The desktop of this machine.
    Desktop,
}
