//! Claude Code's tools, as calls in no agent's terms.

use tollgate_model::{Dialect, Fault, Replacement, SearchScope, ToolCall};

use crate::fields::Fields;
use crate::tools::{self, Found};

/// What a call of the tool `name` is to do. A known tool without its key field does nothing and is `Other`.
pub(super) fn call(name: &str, server: Option<&str>, input: Fields) -> Result<ToolCall, Fault> {
    let call = match name {
        "Bash" => shell(input, Dialect::Posix)?,
        "PowerShell" => shell(input, Dialect::PowerShell)?,
        "Monitor" => monitor(input)?,
        "Read" => tools::read(input, "file_path")?,
        "NotebookRead" => tools::read(input, "notebook_path")?,
        "Write" => tools::write(input, "file_path", "content")?,
        "Edit" => tools::edit(input, "file_path", "old_string", "new_string")?,
        "MultiEdit" => tools::edits(input, "file_path", "edits", ["old_string", "new_string"])?,
        "NotebookEdit" => notebook_edit(input)?,
        "Grep" => tools::search(input, "path", "glob", SearchScope::Contents)?,
        "Glob" => tools::search(input, "path", "glob", SearchScope::Names)?,
        "LS" => tools::list(input, "path")?,
        "WebFetch" => tools::fetch(input, "url")?,
        "WebSearch" => tools::web_search(input, "query")?,
        "Agent" | "Task" => tools::spawn(input, "subagent_type", "prompt")?,
        "Skill" => tools::command(input, "skill", "args")?,
        "SlashCommand" => slash_command(input)?,
        _ => name.strip_prefix("mcp__").map(|rest| tools::mcp(rest, server, "__")),
    };
    Ok(call.unwrap_or(ToolCall::Other))
}

fn shell(input: Fields, dialect: Dialect) -> Found {
    let sandbox_off = input.switch("dangerouslyDisableSandbox");
    let call =
        |command: &str| ToolCall::Shell { command: command.to_owned(), dialect, cwd: None, sandbox_off };
    Ok(input.key("command")?.map(call))
}

/// Watches the output of a command, or a web socket.
fn monitor(input: Fields) -> Found {
    if let Some(call) = shell(input, Dialect::Posix)? {
        return Ok(Some(call));
    }
    let Some(socket) = input.object("ws", "tool_input.ws.")? else { return Ok(None) };
    Ok(socket.key("url")?.map(|url| ToolCall::Fetch { url: url.to_owned() }))
}

/// The cell's old text is not in the call.
fn notebook_edit(input: Fields) -> Found {
    let new = input.optional("new_source")?.to_owned();
    let edits = vec![Replacement { old: String::new(), new }];
    Ok(input.key("notebook_path")?.map(|path| ToolCall::Edit { path: path.to_owned(), edits }))
}

/// The tool of older versions: name and arguments in one text.
fn slash_command(input: Fields) -> Found {
    Ok(input.key("command")?.map(|line| {
        let line = line.trim();
        let (name, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        ToolCall::Command { name: bare(name).to_owned(), args: args.trim().to_owned() }
    }))
}

fn bare(name: &str) -> &str {
    name.strip_prefix('/').unwrap_or(name)
}
