//! Hooks that fail while the agent goes on without them, as its own host would. A guard that silently does not run is
//! worse than none: the person is told once per hook and session, and `tollgate doctor` shows it until it runs again.

use std::path::Path;

use tollgate_agents::capability::{Context, EventCapability, Message};
use tollgate_middleware::StageResult;
use tollgate_model::json::parse;
use tollgate_model::{Event, Phase, Verdict};
use tollgate_policy::{Policy, Stage};
use tollgate_store::{
    HookFailure, clear_hook_failure, hook_failure, is_first_hook_failure, keep_hook_failure,
};

use crate::report::Line;
use tollgate_model::is_canary;

/// A hook's last run, as far as it failed and the event passed all the same.
struct Failure {
    /// What happened, after the hook's name.
    what: String,
}

impl Failure {
    /// None when the hook ran well, or its failure holds the call up and is told by that.
    fn of(result: &StageResult, on_fault: Verdict) -> Option<Self> {
        let what = match (&result.fault, result.error.as_str()) {
            (Some(_), _) if on_fault >= Verdict::Ask => return None,
            (Some(why), _) => format!("failed, and the agent goes on without it: {why}"),
            (None, "") => return None,
            (None, error) => {
                let error: String = error.chars().take(500).collect();
                format!("reports an error and lets this pass: {error}")
            }
        };
        Some(Self { what })
    }
}

/// Where hooks ran.
pub struct Run<'a> {
    pub event: &'a Event,
    pub row: EventCapability,
    pub project: &'a str,
    pub policy: &'a Policy,
    pub state: &'a Path,
}

impl Run<'_> {
    /// Keeps which hooks failed, and returns what the person has not been told in this session. Each result comes with
    /// what its failure makes of the call.
    pub fn report<'r>(&self, results: impl Iterator<Item = (&'r StageResult, Verdict)>) -> Vec<String> {
        // A canary is no session: where it runs, hooks of a project have nothing to do or cannot be found.
        if is_canary(Some(&self.event.session)) {
            return Vec::new();
        }
        let named = results.filter(|(result, _)| !result.key.is_empty());
        named.flat_map(|(result, on_fault)| self.report_one(result, on_fault)).collect()
    }

    fn report_one(&self, result: &StageResult, on_fault: Verdict) -> Vec<String> {
        let Some(failure) = Failure::of(result, on_fault) else {
            clear_hook_failure(self.state, &result.key, self.project);
            return Vec::new();
        };
        let why = format!("hook {} at {} {}", shown_name(self.policy, result), self.event.name, failure.what);
        let (agent, session) = (self.event.agent.name(), &self.event.session);
        let mut notices = Vec::new();
        if is_heard(&self.row) && is_first_hook_failure(self.state, agent, session, &result.key) {
            notices.push(format!("tollgate: {why}; see `tollgate doctor`"));
        }
        let failure = HookFailure { project: self.project.to_owned(), why };
        if let Err(fault) = keep_hook_failure(self.state, &result.key, &failure) {
            notices.push(format!("tollgate: the failure of a hook could not be kept: {fault}"));
        }
        notices
    }
}

/// The hooks of a policy whose last run failed. One that guards calls leaves them unguarded.
pub fn doctor_lines(policy: &Policy, state: &Path) -> Vec<Line> {
    let mut lines = Vec::new();
    for pipeline in &policy.pipelines {
        for stage in pipeline.stages.iter().filter(|stage| stage.enabled) {
            let Some(failure) = hook_failure(state, &pipeline.stage_key(&stage.id)) else { continue };
            if !failure.project.is_empty() && !Path::new(&failure.project).is_dir() {
                continue;
            }
            let why = format!("{} (in {})", failure.why, failure.project);
            let fix = format!("fix it or take it out of {}; its next good run clears this", pipeline.source);
            let guards_calls =
                [Phase::PreTool, Phase::Permission].iter().any(|phase| phase.name() == pipeline.event);
            lines.push(if guards_calls { Line::red(why, fix) } else { Line::yellow(why, fix) });
        }
    }
    lines
}

/// Does text for the person reach anybody at an event that passes?
fn is_heard(row: &EventCapability) -> bool {
    match row.message {
        Message::Shown | Message::Plain | Message::ToModel => true,
        Message::WithReason => matches!(row.context, Context::Added | Context::Instructions),
        Message::Unseen | Message::None => false,
    }
}

/// The hook's id, with the command that stood in the agent's settings.
fn shown_name(policy: &Policy, result: &StageResult) -> String {
    let stages = policy.pipelines.iter().flat_map(|pipeline| {
        pipeline.stages.iter().filter(|stage| pipeline.stage_key(&stage.id) == result.key)
    });
    match stages.into_iter().find_map(adopted_command) {
        Some(command) => format!("`{}` (`{command}`)", result.id),
        None => format!("`{}`", result.id),
    }
}

/// What `tollgate init --adopt` has written down beside a hook that it took over.
fn adopted_command(stage: &Stage) -> Option<String> {
    let config = parse(stage.config.as_bytes()).ok().filter(|_| stage.native)?;
    config.text("command").map(str::to_owned)
}
