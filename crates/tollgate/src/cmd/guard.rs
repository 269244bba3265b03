//! An agent other than Claude Code on this machine: what guards it, what is registered, and what works against it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use tollgate_agents::install::claude::Registration;
use tollgate_agents::install::claude::canary::Command;
use tollgate_agents::install::claude::settings::Scope;
use tollgate_agents::install::detect::is_executable;
use tollgate_agents::install::setup::{Content, Piece, SETUPS, Setup};
use tollgate_agents::install::{Backups, Doc, Plan, codex, registration};
use tollgate_agents::{Profile, Proof, Version, adapter};
use tollgate_model::Agent;
use tollgate_model::json::Value;

use super::canary::Stage;
use super::init::adopt;
use crate::out;
use crate::report::{Line, heading, tilde};

/// An agent, found or named.
#[derive(Clone, Copy)]
pub struct Guard<'a> {
    stage: &'a Stage,
    /// How it is guarded.
    pub setup: &'static Setup,
    /// What is known of it.
    pub profile: &'static Profile,
}

/// What is to be done for an agent.
pub struct GuardJob<'a> {
    /// Which.
    pub guard: Guard<'a>,
    scope: Scope,
    plans: Vec<Plan>,
    /// Other people's hooks that stay outside, when they are to be taken over.
    outside: Vec<String>,
}

impl<'a> Guard<'a> {
    /// The agent of a setup. Every setup has an adapter, which is a test of the table.
    pub fn new(stage: &'a Stage, setup: &'static Setup) -> Self {
        let generic = &tollgate_agents::generic::GENERIC;
        let adapter = adapter(setup.agent.name()).unwrap_or(generic);
        Self { stage, setup, profile: adapter.profile() }
    }

