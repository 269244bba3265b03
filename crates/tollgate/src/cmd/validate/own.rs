//! `tollgate validate` with a validator of one's own: a file, or a middleware that the policy configures. That one
//! runs, never a built-in with a similar name.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_agents::Payload;
use tollgate_middleware::{Request, Said, SearchPath, StageResult};
use tollgate_model::json::{Value, object, write};
use tollgate_policy::{Pipeline, Program, Stage};
use tollgate_rules::Rules;

use crate::dirs::{Dirs, MANAGED, repository};
use crate::exit::ExitCode;
use crate::world::Machine;

/// The endings of files that have a function to call, or that the gate starts by their language.
const LANGUAGES: [&str; 8] = ["py", "js", "mjs", "cjs", "ts", "mts", "cts", "wasm"];

/// A validator of one's own, in the pipeline that it stands in.
pub struct Own {
    pipeline: Pipeline,
    stage: Stage,
    loaded: tollgate_policy::Loaded,
    dirs: Dirs,
    project: PathBuf,
}

/// What a validator is given: the input of a tool, the members of another event, or a whole event.
pub struct Input {
    /// The tool that was named, or that the input looks like.
    pub tool: String,
    /// The tool was named by the user.
    pub named: bool,
    /// What stood on standard input.
    pub input: Value,
    /// The working directory.
    pub cwd: String,
}

/// Looks a name up: a file first, then the policy. None when it is neither.
pub fn find(name: &str, cwd: &str) -> anyhow::Result<Option<Own>> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let project = repository(Path::new(cwd)).to_owned();
    let request = tollgate_policy::Request {
        managed_dir: Path::new(MANAGED),
        config_dir: &dirs.config,
        state_dir: &dirs.state,
        project: Some(&project),
        built: None,
        cwd: Path::new(cwd),
    };
    let loaded = tollgate_policy::look(&request, &Rules);
    if let Some(program) = file(name)? {
        let stage = Stage::new(name, program);
        let pipeline = alone(&stage);
        return Ok(Some(Own { pipeline, stage, loaded, dirs, project }));
    }
    let of =
        |pipeline: &Pipeline| pipeline.stages_for("claude-code").into_iter().find(|stage| stage.id == name);
    let found = loaded.policy.pipelines.iter().find_map(|pipeline| Some((pipeline.clone(), of(pipeline)?)));
    if let Some((pipeline, stage)) = found {
        return Ok(Some(Own { pipeline, stage, loaded, dirs, project }));
    }
    if tollgate_policy::middleware_ids(&project, &Rules).iter().any(|id| id == name) {
        bail!(
            "middleware `{name}` of this project does not run: it is switched off, or nobody trusted it; see `tollgate trust`"
        );
    }
    Ok(None)
}

impl Own {
    /// Runs it on one input and answers by the contract of validators.
    pub fn answer(&self, given: &Input, name: &str) -> anyhow::Result<ExitCode> {
        let result = self.run(given)?;
        if let Some(fault) = &result.fault {
            bail!("`{name}` gave no answer: {fault}");
        }
        let mut metrics = String::new();
        write(&result.metrics, &mut metrics);
        let metadata = json!({
            "validator": name,
            "tool": given.tool,
            "decision": result.said.name(),
            "type": result.kind.name(),
            "metrics": serde_json::from_str::<serde_json::Value>(&metrics).unwrap_or_default(),
        });
        let unsafe_reason = (result.said >= Said::Ask).then(|| match result.reason.as_str() {
            "" => "it gave no reason".to_owned(),
            reason => reason.to_owned(),
        });
        super::answer(unsafe_reason, metadata);
        Ok(ExitCode::SUCCESS)
    }

    fn run(&self, given: &Input) -> anyhow::Result<StageResult> {
        let adapter =
            tollgate_agents::adapter("claude-code").context("the Claude Code adapter is missing")?;
        let bytes = self.payload(given);
        let payload = Payload { bytes: bytes.as_bytes(), hint: None, env: &|_| None };
        let event = adapter.read(&payload).map_err(|fault| anyhow::anyhow!("{}", fault.message))?;
        let project = self.project.to_string_lossy();
        let world = Machine::new(&project, &self.dirs.config, &self.dirs.state, &self.loaded.sources);
        let effects = tollgate_effects::analyse(&event, &world);
        let request = Request {
            event: &event,
            native: bytes.as_bytes(),
            effects: &effects,
            until: None,
            admission: None,
            path: &SearchPath::new(&self.dirs.state),
        };
        Ok(tollgate_middleware::alone(&self.stage, &self.pipeline, &request))
    }

    /// What Claude Code would send. A whole event is taken as it is.
    fn payload(&self, given: &Input) -> String {
        let mut text = String::new();
        if given.input.get("hook_event_name").is_some() {
            write(&given.input, &mut text);
            return text;
        }
        let is_prompt = !given.named && given.tool.is_empty() && given.input.get("prompt").is_some();
        let name = match self.pipeline.event.as_str() {
            "pre-tool" if is_prompt => "UserPromptSubmit",
            "post-tool" => "PostToolUse",
            "post-tool-fail" => "PostToolUseFailure",
            "permission" => "PermissionRequest",
            "prompt" => "UserPromptSubmit",
            "session-start" => "SessionStart",
            "session-end" => "SessionEnd",
            "stop" => "Stop",
            "subagent-start" => "SubagentStart",
            "subagent-stop" => "SubagentStop",
            "pre-compact" => "PreCompact",
            "notification" => "Notification",
            _ => "PreToolUse",
        };
        let common =
            [("hook_event_name", name.into()), ("session_id", "".into()), ("cwd", given.cwd.as_str().into())];
        let mut payload = object(common);
        if let Value::Map(members) = &mut payload {
            if matches!(name, "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest") {
                members.push(("tool_name".to_owned(), given.tool.as_str().into()));
                members.push(("tool_input".to_owned(), given.input.clone()));
            } else {
                members.extend(given.input.as_map().unwrap_or_default().to_vec());
            }
        }
        write(&payload, &mut text);
        text
    }
}

/// A file by its path. A name that can only be a path must be one.
fn file(name: &str) -> anyhow::Result<Option<Program>> {
    let is_path = ["./", "../", "/"].iter().any(|start| name.starts_with(start));
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let may_be = is_path || name.contains('/') || LANGUAGES.contains(&ending) || ending == "sh";
    let here = std::env::current_dir().context("the working directory is gone")?;
    let Some(path) = may_be.then(|| here.join(name)).filter(|path| path.is_file()) else {
        if is_path {
            bail!("there is no file `{name}`");
        }
        return Ok(None);
    };
    let path = path.canonicalize().unwrap_or(path);
    let executable = path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0);
    let path = path.to_string_lossy().into_owned();
    Ok(Some(match LANGUAGES.contains(&ending) {
        true => Program::File(path),
        false if executable => Program::Run(vec![path]),
        false => Program::Run(vec!["sh".to_owned(), path]),
    }))
}

fn alone(stage: &Stage) -> Pipeline {
    Pipeline {
        id: "validate".to_owned(),
        event: "pre-tool".to_owned(),
        parallel: false,
        deny_by_default: false,
        stages: vec![stage.clone()],
        overrides: Vec::new(),
        folder: String::new(),
        source: String::new(),
    }
}
