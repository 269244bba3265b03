//! Claude Code's half of the gate: what its settings register, and what in them works against it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tollgate_agents::Adapter;
use tollgate_agents::claude_code::ClaudeCode;
use tollgate_agents::install::Status;
use tollgate_agents::install::claude::canary::Command;
use tollgate_agents::install::claude::settings::{Layer, Scope};
use tollgate_agents::install::claude::validity::Problem;
use tollgate_agents::install::claude::{
    EVENTS, EXEC_FORM_SINCE, ON_FAILURE_SINCE, Registration, Version, is_ours, weakness,
};
use tollgate_agents::install::detect::{Installed, is_executable};

use crate::cmd::canary::Stage;
use crate::cmd::guard::version_lines;
use crate::cmd::init::repair_advice;
use crate::program;
use crate::report::{Line, tilde};

/// Claude Code on this machine.
pub struct Claude<'a> {
    stage: &'a Stage,
    installed: Option<Installed>,
    version: Option<Version>,
    layers: Vec<Layer>,
}

impl<'a> Claude<'a> {
    /// Looks for it.
    pub fn find(stage: &'a Stage) -> Self {
        let installed = stage.claude();
        let program = installed.as_ref().and_then(|installed| installed.program.as_deref());
        let version = program.and_then(|program| stage.version(program));
        Self { stage, installed, version, layers: stage.places.layers() }
    }

    /// Is it on this machine, or registered with?
    pub fn is_here(&self) -> bool {
        self.installed.is_some()
            || self.stage.places.user.is_dir()
            || self.layers.iter().any(|layer| self.status(layer).ours > 0)
    }

    /// Its name and version.
    pub fn title(&self) -> String {
        let tested = ClaudeCode.profile().version;
        let version = self.version.map_or(String::new(), |version| format!(" {version}"));
        format!("Claude Code{version} (tested with {tested})")
    }