    /// Every agent that is registered with, and the command that it starts.
    pub fn registered(stage: &'a Stage) -> Vec<(Self, Command)> {
        let mut all = Vec::new();
        for setup in SETUPS {
            for scope in SCOPES {
                let words = setup.registered(&stage.roots(), scope);
                all.extend(words.and_then(command).map(|command| (Self::new(stage, setup), command)));
            }
        }
        all
    }

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        self.setup.agent.name()
    }

    /// Its name for people, with what the adapter is about.
    pub fn title(&self) -> String {
        match (self.profile.proof, self.profile.version) {
            (Proof::Unverified, _) => format!("{} (unverified adapter)", self.profile.title),
            (_, tested) => match self.version() {
                Some(version) => format!("{} {version} (tested with {tested})", self.profile.title),
                None => format!("{} (tested with {tested})", self.profile.title),
            },
        }
    }

    /// Every file of this agent's that `init` could have written to.
    pub fn all_pieces(&self, registration: &Registration, scopes: &[Scope], anywhere: bool) -> Vec<Piece> {
        let roots = self.stage.roots();
        let of = |scope: &Scope| self.setup.pieces(registration, &roots, *scope).unwrap_or_default();
        let mut pieces: Vec<Piece> = scopes.iter().flat_map(of).collect();
        if !anywhere {
            pieces.extend(self.adopted_from(&pieces, false));
            return pieces;
        }
        // From anywhere: the backups know where. The file's name tells what is in it.
        let written = Backups::in_state(&self.stage.dirs.state).all();
        for manifest in written.iter().filter(|manifest| manifest.agent == self.name()) {
            let like =
                pieces.iter().find(|piece| piece.path.file_name() == manifest.path.file_name()).cloned();
            if pieces.iter().all(|piece| piece.path != manifest.path) {
                pieces.extend(like.map(|like| Piece { path: manifest.path.clone(), ..like }));
            }
        }
        pieces.extend(self.adopted_from(&pieces, true));
        pieces
    }

    /// Files with nothing of ours in them that hooks were taken from: beside these pieces, or anywhere.
    fn adopted_from(&self, pieces: &[Piece], anywhere: bool) -> Vec<Piece> {
        let written = Backups::in_state(&self.stage.dirs.state).all().into_iter();
        let taken = written.filter(|manifest| manifest.agent == self.name() && !manifest.adopted.is_empty());
        let is_piece = |path: &Path| pieces.iter().any(|piece| piece.path == path);
        let is_near = |path: &Path| pieces.iter().any(|piece| piece.path.parent() == path.parent());
        let others = taken.map(|manifest| manifest.path).filter(|path| !is_piece(path));
        others.filter(|path| anywhere || is_near(path)).map(|path| self.setup.neighbour(path)).collect()
    }

    /// Is it registered, current, and heard? Nothing when the agent is neither here nor guarded.
    pub fn lines(&self) -> Vec<Line> {
        let here = self.stage.agents().iter().any(|agent| agent.agent == self.name());
        let scopes: Vec<Scope> = SCOPES
            .into_iter()
            .filter(|scope| self.setup.registered(&self.stage.roots(), *scope).is_some())
            .collect();
        if scopes.is_empty() {
            let init = format!("tollgate init --agent {}", self.name());
            let what = match self.profile.proof {
                Proof::Unverified => "found, but not guarded; its adapter is unverified",
                _ => "found, but not guarded",
            };
            if self.is_half_there() {
                let what = format!(
                    "the gate is not registered for `{}`, the event that decides",
                    self.setup.decides
                );
                return vec![Line::red(what, init)];
            }
            return if here { vec![Line::yellow(what, init)] } else { Vec::new() };
        }
        let mut lines: Vec<Line> =
            self.version().map(|version| version_lines(self.profile, version)).unwrap_or_default();
        lines.extend(scopes.iter().flat_map(|scope| self.scope_lines(*scope)));
        if self.profile.proof == Proof::Unverified {
            lines.push(Line::yellow(
                "unverified: this adapter was written from documentation and never run against the agent",
                "watch a call being refused before you rely on it",
            ));
        }
        lines
    }

    /// What the program on this machine says of itself.
    fn version(&self) -> Option<Version> {
        let found = self.stage.agents().into_iter().find(|agent| agent.agent == self.name());
        found.and_then(|agent| agent.program).and_then(|program| self.stage.version(&program))
    }

    /// Does a file of the agent's name the gate, although it is not asked about calls?
    fn is_half_there(&self) -> bool {
        let files = SCOPES.iter().filter_map(|scope| self.setup.file(&self.stage.roots(), *scope));
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
        texts.any(|text| text.contains(&format!("tollgate hook {}", self.name())))
    }

    fn scope_lines(&self, scope: Scope) -> Vec<Line> {
        let roots = self.stage.roots();
        let init = format!("tollgate init --agent {} --scope {}", self.name(), scope.name());
        let Some(command) = self.setup.registered(&roots, scope).and_then(command) else { return Vec::new() };
        let option = |name: &str| command.option(name).unwrap_or_default().to_owned();
        let registration = Registration {
            command: command.program.clone(),
            config: option("--config"),
            state: option("--state"),
        };
        let pieces = match self.setup.pieces(&registration, &roots, scope) {
            Ok(pieces) => pieces,
            Err(error) => return vec![Line::red(error.to_string(), init)],
        };
        let mut lines: Vec<Line> = pieces.iter().map(|piece| self.piece_line(piece, &init)).collect();
        if !is_executable(Path::new(&command.program)) {
            lines.push(Line::red(format!("`{}` is not there or cannot be started", command.program), init));
        }
        lines.extend(self.silent_failures(&pieces));
        lines
    }

    fn piece_line(&self, piece: &Piece, init: &str) -> Line {
        let path = tilde(&piece.path, &self.stage.dirs.home);
        match piece.plan(&self.stage.dirs.state) {
            Ok(plan) if plan.status.is_current() => Line::green(match &piece.content {
                Content::Entries(entries) => format!("registered for {} events in {path}", entries.len()),
                Content::Whole(_) => format!("{path} is as this version writes it"),
                Content::Tables(_) => format!("the hooks are trusted in {path}"),
            }),
            Ok(_) if matches!(piece.content, Content::Tables(_)) => {
                let what = format!("the hooks are not trusted in {path}: the agent skips them in silence");
                Line::red(what, init)
            }
            Ok(_) => Line::yellow(format!("{path} is not as this version writes it"), init),
            Err(error) => Line::red(error.to_string(), init),
        }
    }

    /// What makes this agent skip the gate without a word.
    fn silent_failures(&self, pieces: &[Piece]) -> Vec<Line> {
        let mut lines = Vec::new();
        for piece in pieces {
            let Ok(text) = std::fs::read_to_string(&piece.path) else { continue };
            let found = match (&piece.content, self.setup.agent) {
                (Content::Tables(tables), _) => codex::weakness(&text, tables),
                (_, Agent::GeminiCli) => gemini_weakness(&text),
                (_, Agent::QwenCode | Agent::CopilotCli) => switched_off(&text),
                (_, Agent::Cursor) => self.cursor_weakness(&text),
                _ => None,
            };
            let path = tilde(&piece.path, &self.stage.dirs.home);
            lines.extend(found.map(|what| Line::red(what, format!("correct {path}"))));
        }
        let others = self.switch_files().into_iter();
        for file in others.filter(|file| pieces.iter().all(|piece| piece.path != *file)) {
            let text = std::fs::read_to_string(&file).ok();
            let found = text.and_then(|text| match self.setup.agent {
                Agent::GeminiCli => gemini_weakness(&text),
                _ => switched_off(&text),
            });
            lines.extend(found.map(|what| Line::red(what, format!("correct {}", file.display()))));
        }
        if self.setup.agent == Agent::GeminiCli {
            lines.extend(self.gemini_trust());
        }
        if self.setup.agent == Agent::Cline {
            let bare = |piece: &&Piece| piece.path.is_file() && !is_executable(&piece.path);
            lines.extend(pieces.iter().filter(bare).map(|piece| {
                let path = tilde(&piece.path, &self.stage.dirs.home);
                Line::red(
                    format!("{path} is not executable, and is skipped without a word"),
                    format!("chmod +x {path}"),
                )
            }));
        }
        lines
    }

    /// Files beside those that the gate is registered in, which can switch it off all the same.
    fn switch_files(&self) -> Vec<PathBuf> {
        let (home, project) = (&self.stage.dirs.home, &self.stage.places.project);
        let both = |file: &str| [home.join(file), project.join(file)];
        match self.setup.agent {
            Agent::GeminiCli => {
                [&both(".gemini/settings.json")[..], &["/etc/gemini-cli/settings.json".into()]].concat()
            }
            Agent::QwenCode => {
                [&both(".qwen/settings.json")[..], &["/etc/qwen-code/settings.json".into()]].concat()
            }
            Agent::CopilotCli => vec![
                home.join(".copilot/settings.json"),
                project.join(".github/copilot/settings.json"),
                project.join(".github/copilot/settings.local.json"),
            ],
            _ => Vec::new(),
        }
    }

    /// One event that Cursor does not know makes it drop the whole file.
    fn cursor_weakness(&self, text: &str) -> Option<String> {
        let settings = Doc::parse(text).ok()?.value();
        let events = settings.get("hooks").and_then(Value::as_map)?;
        let (unknown, _) = events.iter().find(|(event, _)| self.profile.row(event).is_none())?;
        Some(format!("Cursor does not know the event `{unknown}`, and drops the whole file for it"))
    }

    /// In a folder that is not trusted Gemini CLI skips the user's hooks as well.
    fn gemini_trust(&self) -> Option<Line> {
        let folder = self.stage.dirs.home.join(".gemini");
        let settings = value(&folder.join("settings.json"))?;
        let trust = settings.get("security").and_then(|security| security.get("folderTrust"));
        trust.and_then(|trust| trust.get("enabled")).and_then(Value::as_bool).filter(|on| *on)?;
        let trusted = value(&folder.join("trustedFolders.json")).unwrap_or_default();
        let cwd = &self.stage.cwd;
        let known = trusted.as_map().unwrap_or_default().iter();
        let covered = known.filter(|(path, word)| {
            cwd.starts_with(path) && word.as_str().is_some_and(|word| word.starts_with("TRUST"))
        });
        (covered.count() == 0).then(|| {
            let what = "Gemini CLI does not trust this folder, and skips the gate in it without a word";
            Line::yellow(what, "start gemini here and trust the folder")
        })
    }
}

