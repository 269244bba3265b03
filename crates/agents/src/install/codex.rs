//! Codex runs a hook only when its hash is trusted, and skips it in silence when not. `init` is a person's yes to the
//! hooks that it writes, so it writes their hashes as well, as Codex's own review would.

use std::path::Path;

use tollgate_model::json::{Value, write};

use super::edit::groups;
use super::registration::runs_gate;
use super::sha256::sha256;
use super::toml::{Table, quoted};

/// The tables of `config.toml` that trust our handlers in the text of a `hooks.json`.
#[must_use]
pub fn trust(hooks_json: &Path, settings: &Value) -> Vec<Table> {
    let events = settings.get("hooks").and_then(Value::as_map).unwrap_or_default();
    events.iter().flat_map(|(event, _)| event_trust(hooks_json, settings, event)).collect()
}

/// Why Codex does not run our hooks although they are there, if so.
#[must_use]
pub fn weakness(config: &str, tables: &[Table]) -> Option<String> {
    let untrusted = tables.iter().filter(|table| !super::toml::holds(config, table)).count();
    if untrusted > 0 {
        return Some(format!(
            "Codex does not trust {untrusted} of the gate's hooks, and skips them in silence"
        ));
    }
    let mut section = "";
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        let off = line.replace(' ', "");
        if (section == "[features]" && off.starts_with("hooks=false"))
            || off.starts_with("features.hooks=false")
        {
            return Some("`features.hooks = false` in config.toml switches all hooks off".to_owned());
        }
        let ours = tables.iter().any(|table| table.header == section);
        if ours && off.starts_with("enabled=false") {
            return Some(format!("`enabled = false` in {section} switches a hook of the gate off"));
        }
    }
    None
}

fn event_trust(hooks_json: &Path, settings: &Value, event: &str) -> Vec<Table> {
    let mut tables = Vec::new();
    for (at, group) in groups(settings, event).iter().enumerate() {
        let handlers = group.get("hooks").and_then(Value::as_list).unwrap_or_default();
        for (place, handler) in handlers.iter().enumerate().filter(|(_, handler)| runs_gate(handler)) {
            tables.push(table(hooks_json, (event, at, place), group, handler));
        }
    }
    tables
}

/// The table that trusts a handler, by its event, its group's place and its place in the group.
#[must_use]
pub fn table(hooks_json: &Path, at: (&str, usize, usize), group: &Value, handler: &Value) -> Table {
    let (event, at, place) = at;
    let key = format!("{}:{}:{at}:{place}", hooks_json.display(), label(event));
    let header = format!("[hooks.state.{}]", quoted(&key));
    Table { header, key: "trusted_hash", value: hash(event, group, handler) }
}

/// Does Codex run this handler?
pub(super) fn is_trusted(
    config: &str,
    hooks_json: &Path,
    at: (&str, usize, usize),
    group: &Value,
    handler: &Value,
) -> bool {
    weakness(config, &[table(hooks_json, at, group, handler)]).is_none()
}

/// Are there hooks in this `config.toml` itself? They are not edited.
#[must_use]
pub fn has_own_hooks(config: &str) -> bool {
    let name = |line: &str| line.trim_start_matches('[').trim_start().to_owned();
    let headers = config.lines().map(str::trim).filter(|line| line.starts_with('[')).map(name);
    let mut hooks = headers.filter(|name| name.starts_with("hooks.") || name.starts_with("hooks]"));
    hooks.any(|name| !name.starts_with("hooks.state"))
}

/// `PreToolUse` is `pre_tool_use` in keys and hashes.
fn label(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The hash of what the handler is to Codex: its event and its members, sorted, with the defaults filled in.
fn hash(event: &str, group: &Value, handler: &Value) -> String {
    let timeout = handler.get("timeout").cloned().unwrap_or_else(|| 600.into());
    let mut members = vec![
        ("async".to_owned(), false.into()),
        ("command".to_owned(), handler.text("command").unwrap_or_default().into()),
        ("timeout".to_owned(), timeout),
        ("type".to_owned(), "command".into()),
    ];
    members.extend(handler.text("statusMessage").map(|text| ("statusMessage".to_owned(), text.into())));
    members.sort_by(|a, b| a.0.cmp(&b.0));
    let mut identity = vec![
        ("event_name".to_owned(), label(event).into()),
        ("hooks".to_owned(), Value::List(vec![Value::Map(members)])),
    ];
    identity.extend(group.text("matcher").map(|matcher| ("matcher".to_owned(), matcher.into())));
    let mut text = String::new();
    write(&Value::Map(identity), &mut text);
    let hex: String = sha256(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
