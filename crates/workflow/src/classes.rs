//! Classes of calls, each a bit: what the index keeps of the tools that a workflow listens to.

use tollgate_model::Event;

/// The classes of tools, each a bit, and one for events without a tool.
const CLASSES: [&str; 13] = [
    "shell",
    "read",
    "write",
    "edit",
    "delete",
    "patch",
    "search",
    "fetch",
    "web-search",
    "spawn",
    "command",
    "mcp",
    "other",
];
const NO_TOOL: u16 = 1 << CLASSES.len();
const ANY: u16 = NO_TOOL | (NO_TOOL - 1);

/// The classes of calls that the names of tools may mean. A tool's own name may be of any class.
pub(crate) fn of_tools(tools: &[String]) -> u16 {
    let of = |name: &String| CLASSES.iter().position(|class| class == name).map_or(ANY, |bit| 1 << bit);
    if tools.is_empty() { ANY } else { NO_TOOL | tools.iter().map(of).fold(0, |all, class| all | class) }
}

/// The classes of calls that may run a program or write something.
pub(crate) fn acting() -> u16 {
    const LOOKS: [&str; 4] = ["read", "search", "fetch", "web-search"];
    let looks = LOOKS.map(|name| of_tools(&[name.to_owned()]) & !NO_TOOL);
    ANY & !looks.iter().fold(0, |all, class| all | class)
}

/// The class of an event's call.
pub(crate) fn of_event(event: &Event) -> u16 {
    let Some(tool) = event.tool() else { return NO_TOOL };
    let name = tool.call.class();
    CLASSES.iter().position(|class| *class == name).map_or(ANY, |bit| 1 << bit)
}
