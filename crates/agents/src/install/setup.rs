//! Where each agent keeps its hooks, which of its events are hooked, and in which form. Claude Code's own rules are in
//! `claude`; this is everybody else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tollgate_model::json::{Value, object, write};
use tollgate_model::{Agent, Phase};

use super::adopt::Reading;
use super::claude::settings::Scope;
use super::codex;
use super::doc::Doc;
use super::edit::{Entry, insert};
use super::file::read_any;
use super::plan::{Adopt, InstallError, OWN_MARK, Plan, Removal, Site};
use super::registration::{Registration, gate_words, runs_gate};
use super::setups;
use super::shim;
use super::strip::strip;
use super::toml::Table;
use crate::Profile;

pub use setups::TABLE as SETUPS;

/// How one agent is guarded.
#[derive(Debug)]
pub struct Setup {
    /// Which agent.
    pub agent: Agent,
    /// The event at which a call waits for the gate, and which proves it.
    pub decides: &'static str,
    /// How long the agent waits for an answer that decides, in its own unit; zero where it is not told.
    pub(super) patience: u64,
    /// After how many seconds it waits no longer, whatever it is told.
    pub(super) most: u64,
    /// The events that are hooked.
    pub events: &'static [&'static str],
    /// What a person still has to do, or should know.
    pub advice: &'static str,
    pub(super) user: Place,
    pub(super) project: &'static str,
    pub(super) form: Form,
}

/// A directory of the user's.
#[derive(Debug)]
pub(super) struct Place {
    /// The variable that moves it.
    pub(super) moved: &'static str,
    /// Under the variable.
    pub(super) below: &'static str,
    /// Under the home.
    pub(super) home: &'static str,
    pub(super) file: &'static str,
}

/// How the hooks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `{"hooks": {EVENT: [{"hooks": [handler]}]}}` in a file that others use too; the time-out in seconds.
    Groups,
    /// The same, with the time-out in milliseconds.
    GroupsMillis,
    /// The same, started without a shell.
    GroupsExec,
    /// `{"hooks": {EVENT: [handler]}}` in a file that others use too.
    Flat,
    /// A file of Copilot's that is all ours.
    Copilot,
    /// A file of Kiro's that is all ours.
    Kiro,
    /// A plug-in.
    Plugin,
    /// One program per event, named after it.
    Scripts,
}

/// What the directories are.
#[derive(Clone, Copy)]
pub struct Roots<'a> {
    /// The user's home.
    pub home: &'a Path,
    /// The project.
    pub project: &'a Path,
    /// The environment of the person, by name.
    pub env: &'a dyn Fn(&str) -> Option<PathBuf>,
}

/// One file that is to be written or cleaned.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Which agent's.
    pub agent: Agent,
    /// Where.
    pub path: PathBuf,
    /// What goes in.
    pub content: Content,
    /// The project whose settings it is; none for the user's own.
    pub project: Option<PathBuf>,
}

/// What goes into a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// Entries beside other people's.
    Entries(Vec<Entry>),
    /// All of it.
    Whole(String),
    /// Tables at the end of a TOML file.
    Tables(Vec<Table>),
}

