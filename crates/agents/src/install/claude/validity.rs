//! What Claude Code makes of a settings file: when it skips the whole file, and when it drops single hooks.
//!
//! Observed with 2.1.325 and, where they differ, 2.1.139 and 2.1.265. The cases in `tests/claude_settings/cases.json`
//! are the facts: the tests of this crate compare these rules with them, and `crates/e2e/tests/claude_settings.rs`
//! compares them with the real client.
//!
//! The rule behind the rules: a `PreToolUse` or `PermissionRequest` hook that cannot be read may have been what kept a
//! permission safe, so Claude Code then applies nothing of the file. A broken hook for any other event is only dropped.

use super::setting_types::{NESTED, wrong_type};
use super::{EVENTS, Version};
use tollgate_model::json::Value;

/// What a problem costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing in the file is in effect.
    File,
    /// This hook, group or event is dropped.
    Entry,
}

/// A part of a settings file that Claude Code does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as Claude Code names it: `hooks.PreToolUse.0.hooks.1`.
    pub place: String,
    /// What is wrong: `must be an object, not a string`.
    pub what: String,
    /// What it costs.
    pub loss: Loss,
}

/// The first version that drops a broken hook of most events alone. Observed: 2.1.139 skips the whole file for it,
/// 2.1.265 does not.
pub const DROPS_ENTRIES_SINCE: Version = Version(2, 1, 265);

/// Everything in settings that Claude Code does not read.
#[must_use]
pub fn problems(settings: &Value) -> Vec<Problem> {
    let Some(members) = settings.as_map() else {
        let what = format!("must be an object, not {}", settings.type_name());
        return vec![Problem { place: "the settings".into(), what, loss: Loss::File }];
    };
    let mut problems: Vec<Problem> = members.iter().flat_map(|(name, value)| typed(name, value)).collect();
    for (name, value) in members {
        if name == "hooks" {
            problems.extend(hooks(value));
        } else if is_guard(name, value)
            || !NEVER_HOOKS.contains(&name.as_str()) && holds_guard(value, DEEPEST, !is_event(name))
        {
            problems.push(file(name, "holds hooks, which belong under `hooks`"));
        }
    }
    problems
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}", self.place, self.what)
    }
}

/// Is it an event of Claude Code's?
#[must_use]
pub fn is_event(name: &str) -> bool {
    EVENTS.iter().any(|hooked| hooked.event == name) || NOT_HOOKED.contains(&name)
}

/// The events that the gate does not listen to.
const NOT_HOOKED: [&str; 4] = ["WorktreeCreate", "WorktreeRemove", "MessageDisplay", "FileChanged"];

/// A hook for one of these may be what guards the permissions in the same file.
const GUARDS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

/// Settings in which Claude Code does not look for misplaced hooks.
const NEVER_HOOKS: [&str; 9] = [
    "enabledPlugins",
    "env",
    "extraKnownMarketplaces",
    "lspServers",
    "managedMcpServers",
    "mcpServers",
    "modelSettings",
    "pluginConfigs",
    "skillOverrides",
];

/// How far down it looks for them.
const DEEPEST: usize = 3;

fn typed(name: &str, value: &Value) -> Vec<Problem> {
    let mut found: Vec<Problem> = wrong_type(name, value).map(|what| file(name, what)).into_iter().collect();
    if NESTED.contains(&name) {
        for (member, value) in value.as_map().unwrap_or_default() {
            let place = format!("{name}.{member}");
            found.extend(wrong_type(&place, value).map(|what| file(&place, what)));
        }
    }
    if name == "statusLine" && value.as_map().is_some() {
        let missing = ["type", "command"].into_iter().filter(|member| value.get(member).is_none());
        found.extend(missing.map(|member| file(&format!("{name}.{member}"), "is missing")));
    }
    found
}

fn hooks(value: &Value) -> Vec<Problem> {
    match value {
        Value::Null => Vec::new(),
        Value::Map(_) if is_group(value) => vec![file("hooks", "must map events to lists; it is one group")],
        Value::Map(events) => events.iter().flat_map(|(name, list)| event(name, list)).collect(),
        Value::List(all) if all.iter().any(is_group) => {
            vec![file("hooks", "must map events to lists; it is a list of groups")]
        }
        other => {
            let what = format!("must be an object, not {}", other.type_name());
            vec![Problem { place: "hooks".into(), what, loss: Loss::Entry }]
        }
    }
}

fn event(name: &str, list: &Value) -> Vec<Problem> {
    let place = format!("hooks.{name}");
    if !is_event(name) {
        let hidden = holds_guard(list, DEEPEST, list.as_list().is_none());
        let loss = if hidden { Loss::File } else { Loss::Entry };
        return vec![Problem { place, what: "is no event of Claude Code".into(), loss }];
    }
    let loss = if GUARDS.contains(&name) { Loss::File } else { Loss::Entry };
    match list {
        Value::Null => Vec::new(),
        Value::List(groups) => {
            let each = groups.iter().enumerate();
            each.flat_map(|(at, value)| group(&format!("{place}.{at}"), value, loss)).collect()
        }
        other => {
            let loss = if holds_guard(other, DEEPEST, false) { Loss::File } else { loss };
            vec![Problem { place, what: format!("must be a list, not {}", other.type_name()), loss }]
        }
    }
}

