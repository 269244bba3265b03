//! `tollgate explain`: what a call would do, and what Tollgate says to it.

mod object;
mod page;
mod snippet;

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Parser as _;
use tollgate_agents::install::registration::quoted;
use tollgate_middleware::StageResult;
use tollgate_model::json::{self, Value};
use tollgate_model::{Agent, Case, Decision, Effect, Event, Finding, Kind, Span, ToolCall, ToolUse, Verdict};
use tollgate_pipeline::{Opinion, Used};
use tollgate_policy::Policy;
use tollgate_store::Log;

use crate::cmd::replay::Written;
use crate::dirs::{Dirs, MANAGED, repository};
use crate::exceptions;
use crate::exit::ExitCode;
use crate::guard::Guard;
use crate::out;
use crate::report::escaped;
use crate::world::Machine;

/// Arguments of `tollgate explain`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Shell command, `-` for stdin, or the number of a logged call
    #[arg(conflicts_with = "tool", allow_hyphen_values = true, trailing_var_arg = true)]
    command: Vec<String>,
}

/// The same after a command that is one word: `tollgate explain 'git push' --json`.
#[derive(clap::Parser, Debug)]
#[command(name = "tollgate explain 'COMMAND'", no_binary_name = true)]
struct Trailing {
    #[command(flatten)]
    options: Options,
}

#[derive(clap::Args, Clone, Debug)]
struct Options {
    /// Judge a tool call: `Read`, `Write`, `mcp__server__tool`, …
    #[arg(long, requires = "input")]
    tool: Option<String>,
    /// Tool input as JSON; `-` reads standard input
    #[arg(long, requires = "tool")]
    input: Option<String>,
    /// Working directory of the call
    #[arg(long)]
    cwd: Option<String>,
    /// Also list the rules that do not apply
    #[arg(long)]
    all: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The options, before or after the command, and the words of the command. Options that follow several words belong to the
    /// command.
    fn split(&self) -> (Options, &[String]) {
        const OWN: [&str; 5] = ["--tool", "--input", "--cwd", "--all", "--json"];
        let is_own = |word: &String| OWN.contains(&word.split('=').next().unwrap_or_default());
        match self.command.split_first() {
            Some((_, rest)) if rest.first().is_some_and(is_own) => {
                let Trailing { options } = Trailing::parse_from(rest);
                let given = &self.options;
                let both = Options {
                    tool: options.tool.or_else(|| given.tool.clone()),
                    input: options.input.or_else(|| given.input.clone()),
                    cwd: options.cwd.or_else(|| given.cwd.clone()),
                    all: options.all || given.all,
                    json: options.json || given.json,
                };
                (both, self.command.get(..1).unwrap_or_default())
            }
            _ => (self.options.clone(), &self.command),
        }
    }
}

/// Longer texts are no commands.
const LONGEST: u64 = 16 << 20;

