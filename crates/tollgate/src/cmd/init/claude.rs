//! Claude Code's part of `init`.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use tollgate_agents::install::claude::canary::Command;
use tollgate_agents::install::claude::settings::{Layer, Scope};
use tollgate_agents::install::claude::{
    EVENTS, EXEC_FORM_SINCE, Hooked, ON_FAILURE_SINCE, Registration, Version, is_ours, reading,
};
use tollgate_agents::install::{Adopt, Plan, Site};
use tollgate_model::Agent;

use super::adopt;
use crate::cmd::canary::Stage;
use crate::report::{Line, heading, tilde};
use crate::{out, program};

/// What is to be done for Claude Code.
pub struct ClaudeJob<'a> {
    stage: &'a Stage,
    version: Option<Version>,
    registration: &'a Registration,
    scope: Scope,
    plan: Plan,
}

impl<'a> ClaudeJob<'a> {
    /// Works out what to change.
    pub fn new(
        stage: &'a Stage,
        registration: &'a Registration,
        scope: Scope,
        adopt: bool,
    ) -> anyhow::Result<Self> {
        let version =
            stage.claude().and_then(|claude| claude.program).and_then(|program| agent_version(&program));
        if let Some(version) = version.filter(|version| *version < EXEC_FORM_SINCE) {
            bail!(
                "Claude Code {version} is too old: it starts hooks only through a shell; type `claude update` to get {EXEC_FORM_SINCE} or newer"
            );
        }
        let settings = stage.places.file(scope);
        let site = Site {
            agent: "claude-code",
            settings: &settings,
            state: &stage.dirs.state,
            ours: is_ours,
            blank: "",
        };
        let adopt = if adopt { Adopt::Now(reading()) } else { Adopt::Again(reading()) };
        let plan = Plan::install(site, &registration.entries(), &adopt)?;
        Ok(Self { stage, version, registration, scope, plan })
    }

    /// Is there anything to change?
    pub fn changes(&self) -> bool {
        self.plan.edited.is_some()
    }

    /// Tells what would change.
    pub fn show(&self) {
        let version = self.version.map_or(String::new(), |version| format!(" {version}"));
        heading(&format!("Claude Code{version}"));
        self.show_settings();
    }

    fn show_settings(&self) {
        let home = &self.stage.dirs.home;
        let target = &self.plan.target;
        let link =
            if target.is_linked() { format!(" -> {}", tilde(&target.real, home)) } else { String::new() };
        let state = match (&target.found, &self.plan.edited) {
            (_, None) => "as it should be",
            (None, Some(_)) => "new file",
            (Some(_), Some(_)) => "edited",
        };
        out::line(&format!("  {}{link}  ({state})", tilde(&target.named, home)));
        if self.plan.edited.is_none() {
            return;
        }
        let blocking: Vec<&str> =
            EVENTS.iter().filter(|hooked| hooked.blocks).map(|hooked| hooked.event).collect();
        out::line(&format!("  + {}  (no answer: the call is blocked)", blocking.join(", ")));
        for line in wrapped(EVENTS.iter().filter(|hooked| !hooked.blocks)) {
            out::line(&format!("  + {line}"));
        }
        out::line(&format!(
            "    each runs {} hook claude-code EVENT",
            tilde(Path::new(&self.registration.command), home)
        ));
        out::line(&format!(
            "      --config {} --state {}",
            tilde(&self.stage.dirs.config, home),
            tilde(&self.stage.dirs.state, home)
        ));
        self.show_neighbours();
        if target.found.is_some() {
            out::line(&format!("    the old file is kept in {}", tilde(&self.plan.backup(), home)));
        }
        if self.scope == Scope::Project {
            out::line("    note: these paths are of this machine; do not commit the file as it is");
        }
    }

    fn show_neighbours(&self) {
        let status = &self.plan.status;
        if !status.stale.is_empty() {
            out::line(&format!(
                "  ~ {} of Tollgate's own entries are brought up to date",
                status.stale.len()
            ));
        }
        adopt::show(&self.plan.adoption);
        match status.others {
            _ if !self.plan.adoption.taken.is_empty() || !self.plan.adoption.left.is_empty() => {}
            0 => {}
            1 => out::line("  = 1 hook of yours stays as it is"),
            others => out::line(&format!("  = {others} hooks of yours stay as they are")),
        }
    }

    /// Changes it.
    pub fn apply(&self) -> anyhow::Result<()> {
        adopt::apply(&self.plan, "claude-code", &self.stage.dirs.config)?;
        Ok(self.plan.apply()?)
    }

    /// Starts what is now in the settings file, and tells what stands in its way.
    pub fn prove(&self, live: bool) -> Vec<Line> {
        let settings = self.plan.target.named.as_path();
        let layer = Layer::read(self.scope, settings);
        let command = layer.as_ref().and_then(|layer| Command::registered(&layer.value));
        let Some(command) = command else {
            return vec![Line::red(format!("the gate is not in `{}`", settings.display()), "tollgate init")];
        };
        let mut lines = vec![Line::green(format!("registered for {} events", EVENTS.len()))];
        lines.extend(self.stage.prove(Agent::ClaudeCode, &command));
        lines.extend(self.obstacles());
        if live {
            lines.push(self.stage.prove_live(&command));
        }
        lines
    }

    fn obstacles(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for layer in self.stage.places.layers() {
            if let Some(why) = layer.ignored.as_ref().filter(|_| layer.path == self.plan.target.named) {
                lines.push(Line::red(why.clone(), "take it out of the file, then: tollgate doctor"));
            }
            if let Some(key) = layer.switches_off() {
                let what = format!("`{key}` in {} switches hooks off", layer.path.display());
                lines.push(Line::red(what, format!("take `{key}` out of that file")));
            }
        }
        if let Some(version) = self.version.filter(|version| *version < ON_FAILURE_SINCE) {
            let what = format!(
                "Claude Code {version} lets a call pass when a hook crashes; {ON_FAILURE_SINCE} does not"
            );
            lines.push(Line::yellow(what, "claude update"));
        }
        lines
    }
}

/// The version of an installed Claude Code. None when it does not say.
pub fn agent_version(program: &Path) -> Option<Version> {
    let mut agent = std::process::Command::new(program);
    let ran = program::run(agent.arg("--version"), b"", Duration::from_secs(10)).ok()??;
    Version::read(&ran.stdout)
}

/// Event names, as many as fit on a line.
fn wrapped<'a>(events: impl Iterator<Item = &'a Hooked>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for hooked in events {
        match lines.last_mut() {
            Some(line) if line.len() + hooked.event.len() < 90 => {
                line.push_str(", ");
                line.push_str(hooked.event);
            }
            _ => lines.push(hooked.event.to_owned()),
        }
    }
    lines
}