impl<'a> GuardJob<'a> {
    /// Works out what to change.
    pub fn new(
        guard: Guard<'a>,
        registration: &Registration,
        scope: Scope,
        adopt: bool,
    ) -> anyhow::Result<Self> {
        let pieces = guard.setup.pieces(registration, &guard.stage.roots(), scope)?;
        if pieces.is_empty() {
            bail!("{} has no `{}` scope; use `user` or `project`", guard.profile.title, scope.name());
        }
        let (state, roots) = (&guard.stage.dirs.state, guard.stage.roots());
        let project = pieces.first().and_then(|piece| piece.project.clone());
        let known = guard.adopted_from(&pieces, false).into_iter();
        let known = known.map(|piece| Piece { project: project.clone(), ..piece }).collect();
        let neighbours = if adopt { guard.setup.neighbours(&roots, scope) } else { known };
        let plan = |piece: &Piece| if adopt { piece.adopt(state) } else { piece.plan(state) };
        let mut plans = pieces.iter().map(plan).collect::<Result<Vec<_>, _>>()?;
        // After ours: a hook that runs twice for a moment is better than one that does not run.
        for neighbour in neighbours.iter().map(plan) {
            let neighbour = neighbour?;
            plans.extend(
                Some(neighbour).filter(|plan| plan.edited.is_some() || !plan.adoption.left.is_empty()),
            );
        }
        let outside = if adopt { guard.setup.outside(&roots, scope) } else { Vec::new() };
        Ok(Self { guard, scope, plans, outside })
    }

