//! All that a workflow may see of an event, and the questions it asks about it.

use std::cell::OnceCell;

use tollgate_model::json::{self, Value, object};
use tollgate_model::{
    Actor, Agent, Certainty, Effect, EffectKind, Event, FileKind, Kind, Place, State, ToolCall, World, Zone,
    is_rebuildable,
};

use crate::counts::Run;
use crate::flow::{Flow, On, Scope};
use crate::{files, template};

/// Runs commands for conditions.
pub trait Ground {
    /// Runs a command in the project, for at most so many seconds.
    fn run(&self, command: &str, timeout: u32) -> CommandRun;
}

/// What came of a command. One that does not end has not succeeded, while one that cannot be run says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandRun {
    /// It ended.
    Ended(Ran),
    /// It did not end in time and was stopped.
    TimedOut {
        /// How long it was waited for, in seconds.
        seconds: u64,
        /// The agent waits no longer, although the command's own `timeout` would allow it.
        agent_limit: bool,
    },
    /// It could not be started, or nobody trusts it.
    NotRun,
}

/// What a command did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code; none when a signal ended it.
    pub exit: Option<i32>,
    /// What it printed.
    pub output: String,
}

/// What workflows remember, by whose it is.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// Of the session.
    pub session: State,
    /// Of the project.
    pub project: State,
}

impl States {
    /// The state of a scope.
    #[must_use]
    pub fn of(&self, scope: Scope) -> &State {
        match scope {
            Scope::Session => &self.session,
            Scope::Project => &self.project,
        }
    }
}

/// A place that a call makes or changes of its own accord.
#[derive(Clone, Copy, Debug)]
pub struct Altered<'a> {
    /// The place.
    pub place: &'a Place,
    /// It is only a folder.
    pub folder: bool,
    /// It is certain that it does.
    pub certain: bool,
}

/// An event with everything that workflows may see.
pub struct Case<'a> {
    /// What happened.
    pub event: &'a Event,
    /// What the call would do or did.
    pub effects: &'a [Effect],
    /// The machine.
    pub world: &'a dyn World,
    /// What is remembered.
    pub states: &'a States,
    /// The run of tests that this event tells of.
    pub run: Option<&'a Run>,
    /// Tests were run, but why that does not count.
    pub uncounted: Option<&'static str>,
    /// All the context that the event may add, in characters.
    pub budget: usize,
    /// Runs commands.
    pub ground: &'a dyn Ground,
    /// Seconds since 1970.
    pub now: u64,
    /// `project/status.json` is read once.
    pub milestone: OnceCell<Option<String>>,
}

