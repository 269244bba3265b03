//! `tollgate doctor`: is the gate in force, and what to type where it is not.
//!
//! Red means that the gate is not in force (exit 1). Yellow means that it is, but something is unproven or
//! missing. Doctor changes nothing; its canary calls are told apart in the log.

mod claude;
mod gate;
mod incidents;

use crate::exit::ExitCode;
use std::path::Path;

use serde_json::json;
use tollgate_agents::install::detect::is_executable;
use tollgate_agents::install::setup::SETUPS;
use tollgate_model::Agent;

use super::canary::{Stage, exit_code};
use super::guard::Guard;
use crate::out;
use crate::report::{Light, Line, heading};

/// Arguments of `tollgate doctor`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// One JSON object with every line
    #[arg(long)]
    json: bool,
}

/// Lines about one thing.
struct Section {
    about: String,
    lines: Vec<Line>,
}

/// Looks at everything, and tells it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stage = Stage::here()?;
    let sections = sections(&stage);
    let lines: Vec<Line> = sections.iter().flat_map(|section| section.lines.clone()).collect();
    if args.json {
        print_json(&sections, &lines);
    } else {
        print(&sections, &lines);
    }
    Ok(exit_code(&lines))
}

fn sections(stage: &Stage) -> Vec<Section> {
    let registered = stage.registered();
    let guards = Guard::registered(stage);
    let command = registered.first().or(guards.first().map(|(_, command)| command));
    let gate = gate::Gate::of(stage, command);
    let claude = claude::Claude::find(stage);
    let about = claude.title();
    let mut lines = claude.lines();
    for command in registered.iter().filter(|command| is_executable(Path::new(&command.program))) {
        lines.extend(stage.prove(Agent::ClaudeCode, command));
    }
    if !registered.is_empty() {
        lines.extend(gate.fired("claude-code", "PreToolUse"));
    }
    lines.extend(claude.advice());
    let mut sections = Vec::new();
    if !lines.is_empty() && (claude.is_here() || guards.is_empty()) {
        sections.push(Section { about, lines });
    }
    sections.extend(SETUPS.iter().filter_map(|setup| agent_section(stage, &Guard::new(stage, setup), &gate)));
    // After the canaries: those have run the hooks once more.
    let policy = Section { about: "Policy".into(), lines: [gate.policy(), gate.failed_hooks()].concat() };
    let mut log = gate.log();
    log.push(gate.life());
    log.extend(gate.incidents());
    sections.extend([policy, Section { about: "Log".into(), lines: log }]);
    sections
}

/// What is so with an agent other than Claude Code; nothing when it is neither here nor guarded.
fn agent_section(stage: &Stage, guard: &Guard, gate: &gate::Gate) -> Option<Section> {
    let mut lines = guard.lines();
    for (_, command) in Guard::registered(stage).iter().filter(|(other, _)| other.name() == guard.name()) {
        if is_executable(Path::new(&command.program)) {
            lines.extend(stage.prove(guard.setup.agent, command));
        }
        lines.extend(gate.fired(guard.name(), guard.setup.decides));
    }
    (!lines.is_empty()).then(|| Section { about: guard.title(), lines })
}

fn print(sections: &[Section], lines: &[Line]) {
    for section in sections {
        heading(&section.about);
        section.lines.iter().for_each(Line::print);
    }
    let count = |light: Light| lines.iter().filter(|line| line.light == light).count();
    out::line(&match (count(Light::Red), count(Light::Yellow)) {
        (0, 0) => "\nThe gate is in force.".to_owned(),
        (0, yellow) => format!("\nThe gate is in force; {yellow} to look at."),
        (red, _) => format!("\nThe gate is NOT in force: {red} to fix."),
    });
}

fn print_json(sections: &[Section], lines: &[Line]) {
    let worst = lines.iter().map(|line| line.light).max().unwrap_or(Light::Green);
    let values: Vec<serde_json::Value> = sections
        .iter()
        .flat_map(|section| section.lines.iter().map(|line| line.value(&section.about)))
        .collect();
    out::line(
        &json!({ "light": worst.name().to_lowercase(), "in_force": worst < Light::Red, "lines": values })
            .to_string(),
    );
}
