//! Files with a function to call. Python files in a row share one interpreter, in which each runs in a process of its
//! own; every JavaScript or TypeScript file has its own interpreter, since Node cannot fork.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tollgate_model::json::{Value, object, parse};
use tollgate_policy::{Program, Stage, StageKind};

use crate::process::{Next, Running, last_line};
use crate::result::{Said, StageResult};
use crate::search::SearchPath;
use crate::{Way, answer};

const PYTHON: &str = include_str!("shim.py");
/// The `middleware_base` module for Python: what the gate provides and `tollgate middleware init` writes.
pub const PYTHON_BASE: &str = include_str!("middleware_base.py");
const JAVASCRIPT: &str = include_str!("shim.mjs");
/// How long an interpreter may take to come up. That is not the time of a middleware, and on a crowded machine it is
/// most of it.
pub(crate) const START: Duration = Duration::from_secs(40);

/// What runs a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Interpreter {
    Python,
    /// Python under `uv`, in the project of a folder.
    Uv(PathBuf),
    /// Started in the file's folder.
    JavaScript(PathBuf),
    TypeScript(PathBuf),
}

impl Interpreter {
    fn of(file: &str, programs: &SearchPath) -> Option<Self> {
        let path = Path::new(file);
        let folder = path.parent().unwrap_or(path).to_owned();
        match path.extension().and_then(|ending| ending.to_str())? {
            "py" if folder.join("pyproject.toml").is_file() && programs.has("uv") => Some(Self::Uv(folder)),
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" => Some(Self::JavaScript(folder)),
            "ts" | "mts" | "cts" => Some(Self::TypeScript(folder)),
            _ => None,
        }
    }

    /// Can one interpreter keep several middlewares apart?
    fn is_shared(&self) -> bool {
        matches!(self, Self::Python | Self::Uv(_))
    }

    /// What is started. In the middleware's own folder where an interpreter reads files of the folder it is started
    /// in, so that none of the agent's project (`bunfig.toml`, `deno.json`, `.env`) has a say; the shim then goes
    /// where the hook is.
    fn command(&self, programs: &SearchPath) -> Command {
        let (words, folder): (&[&str], Option<&PathBuf>) = match self {
            Self::Python => (&["python3", "-I", "-X", "utf8", "-c", PYTHON], None),
            Self::Uv(folder) => (
                &["uv", "run", "--quiet", "--no-progress", "python", "-I", "-X", "utf8", "-c", PYTHON],
                Some(folder),
            ),
            Self::JavaScript(folder) => (&NODE, Some(folder)),
            Self::TypeScript(folder) => (typescript(programs), Some(folder)),
        };
        let mut command = Command::new(words.first().copied().unwrap_or_default());
        command.args(words.iter().skip(1));
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command
    }
}

const NODE: [&str; 5] = ["node", "--no-warnings", "--input-type=module", "-e", JAVASCRIPT];

/// The first that is there of what reads TypeScript. Node does from 22.18 on.
fn typescript(programs: &SearchPath) -> &'static [&'static str] {
    const RUNNERS: [&[&str]; 3] = [
        &["bun", "-e", JAVASCRIPT],
        &["deno", "eval", "--quiet", "--no-config", "--no-lock", JAVASCRIPT],
        &["tsx", "--input-type=module", "-e", JAVASCRIPT],
    ];
    let there = |words: &&&[&str]| words.first().is_some_and(|name| programs.has(name));
    RUNNERS.iter().find(there).copied().unwrap_or(&NODE)
}

/// How many of the first stages go together.
pub(crate) fn size(stages: &[Stage], programs: &SearchPath) -> usize {
    let interpreter = |stage: &Stage| match &stage.program {
        // A transform changes what the next one sees.
        Program::File(file) if stage.kind != StageKind::Transform => Interpreter::of(file, programs),
        _ => None,
    };
    let Some(first) = stages.first().and_then(interpreter).filter(Interpreter::is_shared) else { return 1 };
    stages.iter().take_while(|stage| interpreter(stage).as_ref() == Some(&first)).count().max(1)
}

