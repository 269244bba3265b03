//! Settings of coding agents, judged by key: what decides over the agent is guarded, the rest is asked about.

use tollgate_model::json::{self, Value};
use tollgate_model::{EffectKind, FileKind, Place, Protection, Tampered, World, Zone};

use crate::startup::below_home;

mod editors;
mod servers;

pub(crate) use editors::{editor, editor_part, is_editor_settings};
pub(crate) use servers::list_of_servers;

/// The largest settings file that is compared.
const LIMIT: usize = 1 << 20;

/// Parts of keys that decide what an agent may do, what it runs, and whom it talks to.
const CONTROLS: &[&str] = &[
    "hook",
    "permission",
    "env",
    "mcp",
    "allow",
    "deny",
    "sandbox",
    "approv",
    "autoaccept",
    "trust",
    "plugin",
    "tool",
    "command",
    "helper",
    "yolo",
    "bypass",
    "security",
    "statusline",
    "project",
    "server",
    "extension",
    "skip",
    "notify",
    "shell",
    "url",
    "provider",
    "marketplace",
    "policy",
    "profile",
    "rules",
    "refresh",
    "credential",
    "dangerous",
    "admin",
    "auth",
    "agent",
    "feature",
    "include",
];

/// Files in which everything is a control.
const ALL_CONTROL: &[&str] = &[
    "hooks.json",
    "mcp.json",
    ".mcp.json",
    "mcp-config.json",
    "mcp_config.json",
    "permissions.json",
    "trustedFolders.json",
    "trusted_hooks.json",
    "sandbox.json",
    "managed-settings.json",
];

/// Folders of agents in which every file is a control.
const ALL_CONTROLS: &[&str] = &["policies", "hooks", "plugins", "cli-agents"];

/// What writing one of these texts to an agent's settings means. Without a text nothing is known of it.
pub(crate) fn written(place: &Place, texts: &[String], world: &dyn World) -> Vec<EffectKind> {
    if texts.is_empty() && place.path.ends_with(".jsonl") {
        return vec![other(place, "changes a record")];
    }
    // Where the name of a file alone makes it a hook, a new one adds to what is watched and takes nothing away.
    let by_name = ["/.cline/hooks/", "/.clinerules/hooks/", "/Cline/Hooks/"];
    if by_name.iter().any(|folder| place.path.contains(folder))
        && world.kind(&place.path) == FileKind::Missing
    {
        return vec![other(place, "adds a hook that runs by itself")];
    }
    if texts.is_empty() || place.pattern {
        return vec![control(place, "")];
    }
    texts.iter().filter_map(|text| one(place, text, world)).collect()
}

fn one(place: &Place, text: &str, world: &dyn World) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    // Whoever empties settings means those that are there, now or when the call runs.
    if matches!(text.trim(), "" | "{}")
        && name.ends_with(".json")
        && world.kind(&place.path) == FileKind::File
    {
        return Some(control(place, ""));
    }
    // Notes and records in the folders of agents decide nothing.
    if [".md", ".txt", ".log", ".jsonl"].iter().any(|end| name.ends_with(end)) {
        return Some(other(place, "changes a text"));
    }
    match changed_keys(&place.path, name, text, world) {
        None => Some(control(place, "")),
        Some(keys) => {
            let folder = place.path.rsplit('/').nth(1).unwrap_or_default();
            judge(place, &keys, ALL_CONTROL.contains(&name) || ALL_CONTROLS.contains(&folder), world)
        }
    }
}

fn judge(place: &Place, keys: &[String], all: bool, world: &dyn World) -> Option<EffectKind> {
    let is_control = |key: &&String| all || is_control(key);
    let controls: Vec<&str> = keys.iter().filter(is_control).map(String::as_str).take(5).collect();
    let is_new = world.read(&place.path, 1).is_none();
    match (controls.is_empty(), keys.is_empty()) {
        (false, _) => Some(control(place, &controls.join(", "))),
        (true, false) => Some(other(place, &format!("changes {}", keys.join(", ")))),
        (true, true) if is_new => Some(other(place, "makes the file")),
        (true, true) => None,
    }
}

