//! Claude Code's tools, as calls in no agent's terms.

use tollgate_model::{Dialect, Fault, Replacement, SearchScope, ToolCall};

use super::read::{Fields, unexpected};
use tollgate_model::json::Value;

/// What a call of the tool `name` is to do. A known tool without its key field does nothing and is `Other`.
pub(super) fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "Bash" => shell(input, Dialect::Posix)?,
        "PowerShell" => shell(input, Dialect::PowerShell)?,
        "Monitor" => monitor(input)?,
        "Read" => read(input, "file_path")?,
        "NotebookRead" => read(input, "notebook_path")?,
        "Write" => write(input)?,
        "Edit" => edit(input)?,
        "MultiEdit" => multi_edit(input)?,
        "NotebookEdit" => notebook_edit(input)?,
        "Grep" => search(input, SearchScope::Contents)?,
        "Glob" => search(input, SearchScope::Names)?,
        "LS" => list(input)?,
        "WebFetch" => input.key("url")?.map(|url| ToolCall::Fetch { url: url.to_owned() }),
        "WebSearch" => input.key("query")?.map(|query| ToolCall::WebSearch { query: query.to_owned() }),
        "Agent" | "Task" => spawn(input)?,
        "Skill" => skill(input)?,
        "SlashCommand" => slash_command(input)?,
        _ => name.strip_prefix("mcp__").map(|rest| mcp(rest, server)),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

fn shell(input: Fields, dialect: Dialect) -> Result<Option<ToolCall>, Fault> {
    let sandbox_off = input.switch("dangerouslyDisableSandbox");
    let call =
        |command: &str| ToolCall::Shell { command: command.to_owned(), dialect, cwd: None, sandbox_off };
    Ok(input.key("command")?.map(call))
}

/// Watches the output of a command, or a web socket.
fn monitor(input: Fields) -> Result<Option<ToolCall>, Fault> {
    if let Some(call) = shell(input, Dialect::Posix)? {
        return Ok(Some(call));
    }
    let Some(socket) = input.object("ws", "tool_input.ws.")? else { return Ok(None) };
    Ok(socket.key("url")?.map(|url| ToolCall::Fetch { url: url.to_owned() }))
}

fn read(input: Fields, key: &str) -> Result<Option<ToolCall>, Fault> {
    Ok(input.key(key)?.map(|path| ToolCall::Read { paths: vec![path.to_owned()] }))
}

fn write(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let content = input.optional("content")?;
    let call = |path: &str| ToolCall::Write { path: path.to_owned(), content: content.to_owned() };
    Ok(input.key("file_path")?.map(call))
}

fn edit(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let edits = vec![replacement(input)?];
    Ok(input.key("file_path")?.map(|path| ToolCall::Edit { path: path.to_owned(), edits }))
}

fn multi_edit(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let replacements = input.list("edits")?.iter().map(|edit| element(edit, input.strict));
    let edits = replacements.collect::<Result<Vec<_>, _>>()?;
    Ok(input.key("file_path")?.map(|path| ToolCall::Edit { path: path.to_owned(), edits }))
}

fn element(edit: &Value, strict: bool) -> Result<Replacement, Fault> {
    if strict && edit.as_map().is_none() {
        return Err(unexpected(&format!(
            "an element of `tool_input.edits` is {}, not an object",
            edit.type_name()
        )));
    }
    replacement(Fields { map: edit, within: "tool_input.edits.", strict })
}

fn replacement(edit: Fields) -> Result<Replacement, Fault> {
    Ok(Replacement {
        old: edit.optional("old_string")?.to_owned(),
        new: edit.optional("new_string")?.to_owned(),
    })
}

/// The cell's old text is not in the call.
fn notebook_edit(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let new = input.optional("new_source")?.to_owned();
    let edits = vec![Replacement { old: String::new(), new }];
    Ok(input.key("notebook_path")?.map(|path| ToolCall::Edit { path: path.to_owned(), edits }))
}

fn search(input: Fields, scope: SearchScope) -> Result<Option<ToolCall>, Fault> {
    let path = input.optional("path")?.to_owned();
    let glob = Some(input.optional("glob")?.to_owned()).filter(|glob| !glob.is_empty());
    Ok(input.key("pattern")?.map(|pattern| ToolCall::Search {
        pattern: pattern.to_owned(),
        path,
        glob,
        scope,
    }))
}

/// A directory listing, as older versions had it.
fn list(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let call = |path: &str| ToolCall::Search {
        pattern: "*".to_owned(),
        path: path.to_owned(),
        glob: None,
        scope: SearchScope::Names,
    };
    Ok(input.key("path")?.map(call))
}

fn spawn(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let agent = input.optional("subagent_type")?.to_owned();
    Ok(input.key("prompt")?.map(|prompt| ToolCall::Spawn { agent, prompt: prompt.to_owned() }))
}

fn skill(input: Fields) -> Result<Option<ToolCall>, Fault> {
    let args = input.optional("args")?.to_owned();
    Ok(input.key("skill")?.map(|name| ToolCall::Command { name: bare(name).to_owned(), args }))
}

/// The tool of older versions: name and arguments in one text.
fn slash_command(input: Fields) -> Result<Option<ToolCall>, Fault> {
    Ok(input.key("command")?.map(|line| {
        let line = line.trim();
        let (name, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        ToolCall::Command { name: bare(name).to_owned(), args: args.trim().to_owned() }
    }))
}

fn bare(name: &str) -> &str {
    name.strip_prefix('/').unwrap_or(name)
}

/// `rest` is `server__tool`. The server's own name tells where it ends; without that the first `__` does, as
/// in Claude Code itself.
fn mcp(rest: &str, server: Option<&str>) -> ToolCall {
    let named = server.and_then(|server| rest.strip_prefix(&plain(server))?.strip_prefix("__"));
    let (first, second) = rest.split_once("__").unwrap_or((rest, ""));
    ToolCall::Mcp { server: server.unwrap_or(first).to_owned(), tool: named.unwrap_or(second).to_owned() }
}

/// A server's name as it stands in the names of its tools.
fn plain(server: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    server.chars().map(keep).collect()
}