/// Runs stages of one language. Those that an interpreter's end left over run in another one.
pub(crate) fn run(stages: &[Stage], input: &Value, earlier: &[StageResult], way: Way) -> Vec<StageResult> {
    let mut results: Vec<StageResult> = Vec::new();
    while let Some(rest) = stages.get(results.len()..).filter(|rest| !rest.is_empty()) {
        let seen: Vec<StageResult> = earlier.iter().chain(&results).cloned().collect();
        let more = one(rest, input, &seen, way);
        let ended = more.is_empty() || more.iter().any(|result| result.said.refuses());
        results.extend(more);
        if way.stop && ended {
            break;
        }
    }
    results
}

/// One interpreter: at least one result comes back, a fault if nothing else.
fn one(stages: &[Stage], input: &Value, earlier: &[StageResult], way: Way) -> Vec<StageResult> {
    let Some(first) = stages.first() else { return Vec::new() };
    let Program::File(file) = &first.program else { return Vec::new() };
    let Some(interpreter) = Interpreter::of(file, way.path) else {
        return vec![StageResult::failed(first, "its file is neither Python, JavaScript nor TypeScript")];
    };
    if let Some(why) = missing(first) {
        return vec![StageResult::failed(first, why)];
    }
    // One that is not there is told in its turn.
    let there = stages.iter().take_while(|stage| missing(stage).is_none()).count();
    let stages = stages.get(..there).unwrap_or_default();
    let begun = Instant::now();
    let opening = opening(input);
    let started = if interpreter.is_shared() {
        Running::start(interpreter.command(way.path), &opening, way.path).map(Running::expecting_more)
    } else {
        // Node does not wait for a second line.
        Running::start(
            interpreter.command(way.path),
            &joined(opening, question(first, input, earlier, &[])),
            way.path,
        )
    };
    let mut running = match started {
        Ok(running) => running,
        Err(why) => return stages.iter().map(|stage| StageResult::failed(stage, why.as_str())).collect(),
    };
    let start = way.within(START);
    match way.next(&mut running, start) {
        Next::Line(_) => Conversation { running, input, earlier, way }.hold(stages, begun),
        Next::Late => {
            running.end(Duration::ZERO);
            let why = format!("its interpreter did not start within {} s", start.as_secs());
            vec![StageResult::failed(first, why)]
        }
        Next::End => vec![ended(first, running)],
    }
}

/// An interpreter that is ready: it is sent one stage at a time, with the results before it.
struct Conversation<'a> {
    running: Running,
    input: &'a Value,
    earlier: &'a [StageResult],
    way: Way<'a>,
}

impl Conversation<'_> {
    /// What the stages say, each within its own time. The interpreter's start counts as a cost of the first.
    fn hold(mut self, stages: &[Stage], mut begun: Instant) -> Vec<StageResult> {
        let mut results: Vec<StageResult> = Vec::new();
        for stage in stages {
            self.running.send(&question(stage, self.input, self.earlier, &results));
            let limit = self.way.within(Duration::from_millis(u64::from(stage.timeout)));
            match self.way.next(&mut self.running, limit) {
                Next::Line(line) => {
                    results.push(StageResult { took: begun.elapsed(), ..read(stage, &line) });
                    begun = Instant::now();
                }
                Next::Late => {
                    self.running.end(Duration::ZERO);
                    results.push(StageResult::late(stage, limit));
                    return results;
                }
                Next::End => {
                    results.push(ended(stage, self.running));
                    return results;
                }
            }
            if self.way.stop && results.iter().any(|result| result.said.refuses()) {
                break;
            }
        }
        self.running.end(Duration::ZERO);
        results
    }
}

/// The interpreter went without an answer.
fn ended(stage: &Stage, running: Running) -> StageResult {
    let (exit, complaint) = running.end(Duration::from_secs(2));
    let exit = exit.map_or_else(|| "by a signal".to_owned(), |code| format!("with exit code {code}"));
    StageResult::failed(stage, format!("its interpreter ended {exit}: {}", last_line(&complaint)))
}

