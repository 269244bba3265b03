//! `tollgate explain`: what a call would do, and what Tollgate says to it.

use crate::exit::ExitCode;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_model::json;
use tollgate_model::{
    Actor, Agent, Attended, Dialect, Effect, EffectKind, Event, Kind, ToolCall, ToolUse, WriteMode,
};
use tollgate_pipeline::Judgement;

use crate::dirs::{Dirs, MANAGED};
use crate::out;
use crate::world::Machine;

/// Arguments of `tollgate explain`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A shell command
    #[arg(required_unless_present = "tool", conflicts_with = "tool")]
    command: Option<String>,
    /// A tool of Claude Code instead of a command: `Read`, `Write`, …
    #[arg(long, requires = "input")]
    tool: Option<String>,
    /// The tool's input, as JSON
    #[arg(long)]
    input: Option<String>,
    /// The working directory of the call
    #[arg(long)]
    cwd: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Explains a call. Exit 1 when it would not simply run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let event = event(args)?;
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let project = project(&event.cwd);
    let request = tollgate_policy::Request {
        managed_dir: Path::new(MANAGED),
        config_dir: &dirs.config,
        state_dir: &dirs.state,
        project: Some(Path::new(&project)),
        cwd: Path::new(&event.cwd),
    };
    let loaded = tollgate_policy::load(&request, &tollgate_rules::Rules);
    let world = Machine::new(&project, &dirs.config, &dirs.state, &loaded.sources);
    let start = Instant::now();
    let judgement = tollgate_pipeline::judge(&event, &world, &loaded.policy);
    let micros = start.elapsed().as_micros();
    if args.json {
        print_json(&judgement, micros)
    } else {
        print(&event, &judgement, micros)
    }
    Ok(if judgement.decision.verdict.refuses() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn event(args: &Args) -> anyhow::Result<Event> {
    let cwd = match &args.cwd {
        Some(cwd) => cwd.clone(),
        None => {
            std::env::current_dir().context("the working directory is gone")?.to_string_lossy().into_owned()
        }
    };
    let tool = match (&args.command, &args.tool, &args.input) {
        (Some(command), _, _) => shell(command),
        (None, Some(tool), Some(input)) => return tool_event(tool, input, &cwd),
        _ => bail!("give a command, or --tool with --input"),
    };
    Ok(Event {
        agent: Agent::Generic,
        name: "explain".into(),
        session: String::new(),
        actor: Actor::Main,
        cwd,
        project: None,
        transcript: None,
        permission_mode: String::new(),
        attended: Attended::Yes,
        trace: tollgate_model::Trace::default(),
        kind: Kind::PreTool(tool),
    })
}

fn shell(command: &str) -> ToolUse {
    let call = ToolCall::Shell {
        command: command.to_owned(),
        dialect: Dialect::Posix,
        cwd: None,
        sandbox_off: false,
    };
    ToolUse {
        id: String::new(),
        name: "Bash".into(),
        call,
        input: json::object([("command", command.into())]),
    }
}

/// A tool call goes through the same adapter as the agent's own.
fn tool_event(tool: &str, input: &str, cwd: &str) -> anyhow::Result<Event> {
    let input =
        json::parse(input.as_bytes()).map_err(|error| anyhow::anyhow!("--input is no JSON: {error}"))?;
    let payload = json::object([
        ("hook_event_name", "PreToolUse".into()),
        ("session_id", "".into()),
        ("cwd", cwd.into()),
        ("tool_name", tool.into()),
        ("tool_input", input),
    ]);
    let mut bytes = String::new();
    json::write(&payload, &mut bytes);
    let adapter = tollgate_agents::adapter("claude-code").context("the Claude Code adapter is missing")?;
    let payload = tollgate_agents::Payload { bytes: bytes.as_bytes(), hint: None, env: &|_| None };
    adapter.read(&payload).map_err(|fault| anyhow::anyhow!("{}", fault.message))
}

fn project(cwd: &str) -> String {
    let folder = Path::new(cwd);
    let root = folder.ancestors().filter(|folder| folder.join(".git").exists()).last().unwrap_or(folder);
    root.to_string_lossy().into_owned()
}

fn print(event: &Event, judgement: &Judgement, micros: u128) {
    let source = match event.pending().map(|tool| &tool.call) {
        Some(ToolCall::Shell { command, .. }) => command.as_str(),
        _ => "",
    };
    for effect in &judgement.effects {
        let words = effect.span.of(source).lines().next().unwrap_or_default();
        out::line(&format!("  {:<10} {:<44} {words}", effect.kind.name(), describe(effect)));
    }
    for finding in &judgement.decision.findings {
        out::line(&format!("  {:<10} {}", finding.verdict.name(), finding.sentence()));
    }
    out::line(&format!("{} ({micros} µs)", judgement.decision.verdict.name()));
}

fn print_json(judgement: &Judgement, micros: u128) {
    let effects: Vec<_> = judgement
        .effects
        .iter()
        .map(|effect| {
            json!({
                "kind": effect.kind.name(), "what": describe(effect),
                "certainty": format!("{:?}", effect.certainty).to_lowercase(),
                "span": [effect.span.start, effect.span.end],
            })
        })
        .collect();
    let findings: Vec<_> = judgement
        .decision
        .findings
        .iter()
        .map(|finding| json!({"rule": finding.rule, "verdict": finding.verdict.name(), "what": finding.hit.what, "instead": finding.hit.instead}))
        .collect();
    let verdict = judgement.decision.verdict.name();
    out::line(
        &json!({"verdict": verdict, "effects": effects, "findings": findings, "us": micros}).to_string(),
    );
}

fn describe(effect: &Effect) -> String {
    let place = |place: &tollgate_model::Place| {
        let path = if place.path.is_empty() { "?" } else { &place.path };
        format!("{path} ({})", place.zone.name())
    };
    match &effect.kind {
        EffectKind::Read { place: at, recursive } => {
            format!("{}{}", place(at), if *recursive { " recursively" } else { "" })
        }
        EffectKind::Write { place: at, mode, .. } => {
            let how = match mode {
                WriteMode::Overwrite => "",
                WriteMode::Append => " append",
                WriteMode::Edit => " edit",
            };
            format!("{}{how}", place(at))
        }
        EffectKind::Delete { place: at, recursive } => {
            format!("{}{}", place(at), if *recursive { " recursively" } else { "" })
        }
        EffectKind::Permission { place: at, to, .. } => format!("{} to {to}", place(at)),
        EffectKind::Device { place: at } => place(at),
        EffectKind::Exec { program, source, .. } => format!("{program} ({source:?})").to_lowercase(),
        EffectKind::Net { host, direction, .. } => format!("{host} ({direction:?})").to_lowercase(),
        EffectKind::Process { signal, target } => format!("{signal} {target}"),
        EffectKind::Privilege { how } => how.clone(),
        EffectKind::Persist { place } => place.clone(),
        EffectKind::Tamper { what } | EffectKind::Weaken { what } => what.clone(),
        EffectKind::Opaque { why } => why.clone(),
        EffectKind::Spawn { agent } => agent.clone(),
        _ => String::new(),
    }
}
