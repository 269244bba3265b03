//! Settings of editors: what lets their agents do things unasked, what takes a guard away, and what names programs that
//! the editor runs by itself.

use tollgate_model::json::{self, Value};
use tollgate_model::{EffectKind, Place, World};

use super::{changed_keys, control, without_comments};
use crate::commands::leads_agent_away;
use crate::content;

/// Settings of an editor in which an agent lives.
pub(crate) fn is_editor_settings(path: &str) -> bool {
    let parts: Vec<&str> = path.rsplit('/').take(2).collect();
    matches!(parts.as_slice(), ["settings.json", ".vscode" | "User" | ".zed"] | ["mcp.json", ".vscode"])
        || path.ends_with(".code-workspace")
}

/// An editor's settings matter where they let its agent do things unasked.
pub(crate) fn editor(place: &Place, text: &str, world: &dyn World) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    if name.ends_with(".code-workspace") {
        return match json::parse(without_comments(text).as_bytes()) {
            Ok(whole) => counting(place, whole.get("settings")?.as_map()?, world),
            Err(_) => editor_part(place, text),
        };
    }
    // An editor goes on behind a mistake, and takes what it can read.
    let Ok(new) = json::parse(without_comments(text).as_bytes()) else { return editor_part(place, text) };
    let keys = changed_keys(&place.path, name, text, world)?;
    if name == "mcp.json" {
        return (!keys.is_empty()).then(|| control(place, &keys.join(", ")));
    }
    let changed: Vec<(String, Value)> =
        new.as_map()?.iter().filter(|(key, _)| keys.contains(key)).cloned().collect();
    counting(place, &changed, world)
}

/// The settings among these that matter.
fn counting(place: &Place, settings: &[(String, Value)], world: &dyn World) -> Option<EffectKind> {
    let counts = |(key, value): &&(String, Value)| matters(key, value, world);
    let keys: Vec<&str> = settings.iter().filter(counts).map(|(key, _)| key.as_str()).collect();
    (!keys.is_empty()).then(|| control(place, &keys.join(", ")))
}

/// The same for a text that names settings of an editor, of which no more is known: a part of the file, or the
/// code that changes it.
pub(crate) fn editor_part(place: &Place, text: &str) -> Option<EffectKind> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut keys: Vec<&str> = Vec::new();
    for key in text.split(|c| !is_key(c)).filter(|key| key.contains('.')) {
        let counts = gives_way(key) && turns_on(text, key) || guards(key) && turns_off(text, key);
        if !keys.contains(&key) && counts {
            keys.push(key);
        }
    }
    (!keys.is_empty()).then(|| control(place, &keys.join(", ")))
}

/// Parts of keys, in small letters, that let an agent of the editor act unasked when they are on, or give it tools.
const GIVES_WAY: &[&str] = &[
    "autoapprove",
    "autoapproval",
    "autorun",
    "autoaccept",
    "yolo",
    "mcp.",
    "mcpservers",
    "context_servers",
    "security.workspace.trust",
    "skippermissions",
    "dangerously",
    "allowautomatictasks",
    "always_allow",
];

/// Keys that guard the person while they are on.
const GUARDS: &[&str] =
    &["security.workspace.trust.enabled", "http.proxystrictssl", "extensions.verifysignature"];

/// Ends of keys, in small letters, of programs that the editor starts by itself.
const PROGRAMS: &[&str] = &["git.path", "npm.packagemanagerpath", "terminal.external.linuxexec"];

fn matters(key: &str, value: &Value, world: &dyn World) -> bool {
    let lower = key.to_ascii_lowercase();
    let off = matches!(value, Value::Bool(false) | Value::Null) || value.as_str() == Some("never");
    if GUARDS.contains(&lower.as_str()) {
        return off;
    }
    // Some editors keep what is for their agent together.
    if let (true, Some(inner)) = (matches!(lower.as_str(), "agent" | "assistant" | "chat"), value.as_map()) {
        return inner.iter().any(|(key, value)| matters(key, value, world));
    }
    if gives_way(key) && value.as_str() != Some("off") {
        return !off;
    }
    if lower.ends_with("allowedcommands") {
        return value.as_list().is_some_and(|commands| commands.iter().any(|one| one.as_str() == Some("*")));
    }
    if PROGRAMS.iter().any(|end| lower.ends_with(end)) {
        return value.as_str().is_some_and(is_open);
    }
    if lower.contains(".env.") || lower.ends_with("environmentvariables") {
        return sets_code(value);
    }
    let runs = lower.starts_with("terminal.integrated.") || lower.contains("runonsave");
    runs && lines(value).iter().any(|line| !content::everyday_dangers(line, world).is_empty())
}

/// A program where anybody may put one.
fn is_open(program: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|folder| program.starts_with(folder))
}

/// Does a map or a list of names and values set a variable that is code, or that leads an agent elsewhere?
fn sets_code(value: &Value) -> bool {
    const CODE: &[&str] = &["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND"];
    let counts = |name: &str, value: &str| CODE.contains(&name) || leads_agent_away(name, value);
    let named =
        |item: &Value| counts(item.text("name").unwrap_or_default(), item.text("value").unwrap_or_default());
    match value {
        Value::Map(members) => {
            members.iter().any(|(name, value)| counts(name, value.as_str().unwrap_or_default()))
        }
        Value::List(items) => items.iter().any(named),
        _ => false,
    }
}

/// All texts in a value.
fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::List(items) => items.iter().flat_map(lines).collect(),
        Value::Map(members) => members.iter().flat_map(|(_, member)| lines(member)).collect(),
        _ => Vec::new(),
    }
}

fn gives_way(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    GIVES_WAY.iter().any(|part| key.contains(part)) && !guards(&key)
}

fn guards(key: &str) -> bool {
    GUARDS.contains(&key.to_ascii_lowercase().as_str())
}

/// Is the key anywhere given another value than no?
fn turns_on(text: &str, key: &str) -> bool {
    values(text, key).any(|value| !is_no(value))
}

fn turns_off(text: &str, key: &str) -> bool {
    values(text, key).any(is_no)
}

fn is_no(value: &str) -> bool {
    ["false", "False", "null", "None", "never", "off"].iter().any(|no| value.starts_with(no))
}

/// What stands behind a key, wherever it stands.
fn values<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(key).map(move |(at, _)| {
        let rest = text.get(at + key.len()..).unwrap_or_default();
        rest.trim_start_matches(|c: char| c.is_whitespace() || "\"'\\])=:,(".contains(c))
    })
}
