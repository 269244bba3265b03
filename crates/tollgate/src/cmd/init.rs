//! `tollgate init`: shows what would change, registers the gate, and proves that it works.

use crate::exit::ExitCode;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use tollgate_agents::install::claude::canary::Command;
use tollgate_agents::install::claude::settings::{Layer, Scope};
use tollgate_agents::install::claude::{
    EVENTS, EXEC_FORM_SINCE, Hooked, ON_FAILURE_SINCE, Registration, Version, is_ours,
};
use tollgate_agents::install::detect::Installed;
use tollgate_agents::install::{Plan, Site};
use tollgate_policy::{FILE_NAME, TEMPLATE};

use super::canary::{Stage, exit_code};
use crate::report::{Light, Line, heading, tilde};
use crate::{out, owner, program, terminal};

/// Arguments of `tollgate init`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Register with this agent, even if it was not found on this machine
    #[arg(long, value_enum)]
    agent: Option<AgentName>,
    /// Whose settings to write: yours, the project's, or yours in this project
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeName,
    /// For a new policy file: refuse, or only watch and log
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// Go ahead without asking
    #[arg(long, short)]
    yes: bool,
    /// Show what would change, and stop
    #[arg(long)]
    dry_run: bool,
    /// Afterwards let Claude Code itself make a call that must be refused. Needs a login and some tokens
    #[arg(long)]
    live: bool,
}

/// The agents that can be registered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum AgentName {
    /// Anthropic's Claude Code
    ClaudeCode,
}

/// The settings that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeName {
    /// ~/.claude/settings.json: all your projects
    User,
    /// .claude/settings.json: everyone who works on this project
    Project,
    /// .claude/settings.local.json: you, in this project
    Local,
}

impl ScopeName {
    /// Claude Code's scope.
    pub fn scope(self) -> Scope {
        match self {
            Self::User => Scope::User,
            Self::Project => Scope::Project,
            Self::Local => Scope::Local,
        }
    }
}

/// The modes of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ModeName {
    /// Refuse what is to be refused
    Enforce,
    /// Decide and log, never refuse
    Observe,
}

/// Plans, asks, writes, proves.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    owner::refuse_agents("init")?;
    let job = Job::new(args)?;
    job.show();
    if args.dry_run {
        out::line("\nDry run: nothing was changed.");
        return Ok(ExitCode::SUCCESS);
    }
    if job.changes() && !args.yes && !agreed()? {
        out::line("Nothing was changed.");
        return Ok(ExitCode::from(1));
    }
    job.apply()?;
    Ok(job.prove(args.live))
}

fn agreed() -> anyhow::Result<bool> {
    out::line("");
    match terminal::confirm("Go ahead?") {
        Some(answer) => Ok(answer),
        None => bail!(
            "there is no terminal to ask on, so nothing was changed; add `--yes` to go ahead without asking"
        ),
    }
}

struct Job {
    stage: Stage,
    version: Option<Version>,
    others: Vec<Installed>,
    registration: Registration,
    scope: Scope,
    plan: Plan,
    policy: PolicyFile,
}

impl Job {
    fn new(args: &Args) -> anyhow::Result<Self> {
        let stage = Stage::here()?;
        let (claude, others) = find_agents(&stage, args.agent.is_some())?;
        let version = claude.and_then(|claude| claude.program).and_then(|program| claude_version(&program));
        if let Some(version) = version.filter(|version| *version < EXEC_FORM_SINCE) {
            bail!(
                "Claude Code {version} is too old: it starts hooks only through a shell; type `claude update` to get {EXEC_FORM_SINCE} or newer"
            );
        }
        let registration = Registration {
            command: text(&program::own()?)?,
            config: text(&stage.dirs.config)?,
            state: text(&stage.dirs.state)?,
        };
        let scope = args.scope.scope();
        let settings = stage.places.file(scope);
        let site =
            Site { agent: "claude-code", settings: &settings, state: &stage.dirs.state, ours: is_ours };
        let plan = Plan::install(site, &registration.entries())?;
        let policy = PolicyFile::new(&stage.dirs.config, args.mode);
        Ok(Self { stage, version, others, registration, scope, plan, policy })
    }

    fn changes(&self) -> bool {
        self.plan.edited.is_some() || self.policy.is_new()
    }

    fn show(&self) {
        let version = self.version.map_or(String::new(), |version| format!(" {version}"));
        heading(&format!("Claude Code{version}"));
        self.show_settings();
        self.policy.show(&self.stage.dirs.home);
        let also: Vec<&str> = self.others.iter().map(|agent| agent.title).collect();
        if !also.is_empty() {
            out::line(&format!("  Also found, but not guarded by this version: {}", also.join(", ")));
        }
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
        match status.others {
            0 => {}
            1 => out::line("  = 1 hook of yours stays as it is"),
            others => out::line(&format!("  = {others} hooks of yours stay as they are")),
        }
    }

