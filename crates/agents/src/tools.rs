//! Tools that many agents have under other names: each with the names of its input's members.

use tollgate_model::json::{Value, parse};
use tollgate_model::{Dialect, Fault, Replacement, SearchScope, ToolCall};

use crate::fields::Fields;

/// A known tool without its key member does nothing, and is `Other`.
pub(crate) type Found = Result<Option<ToolCall>, Fault>;

/// A command line, with a directory of its own where `cwd` names one.
pub(crate) fn shell(input: Fields, key: &str, cwd: &str) -> Found {
    let own = Some(input.optional(cwd)?.to_owned()).filter(|cwd| !cwd.is_empty());
    Ok(input.key(key)?.map(|command| posix(command, own)))
}

/// A command line for bash.
pub(crate) fn posix(command: &str, cwd: Option<String>) -> ToolCall {
    ToolCall::Shell { command: command.to_owned(), dialect: Dialect::Posix, cwd, sandbox_off: false }
}

/// A command line for PowerShell.
pub(crate) fn powershell(input: Fields, key: &str) -> Found {
    let dialect = Dialect::PowerShell;
    let call =
        |text: &str| ToolCall::Shell { command: text.to_owned(), dialect, cwd: None, sandbox_off: false };
    Ok(input.key(key)?.map(call))
}

pub(crate) fn read(input: Fields, key: &str) -> Found {
    Ok(input.key(key)?.map(|path| ToolCall::Read { paths: vec![path.to_owned()] }))
}

pub(crate) fn write(input: Fields, path: &str, content: &str) -> Found {
    let content = input.optional(content)?.to_owned();
    Ok(input.key(path)?.map(|path| ToolCall::Write { path: path.to_owned(), content }))
}

pub(crate) fn edit(input: Fields, path: &str, old: &str, new: &str) -> Found {
    let edits = vec![replacement(input, old, new)?];
    Ok(input.key(path)?.map(|path| ToolCall::Edit { path: path.to_owned(), edits }))
}

/// Several replacements in one file, each an element of `list`.
pub(crate) fn edits(input: Fields, path: &str, list: &'static str, names: [&str; 2]) -> Found {
    let element = |edit: &Value| {
        if input.strict && edit.as_map().is_none() {
            let what = format!("an element of `tool_input.{list}` is {}, not an object", edit.type_name());
            return Err(input.unexpected(&what));
        }
        replacement(Fields { map: edit, within: "tool_input.edits.", ..input }, names[0], names[1])
    };
    let edits = input.list(list)?.iter().map(element).collect::<Result<Vec<_>, _>>()?;
    Ok(input.key(path)?.map(|path| ToolCall::Edit { path: path.to_owned(), edits }))
}

pub(crate) fn delete(input: Fields, key: &str) -> Found {
    Ok(input.key(key)?.map(|path| ToolCall::Delete { path: path.to_owned() }))
}

/// A patch, as a member of the input or as the whole of it.
pub(crate) fn patch(input: Fields, keys: &[&str]) -> Found {
    if let Some(text) = input.map.as_str() {
        return Ok(Some(ToolCall::Patch { text: text.to_owned() }));
    }
    for key in keys {
        if let Some(text) = input.key(key)? {
            return Ok(Some(ToolCall::Patch { text: text.to_owned() }));
        }
    }
    Ok(None)
}

/// A search for `pattern`, through contents or names.
pub(crate) fn search(input: Fields, path: &str, glob: &str, scope: SearchScope) -> Found {
    let path = input.optional(path)?.to_owned();
    let glob = Some(input.optional(glob)?.to_owned()).filter(|glob| !glob.is_empty());
    let call = |pattern: &str| ToolCall::Search { pattern: pattern.to_owned(), path, glob, scope };
    Ok(input.key("pattern")?.map(call))
}

/// A directory listing.
pub(crate) fn list(input: Fields, key: &str) -> Found {
    let call = |path: &str| ToolCall::Search {
        pattern: "*".to_owned(),
        path: path.to_owned(),
        glob: None,
        scope: SearchScope::Names,
    };
    Ok(input.key(key)?.map(call))
}

pub(crate) fn fetch(input: Fields, key: &str) -> Found {
    Ok(input.key(key)?.map(|url| ToolCall::Fetch { url: url.to_owned() }))
}

pub(crate) fn web_search(input: Fields, key: &str) -> Found {
    Ok(input.key(key)?.map(|query| ToolCall::WebSearch { query: query.to_owned() }))
}

pub(crate) fn spawn(input: Fields, agent: &str, prompt: &str) -> Found {
    let agent = input.optional(agent)?.to_owned();
    Ok(input.key(prompt)?.map(|prompt| ToolCall::Spawn { agent, prompt: prompt.to_owned() }))
}

/// A skill or a slash command.
pub(crate) fn command(input: Fields, name: &str, args: &str) -> Found {
    let args = input.optional(args)?.to_owned();
    Ok(input.key(name)?.map(|name| {
        let name = name.strip_prefix('/').unwrap_or(name).to_owned();
        ToolCall::Command { name, args }
    }))
}

/// `rest` is `server__tool`. The server's own name tells where it ends; without that the first `__` does.
pub(crate) fn mcp(rest: &str, server: Option<&str>, between: &str) -> ToolCall {
    let named = server.and_then(|server| rest.strip_prefix(&plain(server))?.strip_prefix(between));
    let (first, second) = rest.split_once(between).unwrap_or((rest, ""));
    ToolCall::Mcp { server: server.unwrap_or(first).to_owned(), tool: named.unwrap_or(second).to_owned() }
}

/// Another shape of the same tool, where the first has not got its key member.
pub(crate) fn either(first: Option<ToolCall>, second: impl Fn() -> Found) -> Found {
    if first.is_some() { Ok(first) } else { second() }
}

/// JSON in a string, as some agents give a tool's input.
pub(crate) fn unwrapped(input: &Value) -> Option<Value> {
    parse(input.as_str()?.as_bytes()).ok().filter(|value| value.as_map().is_some())
}

fn replacement(edit: Fields, old: &str, new: &str) -> Result<Replacement, Fault> {
    Ok(Replacement { old: edit.optional(old)?.to_owned(), new: edit.optional(new)?.to_owned() })
}

/// A server's name as it stands in the names of its tools.
fn plain(server: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    server.chars().map(keep).collect()
}
