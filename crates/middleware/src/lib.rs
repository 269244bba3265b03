//! Runs the middleware of a pipeline: guards before the answer, observers after it.
//!
//! Every middleware sees the event in one shape, Claude Code's, whatever the agent; the agent's own payload is
//! under `native`, its configuration under `__agent_config__`.

mod answer;
mod batch;
mod builtin;
mod files;
mod observe;
mod process;
mod queue;
mod result;
mod script;
mod search;
mod shape;
mod wasm;

pub use batch::PYTHON_BASE;
pub use observe::{Observed, Watch, observe, watch};
pub use queue::Admission;
pub use result::{Said, StageResult};
pub use search::SearchPath;

use std::time::{Duration, Instant};

use process::{Next, Running};
use tollgate_model::json::Value;
use tollgate_model::{Effect, Event};
use tollgate_policy::{OnError, Pipeline, Program, Stage, StageKind};

/// What middleware is run for.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The event.
    pub event: &'a Event,
    /// The agent's own payload.
    pub native: &'a [u8],
    /// What the call would do.
    pub effects: &'a [Effect],
    /// When every guard must be done; none where nobody waits.
    pub until: Option<Instant>,
    /// The place in the queue of hooks that start programs; none to start them at once.
    pub admission: Option<&'a Admission>,
    /// Where programs are looked for.
    pub path: &'a SearchPath,
}

impl<'a> Request<'a> {
    /// The same about another event.
    fn about(&self, event: &'a Event) -> Self {
        Self { event, ..*self }
    }
}

/// What the guards of an event came to.
#[derive(Debug, Default)]
pub struct Guarded {
    /// What each middleware said, in the order in which they ran.
    pub results: Vec<StageResult>,
    /// The input as the transforms left it, in the common shape.
    pub rewrite: Option<Value>,
}

/// How long the guards of an event may take together.
#[must_use]
pub fn longest(pipelines: &[Pipeline], request: &Request) -> Duration {
    let is_built_in = |stage: &Stage| matches!(stage.program, Program::BuiltIn(_));
    if pipelines.iter().flat_map(|pipeline| &pipeline.stages).all(is_built_in) {
        return Duration::ZERO;
    }
    let (files, _) = files::one_by_one(request.event, request.effects);
    let mut stages: Vec<Stage> = Vec::new();
    for pipeline in pipelines {
        stages.extend(guards(pipeline, request));
        files.iter().for_each(|file| stages.extend(file_guards(pipeline, &request.about(file))));
    }
    stages.retain(|stage| !is_built_in(stage));
    let own = |stage: &Stage| u64::from(stage.timeout) * if stage.on_error == OnError::Retry { 2 } else { 1 };
    let starts = stages.iter().any(|stage| matches!(stage.program, Program::File(_)));
    let start = if starts { batch::START } else { Duration::ZERO };
    let queue = if stages.is_empty() { Duration::ZERO } else { queue::LONGEST };
    queue + start + Duration::from_millis(stages.iter().map(own).sum())
}

/// Runs what may refuse or rewrite. The first that refuses ends it. A call over several files is judged as a whole and
/// file by file.
#[must_use]
pub fn guard(pipelines: &[Pipeline], request: &Request) -> Guarded {
    let mut guarded = Guarded::default();
    let (files, count) = files::one_by_one(request.event, request.effects);
    for pipeline in pipelines {
        let stages = guards(pipeline, request);
        let before = guarded.results.len();
        let whole = guarded.judge(pipeline, &stages, request);
        let rewritten = guarded.rewrite.as_ref().map(|input| files::of_rewritten(request.event, input));
        let mut each = !files.is_empty();
        for file in files.iter().chain(rewritten.iter().flatten()) {
            each &= guarded.judge_file(pipeline, &request.about(file));
        }
        if let Some(last) = files.last().filter(|_| count > files::MOST) {
            let why = format!("it changes {count} files, and guards are shown {} of them", files::MOST);
            let unchecked = file_guards(pipeline, &request.about(last));
            guarded.results.extend(unchecked.iter().map(|stage| StageResult::failed(stage, why.as_str())));
        }
        let own = guarded.results.get_mut(before..).unwrap_or_default();
        own.iter_mut().for_each(|result| result.key = pipeline.stage_key(&result.id));
        if pipeline.deny_by_default
            && pipeline.is_for(request.event.phase(), request.event.agent.name())
            && !(whole || each)
        {
            guarded.results.push(StageResult::by_default(&pipeline.id));
        }
        if guarded.results.iter().any(|result| result.said.refuses()) {
            break;
        }
    }
    guarded
}

