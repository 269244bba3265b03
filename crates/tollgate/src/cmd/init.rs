//! `tollgate init`: shows what would change, registers the gate, and proves that it works.

pub mod adopt;
mod claude;
mod own_program;
mod policy_file;
mod project;
mod status_line;

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use tollgate_agents::Proof;
use tollgate_agents::install::claude::Registration;
use tollgate_agents::install::claude::settings::Scope;
use tollgate_agents::install::detect::Installed;
use tollgate_agents::install::setup::SETUPS;
use tollgate_middleware::SearchPath;

use super::canary::{Stage, exit_code};
use super::guard::{Guard, GuardJob};
use crate::exit::ExitCode;
use crate::report::{Light, Line, heading};
use crate::{out, owner, pin, program, terminal};

use claude::ClaudeJob;
pub use claude::repair_advice;
use own_program::OwnProgram;
pub use own_program::lasting_place;
use policy_file::PolicyFile;
pub use status_line::StatusLine;

/// Arguments of `tollgate init`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Install for this agent, found or not; repeatable
    #[arg(long, value_parser = agent_names())]
    agent: Vec<String>,
    /// Also install for agents with an unverified adapter
    #[arg(long)]
    all: bool,
    /// Settings file to write
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeName,
    /// Mode of a new policy file
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// Run your existing hooks as middleware of Tollgate
    #[arg(long)]
    adopt: bool,
    /// Add refusals and cost to Claude Code's status line
    #[arg(long)]
    statusline: bool,
    /// Only write a policy with a rule and tests into this project
    #[arg(long, conflicts_with_all = ["agent", "all", "adopt", "statusline", "pin", "detect", "live"])]
    project: bool,
    /// Set, change or remove the PIN for owner commands
    #[arg(long)]
    pin: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show the plan and change nothing
    #[arg(long)]
    dry_run: bool,
    /// List the agents found and change nothing
    #[arg(long)]
    detect: bool,
    /// Also test through Claude Code (needs a login, costs tokens)
    #[arg(long)]
    live: bool,
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
    /// Refuse and ask as the policy says
    Enforce,
    /// Judge and log, never refuse
    Observe,
}

/// Plans, asks, writes, proves.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stage = Stage::here()?;
    if args.detect {
        return Ok(list_found(&stage, args.all));
    }
    let first = stage.registered().is_empty() && Guard::registered(&stage).is_empty();
    owner::admit_init(first)?;
    if args.project {
        return project::run(args.yes, args.dry_run);
    }
    let registration = stage.registration()?;
    let jobs = Jobs::new(&stage, &registration, args)?;
    jobs.show();
    let line = if args.statusline { status_line(&stage, &registration, args)? } else { None };
    if let Some(line) = &line {
        heading("Status line");
        line.show(&stage.dirs.home);
    }
    if args.dry_run {
        out::line("\nDry run: nothing was changed.");
        return Ok(ExitCode::SUCCESS);
    }
    if (jobs.changes() || line.is_some()) && !args.yes && !agreed()? {
        out::line("Nothing was changed.");
        return Ok(ExitCode::from(1));
    }
    if args.pin {
        pin::set(&stage.dirs.state)?;
    } else {
        pin::offer(&stage.dirs.state, !args.yes)?;
    }
    SearchPath::keep(&stage.dirs.state)?;
    jobs.apply()?;
    if args.statusline
        && let Some(line) = status_line(&stage, &registration, args)?
    {
        line.apply()?;
    }
    Ok(jobs.prove(args.live))
}

/// The status line that is to be added. Asked for again after the hooks are written: both may be in one file.
fn status_line(
    stage: &Stage,
    registration: &Registration,
    args: &Args,
) -> anyhow::Result<Option<StatusLine>> {
    let settings = stage.places.file(args.scope.scope());
    StatusLine::adding(&settings, std::path::Path::new(&registration.command))
}

/// Prints the agents that `init` would register, one name a line; nothing where there is none.
fn list_found(stage: &Stage, all: bool) -> ExitCode {
    let found = stage.agents();
    let is_found = |name: &str| found.iter().any(|agent| agent.agent == name);
    let claude = (is_found(CLAUDE) || stage.places.user.is_dir()).then_some(CLAUDE);
    let guards = SETUPS.iter().map(|setup| Guard::new(stage, setup));
    let others: Vec<Guard> = guards
        .filter(|guard| is_found(guard.name()) && (all || guard.profile.proof == Proof::EndToEnd))
        .collect();
    claude.into_iter().chain(others.iter().map(Guard::name)).for_each(out::line);
    ExitCode::SUCCESS
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

/// The agents that can be registered with.
pub fn agent_names() -> PossibleValuesParser {
    let others = SETUPS.iter().map(|setup| setup.agent.name());
    PossibleValuesParser::new(std::iter::once(CLAUDE).chain(others))
}

/// Claude Code's name.
const CLAUDE: &str = "claude-code";

struct Jobs<'a> {
    stage: &'a Stage,
    claude: Option<ClaudeJob<'a>>,
    others: Vec<GuardJob<'a>>,
    unproven: Vec<Installed>,
    policy: PolicyFile,
    program: OwnProgram,
}

