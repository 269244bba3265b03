//! `tollgate demo`: a scripted agent works in a scratch repository, and every call it makes goes through the real hook.
//!
//! The script says which answer it expects to each call, so the demo is a self-test of the installed program as well.
//! Refused calls are never executed, and nothing is executed outside the scratch folder.

mod agent;
mod answer;
mod lookback;
mod scratch;
mod screen;
mod script;

use std::path::Path;

use anyhow::bail;

use crate::dirs::MANAGED;
use crate::exit::ExitCode;
use crate::out;
use agent::Agent;
use answer::Answer;
use scratch::Scratch;
use screen::Screen;
use script::{Expected, Scene, Step};

/// Arguments of `tollgate demo`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Show one subject instead of everything
    #[arg(value_enum)]
    subject: Option<Subject>,
    /// Run without pauses
    #[arg(long)]
    fast: bool,
    /// Make a scratch folder, print its path, and remove it when standard input closes
    #[arg(long, hide = true)]
    keep_scratch: bool,
}

/// A subject with a script of its own.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Subject {
    /// What is saved before a loss, `tollgate undo` and `tollgate run`
    Undo,
}

/// Plays the script. Exit 1 when a call is not answered as the script expects.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.keep_scratch {
        return scratch::keep();
    }
    let scratch = Scratch::make()?;
    scratch.fill()?;
    let git = scratch.init_repository();
    if args.subject.is_some() && !git {
        scratch.remove()?;
        bail!("git not found; `tollgate demo undo` needs it");
    }
    let screen = Screen::new(args.fast, &scratch);
    let mut demo =
        Demo { agent: Agent::new(&scratch)?, scratch: &scratch, screen, git, problems: Vec::new() };
    demo.play(args.subject)?;
    let problems = std::mem::take(&mut demo.problems);
    scratch.remove()?;
    Ok(report_problems(&problems))
}

struct Demo<'a> {
    scratch: &'a Scratch,
    screen: Screen,
    agent: Agent<'a>,
    /// Is there a repository to work in? The calls that need one are left out otherwise.
    git: bool,
    /// What was not answered as expected.
    problems: Vec<String>,
}

impl Demo<'_> {
    fn play(&mut self, subject: Option<Subject>) -> anyhow::Result<()> {
        let (scenes, end) = match subject {
            None => (script::SCENES, &lookback::LOG),
            Some(Subject::Undo) => (script::UNDO_SCENES, &lookback::LIMITS),
        };
        self.screen.introduce(self.scratch, self.git);
        let answer = self.agent.start_session()?;
        self.must_pass("the start of the session", &answer);
        for scene in scenes {
            self.play_scene(scene)?;
        }
        let answer = self.agent.stop()?;
        self.must_pass("the end of the turn", &answer);
        self.screen.title(end.title);
        let missing = end.missing();
        if let Some(missing) = missing {
            self.screen.note(missing);
        }
        for command in end.commands.iter().filter(|_| missing.is_none()) {
            let problem = command.show(self.scratch, &self.screen)?;
            self.problems.extend(problem);
        }
        self.screen.next_steps();
        Ok(())
    }

    fn must_pass(&mut self, event: &str, answer: &Answer) {
        if *answer != Answer::Allowed {
            self.problems.push(format!("{event}: expected allow, the answer was {}", answer.shown()));
        }
    }

    fn play_scene(&mut self, scene: &Scene) -> anyhow::Result<()> {
        self.screen.title(scene.title);
        let git = self.git;
        for step in scene.steps.iter().filter(|step| git || !step.needs_git()) {
            self.play_step(step)?;
        }
        Ok(())
    }

    fn play_step(&mut self, step: &Step) -> anyhow::Result<()> {
        let shown = step.call.shown(&self.agent.saved);
        let answer = self.agent.ask(&step.call)?;
        self.screen.step(step, &shown, &answer);
        if !step.expected.fits(&answer) {
            self.problems.push(format!(
                "{}: expected {}, the answer was {}",
                shown,
                step.expected.shown(),
                answer.shown()
            ));
            return Ok(());
        }
        // Only what the script expects to pass is carried out: a gate that wrongly lets a call pass does no harm here.
        if matches!(step.expected, Expected::Allow | Expected::Save)
            && let Err(problem) = self.agent.carry_out(&step.call)?
        {
            self.problems.push(format!("{shown}: {problem}"));
        }
        Ok(())
    }
}

/// Prints what was not as expected. Exit 1 when something was not.
fn report_problems(problems: &[String]) -> ExitCode {
    if problems.is_empty() {
        return ExitCode::SUCCESS;
    }
    out::error("tollgate demo: not everything happened as the script expects:");
    problems.iter().for_each(|problem| out::error(&format!("  {problem}")));
    if Path::new(MANAGED).join("tollgate.yaml").exists() {
        out::error(&format!("The policy in {MANAGED} applies to the demo too and may be the reason."));
    }
    ExitCode::from(1)
}