/// Explains a call. Exit 1 when it would not simply run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (options, command) = args.split();
    let logged = logged(&options, command)?;
    let call = match &logged {
        Some(logged) => logged.call()?,
        None => Call::of(&options, command)?,
    };
    let told = explain(&call)?;
    if let Some(logged) = logged.filter(|_| !options.json) {
        out::line(&logged.told());
    }
    if options.json {
        object::print(&told, options.all);
    } else {
        page::print(&told, options.all);
    }
    Ok(if told.decision.verdict.refuses() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// A call of the log.
struct Logged {
    record: Value,
    line: String,
}

/// The call that a number stands for; none where something else is to be explained. No program has a number for a name.
fn logged(options: &Options, words: &[String]) -> anyhow::Result<Option<Logged>> {
    let [word] = words else { return Ok(None) };
    let Some(seq) = word.parse::<u64>().ok().filter(|_| options.tool.is_none()) else { return Ok(None) };
    let state = Dirs::find().context("no home directory: set HOME")?.state;
    let entry = Log::at(&state).records_from(seq).next().filter(|entry| entry.seq == seq);
    let Some((entry, record)) = entry.and_then(|entry| entry.value().map(|record| (entry, record))) else {
        bail!("the log has no event {seq}. To list events, run: tollgate log");
    };
    if record.get("input").is_none() {
        bail!("event {seq} is no tool call. To show it, run: tollgate log show {seq}");
    }
    Ok(Some(Logged { record, line: entry.line }))
}

impl Logged {
    fn call(&self) -> anyhow::Result<Call> {
        let event = Written::Line(self.line.clone()).event();
        let event = event.context("the logged call cannot be understood; show it with: tollgate log show")?;
        let text = |key: &str| self.record.text(key).unwrap_or_default().to_owned();
        let input = self.record.get("input").cloned().unwrap_or(Value::Null);
        Ok(Call { tool: text("tool"), input, cwd: text("cwd"), logged: Some(event) })
    }

    /// What was said then, and how far this answer can differ.
    fn told(&self) -> String {
        let text = |key: &str| escaped(self.record.text(key).unwrap_or_default());
        let verdict = if text("expressed").is_empty() { text("verdict") } else { text("expressed") };
        let rules = self.record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let rules: Vec<String> = rules.iter().filter_map(|one| one.text("rule")).map(escaped).collect();
        let rules = if rules.is_empty() { String::new() } else { format!(" [{}]", rules.join(" ")) };
        format!(
            "Logged {} for {}: {verdict}{rules}\nJudged again with today's files and policy, without what the session did before:\n",
            text("ts"),
            text("agent")
        )
    }
}

/// A call as it was given.
pub struct Call {
    /// `Bash`, `Read`, …
    pub tool: String,
    /// Its input, as JSON.
    pub input: Value,
    /// Where it would run.
    pub cwd: String,
    /// The event that the log has of it.
    pub logged: Option<Event>,
}

impl Call {
    fn of(args: &Options, words: &[String]) -> anyhow::Result<Self> {
        let cwd = here(args.cwd.as_deref())?;
        match (&args.tool, &args.input) {
            (Some(tool), Some(input)) => {
                let text = if input == "-" { stdin()? } else { input.clone() };
                let input = json::parse(text.as_bytes())
                    .map_err(|error| anyhow::anyhow!("the tool's input is no JSON: {error}"))?;
                Ok(Self { tool: tool.clone(), input, cwd, logged: None })
            }
            _ => {
                let command = command(words)?;
                let input = json::object([("command", command.as_str().into())]);
                Ok(Self { tool: "Bash".into(), input, cwd, logged: None })
            }
        }
    }
}

/// The working directory of a call: named, or ours.
pub fn here(named: Option<&str>) -> anyhow::Result<String> {
    let own = std::env::current_dir().context("the working directory is gone")?;
    Ok(own
        .join(named.unwrap_or_default())
        .components()
        .collect::<std::path::PathBuf>()
        .to_string_lossy()
        .into_owned())
}

/// Standard input as text.
pub fn stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().take(LONGEST).read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All that is to be told about a call.
pub struct Explanation {
    /// The call, as an event.
    pub event: Event,
    /// The project it is judged in.
    pub project: String,
    home: String,
    /// What it would do.
    pub effects: Vec<Effect>,
    /// What every rule says to it.
    pub opinions: Vec<Opinion>,
    /// What each middleware of the user's says to it, and how long it took.
    pub middleware: Vec<StageResult>,
    /// What the policy's own rules say to it.
    pub own: Vec<OwnRule>,
    /// The exceptions that let it pass.
    pub excepted: Vec<Used>,
    /// What becomes of it.
    pub decision: Decision,
    /// Names the policy.
    pub digest: String,
    /// What must be known about the policy.
    pub notices: Vec<String>,
    times: Times,
}

/// What a rule of a policy file says.
pub struct OwnRule {
    /// Its name.
    pub id: String,
    /// Its reason.
    pub reason: String,
    /// The file that has it, with line and column.
    pub place: String,
    /// What it found.
    pub finding: Option<Finding>,
    /// Why its condition has no value.
    pub why: Option<String>,
}

impl OwnRule {
    fn of(own: &tollgate_pipeline::Own) -> Self {
        let tollgate_pipeline::Own { rule, finding, why } = own;
        Self {
            id: rule.id.clone(),
            reason: rule.reason.clone(),
            place: format!("{}:{}:{}", rule.file, rule.place.0, rule.place.1),
            finding: finding.clone(),
            why: why.clone(),
        }
    }
}

/// How long each step took, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    read: u128,
    policy: u128,
    effects: u128,
    rules: u128,
}

/// Judges a call as the hook would, and leaves no trace.
pub fn explain(call: &Call) -> anyhow::Result<Explanation> {
    let mut watch = Watch(Instant::now());
    let event = event(call)?;
    let read = watch.lap();
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let named = event.project.clone().filter(|_| call.logged.is_some());
    let project = named.unwrap_or_else(|| repository(Path::new(&event.cwd)).to_string_lossy().into_owned());
    let request = tollgate_policy::Request {
        managed_dir: Path::new(MANAGED),
        config_dir: &dirs.config,
        state_dir: &dirs.state,
        project: Some(Path::new(&project)),
        built: None,
        cwd: Path::new(&event.cwd),
    };
    let loaded = tollgate_policy::look(&request, &tollgate_rules::Rules);
    let world = Machine::new(&project, &dirs.config, &dirs.state, &loaded.sources);
    let policy = watch.lap();
    let effects = tollgate_effects::analyse(&event, &world);
    let analysed = watch.lap();
    let case = Case { event: &event, effects: &effects, world: &world };
    let mut decision = tollgate_pipeline::decide(&case, &loaded.policy);
    let excepted = exceptions::apply(&mut decision, &case, &loaded.policy, &dirs.state);
    let times = Times { read, policy, effects: analysed, rules: watch.lap() };
    let middleware = middleware(call, &event, &effects, &loaded.policy, &world, &dirs.state, &mut decision)?;
    let opinions = tollgate_pipeline::opinions(&case, &loaded.policy);
    let own = tollgate_pipeline::own_opinions(&case, &loaded.policy).iter().map(OwnRule::of).collect();
    let (digest, notices) = (loaded.digest, loaded.notices);
    let home = dirs.home.to_string_lossy().into_owned();
    Ok(Explanation {
        event,
        project,
        home,
        effects,
        opinions,
        own,
        excepted,
        middleware,
        decision,
        digest,
        notices,
        times,
    })
}