    /// Is the gate registered, and does Claude Code heed it?
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = self.versions();
        if self.layers.iter().all(|layer| self.status(layer).ours == 0) {
            lines.push(self.absent());
        }
        for layer in &self.layers {
            match layer.skipped_by(self.version) {
                // A pipe or a folder: nobody has seen what Claude Code does with it.
                Some(why) if !layer.path.is_file() => lines.push(Line::yellow(why, repair_advice(layer))),
                Some(why) => lines.push(Line::red(why, repair_advice(layer))),
                None if self.status(layer).ours > 0 => lines.extend(self.registration(layer)),
                None => {}
            }
            lines.extend(self.dropped(layer));
        }
        lines.extend(self.layers.iter().flat_map(|layer| self.switches(layer)));
        lines
    }

    /// What would make it safer.
    pub fn advice(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        // The layer that counts most comes last.
        if self.layers.iter().rev().find_map(Layer::sandbox) != Some(true) {
            lines.push(Line::yellow(
                "Claude Code's sandbox is off: a program that runs is not watched by anyone",
                "type `/sandbox` in Claude Code",
            ));
        }
        for layer in self.layers.iter().filter(|layer| layer.bypasses()) {
            lines.push(Line::yellow(
                format!(
                    "sessions start in bypass mode ({}): the gate is the only one that asks",
                    self.path(layer)
                ),
                "take `permissions.defaultMode` out of that file if you did not mean that",
            ));
        }
        lines
    }

    fn versions(&self) -> Vec<Line> {
        match self.version {
            Some(version) if version < EXEC_FORM_SINCE => {
                let what =
                    format!("Claude Code {version} is too old to start the gate; it needs {EXEC_FORM_SINCE}");
                vec![Line::red(what, "claude update")]
            }
            Some(version) if version < ON_FAILURE_SINCE => {
                let what = format!(
                    "Claude Code {version} lets a call pass when a hook crashes; {ON_FAILURE_SINCE} does not"
                );
                vec![Line::yellow(what, "claude update")]
            }
            Some(version) => version_lines(ClaudeCode.profile(), version),
            None => Vec::new(),
        }
    }

    fn absent(&self) -> Line {
        if self.installed.is_none() && !self.stage.places.user.is_dir() {
            return Line::yellow(
                "Claude Code was not found on this machine",
                "tollgate init --agent claude-code",
            );
        }
        let file = tilde(&self.stage.places.file(Scope::User), &self.stage.dirs.home);
        Line::red(format!("Tollgate is not registered (looked in {file} and this project)"), "tollgate init")
    }

    fn registration(&self, layer: &Layer) -> Vec<Line> {
        let init = format!("tollgate init --scope {}", layer.scope.name());
        if let Some(weak) = weakness(&layer.value) {
            return vec![Line::red(format!("{}: {weak}", self.path(layer)), init)];
        }
        let status = self.status(layer);
        let line = match (status.missing.len(), status.stale.len()) {
            (0, 0) => Line::green(format!("registered for {} events in {}", EVENTS.len(), self.path(layer))),
            (0, stale) => {
                let what = format!(
                    "{stale} entries in {} are not as this version writes them: {}",
                    self.path(layer),
                    few(&status.stale)
                );
                Line::yellow(what, init)
            }
            (missing, _) => {
                let what = format!(
                    "{missing} events are not registered in {}: {}",
                    self.path(layer),
                    few(&status.missing)
                );
                Line::yellow(what, init)
            }
        };
        let command = Command::registered(&layer.value);
        std::iter::once(line).chain(command.iter().flat_map(|command| self.command(command))).collect()
    }

    /// Hooks that Claude Code drops although it reads the file.
    fn dropped(&self, layer: &Layer) -> Vec<Line> {
        if layer.skipped_by(self.version).is_some() {
            return Vec::new();
        }
        let line = |problem: &Problem| {
            let what = format!("{}: {problem}, and Claude Code drops it", self.path(layer));
            Line::yellow(what, repair_advice(layer))
        };
        layer.dropped.iter().map(line).collect()
    }

    fn command(&self, command: &Command) -> Vec<Line> {
        let program = Path::new(&command.program);
        if !is_executable(program) {
            return vec![Line::red(
                format!("`{}` is not there or cannot be started", command.program),
                "tollgate init",
            )];
        }
        let mut lines = vec![version_line(program)];
        if let Some(open) = open_to_all(program) {
            let what = format!(
                "anyone on this machine can replace the gate: `{}` is writable by all",
                open.display()
            );
            lines.push(Line::yellow(what, format!("chmod o-w {}", open.display())));
        }
        let dirs = [("--config", &self.stage.dirs.config), ("--state", &self.stage.dirs.state)];
        for (option, own) in dirs {
            let registered = command.option(option).unwrap_or("none");
            if Path::new(registered) != own {
                let what =
                    format!("registered with {option} {registered}, but your shell says {}", own.display());
                lines.push(Line::yellow(what, "tollgate init"));
            }
        }
        lines
    }

    fn switches(&self, layer: &Layer) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(key) = layer.switches_off() {
            let what = format!("`{key}` in {} switches the gate off", self.path(layer));
            lines.push(Line::red(what, format!("take `{key}` out of that file")));
        }
        let names = layer.risky_env();
        let loads = names.iter().any(|name| name.starts_with("LD_") || name.starts_with("DYLD_"));
        if !names.is_empty() {
            let what =
                format!("the `env` block in {} reaches the gate: {}", self.path(layer), names.join(", "));
            let fix = "take these names out of that block";
            lines.push(if loads { Line::red(what, fix) } else { Line::yellow(what, fix) });
        }
        lines
    }

    /// How a layer compares with what this version would write, for the command that is registered there.
    fn status(&self, layer: &Layer) -> Status {
        let command = Command::registered(&layer.value);
        let option = |name: &str| {
            command.as_ref().and_then(|command| command.option(name)).unwrap_or_default().to_owned()
        };
        let registration = Registration {
            command: command.as_ref().map(|command| command.program.clone()).unwrap_or_default(),
            config: option("--config"),
            state: option("--state"),
        };
        Status::of(&layer.value, &registration.entries(), is_ours)
    }

    fn path(&self, layer: &Layer) -> String {
        tilde(&layer.path, &self.stage.dirs.home)
    }
}

fn version_line(program: &Path) -> Line {
    let own = env!("CARGO_PKG_VERSION");
    let ran =
        program::run(std::process::Command::new(program).arg("--version"), b"", Duration::from_secs(10));
    let said = ran.ok().flatten().map(|ran| ran.stdout).unwrap_or_default();
    match said.split_whitespace().nth(1) {
        Some(version) if version == own => Line::green(format!("the registered gate is this version, {own}")),
        Some(version) => Line::yellow(
            format!("the registered gate is version {version}, this is {own} ({})", program.display()),
            "tollgate init",
        ),
        None => Line::red(format!("`{} --version` says nothing", program.display()), "tollgate init"),
    }
}

/// The file, or the directory above it, in which anyone may put another in its place.
fn open_to_all(program: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let open = |path: &&Path| {
        path.metadata().is_ok_and(|meta| {
            let sticky = meta.is_dir() && meta.mode() & 0o1000 != 0;
            meta.mode() & 0o002 != 0 && !sticky
        })
    };
    program.ancestors().find(open).map(Path::to_owned)
}

fn few(events: &[String]) -> String {
    let shown: Vec<&str> = events.iter().take(3).map(String::as_str).collect();
    let rest = if events.len() > 3 { ", …" } else { "" };
    format!("{}{rest}", shown.join(", "))
}
