//! The event as every middleware sees it: in Claude Code's shape, whatever the agent.

use tollgate_model::json::{Value, object, parse};
use tollgate_model::{Actor, Agent, Event, Kind, SearchScope, ToolCall, ToolUse};
use tollgate_policy::{Pipeline, Program, Stage};

use crate::{Request, files};

/// The event as an object, for these stages. The agent's own payload and configuration are there where a stage can see
/// them: but for the tracer, built-ins cannot.
pub(crate) fn input(request: &Request, pipeline: &Pipeline, stages: &[Stage]) -> Value {
    let event = request.event;
    let sees_all = |stage: &Stage| !matches!(&stage.program, Program::BuiltIn(name) if name != TRACER);
    let mut members: Vec<(String, Value)> = Vec::new();
    let mut put = |key: &str, value: Value| members.push((key.to_owned(), value));
    put("session_id", event.session.as_str().into());
    put("transcript_path", event.transcript.as_deref().unwrap_or_default().into());
    put("cwd", event.cwd.as_str().into());
    put("permission_mode", event.permission_mode.as_str().into());
    put("hook_event_name", event_name(event).into());
    if let Some(tool) = event.tool() {
        put("tool_name", tool_name(event).as_str().into());
        put("tool_input", tool_input(event, tool));
        put("tool_use_id", tool.id.as_str().into());
    }
    for (key, value) in details(&event.kind) {
        put(key, value);
    }
    if let Actor::Subagent { id, kind } = &event.actor {
        put("agent_id", id.as_str().into());
        put("agent_type", kind.as_str().into());
    }
    put("agent", event.agent.name().into());
    if stages.iter().any(sees_all) {
        let native = parse(request.native).unwrap_or(Value::Null);
        // How long the call took, as some agents tell it: hooks of those agents look for it at the top.
        if let Some(duration) = native.get("duration_ms") {
            put("duration_ms", duration.clone());
        }
        put("native", native);
        put("__agent_config__", agent_config(pipeline, event.agent.name()));
    }
    Value::Map(members)
}

const TRACER: &str = "debug-tracer";

/// Puts another input in the place of the call's.
pub(crate) fn replace_input(event: &mut Value, input: &Value) {
    if let Value::Map(members) = event {
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "tool_input" => *value = input.clone(),
                "native" => replace_input(value, input),
                _ => {}
            }
        }
    }
}

/// The tool's name in the common shape.
pub(crate) fn tool_name(event: &Event) -> String {
    let Some(tool) = event.tool() else { return String::new() };
    if event.agent == Agent::ClaudeCode {
        return tool.name.clone();
    }
    match &tool.call {
        ToolCall::Shell { .. } => "Bash".into(),
        ToolCall::Read { .. } => "Read".into(),
        ToolCall::Write { .. } => "Write".into(),
        ToolCall::Edit { .. } => "Edit".into(),
        ToolCall::Search { scope: SearchScope::Contents, .. } => "Grep".into(),
        ToolCall::Search { .. } => "Glob".into(),
        ToolCall::Fetch { .. } => "WebFetch".into(),
        ToolCall::WebSearch { .. } => "WebSearch".into(),
        ToolCall::Spawn { .. } => "Task".into(),
        ToolCall::Command { .. } => "SlashCommand".into(),
        ToolCall::Mcp { server, tool } => format!("mcp__{server}__{tool}"),
        ToolCall::Delete { .. } => "Delete".into(),
        ToolCall::Patch { .. } => "Patch".into(),
        ToolCall::Other => tool.name.clone(),
    }
}