/// Runs the user's middleware as Claude Code's hook would, unless the call is refused already. Observers stay out
/// of it: they are for what happens.
fn middleware(
    call: &Call,
    event: &Event,
    effects: &[Effect],
    policy: &Policy,
    world: &Machine,
    state: &Path,
    decision: &mut Decision,
) -> anyhow::Result<Vec<StageResult>> {
    if policy.pipelines.is_empty() || decision.verdict >= Verdict::Deny {
        return Ok(Vec::new());
    }
    let event = Event { agent: Agent::ClaudeCode, ..event.clone() };
    let native = payload(call);
    let guard = Guard {
        adapter: tollgate_agents::adapter(CLAUDE).context("the Claude Code adapter is missing")?,
        event: &event,
        native: native.as_bytes(),
        policy,
        world,
        state,
    };
    Ok(guard.judge(effects, decision))
}

impl Explanation {
    fn call(&self) -> Option<&ToolCall> {
        self.event.pending().map(|tool| &tool.call)
    }

    fn tool(&self) -> &str {
        self.event.pending().map_or("", |tool| tool.name.as_str())
    }

    /// The text that spans point into.
    fn source(&self) -> &str {
        match self.call() {
            Some(ToolCall::Shell { command, .. }) => command,
            _ => "",
        }
    }

    /// A call that is no command, on one line.
    fn title(&self) -> String {
        let mut input = String::new();
        if let Some(tool) = self.event.pending() {
            json::write(&tool.input, &mut input);
        }
        format!("{} {input}", self.tool())
    }

    /// The strictest verdict over a part of the source.
    fn verdict_at(&self, span: Span) -> Option<Verdict> {
        let refusing = self.decision.findings.iter().filter(|found| found.verdict.refuses());
        refusing.filter(|found| found.hit.span == span).map(|found| found.verdict).max()
    }
}

struct Watch(Instant);

impl Watch {
    fn lap(&mut self) -> u128 {
        let lap = self.0.elapsed().as_micros();
        self.0 = Instant::now();
        lap
    }
}

/// A command needs no adapter; any other tool call goes through that of Claude Code, as the agent's own do.
fn event(call: &Call) -> anyhow::Result<Event> {
    if let Some(event) = &call.logged {
        return Ok(event.clone());
    }
    match call.input.text("command").filter(|_| call.tool == "Bash") {
        Some(command) => Ok(shell(command, call)),
        None => adapted(call),
    }
}

fn shell(command: &str, call: &Call) -> Event {
    let shell = ToolCall::shell(command);
    let tool = ToolUse { id: String::new(), name: call.tool.clone(), call: shell, input: call.input.clone() };
    Event::of(Agent::Generic, "explain", &call.cwd, Kind::PreTool(tool))
}

const CLAUDE: &str = "claude-code";

/// The name of a call that is no tool's, but what a person types.
pub const PROMPT: &str = "UserPromptSubmit";

/// What Claude Code would send.
fn payload(call: &Call) -> String {
    if call.tool == PROMPT {
        return prompt_payload(call);
    }
    let payload = json::object([
        ("hook_event_name", "PreToolUse".into()),
        ("session_id", "".into()),
        ("cwd", call.cwd.as_str().into()),
        ("tool_name", call.tool.as_str().into()),
        ("tool_input", call.input.clone()),
    ]);
    let mut bytes = String::new();
    json::write(&payload, &mut bytes);
    bytes
}

fn prompt_payload(call: &Call) -> String {
    let payload = json::object([
        ("hook_event_name", PROMPT.into()),
        ("session_id", "".into()),
        ("cwd", call.cwd.as_str().into()),
        ("prompt", call.input.text("prompt").unwrap_or_default().into()),
    ]);
    let mut bytes = String::new();
    json::write(&payload, &mut bytes);
    bytes
}

fn adapted(call: &Call) -> anyhow::Result<Event> {
    let bytes = payload(call);
    let adapter = tollgate_agents::adapter(CLAUDE).context("the Claude Code adapter is missing")?;
    let payload = tollgate_agents::Payload { bytes: bytes.as_bytes(), hint: None, env: &|_| None };
    adapter.read(&payload).map_err(|fault| anyhow::anyhow!("{}", fault.message))
}

/// One word is the text of a command. Several are what the person's shell made of a command that was typed without quotes.
fn command(given: &[String]) -> anyhow::Result<String> {
    match given {
        [only] if only == "-" => stdin(),
        [only] => Ok(only.clone()),
        [] if std::io::stdin().is_terminal() => bail!("give a command, or --tool with --input"),
        [] => stdin(),
        words => Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    }
}
