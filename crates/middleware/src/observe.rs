//! Observers: they run in a process of their own, after the answer, and can neither delay nor change it.
//!
//! What they are to see is handed over as that process's standard input, in a file without a name: an event may hold
//! secrets, and none of them is ever found on disk, whoever dies when. Nothing else of the hook's is inherited.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tollgate_model::json::{Value, object, parse, write};
use tollgate_policy::{Pipeline, Program, Stage, StageKind};

use crate::queue::Admission;
use crate::result::{Said, StageResult};
use crate::search::SearchPath;
use crate::{Request, Way, each, files, lost, once, shape, stages};

/// More than any event comes to.
const MOST: u64 = 64 << 20;

/// What the observers of an event are to see.
pub struct Watch<'a> {
    /// The event.
    pub request: Request<'a>,
    /// What the guards said.
    pub results: &'a [StageResult],
    /// The call was refused, by whomever.
    pub blocked: bool,
}

/// Starts the observers of an event, if it has any.
///
/// # Errors
/// When they cannot be started.
pub fn watch(pipelines: &[Pipeline], watch: &Watch, state: &Path, program: &Path) -> io::Result<()> {
    let mut jobs = Vec::new();
    let (files, _) = files::one_by_one(watch.request.event, watch.request.effects);
    for pipeline in pipelines {
        let of = |request: &Request| stages(pipeline, request, |kind| kind == StageKind::Observability);
        let observers = of(&watch.request);
        jobs.extend(job(&watch.request, pipeline, &observers));
        // Those that are for single files see a call over several file by file.
        for file in &files {
            let request = watch.request.about(file);
            let mut others = of(&request);
            others.retain(|stage| !stage.native && !observers.contains(stage));
            jobs.extend(job(&request, pipeline, &others));
        }
    }
    if jobs.is_empty() {
        return Ok(());
    }
    let mut results: Vec<Value> = watch.results.iter().map(StageResult::value).collect();
    if watch.blocked && !watch.results.iter().any(|result| result.said.refuses()) {
        results.push(object([
            ("id", "tollgate".into()),
            ("type", "safety".into()),
            ("decision", "block".into()),
            ("reason", "refused by a rule".into()),
            ("metrics", Value::Map(Vec::new())),
        ]));
    }
    let job = handed(&object([("jobs", Value::List(jobs)), ("results", Value::List(results))]))?;
    let mut command = Command::new(program);
    command.arg("observe").arg("--state").arg(state).process_group(0);
    command.stdin(job).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// What a process for observers is handed about one event; none without observers.
fn job(request: &Request, pipeline: &Pipeline, observers: &[Stage]) -> Option<Value> {
    let stages = || Value::List(observers.iter().map(stage_value).collect());
    let value = || object([("input", shape::input(request, pipeline, observers)), ("stages", stages())]);
    (!observers.is_empty()).then(value)
}

/// What the observers of an event came to.
#[derive(Debug, Default)]
pub struct Observed {
    /// What each did.
    pub results: Vec<StageResult>,
    /// The event that they looked at: its session, event name, tool and call.
    pub event: Value,
}

/// Runs what a hook handed over; observers of many hooks take turns, by a queue in the state directory. Returns what each
/// observer did, for the log.
///
/// # Errors
/// When there is nothing that could be read.
pub fn observe(job: impl Read, state: &Path) -> io::Result<Observed> {
    let mut bytes = Vec::new();
    job.take(MOST).read_to_end(&mut bytes)?;
    let Ok(job) = parse(&bytes) else { return Err(io::Error::other("not what a hook wrote")) };
    let earlier: Vec<StageResult> = list(&job, "results").iter().map(result_of).collect();
    let mut work: Vec<(Stage, Value)> = Vec::new();
    for part in list(&job, "jobs") {
        let input = part.get("input").cloned().unwrap_or(Value::Null);
        work.extend(list(part, "stages").iter().filter_map(stage_of).map(|stage| (stage, input.clone())));
    }
    let admission = Admission::new(state, "observers", None);
    let path = SearchPath::new(state);
    let way = Way { effects: &[], until: None, stop: false, admission: Some(&admission), path: &path };
    let results = each(&work, |(stage, input)| one(stage, input, &earlier, way));
    let results =
        results.into_iter().zip(&work).map(|(result, (stage, _))| result.unwrap_or_else(|| lost(stage)));
    let results = results.collect();
    let event = work.first().map_or(Value::Null, |(_, input)| {
        let names = ["session_id", "hook_event_name", "tool_name", "tool_use_id"];
        let members = names.into_iter().filter_map(|name| Some((name.to_owned(), input.get(name)?.clone())));
        Value::Map(members.collect())
    });
    Ok(Observed { results, event })
}

fn one(stage: &Stage, input: &Value, earlier: &[StageResult], way: Way) -> StageResult {
    way.wait_for_turn(std::slice::from_ref(stage));
    let start = std::time::Instant::now();
    let mut results = once(std::slice::from_ref(stage), input, earlier, way);
    results.iter_mut().for_each(|result| result.took = start.elapsed());
    results.pop().unwrap_or_else(|| StageResult::failed(stage, "it gave no result"))
}

/// A value in a file that has no name, to be read from its start.
fn handed(value: &Value) -> io::Result<File> {
    let mut text = String::new();
    write(value, &mut text);
    let mut file = nameless()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

#[cfg(target_os = "linux")]
fn nameless() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("tollgate-observe", rustix::fs::MemfdFlags::CLOEXEC)?.into())
}