/// Runs one stage of a pipeline, whatever it matches.
#[must_use]
pub fn alone(stage: &Stage, pipeline: &Pipeline, request: &Request) -> StageResult {
    let stages = std::slice::from_ref(stage);
    let input = shape::input(request, pipeline, stages);
    run(stages, &input, &[], Way::of(request)).pop().unwrap_or_else(|| lost(stage))
}

/// The stages of a pipeline that run before the answer, for this event.
fn guards(pipeline: &Pipeline, request: &Request) -> Vec<Stage> {
    stages(pipeline, request, |kind| kind != StageKind::Observability)
}

/// The guards that see one file of a call over several. Hooks of the agent's own see the agent's payload, and a transform
/// changes whole calls only.
fn file_guards(pipeline: &Pipeline, request: &Request) -> Vec<Stage> {
    let mut stages = guards(pipeline, request);
    stages.retain(|stage| !stage.native && stage.kind != StageKind::Transform);
    stages
}

fn stages(pipeline: &Pipeline, request: &Request, wanted: impl Fn(StageKind) -> bool) -> Vec<Stage> {
    let agent = request.event.agent.name();
    if !pipeline.is_for(request.event.phase(), agent) {
        return Vec::new();
    }
    let tool = shape::tool_name(request.event);
    let effect = |stage: &Stage| {
        stage.effects.is_empty()
            || request
                .effects
                .iter()
                .any(|effect| stage.effects.iter().any(|name| name == effect.kind.name()))
    };
    let mut stages = pipeline.stages_for(agent);
    let at = |stage: &Stage| stage.events.is_empty() || stage.events.contains(&request.event.name);
    stages.retain(|stage| wanted(stage.kind) && effect(stage) && at(stage));
    let named = |stage: &Stage, own: &str| stage.is_for_tool(if stage.native { own } else { &tool });
    stages.retain(|stage| request.event.tool().is_none_or(|used| named(stage, &used.name)));
    stages
}

/// One after the other; neighbours that share an interpreter share its start. A new input is seen by all that follow:
/// those that ran beside its author with the old one run again.
fn in_order(stages: &[Stage], input: &mut Value, request: &Request, guarded: &mut Guarded) {
    let mut rest = stages;
    while !rest.is_empty() {
        let size = script::alone(rest, batch::size(rest, request.path));
        let results = run(rest.get(..size).unwrap_or(rest), input, &guarded.results, Way::of(request));
        let mut taken = 0;
        for result in results {
            taken += 1;
            let rewritten = guarded.take_rewrite(&result, input);
            guarded.results.push(result);
            if rewritten {
                break;
            }
        }
        if guarded.results.iter().any(|result| result.said.refuses()) {
            return;
        }
        rest = rest.get(taken.max(1)..).unwrap_or_default();
    }
}

/// All of them with the same input. When one gives a new input, the others judge that as well.
fn in_parallel(stages: &[Stage], input: &mut Value, request: &Request, guarded: &mut Guarded) {
    let results = at_once(stages, input, request);
    let others: Vec<Stage> = stages
        .iter()
        .zip(&results)
        .filter(|(_, result)| result.rewrite.is_none())
        .map(|(stage, _)| stage.clone())
        .collect();
    let mut rewritten = false;
    for result in &results {
        rewritten |= guarded.take_rewrite(result, input);
    }
    if rewritten && !results.iter().any(|result| result.said.refuses()) {
        let again = at_once(&others, input, request);
        let kept = results.into_iter().filter(|result| result.rewrite.is_some());
        guarded.results.extend(kept.chain(again));
    } else {
        guarded.results.extend(results);
    }
}