impl Setup {
    /// The setup of an agent; none for Claude Code and for hosts that install the gate themselves.
    #[must_use]
    pub fn of(agent: &str) -> Option<&'static Self> {
        setups::TABLE.iter().find(|setup| setup.agent.name() == agent)
    }

    /// The file that holds the hooks in a scope; none where the agent has no such scope.
    #[must_use]
    pub fn file(&self, roots: &Roots, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::User => {
                let named = Some(self.user.moved).filter(|name| !name.is_empty());
                let moved = named.and_then(roots.env).filter(|dir| dir.is_absolute());
                let dir = moved.map(|dir| dir.join(self.user.below));
                Some(dir.unwrap_or_else(|| roots.home.join(self.user.home)).join(self.user.file))
            }
            Scope::Project => Some(roots.project.join(self.project)),
            Scope::Local | Scope::Managed => None,
        }
    }

    /// How long the agent waits for the answer to an event. One that is not registered here was registered by
    /// somebody else, with a time that nobody knows.
    #[must_use]
    pub fn patience(&self, event: &str) -> Duration {
        let told = match self.timeout(event) {
            _ if !self.events.contains(&event) => setups::SHORTEST,
            0 => self.most,
            told if self.in_millis() => told / 1000,
            told => told,
        };
        Duration::from_secs(told.min(self.most))
    }

    /// The files of the user's and the project's hooks, for people.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        let user = format!("~/{}/{}", self.user.home, self.user.file);
        let all = if self.form == Form::Scripts { "/EVENT" } else { "" };
        (format!("{user}{all}"), format!("{}{all}", self.project))
    }

    /// Every file that guarding this agent in a scope touches.
    ///
    /// # Errors
    /// When a file that is there cannot be understood.
    pub fn pieces(
        &self,
        registration: &Registration,
        roots: &Roots,
        scope: Scope,
    ) -> Result<Vec<Piece>, InstallError> {
        let Some(path) = self.file(roots, scope) else { return Ok(Vec::new()) };
        let project = (scope == Scope::Project).then(|| roots.project.to_owned());
        let piece =
            |path: PathBuf, content| Piece { agent: self.agent, path, content, project: project.clone() };
        Ok(match self.form {
            Form::Groups | Form::GroupsMillis | Form::GroupsExec | Form::Flat => {
                let entries = self.entries(registration);
                let trust = self.trust(&path, &entries)?;
                let mut pieces = vec![piece(path, Content::Entries(entries))];
                pieces.extend(trust.map(|(path, tables)| piece(path, Content::Tables(tables))));
                pieces
            }
            Form::Copilot => vec![piece(path, Content::Whole(self.copilot(registration)))],
            Form::Kiro => vec![piece(path, Content::Whole(self.kiro(registration)))],
            Form::Plugin if self.agent == Agent::Amp => {
                vec![piece(path, Content::Whole(shim::amp(registration)))]
            }
            Form::Plugin => {
                vec![piece(path, Content::Whole(shim::opencode(registration, self.agent.name())))]
            }
            Form::Scripts => {
                let script =
                    |event: &&str| piece(path.join(event), Content::Whole(self.script(registration, event)));
                self.events.iter().map(script).collect()
            }
        })
    }

    /// The words that the agent would start for the event that decides, as the file has them.
    #[must_use]
    pub fn registered(&self, roots: &Roots, scope: Scope) -> Option<Vec<String>> {
        let path = self.file(roots, scope)?;
        let path = if self.form == Form::Scripts { path.join(self.decides) } else { path };
        let text = String::from_utf8(read_any(&path).ok()??).ok()?;
        match self.form {
            Form::Plugin => shim::words(&text, self.decides),
            Form::Scripts => {
                let line =
                    |line| ["set -- ", "exec "].iter().find_map(|start| str::strip_prefix(line, start));
                Some(super::registration::words(text.lines().find_map(line)?))
            }
            _ => {
                let settings = Doc::parse(&text).ok()?.value();
                if self.form == Form::Kiro {
                    let hooks = settings.get("hooks").and_then(Value::as_list)?;
                    return hooks.iter().find_map(|hook| gate_words(hook.get("action")?));
                }
                super::status::ours_in(&settings, self.decides, runs_gate)
                    .find_map(|(_, handler)| gate_words(handler))
            }
        }
    }

    fn entries(&self, registration: &Registration) -> Vec<Entry> {
        let entry =
            |event: &&str| Entry { event: (*event).to_owned(), group: self.group(registration, event) };
        self.events.iter().map(entry).collect()
    }

    fn group(&self, registration: &Registration, event: &str) -> Value {
        let agent = self.agent.name();
        let line = || self.line(registration, event);
        let group = |handler: Value| object([("hooks", Value::List(vec![handler]))]);
        let handler = |timeout: u64| {
            object([("type", "command".into()), ("command", line().into()), ("timeout", timeout.into())])
        };
        let timeout = self.timeout(event);
        match self.form {
            Form::Groups | Form::GroupsMillis => group(handler(timeout)),
            Form::GroupsExec => {
                let words = registration.words(agent, event, self.waits(event));
                let mut words = words.into_iter().map(Value::from);
                group(object([
                    ("type", "command".into()),
                    ("command", words.next().unwrap_or_default()),
                    ("args", Value::List(words.collect())),
                    ("timeout", timeout.into()),
                ]))
            }
            _ if self.agent == Agent::Windsurf => {
                object([("command", line().into()), ("show_output", true.into())])
            }
            _ => {
                let mut members =
                    vec![("command".to_owned(), line().into()), ("timeout".to_owned(), timeout.into())];
                let closed = matches!(event, "preToolUse" | "beforeShellExecution");
                members.extend(closed.then(|| ("failClosed".to_owned(), true.into())));
                Value::Map(members)
            }
        }
    }

    /// What a shell is given for an event.
    fn line(&self, registration: &Registration, event: &str) -> String {
        let name = self.agent.name();
        if self.waits(event) { registration.closed_line(name, event) } else { registration.line(name, event) }
    }

    /// Does a call wait for the answer?
    fn waits(&self, event: &str) -> bool {
        self.phase(event).is_some_and(Phase::is_safety)
    }

    /// How long the agent is told to wait, in its own unit.
    fn timeout(&self, event: &str) -> u64 {
        let unit = if self.in_millis() { 1000 } else { 1 };
        match self.phase(event) {
            Some(phase) if phase.is_safety() => self.patience,
            Some(Phase::SessionEnd) if self.form == Form::Groups => AT_THE_END,
            _ if event == "Interrupt" => AT_THE_END,
            Some(Phase::Stop | Phase::SubagentStop) => AT_A_STOP * unit,
            _ => TIMEOUT * unit,
        }
    }

    fn in_millis(&self) -> bool {
        matches!(self.form, Form::GroupsMillis | Form::GroupsExec)
    }

    fn phase(&self, event: &str) -> Option<Phase> {
        profile_of(self.agent.name()).and_then(|profile| profile.row(event)).map(|row| row.phase)
    }

    /// What makes Codex run the hooks that the file will hold once the entries are in it.
    fn trust(&self, path: &Path, entries: &[Entry]) -> Result<Option<(PathBuf, Vec<Table>)>, InstallError> {
        if self.agent != Agent::Codex {
            return Ok(None);
        }
        let failed = |error| InstallError::Edit { path: path.to_owned(), error };
        let text = read_any(path).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
        let base = strip(text.as_deref().unwrap_or(""), &runs_gate, None).map_err(failed)?;
        let wanted = insert(&base, entries).map_err(failed)?;
        let settings = Doc::parse(&wanted.text).map_err(failed)?.value();
        let config = path.with_file_name("config.toml");
        Ok(Some((config, codex::trust(path, &settings))))
    }

    fn copilot(&self, registration: &Registration) -> String {
        let entry = |event: &&str| {
            let (line, timeout) = (self.line(registration, event), self.timeout(event));
            let handler =
                object([("type", "command".into()), ("bash", line.into()), ("timeoutSec", timeout.into())]);
            ((*event).to_owned(), Value::List(vec![handler]))
        };
        let hooks = Value::Map(self.events.iter().map(entry).collect());
        pretty(&object([("version", 1.into()), ("description", own_note().into()), ("hooks", hooks)]))
    }

    fn kiro(&self, registration: &Registration) -> String {
        let hook = |event: &&str| {
            let command = self.line(registration, event);
            object([
                ("name", format!("tollgate-{event}").into()),
                ("description", own_note().into()),
                ("trigger", (*event).into()),
                ("action", object([("type", "command".into()), ("command", command.into())])),
                ("timeout", self.timeout(event).into()),
            ])
        };
        let hooks = Value::List(self.events.iter().map(hook).collect());
        pretty(&object([("version", "v1".into()), ("hooks", hooks)]))
    }

    /// Exit codes mean nothing to Cline, so a gate that fails is answered for in words.
    fn script(&self, registration: &Registration, event: &str) -> String {
        let line = registration.line(self.agent.name(), event);
        let start = format!("#!/bin/sh\n# {}\n", own_note());
        if self.waits(event) {
            format!("{start}set -- {line}\n{CLINE_GUARD}")
        } else {
            format!("{start}exec {line}\n")
        }
    }
}