    /// Is there anything to change?
    pub fn changes(&self) -> bool {
        self.plans.iter().any(|plan| plan.edited.is_some())
    }

    /// Tells what would change.
    pub fn show(&self) {
        let home = &self.guard.stage.dirs.home;
        heading(&self.guard.title());
        for plan in &self.plans {
            let state = match (&plan.target.found, &plan.edited) {
                (_, None) => "as it should be",
                (None, Some(_)) => "new file",
                (Some(_), Some(_)) => "edited",
            };
            out::line(&format!("  {}  ({state})", tilde(&plan.target.named, home)));
            if plan.edited.is_some() && plan.target.found.is_some() {
                out::line(&format!("    the old file is kept in {}", tilde(&plan.backup(), home)));
            }
            adopt::show(&plan.adoption);
        }
        self.outside.iter().for_each(|what| out::line(&format!("  = {what}; it stays")));
        if self.changes() {
            out::line(&format!("  + {}", self.guard.setup.events.join(", ")));
        }
        if !self.guard.setup.advice.is_empty() {
            out::line(&format!("    note: {}", self.guard.setup.advice));
        }
        if self.scope == Scope::Project {
            out::line("    note: these paths are of this machine; do not commit the file as it is");
        }
        if self.guard.profile.proof == Proof::Unverified {
            out::line("    unverified: written from documentation, never run against this agent");
        }
    }

    /// Changes it.
    pub fn apply(&self) -> anyhow::Result<()> {
        for plan in &self.plans {
            adopt::apply(plan, self.guard.name(), &self.guard.stage.dirs.config)?;
            plan.apply()?;
        }
        Ok(())
    }

    /// Starts what is now registered, and tells what stands in its way.
    pub fn prove(&self) -> Vec<Line> {
        let words = self.guard.setup.registered(&self.guard.stage.roots(), self.scope);
        let Some(command) = words.and_then(command) else {
            return vec![Line::red("the gate is not registered", "tollgate init")];
        };
        let mut lines = self.guard.scope_lines(self.scope);
        lines.extend(self.guard.stage.prove(self.guard.setup.agent, &command));
        lines
    }
}

/// Was this version of the agent observed, and what is known of it if not?
pub fn version_lines(profile: &Profile, version: Version) -> Vec<Line> {
    let (title, update) = (profile.title, format!("update {}", profile.title));
    let mut lines: Vec<Line> = Vec::new();
    for change in profile.changes_after(version) {
        let what = format!("{title} {version} is older than {}: {}", change.since, change.before);
        lines.push(if change.opens { Line::red(what, &update) } else { Line::yellow(what, &update) });
    }
    if profile.observed(version) {
        lines.push(Line::green(format!("{title} {version} is the version that was observed")));
    } else if profile.proof == Proof::EndToEnd {
        let what =
            format!("{title} {version} was never observed; the adapter was proven with {}", profile.version);
        let fix = "let it try `tollgate uninstall --dry-run` once, which must be refused";
        lines.push(Line::yellow(what, fix));
    }
    lines
}

const SCOPES: [Scope; 2] = [Scope::User, Scope::Project];

fn command(words: Vec<String>) -> Option<Command> {
    let mut words = words.into_iter();
    let program = words.next()?;
    Some(Command { program, args: words.collect(), timeout: Duration::from_secs(60) })
}

fn gemini_weakness(text: &str) -> Option<String> {
    let settings = Doc::parse(text).ok()?.value();
    let config = settings.get("hooksConfig")?;
    if config.get("enabled").and_then(Value::as_bool) == Some(false) {
        return Some("`hooksConfig.enabled: false` switches all hooks off".to_owned());
    }
    let disabled = config.get("disabled").and_then(Value::as_list).unwrap_or_default();
    let ours = disabled.iter().filter_map(Value::as_str).map(registration::words);
    let mut ours = ours.filter(|words| words.iter().any(|word| word.ends_with("tollgate")));
    ours.next().map(|_| "`hooksConfig.disabled` names the gate".to_owned())
}

fn switched_off(text: &str) -> Option<String> {
    let off = Doc::parse(text).ok()?.value().get("disableAllHooks").and_then(Value::as_bool) == Some(true);
    off.then(|| "`disableAllHooks` switches all hooks off".to_owned())
}

fn value(path: &PathBuf) -> Option<Value> {
    Some(Doc::parse(&std::fs::read_to_string(path).ok()?).ok()?.value())
}