impl Guarded {
    /// Runs stages of a pipeline. Does one of them allow the event?
    fn judge(&mut self, pipeline: &Pipeline, stages: &[Stage], request: &Request) -> bool {
        if stages.is_empty() {
            return false;
        }
        let mut input = shape::input(request, pipeline, stages);
        if let Some(rewritten) = &self.rewrite {
            shape::replace_input(&mut input, rewritten);
        }
        let before = self.results.len();
        if pipeline.parallel {
            in_parallel(stages, &mut input, request, self);
        } else {
            in_order(stages, &mut input, request, self);
        }
        self.results.get(before..).unwrap_or_default().iter().any(|result| result.said == Said::Allow)
    }

    /// Runs the file guards of a pipeline on one file of a call over several. Does one of them allow it? Stages that have
    /// nothing to say about another file are not listed again.
    fn judge_file(&mut self, pipeline: &Pipeline, request: &Request) -> bool {
        if self.results.iter().any(|result| result.said.refuses()) {
            return false;
        }
        let mut own = Self { results: self.results.clone(), rewrite: None };
        let allows = own.judge(pipeline, &file_guards(pipeline, request), request);
        for mut result in own.results.drain(self.results.len()..).collect::<Vec<_>>() {
            if result.rewrite.take().is_some() && result.fault.is_none() && !result.said.refuses() {
                result.fault = Some("it changes the input of one file of a call over several".to_owned());
            }
            let same = |known: &&mut StageResult| known.id == result.id && known.kind == result.kind;
            match self.results.iter_mut().find(same) {
                Some(known) if result.adds_nothing_to(known) => known.took += result.took,
                _ => self.results.push(result),
            }
        }
        allows
    }

    /// Puts a new input in the place of the old one. False when there is none.
    fn take_rewrite(&mut self, result: &StageResult, input: &mut Value) -> bool {
        let new = result.rewrite.as_ref().filter(|new| input.get("tool_input") != Some(*new));
        let Some(new) = new.filter(|_| result.fault.is_none() && !result.said.refuses()) else {
            return false;
        };
        shape::replace_input(input, new);
        self.rewrite = Some(new.clone());
        true
    }
}

fn at_once(stages: &[Stage], input: &Value, request: &Request) -> Vec<StageResult> {
    each(stages, |stage| run(std::slice::from_ref(stage), input, &[], Way::of(request)))
        .into_iter()
        .zip(stages)
        .flat_map(|(results, stage)| results.unwrap_or_else(|| vec![lost(stage)]))
        .collect()
}

fn lost(stage: &Stage) -> StageResult {
    StageResult::failed(stage, "it failed in a way of its own")
}