impl Case<'_> {
    /// When gates are asked about this event.
    #[must_use]
    pub fn moments(&self) -> Vec<On> {
        let mut moments = moments(self.event);
        match self.event.kind {
            Kind::PreTool(_) if self.writes().next().is_some() || self.alters().next().is_some() => {
                moments.push(On::Write);
            }
            Kind::PostTool { .. } if self.writes().next().is_some() => moments.push(On::Wrote),
            _ => {}
        }
        moments.extend(self.run.is_some().then_some(On::TestRun));
        moments
    }

    /// The agent that the event is about.
    #[must_use]
    pub fn agent(&self) -> &str {
        match (self.event.tool().map(|tool| &tool.call), &self.event.actor) {
            (Some(ToolCall::Spawn { agent, .. }), _) => agent,
            (_, Actor::Subagent { kind, .. }) => kind,
            _ => "",
        }
    }

    /// The slash command that the event is about.
    #[must_use]
    pub fn command(&self) -> &str {
        command(self.event)
    }

    /// What the person or the main agent wants done.
    #[must_use]
    pub fn prompt(&self) -> &str {
        match &self.event.kind {
            Kind::Prompt { text } | Kind::Expand { text, .. } => text,
            _ => match self.event.tool().map(|tool| &tool.call) {
                Some(ToolCall::Spawn { prompt, .. }) => prompt,
                Some(ToolCall::Command { args, .. }) => args,
                _ => "",
            },
        }
    }

    /// The last words of the agent that stops, or of the one whose call has ended.
    #[must_use]
    pub fn output(&self) -> String {
        match &self.event.kind {
            Kind::Stop { message, .. } | Kind::SubagentStop { message, .. } => message.clone(),
            Kind::PostTool { response, .. } => said(response),
            _ => String::new(),
        }
    }

    /// Does the agent go on because a stop was refused? None when it does not say, or does not stop.
    #[must_use]
    pub fn again(&self) -> Option<bool> {
        match self.event.kind {
            Kind::Stop { again, .. } | Kind::SubagentStop { again, .. } => again,
            _ => None,
        }
    }

    /// The places that the call writes to or deletes, with the text that goes in where it is known.
    pub fn writes(&self) -> impl Iterator<Item = (&Place, Option<&str>)> {
        self.effects
            .iter()
            .filter_map(|effect| match &effect.kind {
                EffectKind::Write { place, content, .. } => Some((place, content.as_deref())),
                EffectKind::Delete { place, .. } | EffectKind::Permission { place, .. } => {
                    Some((place, None))
                }
                _ => None,
            })
            .filter(|(place, _)| !is_scratch(place))
    }

    /// The places that the call makes or changes with nothing of its own in them. What a build makes again is nobody's
    /// work.
    pub fn alters(&self) -> impl Iterator<Item = Altered<'_>> {
        let altered = self.effects.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Alter { place, folder } => {
                // Of a pattern it is told apart elsewhere what it may be.
                let certain = place.pattern || effect.certainty == Certainty::Certain;
                Some(Altered { place, folder: *folder, certain })
            }
            _ => None,
        });
        let made_again =
            |place: &Place| !place.pattern && is_rebuildable(&place.path, self.world.workspace(), self.world);
        altered.filter(move |altered| !is_scratch(altered.place) && !made_again(altered.place))
    }

    /// A place relative to the project; none when it lies elsewhere.
    #[must_use]
    pub fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.world.workspace()).and_then(|rest| rest.strip_prefix('/'))
    }

    /// The programs that the call runs.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.effects.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Exec { program, .. } => Some(program.as_str()),
            _ => None,
        })
    }

    /// The project's milestone: number and description of `project/status.json`.
    #[must_use]
    pub fn milestone(&self) -> Option<&str> {
        let read = || {
            let status = json::parse(&self.world.read(&self.milestone_file(), files::LONGEST)?).ok()?;
            let value = |key: &str| match status.get(key)? {
                Value::Number(text) | Value::String(text) => {
                    Some(text.trim()).filter(|text| !text.is_empty())
                }
                _ => None,
            };
            let number = value("current_milestone")?;
            Some(match value("milestone_description") {
                Some(description) => format!("{number}:{description}"),
                None => number.to_owned(),
            })
        };
        self.milestone.get_or_init(read).as_deref()
    }

    /// A path template of a workflow, or one of its named paths, as a pattern below the project. None: something in it
    /// is not known. Where the project has a milestone file that names no milestone, only the first template of a named
    /// path is tried: a damaged file must not open the places of a project without one.
    #[must_use]
    pub fn pattern(&self, flow: &Flow, template: &str) -> Option<String> {
        let templates = flow.templates(template);
        let damaged = self.milestone().is_none() && self.has_milestone_file();
        let most = if damaged { 1 } else { templates.len() };
        templates.into_iter().take(most).find_map(|template| self.filled(template))
    }

    fn has_milestone_file(&self) -> bool {
        self.world.kind(&self.milestone_file()) != FileKind::Missing
    }

    fn milestone_file(&self) -> String {
        format!("{}/project/status.json", self.world.workspace())
    }

    fn filled(&self, template: &str) -> Option<String> {
        let value = |name: &str, rest: &str| {
            let value = match name {
                "session" => self.event.session.clone(),
                "date" => template::date(self.now, rest),
                "milestone" => self.milestone()?.to_owned(),
                "agent" => self.agent().to_owned(),
                _ => {
                    let (space, key) = name.split_once('.')?;
                    plain(self.states.session.get(space, key).or(self.states.project.get(space, key))?)
                }
            };
            Some(template::in_path(&value).into_owned())
        };
        let (pattern, missing) = template::fill(template, value, |_| String::new());
        missing.is_empty().then_some(pattern)
    }
}

/// When gates are asked about an event, without a look at what it does.
#[must_use]
pub fn moments(event: &Event) -> Vec<On> {
    let mut moments = match &event.kind {
        Kind::PreTool(tool) => match &tool.call {
            ToolCall::Spawn { .. } => vec![On::Tool, On::Spawn],
            _ => vec![On::Tool],
        },
        Kind::PostTool { .. } => vec![On::After],
        Kind::Prompt { .. } => vec![On::Prompt],
        Kind::Stop { .. } => vec![On::Stop],
        Kind::SubagentStop { .. } => vec![On::SubagentStop],
        Kind::SubagentStart => vec![On::SubagentStart],
        Kind::SessionStart { .. } => vec![On::SessionStart],
        Kind::SessionEnd { .. } => vec![On::SessionEnd],
        Kind::PreCompact { .. } => vec![On::PreCompact],
        Kind::Notification { .. } => vec![On::Notification],
        Kind::PermissionDenied { .. } => vec![On::Refused],
        _ => Vec::new(),
    };
    if !command(event).is_empty() {
        moments.push(On::Command);
    }
    moments
}