fn group(place: &str, value: &Value, loss: Loss) -> Vec<Problem> {
    let problem = |what: String| vec![Problem { place: place.to_owned(), what, loss }];
    if holds_guard(value, DEEPEST, false) {
        return vec![file(place, "holds hooks of another event")];
    }
    if value.as_map().is_none() {
        return problem(format!("must be an object, not {}", value.type_name()));
    }
    let handlers = match value.get("hooks") {
        Some(Value::List(handlers)) => handlers,
        Some(other) => return problem(format!("has `hooks` that are no list, but {}", other.type_name())),
        None => return problem("has no `hooks`".into()),
    };
    match value.get("matcher") {
        None | Some(Value::String(_)) => {}
        Some(other) => {
            return problem(format!("has a `matcher` that is no string, but {}", other.type_name()));
        }
    }
    let each = handlers.iter().enumerate().filter_map(|(at, handler)| {
        let what = handler_problem(handler)?;
        Some(Problem { place: format!("{place}.hooks.{at}"), what, loss })
    });
    each.collect()
}

/// What keeps Claude Code from reading a handler.
#[must_use]
pub fn handler_problem(handler: &Value) -> Option<String> {
    let Some(members) = handler.as_map() else {
        return Some(format!("must be an object, not {}", handler.type_name()));
    };
    let kind = match handler.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => return Some(format!("has a `type` that is no string, but {}", other.type_name())),
        None => return Some("has no `type`".into()),
    };
    let required: &[&str] = match kind {
        "command" => &["command"],
        "prompt" | "agent" => &["prompt"],
        "http" => &["url"],
        "mcp_tool" => &["server", "tool"],
        other => return Some(format!("has the unknown type `{other}`")),
    };
    if let Some(name) = required.iter().find(|name| handler.get(name).is_none()) {
        return Some(format!("has no `{name}`"));
    }
    members.iter().find_map(|(name, value)| {
        let fits = member_fits(kind, name, value) && (!required.contains(&name.as_str()) || is_text(value));
        (!fits).then(|| format!("has a `{name}` that Claude Code does not read"))
    })
}

fn member_fits(kind: &str, name: &str, value: &Value) -> bool {
    let one_of = |words: &[&str]| value.as_str().is_some_and(|word| words.contains(&word));
    match (kind, name) {
        (_, "if" | "statusMessage") | ("prompt" | "agent", "model") => is_text(value),
        (_, "timeout") => {
            matches!(value, Value::Number(number) if number.parse::<f64>().is_ok_and(|number| number > 0.0))
        }
        (_, "once") | ("command", "async" | "asyncRewake") | ("prompt", "continueOnBlock") => {
            value.as_bool().is_some()
        }
        ("command", "args") | ("http", "allowedEnvVars") => {
            value.as_list().is_some_and(|words| words.iter().all(is_text))
        }
        ("command", "shell") => one_of(&["bash", "powershell"]),
        ("command" | "http", "onFailure") => one_of(&["continue", "block"]),
        ("http", "url") => value.as_str().is_some_and(|url| url.contains("://")),
        ("http", "headers") => value.as_map().is_some_and(|all| all.iter().all(|(_, value)| is_text(value))),
        _ => true,
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some()
}

fn file(place: &str, what: impl Into<String>) -> Problem {
    Problem { place: place.to_owned(), what: what.into(), loss: Loss::File }
}

/// Hooks under the name of a guarding event.
fn is_guard(name: &str, value: &Value) -> bool {
    GUARDS.contains(&name)
        && match value {
            Value::Null => false,
            Value::List(all) => !all.is_empty(),
            _ => true,
        }
}

/// Are hooks of a guarding event somewhere in this value, or, with `groups`, a group that could be one of theirs?
fn holds_guard(value: &Value, depth: usize, groups: bool) -> bool {
    let members = value.as_map().unwrap_or_default();
    if members.iter().any(|(name, value)| is_guard(name, value)) || groups && is_group(value) {
        return true;
    }
    let Some(below) = depth.checked_sub(1) else { return false };
    let elements = value.as_list().unwrap_or_default().iter();
    members.iter().any(|(name, value)| match (name.as_str(), value) {
        // Handlers may say what they like.
        ("hooks", Value::List(all)) => all
            .iter()
            .filter(|one| one.text("type").is_none())
            .any(|one| below.checked_sub(1).is_some_and(|below| holds_guard(one, below, groups))),
        _ => holds_guard(value, below, groups && !is_event(name)),
    }) || elements.into_iter().any(|value| holds_guard(value, below, groups))
}

/// Does it look like a group of hooks?
fn is_group(value: &Value) -> bool {
    let Some(members) = value.as_map() else { return false };
    let has_matcher = value.get("matcher").is_some();
    if !has_matcher && members.iter().any(|(name, _)| is_event(name)) {
        return false;
    }
    match value.get("hooks") {
        Some(Value::List(handlers)) => !handlers.is_empty(),
        Some(hooks @ Value::Map(_)) => has_matcher || hooks.text("type").is_some(),
        _ => false,
    }
}