impl Piece {
    /// Works out how to write it.
    ///
    /// # Errors
    /// When the file cannot be edited safely.
    pub fn plan(&self, state: &Path) -> Result<Plan, InstallError> {
        self.plan_with(state, self.reading().map_or(Adopt::Never, Adopt::Again))
    }

    /// Works out how to write it and to take other people's hooks over.
    ///
    /// # Errors
    /// When the file cannot be edited safely.
    pub fn adopt(&self, state: &Path) -> Result<Plan, InstallError> {
        self.plan_with(state, self.reading().map_or(Adopt::Never, Adopt::Now))
    }

    fn plan_with(&self, state: &Path, adopt: Adopt) -> Result<Plan, InstallError> {
        match &self.content {
            Content::Entries(entries) => Plan::install(self.site(state), entries, &adopt),
            Content::Whole(text) => Plan::whole(self.site(state), text),
            Content::Tables(tables) => Plan::tables(self.site(state), tables),
        }
    }

    fn reading(&self) -> Option<Reading> {
        let mut reading = Setup::of(self.agent.name()).and_then(|setup| setup.reading(&self.path))?;
        reading.ways.project.clone_from(&self.project);
        Some(reading)
    }

    /// Works out how to get it out again.
    ///
    /// # Errors
    /// When the file cannot be edited safely.
    pub fn removal(&self, state: &Path) -> Result<Removal, InstallError> {
        match &self.content {
            Content::Entries(_) => Removal::plan(self.site(state)),
            Content::Whole(_) => Removal::whole(self.site(state)),
            Content::Tables(tables) => Removal::tables(self.site(state), tables),
        }
    }