fn tool_input(event: &Event, tool: &ToolUse) -> Value {
    if event.agent == Agent::ClaudeCode {
        return tool.input.clone();
    }
    let text = |value: &str| Value::from(value);
    let files = || {
        let paths = files::paths(tool, &event.cwd);
        Value::List(paths.iter().map(|path| text(path)).collect())
    };
    match &tool.call {
        ToolCall::Shell { command, .. } => object([("command", text(command))]),
        ToolCall::Read { paths } if paths.len() > 1 => {
            object([("file_path", text(paths.first().map_or("", String::as_str))), ("file_paths", files())])
        }
        ToolCall::Read { paths } => object([("file_path", text(paths.first().map_or("", String::as_str)))]),
        ToolCall::Write { path, content } => object([("file_path", text(path)), ("content", text(content))]),
        ToolCall::Edit { path, edits } => {
            let first = edits.first();
            object([
                ("file_path", text(path)),
                ("old_string", text(first.map_or("", |edit| edit.old.as_str()))),
                ("new_string", text(first.map_or("", |edit| edit.new.as_str()))),
                (
                    "edits",
                    Value::List(
                        edits
                            .iter()
                            .map(|edit| {
                                object([("old_string", text(&edit.old)), ("new_string", text(&edit.new))])
                            })
                            .collect(),
                    ),
                ),
            ])
        }
        ToolCall::Delete { path } => object([("file_path", text(path))]),
        ToolCall::Patch { text: patch } => object([("patch", text(patch)), ("file_paths", files())]),
        ToolCall::Fetch { url } => object([("url", text(url))]),
        ToolCall::WebSearch { query } => object([("query", text(query))]),
        ToolCall::Search { pattern, path, .. } => object([("pattern", text(pattern)), ("path", text(path))]),
        ToolCall::Spawn { agent, prompt } => {
            object([("subagent_type", text(agent)), ("prompt", text(prompt))])
        }
        ToolCall::Command { .. } | ToolCall::Mcp { .. } | ToolCall::Other => tool.input.clone(),
    }
}

/// The common name of the event.
fn event_name(event: &Event) -> &str {
    match &event.kind {
        Kind::PreTool(_) => "PreToolUse",
        Kind::PostTool { .. } => "PostToolUse",
        Kind::PostToolFail { .. } => "PostToolUseFailure",
        Kind::Permission(_) => "PermissionRequest",
        Kind::Prompt { .. } => "UserPromptSubmit",
        Kind::SessionStart { .. } => "SessionStart",
        Kind::SessionEnd { .. } => "SessionEnd",
        Kind::Stop { .. } => "Stop",
        Kind::SubagentStart => "SubagentStart",
        Kind::SubagentStop { .. } => "SubagentStop",
        Kind::PreCompact { .. } => "PreCompact",
        Kind::Notification { .. } => "Notification",
        _ => &event.name,
    }
}

/// What an event says besides its call.
fn details(kind: &Kind) -> Vec<(&'static str, Value)> {
    let text = |value: &String| Value::from(value.as_str());
    match kind {
        Kind::Prompt { text: prompt } => vec![("prompt", text(prompt))],
        Kind::PostTool { response, .. } => vec![("tool_response", response.clone())],
        Kind::PostToolFail { error, .. } => vec![("error", text(error))],
        Kind::SessionStart { source } => vec![("source", text(source))],
        Kind::SessionEnd { reason } => vec![("reason", text(reason))],
        Kind::Stop { again, message } | Kind::SubagentStop { again, message } => {
            let active = again.unwrap_or_default().into();
            vec![("stop_hook_active", active), ("last_assistant_message", text(message))]
        }
        Kind::PreCompact { trigger } => vec![("trigger", text(trigger))],
        Kind::Notification { message, .. } => vec![("message", text(message))],
        _ => Vec::new(),
    }
}

/// What the build would have put into the wrapper: the agent, and its middlewares as they are for it.
fn agent_config(pipeline: &Pipeline, agent: &str) -> Value {
    let stages = pipeline.stages_for(agent).into_iter().map(|stage| {
        let (how, what) = match &stage.program {
            Program::File(path) => ("path", Value::from(path.as_str())),
            Program::Run(words) => {
                ("run", Value::List(words.iter().map(|word| word.as_str().into()).collect()))
            }
            Program::BuiltIn(name) => ("uses", name.as_str().into()),
        };
        object([
            ("id", stage.id.as_str().into()),
            (how, what),
            ("type", stage.kind.name().into()),
            ("enabled", true.into()),
            ("timeout", (u64::from(stage.timeout) / 1000).into()),
            ("config", parse(stage.config.as_bytes()).unwrap_or(Value::Map(Vec::new()))),
        ])
    });
    object([
        ("agent", agent.into()),
        ("hook", pipeline.id.as_str().into()),
        ("folder", pipeline.folder.as_str().into()),
        ("middleware", Value::List(stages.collect())),
    ])
}