impl<'a> Jobs<'a> {
    fn new(stage: &'a Stage, registration: &'a Registration, args: &Args) -> anyhow::Result<Self> {
        let (found, scope) = (stage.agents(), args.scope.scope());
        let is_found = |name: &str| found.iter().any(|agent| agent.agent == name);
        let named = |name: &str| args.agent.iter().any(|wanted| wanted == name);
        let any = args.agent.is_empty();
        let guards: Vec<Guard> = SETUPS.iter().map(|setup| Guard::new(stage, setup)).collect();
        let proven = |guard: &Guard| args.all || guard.profile.proof == Proof::EndToEnd;
        let wanted = |guard: &Guard| named(guard.name()) || any && proven(guard) && is_found(guard.name());
        let (chosen, left): (Vec<_>, Vec<_>) = guards.into_iter().partition(wanted);
        // Settings of the project are reason enough to register there: another machine may have the program.
        let in_project = scope != Scope::User && stage.places.file(scope).is_file();
        let claude = named(CLAUDE) || any && (is_found(CLAUDE) || stage.places.user.is_dir() || in_project);
        if !claude && chosen.is_empty() {
            bail!(
                "no coding agent was found: no program of one on the search path, and no settings of one in your \
                 home; to register anyway, type `tollgate init --agent claude-code` (or another name)"
            );
        }
        let left = |agent: &Installed| any && left.iter().any(|guard| guard.name() == agent.agent);
        Ok(Self {
            stage,
            claude: if claude { Some(ClaudeJob::new(stage, registration, scope, args.adopt)?) } else { None },
            others: jobs(chosen, registration, scope, args.adopt)?,
            unproven: found.iter().filter(|agent| left(agent)).cloned().collect(),
            policy: PolicyFile::new(&stage.dirs.config, args.mode),
            program: OwnProgram::new(program::own()?, registration.command.clone().into()),
        })
    }

    fn changes(&self) -> bool {
        self.policy.is_new()
            || self.program.changes()
            || self.claude.as_ref().is_some_and(ClaudeJob::changes)
            || self.others.iter().any(GuardJob::changes)
    }

    fn show(&self) {
        self.claude.iter().for_each(ClaudeJob::show);
        self.others.iter().for_each(GuardJob::show);
        self.program.show(&self.stage.dirs.home);
        heading("Policy");
        self.policy.show(&self.stage.dirs.home);
        for agent in &self.unproven {
            out::line(&format!(
                "  Also found: {}. Its adapter is unverified; to use it: tollgate init --agent {} (or --all)",
                agent.title, agent.agent
            ));
        }
    }

    fn apply(&self) -> anyhow::Result<()> {
        self.program.write()?;
        self.policy.write()?;
        self.claude.iter().try_for_each(ClaudeJob::apply)?;
        self.others.iter().try_for_each(GuardJob::apply)
    }

    fn prove(&self, live: bool) -> ExitCode {
        let mut all = Vec::new();
        out::line("");
        let mut tell = |title: &str, lines: Vec<Line>| {
            if !self.others.is_empty() {
                heading(title);
            }
            lines.iter().for_each(Line::print);
            all.extend(lines);
        };
        if let Some(claude) = &self.claude {
            tell("Claude Code", claude.prove(live));
        }
        for job in &self.others {
            tell(job.guard.profile.title, job.prove());
        }
        out::line(match all.iter().map(|line| line.light).max() {
            Some(Light::Red) => "\nTollgate is NOT active yet.",
            _ => {
                "\nTollgate is active for new sessions. Check it with `tollgate doctor`; remove it with `tollgate uninstall`."
            }
        });
        exit_code(&all)
    }
}

fn jobs<'a>(
    guards: Vec<Guard<'a>>,
    registration: &'a Registration,
    scope: Scope,
    adopt: bool,
) -> anyhow::Result<Vec<GuardJob<'a>>> {
    guards.into_iter().map(|guard| GuardJob::new(guard, registration, scope, adopt)).collect()
}