/// Its name is gone before anything is in it.
#[cfg(not(target_os = "linux"))]
fn nameless() -> io::Result<File> {
    tempfile::tempfile()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_list).unwrap_or_default()
}

fn stage_value(stage: &Stage) -> Value {
    let (how, words) = match &stage.program {
        Program::BuiltIn(name) => ("uses", vec![name.clone()]),
        Program::Run(words) => ("run", words.clone()),
        Program::File(file) => ("path", vec![file.clone()]),
    };
    object([
        ("id", stage.id.as_str().into()),
        ("how", how.into()),
        ("words", Value::List(words.iter().map(|word| word.as_str().into()).collect())),
        ("config", stage.config.as_str().into()),
        ("timeout", u64::from(stage.timeout).into()),
        ("native", stage.native.into()),
    ])
}

fn stage_of(value: &Value) -> Option<Stage> {
    let words: Vec<String> =
        list(value, "words").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let first = words.first()?.clone();
    let program = match value.text("how")? {
        "uses" => Program::BuiltIn(first),
        "run" => Program::Run(words),
        _ => Program::File(first),
    };
    let mut timeout = String::new();
    write(value.get("timeout")?, &mut timeout);
    Some(Stage {
        kind: StageKind::Observability,
        config: value.text("config")?.to_owned(),
        timeout: timeout.parse().ok()?,
        on_error: tollgate_policy::OnError::Allow,
        native: value.get("native").and_then(Value::as_bool) == Some(true),
        ..Stage::new(value.text("id")?, program)
    })
}

fn result_of(value: &Value) -> StageResult {
    let text = |key: &str| value.text(key).unwrap_or_default().to_owned();
    StageResult {
        id: text("id"),
        kind: StageKind::Safety,
        said: if text("decision") == "block" { Said::Block } else { Said::Continue },
        reason: text("reason"),
        metrics: value.get("metrics").cloned().unwrap_or(Value::Map(Vec::new())),
        rewrite: None,
        output: None,
        context: String::new(),
        notice: String::new(),
        approves: false,
        error: String::new(),
        key: String::new(),
        fault: None,
        on_error: tollgate_policy::OnError::Allow,
        took: std::time::Duration::ZERO,
    }
}
