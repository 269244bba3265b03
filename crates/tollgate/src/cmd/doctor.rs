//! `tollgate doctor`: are the hooks registered, do they fire, is the policy healthy, and what to type where not.
//!
//! A red line is a problem (exit 1), a yellow one a warning. Doctor changes nothing; the log marks its canary calls.

mod claude;
mod gate;
mod incidents;
mod machine;

use crate::exit::ExitCode;
use std::path::Path;

use serde_json::json;
use tollgate_agents::generic::GENERIC;
use tollgate_agents::install::detect::is_executable;
use tollgate_agents::install::setup::SETUPS;
use tollgate_agents::{Profile, Rewrite, adapter};
use tollgate_model::{Agent, Phase};

use super::canary::{Stage, exit_code};
use super::guard::Guard;
use crate::out;
use crate::report::{Light, Line, heading};

/// Arguments of `tollgate doctor`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Lines about one thing.
struct Section {
    about: String,
    lines: Vec<Line>,
}

/// The three questions that decide whether Tollgate protects anybody.
struct Answers {
    /// The agents whose settings have the hook, and the worst that was found about that.
    registered: (Vec<String>, Light),
    /// Does a registered hook answer, and was it asked by a real session? `None` without a hook.
    firing: Option<Light>,
    /// An agent's hook is so new that no session can have asked it.
    is_new: bool,
    /// Is every policy file usable?
    policy: Light,
}

/// Looks at everything, and tells it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stage = Stage::here()?;
    let (sections, answers) = examine(&stage);
    let lines: Vec<Line> = sections.iter().flat_map(|section| section.lines.clone()).collect();
    if args.json {
        out::line(&object(&sections, &lines, &answers).to_string());
    } else {
        print(&sections, &lines, &answers);
    }
    Ok(exit_code(&lines))
}

fn examine(stage: &Stage) -> (Vec<Section>, Answers) {
    let claude_commands = stage.registered();
    let guards = Guard::registered(stage);
    let command = claude_commands.first().or(guards.first().map(|(_, command)| command));
    let gate = gate::Gate::of(stage, command);
    let agents: Vec<AgentReport> = std::iter::once(claude_report(stage, &gate, guards.is_empty()))
        .chain(SETUPS.iter().map(|setup| agent_report(stage, &Guard::new(stage, setup), &gate)))
        .collect();
    // After the canaries: those have run the hooks once more.
    let policy = gate.policy();
    let answers = Answers {
        registered: (
            agents.iter().filter(|agent| agent.is_guarded).map(|agent| agent.title.clone()).collect(),
            worst(agents.iter().filter(|agent| agent.is_guarded).flat_map(|agent| &agent.registration)),
        ),
        firing: command.is_some().then(|| worst(agents.iter().flat_map(|agent| &agent.firing))),
        is_new: agents.iter().any(|agent| agent.is_new),
        policy: worst(&policy),
    };
    let mut log = gate.log();
    log.push(gate.life());
    log.extend(gate.incidents());
    let rewrites: Vec<_> =
        agents.iter().filter(|agent| agent.is_guarded).filter_map(AgentReport::rewrite).collect();
    let machine = machine::lines(gate.state(), &rewrites);
    let mut sections: Vec<Section> = agents.into_iter().filter_map(AgentReport::section).collect();
    sections.push(Section { about: "Policy".into(), lines: [policy, gate.failed_hooks()].concat() });
    sections.push(Section { about: "Log".into(), lines: log });
    sections.push(Section { about: "This machine".into(), lines: machine });
    let fleet = super::fleet::health::Report::lines_of(&gate.state);
    if !fleet.is_empty() {
        sections.push(Section { about: "Fleet".into(), lines: fleet });
    }
    (sections, answers)
}

fn worst<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Light {
    lines.into_iter().map(|line| line.light).max().unwrap_or(Light::Green)
}

/// What is so with one agent.
struct AgentReport {
    title: String,
    /// Do its settings have the hook?
    is_guarded: bool,
    /// Was it installed so lately that no session can have asked it?
    is_new: bool,
    registration: Vec<Line>,
    firing: Vec<Line>,
    advice: Vec<Line>,
    /// Does a report without this agent lack something?
    is_shown: bool,
    profile: &'static Profile,
}

impl AgentReport {
    /// Its name, and whether it runs a call as it was rewritten before it ran.
    fn rewrite(&self) -> Option<(String, Rewrite)> {
        let row = self.profile.events.iter().find(|row| row.phase == Phase::PreTool)?;
        Some((self.profile.title.to_owned(), row.rewrite))
    }

    fn section(self) -> Option<Section> {
        let lines = [self.registration, self.firing, self.advice].concat();
        (self.is_shown && !lines.is_empty()).then_some(Section { about: self.title, lines })
    }
}