fn is_control(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    CONTROLS.iter().any(|part| key.contains(part))
}

/// The keys that differ between the file on disk and its new text; `None` when that cannot be told.
fn changed_keys(path: &str, name: &str, text: &str, world: &dyn World) -> Option<Vec<String>> {
    let old = world.read(path, LIMIT).map(String::from_utf8);
    let old = match old {
        Some(Ok(old)) if old.len() < LIMIT => Some(old),
        Some(_) => return None,
        None => None,
    };
    if name.ends_with(".toml") {
        return Some(changed_lines(old.as_deref().unwrap_or_default(), text));
    }
    if !(name.ends_with(".json") || name.ends_with(".jsonc")) {
        return None;
    }
    let parse = |text: &str| json::parse(without_comments(text).as_bytes()).ok();
    let old = match old {
        Some(old) if old.trim().is_empty() => Value::Map(Vec::new()),
        Some(old) => parse(&old)?,
        None => Value::Map(Vec::new()),
    };
    let new = parse(text)?;
    changed_members(&old, &new)
}

fn changed_members(old: &Value, new: &Value) -> Option<Vec<String>> {
    let (old_members, new_members) = (old.as_map()?, new.as_map()?);
    let differs = |key: &str| old.get(key) != new.get(key);
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in old_members.iter().chain(new_members) {
        if differs(key) && !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    Some(keys)
}

/// The keys, with their sections, of lines of a TOML file that are in one text and not in the other.
fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (toml_lines(old), toml_lines(new));
    let only = |left: &[(String, String)], right: &[(String, String)]| -> Vec<String> {
        left.iter().filter(|line| !right.contains(line)).map(|(key, _)| key.clone()).collect()
    };
    let mut keys = only(&old, &new);
    keys.extend(only(&new, &old));
    keys.sort();
    keys.dedup();
    keys
}

fn toml_lines(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
            lines.push((section.clone(), String::new()));
            continue;
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        let full = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
        lines.push((full, line.to_owned()));
    }
    lines
}

/// JSON with comments, without its comments and commas that end a list.
pub(crate) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                out.push(c);
                out.extend(chars.next());
            }
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                for next in chars.by_ref().take_while(|next| *next != '\n') {
                    let _ = next;
                }
                out.push('\n');
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                let mut before = ' ';
                for next in chars.by_ref().skip(1) {
                    if before == '*' && next == '/' {
                        break;
                    }
                    before = next;
                }
            }
            ']' | '}' if !in_string => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}

fn control(place: &Place, keys: &str) -> EffectKind {
    let keys = if keys.is_empty() { String::new() } else { format!("{keys} in ") };
    EffectKind::Tamper { target: Tampered::AgentControl, what: format!("{keys}{}", shown(place)) }
}

/// A change of settings that decide nothing.
pub(crate) fn other(place: &Place, does: &str) -> EffectKind {
    EffectKind::Weaken { protection: Protection::AgentSettings, how: format!("{} ({does})", shown(place)) }
}

/// What an agent is told, by name or by folder: it does what these say, without asking who wrote them.
const INSTRUCTIONS: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENT.md",
    "GEMINI.md",
    "QWEN.md",
    "CRUSH.md",
    "WARP.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".goosehints",
    ".rules",
    "copilot-instructions.md",
];
const INSTRUCTED: &[&str] = &[
    "/.claude/agents/",
    "/.claude/commands/",
    "/.claude/skills/",
    "/.claude/rules/",
    "/.claude/output-styles/",
    "/.cursor/rules/",
    "/.cursor/commands/",
    "/.windsurf/rules/",
    "/.windsurf/workflows/",
    "/.clinerules/",
    "/.github/instructions/",
    "/.github/prompts/",
    "/.github/agents/",
    "/.github/skills/",
    "/.codex/prompts/",
    "/.codex/skills/",
    "/.gemini/commands/",
    "/.kiro/steering/",
    "/.agents/skills/",
    "/.opencode/agent/",
    "/.opencode/command/",
    "/.factory/droids/",
];