    fn apply(&self) -> anyhow::Result<()> {
        self.policy.write()?;
        self.plan.apply()?;
        Ok(())
    }

    /// Starts what is now in the settings file, and tells what stands in its way.
    fn prove(&self, live: bool) -> ExitCode {
        let settings = self.plan.target.named.as_path();
        let layer = Layer::read(self.scope, settings);
        let command = layer.as_ref().and_then(|layer| Command::registered(&layer.value));
        let Some(command) = command else {
            let line = Line::red(format!("the gate is not in `{}`", settings.display()), "tollgate init");
            line.print();
            return exit_code(&[line]);
        };
        let mut lines = vec![Line::green(format!("registered for {} events", EVENTS.len()))];
        lines.extend(self.stage.prove(&command));
        lines.extend(self.obstacles());
        if live {
            lines.push(self.stage.prove_live(&command));
        }
        out::line("");
        lines.iter().for_each(Line::print);
        out::line(match lines.iter().map(|line| line.light).max() {
            Some(Light::Red) => "\nThe gate is NOT in force yet.",
            _ => {
                "\nThe gate is in force for new sessions. `tollgate doctor` checks it, `tollgate uninstall` takes it out."
            }
        });
        exit_code(&lines)
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

fn find_agents(stage: &Stage, named: bool) -> anyhow::Result<(Option<Installed>, Vec<Installed>)> {
    let (mut claude, others): (Vec<_>, Vec<_>) =
        stage.agents().into_iter().partition(|agent| agent.agent == "claude-code");
    let claude = claude.pop();
    if claude.is_none() && !named && !stage.places.user.is_dir() {
        bail!(
            "Claude Code was not found: no `claude` on the search path and no {}; \
             to register anyway, type `tollgate init --agent claude-code`",
            tilde(&stage.places.user, &stage.dirs.home)
        );
    }
    Ok((claude, others))
}

/// The version of an installed Claude Code. None when it does not say.
pub fn claude_version(program: &Path) -> Option<Version> {
    let mut claude = std::process::Command::new(program);
    let ran = program::run(claude.arg("--version"), b"", Duration::from_secs(10)).ok()??;
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

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path
        .to_str()
        .with_context(|| format!("`{}` is not UTF-8, which JSON cannot hold", path.display()))?;
    Ok(text.to_owned())
}

/// The user's policy file, there or to be written.
struct PolicyFile {
    path: PathBuf,
    mode: Option<ModeName>,
    found: bool,
}

impl PolicyFile {
    fn new(config: &Path, mode: Option<ModeName>) -> Self {
        let path = config.join(FILE_NAME);
        // A dangling link, or a file that cannot be looked at, is someone's too.
        let found = !path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        Self { path, mode, found }
    }

    fn is_new(&self) -> bool {
        !self.found
    }

    fn mode_name(&self) -> &'static str {
        match self.mode {
            Some(ModeName::Observe) => "observe",
            _ => "enforce",
        }
    }

    fn show(&self, home: &Path) {
        let path = tilde(&self.path, home);
        match (self.found, self.mode) {
            (false, _) => out::line(&format!("  {path}  (new file, mode: {})", self.mode_name())),
            (true, None) => out::line(&format!("  {path}  (stays as it is)")),
            (true, Some(_)) => out::line(&format!(
                "  {path}  (stays as it is; set `mode: {}` in it yourself)",
                self.mode_name()
            )),
        }
    }

    fn text(&self) -> String {
        let set = format!("mode: {}", self.mode_name());
        let line = |line: &str| if line.starts_with("# mode: ") { set.clone() } else { line.to_owned() };
        let mut text = TEMPLATE.lines().map(line).collect::<Vec<_>>().join("\n");
        if !text.contains(&format!("\n{set}")) {
            text.push_str(&format!("\n{set}"));
        }
        text.push('\n');
        text
    }

    fn write(&self) -> anyhow::Result<()> {
        if self.found {
            return Ok(());
        }
        let failed = || format!("cannot write `{}`", self.path.display());
        if let Some(dir) = self.path.parent() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).with_context(failed)?;
        }
        let mut options = std::fs::OpenOptions::new();
        let mut file =
            options.write(true).create_new(true).mode(0o600).open(&self.path).with_context(failed)?;
        file.write_all(self.text().as_bytes()).with_context(failed)
    }
}