fn claude_report(stage: &Stage, gate: &gate::Gate, is_alone: bool) -> AgentReport {
    let claude = claude::Claude::find(stage);
    let commands = stage.registered();
    let mut firing = Vec::new();
    for command in commands.iter().filter(|command| is_executable(Path::new(&command.program))) {
        firing.extend(stage.prove(Agent::ClaudeCode, command));
    }
    if !commands.is_empty() {
        firing.extend(gate.fired("claude-code", "PreToolUse"));
    }
    AgentReport {
        title: claude.title(),
        is_guarded: !commands.is_empty(),
        is_new: !commands.is_empty() && gate.waits("claude-code"),
        registration: claude.lines(),
        firing,
        advice: claude.advice(),
        is_shown: claude.is_here() || is_alone,
        profile: adapter(Agent::ClaudeCode.name()).unwrap_or(&GENERIC).profile(),
    }
}

/// An agent other than Claude Code: without lines when it is neither here nor guarded.
fn agent_report(stage: &Stage, guard: &Guard, gate: &gate::Gate) -> AgentReport {
    let mut firing = Vec::new();
    let registered = Guard::registered(stage);
    let own: Vec<_> = registered.iter().filter(|(other, _)| other.name() == guard.name()).collect();
    for (_, command) in &own {
        if is_executable(Path::new(&command.program)) {
            firing.extend(stage.prove(guard.setup.agent, command));
        }
        firing.extend(gate.fired(guard.name(), guard.setup.decides));
    }
    AgentReport {
        title: guard.title(),
        is_guarded: !own.is_empty(),
        is_new: !own.is_empty() && gate.waits(guard.name()),
        registration: guard.lines(),
        firing,
        advice: Vec::new(),
        is_shown: true,
        profile: guard.profile,
    }
}

impl Answers {
    fn is_active(&self) -> bool {
        let (agents, registration) = &self.registered;
        !agents.is_empty() && *registration < Light::Red && self.firing < Some(Light::Red)
    }

    fn registered(&self) -> String {
        match &self.registered {
            (agents, _) if agents.is_empty() => {
                "no agent; to install the hooks, run: tollgate init".to_owned()
            }
            (agents, Light::Red) => format!("{}, with problems", agents.join(", ")),
            (agents, _) => agents.join(", "),
        }
    }

    fn firing(&self) -> &'static str {
        match self.firing {
            None => "no hook to test",
            Some(Light::Red) => "no: a test call got a wrong answer",
            Some(Light::Yellow) => "test calls pass; not yet seen in every agent's sessions",
            Some(Light::Green) if self.is_new => "yes, in test calls; the first session is still to come",
            Some(Light::Green) => "yes, in test calls and in real sessions",
        }
    }

    fn policy(&self) -> &'static str {
        match self.policy {
            Light::Red => "broken; the strictest known policy applies until it is fixed",
            Light::Yellow => "healthy, with warnings",
            Light::Green => "healthy",
        }
    }

    /// One line over everything.
    fn sum(&self, lines: &[Line]) -> String {
        let count = |light: Light| lines.iter().filter(|line| line.light == light).count();
        let told = |number: usize, what: &str| match number {
            0 => String::new(),
            1 => format!(", 1 {what}"),
            number => format!(", {number} {what}s"),
        };
        let found = told(count(Light::Red), "problem") + &told(count(Light::Yellow), "warning");
        match (self.registered.0.is_empty(), self.is_active()) {
            (true, _) => format!("Tollgate is not installed for any agent{found}"),
            (false, true) => format!("Tollgate is active{found}"),
            (false, false) => format!("Tollgate is NOT active{found}"),
        }
    }
}

fn print(sections: &[Section], lines: &[Line], answers: &Answers) {
    for section in sections {
        heading(&section.about);
        section.lines.iter().for_each(Line::print);
    }
    heading("Summary");
    out::line(&format!("  Registered  {}", answers.registered()));
    out::line(&format!("  Firing      {}", answers.firing()));
    out::line(&format!("  Policy      {}", answers.policy()));
    out::line(&format!("\n{}", answers.sum(lines)));
}

/// Everything that `doctor` finds, as one JSON object.
pub fn found() -> anyhow::Result<serde_json::Value> {
    let (sections, answers) = examine(&Stage::here()?);
    let lines: Vec<Line> = sections.iter().flat_map(|section| section.lines.clone()).collect();
    Ok(object(&sections, &lines, &answers))
}

fn object(sections: &[Section], lines: &[Line], answers: &Answers) -> serde_json::Value {
    let name = |light: Light| light.name().to_lowercase();
    let values: Vec<serde_json::Value> = sections
        .iter()
        .flat_map(|section| section.lines.iter().map(|line| line.value(&section.about)))
        .collect();
    json!({
        "light": name(worst(lines)),
        "active": answers.is_active(),
        "registered": answers.registered.0,
        "registration": name(answers.registered.1),
        "firing": answers.firing.map(name),
        "policy": name(answers.policy),
        "lines": values,
    })
}