    /// What a new file holds beside our entries; usually nothing.
    #[must_use]
    pub fn blank(&self) -> &'static str {
        if self.agent == Agent::Cursor { "{\n  \"version\": 1\n}\n" } else { "" }
    }

    fn site<'a>(&'a self, state: &'a Path) -> Site<'a> {
        Site {
            agent: self.agent.name(),
            settings: &self.path,
            state,
            ours: runs_gate,
            blank: self.blank(),
            repair: None,
        }
    }
}

const CLINE_GUARD: &str = r#"if out=$("$@"); then case $out in "{"*"}") printf %s "$out"; exit 0;; esac; fi
echo '{"cancel":true,"errorMessage":"Tollgate gave no answer, so this call does not run; the user can find out more with: tollgate doctor"}'
"#;

pub(super) fn profile_of(agent: &str) -> Option<&'static Profile> {
    crate::adapter(agent).map(|adapter| adapter.profile())
}

/// Seconds until an agent gives up on an answer that decides nothing: more than the gate takes with the longest
/// middleware, so that its own answer always comes first.
pub(super) const TIMEOUT: u64 = 60;

/// The same where an agent waits while it exits.
const AT_THE_END: u64 = 3;

/// The same before an agent stops: a workflow may run the project's tests first.
pub(super) const AT_A_STOP: u64 = 600;

fn own_note() -> String {
    format!("Tollgate's hooks, {OWN_MARK}; changes are lost when it runs again")
}

/// JSON that people can read: one line per member of the two outer objects.
fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out.push('\n');
    out
}