/// Does all of them at once; where the machine has no thread to give, one after the other. None: it panicked.
pub(crate) fn each<T: Sync, R: Send>(all: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<Option<R>> {
    std::thread::scope(|scope| {
        let act = &act;
        let start = |one| std::thread::Builder::new().spawn_scoped(scope, move || act(one));
        let running: Vec<_> = all.iter().map(|one| start(one).map_err(|_| act(one))).collect();
        running.into_iter().map(|one| one.map_or_else(Some, |thread| thread.join().ok())).collect()
    })
}

/// Runs stages that go together: a built-in, a program, a module, or a batch of files of one language.
fn run(stages: &[Stage], input: &Value, earlier: &[StageResult], way: Way) -> Vec<StageResult> {
    way.wait_for_turn(stages);
    let start = Instant::now();
    let mut results = once(stages, input, earlier, way);
    let again = results.last().zip(stages.get(results.len().saturating_sub(1)));
    if let Some((result, stage)) = again
        && result.fault.is_some()
        && stage.on_error == OnError::Retry
    {
        results.pop();
        results.extend(once(std::slice::from_ref(stage), input, earlier, way));
    }
    let each = start.elapsed() / u32::try_from(results.len().max(1)).unwrap_or(1);
    // Those that share an interpreter have been timed one by one, the first with the interpreter's start.
    results.iter_mut().filter(|result| result.took.is_zero()).for_each(|result| result.took = each);
    if way.stop {
        results.iter_mut().for_each(|result| keep_going(result, input));
        let end = results.iter().position(|result| result.said.refuses()).map_or(results.len(), |at| at + 1);
        results.truncate(end);
    }
    results
}

/// Context for an agent that is about to stop keeps it going, as its hosts have it.
fn keep_going(result: &mut StageResult, input: &Value) {
    let stops = matches!(input.text("hook_event_name"), Some("Stop" | "SubagentStop"));
    if stops && !result.context.is_empty() && result.fault.is_none() && !result.said.refuses() {
        result.said = Said::Block;
        result.reason = std::mem::take(&mut result.context);
    }
}

/// How stages are run.
#[derive(Clone, Copy)]
struct Way<'a> {
    effects: &'a [Effect],
    /// When they must be done; none where nobody waits.
    until: Option<Instant>,
    /// The first that refuses ends it.
    stop: bool,
    /// The place in the queue of hooks that start programs.
    admission: Option<&'a Admission>,
    /// Where programs are looked for.
    path: &'a SearchPath,
}

impl<'a> Way<'a> {
    fn of(request: &Request<'a>) -> Self {
        Self {
            effects: request.effects,
            until: request.until,
            stop: true,
            admission: request.admission,
            path: request.path,
        }
    }

    /// Waits for a place in the queue, if these stages start a program.
    fn wait_for_turn(&self, stages: &[Stage]) {
        let starts = |stage: &Stage| match &stage.program {
            Program::BuiltIn(_) => false,
            Program::Run(_) => true,
            Program::File(file) => !wasm::is_module(file),
        };
        if let Some(admission) = self.admission.filter(|_| stages.iter().any(starts)) {
            admission.enter();
        }
    }

    /// The next line of a program, if one comes in time. Others are let in when it takes long.
    fn next(&self, running: &mut Running, limit: Duration) -> Next {
        let kept = self.admission.and_then(|admission| Some((admission, admission.left()?)));
        let Some((admission, left)) = kept.filter(|(_, left)| *left < limit) else {
            return running.next(limit);
        };
        match running.next(left) {
            Next::Late => {
                admission.give_back();
                running.next(limit.saturating_sub(left))
            }
            next => next,
        }
    }

    /// A stage whose time-out is no longer than it may take.
    fn cut(&self, stage: &Stage) -> Stage {
        let limit = self.within(Duration::from_millis(u64::from(stage.timeout)));
        Stage { timeout: u32::try_from(limit.as_millis()).unwrap_or(stage.timeout), ..stage.clone() }
    }

    /// How long something may take that would like to take so long.
    fn within(&self, limit: Duration) -> Duration {
        self.until.map_or(limit, |until| limit.min(until.saturating_duration_since(Instant::now())))
    }
}

fn once(stages: &[Stage], input: &Value, earlier: &[StageResult], way: Way) -> Vec<StageResult> {
    let Some(first) = stages.first() else { return Vec::new() };
    match &first.program {
        Program::BuiltIn(name) => vec![builtin::run(name, first, input, earlier, way.effects)],
        Program::Run(words) => vec![process::program(words, first, input, earlier, way)],
        Program::File(file) if wasm::is_module(file) => {
            vec![wasm::run(file, &way.cut(first), input, earlier)]
        }
        Program::File(file) => match script::command(file, way.path) {
            Some(command) => vec![process::started(command, first, input, earlier, way)],
            None => batch::run(stages, input, earlier, way),
        },
    }
}