/// The slash command that an event starts: as a prompt, as its expansion, or as a tool call.
#[must_use]
pub fn command(event: &Event) -> &str {
    let name = match &event.kind {
        Kind::Prompt { text } => {
            // Codex names its skills with another sign.
            let skill = |letter: char| letter == '/' || letter == '$' && event.agent == Agent::Codex;
            // `opencode run` quotes what it is given in one word.
            let quoted = matches!(event.agent, Agent::OpenCode | Agent::Kilo);
            let text = text.trim_start();
            let text = text.strip_prefix('"').filter(|_| quoted).unwrap_or(text);
            let Some(rest) = text.strip_prefix(skill) else { return "" };
            rest.split_whitespace().next().unwrap_or_default()
        }
        Kind::Expand { command, .. } => command,
        Kind::PreTool(tool) => match &tool.call {
            ToolCall::Command { name, .. } => name,
            _ => "",
        },
        _ => "",
    };
    let name = name.trim().trim_start_matches('/');
    if name.contains('/') { "" } else { name }
}

/// Does a name mean one of these, with or without the plugin or folder before it?
#[must_use]
pub fn is_one(name: &str, names: &[String]) -> bool {
    let last = name.rsplit(':').next().unwrap_or(name);
    names.iter().any(|known| known == name || known == last)
}

/// A value as text: a string without its quotes, a list with commas.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(text) | Value::String(text) => text.clone(),
        Value::List(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Map(_) => {
            let mut text = String::new();
            json::write(value, &mut text);
            text
        }
    }
}

/// The text in a tool's answer.
#[must_use]
pub fn said(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::List(parts) => parts.iter().map(said).collect::<Vec<_>>().join("\n"),
        Value::Map(_) => {
            let keys = ["text", "content", "stdout", "output", "llmContent", "textResultForLlm"];
            keys.iter().find_map(|key| response.get(key)).map(said).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Scratch files are nobody's work. Shared memory is a place for files like any other: a project may lie there, and what
/// does not belong to one there is in the zone of temporary files.
#[must_use]
pub fn is_scratch(place: &Place) -> bool {
    let is_device = place.path.starts_with("/dev/") && !place.path.starts_with("/dev/shm/");
    place.zone == Zone::Temp || is_device
}

/// What expressions see.
pub struct Seen<'a, 'c>(pub &'a Case<'c>);

impl crate::expr::Scope for Seen<'_, '_> {
    fn value(&self, name: &str) -> Value {
        let case = self.0;
        match name {
            "event" => object([
                ("phase", case.event.phase().name().into()),
                ("name", case.event.name.as_str().into()),
                ("agent", case.event.agent.name().into()),
                ("session", case.event.session.as_str().into()),
                ("cwd", case.event.cwd.as_str().into()),
                ("subagent", case.agent().into()),
                ("command", case.command().into()),
                ("prompt", case.prompt().into()),
                ("output", case.output().into()),
                ("mode", case.event.permission_mode.as_str().into()),
            ]),
            "call" => case.event.tool().map_or(Value::Null, |tool| {
                object([
                    ("name", tool.name.as_str().into()),
                    ("class", tool.call.class().into()),
                    ("input", tool.input.clone()),
                ])
            }),
            "effects" => Value::List(case.effects.iter().map(effect).collect()),
            "state" => State::merged(&[&case.states.project, &case.states.session]),
            "facts" => object([
                ("project", case.world.workspace().into()),
                ("milestone", case.milestone().unwrap_or_default().into()),
                ("now", case.now.into()),
            ]),
            _ => Value::Null,
        }
    }
}

fn effect(effect: &Effect) -> Value {
    let (path, zone, program) = match &effect.kind {
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. } => (place.path.as_str(), place.zone.name(), ""),
        EffectKind::Exec { program, .. } => ("", "", program.as_str()),
        _ => ("", "", ""),
    };
    object([
        ("kind", effect.kind.name().into()),
        ("path", path.into()),
        ("zone", zone.into()),
        ("program", program.into()),
    ])
}
