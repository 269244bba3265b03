//! Claude Code's part of `init`.

use std::path::Path;

use anyhow::bail;
use tollgate_agents::install::claude::canary::Command;
use tollgate_agents::install::claude::repair::repair;
use tollgate_agents::install::claude::settings::{Layer, Scope};
use tollgate_agents::install::claude::validity::{Loss, Problem, problems};
use tollgate_agents::install::claude::{
    EVENTS, EXEC_FORM_SINCE, Hooked, ON_FAILURE_SINCE, Registration, Version, is_ours, reading,
};
use tollgate_agents::install::{Adopt, Doc, Plan, Site};
use tollgate_model::Agent;
use tollgate_model::json::Value;

use super::adopt;
use crate::cmd::canary::Stage;
use crate::out;
use crate::report::{Line, heading, tilde};

/// What is to be done for Claude Code.
pub struct ClaudeJob<'a> {
    stage: &'a Stage,
    version: Option<Version>,
    registration: &'a Registration,
    scope: Scope,
    plan: Plan,
    /// Other people's hooks in the settings that are not edited, when hooks are to be taken over.
    elsewhere: Vec<String>,
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
            stage.claude().and_then(|claude| claude.program).and_then(|program| stage.version(&program));
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
            repair: Some(repair),
        };
        let project = (scope != Scope::User).then(|| stage.places.project.clone());
        let reading = reading(project);
        let elsewhere = if adopt { hooks_elsewhere(stage, scope) } else { Vec::new() };
        let adopt = if adopt { Adopt::Now(reading) } else { Adopt::Again(reading) };
        let plan = Plan::install(site, &registration.entries(), &adopt)?;
        Ok(Self { stage, version, registration, scope, plan, elsewhere })
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
            self.show_elsewhere();
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
        for change in &self.plan.repairs {
            out::line(&format!("  ~ {change}"));
        }
        if !self.plan.repairs.is_empty() {
            out::line(
                "    Claude Code does not read these entries as they stand; `uninstall` puts them back",
            );
        }
        for problem in self.unread() {
            out::line(&format!("  ! {problem}; {}", consequence(problem.loss)));
        }
        adopt::show(&self.plan.adoption);
        self.show_elsewhere();
        match status.others {
            _ if !self.plan.adoption.taken.is_empty() || !self.plan.adoption.left.is_empty() => {}
            0 => {}
            1 => out::line("  = 1 hook of yours stays as it is"),
            others => out::line(&format!("  = {others} hooks of yours stay as they are")),
        }
    }

    fn show_elsewhere(&self) {
        self.elsewhere.iter().for_each(|hook| out::line(&format!("  = {hook}; it stays")));
    }

    /// What Claude Code still does not read once the plan is carried out.
    fn unread(&self) -> Vec<Problem> {
        let text = self.plan.edited.as_ref().map(|edited| edited.text.as_str()).unwrap_or_default();
        Doc::parse(text).map(|doc| problems(&doc.value())).unwrap_or_default()
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
            match layer.skipped_by(self.version) {
                Some(why) if layer.path == self.plan.target.named => {
                    lines.push(Line::red(why, "take it out of the file, then: tollgate doctor"));
                }
                Some(why) => lines.push(Line::yellow(why, repair_advice(&layer))),
                None => {}
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

/// What to do about a settings file that Claude Code does not read in full.
pub fn repair_advice(layer: &Layer) -> String {
    let rest =
        repair(&layer.text).ok().filter(|repaired| !repaired.changes.is_empty()).and_then(|repaired| {
            let doc = Doc::parse(&repaired.text).ok()?;
            Some(problems(&doc.value()))
        });
    match rest {
        Some(rest) if rest.is_empty() && layer.scope != Scope::Managed => {
            format!("tollgate init --scope {}", layer.scope.name())
        }
        _ => "take it out of the file, or correct it".to_owned(),
    }
}

fn consequence(loss: Loss) -> &'static str {
    match loss {
        Loss::File => "correct it: Claude Code skips the whole file",
        Loss::Entry => "Claude Code drops it",
    }
}

/// The hooks in settings of other scopes, each with where it is.
fn hooks_elsewhere(stage: &Stage, scope: Scope) -> Vec<String> {
    let mut lines = Vec::new();
    for layer in stage.places.layers().iter().filter(|layer| layer.scope != scope) {
        let file = tilde(&layer.path, &stage.dirs.home);
        let why = match layer.scope {
            Scope::Managed => "which only an administrator changes".to_owned(),
            other => format!("to take it over: tollgate init --adopt --scope {}", other.name()),
        };
        lines.extend(hooks_in(layer).into_iter().map(|hook| format!("{hook} is in {file}, {why}")));
    }
    lines
}

/// Other people's hooks in a settings file, in any form in which people write them.
fn hooks_in(layer: &Layer) -> Vec<String> {
    let text = repair(&layer.text).map_or_else(|_| layer.text.clone(), |repaired| repaired.text);
    let Ok(doc) = Doc::parse(&text) else { return Vec::new() };
    let settings = doc.value();
    let events = settings.get("hooks").and_then(Value::as_map).unwrap_or_default();
    let mut found = Vec::new();
    for (event, groups) in events {
        let groups = groups.as_list().unwrap_or_default().iter();
        let handlers =
            groups.flat_map(|group| group.get("hooks").and_then(Value::as_list).unwrap_or_default());
        let others = handlers.filter(|handler| !is_ours(handler));
        found.extend(others.map(|handler| {
            let keys = ["command", "prompt", "url", "tool"];
            let what = keys.iter().find_map(|key| handler.text(key)).unwrap_or_default();
            let what: String = what.chars().take(60).collect();
            format!("{event}: `{what}`")
        }));
    }
    found
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