/// Instructions of an agent that come from the network unread, or that take its leash off.
pub(crate) fn instructed(place: &Place, texts: &[String], from_network: bool) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    if place.zone == Zone::Temp
        || !(INSTRUCTIONS.contains(&name) || INSTRUCTED.iter().any(|folder| place.path.contains(folder)))
    {
        return None;
    }
    if from_network {
        return Some(other(place, "loads instructions from the network that nobody has read"));
    }
    texts.iter().find_map(|text| {
        let heads = front_matter(text);
        let freed = |(key, value): &(&str, &str)| {
            *key == "permissionMode" && matches!(*value, "bypassPermissions" | "dontAsk")
        };
        let brings = |(key, value): &&(&str, &str)| {
            matches!(*key, "hooks" | "mcpServers" | "mcp-servers") && *value != "{}"
        };
        match heads.iter().find(|head| freed(head)) {
            Some((key, _)) => Some(control(place, key)),
            None => {
                heads.iter().find(brings).map(|(key, _)| other(place, &format!("brings {key} of its own")))
            }
        }
    })
}

/// The keys and values on top of a Markdown file, between two lines of dashes.
fn front_matter(text: &str) -> Vec<(&str, &str)> {
    let Some(rest) = text.strip_prefix("---\n") else { return Vec::new() };
    let lines = rest.lines().take_while(|line| line.trim_end() != "---");
    lines
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key, value.trim().trim_matches(['"', '\''])))
        .collect()
}

/// Folders of agents, with settings and hooks among other things.
const FOLDERS: &[&str] = &[
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".qwen",
    ".copilot",
    ".opencode",
    ".factory",
    ".augment",
    ".windsurf",
    ".kiro",
    ".amp",
    ".cline",
    ".clinerules",
    ".devin",
    ".kilo",
];

/// Something is copied or unpacked into the folder of an agent: what, is not known.
pub(crate) fn filled(place: &Place) -> Option<EffectKind> {
    let (folder, rest) = match place.path.strip_suffix("/*") {
        Some(folder) if place.pattern => (folder, true),
        _ => (place.path.as_str(), false),
    };
    let name = folder.rsplit('/').next().unwrap_or_default();
    let whole = FOLDERS.contains(&name) && (rest || !place.pattern);
    (whole && place.zone != Zone::Temp).then(|| other(place, "fills the folder with what is not known"))
}

/// The folder of an agent as a whole, with its settings and hooks in it.
pub(crate) fn holder(place: &Place) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let below_temp = place.zone == Zone::Temp;
    (FOLDERS.contains(&name) && !place.pattern && !below_temp).then(|| control(place, ""))
}

/// A hook script in one of the agents' folders for them.
pub(crate) fn is_hook_script(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    parts
        .windows(2)
        .any(|pair| matches!(pair, [folder, "hooks"] if folder.starts_with('.') && *folder != ".git"))
}

/// The record an agent keeps of a session.
pub(crate) fn is_transcript(path: &str, world: &dyn World) -> bool {
    let Some(rest) = below_home(path, world) else { return false };
    let folders =
        [".claude/projects/", ".codex/sessions/", ".gemini/tmp/", ".qwen/tmp/", ".copilot/session-state/"];
    folders.iter().any(|folder| rest.starts_with(folder))
        && (rest.ends_with(".jsonl") || rest.ends_with(".json"))
}

fn shown(place: &Place) -> String {
    format!("`{}`", if place.shown.is_empty() { &place.path } else { &place.shown })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_go() {
        for (text, plain) in [
            ("{\"a\": 1, // x\n}", "{\"a\": 1}"),
            ("{/* x */\"a\": \"//b\"}", "{\"a\": \"//b\"}"),
            ("[1, 2,]", "[1, 2]"),
            ("{\"a\": \"\\\"/*\"}", "{\"a\": \"\\\"/*\"}"),
        ] {
            assert_eq!(without_comments(text), plain);
        }
    }

    #[test]
    fn keys_that_decide() {
        for (key, expected) in [
            ("hooks", true),
            ("permissions", true),
            ("enableAllProjectMcpServers", true),
            ("approval_policy", true),
            ("model", false),
            ("theme", false),
            ("cleanupPeriodDays", false),
        ] {
            assert_eq!(is_control(key), expected, "{key}");
        }
    }
}