fn missing(stage: &Stage) -> Option<String> {
    match &stage.program {
        Program::File(file) if !Path::new(file).is_file() => Some(format!("its file {file} is not there")),
        _ => None,
    }
}

/// The first line that an interpreter reads: the event, and what is the same for all stages.
fn opening(input: &Value) -> Value {
    let folder = std::env::current_dir();
    object([
        ("input", input.clone()),
        ("base", PYTHON_BASE.into()),
        ("cwd", folder.map_or(Value::Null, |folder| folder.to_string_lossy().as_ref().into())),
    ])
}

/// Two objects as one.
fn joined(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Map(one), Value::Map(other)) => Value::Map(one.into_iter().chain(other).collect()),
        (one, _) => one,
    }
}

/// The line that asks for one stage's answer.
fn question(stage: &Stage, input: &Value, earlier: &[StageResult], own: &[StageResult]) -> Value {
    let Program::File(path) = &stage.program else { return Value::Null };
    let folders = import_folders(path, input).into_iter();
    let stage = object([
        ("id", stage.id.as_str().into()),
        ("type", stage.kind.name().into()),
        ("path", path.as_str().into()),
        ("folders", Value::List(folders.map(|folder| folder.to_string_lossy().as_ref().into()).collect())),
        ("config", parse(stage.config.as_bytes()).unwrap_or(Value::Map(Vec::new()))),
    ]);
    let results = earlier.iter().chain(own).map(StageResult::value).collect();
    object([("stage", stage), ("results", Value::List(results))])
}

/// Where a Python file finds modules of its own: its folder and those above it, up to the folder of the hook file. Not
/// above that: those folders may be the agent's to write.
fn import_folders(path: &str, input: &Value) -> Vec<PathBuf> {
    let top = input.get("__agent_config__").and_then(|config| config.text("folder")).unwrap_or_default();
    let own = Path::new(path).parent().unwrap_or(Path::new(path));
    if top.is_empty() || !own.starts_with(top) || path.contains("/../") {
        return vec![own.to_owned()];
    }
    own.ancestors().take_while(|folder| folder.starts_with(top)).map(Path::to_owned).collect()
}

fn read(stage: &Stage, line: &str) -> StageResult {
    let Ok(answer) = parse(line.as_bytes()) else {
        return StageResult::failed(stage, "its result is not JSON");
    };
    match (answer.text("error"), answer.get("result")) {
        (Some(error), _) if error.contains("Unknown file extension \".ts\"") => StageResult::failed(
            stage,
            "this Node reads no TypeScript; install bun, deno or tsx, or Node 22.18 or newer",
        ),
        (Some(error), _) => StageResult::failed(stage, error.chars().take(300).collect::<String>()),
        (None, Some(result)) => answer::read(stage, result),
        (None, None) => exited(stage, &answer),
    }
}

/// A middleware that ended its process answers by its exit code, and by what it printed where that is one JSON object:
/// 0 allows, 2 refuses whatever was printed, anything else is a fault.
fn exited(stage: &Stage, answer: &Value) -> StageResult {
    let code = answer.text("exit").and_then(|code| code.parse::<i32>().ok());
    let text = |key: &str| answer.text(key).unwrap_or_default().trim();
    let (printed, complaint) = (text("printed"), text("complaint"));
    let none = || Value::Map(Vec::new());
    let object = parse(printed.as_bytes()).ok().filter(|value| value.as_map().is_some());
    let said = object.map(|answer| answer::read(stage, &answer));
    match (code, said) {
        (None, _) => StageResult::failed(stage, "it gave no result"),
        (Some(2), Some(said)) if said.said.refuses() && said.fault.is_none() => said,
        (Some(2), Some(said)) if !said.reason.is_empty() => {
            StageResult::said(stage, Said::Block, said.reason, said.metrics)
        }
        (Some(2), _) => StageResult::said(stage, Said::Block, complaint, none()),
        (Some(0), Some(said)) => said,
        (Some(0), None) => StageResult::said(stage, Said::Allow, "", none()),
        (Some(code), _) => {
            StageResult::failed(stage, format!("it ended with exit code {code}: {}", last_line(complaint)))
        }
    }
}
